//! Where each I/O goes: sequential, or random without a repeat until every block was touched once.
//!
//! Random order is a permutation computed block by block (an alternating Feistel network over a rectangle of
//! `rows × columns` blocks, after Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). It needs no map of
//! blocks done, so a petabyte costs as much memory as a megabyte, and each pass over the range gets keys of its own.

mod permutation;
mod skew;
mod zipf;

pub use permutation::Permutation;
pub use skew::Skew;
use stats::dice::mix64;

/// A share of the target's blocks, `first..first + count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetRange {
    /// First block.
    pub first: u64,
    /// Number of blocks, at least 1.
    pub count: u64,
}

impl OffsetRange {
    /// The `index`-th of `of` contiguous shares of this range; they differ by at most one block in length.
    pub fn share(self, index: u32, of: u32) -> OffsetRange {
        let cut = |i: u32| (u128::from(self.count) * u128::from(i) / u128::from(of)) as u64;
        OffsetRange {
            first: self.first + cut(index),
            count: cut(index + 1) - cut(index),
        }
    }
}

/// The endless order of blocks of one direction of one job.
#[derive(Clone, Debug)]
pub struct Offsets {
    range: OffsetRange,
    order: Order,
    /// Passes completed.
    passes: u64,
}

#[derive(Clone, Debug)]
enum Order {
    Sequential { next: u64 },
    Random { pass: Permutation, seed: u64 },
}

impl Offsets {
    /// From the first block of the range to its last, again and again.
    pub fn sequential(range: OffsetRange) -> Offsets {
        Offsets {
            range,
            order: Order::Sequential { next: 0 },
            passes: 0,
        }
    }

    /// Every block of the range once, in random order, then all again in another.
    pub fn random(range: OffsetRange, seed: u64) -> Offsets {
        Offsets {
            range,
            order: Order::Random {
                pass: Permutation::new(range.count, seed),
                seed,
            },
            passes: 0,
        }
    }

    /// The next block.
    #[inline]
    pub fn next_block(&mut self) -> u64 {
        let index = match &mut self.order {
            Order::Sequential { next } => {
                if *next == self.range.count {
                    *next = 0;
                    self.passes += 1;
                }
                *next += 1;
                *next - 1
            }
            Order::Random { pass, seed } => match pass.next() {
                Some(index) => index,
                None => {
                    self.passes += 1;
                    *pass = Permutation::new(self.range.count, pass_seed(*seed, self.passes));
                    pass.next().unwrap_or(0)
                }
            },
        };
        self.range.first + index
    }

    /// Passes over the range that the last block handed out came after.
    #[inline]
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Goes to the beginning of a pass, as if all before it had been handed out.
    pub fn skip_to_pass(&mut self, passes: u64) {
        self.passes = passes;
        match &mut self.order {
            Order::Sequential { next } => *next = 0,
            Order::Random { pass, seed } => {
                *pass = Permutation::new(self.range.count, pass_seed(*seed, passes))
            }
        }
    }

    /// Whether a block of the range was handed out in the pass at hand.
    pub fn has_given(&self, block: u64) -> bool {
        let index = block - self.range.first;
        match &self.order {
            Order::Sequential { next } => index < *next,
            Order::Random { pass, .. } => pass.has_given(index),
        }
    }
}

/// Each pass has keys of its own; the first has the seed's.
fn pass_seed(seed: u64, passes: u64) -> u64 {
    if passes == 0 {
        seed
    } else {
        mix64(seed ^ mix64(passes))
    }
}

#[cfg(test)]
pub use skew::tests as tests_of_skew;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_comes_once_per_pass() {
        let sizes = (1..=300).chain([1023, 1024, 1025, 65_535, 65_536, 65_537, 262_144, 999_983]);
        for count in sizes {
            for seed in [0, 1, u64::MAX] {
                let mut offsets = Offsets::random(OffsetRange { first: 7, count }, seed);
                for pass in 0..2 {
                    let mut seen = vec![false; count as usize];
                    for _ in 0..count {
                        let block = offsets.next_block() - 7;
                        let before = std::mem::replace(&mut seen[block as usize], true);
                        assert!(!before, "block {block} of {count} twice in pass {pass}");
                    }
                }
            }
        }
    }

    #[test]
    fn passes_and_seeds_differ() {
        let range = OffsetRange {
            first: 0,
            count: 1000,
        };
        let take =
            |offsets: &mut Offsets| (0..1000).map(|_| offsets.next_block()).collect::<Vec<_>>();
        let mut offsets = Offsets::random(range, 5);
        let (first, second) = (take(&mut offsets), take(&mut offsets));
        assert_ne!(first, second);
        assert_ne!(first, take(&mut Offsets::random(range, 6)));
        assert_eq!(
            first,
            take(&mut Offsets::random(range, 5)),
            "the same seed gives the same order"
        );
    }

    #[test]
    fn the_order_looks_like_chance() {
        let count = 1u64 << 20;
        let mut offsets = Offsets::random(OffsetRange { first: 0, count }, 42);
        let blocks: Vec<u64> = (0..count).map(|_| offsets.next_block()).collect();
        // By chance about one neighbouring pair of a million is consecutive, and each sixteenth of the range is hit
        // evenly from the start.
        let consecutive = blocks
            .windows(2)
            .filter(|pair| pair[1] == pair[0] + 1)
            .count();
        assert!(consecutive < 12, "{consecutive} consecutive pairs");
        let mut hits = [0i64; 16];
        blocks[..16_000]
            .iter()
            .for_each(|block| hits[(block * 16 / count) as usize] += 1);
        assert!(hits.iter().all(|n| (n - 1000).abs() < 150), "{hits:?}");
        let steps: f64 = blocks
            .windows(2)
            .map(|pair| pair[0].abs_diff(pair[1]) as f64)
            .sum::<f64>()
            / count as f64;
        assert!(
            (steps / (count as f64 / 3.0) - 1.0).abs() < 0.01,
            "mean step {steps}"
        );
    }

    #[test]
    fn what_was_given_in_a_pass_is_known_without_a_map() {
        for count in [1, 2, 17, 1000, 4097] {
            let range = OffsetRange { first: 50, count };
            for mut offsets in [Offsets::random(range, 9), Offsets::sequential(range)] {
                (0..count).for_each(|_| _ = offsets.next_block());
                let mut given = std::collections::HashSet::new();
                for _ in 0..count.div_ceil(3) {
                    given.insert(offsets.next_block());
                }
                let said = (50..50 + count).filter(|block| offsets.has_given(*block));
                assert_eq!(
                    said.collect::<std::collections::HashSet<_>>(),
                    given,
                    "{count}"
                );
                let mut skipped = offsets.clone();
                skipped.skip_to_pass(1);
                assert!((0..given.len()).all(|_| given.contains(&skipped.next_block())));
            }
        }
    }

    #[test]
    fn a_pass_over_two_tebibytes_needs_no_memory() {
        let count = (2u64 << 40) / 4096;
        let mut offsets = Offsets::random(OffsetRange { first: 0, count }, 11);
        assert!(
            std::mem::size_of::<Offsets>() <= 256,
            "{} bytes of state",
            std::mem::size_of::<Offsets>()
        );
        // Two million draws: by chance 2,000,000² / 2 / 537 million = 3,725 of them would have come before.
        let blocks: std::collections::HashSet<u64> =
            (0..2_000_000).map(|_| offsets.next_block()).collect();
        assert_eq!(blocks.len(), 2_000_000);
        assert!(blocks.iter().all(|block| *block < count));
        assert!(blocks.iter().all(|block| offsets.has_given(*block)));
    }

    #[test]
    fn huge_ranges_stay_inside() {
        for count in [(1 << 53) - 1, (1u64 << 55) + 12_345] {
            let mut offsets = Offsets::random(OffsetRange { first: 0, count }, 3);
            assert!((0..10_000).all(|_| offsets.next_block() < count));
        }
    }

    #[test]
    fn sequential_wraps_and_shares_are_disjoint() {
        let whole = OffsetRange {
            first: 10,
            count: 7,
        };
        let shares: Vec<OffsetRange> = (0..3).map(|i| whole.share(i, 3)).collect();
        assert_eq!(
            shares[0],
            OffsetRange {
                first: 10,
                count: 2
            }
        );
        assert_eq!(shares[2].first + shares[2].count, 17);
        assert!(
            shares
                .windows(2)
                .all(|pair| pair[0].first + pair[0].count == pair[1].first)
        );
        let mut offsets = Offsets::sequential(shares[0]);
        assert_eq!(
            [
                offsets.next_block(),
                offsets.next_block(),
                offsets.next_block()
            ],
            [10, 11, 10]
        );
    }
}
