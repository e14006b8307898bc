//! The gauge of a percentile of latency: the load's histograms at the edges of grains.

use super::{Gauge, GrainSpan, MeterError};
use load::{Running, Snapshot};
use model::histogram::Histogram;
use model::units::span_ms;

/// I/Os beyond the percentile that a value of it needs.
const BEYOND_MIN: f64 = 10.0;

/// A percentile of a whole load, ns; none where too few I/Os lie beyond it.
pub fn quantile_of(latency: &Histogram, quantile: f64) -> Option<f64> {
    let beyond = latency.total() as f64 * (1.0 - quantile);
    let value_ns = latency.quantile_ns(quantile)?;
    (beyond >= BEYOND_MIN).then_some(value_ns as f64)
}

/// Reads a percentile of every grain.
#[derive(Clone, Debug)]
pub struct Tail {
    quantile: f64,
    /// Of reads or of writes; of all I/Os where there is none.
    lane: Option<usize>,
    edges: Vec<Snapshot>,
}

impl Tail {
    /// Of the percentile that so great a share of I/Os keeps: 0.99.
    pub fn of(quantile: f64) -> Tail {
        Tail {
            quantile,
            lane: None,
            edges: Vec::new(),
        }
    }

    /// The same of one kind of I/O, one of `load::lane`.
    pub fn of_lane(quantile: f64, lane: usize) -> Tail {
        Tail {
            lane: Some(lane),
            ..Tail::of(quantile)
        }
    }

    fn between(&self, from: &Snapshot, to: &Snapshot) -> Histogram {
        match self.lane {
            Some(lane) => to.side(lane).since(&from.side(lane)).latency,
            None => to.latency_since(from),
        }
    }

    /// I/Os that a value needs at the least.
    fn least(&self) -> u64 {
        (BEYOND_MIN / (1.0 - self.quantile)).round() as u64
    }

    /// What was completed in each grain.
    fn grains(&self, span: &GrainSpan) -> Result<Vec<Histogram>, MeterError> {
        let edge = |number: u64| {
            let due_ns = span.begin_ns + number * span.grain_ns;
            let reached = self.edges.iter().find(|edge| edge.at_ns >= due_ns);
            reached.or(self.edges.last())
        };
        let edges: Option<Vec<&Snapshot>> = (0..=span.count as u64).map(edge).collect();
        let edges =
            edges.ok_or_else(|| MeterError::NoValue("the latencies were not read".into()))?;
        let between = |two: &[&Snapshot]| self.between(two[0], two[1]);
        Ok(edges.windows(2).map(between).collect())
    }
}

impl Gauge for Tail {
    fn look(&mut self, load: &Running) -> Result<(), MeterError> {
        self.edges.push(load.snapshot());
        Ok(())
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let grains = self.grains(span);
        self.edges.clear();
        let told = tails(&grains?, self.quantile, self.least());
        told.ok_or_else(|| {
            let window = span_ms(span.grain_ns / 1_000_000 * span.count as u64);
            MeterError::NoValue(format!(
                "p{} needs {} I/Os, and fewer were completed in {window}; judge by latency instead",
                self.quantile * 100.0,
                self.least()
            ))
        })
    }
}

/// The percentile of each grain. Grains with too few I/Os share a value with those behind them, and the last ones with
/// those before; none where all together have too few.
fn tails(grains: &[Histogram], quantile: f64, least: u64) -> Option<Vec<f64>> {
    let mut values: Vec<f64> = Vec::with_capacity(grains.len());
    let (mut sum, mut open) = (Histogram::new(), 0);
    for grain in grains {
        sum.merge(grain);
        open += 1;
        if sum.total() >= least {
            let tail_ns = sum.quantile_ns(quantile)? as f64;
            values.extend(std::iter::repeat_n(tail_ns, open));
            (sum, open) = (Histogram::new(), 0);
        }
    }
    let last = *values.last()?;
    values.extend(std::iter::repeat_n(last, open));
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grain(ios: u64, slow_ns: u64) -> Histogram {
        let mut histogram = Histogram::new();
        for io in 0..ios {
            histogram.record(if io % 50 == 0 { slow_ns } else { 100_000 });
        }
        histogram
    }

    #[test]
    fn each_grain_has_its_own_tail_where_it_has_enough() {
        let told = tails(
            &[grain(1_000, 1_000_000), grain(1_000, 4_000_000)],
            0.99,
            1_000,
        )
        .unwrap();
        assert!((told[0] / 1e6 - 1.0).abs() < 0.02, "{told:?}");
        assert!((told[1] / 1e6 - 4.0).abs() < 0.08, "{told:?}");
    }

    #[test]
    fn grains_with_too_few_share_a_value_and_too_few_in_all_have_none() {
        let few = [
            grain(600, 1_000_000),
            grain(600, 1_000_000),
            grain(10, 9_000_000),
        ];
        let told = tails(&few, 0.99, 1_000).unwrap();
        assert_eq!(told.len(), 3);
        assert!(told.iter().all(|value| *value == told[0]), "{told:?}");
        assert_eq!(tails(&few[..1], 0.99, 1_000), None);
        assert_eq!(tails(&[], 0.99, 1_000), None);
    }

    #[test]
    fn the_tail_of_one_kind_of_io_is_not_that_of_the_others() {
        let side = |slow_ns| load::RunningSide {
            latency: grain(1_000, slow_ns),
            ..load::RunningSide::default()
        };
        let after = Snapshot {
            at_ns: 1,
            ios: 2_000,
            sides: vec![side(1_000_000), side(9_000_000)],
            ..Snapshot::default()
        };
        let tail_ms = |tail: Tail| {
            let done = tail.between(&Snapshot::default(), &after);
            (quantile_of(&done, 0.985).unwrap() / 1e6).round()
        };
        assert_eq!(tail_ms(Tail::of_lane(0.985, load::lane::READ)), 1.0);
        assert_eq!(tail_ms(Tail::of_lane(0.985, load::lane::WRITE)), 9.0);
        assert_eq!(tail_ms(Tail::of(0.985)), 1.0);
    }
}
