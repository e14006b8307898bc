//! Every way in. Its table is the router, the check of what comes in, and the OpenAPI document.

mod catalogue;
mod changes;
mod comparisons;
mod events;
mod imports;
mod jobs;
mod machine;
mod records;
mod session;

use crate::route::Route;

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

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Route> {
    TABLES.iter().flat_map(|table| table.iter())
}
