//! A file of noise. Under version 2 write-back is charged to the group that first made a file dirty, so a file is written
//! by whoever it is to belong to.

use crate::exit::{Exit, Failure};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Bytes written at once.
pub const BLOCK: u64 = 1 << 20;

/// Arguments of the hidden verb that `limit` starts in a group.
#[derive(Debug, clap::Args)]
pub struct FillArgs {
    /// Its size, in whole blocks of 1 MiB.
    pub bytes: u64,
}

/// Writes the file that is open on the standard input, and waits until all of it is on the device.
pub fn fill(args: &FillArgs) -> Result<Exit, Failure> {
    let shown = Path::new("the file of a measurement");
    let file = host::Target::given(shown)?.as_fd().try_clone_to_owned();
    let file = file.map_err(|error| host::Error::io("write", shown, error))?;
    write(file, args.bytes, shown)?;
    Ok(Exit::Fine)
}

/// Fills a new file with all of it on the device: noise, no block of which is like another, so that nothing below makes it
/// smaller. The path is for messages.
pub fn write(file: OwnedFd, bytes: u64, path: &Path) -> Result<(), Failure> {
    let failed = |error| host::Error::io("write", path, error);
    let (mut block, mut file) = (noise()?, File::from(file));
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
