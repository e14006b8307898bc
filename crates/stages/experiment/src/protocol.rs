//! The experiment over a pipe: one JSON document a line, so that any program can be the driver.
//!
//! ```text
//! → {"type":"hello","schema":"iodyno.judge/1","seed":7,"bin_ms":10}
//! → {"type":"window","id":1,"arm":"B","duration_ms":120,"discard_ms":40,"stage":"pairs"}
//! ← {"type":"result","id":1,"rates":[…one number for every bin_ms of the whole window…]}
//! ← {"type":"failed","id":1,"why":"…"}
//! → {"type":"verdict","verdict":"better","arm":"B","reason":"confirmed","effect":0.113,…}
//! ```
//!
//! A window may carry `"fresh":true` (restart the load on another region first) or `"half_depth":true`. A result may
//! carry `"latency":[[bucket,count],…]` in fio's buckets and `"foreign_share"`, with
//! `"own_rate"` and `"foreign_rate"` if they are known; a failure `"kind":"apply-failed"`
//! when no retry can help. Blank lines and unknown fields are ignored.

use std::io::{BufRead, Write};

use model::histogram::Histogram;
use model::verdict::{Outcome, Verdict, VerdictStage};
use serde::{Deserialize, Serialize};

use super::plan::ExperimentPlan;
use super::{
    Ask, Experiment, Failure, ForeignIo, OwnAndOthers, PlanError, TellError, Window, WindowReport,
};

/// Name and version of the line format.
pub const SCHEMA: &str = "iodyno.judge/1";

/// A line to the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Said {
    /// First line.
    Hello {
        /// [`SCHEMA`].
        schema: String,
        /// Seed of the order of all windows.
        seed: u64,
        /// Time for which one entry of the rates stands: the metric's grain, in milliseconds.
        bin_ms: u64,
    },
    /// Run this window and answer.
    Window {
        /// Number of the window, from 1.
        id: u64,
        /// Name of the arm.
        arm: String,
        /// Whole length in milliseconds.
        duration_ms: u64,
        /// Unused part at the start, in milliseconds.
        discard_ms: u64,
        /// The stage it belongs to.
        stage: VerdictStage,
        /// Restart the load on another region first.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        fresh: bool,
        /// Run at half the load's depth.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        half_depth: bool,
    },
    /// Last line.
    Verdict(Box<Verdict>),
}

/// A line from the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Heard {
    /// The window ran.
    Result {
        /// Number of the window.
        id: u64,
        /// One value of the metric for every `bin_ms`.
        rates: Vec<f64>,
        /// Latencies of the kept part, `[[bucket, count], …]` in fio's buckets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        latency: Option<Histogram>,
        /// Share of the device's I/O that other programs did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        foreign_share: Option<f64>,
        /// What the own load did per second, in the unit of `foreign_rate`, which stands beside it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own_rate: Option<f64>,
        /// What they did per second, in one unit for all windows; left out, it is worked out from the share.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        foreign_rate: Option<f64>,
    },
    /// The window did not run.
    Failed {
        /// Number of the window.
        id: u64,
        /// What happened.
        why: String,
        /// What kind of failure it was.
        #[serde(default)]
        kind: FailedKind,
    },
}

/// Why a window did not run, as written in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailedKind {
    /// The setting read back another value than was written.
    ApplyFailed,
    /// Anything else; the window is asked for again a few times.
    #[default]
    Other,
}

/// Why the conversation ended without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A line is not one of the documents above.
    #[error("line {line}: {why}")]
    Malformed {
        /// Line of the input, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A line does not fit the open window.
    #[error("line {line}: {why}")]
    Unfit {
        /// Line of the input, from 1.
        line: u64,
        /// What is wrong with it.
        why: TellError,
    },
    /// The input ended with a window open.
    #[error("the input ended after line {line}, while window {id} was open")]
    Ended {
        /// Last line read.
        line: u64,
        /// The window that was open.
        id: u64,
    },
    /// The driver is gone, or a line could not be read.
    #[error("the pipe to the driver broke: {0}")]
    Pipe(#[from] std::io::Error),
}

/// Exit code of a verdict: 0 when something was proved, 6 when not.
pub fn exit_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Better | Outcome::Equal => 0,
        Outcome::Inconclusive | Outcome::Refused => 6,
    }
}

/// Holds the whole conversation and returns the exit code. An error is for the caller to print; its exit code is 2.
pub fn serve(
    plan: ExperimentPlan,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<u8, ProtocolError> {
    let names = plan.arms.clone();
    let hello = Said::Hello {
        schema: SCHEMA.into(),
        seed: plan.seed,
        bin_ms: plan.metric.grain_ms,
    };
    let mut experiment = Experiment::new(plan)?;
    say(&mut output, &hello)?;
    let mut lines = ProtocolLines { input, number: 0 };
    loop {
        match experiment.ask() {
            Ask::Done(verdict) => {
                let code = exit_code(verdict.outcome);
                say(&mut output, &Said::Verdict(verdict))?;
                return Ok(code);
            }
            Ask::Window(window) => {
                let id = window.id;
                say(&mut output, &announced(window, &names))?;
                let heard = lines.next(id)?;
                let line = lines.number;
                experiment
                    .tell(heard.into())
                    .map_err(|why| ProtocolError::Unfit { line, why })?;
            }
        }
    }
}

fn announced(window: Window, names: &[String]) -> Said {
    Said::Window {
        id: window.id,
        arm: names[window.arm].clone(),
        duration_ms: window.duration_ms,
        discard_ms: window.discard_ms,
        stage: window.stage,
        fresh: window.fresh,
        half_depth: window.half_depth,
    }
}

fn say(output: &mut impl Write, said: &Said) -> Result<(), ProtocolError> {
    let mut line = serde_json::to_vec(said).map_err(std::io::Error::other)?;
    line.push(b'\n');
    output.write_all(&line)?;
    // The driver waits for the line, so it must not wait in a buffer.
    Ok(output.flush()?)
}

/// The driver's lines, counted.
struct ProtocolLines<R> {
    input: R,
    number: u64,
}

impl<R: BufRead> ProtocolLines<R> {
    /// The next line that is not blank; `id` is the window that waits for it.
    fn next(&mut self, id: u64) -> Result<Heard, ProtocolError> {
        loop {
            let mut bytes = Vec::new();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                return Err(ProtocolError::Ended {
                    line: self.number,
                    id,
                });
            }
            self.number += 1;
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = self.number;
            return model::json::read_bytes(&bytes).map_err(|error| ProtocolError::Malformed {
                line,
                why: error.to_string(),
            });
        }
    }
}

impl From<Heard> for WindowReport {
    fn from(heard: Heard) -> Self {
        match heard {
            Heard::Result {
                id,
                rates,
                latency,
                foreign_share,
                own_rate,
                foreign_rate,
            } => WindowReport::Measured {
                id,
                rates,
                latency,
                foreign: foreign_share.map(|share| ForeignIo {
                    share,
                    per_second: own_rate
                        .zip(foreign_rate)
                        .map(|(own, others)| OwnAndOthers { own, others }),
                }),
            },
            Heard::Failed { id, why, kind } => {
                let kind = match kind {
                    FailedKind::ApplyFailed => Failure::ApplyFailed,
                    FailedKind::Other => Failure::Other,
                };
                WindowReport::Failed { id, why, kind }
            }
        }
    }
}
