//! # A command of yours makes the load
//!
//! ## What it does
//! Runs a shell command (`--command`), reads what it prints, and looks at the counters of the block device below the
//! target every 5 ms, as `none` does. Lines that tell a rate are taken as the program's own: with `tune` they are what
//! a setting is judged by (`iodyno explain printed`), so that the proof is in transactions of your database and not in
//! requests of a disk. Of rates that are printed within the same millisecond the mean counts.
//!
//! Known by themselves are the lines of `pgbench -P 1` and of `sysbench --report-interval=1`. For other programs
//! `--metric-regex` says which lines tell a rate: the numbers in its groups are added up. A named group gives the
//! metric its name: `(?<qps>[0-9.]+) queries/s`.
//!
//! ## Options
//! Those of the command line are these, and no others may come with a job:
//!
//! - `command` (`--command`): the command with all its words, as `sh -c` takes it.
//! - `regex` (`--metric-regex`): which lines tell a rate.
//! - `better` (`--metric-better`): `higher` or `lower`, for a program that prints a latency.
//! - `again` (`--run-again` of `tune`): `1` where the command ends by itself and each run of it is a window.
//!
//! ## Danger to data
//! The command does what you could do yourself; iodyno does not look at what that is, takes no right from it, and gates
//! do not guard against it. It runs only where it was typed (`--command`): one that comes with a job file, a record or a
//! request of the web page is refused. At the end its processes are asked to end (SIGTERM to their group) and after five
//! seconds killed. A daemon that left their group, as `pg_ctl start` makes one, goes on; it is named where it keeps the
//! command's output open. When iodyno itself is killed, the kernel asks the shell to end.
//!
//! ## Limits
//! The device counts requests of everybody, merged and split, and what the page cache answered is not there. There are no
//! latencies; the tail is judged where the program prints one and `--metric-regex` takes it. A command that ends before
//! `run` does ends the run; one that ends under `tune` is an error, so give it more time than `--budget`, or a loop
//! around it: `while pgbench -T 60 …; do :; done`. A program that writes to a file or a pipe in blocks of its own tells
//! its lines late: `stdbuf -oL` helps. A server that the command only asks, such as a database, keeps its files open: what
//! acts on files opened afterwards (read-ahead) it does not feel until it opens them again.
//!
//! ## Example
//! ```text
//! iodyno tune /var/lib/postgresql --command 'pgbench -P 1 -c 8 -T 3600 bench' --knob scheduler
//! iodyno run /srv --command 'sysbench fileio --report-interval=1 --time=60 --file-test-mode=rndrd run'
//! ```

mod beside;
mod lines;
mod once;
mod told;

use crate::device::{LOOK_NS, Watched};
use crate::options::Options;
use crate::worker::{OpenError, Opened, PrintedRate, Worker};
use crate::{Engine, LoadError, Needs, Runs};
pub use beside::Beside;
use host::process::CpuTime;
use host::{LeftProcess, Workload, clock};
use lines::RateLines;
use model::job::{Job, command_shown};
use model::metric::Better;
use model::text::clean_to;
pub use once::{RunOnce, once};
use told::Told;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "command",
    since: "0.1.0",
    summary: "a command of yours, such as pgbench, with the rate that it prints",
    has_depth: false,
    runs: Runs::Command,
    needs: Needs::Nothing,
    operations: &[],
    open,
};

/// How long the command's processes may take to end after they were asked to, ms.
const END_MS: u64 = 5_000;
/// How long the last words of a command that has ended are waited for, ms.
const LAST_WORDS_MS: u64 = 200;

/// What a job says of its command, checked.
#[derive(Debug)]
pub struct CommandOptions {
    /// The command.
    pub command: String,
    lines: RateLines,
    /// What its rate is called, where the job says.
    pub name: Option<String>,
    /// Which way the rate is better.
    pub better: Better,
    /// Whether it ends by itself and is run again for each window.
    pub is_run_again: bool,
}

/// Whether a job's command ends by itself and is run again for each window.
pub fn is_run_again(job: &Job) -> bool {
    job.ioengine == ENGINE.id && job.engine_options.contains_key("again")
}

/// Reads the options of a job for this engine.
///
/// # Errors
/// When there is no command, or the regular expression is none or has no group.
pub fn options(job: &Job) -> Result<CommandOptions, LoadError> {
    let options = Options::of(job, ENGINE.id, &["command", "regex", "better", "again"])?;
    let command = options
        .text("command")
        .filter(|command| !command.is_empty());
    let command = command.ok_or_else(|| {
        LoadError::usage(
            "--ioengine=command",
            "there is no command to run",
            "Give it with --command 'PROGRAM WORDS…'",
        )
    })?;
    let is_run_again = options.text("again").is_some();
    let lines = match is_run_again {
        true => RateLines::of_runs(options.text("regex"))?,
        false => RateLines::new(options.text("regex"))?,
    };
    let better = match options.text("better") {
        None | Some("higher") => Better::Higher,
        Some("lower") => Better::Lower,
        Some(other) => {
            return Err(LoadError::usage(
                format!("--metric-better {other}"),
                "a rate is better one way or the other",
                "Choose higher or lower",
            ));
        }
    };
    Ok(CommandOptions {
        command: command.into(),
        name: lines.name(),
        lines,
        better,
        is_run_again,
    })
}

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let options = options(&worker.job).map_err(OpenError::Failed)?;
    let shown = command_shown(&options.command);
    let mut notes = Vec::new();
    let watched = watched(worker, &mut notes);
    Ok(Opened {
        description: format!("the command `{shown}`"),
        notes,
        drive: Box::new(move |worker| {
            if let Err(error) = drive(worker, watched, options, shown) {
                worker.shared.fail(error);
            }
        }),
    })
}

/// Begins to count, and only then starts the command: its first I/Os are counted too.
fn drive(
    worker: &Worker,
    mut watched: Option<Watched>,
    options: CommandOptions,
    shown: String,
) -> Result<(), LoadError> {
    // What the command takes is not this process's to count.
    worker.shared.set_cpu(CpuTime::default());
    if let Some(watched) = &mut watched {
        let begun = watched.begin(worker.clock.now_ns());
        begun.map_err(|why| failed(&shown, why, OTHER_DISK))?;
    }
    let workload = Workload::start(&options.command)
        .map_err(|error| failed(&shown, error.to_string(), LOOK_AT_IT))?;
    let mut command = Command {
        shown,
        workload,
        lines: options.lines,
        is_run_again: options.is_run_again,
        told: Told::default(),
    };
    let watched = command.watch(worker, watched);
    let left = command.workload.end(END_MS);
    if let Some(note) = left_behind("the command", &left) {
        worker.shared.leave(note);
    }
    command.read(worker);
    if watched.is_ok() {
        command.conclude(worker);
    }
    if let Some(note) = command.told.summary() {
        worker.shared.note(note);
    }
    watched
}

/// The device's counters, or a note on why there are none: what the command prints can be judged all the same.
fn watched(worker: &Worker, notes: &mut Vec<String>) -> Option<Watched> {
    let opened = match &worker.place.device {
        Some(device) => Watched::open(&worker.place.host, device).map(|watched| (device, watched)),
        None => Err("there is no block device below the target".to_string()),
    };
    match opened {
        Ok((device, watched)) => {
            notes.push(format!(
                "requests as {device} counts them, of everybody; no latency percentiles can be had from its counters"
            ));
            Some(watched)
        }
        Err(why) => {
            notes.push(format!("no counts of a device: {why}"));
            None
        }
    }
}

const LOOK_AT_IT: &str = "Try it in a shell first";
const OTHER_DISK: &str = "Name a target on another disk";

fn failed(shown: &str, why: String, advice: &'static str) -> LoadError {
    LoadError::Command {
        command: shown.into(),
        why,
        advice,
    }
}

/// A command at work.
struct Command {
    shown: String,
    workload: Workload,
    lines: RateLines,
    is_run_again: bool,
    told: Told,
}

impl Command {
    /// Looks until it is told to stop or the command ends.
    fn watch(&mut self, worker: &Worker, mut watched: Option<Watched>) -> Result<(), LoadError> {
        let mut next_ns = worker.origin_ns;
        while !worker.is_stopping() {
            let now_ns = worker.clock.now_ns();
            next_ns += LOOK_NS * (now_ns.saturating_sub(next_ns) / LOOK_NS + 1);
            clock::sleep_ns(next_ns.saturating_sub(now_ns));
            match &mut watched {
                Some(watched) => {
                    let looked = watched.look(worker);
                    looked.map_err(|why| failed(&self.shown, why, OTHER_DISK))?;
                }
                None => worker
                    .counters
                    .last_ns
                    .store(worker.clock.now_ns(), std::sync::atomic::Ordering::Relaxed),
            }
            let has_ended = self.workload.has_ended();
            self.read(worker);
            if has_ended {
                return self.ended();
            }
        }
        Ok(())
    }

    /// Takes the rates out of what was printed since the last look.
    fn read(&mut self, worker: &Worker) {
        let mut rates = Vec::new();
        for line in self.workload.take_lines() {
            if self.is_run_again {
                self.lines.take(&line.text);
            } else if let Some(value) = self.lines.rate(&line.text) {
                self.told.add(value);
                let at_ns = line.at_ns;
                rates.push(PrintedRate { at_ns, value });
            }
        }
        told::by_milliseconds(&rates).for_each(|rate| worker.shared.print(rate));
    }

    /// Tells what a whole run came to.
    fn conclude(&mut self, worker: &Worker) {
        if let Some(value) = self.lines.result().filter(|_| self.is_run_again) {
            self.told.add(value);
            let at_ns = clock::monotonic_ns();
            worker.shared.print(PrintedRate { at_ns, value });
        }
    }

    fn ended(&mut self) -> Result<(), LoadError> {
        ended(&self.shown, &self.workload)
    }
}

/// What to say of processes that outlive their command: a daemon is meant to, and nobody here knows whether this one is.
fn left_behind(what: &str, left: &[LeftProcess]) -> Option<String> {
    let names = || clean_to(&LeftProcess::words(left), 200);
    (!left.is_empty())
        .then(|| format!("{what} left processes behind, which still run: {}", names()))
}

/// A command that ended by itself: well, or with its last words. Its processes are left alone: whoever drives an experiment
/// asks, and must not wait for them while a setting is changed.
fn ended(shown: &str, workload: &Workload) -> Result<(), LoadError> {
    // It can be seen to have ended before what it said last was read.
    workload.catch_up(LAST_WORDS_MS);
    let how = match workload.status() {
        Some(0) => return Ok(()),
        Some(127) => "the shell found no such program".to_string(),
        Some(status) => format!("it ended with status {status}"),
        None => "a signal ended it".to_string(),
    };
    let last = workload.last_lines();
    let said: Vec<String> = last.iter().map(|line| clean_to(line, 200)).collect();
    let said = match said.is_empty() {
        true => "; it printed nothing".into(),
        false => format!("; its last words: {}", said.join(" / ")),
    };
    Err(failed(shown, format!("{how}{said}"), LOOK_AT_IT))
}

#[cfg(test)]
mod tests;
