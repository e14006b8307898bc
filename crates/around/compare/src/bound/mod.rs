//! Bounds for scripts: `p99>+5%` is crossed when the 99th percentile is more than 5 % above the base's, `p99>2ms` when it
//! is above 2 ms. Decided on the interval where there is one.

mod judge;
mod parse;

pub use judge::{is_failed, judge};
pub use parse::{BoundError, parse};

/// Which side of the limit is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSide {
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A ratio to the base's number: 1.05 is 5 % more.
    Relative(f64),
    /// A time, ns.
    Time(f64),
    /// Bytes a second.
    Bytes(f64),
    /// A plain number: operations a second.
    Number(f64),
}

/// One bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// As the user wrote it.
    pub text: String,
    /// The measure, with its direction or for all of them.
    pub measure: String,
    /// Which side is bad.
    pub side: BoundSide,
    /// The limit.
    pub limit: Limit,
}

impl std::str::FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Bound, BoundError> {
        parse(text)
    }
}
