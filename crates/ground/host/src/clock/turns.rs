//! Time of our own making: it stands still while anybody works, and jumps to the next moment that somebody sleeps until.
//!
//! Threads that sleep in it take turns: one works, the others sleep, and who is next is decided by the moments that they
//! wait for and not by the scheduler. So whatever is done in it comes out the same each time, and a minute of sleeping takes
//! as long as the work that is done in between.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The place of this thread, if it has one.
    static OWN: Cell<Option<Place>> = const { Cell::new(None) };
}

/// The place of a thread among those that take turns; lower ones go first where two wait for the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Has the turn, or goes on as soon as it gets it.
    Ready,
    /// Goes on at a moment, ns; before it where somebody wakes it and it may be woken.
    Sleeping { until_ns: u64, wakes: bool },
    /// Goes on when another has left.
    Waiting(Place),
}

#[derive(Debug, Default)]
struct TurnState {
    now_ns: u64,
    turn: Option<Place>,
    doing: BTreeMap<Place, Doing>,
    places: u64,
    sleeps: u64,
    strike: Option<Strike>,
}

/// A signal that the process sends itself at one of its sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    /// Which of them, counted from 1 over all threads.
    pub at_sleep: u64,
    /// The signal's number.
    pub signal: i32,
}

/// The time, and who has the turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    state: Mutex<TurnState>,
    passed: Condvar,
}

impl Turns {
    /// Time that begins at `now_ns`, with the turn at this thread.
    pub(super) fn begin(now_ns: u64, strike: Option<Strike>) -> Turns {
        let turns = Turns::default();
        turns.lock().now_ns = now_ns;
        turns.lock().strike = strike;
        let place = turns.enrol();
        turns.lock().turn = Some(place);
        OWN.set(Some(place));
        turns
    }

    fn lock(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now_ns(&self) -> u64 {
        self.lock().now_ns
    }

    /// A place for a thread that is about to be started: from now on it is waited for.
    pub(super) fn enrol(&self) -> Place {
        let mut state = self.lock();
        state.places += 1;
        let place = Place(state.places);
        state.doing.insert(place, Doing::Ready);
        place
    }

    /// Makes this thread the one of the place, when its turn comes.
    pub(super) fn take(&self, place: Place) {
        OWN.set(Some(place));
        self.until_turn(self.lock(), place);
    }

    /// The thread of a place ends, or was never started. Those who wait for it go on.
    pub(super) fn leave(&self, place: Place) {
        let mut state = self.lock();
        state.doing.remove(&place);
        for doing in state.doing.values_mut() {
            if *doing == Doing::Waiting(place) {
                *doing = Doing::Ready;
            }
        }
        if state.turn == Some(place) {
            state.pass();
            self.passed.notify_all();
        }
    }

    /// Sleeps until a moment; a thread without a place looks on until others have come so far.
    pub(super) fn sleep_until(&self, until_ns: u64, wakes: bool) {
        let mut state = self.lock();
        if until_ns <= state.now_ns {
            return;
        }
        let Some(place) = OWN.get() else {
            while state.now_ns < until_ns {
                let woken = self.passed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
            return;
        };
        state.sleeps += 1;
        if let Some(strike) = state
            .strike
            .filter(|strike| strike.at_sleep == state.sleeps)
        {
            drop(state);
            // It arrives before this returns: the signal is the thread's own.
            let _ = signal_hook::low_level::raise(strike.signal);
            state = self.lock();
        }
        self.rest(state, place, Doing::Sleeping { until_ns, wakes });
    }

    /// Does something that blocks until the thread of a place has ended.
    pub(super) fn waiting_for<T>(&self, other: Place, block: impl FnOnce() -> T) -> T {
        let mut state = self.lock();
        let Some(place) = OWN.get().filter(|_| state.doing.contains_key(&other)) else {
            drop(state);
            return block();
        };
        let now_ns = state.now_ns;
        if let Some(Doing::Sleeping {
            until_ns,
            wakes: true,
        }) = state.doing.get_mut(&other)
        {
            *until_ns = now_ns;
        }
        state.doing.insert(place, Doing::Waiting(other));
        state.pass();
        self.passed.notify_all();
        drop(state);
        let done = block();
        self.until_turn(self.lock(), place);
        done
    }

    fn rest(&self, mut state: MutexGuard<'_, TurnState>, place: Place, doing: Doing) {
        state.doing.insert(place, doing);
        state.pass();
        if state.turn != Some(place) {
            self.passed.notify_all();
            self.until_turn(state, place);
        }
    }

    fn until_turn(&self, mut state: MutexGuard<'_, TurnState>, place: Place) {
        while state.turn != Some(place) {
            let woken = self.passed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl TurnState {
    /// Gives the turn to who can go on; where nobody can, to the one whose moment comes first, and it is that moment.
    fn pass(&mut self) {
        let ready = self.doing.iter().find(|(_, doing)| **doing == Doing::Ready);
        let next = ready.map(|(place, _)| (self.now_ns, *place)).or_else(|| {
            let sleeping = self.doing.iter().filter_map(|(place, doing)| match doing {
                Doing::Sleeping { until_ns, .. } => Some((*until_ns, *place)),
                Doing::Ready | Doing::Waiting(_) => None,
            });
            sleeping.min()
        });
        self.turn = next.map(|(_, place)| place);
        if let Some((moment_ns, place)) = next {
            self.now_ns = self.now_ns.max(moment_ns);
            self.doing.insert(place, Doing::Ready);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// What several threads did that sleep in steps, each with the moment.
    fn story(steps_ns: &[u64]) -> Vec<(u64, usize)> {
        let turns = Arc::new(Turns::begin(1_000, None));
        let told = Arc::new(Mutex::new(Vec::new()));
        let threads: Vec<_> = steps_ns
            .iter()
            .copied()
            .enumerate()
            .map(|(index, step_ns)| {
                let (turns, told, place) = (turns.clone(), told.clone(), turns.enrol());
                let thread = std::thread::spawn(move || {
                    turns.take(place);
                    for _ in 0..20 {
                        turns.sleep_until(turns.now_ns() + step_ns, false);
                        told.lock().unwrap().push((turns.now_ns(), index));
                    }
                    turns.leave(place);
                });
                (place, thread)
            })
            .collect();
        for (place, thread) in threads {
            turns.waiting_for(place, || thread.join()).unwrap();
        }
        OWN.set(None);
        Arc::into_inner(told).unwrap().into_inner().unwrap()
    }

    #[test]
    fn threads_that_sleep_go_on_in_the_order_of_their_moments_each_time_alike() {
        let steps_ns = [30, 20, 50];
        let first = story(&steps_ns);
        let mut expected: Vec<(u64, usize)> = steps_ns
            .iter()
            .enumerate()
            .flat_map(|(index, step_ns)| (1..=20).map(move |n| (1_000 + n * step_ns, index)))
            .collect();
        expected.sort();
        assert_eq!(first, expected);
        assert!((0..50).all(|_| story(&steps_ns) == first));
    }

    #[test]
    fn who_is_waited_for_wakes_early_and_a_place_that_is_left_holds_up_nobody() {
        let turns = Arc::new(Turns::begin(0, None));
        turns.leave(turns.enrol());
        let place = turns.enrol();
        let inner = turns.clone();
        let thread = std::thread::spawn(move || {
            inner.take(place);
            inner.sleep_until(1_000_000, true);
            let woke_ns = inner.now_ns();
            inner.leave(place);
            woke_ns
        });
        turns.sleep_until(400, false);
        let woke_ns = turns.waiting_for(place, || thread.join().unwrap());
        assert_eq!((woke_ns, turns.now_ns()), (400, 400));
        OWN.set(None);
    }
}
