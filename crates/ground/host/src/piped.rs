//! A program whose output is read while it runs, and that puts its house in order when we die.

use crate::privileges::{Privileges, prepare};
use crate::{Error, Result};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A running program with both outputs on pipes. It has a process group of its own, so Ctrl-C in the terminal reaches it
/// only through us; when the thread that started it dies in whatever way, the kernel sends it SIGINT, so that a tune puts
/// everything back. Dropped, it is interrupted and not waited for.
#[derive(Debug)]
pub struct Piped {
    process: Arc<Mutex<Process>>,
    id: u32,
    program: String,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

/// Asks a [`Piped`] to end, from any thread and at any time.
#[derive(Clone, Debug)]
pub struct Interrupter {
    process: Arc<Mutex<Process>>,
}

#[derive(Debug)]
struct Process {
    child: std::process::Child,
    is_reaped: bool,
}

impl Piped {
    /// Starts a program with these words, nothing on its standard input, and the rights that it needs.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &str, arguments: &[String], privileges: Privileges) -> Result<Piped> {
        Self::start_in(program, arguments, privileges, None, &[])
    }

    /// The same in a working directory of its own, with these environment variables besides ours.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_in(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        directory: Option<&Path>,
        variables: &[(&str, &Path)],
    ) -> Result<Piped> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        command.envs(variables.iter().copied());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        Self::begin(program, command, privileges)
    }

    /// Starts a program that is talked with: it has a pipe on its standard input too.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_talking(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
    ) -> Result<Piped> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        Self::begin(program, command, privileges)
    }

    /// Starts a program that has an open file as its standard input, such as an end of a [`crate::channel::Channel`].
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_holding(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        input: OwnedFd,
    ) -> Result<Piped> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::from(input));
        Self::begin(program, command, privileges)
    }

    fn begin(program: &str, mut command: Command, privileges: Privileges) -> Result<Piped> {
        let failed = |error: std::io::Error| Error::Program {
            program: program.into(),
            why: error.to_string(),
        };
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare(&mut command, Signal::INT, privileges);
        let mut child = command.spawn().map_err(failed)?;
        let (stdin, id) = (child.stdin.take(), child.id());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let process = Arc::new(Mutex::new(Process {
            child,
            is_reaped: false,
        }));
        Ok(Piped {
            process,
            id,
            program: program.into(),
            stdin,
            stdout,
            stderr,
        })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// What it reads, once; none for one that is not talked with. Dropped, it reads its end.
    pub fn stdin(&mut self) -> Option<impl Write + Send + use<>> {
        self.stdin.take()
    }

    /// What it prints, once.
    pub fn stdout(&mut self) -> Option<impl Read + Send + use<>> {
        self.stdout.take()
    }

    /// What it says on standard error, once.
    pub fn stderr(&mut self) -> Option<impl Read + Send + use<>> {
        self.stderr.take()
    }

    /// What asks it to end.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter {
            process: Arc::clone(&self.process),
        }
    }

    /// Waits for its end, and gives its exit status; none when a signal ended it. Its outputs should have been read to
    /// their end, or it may wait for a reader for ever.
    ///
    /// # Errors
    /// When the kernel does not know it any more.
    pub fn wait(mut self) -> Result<Option<i32>> {
        // Whoever did not take it has nothing to say.
        self.stdin = None;
        let failed = |error: std::io::Error| Error::Program {
            program: self.program.clone(),
            why: error.to_string(),
        };
        // It is left unreaped while we wait, so that its id stays its own for whoever interrupts it meanwhile.
        if let Some(pid) = Pid::from_raw(self.id as i32) {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(error) = waitid(WaitId::Pid(pid), options) {
                if error != rustix::io::Errno::INTR {
                    return Err(failed(error.into()));
                }
            }
        }
        let mut process = lock(&self.process);
        let status = process.child.wait().map_err(failed)?;
        process.is_reaped = true;
        Ok(status.code())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let mut process = lock(&self.process);
        // Reaps one that has ended; one that has not is told to.
        process.is_reaped = process.is_reaped
            || process
                .child
                .try_wait()
                .is_ok_and(|status| status.is_some());
        drop(process);
        let _ = self.interrupter().send(Signal::INT);
    }
}

impl Interrupter {
    /// Asks it to end as Ctrl-C does; nothing happens to one that has ended.
    ///
    /// # Errors
    /// When the kernel refuses the signal.
    pub fn interrupt(&self) -> Result<()> {
        self.send(Signal::INT)
    }

    /// Ends it at once. Only for programs that change nothing.
    ///
    /// # Errors
    /// When the kernel refuses the signal.
    pub fn kill(&self) -> Result<()> {
        self.send(Signal::KILL)
    }

    /// Asks it and what it started to end, as Ctrl-C does.
    ///
    /// # Errors
    /// When the kernel refuses the signal.
    pub fn interrupt_group(&self) -> Result<()> {
        self.send_by(Signal::INT, kill_process_group)
    }

    /// Ends it and what it started at once. Only for programs that change nothing themselves: what leads to another machine.
    ///
    /// # Errors
    /// When the kernel refuses the signal.
    pub fn kill_group(&self) -> Result<()> {
        self.send_by(Signal::KILL, kill_process_group)
    }

    /// Whether it has ended; then the kernel need not remember it any more.
    pub fn has_ended(&self) -> bool {
        let mut process = lock(&self.process);
        if !process.is_reaped {
            process.is_reaped = process.child.try_wait().is_ok_and(|ended| ended.is_some());
        }
        process.is_reaped
    }

    fn send(&self, signal: Signal) -> Result<()> {
        self.send_by(signal, kill_process)
    }

    fn send_by(
        &self,
        signal: Signal,
        kill: fn(Pid, Signal) -> rustix::io::Result<()>,
    ) -> Result<()> {
        let process = lock(&self.process);
        if process.is_reaped {
            return Ok(());
        }
        // Not reaped yet, so the id cannot belong to another process, nor to another group: each leads one of its own.
        let id = process.child.id();
        Pid::from_raw(id as i32)
            .map_or(Ok(()), |pid| kill(pid, signal))
            .map_err(|error| Error::Program {
                program: format!("process {id}"),
                why: error.to_string(),
            })
    }
}

fn lock(process: &Mutex<Process>) -> MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    fn shell(script: &str) -> Piped {
        Piped::start("sh", &["-c".into(), script.into()], Privileges::Own).unwrap()
    }

    fn all(mut source: impl Read) -> String {
        let mut text = String::new();
        source.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn both_outputs_can_be_read_and_the_status_is_told() {
        let mut child = shell("echo out; echo err >&2; exit 3");
        assert_eq!(all(child.stdout().unwrap()), "out\n");
        assert_eq!(all(child.stderr().unwrap()), "err\n");
        assert_eq!(child.wait().unwrap(), Some(3));
    }

    #[test]
    fn one_that_is_talked_with_answers_and_reads_the_end() {
        let words = ["-c".into(), "read -r word; echo heard $word; cat".into()];
        let mut child = Piped::start_talking("sh", &words, Privileges::Own).unwrap();
        let mut stdin = child.stdin().unwrap();
        stdin.write_all(b"one\ntwo\n").unwrap();
        drop(stdin);
        assert_eq!(all(child.stdout().unwrap()), "heard one\ntwo\n");
        assert_eq!(child.wait().unwrap(), Some(0));
    }

    #[test]
    fn an_interrupt_reaches_it_while_another_thread_waits() {
        let mut child =
            shell("trap 'echo bye; exit 130' INT; echo ready; while :; do sleep 0.05; done");
        let mut lines = BufReader::new(child.stdout().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        let interrupter = child.interrupter();
        let waiting = std::thread::spawn(move || child.wait());
        interrupter.interrupt().unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "bye");
        assert_eq!(waiting.join().unwrap().unwrap(), Some(130));
        interrupter.interrupt().unwrap();
    }

    #[test]
    fn it_hears_of_the_death_of_the_thread_that_started_it() {
        let begin = || {
            let mut child =
                shell("trap 'echo bye; exit 0' INT; echo ready; while :; do sleep 0.05; done");
            let mut lines = BufReader::new(child.stdout().unwrap()).lines();
            assert_eq!(lines.next().unwrap().unwrap(), "ready");
            (child, lines)
        };
        let (child, mut lines) = std::thread::spawn(begin).join().unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "bye");
        assert_eq!(child.wait().unwrap(), Some(0));
    }
}
