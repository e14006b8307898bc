//! The message of a load that cannot be, and its parts: what failed, on what, why, what to do.

use super::LoadError;
use model::ceph_target::CephTarget;
use model::failure::Parts;
use model::units;
use std::fmt::{Display, Formatter, Result};

impl Display for LoadError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        if let LoadError::Host { source } = self {
            return write!(formatter, "{source}{}", advice_of(source));
        }
        formatter.write_str(&self.failed())?;
        if let Some(why) = self.why() {
            write!(formatter, ": {why}")?;
        }
        if let Some(hint) = self.hint() {
            write!(formatter, ". {hint}")?;
        }
        Ok(())
    }
}

impl LoadError {
    /// On what it failed, why, and what to do: the end of its message.
    pub fn parts(&self) -> Parts {
        if let LoadError::Host { source } = self {
            let hint = advice_of(source).trim_start_matches(['.', ',', ' ']);
            return Parts {
                hint: Some(hint.to_string()).filter(|hint| !hint.is_empty()),
                ..source.parts()
            };
        }
        Parts {
            on: self.on().map(str::to_string),
            why: self.why(),
            hint: self.hint(),
        }
    }

    fn on(&self) -> Option<&str> {
        match self {
            LoadError::Usage { what, .. } => Some(what),
            LoadError::Engine { engine, .. } => Some(engine),
            LoadError::Command { command, .. } => Some(command),
            LoadError::InUse { target, .. }
            | LoadError::Unseen { target, .. }
            | LoadError::Signature { target, .. }
            | LoadError::NoConsent { target }
            | LoadError::NoOverwrite { target }
            | LoadError::ForeignFile { target, .. }
            | LoadError::ReadOnly { target }
            | LoadError::WriteProtected { target }
            | LoadError::NoSpace { target, .. }
            | LoadError::Filled { target, .. }
            | LoadError::NoDirect { target, .. }
            | LoadError::NothingWritten { target, .. }
            | LoadError::NoTarget { target, .. }
            | LoadError::Ceph { target, .. }
            | LoadError::Io { target, .. }
            | LoadError::Corrupt { target, .. }
            | LoadError::Stopped { target, .. } => Some(target),
            LoadError::CommandNotTyped | LoadError::BinLost { .. } | LoadError::Host { .. } => None,
        }
    }

    /// What failed, the beginning of the message.
    fn failed(&self) -> String {
        let on = self.on().unwrap_or_default();
        let size = |bytes: &u64| units::bytes(*bytes as f64);
        match self {
            LoadError::NoSpace { wanted_bytes, .. } => {
                format!(
                    "no room for a scratch file of {} in {on}",
                    size(wanted_bytes)
                )
            }
            LoadError::Filled {
                done_bytes,
                wanted_bytes,
                ..
            } => format!(
                "{on} filled up after {} of the scratch file's {} were written",
                size(done_bytes),
                size(wanted_bytes)
            ),
            LoadError::Usage { .. } => on.into(),
            LoadError::NoDirect { .. } => format!("{on} cannot be loaded with direct I/O"),
            LoadError::NothingWritten { bytes, .. } => {
                format!("{on} holds no data in its first {}", size(bytes))
            }
            LoadError::NoTarget { .. } => format!("{on} is no target for a load"),
            LoadError::Ceph { .. } => format!("{on} is not loaded"),
            LoadError::Engine { .. } => format!("the engine {on} cannot be used"),
            LoadError::CommandNotTyped => "the command of this job is not run".into(),
            LoadError::Command { .. } => format!("the command `{on}` makes no load"),
            LoadError::Io {
                direction,
                offset,
                bytes,
                ..
            } => {
                format!("{direction} of {bytes} bytes at byte {offset} of {on} failed")
            }
            LoadError::Corrupt { .. } => format!("{on} does not hold what was written to it"),
            LoadError::BinLost { bin } => format!("bin {bin} is no longer kept"),
            LoadError::Stopped { signal, .. } => {
                format!("stopped by {signal} while making {on} ready; nothing is left behind")
            }
            _ => format!("cannot write to {on}"),
        }
    }

    fn why(&self) -> Option<String> {
        Some(match self {
            LoadError::Usage { why, .. }
            | LoadError::NoDirect { why, .. }
            | LoadError::NoTarget { why, .. }
            | LoadError::Engine { why, .. }
            | LoadError::Ceph { why, .. }
            | LoadError::Command { why, .. } => why.clone(),
            LoadError::CommandNotTyped => {
                "it came with a job and was not typed here, so it could be anybody's".into()
            }
            LoadError::Filled { reason, .. } | LoadError::Io { reason, .. } => reason.clone(),
            LoadError::InUse { uses, .. } => format!("it is in use ({})", uses.join("; ")),
            LoadError::Unseen { unseen, .. } => {
                format!("{unseen}, and one of them may have it open")
            }
            LoadError::Signature { what, offset, .. } => {
                format!(
                    "it holds data (signature of {what} at byte {offset}), and a write job destroys that"
                )
            }
            LoadError::NoConsent { .. } => "a write job destroys all that is on this device".into(),
            LoadError::NoOverwrite { .. } => "a write job destroys the content of this file".into(),
            LoadError::ForeignFile { why, .. } => format!(
                "{why}, and whoever may write to its directory may have linked a file of others there"
            ),
            LoadError::ReadOnly { .. } => "it was made ready for reads only".into(),
            LoadError::WriteProtected { .. } => "the device is read-only".into(),
            LoadError::NoSpace {
                free_bytes,
                reserve_bytes,
                ..
            } => format!(
                "{} are free and {} of that stay reserved for others",
                units::bytes(*free_bytes as f64),
                units::bytes(*reserve_bytes as f64)
            ),
            LoadError::NothingWritten { .. } => {
                "the kernel would answer reads of it from memory".into()
            }
            LoadError::Corrupt { what, .. } => what.clone(),
            LoadError::BinLost { .. } => {
                format!(
                    "the counters cover the last {} minutes",
                    crate::counters::BINS / 6000
                )
            }
            LoadError::Stopped { .. } | LoadError::Host { .. } => return None,
        })
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            LoadError::Usage { advice, .. } => advice.as_str(),
            LoadError::InUse { advice, .. } => {
                return Some(format!("Use {advice}, or a disk that nothing uses"));
            }
            LoadError::NoSpace {
                free_bytes,
                reserve_bytes,
                ..
            } => {
                return Some(space_advice(*free_bytes, *reserve_bytes));
            }
            LoadError::Io { advice, .. } | LoadError::Command { advice, .. } => advice,
            LoadError::CommandNotTyped => "Read it, and give it with --command if it is to run",
            LoadError::Unseen { .. } => "Run as root, or use a directory as the target",
            LoadError::Signature { .. } => {
                "Use a directory as the target, another disk, or --force-signature if its content may be lost"
            }
            LoadError::NoConsent { .. } => {
                "Use a directory as the target, a read job, or --destroy-data if its content may be lost"
            }
            LoadError::NoOverwrite { .. } => {
                "Use its directory as the target (a scratch file is made there and removed), a read job, or --overwrite \
                 if its content may be lost"
            }
            LoadError::ForeignFile { .. } => {
                "Use its directory as the target, or a file with one name of its own"
            }
            LoadError::ReadOnly { .. } => "Prepare it again with the job that writes",
            LoadError::WriteProtected { .. } => {
                "Use another target, or make it writable first (blockdev --setrw, or a medium or loop device that is not \
                 write-protected)"
            }
            LoadError::Filled { .. } => {
                "The file is gone again; free some space or ask for less with --size"
            }
            LoadError::NoDirect { .. } => {
                "Use --direct=0 to measure through the page cache, or a target on a disk"
            }
            LoadError::NothingWritten { .. } => {
                "Write it first, or use its directory as the target (a scratch file is written there)"
            }
            LoadError::Ceph { advice, .. } if advice.is_empty() => return None,
            LoadError::Ceph { advice, .. } => advice,
            LoadError::NoTarget { target, .. } if CephTarget::is_meant(target) => {
                "`ceph osd pool ls` and `rbd ls POOL` show what is there"
            }
            LoadError::NoTarget { .. } => "Name a directory, a regular file or a block device",
            LoadError::Corrupt { .. } => {
                "Look at the kernel log (dmesg) and at what else writes there before this storage is trusted"
            }
            LoadError::Engine { .. }
            | LoadError::BinLost { .. }
            | LoadError::Stopped { .. }
            | LoadError::Host { .. } => return None,
        };
        Some(hint.to_string())
    }
}

fn space_advice(free_bytes: u64, reserve_bytes: u64) -> String {
    match free_bytes.saturating_sub(reserve_bytes) {
        0..0x10_0000 => {
            "Free some space, use another directory, or leave less to others: --keep-free 16M"
                .to_string()
        }
        left => format!(
            "Ask for less with --size {}M, or use another directory",
            left >> 20
        ),
    }
}

/// What to look at after an I/O failed with this errno; 0 is an unexpected end of the file.
pub(super) fn io_advice(errno: i32) -> &'static str {
    match errno {
        0 => "Something shortened it during the load",
        libc::EIO => "The device reports an error: see the kernel log (dmesg) before anything else",
        libc::ENOSPC => "A thin volume or the file system ran out of space during the load",
        libc::EINVAL => "The block size may be no multiple of the device's: try --bs=4k",
        libc::EOPNOTSUPP => "The device or its file system cannot do this",
        libc::ENODEV | libc::ENXIO => "The device went away during the load",
        _ => "The load was stopped there; see the kernel log (dmesg)",
    }
}

fn advice_of(error: &host::Error) -> &'static str {
    match error.errno() {
        Some(libc::EACCES | libc::EPERM) => ". Run as root, or use a target that you may write",
        Some(libc::EROFS) => {
            ", it is mounted read-only. Use a directory on a file system mounted for writing"
        }
        Some(libc::ENOENT) => ". Check the path",
        Some(libc::EBUSY) => ". Something uses it exclusively",
        _ => "",
    }
}
