//! The circuit breaker at work: a thread beside the experiment that looks every 10 ms, and puts everything back itself.
//!
//! The experiment waits for the device in many places: a load that ends waits for what it has in flight, a slow window for
//! its sync, a write for a queue that the kernel freezes. Looks that came only between these would be late by just as long
//! as the device stalls.

use super::breaker::{Breaker, LOOK_NS, StopBound};
use host::{Host, Journal, clock};
use model::change::Restored;
use model::metric::ExperimentMetric;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// What is in place.
#[derive(Debug, Default)]
struct Placed {
    arm: usize,
    crossing: Option<Crossing>,
}

/// The bounds of a tune, and the only way to write its values.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    journal: &'a Journal,
    breaker: Option<Mutex<Breaker>>,
    /// Locked while values are written, by whomever: what is put back is not overtaken by a value that is being tried.
    placed: Mutex<Placed>,
    is_over: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Guard<'a> {
    /// Bounds on a device by its kernel name, and the journal that holds what is put back.
    pub fn open(
        host: &Host,
        device: &str,
        bounds: &[StopBound],
        journal: &'a Journal,
    ) -> Result<Guard<'a>, String> {
        Ok(Guard {
            journal,
            breaker: Breaker::open(host, device, bounds)?.map(Mutex::new),
            placed: Mutex::default(),
            is_over: AtomicBool::new(false),
        })
    }

    /// Does some work while the bounds are watched, if there are any.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        let Some(breaker) = &self.breaker else {
            return Ok(work());
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("breaker".into());
            thread
                .spawn_scoped(scope, || self.look_on(breaker))
                .map_err(|error| format!("no thread can be started: {error}"))?;
            // Also where the work panics: the scope waits for the thread.
            let _over = Over(&self.is_over);
            Ok(work())
        })
    }

    /// How often the work should ask whether a bound was crossed, ns; none without bounds.
    pub fn step_ns(&self) -> Option<u64> {
        self.breaker.as_ref().map(|_| LOOK_NS)
    }

    /// Writes the values of an arm, unless a bound was crossed.
    pub fn place<T>(&self, arm: usize, write: impl FnOnce() -> T) -> Result<T, Crossing> {
        let mut placed = lock(&self.placed);
        if let Some(crossing) = &placed.crossing {
            return Err(crossing.clone());
        }
        // Before the write: one that the kernel keeps waiting has this value in place as far as others can tell.
        placed.arm = arm;
        Ok(write())
    }

    /// What was crossed, once everything is back.
    pub fn crossing(&self) -> Option<Crossing> {
        lock(&self.placed).crossing.clone()
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

    fn look_on(&self, breaker: &Mutex<Breaker>) {
        while !self.is_over.load(Relaxed) {
            let begin_ns = clock::monotonic_ns();
            let crossed = lock(breaker).crossed();
            if let Some(why) = crossed {
                return self.put_back(why, begin_ns);
            }
            clock::sleep_until_ns(begin_ns + LOOK_NS);
        }
    }

    fn put_back(&self, why: String, begin_ns: u64) {
        let mut placed = lock(&self.placed);
        // The device and the metric may both cross a bound: what is back is back.
        if placed.crossing.is_some() {
            return;
        }
        let restored = self.journal.put_back();
        placed.crossing = Some(Crossing {
            why,
            arm: placed.arm,
            is_whole: restored.iter().all(Restored::is_whole),
            took_ns: clock::monotonic_ns() - begin_ns,
        });
    }
}

/// Ends the looks when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
