//! The floor: the smallest loop that does the same random 4 KiB reads. It measures no latency, checks little and can do
//! nothing else; what an engine costs above it is what its features cost.
#![allow(unsafe_code, reason = "a ring and raw reads, with nothing between")]

use crate::{Outcome, Work};
use io_uring::{IoUring, opcode, types};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::{Duration, Instant};

const BS: usize = 4096;

/// A random order of `0..count` for a `count` that is a power of two, without repeats: a linear congruential generator
/// of full period, its weak low bits mixed with the high ones. Repeats would come from the CPU's cache and make the
/// floor's work easier than that of an engine that touches every block once.
struct Order {
    state: u64,
    mask: u64,
    shift: u32,
}

impl Order {
    fn new(count: u64) -> Order {
        Order {
            state: 1,
            mask: count - 1,
            shift: count.trailing_zeros().div_ceil(2),
        }
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1)
            & self.mask;
        let mixed = (self.state ^ (self.state >> self.shift)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            & self.mask;
        mixed ^ (mixed >> self.shift)
    }
}

/// Does the work.
pub fn run(work: &Work) -> Result<Outcome, String> {
    let flags = if work.direct { libc::O_DIRECT } else { 0 };
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(&work.path);
    let file = file.map_err(|error| error.to_string())?;
    let blocks = file.metadata().map_err(|error| error.to_string())?.len() / BS as u64;
    if !blocks.is_power_of_two() {
        return Err(format!(
            "{} has {blocks} blocks, and the floor wants a power of two",
            work.path.display()
        ));
    }
    let until = Duration::from_millis(work.runtime_ms);
    let start = Instant::now();
    let ios = match work.ioengine.as_str() {
        "psync" => psync(&file, blocks, || start.elapsed() < until),
        _ => ring(&file, blocks, work.iodepth as usize, || {
            start.elapsed() < until
        }),
    };
    let ios = ios.map_err(|error| error.to_string())?;
    Ok(Outcome {
        ios,
        elapsed_s: start.elapsed().as_secs_f64(),
        ..Outcome::default()
    })
}

fn psync(file: &File, blocks: u64, go_on: impl Fn() -> bool) -> std::io::Result<u64> {
    let mut storage = vec![0u8; 2 * BS];
    let start = storage.as_ptr().align_offset(BS);
    let buffer = &mut storage[start..start + BS];
    let (mut order, mut ios) = (Order::new(blocks), 0);
    while go_on() {
        for _ in 0..512 {
            file.read_exact_at(buffer, order.next() * BS as u64)?;
        }
        ios += 512;
    }
    Ok(ios)
}

fn ring(file: &File, blocks: u64, depth: usize, go_on: impl Fn() -> bool) -> std::io::Result<u64> {
    let mut builder = IoUring::builder();
    builder.setup_single_issuer().setup_defer_taskrun();
    let mut ring: IoUring = builder.build(depth as u32)?;
    let mut storage = vec![0u8; (depth + 1) * BS];
    let start = storage.as_ptr().align_offset(BS);
    let base = storage[start..].as_mut_ptr();
    // SAFETY: `place` is below `depth`, and the storage holds `depth` blocks from `base` on.
    let buffer = |place: usize| unsafe { base.add(place * BS) };
    let iovecs: Vec<libc::iovec> = (0..depth)
        .map(|place| libc::iovec {
            iov_base: buffer(place).cast(),
            iov_len: BS,
        })
        .collect();
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    // SAFETY: the loop below ends with nothing in flight, before the storage is dropped.
    unsafe { ring.submitter().register_buffers(&iovecs)? };
    let mut free: Vec<u16> = (0..depth as u16).collect();
    let (submitter, mut sq, mut cq) = ring.split();
    let (mut order, mut ios, mut running) = (Order::new(blocks), 0, true);
    while running || free.len() < depth {
        while running && let Some(place) = free.pop() {
            let offset = order.next() * BS as u64;
            let read =
                opcode::ReadFixed::new(types::Fixed(0), buffer(place.into()), BS as u32, place);
            let entry = read.offset(offset).build().user_data(place.into());
            // SAFETY: the buffer stays valid until its completion, and the ring has an entry for each place.
            let _ = unsafe { sq.push(&entry) };
        }
        sq.sync();
        submitter.submit_and_wait(depth.min(32).min(depth - free.len()))?;
        sq.sync();
        cq.sync();
        for cqe in &mut cq {
            if cqe.result() != BS as i32 {
                return Err(std::io::Error::from_raw_os_error(
                    -cqe.result().min(-libc::EIO),
                ));
            }
            free.push(cqe.user_data() as u16);
            ios += 1;
        }
        running = go_on();
    }
    Ok(ios)
}
