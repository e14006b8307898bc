//! Everything random: streams of numbers that follow from a seed.
//!
//! The same seed gives the same stream on every machine and in every version: offsets of a load, the order of a sweep and
//! the windows of an experiment are replayed from the seed in a record. [`Dice`] is for decisions and simulations, [`Coin`]
//! for the experiment, [`Random`] and [`mix64`] where a draw has to cost next to nothing.

pub use crate::mix::{Random, mix64, seed_of};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::{ChaCha8Rng, ChaCha12Rng};

/// Numbers that look random and follow from a seed (ChaCha8).
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Evenly from 0 up to, not including, 1.
    pub fn share(&mut self) -> f64 {
        crate::mix::unit(self.0.next_u64())
    }

    /// Evenly from 0 up to, not including, `below`.
    pub fn below(&mut self, below: usize) -> usize {
        ((self.share() * below as f64) as usize).min(below.saturating_sub(1))
    }

    /// From the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        let first = self.share();
        crate::mix::normal(first, self.share())
    }

    /// Puts things into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

/// The coin of an experiment (ChaCha12): which arm comes first, and what is drawn again.
#[derive(Clone, Debug)]
pub struct Coin(ChaCha12Rng);

impl Coin {
    /// The coin of a seed.
    pub fn new(seed: u64) -> Coin {
        Coin(ChaCha12Rng::seed_from_u64(seed))
    }

    /// A fair throw.
    pub fn heads(&mut self) -> bool {
        self.word() & 1 == 0
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// The numbers below `count` in random order (Fisher and Yates).
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, (self.bits() % (last as u64 + 1)) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records hold seeds only: a stream that changed would replay another experiment.
    #[test]
    fn streams_stay_what_they_were() {
        assert_eq!(
            [mix64(0), mix64(1)],
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
        let mut random = Random::new(7);
        assert_eq!(
            [random.bits(), random.bits()],
            [0x9fff_7a74_2389_d60a, 0xfdc4_73d7_374e_c5be]
        );
        let mut dice = Dice::new(7);
        assert_eq!(
            std::array::from_fn(|_| dice.below(1 << 40)),
            [0x28_6553_3423, 0x2b_0159_d32e]
        );
        let mut coin = Coin::new(7);
        assert_eq!(
            [coin.bits(), coin.bits()],
            [0x7c2_e0e9_6aa8_fbbe, 0x4e9d_34e8_247e_5f86]
        );
        assert_eq!(Coin::new(7).order(8), [5, 4, 3, 2, 7, 1, 0, 6]);
        let mut things: Vec<usize> = (0..8).collect();
        Dice::new(7).shuffle(&mut things);
        assert_eq!(things, [5, 0, 6, 2, 3, 4, 7, 1]);
    }

    #[test]
    fn every_place_is_as_likely() {
        let mut firsts = [0; 5];
        for seed in 0..5_000 {
            let mut things = [0, 1, 2, 3, 4];
            Dice::new(seed).shuffle(&mut things);
            firsts[things[0]] += 1;
        }
        assert!(
            firsts.iter().all(|count| (900..1_100).contains(count)),
            "{firsts:?}"
        );
    }

    #[test]
    fn normal_values_are_normal() {
        let (mut dice, mut random) = (Dice::new(3), Random::new(3));
        let draws: [Vec<f64>; 2] = [
            (0..20_000).map(|_| dice.normal()).collect(),
            (0..20_000).map(|_| random.normal()).collect(),
        ];
        for values in draws {
            let (mean, deviation) = (crate::mean(&values), crate::standard_deviation(&values));
            assert!(
                mean.abs() < 0.03 && (deviation - 1.0).abs() < 0.025,
                "{mean} {deviation}"
            );
        }
    }
}
