//! What a pod gives, and what a run in a cluster says at its end.

use model::comparison::TurnsRow;
use model::failure::ErrorDocument;
use model::kube::KubeStorage;
use model::record::Record;
use serde::{Deserialize, Serialize};

/// Schema of what a pod gives.
pub const POD_SCHEMA: &str = "iodyno.k8s-pod/1";
/// Schema of what a run in a cluster says.
pub const K8S_SCHEMA: &str = "iodyno.k8s/1";

/// What a pod gives: how the verb in it ended, and what it measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct PodAnswer {
    /// [`POD_SCHEMA`].
    pub schema: String,
    /// The version of iodyno in the image.
    pub version: String,
    /// The exit code of the verb; none when a signal ended it.
    pub exit: Option<i32>,
    /// What it measured; none where that failed.
    pub record: Option<Record>,
    /// Why it failed; none where it did not.
    pub error: Option<ErrorDocument>,
}

/// A place that was loaded, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceDone {
    /// As the user named it: `storage class fast`, `claim data on node n1`.
    pub name: String,
    /// What was loaded.
    pub storage: KubeStorage,
    /// The node that its pods ran on last.
    pub node: Option<String>,
    /// Numbers of its records, in the order of the rounds.
    pub records: Vec<i64>,
    /// The sentence of the last one.
    pub summary: Option<String>,
    /// Why it has no further one.
    pub error: Option<String>,
}

/// What a run in a cluster says at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct K8sDocument {
    /// [`K8S_SCHEMA`].
    pub schema: &'static str,
    /// The run id, which all objects had as a label.
    pub run: String,
    /// The context by which the cluster was reached.
    pub context: String,
    /// The namespace.
    pub namespace: String,
    /// What was loaded.
    pub places: Vec<PlaceDone>,
    /// Of a comparison, the order of each round: numbers of places, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Vec<usize>>,
    /// Of a comparison, the seed of the orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Of a comparison, what was measured in turns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<TurnsRow>,
    /// Whether a stop was asked for before its end.
    pub is_cut: bool,
}
