//! The panels, in the order of their number keys, which is their order on the screen.

pub mod devices;
pub mod findings;

use super::Panel;

/// Every panel.
pub static ALL: &[&Panel] = &[&devices::PANEL, &findings::PANEL];
