//! The sleep of a load's threads, timed in the kernel where that takes programs.

use crate::Tracing;
use model::time_account::OffCpu;
use probe::{LoadSleeps, SleepCounts, Strength};

/// Programs at every switch of a CPU, or nothing. Dropped, they are gone.
#[derive(Debug)]
pub struct LoadSleep(Option<LoadSleeps>);

impl LoadSleep {
    /// Follows the threads of this process's loads where the block layer is traced by programs as well: what hinders those, or is
    /// asked for, counts for these too. Without them threads are only looked at.
    pub fn start(tracing: &Tracing) -> LoadSleep {
        let is_by_programs =
            (tracing.layers()).is_ok_and(|layers| layers.strength() == Strength::Full);
        LoadSleep(is_by_programs.then(LoadSleeps::attach).and_then(Result::ok))
    }

    /// To be read before a load begins; none without programs.
    pub fn read(&self) -> Option<SleepCounts> {
        self.0.as_ref()?.read().ok()
    }

    /// What the threads did that have begun since then.
    pub fn since(&mut self, before: Option<&SleepCounts>) -> Option<OffCpu> {
        self.0.as_mut()?.since(before?).ok()?
    }
}
