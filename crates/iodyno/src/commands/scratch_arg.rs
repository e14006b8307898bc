//! `--keep-free`: what scratch leaves to others.

use model::units::parse_bytes;

/// How much of a file system scratch may take.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ScratchArg {
    /// Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub keep_free: Option<u64>,
}

impl ScratchArg {
    /// From now on scratch of this process leaves so much.
    pub fn put_in_place(&self) {
        if let Some(bytes) = self.keep_free {
            host::scratch::keep_free(bytes);
        }
    }
}
