//! iodyno, a dynamometer for storage: inventory, load, watch, prove, apply, undo.

mod cli;
mod commands;
mod exit;
mod keep;
mod live;
mod out;
mod provenance;
mod tui;
mod unfinished;

use clap::Parser;
use exit::{Exit, Failure};

fn main() -> std::process::ExitCode {
    host::signals::file_size_limit_is_an_error();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap's own words; help and version are no errors.
            if !error.use_stderr() {
                let _ = error.print();
                return std::process::ExitCode::SUCCESS;
            }
            out::Out::new(false).note(error.render().to_string().trim_end());
            return std::process::ExitCode::from(Exit::Usage as u8);
        }
    };
    let context = commands::Context::new(&cli);
    let exit = commands::dispatch(cli.verb, &context).unwrap_or_else(|failure: Failure| {
        context.out.note(format!("iodyno: {}", failure.message));
        failure.exit
    });
    let exit = match out::lost() {
        Some(why) => {
            context
                .out
                .note(format!("iodyno: the output could not be written: {why}"));
            if exit == Exit::Fine {
                Exit::Failed
            } else {
                exit
            }
        }
        None => exit,
    };
    std::process::ExitCode::from(exit as u8)
}
