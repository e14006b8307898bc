//! The thread of a job: starts the verb, passes on what it says, and makes sure that everything is back when it has ended.

use super::{Job, LINES_MAX, Line, State};
use crate::door::Door;
use crate::route::Call;
use crate::verbs;
use host::{Piped, Privileges, clock};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// The longest line that is taken, bytes: a record of a long run.
const LINE_MAX: u64 = 256 << 20;
/// The longest line of progress, characters.
const WORDS_MAX: usize = 2_000;
/// The largest answer that is kept, bytes; larger ones are in the record.
const LAST_MAX: usize = 1 << 20;

/// Begins it. The thread stays until the verb has ended: it is the parent that the kernel watches.
pub fn begin(door: &Arc<Door>, id: i64, words: Vec<String>) {
    let door = Arc::clone(door);
    std::thread::spawn(move || {
        let words: Vec<String> = std::iter::once("--json".to_string()).chain(words).collect();
        match Piped::start(&door.options.program, &words, Privileges::Load) {
            Ok(child) => follow(&door, id, child),
            Err(error) => {
                let change = |job: &mut Job| {
                    job.outcome = Some(error.to_string());
                    end(job, State::Failed, None, true);
                };
                tell(&door, door.jobs.change(id, change));
            }
        }
    });
}

fn follow(door: &Arc<Door>, id: i64, mut child: Piped) {
    let (pid, interrupter) = (child.id(), child.interrupter());
    let change = |job: &mut Job| {
        // It may have been told to stop before there was anything to stop.
        if job.state == State::Stopping {
            let _ = interrupter.interrupt();
        }
        job.interrupter = Some(interrupter);
    };
    tell(door, door.jobs.change(id, change));
    let words = child.stderr().map(|source| {
        let door = Arc::clone(door);
        std::thread::spawn(move || hear(&door, id, source))
    });
    if let Some(source) = child.stdout() {
        read(door, id, source);
    }
    let words = words
        .and_then(|thread| thread.join().ok())
        .unwrap_or_default();
    let exit = child.wait().ok().flatten();
    let left = left_by(door, pid);
    let change = |job: &mut Job| {
        let state = match exit {
            Some(0 | 1 | 6) => State::Done,
            Some(130) => State::Stopped,
            _ if job.state == State::Stopping && job.record.is_none() && exit.is_none() => {
                State::Stopped
            }
            _ => State::Failed,
        };
        job.outcome = Some(outcome(state, exit, &words, left.as_deref()));
        end(job, state, exit, left.as_ref().is_some_and(Vec::is_empty));
    };
    tell(door, door.jobs.change(id, change));
}

fn end(job: &mut Job, state: State, exit: Option<i32>, is_back: bool) {
    job.state = state;
    job.exit = exit;
    job.everything_back = Some(is_back);
    job.ended_unix_ms = Some(clock::unix_ms());
    job.interrupter = None;
}

/// How it ended, and whether anything is left.
fn outcome(state: State, exit: Option<i32>, words: &str, left: Option<&[String]>) -> String {
    let how = match state {
        State::Failed => {
            let (error, hint) = verbs::told(words);
            [error, hint].join("\n").trim().to_string()
        }
        State::Stopped => "Stopped.".to_string(),
        _ if exit == Some(6) => "The experiment could not decide; the record says why.".to_string(),
        _ => "Done.".to_string(),
    };
    match left {
        None => format!("{how} Whether anything of it is left could not be read: iodyno status."),
        Some([]) => format!("{how} Nothing of it is left to undo."),
        Some(journals) => format!(
            "{how} Not everything is back: undo {}.",
            journals.join(", ")
        ),
    }
}

/// Journals of a process that wait to be undone; none where they cannot be read.
fn left_by(door: &Door, pid: u32) -> Option<Vec<String>> {
    let status = verbs::look(
        door,
        &Call::default(),
        Privileges::Inspect,
        &["status".to_string()],
    )
    .and_then(|text| verbs::value(&text));
    let journals = status.ok()?["journals"].as_array().cloned()?;
    let is_its =
        |journal: &&Value| journal["pid"] == json!(pid) && journal["pending"] == json!(true);
    let ids = journals
        .iter()
        .filter(is_its)
        .filter_map(|journal| Some(journal["id"].as_str()?.to_string()));
    Some(ids.collect())
}

/// Keeps what is said on standard error, line by line; gives back all of it.
fn hear(door: &Arc<Door>, id: i64, source: impl Read) -> String {
    let mut all = String::new();
    let mut source = BufReader::new(source);
    let mut line = Vec::new();
    while source
        .by_ref()
        .take(1 << 16)
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        let text: String = String::from_utf8_lossy(&line)
            .trim_end()
            .chars()
            .take(WORDS_MAX)
            .collect();
        line.clear();
        if all.len() < 1 << 20 {
            all.push_str(&text);
            all.push('\n');
        }
        if text.is_empty() {
            continue;
        }
        let said = Line {
            unix_ms: clock::unix_ms(),
            text,
        };
        door.jobs.change(id, |job| {
            if job.progress.len() >= LINES_MAX {
                job.progress.pop_front();
            }
            job.progress.push_back(said.clone());
        });
        notify(door, &json!({"id": id, "line": said}));
    }
    all
}

/// Keeps the documents, one a line, or one over several at the end.
fn read(door: &Arc<Door>, id: i64, source: impl Read) {
    let mut source = BufReader::new(source);
    let mut line = Vec::new();
    while source
        .by_ref()
        .take(LINE_MAX)
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        if let Ok(document) = serde_json::from_slice::<Value>(&line) {
            keep(door, id, document, line.len());
        }
        line.clear();
    }
}

fn keep(door: &Arc<Door>, id: i64, mut document: Value, length: usize) {
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
    notify(door, &json!({"id": id, "document": document}));
    door.jobs.change(id, |job| {
        job.record = record.or(job.record);
        job.last = Some(document);
    });
}

/// Tells listeners of a job that has changed.
fn tell(door: &Arc<Door>, job: Option<Job>) {
    if let Some(job) = job {
        let Job {
            id,
            state,
            exit,
            record,
            outcome,
            everything_back,
            ..
        } = job;
        notify(
            door,
            &json!({"id": id, "state": state, "exit": exit, "record": record, "outcome": outcome,
                    "everything_back": everything_back}),
        );
    }
}

fn notify(door: &Arc<Door>, document: &Value) {
    door.hub.notice("job", &document.to_string());
}
