//! Files of the sizes and depths of a sample, made on another target to be read there, and removed.

use super::{BLOCK_BYTES, CHUNK, ReadingPlace, SampleFile};
use crate::LoadError;
use crate::pattern::{Blocks, refresh};
use crate::room::{Needed, lacking};
use crate::tree_cleanup::Cleanup;
use host::data_tree::DataTree;
use host::signals::Stop;
use host::{Error, Host, Target};
use model::text::shown;
use stats::dice::mix64;
use std::collections::HashMap;
use std::path::Path;

/// Directories below each other that a tree of ours may have; deeper ones are put into the last of these.
const MOST_LEVELS: usize = 60;
/// What tar puts before each file, and to which it fills up its content, bytes.
const TAR_BLOCK: u64 = 512;

/// What a file takes in an archive: a header, and its content in whole blocks.
pub fn tar_bytes(bytes: u64) -> u64 {
    // No file is longer than half of what the number holds.
    TAR_BLOCK + bytes.next_multiple_of(TAR_BLOCK)
}

/// A tree of our own with files as long and as deep as those of a sample. It is removed by [`ScratchCopy::remove`], or when
/// it is dropped, and after a death by `iodyno undo`.
#[derive(Debug)]
pub struct ScratchCopy {
    cleanup: Cleanup,
    /// By place in the sample.
    files: Vec<(Box<[u8]>, u64)>,
}

impl ScratchCopy {
    /// Makes it in a directory, once there is room for it and for `packed_bytes` more.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is too little space or there are too few inodes: nothing was made then.
    /// [`LoadError::Stopped`] when a signal came: what was made is gone again.
    pub fn make(
        target: &Target,
        (host, state_dir): (&Host, &Path),
        sample: &[SampleFile],
        packed_bytes: u64,
        stop: &Stop,
        tell: &mut dyn FnMut(u64),
    ) -> Result<ScratchCopy, LoadError> {
        let (directories, files) = names(sample);
        let needed = Needed {
            bytes: space(sample, directories.len() as u64).saturating_add(packed_bytes),
            inodes: (files.len() + directories.len()) as u64 + 2,
            what: "the copy",
        };
        if let Some(why) = lacking(target.space(), &needed) {
            let why = format!("it {why}. Ask for fewer files with --sample or --sample-bytes");
            return Err(Error::refused("make a copy in", target.path(), why).into());
        }
        let purpose = format!("dataset in {}", shown(target.path()));
        let cleanup = Cleanup::make(target, host, Some(state_dir), &purpose)?;
        let copy = ScratchCopy { cleanup, files };
        match copy.fill(&directories, stop, tell) {
            Ok(()) => Ok(copy),
            Err(error) => {
                copy.remove()?;
                Err(error)
            }
        }
    }

    fn fill(
        &self,
        directories: &[String],
        stop: &Stop,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), LoadError> {
        let tree = self.cleanup.tree();
        for directory in directories {
            tree.mkdir(directory)
                .map_err(|error| tree.error("make", directory, error))?;
        }
        let mut blocks = Blocks::random(1, CHUNK, mix64(self.files.len() as u64));
        let block = blocks.get(0);
        for (index, (path, bytes)) in self.files.iter().enumerate() {
            if stop.is_asked() {
                return Err(LoadError::Stopped {
                    target: shown(&tree.path()),
                    signal: stop.signal_name(),
                });
            }
            tell(index as u64);
            // Our own names are digits and letters.
            let path = String::from_utf8_lossy(path);
            let write = |block: &mut [u8]| -> std::io::Result<()> {
                let file = tree.create_file(&path)?;
                let mut done = 0;
                while done < *bytes {
                    let length = (*bytes - done).min(CHUNK as u64) as usize;
                    refresh(
                        &mut block[..length.next_multiple_of(8)],
                        mix64(index as u64) ^ done,
                    );
                    file.write_all(&block[..length])?;
                    done += length as u64;
                }
                Ok(())
            };
            write(block).map_err(|error| tree.error("create", &path, error))?;
        }
        tree.sync()
            .map_err(|error| tree.error("write out", "", error))?;
        Ok(())
    }

    /// It as a place to read.
    pub fn place(&self) -> Result<ReadingPlace, LoadError> {
        let tree = DataTree::of(self.cleanup.tree())?;
        Ok(ReadingPlace::of(tree, self.files.clone()))
    }

    /// Where it is.
    pub fn path(&self) -> std::path::PathBuf {
        self.cleanup.tree().path()
    }

    /// Removes it.
    ///
    /// # Errors
    /// Where somebody else put something into it; the journal stays then, and names it.
    pub fn remove(&self) -> Result<(), LoadError> {
        self.cleanup.finish()
    }
}

fn space(sample: &[SampleFile], directories: u64) -> u64 {
    let files = sample
        .iter()
        .map(|file| file.bytes.next_multiple_of(BLOCK_BYTES));
    files.fold(directories * BLOCK_BYTES, u64::saturating_add)
}

/// The name of a file below the copy's root, and its length in bytes.
type NamedFile = (Box<[u8]>, u64);

/// Names of our own: the directories, those above before those below, and the files with their lengths.
fn names(sample: &[SampleFile]) -> (Vec<String>, Vec<NamedFile>) {
    let mut known: HashMap<&[u8], String> = HashMap::new();
    let mut directories = Vec::new();
    let mut files = Vec::new();
    for (index, file) in sample.iter().enumerate() {
        let mut below = String::new();
        let slashes = file
            .path
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes.take(MOST_LEVELS) {
            let made = known.entry(&file.path[..at]).or_insert_with(|| {
                let name = format!("{below}d{:x}", directories.len());
                directories.push(name.clone());
                name
            });
            below = format!("{made}/");
        }
        let path = format!("{below}f{index:x}").into_bytes();
        files.push((path.into(), file.bytes));
    }
    (directories, files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_depths_of_the_sample_under_names_of_its_own() {
        let file = |path: &[u8]| SampleFile {
            path: path.into(),
            bytes: 5000,
            index: 0,
        };
        let sample = [
            file(b"a/b/\xff\n"),
            file(b"a/c"),
            file(b"top"),
            file(b"a/b/x"),
        ];
        let (directories, files) = names(&sample);
        assert_eq!(directories, ["d0", "d0/d1"]);
        let paths: Vec<_> = files
            .iter()
            .map(|(path, _)| String::from_utf8_lossy(path))
            .collect();
        assert_eq!(paths, ["d0/d1/f0", "d0/f1", "f2", "d0/d1/f3"]);
        assert_eq!(space(&sample, 2), 4 * 8192 + 2 * 4096);
        let deep = b"x/".repeat(100);
        let (directories, _) = names(&[file(&[&deep[..], b"f"].concat())]);
        assert_eq!(directories.len(), MOST_LEVELS);
    }

    #[test]
    fn an_archive_has_a_header_and_whole_blocks() {
        assert_eq!([0, 1, 512, 513].map(tar_bytes), [512, 1024, 1024, 1536]);
    }
}
