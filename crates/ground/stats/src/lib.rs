//! Statistics and seeded random numbers, in one place: pure functions of numbers.
//!
//! Whatever says "median", "95 % interval" or "drawn at random" in iodyno means what is written here, so that two
//! outputs about one series cannot differ by their arithmetic.

pub mod dice;
mod mix;
mod robust;
mod special;
mod summary;

pub use robust::{Estimate, huber, mad_sd, robust_sd, sign_flip};
pub use special::{chi_square_tail, normal_cdf, t_quantile};
pub use summary::{
    FiveNumbers, jain, jain_slopes, logs, mean, median, quantile, standard_deviation,
    standard_error, sum_of_squares,
};
