//! Every way to refuse, each reached by a driver that gives cause for it.

use super::*;
use crate::{Ask, Failure, ForeignIo, OwnAndOthers, VerdictStage};
use model::histogram::Histogram;
use model::verdict::{Guard, Reason};
use simulator::Draw;

/// A plain disk as a rate: 3 % noise around `level`, per 10 ms.
fn noisy(draw: &mut Draw, window: &Window, level: f64) -> Vec<f64> {
    (0..window.duration_ms / 10)
        .map(|_| level * (0.03 * draw.normal()).exp())
        .collect()
}

/// Drives a two-arm plan with a function of window and elapsed time.
fn refuse(
    plan: ExperimentPlan,
    mut measure: impl FnMut(&Window, u64, &mut Draw) -> WindowReport,
) -> Verdict {
    let mut draw = Draw::new(plan.seed);
    let mut elapsed_ms = 0;
    let experiment = Experiment::new(plan).unwrap();
    let told = |window: &Window| {
        let told = measure(window, elapsed_ms, &mut draw);
        elapsed_ms += window.duration_ms;
        told
    };
    drive(experiment, told).unwrap()
}

fn reason_of(measure: impl FnMut(&Window, u64, &mut Draw) -> WindowReport) -> Reason {
    let verdict = refuse(plan(2, Class::Fast, 5), measure);
    assert!(verdict.sentence.len() > 20, "{}", verdict.sentence);
    verdict.reason
}

#[test]
fn a_token_bucket_that_runs_dry_is_throttling() {
    let reasons: Vec<Reason> = (0..6)
        .map(|seed| run_pair("burst", 9.0, seed).reason)
        .collect();
    assert!(reasons.contains(&Reason::Throttled), "{reasons:?}");
}

#[test]
fn a_rate_pinned_at_a_constant_is_throttling() {
    let constant = |window: &Window, _, _: &mut Draw| {
        measured(window, vec![1000.0; window.duration_ms as usize / 10])
    };
    assert_eq!(reason_of(constant), Reason::Throttled);
}

#[test]
fn noise_beyond_the_budget_is_said_early_with_what_could_be_seen() {
    let verdict = run_pair("hdd_low", 0.0, 1);
    assert_eq!(verdict.reason, Reason::TooNoisy);
    assert!(verdict.smallest_detectable > Some(0.02) && verdict.device_ms < 60_000);
    let said = &verdict.sentence;
    assert!(
        said.contains("--budget ") && said.ends_with("m would show one of +2.0 %."),
        "{said}"
    );
}

#[test]
fn a_load_that_half_its_depth_feeds_as_well_is_saturated() {
    let plan = ExperimentPlan {
        can_halve_depth: true,
        ..plan(2, Class::Fast, 5)
    };
    let verdict = refuse(plan.clone(), |window, _, draw| {
        let mut latency = Histogram::new();
        latency.add_count(if window.half_depth { 600 } else { 664 }, 1000);
        WindowReport::Measured {
            id: window.id,
            rates: noisy(draw, window, 500.0),
            latency: Some(latency),
            foreign: None,
        }
    });
    assert_eq!(verdict.reason, Reason::Saturated);
    let verdict = refuse(plan, |window, _, draw| {
        let level = if window.half_depth { 300.0 } else { 500.0 };
        measured(window, noisy(draw, window, level))
    });
    assert_eq!(verdict.reason, Reason::WithinRope);
}

#[test]
fn a_gain_that_others_lose_is_no_win() {
    // The device does 1000 I/Os a second whatever is set; the second arm gives this load more of them.
    let verdict = refuse(plan(2, Class::Fast, 5), |window, _, draw| {
        let own = [500.0, 550.0][window.arm];
        foreign(window, noisy(draw, window, own), 1.0 - own / 1000.0)
    });
    assert_eq!(verdict.reason, Reason::ForeignIo);
    let told = "Other programs lose what this load gains: B against A +";
    assert!(verdict.sentence.starts_with(told), "{}", verdict.sentence);
    assert!(
        verdict.sentence.contains("their I/O changes by −"),
        "{}",
        verdict.sentence
    );
    let shares: Vec<String> = verdict
        .foreign
        .iter()
        .map(|arm| format!("{:.2}", arm.share))
        .collect();
    assert_eq!(shares, ["0.50", "0.45"]);
}

#[test]
fn a_gain_beside_others_who_lose_nothing_is_a_win() {
    // Theirs is a fixed rate: of a device that does more, their share is smaller and their I/O is not.
    let verdict = refuse(plan(2, Class::Fast, 5), |window, _, draw| {
        let own = [500.0, 550.0][window.arm];
        foreign(window, noisy(draw, window, own), 500.0 / (500.0 + own))
    });
    assert_eq!(
        (verdict.outcome, verdict.arm.as_str()),
        (Outcome::Better, "B")
    );
    let shares: Vec<f64> = verdict.foreign.iter().map(|arm| arm.share).collect();
    assert!((shares[0] - 0.5).abs() < 1e-9 && (shares[1] - 0.476).abs() < 0.001);
}

#[test]
fn others_are_no_reason_to_refuse() {
    let reason = reason_of(|window, _, draw| foreign(window, noisy(draw, window, 500.0), 0.8));
    assert_eq!(reason, Reason::WithinRope);
}

/// Told with others' share of the device's I/O.
fn foreign(window: &Window, rates: Vec<f64>, share: f64) -> WindowReport {
    WindowReport::Measured {
        id: window.id,
        rates,
        latency: None,
        foreign: Some(ForeignIo {
            share,
            per_second: None,
        }),
    }
}

#[test]
fn a_setting_that_does_not_take_ends_at_once() {
    let failed = |kind| {
        move |window: &Window, _, _: &mut Draw| WindowReport::Failed {
            id: window.id,
            why: "kept none".into(),
            kind,
        }
    };
    assert_eq!(reason_of(failed(Failure::ApplyFailed)), Reason::ApplyFailed);
    assert_eq!(reason_of(failed(Failure::Other)), Reason::WindowFailed);
}

#[test]
fn single_failures_are_asked_for_again() {
    let mut count = 0;
    let verdict = refuse(plan(2, Class::Fast, 5), |window, _, draw| {
        count += 1;
        match count % 3 {
            0 => WindowReport::Failed {
                id: window.id,
                why: "busy".into(),
                kind: Failure::Other,
            },
            _ => measured(window, noisy(draw, window, 500.0)),
        }
    });
    assert_eq!(verdict.reason, Reason::WithinRope);
}

#[test]
fn a_disk_that_does_nothing_is_refused() {
    let silent = |window: &Window, _, _: &mut Draw| {
        measured(window, vec![0.0; window.duration_ms as usize / 10])
    };
    assert_eq!(reason_of(silent), Reason::NoIo);
    let dying = |window: &Window, elapsed_ms, draw: &mut Draw| {
        let level = if elapsed_ms < 2_000 { 500.0 } else { 0.0 };
        measured(window, noisy(draw, window, level))
    };
    assert_eq!(reason_of(dying), Reason::NoIo);
}

#[test]
fn a_switch_that_settles_late_is_treated_as_slow_where_there_is_time() {
    let settling = |since_ms: &mut u64, arm: &mut usize, window: &Window, draw: &mut Draw| {
        if window.arm != *arm {
            (*arm, *since_ms) = (window.arm, 0);
        }
        let rates = noisy(draw, window, 500.0).into_iter().map(|rate| {
            *since_ms += 10;
            rate * (1.0 - 0.5 * (-(*since_ms as f64) / 1_000.0).exp())
        });
        measured(window, rates.collect())
    };
    let judged = |plan: ExperimentPlan| {
        let (mut since_ms, mut arm) = (0, 0);
        refuse(plan, |window, _, draw| {
            settling(&mut since_ms, &mut arm, window, draw)
        })
    };
    let usual = judged(plan(2, Class::Fast, 5));
    assert_eq!(usual.reason, Reason::WithinRope, "{}", usual.sentence);
    assert!(usual.washout_ms >= 2_000 && usual.device_ms <= 150_000);
    let many = judged(plan(6, Class::Fast, 5));
    assert_eq!(many.reason, Reason::SlowToSettle, "{}", many.sentence);
}

#[test]
fn an_effect_that_comes_late_depends_on_the_phase() {
    let mut pairs_seen = 0;
    let reason = reason_of(|window, _, draw| {
        pairs_seen += u32::from(window.stage == VerdictStage::Holdout);
        let gain = if pairs_seen < 8 { 0.5 } else { 0.08 };
        let level = if window.arm == 1 {
            500.0 * (1.0 + gain)
        } else {
            500.0
        };
        measured(
            window,
            noisy(
                draw,
                window,
                if pairs_seen == 0 {
                    level
                } else {
                    level.min(545.0)
                },
            ),
        )
    });
    assert_eq!(reason, Reason::PhaseDependent);
}

/// A driver whose arm B gains a tenth, but stalls in one short window of `every`.
fn with_stalls(every: usize) -> Verdict {
    refuse(plan(2, Class::Fast, 5), |window, _, draw| {
        let is_short = matches!(window.stage, VerdictStage::Pairs | VerdictStage::Holdout);
        let stalls = window.arm == 1 && is_short && draw.below(every) == 0;
        let gain = if window.arm == 1 { 1.1 } else { 1.0 };
        let level = if stalls { 1.0 } else { 500.0 * gain };
        measured(window, noisy(draw, window, level))
    })
}

#[test]
fn a_typical_gain_that_rare_stalls_undo_is_a_tail_effect() {
    assert_eq!(with_stalls(4).reason, Reason::TailEffect);
    for every in 5..12 {
        let verdict = with_stalls(every);
        assert!(
            !is_win(&verdict) || verdict.lives_in_tail,
            "one window in {every} stalls"
        );
    }
}

#[test]
fn a_host_full_of_outliers_is_named() {
    let mut calm = 0;
    let reason = reason_of(|window, _, draw| {
        calm += u32::from(window.stage == VerdictStage::Calibrate);
        let is_hit = calm >= 10 && draw.below(3) == 0;
        let level = if is_hit {
            500.0 * (0.8 * draw.normal()).exp()
        } else {
            500.0
        };
        measured(window, noisy(draw, window, level))
    });
    assert_eq!(reason, Reason::OutlierHost);
}

#[test]
fn an_effect_at_the_edge_of_the_region_ends_with_the_budget() {
    // Enough for four seconds of pairs beside the other stages.
    let plan = plan(2, Class::Fast, 3).within(16_000);
    let verdict = run(plan, &scenario("ar_ssd"), &[0.0, 0.02], 3);
    assert_eq!(
        (verdict.outcome, verdict.reason),
        (Outcome::Inconclusive, Reason::BudgetSpent)
    );
    assert!(
        verdict.low < Some(0.02) && verdict.high > Some(0.02),
        "the interval not rejected is reported"
    );
}

#[test]
fn an_effect_that_is_gone_after_the_restart_is_not_confirmed() {
    let reason = reason_of(|window, _, draw| {
        let gain = if window.arm == 1 && window.stage != VerdictStage::Holdout {
            1.05
        } else {
            1.0
        };
        measured(window, noisy(draw, window, 500.0 * gain))
    });
    assert_eq!(reason, Reason::NotConfirmed);
}

#[test]
fn a_hold_out_that_turns_a_difference_round_says_both() {
    let verdict = refuse(plan(2, Class::Fast, 5), |window, _, draw| {
        let gain = match (window.arm, window.stage) {
            (1, VerdictStage::Holdout) => 0.8,
            (1, _) => 1.25,
            _ => 1.0,
        };
        measured(window, noisy(draw, window, 500.0 * gain))
    });
    assert_eq!(verdict.reason, Reason::NotConfirmed);
    assert!(
        verdict
            .sentence
            .contains("which was +25 % before it: B against A −20 %"),
        "{}",
        verdict.sentence
    );
}

#[test]
fn borrowed_gains_are_carry_over_and_the_sentence_says_how_slow() {
    let verdict = run_pair("debt_3s", 0.0, 1);
    assert_eq!(verdict.reason, Reason::CarryOver);
    assert!(verdict.sentence.contains("time constant near") && verdict.sentence.contains("slow"));
}

/// A driver whose arm B gains a tenth, with so many of 1000 completions in the slow tail.
fn with_tail(tail_per_mille: u64, accept_worse_p99: bool) -> Verdict {
    let plan = ExperimentPlan {
        accept_worse_p99,
        ..plan(2, Class::Fast, 5)
    };
    refuse(plan, |window, _, draw| {
        let slow = if window.arm == 1 { tail_per_mille } else { 5 };
        let mut latency = Histogram::new();
        for _ in 0..1000 {
            let base_ns = if draw.uniform() * 1000.0 < slow as f64 {
                900_000.0
            } else {
                90_000.0
            };
            latency.record((base_ns * (0.1 * draw.normal()).exp()) as u64);
        }
        let level = if window.arm == 1 { 550.0 } else { 500.0 };
        let rates = noisy(draw, window, level);
        WindowReport::Measured {
            id: window.id,
            rates,
            latency: Some(latency),
            foreign: None,
        }
    })
}

#[test]
fn throughput_bought_with_the_tail_is_no_win() {
    let worse = with_tail(40, false);
    assert_eq!(
        (worse.outcome, worse.reason),
        (Outcome::Refused, Reason::P99Worse)
    );
    let traded = with_tail(40, true);
    assert_eq!(
        (traded.outcome, traded.p99.unwrap().guard),
        (Outcome::Better, Guard::Failed)
    );
    let same = with_tail(5, false);
    assert_eq!(
        (same.outcome, same.p99.unwrap().guard),
        (Outcome::Better, Guard::Passed)
    );
}

#[test]
fn wrong_answers_are_named_and_change_nothing() {
    let mut experiment = Experiment::new(plan(2, Class::Fast, 1)).unwrap();
    let Ask::Window(window) = experiment.ask() else {
        panic!("nothing to run")
    };
    let bins = window.duration_ms as usize / 10;
    let mut tell = |id, rates: Vec<f64>, foreign| {
        let told = WindowReport::Measured {
            id,
            rates,
            latency: None,
            foreign,
        };
        let error = experiment.tell(told).unwrap_err().to_string();
        assert_eq!(experiment.ask(), Ask::Window(window.clone()));
        error
    };
    let others = |share, per_second| Some(ForeignIo { share, per_second });
    assert!(tell(99, vec![1.0; bins], None).contains("window 99 was not asked for"));
    assert!(tell(1, vec![1.0; bins + 1], None).contains(&format!("needs {bins}")));
    assert!(tell(1, vec![], None).contains("has 0 rates"));
    assert!(tell(1, vec![f64::NAN; bins], None).contains("not a rate"));
    assert!(tell(1, vec![-1.0; bins], None).contains("not a rate"));
    assert!(tell(1, vec![f64::INFINITY; bins], None).contains("not a rate"));
    assert!(tell(1, vec![1.0; bins], others(1.5, None)).contains("foreign share"));
    assert!(
        tell(
            1,
            vec![1.0; bins],
            others(
                0.5,
                Some(OwnAndOthers {
                    own: 1.0,
                    others: -1.0
                })
            )
        )
        .contains("not an amount")
    );
}

#[test]
fn impossible_plans_are_refused_with_the_cure() {
    let refused = |plan: ExperimentPlan| Experiment::new(plan).unwrap_err().to_string();
    assert!(refused(plan(1, Class::Fast, 1)).contains("from 2 to 64"));
    assert!(refused(plan(5, Class::Slow, 1)).contains("from 2 to 4"));
    assert!(
        refused(ExperimentPlan {
            rope: 0.0,
            ..plan(2, Class::Fast, 1)
        })
        .contains("equivalence")
    );
    assert!(
        refused(ExperimentPlan {
            alpha: f64::NAN,
            ..plan(2, Class::Fast, 1)
        })
        .contains("probability")
    );
    assert!(refused(plan(2, Class::Fast, 1).within(1_000)).contains("6000 ms"));
    assert!(
        refused(ExperimentPlan {
            arms: vec!["x".into(), "x".into()],
            ..plan(2, Class::Fast, 1)
        })
        .contains("same name")
    );
}
