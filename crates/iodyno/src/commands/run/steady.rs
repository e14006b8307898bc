//! `run --steady`, and fio's `steadystate`: one load that ends when it has settled.

use super::args::StudyArgs;
use super::series::{FoundSeries, Outcome, SeriesSubject, Window};
use crate::exit::Failure;
use crate::live::Teller;
use analyse::steady::{SteadySample, WINDOW_ROUNDS, Watch};
use load::{Prepared, Region};
use model::job::{Job, SteadyMetric};
use model::record::LoadResult;
use model::steady::{Criterion, Steadiness};
use model::studies::Studies;
use model::units;
use model::units::span_ms;

/// Shortest round, ms: shorter ones are noise.
const ROUND_LEAST_MS: u64 = 200;

/// How often a long load's counts are taken out of its bins, ns.
const POLL_NS: u64 = 60_000_000_000;

/// The rule that the options or the job ask for, with the time limit in ms; none when neither does.
pub fn criterion(args: &StudyArgs, job: &Job) -> Result<Option<(Criterion, u64)>, Failure> {
    if !args.steady {
        return Ok(job
            .steadystate
            .map(|rule| (Criterion::Fio(rule), job.runtime_ms)));
    }
    let (round_ms, limit_ms) = (args.round, args.steady_limit);
    if round_ms < ROUND_LEAST_MS {
        return Err(Failure::usage(format!(
            "--round {}: give at least 200ms",
            span_ms(round_ms)
        )));
    }
    if limit_ms < round_ms * WINDOW_ROUNDS as u64 {
        return Err(Failure::usage(format!(
            "--steady-limit {}: the rule looks at {WINDOW_ROUNDS} rounds of {}; give at least that, or a shorter --round",
            span_ms(limit_ms),
            span_ms(round_ms)
        )));
    }
    // SNIA tracks bandwidth for sequential loads and I/Os for random ones.
    let metric = if job.rw.is_random() {
        SteadyMetric::Iops
    } else {
        SteadyMetric::Bw
    };
    Ok(Some((Criterion::Snia { metric, round_ms }, limit_ms)))
}

/// Loads until settled, or until the time is up.
pub fn run(subject: &SeriesSubject, criterion: Criterion, limit_ms: u64) -> Outcome {
    let (prepared, worn) = subject.prepare(std::slice::from_ref(&subject.job))?;
    if limit_ms > 0 {
        subject.context.out.note(format!(
            "running until it is steady, at most {}",
            span_ms(limit_ms)
        ));
    }
    let sampler = subject.sensors();
    let watched = watch(
        subject,
        &prepared,
        Watch::new(criterion, limit_ms),
        limit_ms,
    );
    let sensors = sampler.stop();
    let (steady, load) = watched?;
    Ok((
        FoundSeries {
            studies: Studies {
                steady: Some(steady),
                ..worn
            },
            load: Some(load),
        },
        sensors,
    ))
}

fn watch(
    subject: &SeriesSubject,
    prepared: &Prepared,
    mut watch: Watch,
    limit_ms: u64,
) -> Result<(Steadiness, LoadResult), Failure> {
    let job = &subject.job;
    let mut running = load::start(prepared, job, job.randseed, Region::WHOLE)?;
    let line = Teller::new(subject.context.out);
    // fio without a runtime goes on until settled.
    let end_ns = if limit_ms == 0 {
        u64::MAX
    } else {
        running.origin_ns() + limit_ms * 1_000_000
    };
    let sample_ns = watch.sample_ms() * 1_000_000;
    let mut before = running.snapshot();
    let (mut next_ns, mut poll_ns) = (running.origin_ns(), running.origin_ns() + POLL_NS);
    loop {
        next_ns += sample_ns;
        let now_ns = host::clock::monotonic_ns();
        let wait_ns = next_ns.saturating_sub(now_ns);
        running.wait_ms(wait_ns.div_ceil(1_000_000), subject.stop);
        if let Some(failure) = running.failure() {
            return Err(failure.into());
        }
        if subject.stop.is_asked() {
            break;
        }
        let after = running.snapshot();
        let is_settled = watch.push(&sample(&Window::between(&before, &after)));
        before = after;
        line.say(progress(&watch, end_ns));
        let now_ns = host::clock::monotonic_ns();
        if is_settled || now_ns >= end_ns {
            break;
        }
        if now_ns >= poll_ns {
            running.poll();
            poll_ns += POLL_NS;
        }
    }
    line.clear();
    Ok((watch.finish(), running.finish()))
}

fn sample(window: &Window) -> SteadySample {
    let mean_ns = window.latency.mean_ns().unwrap_or(0.0);
    let latency_sum_ns = mean_ns * window.latency.total() as f64;
    SteadySample {
        ms: window.ms,
        ios: window.done.ios,
        bytes: window.done.bytes,
        latency_sum_ns,
    }
}

fn progress(watch: &Watch, end_ns: u64) -> String {
    let seen = watch.window().map_or_else(
        || format!("the rule needs {WINDOW_ROUNDS}"),
        |window| {
            format!(
                "range {}, line {} %",
                units::share(window.range),
                units::decimals_signed(window.slope * 100.0, 0)
            )
        },
    );
    let left_ms = end_ns.saturating_sub(host::clock::monotonic_ns()) / 1_000_000;
    let left = if end_ns == u64::MAX {
        "until settled".to_string()
    } else {
        format!("at most {} left", span_ms(left_ms.div_ceil(1000) * 1000))
    };
    format!("round {}: {seen}   {left}", watch.rounds() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{Rw, SteadyRule};

    #[test]
    fn the_rule_comes_from_the_options_or_from_fio() {
        let args = StudyArgs {
            steady: true,
            round: 1_000,
            steady_limit: 30_000,
            ..StudyArgs::default()
        };
        let (found, limit_ms) = criterion(&args, &Job::default()).unwrap().unwrap();
        assert_eq!(
            found,
            Criterion::Snia {
                metric: SteadyMetric::Iops,
                round_ms: 1_000
            }
        );
        assert_eq!(limit_ms, 30_000);
        let sequential = Job {
            rw: Rw::Write,
            ..Job::default()
        };
        let (found, _) = criterion(&args, &sequential).unwrap().unwrap();
        assert_eq!(
            found,
            Criterion::Snia {
                metric: SteadyMetric::Bw,
                round_ms: 1_000
            }
        );
        let rule = SteadyRule {
            metric: SteadyMetric::Iops,
            slope: true,
            limit_percent: 0.3,
            window_ms: 5_000,
            ramp_ms: 0,
        };
        let fio = Job {
            steadystate: Some(rule),
            runtime_ms: 60_000,
            ..Job::default()
        };
        let none = StudyArgs::default();
        assert_eq!(
            criterion(&none, &fio).unwrap(),
            Some((Criterion::Fio(rule), 60_000))
        );
        assert_eq!(criterion(&none, &Job::default()).unwrap(), None);
        let short = StudyArgs {
            steady_limit: 4_000,
            ..args.clone()
        };
        assert!(
            criterion(&short, &Job::default())
                .unwrap_err()
                .message
                .contains("5 rounds")
        );
        let tiny = StudyArgs { round: 50, ..args };
        assert!(
            criterion(&tiny, &Job::default())
                .unwrap_err()
                .message
                .contains("200ms")
        );
    }
}
