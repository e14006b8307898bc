//! A command line that makes no sense: what clap says of it, as a failure like any other.

use crate::exit::{Exit, Failure};
use clap::error::{ContextKind, ContextValue};
use model::failure::Parts;

/// Whether words that cannot be understood ask for documents all the same. Behind `--` every word is fio's.
pub fn wants_documents(words: &[String]) -> bool {
    words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json" || word == "--stream")
}

/// What is wrong with the command line. clap's own words are printed as they are; its first paragraph says what is wrong,
/// the others what to do.
pub fn failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let text = text.trim();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let hint = text.split_once("\n\n").map(|(_, hint)| hint.to_string());
    let named = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let parts = Parts {
        on: named
            .into_iter()
            .find_map(|kind| error.get(kind))
            .map(ContextValue::to_string),
        why: error.kind().as_str().map(str::to_string),
        hint,
    };
    Failure::with(Exit::Usage, text, parts).told()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn of(words: &[&str]) -> Failure {
        failure(&Cli::try_parse_from([&["iodyno"], words].concat()).unwrap_err())
    }

    #[test]
    fn the_option_and_what_to_do_stand_apart() {
        let document = of(&["inspect", "--al"]).document();
        assert_eq!(document.error, "unexpected argument '--al' found");
        assert_eq!(
            (document.on.as_deref(), document.exit),
            (Some("--al"), Some(2))
        );
        assert!(document.hint.unwrap().contains("--all"));
        let document = of(&["frobnicate"]).document();
        assert_eq!(document.on.as_deref(), Some("frobnicate"));
        assert!(document.why.is_some());
    }

    #[test]
    fn words_of_a_job_ask_for_nothing() {
        let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
        assert!(wants_documents(&words("iodyno inspect --al --json")));
        assert!(wants_documents(&words("iodyno run . --stream")));
        assert!(!wants_documents(&words("iodyno run . -- --json")));
    }
}
