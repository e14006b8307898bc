//! Deaths at random moments, random histories and sieges: the longer it goes on, the more it shows. `make soak` runs it.

mod changes;
mod ends;
mod file_systems;
mod groups;
mod histories;
pub mod killed;
mod mounts;
mod records;
mod safety_scratch;
mod serve_pressure;
mod undo;
