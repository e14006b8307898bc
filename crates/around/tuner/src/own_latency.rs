//! How long the I/Os of the own load took under one arm, over all of its windows.

use analyse::figures::Moments;
use model::figures::ArmValue;
use model::histogram::Histogram;

/// A percentile is worked out in so many parts of the windows, which take turns: how those differ says what it is worth, and
/// one window has too few I/Os for it.
const PARTS: usize = 8;
/// I/Os that a part must have: ten beyond its 99th percentile.
const PART_MIN: u64 = 1_000;

/// Latencies under one arm.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnLatency {
    means: Moments,
    parts: [Histogram; PARTS],
}

impl OwnLatency {
    /// Takes in a window.
    pub(super) fn add(&mut self, latency: &Histogram) {
        let Some(mean_ns) = latency.mean_ns() else {
            return;
        };
        self.parts[self.means.count as usize % PARTS].merge(latency);
        self.means.add(mean_ns / 1e3);
    }

    /// The mean, us; none where no I/O was completed.
    pub(super) fn mean_us(&self, arm: &str) -> Option<ArmValue> {
        value(arm, &self.means)
    }

    /// The 99th percentile, us; none where the I/Os are too few to tell it and what it is worth.
    pub(super) fn p99_us(&self, arm: &str) -> Option<ArmValue> {
        let mut parts = Moments::default();
        for part in &self.parts {
            if part.total() < PART_MIN {
                return None;
            }
            parts.add(part.quantile_ns(0.99)? as f64 / 1e3);
        }
        value(arm, &parts)
    }
}

fn value(arm: &str, moments: &Moments) -> Option<ArmValue> {
    (moments.count > 0).then(|| ArmValue {
        arm: arm.into(),
        value: moments.mean,
        spread: moments.spread(),
        windows: moments.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_ios_in_every_part() {
        let mut window = Histogram::new();
        (1..=1_000).for_each(|us| window.record(us * 1_000));
        let mut latency = OwnLatency::default();
        latency.add(&Histogram::new());
        assert_eq!(latency.mean_us("none"), None);
        (1..PARTS).for_each(|_| latency.add(&window));
        assert_eq!(latency.p99_us("none"), None);
        latency.add(&window);
        let (mean, p99) = (
            latency.mean_us("none").unwrap(),
            latency.p99_us("none").unwrap(),
        );
        assert!((mean.value - 500.5).abs() < 5.0 && mean.windows == PARTS as u64);
        assert!((p99.value - 990.0).abs() < 20.0 && p99.spread == 0.0);
    }
}
