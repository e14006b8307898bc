//! Processes that a command leaves behind: daemons in sessions of their own, which keep its output open.

use std::os::fd::BorrowedFd;
use std::path::Path;

/// So many are looked for.
const MOST: usize = 8;

/// A process that outlives the command which started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftProcess {
    /// Its number.
    pub pid: u32,
    /// Its program, as `/proc/PID/comm` has it.
    pub name: String,
}

impl LeftProcess {
    /// Several, for a message: `postgres (4711), sleep (4712)`. Not cleaned.
    pub fn words(all: &[LeftProcess]) -> String {
        let words = all
            .iter()
            .map(|left| format!("{} ({})", left.name, left.pid));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Who else holds a pipe, as far as it may be seen.
pub(super) fn holders(pipe: BorrowedFd<'_>) -> Vec<LeftProcess> {
    let Ok(wanted) = rustix::fs::fstat(pipe) else {
        return Vec::new();
    };
    let own = std::process::id();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| {
        let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd"));
        let mut places = descriptors.into_iter().flatten().flatten();
        places.any(|entry| is_same(&entry.path(), &wanted))
    };
    let left = pids.filter(|pid| *pid != own).filter(holds).take(MOST);
    left.map(|pid| LeftProcess {
        pid,
        name: name(pid),
    })
    .collect()
}

fn is_same(place: &Path, wanted: &rustix::fs::Stat) -> bool {
    let found = rustix::fs::stat(place);
    found.is_ok_and(|found| (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino))
}

fn name(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .map_or_else(|_| "?".into(), |name| name.trim().to_string())
}
