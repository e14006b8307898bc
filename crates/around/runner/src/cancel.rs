//! Ending verbs whose answer nobody waits for any more.

use host::Interrupter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Ends a verb that works for a request, once nobody waits for its answer. Only for verbs that may be ended at any moment.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<Cancelling>>);

#[derive(Debug, Default)]
struct Cancelling {
    is_cancelled: bool,
    at_work: Option<Interrupter>,
}

/// Cancels when it is dropped.
#[derive(Debug)]
pub struct CancelOnDrop(Cancel);

impl Cancel {
    /// Ends what is at work, and what would begin.
    pub fn cancel(&self) {
        let mut cancelling = self.lock();
        cancelling.is_cancelled = true;
        if let Some(interrupter) = cancelling.at_work.take() {
            let _ = interrupter.kill();
        }
    }

    /// Something that cancels when it is dropped.
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    /// This one is ended with it.
    pub(crate) fn begins(&self, interrupter: Interrupter) {
        let mut cancelling = self.lock();
        match cancelling.is_cancelled {
            true => drop(interrupter.kill()),
            false => cancelling.at_work = Some(interrupter),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cancelling> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
