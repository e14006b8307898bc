//! The gauge of every count that is read now and then.

use super::{Gauge, GrainSpan, MeterError, Total, Totals};
use load::Running;

/// Reads a count at each grain's edge; its values are amounts per second, or per I/O.
#[derive(Clone)]
pub struct Counting<R> {
    read: R,
    is_mean: bool,
    totals: Totals,
}

impl<R> std::fmt::Debug for Counting<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counting")
            .field("is_mean", &self.is_mean)
            .finish_non_exhaustive()
    }
}

impl<R: FnMut(&Running) -> Result<Total, MeterError>> Counting<R> {
    /// Amounts per second.
    pub fn per_second(read: R) -> Counting<R> {
        Counting {
            read,
            is_mean: false,
            totals: Totals::default(),
        }
    }

    /// Amounts per I/O.
    pub fn per_io(read: R) -> Counting<R> {
        Counting {
            is_mean: true,
            ..Counting::per_second(read)
        }
    }
}

impl<R: FnMut(&Running) -> Result<Total, MeterError>> Gauge for Counting<R> {
    fn look(&mut self, load: &Running) -> Result<(), MeterError> {
        let total = (self.read)(load)?;
        self.totals.push(total);
        Ok(())
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let values = match self.is_mean {
            true => self.totals.means(span),
            false => self.totals.rates(span),
        };
        self.totals.clear();
        values
    }
}
