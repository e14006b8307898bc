//! A kernel that is none, for tests: block devices whose attributes act on each other as those of Linux do, a directory
//! of its own for what lies in /run and /etc, and reboots.

use crate::fault::{self, FaultStep};
use crate::files::{TemporaryDir, temporary_dir};
use crate::{Host, Whose, durable};
use model::change::{Attribute, DeviceIdentity};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const EINVAL: i32 = 22;
const EIO: i32 = 5;

/// The machine. Clones are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Simulated(Arc<SimulatedInner>);

#[derive(Debug)]
struct SimulatedInner {
    root: TemporaryDir,
    state: Mutex<SimulatedState>,
}

#[derive(Debug, Default)]
struct SimulatedState {
    boots: u64,
    next_diskseq: u64,
    devices: BTreeMap<String, SimulatedDevice>,
    machine: Machine,
    /// How often a mount, a group or an interrupt became another one.
    exchanges: u64,
}

/// Settings of the whole machine: two that are one (Linux `mm/page-writeback.c`: writing either sets the other to 0, and
/// 0 bytes are refused), and the CPUs of an interrupt.
#[derive(Clone, Debug)]
struct Machine {
    settings: BTreeMap<String, String>,
    /// Whom the interrupt serves.
    served: String,
    /// Id of the mount at /srv.
    mounted: u64,
    /// Number of the control group.
    grouped: u64,
}

impl Default for Machine {
    fn default() -> Self {
        let defaults = [
            (BYTES, "0"),
            (RATIO, "10"),
            (AFFINITY, "0-1"),
            (ATIME, "relatime"),
        ];
        let settings = defaults.map(|(path, value)| (path.to_string(), value.to_string()));
        Machine {
            settings: settings.into(),
            served: "loop-req.0".into(),
            mounted: 66,
            grouped: 21,
        }
    }
}

const BYTES: &str = "/proc/sys/vm/dirty_background_bytes";
const RATIO: &str = "/proc/sys/vm/dirty_background_ratio";
const AFFINITY: &str = "/proc/irq/24/smp_affinity_list";
const ATIME: &str = "mount:atime:7:9:/srv";
/// How the place of the one control group's limit on a device begins; its name among the device's settings.
const GROUP: &str = "group:riops:";
const RIOPS: &str = "riops";

impl Machine {
    fn write(&mut self, path: &str, value: &str) -> Result<(), i32> {
        if !self.settings.contains_key(path) {
            return Err(libc::ENOENT);
        }
        if path == AFFINITY {
            let is_list = ["0", "1", "0-1"].contains(&value);
            is_list.then_some(()).ok_or(EINVAL)?;
        } else if path == ATIME {
            let is_word = ["relatime", "noatime", "strictatime"].contains(&value);
            is_word.then_some(()).ok_or(EINVAL)?;
        } else {
            let number: u64 = value.parse().map_err(|_| EINVAL)?;
            let is_refused = if path == BYTES {
                number == 0
            } else {
                number > 100
            };
            if is_refused {
                return Err(EINVAL);
            }
            let other = if path == BYTES { RATIO } else { BYTES };
            self.settings.insert(other.into(), "0".into());
        }
        self.settings.insert(path.into(), value.into());
        Ok(())
    }
}

#[derive(Clone, Debug)]
struct SimulatedDevice {
    diskseq: u64,
    queue: BTreeMap<String, String>,
}

impl SimulatedDevice {
    fn new(diskseq: u64) -> SimulatedDevice {
        let mut device = SimulatedDevice {
            diskseq,
            queue: BTreeMap::new(),
        };
        for (name, value) in [
            ("rq_affinity", "1"),
            ("nomerges", "0"),
            ("max_sectors_kb", "1280"),
            (RIOPS, "max"),
        ] {
            device.queue.insert(name.into(), value.into());
        }
        device.queue.insert("read_ahead_kb".into(), "128".into());
        device.choose("none");
        device
    }

    /// Linux `elevator_switch`: the scheduler's own files are made anew with their defaults, and nr_requests with them.
    fn choose(&mut self, scheduler: &str) {
        self.queue.retain(|name, _| !name.starts_with("iosched/"));
        self.queue.insert("scheduler".into(), scheduler.into());
        let (requests, own): (&str, &[(&str, &str)]) = match scheduler {
            "mq-deadline" => (
                "256",
                &[("iosched/read_expire", "500"), ("iosched/fifo_batch", "16")],
            ),
            "bfq" => ("256", &[("iosched/slice_idle", "8")]),
            _ => ("128", &[]),
        };
        self.queue.insert("nr_requests".into(), requests.into());
        self.queue.extend(
            own.iter()
                .map(|(name, value)| ((*name).to_string(), (*value).to_string())),
        );
    }

    fn read(&self, name: &str) -> Attribute {
        match self.queue.get(name) {
            None => Attribute::Absent,
            Some(chosen) if name == "scheduler" => {
                let words = ["none", "mq-deadline", "bfq"];
                let shown = words.map(|word| {
                    if word == chosen {
                        format!("[{word}]")
                    } else {
                        word.into()
                    }
                });
                Attribute::Value(shown.join(" "))
            }
            Some(value) => Attribute::Value(value.clone()),
        }
    }

    fn write(&mut self, name: &str, value: &str) -> Result<(), i32> {
        if !self.queue.contains_key(name) {
            return Err(libc::ENOENT);
        }
        if name == "scheduler" {
            if !["none", "mq-deadline", "bfq"].contains(&value) {
                return Err(EINVAL);
            }
            // Writing the one that is chosen changes nothing.
            if self.queue.get(name).is_some_and(|chosen| chosen != value) {
                self.choose(value);
            }
            return Ok(());
        }
        if (name, value) != (RIOPS, "max") {
            value.parse::<u64>().map_err(|_| EINVAL)?;
        }
        self.queue.insert(name.into(), value.into());
        if name == "max_sectors_kb" {
            self.queue.insert("read_ahead_kb".into(), "128".into());
        }
        Ok(())
    }
}

impl Simulated {
    /// A machine with loop0, loop1 and loop2.
    pub(crate) fn new() -> Simulated {
        // In memory where there is such a place: histories sync tens of times each.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            crate::files::temporary_dir_in(memory, "simulated")
        } else {
            temporary_dir("simulated")
        };
        let machine = Simulated(Arc::new(SimulatedInner {
            root: root.unwrap(),
            state: Mutex::default(),
        }));
        for device in ["loop0", "loop1", "loop2"] {
            machine.attach(device);
        }
        std::fs::create_dir_all(machine.place("/etc/udev/rules.d")).unwrap();
        machine
    }

    fn state(&self) -> MutexGuard<'_, SimulatedState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The machine as the product sees it.
    pub(crate) fn host(&self) -> Host {
        Host {
            source: crate::HostSource::Simulated(self.clone()),
            recorder: None,
            container: None,
            held: crate::Held::default(),
            rehearsal: None,
        }
    }

    /// A state directory, made as the product makes it.
    pub(crate) fn state_dir(&self, number: u32) -> PathBuf {
        let dir = self.0.root.path().join(format!("state{number}"));
        if !dir.exists() {
            durable::ensure(&dir).unwrap();
        }
        dir
    }

    /// Where locks lie; a boot of its own each.
    pub(crate) fn run_dir(&self) -> PathBuf {
        self.0
            .root
            .path()
            .join(format!("run{}", self.state().boots))
    }

    /// Where a file of the machine really is.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        self.0
            .root
            .path()
            .join("root")
            .join(path.trim_start_matches('/'))
    }

    /// Takes a device away, and makes another of that name.
    pub(crate) fn attach(&self, name: &str) {
        let mut state = self.state();
        state.next_diskseq += 1;
        let device = SimulatedDevice::new(state.next_diskseq);
        state.devices.insert(name.into(), device);
    }

    /// Takes a device away.
    pub(crate) fn detach(&self, name: &str) {
        self.state().devices.remove(name);
    }

    /// The interrupt serves somebody else now.
    pub(crate) fn serve(&self, whom: &str) {
        let mut state = self.state();
        state.exchanges += 1;
        state.machine.served = whom.into();
    }

    /// The interrupt's number is freed and given to another device, with the kernel's own CPUs.
    pub(crate) fn serve_anew(&self) {
        let whom = format!("nvme0q{}", self.exchanges() + 1);
        self.serve(&whom);
        let value = "0-1".to_string();
        self.state().machine.settings.insert(AFFINITY.into(), value);
    }

    /// How often a mount, a group or an interrupt became another one under its name.
    pub(crate) fn exchanges(&self) -> u64 {
        self.state().exchanges
    }

    /// Which mount, control group or user of an interrupt a setting is of; none where its device says that.
    fn mark(&self, path: &str) -> Option<String> {
        match path {
            ATIME => Some(self.mounted()),
            AFFINITY => Some(self.state().machine.served.clone()),
            path => path.starts_with(GROUP).then(|| self.grouped()),
        }
    }

    /// Which mount is at /srv.
    pub(crate) fn mounted(&self) -> String {
        format!("mount {}", self.state().machine.mounted)
    }

    /// Another file system of the device is mounted at /srv, as everything is mounted at first.
    pub(crate) fn mount_anew(&self) {
        let mut state = self.state();
        state.exchanges += 1;
        state.machine.mounted += 1;
        let value = "relatime".to_string();
        state.machine.settings.insert(ATIME.into(), value);
    }

    /// Which control group it is.
    pub(crate) fn grouped(&self) -> String {
        format!("control group {}", self.state().machine.grouped)
    }

    /// The control group is removed, and made again without a limit.
    pub(crate) fn group_anew(&self) {
        let mut state = self.state();
        state.exchanges += 1;
        state.machine.grouped += 1;
        for device in state.devices.values_mut() {
            device.queue.insert(RIOPS.into(), "max".into());
        }
    }

    /// The kernel's own values again, in a new boot; the devices have their names again.
    pub(crate) fn reboot(&self) {
        let names: Vec<String> = self.state().devices.keys().cloned().collect();
        self.state().boots += 1;
        self.state().machine = Machine::default();
        names.iter().for_each(|name| self.attach(name));
    }

    /// Settings of a device and which one it is; of `machine` those of the whole machine.
    pub(crate) fn settings(&self, name: &str) -> Option<(u64, BTreeMap<String, String>)> {
        if name == "machine" {
            let state = self.state();
            return Some((state.boots, state.machine.settings.clone()));
        }
        self.state()
            .devices
            .get(name)
            .map(|device| (device.diskseq, device.queue.clone()))
    }

    /// Somebody else sets something.
    pub(crate) fn set(&self, path: &str, value: &str) {
        self.written(path, value).unwrap();
    }

    fn written(&self, path: &str, value: &str) -> Result<(), i32> {
        if path.starts_with("/proc/") || path == ATIME {
            return self.state().machine.write(path, value);
        }
        self.act(path, |device, name| device.write(name, value))
            .unwrap_or(Err(libc::ENODEV))
    }

    /// Names in a directory: who an interrupt serves, beside the kernel's own files.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        if path != "/proc/irq/24" {
            return Vec::new();
        }
        let served = self.state().machine.served.clone();
        let own = ["smp_affinity", "smp_affinity_list"].map(str::to_string);
        [served].into_iter().chain(own).collect()
    }

    fn act<T>(&self, path: &str, act: impl FnOnce(&mut SimulatedDevice, &str) -> T) -> Option<T> {
        let (name, attribute) = match path.strip_prefix(GROUP) {
            Some(rest) => (rest.split_once(':')?.0, RIOPS),
            None => path.strip_prefix("/sys/block/")?.split_once("/queue/")?,
        };
        self.state()
            .devices
            .get_mut(name)
            .map(|device| act(device, attribute))
    }

    /// What reading a path gives.
    pub(crate) fn attribute(&self, path: &str) -> Attribute {
        if path.contains("/queue/") || path.starts_with(GROUP) {
            return match fault::at(FaultStep::ReadAttribute, Path::new(path)) {
                Err(_) => Attribute::Refused(EIO),
                Ok(()) => self
                    .act(path, |device, name| device.read(name))
                    .unwrap_or(Attribute::Absent),
            };
        }
        // Not in the condition: the lock would be held while the fault gives others a turn.
        let of_machine = self.state().machine.settings.get(path).cloned();
        if let Some(value) = of_machine {
            return match fault::at(FaultStep::ReadAttribute, Path::new(path)) {
                Err(_) => Attribute::Refused(EIO),
                Ok(()) => Attribute::Value(value),
            };
        }
        let state = self.state();
        if path == "/proc/sys/kernel/random/boot_id" {
            return Attribute::Value(format!("boot {}", state.boots));
        }
        let found = path
            .strip_prefix("/sys/block/")
            .and_then(|rest| rest.split_once('/'));
        let device = found.and_then(|(name, rest)| Some((state.devices.get(name)?, name, rest)));
        match device {
            Some((_, name, "dev")) => {
                Attribute::Value(format!("7:{}", name.trim_start_matches("loop")))
            }
            Some((device, _, "diskseq")) => Attribute::Value(device.diskseq.to_string()),
            Some((_, _, "size")) => Attribute::Value("2048".into()),
            _ => Attribute::Absent,
        }
    }

    /// Writes an attribute.
    pub(crate) fn write(&self, path: &str, value: &str, whose: &Whose<'_>) -> std::io::Result<()> {
        fault::at(FaultStep::WriteAttribute, Path::new(path))?;
        // As with a file that is open: nobody has a turn between the look and the write.
        let is_same = |device: &DeviceIdentity| {
            let now = self.settings(&device.name).map(|(diskseq, _)| diskseq);
            now == device.diskseq
        };
        if !whose.device.is_none_or(is_same) {
            return Err(std::io::Error::other("it is another device now"));
        }
        if whose
            .mark
            .is_some_and(|was| self.mark(path).is_some_and(|is| is != was))
        {
            return Err(std::io::Error::other("it is another subject now"));
        }
        self.written(path, value)
            .map_err(std::io::Error::from_raw_os_error)
    }
}
