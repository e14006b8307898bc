//! How large the next block of one direction is.

use model::job::BlockSize;
use stats::dice::Random;

/// Block sizes of one direction, ready to be drawn.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// All alike.
    Fixed(u64),
    /// Evenly `smallest × 1` to `smallest × steps`. fio draws evenly from the bytes in between and rounds down, which
    /// makes the largest size rarer or more frequent than the others; here all are alike.
    Range {
        /// Bytes.
        smallest: u64,
        /// How many sizes.
        steps: u64,
    },
    /// Each with the sum of the shares up to and including its own. fio draws again where a block does not fit before
    /// the end of the file, which shifts the shares to small blocks; here the block is moved (`Walk`), and the shares
    /// are those asked for.
    Split(Vec<(u64, u64)>),
}

impl Sizes {
    /// From the job's words.
    pub fn new(size: &BlockSize) -> Sizes {
        match size {
            BlockSize::Fixed(bytes) => Sizes::Fixed(*bytes),
            BlockSize::Range(smallest, largest) => Sizes::Range {
                smallest: *smallest,
                steps: (largest / smallest.max(&1)).max(1),
            },
            BlockSize::Split(parts) => {
                let mut sum = 0;
                let shares = parts
                    .iter()
                    .filter(|part| part.1 > 0)
                    .map(|(bytes, share)| {
                        sum += u64::from(*share);
                        (sum, *bytes)
                    });
                let shares: Vec<(u64, u64)> = shares.collect();
                if shares.is_empty() {
                    Sizes::Fixed(size.min())
                } else {
                    Sizes::Split(shares)
                }
            }
        }
    }

    /// The size of the next block, bytes.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Range { smallest, steps } => smallest * (1 + random.below(*steps)),
            Sizes::Split(shares) => {
                let all = shares.last().map_or(1, |share| share.0);
                let drawn = random.below(all);
                shares
                    .iter()
                    .find(|share| drawn < share.0)
                    .map_or(0, |share| share.1)
            }
        }
    }
}
