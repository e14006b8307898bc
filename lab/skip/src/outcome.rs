//! What a test that measures found: won, undecided or wrong, with its figures, as a line of `target/outcomes.txt`.
//!
//! A statistic is right or wrong by chance. So a test that measures does not assert it: it notes what it found, and `cargo xtask
//! kept` counts the outcomes over all runs and says where they are beyond chance. What holds for every outcome (a setting is
//! back, an exit code, whose data was touched) is asserted as anywhere.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// What was found, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// What is true was found.
    Won,
    /// Nothing was found, and it was said so.
    Undecided,
    /// Something was found that is not true.
    Wrong,
}

impl Outcome {
    /// Every outcome with its word in the files.
    pub const ALL: [(Outcome, &str); 3] = [
        (Outcome::Won, "won"),
        (Outcome::Undecided, "undecided"),
        (Outcome::Wrong, "wrong"),
    ];

    /// The word in the files.
    #[must_use]
    pub fn word(self) -> &'static str {
        Outcome::ALL[self as usize].1
    }

    /// The outcome that a word names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Outcome> {
        let found = Outcome::ALL.iter().find(|(_, own)| *own == word);
        found.map(|(outcome, _)| *outcome)
    }

    /// Won where the figures show what is true, and undecided where they do not.
    #[must_use]
    pub fn won_if(is_shown: bool) -> Outcome {
        if is_shown {
            Outcome::Won
        } else {
            Outcome::Undecided
        }
    }

    /// Won where the figures agree with what is true, and wrong where they do not.
    #[must_use]
    pub fn right_if(is_true: bool) -> Outcome {
        if is_true {
            Outcome::Won
        } else {
            Outcome::Wrong
        }
    }
}

/// Notes what the running test found. A test may note several outcomes: each counts.
///
/// # Panics
/// When it cannot be written.
#[track_caller]
#[expect(
    clippy::print_stdout,
    reason = "whoever runs one test with --nocapture wants to read it"
)]
pub fn measured(outcome: Outcome, figures: impl Display) {
    let line = format!(
        "{}\t{}\t{}\n",
        crate::running_test(),
        outcome.word(),
        without_checkout(&crate::one_line(&figures.to_string()))
    );
    print!("{line}");
    if let Err(error) = crate::append(&file(), &line) {
        panic!("{}: {error}; {line}", file().display());
    }
}

/// Figures that are kept say nothing of where the checkout stands.
fn without_checkout(figures: &str) -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    match checkout.and_then(Path::to_str) {
        Some(checkout) => figures.replace(checkout, "."),
        None => figures.into(),
    }
}

/// Where outcomes are noted, in this checkout.
#[must_use]
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/outcomes.txt")
}

#[cfg(test)]
mod tests {
    use super::{Outcome, without_checkout};

    #[test]
    fn a_word_stands_for_its_outcome() {
        for (outcome, word) in Outcome::ALL {
            assert_eq!(
                (outcome.word(), Outcome::parse(word)),
                (word, Some(outcome))
            );
        }
        assert_eq!(Outcome::parse("ok"), None);
        assert!(Outcome::Won < Outcome::Undecided && Outcome::Undecided < Outcome::Wrong);
    }

    #[test]
    fn a_path_in_the_checkout_begins_with_a_dot() {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/src is 12 % full");
        assert_eq!(without_checkout(here), "./lab/skip/src is 12 % full");
    }
}
