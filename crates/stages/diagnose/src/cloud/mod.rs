//! What disks of the cloud promise: types, formulas and limits from a dated file, and which of them a measured rate fits.
//! Nothing here asks a network; what a disk is comes from the user, its size, or its rate.

mod bucket;
mod carry;
mod data;
mod error;
mod formula;
mod machine;
mod offer;
mod prices;
mod reach;
mod recognise;
mod spec;
#[cfg(test)]
mod tests;

pub use bucket::{Fall, fall_of, series_of_bins, series_of_intervals, series_of_text};
pub use carry::{Carrier, Need, carriers};
pub use data::{Burst, Data, DataRange, DiskType, Instance, PlainType, builtin};
pub use error::CloudError;
pub use formula::CloudFormulaLine;
pub use machine::{CloudDisk, CloudMachine, machine_of};
pub use offer::{Offer, OfferWish, offer, promise};
pub use prices::Prices;
pub use reach::{BLOCK_SIZES, Bind, Reach, reach};
pub use recognise::{Match, Measured, Strength, recognise};
pub use spec::promise_of_spec;

/// A measured figure is one that is promised when it is as near as this. A proposal of this project: providers keep
/// their caps to the per cent, and sell sizes in steps that are larger.
pub const NEAR: f64 = 0.03;

/// Whether two rates are the same figure.
pub fn is_near(measured: f64, promised: f64) -> bool {
    promised > 0.0 && (measured / promised - 1.0).abs() <= NEAR
}

/// A promise is kept from this share on: AWS says that its volumes give at least 90 % of their rate.
pub const KEPT: f64 = 0.9;

/// What a bucket had in stock when a short load began lifts its rate by this share at most: a tenth of a second's I/Os in
/// one second. A proposal of this project.
const STOCK: f64 = 0.1;

/// Whether a measured rate is the promised one: not less than providers allow themselves, and no more than a stock adds.
pub fn is_kept(measured: f64, promised: f64) -> bool {
    promised > 0.0 && (promised * KEPT..=promised * (1.0 + STOCK)).contains(&measured)
}
