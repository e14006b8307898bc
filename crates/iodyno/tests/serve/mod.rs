//! `iodyno serve` over real connections: what is given, what is refused, and that everything is put back.

pub mod api;
mod changes;
mod comparisons;
pub mod door;
pub mod http;
mod jobs;
mod privileges;
mod refused;
mod tls;
mod uploads;
