//! Server-sent events: what the sensors see, how jobs go, which records are new. One stream for each listener, one
//! reading of the machine for all.

mod frames;
mod hub;
mod stream;

#[cfg(feature = "schema")]
pub use frames::Unwatched;
pub use hub::Hub;
pub use stream::tell;
