//! Runs our own executable: a verb with a list of words, never a shell, and the document that it prints.

use crate::answer::Fault;
use crate::door::Door;
use crate::route::Call;
use host::{Interrupter, Piped, Privileges};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest document that is taken, bytes: more is no answer for a browser.
const DOCUMENT_MAX: u64 = 64 << 20;
/// The most that is kept of what is said beside it, bytes.
const WORDS_MAX: u64 = 64 << 10;
/// How long a verb that only looks may take.
const LOOK_TIME: Duration = Duration::from_secs(120);

/// What a verb left.
#[derive(Debug)]
pub struct Done {
    /// Exit status; none when a signal ended it.
    pub exit: Option<i32>,
    /// Its document as printed.
    pub document: Vec<u8>,
    /// Words for people.
    pub words: String,
}

/// Ends a verb that works for a request, once nobody waits for its answer. Only for verbs that may be ended at any moment.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<Cancelling>>);

#[derive(Debug, Default)]
struct Cancelling {
    is_cancelled: bool,
    at_work: Option<Interrupter>,
}

/// Cancels when it is dropped, which its future is when the connection ends.
#[derive(Debug)]
pub struct CancelOnDrop(Cancel);

impl Cancel {
    /// Ends what is at work, and what would begin.
    pub fn cancel(&self) {
        let mut cancelling = self.lock();
        cancelling.is_cancelled = true;
        if let Some(interrupter) = cancelling.at_work.take() {
            let _ = interrupter.kill();
        }
    }

    /// Something that cancels when it is dropped.
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    /// This one is ended with it.
    fn begins(&self, interrupter: Interrupter) {
        let mut cancelling = self.lock();
        match cancelling.is_cancelled {
            true => drop(interrupter.kill()),
            false => cancelling.at_work = Some(interrupter),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cancelling> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs a verb with `--json` to its end. It changes something, so it is never cut short.
///
/// # Errors
/// When it cannot be run, or failed: its own words and exit code.
pub fn change(door: &Door, words: &[String]) -> Result<Done, Fault> {
    follow(Piped::start(
        &door.options.program,
        &with_json(words),
        Privileges::Load,
    )?)
}

/// Runs a verb with `--json` that only looks; ended when it takes too long, or nobody waits for it any more.
///
/// # Errors
/// See [`change`].
pub fn look_whole(
    door: &Door,
    call: &Call,
    privileges: Privileges,
    words: &[String],
) -> Result<Done, Fault> {
    let child = Piped::start(&door.options.program, &with_json(words), privileges)?;
    fine(follow_within(child, LOOK_TIME, &call.cancel)?)
}

/// The document of a verb that only looks, as it was printed.
///
/// # Errors
/// See [`change`].
pub fn look(
    door: &Door,
    call: &Call,
    privileges: Privileges,
    words: &[String],
) -> Result<Vec<u8>, Fault> {
    look_whole(door, call, privileges, words).map(|done| done.document)
}

/// What a verb that only looks prints of itself, without `--json`: a page, a table.
///
/// # Errors
/// See [`change`].
pub fn look_as_printed(
    door: &Door,
    call: &Call,
    privileges: Privileges,
    words: &[String],
) -> Result<Vec<u8>, Fault> {
    let child = Piped::start(&door.options.program, words, privileges)?;
    fine(follow_within(child, LOOK_TIME, &call.cancel)?).map(|done| done.document)
}

/// Runs an import in a directory, so that a file in it can be named without its path. It may be ended at any moment: the
/// store has a record whole or not at all.
///
/// # Errors
/// See [`change`].
pub fn import_in(
    door: &Door,
    call: &Call,
    directory: &Path,
    words: &[String],
) -> Result<Done, Fault> {
    let state_dir = host::files::canonical(&door.options.state_dir)?;
    let variables = [("IODYNO_STATE_DIR", state_dir.as_path())];
    let words = with_json(words);
    let child = Piped::start_in(
        &door.options.program,
        &words,
        Privileges::Own,
        Some(directory),
        &variables,
    )?;
    follow_within(child, door.options.import_time, &call.cancel)
}

fn with_json(words: &[String]) -> Vec<String> {
    std::iter::once("--json".to_string())
        .chain(words.iter().cloned())
        .collect()
}

/// Follows a verb to its end, which comes after `limit` at the latest, and at once when its request is cancelled.
fn follow_within(child: Piped, limit: Duration, cancel: &Cancel) -> Result<Done, Fault> {
    let interrupter = child.interrupter();
    cancel.begins(child.interrupter());
    let (ends, ended) = channel::<()>();
    let timer = std::thread::spawn(move || {
        let is_over = ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        is_over && interrupter.kill().is_ok()
    });
    let done = follow(child);
    drop(ends);
    match timer.join() {
        Ok(true) => {
            let limit = model::units::span_ms(limit.as_millis() as u64);
            Err(
                Fault::new(503, format!("it took longer than {limit} and was ended"))
                    .hint("The same verb on the command line has no limit of time."),
            )
        }
        _ => done,
    }
}

fn follow(mut child: Piped) -> Result<Done, Fault> {
    let said = child
        .stderr()
        .map(|source| std::thread::spawn(move || read_some(source, WORDS_MAX).0));
    let (document, is_whole) = child
        .stdout()
        .map_or((Vec::new(), true), |source| read_some(source, DOCUMENT_MAX));
    let words = said
        .and_then(|thread| thread.join().ok())
        .unwrap_or_default();
    let exit = child.wait()?;
    if !is_whole {
        let most = model::units::bytes(DOCUMENT_MAX as f64);
        return Err(Fault::new(413, format!("the answer is longer than {most}"))
            .hint("The same verb on the command line prints it whole."));
    }
    Ok(Done {
        exit,
        document,
        words: String::from_utf8_lossy(&words).into_owned(),
    })
}

/// What ended well: 0; 1, where something was found; 6, where an experiment could not decide.
///
/// # Errors
/// The verb's own words.
pub fn fine(done: Done) -> Result<Done, Fault> {
    match done.exit {
        Some(0 | 1 | 6) if !done.document.is_empty() => Ok(done),
        exit => Err(fault(exit, &done.words)),
    }
}

/// The same document as a value.
///
/// # Errors
/// When it is none.
pub fn value(document: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(document).map_err(|_| Fault::defect())
}

/// Why a verb failed, for a browser.
pub fn fault(exit: Option<i32>, words: &str) -> Fault {
    let status = match exit {
        Some(2) => 400,
        Some(3) => 403,
        Some(4) => 409,
        Some(5) => 422,
        Some(130) | None => 503,
        Some(_) => 500,
    };
    let (error, hint) = told(words);
    let error = if error.is_empty() {
        "it ended without a word".to_string()
    } else {
        error
    };
    Fault {
        exit,
        hint: (!hint.is_empty()).then_some(hint),
        ..Fault::new(status, error)
    }
}

/// The last thing that a verb complained of, and what it says to do.
pub fn told(words: &str) -> (String, String) {
    let lines: Vec<&str> = words.lines().collect();
    let begins = |line: &&str| line.starts_with("iodyno: ") || line.starts_with("error: ");
    let Some(start) = lines.iter().rposition(begins) else {
        return (
            lines.last().copied().unwrap_or_default().to_string(),
            String::new(),
        );
    };
    let first = lines[start]
        .split_once(": ")
        .map_or(lines[start], |(_, rest)| rest);
    let rest = lines[start + 1..]
        .iter()
        .map(|line| line.trim_end())
        .filter(|line| !line.is_empty());
    (first.to_string(), rest.collect::<Vec<_>>().join("\n"))
}

/// Reads so much, and tells whether that was all; what is beyond is read too, so that nobody waits for us, and forgotten.
fn read_some(mut source: impl Read, most: u64) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let _ = source.by_ref().take(most).read_to_end(&mut bytes);
    let beyond = std::io::copy(&mut source, &mut std::io::sink());
    (bytes, beyond.is_ok_and(|bytes| bytes == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_is_found_among_other_words() {
        let words = "iodyno: `tune vda` (process 7) ended before it put everything back.\nnote: scratch\n\
                     iodyno: cannot write to /dev/sdb: it is in use.\nUse a directory.\n";
        assert_eq!(
            told(words),
            (
                "cannot write to /dev/sdb: it is in use.".into(),
                "Use a directory.".into()
            )
        );
        assert_eq!(
            told("error: unexpected argument\n\nUsage: x\n").0,
            "unexpected argument"
        );
        assert_eq!(told(""), (String::new(), String::new()));
    }

    #[test]
    fn exit_codes_have_their_status() {
        let status = |exit| fault(exit, "iodyno: no").status;
        assert_eq!(
            [Some(2), Some(3), Some(4), Some(5), Some(130), None].map(status),
            [400, 403, 409, 422, 503, 503]
        );
    }

    fn start(program: &str, words: &[&str]) -> Piped {
        let words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
        Piped::start(program, &words, Privileges::Own).unwrap()
    }

    #[test]
    fn a_program_that_fails_is_told_with_its_words() {
        let done = follow(start("false", &[])).unwrap();
        assert_eq!(done.exit, Some(1));
        assert_eq!(fine(done).unwrap_err().error, "it ended without a word");
        let page =
            follow_within(start("echo", &["a page"]), LOOK_TIME, &Cancel::default()).unwrap();
        assert_eq!(fine(page).unwrap().document, b"a page\n");
    }

    #[test]
    fn a_program_that_takes_too_long_or_is_wanted_no_more_is_ended() {
        let fault = follow_within(
            start("sleep", &["60"]),
            Duration::from_millis(50),
            &Cancel::default(),
        );
        let fault = fault.unwrap_err();
        assert_eq!(
            (fault.status, fault.error.as_str()),
            (503, "it took longer than 50 ms and was ended")
        );
        let cancel = Cancel::default();
        let ends = cancel.on_drop();
        let waiting = {
            let cancel = cancel.clone();
            std::thread::spawn(move || {
                follow_within(start("sleep", &["60"]), LOOK_TIME, &cancel)
                    .unwrap()
                    .exit
            })
        };
        drop(ends);
        assert_eq!(waiting.join().unwrap(), None, "a signal ended it");
        let late = follow_within(start("sleep", &["60"]), LOOK_TIME, &cancel).unwrap();
        assert_eq!(late.exit, None, "what begins after that ends too");
    }

    #[test]
    fn an_answer_that_is_too_long_is_not_given_by_halves() {
        let long = format!("{}", DOCUMENT_MAX + 1);
        let fault = follow(start("head", &["-c", &long, "/dev/zero"])).unwrap_err();
        assert_eq!(fault.status, 413);
    }
}
