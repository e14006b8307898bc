//! What the jobs of a load have in common: the directory they work in, and where they wait for each other.

use super::plan::FilesPlan;
use crate::LoadError;
use crate::room::{self, Needed};
use crate::tree_cleanup::Cleanup;
use crate::worker::Worker;
use host::clock;
use host::tree::Tree;
use model::text::shown;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The tree and its jobs.
#[derive(Debug)]
pub struct Forest {
    /// The directory and its end.
    pub cleanup: Cleanup,
    threads: u64,
    arrivals: AtomicU64,
    left: AtomicU64,
}

impl Forest {
    /// Makes the directory, written down before in the journal.
    pub fn plant(plan: &FilesPlan, worker: &Worker) -> Result<Forest, LoadError> {
        room(plan, worker)?;
        let target = worker.place.opened()?;
        let purpose = format!("files in {}", shown(target.path()));
        let place = &worker.place;
        let cleanup = Cleanup::make(target, &place.host, place.state_dir.as_deref(), &purpose)?;
        let threads = u64::from(worker.job.numjobs);
        Ok(Forest {
            cleanup,
            threads,
            arrivals: AtomicU64::new(0),
            left: AtomicU64::new(threads),
        })
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        self.cleanup.tree()
    }

    /// Waits until every job is here; at once when the load is being stopped. Whether to go on.
    pub fn meet(&self, worker: &Worker) -> bool {
        let arrived = self.arrivals.fetch_add(1, Relaxed);
        let wanted = (arrived / self.threads + 1) * self.threads;
        while self.arrivals.load(Relaxed) < wanted && !worker.is_stopping() {
            clock::sleep_ns(50_000);
        }
        !worker.is_stopping()
    }

    /// Says that a job is done; whether it was the last.
    pub fn leave(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) == 1
    }

    /// What a reader of the result has to know.
    pub fn notes(&self, plan: &FilesPlan) -> Vec<String> {
        let mut notes = vec![format!(
            "tree of files in {}, removed at the end",
            shown(&self.tree().path())
        )];
        if self.tree().is_in_memory() {
            notes.push("the target lives in memory: this measures memory, not a disk".into());
        }
        if plan.stat || plan.read {
            notes.push(
                "names and inodes are in the kernel's memory since the files were made: stat and opening a file \
                 measure that, not the disk"
                    .into(),
            );
        }
        match (plan.read && !self.tree().is_in_memory(), plan.invalidate) {
            (true, true) => notes.push(
                "each file's pages were dropped before it was read: the content came from the device".into(),
            ),
            (true, false) => notes.push("files were read as the page cache had them".into()),
            _ => {}
        }
        if !plan.fsync && !self.tree().is_in_memory() {
            notes.push(
                "create ends when the page cache has the file; writing all of it out afterwards is the sync line".into(),
            );
        }
        notes
    }
}

/// Space and inodes are looked at before, and a part of both is left to others.
fn room(plan: &FilesPlan, worker: &Worker) -> Result<(), LoadError> {
    let target = worker.place.opened()?;
    let (bytes, inodes) = plan.needs(worker.job.numjobs.into(), worker.job.randseed);
    let what = Needed {
        bytes,
        inodes,
        what: "the tree",
    };
    room::lacking(target.space(), &what).map_or(Ok(()), |why| {
        Err(LoadError::Engine {
            engine: super::ENGINE.id.into(),
            why: format!(
                "{} {why}. Ask for fewer or smaller files with --engine-option files=… and filesize=…",
                shown(target.path())
            ),
        })
    })
}
