//! The layers of the last hour, by the second: what a heat map over time is drawn from.

use super::Tracing;
use super::store::RECENT_NS;
use model::layers::LayerTimes;
use std::collections::VecDeque;

/// Time between two columns, ns.
const STEP_NS: i64 = 1_000_000_000;

/// What each second added to the layers.
#[derive(Debug)]
pub struct LayerHistory {
    tracing: Tracing,
    last: Option<(i64, LayerTimes)>,
    steps: VecDeque<LayerStep>,
}

/// The I/Os that were completed in some time.
#[derive(Clone, Debug)]
pub struct LayerStep {
    /// Beginning, ns on the sampler's clock.
    pub from_ns: i64,
    /// End, ns.
    pub to_ns: i64,
    /// Their times by layer.
    pub times: LayerTimes,
}

impl LayerHistory {
    /// Of programs at work, or of none.
    pub fn new(tracing: Tracing) -> Self {
        LayerHistory { tracing, last: None, steps: VecDeque::new() }
    }

    /// Why there is nothing to see, when there is nothing.
    pub fn no_data(&self) -> Option<&str> {
        self.tracing.layers().err()
    }

    /// Reads the programs when a second has passed since the last time.
    pub fn sample(&mut self, now_ns: i64) {
        if self.last.as_ref().is_some_and(|(last_ns, _)| now_ns - last_ns < STEP_NS) {
            return;
        }
        let Some(now) = self.tracing.read() else { return };
        if let Some((from_ns, before)) = self.last.take() {
            self.steps.push_back(LayerStep { from_ns, to_ns: now_ns, times: now.since(&before) });
        }
        self.last = Some((now_ns, now));
        while self.steps.front().is_some_and(|step| step.to_ns < now_ns - RECENT_NS) {
            self.steps.pop_front();
        }
    }

    /// The steps that end in some time, the oldest first.
    pub fn steps(&self, from_ns: i64, to_ns: i64) -> impl Iterator<Item = &LayerStep> {
        self.steps.iter().filter(move |step| step.to_ns > from_ns && step.to_ns <= to_ns)
    }
}
