//! A command of the user's that runs beside another load: the company in which that load is measured.

use super::{END_MS, LOOK_AT_IT, ended, failed, left_behind};
use crate::LoadError;
use host::Workload;
use model::job::command_shown;

/// What keeps a command that ends by itself at work.
const LET_IT_RUN: &str =
    "Let it run for longer than the load, or put a loop around it: while COMMAND; do :; done";

/// The command at work. It does what the user could do, as `--command` does; dropped, it is ended with all its processes.
#[derive(Debug)]
pub struct Beside {
    shown: String,
    workload: Workload,
}

impl Beside {
    /// Starts it.
    ///
    /// # Errors
    /// When there is no shell.
    pub fn start(command: &str) -> Result<Beside, LoadError> {
        let shown = command_shown(command);
        match Workload::start(command) {
            Ok(workload) => Ok(Beside { shown, workload }),
            Err(error) => Err(failed(&shown, error.to_string(), LOOK_AT_IT)),
        }
    }

    /// Silence while it is at work.
    ///
    /// # Errors
    /// When it has ended: with its last words where it failed.
    pub fn must_be_at_work(&mut self) -> Result<(), LoadError> {
        if !self.workload.has_ended() {
            return Ok(());
        }
        ended(&self.shown, &self.workload)?;
        Err(failed(
            &self.shown,
            "it ended while the load beside it still ran".into(),
            LET_IT_RUN,
        ))
    }

    /// Ends it with all its processes; what it leaves behind all the same, in words.
    pub fn end(&mut self) -> Option<String> {
        left_behind("the command beside the load", &self.workload.end(END_MS))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Host, clock};

    fn told(command: &str) -> String {
        let mut beside = Beside::start(command).unwrap();
        loop {
            match beside.must_be_at_work() {
                Ok(()) => clock::sleep_ms(5),
                Err(error) => return error.to_string(),
            }
        }
    }

    #[test]
    fn one_that_runs_is_ended_with_all_its_processes() {
        // A time to sleep that no other process has.
        let time = format!("10{}.5", std::process::id());
        let host = Host::live();
        let is_there = || {
            let mut pids = host.list("/proc").into_iter();
            let words = |pid: String| host.text(&format!("/proc/{pid}/cmdline"));
            pids.any(|pid| words(pid).is_some_and(|words| words.ends_with(&format!("{time}\0"))))
        };
        let mut beside = Beside::start(&format!("sleep {time} & sleep {time}; true")).unwrap();
        while !is_there() {
            clock::sleep_ms(5);
        }
        beside.must_be_at_work().unwrap();
        drop(beside);
        assert!(!is_there());
    }

    #[test]
    fn one_that_ends_is_told_with_how_to_keep_it_at_work() {
        let well = told("true");
        assert!(
            well.contains("still ran") && well.contains("while COMMAND"),
            "{well}"
        );
        let failed = told("echo no room; exit 7");
        assert!(
            failed.contains("status 7; its last words: no room"),
            "{failed}"
        );
    }
}
