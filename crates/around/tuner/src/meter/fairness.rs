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
        fairness(&rates?)
    }
}

/// Jain's index of a window's later half, and around it a value for each grain: the index, and how the grain's rates move it to
/// first order.
///
/// The index of a single grain would be too small. A limit lets a group go in bursts of 100 ms (measured on 6.18 with 1000
/// IOPS: 100 I/Os at once, then a wait of 96 ms), so that in one grain a single group may have everything although all get the
/// same. The mean of the later half's values is the index of what the groups got there in all.
fn fairness(rates: &[Vec<f64>]) -> Result<Vec<f64>, MeterError> {
    let shares: Vec<f64> = rates
        .iter()
        .map(|rates| stats::mean(&rates[rates.len() / 2..]))
        .collect();
    let (Some(index), Some(slopes)) = (stats::jain(&shares), stats::jain_slopes(&shares)) else {
        let why = "no group sent anything in the later half of the window";
        return Err(MeterError::NoValue(why.into()));
    };
    let grains = rates.first().map_or(0, Vec::len);
    Ok((0..grains)
        .map(|grain| {
            let beyond = rates.iter().zip(&shares).zip(&slopes);
            let adds: f64 = beyond
                .map(|((rates, share), slope)| slope * (rates[grain] - share))
                .sum();
            // Far from the later half, as behind a switch, the first order may lead below nothing.
            (index + adds).max(0.0)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_take_turns_share_evenly() {
        let turns = |first: usize| -> Vec<f64> {
            let is_its = |grain: usize| (grain / 2 + first).is_multiple_of(2);
            (0..24)
                .map(|grain| f64::from(is_its(grain)) * 100.0)
                .collect()
        };
        assert_eq!(fairness(&[turns(0), turns(1)]).unwrap(), [1.0; 24]);
    }

    #[test]
    fn the_mean_is_the_index_of_what_was_got_in_all() {
        let bursts = [0.0, 8000.0, 4000.0, 4000.0].repeat(4);
        let index = fairness(&[bursts, vec![1000.0; 16]]).unwrap();
        assert!(
            (stats::mean(&index) - 25.0 / 34.0).abs() < 1e-9,
            "{index:?}"
        );
        assert!(index[1] < index[2] && index[2] < index[0], "{index:?}");
    }

    #[test]
    fn a_window_in_which_nobody_sent_anything_has_no_index() {
        assert!(fairness(&[vec![5.0, 0.0], vec![5.0, 0.0]]).is_err());
        assert!(fairness(&[]).is_err());
    }
}
