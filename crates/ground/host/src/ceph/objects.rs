//! Objects of iodyno's own in a pool: removed by their names. A listing would pass over everybody's objects, of which a
//! production pool has many millions; and only this removal works in a cluster that is full (`--force-full`).
//!
//! They are removed from the last one down. So a removal that is cut short leaves the first ones, and another finds where they
//! end by few questions.

use super::{CephError, CephProgram, ask_unless, cluster};
use crate::asked::Patience;
use model::change::SavedObjects;
use std::ops::Range;

/// How many calls go on at once.
const AT_ONCE: u64 = 8;
/// How many objects one call removes.
const BATCH: u64 = 20;
/// How many objects can be partly removed when a removal is cut short.
const WINDOW: u64 = AT_ONCE * BATCH;
/// How long one call may take, ms: a cluster that answers needs some ms for an object.
const DEADLINE_MS: u64 = 30_000;

/// Removes them, and gives how many were there; `written` says how many were written, where that is known.
///
/// # Errors
/// Where another cluster answers, or none, or it does not let this user remove them: then the rest is still there.
pub fn remove(
    saved: &SavedObjects,
    written: Option<u64>,
    patience: &Patience,
) -> Result<u64, CephError> {
    cluster::must_be(&saved.target.cluster, &saved.fsid)?;
    match sweep(&Rados { saved, patience }, saved, written) {
        Err(error) if is_pool_gone(&error) => Ok(0),
        swept => swept,
    }
}

/// The name of one that is still there; none where all are gone.
///
/// # Errors
/// As of [`remove`].
pub fn left(saved: &SavedObjects) -> Result<Option<String>, CephError> {
    cluster::must_be(&saved.target.cluster, &saved.fsid)?;
    let patience = &Patience::endless();
    match first_left(&Rados { saved, patience }, saved) {
        Err(error) if is_pool_gone(&error) => Ok(None),
        found => found,
    }
}

fn first_left(store: &dyn ObjectStore, saved: &SavedObjects) -> Result<Option<String>, CephError> {
    if let Some(index) = first_from(store, saved, 0)? {
        return Ok(Some(name(saved, index)));
    }
    for other in &saved.also {
        if store.has(other)? {
            return Ok(Some(other.clone()));
        }
    }
    Ok(None)
}

/// Whether an object is there.
///
/// # Errors
/// Where the cluster does not say.
pub fn is_there(saved: &SavedObjects, name: &str) -> Result<bool, CephError> {
    let patience = &Patience::endless();
    Rados { saved, patience }.has(name)
}

/// Where objects are.
trait ObjectStore: Sync {
    fn has(&self, name: &str) -> Result<bool, CephError>;

    /// Ends at the first that is not there, with what rados says then.
    fn remove(&self, names: &[String]) -> Result<(), CephError>;
}

struct Rados<'a> {
    saved: &'a SavedObjects,
    patience: &'a Patience,
}

impl Rados<'_> {
    fn done(&self, words: &[&str]) -> Result<(), CephError> {
        let words = in_pool(self.saved, words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let cluster = &self.saved.target.cluster;
        let is_over = || self.patience.is_over();
        let done = ask_unless(CephProgram::Rados, cluster, &words, DEADLINE_MS, &is_over);
        done.map(|_| ())
    }
}

impl ObjectStore for Rados<'_> {
    fn has(&self, name: &str) -> Result<bool, CephError> {
        match self.done(&["stat", name]) {
            Ok(()) => Ok(true),
            Err(error) if error.is_not_found() && !is_pool_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn remove(&self, names: &[String]) -> Result<(), CephError> {
        let words = ["rm", "--force-full"].into_iter();
        let words: Vec<&str> = words.chain(names.iter().map(String::as_str)).collect();
        self.done(&words)
    }
}

fn sweep(
    store: &dyn ObjectStore,
    saved: &SavedObjects,
    written: Option<u64>,
) -> Result<u64, CephError> {
    let end = match written {
        Some(written) => saved.most.min(written.saturating_add(saved.gap.into())),
        None => end(store, saved)?,
    };
    let (mut removed, mut top) = (0, end);
    while top > 0 {
        let bottom = top.saturating_sub(WINDOW);
        let starts: Vec<u64> = (bottom..top).step_by(BATCH as usize).collect();
        let counts = at_once(&starts, |start| {
            remove_range(store, saved, *start..top.min(start + BATCH))
        })?;
        removed += counts.iter().sum::<u64>();
        top = bottom;
    }
    for name in &saved.also {
        match store.remove(std::slice::from_ref(name)) {
            Ok(()) => removed += 1,
            Err(error) if error.is_not_found() && !is_pool_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    match saved.most > 0 && store.has(&name(saved, 0))? {
        false => Ok(removed),
        true => Err(CephError::StillThere {
            name: name(saved, 0),
        }),
    }
}

/// Removes those of a range that are there.
fn remove_range(
    store: &dyn ObjectStore,
    saved: &SavedObjects,
    range: Range<u64>,
) -> Result<u64, CephError> {
    let (mut removed, mut index) = (0, range.start);
    while index < range.end {
        let names: Vec<String> = (index..range.end).map(|index| name(saved, index)).collect();
        let Err(error) = store.remove(&names) else {
            return Ok(removed + range.end - index);
        };
        // One call ends at the first object that is not there.
        let gone = missing_index(&error, &saved.prefix);
        let gone = gone
            .filter(|gone| (index..range.end).contains(gone))
            .ok_or(error)?;
        removed += gone - index;
        index = gone + 1;
    }
    Ok(removed)
}

/// What has to be removed ends here. In front of the last object at most `gap` are missing, which were on their way when the
/// load died, and what a removal took that was cut short, which lies in its window at the end.
fn end(store: &dyn ObjectStore, saved: &SavedObjects) -> Result<u64, CephError> {
    let has = |index: u64| match index < saved.most {
        true => store.has(&name(saved, index)),
        false => Ok(false),
    };
    let mut end = 0;
    while let Some(found) = first_from(store, saved, end)? {
        let (mut last, mut step) = (found, 1);
        while has(last.saturating_add(step))? {
            last += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if has(last.saturating_add(step))? {
                last += step;
            }
        }
        end = last + 1;
    }
    let behind = u64::from(saved.gap) + WINDOW;
    Ok(saved.most.min(end.saturating_add(behind)))
}

/// The first object that is there from a number on: looked for in as many as can be missing in a row, then in growing steps.
fn first_from(
    store: &dyn ObjectStore,
    saved: &SavedObjects,
    from: u64,
) -> Result<Option<u64>, CephError> {
    let behind = from.saturating_add(saved.gap.into());
    let steps = (0..63).map(|power| behind.saturating_add(1 << power));
    let all: Vec<u64> = (from..=behind)
        .chain(steps)
        .filter(|index| *index < saved.most)
        .collect();
    for some in all.chunks(AT_ONCE as usize) {
        let are_there = at_once(some, |index| store.has(&name(saved, *index)))?;
        let mut found = some.iter().zip(are_there);
        if let Some((index, _)) = found.find(|(_, is_there)| *is_there) {
            return Ok(Some(*index));
        }
    }
    Ok(None)
}

/// Does work on threads of its own, one for each item, and gives what each gave.
fn at_once<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, CephError> + Sync,
) -> Result<Vec<R>, CephError> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = items
            .iter()
            .map(|item| scope.spawn(move || work(item)))
            .collect();
        let done = threads.into_iter().map(|thread| {
            // A defect in the work is one of whoever asked for it.
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.collect()
    })
}

fn name(saved: &SavedObjects, index: u64) -> String {
    format!("{}{index}", saved.prefix)
}

/// The words of `rados` in the pool and the namespace of these objects.
pub(crate) fn in_pool(saved: &SavedObjects, words: &[&str]) -> Vec<String> {
    let mut all = vec!["--pool".to_string(), saved.target.pool.clone()];
    if let Some(namespace) = &saved.namespace {
        all.extend(["--namespace".to_string(), namespace.clone()]);
    }
    all.extend(words.iter().map(|word| word.to_string()));
    all
}

/// With the pool went its objects.
fn is_pool_gone(error: &CephError) -> bool {
    let Some(said) = error.said() else {
        return false;
    };
    said.starts_with("error opening pool") && error.is_not_found()
}

/// The number of the object that a removal did not find:
/// `error removing bench>iodyno-7f/benchmark_data_vm_42_object7: (2) No such file or directory`.
fn missing_index(error: &CephError, prefix: &str) -> Option<u64> {
    let said = error.said()?;
    let (name, why) = said.rsplit_once(": ")?;
    let number = name.rsplit_once(prefix)?.1;
    why.starts_with("(2)").then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests;
