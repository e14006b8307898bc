//! Where tests make a step of the machine fail, wait, or be the last one of a process. In the product nothing is here.
//!
//! Everything that the journal and the locks do to files passes here first, so that a test can stop it between any two
//! steps: see `histories`.

use std::path::Path;

/// A step that can fail on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code, reason = "only tests look at it"))]
pub(crate) enum FaultStep {
    /// A file is created.
    Create,
    /// A file is opened that is there.
    Open,
    /// A file is read.
    Read,
    /// Bytes are appended; before this step a part of them may be in the file.
    Append,
    /// A file is marked by its mode.
    Mark,
    /// A file is cut to a length.
    Truncate,
    /// A file's or directory's content is forced to the disk.
    Sync,
    /// A file gets its name.
    Rename,
    /// A name is removed.
    Unlink,
    /// A lock is asked for.
    Lock,
    /// A kernel attribute is read.
    ReadAttribute,
    /// A kernel attribute is written.
    WriteAttribute,
}

pub(crate) use hook::*;

#[cfg(not(test))]
mod hook {
    use super::{FaultStep, Path};

    /// Nothing happens.
    #[inline]
    pub(crate) fn at(_: FaultStep, _: &Path) -> std::io::Result<()> {
        Ok(())
    }

    /// Bytes of an append that are written before its step.
    #[inline]
    pub(crate) fn torn_after(_: usize) -> usize {
        0
    }
}

#[cfg(test)]
mod hook {
    use super::{FaultStep, Path};
    use std::cell::RefCell;

    /// What a test does at each step of its thread.
    pub(crate) trait Hook {
        /// Before a step: an error stands in for it; a panic is the death of the process.
        fn at(&mut self, step: FaultStep, path: &Path) -> std::io::Result<()>;
        /// How much of an append reaches the file before its step.
        fn torn_after(&mut self, length: usize) -> usize;
    }

    thread_local! {
        static HOOK: RefCell<Option<Box<dyn Hook>>> = const { RefCell::new(None) };
    }

    /// Has this thread's steps pass by a hook from now on.
    pub(crate) fn install(hook: Box<dyn Hook>) {
        HOOK.with(|slot| *slot.borrow_mut() = Some(hook));
    }

    /// Has them pass freely again.
    pub(crate) fn clear() {
        HOOK.with(|slot| *slot.borrow_mut() = None);
    }

    pub(crate) fn at(step: FaultStep, path: &Path) -> std::io::Result<()> {
        if std::thread::panicking() {
            return Err(std::io::Error::other("this process is dead"));
        }
        HOOK.with(|slot| {
            slot.borrow_mut()
                .as_mut()
                .map_or(Ok(()), |hook| hook.at(step, path))
        })
    }

    pub(crate) fn torn_after(length: usize) -> usize {
        if std::thread::panicking() {
            return 0;
        }
        HOOK.with(|slot| {
            slot.borrow_mut()
                .as_mut()
                .map_or(0, |hook| hook.torn_after(length))
        })
    }
}
