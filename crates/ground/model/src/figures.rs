//! What the kernel's counters said in the windows of an experiment, arm by arm.

use serde::{Deserialize, Serialize};

/// One figure of the device, of a CPU or of its interrupts, under every arm that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmFigures {
    /// Name with its subject, unit last: `disk.vda.await_read_ms`, `cpu.1.softirq_percent`, `irq.cpu1.target_per_s`.
    pub name: String,
    /// Unit: `ms`, `percent`, `per_s`, `kib`, `us`, `ios`.
    pub unit: String,
    /// Its value by arm; an arm without a window in which it could be read is missing.
    pub arms: Vec<ArmValue>,
}

/// A figure under one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmValue {
    /// The arm: the value of the knob.
    pub arm: String,
    /// Mean over the windows.
    pub value: f64,
    /// Standard deviation between the windows; 0 for a single one.
    pub spread: f64,
    /// Windows.
    pub windows: u64,
}

impl ArmFigures {
    /// The figure under one arm.
    pub fn of(&self, arm: &str) -> Option<&ArmValue> {
        self.arms.iter().find(|value| value.arm == arm)
    }
}
