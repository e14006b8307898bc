//! A disk of a guest, and how it is said to QEMU.

use serde_json::{Value, json};

/// What a disk is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// virtio-blk.
    Virtio,
    /// NVMe.
    Nvme,
    /// virtio-scsi.
    Scsi,
    /// AHCI.
    Sata,
    /// usb-storage on xHCI.
    Usb,
    /// A USB disk that speaks UAS, on xHCI.
    Uas,
    /// A USB disk on UHCI, the one controller of QEMU whose link has a rate: 1.28 MB/s. Its maker is not QEMU.
    SlowUsb,
    /// A volume of a RAID controller (megaraid_sas) that has no cache.
    Raid,
}

/// A disk that starts empty, kept in a file of the guest's directory.
#[derive(Clone, Debug)]
pub struct Disk {
    bus: Bus,
    mib: u64,
    queues: u32,
    iops: Option<u64>,
    bytes_per_s: Option<u64>,
    burst: Option<(u64, u64)>,
    latency_us: Option<u64>,
    rotational: bool,
    port: Option<(&'static str, u32)>,
    node: Option<u32>,
}

impl Disk {
    /// A disk of `mib` MiB with one queue and no limits.
    pub fn new(bus: Bus, mib: u64) -> Disk {
        Disk {
            bus,
            mib,
            queues: 1,
            iops: None,
            bytes_per_s: None,
            burst: None,
            latency_us: None,
            rotational: false,
            port: None,
            node: None,
        }
    }

    /// Queues of virtio, NVMe and virtio-scsi; the guest uses no more than it has CPUs.
    pub fn queues(mut self, queues: u32) -> Disk {
        self.queues = queues;
        self
    }

    /// No more I/Os than this a second, in host time.
    pub fn iops(mut self, iops: u64) -> Disk {
        self.iops = Some(iops);
        self
    }

    /// Beside a limit of I/Os: this many a second for so many seconds, after which only the limit is left, as cloud disks
    /// with credits do.
    pub fn burst(mut self, iops: u64, seconds: u64) -> Disk {
        self.burst = Some((iops, seconds));
        self
    }

    /// No more bytes than this a second, in host time.
    pub fn bytes_per_s(mut self, bytes_per_s: u64) -> Disk {
        self.bytes_per_s = Some(bytes_per_s);
        self
    }

    /// Each I/O takes so long in host time, however many there are at once. Such a disk keeps nothing: it reads as zeroes.
    pub fn latency_us(mut self, latency_us: u64) -> Disk {
        self.latency_us = Some(latency_us);
        self
    }

    /// SCSI and SATA disks that say that they rotate. Virtio and USB disks of QEMU say so whatever is asked.
    pub fn rotational(mut self) -> Disk {
        self.rotational = true;
        self
    }

    /// An NVMe disk that hangs on a PCI Express port of its own with this rate (`2_5`, `5`, `8` or `16` GT/s) and these
    /// lanes, not on the root complex itself.
    pub fn port(mut self, rate: &'static str, lanes: u32) -> Disk {
        self.port = Some((rate, lanes));
        self
    }

    /// An NVMe disk that hangs on this NUMA node; the machine has to have it.
    pub fn node(mut self, node: u32) -> Disk {
        self.node = Some(node);
        self
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.mib << 20
    }

    /// The name of the disk's file below the guest's directory.
    pub(crate) fn file_name(number: usize) -> String {
        format!("disk{number}.img")
    }

    /// The serial by which the guest finds it.
    pub(crate) fn serial(number: usize) -> String {
        format!("lab{number}")
    }

    /// QEMU's arguments for it. The file's name is relative to the guest's directory.
    pub(crate) fn arguments(&self, number: usize) -> Vec<String> {
        let node = format!("disk{number}");
        let mut arguments = Vec::new();
        let mut add = |option: &str, value: String| arguments.extend([option.to_string(), value]);
        add("-blockdev", self.backend(number).to_string());
        add(
            "-object",
            json!({"qom-type": "throttle-group", "id": format!("limit{number}"), "limits": self.limits()})
                .to_string(),
        );
        let throttle = json!({
            "driver": "throttle", "node-name": node,
            "throttle-group": format!("limit{number}"), "file": format!("{node}raw"),
        });
        add("-blockdev", throttle.to_string());
        for device in self.devices(number) {
            add("-device", device);
        }
        arguments
    }

    /// What keeps its data, under the name `diskNraw`.
    fn backend(&self, number: usize) -> Value {
        let name = format!("disk{number}raw");
        if let Some(latency_us) = self.latency_us {
            return json!({
                "driver": "null-co", "node-name": name, "size": self.bytes(), "latency-ns": latency_us * 1000,
                "read-zeroes": true,
            });
        }
        // Writes end in the host's page cache: quick, and the host's disk adds no noise.
        let file =
            json!({"driver": "file", "filename": Disk::file_name(number), "discard": "unmap"});
        json!({"driver": "raw", "node-name": name, "file": file})
    }

    /// What QEMU lets it do, in its own words.
    pub(crate) fn limits(&self) -> Value {
        let mut limits = serde_json::Map::new();
        let burst = |part: fn((u64, u64)) -> u64| self.burst.map(part);
        let given = [
            ("iops-total", self.iops),
            ("bps-total", self.bytes_per_s),
            ("iops-total-max", burst(|(iops, _)| iops)),
            ("iops-total-max-length", burst(|(_, seconds)| seconds)),
        ];
        limits.extend(
            given
                .into_iter()
                .filter_map(|(name, limit)| Some((name.to_string(), json!(limit?)))),
        );
        Value::Object(limits)
    }

    fn devices(&self, number: usize) -> Vec<String> {
        let queues = self.queues;
        let disk = format!(
            "drive=disk{number},id=dev{number},serial={}",
            Disk::serial(number)
        );
        let rotation = if self.rotational { 7200 } else { 1 };
        let below = |adapter: String, disk: String| vec![format!("{adapter},id=bus{number}"), disk];
        match self.bus {
            Bus::Virtio => vec![format!("virtio-blk-pci,{disk},num-queues={queues}")],
            Bus::Nvme => {
                let nvme = format!("nvme,{disk},max_ioqpairs={queues}");
                let chassis = number + 1;
                if let Some(node) = self.node {
                    let bus_number = 32 * chassis;
                    return vec![
                        format!(
                            "pxb-pcie,id=root{number},bus=pcie.0,bus_nr={bus_number},numa_node={node}"
                        ),
                        format!(
                            "pcie-root-port,id=port{number},bus=root{number},chassis={chassis}"
                        ),
                        format!("{nvme},bus=port{number}"),
                    ];
                }
                let Some((rate, lanes)) = self.port else {
                    return vec![nvme];
                };
                vec![
                    format!(
                        "pcie-root-port,id=port{number},chassis={chassis},x-speed={rate},x-width={lanes}"
                    ),
                    format!("{nvme},bus=port{number}"),
                ]
            }
            Bus::Scsi => below(
                format!("virtio-scsi-pci,num_queues={queues}"),
                format!("scsi-hd,bus=bus{number}.0,{disk},rotation_rate={rotation}"),
            ),
            Bus::Sata => below(
                "ahci".into(),
                format!("ide-hd,bus=bus{number}.0,{disk},rotation_rate={rotation}"),
            ),
            Bus::Uas => vec![
                format!("qemu-xhci,id=bus{number}"),
                // udev names a USB disk by its bridge's serial number, not by its own.
                format!(
                    "usb-uas,id=uas{number},bus=bus{number}.0,serial={}",
                    Disk::serial(number)
                ),
                format!("scsi-hd,bus=uas{number}.0,{disk},rotation_rate=1"),
            ],
            Bus::SlowUsb => vec![
                format!("piix3-usb-uhci,id=bus{number}"),
                format!(
                    "usb-bot,id=bot{number},bus=bus{number}.0,serial={}",
                    Disk::serial(number)
                ),
                format!("scsi-hd,bus=bot{number}.0,{disk},vendor=LAB,product=STICK"),
            ],
            Bus::Raid => below(
                "megasas".into(),
                format!("scsi-hd,bus=bus{number}.0,{disk},rotation_rate={rotation}"),
            ),
            Bus::Usb => below(
                "qemu-xhci".into(),
                format!("usb-storage,bus=bus{number}.0,{disk},removable=on"),
            ),
        }
    }
}
