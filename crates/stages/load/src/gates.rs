//! The gates before a device or a file is written: consent, every kind of use the kernel shows, an exclusive open,
//! signatures.
//!
//! No single sign is enough. The kernel's own claim (O_EXCL) does not see a file system mounted in a way that leaves the
//! device free, nor a database or a guest that simply has the device open; /proc and /sys show those.

mod device;
mod mounts;
mod openers;
mod uses;

use super::{Consent, LoadError, signatures};
use device::{GatedDevice, kernel_name};
use host::files::{Access, DataFile};
use host::{Host, Target, clock, rights};
use model::text::shown;
use std::path::Path;

/// How often and how long apart a device is looked at before it counts as open or claimed: udev and partitioning tools
/// open every new device for a moment, and that is no use of it.
const LOOKS: u32 = 5;
const PAUSE_MS: u64 = 200;

/// Deepest stack of holders that is followed (md on dm on md …).
const DEPTH: u32 = 8;

/// Lets a device be written, and claims it, so that nobody can mount it or build on it until the claim is dropped.
/// Every refusal names what is in the way. Nothing on the device is changed. Beside the claim come notes for the reader of
/// the result.
pub fn claim(
    host: &Host,
    opened: &Target,
    consent: &Consent,
) -> Result<(DataFile, Vec<String>), LoadError> {
    let target = shown(opened.path());
    let name = kernel_name(host, opened)?;
    let device = GatedDevice::new(host, &name);
    refuse(&target, uses::of(host, &device, DEPTH), &device, host)?;
    if host.number(&format!("/sys/class/block/{name}/ro")) == Some(1) {
        return Err(LoadError::WriteProtected { target });
    }
    if !consent.destroy_data {
        return Err(LoadError::NoConsent { target });
    }
    let claim = claim_exclusively(host, &device, opened)?;
    // What came between the first look and the claim; from now on nothing that claims can.
    refuse(&target, uses::of(host, &device, DEPTH), &device, host)?;
    let openers = settled(
        || openers::of(host, &device),
        |found| !found.uses.is_empty(),
    );
    refuse(&target, openers.uses, &device, host)?;
    let notes = doubts(&target, openers.unseen, rights::is_root())?;
    if !consent.force_signature {
        let found = signatures::find(&claim)
            .map_err(|error| host::Error::io("read", opened.path(), error))?;
        if let Some((what, offset)) = found {
            return Err(LoadError::Signature {
                target,
                what,
                offset,
            });
        }
    }
    Ok((claim, notes))
}

/// Whoever has a right to the device alone may not write it unseen. Root cannot become more, and is told: some process
/// is always closed to a root of few capabilities, as in a container.
fn doubts(target: &str, unseen: Option<String>, is_root: bool) -> Result<Vec<String>, LoadError> {
    match unseen {
        Some(unseen) if !is_root => Err(LoadError::Unseen {
            target: target.into(),
            unseen,
        }),
        unseen => {
            let note = |unseen| format!("{unseen}: one of them may have {target} open");
            Ok(unseen.map(note).into_iter().collect())
        }
    }
}

/// What keeps a loop device from being taken away.
#[derive(Debug)]
pub struct Keepers {
    /// A clause for each.
    pub uses: Vec<String>,
    /// Which processes could not be looked at, a clause; none when all were.
    pub unseen: Option<String>,
}

/// What keeps a device that is mounted on this point alone, or nowhere, from being taken away: programs in the mount,
/// mounts on and over it, other mounts of the device, what is built on it, and programs that have it open.
pub fn keepers(host: &Host, name: &str, point: Option<&str>) -> Keepers {
    let device = GatedDevice::new(host, name);
    let mut uses: Vec<String> = uses::of(host, &device, DEPTH);
    // The mount itself goes first; the others are told by their places.
    uses.retain(|clause| !clause.starts_with("it is mounted on "));
    let own = point.map(|point| shown(Path::new(point)));
    let mut others = uses::mount_points(host, &device, 0);
    others.retain(|point| Some(point) != own.as_ref());
    others.dedup();
    uses.extend(
        others
            .iter()
            .map(|point| format!("it is also mounted on {point}")),
    );
    let mut unseen = None;
    if let Some(point) = point {
        let inside = openers::of_mount(host, point);
        uses.extend(mounts::over(host, point, &device));
        uses.extend(mounts::on(host, point));
        uses.extend(inside.uses);
        unseen = inside.unseen;
    }
    let opened = settled(
        || openers::of(host, &device),
        |found| !found.uses.is_empty(),
    );
    uses.extend(opened.uses);
    Keepers {
        uses,
        unseen: unseen.or(opened.unseen),
    }
}

/// Lets an existing file be written: refused while it backs a loop device, is swap space or exported, or while another
/// process has it open for writing, as a database or a virtual machine has, and where it may be another user's file under a
/// name that somebody made. Gives what could not be looked at, for the
/// reader of the result: a file that its owner lets be written is not refused for that.
pub fn file(host: &Host, target: &Target) -> Result<Vec<String>, LoadError> {
    let (path, identity) = (target.path(), target.identity());
    if let Some(why) = target.foreign_names() {
        return Err(LoadError::ForeignFile {
            target: shown(path),
            why: why.into(),
        });
    }
    let mut uses = uses::of_file(host, path, &identity);
    let openers = settled(
        || openers::of_file(host, path, &identity),
        |found| !found.uses.is_empty(),
    );
    uses.extend(openers.uses);
    if uses.is_empty() {
        let note = |unseen| {
            format!(
                "{unseen}: one of them may have {} open for writing",
                shown(path)
            )
        };
        return Ok(openers.unseen.map(note).into_iter().collect());
    }
    let advice = "its directory as the target".into();
    Err(LoadError::InUse {
        target: shown(path),
        uses,
        advice,
    })
}

fn claim_exclusively(
    host: &Host,
    device: &GatedDevice,
    target: &Target,
) -> Result<DataFile, LoadError> {
    let access = Access {
        exclusive: true,
        ..Access::default()
    };
    let is_busy = |claim: &host::Result<DataFile>| matches!(claim, Err(error) if error.errno() == Some(libc::EBUSY));
    let claim = settled(|| target.reopen(access), is_busy);
    if !is_busy(&claim) {
        return Ok(claim?);
    }
    let claimed =
        "the kernel has it claimed exclusively, as a file system, an array or another program does"
            .into();
    let mut uses = vec![claimed];
    uses.extend(openers::of(host, device).uses);
    let advice = "a directory on a file system of it as the target".into();
    Err(LoadError::InUse {
        target: shown(target.path()),
        uses,
        advice,
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

fn refuse(
    target: &str,
    uses: Vec<String>,
    device: &GatedDevice,
    host: &Host,
) -> Result<(), LoadError> {
    if uses.is_empty() {
        return Ok(());
    }
    let mut points = uses::mount_points(host, device, DEPTH);
    points.sort_by_key(String::len);
    let advice = match points.first() {
        Some(point) => format!("a directory on {point} as the target"),
        None => "a directory as the target".into(),
    };
    Err(LoadError::InUse {
        target: target.into(),
        uses,
        advice,
    })
}

#[cfg(test)]
mod tests;
