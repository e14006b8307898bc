//! What a series of loads found, beyond what one load gives.

use crate::curve::Sweep;
use crate::dataset::Dataset;
use crate::interference::Matrix;
use crate::search::Search;
use crate::steady::{Precondition, Steadiness};
use serde::{Deserialize, Serialize};

/// The studies of a record; most records have none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Studies {
    /// How the target was worn in first; none when it was taken as it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precondition: Option<Precondition>,
    /// Whether the load had settled; none when nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steadiness>,
    /// A response curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// A search for the highest load that keeps a latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// Reads against writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interference: Option<Matrix>,
    /// Reads of a data set of small files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<Dataset>,
}

impl Studies {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Studies::default()
    }
}
