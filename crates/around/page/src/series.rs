//! From raw samples of counters to what holds in each interval.

use crate::reduce::ReduceStep;
use model::field::{Field, Formula, subject};
use model::record::Record;
use model::sample::{SampleSeries, SensorLog};

/// The log of a sensor that read something.
pub fn log_of<'a>(record: &'a Record, sensor: &str) -> Option<&'a SensorLog> {
    record
        .sensors
        .iter()
        .find(|log| log.sensor == sensor && log.no_data.is_none() && !log.time_ns.is_empty())
}

/// A declared field of one subject in each interval of a log. A ratio has no value where there was nothing to divide by.
pub fn field(log: &SensorLog, field: &Field, subject: &str) -> Option<Vec<ReduceStep>> {
    let names = |patterns: &[&str]| -> Vec<String> {
        let of = |pattern: &&str| pattern.replacen("{}", subject, 1);
        patterns.iter().map(of).collect()
    };
    match field.formula {
        Formula::Last(of, factor) => gauge(log, &names(of), factor),
        Formula::Rate(of, factor) => rates(log, &names(of), factor),
        Formula::Ratio(of, per, factor) => {
            let (of, per) = (
                rates(log, &names(of), factor)?,
                rates(log, &names(per), 1.0)?,
            );
            let value = |of: &ReduceStep, per: &ReduceStep| {
                Some(of.value? / per.value.filter(|per| *per > 0.0)?)
            };
            let steps = of.iter().zip(&per).map(|(of, per)| ReduceStep {
                value: value(of, per),
                ..*of
            });
            Some(steps.collect())
        }
    }
}

/// What several counters grew by together, per second, between each two samples: a counter's first sample gives nothing,
/// a reset or a failed read leaves a gap. None when a series is missing.
pub fn rates(log: &SensorLog, names: &[String], factor: f64) -> Option<Vec<ReduceStep>> {
    let series: Vec<&SampleSeries> = names
        .iter()
        .map(|name| log.series(name))
        .collect::<Option<_>>()?;
    let step = |index: usize| {
        let (from, to) = (
            log.time_ns[index] as f64 / 1e9,
            log.time_ns[index + 1] as f64 / 1e9,
        );
        let grown = |one: &&SampleSeries| {
            let (before, after) = (value_at(one, index)?, value_at(one, index + 1)?);
            one.kind.grown(before, after)
        };
        let grown: Option<f64> = series.iter().map(grown).sum();
        let value = grown
            .filter(|_| to > from)
            .map(|grown| grown / (to - from) * factor);
        ReduceStep { from, to, value }
    };
    Some((0..log.time_ns.len().saturating_sub(1)).map(step).collect())
}

/// A gauge: what was read at a moment stands for the time since the moment before.
pub fn gauge(log: &SensorLog, names: &[String], factor: f64) -> Option<Vec<ReduceStep>> {
    let series: Vec<&SampleSeries> = names
        .iter()
        .map(|name| log.series(name))
        .collect::<Option<_>>()?;
    let step = |index: usize| {
        let to = log.time_ns[index] as f64 / 1e9;
        let from = if index == 0 {
            to
        } else {
            log.time_ns[index - 1] as f64 / 1e9
        };
        let value: Option<f64> = series.iter().map(|one| value_at(one, index)).sum();
        ReduceStep {
            from,
            to,
            value: value.map(|value| value * factor),
        }
    };
    // Before the first sample there is no time that its value could stand for.
    Some((1..log.time_ns.len()).map(step).collect())
}

/// What a counter grew by over the whole log, gaps left out; none when it was never read twice.
pub fn total(log: &SensorLog, name: &str) -> Option<f64> {
    let series = log.series(name)?;
    let steps = series
        .values
        .windows(2)
        .filter_map(|pair| series.kind.grown(pair[0]?, pair[1]?));
    let (count, sum) = steps.fold((0usize, 0.0), |(count, sum), grown| {
        (count + 1, sum + grown)
    });
    (count > 0).then_some(sum)
}

/// Time from the first sample to the last, s.
pub fn seconds(log: &SensorLog) -> f64 {
    match (log.time_ns.first(), log.time_ns.last()) {
        (Some(first), Some(last)) => (last - first) as f64 / 1e9,
        _ => 0.0,
    }
}

/// The subjects of a pattern such as `disk.{}.read_ios` that the log has, in its order.
pub fn subjects<'a>(log: &'a SensorLog, pattern: &str) -> Vec<&'a str> {
    log.series
        .iter()
        .filter_map(|series| subject(pattern, &series.name))
        .collect()
}

fn value_at(series: &SampleSeries, index: usize) -> Option<f64> {
    series.values.get(index).copied().flatten()
}

/// Least, mean over time and greatest of steps; none without a value.
pub fn summary(steps: &[ReduceStep]) -> Option<(f64, f64, f64)> {
    let known = || {
        steps
            .iter()
            .filter_map(|step| Some((step.value?, (step.to - step.from).max(0.0))))
    };
    let (sum, time) = known().fold((0.0, 0.0), |(sum, time), (value, length)| {
        (sum + value * length, time + length)
    });
    let least = known()
        .map(|(value, _)| value)
        .fold(f64::INFINITY, f64::min);
    let most = known()
        .map(|(value, _)| value)
        .fold(f64::NEG_INFINITY, f64::max);
    let mean = if time > 0.0 {
        sum / time
    } else {
        known().next()?.0
    };
    least.is_finite().then_some((least, mean, most))
}

/// The end of the last step, s.
pub fn end(steps: &[ReduceStep]) -> f64 {
    steps.last().map_or(0.0, |step| step.to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sample::MetricKind;

    fn log(values: &[Option<f64>]) -> SensorLog {
        let series = SampleSeries {
            name: "disk.vda.read_ios".into(),
            unit: "ios".into(),
            kind: MetricKind::Counter,
            values: values.to_vec(),
        };
        let mut log = SensorLog::absent("diskstats", "");
        log.no_data = None;
        log.time_ns = (0..values.len() as i64)
            .map(|index| index * 500_000_000)
            .collect();
        log.series = vec![series];
        log
    }

    #[test]
    fn the_first_sample_gives_no_rate_and_a_reset_leaves_a_gap() {
        let log = log(&[
            Some(1e9),
            Some(1e9 + 50.0),
            Some(3.0),
            None,
            Some(10.0),
            Some(20.0),
        ]);
        let steps = rates(&log, &["disk.vda.read_ios".into()], 1.0).unwrap();
        let values: Vec<Option<f64>> = steps.iter().map(|step| step.value).collect();
        assert_eq!(values, [Some(100.0), None, None, None, Some(20.0)]);
        assert_eq!(total(&log, "disk.vda.read_ios"), Some(60.0));
        assert_eq!(subjects(&log, "disk.{}.read_ios"), ["vda"]);
        assert_eq!(rates(&log, &["disk.sda.read_ios".into()], 1.0), None);
    }

    #[test]
    fn declared_fields_are_computed_as_they_say() {
        let mut log = log(&[Some(0.0), Some(10.0), Some(10.0)]);
        let sectors = [0.0, 80.0, 80.0].map(Some).to_vec();
        log.series.push(SampleSeries {
            name: "disk.vda.read_sectors".into(),
            values: sectors,
            ..log.series[0].clone()
        });
        let values = |id: &str| -> Vec<Option<f64>> {
            let declared = model::field::disk::find(id).unwrap();
            let steps = field(&log, declared, "vda").unwrap();
            steps.iter().map(|step| step.value).collect()
        };
        assert_eq!(values("disk.reads_per_s"), [Some(20.0), Some(0.0)]);
        assert_eq!(values("disk.read_bytes_per_s"), [Some(81_920.0), Some(0.0)]);
        assert_eq!(values("disk.size_read_bytes"), [Some(4_096.0), None]);
    }

    #[test]
    fn a_mean_is_over_time() {
        let step = |from, to, value| ReduceStep { from, to, value };
        let steps = [
            step(0.0, 1.0, Some(10.0)),
            step(1.0, 4.0, Some(2.0)),
            step(4.0, 5.0, None),
        ];
        assert_eq!(summary(&steps), Some((2.0, 4.0, 10.0)));
        assert_eq!(summary(&[]), None);
    }
}
