//! The repository's own chores, called as `cargo xtask COMMAND`: the catalogue is generated, the layout is checked.
//!
//! Everything here reads the sources as text. It uses the standard library only, so it builds in seconds and works while
//! the product does not compile, which is when a missing page or module has to be generated.

#![allow(
    clippy::disallowed_methods,
    reason = "xtask works on the repository, not on the machine under test"
)]

mod book;
mod bpf;
mod generate;
mod kept;
mod manifest;
mod markdown;
mod problem;
mod recording;
mod rust_source;
mod svg;
mod text;
mod tidy;
mod tree;

use problem::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask gen [--check] [--with-binary PATH]   write, or compare, the registries and the catalogue pages
       cargo xtask tidy                                 check the layout rules that the compiler cannot
       cargo xtask bpf [--check]                        compile, or compare, the programs that run in the kernel
       cargo xtask skipped [--clear | NEED WHAT WHY]    list, forget, or add to, what the tests skipped
       cargo xtask kept                                 how long parts and tests took, and how often what measures was right
       cargo xtask kept --keep                          move lines of target/kept.csv to bench/kept.csv
       cargo xtask kept --add KIND FILE DATE COMMIT     keep the ends and outcomes of tests; fails where they are beyond chance
       cargo xtask book DIR [REPOSITORY]                the pages as mdBook's source, links to sources leading to REPOSITORY
       cargo xtask svg TITLE                            a captured terminal (tmux capture-pane -e -p) as a picture
       cargo xtask recording TITLE SPEED                captured screens as a picture that moves";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments, &workspace_root()) {
        // Whoever reads the first lines alone closes the pipe: that is no failure.
        Ok(message) => match writeln!(std::io::stdout(), "{message}") {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                eprintln!("stdout: {error}");
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        },
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(arguments: &[String], root: &Path) -> Result<String, Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["gen", options @ ..] => generate::run(root, &generate_options(options)?),
        ["tidy"] => tidy::run(root),
        ["book", directory] => book::run(root, Path::new(directory), None),
        ["book", directory, repository] => book::run(root, Path::new(directory), Some(repository)),
        ["bpf"] => bpf::run(root, false),
        ["svg", title] => svg::picture(&captured()?, title),
        ["recording", title, speed] => recording::picture(&captured()?, title, speed),
        ["skipped", words @ ..] => skipped(words),
        ["kept"] => kept::run(root),
        ["kept", "--keep"] => kept::keep(root),
        ["kept", "--add", kind, said, date, commit] => {
            kept::add(root, Path::new(said), &[*kind, *date, *commit].join(","))
        }
        ["bpf", "--check"] => bpf::run(root, true),
        _ => Err(Failure::Usage(USAGE.into())),
    }
}

/// What a terminal held, from stdin.
fn captured() -> Result<String, Failure> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| Failure::Usage(format!("cannot read the screen from stdin: {error}")))
}

fn skipped(words: &[&str]) -> Result<String, Failure> {
    let unreadable = |error| Failure::io(skip::file().display(), &error);
    match words {
        [] => skip::report().map_err(unreadable),
        ["--clear"] => {
            skip::check().map_err(Failure::Usage)?;
            skip::clear().map_err(unreadable)?;
            Ok("Skips are counted from here on.".into())
        }
        [need, what, why] => {
            skip::note(need, what, why).map_err(Failure::Broken)?;
            Ok(format!("skipped: {what}: {why}"))
        }
        _ => Err(Failure::Usage(USAGE.into())),
    }
}

fn generate_options(words: &[&str]) -> Result<generate::Options, Failure> {
    let mut options = generate::Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, words.as_slice()) {
            ("--check", _) => options.check = true,
            ("--with-binary", [path, ..]) => {
                options.binary = Some(PathBuf::from(path));
                words.next();
            }
            _ => {
                return Err(Failure::Usage(format!(
                    "`{word}` is not understood here\n{USAGE}"
                )));
            }
        }
    }
    Ok(options)
}

/// The folder above this package. The environment comes first: it names the checkout that cargo runs in, also when
/// several checkouts share one target folder and with it one compiled xtask.
fn workspace_root() -> PathBuf {
    let compiled_in = env!("CARGO_MANIFEST_DIR").into();
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or(compiled_in, PathBuf::from);
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Option<(bool, Option<PathBuf>)> {
        generate_options(words)
            .ok()
            .map(|options| (options.check, options.binary))
    }

    #[test]
    fn options_of_gen_are_read_in_any_order() {
        let binary = Some(PathBuf::from("target/debug/iodyno"));
        assert_eq!(options(&[]), Some((false, None)));
        assert_eq!(
            options(&["--with-binary", "target/debug/iodyno", "--check"]),
            Some((true, binary.clone()))
        );
        assert_eq!(
            options(&["--check", "--with-binary", "target/debug/iodyno"]),
            Some((true, binary))
        );
    }

    #[test]
    fn what_is_not_understood_is_a_usage_error() {
        assert_eq!(options(&["--with-binary"]), None);
        assert_eq!(options(&["--fix"]), None);
        let failure = run(&["tidy".into(), "--fix".into()], Path::new(".")).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
    }
}
