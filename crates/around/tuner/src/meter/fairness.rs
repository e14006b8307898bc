//! How evenly control groups share a device: Jain's index of what each of them sends.

use super::group::{GroupCounters, IDLE_NS};
use super::{Gauge, GrainSpan, MeterError, MeterScope, Total, Totals};
use host::clock;
use load::Running;

/// Groups without which there is nothing to share.
const GROUPS_MIN: usize = 2;

/// Opens a gauge over the groups directly below the one that is named.
///
/// # Errors
/// Where there is no such group or fewer than two below it, or the kernel does not count what they send to the device.
pub fn shared_by_groups(scope: &MeterScope<'_>) -> Result<Box<dyn Gauge>, String> {
    let above = GroupCounters::named(scope)?;
    let groups = above.below(scope.host);
    if groups.len() < GROUPS_MIN {
        return Err(format!(
            "{} has {} control groups directly below it, and fairness needs two: name the one above those that share the device",
            above.name(),
            groups.len()
        ));
    }
    let sharers = groups.into_iter().map(|counters| Sharer {
        counters,
        first: None,
        totals: Totals::default(),
        takes_part: false,
    });
    Ok(Box::new(Fairness {
        sharers: sharers.collect(),
        begun_ns: None,
        idle: format!(
            "fewer than two of the control groups below {} sent anything to {} within 3 s. Start the programs that share it",
            above.name(),
            scope.device
        ),
    }))
}

#[derive(Debug)]
struct Fairness {
    sharers: Vec<Sharer>,
    begun_ns: Option<u64>,
    idle: String,
}

/// A group, and the bytes that it sent.
#[derive(Debug)]
struct Sharer {
    counters: GroupCounters,
    first: Option<f64>,
    totals: Totals,
    /// Whether it has sent anything since the first look: a group that only waits from then on has no share, and one that
    /// never asked for any is left out.
    takes_part: bool,
}

impl Sharer {
    fn look(&mut self) -> Result<(), MeterError> {
        let done = self.counters.read().map_err(MeterError::NoValue)?;
        let done = done.unwrap_or_default();
        let amount = (done.read_bytes + done.write_bytes) as f64;
        self.takes_part |= amount > *self.first.get_or_insert(amount);
        self.totals.push(Total {
            at_ns: clock::monotonic_ns(),
            amount,
            ios: 0.0,
        });
        Ok(())
    }
}

impl Gauge for Fairness {
    fn is_ready(&mut self, _: &Running) -> Result<bool, MeterError> {
        for sharer in &mut self.sharers {
            sharer.look()?;
            sharer.totals.clear();
        }
        let now_ns = clock::monotonic_ns();
        let since_ns = *self.begun_ns.get_or_insert(now_ns);
        let sharing = self.sharers.iter().filter(|sharer| sharer.takes_part);
        match sharing.count() >= GROUPS_MIN {
            true => Ok(true),
            false if now_ns - since_ns > IDLE_NS => Err(MeterError::NoValue(self.idle.clone())),
            false => Ok(false),
        }
    }

    fn look(&mut self, _: &Running) -> Result<(), MeterError> {
        self.sharers.iter_mut().try_for_each(Sharer::look)
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let sharing = self.sharers.iter().filter(|sharer| sharer.takes_part);
        let rates: Result<Vec<Vec<f64>>, MeterError> =
            sharing.map(|sharer| sharer.totals.rates(span)).collect();
        self.sharers
            .iter_mut()
            .for_each(|sharer| sharer.totals.clear());
        fairness(&rates?, span.count)
    }
}

/// The index of every grain. One in which nobody sent anything says nothing, and gets that of the grain before it.
fn fairness(rates: &[Vec<f64>], grains: usize) -> Result<Vec<f64>, MeterError> {
    let known: Vec<Option<f64>> = (0..grains)
        .map(|grain| stats::jain(&rates.iter().map(|rates| rates[grain]).collect::<Vec<_>>()))
        .collect();
    let Some(mut last) = known.iter().find_map(|index| *index) else {
        let why = "no group sent anything in the window";
        return Err(MeterError::NoValue(why.into()));
    };
    Ok(known
        .into_iter()
        .map(|index| {
            last = index.unwrap_or(last);
            last
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grain_without_io_has_the_index_of_its_neighbour() {
        let rates = [vec![0.0, 10.0, 0.0, 30.0], vec![0.0, 10.0, 0.0, 0.0]];
        assert_eq!(fairness(&rates, 4).unwrap(), [1.0, 1.0, 1.0, 0.5]);
        assert!(fairness(&[vec![0.0], vec![0.0]], 1).is_err());
    }
}
