//! Which outcomes are beyond chance.
//!
//! A tune is wrong in one of twenty at the most, so a test of it is wrong at times; and on a machine that is busy it may be left
//! undecided. Both are judged over the last runs by the binomial distribution, not by one run.

use super::Runs;
use super::line::{End, Line};
use skip::Outcome;

/// What is wrong so often is right by the promise of a tune, 5 %.
const WRONG_AT_MOST: f64 = 0.05;

/// What is planted is found at least so often, also on a machine that is busy at times.
const WON_AT_LEAST: f64 = 0.5;

/// A series that is less likely than this is no chance.
const CHANCE: f64 = 0.001;

/// So many of the last runs of a test count: what was mended is forgotten.
const LAST: usize = 20;

/// A sentence for each test that is wrong too often, or wins too seldom.
pub fn beyond(runs: &Runs<'_>) -> Vec<String> {
    runs.iter()
        .filter_map(|((_, name), lines)| judged(name, lines))
        .collect()
}

fn judged(name: &str, lines: &[Line<'_>]) -> Option<String> {
    let ends = lines.iter().filter_map(|line| match line.end {
        End::Measured(outcome) => Some(outcome),
        End::Passed | End::Failed => None,
    });
    let last: Vec<Outcome> = ends.rev().take(LAST).collect();
    let count = |wanted| last.iter().filter(|outcome| **outcome == wanted).count();
    let (n, wrong, won) = (last.len(), count(Outcome::Wrong), count(Outcome::Won));
    if at_least(wrong, n, WRONG_AT_MOST) < CHANCE {
        return Some(format!(
            "{name}: {wrong} of the last {n} outcomes are wrong. One in twenty may be; so many come by chance less than once in 1,000 series."
        ));
    }
    // As few wins as these are as likely as so many that did not win.
    if at_least(n - won, n, 1.0 - WON_AT_LEAST) < CHANCE {
        return Some(format!(
            "{name}: {won} of the last {n} outcomes are won. Every second one has to be; so few come by chance less than once in 1,000 series."
        ));
    }
    None
}

/// The probability that of `n` draws of probability `p` at least `k` succeed.
fn at_least(k: usize, n: usize, p: f64) -> f64 {
    let exactly = |k: usize| -> f64 {
        let ways: f64 = (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product();
        ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    (k..=n).map(exactly).sum()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn series(words: &str) -> Vec<String> {
        let lines: String = words
            .split(' ')
            .map(|word| format!("live,d,c,live::tune::a,{word},1.0,figures\n"))
            .collect();
        beyond(&read(&lines).unwrap())
    }

    #[test]
    fn chance_is_that_of_the_binomial_distribution() {
        // R: pbinom(1, 3, 0.05, lower.tail = FALSE), and the same of 7 of 10 at 0.5.
        assert!((at_least(2, 3, 0.05) - 0.007_25).abs() < 1e-9);
        assert!((at_least(7, 10, 0.5) - 0.171_875).abs() < 1e-9);
        assert!((at_least(0, 0, 0.5) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_one_may_be_chance_and_three_are_none() {
        assert_eq!(series("won wrong won wrong"), Vec::<String>::new());
        let found = series("won wrong won wrong wrong");
        assert!(found.is_empty(), "3 of 5: 0.0012: {found:?}");
        let found = series("won wrong wrong wrong");
        assert!(
            found[0].contains("3 of the last 4 outcomes are wrong"),
            "{found:?}"
        );
    }

    #[test]
    fn what_never_wins_is_no_test() {
        let nine = ["undecided"; 9].join(" ");
        assert_eq!(series(&nine), Vec::<String>::new());
        let found = series(&format!("{nine} undecided"));
        assert!(
            found[0].contains("0 of the last 10 outcomes are won"),
            "{found:?}"
        );
        // Runs of long ago do not count, and ends of tests that assert do not either.
        let mended = format!(
            "wrong wrong wrong wrong ok FAILED {}",
            ["won"; 20].join(" ")
        );
        assert_eq!(series(&mended), Vec::<String>::new());
    }
}
