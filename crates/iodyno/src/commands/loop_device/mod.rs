//! `iodyno loop`: loop devices over files that are really written, made, listed and removed.

mod create;
mod document;
mod file_system;
mod list;
mod plan;
mod remove;
mod shell;
mod unit;

use crate::context::Context;
use crate::exit::{Exit, Failure};

/// Arguments of `loop`.
#[derive(Debug, clap::Args)]
pub struct LoopArgs {
    #[command(subcommand)]
    verb: LoopVerb,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
enum LoopVerb {
    /// Write a file in full, set a loop device up over it, make a file system on it and mount it.
    Create(create::CreateArgs),
    /// Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing.
    List,
    /// Take a loop device away that iodyno made: its mount, device, unit and file.
    Remove(remove::RemoveArgs),
}

/// Does it.
pub fn run(args: &LoopArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.verb {
        LoopVerb::Create(args) => create::run(args, context),
        LoopVerb::List => list::run(context),
        LoopVerb::Remove(args) => remove::run(args, context),
    }
}
