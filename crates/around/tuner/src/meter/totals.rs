//! Counts read now and then, as values of even grains.

use super::{GrainSpan, MeterError};

/// Where a count stood at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// When, ns on the monotonic clock.
    pub at_ns: u64,
    /// What has been counted so far: I/Os, bytes, or a time summed over I/Os.
    pub amount: f64,
    /// The number of I/Os that the amount belongs to, where their mean is asked for.
    pub ios: f64,
}

/// The readings of one window.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    readings: Vec<Total>,
}

impl Totals {
    /// Takes in a reading.
    pub fn push(&mut self, total: Total) {
        self.readings.push(total);
    }

    /// Amounts per second, one a grain. Between two readings a count grows evenly.
    pub fn rates(&self, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let amounts = self.grown(span, |total| total.amount)?;
        let per_s = 1e9 / span.grain_ns as f64;
        Ok(amounts.into_iter().map(|amount| amount * per_s).collect())
    }

    /// Amount per I/O, one a grain. Where none was completed, those that were waiting are the next ones to be: the grain
    /// gets their value, and the last grains that of the last completed.
    pub fn means(&self, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let ios = self.grown(span, |total| total.ios)?;
        let amounts = self.grown(span, |total| total.amount)?;
        let mut means: Vec<Option<f64>> = amounts
            .iter()
            .zip(&ios)
            .map(|(amount, ios)| (*ios > 1e-9).then(|| amount / ios))
            .collect();
        let mut known = None;
        for mean in means.iter_mut().rev() {
            known = mean.or(known);
            *mean = known;
        }
        let last = means.iter().rev().find_map(|mean| *mean);
        let filled = means.into_iter().map(|mean| mean.or(last));
        filled
            .collect::<Option<Vec<f64>>>()
            .ok_or_else(|| MeterError::NoValue("no I/O was completed in the window".into()))
    }

    /// How much grew in each grain.
    fn grown(&self, span: &GrainSpan, of: fn(&Total) -> f64) -> Result<Vec<f64>, MeterError> {
        let edges: Option<Vec<f64>> = (0..=span.count as u64)
            .map(|edge| self.at(span.begin_ns + edge * span.grain_ns, of))
            .collect();
        let edges =
            edges.ok_or_else(|| MeterError::NoValue("the counters were not read".into()))?;
        let steps: Vec<f64> = edges.windows(2).map(|two| two[1] - two[0]).collect();
        if steps.iter().any(|step| *step < 0.0) {
            return Err(MeterError::NoValue("a counter was reset".into()));
        }
        Ok(steps)
    }

    /// The count at a moment, between the readings around it; at the ends, the reading next to it.
    fn at(&self, at_ns: u64, of: fn(&Total) -> f64) -> Option<f64> {
        let after = self.readings.partition_point(|total| total.at_ns <= at_ns);
        let before = after.checked_sub(1).map(|index| &self.readings[index]);
        match (before, self.readings.get(after)) {
            (Some(before), Some(next)) => {
                let share =
                    (at_ns - before.at_ns) as f64 / (next.at_ns - before.at_ns).max(1) as f64;
                Some(of(before) + share * (of(next) - of(before)))
            }
            (Some(one), None) | (None, Some(one)) => Some(of(one)),
            (None, None) => None,
        }
    }

    /// Forgets what lies before a moment, but for the last reading: the next window begins in the middle of it.
    pub fn forget_before(&mut self, at_ns: u64) {
        let after = self.readings.partition_point(|total| total.at_ns <= at_ns);
        self.readings.drain(..after.saturating_sub(1));
    }

    /// Forgets all readings: the next window may be one of a load that counts anew.
    pub fn clear(&mut self) {
        self.readings.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(readings: &[(u64, f64, f64)]) -> Totals {
        let mut totals = Totals::default();
        for (at_ns, amount, ios) in readings.iter().copied() {
            totals.push(Total { at_ns, amount, ios });
        }
        totals
    }

    fn span(count: usize) -> GrainSpan {
        GrainSpan {
            begin_ns: 1_000_000_000,
            grain_ns: 100_000_000,
            count,
        }
    }

    #[test]
    fn a_late_reading_is_shared_between_the_grains_around_it() {
        let totals = totals(&[
            (1_000_000_000, 0.0, 0.0),
            (1_150_000_000, 15.0, 0.0),
            (1_200_000_000, 30.0, 0.0),
        ]);
        assert_eq!(totals.rates(&span(2)).unwrap(), [100.0, 200.0]);
    }

    #[test]
    fn a_grain_without_an_io_has_the_value_of_those_that_waited() {
        let totals = totals(&[
            (1_000_000_000, 0.0, 0.0),
            (1_100_000_000, 0.0, 0.0),
            (1_200_000_000, 80.0, 2.0),
            (1_300_000_000, 80.0, 2.0),
        ]);
        assert_eq!(totals.means(&span(3)).unwrap(), [40.0, 40.0, 40.0]);
    }

    #[test]
    fn nothing_completed_is_no_value_and_a_reset_is_an_error() {
        let still = totals(&[(1_000_000_000, 5.0, 5.0), (1_300_000_000, 5.0, 5.0)]);
        assert!(still.means(&span(3)).is_err());
        assert_eq!(still.rates(&span(3)).unwrap(), [0.0; 3]);
        let reset = totals(&[(1_000_000_000, 500.0, 5.0), (1_300_000_000, 5.0, 1.0)]);
        assert!(reset.rates(&span(3)).is_err());
        assert!(totals(&[]).rates(&span(1)).is_err());
    }

    #[test]
    fn a_window_of_a_load_that_counts_anew_is_no_reset() {
        let mut totals = totals(&[(1_000_000_000, 0.0, 0.0), (1_100_000_000, 900.0, 0.0)]);
        totals.clear();
        for (at_ns, amount) in [(1_205_000_000, 1.0), (1_300_000_000, 21.0)] {
            totals.push(Total {
                at_ns,
                amount,
                ios: 0.0,
            });
        }
        let next = GrainSpan {
            begin_ns: 1_200_000_000,
            ..span(1)
        };
        assert_eq!(
            totals.rates(&next).unwrap(),
            [200.0],
            "the first reading stands for the edge before it"
        );
    }
}
