//! Every way in. Its table is the router, the check of what comes in, and the OpenAPI document.

mod catalogue;
mod changes;
mod comparisons;
pub(crate) mod events;
mod imports;
mod jobs;
mod machine;
mod records;
mod session;

use crate::route::Route;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const TABLES: &[&[Route]] = &[
    session::ROUTES,
    machine::ROUTES,
    records::ROUTES,
    imports::ROUTES,
    comparisons::ROUTES,
    catalogue::ROUTES,
    changes::ROUTES,
    jobs::ROUTES,
    events::ROUTES,
];

/// The document of a verb, passed on as it is.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passed {
    /// Which document it is, and its version.
    schema: String,
    #[serde(flatten)]
    members: Map<String, Value>,
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Route> {
    TABLES.iter().flat_map(|table| table.iter())
}
