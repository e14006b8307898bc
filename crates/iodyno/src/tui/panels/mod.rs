//! The panels, in the order of their number keys, which is their order on the screen.

use super::Panel;

/// Every panel.
pub static ALL: &[&Panel] = &[];
