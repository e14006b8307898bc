//! The panels, in the order of their number keys, which is their order on the screen.

mod cpus;
pub mod devices;
mod dirty;
pub mod findings;
mod latency;
mod layers;
mod state;
mod who;

use super::Panel;

/// Every panel.
pub static ALL: &[&Panel] = &[
    &devices::PANEL,
    &latency::PANEL,
    &layers::PANEL,
    &dirty::PANEL,
    &cpus::PANEL,
    &who::PANEL,
    &findings::PANEL,
    &state::PANEL,
];
