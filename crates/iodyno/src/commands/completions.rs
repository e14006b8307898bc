//! `iodyno completions SHELL` and the manual page, made from the same definitions as the parser.

use super::Context;
use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use clap::CommandFactory;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// bash, zsh, fish or elvish.
    pub shell: clap_complete::Shell,
}

/// Prints the completions.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "iodyno", &mut script);
    context.out.say(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Fine)
}

/// Prints the manual page.
pub fn manual(context: &Context) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot print the manual page: {error}")))?;
    context.out.say(String::from_utf8_lossy(&page).trim_end());
    Ok(Exit::Fine)
}
