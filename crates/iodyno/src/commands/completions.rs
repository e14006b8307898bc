//! `iodyno completions SHELL` and the manual page, made from the same definitions as the parser.

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

/// Prints the manual page: one page for all verbs, each with its options.
pub fn manual(command: &Command, context: &Context) -> Result<Exit, Failure> {
    let page = manual_page(command).map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("cannot print the manual page: {error}"),
        )
    })?;
    context.out.text(page.trim_end());
    Ok(Exit::Fine)
}

fn manual_page(command: &Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    let whole = clap_mangen::Man::new(command.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    let mut text = String::from_utf8_lossy(&page).into_owned();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let mut section = Vec::new();
        let man =
            clap_mangen::Man::new(verb.clone().bin_name(format!("iodyno {}", verb.get_name())));
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        text.push_str(&format!(
            ".SH \"IODYNO {}\"\n{section}",
            verb.get_name().to_uppercase()
        ));
    }
    Ok(text)
}
