//! The limits of dirty pages as shares of memory: of the machine's, and of what a control group may have
//! (`mm/page-writeback.c`, `domain_dirty_limits`).

use crate::iopath::{IoPath, Setting};

/// Shares of memory that may be dirty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirtyShares {
    /// From here on the kernel writes.
    pub background: f64,
    /// Here every writer waits.
    pub limit: f64,
}

impl DirtyShares {
    /// As a path's machine is set. Bytes that are set for the machine are a share of the machine's memory, which a group has
    /// of its own. None where a setting was not seen.
    pub fn of(path: &IoPath) -> Option<DirtyShares> {
        let setting = |name: &str| path.machine_setting(name).and_then(Setting::number);
        let memory = path.machine_fact("memory_bytes");
        DirtyShares::from(memory.and_then(|bytes| bytes.parse().ok()), setting)
    }

    /// The same of a machine's memory, bytes, and of its settings by their names: `vm.dirty_ratio`.
    pub fn from(memory: Option<f64>, setting: impl Fn(&str) -> Option<f64>) -> Option<DirtyShares> {
        let set = |name: &str| setting(name).filter(|set| *set > 0.0);
        let share = |bytes: &str, percent: &str| {
            let of_memory = || Some(set(bytes)? / memory?);
            of_memory().or_else(|| Some(set(percent)? / 100.0))
        };
        let limit = share("vm.dirty_bytes", "vm.dirty_ratio")?;
        let background = share("vm.dirty_background_bytes", "vm.dirty_background_ratio")?;
        Some(DirtyShares { background, limit })
    }

    /// Where the kernel begins to slow writers down: halfway.
    pub fn free_run(&self) -> f64 {
        (self.limit + self.background.min(self.limit)) / 2.0
    }
}
