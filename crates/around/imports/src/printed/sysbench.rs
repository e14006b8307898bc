//! What every test of sysbench prints alike: version, threads, time, events, latency, and the lines of an interval.

use super::number::number;
use super::{clean, commands};
use crate::pieces::Pieces;
use crate::{Piece, Text};
use model::imported::{Imported, LatencyFigures};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines between two of one run that say nothing; after more of them the run is over.
const GAP_MAX: usize = 400;
/// So few lines between two of one run are its own too: `Threads started!`.
const OWN_GAP_MAX: usize = 20;

/// A run of one test while it is read.
pub trait SysbenchTest: Default {
    /// Takes a line; false where it says nothing.
    fn line(&mut self, line: &str) -> bool;

    /// Whether a line is of another run, though sysbench's first line is not above it.
    fn is_over_at(&self, _line: &str) -> bool {
        false
    }

    /// The result, with the words of the command line above; none where nothing of this test is in it.
    fn finish(self, command: Option<&[&str]>) -> Option<Imported>;
}

/// A run and the lines it was read from.
struct OpenRun<T> {
    lines: Vec<Range<usize>>,
    test: T,
}

/// The results of one test in a text.
pub fn find<T: SysbenchTest>(text: &Text, pieces: &mut Pieces) {
    let mut open: Option<OpenRun<T>> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if line.is_empty() {
            continue;
        }
        if open.as_ref().is_some_and(|run| run.is_over_at(index, line)) {
            pieces.extend(open.take().and_then(|run| run.finish(text)));
        }
        match &mut open {
            Some(run) => {
                if run.test.line(line) {
                    run.take(index);
                }
            }
            None => {
                let mut test = T::default();
                open = test.line(line).then(|| OpenRun {
                    lines: std::iter::once(index..index + 1).collect(),
                    test,
                });
            }
        }
    }
    pieces.extend(open.and_then(|run| run.finish(text)));
}

impl<T: SysbenchTest> OpenRun<T> {
    fn end(&self) -> usize {
        self.lines.last().map_or(0, |range| range.end)
    }

    fn is_over_at(&self, index: usize, line: &str) -> bool {
        is_begin(line) || index - self.end() > GAP_MAX || self.test.is_over_at(line)
    }

    fn take(&mut self, index: usize) {
        match self.lines.last_mut() {
            Some(range) if index - range.end <= OWN_GAP_MAX => range.end = index + 1,
            _ => self.lines.push(index..index + 1),
        }
    }

    fn finish(self, text: &Text) -> Option<Piece> {
        let from = self.lines.first()?.start;
        let above = commands::above(text, from, "sysbench");
        let words = above.as_ref().map(|(words, _)| words.as_slice());
        let mut imported = self.test.finish(words)?;
        let command = words.map(without_passwords);
        imported
            .facts
            .extend(command.map(|words| ("command".into(), words)));
        let mut lines = self.lines;
        if let Some((_, at)) = above {
            lines.insert(0, at..at + 1);
        }
        Some(Piece {
            lines,
            imported,
            unread: Vec::new(),
        })
    }
}

/// The first line of a run.
pub fn is_begin(line: &str) -> bool {
    line.starts_with("sysbench 0.") || line.starts_with("sysbench 1.")
}

/// A command line as it is kept: `--mysql-password=secret` is nobody's business.
fn without_passwords(words: &[&str]) -> String {
    let shown = |word: &&str| match word.split_once("password=") {
        Some((before, _)) => format!("{before}password=…"),
        None => (*word).to_string(),
    };
    words.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// What every test tells.
#[derive(Debug, Default)]
pub struct SysbenchSums {
    tool: String,
    threads: Option<String>,
    /// How long it ran, ms.
    pub elapsed_ms: Option<f64>,
    /// What the test calls an event: a request, a transaction.
    pub events: Option<u64>,
    latency: LatencyFigures,
}

impl SysbenchSums {
    /// Takes a line; false where it says nothing of what every test tells.
    pub fn line(&mut self, line: &str) -> bool {
        if is_begin(line) {
            let version = line.split_whitespace().nth(1).unwrap_or_default();
            self.tool = format!("sysbench {}", version.trim_end_matches(':'));
            return true;
        }
        line.split_once(':').is_some_and(|(name, rest)| {
            self.labelled(name.trim(), rest) || self.latency(name, rest)
        })
    }

    fn labelled(&mut self, name: &str, rest: &str) -> bool {
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (name, words.as_slice()) {
            ("Number of threads", [threads]) => {
                self.threads = Some((*threads).into());
                true
            }
            ("total time" | "time elapsed", [time]) => {
                let seconds = time.strip_suffix('s').and_then(number);
                self.elapsed_ms = seconds.map(|seconds| seconds * 1e3).or(self.elapsed_ms);
                seconds.is_some()
            }
            ("total number of events", [events]) => {
                let events = count(events);
                self.events = events.or(self.events);
                events.is_some()
            }
            (name, []) => HEADINGS.contains(&name),
            ("total time taken by event execution" | "events/s (eps)", [value]) => {
                number(value.trim_end_matches('s')).is_some()
            }
            ("events (avg/stddev)" | "execution time (avg/stddev)", [value]) => value.contains('/'),
            _ => false,
        }
    }

    /// `min:`, `avg:`, `max:`, `95th percentile:`, `approx.  95 percentile:`; 0.4 and 0.5 have `ms` behind the number.
    fn latency(&mut self, name: &str, rest: &str) -> bool {
        let value = rest.trim();
        let Some(ms) = number(value.strip_suffix("ms").unwrap_or(value)) else {
            return false;
        };
        let ns = Some(ms * 1e6);
        match name.trim() {
            "min" => self.latency.min_ns = ns,
            "avg" => self.latency.mean_ns = ns,
            "max" => self.latency.max_ns = ns,
            "sum" => {}
            name => {
                let Some(per_cent) = name.strip_suffix("percentile") else {
                    return false;
                };
                let per_cent = per_cent
                    .trim()
                    .trim_start_matches("approx.")
                    .trim()
                    .trim_end_matches("th");
                let Some(per_cent) = number(per_cent) else {
                    return false;
                };
                self.latency.percentiles = vec![(per_cent, ms * 1e6)];
            }
        }
        true
    }

    /// `sysbench 1.0.20`; without the version where the first line is not there.
    pub fn tool(&self) -> String {
        match self.tool.is_empty() {
            true => "sysbench".into(),
            false => self.tool.clone(),
        }
    }

    /// How long an event took; none where that is not told.
    pub fn event_latency(&self) -> Option<LatencyFigures> {
        let is_told = self.latency != LatencyFigures::default();
        is_told.then(|| LatencyFigures {
            kind: "lat".into(),
            count: self.events,
            ..self.latency.clone()
        })
    }

    /// What it tells of the job.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let threads = self.threads.iter().cloned();
        threads.map(|count| ("numjobs".into(), count)).collect()
    }
}

/// Lines that are followed by figures.
const HEADINGS: [&str; 7] = [
    "Throughput",
    "General statistics",
    "Test execution summary",
    "per-request statistics",
    "response time",
    "Latency (ms)",
    "Threads fairness",
];

/// A whole number that is not negative.
pub fn count(word: &str) -> Option<u64> {
    let value = number(word).filter(|value| *value >= 0.0)?;
    Some(value as u64)
}

/// A line of `--report-interval`: ms since the start, and the words after it: `[ 10s ] thds: 16 tps: 1650.17 …`.
pub fn interval(line: &str) -> Option<(f64, Vec<&str>)> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let seconds = time.trim().strip_suffix('s').and_then(number)?;
    Some((seconds * 1e3, rest.split_whitespace().collect()))
}

/// The word after another one.
pub fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| *word == name)?;
    words.get(at + 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_kept() {
        let words = ["sysbench", "--mysql-password=s3cret", "--threads=4", "run"];
        assert_eq!(
            without_passwords(&words),
            "sysbench --mysql-password=… --threads=4 run"
        );
    }

    #[test]
    fn latencies_of_all_versions() {
        for lines in [
            ["min: 2.11", "max: 71.20", "95th percentile: 15.27"],
            [
                "min: 2.11ms",
                "max: 71.20ms",
                "approx.  95 percentile: 15.27ms",
            ],
        ] {
            let mut sums = SysbenchSums::default();
            assert!(lines.iter().all(|line| sums.line(line)));
            let latency = sums.event_latency().unwrap();
            assert_eq!(
                (latency.min_ns, latency.max_ns, &latency.percentiles[..]),
                (
                    Some(2_110_000.0),
                    Some(71_200_000.0),
                    &[(95.0, 15_270_000.0)][..]
                )
            );
        }
        assert!(!SysbenchSums::default().line("notes: none"));
    }
}
