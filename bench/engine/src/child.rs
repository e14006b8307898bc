//! Starting a contestant as a process, pinned, and charging it what the kernel says it used.
#![allow(unsafe_code, reason = "wait4 and the affinity of a child have no safe form in std")]

use crate::{Outcome, Work};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The CPU that all contestants run on.
pub const CPU: usize = 1;

/// The contestant's side: does the work given as JSON and prints its outcome.
pub fn serve(work: &str, run: fn(&Work) -> Result<Outcome, String>) -> Result<(), String> {
    let work: Work = serde_json::from_str(work).map_err(|error| error.to_string())?;
    let outcome = run(&work)?;
    println!("{}", serde_json::to_string(&outcome).map_err(|error| error.to_string())?);
    Ok(())
}

/// Runs a program to its end: its standard output and its CPU time, s, threads and waited-for children included.
pub fn run(mut command: Command) -> Result<(String, f64), String> {
    command.stdout(Stdio::piped()).stderr(Stdio::inherit());
    // SAFETY: between fork and exec only sched_setaffinity is called, which is async-signal-safe.
    unsafe { command.pre_exec(pin) };
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let mut text = String::new();
    let mut stdout = child.stdout.take().ok_or("no pipe")?;
    stdout.read_to_string(&mut text).map_err(|error| error.to_string())?;
    // SAFETY: rusage is plain data of integers, for which all-zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    // SAFETY: both pointers are valid for the call; the child was not waited for before.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    if waited < 0 || status != 0 {
        return Err(format!("{command:?} failed with status {status}: {text}"));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok((text, seconds(usage.ru_utime) + seconds(usage.ru_stime)))
}

fn pin() -> std::io::Result<()> {
    // SAFETY: cpu_set_t is plain data; the set is valid for the calls and the CPU number is within it.
    let result = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(CPU, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &set)
    };
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
