//! A script of the shell stands in for iodyno: what it prints, says and ends with comes home.

use super::*;
use crate::{Runner, RunnerPlace, Verb};
use host::Privileges;

const FAILURE: &str = r#"{"schema":"iodyno.error/1","error":"no room","exit":5}"#;

fn shell(script: &str) -> Running {
    let words = ["-c".to_string(), script.to_string()];
    Running::new(Piped::start("sh", &words, Privileges::Own).unwrap())
}

/// Documents, words and end of a script.
fn told(script: &str, longest: u64) -> (Vec<String>, Vec<String>, Ended) {
    let (mut documents, mut words) = (Vec::new(), Vec::new());
    let ended = shell(script).lines(RunningLines {
        longest,
        document: &mut |line| documents.push(line.trim_end().to_string()),
        words: &mut |line| words.push(line.to_string()),
    });
    (documents, words, ended.unwrap())
}

#[test]
fn the_executable_is_given_its_words_behind_json() {
    let verb = Verb::new(Privileges::Own, ["inspect", "a b"]);
    let running = Runner::new(RunnerPlace::Here, "echo").start(&verb).unwrap();
    let answer = running.whole(1000).unwrap().fine().unwrap();
    assert_eq!(answer.document, b"--json inspect a b\n");
    let directory = host::files::temporary_dir("runner").unwrap();
    let verb = Verb::new(Privileges::Own, ["-c"]).in_directory(directory.path());
    assert!(
        Runner::new(RunnerPlace::Here, "/no/such")
            .start(&verb)
            .is_err()
    );
}

#[test]
fn a_stream_comes_line_by_line_and_ends_with_its_failure() {
    let script = format!("echo '{{\"a\":1}}'; echo going >&2; echo '{FAILURE}'; exit 5");
    let (documents, words, ended) = told(&script, 1000);
    assert_eq!(documents, [r#"{"a":1}"#], "a failure is no document");
    assert_eq!(words, ["going"]);
    assert_eq!(ended.exit, Some(5));
    assert_eq!(ended.error.unwrap().error, "no room");
}

#[test]
fn a_line_that_is_too_long_is_left_out() {
    let (documents, _, ended) = told("echo 12345678901; echo 1234567; echo 12", 8);
    assert_eq!(documents, ["1234567", "12"]);
    assert_eq!((ended.exit, ended.error), (Some(0), None));
}

#[test]
fn an_answer_is_fine_or_says_why_not() {
    let answer = shell(&format!("echo beside >&2; echo '{FAILURE}'; exit 5"));
    let answer = answer.whole(1000).unwrap();
    assert_eq!((answer.exit, answer.words.as_str()), (Some(5), "beside\n"));
    assert_eq!(answer.fine().unwrap_err().error, "no room");
    let found = shell("echo '{}'; exit 1").whole(1000).unwrap();
    assert_eq!(found.fine().unwrap().document, b"{}\n", "1 is an answer");
    let silent = shell("exit 1").whole(1000).unwrap().fine().unwrap_err();
    assert!(silent.error.contains("exit code 1"), "{silent:?}");
}

#[test]
fn an_answer_that_is_too_long_is_not_given_by_halves() {
    let done = shell("head -c 1001 /dev/zero").whole(1000);
    assert!(matches!(done, Err(RunnerError::TooMuch(1000))), "{done:?}");
}

#[test]
fn what_takes_too_long_or_is_wanted_no_more_is_ended() {
    let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
    let late = shell("exec sleep 60").whole_within(10, short, &Cancel::default());
    let said = late.unwrap_err().to_string();
    assert_eq!(said, "it took longer than 50 ms and was ended");
    let cancel = Cancel::default();
    let ends = cancel.on_drop();
    let waiting = {
        let cancel = cancel.clone();
        std::thread::spawn(move || shell("exec sleep 60").whole_within(10, long, &cancel))
    };
    drop(ends);
    let answer = waiting.join().unwrap().unwrap();
    assert_eq!(answer.exit, None, "a signal ended it");
    let next = shell("exec sleep 60").whole_within(10, long, &cancel);
    assert_eq!(next.unwrap().exit, None, "what begins after that ends too");
}
