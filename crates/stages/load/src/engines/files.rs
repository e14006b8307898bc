//! # Trees of small files: create, stat, read, rename, delete
//!
//! ## What it does
//! What mdtest does, and what a training data set or a mail spool looks like to a file system. Each job is a thread with
//! files of its own. The phases follow one another, all jobs begin each together, and each is counted and timed by
//! itself: `mkdir`, `create` (open, write, close, and fsync where asked), `stat`, `read` (open, read to the end, close;
//! in a random order without repeats, another one each epoch), `rename`, `delete`. With `runtime` the epochs of reading
//! repeat until the time is over; without, everything is done once.
//!
//! Names and sizes follow from a file's number, nothing is remembered for each: a million files need no more memory
//! than ten. The tree lies in a new directory below the target, is removed at the end, on Ctrl-C and on a failure, and
//! stands in the journal, so that after `kill -9` `iodyno status` names it and `iodyno undo` removes it.
//!
//! ## Options
//! `numjobs` and `runtime` as everywhere, and these by `--engine-option`:
//!
//! - `files`: how many files each job has; 10000.
//! - `dirs` and `depth`: how many directories each directory has, and how many levels of them; 100 and 1. Files lie in the
//!   lowest level, as many in each; `depth=0` puts them all in one.
//! - `filesize`: 4k by default; a range such as 1k-64k, all sizes equally likely; or `lognormal:MEDIAN:SIGMA`, as data
//!   sets are, such as lognormal:110k:0.8, cut at 64 times the median.
//! - `phases`: which, out of create,stat,read,rename,delete; create,stat,read,delete by default. Create is always done,
//!   and what is not deleted as a phase is removed untimed.
//! - `fsync`: 1 makes each file durable before it is closed; 0.
//! - `epochs`: how often all files are read without a `runtime`; 1.
//! - `shared`: 1 puts the files of all jobs into the same directories, so that they contend for their locks; 0.
//! - `invalidate`: 1 drops each file's pages before it is read; 0 reads what is cached. 1.
//!
//! ## Danger to data
//! None: it needs a directory and touches nothing there but the new directory it makes.
//!
//! ## Limits
//! All I/O goes through the page cache; `direct` has no meaning. Dropping pages makes reads come from the device, yet
//! names and inodes stay cached by the kernel, and only root can drop those, for everybody: `stat` and the opening of
//! files measure that cache unless there are more files than it holds. Free space and inodes are looked at before; a
//! twentieth of both stays reserved. `tune` refuses it: phases are no steady load.
//!
//! ## Example
//! ```text
//! iodyno run /srv --ioengine files --numjobs 4 --engine-option files=25000 --engine-option filesize=lognormal:110k:0.8
//! ```

mod forest;
mod plan;
mod walk;

use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};
use forest::Forest;
use host::files::FileKind;
use plan::FilesPlan;
use std::any::Any;
use std::sync::Arc;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "files",
    since: "0.1.0",
    summary: "trees of small files: create, stat, read, rename, delete",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Directory,
    operations: &["mkdir", "create", "stat", "read", "rename", "delete"],
    open,
};

/// Places of the operations above among the lanes.
mod at {
    use crate::lane::COUNT;
    pub const MKDIR: usize = COUNT;
    pub const CREATE: usize = COUNT + 1;
    pub const STAT: usize = COUNT + 2;
    pub const READ: usize = COUNT + 3;
    pub const RENAME: usize = COUNT + 4;
    pub const DELETE: usize = COUNT + 5;
}

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let plan = FilesPlan::of(&worker.job).map_err(OpenError::Failed)?;
    let target = worker.place.opened().map_err(OpenError::Failed)?;
    if target.kind() != FileKind::Directory {
        return Err(OpenError::Failed(LoadError::NoTarget {
            target: model::text::shown(target.path()),
            why: "the engine files makes a tree of files and needs a directory".into(),
        }));
    }
    // The first thread makes the tree; the others wait for it and have the same error.
    let made = worker
        .shared
        .common
        .get_or_init(|| Arc::new(Forest::plant(&plan, worker)) as Arc<dyn Any + Send + Sync>);
    let made = Arc::clone(made).downcast::<Result<Forest, LoadError>>();
    // The slot belongs to this load, and all its threads run this engine.
    let Ok(made) = made else {
        return Err(OpenError::Refused("its threads do not agree".into()));
    };
    let notes = match made.as_ref() {
        Ok(forest) => forest.notes(&plan),
        Err(error) => return Err(OpenError::Failed(error.clone())),
    };
    Ok(Opened {
        description: plan.description(worker.job.numjobs),
        notes,
        drive: Box::new(move |worker| {
            if let Ok(forest) = made.as_ref() {
                walk::drive(worker, &plan, forest);
            }
        }),
    })
}

#[cfg(test)]
mod tests;
