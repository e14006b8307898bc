//! SplitMix64 (Steele, Lea and Flood, 2014): random words from counters, at the cost of two multiplications.

use std::f64::consts::TAU;

/// The odd number nearest to 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline(always)]
fn finalise(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A random word for every counter value.
#[inline(always)]
pub fn mix64(counter: u64) -> u64 {
    finalise(counter.wrapping_mul(GOLDEN).wrapping_add(GOLDEN))
}

/// A seed for the `count`th of several runs of one seed.
pub fn seed_of(seed: u64, count: u64) -> u64 {
    seed.wrapping_add(count.wrapping_mul(GOLDEN))
}

/// A stream of random numbers, decided by its seed: one draw costs a few nanoseconds, so that offsets of I/Os can be
/// drawn while the load runs.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    next: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random {
            seed: mix64(seed),
            next: 0,
        }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.next += 1;
        mix64(self.seed.wrapping_add(self.next))
    }

    /// Evenly from 0 up to, not including, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Evenly below `count`.
    #[inline]
    pub fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(count)) >> 64) as u64
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several things, of which there is at least one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// From the standard normal distribution.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let first = self.unit();
        normal(first, self.unit())
    }
}

/// Evenly from 0 up to, not including, 1, of 64 random bits.
#[inline]
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A standard normal value of two even ones (Box and Muller).
#[inline]
pub(crate) fn normal(first: f64, second: f64) -> f64 {
    let radius = (-2.0 * (1.0 - first).ln()).sqrt();
    radius * (TAU * second).cos()
}
