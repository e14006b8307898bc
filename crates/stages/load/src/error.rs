//! Why a load cannot be made ready, started or finished: what failed, on what, why, what to do.

mod parts;

use model::failure::Exit;
use std::sync::Arc;

/// What cannot be loaded, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The job cannot be run as asked.
    Usage {
        /// The option and its value.
        what: String,
        /// Why it cannot be.
        why: String,
        /// What to ask for.
        advice: String,
    },
    /// Something uses the device.
    InUse {
        /// The device as the user named it.
        target: String,
        /// Who uses it and how, each a clause.
        uses: Vec<String>,
        /// Where the same disk can be loaded safely.
        advice: String,
    },
    /// Whether somebody has the device open cannot be known.
    Unseen {
        /// The device as the user named it.
        target: String,
        /// Whose open files could not be seen, a clause.
        unseen: String,
    },
    /// The device holds something.
    Signature {
        /// The device as the user named it.
        target: String,
        /// What was recognised: `ext2, ext3 or ext4`.
        what: String,
        /// Where the magic bytes were found.
        offset: u64,
    },
    /// Writing a device destroys it and was not asked for.
    NoConsent {
        /// The device as the user named it.
        target: String,
    },
    /// Writing an existing file was not asked for.
    NoOverwrite {
        /// The file as the user named it.
        target: String,
    },
    /// Somebody may have given another user's file this name.
    ForeignFile {
        /// The file as the user named it.
        target: String,
        /// How many names it has and whose it is, a clause.
        why: String,
    },
    /// The target was made ready for reads only.
    ReadOnly {
        /// The target as the user named it.
        target: String,
    },
    /// The device itself is set read-only.
    WriteProtected {
        /// The device as the user named it.
        target: String,
    },
    /// Too little space for the scratch file.
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
    NoDirect {
        /// The target as the user named it.
        target: String,
        /// Why not.
        why: String,
    },
    /// Nothing of the file was ever written.
    NothingWritten {
        /// The file as the user named it.
        target: String,
        /// The part looked at.
        bytes: u64,
    },
    /// A part of a Ceph cluster cannot be loaded, or may not be.
    Ceph {
        /// The target as the user named it.
        target: String,
        /// Why.
        why: String,
        /// What to do; can be empty.
        advice: String,
        /// What it is a matter of.
        exit: Exit,
    },
    /// The target is nothing that can be loaded.
    NoTarget {
        /// The target as the user named it.
        target: String,
        /// What it is instead.
        why: String,
    },
    /// The engine cannot run on this machine.
    Engine {
        /// Engine id.
        engine: String,
        /// Why not and what to do.
        why: String,
    },
    /// The job runs a command, and nobody typed it: it came with a file.
    CommandNotTyped,
    /// The command that was to make the load did not, or ended.
    Command {
        /// The command, short enough for a message.
        command: String,
        /// What became of it.
        why: String,
        /// What to do.
        advice: &'static str,
    },
    /// An I/O failed; the load stopped there.
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
    Corrupt {
        /// The target as the user named it.
        target: String,
        /// Which block, what was expected and what was found.
        what: String,
    },
    /// A moment that the counters no longer cover.
    BinLost {
        /// The bin asked for.
        bin: u64,
    },
    /// A request to stop arrived.
    Stopped {
        /// The target as the user named it.
        target: String,
        /// What asked.
        signal: &'static str,
    },
    /// A call to the machine failed.
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
    /// The exit code that this error asks for.
    pub fn exit(&self) -> Exit {
        match self {
            LoadError::Usage { .. } | LoadError::NoTarget { .. } => Exit::Usage,
            LoadError::InUse { .. }
            | LoadError::Signature { .. }
            | LoadError::NoConsent { .. }
            | LoadError::NoOverwrite { .. }
            | LoadError::ForeignFile { .. }
            | LoadError::CommandNotTyped
            | LoadError::ReadOnly { .. } => Exit::Refused,
            LoadError::Ceph { exit, .. } => *exit,
            LoadError::Stopped { .. } => Exit::Interrupted,
            LoadError::Unseen { .. } => Exit::Rights,
            LoadError::Host { source } if source.is_refusal() => Exit::Refused,
            LoadError::Host { source } if source.is_permission() => Exit::Rights,
            LoadError::Host { source } if source.errno() == Some(libc::ENOENT) => Exit::Usage,
            _ => Exit::Failed,
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
            advice: parts::io_advice(errno),
        }
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
        assert_eq!(error.exit() as u8, 4);
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
        assert_eq!(LoadError::from(missing).exit(), Exit::Usage);
    }
}
