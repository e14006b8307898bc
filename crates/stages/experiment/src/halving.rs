//! Successive halving ahead of a race of very many arms: a cheap cut to eight that claims nothing by itself.

use super::run::ExperimentRun;

const ARMS_MAX: usize = 16;
const FINALISTS: usize = 8;
const BUDGET_MS: u64 = 30_000;

/// Progress of the halving.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    rounds: u64,
    blocks: u64,
    levels_ln: Vec<Vec<f64>>,
}

impl Halving {
    /// Needed only above sixteen arms.
    pub(super) fn if_needed(run: &ExperimentRun) -> Option<Self> {
        let arms = run.plan.arms.len();
        let rounds = (arms as f64 / FINALISTS as f64).log2().ceil() as u64;
        (arms > ARMS_MAX).then(|| Halving {
            rounds,
            blocks: 0,
            levels_ln: vec![Vec::new(); arms],
        })
    }

    pub(super) fn finalists(&self) -> usize {
        FINALISTS
    }

    /// Adds a block of levels.
    pub(super) fn add(&mut self, alive: &[usize], levels_ln: &[f64]) {
        self.blocks += 1;
        let centre = stats::median(&alive.iter().map(|arm| levels_ln[*arm]).collect::<Vec<_>>());
        alive
            .iter()
            .for_each(|arm| self.levels_ln[*arm].push(levels_ln[*arm] - centre));
    }

    pub(super) fn is_round_over(&self, run: &ExperimentRun, alive: usize) -> bool {
        self.blocks >= (BUDGET_MS / self.rounds / (alive as u64 * run.window_ms)).max(3)
    }

    /// The better half, and the default whatever its rank: every claim is made against it.
    pub(super) fn survivors(&mut self, alive: &[usize]) -> Vec<usize> {
        let mut ranked: Vec<(f64, usize)> = alive
            .iter()
            .map(|arm| (stats::huber(&self.levels_ln[*arm]), *arm))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let half = alive.len().div_ceil(2).max(FINALISTS);
        let mut best: Vec<usize> = ranked.iter().take(half).map(|(_, arm)| *arm).collect();
        if !best.contains(&0) {
            best.pop();
            best.push(0);
        }
        best.sort_unstable();
        self.blocks = 0;
        self.levels_ln.iter_mut().for_each(Vec::clear);
        best
    }
}
