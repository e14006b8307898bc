//! Runs our own executable: a verb with a list of words, never a shell, and the document that it prints.

use crate::answer::Fault;
use host::{Piped, Privileges};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// The longest document that is taken, bytes.
const DOCUMENT_MAX: u64 = 256 << 20;
/// The most that is kept of what is said beside it, bytes.
const WORDS_MAX: u64 = 64 << 10;
/// How long a verb that only looks may take, ms.
const LOOK_MS: u64 = 120_000;

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

/// Runs a verb with `--json` to its end. One that only looks is ended when it takes too long; one that changes something
/// is never cut short.
///
/// # Errors
/// When it cannot be run, or failed: its own words and exit code.
pub fn run(program: &str, words: &[String], only_looks: bool) -> Result<Done, Fault> {
    let privileges = if only_looks { Privileges::Inspect } else { Privileges::Load };
    follow(Piped::start(program, &with_json(words), privileges)?, only_looks)
}

/// The same in a directory, so that a file in it can be named without its path.
///
/// # Errors
/// See [`run`].
pub fn run_in(directory: &Path, state_dir: &Path, program: &str, words: &[String]) -> Result<Done, Fault> {
    let state_dir = host::files::canonical(state_dir)?;
    let variables = [("IODYNO_STATE_DIR", state_dir.as_path())];
    follow(Piped::start_in(program, &with_json(words), Privileges::Own, Some(directory), &variables)?, false)
}

fn with_json(words: &[String]) -> Vec<String> {
    std::iter::once("--json".to_string()).chain(words.iter().cloned()).collect()
}

fn follow(mut child: Piped, only_looks: bool) -> Result<Done, Fault> {
    let said = child.stderr().map(|source| std::thread::spawn(move || read_some(source, WORDS_MAX)));
    let (done, timer) = std::sync::mpsc::channel::<()>();
    if only_looks {
        let interrupter = child.interrupter();
        std::thread::spawn(move || {
            let limit = std::time::Duration::from_millis(LOOK_MS);
            if timer.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = interrupter.kill();
            }
        });
    }
    let document = child.stdout().map(|source| read_some(source, DOCUMENT_MAX)).unwrap_or_default();
    let words = said.and_then(|thread| thread.join().ok()).unwrap_or_default();
    let exit = child.wait()?;
    drop(done);
    Ok(Done { exit, document, words: String::from_utf8_lossy(&words).into_owned() })
}

/// The document of a verb that only looks, as it was printed.
///
/// # Errors
/// See [`run`].
pub fn look(program: &str, words: &[String]) -> Result<Vec<u8>, Fault> {
    fine(run(program, words, true)?).map(|done| done.document)
}

/// What a verb that only looks prints of itself, without `--json`: a page, a table.
///
/// # Errors
/// See [`run`].
pub fn look_as_printed(program: &str, words: &[String]) -> Result<Vec<u8>, Fault> {
    fine(follow(Piped::start(program, words, Privileges::Own)?, true)?).map(|done| done.document)
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
    let error = if error.is_empty() { "it ended without a word".to_string() } else { error };
    Fault { exit, hint: (!hint.is_empty()).then_some(hint), ..Fault::new(status, error) }
}

/// The last thing that a verb complained of, and what it says to do.
pub fn told(words: &str) -> (String, String) {
    let lines: Vec<&str> = words.lines().collect();
    let begins = |line: &&str| line.starts_with("iodyno: ") || line.starts_with("error: ");
    let Some(start) = lines.iter().rposition(begins) else {
        return (lines.last().copied().unwrap_or_default().to_string(), String::new());
    };
    let first = lines[start].split_once(": ").map_or(lines[start], |(_, rest)| rest);
    let rest = lines[start + 1..].iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
    (first.to_string(), rest.collect::<Vec<_>>().join("\n"))
}

/// Reads so much; what is beyond is read too, so that nobody waits for us, and forgotten.
fn read_some(mut source: impl Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = source.by_ref().take(most).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut source, &mut std::io::sink());
    bytes
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
            ("cannot write to /dev/sdb: it is in use.".into(), "Use a directory.".into())
        );
        assert_eq!(told("error: unexpected argument\n\nUsage: x\n").0, "unexpected argument");
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

    #[test]
    fn a_program_that_fails_is_told_with_its_words() {
        // Any program that knows no --json will do.
        let done = run("false", &[], true).unwrap();
        assert_eq!(done.exit, Some(1));
        assert_eq!(fine(done).unwrap_err().error, "it ended without a word");
        assert_eq!(run("no-such-program", &[], true).unwrap_err().status, 500);
        assert_eq!(look_as_printed("echo", &["a page".into()]).unwrap(), b"a page\n");
    }
}
