//! What the rates of an experiment count, and how a rate is written.

use model::units;

/// The metric that an experiment judges by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Name, behind a number or alone: `IOPS`.
    pub name: &'static str,
}

impl Metric {
    /// The metric of every experiment there is: what the load itself completes. All views ask here, so that a verdict
    /// that names another metric changes this function and no caller.
    pub const fn of_experiments() -> Metric {
        Metric { name: "IOPS" }
    }

    /// A rate with its name: `41.2 k IOPS`.
    pub fn rate(self, value: f64) -> String {
        format!("{} {}", units::rate(value), self.name)
    }
}
