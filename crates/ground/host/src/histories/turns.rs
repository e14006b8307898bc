//! Several processes that are threads, of which one runs at a time: at every step of the machine the next one is drawn,
//! and the step may fail, be torn, or be the last one of its process. One seed gives one history.

use crate::fault::{self, FaultStep};
pub(super) use stats::dice::Random as Dice;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What can happen to a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    /// The step at which it dies.
    pub(super) dies_at: Option<u64>,
    /// One step in so many fails; none where 0.
    pub(super) fails_one_in: u64,
    /// No byte more fits on the disk after this step.
    pub(super) full_after: Option<u64>,
}

/// The death of a process.
pub(super) struct Killed;

struct Turn {
    current: usize,
    alive: Vec<usize>,
    dice: Dice,
}

/// Who runs.
#[derive(Clone)]
pub(super) struct Turns(Arc<(Mutex<Turn>, Condvar)>);

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, me: usize) {
        let mut turn = self.lock();
        while turn.current != me {
            turn = self.0.1.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets somebody else go on, perhaps.
    fn step(&self, me: usize) {
        let mut turn = self.lock();
        if turn.alive.len() > 1 && turn.dice.one_in(3) {
            let alive = turn.alive.clone();
            turn.current = *turn.dice.pick(&alive);
            self.0.1.notify_all();
        }
        drop(turn);
        self.wait(me);
    }

    fn leave(&self, me: usize) {
        let mut turn = self.lock();
        turn.alive.retain(|one| *one != me);
        let alive = turn.alive.clone();
        if !alive.is_empty() {
            turn.current = *turn.dice.pick(&alive);
        }
        self.0.1.notify_all();
    }
}

struct Process {
    me: usize,
    turns: Turns,
    steps: u64,
    fate: Fate,
    dice: Dice,
}

impl Process {
    fn is_full(&self) -> bool {
        self.fate.full_after.is_some_and(|after| self.steps > after)
    }
}

impl fault::Hook for Process {
    fn at(&mut self, step: FaultStep, _: &Path) -> std::io::Result<()> {
        self.turns.step(self.me);
        self.steps += 1;
        if self.fate.dies_at == Some(self.steps) {
            std::panic::panic_any(Killed);
        }
        let grows = matches!(step, FaultStep::Create | FaultStep::Append);
        if self.is_full() && grows {
            return Err(std::io::Error::from_raw_os_error(libc::ENOSPC));
        }
        if self.fate.fails_one_in > 0 && self.dice.one_in(self.fate.fails_one_in) {
            return Err(std::io::Error::from_raw_os_error(libc::EIO));
        }
        Ok(())
    }

    fn torn_after(&mut self, length: usize) -> usize {
        let is_last = self.fate.dies_at == Some(self.steps + 1);
        if is_last || self.is_full() {
            self.dice.below(length as u64 + 1) as usize
        } else {
            0
        }
    }
}

/// What a process does, and what happens to it.
pub(super) type Mortal = (Fate, Box<dyn FnOnce() + Send>);

/// Runs acts as processes beside each other until each has ended or died.
pub(super) fn run(acts: Vec<Mortal>, dice: &mut Dice) {
    let turn = Turn {
        current: 0,
        alive: (0..acts.len()).collect(),
        dice: Dice::new(dice.bits()),
    };
    let turns = Turns(Arc::new((Mutex::new(turn), Condvar::new())));
    let start = |(me, (fate, act)): (usize, Mortal), own: Dice| {
        let turns = turns.clone();
        std::thread::spawn(move || {
            turns.wait(me);
            fault::install(Box::new(Process {
                me,
                turns: turns.clone(),
                steps: 0,
                fate,
                dice: own,
            }));
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
            fault::clear();
            turns.leave(me);
            if let Err(panic) = ended
                && !panic.is::<Killed>()
            {
                std::panic::resume_unwind(panic);
            }
        })
    };
    let started: Vec<_> = acts
        .into_iter()
        .enumerate()
        .map(|act| start(act, Dice::new(dice.bits())))
        .collect();
    for thread in started {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}
