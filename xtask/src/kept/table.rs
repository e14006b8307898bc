//! The table of all parts and tests: how often each ended well, and how long it took.

use super::Runs;
use super::line::{End, Line};
use skip::Outcome;
use std::fmt::Write;

/// So many of the slowest are shown.
const SLOWEST: usize = 20;

/// After so many good runs in a row, the first that is not tells something new.
const STEADY: usize = 3;

/// The 97.5th percentile of the normal distribution, for an interval of 95 %.
const Z: f64 = 1.96;

/// One row for each part, for each test that was not always good, and for the slowest of the others.
pub fn table(runs: &Runs<'_>) -> String {
    if runs.is_empty() {
        return "Nothing is kept yet: make test and make test-live append to target/kept.csv."
            .into();
    }
    let mut text = String::from("  good  undecided  wrong  failed   good, 95 %   median s  what\n");
    // Those that were not always good come first, the slow ones before the quick.
    let mut all: Vec<_> = runs.iter().collect();
    all.sort_by(|(_, a), (_, b)| {
        is_always_good(a)
            .cmp(&is_always_good(b))
            .then(median_s(b).total_cmp(&median_s(a)))
    });
    for (at, ((kind, name), lines)) in all.iter().enumerate() {
        if at < SLOWEST || !is_always_good(lines) || *kind == "part" {
            text += &row(kind, name, lines);
        }
    }
    text.trim_end().to_string()
}

fn is_always_good(lines: &[Line<'_>]) -> bool {
    lines.iter().all(|line| line.end.is_good())
}

fn row(kind: &str, name: &str, lines: &[Line<'_>]) -> String {
    let count = |is: &dyn Fn(End) -> bool| lines.iter().filter(|line| is(line.end)).count();
    let good = count(&End::is_good);
    let (low, high) = wilson(good, lines.len());
    let mut row = String::new();
    let _ = write!(
        row,
        "{good:>6} {:>10} {:>6} {:>7}  {:>3.0} to {:>3.0} %  {:>9.1}  {kind} {name}",
        count(&|end| end == End::Measured(Outcome::Undecided)),
        count(&|end| end == End::Measured(Outcome::Wrong)),
        count(&|end| end == End::Failed),
        low * 100.0,
        high * 100.0,
        median_s(lines)
    );
    if became_flaky(lines) {
        row += "  (was steady)";
    }
    row + "\n"
}

/// Whether it was good several times in a row, and then not.
fn became_flaky(lines: &[Line<'_>]) -> bool {
    let first_miss = lines.iter().position(|line| !line.end.is_good());
    first_miss.is_some_and(|at| at >= STEADY)
}

fn median_s(lines: &[Line<'_>]) -> f64 {
    let mut sorted: Vec<f64> = lines.iter().map(|line| line.seconds).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Wilson's interval of a share, 95 %.
fn wilson(good: usize, runs: usize) -> (f64, f64) {
    let n = runs as f64;
    let share = good as f64 / n;
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    ((middle - reach) / whole, (middle + reach) / whole)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn outcomes_are_counted_and_what_was_not_always_good_comes_first() {
        let text = "live,2026-01-01T00:00:00Z,abc,live::tune::a,won,30.0,+5 %\n\
                    live,2026-01-02T00:00:00Z,abd,live::tune::a,won,50.0,+6 %\n\
                    live,2026-01-02T00:00:00Z,abd,live::tune::b,wrong,2.0,-1 %\n\
                    part,2026-01-02T00:00:00Z,abd,compiling with lints,0,600\n";
        let shown = table(&read(text).unwrap());
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].ends_with("live live::tune::b"), "{shown}");
        assert!(
            lines[1].starts_with("     0          0      1       0"),
            "{shown}"
        );
        assert!(lines[2].ends_with("part compiling with lints"), "{shown}");
        assert!(
            lines[3].starts_with("     2") && lines[3].contains("50.0"),
            "{shown}"
        );
        assert!(table(&Runs::new()).contains("Nothing is kept"));
    }

    #[test]
    fn what_was_good_for_long_and_then_not_is_marked() {
        let run = |ends: &[&str]| -> String {
            let line = |end: &&str| format!("live,d,c,live::tune::a,{end},1.0\n");
            ends.iter().map(line).collect()
        };
        let is_marked = |text: &str| table(&read(text).unwrap()).contains("(was steady)");
        assert!(is_marked(&run(&["won", "ok", "won", "undecided"])));
        assert!(!is_marked(&run(&["won", "undecided", "won", "won"])));
        assert!(!is_marked(&run(&["won", "won", "won"])));
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
