//! Making the scratch file: all of it written, with data that does not compress, before anything is measured.
//!
//! A hole or a preallocated extent is read from memory, and its first write allocates; either would be measured in
//! place of the device. A job that asks for just that (`fallocate`) and reads nothing gets it.

use super::LoadError;
use super::pattern::{Blocks, refresh};
use host::files::DataFile;
use host::signals::Stop;
use model::job::{Fallocate, Job};
use stats::dice::mix64;
use std::ops::Range;
use std::path::Path;

/// Bytes written at a time.
const CHUNK: u64 = 1 << 20;

/// Bytes written between two looks at what is left to others.
const LOOK_BYTES: u64 = 16 << 20;

/// Makes a new file for a job: `bytes` long where its mode says so. `is_short` is asked now and then whether somebody
/// else's writing has left too little room to go on.
pub fn make(
    file: &DataFile,
    bytes: u64,
    job: &Job,
    stop: &Stop,
    is_short: &dyn Fn() -> Option<LoadError>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), LoadError> {
    let made = match job.fallocate {
        // As in fio, what is read is written first, whatever the mode.
        _ if job.rw.reads() => return write(file, bytes, stop, is_short, progress),
        Fallocate::Written => return write(file, bytes, stop, is_short, progress),
        Fallocate::None => Ok(()),
        Fallocate::Reserved => file.reserve(bytes),
        Fallocate::Truncate => file.extend(bytes),
    };
    made.map_err(|error| match error {
        host::Error::Io { source, .. } => failed(file, bytes, 0, &source),
        other => other.into(),
    })
}

/// Writes the first `bytes` of the file, as [`make`] does. `file` decides whether the writes are
/// direct; `progress` gets bytes done and bytes in all.
#[cfg(test)]
pub fn write_all(
    file: &DataFile,
    bytes: u64,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), LoadError> {
    write(file, bytes, stop, &|| None, progress)
}

/// Writes the first `bytes` of a file in full and waits until they are on the device. `is_short` is asked now and then
/// whether somebody else's writing has left too little room to go on; `progress` gets bytes done and bytes in all.
///
/// # Errors
/// Where a write fails, and where a signal asks to stop.
pub fn write(
    file: &DataFile,
    bytes: u64,
    stop: &Stop,
    is_short: &dyn Fn() -> Option<LoadError>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), LoadError> {
    let mut looked = 0;
    let mut blocks = Blocks::random(1, CHUNK as usize, mix64(host::clock::monotonic_ns()));
    let mut done = 0;
    while done < bytes {
        if stop.is_asked() {
            return Err(LoadError::Stopped {
                target: directory(file),
                signal: stop.signal_name(),
            });
        }
        if done >= looked + LOOK_BYTES {
            looked = done;
            is_short().map_or(Ok(()), Err)?;
        }
        let chunk = blocks.get(0);
        refresh(chunk, done);
        let length = CHUNK.min(bytes - done) as usize;
        done += write_chunk(file, &chunk[..length], done)
            .map_err(|error| failed(file, bytes, done, &error))?;
        progress(done, bytes);
    }
    file.sync().map_err(|error| match error {
        host::Error::Io { source, .. } => failed(file, bytes, done, &source),
        other => other.into(),
    })
}

/// Writes zeros over a range of a file, which then holds data where it had holes or reserved extents.
///
/// # Errors
/// Where a write fails, and where a signal asks to stop.
pub fn write_zeros(file: &DataFile, range: Range<u64>, stop: &Stop) -> Result<(), LoadError> {
    let mut blocks = Blocks::random(1, CHUNK as usize, 1);
    let chunk = blocks.get(0);
    chunk.fill(0);
    let mut done = range.start;
    while done < range.end {
        if stop.is_asked() {
            return Err(LoadError::Stopped {
                target: directory(file),
                signal: stop.signal_name(),
            });
        }
        let length = CHUNK.min(range.end - done) as usize;
        done += write_chunk(file, &chunk[..length], done)
            .map_err(|error| failed(file, range.end, done, &error))?;
    }
    Ok(())
}

fn write_chunk(file: &DataFile, chunk: &[u8], offset: u64) -> std::io::Result<u64> {
    match file.write_at(chunk, offset) {
        Ok(0) => Err(std::io::Error::from_raw_os_error(libc::ENOSPC)),
        Ok(written) => Ok(written as u64),
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(0),
        Err(error) => Err(error),
    }
}

fn failed(
    file: &DataFile,
    wanted_bytes: u64,
    done_bytes: u64,
    error: &std::io::Error,
) -> LoadError {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => LoadError::Filled {
            target: directory(file),
            wanted_bytes,
            done_bytes,
            reason: error.to_string(),
        },
        errno => LoadError::io(
            file.path(),
            "write",
            done_bytes,
            CHUNK,
            errno.unwrap_or(libc::EIO),
        ),
    }
}

fn directory(file: &DataFile) -> String {
    model::text::shown(file.path().parent().unwrap_or(Path::new(".")))
}
