//! Metrics that are told more coarsely than a bin, or are better when lower, on disks whose truth is known.

use super::*;
use crate::{PlanError, TellError};
use model::metric::{Better, ExperimentMetric, NS, PER_S};
use model::verdict::Reason;

/// What a device's rates become: the mean of each grain, as a rate or as the latency of one I/O at a time, which an arm
/// makes better by its gain. (A latency in which stalls stand out gains less than the rate does: so the gain is its own.)
fn told(metric: &ExperimentMetric, rates: &[f64], gain: f64) -> Vec<f64> {
    let grains = rates.chunks((metric.grain_ms / 10) as usize);
    grains
        .map(|grain| {
            let mean = stats::mean(grain);
            match metric.better {
                Better::Higher => mean * (1.0 + gain),
                Better::Lower => 1e9 / mean.max(1.0) / (1.0 + gain),
            }
        })
        .collect()
}

fn metric(better: Better, grain_ms: u64) -> ExperimentMetric {
    let (name, unit) = match better {
        Better::Higher => ("tps", PER_S),
        Better::Lower => ("mean latency", NS),
    };
    ExperimentMetric {
        better,
        grain_ms,
        ..ExperimentMetric::rate(name, unit)
    }
}

/// Runs two arms, of which the second gains so much.
fn run_by(metric: &ExperimentMetric, name: &str, gain: f64, seed: u64) -> Verdict {
    let mut plan = plan(2, Class::Fast, seed);
    plan = plan.by(metric.clone());
    let mut device = Device::new(&scenario(name), &[0.0, 0.0], seed);
    let experiment = Experiment::new(plan).expect("a valid plan");
    let measure = |window: &Window| {
        if window.fresh {
            device.restart();
        }
        let rates = device.run(window.arm, window.duration_ms);
        let gain = if window.arm == 1 { gain } else { 0.0 };
        measured(window, told(metric, &rates, gain))
    };
    drive(experiment, measure).expect("a willing driver")
}

#[test]
fn a_latency_that_falls_wins_and_one_that_rises_loses() {
    let latency = metric(Better::Lower, 100);
    let better = run_by(&latency, "quiet_nvme", 0.10, 3);
    assert_eq!(
        (better.outcome, better.reason, better.arm.as_str()),
        (Outcome::Better, Reason::Confirmed, "B"),
        "{}",
        better.sentence
    );
    assert!(better.effect > Some(0.08) && better.low > Some(0.05));
    assert!(
        better.sentence.contains("B against A −"),
        "the sentence says what the latency does: {}",
        better.sentence
    );
    let pair = &better.pairs[0];
    assert!(pair.rate_arm < pair.rate_default && pair.effect_ln > 0.0);
    assert_eq!(better.metric, latency);

    let worse = run_by(&latency, "quiet_nvme", -0.10, 3);
    assert_eq!(
        (worse.reason, worse.arm.as_str()),
        (Reason::DefaultWins, "A")
    );
    assert!(worse.high < Some(0.0), "{worse:?}");
}

#[test]
fn equal_arms_do_not_win_whatever_the_metric() {
    let mut wins = Vec::new();
    for metric in [
        metric(Better::Lower, 10),
        metric(Better::Lower, 100),
        metric(Better::Higher, 1_000),
    ] {
        for scenario in public() {
            for seed in 0..8 {
                let verdict = run_by(&metric, scenario.name, 0.0, seed);
                if is_win(&verdict) {
                    wins.push((metric.grain_ms, scenario.name, seed));
                }
            }
        }
    }
    assert!(wins.is_empty(), "{wins:?}");
}

#[test]
fn a_coarse_metric_finds_five_per_cent_and_its_interval_holds_the_truth() {
    for metric in [metric(Better::Lower, 100), metric(Better::Higher, 1_000)] {
        let verdicts: Vec<Verdict> = ["quiet_nvme", "ar_ssd", "drift"]
            .into_iter()
            .flat_map(|name| (0..10).map(move |seed| (name, seed)))
            .map(|(name, seed)| run_by(&metric, name, 0.05, seed))
            .collect();
        let right = verdicts
            .iter()
            .filter(|verdict| is_win(verdict) && verdict.arm == "B");
        let covered = right
            .clone()
            .filter(|v| v.low < Some(0.05) && v.high > Some(0.05));
        let (right, covered) = (right.count(), covered.count());
        assert!(
            right >= 27 && covered * 10 >= right * 9,
            "{} ms: {right} of 30 found, {covered} hold the truth",
            metric.grain_ms
        );
    }
}

#[test]
fn windows_are_whole_grains_and_a_driver_tells_one_value_for_each() {
    let coarse = metric(Better::Higher, 1_000);
    let plan = plan(2, Class::Fast, 1).by(coarse);
    let mut experiment = Experiment::new(plan).unwrap();
    for _ in 0..40 {
        let crate::Ask::Window(window) = experiment.ask() else {
            return;
        };
        assert!(
            window.duration_ms.is_multiple_of(1_000) && window.discard_ms.is_multiple_of(1_000)
        );
        let values = (window.duration_ms / 1_000) as usize;
        let wrong = measured(&window, vec![100.0; values * 100]);
        assert_eq!(
            experiment.tell(wrong),
            Err(TellError::WrongLength {
                id: window.id,
                got: values * 100,
                wanted: values,
                grain_ms: 1_000
            })
        );
        let noisy = |n: usize| 100.0 + ((n * 7919 + window.id as usize * 31) % 17) as f64;
        let right = (0..values).map(noisy).collect();
        experiment.tell(measured(&window, right)).unwrap();
    }
}

#[test]
fn a_grain_that_no_window_can_hold_is_refused() {
    for grain_ms in [0, 5, 15, 1_010, 60_000] {
        let mut plan = plan(2, Class::Fast, 1);
        plan.metric = metric(Better::Higher, grain_ms);
        plan = plan.within(86_000_000);
        assert_eq!(
            Experiment::new(plan).unwrap_err(),
            PlanError::Grain(grain_ms)
        );
    }
}

#[test]
fn a_number_that_stands_still_at_nothing_is_no_dead_disk_where_lower_is_better() {
    let errors = metric(Better::Lower, 10);
    let mut plan = plan(2, Class::Fast, 5);
    plan.metric = errors;
    let experiment = Experiment::new(plan).unwrap();
    let mut round = 0;
    let verdict = drive(experiment, |window| {
        round += 1;
        let count = (window.duration_ms / 10) as usize;
        // A few errors at first, so that there is a level, then none.
        let value = if round < 4 { 5.0 } else { 0.0 };
        measured(window, vec![value; count])
    })
    .unwrap();
    assert_ne!(verdict.reason, Reason::NoIo, "{}", verdict.sentence);
}

/// Two arms under a program that prints a number a second. A window begins behind a line and the arm stays until the line
/// that tells its end, as the meter of such programs has it; each number stands for the quarters of its second.
fn run_by_lines(name: &str, gain: f64, seed: u64) -> Verdict {
    let quarters = metric(Better::Higher, 250);
    let plan = plan(2, Class::Fast, seed)
        .by(quarters.clone())
        .within(900_000);
    let mut device = Device::new(&scenario(name), &[0.0, 0.0], seed);
    let experiment = Experiment::new(plan).expect("a valid plan");
    let measure = |window: &Window| {
        if window.fresh {
            device.restart();
        }
        let rates = device.run(window.arm, window.duration_ms.next_multiple_of(1_000));
        let factor = if window.arm == 1 { 1.0 + gain } else { 1.0 };
        let seconds = rates.chunks(100).map(|rates| factor * stats::mean(rates));
        let values = seconds.flat_map(|rate| [rate; 4]);
        let count = (window.duration_ms / quarters.grain_ms) as usize;
        measured(window, values.take(count).collect())
    };
    drive(experiment, measure).expect("a willing driver")
}

#[test]
fn a_number_a_second_in_quarters_wins_nothing_by_itself() {
    let mut wins = Vec::new();
    for scenario in public() {
        for seed in 0..12 {
            if is_win(&run_by_lines(scenario.name, 0.0, seed)) {
                wins.push((scenario.name, seed));
            }
        }
    }
    assert!(wins.len() <= 1, "{wins:?}");
}

#[test]
fn a_number_a_second_in_quarters_shows_five_per_cent() {
    let verdicts: Vec<Verdict> = ["quiet_nvme", "ar_ssd", "drift"]
        .into_iter()
        .flat_map(|name| (0..10).map(move |seed| (name, seed)))
        .map(|(name, seed)| run_by_lines(name, 0.05, seed))
        .collect();
    let right = verdicts
        .iter()
        .filter(|verdict| is_win(verdict) && verdict.arm == "B");
    let covered = right
        .clone()
        .filter(|v| v.low < Some(0.05) && v.high > Some(0.05));
    let (right, covered) = (right.count(), covered.count());
    assert!(
        right >= 27 && covered * 10 >= right * 9,
        "{right} of 30 found, {covered} hold the truth"
    );
}

/// Runs of about four seconds that scatter by 2 %, of which those under the second arm take so much less time.
fn of_runs(gain: f64, seed: u64) -> Verdict {
    let metric = metric(Better::Lower, 10).of_runs(4_000);
    let plan = plan(2, Class::Slow, seed).by(metric);
    assert_eq!(
        plan.whole_ms,
        16 * 4_000,
        "eight runs of each are the least"
    );
    let mut dice = stats::dice::Dice::new(seed);
    let measure = |window: &Window| {
        assert_eq!((window.duration_ms, window.discard_ms), (4_000, 0));
        let gained = if window.arm == 1 { 1.0 + gain } else { 1.0 };
        let scatter = 1.0 + (dice.below(4_001) as f64 - 2_000.0) / 100_000.0;
        let took_ms = 4_000.0 / gained * scatter;
        let bins = (took_ms as u64 / 10) as usize;
        measured(window, vec![took_ms * 1e6; bins])
    };
    drive(Experiment::new(plan).expect("a valid plan"), measure).expect("a willing driver")
}

#[test]
fn whole_runs_are_compared_however_long_they_take() {
    let better = of_runs(0.25, 5);
    assert_eq!(
        (better.outcome, better.arm.as_str(), better.windows),
        (Outcome::Better, "B", 16),
        "{}",
        better.sentence
    );
    assert!(better.device_ms < 16 * 4_000 && better.device_ms > 16 * 3_000);
    assert!(
        (better.effect.unwrap() - 0.25).abs() < 0.03,
        "{}",
        better.sentence
    );
    assert!(better.horizon_ms >= better.memory_ms.min(4_000 / 3));
    let wrong = (0..40).filter(|seed| of_runs(0.0, *seed).outcome == Outcome::Better);
    assert_eq!(wrong.count(), 0);
}

#[test]
fn runs_are_for_the_slow_design() {
    let plan = plan(2, Class::Fast, 1).by(metric(Better::Lower, 10).of_runs(4_000));
    assert!(Experiment::new(plan).is_err());
}
