//! A program that runs beside this one, and does not outlive it.

use crate::privileges::{Privileges, enter, prepare};
use crate::{Error, Result};
use rustix::fs::MemfdFlags;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::process::{Command, ExitStatus, Stdio};

/// A running program. Dropped, it is killed and waited for; when the thread that started it dies in whatever way, the
/// kernel kills it. It has a process group of its own, so Ctrl-C in the terminal reaches it only through us.
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
        Child::start_within(program, arguments, privileges, Vec::new())
    }

    /// The same in the control groups whose entrances are given ([`crate::group::Group::entrance`]): from its first
    /// instruction on, so that nothing it does is counted elsewhere.
    ///
    /// # Errors
    /// When it cannot be started, or may not enter a group.
    pub fn start_within(
        program: &str,
        arguments: &[String],
        privileges: Privileges,
        entrances: Vec<OwnedFd>,
    ) -> Result<Child> {
        let failed = |why: String| Error::Program {
            program: program.into(),
            why,
        };
        let memory =
            || rustix::fs::memfd_create("iodyno-child", MemfdFlags::CLOEXEC).map(File::from);
        let stdout = memory().map_err(|error| failed(error.to_string()))?;
        let stderr = memory().map_err(|error| failed(error.to_string()))?;
        let copy = |file: &File| file.try_clone().map_err(|error| failed(error.to_string()));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
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

    /// Asks it to end as Ctrl-C does.
    pub fn interrupt(&mut self) -> Result<()> {
        if self.has_ended() {
            return Ok(());
        }
        // Not waited for yet, so the id cannot belong to another process.
        Pid::from_raw(self.process.id() as i32)
            .map_or(Ok(()), |pid| kill_process(pid, Signal::INT))
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

impl Drop for Child {
    fn drop(&mut self) {
        if !self.has_ended() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
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
            crate::clock::sleep_ms(5);
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
    fn an_interrupt_ends_it_and_dropping_kills_it() {
        let mut child =
            shell("trap 'echo bye; exit 0' INT; echo ready; while :; do sleep 0.05; done");
        while child.printed().0.is_empty() {
            crate::clock::sleep_ms(5);
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
