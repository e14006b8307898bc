//! An experiment that only selects: it ends with the comparison, claims nothing, and names what to take along.

use super::{Class, plan, run, scenario};
use crate::ExperimentPlan;
use model::verdict::{ArmResult, Outcome, Reason, Verdict, VerdictStage};

fn selecting(arms: usize, seed: u64) -> ExperimentPlan {
    ExperimentPlan {
        only_selects: true,
        ..plan(arms, Class::Fast, seed)
    }
}

fn selected(name: &str, effects: &[f64], seed: u64) -> Verdict {
    let plan = selecting(effects.len(), seed);
    run(plan, &scenario(name), effects, seed)
}

#[test]
fn what_is_ahead_is_named_and_nothing_is_claimed() {
    for seed in 0..20 {
        let two = selected("quiet_nvme", &[0.0, 0.1], seed);
        let many = selected("ar_ssd", &[0.0, -0.05, 0.2, 0.05], seed);
        for (verdict, arm) in [(&two, "B"), (&many, "C")] {
            assert_eq!(verdict.reason, Reason::Selected, "{}", verdict.sentence);
            assert_eq!(verdict.arm, arm, "{}", verdict.sentence);
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert!(!verdict.is_decided() && verdict.effect.is_some());
            let is_after = |stage| matches!(stage, VerdictStage::Audit | VerdictStage::Holdout);
            assert!(!verdict.stages.iter().any(|cost| is_after(cost.stage)));
        }
    }
}

#[test]
fn the_default_stays_where_nothing_is_ahead() {
    let (mut ahead, runs) = (0, 60);
    for seed in 0..runs {
        let equal = selected("quiet_nvme", &[0.0, 0.0], seed);
        ahead += u64::from(equal.arm != "A");
        let worse = selected("ar_ssd", &[0.0, -0.1, -0.2], seed);
        assert_eq!(worse.arm, "A", "{}", worse.sentence);
    }
    assert!(ahead <= 3, "{ahead} of {runs}");
}

/// Better arms that nothing tells apart are still better: whichever stage the time ends in, nothing is left undecided where an
/// arm excludes no effect.
#[test]
fn one_of_several_equal_winners_is_taken_along_when_the_time_is_over() {
    let mut taken_along = 0;
    for (device, whole_ms) in [
        ("quiet_nvme", 10_000),
        ("gc_regime", 20_000),
        ("gc_regime", 32_000),
    ] {
        for seed in 0..20 {
            let plan = ExperimentPlan {
                budget_ms: whole_ms - 4_000,
                whole_ms,
                ..selecting(4, seed)
            };
            let verdict = run(plan, &scenario(device), &[0.0, 9.0, 9.005, 9.01], seed);
            assert!(verdict.device_ms <= whole_ms, "{}", verdict.device_ms);
            let is_ahead = |arm: &ArmResult| arm.low.is_some_and(|low| low > 0.0);
            let is_selected = verdict.reason == Reason::Selected && verdict.arm != "A";
            let racing = verdict.arms.iter().filter(|arm| !arm.dropped);
            let ahead = racing.filter(|arm| is_ahead(arm)).count();
            assert!(
                is_selected || ahead == 0,
                "{device} {seed}: {}",
                verdict.sentence
            );
            taken_along += usize::from(is_selected && ahead > 1);
        }
    }
    assert!(taken_along > 0, "no race ended with several that are level");
}

#[test]
fn selecting_takes_less_time_than_proving() {
    let mut ratio = 0.0;
    for seed in 0..10 {
        let effects = [0.0, 0.05];
        let proved = run(
            plan(2, Class::Fast, seed),
            &scenario("cloud"),
            &effects,
            seed,
        );
        ratio += selected("cloud", &effects, seed).device_ms as f64 / proved.device_ms as f64;
    }
    assert!(ratio / 10.0 < 0.6, "{}", ratio / 10.0);
}

/// A switch that outlasts every short window is measured by blocks, in which a selection claims no more than elsewhere.
#[test]
fn a_selection_by_blocks_claims_nothing_either() {
    let plan = ExperimentPlan {
        only_selects: true,
        ..plan(2, Class::Slow, 3)
    };
    let verdict = run(plan, &scenario("quiet_nvme"), &[0.0, 0.3], 3);
    assert_eq!(
        (verdict.reason, verdict.outcome, verdict.arm.as_str()),
        (Reason::Selected, Outcome::Inconclusive, "B"),
        "{}",
        verdict.sentence
    );
}

/// Where the time ends after a few blocks, a large effect is taken along all the same, and nothing else more often than its
/// error probability says.
#[test]
fn few_blocks_are_enough_for_a_large_effect() {
    let (mut found, mut ahead, runs) = (0, 0, 60);
    for seed in 0..runs {
        let plan = ExperimentPlan {
            budget_ms: 13_000,
            whole_ms: 17_000,
            ..selecting(4, seed)
        };
        let of = |effects: &[f64]| run(plan.clone(), &scenario("gc_regime"), effects, seed);
        found += u64::from(of(&[0.0, 2.0, 2.0, 2.0]).arm != "A");
        ahead += u64::from(of(&[0.0, 0.0, 0.0, 0.0]).arm != "A");
    }
    assert!(found >= 57, "{found} of {runs}");
    assert!(ahead <= 4, "{ahead} of {runs}");
}
