//! The thread of a job: starts the verb, passes on what it says, and makes sure that everything is back when it has ended.

use super::{Job, JobLine, JobState, LINES_MAX};
use crate::helper::Helper;
use host::{Privileges, clock};
use model::failure::ErrorDocument;
use runner::{Ended, Running, RunningLines, Verb};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The longest document that is taken, bytes: a record of a long run.
const DOCUMENT_MAX: u64 = 256 << 20;
/// The longest line of progress, characters.
const WORDS_MAX: usize = 2_000;
/// The largest answer that is kept, bytes; larger ones are in the record.
const LAST_MAX: usize = 1 << 20;

/// What listeners are told of a job: a line, a document, or where it stands.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobEvent {
    /// Its number.
    id: i64,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<JobLine>,
    /// What it printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Value>,
    /// Where it stands.
    #[serde(flatten)]
    standing: Option<JobStanding>,
}

/// Where a job stands.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct JobStanding {
    state: JobState,
    /// Its exit code.
    exit: Option<i32>,
    /// Number of the record that it left.
    record: Option<i64>,
    /// How it ended, in a sentence.
    outcome: Option<String>,
    /// Whether every setting is back as it was; none while it runs.
    everything_back: Option<bool>,
}

/// Begins it. The thread stays until the verb has ended: it is the parent that the kernel watches.
pub fn begin(helper: &Arc<Helper>, id: i64, words: Vec<String>) {
    let helper = Arc::clone(helper);
    std::thread::spawn(
        move || match helper.runner.start(&Verb::new(Privileges::Load, words)) {
            Ok(running) => follow(&helper, id, running),
            Err(error) => {
                let change = |job: &mut Job| {
                    job.outcome = Some(error.to_string());
                    end(job, JobState::Failed, None, true);
                };
                tell(&helper, helper.jobs.change(id, change));
            }
        },
    );
}

fn follow(helper: &Arc<Helper>, id: i64, running: Running) {
    let (pid, interrupter) = (running.id(), running.interrupter());
    let change = |job: &mut Job| {
        // It may have been told to stop before there was anything to stop.
        if job.state == JobState::Stopping {
            let _ = interrupter.interrupt();
        }
        job.interrupter = Some(interrupter);
    };
    tell(helper, helper.jobs.change(id, change));
    let ended = running.lines(RunningLines {
        longest: DOCUMENT_MAX,
        document: &mut |line| {
            if let Ok(document) = serde_json::from_str::<Value>(line) {
                keep(helper, id, document, line.len());
            }
        },
        words: &mut |line| say(helper, id, line),
    });
    let ended = ended.unwrap_or_else(|error| Ended {
        exit: None,
        error: Some(ErrorDocument::new(error.to_string())),
    });
    let left = left_by(helper, pid);
    let change = |job: &mut Job| {
        let state = match ended.exit {
            Some(0 | 1 | 6) => JobState::Done,
            Some(130) => JobState::Stopped,
            None if job.state == JobState::Stopping && job.record.is_none() => JobState::Stopped,
            _ => JobState::Failed,
        };
        job.outcome = Some(outcome(state, &ended, &left));
        end(job, state, ended.exit, left.is_empty());
    };
    tell(helper, helper.jobs.change(id, change));
}

fn end(job: &mut Job, state: JobState, exit: Option<i32>, is_back: bool) {
    job.state = state;
    job.exit = exit;
    job.everything_back = Some(is_back);
    job.ended_unix_ms = Some(clock::unix_ms());
    job.interrupter = None;
}

/// How it ended, and whether anything is left.
fn outcome(state: JobState, ended: &Ended, left: &[String]) -> String {
    let how = match (state, &ended.error) {
        (JobState::Failed, Some(error)) => [Some(&error.error), error.hint.as_ref()]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join("\n"),
        (JobState::Stopped, _) => "Stopped.".to_string(),
        _ if ended.exit == Some(6) => {
            "The experiment could not decide; the record says why.".to_string()
        }
        _ => "Done.".to_string(),
    };
    // Hints are sentences without their full stop now and then.
    let how = format!("{}.", how.trim_end_matches('.'));
    match left {
        [] => format!("{how} Nothing of it is left to undo."),
        journals => format!(
            "{how} Not everything is back: undo {}.",
            journals.join(", ")
        ),
    }
}

/// Journals of a process that wait to be undone. They are this user's own, so no right is needed to read them; one that
/// cannot be read may be its.
fn left_by(helper: &Helper, pid: u32) -> Vec<String> {
    let found = host::find_unfinished(&helper.host, &helper.options.state_dir);
    let own = found
        .journals
        .iter()
        .filter(|journal| journal.begin.pid == pid && journal.is_pending())
        .map(|journal| journal.id());
    own.chain(found.errors.iter().map(ToString::to_string))
        .collect()
}

/// Keeps a line of words for people.
fn say(helper: &Arc<Helper>, id: i64, line: &str) {
    if line.is_empty() {
        return;
    }
    let said = JobLine {
        unix_ms: clock::unix_ms(),
        text: line.chars().take(WORDS_MAX).collect(),
    };
    helper.jobs.change(id, |job| {
        if job.progress.len() >= LINES_MAX {
            job.progress.pop_front();
        }
        job.progress.push_back(said.clone());
    });
    notify(
        helper,
        &JobEvent {
            id,
            line: Some(said),
            document: None,
            standing: None,
        },
    );
}

fn keep(helper: &Arc<Helper>, id: i64, mut document: Value, length: usize) {
    // The answer's record is in the store; here its number is enough.
    let record = document.get("id").and_then(Value::as_i64);
    if let Some(members) = document.as_object_mut() {
        members.remove("record");
    }
    let document = match length {
        0..LAST_MAX => document,
        _ if record.is_some() => json!({"schema": document["schema"], "id": record}),
        _ => return,
    };
    notify(
        helper,
        &JobEvent {
            id,
            line: None,
            document: Some(document.clone()),
            standing: None,
        },
    );
    helper.jobs.change(id, |job| {
        job.record = record.or(job.record);
        job.last = Some(document);
    });
}

/// Tells listeners of a job that has changed.
fn tell(helper: &Arc<Helper>, job: Option<Job>) {
    if let Some(job) = job {
        let standing = JobStanding {
            state: job.state,
            exit: job.exit,
            record: job.record,
            outcome: job.outcome,
            everything_back: job.everything_back,
        };
        notify(
            helper,
            &JobEvent {
                id: job.id,
                line: None,
                document: None,
                standing: Some(standing),
            },
        );
    }
}

fn notify(helper: &Arc<Helper>, event: &JobEvent) {
    // It is made of strings, numbers and values, which JSON always has room for.
    let event = serde_json::to_string(event).unwrap_or_default();
    helper.hub.notice("job", &event);
}
