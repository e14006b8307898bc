//! How each test ended, as its program says, joined with what it noted.

use super::Runs;
use super::line::End;
use skip::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The lines, each begun by `head`, of tests whose end is among the words of test programs: one for each outcome of a test that
/// passed and noted some, one for each other test.
pub fn lines(words: &str, noted: &str, head: &str) -> String {
    let noted = outcomes(noted);
    let mut lines = String::new();
    for (name, end, seconds) in ends(words) {
        let begin = format!("{head},{name}");
        match noted.get(name) {
            Some(outcomes) if end == "ok" => {
                for (outcome, figures) in outcomes {
                    let word = outcome.word();
                    let _ = writeln!(lines, "{begin},{word},{seconds},{figures}");
                }
            }
            _ => {
                let _ = writeln!(lines, "{begin},{end},{seconds}");
            }
        }
    }
    lines
}

/// The test, end and seconds of each `test NAME ... ok <1.234s>`. What a child of a test printed may stand in the middle.
fn ends(words: &str) -> Vec<(&str, &str, &str)> {
    let (mut ends, mut begun) = (Vec::new(), None);
    for line in words.lines() {
        let rest = match line
            .strip_prefix("test ")
            .and_then(|rest| rest.split_once(" ... "))
        {
            Some((name, rest)) => {
                begun = Some(name);
                rest
            }
            None => line,
        };
        if let (Some(name), Some((end, seconds))) = (begun, ended(rest)) {
            ends.push((name, end, seconds));
            begun = None;
        }
    }
    ends
}

/// The end and seconds of `ok <1.234s>`.
fn ended(text: &str) -> Option<(&str, &str)> {
    let (end, seconds) = text.rsplit_once(" <")?;
    let end = ["ok", "FAILED"]
        .into_iter()
        .find(|word| end.ends_with(word))?;
    Some((end, seconds.strip_suffix("s>")?))
}

/// The outcomes of each test that noted some, with their figures.
fn outcomes(noted: &str) -> BTreeMap<&str, Vec<(Outcome, &str)>> {
    let mut tests: BTreeMap<&str, Vec<(Outcome, &str)>> = BTreeMap::new();
    for line in noted.lines() {
        let mut fields = line.splitn(3, '\t');
        let mut next = || fields.next().unwrap_or_default();
        let (test, outcome, figures) = (next(), Outcome::parse(next()), next());
        if let Some(outcome) = outcome {
            tests.entry(test).or_default().push((outcome, figures));
        }
    }
    tests
}

/// How many won, and which did not, with their figures.
pub fn summary(runs: &Runs<'_>) -> String {
    let all = || runs.values().flatten();
    let count = |wanted: End| all().filter(|line| line.end == wanted).count();
    let [won, undecided, wrong] = Outcome::ALL.map(|(outcome, _)| End::Measured(outcome));
    let mut text = format!(
        "Measured: {} won, {} undecided, {} wrong. Of those that assert {} passed, {} failed.",
        count(won),
        count(undecided),
        count(wrong),
        count(End::Passed),
        count(End::Failed)
    );
    for (end, word) in [(undecided, "undecided"), (wrong, "wrong")] {
        for line in all().filter(|line| line.end == end) {
            let _ = write!(text, "\n  {word}: {}: {}", line.name, line.figures);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    const WORDS: &str = "running 5 tests\n\
        test live::tune::a ... ok <12.500s>\n\
        test live::tune::b ... ignored, live\n\
        test live::tune::c ... FAILED <3.000s>\n\
        test live::tune::d ... ok <1.000s>\n\
        test live::tune::e ... mke2fs\nDone.\nok <2.000s>\n\
        test result: FAILED. 3 passed\n";

    const NOTED: &str = "live::tune::a\twon\t+5.0 %\nlive::tune::a\tundecided\tp99, too noisy\n\
        live::tune::c\twon\t+1 %\nlive::tune::e\twon\t\n";

    #[test]
    fn every_outcome_is_a_line_and_a_test_that_failed_is_one() {
        let lines = lines(WORDS, NOTED, "live,2026-01-01T00:00:00Z,abc");
        let wanted = [
            "live::tune::a,won,12.500,+5.0 %",
            "live::tune::a,undecided,12.500,p99, too noisy",
            "live::tune::c,FAILED,3.000",
            "live::tune::d,ok,1.000",
            "live::tune::e,won,2.000,",
        ];
        let wanted = wanted.map(|line| format!("live,2026-01-01T00:00:00Z,abc,{line}\n"));
        assert_eq!(lines, wanted.concat());
        assert_eq!(
            summary(&read(&lines).unwrap()),
            "Measured: 2 won, 1 undecided, 0 wrong. Of those that assert 1 passed, 1 failed.\n  \
             undecided: live::tune::a: p99, too noisy"
        );
    }
}
