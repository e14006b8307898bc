//! Files as streams.

use super::inputs::Input;
use host::files::{Access, DataFile};
use imports::{Import, ImportError};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Read at once, bytes: logs of fio are long.
const CHUNK: usize = 1 << 20;

struct Source(DataFile);

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read_here(buffer)
    }
}

/// What is in a file, or in the files of one trace.
pub fn import(input: &Input) -> Result<Import, ImportError> {
    if let [only] = &input.files[..] {
        return imports::import(only, &mut open(only)?);
    }
    let named = |file: &String| {
        let source = open(file).map_err(|error| ImportError::Damaged(format!("{file}: {error}")))?;
        Ok((file.clone(), source))
    };
    let files: Result<Vec<_>, ImportError> = input.files.iter().map(named).collect();
    imports::import_trace(&input.name, files?)
}

/// A file, or stdin for `-`.
pub fn open(name: &str) -> Result<Box<dyn BufRead>, ImportError> {
    if name == "-" {
        return Ok(Box::new(BufReader::with_capacity(CHUNK, std::io::stdin())));
    }
    let file = DataFile::open(Path::new(name), Access::default())
        .map_err(|error| ImportError::Io(std::io::Error::other(error.to_string())))?;
    Ok(Box::new(BufReader::with_capacity(CHUNK, Source(file))))
}
