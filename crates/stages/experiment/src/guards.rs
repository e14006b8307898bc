//! A guard that watches every window: a cap that throttles both arms.

use super::plan::ExperimentPlan;
use super::sample::{Level, WindowSample};
use super::window::BIN_MS;
use model::metric::Better;
use model::verdict::VerdictStage;

/// Length of the chunks in which level and noise are compared, in values of the metric.
const CHUNK_VALUES: usize = 8;
/// Chunks of an arm that make its baseline, and recent chunks that are judged against it.
const BASELINE_CHUNKS: usize = 10;
const RECENT_CHUNKS: usize = 24;
/// A fall to three quarters, on the logarithmic scale.
const STEP_LN: f64 = -0.29;
/// A token bucket that ran dry also takes the noise away.
const CALM_SHARE: f64 = 0.34;
/// In-chunk deviation below which the rate is pinned at a constant.
const PINNED_LN: f64 = 0.002;
/// Device time without a completion after which the disk counts as dead.
const IDLE_MS: u64 = 10_000;

/// Level and in-chunk deviation of one arm's first chunks, then their medians.
#[derive(Clone, Debug, Default)]
struct Baseline {
    levels_ln: Vec<f64>,
    deviations_ln: Vec<f64>,
}

/// Watches for a cap: every arm steps down together and the noise collapses.
#[derive(Clone, Debug)]
pub(super) struct CapWatch {
    /// Bins for which one value of the metric stands.
    grain_bins: usize,
    /// Whether the metric is a rate, which can stand still and be pinned by a limiter.
    is_rate: bool,
    baselines: Vec<Baseline>,
    recent: Vec<(f64, f64)>,
    chunks: usize,
    pinned: usize,
    idle_ms: u64,
}

impl CapWatch {
    pub(super) fn new(plan: &ExperimentPlan) -> CapWatch {
        CapWatch {
            grain_bins: (plan.metric.grain_ms / BIN_MS).max(1) as usize,
            is_rate: plan.metric.better == Better::Higher,
            baselines: Vec::new(),
            recent: Vec::new(),
            chunks: 0,
            pinned: 0,
            idle_ms: 0,
        }
    }

    pub(super) fn observe(&mut self, level: &Level, sample: &WindowSample) {
        // Settle windows keep the hole after the switch, which is no baseline; their late half is clean.
        let skip = if sample.stage == VerdictStage::Settle {
            sample.rates.len() / 2
        } else {
            0
        };
        let kept = sample.kept();
        self.idle_ms = match sample.rates.iter().all(|rate| *rate == 0.0) {
            true => self.idle_ms + sample.duration_ms,
            false => 0,
        };
        let values: Vec<f64> = kept[skip.min(kept.len())..]
            .iter()
            .step_by(self.grain_bins)
            .copied()
            .collect();
        let chunks = values.chunks_exact(CHUNK_VALUES);
        // A chunk without a completion is a stall, which no cap makes.
        for chunk in chunks.filter(|chunk| chunk.iter().any(|rate| *rate > 0.0)) {
            let logs: Vec<f64> = chunk.iter().map(|rate| level.ln(*rate)).collect();
            self.observe_chunk(
                sample.arm,
                stats::mean(&logs),
                stats::standard_deviation(&logs),
            );
        }
    }

    fn observe_chunk(&mut self, arm: usize, level_ln: f64, deviation_ln: f64) {
        self.chunks += 1;
        self.pinned += usize::from(deviation_ln < PINNED_LN);
        if self.baselines.len() <= arm {
            self.baselines.resize_with(arm + 1, Baseline::default);
        }
        let baseline = &mut self.baselines[arm];
        if baseline.levels_ln.len() < BASELINE_CHUNKS {
            baseline.levels_ln.push(level_ln);
            baseline.deviations_ln.push(deviation_ln);
            return;
        }
        let calm = deviation_ln / stats::median(&baseline.deviations_ln).max(1e-6);
        self.recent
            .push((level_ln - stats::median(&baseline.levels_ln), calm));
        if self.recent.len() > RECENT_CHUNKS {
            self.recent.remove(0);
        }
    }

    /// Whether the recent chunks show a cap that the first ones did not.
    pub(super) fn is_capped(&self) -> bool {
        let levels: Vec<f64> = self.recent.iter().map(|(level, _)| *level).collect();
        let calms: Vec<f64> = self.recent.iter().map(|(_, calm)| *calm).collect();
        self.recent.len() == RECENT_CHUNKS
            && stats::median(&levels) < STEP_LN
            && stats::median(&calms) < CALM_SHARE
    }

    /// Whether nothing has been completed for so long that it is no stall any more.
    pub(super) fn is_idle(&self) -> bool {
        self.is_rate && self.idle_ms >= IDLE_MS
    }

    /// Whether the rate hardly moves from bin to bin in the whole run, as only a limiter makes it.
    pub(super) fn is_pinned(&self) -> bool {
        self.is_rate && self.chunks >= 32 && self.pinned * 20 > self.chunks * 19
    }
}
