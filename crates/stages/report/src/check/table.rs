//! What the storage gives beside what it should give.

use super::super::text::{clean, width, wrap};
use model::check::{Expected, GivenSetting};

/// Below this share of what is promised a figure is worth a word: loads are short, and rates jump.
const SHORT: f64 = 0.9;

/// One line a figure, and one for each thing that says what it should be; with `sources`, also who says so.
pub fn lines(given: &[GivenSetting], expected: &[Expected], sources: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for one in given {
        let (what, value) = (one.what.phrase(), one.what.words(one.value));
        lines.push(
            clean(&format!("  {what:<34}{value:>12}   {}", one.how))
                .trim_end()
                .to_string(),
        );
        let beside = expected.iter().filter(|other| other.what == one.what);
        lines.extend(beside.flat_map(|other| should(one, other, sources)));
    }
    lines
}

fn should(given: &GivenSetting, expected: &Expected, sources: bool) -> Vec<String> {
    let from = if expected.source.is_empty() || !sources {
        String::new()
    } else {
        format!(" ({})", expected.source)
    };
    let text = format!(
        "{}: {}{from}",
        judgement(given.value, expected),
        expected.because
    );
    let lines = wrap(&clean(&text), width() - 6);
    lines
        .into_iter()
        .map(|line| format!("      {line}"))
        .collect()
}

/// How a figure compares with what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Worse than it should be.
    Short,
    /// Better than it can be.
    Beyond,
    /// Neither.
    Fine,
}

/// How this figure compares.
pub fn fit(given: f64, expected: &Expected) -> Fit {
    let (is_less, is_more) = (given < expected.low * SHORT, given * SHORT > expected.high);
    // Of a time, more is worse.
    match (is_less, is_more, expected.what.more_is_better()) {
        (true, _, true) | (_, true, false) => Fit::Short,
        (true, _, false) | (_, true, true) => Fit::Beyond,
        _ => Fit::Fine,
    }
}

fn judgement(given: f64, expected: &Expected) -> String {
    let (what, low, high) = (expected.what, expected.low, expected.high);
    let range = match low == high {
        true => what.words(low),
        false => format!("{} to {}", what.words(low), what.words(high)),
    };
    let word = match (fit(given, expected), what.more_is_better()) {
        (Fit::Short, true) => "less than it should be",
        (Fit::Short, false) => "longer than it should be",
        (Fit::Beyond, _) => "better than it can be",
        (Fit::Fine, _) => "as it should be",
    };
    format!("{word}, {range}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::check::ExpectedWhat;

    fn told(what: ExpectedWhat, value: f64, (low, high): (f64, f64)) -> Vec<String> {
        let given = GivenSetting {
            what,
            value,
            unit: what.unit().into(),
            how: "depth 32".into(),
        };
        let (unit, because) = (what.unit().into(), "as sold".into());
        let expected = Expected {
            what,
            low,
            high,
            unit,
            because,
            source: "the table of 2026".into(),
        };
        lines(&[given], &[expected], true)
    }

    #[test]
    fn a_figure_stands_beside_what_it_should_be() {
        assert_eq!(
            told(ExpectedWhat::RandomReads, 8_100.0, (3_000.0, 3_000.0))[..],
            [
                "  random 4k reads                       8.10 k/s   depth 32",
                "      better than it can be, 3.00 k/s: as sold (the table of 2026)",
            ]
        );
        let word = |what, value, range| told(what, value, range)[1].trim().to_string();
        assert!(
            word(ExpectedWhat::RandomReads, 8_100.0, (1e4, 2e4))
                .starts_with("less than it should be, 10.0 k/s to")
        );
        assert!(
            word(ExpectedWhat::RandomReads, 9_500.0, (1e4, 2e4)).starts_with("as it should be")
        );
        assert!(
            word(ExpectedWhat::ReadLatency, 900.0, (60.0, 120.0))
                .starts_with("longer than it should be, 60.0 µs")
        );
        assert!(
            word(ExpectedWhat::ReadLatency, 10.0, (60.0, 120.0))
                .starts_with("better than it can be")
        );
    }
}
