//! Threads that sleep beside the main one, so that time of our own making waits for them, too.

use super::turns::Place;
use super::{OWN_TIME, monotonic_ns};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

/// A thread's part in the time that this process lives in. In the world's own time there is nothing to take part in.
#[derive(Clone, Copy, Debug)]
pub struct Participant(Option<Place>);

impl Participant {
    /// For a thread that is about to be started. It has to [`Participant::begin`], or else to be dropped by
    /// [`Participant::leave`].
    pub fn enrol() -> Participant {
        Participant(OWN_TIME.get().map(|own| own.turns.enrol()))
    }

    /// The first act of the thread itself; it takes part until what this gives is dropped.
    pub fn begin(self) -> Enrolled {
        if let (Some(own), Some(place)) = (OWN_TIME.get(), self.0) {
            own.turns.take(place);
        }
        Enrolled(self)
    }

    /// The thread could not be started.
    pub fn leave(self) {
        if let (Some(own), Some(place)) = (OWN_TIME.get(), self.0) {
            own.turns.leave(place);
        }
    }

    /// Does something that blocks until that thread has ended.
    pub fn wait<T>(self, block: impl FnOnce() -> T) -> T {
        match (OWN_TIME.get(), self.0) {
            (Some(own), Some(place)) => own.turns.waiting_for(place, block),
            _ => block(),
        }
    }
}

/// A thread that takes part.
#[derive(Debug)]
pub struct Enrolled(Participant);

impl Drop for Enrolled {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// Waits for a message until a moment of [`monotonic_ns`].
///
/// # Errors
/// Where none came until then, and where nobody is left to send one.
pub fn recv_until<T>(told: &Receiver<T>, until_ns: u64) -> Result<T, RecvTimeoutError> {
    let Some(own) = OWN_TIME.get() else {
        let wait_ns = until_ns.saturating_sub(monotonic_ns());
        return told.recv_timeout(Duration::from_nanos(wait_ns));
    };
    let look = || match told.try_recv() {
        Ok(message) => Some(Ok(message)),
        Err(TryRecvError::Disconnected) => Some(Err(RecvTimeoutError::Disconnected)),
        Err(TryRecvError::Empty) => None,
    };
    look()
        .or_else(|| {
            own.turns.sleep_until(until_ns, true);
            look()
        })
        .unwrap_or(Err(RecvTimeoutError::Timeout))
}
