//! What a guest is to be, before it is booted.

use crate::{Architecture, Disk, Error, Guest, cache};
use serde_json::json;
use std::path::Path;

/// The kernel that `lab/build` makes an image for where nobody names one: Debian 12's own.
const KERNEL: &str = "6.1";

/// A machine that can be booted.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) disks: Vec<Disk>,
    kernel: String,
    systemd: bool,
    pub(crate) is_in_virtual_time: bool,
    arguments: String,
    words: Vec<String>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine::new()
    }
}

impl Machine {
    /// Two CPUs, 1 GiB of memory, no disk but the system's. The kernel is the one `IODYNO_LAB_KERNEL` names, else 6.1.
    pub fn new() -> Machine {
        let kernel = std::env::var("IODYNO_LAB_KERNEL").unwrap_or_else(|_| KERNEL.into());
        Machine {
            disks: Vec::new(),
            kernel,
            systemd: false,
            is_in_virtual_time: false,
            arguments: String::new(),
            words: Vec::new(),
        }
    }

    /// One more disk; the first is number 0.
    pub fn disk(mut self, disk: Disk) -> Machine {
        self.disks.push(disk);
        self
    }

    /// A server of arm64 in place of a PC.
    pub fn arm64(mut self) -> Machine {
        self.kernel = Architecture::arm64_kernel(&self.kernel);
        self
    }

    /// Boots with systemd to multi-user, for tests of what happens at boot. Without, udev runs and nothing else.
    pub fn systemd(mut self) -> Machine {
        self.systemd = true;
        self
    }

    /// One CPU, whose clock counts its instructions, 8 ns each, and skips idle time: what happens inside takes as long whatever
    /// the host does (0.3 % in repeated runs of null_blk beside a load of 7). Disks of QEMU's stay in the host's time, so a
    /// figure is asserted of null_blk, brd, scsi_debug, device mapper and md alone.
    pub fn virtual_time(mut self) -> Machine {
        self.is_in_virtual_time = true;
        self
    }

    /// More words on the kernel's command line.
    pub fn kernel_arguments(mut self, words: &str) -> Machine {
        self.arguments = words.into();
        self
    }

    /// More words for QEMU, after all others: of two that say the same thing it takes the later.
    pub fn qemu(mut self, words: &str) -> Machine {
        self.words.extend(words.split_whitespace().map(Into::into));
        self
    }

    /// What its CPU is.
    pub fn architecture(&self) -> Architecture {
        Architecture::from_kernel(&self.kernel)
    }

    /// The kernel's version, as `lab/build` takes it.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Boots it.
    pub fn boot(self) -> Result<Guest, Error> {
        cache::ready(&self.kernel)?;
        Guest::boot(self)
    }

    /// Boots it; none, with the reason noted, where this machine cannot have guests.
    pub fn boot_or_skip(self) -> Option<Guest> {
        match self.boot() {
            Ok(guest) => Some(guest),
            Err(Error::Missing(why)) => {
                skip::missing("guest", why);
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// QEMU's arguments, with the names of the guest's own files relative to its directory.
    pub(crate) fn qemu_arguments(&self, lab: &Path) -> Vec<String> {
        let kernel = lab.join(&self.kernel);
        let path = |name: &str| kernel.join(name).to_string_lossy().into_owned();
        let init = if self.systemd {
            "/sbin/init"
        } else {
            "/lab/init"
        };
        let words = format!(
            "{} quiet panic=-1 mitigations=off root=/dev/vda init={init} {}",
            self.architecture().kernel_arguments(),
            self.arguments
        );
        let root = json!({
            "driver": "qcow2", "node-name": "root", "cache": {"no-flush": true},
            "file": {"driver": "file", "filename": "root.qcow2"},
        });
        let modules = json!({
            "driver": "raw", "node-name": "modules", "read-only": true,
            "file": {"driver": "file", "filename": path("modules.img"), "read-only": true, "locking": "off"},
        });
        let cpus = if self.is_in_virtual_time {
            "-accel tcg,thread=single,tb-size=512 -icount shift=3,sleep=off -smp 1"
        } else {
            "-accel tcg,thread=multi,tb-size=512 -smp 2"
        };
        let mut arguments: Vec<String> = [
            cpus,
            self.architecture().board(),
            "-m 1G",
            "-nodefaults -no-user-config -display none -no-reboot -serial file:console.log",
            "-device virtio-rng-pci -device virtio-9p-pci,fsdev=share,mount_tag=lab",
            "-fsdev local,id=share,path=share,security_model=none",
            // The port to the agent is this process's own pipe: it closes when the test is gone, however it went.
            "-chardev stdio,id=port,signal=off -device virtio-serial-pci -device virtserialport,chardev=port,name=lab.0",
            "-qmp unix:qmp.sock,server=on,wait=off",
        ]
        .iter()
        .flat_map(|line| line.split(' ').map(str::to_string))
        .collect();
        let more = [
            ("-kernel", path("vmlinux")),
            ("-initrd", path("initrd")),
            ("-append", words),
            ("-blockdev", root.to_string()),
            ("-device", "virtio-blk-pci,drive=root,serial=root".into()),
            ("-blockdev", modules.to_string()),
            (
                "-device",
                "virtio-blk-pci,drive=modules,serial=modules".into(),
            ),
        ];
        arguments.extend(
            more.into_iter()
                .flat_map(|(option, value)| [option.to_string(), value]),
        );
        arguments.extend(
            self.disks
                .iter()
                .enumerate()
                .flat_map(|(number, disk)| disk.arguments(number)),
        );
        arguments.extend(self.words.iter().cloned());
        arguments
    }
}
