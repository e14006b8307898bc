//! Carry-over spoils data; how to gather them again with a longer washout, and when to give up.

use model::verdict::Reason;

use super::after::done;
use super::calibrate::Calibrate;
use super::conclude::{self, Finding};
use super::phase::{Claim, Phase};
use super::run::{Carryover, ExperimentRun};
use super::settle::{Reach, Settle};

/// Data may be dropped and gathered with a longer washout this often.
const ATTEMPTS_MAX: usize = 3;
/// Blocks without which no sequential decision falls.
const BLOCKS_LEAST: u64 = 12;
/// Windows of the second settle probe, and the longest time constant for which it is worth its time.
const PROBE_MS: u64 = 1_280;
const PROBE_TAU_MS: u64 = 1_000;

/// Sets the windows for a washout and starts over with fresh data.
pub(super) fn calibrate(run: &mut ExperimentRun, washout_ms: u64) -> Phase {
    run.washout_ms = run
        .plan
        .metric
        .whole_grains_ms(washout_ms.max(run.plan.washout_min_ms()));
    let kept_ms =
        (run.plan.min_completions as f64 * 1e3 / run.rate_now.max(1e-3)).min(60_000.0) as u64;
    let window_ms = (run.plan.window_min_ms())
        .max(run.washout_ms * 5 / 2)
        .max(run.washout_ms + kept_ms);
    run.window_ms = run.plan.metric.whole_grains_ms(window_ms);
    run.attempt_row = run.rows.len();
    run.attempt_residence = run.residences.len();
    run.latencies.clear();
    Phase::Calibrate(Calibrate::default())
}

/// Decides what to do about carry-over. If it is quick, it may be a drain longer than the settle probe's first windows, which
/// a longer probe measures better than the audit can.
pub(super) fn carried(
    run: &mut ExperimentRun,
    claim: &Claim,
    tau_ms: u64,
    lasting_ln: f64,
) -> Phase {
    let change = |gain_ln| conclude::change(&run.plan.metric, gain_ln);
    let detail = format!(
        "{} in short windows, about {} once it has acted for a while (time constant near {}); declare the knob slow",
        change(claim.short.centre),
        change(lasting_ln),
        conclude::tau(tau_ms)
    );
    let carried = Carryover {
        tau_ms,
        detail,
        arms: claim.arms.clone(),
    };
    if run.attempts == 0 && tau_ms <= PROBE_TAU_MS {
        run.carried = Some(carried);
        let tolerance_ln = run.plan.rope_ln() / 4.0;
        let washout_min_ms = run.washout_ms;
        let reach = Reach {
            first_ms: PROBE_MS,
            longest_ms: PROBE_MS,
            washout_min_ms,
            tolerance_ln,
        };
        return Phase::Settle(Settle::new(run, reach));
    }
    outlast(run, &carried)
}

/// Tries again with a washout that outlasts the carry-over, if the budget has room for such windows.
pub(super) fn outlast(run: &mut ExperimentRun, carried: &Carryover) -> Phase {
    let washout_ms = (4 * carried.tau_ms).max(2 * run.washout_ms);
    let block_ms = washout_ms * 5 / 2 * run.plan.arms.len() as u64;
    if run.attempts + 1 < ATTEMPTS_MAX && block_ms * BLOCKS_LEAST <= run.plan.budget_ms {
        return again(run, washout_ms);
    }
    done(
        run,
        carried.arms.clone(),
        Finding::refused(Reason::CarryOver, carried.detail.as_str()),
    )
}

/// Drops the data and gathers them anew; the second look costs half the error probability.
pub(super) fn again(run: &mut ExperimentRun, washout_ms: u64) -> Phase {
    run.attempts += 1;
    run.alpha /= 2.0;
    run.notes.push(format!(
        "Carry-over was found; data dropped, washout lengthened to {washout_ms} ms."
    ));
    calibrate(run, washout_ms)
}
