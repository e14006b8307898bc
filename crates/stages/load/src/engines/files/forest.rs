//! What the jobs of a load have in common: the directory they work in, and where they wait for each other.

use super::cleanup::Cleanup;
use super::plan::FilesPlan;
use crate::LoadError;
use crate::worker::Worker;
use host::tree::Tree;
use host::{Journal, clock, scratch, tree};
use model::text::shown;
use model::units;
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
        let target = &worker.place.target;
        let saved = tree::plan(target)?;
        let journal = match &worker.place.state_dir {
            None => None,
            Some(state_dir) => {
                let purpose = format!("files in {}", shown(target.path()));
                let mut journal =
                    Journal::begin_for_files(&worker.place.host, state_dir, &purpose)?;
                journal.add_tree(&saved)?;
                Some(journal)
            }
        };
        let tree = Tree::create(target, &saved)?;
        let threads = u64::from(worker.job.numjobs);
        Ok(Forest {
            cleanup: Cleanup::new(tree, journal),
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
    let target = &worker.place.target;
    let Some(space) = target.space() else {
        return Ok(());
    };
    let (bytes, inodes) = plan.needs(worker.job.numjobs.into(), worker.job.randseed);
    let refused = |what: &str, wanted: String, free: String, reserve: String| {
        Err(LoadError::Engine {
            engine: super::ENGINE.id.into(),
            why: format!(
                "{} has too {what} for the tree: it would take {wanted}, {free} are free and {reserve} of that stay \
                 reserved for others. Ask for fewer or smaller files with --engine-option files=… and filesize=…",
                shown(target.path())
            ),
        })
    };
    let reserve = scratch::reserve_bytes(space.total_bytes);
    if bytes > space.free_bytes.saturating_sub(reserve) {
        let [wanted, free, reserve] =
            [bytes, space.free_bytes, reserve].map(|value| units::bytes(value as f64));
        return refused("little space", wanted, free, reserve);
    }
    let reserve = space.total_inodes / 20;
    if space.total_inodes > 0 && inodes > space.free_inodes.saturating_sub(reserve) {
        let [wanted, free, reserve] =
            [inodes, space.free_inodes, reserve].map(|value| format!("{value} inodes"));
        return refused("few inodes", wanted, free, reserve);
    }
    Ok(())
}
