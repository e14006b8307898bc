//! How long a race of several arms goes on.

use model::verdict::{Reason, VerdictStage};

use super::{Class, plan, run, scenario};

#[test]
fn a_race_that_is_open_goes_on_while_a_proof_fits_behind_it() {
    let plan = plan(6, Class::Fast, 7).within(120_000);
    let own_ms = plan.budget_ms;
    let verdict = run(plan, &scenario("cloud"), &[0.0; 6], 7);
    let race = verdict
        .stages
        .iter()
        .find(|cost| cost.stage == VerdictStage::Race)
        .expect("a race was run");
    assert_eq!(verdict.reason, Reason::DefaultIsBest);
    assert!(race.device_ms > own_ms, "{} of {own_ms} ms", race.device_ms);
    assert!(verdict.device_ms <= 120_000);
}

#[test]
fn a_race_that_the_noise_keeps_open_ends_early_and_says_what_would_do() {
    let plan = plan(4, Class::Fast, 1).within(180_000);
    let verdict = run(plan, &scenario("hdd_low"), &[0.0; 4], 1);
    let said = &verdict.sentence;
    assert_eq!(verdict.reason, Reason::TooNoisy, "{said}");
    assert!(
        said.contains("--budget ") && said.ends_with("m would show one of +2.0 %."),
        "{said}"
    );
    assert!(verdict.smallest_detectable > Some(0.02) && verdict.device_ms < 120_000);
    assert!(verdict.effect.is_some() && verdict.arms.len() == 3);
}
