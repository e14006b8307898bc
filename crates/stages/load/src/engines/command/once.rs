//! One run of a command that ends by itself, before anything is compared: how long it takes, and what it tells.

use super::{END_MS, LOOK_AT_IT, ended, failed, options};
use crate::LoadError;
use host::signals::Stop;
use host::{Workload, clock};
use model::job::{Job, command_shown};
use model::units::span_ms;

/// Between two looks, ns.
const LOOK_NS: u64 = 2_000_000;

/// What one run gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOnce {
    /// How long it took, ns.
    pub took_ns: u64,
    /// The number that it printed; none where it printed none that is known or asked for.
    pub result: Option<f64>,
}

/// Runs the job's command to its end. A signal ends it early, with what it took until then.
///
/// # Errors
/// When it fails, with its last words, or is still at work after `longest_ms`.
pub fn once(job: &Job, longest_ms: u64, stop: &Stop) -> Result<RunOnce, LoadError> {
    let mut options = options(job)?;
    let shown = command_shown(&options.command);
    let begin_ns = clock::monotonic_ns();
    let mut workload = Workload::start(&options.command)
        .map_err(|error| failed(&shown, error.to_string(), LOOK_AT_IT))?;
    let took_ns = loop {
        let has_ended = workload.has_ended();
        let took_ns = clock::monotonic_ns() - begin_ns;
        for line in workload.take_lines() {
            options.lines.take(&line.text);
        }
        if has_ended || stop.is_asked() {
            break took_ns;
        }
        if took_ns > longest_ms * 1_000_000 {
            workload.end(END_MS);
            let why = format!("a run of it was not over after {}", span_ms(longest_ms));
            return Err(failed(
                &shown,
                why,
                "Let it do less, or give more with --budget",
            ));
        }
        clock::sleep_ns(LOOK_NS);
    };
    // What it said last is there once its output is closed.
    workload.end(END_MS);
    for line in workload.take_lines() {
        options.lines.take(&line.text);
    }
    if !stop.is_asked() {
        ended(&shown, &workload)?;
    }
    Ok(RunOnce {
        took_ns,
        result: options.lines.result(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(command: &str) -> Job {
        let options = [
            ("command", command),
            ("again", "1"),
            ("regex", "got ([0-9.]+)"),
        ];
        Job {
            ioengine: "command".into(),
            engine_options: options
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .into(),
            ..Job::default()
        }
    }

    #[test]
    fn a_run_tells_how_long_it_took_and_what_it_said_last() {
        let ran = once(
            &job("echo got 3; sleep 0.2; echo got 7"),
            60_000,
            &Stop::new(),
        )
        .unwrap();
        assert_eq!(ran.result, Some(7.0));
        assert!(ran.took_ns >= 200_000_000, "{ran:?}");
        assert_eq!(
            once(&job("true"), 60_000, &Stop::new()).unwrap().result,
            None
        );
    }

    #[test]
    fn one_that_fails_or_does_not_end_is_told() {
        let told = |command| {
            once(&job(command), 300, &Stop::new())
                .unwrap_err()
                .to_string()
        };
        let failed = told("echo no disk; exit 3");
        assert!(
            failed.contains("status 3; its last words: no disk"),
            "{failed}"
        );
        let endless = told("sleep 1000");
        assert!(
            endless.contains("not over after") && endless.contains("--budget"),
            "{endless}"
        );
    }
}
