//! One lock a device: whoever changes settings of a block device holds it. It lies in /run, which ends with the boot as
//! the settings do, so it knows nothing of state directories: two iodynos with two of them still meet here.
//!
//! The file keeps the paths of the journals that stand on the device, whatever state directory they are in. Settings of
//! the whole machine (`/proc/sys`, interrupts) have one such file more, which is taken beside the device's.
//!
//! Who only measures has a file beside each: changes keep away from it, but for those that are put back. Whoever looks, be it for ever,
//! keeps nobody from taking back what he changed.

use crate::fault::{self, FaultStep};
use crate::journal;
use crate::{Error, Host, Result, durable, life};
use model::change::DeviceIdentity;
use model::text::is_plain_name;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The most of a lock's file that is kept before it is begun anew, bytes.
const LONG_BYTES: u64 = 16 << 10;
/// File of the machine's lock, and what it is called.
const MACHINE: &str = "machine.lock";
const MACHINE_WORDS: &str = "one of the machine's settings";
/// How often a lock is asked for again when its file was replaced meanwhile.
const TRIES: u32 = 10;

/// The exclusive right to change a device's settings, held until dropped or until the process dies: the kernel drops it
/// then, so none is ever left behind.
#[derive(Debug)]
pub struct DeviceLock {
    device: DeviceIdentity,
    own: LockFile,
    /// The machine's, where its settings are changed too.
    machine: Option<LockFile>,
    /// Keep measurements away.
    _looks: Vec<LockFile>,
}

/// What a lock does about those who measure meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookers {
    /// It is not taken while anybody does.
    Respected,
    /// What is put back does not wait for them.
    Ignored,
}

/// One locked file.
#[derive(Debug)]
struct LockFile {
    file: File,
    path: PathBuf,
}

/// What is changed under a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Settings of the device alone.
    Device,
    /// Settings of the whole machine too.
    Machine,
}

/// The right to have a device's settings stay as they are, held until dropped or until the process dies.
#[derive(Debug)]
pub struct DeviceShare {
    _files: [File; 2],
}

impl Host {
    /// Which device has a kernel name now; none where there is no such device.
    pub fn device_identity(&self, name: &str) -> Option<DeviceIdentity> {
        let dir = format!("/sys/block/{name}");
        if !is_plain_name(name) {
            return None;
        }
        Some(DeviceIdentity {
            name: name.into(),
            number: self.text(&format!("{dir}/dev"))?.trim().into(),
            diskseq: self.number(&format!("{dir}/diskseq")),
            serial_digest: self.disk_serial_digest(&dir),
            sectors: self.number(&format!("{dir}/size")).unwrap_or(0),
        })
    }
}

impl DeviceLock {
    /// Takes the lock of the device that has this kernel name now, or says who has it. `purpose` is what the holder is
    /// called by.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process has it.
    pub fn take(host: &Host, name: &str, reach: Reach, purpose: &str) -> Result<DeviceLock> {
        let gone = || {
            Error::io(
                "find",
                format!("/sys/block/{name}"),
                rustix::io::Errno::NODEV,
            )
        };
        let device = host.device_identity(name).ok_or_else(gone)?;
        let lock = Self::take_of(host, &device, (reach, Lookers::Respected), purpose)?;
        // It may have been replaced before the lock was ours.
        match host.device_identity(name) {
            Some(now) if device.is_still(&now).is_ok() => Ok(lock),
            _ => Err(gone()),
        }
    }

    /// The same of a device that was written down and may be gone.
    pub(crate) fn take_of(
        host: &Host,
        device: &DeviceIdentity,
        (reach, lookers): (Reach, Lookers),
        purpose: &str,
    ) -> Result<DeviceLock> {
        let take = |key: &str, what: &str| -> Result<LockFile> {
            let lock = acquire(host, key, what, durable::try_lock)?;
            lock.begin_anew_if_long()?;
            lock.append(&format!("held {} {purpose}", std::process::id()))?;
            Ok(lock)
        };
        // Always in this order, so that two processes that want both never hold one each for long.
        let own = take(&key(device), &device.name)?;
        let machine = match reach {
            Reach::Device => None,
            Reach::Machine => Some(take(MACHINE, MACHINE_WORDS)?),
        };
        let keep_away = |(key, what): (&str, &str)| -> Result<LockFile> {
            let lock = acquire(host, &looks(key), what, durable::try_lock)?;
            let failed = |error: std::io::Error| Error::io("write", &lock.path, error);
            durable::truncate(&lock.file, &lock.path, 0).map_err(failed)?;
            lock.append(&format!("held {} {purpose}", std::process::id()))?;
            Ok(lock)
        };
        let own_key = key(device);
        let all = [
            (own_key.as_str(), device.name.as_str()),
            (MACHINE, MACHINE_WORDS),
        ];
        let wanted = match reach {
            Reach::Device => &all[..1],
            Reach::Machine => &all[..],
        };
        let mut kept = Vec::new();
        for one in wanted {
            match keep_away(*one) {
                Err(_) if lookers == Lookers::Ignored => {}
                lock => kept.push(lock?),
            }
        }
        Ok(DeviceLock {
            device: device.clone(),
            own,
            machine,
            _looks: kept,
        })
    }

    /// Keeps others from changing the device's settings while it is only measured. Any number of processes may.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process changes it.
    pub fn share(host: &Host, name: &str) -> Result<DeviceShare> {
        let gone = || {
            Error::io(
                "find",
                format!("/sys/block/{name}"),
                rustix::io::Errno::NODEV,
            )
        };
        let device = host.device_identity(name).ok_or_else(gone)?;
        let share = |key: &str, what: &str| -> Result<File> {
            let share = acquire(host, &looks(key), what, durable::try_share)?;
            let line = format!("held {} {MEASURES}{name}", std::process::id());
            share.append(&line)?;
            Ok(share.file)
        };
        Ok(DeviceShare {
            _files: [share(&key(&device), name)?, share(MACHINE, MACHINE_WORDS)?],
        })
    }

    /// The device.
    pub fn device(&self) -> &DeviceIdentity {
        &self.device
    }

    /// What may be changed under it.
    pub fn reach(&self) -> Reach {
        match self.machine {
            Some(_) => Reach::Machine,
            None => Reach::Device,
        }
    }

    /// The journals that were made on the device in this boot and are still there, whatever state directory they are in;
    /// with those that changed the machine's settings, where the lock reaches so far.
    pub(crate) fn journals(&self) -> Result<Vec<PathBuf>> {
        let mut journals = self.own.journals()?;
        for path in self.machine.iter().map(LockFile::journals) {
            journals.extend(path?);
        }
        journals.sort();
        journals.dedup();
        Ok(journals)
    }

    /// Writes down that a journal is about to stand on the device.
    pub(crate) fn register(&self, journal: &Path) -> Result<()> {
        let text = journal.to_str().filter(|text| !text.contains('\n'));
        let why =
            "its name is not UTF-8 or has a line break: set IODYNO_STATE_DIR to another directory";
        let line = format!(
            "journal {}",
            text.ok_or_else(|| Error::untrusted(journal, why))?
        );
        self.own.append(&line)?;
        self.machine
            .as_ref()
            .map_or(Ok(()), |machine| machine.append(&line))
    }
}

impl LockFile {
    fn journals(&self) -> Result<Vec<PathBuf>> {
        fault::at(FaultStep::Open, &self.path)
            .map_err(|error| Error::io("look at", &self.path, error))?;
        let bytes = durable::read(&self.file, &self.path)
            .map_err(|error| Error::io("read", &self.path, error))?;
        Ok(journals_in(&bytes))
    }

    /// A line of its own, also behind one that a death has torn.
    fn append(&self, line: &str) -> Result<()> {
        durable::append(&self.file, &self.path, format!("\n{line}\n").as_bytes())
            .map_err(|error| Error::io("write", &self.path, error))
    }

    /// Drops what was, once none of it stands any more.
    fn begin_anew_if_long(&self) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("look at", &self.path, error);
        if self.file.metadata().map_err(failed)?.len() > LONG_BYTES && self.journals()?.is_empty() {
            durable::truncate(&self.file, &self.path, 0).map_err(failed)?;
        }
        Ok(())
    }
}

/// Locks the file of this name in a way, or says who is in it. `what` is what it stands for.
fn acquire(
    host: &Host,
    name: &str,
    what: &str,
    lock: fn(&File, &Path) -> std::io::Result<bool>,
) -> Result<LockFile> {
    let dir = host.run_dir();
    durable::ensure(&dir)?;
    let path = dir.join(name);
    let failed = |error: std::io::Error| Error::io("lock", &path, error);
    for _ in 0..TRIES {
        let file = open(&path)?;
        if !lock(&file, &path).map_err(failed)? {
            return Err(Error::Locked {
                what: what.to_string(),
                holder: holder(&file, &path),
            });
        }
        if durable::is_named(&file, &path) {
            return Ok(LockFile { file, path });
        }
    }
    Err(failed(std::io::Error::other(
        "its file was replaced again and again",
    )))
}

/// The journals of this boot, of any device and state directory: what a state directory does not know itself.
pub(crate) fn journals_of_all(host: &Host) -> Vec<PathBuf> {
    let dir = host.run_dir();
    if !durable::check(&dir).is_ok_and(|is_there| is_there) {
        return Vec::new();
    }
    let names = Host::live()
        .list(&dir.to_string_lossy())
        .into_iter()
        .filter(|name| name.ends_with(".lock"));
    let bytes = names.filter_map(|name| {
        let path = dir.join(name);
        let file = durable::open(&path).ok()??;
        durable::read(&file, &path).ok()
    });
    let mut journals: Vec<PathBuf> = bytes.flat_map(|bytes| journals_in(&bytes)).collect();
    journals.sort();
    journals.dedup();
    journals
}

/// The journals that a lock's file names and that are there. A death may have torn a line: then its journal was never
/// made.
fn journals_in(bytes: &[u8]) -> Vec<PathBuf> {
    let text = String::from_utf8_lossy(bytes);
    let whole = text.lines().filter(|line| line.ends_with(journal::ENDING));
    let mut journals: Vec<PathBuf> = Vec::new();
    for path in whole
        .filter_map(|line| line.strip_prefix("journal "))
        .map(PathBuf::from)
    {
        if !journals.contains(&path) && std::fs::symlink_metadata(&path).is_ok() {
            journals.push(path);
        }
    }
    journals
}

/// The file's name: two devices of one boot never share a sequence number; older kernels have the device number alone.
fn key(device: &DeviceIdentity) -> String {
    match device.diskseq {
        Some(diskseq) => format!("disk-{diskseq}.lock"),
        None => format!("device-{}.lock", device.number.replace(':', "-")),
    }
}

/// The file beside a lock's that those hold who measure.
fn looks(key: &str) -> String {
    format!("{key}.looks")
}

/// How the purpose of one who measures begins.
const MEASURES: &str = "a measurement of ";

fn open(path: &Path) -> Result<File> {
    for _ in 0..TRIES {
        if let Some(file) = durable::open(path)? {
            return Ok(file);
        }
        match durable::create(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made.map_err(|error| Error::io("create", path, error)),
        }
    }
    Err(Error::io(
        "open",
        path,
        std::io::Error::other("it comes and goes"),
    ))
}

/// Who has the lock, from the last line that says so.
fn holder(file: &File, path: &Path) -> String {
    let text = durable::read(file, path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let held = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("held "))
        .unwrap_or_default();
    let (pid, purpose) = held.split_once(' ').unwrap_or(("", ""));
    match pid.parse() {
        Ok(pid) if purpose.starts_with(MEASURES) => {
            format!("`{purpose}`, {}", life::in_words(pid, "end"))
        }
        Ok(pid) => format!("`{purpose}`, {}", life::in_words(pid, life::PUT_BACK)),
        Err(_) => "which one is not known".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::Simulated;

    #[test]
    fn the_second_is_told_who_has_it() {
        let machine = Simulated::new();
        let host = machine.host();
        let first = DeviceLock::take(&host, "loop0", Reach::Device, "tune loop0").unwrap();
        let error = DeviceLock::take(&host, "loop0", Reach::Device, "apply 3")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`tune loop0`") && error.contains(&std::process::id().to_string()),
            "{error}"
        );
        DeviceLock::take(&host, "loop1", Reach::Device, "another device").unwrap();
        drop(first);
        DeviceLock::take(&host, "loop0", Reach::Device, "apply 3").unwrap();
        assert!(DeviceLock::take(&host, "loop9", Reach::Device, "none is there").is_err());
        assert!(DeviceLock::take(&host, "../block/loop0", Reach::Device, "no name").is_err());
    }

    #[test]
    fn measurements_share_a_device_and_keep_changes_out() {
        let machine = Simulated::new();
        let host = machine.host();
        let (one, two) = (
            DeviceLock::share(&host, "loop0").unwrap(),
            DeviceLock::share(&host, "loop0").unwrap(),
        );
        let error = DeviceLock::take(&host, "loop0", Reach::Device, "tune")
            .unwrap_err()
            .to_string();
        assert!(error.contains("a measurement of loop0"), "{error}");
        // What is put back does not wait for them, and keeps others out all the same.
        let device = host.device_identity("loop0").unwrap();
        let ignoring = (Reach::Machine, Lookers::Ignored);
        let undo = DeviceLock::take_of(&host, &device, ignoring, "undo").unwrap();
        assert!(DeviceLock::take(&host, "loop0", Reach::Device, "tune").is_err());
        drop((undo, one, two));
        let undo = DeviceLock::take_of(&host, &device, ignoring, "undo").unwrap();
        let told = DeviceLock::share(&host, "loop0").unwrap_err().to_string();
        assert!(
            told.contains("`undo`"),
            "nothing moves under a measurement that begins: {told}"
        );
        drop(undo);
        let tune = DeviceLock::take(&host, "loop0", Reach::Device, "tune").unwrap();
        assert!(matches!(
            DeviceLock::share(&host, "loop0"),
            Err(Error::Locked { .. })
        ));
        drop(tune);
    }

    #[test]
    fn the_machine_has_a_lock_of_its_own_beside_those_of_devices() {
        let machine = Simulated::new();
        let host = machine.host();
        let take = |name: &str, reach| DeviceLock::take(&host, name, reach, "tune");
        let both = take("loop0", Reach::Machine).unwrap();
        take("loop1", Reach::Device).unwrap();
        let error = take("loop1", Reach::Machine).unwrap_err().to_string();
        assert!(error.contains("the machine's settings"), "{error}");
        assert!(
            DeviceLock::share(&host, "loop1").is_err(),
            "a measurement needs them to stay"
        );
        let journal = machine.state_dir(0).join("1.journal");
        std::fs::write(&journal, "").unwrap();
        both.register(&journal).unwrap();
        drop(both);
        let of_machine = take("loop1", Reach::Machine).unwrap();
        assert_eq!(of_machine.journals().unwrap(), [journal]);
        drop(of_machine);
        assert!(
            take("loop1", Reach::Device)
                .unwrap()
                .journals()
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn it_knows_the_journals_that_are_there() {
        let machine = Simulated::new();
        let host = machine.host();
        let lock = DeviceLock::take(&host, "loop0", Reach::Device, "tune").unwrap();
        let journal = machine.state_dir(0).join("1.journal");
        lock.register(&journal).unwrap();
        assert!(lock.journals().unwrap().is_empty(), "not made yet");
        std::fs::write(&journal, "").unwrap();
        lock.register(&journal).unwrap();
        drop(lock);
        let again = DeviceLock::take(&host, "loop0", Reach::Device, "undo").unwrap();
        assert_eq!(again.journals().unwrap(), std::slice::from_ref(&journal));
        std::fs::remove_file(&journal).unwrap();
        assert!(again.journals().unwrap().is_empty());
    }

    #[test]
    fn its_file_does_not_grow_for_ever() {
        let machine = Simulated::new();
        let host = machine.host();
        let mut longest = 0;
        for round in 0..1_000 {
            let lock = DeviceLock::take(
                &host,
                "loop0",
                Reach::Device,
                "tune of a device with a long name",
            )
            .unwrap();
            lock.register(Path::new(&format!("/nowhere/{round}")))
                .unwrap();
            longest = longest.max(lock.own.file.metadata().unwrap().len());
        }
        assert!(longest < LONG_BYTES + 1_000, "{longest}");
    }
}
