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

/// What known programs say at their end, of one run: the last number that each expression finds, added up.
const SUMMARIES: [&str; 4] = [
    // pgbench 15: `tps = 7031.823 (without initial connection time)`
    r"^tps = ([0-9.]+)",
    // sysbench 1.0.20, its own scripts: `    transactions:                        8123   (812.19 per sec.)`
    r"^ *transactions: +[0-9]+ +\(([0-9.]+) per sec\.\)",
    // sysbench 1.0.20 fileio: `    reads/s:                      4154.80`
    r"^ *reads/s: +([0-9.]+)",
    r"^ *writes/s: +([0-9.]+)",
];

/// A larger one takes more memory than an expression for a line needs, bytes.
const SIZE_MAX: usize = 1 << 20;

/// Finds the rates.
#[derive(Debug)]
pub struct RateLines {
    all: Vec<Regex>,
    /// What each expression found last.
    last: Vec<Option<f64>>,
}

impl RateLines {
    /// By the user's expression, or by those that are known.
    pub fn new(given: Option<&str>) -> Result<RateLines, LoadError> {
        RateLines::of(given, &KNOWN)
    }

    /// The same for what a program says of a whole run at its end.
    pub fn of_runs(given: Option<&str>) -> Result<RateLines, LoadError> {
        RateLines::of(given, &SUMMARIES)
    }

    fn of(given: Option<&str>, known: &[&str]) -> Result<RateLines, LoadError> {
        let texts = given.as_ref().map_or(known, std::slice::from_ref);
        let all: Vec<Regex> = texts
            .iter()
            .map(|text| compiled(text))
            .collect::<Result<_, _>>()?;
        let last = vec![None; all.len()];
        Ok(RateLines { all, last })
    }

    /// Takes a line of a run in.
    pub fn take(&mut self, line: &str) {
        for (regex, last) in self.all.iter().zip(&mut self.last) {
            *last = rate_in(regex, line).or(*last);
        }
    }

    /// What the run came to, by the lines taken in; none where they told nothing.
    pub fn result(&self) -> Option<f64> {
        self.last.iter().copied().flatten().reduce(|a, b| a + b)
    }

    /// The name of the first named group.
    pub fn name(&self) -> Option<String> {
        let [one] = &self.all[..] else { return None };
        one.capture_names().flatten().next().map(str::to_string)
    }

    /// The sum of the numbers in the groups of the first expression that matches; none where a line tells no rate.
    pub fn rate(&self, line: &str) -> Option<f64> {
        let regex = self.all.iter().find(|regex| regex.is_match(line))?;
        rate_in(regex, line)
    }
}

fn rate_in(regex: &Regex, line: &str) -> Option<f64> {
    let found = regex.captures(line)?;
    let mut sum = None;
    for number in found.iter().skip(1).flatten() {
        // Thousands may be set apart by commas.
        let number: f64 = number.as_str().replace(',', "").parse().ok()?;
        sum = Some(sum.unwrap_or(0.0) + number);
    }
    sum.filter(|sum: &f64| sum.is_finite() && *sum >= 0.0)
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
    fn a_run_comes_to_what_it_said_last() {
        let of = |given, lines: &str| {
            let mut all = RateLines::of_runs(given).unwrap();
            lines.lines().for_each(|line| all.take(line));
            all.result()
        };
        let fileio = "File operations:\n    reads/s:                      4154.80\n    writes/s:                     \
                      100.20\n    fsyncs/s:                     88.1\n";
        assert_eq!(of(None, fileio), Some(4255.0));
        let oltp = "    transactions:                        8123   (812.19 per sec.)\n    queries: 5 (16 per sec.)";
        assert_eq!(of(None, oltp), Some(812.19));
        let pgbench = "progress: 1.0 s, 5.0 tps\ntps = 70.5 (including connections)\ntps = 71.5 (excluding)\n";
        assert_eq!(of(None, pgbench), Some(71.5));
        assert_eq!(
            of(Some("took ([0-9.]+) s"), "took 3 s\ntook 2.5 s\n"),
            Some(2.5)
        );
        assert_eq!(of(None, "nothing"), None);
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_reason() {
        let message = |text| RateLines::new(Some(text)).unwrap_err().to_string();
        assert!(message("rate=[0-9").contains("unclosed character class"));
        assert!(message("rate=[0-9]+").contains("no group"));
        assert!(message(r"(\d{1000}){1000}").contains("size limit"));
    }
}
