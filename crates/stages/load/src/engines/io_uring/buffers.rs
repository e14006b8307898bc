//! The buffers of I/Os in flight, reached by pointers only once the kernel may write to them.

use crate::pattern::Blocks;
use crate::source::{Io, SourceKind};
use crate::worker::{Data, Worker};

/// A buffer for each place of the queue. A job that both reads and writes has a second one each, because what a read
/// brings must not become the data of a write.
pub struct Buffers {
    blocks: Blocks,
    base: *mut u8,
    stride: usize,
    bytes: usize,
    count: usize,
    /// Distance from a read's to a write's buffer of one place.
    writes_from: usize,
}

// SAFETY: the pointer is into the blocks' own allocation, which moves with the value; nothing of it belongs to a thread.
unsafe impl Send for Buffers {}

impl Buffers {
    /// For a queue of `depth` places; those of writes hold their first data.
    pub fn new(worker: &Worker, depth: usize, data: &Data) -> Buffers {
        let (job, bytes) = (&worker.job, worker.job.max_bs() as usize);
        let reads_too = job.rw.reads() || job.verify.is_some();
        let sets = if job.rw.writes() && reads_too { 2 } else { 1 };
        let count = depth * sets;
        let mut blocks = Blocks::new(count, bytes);
        if job.rw.writes() {
            (count - depth..count).for_each(|index| data.initial(blocks.get(index), index));
        }
        let (base, stride) = (blocks.base(), blocks.stride());
        Buffers {
            blocks,
            base,
            stride,
            bytes,
            count,
            writes_from: count - depth,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The length of each, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which buffer an I/O at a place uses.
    #[inline(always)]
    pub fn index(&self, place: u16, io: &Io) -> usize {
        usize::from(place)
            + if io.kind == SourceKind::Write {
                self.writes_from
            } else {
                0
            }
    }

    /// Where a buffer begins.
    #[inline(always)]
    pub fn pointer(&self, index: usize) -> *mut u8 {
        debug_assert!(index < self.count, "buffer {index} of {}", self.count);
        // SAFETY: `index` is below `count`, so the result lies inside the blocks' allocation, which does not move.
        unsafe { self.base.add(index * self.stride) }
    }

    /// The bytes of an I/O at a place.
    ///
    /// # Safety
    /// Nothing may be in flight at the place.
    #[inline(always)]
    pub unsafe fn bytes_of(&mut self, place: u16, io: &Io) -> &mut [u8] {
        let length = (io.bytes as usize).min(self.bytes);
        // SAFETY: the range lies inside the buffer; the caller says that the kernel does not use it, and `&mut self`
        // that nobody else does.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(self.index(place, io)), length) }
    }

    /// Leaves the memory to the kernel for good, which may still write to it.
    pub fn leak(&mut self) {
        std::mem::forget(std::mem::replace(&mut self.blocks, Blocks::new(0, 0)));
    }
}
