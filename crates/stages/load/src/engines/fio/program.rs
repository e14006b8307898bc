//! The fio process: found, started, ended, and read.

use super::unusable;
use crate::LoadError;
use host::process::{self, CpuTime};
use host::{Child, Privileges, clock, spawn};
use imports::fio_json::{self, Output, Version};

/// The version of a fio program, and as it says it itself.
pub fn version(path: &str) -> Result<(Version, String), LoadError> {
    let done = spawn::run(path, &["--version"]).map_err(|error| {
        unusable(format!(
            "{error}. Install it (the package is called fio), or name the program with --engine-option fio_path=…"
        ))
    })?;
    let text = done.stdout.trim().to_string();
    match Version::parse(&text) {
        Some(version) if text.starts_with("fio-") => Ok((version, text)),
        _ => Err(unusable(format!(
            "{path} does not say a version as fio does; it says {text:?}"
        ))),
    }
}

/// From the start of fio's job threads to their first I/O, at most, ns.
const UNSEEN_NS: u64 = 300_000_000;

/// A running fio.
#[derive(Debug)]
pub struct Program {
    child: Child,
    cpu_before: CpuTime,
}

/// What a fio that has ended left.
#[derive(Debug)]
pub struct Ended {
    /// What it measured.
    pub output: Output,
    /// CPU time of the whole process.
    pub cpu: CpuTime,
    /// Its exit status.
    pub status: Option<i32>,
    /// What it said on standard error.
    pub stderr: String,
}

impl Program {
    /// Starts it and waits until its I/O has begun: its start is no part of the load.
    pub fn start(path: &str, words: &[String], patience_ns: u64) -> Result<Program, LoadError> {
        let cpu_before = process::children_cpu_time();
        let child = Child::start(path, words, Privileges::Generate)
            .map_err(|error| unusable(error.to_string()))?;
        let mut program = Program { child, cpu_before };
        let mut deadline_ns = clock::monotonic_ns() + patience_ns;
        let mut has_threads = false;
        while !program.has_ended() && clock::monotonic_ns() < deadline_ns {
            if !has_threads && program.has_started_threads() {
                has_threads = true;
                // I/O that no device sees, as in memory, cannot be waited for.
                deadline_ns = deadline_ns.min(clock::monotonic_ns() + UNSEEN_NS);
            }
            if has_threads && program.child.device_bytes().is_none_or(|bytes| bytes > 0) {
                break;
            }
            clock::sleep_ns(2_000_000);
        }
        if program.has_ended() && program.child.status() != Some(0) {
            return Err(program.failure());
        }
        Ok(program)
    }

    /// Besides its main thread and its helper, fio has one thread for each job.
    fn has_started_threads(&self) -> bool {
        host::Host::live()
            .list(&format!("/proc/{}/task", self.child.id()))
            .len()
            > 2
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.has_ended()
    }

    /// Asks it to end, waits, and reads what it measured.
    pub fn finish(mut self, patience_ns: u64) -> Result<Ended, LoadError> {
        self.child
            .interrupt()
            .map_err(|error| unusable(error.to_string()))?;
        let deadline_ns = clock::monotonic_ns() + patience_ns;
        while !self.child.has_ended() {
            if clock::monotonic_ns() >= deadline_ns {
                return Err(unusable(
                    "fio does not end; it was killed, and what it measured is lost",
                ));
            }
            clock::sleep_ns(1_000_000);
        }
        let (stdout, stderr) = self.child.printed();
        let output = fio_json::read(&stdout)
            .map_err(|error| unusable(format!("{error}{}", after(&stderr))))?;
        let cpu = process::children_cpu_time().since(self.cpu_before);
        Ok(Ended {
            output,
            cpu,
            status: self.child.status(),
            stderr,
        })
    }

    /// Why it ended before it did any I/O.
    fn failure(&self) -> LoadError {
        let (stdout, stderr) = self.child.printed();
        let said =
            fio_json::read(&stdout).map_or_else(|error| error.to_string(), |read| told(&read));
        unusable(format!("fio ended at once: {said}{}", after(&stderr)))
    }
}

/// The errors of an output: what the kernel answered, and fio's own lines.
pub fn told(output: &Output) -> String {
    let errno = output
        .jobs
        .iter()
        .map(|job| job.error)
        .find(|errno| *errno != 0);
    let reason = errno.map(|errno| std::io::Error::from_raw_os_error(errno).to_string());
    let lines = output
        .text
        .iter()
        .filter(|line| line.contains("err"))
        .take(3)
        .cloned();
    reason
        .into_iter()
        .chain(lines)
        .collect::<Vec<_>>()
        .join("; fio said: ")
}

/// Standard error as the end of a message.
pub fn after(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(5)
        .collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("; on standard error: {}", lines.join(" / "))
    }
}
