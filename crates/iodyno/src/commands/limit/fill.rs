//! A file of noise. Under version 2 write-back is charged to the group that first made a file dirty, so a file is written
//! by whoever it is to belong to.

use crate::exit::{Exit, Failure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes written at once.
pub const BLOCK: u64 = 1 << 20;

/// Arguments of the hidden verb that `limit` starts in a group.
#[derive(Debug, clap::Args)]
pub struct FillArgs {
    /// The file, which must not be there yet.
    pub file: PathBuf,
    /// Its size, in whole blocks of 1 MiB.
    pub bytes: u64,
}

/// Writes the file and waits until all of it is on the device.
pub fn fill(args: &FillArgs) -> Result<Exit, Failure> {
    write(&args.file, args.bytes)?;
    Ok(Exit::Fine)
}

/// Makes a file with all of it on the device: noise, no block of which is like another, so that nothing below makes it
/// smaller.
pub fn write(path: &Path, bytes: u64) -> Result<(), Failure> {
    let failed = |error| host::Error::io("write", path, error);
    let mut block = noise()?;
    let mut file = host::files::create_new(path)?;
    for at in 0..bytes / BLOCK {
        block[..8].copy_from_slice(&at.to_le_bytes());
        file.write_all(&block).map_err(failed)?;
    }
    Ok(file.sync_all().map_err(failed)?)
}

fn noise() -> Result<Vec<u8>, Failure> {
    let mut block = Vec::with_capacity(BLOCK as usize);
    while block.len() < BLOCK as usize {
        block.extend(host::random::bytes::<4096>()?);
    }
    Ok(block)
}
