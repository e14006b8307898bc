//! A command of the user's that makes the load or is asked questions, and what it prints while it runs.

use crate::privileges::{Privileges, prepare};
use crate::{Error, Result, clock};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A longer line is cut, bytes.
const LINE_MAX: u64 = 16 << 10;
/// Lines kept for whoever takes them late; older ones go.
const LINES_MAX: usize = 10_000;
/// Last lines kept for a message.
const LAST_LINES: usize = 5;

/// A line, and when it was read, ns of [`clock::monotonic_ns`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    /// When.
    pub at_ns: u64,
    /// The line without its end. Bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// A shell command at work, with all processes that it starts. It may do what the user may, since it is the user's own
/// words; Ctrl-C in the terminal reaches it only through us. Dropped, it is killed; when the thread that started it dies
/// in whatever way, the kernel asks the shell to end.
#[derive(Debug)]
pub struct Workload {
    process: std::process::Child,
    /// Where it is asked; none for one that nobody asks, and for one that has stopped to listen.
    input: Option<ChildStdin>,
    printed: Arc<Mutex<Printed>>,
    reader: Option<JoinHandle<()>>,
    status: Option<Option<i32>>,
}

#[derive(Debug, Default)]
struct Printed {
    lines: VecDeque<PrintedLine>,
    last: VecDeque<String>,
}

impl Workload {
    /// Starts `sh -c COMMAND`, both its outputs in one stream.
    ///
    /// # Errors
    /// When there is no shell or no thread.
    pub fn start(command: &str) -> Result<Workload> {
        Workload::start_with(command, Stdio::null())
    }

    /// Starts it with a pipe on its standard input, through which it is asked: [`Workload::ask`].
    ///
    /// # Errors
    /// When there is no shell or no thread.
    pub fn start_asked(command: &str) -> Result<Workload> {
        Workload::start_with(command, Stdio::piped())
    }

    fn start_with(command: &str, input: Stdio) -> Result<Workload> {
        let failed = |error: std::io::Error| Error::Program {
            program: "sh".into(),
            why: error.to_string(),
        };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1; {command}")])
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        prepare(&mut shell, Signal::TERM, Privileges::Users);
        let mut process = shell.spawn().map_err(failed)?;
        let printed = Arc::new(Mutex::new(Printed::default()));
        let input = process.stdin.take();
        let (output, kept) = (process.stdout.take(), printed.clone());
        let reader = std::thread::Builder::new()
            .name("command".into())
            .spawn(move || read(output, &kept));
        let mut workload = Workload {
            process,
            input,
            printed,
            reader: None,
            status: None,
        };
        workload.reader = Some(reader.map_err(failed)?);
        Ok(workload)
    }

    /// Writes a question, such as a few lines of SQL: small enough for a pipe, so that writing does not wait for the
    /// command to read. Gives whether it could be written; its last words say why not.
    pub fn ask(&mut self, question: &str) -> bool {
        let input = self.input.as_mut();
        let written = input.is_some_and(|input| input.write_all(question.as_bytes()).is_ok());
        if !written {
            self.input = None;
        }
        written
    }

    /// Whether the shell has ended.
    pub fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            let ended = self.process.try_wait().ok().flatten();
            self.status = ended.map(|status| status.code());
        }
        self.status.is_some()
    }

    /// Its exit status once it has ended; none when a signal ended it or it still runs.
    pub fn status(&self) -> Option<i32> {
        self.status.flatten()
    }

    /// The lines printed since the last call.
    pub fn take_lines(&self) -> Vec<PrintedLine> {
        lock(&self.printed).lines.drain(..).collect()
    }

    /// The last lines, for a message.
    pub fn last_lines(&self) -> Vec<String> {
        lock(&self.printed).last.iter().cloned().collect()
    }

    /// Asks all its processes to end, and kills those that are still there after `patience_ms`.
    pub fn end(&mut self, patience_ms: u64) {
        // Once all are gone, the number of their group may be another's.
        let Some(reader) = self.reader.take() else {
            return;
        };
        self.signal(Signal::TERM);
        let end_ns = clock::monotonic_ns() + patience_ms * 1_000_000;
        while self.is_there() && clock::monotonic_ns() < end_ns {
            clock::sleep_ms(5);
        }
        self.signal(Signal::KILL);
        let _ = self.process.wait();
        // Every end of the pipe is closed with the last of its processes.
        let _ = reader.join();
    }

    /// Whether any process of the group is left. A group's number is not used again while one is.
    fn is_there(&mut self) -> bool {
        // The shell itself is one of them until it has been waited for.
        self.has_ended();
        self.group()
            .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    fn signal(&mut self, signal: Signal) {
        if let Some(group) = self.group().filter(|_| self.is_there()) {
            let _ = kill_process_group(group, signal);
        }
    }

    fn group(&self) -> Option<Pid> {
        Pid::from_raw(self.process.id() as i32)
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        self.end(0);
    }
}

fn read(output: Option<ChildStdout>, printed: &Mutex<Printed>) {
    let Some(output) = output else { return };
    let mut reader = BufReader::new(output);
    loop {
        let mut bytes = Vec::new();
        match (&mut reader).take(LINE_MAX).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at_ns = clock::monotonic_ns();
        let text = String::from_utf8_lossy(&bytes).trim_end().to_string();
        let mut printed = lock(printed);
        keep(&mut printed.last, text.clone(), LAST_LINES);
        keep(&mut printed.lines, PrintedLine { at_ns, text }, LINES_MAX);
    }
}

fn keep<T>(all: &mut VecDeque<T>, one: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(one);
}

/// A panicking thread leaves it in no half-written state, so poisoning says nothing.
fn lock(printed: &Mutex<Printed>) -> std::sync::MutexGuard<'_, Printed> {
    printed.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(workload: &Workload) -> Vec<String> {
        let lines = workload.take_lines();
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn one_that_is_asked_answers_until_it_stops_to_listen() {
        let mut workload = Workload::start_asked(
            "while read -r word && [ $word != end ]; do echo got $word; done",
        )
        .unwrap();
        let mut answer = |question: &str| {
            assert!(workload.ask(question));
            loop {
                match texts(&workload) {
                    lines if lines.is_empty() => clock::sleep_ms(5),
                    lines => return lines,
                }
            }
        };
        assert_eq!(answer("one\n"), ["got one"]);
        assert_eq!(answer("two\n"), ["got two"]);
        assert!(workload.ask("end\n"));
        wait(&mut workload);
        assert!(!workload.ask("three\n") && !workload.ask("four\n"));
        workload.end(1_000);
    }

    fn wait(workload: &mut Workload) {
        while !workload.has_ended() {
            clock::sleep_ms(5);
        }
    }

    #[test]
    fn both_outputs_are_read_while_it_runs_and_each_line_has_its_time() {
        let mut workload =
            Workload::start("echo out; echo err >&2; sleep 0.2; printf tail; exit 3").unwrap();
        wait(&mut workload);
        workload.end(1_000);
        let lines = workload.take_lines();
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["out", "err", "tail"]);
        assert!(lines.is_sorted_by_key(|line| line.at_ns));
        assert_eq!(
            (workload.status(), workload.last_lines().len()),
            (Some(3), 3)
        );
        assert!(workload.take_lines().is_empty());
    }

    #[test]
    fn all_of_its_processes_end_with_it() {
        let marker = format!("{}.25", 100_000 + std::process::id());
        let command = format!("trap '' TERM; sleep {marker} & echo ready; sleep {marker}; wait");
        let mut workload = Workload::start(&command).unwrap();
        while texts(&workload).is_empty() {
            clock::sleep_ms(5);
        }
        workload.end(200);
        let left = std::process::Command::new("pgrep")
            .args(["-f", &format!("sleep {marker}")])
            .output();
        assert!(left.unwrap().stdout.is_empty());
    }

    #[test]
    fn it_may_do_what_the_user_may() {
        let mut workload = Workload::start("cat /proc/self/status").unwrap();
        wait(&mut workload);
        workload.end(1_000);
        let theirs = texts(&workload);
        let ours = std::fs::read_to_string("/proc/self/status").unwrap();
        for field in ["CapEff:", "CapPrm:", "CapBnd:", "NoNewPrivs:"] {
            let ours = ours.lines().find(|line| line.starts_with(field)).unwrap();
            assert!(
                theirs.iter().any(|line| line == ours),
                "{ours} and {theirs:?}"
            );
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let mut workload = Workload::start("head -c 40000 /dev/zero | tr '\\0' x").unwrap();
        wait(&mut workload);
        workload.end(1_000);
        let lengths: Vec<usize> = texts(&workload).iter().map(String::len).collect();
        assert_eq!(lengths, [16384, 16384, 7232]);
    }
}
