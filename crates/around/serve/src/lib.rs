//! The web server: records, live data and commands over HTTP, for a browser on the same machine.
//!
//! Two processes: `door` listens, speaks HTTP and knows who is in, and has no rights; `helper` has those of whoever started
//! the server, and listens to the door alone.
//!
//! Both are thin. What a verb prints is what a browser is given: the server runs its own executable with a list of
//! words, so that the same gates, exit codes and documents hold. Records, tags and notes come from the store, figures and
//! reports from `page`. The table in `routes` is at once the router, the check of what comes in, and the OpenAPI document.

mod answer;
mod assets;
mod door;
mod events;
#[cfg(fuzzing)]
pub mod fuzz;
mod guard;
mod headers;
mod helper;
mod hosts;
mod jobs;
mod keeper;
mod listen;
mod member;
mod metrics;
mod openapi;
mod paced;
mod packed;
mod room;
mod route;
mod routes;
mod secrets;
mod server;
mod sessions;
mod shape;
mod targets;
mod tls;
mod turns;
mod verbs;
mod wire;

pub use door::run as run_door;
pub use metrics::Metrics;
pub use openapi::description;
#[cfg(feature = "schema")]
pub use openapi::made::document as made_description;
pub use server::{Address, Options, ServeError, Server, ServerSpeech};
pub use tls::Tls;
