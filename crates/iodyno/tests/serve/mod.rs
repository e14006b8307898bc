//! `iodyno serve` over real connections: what is given, what is refused, and that everything is put back.

mod api;
mod changes;
mod comparisons;
pub mod http;
mod jobs;
mod pressure;
mod privileges;
mod refused;
mod tls;
mod uploads;
