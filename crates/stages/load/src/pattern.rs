//! Seeded randomness and the data that is written.
//!
//! Arrays, ZFS, VDO and some SSDs compress and deduplicate; data that shrinks makes them look faster than they are. A
//! buffer starts as random bytes, and before each write all of it is XORed with a new random word: no two blocks
//! written in a run are equal, none repeats a part of another, none compresses. That costs about as much as one copy of the block.

pub use super::data::Data;
use stats::dice::mix64;

/// Fills a buffer with random bytes.
pub fn fill(buffer: &mut [u8], seed: u64) {
    for (index, word) in buffer.chunks_mut(8).enumerate() {
        let random = mix64(seed ^ mix64(index as u64)).to_le_bytes();
        word.copy_from_slice(&random[..word.len()]);
    }
}

/// Makes a buffer that was filled before different in each of its words, from a counter that never repeats.
#[inline]
pub fn refresh(buffer: &mut [u8], counter: u64) {
    // A zero byte in the mask would leave that byte of every word as it was.
    let mask = mix64(counter) | 0x0101_0101_0101_0101;
    let (words, _) = buffer.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ mask).to_ne_bytes();
    }
}

/// Memory for `count` blocks of `block_bytes`, aligned as direct I/O wants it, each at its own index.
#[derive(Debug)]
pub struct Blocks {
    storage: Vec<u8>,
    start: usize,
    block_bytes: usize,
    stride: usize,
}

/// Alignment of every block, bytes: a page, which satisfies every device's DMA alignment.
const ALIGN: usize = 4096;

impl Blocks {
    /// Zeroed blocks.
    pub fn new(count: usize, block_bytes: usize) -> Blocks {
        let stride = block_bytes.next_multiple_of(ALIGN);
        let storage = vec![0; stride * count + ALIGN];
        let start = storage.as_ptr().align_offset(ALIGN);
        Blocks {
            storage,
            start,
            block_bytes,
            stride,
        }
    }

    /// Blocks of random data, each its own.
    pub fn random(count: usize, block_bytes: usize, seed: u64) -> Blocks {
        let mut blocks = Blocks::new(count, block_bytes);
        (0..count).for_each(|index| fill(blocks.get(index), mix64(seed ^ index as u64)));
        blocks
    }

    /// Address of the first block, for an engine that hands blocks to the kernel. The memory does not move.
    pub fn base(&mut self) -> *mut u8 {
        self.storage[self.start..].as_mut_ptr()
    }

    /// Distance from one block to the next, bytes.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// One block.
    #[inline]
    pub fn get(&mut self, index: usize) -> &mut [u8] {
        let from = self.start + index * self.stride;
        &mut self.storage[from..from + self.block_bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn refreshed_blocks_share_no_word() {
        let mut blocks = Blocks::random(2, 4096, 9);
        let mut words = HashSet::new();
        for counter in 0..50 {
            let block = blocks.get(counter as usize % 2);
            refresh(block, counter);
            for word in block.chunks(8) {
                assert!(words.insert(word.to_vec()), "a word was written twice");
            }
        }
    }

    #[test]
    fn bytes_are_spread_evenly() {
        let mut buffer = vec![0; 1 << 20];
        fill(&mut buffer, 1);
        refresh(&mut buffer, 77);
        let mut counts = [0i32; 256];
        buffer.iter().for_each(|&byte| counts[byte as usize] += 1);
        assert!(
            counts.iter().all(|count| (count - 4096).abs() < 400),
            "{counts:?}"
        );
    }

    #[test]
    fn blocks_are_page_aligned_and_apart() {
        let mut blocks = Blocks::new(3, 512);
        for index in 0..3 {
            let block = blocks.get(index);
            assert_eq!(block.as_ptr() as usize % ALIGN, 0);
            assert_eq!(block.len(), 512);
            block.fill(index as u8 + 1);
        }
        assert!(blocks.get(0).iter().all(|byte| *byte == 1));
    }
}
