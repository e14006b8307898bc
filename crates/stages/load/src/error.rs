//! Why a load cannot be made ready, started or finished: what failed, on what, why, what to do.

use model::units;
use std::sync::Arc;

/// The program's exit status that an error asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitClass {
    /// The job makes no sense as asked.
    Usage = 2,
    /// The user may not do this.
    Rights = 3,
    /// Refused for the safety of data.
    Refused = 4,
    /// The target or the machine failed.
    Failed = 5,
    /// Stopped by a request.
    Interrupted = 130,
}

/// What cannot be loaded, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The job cannot be run as asked.
    #[error("{what}: {why}. {advice}")]
    Usage {
        /// The option and its value.
        what: String,
        /// Why it cannot be.
        why: String,
        /// What to ask for.
        advice: String,
    },
    /// Something uses the device.
    #[error(
        "cannot write to {target}: it is in use ({}). Use {advice}, or a disk that nothing uses",
        uses.join("; ")
    )]
    InUse {
        /// The device as the user named it.
        target: String,
        /// Who uses it and how, each a clause.
        uses: Vec<String>,
        /// Where the same disk can be loaded safely.
        advice: String,
    },
    /// Whether somebody has the device open cannot be known.
    #[error(
        "cannot write to {target}: {unseen}, and one of them may have it open. Run as root, or use a \
         directory as the target"
    )]
    Unseen {
        /// The device as the user named it.
        target: String,
        /// Whose open files could not be seen, a clause.
        unseen: String,
    },
    /// The device holds something.
    #[error(
        "cannot write to {target}: it holds data (signature of {what} at byte {offset}), and a write job destroys \
         that. Use a directory as the target, another disk, or --force-signature if its content may be lost"
    )]
    Signature {
        /// The device as the user named it.
        target: String,
        /// What was recognised: `ext2, ext3 or ext4`.
        what: String,
        /// Where the magic bytes were found.
        offset: u64,
    },
    /// Writing a device destroys it and was not asked for.
    #[error(
        "cannot write to {target}: a write job destroys all that is on this device. Use a directory as the target, a \
         read job, or --destroy-data if its content may be lost"
    )]
    NoConsent {
        /// The device as the user named it.
        target: String,
    },
    /// Writing an existing file was not asked for.
    #[error(
        "cannot write to {target}: a write job destroys the content of this file. Use its directory as the target (a \
         scratch file is made there and removed), a read job, or --overwrite if its content may be lost"
    )]
    NoOverwrite {
        /// The file as the user named it.
        target: String,
    },
    /// Somebody may have given another user's file this name.
    #[error(
        "cannot write to {target}: {why}, and whoever may write to its directory may have linked a file of others there. \
         Use its directory as the target, or a file with one name of its own"
    )]
    ForeignFile {
        /// The file as the user named it.
        target: String,
        /// How many names it has and whose it is, a clause.
        why: String,
    },
    /// The target was made ready for reads only.
    #[error(
        "cannot write to {target}: it was made ready for reads only. Prepare it again with the job that writes"
    )]
    ReadOnly {
        /// The target as the user named it.
        target: String,
    },
    /// The device itself is set read-only.
    #[error(
        "cannot write to {target}: the device is read-only. Use another target, or make it writable first (blockdev \
         --setrw, or a medium or loop device that is not write-protected)"
    )]
    WriteProtected {
        /// The device as the user named it.
        target: String,
    },
    /// Too little space for the scratch file.
    #[error(
        "no room for a scratch file of {} in {target}: {} are free and {} of that stay reserved for others. {}",
        units::bytes(*wanted_bytes as f64), units::bytes(*free_bytes as f64), units::bytes(*reserve_bytes as f64),
        space_advice(*free_bytes, *reserve_bytes)
    )]
    NoSpace {
        /// The directory.
        target: String,
        /// Size asked for.
        wanted_bytes: u64,
        /// Free for this user.
        free_bytes: u64,
        /// Left to others.
        reserve_bytes: u64,
    },
    /// The file system filled up, or a quota was reached, while the scratch file was written.
    #[error(
        "{target} filled up after {} of the scratch file's {} were written: {reason}. The file is gone again; free \
         some space or ask for less with --size",
        units::bytes(*done_bytes as f64), units::bytes(*wanted_bytes as f64)
    )]
    Filled {
        /// The directory.
        target: String,
        /// Size asked for.
        wanted_bytes: u64,
        /// Written until then.
        done_bytes: u64,
        /// The kernel's words.
        reason: String,
    },
    /// The target cannot do direct I/O.
    #[error(
        "{target} cannot be loaded with direct I/O: {why}. Use --direct=0 to measure through the page cache, or a \
         target on a disk"
    )]
    NoDirect {
        /// The target as the user named it.
        target: String,
        /// Why not.
        why: String,
    },
    /// Nothing of the file was ever written.
    #[error(
        "{target} holds no data in its first {}: the kernel would answer reads of it from memory. Write it first, or \
         use its directory as the target (a scratch file is written there)",
        units::bytes(*bytes as f64)
    )]
    NothingWritten {
        /// The file as the user named it.
        target: String,
        /// The part looked at.
        bytes: u64,
    },
    /// The target is nothing that can be loaded.
    #[error(
        "{target} is no target for a load: {why}. Name a directory, a regular file or a block device"
    )]
    NoTarget {
        /// The target as the user named it.
        target: String,
        /// What it is instead.
        why: String,
    },
    /// The engine cannot run on this machine.
    #[error("the engine {engine} cannot be used: {why}")]
    Engine {
        /// Engine id.
        engine: String,
        /// Why not and what to do.
        why: String,
    },
    /// An I/O failed; the load stopped there.
    #[error("{direction} of {bytes} bytes at byte {offset} of {target} failed: {reason}. {advice}")]
    Io {
        /// `read`, `write`, `trim`, `fsync` …
        direction: &'static str,
        /// The target as the user named it.
        target: String,
        /// Where.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// errno, 0 for an unexpected end of the file.
        errno: i32,
        /// The kernel's words.
        reason: String,
        /// What to look at.
        advice: &'static str,
    },
    /// What was read is not what was written, and the job ends at the first such block.
    #[error(
        "{target} does not hold what was written to it: {what}. Look at the kernel log (dmesg) and at what else writes \
         there before this storage is trusted"
    )]
    Corrupt {
        /// The target as the user named it.
        target: String,
        /// Which block, what was expected and what was found.
        what: String,
    },
    /// A moment that the counters no longer cover.
    #[error("bin {bin} is no longer kept: the counters cover the last {} minutes", super::counters::BINS / 6000)]
    BinLost {
        /// The bin asked for.
        bin: u64,
    },
    /// A request to stop arrived.
    #[error("stopped by {signal} while making {target} ready; nothing is left behind")]
    Stopped {
        /// The target as the user named it.
        target: String,
        /// What asked.
        signal: &'static str,
    },
    /// A call to the machine failed.
    #[error("{source}{}", advice_of(source))]
    Host {
        /// The failure.
        source: Arc<host::Error>,
    },
}

impl From<host::Error> for LoadError {
    fn from(source: host::Error) -> Self {
        LoadError::Host {
            source: Arc::new(source),
        }
    }
}

impl LoadError {
    /// The exit status this error asks for.
    pub fn exit_class(&self) -> ExitClass {
        match self {
            LoadError::Usage { .. } | LoadError::NoTarget { .. } => ExitClass::Usage,
            LoadError::InUse { .. }
            | LoadError::Signature { .. }
            | LoadError::NoConsent { .. }
            | LoadError::NoOverwrite { .. }
            | LoadError::ForeignFile { .. }
            | LoadError::ReadOnly { .. } => ExitClass::Refused,
            LoadError::Stopped { .. } => ExitClass::Interrupted,
            LoadError::Unseen { .. } => ExitClass::Rights,
            LoadError::Host { source } if source.is_refusal() => ExitClass::Refused,
            LoadError::Host { source } if source.is_permission() => ExitClass::Rights,
            LoadError::Host { source } if source.errno() == Some(libc::ENOENT) => ExitClass::Usage,
            _ => ExitClass::Failed,
        }
    }

    pub(super) fn usage(
        what: impl Into<String>,
        why: impl Into<String>,
        advice: impl Into<String>,
    ) -> LoadError {
        LoadError::Usage {
            what: what.into(),
            why: why.into(),
            advice: advice.into(),
        }
    }

    pub(super) fn io(
        target: &std::path::Path,
        direction: &'static str,
        offset: u64,
        bytes: u64,
        errno: i32,
    ) -> LoadError {
        let reason = match errno {
            0 => "the file ends here".to_string(),
            _ => std::io::Error::from_raw_os_error(errno).to_string(),
        };
        LoadError::Io {
            direction,
            target: model::text::shown(target),
            offset,
            bytes,
            errno,
            reason,
            advice: io_advice(errno),
        }
    }
}

fn space_advice(free_bytes: u64, reserve_bytes: u64) -> String {
    match free_bytes.saturating_sub(reserve_bytes) {
        0..0x10_0000 => "Free some space or use another directory".to_string(),
        left => format!(
            "Ask for less with --size {}M, or use another directory",
            left >> 20
        ),
    }
}

fn io_advice(errno: i32) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_why_and_what_to_do() {
        let error = LoadError::InUse {
            target: "/dev/sdb".into(),
            uses: vec!["md0 has it as a member, and md0 is mounted on /srv".into()],
            advice: "a directory on /srv as the target".into(),
        };
        assert_eq!(
            error.to_string(),
            "cannot write to /dev/sdb: it is in use (md0 has it as a member, and md0 is mounted on /srv). \
             Use a directory on /srv as the target, or a disk that nothing uses"
        );
        assert_eq!(error.exit_class() as u8, 4);
        let error = LoadError::NoSpace {
            target: "/srv".into(),
            wanted_bytes: 1 << 30,
            free_bytes: 700 << 20,
            reserve_bytes: 256 << 20,
        };
        assert_eq!(
            error.to_string(),
            "no room for a scratch file of 1.00 GiB in /srv: 700 MiB are free and 256 MiB of that stay reserved \
             for others. Ask for less with --size 444M, or use another directory"
        );
        let missing = host::Error::io(
            "look at",
            "/nowhere",
            std::io::Error::from_raw_os_error(libc::ENOENT),
        );
        assert_eq!(LoadError::from(missing).exit_class(), ExitClass::Usage);
    }
}
