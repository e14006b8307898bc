//! A budget that ends at any moment: no window after it, no win without its hold-out, and no number that is not proved.

use super::*;
use crate::deadline::Deadline;
use crate::{Ask, VerdictStage};
use model::verdict::Reason;

/// Time that a window takes beside its own length on this driver's clock, ms.
const OVERHEAD_MS: u64 = 30;

/// Runs against a clock that ends after so long, of which the experiment is told or not; gives the verdict, the time it took
/// and the stage that was cut.
fn run_until(
    (end_ms, tells): (u64, bool),
    plan: ExperimentPlan,
    scenario: &Scenario,
    effects: &[f64],
) -> (Verdict, u64, Option<VerdictStage>) {
    let effects_ln: Vec<f64> = effects.iter().map(|effect| effect.ln_1p()).collect();
    let mut device = Device::new(scenario, &effects_ln, plan.seed);
    let mut experiment = Experiment::new(plan).unwrap();
    let mut deadline = Deadline::new(end_ms * 1_000_000, 1_000);
    let (mut now_ms, mut cut) = (0, None);
    loop {
        if tells {
            experiment.reckon_with(deadline.windows_left_ms(now_ms * 1_000_000));
        }
        match experiment.ask() {
            Ask::Done(verdict) => return (*verdict, now_ms, cut),
            Ask::Window(window) if !deadline.fits(now_ms * 1_000_000, &window) => {
                cut = Some(window.stage);
                experiment.end_early();
            }
            Ask::Window(window) => {
                let begin_ms = now_ms;
                now_ms += window.duration_ms + if window.id == 1 { 1_000 } else { OVERHEAD_MS };
                let rates = device.run(window.arm, window.duration_ms);
                experiment.tell(measured(&window, rates)).unwrap();
                deadline.learn(begin_ms * 1_000_000, now_ms * 1_000_000, &window);
            }
        }
    }
}

#[test]
fn a_tune_ends_with_its_budget_and_claims_nothing_then() {
    use VerdictStage::{Audit, Calibrate, Headroom, Holdout, Pairs, Race, Settle};
    assert_eq!(
        stages_cut(false),
        [Audit, Calibrate, Headroom, Holdout, Pairs, Race, Settle],
        "every stage was cut"
    );
    assert_eq!(
        stages_cut(true),
        [Calibrate, Headroom, Pairs, Race, Settle],
        "what follows a decision fits into the time that the driver tells"
    );
}

/// Runs with clocks that end at many moments, and gives the stages that were cut.
fn stages_cut(tells: bool) -> Vec<VerdictStage> {
    let cases: [(usize, Class, &str, &[f64]); 5] = [
        (2, Class::Fast, "quiet_nvme", &[0.0, 0.1]),
        (2, Class::Fast, "quiet_nvme", &[0.0, 0.0]),
        // Takes a long time to settle, which makes every later window long.
        (2, Class::Fast, "debt_1s", &[0.0, 0.2]),
        (3, Class::Fast, "ar_ssd", &[0.0, 0.1, 0.2]),
        (2, Class::Slow, "quiet_nvme", &[0.0, 0.1]),
    ];
    let mut seen = Vec::new();
    for (arms, class, name, effects) in cases {
        let plan = ExperimentPlan {
            can_halve_depth: class == Class::Fast,
            ..plan(arms, class, 11)
        };
        let step_ms = if class == Class::Slow { 20_000 } else { 900 };
        for end_ms in (0..80).map(|steps| steps * step_ms) {
            let (verdict, took_ms, cut) =
                run_until((end_ms, tells), plan.clone(), &scenario(name), effects);
            // The first window that takes longer than its length was not known to.
            assert!(
                took_ms <= end_ms + OVERHEAD_MS,
                "{name}: {took_ms} ms of {end_ms}"
            );
            let Some(stage) = cut else { continue };
            assert_eq!(
                (verdict.outcome, verdict.reason),
                (Outcome::Inconclusive, Reason::BudgetSpent),
                "{stage:?}"
            );
            assert_eq!(verdict.arm, "A", "what is set is kept");
            let is_named = verdict.effect.is_some() || verdict.compared.is_some();
            assert!(
                !is_named || stage == VerdictStage::Pairs,
                "{stage:?}: the number that stopped a race is no estimate"
            );
            let said = &verdict.sentence;
            let is_number = !["NaN", "inf"].iter().any(|word| said.contains(word));
            assert!(said.contains("--budget") && is_number, "{said}");
            seen.push(stage);
        }
    }
    seen.sort_by_key(|stage| format!("{stage:?}"));
    seen.dedup();
    seen
}

#[test]
fn an_experiment_that_is_over_stays_as_it_is() {
    let end = |early: bool| {
        let mut device = Device::new(&scenario("quiet_nvme"), &[0.0, 0.1], 3);
        let mut experiment = Experiment::new(plan(2, Class::Fast, 3)).unwrap();
        while let Ask::Window(window) = experiment.ask() {
            experiment
                .tell(measured(
                    &window,
                    device.run(window.arm, window.duration_ms),
                ))
                .unwrap();
        }
        if early {
            experiment.end_early();
        }
        experiment.ask()
    };
    let (Ask::Done(one), Ask::Done(other)) = (end(false), end(true)) else {
        panic!("not over")
    };
    assert_eq!(one.outcome, Outcome::Better);
    assert_eq!(one, other);
}
