//! What changed between two arms of an experiment, and what stayed: where a gain came from.

use crate::figures::of_before;
use crate::layers::LayerSide;
use serde::{Deserialize, Serialize};

/// The comparison of two arms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The arm that was found.
    pub from: String,
    /// The arm it is compared with.
    pub to: String,
    /// What the layers come from (`eBPF full`); none when they were not traced.
    pub traced: Option<String>,
    /// Traced windows of each arm.
    pub traced_windows: u64,
    /// Why there are no layers.
    pub not_traced: Option<String>,
    /// Layers, device figures and CPU figures: what moved first, by how much it explains, then what was looked at and
    /// stayed.
    #[serde(deserialize_with = "of_any_version")]
    pub changes: Vec<Change>,
    /// The CPUs that take the target's interrupts, when they are not the same under both arms.
    pub interrupts: Option<Interrupts>,
}

/// What a change is a change of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MovedKind {
    /// A part of the time between queueing and completion of an I/O.
    Layer,
    /// The whole of that time.
    Whole,
    /// A figure of the block device's counters.
    Device,
    /// A figure of one CPU, or of all.
    Cpu,
}

/// One figure under two arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// What it is.
    pub kind: MovedKind,
    /// `I2D`, `await_read_ms`, `softirq_percent`.
    pub name: String,
    /// The device or the CPU; `all` for every CPU together.
    pub subject: String,
    /// Direction, for a layer.
    pub side: Option<LayerSide>,
    /// Unit of the values: `ns` for layers.
    pub unit: String,
    /// Mean under the arm that was found.
    pub from: f64,
    /// Mean under the other arm.
    pub to: f64,
    /// Medians of a layer under both; none where the layer is made of several, whose medians do not add up.
    pub medians: Option<(f64, f64)>,
    /// What the difference between windows of the same arm makes of the change at the most; none with fewer than two
    /// windows of an arm, and then nothing counts as moved.
    pub noise: Option<f64>,
    /// Whether it changed by more than its noise, and by enough to matter.
    pub moved: bool,
    /// Share of the change that it explains: a layer of the change of the whole time, CPU time of the change of the rate.
    pub share: Option<f64>,
    /// What the figure is made of, where the arms do not have the same layers: `G2I + I2D under bfq`.
    pub made_of: Option<String>,
}

/// Changes, figures of a device by the names and in the units of today's fields.
fn of_any_version<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Change>, D::Error> {
    let mut changes = Vec::<Change>::deserialize(from)?;
    for change in changes
        .iter_mut()
        .filter(|change| change.kind == MovedKind::Device)
    {
        let Some((name, unit, factor)) = of_before(&change.name) else {
            continue;
        };
        (change.name, change.unit) = (name.into(), unit.into());
        change.from *= factor;
        change.to *= factor;
        change.noise = change.noise.map(|noise| noise * factor);
    }
    Ok(changes)
}

/// CPUs that take interrupts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupts {
    /// Under the arm that was found.
    pub from: Vec<u32>,
    /// Under the other.
    pub to: Vec<u32>,
}

impl Moved {
    /// What moved, the weightiest first.
    pub fn moved(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.moved)
    }

    /// What was looked at and stayed.
    pub fn stayed(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| !change.moved)
    }
}
