//! iodyno, a dynamometer for storage: inventory, load, watch, prove, apply, undo.

mod captured;
mod cli;
mod commands;
mod confirmation;
mod container;
mod context;
mod dispatch;
mod exit;
mod group_name;
mod in_place;
mod keep;
mod live;
mod named_knob;
mod out;
mod persisting;
mod provenance;
mod tui;
mod unfinished;
mod usage;
mod version;
mod watching;

use clap::Parser;
use exit::{Exit, Failure};

fn main() -> std::process::ExitCode {
    host::signals::file_size_limit_is_an_error();
    if let Some(columns) = host::terminal::columns() {
        report::text::fit(columns);
    }
    let (out, ended) = match cli::Cli::try_parse() {
        Ok(cli) => {
            let context = context::Context::new(cli.json);
            let ended = dispatch::run(cli.verb, &context);
            (context.out, ended)
        }
        // Help and version, which are no failures.
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return std::process::ExitCode::SUCCESS;
        }
        Err(error) => {
            let out = out::Out::new(usage::wants_documents(&host::environment::arguments()));
            out.note(error.render().to_string().trim_end());
            (out, Err(usage::failure(&error)))
        }
    };
    std::process::ExitCode::from(end(out, ended) as u8)
}

/// The one end of every command: its document, and where it failed why, in words on stderr and as a document.
fn end(out: out::Out, ended: Result<Exit, Failure>) -> Exit {
    let failure = ended.as_ref().err();
    if let Some(failure) = failure.filter(|failure| !failure.is_told) {
        out.note(format!("iodyno: {}", failure.message));
    }
    out.end(failure.map(Failure::document).as_ref());
    let exit = ended.unwrap_or_else(|failure| failure.exit);
    match out::lost() {
        Some(why) => {
            out.note(format!("iodyno: the output could not be written: {why}"));
            if exit == Exit::Fine {
                Exit::Failed
            } else {
                exit
            }
        }
        None => exit,
    }
}
