//! Whether the process that made something is still there: what it leaves in the kernel bears its number and its start.

use std::io::ErrorKind;
use std::path::Path;

/// What is known of the process with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    Gone,
    /// It is there; its start in ticks since boot, if that can be read.
    There(Option<u64>),
}

/// What is known of the process with this number.
pub(crate) fn process(pid: u32) -> Process {
    match Path::new(&format!("/proc/{pid}")).try_exists() {
        Ok(false) => Process::Gone,
        _ => Process::There(start_ticks(&pid.to_string())),
    }
}

/// A process in words: `process 12`, and how to go on where a signal has stopped it.
pub(crate) fn in_words(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.split_whitespace().next());
    match state {
        Some("T" | "t") => {
            format!(
                "process {pid}, which is stopped: kill -CONT {pid} lets it go on and put everything back"
            )
        }
        _ => format!("process {pid}"),
    }
}

/// When a process began, in ticks since boot: the 22nd field of its `stat`.
pub(crate) fn start_ticks(process: &str) -> Option<u64> {
    start_in(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// The second field, the command in parentheses, may have spaces and parentheses of its own.
fn start_in(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .parse()
        .ok()
}

/// Whether this process sees all processes, and their starts without an offset: the kernel has fixed numbers for the
/// namespaces it booted with (include/linux/proc_ns.h). Kernels before 5.6 have none of time.
pub(crate) fn in_first_namespaces() -> bool {
    let link = |kind: &str| std::fs::read_link(format!("/proc/self/ns/{kind}"));
    let is = |kind: &str, wanted: &str| link(kind).is_ok_and(|found| found.as_os_str() == wanted);
    let no_time = link("time").is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is("pid", "pid:[4026531836]") && (no_time || is("time", "time:[4026531834]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there() {
        assert_eq!(
            process(std::process::id()),
            Process::There(start_ticks("self"))
        );
        assert!(start_ticks("self").is_some());
    }

    #[test]
    fn the_start_is_found_behind_any_command() {
        let fields: Vec<String> = (4..=52).map(|field: u32| field.to_string()).collect();
        let stat = format!("12 (a) S (b) R {}\n", fields.join(" "));
        assert_eq!(start_in(&stat), Some(22));
        assert_eq!(start_in("12 (a) R 1 2"), None);
        assert_eq!(start_in(""), None);
    }
}
