//! Carry-over spoils data; how to gather them again with a longer washout, and when to give up.

use model::verdict::Reason;

use super::after::done;
use super::calibrate::Calibrate;
use super::conclude::{self, Finding};
use super::phase::{Claim, Phase};
use super::run::{Carryover, ExperimentRun};
use super::settle::{Reach, Settle};
use super::slow::{BLOCKS_MAX, BLOCKS_MIN, Slow};

/// As many arms as the slow design compares.
const ARMS_SLOW_MAX: u64 = 4;
/// The most that is kept of a window behind its washout, in milliseconds.
const KEPT_MAX_MS: u64 = 4_000;
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

/// Goes on behind a washout that outlasts the carry-over, or gives up.
pub(super) fn outlast(run: &mut ExperimentRun, carried: &Carryover) -> Phase {
    let washout_ms = (4 * carried.tau_ms).max(2 * run.washout_ms);
    promoted(run, washout_ms).unwrap_or_else(|| {
        let finding = Finding::refused(Reason::CarryOver, carried.detail.as_str());
        done(run, carried.arms.clone(), finding)
    })
}

/// Goes on where a switch had not settled in windows of this length, or gives up.
pub(super) fn unsettled(run: &mut ExperimentRun, length_ms: u64) -> Phase {
    promoted(run, 2 * length_ms).unwrap_or_else(|| {
        let detail = format!(
            "the rate still moves {} after it, and the budget has no room for windows that outlast that",
            conclude::tau(length_ms / 2)
        );
        let finding = Finding::refused(Reason::SlowToSettle, detail);
        done(run, Vec::new(), finding)
    })
}

/// Treats the knob as a slow one, in windows behind such a washout, where the time has room for its blocks. Fewer than a
/// sequential test needs are enough, since their number is fixed beforehand.
fn promoted(run: &mut ExperimentRun, washout_ms: u64) -> Option<Phase> {
    let arms = run.plan.arms.len() as u64;
    let least_ms = washout_ms * 5 / 4;
    // The more of a window is kept, the less it is at the mercy of chance.
    let window_ms = (run.left_ms() / (arms * BLOCKS_MAX as u64))
        .min(washout_ms + KEPT_MAX_MS)
        .max(least_ms);
    let has_room = arms <= ARMS_SLOW_MAX && window_ms * arms * BLOCKS_MIN as u64 <= run.left_ms();
    has_room.then(|| {
        drop_data(run, washout_ms);
        run.washout_ms = run.plan.metric.whole_grains_ms(washout_ms);
        run.window_ms = run.plan.metric.whole_grains_ms(window_ms);
        Phase::Slow(Slow::new(run, run.left_ms()))
    })
}

/// Drops the data and gathers them anew behind a longer washout.
pub(super) fn again(run: &mut ExperimentRun, washout_ms: u64) -> Phase {
    drop_data(run, washout_ms);
    calibrate(run, washout_ms)
}

/// What was measured is of no use; the second look costs half the error probability.
fn drop_data(run: &mut ExperimentRun, washout_ms: u64) {
    run.attempts += 1;
    run.alpha /= 2.0;
    run.notes.push(format!(
        "Carry-over was found; data dropped, washout lengthened to {washout_ms} ms."
    ));
    run.attempt_row = run.rows.len();
    run.attempt_residence = run.residences.len();
    run.latencies.clear();
}
