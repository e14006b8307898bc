//! Readers at work on some files of the sample: open, look, read to the end, close, each timed by itself.

use super::together::together;
use super::{CHUNK, SampleFile};
use crate::LoadError;
use host::clock::FastClock;
use host::data_tree::{DataTree, EntryKind};
use host::signals::Stop;
use model::dataset::{FILE, READ, ReadFailure, ReadLap};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A place where the files of a sample lie, each under a name of its own.
#[derive(Debug)]
pub struct ReadingPlace {
    tree: DataTree,
    /// By place in the sample: where it is, and its length.
    files: Vec<(Box<[u8]>, u64)>,
    clock: FastClock,
}

/// What dropping pages did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Bytes of the files that were looked at afterwards.
    pub asked_bytes: u64,
    /// Bytes of them that were still in the page cache.
    pub cached_bytes: u64,
}

impl ReadingPlace {
    /// The tree where the sample was drawn, or a copy of it.
    pub fn same_names(tree: DataTree, sample: &[SampleFile]) -> ReadingPlace {
        let files = sample.iter().map(|file| (file.path.clone(), file.bytes));
        ReadingPlace::of(tree, files.collect())
    }

    /// Other names, by place in the sample, with the lengths.
    pub fn of(tree: DataTree, files: Vec<(Box<[u8]>, u64)>) -> ReadingPlace {
        ReadingPlace {
            tree,
            files,
            clock: FastClock::calibrate(),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &DataTree {
        &self.tree
    }

    /// Drops the pages of files from the page cache; what cannot be opened is left to the reading to tell.
    pub fn drop_pages(&self, files: &[usize]) -> Dropped {
        let mut dropped = Dropped::default();
        for index in files {
            let Some((path, bytes)) = self.files.get(*index) else {
                continue;
            };
            let Ok(file) = self.tree.open_file(path) else {
                continue;
            };
            if file.drop_cache().is_err() || *bytes == 0 {
                continue;
            }
            // Of files of others only root is told; then the device's counters have to do.
            if let Ok(cache) = file.cache_use(*bytes) {
                dropped.asked_bytes += bytes;
                dropped.cached_bytes += cache.cached.min(*bytes);
            }
        }
        dropped
    }

    /// Reads files in this order with so many readers; whoever is free takes the next. A request to stop ends it early.
    ///
    /// # Errors
    /// Where so many readers cannot be started. What cannot be read is told in the lap.
    pub fn read(&self, files: &[usize], readers: u32, stop: &Stop) -> Result<ReadLap, LoadError> {
        let next = AtomicUsize::new(0);
        let (laps, elapsed_ns) =
            together(readers, &self.clock, |_| self.reader(files, &next, stop))?;
        let mut all = ReadLap::default();
        laps.iter().for_each(|lap| all.add(lap));
        all.elapsed_ns = elapsed_ns;
        Ok(all)
    }

    /// One reader, until no file is left.
    fn reader(&self, files: &[usize], next: &AtomicUsize, stop: &Stop) -> ReadLap {
        let mut lap = ReadLap::default();
        let mut buffer = vec![0; CHUNK];
        while let Some(index) = files.get(next.fetch_add(1, Relaxed)) {
            if stop.is_asked() {
                break;
            }
            if let Err(failure) = self.one(*index, &mut buffer, &mut lap) {
                lap.failed.push((*index, failure));
            }
        }
        lap
    }

    fn one(&self, index: usize, buffer: &mut [u8], lap: &mut ReadLap) -> Result<(), ReadFailure> {
        let Some((path, wanted)) = self.files.get(index) else {
            return Err(ReadFailure::Vanished);
        };
        let now = || self.clock.now_ns();
        let began_ns = now();
        let file = self.tree.open_file(path).map_err(failure)?;
        let opened_ns = now();
        let stat = file.stat().map_err(failure)?;
        let looked_ns = now();
        if stat.kind != EntryKind::File || stat.bytes != *wanted {
            return Err(ReadFailure::Changed);
        }
        let mut bytes = 0;
        loop {
            match file.read(buffer).map_err(failure)? {
                0 => break,
                read => bytes += read as u64,
            }
        }
        let read_ns = now();
        drop(file);
        let closed_ns = now();
        if bytes != *wanted {
            return Err(ReadFailure::Changed);
        }
        let edges = [began_ns, opened_ns, looked_ns, read_ns, closed_ns];
        for (at, pair) in edges.windows(2).enumerate() {
            lap.book(at, pair[1].saturating_sub(pair[0]));
        }
        lap.book(FILE, closed_ns.saturating_sub(began_ns));
        lap.operations[READ].bytes += bytes;
        lap.operations[FILE].bytes += bytes;
        lap.files += 1;
        lap.bytes += bytes;
        Ok(())
    }
}

fn failure(error: std::io::Error) -> ReadFailure {
    match (error.raw_os_error(), error.kind()) {
        // A link, a mount or a directory that took its name.
        (Some(libc::ELOOP | libc::EXDEV | libc::EISDIR), _) => ReadFailure::Changed,
        (_, ErrorKind::NotFound | ErrorKind::NotADirectory) => ReadFailure::Vanished,
        (_, ErrorKind::PermissionDenied) => ReadFailure::Unreadable,
        _ => ReadFailure::Failed(error.to_string()),
    }
}
