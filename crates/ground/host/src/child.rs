//! A program that runs beside this one, and does not outlive it.

use crate::privileges::{Privileges, enter, prepare};
use crate::{Error, Result, clock};
use rustix::fs::MemfdFlags;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::process::{Command, ExitStatus, Stdio};

/// So long the kernel may take to end a process that was killed, ms.
const KILLED_MS: u64 = 1_000;

/// A running program. Dropped, it and what it started are killed, and it is waited for; when the thread that started it dies in
/// whatever way, the kernel kills it. It has a process group of its own, so Ctrl-C in the terminal reaches it only through us.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    status: Option<ExitStatus>,
    stdout: File,
    stderr: File,
    program: String,
}

impl Child {
    /// Starts a program; what it prints is kept in memory, so it never waits for a reader.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &str, arguments: &[String], privileges: Privileges) -> Result<Child> {
        Child::spawn(program, arguments, privileges, Vec::new(), Stdio::null())
    }

    /// The same with an open file on its standard input, in the control groups whose entrances are given
    /// ([`crate::group::Group::entrance`]): from its first instruction on, so that nothing it does is counted elsewhere. The file is
    /// the very one that was opened here: a name would be looked up anew, and may be another's by then.
    ///
    /// # Errors
    /// When it cannot be started, or may not enter a group.
    pub fn start_within(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        entrances: Vec<OwnedFd>,
        file: OwnedFd,
    ) -> Result<Child> {
        Child::spawn(program, arguments, privileges, entrances, file.into())
    }

    /// The same as [`Child::start`] with this on its standard input.
    ///
    /// # Errors
    /// When it cannot be started, or there is no memory for its input.
    pub(crate) fn start_given(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        input: &[u8],
    ) -> Result<Child> {
        let held = || {
            let mut file = File::from(memory()?);
            file.write_all(input)?;
            file.rewind()?;
            Ok(Stdio::from(file))
        };
        let input = held().map_err(|error: std::io::Error| Error::Program {
            program: program.into(),
            why: error.to_string(),
        })?;
        Child::spawn(program, arguments, privileges, Vec::new(), input)
    }

    fn spawn(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        entrances: Vec<OwnedFd>,
        stdin: Stdio,
    ) -> Result<Child> {
        let failed = |why: String| Error::Program {
            program: program.into(),
            why,
        };
        let memory = || memory().map(File::from);
        let stdout = memory().map_err(|error| failed(error.to_string()))?;
        let stderr = memory().map_err(|error| failed(error.to_string()))?;
        let copy = |file: &File| file.try_clone().map_err(|error| failed(error.to_string()));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(stdin)
            .stdout(copy(&stdout)?)
            .stderr(copy(&stderr)?);
        enter(&mut command, entrances);
        prepare(&mut command, Signal::KILL, privileges);
        let process = command.spawn().map_err(|error| failed(error.to_string()))?;
        Ok(Child {
            process,
            status: None,
            stdout,
            stderr,
            program: program.into(),
        })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    /// Its exit status once it has ended; none when a signal ended it or it still runs.
    pub fn status(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Ends it and what it started, also where it was stopped; one that the kernel does not end within a second, as one in a frozen
    /// group or one that waits for a disk, is left to it.
    pub fn kill(&mut self) {
        if self.has_ended() {
            return;
        }
        // Not waited for yet, so the group of its number is its own: a script's programs are in it.
        if let Some(group) = Pid::from_raw(self.process.id() as i32) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.kill();
        let end_ns = clock::outer::monotonic_ns() + KILLED_MS * 1_000_000;
        while !self.has_ended() && clock::outer::monotonic_ns() < end_ns {
            clock::outer::sleep_ms(1);
        }
    }

    /// Asks it to end as Ctrl-C does.
    pub fn interrupt(&mut self) -> Result<()> {
        self.send(Signal::INT)
    }

    /// Has it go on after it stopped itself.
    pub(crate) fn go_on(&mut self) -> Result<()> {
        self.send(Signal::CONT)
    }

    fn send(&mut self, signal: Signal) -> Result<()> {
        if self.has_ended() {
            return Ok(());
        }
        // Not waited for yet, so the id cannot belong to another process.
        Pid::from_raw(self.process.id() as i32)
            .map_or(Ok(()), |pid| kill_process(pid, signal))
            .map_err(|error| Error::Program {
                program: self.program.clone(),
                why: error.to_string(),
            })
    }

    /// Everything it has printed so far: standard output and standard error.
    pub fn printed(&self) -> (String, String) {
        let read = |file: &File| {
            let bytes = file.metadata().map_or(0, |metadata| metadata.len());
            let mut content = vec![0; bytes as usize];
            let read = file.read_at(&mut content, 0).unwrap_or(0);
            String::from_utf8_lossy(&content[..read]).into_owned()
        };
        (read(&self.stdout), read(&self.stderr))
    }

    /// How much it has printed so far on both outputs, bytes: whoever does not trust the program bounds it.
    pub fn printed_bytes(&self) -> u64 {
        let bytes = |file: &File| file.metadata().map_or(0, |metadata| metadata.len());
        bytes(&self.stdout) + bytes(&self.stderr)
    }

    /// Bytes that its I/O moved to and from devices so far (Linux `task_io_account_read` and `_write`).
    pub fn device_bytes(&self) -> Option<u64> {
        let text = crate::Host::live().text(&format!("/proc/{}/io", self.process.id()))?;
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        };
        Some(field("read_bytes:")? + field("write_bytes:")?)
    }
}

/// A file in memory, which the program gets as one of its streams.
fn memory() -> std::io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create(
        "iodyno-child",
        MemfdFlags::CLOEXEC,
    )?)
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Child {
        Child::start("sh", &["-c".into(), script.into()], Privileges::Own).unwrap()
    }

    fn wait(child: &mut Child) {
        while !child.has_ended() {
            crate::clock::outer::sleep_ms(5);
        }
    }

    #[test]
    fn what_it_prints_is_kept() {
        let mut child = shell("echo out; echo err >&2; exit 3");
        wait(&mut child);
        assert_eq!(child.printed(), ("out\n".to_string(), "err\n".to_string()));
        assert_eq!(child.status(), Some(3));
    }

    #[test]
    fn what_it_is_given_stands_on_its_input() {
        let words = ["-c".into(), "tr a-z A-Z".into()];
        let mut child = Child::start_given("sh", &words, Privileges::Own, b"given").unwrap();
        wait(&mut child);
        assert_eq!(child.printed().0, "GIVEN");
    }

    #[test]
    fn an_interrupt_ends_it_and_dropping_kills_it() {
        let mut child =
            shell("trap 'echo bye; exit 0' INT; echo ready; while :; do sleep 0.05; done");
        while child.printed().0.is_empty() {
            crate::clock::outer::sleep_ms(5);
        }
        child.interrupt().unwrap();
        wait(&mut child);
        assert_eq!(
            (child.printed().0.as_str(), child.status()),
            ("ready\nbye\n", Some(0))
        );
        let child = shell("sleep 60");
        let path = format!("/proc/{}", child.id());
        assert!(std::path::Path::new(&path).exists());
        drop(child);
        assert!(!std::path::Path::new(&path).exists());
    }

    #[test]
    fn what_a_script_started_goes_with_it() {
        let child = shell("sleep 61 & echo $!; wait");
        while child.printed().0.is_empty() {
            crate::clock::outer::sleep_ms(5);
        }
        let stat = format!("/proc/{}/stat", child.printed().0.trim());
        drop(child);
        // Whoever takes over orphans may not have waited for it yet.
        let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        for _ in 0..400 {
            if is_gone() {
                return;
            }
            crate::clock::outer::sleep_ms(5);
        }
        panic!("it still runs");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Child::start("no-such-program", &[], Privileges::Own)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("no-such-program: No such file"),
            "{error}"
        );
    }
}
