//! `iodyno inspect`: the I/O path below a target, layer by layer; changes nothing.

use super::Context;
use crate::exit::{Exit, Failure};
use pipeline::inventory::{self, InventoryError};
use pipeline::report::path_view::{self, PathOptions};
use pipeline::report::text::Paint;
use std::path::PathBuf;

/// Arguments of `inspect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A directory, a file or a block device; the working directory without it.
    #[arg(default_value = ".")]
    pub target: String,
    /// Every setting, not only those that people change.
    #[arg(long)]
    pub all: bool,
    /// Read a captured machine in place of this one.
    #[arg(long, value_name = "FILE.host")]
    pub root: Option<PathBuf>,
}

/// Prints the tree.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let host = match &args.root {
        Some(file) => host::Host::open(file)?,
        None => context.host.clone(),
    };
    let path = inventory::collect(&host, &args.target).map_err(failure)?;
    let paint = if context.out.has_colour() { Paint::Colour } else { Paint::Plain };
    let text = path_view::text(&path, PathOptions { all: args.all, paint });
    context.out.say(text.trim_end());
    context.out.document(&path)?;
    Ok(Exit::Fine)
}

/// A target that cannot be looked at is the target's failure.
pub fn failure(error: InventoryError) -> Failure {
    Failure::new(Exit::Failed, error.to_string())
}
