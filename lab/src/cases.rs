//! Cases: stacks with a known fault, and healthy ones, each a shell file of `lab/faults` or `lab/healthy`.
//!
//! A file's head says what it is: `# cause: RULE…` (any of which names the fault), `# test: yes` (part of the short
//! tests), `# options: …` of the check, `# needs: smart` (the NVMe disk warns of its end), `# limit: USB iops-total=150…` (what
//! QEMU lets that disk do meanwhile, in its own words), `# machine: hardware` (the other of [`MACHINES`]), `# last: why` (it leaves traces that later cases would show). Then
//! come `make`, which builds it and sets TARGET, and `unmake`.

use crate::{Bus, CommandDone, Disk, Error, Guest, Machine};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The machines that cases are built on: the usual one, and one that looks like hardware: four CPUs on two NUMA nodes, no
/// word of a hypervisor, a RAID controller.
pub const MACHINES: [&str; 2] = ["", "hardware"];

/// What cases need besides the system.
const SETUP: &str =
    "modprobe -a dm-mod dm-delay dm-flakey dm-crypt raid0 raid1 raid456 loop ext4 xfs btrfs bfq \
     mq-deadline 2>/dev/null
     mount | grep -q 'type cgroup2' || { mkdir -p /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; }
     true";

/// One case, as the head of its file says it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its file's name without the ending.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Rules any of which names the cause; empty on a healthy machine.
    pub causes: Vec<String>,
    /// Options of `check` that it needs; `--quick` where it says none.
    pub options: String,
    /// Whether it is part of the short tests.
    pub is_in_test: bool,
    /// Which of [`MACHINES`] it is built on.
    pub machine: String,
    needs: String,
    limit: String,
    is_last: bool,
}

/// Every case: the healthy ones, the faults, and at the end those that leave traces.
pub fn all() -> Result<Vec<Case>, Error> {
    let mut cases: Vec<Case> = Vec::new();
    for folder in ["healthy", "faults"] {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))? {
            let file = entry?.path();
            let case = Case::read(&file)?;
            if case.name == "lib" {
                continue;
            }
            if case.causes.is_empty() != (folder == "healthy") {
                return Err(Error::Failed(format!(
                    "{} does not say its cause",
                    file.display()
                )));
            }
            cases.push(case);
        }
    }
    cases.sort_by_key(|case| (case.is_last, !case.causes.is_empty(), case.name.clone()));
    Ok(cases)
}

/// One of [`MACHINES`].
pub fn machine(kind: &str) -> Machine {
    let machine = match kind {
        "hardware" => Machine::new().qemu(HARDWARE),
        _ => Machine::new(),
    };
    disks(kind)
        .into_iter()
        .fold(machine, |machine, (_, disk)| machine.disk(disk))
}

/// QEMU's words for what looks like hardware.
const HARDWARE: &str = "-smp 4 -cpu qemu64,-hypervisor -object memory-backend-ram,id=near,size=512M \
     -object memory-backend-ram,id=far,size=512M -numa node,nodeid=0,cpus=0-1,memdev=near \
     -numa node,nodeid=1,cpus=2-3,memdev=far";

/// The disks of a machine with the names by which cases know them.
fn disks(kind: &str) -> Vec<(&'static str, Disk)> {
    if kind == "hardware" {
        return vec![
            ("HDD", Disk::new(Bus::Sata, 512).rotational()),
            ("RAID", Disk::new(Bus::Raid, 512).rotational()),
            ("STICK", Disk::new(Bus::SlowUsb, 64)),
            // The last ones: QEMU would put what follows below their bridges.
            ("NVME", Disk::new(Bus::Nvme, 256).node(0)),
            ("NVME2", Disk::new(Bus::Nvme, 256).node(1)),
        ];
    }
    vec![
        ("NVME", Disk::new(Bus::Nvme, 512).queues(2)),
        ("NVME2", Disk::new(Bus::Nvme, 512)),
        ("VIRTIO", Disk::new(Bus::Virtio, 512)),
        ("HDD", Disk::new(Bus::Scsi, 512).rotational()),
        ("SSD", Disk::new(Bus::Sata, 512)),
        ("SSD2", Disk::new(Bus::Sata, 512)),
        ("USB", Disk::new(Bus::Usb, 512).bytes_per_s(60 << 20)),
        ("UAS", Disk::new(Bus::Uas, 512)),
        ("SLOW", Disk::new(Bus::Virtio, 512).iops(500)),
        (
            "BURST",
            Disk::new(Bus::Virtio, 512).iops(300).burst(3000, 4),
        ),
    ]
}

/// Makes a guest of such a [`machine`] ready; the names of its disks, as lines of shell.
pub fn prepare(guest: &mut Guest, kind: &str) -> Result<String, Error> {
    guest.put(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/lib.sh"),
        "lib.sh",
    )?;
    let mut names = String::new();
    for (number, (name, _)) in disks(kind).iter().enumerate() {
        names.push_str(&format!("{name}={}\n", guest.disk(number)?));
    }
    guest.run(SETUP, 120)?;
    Ok(names)
}

impl Case {
    fn read(file: &Path) -> Result<Case, Error> {
        let text = std::fs::read_to_string(file)?;
        let head = |word: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(&format!("# {word}: ")));
            line.unwrap_or_default().trim().to_string()
        };
        Ok(Case {
            name: file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            file: file.to_path_buf(),
            causes: head("cause").split_whitespace().map(Into::into).collect(),
            options: Some(head("options"))
                .filter(|options| !options.is_empty())
                .unwrap_or_else(|| "--quick".into()),
            is_in_test: !head("test").is_empty(),
            machine: head("machine"),
            needs: head("needs"),
            limit: head("limit"),
            is_last: !head("last").is_empty(),
        })
    }

    /// Builds it, runs a script in it with `$TARGET`, and takes it away. The script is in the case's control group where
    /// it has one. The status is the script's; 90 where the case could not be built.
    pub fn run(
        &self,
        guest: &mut Guest,
        names: &str,
        script: &str,
        limit_s: u64,
    ) -> Result<CommandDone, Error> {
        guest.put(&self.file, "case.sh")?;
        self.warn(guest, 4)?;
        self.hold(guest, true)?;
        let whole = format!(
            "{names}\n. /mnt/lab/lib.sh\n. /mnt/lab/case.sh\nclear_all >/dev/null 2>&1\nIN_GROUP=\n\
             make || {{ clear_all >/dev/null 2>&1; exit 90; }}\n\
             [ -z \"$IN_GROUP\" ] || echo $$ >\"$IN_GROUP/cgroup.procs\"\n\
             {script}\nstatus=$?\n\
             [ -z \"$IN_GROUP\" ] || echo $$ >/sys/fs/cgroup/cgroup.procs\n\
             unmake\nclear_all >/dev/null 2>&1\nexit $status"
        );
        let done = guest.run(&whole, limit_s);
        self.warn(guest, 0)?;
        self.hold(guest, false)?;
        done
    }

    /// The disk that the case names has the case's limits, or its own again.
    fn hold(&self, guest: &Guest, is_on: bool) -> Result<(), Error> {
        let mut words = self.limit.split_whitespace();
        let Some(disk) = words.next() else {
            return Ok(());
        };
        let disks = disks(&self.machine);
        let number = disks.iter().position(|(name, _)| *name == disk);
        let number =
            number.ok_or_else(|| Error::Failed(format!("{}: no disk {disk}", self.name)))?;
        let given = words.filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_string(), json!(value.parse::<u64>().ok()?)))
        });
        let wanted = if is_on {
            Value::Object(given.collect())
        } else {
            disks[number].1.limits()
        };
        guest.limit(number, &wanted)
    }

    /// The second NVMe disk says, or says no longer, that its reliability is degraded.
    fn warn(&self, guest: &Guest, value: u8) -> Result<(), Error> {
        if self.needs == "smart" {
            let property = "smart_critical_warning";
            let set =
                json!({"path": "/machine/peripheral/dev1", "property": property, "value": value});
            guest.qmp("qom-set", &set)?;
        }
        Ok(())
    }
}
