//! The one door to the machine: files, block-device questions, clock, rights, processes, and the write journal.
//!
//! Every other crate reads /proc and /sys through [`Host`], which is either the live machine or a captured one, and
//! nothing writes a kernel setting except through a [`Journal`], which has the old value on disk first.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate is where the banned calls live"
)]

mod answered;
mod archive;
mod asked;
pub mod blktrace;
mod block_names;
mod cachestat;
pub mod ceph;
pub mod channel;
mod child;
pub mod clock;
mod config_file;
pub mod confined;
pub mod container;
pub mod data_tree;
mod device_lock;
pub mod device_mapper;
pub mod digest;
pub mod disk_counters;
pub mod durable;
pub mod environment;
mod error;
mod fatal;
mod fault;
pub mod files;
pub mod foreign;
#[cfg(fuzzing)]
pub mod fuzz;
pub mod group;
mod group_setting;
mod held_setting;
#[cfg(test)]
mod histories;
pub mod http;
mod identity;
mod ioctl;
mod journal;
pub mod journald;
mod kernel_log;
mod kernel_mount;
pub mod kube;
mod life;
pub mod listening;
pub mod loop_device;
mod loop_image;
mod loop_ioctl;
mod loop_removal;
mod loop_setting;
mod mount_point;
mod mount_setting;
mod mounts;
mod nodes;
mod output;
pub mod pass_through;
pub mod perf;
mod piped;
pub mod pods;
pub mod private;
mod privileges;
pub mod process;
pub mod random;
mod recorder;
mod rehearsal;
pub mod right;
pub mod rights;
mod sampled;
pub mod scratch;
pub mod secret;
pub mod signals;
#[cfg(test)]
mod simulated;
pub mod spawn;
mod subject;
mod super_setting;
mod target;
pub mod terminal;
pub mod trace;
pub mod tree;
mod upload;
mod walk;
pub mod webhook;
mod workload;

pub use answered::Answered;
pub use archive::Archive;
pub use asked::{AskError, Patience};
pub use child::Child;
pub use device_lock::{DeviceLock, DeviceShare, Reach};
pub use error::{Error, Result};
pub use identity::serial_digest;
pub use journal::{
    Begin, Damage, FoundJournals, Journal, Unfinished, WayOut, find_elsewhere, find_unfinished,
};
pub use piped::{Interrupter, Piped};
pub use privileges::Privileges;
pub use rehearsal::{LoadOnStage, Rehearsal, RehearsedLoad, Scene};
pub use sampled::Sampled;
pub use target::Target;
pub use upload::Upload;
pub use workload::{LeftProcess, PrintedLine, Workload};

use container::Container;
use group_setting::GroupPlace;
use held_setting::{Held, is_held};
use loop_setting::LoopPlace;
use model::change::{Attribute, DeviceIdentity};
use model::subject::{Subject, place_in_words};
use mount_setting::MountPlace;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use super_setting::SuperPlace;

/// Where the kernel tells a process its groups.
const OWN_GROUPS: &str = "/proc/self/cgroup";

/// A machine to read: this one, or one captured in a text archive.
#[derive(Clone, Debug)]
pub struct Host {
    source: HostSource,
    recorder: Option<Arc<recorder::Recorder>>,
    /// Whose groups count as this process's own, where it looks for a container.
    container: Option<Arc<SeenContainer>>,
    /// Requests that last as long as this process holds them.
    held: Held,
    /// What is rehearsed on it, where nothing is done in earnest.
    rehearsal: Option<Arc<Rehearsal>>,
}

/// The container that a machine is looked at for.
#[derive(Debug)]
struct SeenContainer {
    container: Container,
    /// What it is looked at for, as the container names it.
    target: Option<String>,
    /// Whether this process is in its groups itself.
    is_entered: bool,
}

#[derive(Clone, Debug)]
enum HostSource {
    Live,
    Archive(Arc<Archive>),
    #[cfg(test)]
    Simulated(simulated::Simulated),
}

/// How long a file is, and how much of it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSize {
    /// Length, bytes.
    pub bytes: u64,
    /// Bytes that its file system has given it; fewer than its length where it has holes.
    pub allocated_bytes: u64,
}

/// Space of a file system, bytes, and its inodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes an unprivileged writer could still use.
    pub free_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
    /// Inodes left; 0 of 0 where the file system has no fixed number.
    pub free_inodes: u64,
    /// Inodes in all.
    pub total_inodes: u64,
    /// Bytes of one of its blocks; none in captures of versions that did not keep it.
    pub block_bytes: Option<u64>,
}

impl Space {
    fn of(stat: rustix::fs::StatVfs) -> Space {
        Space {
            free_bytes: stat.f_bavail * stat.f_frsize,
            total_bytes: stat.f_blocks * stat.f_frsize,
            free_inodes: stat.f_favail,
            total_inodes: stat.f_files,
            block_bytes: Some(stat.f_frsize).filter(|bytes| *bytes > 0),
        }
    }
}

impl Host {
    /// This machine.
    pub fn live() -> Self {
        Host {
            source: HostSource::Live,
            recorder: None,
            container: None,
            held: Held::default(),
            rehearsal: None,
        }
    }

    /// This machine as it concerns a container and its target, as the container names that: the groups of its first process
    /// count as ours where this process has not entered them itself.
    pub fn for_container(container: Container, target: Option<String>, is_entered: bool) -> Self {
        let seen = SeenContainer {
            container,
            target,
            is_entered,
        };
        Host {
            container: Some(Arc::new(seen)),
            ..Host::live()
        }
    }

    /// The container that this machine is looked at for, as the user named it.
    pub fn container(&self) -> Option<&str> {
        self.container.as_ref().map(|seen| seen.container.name())
    }

    /// What it is looked at for, as that container names it.
    pub fn named_in_container(&self) -> Option<&str> {
        self.container.as_ref()?.target.as_deref()
    }

    /// This machine, with everything that is read kept; [`Host::recorded`] gives it back as a captured machine.
    pub fn recording() -> Self {
        Host {
            source: HostSource::Live,
            recorder: Some(Arc::default()),
            container: None,
            held: Held::default(),
            rehearsal: None,
        }
    }

    /// What a [`Host::recording`] and its clones have read so far; empty for any other host.
    pub fn recorded(&self) -> Archive {
        self.recorder
            .as_ref()
            .map(|recorder| recorder.archive())
            .unwrap_or_default()
    }

    /// A captured machine.
    pub fn from_archive(archive: Archive) -> Self {
        Host {
            source: HostSource::Archive(Arc::new(archive)),
            recorder: None,
            container: None,
            held: Held::default(),
            rehearsal: None,
        }
    }

    /// Reads a captured machine from a `.host` file.
    pub fn open(path: &Path) -> Result<Self> {
        let text = files::read_text(path)?;
        let archive = Archive::parse(&text).map_err(|error| Error::archive(path, error))?;
        Ok(Self::from_archive(archive))
    }

    /// Whether this is the machine iodyno runs on. Only a live host can be loaded or changed.
    pub fn is_live(&self) -> bool {
        matches!(self.source, HostSource::Live)
    }

    /// The attribute at an absolute path: its text without the final newline, its absence, or the refusal.
    pub fn attribute(&self, path: &str) -> Attribute {
        let rehearsed = self.rehearsal.as_ref();
        if let Some(text) = rehearsed.and_then(|rehearsal| rehearsal.text(self, path)) {
            return Attribute::Value(text);
        }
        if is_held(path) {
            return self.held.read(self);
        }
        if !self.is_simulated()
            && let Some(mount) = MountPlace::of(path)
        {
            return mount.read(self);
        }
        if !self.is_simulated()
            && let Some(file_system) = SuperPlace::of(path)
        {
            return file_system.read(self);
        }
        if !self.is_simulated()
            && let Some(group) = GroupPlace::of(path)
        {
            return group.read(self);
        }
        let attribute = match &self.source {
            HostSource::Archive(archive) => archive.attribute(path),
            #[cfg(test)]
            HostSource::Simulated(machine) => machine.attribute(path),
            HostSource::Live => match self.read_live(path) {
                Ok(bytes) => Attribute::Value(trim_text(&bytes)),
                Err(error) => match (error.kind(), error.raw_os_error()) {
                    (ErrorKind::NotFound | ErrorKind::NotADirectory, _) | (_, None) => {
                        Attribute::Absent
                    }
                    (_, Some(errno)) => Attribute::Refused(errno),
                },
            },
        };
        self.record(|recorder| recorder.attribute(path, &attribute));
        match (attribute, Subject::of_path(path)) {
            (Attribute::Value(text), Some((Subject::Md { .. }, name)))
                if kernel::sync_speed::FILES.contains(&name) =>
            {
                Attribute::Value(kernel::sync_speed::as_written(&text).into())
            }
            (attribute, _) => attribute,
        }
    }

    /// A file of this machine; of our own groups those of the container that is looked for.
    fn read_live(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let seen = self.container.as_ref().filter(|seen| !seen.is_entered);
        let container = seen.filter(|_| path == OWN_GROUPS);
        match container.map(|seen| seen.container.groups_text()) {
            Some(text) => text
                .map(String::into_bytes)
                .ok_or_else(|| ErrorKind::NotFound.into()),
            None => std::fs::read(path),
        }
    }

    fn record(&self, keep: impl FnOnce(&recorder::Recorder)) {
        if let Some(recorder) = &self.recorder {
            keep(recorder);
        }
    }

    /// The text of an attribute, where it can be read.
    pub fn text(&self, path: &str) -> Option<String> {
        match self.attribute(path) {
            Attribute::Value(text) => Some(text),
            _ => None,
        }
    }

    /// The attribute as a number, where it is one.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.trim().parse().ok()
    }

    /// A size of /proc/meminfo, bytes: `MemTotal`.
    pub fn meminfo_bytes(&self, field: &str) -> Option<u64> {
        kernel::meminfo::value(&self.text("/proc/meminfo")?, field)
    }

    /// Writes a kernel attribute of the subject that it was saved of, and of no other one that has its name now. Only a [`Journal`]
    /// calls it, which has the old value on disk: nothing else changes a setting, for a living process and for `undo` alike.
    fn write_attribute(&self, path: &str, value: &str, whose: &Whose<'_>) -> Result<()> {
        if let Some(rehearsal) = &self.rehearsal {
            return rehearsal.write(self, (path, value), whose);
        }
        let shown = place_in_words(path);
        let failed = |error: std::io::Error| Error::io("write", &shown, error);
        match &self.source {
            _ if is_held(path) && !matches!(self.source, HostSource::Archive(_)) => {
                self.held.write(self, value).map_err(failed)
            }
            HostSource::Archive(_) => Err(failed(std::io::Error::other(
                "it belongs to a captured machine, and only the live one is changed",
            ))),
            #[cfg(test)]
            HostSource::Simulated(machine) => machine.write(path, value, whose).map_err(failed),
            HostSource::Live => self.write_place(path, value, whose).map_err(failed),
        }
    }

    /// A mount's flag, a file system's option and a loop device's are set by calls of their own, and a group's file has
    /// lines of other devices too; all else is a file.
    fn write_place(&self, path: &str, value: &str, whose: &Whose<'_>) -> std::io::Result<()> {
        let is_same = || {
            whose
                .device
                .map_or(Ok(()), |device| self.must_be_still(device))
        };
        if let Some(file_system) = SuperPlace::of(path) {
            return file_system.write(self, value, whose.mark);
        }
        if let Some(group) = GroupPlace::of(path) {
            is_same()?;
            return group.write(self, value, whose.mark);
        }
        match (MountPlace::of(path), LoopPlace::of(path)) {
            (Some(mount), _) => mount.write(self, value, whose.mark),
            (_, Some(device)) => {
                is_same()?;
                device.write(self, value)
            }
            _ => write_live(path, value, || {
                is_same()?;
                self.must_still_serve(path, whose.mark)
            }),
        }
    }

    /// An interrupt's number may be that of another device by now. The file of one that is gone takes no write: it has to be open.
    fn must_still_serve(&self, path: &str, marked: Option<&str>) -> std::io::Result<()> {
        let subject = model::subject::Subject::of_path(path);
        let served = subject.and_then(|(subject, _)| self.subject_mark(&subject));
        match (served, marked) {
            (Some(is), Some(was)) if is != was => {
                let why = format!("it served {was} and serves {is} now");
                Err(std::io::Error::other(why))
            }
            _ => Ok(()),
        }
    }

    fn must_be_still(&self, device: &DeviceIdentity) -> std::io::Result<()> {
        let another = self.another_device(device);
        another.map_or(Ok(()), |why| Err(std::io::Error::other(why)))
    }

    /// Why the device that has this one's name now is another one; none where it is still the same.
    pub fn another_device(&self, device: &DeviceIdentity) -> Option<String> {
        let name = &device.name;
        // No two disks of one boot share this number, which is read faster than the rest.
        let diskseq = || self.number(&format!("/sys/block/{name}/diskseq"));
        if device.diskseq.is_some() && device.diskseq == diskseq() {
            return None;
        }
        match self.device_identity(name) {
            None => Some(format!("{name} is not there now")),
            Some(now) => {
                let why = device.is_still(&now).err()?;
                Some(format!("{name} is another device now: {why}"))
            }
        }
    }

    /// Where locks lie that end with the boot: `/run/iodyno` for root, else the user's own directory in /run, else the
    /// state directory.
    fn run_dir(&self) -> std::path::PathBuf {
        match &self.source {
            #[cfg(test)]
            HostSource::Simulated(machine) => machine.run_dir(),
            _ => {
                let rehearsed = self.rehearsal.as_ref();
                let own = rehearsed.and_then(|rehearsal| rehearsal.run_dir());
                own.unwrap_or_else(environment::run_dir)
            }
        }
    }

    /// The machine without what is rehearsed on it.
    fn as_it_is(&self) -> Host {
        Host {
            rehearsal: None,
            ..self.clone()
        }
    }

    fn is_simulated(&self) -> bool {
        !matches!(self.source, HostSource::Archive(_) | HostSource::Live)
    }

    /// Whether a subject is there to have settings.
    pub fn has_subject(&self, subject: &Subject) -> bool {
        match subject {
            Subject::FileSystem { devno, point } => {
                let mount = MountPlace::at(devno.clone(), point.clone());
                mount.mount(self).is_some()
            }
            Subject::Mount { .. } => {
                self.attribute(&subject.path(mount_setting::ATIME)) != Attribute::Absent
            }
            Subject::Group { directory, .. } => {
                // Whoever made the subject, it has to be one that a place can name.
                let is_place = |name| GroupPlace::of(&subject.path(name)).is_some();
                group_setting::NAMES.into_iter().all(is_place) && self.exists(directory)
            }
            Subject::CpuLatency => {
                self.attribute(&subject.path(held_setting::CPU_LATENCY)) != Attribute::Absent
            }
            _ => self.exists(&subject.directory()),
        }
    }

    /// The simulated machine, where it is one.
    #[cfg(test)]
    fn simulated(&self) -> Option<&simulated::Simulated> {
        match &self.source {
            HostSource::Simulated(machine) => Some(machine),
            _ => None,
        }
    }

    /// Where a file of this machine is.
    fn place(&self, path: &str) -> std::path::PathBuf {
        match &self.source {
            #[cfg(test)]
            HostSource::Simulated(machine) => machine.place(path),
            _ => path.into(),
        }
    }

    /// Names in a directory, sorted; none where it cannot be read.
    pub fn list(&self, path: &str) -> Vec<String> {
        self.try_list(path).unwrap_or_default()
    }

    /// Names in a directory, sorted. The error tells a directory that may not be looked into from an empty one.
    pub fn try_list(&self, path: &str) -> Result<Vec<String>> {
        let refused = |errno| Error::io("list", path, std::io::Error::from_raw_os_error(errno));
        if let HostSource::Archive(archive) = &self.source {
            return match archive.attribute(path) {
                Attribute::Refused(errno) => Err(refused(errno)),
                _ => Ok(archive.list(path)),
            };
        }
        #[cfg(test)]
        if let HostSource::Simulated(machine) = &self.source
            && path.starts_with("/proc/irq/")
        {
            return Ok(machine.list(path));
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| Error::io("list", path, error))?
            .flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        self.record(|recorder| recorder.list(path, &names));
        Ok(names)
    }

    /// What is at a path; none when nothing is.
    pub fn kind(&self, path: &str) -> Option<files::FileKind> {
        match &self.source {
            HostSource::Archive(archive) => archive.kind(path),
            #[cfg(test)]
            HostSource::Simulated(_) => Default::default(),
            HostSource::Live => {
                let kind = files::kind(Path::new(path)).ok()?;
                self.record(|recorder| recorder.kind(path, kind));
                Some(kind)
            }
        }
    }

    /// Where a symbolic link points, as written in it.
    pub fn link(&self, path: &str) -> Option<String> {
        self.try_link(path).ok()
    }

    /// Where a symbolic link points. The error tells a link that may not be read from one that is gone.
    pub fn try_link(&self, path: &str) -> Result<String> {
        if let HostSource::Archive(archive) = &self.source {
            let gone = || std::io::Error::from_raw_os_error(libc::ENOENT);
            return archive
                .link(path)
                .ok_or_else(|| Error::io("read the link", path, gone()));
        }
        let to =
            std::fs::read_link(path).map_err(|error| Error::io("read the link", path, error))?;
        let to = to.to_string_lossy().into_owned();
        self.record(|recorder| recorder.link(path, &to));
        Ok(to)
    }

    /// The absolute path with every link resolved. A captured machine resolves the links it captured.
    pub fn resolve(&self, path: &str) -> Option<String> {
        match &self.source {
            HostSource::Archive(archive) => archive.resolve(path),
            #[cfg(test)]
            HostSource::Simulated(_) => Default::default(),
            HostSource::Live => {
                let resolved = std::fs::canonicalize(path)
                    .ok()?
                    .to_string_lossy()
                    .into_owned();
                self.record(|recorder| recorder.resolve(path));
                Some(resolved)
            }
        }
    }

    /// Whether anything is at the path.
    pub fn exists(&self, path: &str) -> bool {
        match &self.source {
            HostSource::Archive(archive) => archive.contains(path),
            #[cfg(test)]
            HostSource::Simulated(_) => Default::default(),
            HostSource::Live => {
                let exists = Path::new(path).exists();
                if exists {
                    self.record(|recorder| recorder.resolve(path));
                }
                exists
            }
        }
    }

    /// Whether the attribute's mode lets its owner write. Captured machines keep no modes and answer no.
    pub fn is_writable(&self, path: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;
        self.is_live()
            && std::fs::metadata(path)
                .is_ok_and(|metadata| metadata.permissions().mode() & 0o200 != 0)
    }

    /// Space of the file system that holds a path; of a captured machine, what was captured for that very path.
    pub fn space(&self, path: &str) -> Option<Space> {
        if let HostSource::Archive(archive) = &self.source {
            return archive.space(path);
        }
        let space = Space::of(rustix::fs::statvfs(path).ok()?);
        self.record(|recorder| recorder.space(path, space));
        Some(space)
    }

    /// `major:minor` of the device that a path's file system says it is on; of a captured machine, what was captured for
    /// that very path.
    pub fn device_number(&self, path: &str) -> Option<String> {
        if let HostSource::Archive(archive) = &self.source {
            return archive.device_number(path);
        }
        let device = rustix::fs::stat(path).ok()?.st_dev;
        let devno = format!(
            "{}:{}",
            rustix::fs::major(device),
            rustix::fs::minor(device)
        );
        self.record(|recorder| recorder.device_number(path, &devno));
        Some(devno)
    }

    /// How long the file at a path is and how much of it is there; of a captured machine, what was captured for that very
    /// path.
    pub fn file_size(&self, path: &str) -> Option<FileSize> {
        if let HostSource::Archive(archive) = &self.source {
            return archive.file_size(path);
        }
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)?;
        let size = FileSize {
            bytes: metadata.len(),
            allocated_bytes: metadata.blocks() * 512,
        };
        self.record(|recorder| recorder.file_size(path, size));
        Some(size)
    }

    /// An attribute that is no text, such as the descriptors of a USB device.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        if let HostSource::Archive(archive) = &self.source {
            return archive.bytes(path);
        }
        let bytes = std::fs::read(path).ok()?;
        self.record(|recorder| recorder.bytes(path, &bytes));
        Some(bytes)
    }

    /// Opens an attribute for reading again and again at little cost.
    pub fn sampled(&self, path: &str) -> Result<Sampled> {
        Sampled::open(self, path)
    }
}

/// What a setting was saved of. Names of devices, mounts, groups and interrupts can be others' by the time of the write.
#[derive(Clone, Copy, Debug, Default)]
struct Whose<'a> {
    /// What tells the subject itself, where it is a mount, a group or an interrupt.
    mark: Option<&'a str>,
    /// The device that the subject belongs to; none for the machine's.
    device: Option<&'a DeviceIdentity>,
}

/// Writes to a file of sysfs or procfs, and to nothing else whatever has that path; once it is open, it has to be the right one's:
/// the file of a device that goes away takes no writes (kernfs, Linux 2.6 to 6.18).
fn write_live(
    path: &str,
    value: &str,
    is_same: impl FnOnce() -> std::io::Result<()>,
) -> std::io::Result<()> {
    use rustix::fs::{Mode, OFlags};
    use std::io::Write;
    const KERNEL_FILES: [u32; 2] = [0x6265_6572, 0x9fa0];
    // No O_CREAT and no O_TRUNC: an attribute that is gone must be an error, not a new file.
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !KERNEL_FILES.contains(&(rustix::fs::fstatfs(&file)?.f_type as u32)) {
        return Err(std::io::Error::other("it is no file of the kernel's"));
    }
    is_same()?;
    file.write_all(value.as_bytes())
}

fn trim_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.strip_suffix('\n').unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_that_serves_another_by_now_is_not_written() {
        let host = Host::live();
        let place = |number: String| format!("/proc/irq/{number}/smp_affinity_list");
        let is_served = |path: &String| {
            let subject = model::subject::Subject::of_path(path).map(|(subject, _)| subject);
            subject.is_some_and(|it| host.subject_mark(&it).is_some_and(|mark| !mark.is_empty()))
        };
        let mut places = host.list("/proc/irq").into_iter().map(place);
        let Some((path, value)) = places
            .find(is_served)
            .and_then(|path| Some((path.clone(), host.text(&path)?)))
        else {
            return skip::missing("interrupt", "no interrupt serves a device here");
        };
        if !rights::may_write(&path) {
            return skip::missing("root", "the CPUs of an interrupt are root's to write");
        }
        let whose = Whose {
            mark: Some("nvme9q1"),
            device: None,
        };
        // The value that is there: where it is written all the same, nothing changes.
        let refused = host.write_attribute(&path, &value, &whose).unwrap_err();
        assert!(
            refused.to_string().contains("it served nvme9q1 and serves"),
            "{refused}"
        );
    }

    #[test]
    fn what_was_read_can_be_read_again_from_the_capture() {
        let live = Host::recording();
        let read = |host: &Host| {
            (
                host.text("/proc/self/../version"),
                host.list("/sys/block"),
                host.space("/"),
                host.kind("/proc/sys"),
            )
        };
        let seen = read(&live);
        assert_eq!(read(&Host::from_archive(live.recorded())), seen);
        let printed = live.recorded().print();
        assert_eq!(Archive::parse(&printed).unwrap(), live.recorded());
    }

    #[test]
    fn a_directory_that_may_not_be_listed_is_not_an_empty_one() {
        let text = "iodyno-host 1\npath: /proc/7/fd\nerrno: 13\npath: /proc/8/fd\ndirectory\n";
        let host = Host::from_archive(Archive::parse(text).unwrap());
        assert!(
            host.try_list("/proc/7/fd")
                .is_err_and(|error| error.is_permission())
        );
        assert!(
            host.try_list("/proc/8/fd")
                .is_ok_and(|names| names.is_empty())
        );
        assert!(host.list("/proc/7/fd").is_empty());
        let gone = Host::live().try_list("/proc/no such process").unwrap_err();
        assert_eq!(
            (gone.errno(), gone.is_permission()),
            (Some(libc::ENOENT), false)
        );
    }

    #[test]
    fn memory_is_told_in_bytes() {
        let text =
            "iodyno-host 1\npath: /proc/meminfo\nlines: 2\nMemTotal:  8 kB\nMemAvailable:  3 kB\n";
        let host = Host::from_archive(Archive::parse(text).unwrap());
        assert_eq!(host.meminfo_bytes("MemAvailable"), Some(3 << 10));
        assert_eq!(host.meminfo_bytes("SwapTotal"), None);
    }

    #[test]
    fn a_refusal_and_an_absence_are_told_apart() {
        let host = Host::live();
        assert_eq!(
            host.attribute("/proc/sys/kernel/no_such_thing"),
            Attribute::Absent
        );
        assert_eq!(host.attribute("/proc"), Attribute::Refused(21), "EISDIR");
        assert!(
            host.text("/proc/version")
                .is_some_and(|text| text.starts_with("Linux version"))
        );
    }
}
