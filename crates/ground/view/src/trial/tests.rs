//! What is shown of trials that ended in every way.

use super::*;
use model::verdict::{ArmResult, ForeignArm, Guard, P99, PairRow, Reason};

fn verdict(outcome: Outcome, reason: Reason, arm: &str) -> Verdict {
    Verdict {
        outcome,
        arm: arm.into(),
        reason,
        sentence: "The noise is too large.".into(),
        metric: model::metric::ExperimentMetric::iops(),
        effect: Some(0.59),
        low: Some(0.57),
        high: Some(0.61),
        estimated_in: Some(VerdictStage::Holdout),
        compared: Some("none".into()),
        windows: 0,
        device_ms: 144_000,
        seed: 7,
        alpha: 0.05,
        rope: 0.02,
        window_ms: 120,
        washout_ms: 40,
        horizon_ms: 0,
        memory_ms: 0,
        raw_effect: None,
        lives_in_tail: false,
        smallest_detectable: None,
        p99: Some(P99 {
            ratio: 0.62,
            low: Some(0.6),
            high: Some(0.65),
            guard: Guard::Passed,
        }),
        arms: vec![ArmResult {
            arm: "none".into(),
            effect: Some(-0.12),
            low: None,
            high: None,
            dropped: true,
        }],
        foreign: vec![],
        stages: vec![],
        pairs: vec![PairRow {
            stage: VerdictStage::Holdout,
            arm: "none".into(),
            default_first: true,
            rate_default: 1.0,
            rate_arm: 1.6,
            effect_ln: 0.46,
        }],
        notes: vec![],
    }
}

fn trial(outcome: Outcome, reason: Reason, arm: &str) -> Trial {
    let arms = ["bfq".to_string(), "none".to_string()];
    let verdict = verdict(outcome, reason, arm);
    Trial {
        set: vec![],
        base: vec![],
        knob: "scheduler".into(),
        subject: None,
        mark: None,
        device: "vda".into(),
        summary: sentence("scheduler", &arms, &verdict),
        arms: arms.to_vec(),
        aa: false,
        skipped: None,
        verdict: Some(verdict),
        layers: vec![],
        figures: vec![],
        moved: None,
        windows: vec![],
    }
}

#[test]
fn a_win_names_both_values_the_interval_and_the_tail() {
    let won = TrialView::of(&trial(Outcome::Better, Reason::Confirmed, "none"));
    assert_eq!(
        won.sentence,
        "scheduler: bfq → none: +59 % IOPS (57 to 61), p99 −38 %."
    );
    assert_eq!(
        (won.standing, won.ending.as_str()),
        (Standing::Won, "none is better")
    );
    assert_eq!(won.claim.as_deref(), Some("+59 % (+57 % to +61 %)"));
    let proof = won.proof.unwrap();
    assert_eq!(
        (proof.pairs.as_str(), proof.cost.as_str()),
        (
            "1 fresh pairs after the choice was made",
            "2 min 24 s of device time"
        )
    );
    assert!(won.values[1].is_claimed && !won.values[0].is_claimed);
    assert_eq!(won.values[1].value, "B none");
    assert_eq!(won.values[1].interval, "+57 % to +61 %");
}

#[test]
fn what_is_not_won_says_so() {
    let equal = TrialView::of(&trial(Outcome::Equal, Reason::WithinRope, "bfq"));
    assert_eq!(equal.sentence, "scheduler: none equals bfq within 2.0 %.");
    assert_eq!(equal.standing, Standing::Equal);
    let mut lost = trial(Outcome::Better, Reason::DefaultWins, "bfq");
    let verdict = lost.verdict.as_mut().unwrap();
    verdict.effect = Some(-0.2);
    let fresh = sentence("scheduler", &lost.arms, verdict);
    assert_eq!(
        fresh, "scheduler: nothing beats bfq: none −20 %",
        "fresh pairs say it"
    );
    verdict.compared = None;
    lost.summary = sentence("scheduler", &lost.arms, verdict);
    let lost = TrialView::of(&lost);
    assert_eq!(lost.sentence, "scheduler: nothing beats bfq: none −12 %.");
    assert_eq!(lost.ending, "what is set is best");
    let refused = TrialView::of(&trial(Outcome::Refused, Reason::TooNoisy, "bfq"));
    assert_eq!(
        refused.sentence,
        "scheduler: no verdict. The noise is too large."
    );
    assert_eq!(
        (refused.standing, refused.claim),
        (Standing::Undecided, None)
    );
    assert_eq!(refused.values[1].remark, "dropped: another arm beat it");
    let untried = Trial {
        skipped: Some("direct I/O does not use it".into()),
        verdict: None,
        ..trial(Outcome::Refused, Reason::TooNoisy, "bfq")
    };
    assert_eq!(
        TrialView::of(&untried).sentence,
        "scheduler: not tried, direct I/O does not use it."
    );
}

#[test]
fn a_control_without_writes_wins_nothing() {
    let control = Trial {
        aa: true,
        ..trial(Outcome::Better, Reason::Confirmed, "none")
    };
    let view = TrialView::of(&control);
    assert_eq!(view.standing, Standing::Undecided);
    assert_eq!(view.ending, "none, nothing was switched (--aa)");
    assert!(control.win().is_none());
    let both = [control, trial(Outcome::Better, Reason::Confirmed, "none")];
    assert_eq!(
        tune_sentence(&both),
        "scheduler: bfq → none: +59 % IOPS (57 to 61), p99 −38 %"
    );
    assert_eq!(tune_sentence(&[]), "no knob was tried");
}

#[test]
fn others_are_told_of_where_they_did_enough() {
    let told = |shares: &[(&str, f64, Option<f64>)]| {
        let mut one = trial(Outcome::Better, Reason::Confirmed, "none");
        let verdict = one.verdict.as_mut().unwrap();
        verdict.foreign = shares
            .iter()
            .map(|(arm, share, change)| ForeignArm {
                arm: (*arm).into(),
                share: *share,
                change: *change,
            })
            .collect();
        TrialView::of(&one).others.unwrap_or_default()
    };
    let with = |shares: &[(&str, f64)]| {
        let untold: Vec<_> = shares
            .iter()
            .map(|(arm, share)| (*arm, *share, None))
            .collect();
        told(&untold)
    };
    assert_eq!(
        with(&[("bfq", 0.762), ("none", 0.7)]),
        "others did 76 % of the device's I/O under bfq, 70 % under none"
    );
    assert_eq!(
        with(&[("a", 0.01), ("b", 0.2), ("c", 0.5)]),
        "others did 1 % to 50 % of the device's I/O, by value"
    );
    assert_eq!(with(&[("bfq", 0.04), ("none", 0.01)]), "");
    assert_eq!(
        told(&[("max", 0.914, None), ("1m", 0.12, Some(-0.97))]),
        "others did 91 % of the device's I/O under max, 12 % under 1m; theirs changed by −97 %"
    );
    assert_eq!(
        told(&[
            ("a", 0.5, None),
            ("b", 0.4, Some(-0.26)),
            ("c", 0.5, Some(0.01))
        ]),
        "others did 40 % to 50 % of the device's I/O, by value; theirs changed by −26 % under b, +1.0 % under c"
    );
    assert_eq!(
        told(&[("bfq", 0.5, None), ("none", 0.5, Some(0.02))]),
        "others did 50 % of the device's I/O under bfq, 50 % under none"
    );
}

#[test]
fn a_gain_that_is_not_shown_to_last_is_one_of_short_windows_and_stands_behind_others() {
    let mut open = verdict(Outcome::Better, Reason::Confirmed, "none");
    (open.memory_ms, open.horizon_ms) = (1_000, 250);
    let values = ["bfq".to_string(), "none".to_string()];
    let said = sentence("scheduler", &values, &open);
    let ends = "p99 −38 %; in windows of 120 ms, whether it lasts is not known";
    assert!(said.ends_with(ends), "{said}");
    let tried = |verdict: &Verdict, knob: &str| Trial {
        knob: knob.into(),
        arms: values.to_vec(),
        summary: sentence(knob, &values, verdict),
        verdict: Some(verdict.clone()),
        ..Trial::default()
    };
    let first = tried(&open, "scheduler");
    let view = TrialView::of(&first);
    let hidden = "not known whether the effect lasts longer than 1.0 s (too noisy)";
    assert_eq!(view.horizon.as_deref(), Some(hidden));
    assert_eq!(tune_sentence(std::slice::from_ref(&first)), said);
    let lasting = Verdict {
        horizon_ms: 2_000,
        ..open
    };
    let second = tried(&lasting, "nomerges");
    assert_eq!(
        TrialView::of(&second).horizon.as_deref(),
        Some("no fading seen up to 2.0 s")
    );
    assert_eq!(tune_sentence(&[first, second.clone()]), second.summary);
}
