//! The bytes of a sample as one large file, read in order: what tar, a squashfs image or a record file would give.

use super::CHUNK;
use super::together::together;
use crate::LoadError;
use crate::pattern::{Blocks, refresh};
use crate::room::{Needed, lacking};
use host::clock::FastClock;
use host::files::DataFile;
use host::signals::Stop;
use host::{Error, Target, scratch};
use model::text::shown;
use stats::dice::mix64;

/// A file without a name, which no way of dying leaves behind.
#[derive(Debug)]
pub struct PackedFile {
    file: DataFile,
    bytes: u64,
    /// Where the next part begins.
    cursor: u64,
    clock: FastClock,
}

impl PackedFile {
    /// Writes so many bytes of noise into a new file of a directory, all of them on the device.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is too little space. [`LoadError::Stopped`] when a signal came.
    pub fn make(target: &Target, bytes: u64, stop: &Stop) -> Result<PackedFile, LoadError> {
        let needed = Needed {
            bytes,
            inodes: 1,
            what: "the packed file",
        };
        if let Some(why) = lacking(target.space(), &needed) {
            let why = format!("it {why}. Ask for fewer files with --sample or --sample-bytes");
            return Err(Error::refused("make a packed file in", target.path(), why).into());
        }
        let file = scratch::create(target)?;
        let mut blocks = Blocks::random(1, CHUNK, bytes);
        let block = blocks.get(0);
        let mut done = 0;
        while done < bytes {
            if stop.is_asked() {
                return Err(LoadError::Stopped {
                    target: shown(target.path()),
                    signal: stop.signal_name(),
                });
            }
            let length = (bytes - done).min(CHUNK as u64) as usize;
            refresh(block, mix64(done));
            let written = file
                .write_at(&block[..length], done)
                .map_err(|error| Error::io("write", target.path(), error))?;
            done += written as u64;
        }
        file.sync()?;
        Ok(PackedFile {
            file,
            bytes,
            cursor: 0,
            clock: FastClock::calibrate(),
        })
    }

    /// The next part of so many bytes, as it will be read: from where the last one ended, or from the beginning.
    pub fn next_part(&mut self, bytes: u64) -> (u64, u64) {
        let bytes = bytes.min(self.bytes);
        if self.cursor + bytes > self.bytes {
            self.cursor = 0;
        }
        let from = self.cursor;
        self.cursor += bytes;
        (from, bytes)
    }

    /// Drops it from the page cache, all of it: the kernel reads ahead beyond a part.
    pub fn drop_pages(&self) -> Result<(), LoadError> {
        Ok(self.file.drop_cache(0, 0)?)
    }

    /// Reads a part with so many readers, each its own stretch of it; the time, ns.
    pub fn read(&self, (from, bytes): (u64, u64), readers: u32) -> Result<u64, LoadError> {
        let count = readers.max(1);
        let stretch = bytes
            .div_ceil(u64::from(count))
            .next_multiple_of(CHUNK as u64);
        let (ends, elapsed_ns) = together(count, &self.clock, |index| {
            let at = (u64::from(index) * stretch).min(bytes);
            self.stretch((from + at, from + (at + stretch).min(bytes)))
        })?;
        ends.into_iter().collect::<Result<(), LoadError>>()?;
        Ok(elapsed_ns)
    }

    fn stretch(&self, (mut at, to): (u64, u64)) -> Result<(), LoadError> {
        let mut buffer = vec![0; CHUNK];
        while at < to {
            let length = (to - at).min(CHUNK as u64) as usize;
            match self.file.read_at(&mut buffer[..length], at) {
                Ok(0) => {
                    return Err(LoadError::io(
                        self.file.path(),
                        "read",
                        at,
                        length as u64,
                        0,
                    ));
                }
                Ok(read) => at += read as u64,
                Err(error) => {
                    let errno = error.raw_os_error().unwrap_or(0);
                    return Err(LoadError::io(
                        self.file.path(),
                        "read",
                        at,
                        length as u64,
                        errno,
                    ));
                }
            }
        }
        Ok(())
    }
}
