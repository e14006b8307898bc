//! # The rate that your command prints
//!
//! ## What it measures
//! The numbers that a command (`--command`) prints about itself while it runs: transactions of pgbench, events of
//! sysbench, whatever the lines say that `--metric-regex` finds. Each number stands for the time since the line before.
//!
//! ## When to use it
//! It is the metric of a tune with `--command`, unless another is named, and the one to trust: a setting that raises a
//! disk's IOPS and not the transactions of the database above it is no gain.
//!
//! ## Limits
//! The command must print at least about once a second, and one that is slower is refused. A window is a second and longer
//! and ends with a line, so that no number belongs to two values of the setting; a difference of a few per cent takes
//! two or three minutes. Where the rate is so steady that the switch itself shows in the second of its line, windows grow
//! to several seconds: give it a `--budget` of a quarter of an hour. Settings that act on what is still to be written
//! (`vm.dirty_*`) are not judged by it: what they put off would be in no number.
//!
//! ## Example
//! ```text
//! iodyno tune /var/lib/postgresql --command 'pgbench -P 1 -c 8 -T 3600 bench' --knob scheduler --budget 10m
//! iodyno tune /srv --command ./load.sh --metric-regex 'p99 (?<p99_ms>[0-9.]+) ms' --metric-better lower
//! ```

use crate::meter::{Counts, Gauge, GrainSpan, Meter, MeterError, Total, Totals, needs_no_runs};
use host::clock;
use load::engines::command;
use load::{LoadError, PrintedRate, Running};
use model::job::Job;
use model::metric::{ExperimentMetric, PER_S};

/// A window begins just behind a line, and the switch with it, so that a number of a second can stand for each of its
/// quarters.
const GRAIN_MS: u64 = 250;
/// A window's end is told by a line that comes so long before it, ns: windows follow each other from line to line.
const EARLY_NS: u64 = 50_000_000;
/// How long the first number is waited for, ns: a database may have to be warmed first.
const FIRST_NS: u64 = 60_000_000_000;
/// How long a window's last number is waited for, ns.
const LAST_NS: u64 = 2_500_000_000;

/// The meter.
pub static METER: Meter = Meter {
    id: "printed",
    metric,
    counts: Counts::Program,
    least_amount: |_| 0,
    unfit,
    options: &[],
    ask: None,
    of_load: None,
    open: |_| Ok(Box::new(Printed::default())),
};

/// The name, unit and direction that a job gives what its command prints.
pub(super) fn metric(job: &Job) -> ExperimentMetric {
    let options = command::options(job).ok();
    let name = options.as_ref().and_then(|options| options.name.clone());
    let unit = if name.is_some() { "" } else { PER_S };
    ExperimentMetric {
        better: options.map(|options| options.better).unwrap_or_default(),
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate(name.as_deref().unwrap_or("printed rate"), unit)
    }
}

fn unfit(job: &Job) -> Option<String> {
    match job.ioengine == command::ENGINE.id {
        true if command::is_run_again(job) => needs_no_runs(job),
        true => command::options(job).err().map(|error| error.to_string()),
        false => Some("there is no --command that could print a rate".into()),
    }
}

/// The numbers of one load after the other.
#[derive(Debug, Default)]
struct Printed {
    /// Of which load, by the start of its time line.
    origin_ns: u64,
    /// When it was first looked at, ns.
    since_ns: u64,
    taken: usize,
    /// Numbers that were not told to a bound yet, each with the time since the line before, ns.
    fresh: Vec<(u64, f64)>,
    /// When the last number was printed, ns.
    last_ns: u64,
    last_value: f64,
    amount: f64,
    totals: Totals,
}

impl Printed {
    /// Takes the numbers that came since the last look. A load that was started anew counts anew.
    fn take(&mut self, load: &Running) {
        if load.origin_ns() != self.origin_ns {
            *self = Printed {
                origin_ns: load.origin_ns(),
                since_ns: clock::monotonic_ns(),
                ..Printed::default()
            };
        }
        let fresh = load.printed(self.taken);
        self.taken += fresh.len();
        fresh.into_iter().for_each(|rate| self.add(rate));
    }

    /// A number holds from the line before it; what the first one held for is not known.
    fn add(&mut self, rate: PrintedRate) {
        if self.last_ns > 0 {
            let span_ns = rate.at_ns.saturating_sub(self.last_ns);
            self.fresh.push((span_ns, rate.value));
            self.amount += rate.value * span_ns as f64 / 1e9;
        }
        (self.last_ns, self.last_value) = (rate.at_ns, rate.value);
        self.totals.push(Total {
            at_ns: rate.at_ns,
            amount: self.amount,
            ios: 0.0,
        });
    }

    /// The values of a window. What lies between the last line and the end goes on as that line says.
    fn rates(&self, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let mut totals = self.totals.clone();
        let end_ns = span.end_ns();
        if self.last_ns < end_ns {
            let left_ns = end_ns - self.last_ns;
            totals.push(Total {
                at_ns: end_ns,
                amount: self.amount + self.last_value * left_ns as f64 / 1e9,
                ios: 0.0,
            });
        }
        totals.rates(span)
    }
}

impl Gauge for Printed {
    fn looks_at_grains(&self) -> bool {
        false
    }

    fn is_ready(&mut self, load: &Running) -> Result<bool, MeterError> {
        self.take(load);
        if self.last_ns == 0 && clock::monotonic_ns() - self.since_ns > FIRST_NS {
            return Err(silent(
                "it printed no line with a rate for a minute",
                "Say which lines tell it with --metric-regex, or judge by the device with --metric device_iops",
            ));
        }
        Ok(self.last_ns > 0)
    }

    fn heard(&mut self, load: &Running) -> Result<Option<Vec<(u64, f64)>>, MeterError> {
        self.take(load);
        Ok(Some(std::mem::take(&mut self.fresh)))
    }

    fn look(&mut self, load: &Running) -> Result<(), MeterError> {
        self.take(load);
        Ok(())
    }

    fn is_told(&mut self, load: &Running, span: &GrainSpan) -> Result<bool, MeterError> {
        self.take(load);
        let end_ns = span.end_ns();
        if clock::monotonic_ns() > end_ns + LAST_NS && self.last_ns + EARLY_NS < end_ns {
            return Err(silent(
                "it printed no rate for seconds, and one a second is needed",
                "Let it print each second (pgbench -P 1, sysbench --report-interval=1, stdbuf -oL), or judge by the \
                 device with --metric device_iops",
            ));
        }
        Ok(self.last_ns + EARLY_NS >= end_ns)
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let values = self.rates(span);
        self.totals.forget_before(span.end_ns());
        values
    }
}

fn silent(why: &str, advice: &'static str) -> MeterError {
    MeterError::Load(LoadError::Command {
        command: "--command".into(),
        why: why.into(),
        advice,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn of_lines(lines: &[(u64, f64)]) -> Printed {
        let mut printed = Printed::default();
        for (at_ns, value) in lines.iter().copied() {
            printed.add(PrintedRate { at_ns, value });
        }
        printed
    }

    fn rates(printed: &Printed, begin_ns: u64, count: usize) -> Vec<f64> {
        let span = GrainSpan {
            begin_ns,
            grain_ns: S,
            count,
        };
        printed.rates(&span).unwrap()
    }

    #[test]
    fn a_number_stands_for_the_time_since_the_line_before() {
        let printed = of_lines(&[
            (10 * S, 99.0),
            (11 * S, 100.0),
            (12 * S, 300.0),
            (13 * S, 200.0),
        ]);
        assert_eq!(rates(&printed, 10 * S, 3), [100.0, 300.0, 200.0]);
        assert_eq!(rates(&printed, 10 * S + S / 2, 2), [200.0, 250.0]);
        // A line that came late tells of a longer time.
        let late = of_lines(&[(10 * S, 0.0), (12 * S, 100.0), (13 * S, 400.0)]);
        assert_eq!(rates(&late, 10 * S, 3), [100.0, 100.0, 400.0]);
        // One that came a little before the end goes on until then.
        let early = of_lines(&[(10 * S, 0.0), (11 * S - S / 20, 100.0)]);
        assert_eq!(rates(&early, 10 * S, 1), [100.0]);
    }

    #[test]
    fn the_metric_has_the_name_and_direction_of_the_job() {
        let job = |options: &[(&str, &str)]| Job {
            ioengine: "command".into(),
            engine_options: options
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            ..Job::default()
        };
        let plain = metric(&job(&[("command", "pgbench")]));
        assert_eq!(
            (plain.name.as_str(), plain.unit.as_str()),
            ("printed rate", "/s")
        );
        let named = metric(&job(&[
            ("command", "x"),
            ("regex", "(?<p99_ms>[0-9.]+) ms"),
            ("better", "lower"),
        ]));
        assert_eq!((named.name.as_str(), named.unit.as_str()), ("p99_ms", ""));
        assert_eq!(named.better, model::metric::Better::Lower);
        assert!(unfit(&Job::default()).is_some() && unfit(&job(&[("command", "x")])).is_none());
    }
}
