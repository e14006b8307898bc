//! `iodyno completions SHELL`, made from the same definitions as the parser.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use clap::Command;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// bash, zsh, fish or elvish.
    pub shell: clap_complete::Shell,
}

/// Prints the completions of a command line.
pub fn run(
    args: &CompletionsArgs,
    mut command: Command,
    context: &Context,
) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "iodyno", &mut script);
    context
        .out
        .text(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Fine)
}
