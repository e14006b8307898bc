//! The gates before a device is written: consent, every kind of use the kernel shows, an exclusive open, signatures.
//!
//! No single sign is enough. The kernel's own claim (O_EXCL) does not see a file system mounted in a way that leaves the
//! device free, nor a database or a guest that simply has the device open; /proc and /sys show those.

use super::error::shown;
use super::{Consent, LoadError, signatures};
use host::files::{self, Access, DataFile, Kind};
use host::{Host, clock, process};
use std::collections::BTreeSet;
use std::path::Path;

/// How often and how long apart a device is looked at before it counts as open or claimed: udev and partitioning tools
/// open every new device for a moment, and that is no use of it.
const LOOKS: u32 = 5;
const PAUSE_MS: u64 = 200;

/// Deepest stack of holders that is followed (md on dm on md …).
const DEPTH: u32 = 8;

/// Lets a device be written, and claims it, so that nobody can mount it or build on it until the claim is dropped.
/// Every refusal names what is in the way. Nothing on the device is changed.
pub fn claim(host: &Host, path: &Path, consent: &Consent) -> Result<DataFile, LoadError> {
    let target = shown(path);
    let name = kernel_name(host, path)?;
    let device = Device::new(host, &name);
    refuse(&target, uses(host, &device, DEPTH), &device, host)?;
    if host.number(&format!("/sys/class/block/{name}/ro")) == Some(1) {
        return Err(LoadError::WriteProtected { target });
    }
    if !consent.destroy_data {
        return Err(LoadError::NoConsent { target });
    }
    let claim = claim_exclusively(path, &target)?;
    refuse(&target, openers(host, &device), &device, host)?;
    if !consent.force_signature {
        let found = signatures::find(&claim).map_err(|error| host::Error::io("read", path, error))?;
        if let Some((what, offset)) = found {
            return Err(LoadError::Signature { target, what, offset });
        }
    }
    Ok(claim)
}

fn claim_exclusively(path: &Path, target: &str) -> Result<DataFile, LoadError> {
    let access = Access { exclusive: true, ..Access::default() };
    let is_busy =
        |claim: &host::Result<DataFile>| matches!(claim, Err(error) if error.errno() == Some(libc::EBUSY));
    let claim = settled(|| DataFile::open(path, access), is_busy);
    if !is_busy(&claim) {
        return Ok(claim?);
    }
    Err(LoadError::InUse {
        target: target.into(),
        uses: vec![
            "the kernel has it claimed exclusively, as a file system, an array or another program does"
                .into(),
        ],
        advice: "a directory on a file system of it as the target".into(),
    })
}

/// Looks again while something is in the way that may be gone in a moment.
fn settled<T>(look: impl Fn() -> T, is_in_the_way: impl Fn(&T) -> bool) -> T {
    for _ in 1..LOOKS {
        let found = look();
        if !is_in_the_way(&found) {
            return found;
        }
        clock::sleep_ms(PAUSE_MS);
    }
    look()
}

fn refuse(target: &str, uses: Vec<String>, device: &Device, host: &Host) -> Result<(), LoadError> {
    if uses.is_empty() {
        return Ok(());
    }
    let mut points = mount_points(host, device, DEPTH);
    points.sort_by_key(String::len);
    let advice = match points.first() {
        Some(point) => format!("a directory on {point} as the target"),
        None => "a directory as the target".into(),
    };
    Err(LoadError::InUse { target: target.into(), uses, advice })
}

/// The kernel's name of the device at a path.
fn kernel_name(host: &Host, path: &Path) -> Result<String, LoadError> {
    let none = |why: &str| LoadError::NoTarget { target: shown(path), why: why.into() };
    let Kind::BlockDevice { major, minor } = files::kind(path)? else {
        return Err(none("it is no block device"));
    };
    let link = host.resolve(&format!("/sys/dev/block/{major}:{minor}"));
    link.and_then(|link| Some(link.rsplit_once('/')?.1.to_string()))
        .ok_or_else(|| none("/sys does not show it, so its users cannot be known"))
}

/// A device and all that shares bytes with it.
struct Device {
    name: String,
    /// The device, its partitions, and the disk it is a partition of: `(name, major:minor)`.
    overlapping: Vec<(String, String)>,
}

impl Device {
    fn new(host: &Host, name: &str) -> Device {
        let sys = format!("/sys/class/block/{name}");
        let mut names = vec![name.to_string()];
        let is_partition = |part: &String| host.exists(&format!("{sys}/{part}/partition"));
        names.extend(host.list(&sys).into_iter().filter(is_partition));
        if host.exists(&format!("{sys}/partition")) {
            let real = host.resolve(&sys).unwrap_or_default();
            names.extend(real.rsplit('/').nth(1).map(str::to_string));
        }
        let number = |name: &String| host.text(&format!("/sys/class/block/{name}/dev")).unwrap_or_default();
        let overlapping = names.iter().map(|name| (name.clone(), number(name))).collect();
        Device { name: name.into(), overlapping }
    }

    /// `it` for the device itself, else what it is to the device.
    fn subject(&self, name: &str) -> String {
        match name {
            name if name == self.name => "it".into(),
            name if name.starts_with(&self.name) => format!("its partition {name}"),
            name => format!("the disk {name} that it is part of"),
        }
    }
}

/// Every use of a device that /proc and /sys show, each a clause for people.
fn uses(host: &Host, device: &Device, depth: u32) -> Vec<String> {
    let mut clauses = Vec::new();
    let (mounts, swaps) = (mounts(host), swaps(host));
    for (name, number) in &device.overlapping {
        let subject = device.subject(name);
        let mounted = mounts.iter().filter(|mount| mount.is_of(host, name, number)).map(|mount| &mount.point);
        let points: BTreeSet<&String> = mounted.collect();
        clauses.extend(points.first().map(|point| match points.len() {
            1 => format!("{subject} is mounted on {point}"),
            count => format!("{subject} is mounted on {point} and {} more", count - 1),
        }));
        if swaps.iter().any(|swap| names_device(host, swap, name)) {
            clauses.push(format!("{subject} is swap space in use"));
        }
        let holders = host.list(&format!("/sys/class/block/{name}/holders"));
        clauses.extend(holders.iter().map(|holder| held(host, &subject, holder, depth)));
        clauses
            .extend(loops_over(host, name).map(|above| format!("{above} is a loop device over {subject}")));
        if points.is_empty() && btrfs_has(host, name) {
            clauses.push(format!("{subject} belongs to a mounted btrfs"));
        }
    }
    clauses
}

fn held(host: &Host, subject: &str, holder: &str, depth: u32) -> String {
    let above = if depth > 0 { uses(host, &Device::new(host, holder), depth - 1) } else { Vec::new() };
    let Some(clause) = above.first() else { return format!("{holder} has {subject} as a member") };
    // The clause speaks of the holder as `it`, of its partitions as `its`; here the holder has a name.
    let clause = match clause.strip_prefix("it ") {
        Some(rest) => format!("{holder} {rest}"),
        None => {
            clause.replace("its partition", "the partition").replace(" has it ", &format!(" has {holder} "))
        }
    };
    format!("{holder} has {subject} as a member, and {clause}")
}

/// Where the device, or anything built on it, is mounted.
fn mount_points(host: &Host, device: &Device, depth: u32) -> Vec<String> {
    let mounts = mounts(host);
    let mut points = Vec::new();
    for (name, number) in &device.overlapping {
        points.extend(
            mounts.iter().filter(|mount| mount.is_of(host, name, number)).map(|mount| mount.point.clone()),
        );
        for holder in host.list(&format!("/sys/class/block/{name}/holders")) {
            if depth > 0 {
                points.extend(mount_points(host, &Device::new(host, &holder), depth - 1));
            }
        }
    }
    points
}

/// A mount in some namespace.
struct Mount {
    number: String,
    point: String,
    source: String,
}

impl Mount {
    /// Whether a device is mounted by this: by number, or, where the file system shows a number of its own (btrfs,
    /// bcachefs, overlay), by the source, which may list several devices.
    fn is_of(&self, host: &Host, name: &str, number: &str) -> bool {
        self.number == number || self.source.split(':').any(|source| names_device(host, source, name))
    }
}

/// Whether a path in /dev is the device of a kernel name.
fn names_device(host: &Host, path: &str, name: &str) -> bool {
    let Some(last) = path.strip_prefix("/dev/") else { return false };
    // The kernel writes `!` in names where /dev has a directory (cciss!c0d0).
    last.replace('/', "!") == name
        || host.resolve(path).and_then(|real| Some(real.strip_prefix("/dev/")?.replace('/', "!"))).as_deref()
            == Some(name)
}

/// The mounts of every mount namespace that this process can see: a container's mounts are in none but its own.
fn mounts(host: &Host) -> Vec<Mount> {
    let mut seen = BTreeSet::new();
    let mut mounts = Vec::new();
    for process in ["self".to_string()].into_iter().chain(processes(host)) {
        let namespace = host.link(&format!("/proc/{process}/ns/mnt"));
        if namespace.is_some_and(|namespace| !seen.insert(namespace)) {
            continue;
        }
        let text = host.text(&format!("/proc/{process}/mountinfo")).unwrap_or_default();
        mounts.extend(text.lines().filter_map(parse_mount));
    }
    mounts
}

/// A line of mountinfo (proc(5)): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse_mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let fields: Vec<&str> = left.split(' ').collect();
    Some(Mount {
        number: (*fields.get(2)?).into(),
        point: shown(Path::new(&unescaped(fields.get(4)?))),
        source: unescaped(right.split(' ').nth(1)?),
    })
}

/// The kernel writes space, tab, newline and backslash in octal.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_string(), |text, (code, character)| text.replace(code, character))
}

fn swaps(host: &Host) -> Vec<String> {
    let text = host.text("/proc/swaps").unwrap_or_default();
    text.lines().skip(1).filter_map(|line| Some(unescaped(line.split_whitespace().next()?))).collect()
}

fn loops_over(host: &Host, name: &str) -> impl Iterator<Item = String> {
    host.list("/sys/class/block").into_iter().filter(move |above| {
        let file = host.text(&format!("/sys/class/block/{above}/loop/backing_file"));
        file.is_some_and(|file| names_device(host, &file, name))
    })
}

fn btrfs_has(host: &Host, name: &str) -> bool {
    let file_systems = host.list("/sys/fs/btrfs");
    file_systems.iter().any(|uuid| host.exists(&format!("/sys/fs/btrfs/{uuid}/devices/{name}")))
}

fn processes(host: &Host) -> impl Iterator<Item = String> {
    host.list("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Programs that have the device open and keep it so.
fn openers(host: &Host, device: &Device) -> Vec<String> {
    settled(|| openers_now(host, device), |found| !found.is_empty())
}

fn openers_now(host: &Host, device: &Device) -> Vec<String> {
    let own = process::id().to_string();
    let mut clauses = Vec::new();
    for process in processes(host).filter(|process| *process != own) {
        let open: BTreeSet<String> = host
            .list(&format!("/proc/{process}/fd"))
            .iter()
            .filter_map(|fd| host.link(&format!("/proc/{process}/fd/{fd}")))
            .filter(|file| file.starts_with("/dev/"))
            .collect();
        let used = device
            .overlapping
            .iter()
            .find(|(name, _)| open.iter().any(|file| names_device(host, file, name)));
        if let Some((name, _)) = used {
            let program = host.text(&format!("/proc/{process}/comm")).unwrap_or_default();
            let program = shown(Path::new(&program));
            clauses.push(format!("process {process} ({program}) has {} open", device.subject(name)));
        }
    }
    clauses
}

#[cfg(test)]
mod tests;
