//! `--stop-if`: the bounds of `compare --fail-if`, on what a device tells of itself within a quarter of a second.

use compare::bound::{self, BoundSide, Limit};
use tuner::breaker::StopBound;

/// clap's parser.
pub fn parse(text: &str) -> Result<StopBound, String> {
    let bound = bound::parse(text).map_err(|error| error.to_string())?;
    let measure = StopBound::measure(&bound.measure).ok_or_else(|| {
        format!(
            "{} of a device is not known within a quarter of a second; bound await, iops or bw, each with read., write. \
             or none before it",
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
        assert!(parse("await").unwrap_err().contains("there is no > or <"));
    }
}
