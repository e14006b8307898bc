//! Cases: stacks with a known fault, and healthy ones, each a shell file of `lab/faults` or `lab/healthy`.
//!
//! A file's head says what it is: `# cause: RULE…` (any of which names the fault), `# test: yes` (part of the short
//! tests), `# options: …` of the check, `# needs: smart` (the NVMe disk warns of its end), `# last: why` (it leaves traces
//! that later cases would show). Then come `make`, which builds it and sets TARGET, and `unmake`.

use crate::{Bus, Disk, Done, Error, Guest, Machine};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The names by which cases know the disks of [`machine`], in the order of their numbers.
pub const DISKS: [&str; 10] =
    ["NVME", "NVME2", "VIRTIO", "HDD", "SSD", "SSD2", "USB", "UAS", "SLOW", "BURST"];

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
    needs: String,
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
                return Err(Error::Failed(format!("{} does not say its cause", file.display())));
            }
            cases.push(case);
        }
    }
    cases.sort_by_key(|case| (case.is_last, !case.causes.is_empty(), case.name.clone()));
    Ok(cases)
}

/// The machine that cases are built on.
pub fn machine() -> Machine {
    let disks = [
        Disk::new(Bus::Nvme, 512).queues(2),
        Disk::new(Bus::Nvme, 512),
        Disk::new(Bus::Virtio, 512),
        Disk::new(Bus::Scsi, 512).rotational(),
        Disk::new(Bus::Sata, 512),
        Disk::new(Bus::Sata, 512),
        Disk::new(Bus::Usb, 512).bytes_per_s(60 << 20),
        Disk::new(Bus::Uas, 512),
        Disk::new(Bus::Virtio, 512).iops(500),
        Disk::new(Bus::Virtio, 512).iops(300).burst(3000, 4),
    ];
    disks.into_iter().fold(Machine::new(), Machine::disk)
}

/// Makes a guest of [`machine`] ready; the names of its disks, as lines of shell.
pub fn prepare(guest: &mut Guest) -> Result<String, Error> {
    guest.put(&Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/lib.sh"), "lib.sh")?;
    let mut names = String::new();
    for (number, name) in DISKS.iter().enumerate() {
        names.push_str(&format!("{name}={}\n", guest.disk(number)?));
    }
    guest.run(SETUP, 120)?;
    Ok(names)
}

impl Case {
    fn read(file: &Path) -> Result<Case, Error> {
        let text = std::fs::read_to_string(file)?;
        let head = |word: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {word}: ")));
            line.unwrap_or_default().trim().to_string()
        };
        Ok(Case {
            name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            file: file.to_path_buf(),
            causes: head("cause").split_whitespace().map(Into::into).collect(),
            options: Some(head("options"))
                .filter(|options| !options.is_empty())
                .unwrap_or_else(|| "--quick".into()),
            is_in_test: !head("test").is_empty(),
            needs: head("needs"),
            is_last: !head("last").is_empty(),
        })
    }

    /// Builds it, runs a script in it with `$TARGET`, and takes it away. The script is in the case's control group where
    /// it has one. The status is the script's; 90 where the case could not be built.
    pub fn run(&self, guest: &mut Guest, names: &str, script: &str, limit_s: u64) -> Result<Done, Error> {
        guest.put(&self.file, "case.sh")?;
        self.warn(guest, 4)?;
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
        done
    }

    /// The second NVMe disk says, or says no longer, that its reliability is degraded.
    fn warn(&self, guest: &Guest, value: u8) -> Result<(), Error> {
        if self.needs == "smart" {
            let property = "smart_critical_warning";
            let set = json!({"path": "/machine/peripheral/dev1", "property": property, "value": value});
            guest.qmp("qom-set", &set)?;
        }
        Ok(())
    }
}
