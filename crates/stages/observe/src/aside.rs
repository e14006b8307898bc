//! Readings that may take long, on a thread of their own: a disk that does not answer must not stop the other sensors.

use host::{clock, process};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the first round may hold up those who start the sensors.
const FIRST_WAIT_MS: u64 = 200;

/// A thread that makes a `T` again and again. Dropped, it ends after the round it is in; nobody waits for that, since
/// the kernel may hold it for minutes.
pub(super) struct Aside<T> {
    shared: Arc<Mutex<Shared<T>>>,
    _stop: mpsc::Sender<()>,
}

struct Shared<T> {
    latest: Option<T>,
    rounds: u64,
    cost_cpu_ns: u64,
}

impl<T: Send + 'static> Aside<T> {
    /// Starts with a round at once and waits a moment for it. Fails where there can be no further thread.
    pub fn start(
        name: &str,
        every_ms: u64,
        mut round: impl FnMut() -> T + Send + 'static,
    ) -> std::io::Result<Aside<T>> {
        let shared = Arc::new(Mutex::new(Shared {
            latest: None,
            rounds: 0,
            cost_cpu_ns: 0,
        }));
        let (stop, stopped) = mpsc::channel::<()>();
        let (first, is_ready) = mpsc::channel();
        let ours = shared.clone();
        std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                loop {
                    let start_ns = clock::monotonic_ns();
                    let made = round();
                    let mut shared = locked(&ours);
                    shared.latest = Some(made);
                    shared.rounds += 1;
                    shared.cost_cpu_ns = process::thread_cpu_ns();
                    drop(shared);
                    let _ = first.send(());
                    let passed_ms = (clock::monotonic_ns() - start_ns) / 1_000_000;
                    let wait = Duration::from_millis(every_ms.saturating_sub(passed_ms).max(1));
                    if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            })?;
        let _ = is_ready.recv_timeout(Duration::from_millis(FIRST_WAIT_MS));
        Ok(Aside {
            shared,
            _stop: stop,
        })
    }

    /// Looks at what the latest round made and at how many rounds there were; none while the first is under way.
    pub fn latest<R>(&self, look: impl FnOnce(&T, u64) -> R) -> Option<R> {
        let shared = locked(&self.shared);
        shared
            .latest
            .as_ref()
            .map(|latest| look(latest, shared.rounds))
    }

    /// CPU time of the thread, ns.
    pub fn cost_cpu_ns(&self) -> u64 {
        locked(&self.shared).cost_cpu_ns
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_follow_each_other_and_a_stuck_one_holds_up_nobody() {
        let mut number = 0;
        let aside = Aside::start("test", 1, move || {
            number += 1;
            number
        });
        let aside = aside.unwrap();
        let limit_ns = clock::monotonic_ns() + 30_000_000_000;
        while aside.latest(|number, rounds| *number >= 3 && rounds >= 3) != Some(true) {
            assert!(clock::monotonic_ns() < limit_ns);
            clock::sleep_ms(5);
        }
        let (free, held) = mpsc::channel::<()>();
        let stuck = Aside::start("test", 1, move || held.recv().is_ok()).unwrap();
        assert_eq!(stuck.latest(|_, _| ()), None);
        drop(stuck);
        drop(free);
    }
}
