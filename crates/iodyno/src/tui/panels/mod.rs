//! The panels, in the order of their number keys, which is their order on the screen.

mod cpus;
mod dirty;
mod latency;
mod layers;
mod state;
mod who;

use super::Panel;

/// Every panel.
pub static ALL: &[&Panel] =
    &[&latency::PANEL, &layers::PANEL, &dirty::PANEL, &cpus::PANEL, &who::PANEL, &state::PANEL];
