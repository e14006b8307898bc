//! Several readers at once, and how long they took together.

use crate::LoadError;
use host::Error;
use host::clock::FastClock;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::Builder;

/// Runs so many readers, which begin when all are there; what each did, and the time from the first one's begin to the last
/// one's end, ns. Each reads the clock itself: whoever only waits for them may be woken late.
///
/// # Errors
/// Where the kernel does not start so many threads: then none of them has read.
pub fn together<T: Send>(
    readers: u32,
    clock: &FastClock,
    work: impl Fn(u32) -> T + Sync,
) -> Result<(Vec<T>, u64), LoadError> {
    let timed = |index: u32| {
        let begun_ns = clock.now_ns();
        let done = work(index);
        (begun_ns, done, clock.now_ns())
    };
    let all: Vec<(u64, T, u64)> = match readers {
        0 | 1 => vec![timed(0)],
        readers => at_once(readers, &timed)?,
    };
    let begun_ns = all.iter().map(|(begun_ns, ..)| *begun_ns).min();
    let ended_ns = all.iter().map(|(.., ended_ns)| *ended_ns).max();
    let elapsed_ns = ended_ns.unwrap_or(0).saturating_sub(begun_ns.unwrap_or(0));
    let done = all.into_iter().map(|(_, done, _)| done);
    Ok((done.collect(), elapsed_ns))
}

fn at_once<T: Send>(readers: u32, work: &(impl Fn(u32) -> T + Sync)) -> Result<Vec<T>, LoadError> {
    let gate = Gate::of(readers);
    std::thread::scope(|scope| {
        let gate = &gate;
        let mut threads = Vec::new();
        for index in 0..readers {
            let reader = move || gate.pass().then(|| work(index));
            match Builder::new().spawn_scoped(scope, reader) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    gate.give_up();
                    return Err(too_few(index, readers, &error));
                }
            }
        }
        let ends = threads.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        Ok(ends.flatten().collect())
    })
}

fn too_few(started: u32, readers: u32, error: &std::io::Error) -> LoadError {
    let why = format!(
        "only {started} of {readers} could be started: {error}. Ask for fewer with --readers, or allow more threads \
         (ulimit -u, pids.max of the control group)"
    );
    Error::io("start", "the readers", std::io::Error::other(why)).into()
}

/// Where threads wait until all are there. Unlike a barrier it lets those go that wait for one that never comes.
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

struct GateState {
    missing: u32,
    is_given_up: bool,
}

impl Gate {
    fn of(threads: u32) -> Gate {
        Gate {
            state: Mutex::new(GateState {
                missing: threads,
                is_given_up: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for the others; whether all have come.
    fn pass(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.missing -= 1;
        if state.missing == 0 {
            self.changed.notify_all();
        }
        let is_closed = |state: &mut GateState| state.missing > 0 && !state.is_given_up;
        let waited = self.changed.wait_while(state, is_closed);
        !waited.unwrap_or_else(PoisonError::into_inner).is_given_up
    }

    fn give_up(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_given_up = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_covers_every_readers_own() {
        let clock = FastClock::calibrate();
        for readers in [1, 2, 16] {
            let (each_ns, elapsed_ns) = together(readers, &clock, |index| {
                let begun_ns = clock.now_ns();
                host::clock::sleep_ms(u64::from(index % 4));
                clock.now_ns() - begun_ns
            })
            .unwrap();
            assert_eq!(each_ns.len(), readers as usize);
            assert!(
                each_ns.iter().all(|ns| *ns <= elapsed_ns),
                "{each_ns:?} in {elapsed_ns}"
            );
        }
    }

    #[test]
    fn those_that_wait_go_when_one_cannot_come() {
        let gate = Gate::of(3);
        std::thread::scope(|scope| {
            let waiting = [(); 2].map(|()| scope.spawn(|| gate.pass()));
            gate.give_up();
            for thread in waiting {
                assert!(!thread.join().unwrap(), "nobody begins");
            }
        });
        let why = too_few(2, 3, &std::io::Error::other("no more")).to_string();
        assert!(
            why.contains("only 2 of 3 could be started: no more"),
            "{why}"
        );
    }
}
