//! Locks between iodyno processes. The kernel drops a lock when its holder dies, so none is ever left behind.

use crate::{Error, Result, files};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// An exclusive lock, held until dropped or until the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock `name` below the state directory, or says which process has it. `what` is for the message.
    pub fn take(state_dir: &Path, name: &str, what: &str) -> Result<Lock> {
        let dir = state_dir.join("locks");
        files::create_dirs(&dir)?;
        let path = dir.join(name.replace(['/', ':'], "-"));
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| Error::io("open", &path, error))?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let holder = files::read_text(&path).unwrap_or_default();
            let pid = if holder.trim().is_empty() { "?" } else { holder.trim() }.to_string();
            return Err(Error::Locked { what: what.into(), pid });
        }
        let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(|error| Error::io("write", &path, error))?;
        Ok(Lock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_has_it() {
        let dir = files::temporary_dir("lock").unwrap();
        let first = Lock::take(dir.path(), "7:0", "loop0").unwrap();
        let error = Lock::take(dir.path(), "7:0", "loop0").unwrap_err().to_string();
        assert!(error.contains("loop0") && error.contains(&std::process::id().to_string()), "{error}");
        drop(first);
        Lock::take(dir.path(), "7:0", "loop0").unwrap();
    }
}
