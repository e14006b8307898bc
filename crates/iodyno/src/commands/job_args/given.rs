//! The words of a load as they were typed, for commands that iodyno writes down.

use super::JobArgs;
use crate::cli::Cli;
use crate::exit::Failure;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches};

/// The options of this process's command line that are about the load; what is in fio's words comes last, after `--`.
pub fn words() -> Result<Vec<String>, Failure> {
    words_of(&Cli::command().get_matches_from(host::environment::arguments()))
}

/// The same of what a command line was taken for.
pub fn words_of(matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    let Some((_, verb)) = matches.subcommand() else {
        return Ok(Vec::new());
    };
    let options = JobArgs::augment_args(clap::Command::new("load"));
    let is_given = |id: &str| verb.value_source(id) == Some(ValueSource::CommandLine);
    let given = options
        .get_arguments()
        .filter(|option| is_given(option.get_id().as_str()));
    let (mut words, mut behind) = (Vec::new(), Vec::new());
    for option in given {
        let values = raw(verb, option.get_id().as_str())?;
        match option.get_long() {
            Some(long) if !option.get_action().takes_values() => words.push(format!("--{long}")),
            Some(long) => words.extend(values.iter().map(|value| format!("--{long}={value}"))),
            None => behind = values,
        }
    }
    if !behind.is_empty() {
        words.push("--".into());
        words.extend(behind);
    }
    Ok(words)
}

fn raw(matches: &ArgMatches, id: &str) -> Result<Vec<String>, Failure> {
    let values = matches.get_raw(id).into_iter().flatten();
    let words = values.map(|value| value.to_str().map(String::from));
    let whole: Option<Vec<String>> = words.collect();
    whole.ok_or_else(|| {
        Failure::usage("a command that iodyno writes down is text, and an option is no UTF-8.")
    })
}

impl JobArgs {
    /// The load of such words.
    pub fn of_words(words: &[String]) -> Result<JobArgs, Failure> {
        let command = JobArgs::augment_args(clap::Command::new("load").no_binary_name(true));
        command
            .try_get_matches_from(words)
            .and_then(|matches| JobArgs::from_arg_matches(&matches))
            .map_err(|error| Failure::usage(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_told_as_it_was_typed_and_nothing_else() {
        let typed =
            "iodyno diff a.host b.host --all --max-size 1g --destroy-data -- fio -rw=read -bs=128k";
        let matches = Cli::command().get_matches_from(typed.split(' '));
        assert_eq!(
            words_of(&matches).unwrap(),
            [
                "--max-size=1g",
                "--destroy-data",
                "--",
                "fio",
                "-rw=read",
                "-bs=128k"
            ]
        );
        let typed = "iodyno diff a.host --direct 0 --rw read --cpus-allowed 0,2";
        let matches = Cli::command().get_matches_from(typed.split(' '));
        let words = words_of(&matches).unwrap();
        assert!(words.contains(&"--direct=0".to_string()), "{words:?}");
        let job = JobArgs::of_words(&words).unwrap().single(1000, 1).unwrap();
        assert!(!job.direct && job.cpus_allowed == [0, 2], "{job:?}");
    }
}
