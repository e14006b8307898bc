//! Threads that take runs off one list until it is empty.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cell::Cell;
use crate::trial::{self, Trial};

/// A row of a table with all its runs, in the order of their numbers.
pub struct Measured {
    /// The row.
    pub cell: Cell,
    /// Its runs.
    pub trials: Vec<Trial>,
}

/// Runs every cell `runs` times on `workers` threads.
pub fn run(
    cells: Vec<Cell>,
    runs: u64,
    workers: usize,
    judge: Option<&str>,
) -> Result<Vec<Measured>, String> {
    let next = AtomicU64::new(0);
    let done: Mutex<Vec<(u64, Result<Trial, String>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = cells.get((number / runs.max(1)) as usize) else {
                return;
            };
            let trial = trial::run(cell, number % runs.max(1), judge);
            // Only a panic elsewhere poisons the lock, and that ends the run anyway.
            done.lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .push((number, trial));
        }
    };
    std::thread::scope(|scope| {
        (0..workers.max(1)).for_each(|_| {
            scope.spawn(work);
        });
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_unstable_by_key(|(number, _)| *number);
    let mut trials = done.into_iter().map(|(_, trial)| trial);
    cells
        .into_iter()
        .map(|cell| {
            let trials = trials
                .by_ref()
                .take(runs as usize)
                .collect::<Result<_, _>>()?;
            Ok(Measured { cell, trials })
        })
        .collect()
}
