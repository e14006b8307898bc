//! What a tune shows while it runs: one screen, redrawn, on a terminal; plain lines, one a stage, on a pipe.

use super::plan::{PlannedKnob, TunePlan};
use crate::live::LiveLine;
use crate::out::Out;
use experiment::Progress;
use host::signals::JobControl;
use model::job::Job;
use model::metric::ExperimentMetric;
use model::units;
use model::verdict::{ArmResult, VerdictStage};
use serde::Serialize;
use std::cell::Cell;
use std::io::IsTerminal;
use view::metric;
use view::running::{self, RunningArm};
use view::stage;

/// The live view.
pub struct Live {
    out: Out,
    line: LiveLine,
    is_terminal: bool,
    is_streaming: bool,
    device: String,
    metric: ExperimentMetric,
    job: String,
    said: Cell<Option<VerdictStage>>,
    next_ns: Cell<u64>,
    line_ns: Cell<u64>,
    streamed: Cell<Option<VerdictStage>>,
    /// Ctrl-Z would leave a changed setting with a process that stands still, so it is heard instead.
    jobs: Option<JobControl>,
}

/// A line of `--stream`: where an experiment stands. A bound that is still open is null.
#[derive(Serialize)]
struct TuneStep<'a> {
    schema: &'static str,
    knob: &'a str,
    device: &'a str,
    /// The values; the first is the one found.
    values: &'a [String],
    /// None when it is decided.
    stage: Option<VerdictStage>,
    /// Pairs, or blocks of a race, of this stage.
    pairs: usize,
    /// Each value but the first against it.
    arms: Vec<RunningArm>,
    leader: &'a str,
    windows: u64,
    spent_ms: u64,
    left_ms: u64,
    /// What the last window measured, in the metric's unit.
    rate: f64,
    /// What the values are judged by.
    metric: &'a ExperimentMetric,
    /// What is being done, the rate and the time left, in words.
    stage_words: &'static str,
    rate_words: String,
    left_words: String,
}

const REDRAW_NS: u64 = 100_000_000;
const BAR_CELLS: u64 = 20;
const NO_PAUSE: &str = "iodyno: Ctrl-Z does not pause a tune, because a setting would stay changed meanwhile. \
                        Ctrl-C ends it and puts everything back.";

impl Live {
    /// Nothing is drawn yet.
    pub fn new(out: Out, plan: &TunePlan, job: &Job, is_streaming: bool) -> Self {
        Live {
            out,
            line: LiveLine::new(),
            is_terminal: std::io::stderr().is_terminal(),
            is_streaming,
            device: plan.device.clone(),
            metric: plan.metric.clone(),
            job: job.phrase(),
            said: Cell::new(None),
            next_ns: Cell::new(0),
            line_ns: Cell::new(0),
            streamed: Cell::new(None),
            jobs: JobControl::withstand().ok(),
        }
    }

    /// The line, above which others can say something.
    pub fn line(&self) -> LiveLine {
        self.line.clone()
    }

    /// After each window: redraws at most ten times a second, or says a new stage.
    pub fn show(&self, planned: &PlannedKnob, progress: &Progress) {
        if self.jobs.as_ref().is_some_and(JobControl::take_stop) {
            self.line.note(self.out, NO_PAUSE);
        }
        if self.is_streaming {
            self.stream(planned, progress);
        }
        if !self.is_terminal {
            if progress.stage != self.said.get()
                && let Some(stage) = progress.stage
            {
                self.said.set(Some(stage));
                let rate = metric::words(&self.metric, progress.rate);
                let left = units::span_ms(progress.left_ms);
                self.out.note(format!(
                    "{} on {}: {}, {rate}, about {left} left",
                    planned.label(),
                    self.device,
                    stage::phrase(stage)
                ));
            }
            return;
        }
        let now_ns = host::clock::monotonic_ns();
        if now_ns >= self.next_ns.get() {
            self.next_ns.set(now_ns + REDRAW_NS);
            self.line.say(self.screen(planned, progress));
        }
    }

    /// A line at most ten times a second, and one for each new stage.
    fn stream(&self, planned: &PlannedKnob, progress: &Progress) {
        let now_ns = host::clock::monotonic_ns();
        let is_new = progress.stage != self.streamed.replace(progress.stage);
        if now_ns < self.line_ns.get() && !is_new {
            return;
        }
        self.line_ns.set(now_ns + REDRAW_NS);
        self.out.line(&TuneStep {
            schema: "iodyno.step/1",
            knob: &planned.knob,
            device: &self.device,
            values: &planned.values,
            stage: progress.stage,
            pairs: progress.pairs,
            arms: progress
                .arms
                .iter()
                .map(|arm| RunningArm::of(arm, &self.metric))
                .collect(),
            leader: &planned.values[progress.leader.min(planned.values.len() - 1)],
            windows: progress.windows,
            spent_ms: progress.spent_ms,
            left_ms: progress.left_ms,
            rate: progress.rate,
            metric: &self.metric,
            stage_words: progress.stage.map_or("decided", stage::phrase),
            rate_words: metric::words(&self.metric, progress.rate),
            left_words: units::span_ms(progress.left_ms),
        });
    }

    fn screen(&self, planned: &PlannedKnob, progress: &Progress) -> String {
        let stage = progress.stage.map_or("done", stage::phrase);
        let whole_ms = (progress.spent_ms + progress.left_ms).max(1);
        let filled = (progress.spent_ms * BAR_CELLS / whole_ms) as usize;
        let bar = format!(
            "{}{}",
            "█".repeat(filled),
            " ".repeat(BAR_CELLS as usize - filled)
        );
        let head = format!("{} on {}", planned.label(), self.device);
        let left = units::span_ms(progress.left_ms);
        let mut lines = vec![format!("{head:<24} {stage:<24} ▕{bar}▏ {left} left")];
        let leader = &planned.values[progress.leader.min(planned.values.len() - 1)];
        let default = &planned.values[0];
        let lead = |name: &String| {
            if name == leader && progress.pairs > 0 {
                "  leading"
            } else {
                ""
            }
        };
        lines.push(format!(
            "  {default} (now)  {}{}",
            metric::words(&self.metric, progress.rate),
            lead(default)
        ));
        lines.extend(
            progress
                .arms
                .iter()
                .map(|arm| format!("  {}{}", arm_line(arm, &self.metric), lead(&arm.arm))),
        );
        lines.push(self.job.clone());
        lines.join("\n")
    }

    /// A knob is decided: the next one begins with a stage of its own.
    pub fn finished(&self) {
        self.said.set(None);
    }

    /// Takes the screen away.
    pub fn clear(&self) {
        self.line.clear();
    }
}

fn arm_line(arm: &ArmResult, metric: &ExperimentMetric) -> String {
    let Some((change, interval)) = running::interval(arm, metric) else {
        return format!("{:<14} not compared yet", arm.arm);
    };
    let dropped = if arm.dropped { "  out" } else { "" };
    format!("{:<14} {change:>8}  ({interval}){dropped}", arm.arm)
}
