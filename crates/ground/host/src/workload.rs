//! A command of the user's that makes the load or is asked questions, and what it prints while it runs.

mod left;
mod printed;

use crate::privileges::{Privileges, prepare};
use crate::{Error, Result, clock};
pub use left::LeftProcess;
use printed::{Printed, Reader};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Write;
use std::os::fd::AsFd;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// So long the kernel may take to end a process that was killed, ms: one that waits for a disk takes longer, and is left to it.
const KILLED_MS: u64 = 1_000;

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
    reader: Option<Reader>,
    status: Option<Option<i32>>,
}

impl Workload {
    /// Starts `sh -c COMMAND`, both its outputs in one stream.
    ///
    /// # Errors
    /// When there is no shell or no thread.
    pub fn start(command: &str) -> Result<Workload> {
        Workload::start_with(command, Stdio::null(), None)
    }

    /// Starts it with a variable in its environment, which no shell has to read out of words.
    ///
    /// # Errors
    /// When there is no shell or no thread.
    pub fn start_with_variable(command: &str, variable: (&str, &str)) -> Result<Workload> {
        Workload::start_with(command, Stdio::null(), Some(variable))
    }

    /// Starts it with a pipe on its standard input, through which it is asked: [`Workload::ask`].
    ///
    /// # Errors
    /// When there is no shell or no thread.
    pub fn start_asked(command: &str) -> Result<Workload> {
        Workload::start_with(command, Stdio::piped(), None)
    }

    fn start_with(command: &str, input: Stdio, variable: Option<(&str, &str)>) -> Result<Workload> {
        let failed = |error: std::io::Error| Error::Program {
            program: "sh".into(),
            why: error.to_string(),
        };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1; {command}")])
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .envs(variable);
        prepare(&mut shell, Signal::TERM, Privileges::Users);
        let mut process = shell.spawn().map_err(failed)?;
        let printed = Arc::new(Mutex::new(Printed::default()));
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let mut workload = Workload {
            process,
            input,
            printed: Arc::clone(&printed),
            reader: None,
            status: None,
        };
        if let Some(output) = output {
            workload.reader = Some(Reader::start(output, printed).map_err(failed)?);
        }
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

    /// Waits until all that it printed was read, at most so long: the words of one that has ended may still be on their way. One
    /// that left a process behind, which keeps its output open, takes the whole time.
    pub fn catch_up(&self, patience_ms: u64) {
        let end_ns = clock::monotonic_ns() + patience_ms * 1_000_000;
        let is_open = || self.reader.as_ref().is_some_and(|reader| !reader.is_over());
        while is_open() && clock::monotonic_ns() < end_ns {
            clock::sleep_ms(1);
        }
    }

    /// Asks all its processes to end, and kills those that are still there after `patience_ms`. What it had started as a daemon,
    /// in a session of its own, is nobody's to end here: it is given where it keeps the output open. No wait is without a bound.
    pub fn end(&mut self, patience_ms: u64) -> Vec<LeftProcess> {
        // Once all are gone, the number of their group may be another's.
        let Some(reader) = self.reader.take() else {
            return Vec::new();
        };
        self.signal(Signal::TERM);
        self.wait_ms(patience_ms);
        self.signal(Signal::KILL);
        self.wait_ms(KILLED_MS);
        match reader.is_closed_by_others() {
            true => Vec::new(),
            false => left::holders(reader.output().as_fd()),
        }
    }

    /// Waits until no process of the group is left, at most so long.
    fn wait_ms(&mut self, most_ms: u64) {
        let end_ns = clock::monotonic_ns() + most_ms * 1_000_000;
        while self.is_there() && clock::monotonic_ns() < end_ns {
            clock::sleep_ms(5);
        }
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
        let _ = self.end(0);
    }
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

    /// A command that leaves a daemon behind, once that has left its group and said so.
    fn with_daemon(does: &str) -> (Workload, Vec<String>) {
        let mut workload = Workload::start(&format!("setsid sh -c '{does}' &")).unwrap();
        let mut said = Vec::new();
        while said.is_empty() {
            clock::sleep_ms(5);
            said = texts(&workload);
        }
        wait(&mut workload);
        (workload, said)
    }

    fn kill(left: &[LeftProcess]) {
        for daemon in left {
            let daemon = Pid::from_raw(daemon.pid as i32).unwrap();
            let _ = rustix::process::kill_process(daemon, Signal::KILL);
        }
    }

    /// What leaves its group and keeps the pipe, as any daemon does, keeps nobody waiting, and is named.
    #[test]
    fn a_daemon_that_keeps_the_output_open_is_waited_for_by_nobody() {
        let (mut workload, said) = with_daemon("echo $$; exec sleep 60");
        workload.catch_up(10);
        let left = workload.end(1_000);
        kill(&left);
        let pids: Vec<String> = left.iter().map(|left| left.pid.to_string()).collect();
        assert_eq!(pids, said);
        assert!(workload.end(1_000).is_empty(), "it has ended once");
    }

    /// One that never stops to print keeps nobody either.
    #[test]
    fn a_daemon_that_goes_on_printing_is_not_listened_to() {
        let (mut workload, _) = with_daemon("exec timeout 60 yes");
        let left = workload.end(1_000);
        kill(&left);
        assert!(!left.is_empty());
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
