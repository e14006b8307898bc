//! One run of a cell, in this process or through `iodyno judge` over pipes, marked against the truth.

use experiment::{Experiment, ForeignIo, OwnAndOthers, Window, WindowReport};
use model::verdict::{Outcome, Reason, Verdict};
use simulator::Device;

use crate::cell::{Arms, Cell, Table};
use crate::judge;

/// What one run gave.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What was concluded.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
    /// Device time, in milliseconds.
    pub device_ms: u64,
    /// Excluded carry-over, in milliseconds.
    pub horizon_ms: u64,
    /// Whether carry-over was excluded as far as the declared memory reaches.
    pub is_lasting: bool,
    /// A win in the wrong direction, or where no arm differs in the long run.
    pub is_wrong_win: bool,
    /// The arm named is the best, or within 2 % of it where there are many.
    pub is_right: bool,
    /// Whether the reported interval of a verdict holds the truth.
    pub covers: Option<bool>,
    /// Estimate less truth, on the logarithmic scale.
    pub bias_ln: Option<f64>,
}

impl Trial {
    /// Whether something is claimed for short residences alone.
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Better | Outcome::Equal) && !self.is_lasting
    }
}

/// Runs a cell once.
pub fn run(cell: &Cell, number: u64, judge_path: Option<&str>) -> Result<Trial, String> {
    let effects_ln = cell.effects_ln(number);
    let mut device = Device::new(&cell.scenario, &effects_ln, cell.seed(number));
    let measure = |window: &Window| {
        if window.fresh {
            device.restart();
        }
        let rates = device.run(window.arm, window.duration_ms);
        let foreign = foreign(&device, window, &rates);
        WindowReport::Measured {
            id: window.id,
            rates,
            latency: None,
            foreign,
        }
    };
    let plan = cell.plan(number);
    let verdict = match judge_path {
        Some(path) => judge::run(path, &plan, measure)?,
        None => {
            let experiment = Experiment::new(plan).map_err(|error| error.to_string())?;
            experiment::drive(experiment, measure).map_err(|error| error.to_string())?
        }
    };
    let lasting_ln: Vec<f64> = effects_ln
        .iter()
        .map(|effect_ln| cell.scenario.lasting_ln(*effect_ln))
        .collect();
    mark(cell, &lasting_ln, &verdict)
}

/// What the neighbour did in the kept part of a window, if the device has one.
fn foreign(device: &Device, window: &Window, rates: &[f64]) -> Option<ForeignIo> {
    let discarded = (window.discard_ms / 10) as usize;
    let others = stats::mean(
        device
            .foreign()
            .get(discarded..)
            .filter(|kept| !kept.is_empty())?,
    );
    let own = stats::mean(&rates[discarded..]);
    Some(ForeignIo {
        share: others / (others + own),
        per_second: Some(OwnAndOthers { own, others }),
    })
}

fn mark(cell: &Cell, effects_ln: &[f64], verdict: &Verdict) -> Result<Trial, String> {
    let number = |name: &str| {
        let digits = name
            .strip_prefix("arm")
            .and_then(|digits| digits.parse::<usize>().ok());
        digits
            .filter(|arm| *arm < effects_ln.len())
            .ok_or_else(|| format!("unknown arm {name}"))
    };
    let arm = number(&verdict.arm)?;
    let best_ln = effects_ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // What is said to hold for short residences alone is no win, and no equality either.
    let is_lasting = verdict.is_lasting();
    let wins = verdict.outcome == Outcome::Better && is_lasting;
    let rival_ln = effects_ln[1..]
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let lead_ln = if arm == 0 {
        effects_ln[0] - rival_ln
    } else {
        effects_ln[arm] - effects_ln[0]
    };
    let is_wrong_win = wins && (lead_ln <= 0.0 || cell.table == Table::Robbed);
    let is_right = match cell.arms {
        Arms::Two(_) if cell.table == Table::Robbed => verdict.reason == Reason::ForeignIo,
        Arms::Two(0.0) => verdict.outcome == Outcome::Equal && is_lasting,
        Arms::Two(_) => wins && effects_ln[arm] == best_ln,
        Arms::Drawn(..) => effects_ln[arm] >= best_ln - 0.02f64.ln_1p() - 1e-9,
    };
    let compared = verdict.compared.as_deref().map(number).transpose()?;
    let truth_ln = compared.map(|arm| effects_ln[arm] - effects_ln[0]);
    let claims = matches!(verdict.outcome, Outcome::Better | Outcome::Equal);
    let covers = truth_ln
        .zip(verdict.low.zip(verdict.high))
        .filter(|_| claims);
    Ok(Trial {
        outcome: verdict.outcome,
        reason: verdict.reason,
        device_ms: verdict.device_ms,
        horizon_ms: verdict.horizon_ms,
        is_lasting,
        is_wrong_win,
        is_right,
        covers: covers.map(|(truth, (low, high))| low.ln_1p() <= truth && truth <= high.ln_1p()),
        bias_ln: truth_ln
            .zip(verdict.effect)
            .filter(|_| wins)
            .map(|(truth, effect)| effect.ln_1p() - truth),
    })
}
