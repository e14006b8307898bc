//! `--stop-if`: the bounds of `compare --fail-if`, on what a device tells of itself within a quarter of a second, and on the
//! metric.

use crate::exit::Failure;
use compare::bound::{self, BoundSide, Limit};
use model::metric::{BYTES_PER_S, ExperimentMetric, NS};
use tuner::breaker::{Bounded, StopBound};

/// The metric's name in a bound, whatever it is.
const METRIC: &str = "metric";

/// clap's parser.
pub fn parse(text: &str) -> Result<StopBound, String> {
    let bound = of_metric(text).unwrap_or_else(|| bound::parse(text));
    let bound = bound.map_err(|error| error.to_string())?;
    let measure = StopBound::measure(&bound.measure).ok_or_else(|| {
        format!(
            "{} of a device is not known within a quarter of a second; bound await, iops or bw, each with read., write. \
             or none before it, or metric, which is what the tune judges by",
            bound.measure
        )
    })?;
    let limit = match bound.limit {
        Limit::Time(limit) | Limit::Bytes(limit) | Limit::Number(limit) => limit,
        Limit::Relative(_) => {
            return Err("there is no base that a share could be of; give a number with its unit, as in await>20ms".into());
        }
    };
    let (what, side) = measure;
    Ok(StopBound {
        text: bound.text,
        what,
        side,
        is_above: bound.side == BoundSide::Above,
        limit,
    })
}

/// `metric<500`, with a limit as that of a number, a bandwidth or a time; none for another measure.
fn of_metric(text: &str) -> Option<Result<bound::Bound, bound::BoundError>> {
    let rest = text.trim_start().strip_prefix(METRIC)?;
    let as_if = |measure: &str| bound::parse(&format!("{measure}{rest}"));
    let told = as_if("iops")
        .or_else(|_| as_if("bw"))
        .or_else(|_| as_if("await"));
    Some(told.or_else(|_| as_if("iops")).map(|bound| bound::Bound {
        text: text.trim().into(),
        measure: METRIC.into(),
        ..bound
    }))
}

/// Refuses a bound on the metric whose limit is in another unit than the metric.
pub fn must_fit(bounds: &[StopBound], metric: &ExperimentMetric) -> Result<(), Failure> {
    let of = |bound: &StopBound| of_metric(&bound.text).and_then(Result::ok);
    let is_unfit = |bound: &&StopBound| match of(bound).map(|bound| bound.limit) {
        None => false,
        Some(Limit::Time(_)) => metric.unit != NS,
        Some(Limit::Bytes(_)) => metric.unit != BYTES_PER_S,
        Some(_) => metric.unit == NS,
    };
    let of_metric = |bound: &&StopBound| bound.what == Bounded::Metric;
    let wanted = match metric.unit.as_str() {
        NS => "a time, as in metric>20ms",
        BYTES_PER_S => "a number of bytes per second, as in metric<100MiB/s",
        _ => "a plain number, as in metric<500",
    };
    match bounds.iter().filter(of_metric).find(is_unfit) {
        None => Ok(()),
        Some(bound) => Err(Failure::usage(format!(
            "--stop-if {}: {} is {wanted}.",
            bound.text, metric.name
        ))
        .on("--stop-if")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner::breaker::{Bounded, BoundedSide};

    #[test]
    fn bounds_are_those_of_compare_as_far_as_a_device_tells_them() {
        let bound = parse("write.await > 20ms").unwrap();
        assert_eq!(
            (bound.what, bound.side),
            (Bounded::Await, BoundedSide::Writes)
        );
        assert_eq!((bound.is_above, bound.limit), (true, 20e6));
        assert_eq!(parse("bw<100MiB/s").unwrap().limit, 100.0 * 1024.0 * 1024.0);
        assert!(
            parse("p99>2ms")
                .unwrap_err()
                .contains("not known within a quarter of a second")
        );
        assert!(parse("await>+50%").unwrap_err().contains("no base"));
        let metric = parse(" metric < 1.5k ").unwrap();
        assert_eq!((metric.what, metric.limit), (Bounded::Metric, 1_500.0));
        assert_eq!(metric.text, "metric < 1.5k");
        assert_eq!(parse("metric>20ms").unwrap().limit, 20e6);
        assert_eq!(parse("metric<100MB/s").unwrap().limit, 1e8);
        assert!(
            parse("metric<fast")
                .unwrap_err()
                .contains("begins with a number")
        );
        let of = |text, unit| {
            must_fit(&[parse(text).unwrap()], &ExperimentMetric::rate("x", unit)).is_ok()
        };
        assert!(of("metric<5", "/s") && of("metric>2ms", NS) && of("metric<1MB/s", BYTES_PER_S));
        assert!(!of("metric<5", NS) && !of("metric>2ms", "/s") && of("iops<5", NS));
        assert!(parse("await").unwrap_err().contains("there is no > or <"));
    }
}
