//! Doubts about a test that the load can see by itself.

use super::Prepared;
use model::job::Job;
use model::units;

/// What a reader of the result has to know about this job on this target.
pub fn of_job(prepared: &Prepared, job: &Job) -> Vec<String> {
    let mut notes = Vec::new();
    if prepared.owners() == 0 {
        return notes;
    }
    let memory = prepared.place().host.meminfo_bytes("MemTotal").unwrap_or(0);
    // Buffered writes go through the cache whatever its size, and they drop out of a mix what reads would find there.
    let only_reads = job.rw.reads() && !job.rw.changes();
    if !job.direct && prepared.is_in_memory() {
        notes.push(format!(
            "{} lives in memory: this measures memory, not a disk",
            prepared.target()
        ));
    } else if !job.direct && only_reads && prepared.bytes() < memory {
        notes.push(format!(
            "buffered reads of {} with {} of memory: the page cache can hold all of it, so this measures the cache as \
             much as the device",
            units::bytes(prepared.bytes() as f64),
            units::bytes(memory as f64)
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_device::opened;
    use crate::{Consent, prepare};
    use host::Host;
    use host::signals::Stop;
    use model::job::Rw;

    #[test]
    fn the_cache_is_doubted_for_reads_alone() {
        let dir = host::files::temporary_dir("notes").unwrap();
        let job = Job {
            direct: false,
            size: 1 << 20,
            rw: Rw::Randrw,
            ..Job::default()
        };
        let stop = Stop::new();
        let host = Host::live();
        let prepared = prepare(
            &host,
            &opened(dir.path()),
            &job,
            &Consent::default(),
            &stop,
            &mut |_, _| {},
        )
        .unwrap();
        if prepared.is_in_memory() {
            skip::missing("disk", "the temporary directory lives in memory");
            return;
        }
        let doubts = |rw, direct| {
            let notes = of_job(
                &prepared,
                &Job {
                    rw,
                    direct,
                    ..job.clone()
                },
            );
            notes.iter().any(|note| note.contains("page cache"))
        };
        assert!(doubts(Rw::Read, false) && doubts(Rw::Randread, false));
        assert!(
            !doubts(Rw::Randread, true),
            "direct I/O passes the cache by"
        );
        assert!(
            ![Rw::Write, Rw::Randwrite, Rw::Randrw]
                .map(|rw| doubts(rw, false))
                .contains(&true)
        );
    }
}
