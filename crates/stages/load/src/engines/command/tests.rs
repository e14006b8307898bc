//! Commands that print, end, fail and hang.

use crate::loop_device::{LoopDevice, opened};
use crate::patience::{until, until_counted, until_over};
use crate::{Consent, LoadError, Region, Running, prepare, start};
use host::Host;
use host::signals::Stop;
use model::failure::Exit;
use model::job::Job;
use std::path::Path;

const TYPED: Consent = Consent {
    destroy_data: false,
    overwrite: false,
    force_signature: false,
    run_command: true,
};

fn job(command: &str) -> Job {
    Job {
        ioengine: "command".into(),
        engine_options: [
            ("command".to_string(), command.to_string()),
            ("regex".to_string(), "rate ([0-9.]+)".to_string()),
        ]
        .into(),
        ..Job::default()
    }
}

fn begun_on(
    target: &Path,
    device: Option<&str>,
    job: &Job,
    consent: &Consent,
) -> Result<Running, LoadError> {
    let target = opened(target);
    let mut prepared = prepare(
        &Host::live(),
        &target,
        job,
        consent,
        &Stop::new(),
        &mut |_, _| {},
    )?;
    prepared.set_device(device.map(str::to_string));
    start(&prepared, job, 1, Region::WHOLE)
}

fn begun(command: &str) -> Running {
    begun_on(&std::env::temp_dir(), None, &job(command), &TYPED).unwrap()
}

#[test]
fn what_it_prints_is_told_while_it_runs() {
    let running =
        begun("for rate in 10 20 x 30; do echo a rate $rate; sleep 0.1; done; sleep 1000");
    assert!(until(|| running.printed(0).len() == 3));
    let printed = running.printed(0);
    let values: Vec<f64> = printed.iter().map(|one| one.value).collect();
    assert_eq!(values, [10.0, 20.0, 30.0]);
    assert!(printed.is_sorted_by_key(|one| one.at_ns));
    assert_eq!(running.printed(2), printed[2..]);
    assert_eq!(running.printed(9), []);
    let result = running.finish();
    let told = "the command printed a rate in 3 lines: 20 in the mean, from 10 to 30";
    assert!(
        result.notes.iter().any(|note| note == told),
        "{:?}",
        result.notes
    );
    assert_eq!(result.ios(), 0, "no device was looked at");
}

#[test]
fn its_requests_are_counted_at_the_device() {
    let Some(disk) = LoopDevice::attach(16 << 20) else {
        return;
    };
    let name = disk
        .path
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let path = disk.path.display();
    let command = format!("dd if={path} of=/dev/null bs=4k count=100 iflag=direct; sleep 1000");
    let running = begun_on(&disk.path, Some(&name), &job(&command), &TYPED).unwrap();
    until_counted(&running, "dd's reads", |seen| seen.ios >= 100);
    let result = running.finish();
    // Whoever looks at new devices reads this one, too.
    assert!(result.read.ios >= 100, "{}", result.read.ios);
}

#[test]
fn one_that_ends_well_ends_the_load() {
    let running = begun("echo rate 7");
    until_over(&running);
    assert!(running.failure().is_none());
    let result = running.finish();
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("in 1 line: 7 in the mean")),
        "{:?}",
        result.notes
    );
}

#[test]
fn one_that_fails_is_told_with_its_last_words() {
    let failure = |command: &str| {
        let running = begun(command);
        until_over(&running);
        let error = running.failure().unwrap();
        assert_eq!(error.exit(), Exit::Failed);
        error.to_string()
    };
    assert_eq!(
        failure("echo connecting; echo no server >&2; exit 3"),
        "the command `echo connecting; echo no server >&2; exit 3` makes no load: it ended with status 3; its last \
         words: connecting / no server. Try it in a shell first"
    );
    assert!(failure("no-such-program-here").contains("the shell found no such program"));
    assert!(failure("kill -9 $$").contains("a signal ended it; it printed nothing"));
}

#[test]
fn one_that_nobody_typed_is_not_run() {
    let marker = std::env::temp_dir().join(format!("iodyno-not-run-{}", std::process::id()));
    let job = job(&format!("touch {}", marker.display()));
    let error = begun_on(&std::env::temp_dir(), None, &job, &Consent::default()).unwrap_err();
    assert_eq!(error.exit(), Exit::Refused);
    assert!(
        error
            .to_string()
            .contains("it came with a job and was not typed here"),
        "{error}"
    );
    assert!(host::files::kind(&marker).is_err());
}

#[test]
fn all_of_its_processes_are_gone_at_the_end() {
    let seconds = format!("{}.5", 200_000 + std::process::id());
    let running = begun(&format!(
        "sleep {seconds} & sleep {seconds} & echo rate 1; wait"
    ));
    assert!(until(|| !running.printed(0).is_empty()));
    running.finish();
    let left = host::spawn::run("pgrep", &["-f", &format!("^sleep {seconds}")]);
    assert!(left.unwrap().stdout.is_empty());
}

#[test]
fn options_that_are_none_are_refused() {
    let refused = |name: &str, value: &str| {
        let mut job = job("true");
        job.engine_options.insert(name.into(), value.into());
        super::options(&job).unwrap_err().to_string()
    };
    assert!(refused("command", " ").contains("there is no command to run"));
    assert!(refused("regex", "(").contains("--metric-regex ("));
    assert!(refused("better", "more").contains("Choose higher or lower"));
    assert!(refused("shell", "bash").contains("has no such option"));
}
