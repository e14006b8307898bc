//! A pool or an image under load, and the objects that were made in its cluster for that.

use super::failed;
use crate::LoadError;
use host::ceph::{cluster, objects};
use host::signals::Stop;
use host::{Host, Journal, Patience, clock};
use model::ceph_target::CephTarget;
use model::change::SavedObjects;
use model::failure::Exit;
use model::text::clean;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Size of an object that is made for fio, bytes: Ceph's own for images and file systems.
pub const FIO_OBJECT_BYTES: u64 = 4 << 20;

/// How long the removal at the end may take at least, ms: the cluster may be busy.
const REMOVAL_MS: u64 = 60_000;
/// And for each object, ms: a slow cluster takes some 20 ms, and eight are removed at once.
const OBJECT_MS: u64 = 10;
/// The longest removal at the end, ms: what is left then is for `undo`.
const REMOVAL_MAX_MS: u64 = 15 * 60_000;

/// A pool or an image, and what was made for a load.
#[derive(Debug)]
pub struct CephPlace {
    /// What it is; once its cluster is settled, nothing of that is left to the environment.
    pub target: CephTarget,
    /// The cluster's id; empty before it is settled, which no cluster has.
    pub fsid: String,
    /// The same as text.
    pub path: PathBuf,
    /// A name that nobody can guess, with iodyno's own beginning: of the namespace, of objects, of a run.
    pub name: String,
    host: Host,
    state_dir: PathBuf,
    made: Mutex<Vec<Made>>,
}

/// Objects that were made, and the journal that names them.
#[derive(Debug)]
struct Made {
    saved: SavedObjects,
    journal: Journal,
    /// How many were written, where that is known.
    written: Option<u64>,
}

impl CephPlace {
    /// A place for a load: which cluster it is in is settled before anything is made, so that all programs reach the same one.
    ///
    /// # Errors
    /// When several clusters could be meant, or none answers.
    pub fn settled(
        target: &CephTarget,
        host: &Host,
        state_dir: &Path,
    ) -> Result<CephPlace, LoadError> {
        let mut place = CephPlace::new(target, host, state_dir)?;
        let found = cluster::explicit(&target.cluster)
            .and_then(|cluster| Ok((cluster::fsid(&cluster)?, cluster)));
        (place.fsid, place.target.cluster) = found.map_err(|error| failed(&place, &error))?;
        Ok(place)
    }

    /// A place in which nothing is made yet.
    pub fn new(target: &CephTarget, host: &Host, state_dir: &Path) -> Result<CephPlace, LoadError> {
        let bytes = host::random::bytes::<6>()?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(CephPlace {
            target: target.clone(),
            fsid: String::new(),
            path: PathBuf::from(target.to_string()),
            name: format!("{}{digits}", SavedObjects::OURS),
            host: host.clone(),
            state_dir: state_dir.to_path_buf(),
            made: Mutex::default(),
        })
    }

    /// The machine's own name, as rados bench puts it into the names of its objects.
    pub fn hostname(&self) -> String {
        let name = self.host.text("/proc/sys/kernel/hostname");
        // `char hostname[30]` and gethostname(3) in ObjBencher.
        name.unwrap_or_default().trim().chars().take(29).collect()
    }

    /// The namespace in which rados bench makes objects: the target's, else one of our own, so that no object of others can
    /// have the name of one of ours.
    pub fn namespace(&self) -> String {
        let named = self.target.namespace.clone();
        named.unwrap_or_else(|| self.name.clone())
    }

    /// The words of `rados` for this pool and the namespace of our objects.
    pub fn pool_words(&self) -> Vec<String> {
        let (pool, namespace) = (self.target.pool.clone(), self.namespace());
        vec!["--pool".into(), pool, "--namespace".into(), namespace]
    }

    /// An error on this target.
    pub fn error(
        &self,
        why: impl Into<String>,
        advice: impl Into<String>,
        exit: Exit,
    ) -> LoadError {
        LoadError::Ceph {
            target: model::text::shown(&self.path),
            why: why.into(),
            advice: advice.into(),
            exit,
        }
    }

    /// That it is no target for something.
    pub fn no_target(&self, why: &str) -> LoadError {
        LoadError::NoTarget {
            target: model::text::shown(&self.path),
            why: why.into(),
        }
    }

    /// Writes down objects that are about to be made.
    ///
    /// # Errors
    /// When the journal cannot be written: then nothing may be made.
    pub fn write_down(&self, saved: SavedObjects) -> Result<(), LoadError> {
        let purpose = format!("objects in {}", model::text::shown(&self.path));
        let mut journal = Journal::begin_for_files(&self.host, &self.state_dir, &purpose)?;
        journal.add_objects(&saved)?;
        self.made().push(Made {
            saved,
            journal,
            written: None,
        });
        Ok(())
    }

    /// Says how many of the objects with this place's own name were written.
    pub fn wrote(&self, objects: u64) {
        for made in self.made().iter_mut() {
            made.written = Some(objects);
        }
    }

    /// Removes all that was made, and gives what there is to say of it.
    pub fn remove_made(&self) -> Vec<String> {
        let all = std::mem::take(&mut *self.made());
        all.into_iter()
            .filter_map(|made| self.remove(made))
            .collect()
    }

    fn remove(&self, made: Made) -> Option<String> {
        let Made {
            saved,
            journal,
            written,
        } = made;
        let many_ms = written.unwrap_or(saved.most).saturating_mul(OBJECT_MS);
        let most_ms = many_ms.saturating_add(REMOVAL_MS).min(REMOVAL_MAX_MS);
        let patience = Patience {
            until_ns: clock::outer::monotonic_ns() + most_ms * 1_000_000,
            stop: Stop::on_next_signal(),
        };
        match objects::remove(&saved, written, &patience) {
            Ok(removed) => {
                let is_elsewhere = removed == 0 && written.is_some_and(|written| written > 0);
                let closed = journal.close().err().map(|error| error.to_string());
                closed.or(is_elsewhere.then(|| super::bench::other_names(&saved)))
            }
            Err(error) => Some(format!(
                "objects of iodyno's may still be in {}: {}. They are written down: `iodyno status` shows them, and \
                 `iodyno undo` removes them once the cluster answers",
                saved.place(),
                clean(&error.to_string())
            )),
        }
    }

    /// A panicking thread leaves it in no half-written state, so poisoning says nothing.
    fn made(&self) -> std::sync::MutexGuard<'_, Vec<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CephPlace {
    fn drop(&mut self) {
        // Nobody is left to tell; what stays is in the journal, which tells it at the next command.
        self.remove_made();
    }
}
