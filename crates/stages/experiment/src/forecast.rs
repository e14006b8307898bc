//! How many more pairs or blocks the noise seen so far will ask for.

use stats::Estimate;

use super::conclude::Detectable;

/// Pairs or blocks from which their own noise is known well enough to say that the time cannot suffice.
const KNOWN_COUNT: usize = 20;
/// Pairs or blocks from one such look to the next.
const LOOK_EVERY: usize = 4;

/// The noise of a comparison of one arm with the default, and what a pair or block of it costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecast {
    estimate: Estimate,
    deviation_ln: f64,
    log_boundary: f64,
    block_ms: u64,
}

impl Forecast {
    /// From the estimate so far, at this error probability, with pairs or blocks of this length.
    pub(super) fn new(estimate: Estimate, alpha: f64, block_ms: u64) -> Self {
        Forecast {
            estimate,
            deviation_ln: estimate.error * (estimate.count.max(1) as f64).sqrt(),
            // The logarithm inside the boundary where it is tightest.
            log_boundary: (9.0 / (alpha * alpha)).ln(),
            block_ms: block_ms.max(1),
        }
    }

    /// Whether it is time to ask if the time suffices.
    pub(super) fn is_due(count: usize) -> bool {
        count >= KNOWN_COUNT && count.is_multiple_of(LOOK_EVERY)
    }

    /// Pairs or blocks that show an effect of this size, from the first one on.
    pub(super) fn blocks_to_show(&self, effect_ln: f64) -> f64 {
        let noise = self.deviation_ln / effect_ln.max(1e-9);
        self.log_boundary * (1.0 + noise * noise)
    }

    /// Whether they fit into what is left, in milliseconds, behind those that there are.
    pub(super) fn fits(&self, effect_ln: f64, left_ms: u64) -> bool {
        let count = self.estimate.count as f64 + (left_ms / self.block_ms) as f64;
        self.blocks_to_show(effect_ln) <= count
    }

    /// The largest effect that the arm may plausibly have: one error above the estimate.
    pub(super) fn hope_ln(&self) -> f64 {
        self.estimate.centre + self.estimate.error
    }

    /// How far below `rope_ln` the arm may plausibly lie.
    pub(super) fn hope_below_ln(&self, rope_ln: f64) -> f64 {
        rope_ln - self.estimate.centre + self.estimate.error
    }

    /// The same in either direction.
    pub(super) fn hope_either_ln(&self) -> f64 {
        self.estimate.centre.abs() + self.estimate.error
    }

    /// Device time that shows an effect of this size, in milliseconds.
    pub(super) fn enough_ms(&self, effect_ln: f64) -> u64 {
        (self.blocks_to_show(effect_ln) * self.block_ms as f64) as u64
    }

    /// The smallest effect that so much device time could show, in milliseconds.
    pub(super) fn detectable(&self, pairs_ms: u64) -> Detectable {
        let blocks = (pairs_ms / self.block_ms).max(1) as f64;
        Detectable {
            pairs_ms,
            least_ln: self.deviation_ln * (self.log_boundary / blocks).sqrt(),
        }
    }
}
