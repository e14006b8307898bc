//! Each way of doing I/O under a limit: what the program gets, what the device moves and what the group is charged.

use super::LimitArgs;
use super::ground::Ground;
use super::groups::LimitGroup;
use super::program;
use crate::context::Context;
use crate::exit::Failure;
use host::clock;
use host::disk_counters::DeviceCounters;
use host::signals::Stop;
use model::limit::{IoWay, LimitEffect, LimitMeasured, LimitedWay, Moved};
use model::record::LoadResult;
use model::target::CgroupLimit;
use report::limit_view;
use std::path::PathBuf;
use store::Store;

/// How often is looked, ms.
const LOOK_MS: u64 = 50;
/// Writes between two syncs of the way that syncs.
const SYNC_EVERY: u32 = 8;
/// The most and the least that the file of a way has, bytes.
const FILE_BYTES: std::ops::RangeInclusive<u64> = 32 << 20..=1 << 30;
/// Bytes of a sector, in which devices are counted.
const SECTOR: u64 = 512;

/// What the job of one way is made of.
#[derive(Clone, Copy)]
struct Shape {
    /// Block size, bytes.
    bs: u64,
    /// Size of the file, bytes.
    bytes: u64,
}

impl Shape {
    /// Blocks small enough for twenty of them in a second, and a file that a held program does not come around in.
    fn of(limit: &CgroupLimit, runtime_ms: u64) -> Shape {
        let bs = match limit.is_in_bytes() {
            true => (limit.limit / 20).clamp(4 << 10, 1 << 20),
            false => 4 << 10,
        };
        // A power of two.
        let bs = 1 << bs.ilog2();
        let per_s = match limit.is_in_bytes() {
            true => limit.limit,
            false => limit.limit.saturating_mul(bs),
        };
        let wanted = per_s.saturating_mul(runtime_ms) / 1000 * 4;
        Shape {
            bs,
            bytes: wanted.clamp(*FILE_BYTES.start(), *FILE_BYTES.end()),
        }
    }
}

/// All ways of the limit's direction, one after the other.
pub fn measure(
    args: &LimitArgs,
    context: &Context,
    ground: &Ground,
    group: &LimitGroup,
    limit: &CgroupLimit,
    stop: &Stop,
) -> Result<LimitMeasured, Failure> {
    let store = Store::open(&context.state_dir)?;
    let shape = Shape::of(limit, args.runtime);
    // Under version 2 it matters whose a file is.
    let entrances = match limit.version {
        2 => group.entrances()?,
        _ => Vec::new(),
    };
    group.lift(&ground.device, limit)?;
    let own = ground.make_file(0, shape.bytes, entrances, stop)?;
    group.set_again(&ground.device, limit)?;
    let all: &[IoWay] = match (limit.is_on_reads(), limit.version) {
        (true, _) => &[IoWay::Direct, IoWay::Buffered, IoWay::Mmap],
        (false, 2) => &[
            IoWay::Direct,
            IoWay::Buffered,
            IoWay::Fsync,
            IoWay::Mmap,
            IoWay::Foreign,
        ],
        (false, _) => &[IoWay::Direct, IoWay::Buffered, IoWay::Fsync, IoWay::Mmap],
    };
    let mut ways = Vec::new();
    for way in all {
        if stop.is_asked() {
            break;
        }
        let (file, bytes) = match way {
            IoWay::Foreign => ground.make_file(0, shape.bytes, Vec::new(), stop)?,
            _ => own.clone(),
        };
        let measured = OneWay {
            args,
            ground,
            group,
            limit,
            way: *way,
            stop,
            file,
            shape: Shape { bytes, ..shape },
        };
        let measured = measured.measure(&store)?;
        // What was cut short says nothing of the limit.
        if stop.is_asked() {
            break;
        }
        context.out.note(limit_view::progress(&measured, limit));
        ways.push(measured);
    }
    Ok(LimitMeasured {
        limit: limit.clone(),
        ways,
    })
}

/// One way under one limit.
struct OneWay<'a> {
    args: &'a LimitArgs,
    ground: &'a Ground,
    group: &'a LimitGroup,
    limit: &'a CgroupLimit,
    way: IoWay,
    stop: &'a Stop,
    file: PathBuf,
    shape: Shape,
}

impl OneWay<'_> {
    fn measure(&self, store: &Store) -> Result<LimitedWay, Failure> {
        let device = &self.ground.device;
        let words = self.words();
        let mut counters = DeviceCounters::open(&host::Host::live(), &device.name)?;
        let is_read = self.limit.is_on_reads();
        let device_before = device_moved(&mut counters, is_read)?;
        let charged_before = self.group.charged(device, is_read);
        let file = self.ground.given(&self.file)?;
        let mut programs = [program::start(file, &words, self.group.entrances()?)?];
        let mut dirty_peak = self.group.dirty_bytes();
        let mut ending = program::Ending::new(self.stop);
        while ending.goes_on(&mut programs)? {
            clock::sleep_ms(LOOK_MS);
            dirty_peak = dirty_peak.max(self.group.dirty_bytes());
        }
        let [mut child] = programs;
        let (record, load) = program::record(&mut child)?;
        let (drain_ms, is_written_back, device_now, charged_now) =
            self.drain(&mut counters, &mut dirty_peak)?;
        let side = if is_read { &load.read } else { &load.write };
        let mut measured = LimitedWay {
            way: self.way,
            file_bytes: self.shape.bytes,
            program: Moved {
                bytes: side.bytes,
                ios: side.ios,
            },
            program_ms: load.elapsed_ms,
            device: device_now.since(device_before),
            charged: charged_now
                .zip(charged_before.or(Some(Moved::default())))
                .map(|(now, before)| now.since(before)),
            device_ms: load.elapsed_ms + drain_ms,
            is_written_back,
            dirty_peak_bytes: dirty_peak,
            longest_ms: longest_ms(&load),
            effect: LimitEffect::NotReached,
            record: program::keep(store, &record)?,
        };
        let one = if self.limit.is_in_bytes() {
            self.shape.bs
        } else {
            1
        };
        measured.effect = measured.effect_of(self.limit, one);
        Ok(measured)
    }

    /// The job in fio's words.
    fn words(&self) -> Vec<String> {
        let Shape { bs, bytes } = self.shape;
        let direction = if self.limit.is_on_reads() {
            "read"
        } else {
            "write"
        };
        let order = if self.limit.is_in_bytes() { "" } else { "rand" };
        let engine = if self.way == IoWay::Mmap {
            "mmap"
        } else {
            "psync"
        };
        let mut words = vec![
            format!("-rw={order}{direction}"),
            format!("-bs={bs}"),
            format!("-size={bytes}"),
            format!("-ioengine={engine}"),
            format!("-direct={}", u8::from(self.way == IoWay::Direct)),
            format!("-runtime={}ms", self.args.runtime),
            "-time_based".into(),
        ];
        // To drop dirty pages from the cache is to begin to write them, in the name of the group.
        if !self.limit.is_on_reads() {
            words.push("-invalidate=0".into());
        }
        if self.way == IoWay::Fsync {
            words.push(format!("-fsync={SYNC_EVERY}"));
        }
        words
    }

    /// Waits until what the program wrote is on the device, not much longer than it ran; counts then, and writes the rest
    /// without the limit. Gives how long it waited, whether all was written, and what device and group have moved.
    fn drain(
        &self,
        counters: &mut DeviceCounters,
        dirty_peak: &mut Option<u64>,
    ) -> Result<(f64, bool, Moved, Option<Moved>), Failure> {
        let device = &self.ground.device;
        let begun_ns = clock::monotonic_ns();
        let waited_ms = || (clock::monotonic_ns() - begun_ns) as f64 / 1e6;
        let patience_ms = self.args.runtime as f64 + 1000.0;
        let is_read = self.limit.is_on_reads();
        let writing = self.ground.write_back(0)?;
        while !writing.is_finished() && waited_ms() < patience_ms && !self.stop.is_asked() {
            clock::sleep_ms(LOOK_MS / 10);
            *dirty_peak = (*dirty_peak).max(self.group.dirty_bytes());
        }
        let is_written_back = writing.is_finished();
        let told = (
            waited_ms(),
            is_written_back,
            device_moved(counters, is_read)?,
            self.group.charged(device, is_read),
        );
        if !is_written_back {
            self.group.lift(device, self.limit)?;
            // The thread ends with the kernel's call; its result was not asked for.
            let _ = writing.join();
            self.group.set_again(device, self.limit)?;
        }
        Ok(told)
    }
}

/// What a device has moved so far in one direction.
pub fn device_moved(counters: &mut DeviceCounters, is_read: bool) -> Result<Moved, Failure> {
    let now = counters.read()?;
    Ok(match is_read {
        true => Moved {
            bytes: now.read_sectors * SECTOR,
            ios: now.read_ios,
        },
        false => Moved {
            bytes: now.write_sectors * SECTOR,
            ios: now.write_ios,
        },
    })
}

/// The longest that an I/O or a sync took.
fn longest_ms(load: &LoadResult) -> f64 {
    let all = [&load.read, &load.write, &load.sync];
    let longest = all.iter().filter_map(|side| side.latency.quantile_ns(1.0));
    longest.max().unwrap_or(0) as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_files_fit_the_limit() {
        let limit = |what: &str, limit| CgroupLimit {
            what: what.into(),
            limit,
            ..CgroupLimit::default()
        };
        let shape = |limit: CgroupLimit| {
            let shape = Shape::of(&limit, 5000);
            (shape.bs, shape.bytes)
        };
        assert_eq!(shape(limit("wbps", 10 << 20)), (512 << 10, 200 << 20));
        assert_eq!(shape(limit("rbps", 1 << 40)), (1 << 20, 1 << 30));
        assert_eq!(shape(limit("wbps", 1000)), (4 << 10, 32 << 20));
        assert_eq!(shape(limit("riops", 500)), (4 << 10, 500 * 4096 * 20));
        assert_eq!(shape(limit("riops", u64::MAX)), (4 << 10, 1 << 30));
    }
}
