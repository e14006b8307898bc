//! Records side by side: what they can be compared by, comparisons, rankings, histories, and all of them as text.
//!
//! Pure: records in, nouns of `model::comparison` out. Three rules hold everywhere. An interval is shown where the data
//! carry one, and nothing is made up where they do not. What chance inside one run leaves open is not what differs
//! between two runs: a single run each is a hint unless repeats of one setting are known. Unlike jobs are shown and not
//! ranked.

pub mod bound;
pub mod change_point;
pub mod compare;
pub mod curves;
pub mod device;
#[cfg(test)]
mod fixture;
pub mod guard;
pub mod history;
pub mod interval;
pub mod job;
pub mod measures;
pub mod rank;
pub mod repeats;
mod sentence;
mod settings;
pub mod turns;
pub mod view;
pub mod words;
