//! Whether the process that made something is still there: what it leaves in the kernel bears its number and its start.

use crate::files;
use kernel::process_stat::ProcessStat;
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

/// What one that has changed something does once it goes on.
pub(crate) const PUT_BACK: &str = "put everything back";

/// A process in words: `process 12`, and how to go on where a signal has stopped it, with what it does then.
pub(crate) fn in_words(pid: u32, does: &str) -> String {
    match ProcessStat::parse(&stat(&pid.to_string())).map(|stat| stat.state) {
        Some("T" | "t") => {
            format!("process {pid}, which is stopped: kill -CONT {pid} lets it go on and {does}")
        }
        _ => format!("process {pid}"),
    }
}

/// When a process began, in ticks since boot.
pub(crate) fn start_ticks(process: &str) -> Option<u64> {
    ProcessStat::parse(&stat(process))?.start_ticks
}

/// Whether another process of this very program has started this one.
pub(crate) fn is_started_by_ourselves() -> bool {
    let Some(parent) = rustix::process::getppid() else {
        return false;
    };
    let program = |process: &str| files::identity(Path::new(&format!("/proc/{process}/exe")));
    let own = program("self");
    own.is_some() && own == program(&parent.as_raw_nonzero().to_string())
}

/// The process's line; empty where it is gone. A name may have bytes that are no UTF-8.
fn stat(process: &str) -> String {
    let stat = std::fs::read(format!("/proc/{process}/stat")).unwrap_or_default();
    String::from_utf8_lossy(&stat).into_owned()
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
}
