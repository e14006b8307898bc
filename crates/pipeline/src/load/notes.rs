//! Doubts about a test that the load can see by itself.

use super::Prepared;
use host::Host;
use model::job::Job;
use model::units;

/// A line of /proc/meminfo, bytes.
pub fn meminfo_bytes(field: &str) -> Option<u64> {
    let text = Host::live().text("/proc/meminfo")?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// What a reader of the result has to know about this job on this target.
pub fn of_job(prepared: &Prepared, job: &Job) -> Vec<String> {
    let mut notes = Vec::new();
    if prepared.owners() == 0 {
        return notes;
    }
    let memory = meminfo_bytes("MemTotal:").unwrap_or(0);
    if !job.direct && prepared.is_in_memory() {
        notes.push(format!("{} lives in memory: this measures memory, not a disk", prepared.target()));
    } else if !job.direct && prepared.bytes() < memory {
        notes.push(format!(
            "buffered I/O on {} with {} of memory: the page cache can hold all of it, so this measures the cache as \
             much as the device",
            units::bytes(prepared.bytes() as f64),
            units::bytes(memory as f64)
        ));
    }
    notes
}
