//! `cargo xtask kept`: what the runs of the tests on this machine left behind, counted.
//!
//! `tools/parts` appends a line for each part of a run, and for each outcome of a test that measures:
//! `kind,date,commit,name,outcome,seconds`. A test that measures is right or wrong by chance, too: how often is what counts.

use crate::problem::Failure;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Where runs append, and what is worth keeping beyond this checkout.
const FILES: [&str; 2] = ["bench/kept.csv", "target/kept.csv"];

/// So many of the slowest are shown.
const SLOWEST: usize = 20;

/// The 97.5th percentile of the normal distribution, for an interval of 95 %.
const Z: f64 = 1.96;

/// One line of a file of outcomes.
struct Outcome<'a> {
    kind: &'a str,
    name: &'a str,
    is_good: bool,
    seconds: f64,
}

/// What the runs of one test or part came to.
#[derive(Default)]
struct Count {
    runs: u32,
    good: u32,
    seconds: Vec<f64>,
}

/// Counts the outcomes of the files that are there.
///
/// # Errors
/// Where a file cannot be read, or a line is none.
pub fn run(root: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    for file in FILES.map(|file| root.join(file)) {
        match std::fs::read_to_string(&file) {
            Ok(found) => text += &found,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (),
            Err(error) => return Err(Failure::io(file.display(), &error)),
        }
    }
    report(&text).map_err(Failure::Broken)
}

fn report(text: &str) -> Result<String, String> {
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let outcome =
            outcome(line).ok_or_else(|| format!("line {}: no outcome: {line}", at + 1))?;
        let count = counts.entry((outcome.kind, outcome.name)).or_default();
        count.runs += 1;
        count.good += u32::from(outcome.is_good);
        count.seconds.push(outcome.seconds);
    }
    if counts.is_empty() {
        return Ok(
            "Nothing is kept yet: make test and make test-live append to target/kept.csv.".into(),
        );
    }
    let mut shown = String::from("   good of runs, 95 % interval      median s  what\n");
    // Those that were wrong at times come first, the slow ones before the quick.
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by(|(_, a), (_, b)| {
        let is_always_good = |count: &Count| count.good == count.runs;
        is_always_good(a)
            .cmp(&is_always_good(b))
            .then(median(&b.seconds).total_cmp(&median(&a.seconds)))
    });
    let is_shown = |at: usize, count: &Count, kind: &str| {
        at < SLOWEST || count.good < count.runs || kind == "part"
    };
    for (at, ((kind, name), count)) in all.iter().enumerate() {
        if is_shown(at, count, kind) {
            shown += &row(kind, name, count);
        }
    }
    Ok(shown.trim_end().to_string())
}

fn outcome(line: &str) -> Option<Outcome<'_>> {
    let fields: Vec<&str> = line.split(',').collect();
    // A part's name may hold a comma, the fields around it do not.
    let [kind, _date, _commit, .., outcome, seconds] = fields[..] else {
        return None;
    };
    let before: usize = fields[..3].iter().map(|field| field.len() + 1).sum();
    let after = outcome.len() + seconds.len() + 2;
    Some(Outcome {
        kind,
        name: line.get(before..line.len().checked_sub(after)?)?,
        is_good: matches!(outcome, "0" | "ok"),
        seconds: seconds.parse().ok()?,
    })
}

fn row(kind: &str, name: &str, count: &Count) -> String {
    let (low, high) = wilson(count.good, count.runs);
    let mut row = String::new();
    let _ = writeln!(
        row,
        "{:>7} of {:<4}  {:>3.0} to {:>3.0} %  {:>14.1}  {kind} {name}",
        count.good,
        count.runs,
        low * 100.0,
        high * 100.0,
        median(&count.seconds)
    );
    row
}

fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Wilson's interval of a share, 95 %.
fn wilson(good: u32, runs: u32) -> (f64, f64) {
    let (n, share) = (f64::from(runs), f64::from(good) / f64::from(runs));
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    ((middle - reach) / whole, (middle + reach) / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted_and_what_failed_comes_first() {
        let text = "live,2026-01-01T00:00:00Z,abc,live::tune::a,ok,30.0\n\
                    live,2026-01-02T00:00:00Z,abd,live::tune::a,ok,50.0\n\
                    live,2026-01-02T00:00:00Z,abd,live::tune::b,FAILED,2.0\n\
                    part,2026-01-02T00:00:00Z,abd,compiling, with lints,0,600\n";
        let shown = report(text).unwrap();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].ends_with("live live::tune::b"), "{shown}");
        assert!(lines[2].ends_with("part compiling, with lints"), "{shown}");
        assert!(
            lines[3].contains("2 of 2") && lines[3].contains("50.0"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_no_outcome_is_named_with_its_line() {
        let error = report("part,x,y,z,0,1\nnonsense\n").unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(report("").unwrap().contains("Nothing is kept"));
    }

    #[test]
    fn an_interval_of_a_share_is_wilsons() {
        // 9 of 10, by the formula in Wilson 1927: 0.596 to 0.982.
        let (low, high) = wilson(9, 10);
        assert!(
            (low - 0.596).abs() < 0.001 && (high - 0.982).abs() < 0.001,
            "{low} {high}"
        );
    }
}
