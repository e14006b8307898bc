//! The end of a tree: whatever way a load ends, the directory goes, and only then the journal.

use crate::LoadError;
use host::Journal;
use host::tree::Tree;
use std::sync::{Mutex, PoisonError};

/// A tree that is removed once, by the last job or when everything is dropped.
#[derive(Debug)]
pub struct Cleanup {
    tree: Tree,
    /// The journal, inside the answer to whether the tree is still there.
    left: Mutex<Option<Option<Journal>>>,
}

impl Cleanup {
    /// Owns a tree and the journal that names it.
    pub fn new(tree: Tree, journal: Option<Journal>) -> Cleanup {
        Cleanup {
            tree,
            left: Mutex::new(Some(journal)),
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
