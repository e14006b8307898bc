//! Whatever a driver says, the experiment ends with a verdict or a named error, and never panics.

use super::*;
use crate::{Ask, Failure, ForeignIo};
use model::histogram::Histogram;
use simulator::Draw;

/// Rates without any sense: zeros, spikes, dust, and now and then what no rate can be.
fn nonsense(draw: &mut Draw, bins: usize, temper: usize) -> Vec<f64> {
    let value = |draw: &mut Draw| match (temper, draw.below(8)) {
        (0, _) => 0.0,
        (1, 0) => 1e300,
        (1, 1) => 5e-324,
        (2, 0..=5) => 0.0,
        (3, 0) if draw.below(200) == 0 => f64::NAN,
        (3, 1) if draw.below(200) == 0 => -1.0,
        (4, _) => 1.0,
        _ => (20.0 * draw.normal()).exp().min(1e200),
    };
    let bins = if temper == 3 && draw.below(100) == 0 {
        bins / 2
    } else {
        bins
    };
    (0..bins).map(|_| value(draw)).collect()
}

fn survive(plan: ExperimentPlan, seed: u64) -> bool {
    let mut draw = Draw::new(seed);
    let mut experiment = Experiment::new(plan).unwrap();
    let temper = draw.below(6);
    for _ in 0..20_000 {
        let window = match experiment.ask() {
            Ask::Done(verdict) => return serde_json::to_string(&*verdict).is_ok(),
            Ask::Window(window) => window,
        };
        let bins = window.duration_ms as usize / 10;
        let rates = nonsense(&mut draw, bins, temper);
        let histogram = || Histogram::from_counts([0, seed, 3]);
        let told = match draw.below(40) {
            0 => WindowReport::Failed {
                id: window.id,
                why: String::new(),
                kind: Failure::Other,
            },
            1 => WindowReport::Measured {
                id: window.id + 1,
                rates,
                latency: None,
                foreign: None,
            },
            2 => WindowReport::Measured {
                id: window.id,
                rates,
                latency: None,
                foreign: Some(ForeignIo {
                    share: 0.01,
                    per_second: None,
                }),
            },
            3..20 => WindowReport::Measured {
                id: window.id,
                rates,
                latency: Some(histogram()),
                foreign: None,
            },
            _ => measured(&window, rates),
        };
        let _ = experiment.tell(told);
        if draw.below(50) == 0 {
            assert!(experiment.progress().rate >= 0.0);
        }
    }
    false
}

#[test]
fn nonsense_ends_with_a_verdict() {
    for seed in 0..60 {
        let (arms, class) = match seed % 6 {
            0..=2 => (2, Class::Fast),
            3 => (5, Class::Fast),
            4 => (3, Class::Slow),
            _ => (2, Class::Learned),
        };
        let plan = ExperimentPlan {
            min_completions: seed % 3 * 100,
            can_halve_depth: seed % 2 == 0,
            ..plan(arms, class, seed)
        };
        assert!(survive(plan, seed), "seed {seed} has no end");
    }
}

#[test]
fn verdicts_survive_json() {
    let verdict = run_pair("quiet_nvme", 0.1, 1);
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
}
