//! Full depth against half depth: a load that half its depth would feed as well is capped or saturated elsewhere.

use super::run::Want;
use super::sample::{Level, WindowSample};

const WINDOW_MS: u64 = 500;
const DISCARD_MS: u64 = 100;
/// Full, half, half, full: a steady drift cancels.
const HALF: [bool; 4] = [false, true, true, false];
const RATE_MARGIN_LN: f64 = 0.01;
/// With the same rate, Little's law halves the latency; three quarters leave room for noise.
const LATENCY_SHARE: f64 = 0.75;

/// Progress of the probe.
#[derive(Clone, Debug, Default)]
pub(super) struct Headroom {
    levels_ln: Vec<f64>,
    latencies_ns: Vec<Option<f64>>,
}

impl Headroom {
    pub(super) fn want(&self) -> Option<Want> {
        let half_depth = *HALF.get(self.levels_ln.len())?;
        Some(Want {
            half_depth,
            ..Want::new(0, WINDOW_MS, DISCARD_MS)
        })
    }

    pub(super) fn accept(&mut self, level: &Level, sample: &WindowSample) {
        self.levels_ln.push(level.of(sample.kept()));
        self.latencies_ns.push(
            sample
                .latency
                .as_ref()
                .and_then(|latency| latency.mean_ns()),
        );
    }

    /// Whether the rate did not move while the latency, where known, fell.
    pub(super) fn is_saturated(&self) -> bool {
        let [a, b, c, d] = self.levels_ln[..] else {
            return false;
        };
        let same_rate = ((a + d) / 2.0 - (b + c) / 2.0).abs() < RATE_MARGIN_LN;
        let halved = match self.latencies_ns[..] {
            [Some(a), Some(b), Some(c), Some(d)] => b + c < LATENCY_SHARE * (a + d),
            _ => true,
        };
        same_rate && halved
    }

    pub(super) fn left_ms(&self) -> u64 {
        (HALF.len() - self.levels_ln.len().min(HALF.len())) as u64 * WINDOW_MS
    }
}
