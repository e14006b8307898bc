//! What a person is shown, as plain values with their words already made: the terminal, the report, the full screen,
//! the browser and JSON print the same ones and differ in layout only.

pub mod calendar;
pub mod csv;
pub mod effect;
pub mod layer_shares;
pub mod markup;
pub mod metric;
pub mod other_series;
pub mod rehearsed;
pub mod running;
pub mod scale;
pub mod stage;
pub mod text;
pub mod tradeoffs;
pub mod trial;
pub mod unified;
