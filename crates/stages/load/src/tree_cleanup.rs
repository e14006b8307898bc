//! A tree of our own and its end: it is written down before it is made, and whatever way a load ends, the directory goes,
//! and only then the journal.

use crate::LoadError;
use host::tree::{self, Tree};
use host::{Host, Journal, Target};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A tree that is removed once, by the last job or when everything is dropped.
#[derive(Debug)]
pub struct Cleanup {
    tree: Tree,
    /// The journal, inside the answer to whether the tree is still there.
    left: Mutex<Option<Option<Journal>>>,
}

impl Cleanup {
    /// Makes a directory below a target, after a journal in the state directory names it; without one where there is none.
    pub fn make(
        target: &Target,
        host: &Host,
        state_dir: Option<&Path>,
        purpose: &str,
    ) -> Result<Cleanup, LoadError> {
        let saved = tree::plan(target)?;
        let journal = match state_dir {
            None => None,
            Some(state_dir) => {
                let mut journal = Journal::begin_for_files(host, state_dir, purpose)?;
                journal.add_tree(&saved)?;
                Some(journal)
            }
        };
        match (Tree::create(target, &saved), journal) {
            (Ok(tree), journal) => Ok(Cleanup {
                tree,
                left: Mutex::new(Some(journal)),
            }),
            // What was made of it, if anything, is named by the journal until it is gone.
            (Err(error), journal) => {
                if let Some(journal) = journal
                    && tree::remove(&saved).is_ok()
                {
                    journal.close()?;
                }
                Err(error.into())
            }
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Removes the tree, then the journal. What stays has the journal stay too, for `undo` to try again.
    pub fn finish(&self) -> Result<(), LoadError> {
        let left = self
            .left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(journal) = left else { return Ok(()) };
        self.tree.remove()?;
        if let Some(journal) = journal {
            journal.close()?;
        }
        Ok(())
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // Nobody is left to tell; the journal tells it at the next command.
        let _ = self.finish();
    }
}
