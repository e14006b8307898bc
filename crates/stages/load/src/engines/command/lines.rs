//! Which lines of a program tell its rate.

use crate::LoadError;
use model::text::clean;
use regex::{Regex, RegexBuilder};

/// Lines of programs that are known, of versions that were run: the numbers in the groups are added up.
const KNOWN: [&str; 3] = [
    // pgbench 15 -P 1: `progress: 5.0 s, 7031.8 tps, lat 1.137 ms stddev 0.5, 0 failed`
    r"^progress: [0-9.]+ s, ([0-9.]+) tps",
    // sysbench 1.0.20 --report-interval=1, its own scripts: `[ 1s ] thds: 4 tps: 812.36 qps: 16254.2 (r/w/o: …`
    r"^\[ [0-9]+s \] thds: [0-9]+ (?:tps|eps): ([0-9.]+)",
    // sysbench 1.0.20 fileio: `[ 1s ] reads: 9.50 MiB/s writes: 6.33 MiB/s fsyncs: 25.94/s latency (ms,95%): 1.2`
    r"^\[ [0-9]+s \] reads: ([0-9.]+) MiB/s writes: ([0-9.]+) MiB/s",
];

/// A larger one takes more memory than an expression for a line needs, bytes.
const SIZE_MAX: usize = 1 << 20;

/// Finds the rates.
#[derive(Debug)]
pub struct RateLines {
    all: Vec<Regex>,
}

impl RateLines {
    /// By the user's expression, or by those that are known.
    pub fn new(given: Option<&str>) -> Result<RateLines, LoadError> {
        let all = match given {
            Some(text) => vec![compiled(text)?],
            None => KNOWN
                .iter()
                .map(|text| compiled(text))
                .collect::<Result<_, _>>()?,
        };
        Ok(RateLines { all })
    }

    /// The name of the first named group.
    pub fn name(&self) -> Option<String> {
        let [one] = &self.all[..] else { return None };
        one.capture_names().flatten().next().map(str::to_string)
    }

    /// The sum of the numbers in the groups of the first expression that matches; none where a line tells no rate.
    pub fn rate(&self, line: &str) -> Option<f64> {
        let found = self.all.iter().find_map(|regex| regex.captures(line))?;
        let numbers = found.iter().skip(1).flatten();
        let mut sum = None;
        for number in numbers {
            // Thousands may be set apart by commas.
            let number: f64 = number.as_str().replace(',', "").parse().ok()?;
            sum = Some(sum.unwrap_or(0.0) + number);
        }
        sum.filter(|sum: &f64| sum.is_finite() && *sum >= 0.0)
    }
}

fn compiled(text: &str) -> Result<Regex, LoadError> {
    let wrong = |why: String| {
        LoadError::usage(
            format!("--metric-regex {text}"),
            why,
            "Put the number into a group, as in 'rate=([0-9.]+)'",
        )
    };
    let regex = RegexBuilder::new(text).size_limit(SIZE_MAX).build();
    let regex = regex.map_err(|error| wrong(last_line(&error.to_string())))?;
    match regex.captures_len() {
        0 | 1 => Err(wrong("it has no group, so no number is taken".into())),
        _ => Ok(regex),
    }
}

/// What is wrong, without the picture of where that the lines above it draw.
fn last_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or_default();
    clean(last.trim_start_matches("error: ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(line: &str) -> Option<f64> {
        RateLines::new(None).unwrap().rate(line)
    }

    #[test]
    fn lines_of_known_programs_tell_their_rate() {
        let pgbench = "progress: 5.0 s, 7031.8 tps, lat 1.137 ms stddev 0.512, 0 failed";
        assert_eq!(known(pgbench), Some(7031.8));
        let oltp = "[ 3s ] thds: 4 tps: 812.36 qps: 16254.20 (r/w/o: 11378.64/3250.84/1624.72) lat (ms,95%): 6.55";
        assert_eq!(known(oltp), Some(812.36));
        let fileio =
            "[ 1s ] reads: 9.50 MiB/s writes: 6.25 MiB/s fsyncs: 25.94/s latency (ms,95%): 1.208";
        assert_eq!(known(fileio), Some(15.75));
        for other in [
            "",
            "tps = 7031.8 (without initial connection time)",
            "starting vacuum...end.",
        ] {
            assert_eq!(known(other), None, "{other}");
        }
    }

    #[test]
    fn an_expression_of_the_users_takes_and_names_what_it_says() {
        let lines = RateLines::new(Some(r"done: (?<qps>[0-9,.]+) q/s")).unwrap();
        assert_eq!(lines.rate("12:00 done: 39,412.5 q/s"), Some(39_412.5));
        assert_eq!(lines.rate("done: 1.2.3 q/s"), None);
        assert_eq!(lines.name().as_deref(), Some("qps"));
        assert_eq!(RateLines::new(None).unwrap().name(), None);
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_reason() {
        let message = |text| RateLines::new(Some(text)).unwrap_err().to_string();
        assert!(message("rate=[0-9").contains("unclosed character class"));
        assert!(message("rate=[0-9]+").contains("no group"));
        assert!(message(r"(\d{1000}){1000}").contains("size limit"));
    }
}
