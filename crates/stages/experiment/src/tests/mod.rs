//! The whole experiment against simulated disks, against deliberately broken drivers, and against garbage.

mod decisions;
mod garbage;
mod metrics;
mod out_of_time;
mod pipe;
mod race;
mod refusals;
mod selects;

use model::verdict::{Outcome, Verdict};
use simulator::{Device, Scenario, carry, public};

use super::{Class, Experiment, ExperimentPlan, Window, WindowReport, drive};

/// A plan for so many arms, named A, B, C …
fn plan(arms: usize, class: Class, seed: u64) -> ExperimentPlan {
    let name = |arm: usize| char::from(b'A' + arm as u8).to_string();
    ExperimentPlan::new((0..arms).map(name).collect(), class, seed)
}

fn scenario(name: &str) -> Scenario {
    public()
        .into_iter()
        .chain(carry())
        .find(|scenario| scenario.name == name)
        .expect("a known device")
}

/// Told as a driver without histograms would.
fn measured(window: &Window, rates: Vec<f64>) -> WindowReport {
    WindowReport::Measured {
        id: window.id,
        rates,
        latency: None,
        foreign: None,
    }
}

/// Runs a plan on a simulated disk.
fn run(plan: ExperimentPlan, scenario: &Scenario, effects: &[f64], seed: u64) -> Verdict {
    let effects_ln: Vec<f64> = effects.iter().map(|effect| effect.ln_1p()).collect();
    let mut device = Device::new(scenario, &effects_ln, seed);
    let experiment = Experiment::new(plan).expect("a valid plan");
    let measure = |window: &Window| {
        if window.fresh {
            device.restart();
        }
        measured(window, device.run(window.arm, window.duration_ms))
    };
    drive(experiment, measure).expect("a willing driver")
}

/// Runs two arms of the fast class.
fn run_pair(name: &str, effect: f64, seed: u64) -> Verdict {
    run(
        plan(2, Class::Fast, seed),
        &scenario(name),
        &[0.0, effect],
        seed,
    )
}

fn is_win(verdict: &Verdict) -> bool {
    verdict.outcome == Outcome::Better
}
