//! The nouns of iodyno: plain data that every stage shares. No I/O, no clock, no randomness; serde only.

pub mod ceph_target;
pub mod change;
pub mod check;
pub mod comparison;
pub mod curve;
pub mod dataset;
pub mod difference;
pub mod dirty;
pub mod failure;
pub mod field;
pub mod figures;
pub mod finding;
pub mod frame;
pub mod group_hold;
pub mod histogram;
pub mod imported;
pub mod interference;
pub mod iopath;
pub mod job;
pub mod kube;
pub mod latency_map;
pub mod layers;
pub mod limit;
pub mod metric;
pub mod moved;
pub mod osd_trouble;
pub mod ownership;
pub mod proposal;
pub mod reading;
pub mod record;
pub mod sample;
pub mod search;
pub mod secret;
pub mod shell_line;
pub mod steady;
pub mod studies;
pub mod subject;
pub mod target;
pub mod text;
pub mod time_account;
pub mod units;
pub mod verdict;
pub mod watched;
pub mod window;

#[cfg(test)]
mod properties;
