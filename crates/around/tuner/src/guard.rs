//! What puts everything back while an experiment goes on: a thread beside it, which looks whether somebody asked to stop and, with
//! bounds, every 10 ms whether the device crossed one, and does it itself.
//!
//! The experiment waits for the device in many places: a load that ends waits for what it has in flight, a slow window for
//! its sync, a write for a queue that the kernel freezes, a command for its last words. Looks that came only between these would
//! be late by just as long.

use super::breaker::{Breaker, LOOK_NS, StopBound};
use host::clock::Participant;
use host::signals::Stop;
use host::{Host, Journal, clock};
use model::change::Restored;
use model::metric::ExperimentMetric;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

/// A bound that was crossed, and what was done.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    /// A clause on what the device did.
    pub why: String,
    /// The arm that was in place.
    pub arm: usize,
    /// Whether everything came back.
    pub is_whole: bool,
    /// From the look that told it until everything was back, ns.
    pub took_ns: u64,
}

/// Why no value is placed any more: everything is back.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// A bound was crossed.
    Crossed(Crossing),
    /// Somebody asked to stop, or the experiment is over.
    Over,
}

/// What is told of what was put back.
pub type TellBack<'a> = &'a (dyn Fn(&[Restored]) + Sync);

/// Between two looks whether somebody asked to stop, ns, where there are no bounds.
const STOP_NS: u64 = 20_000_000;

/// What is in place.
#[derive(Debug, Default)]
struct Placed {
    arm: usize,
    refusal: Option<Refusal>,
}

/// The bounds of a tune, and the only way to write its values.
pub(crate) struct Guard<'a> {
    journal: &'a Journal,
    stop: &'a Stop,
    tell: TellBack<'a>,
    breaker: Option<Mutex<Breaker>>,
    /// Locked while values are written, by whomever: what is put back is not overtaken by a value that is being tried.
    placed: Mutex<Placed>,
    is_over: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Guard<'a> {
    /// Bounds on a device by its kernel name, the journal that holds what is put back, the request to stop, and who is told what
    /// came of it.
    pub fn open(
        (host, device): (&Host, &str),
        bounds: &[StopBound],
        journal: &'a Journal,
        (stop, tell): (&'a Stop, TellBack<'a>),
    ) -> Result<Guard<'a>, String> {
        Ok(Guard {
            journal,
            stop,
            tell,
            breaker: Breaker::open(host, device, bounds)?.map(Mutex::new),
            placed: Mutex::default(),
            is_over: AtomicBool::new(false),
        })
    }

    /// Does some work while requests to stop and the bounds are watched.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        std::thread::scope(|scope| {
            let (thread, part) = (std::thread::Builder::new(), Participant::enrol());
            let looking_on = move || {
                let _part = part.begin();
                self.look_on();
            };
            let thread = thread
                .name("breaker".into())
                .spawn_scoped(scope, looking_on)
                .map_err(|error| {
                    part.leave();
                    format!("no thread can be started: {error}")
                })?;
            // Also where the work panics: the scope waits for the thread.
            let _over = Over {
                is_over: &self.is_over,
                thread: Some((part, thread)),
            };
            Ok(work())
        })
    }

    /// How often the work should ask whether a bound was crossed, ns; none without bounds.
    pub fn step_ns(&self) -> Option<u64> {
        self.breaker.as_ref().map(|_| LOOK_NS)
    }

    /// Writes the values of an arm, unless everything is back for good.
    pub fn place<T>(&self, arm: usize, write: impl FnOnce() -> T) -> Result<T, Refusal> {
        let mut placed = lock(&self.placed);
        if let Some(refusal) = &placed.refusal {
            return Err(refusal.clone());
        }
        // Before the write: one that the kernel keeps waiting has this value in place as far as others can tell.
        placed.arm = arm;
        Ok(write())
    }

    /// What was crossed, once everything is back.
    pub fn crossing(&self) -> Option<Crossing> {
        match &lock(&self.placed).refusal {
            Some(Refusal::Crossed(crossing)) => Some(crossing.clone()),
            _ => None,
        }
    }

    /// Puts everything back before the load ends, which may take a minute where the device hangs.
    pub fn end(&self) {
        self.put_back_once(|_, _| Refusal::Over);
    }

    /// Forgets what was seen: the load was started anew.
    pub fn forget(&self) {
        if let Some(breaker) = &self.breaker {
            lock(breaker).forget();
        }
    }

    /// Whether a bound is one on the metric.
    pub fn bounds_metric(&self) -> bool {
        let bounded = self.breaker.as_ref();
        bounded.is_some_and(|breaker| lock(breaker).bounds_metric())
    }

    /// Takes in a value of the metric and the time that it stands for, ns; puts everything back where that crosses a bound.
    pub fn tell(&self, metric: &ExperimentMetric, told: (u64, f64)) {
        let Some(breaker) = &self.breaker else { return };
        let begin_ns = clock::monotonic_ns();
        let crossed = lock(breaker).tell(metric, told);
        if let Some(why) = crossed {
            self.put_back(why, begin_ns);
        }
    }

    fn look_on(&self) {
        while !self.is_over.load(Relaxed) {
            let begin_ns = clock::monotonic_ns();
            if self.stop.is_asked() {
                let restored = self.put_back_once(|_, _| Refusal::Over);
                return restored.iter().for_each(|restored| (self.tell)(restored));
            }
            let crossed = self.breaker.as_ref().map(|breaker| lock(breaker).crossed());
            if let Some(why) = crossed.flatten() {
                return self.put_back(why, begin_ns);
            }
            clock::sleep_until_ns(begin_ns + self.step_ns().unwrap_or(STOP_NS));
        }
    }

    fn put_back(&self, why: String, begin_ns: u64) {
        self.put_back_once(|arm, restored| {
            Refusal::Crossed(Crossing {
                why,
                arm,
                is_whole: restored.iter().all(Restored::is_whole),
                took_ns: clock::monotonic_ns() - begin_ns,
            })
        });
    }

    /// What is back is back: the device, the metric and a signal may all ask for it.
    fn put_back_once(
        &self,
        refusal: impl FnOnce(usize, &[Restored]) -> Refusal,
    ) -> Option<Vec<Restored>> {
        let mut placed = lock(&self.placed);
        if placed.refusal.is_some() {
            return None;
        }
        let restored = self.journal.put_back();
        placed.refusal = Some(refusal(placed.arm, &restored));
        Some(restored)
    }
}

/// Ends the looks when it is dropped, and waits for their end.
struct Over<'scope, 'a> {
    is_over: &'a AtomicBool,
    thread: Option<(Participant, ScopedJoinHandle<'scope, ()>)>,
}

impl Drop for Over<'_, '_> {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        if let Some((part, thread)) = self.thread.take() {
            let ended = part.wait(|| thread.join());
            if let Err(panic) = ended
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }
}
