//! Files as streams. What has no end is not read, or not for ever.

use super::inputs::Input;
use imports::{Import, ImportError};
use model::imported::INPUT_MAX_BYTES;
use std::io::{BufRead, BufReader, Error, Read, Result};
use std::path::Path;

/// Read at once, bytes: logs of fio are long.
const CHUNK: usize = 1 << 20;

/// A pipe, of which nobody knows how long it is: an error once it is longer than what is read.
struct Bounded<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.source.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let most = INPUT_MAX_BYTES >> 20;
            Error::other(format!(
                "a pipe is read up to {most} MiB, and this one has more; write it to a file first"
            ))
        })?;
        Ok(read)
    }
}

/// What is in a file, or in the files of one trace.
pub fn import(input: &Input) -> std::result::Result<Import, ImportError> {
    if let [only] = &input.files[..] {
        return imports::import(only, &mut open(only)?);
    }
    let named = |file: &String| {
        let source =
            open(file).map_err(|error| ImportError::Damaged(format!("{file}: {error}")))?;
        Ok((file.clone(), source))
    };
    let files: std::result::Result<Vec<_>, ImportError> = input.files.iter().map(named).collect();
    imports::import_trace(&input.name, files?)
}

/// A file, or stdin for `-`.
pub fn open(name: &str) -> std::result::Result<Box<dyn BufRead>, ImportError> {
    if name == "-" {
        return Ok(bounded(std::io::stdin()));
    }
    let refused = |error: host::Error| ImportError::Io(Error::other(error.to_string()));
    let file = host::foreign::open(Path::new(name)).map_err(refused)?;
    // Whatever is no regular file here is a pipe.
    Ok(
        match file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            true => Box::new(BufReader::with_capacity(CHUNK, file)),
            false => bounded(file),
        },
    )
}

fn bounded(source: impl Read + 'static) -> Box<dyn BufRead> {
    Box::new(BufReader::with_capacity(
        CHUNK,
        Bounded {
            source,
            left: INPUT_MAX_BYTES,
        },
    ))
}
