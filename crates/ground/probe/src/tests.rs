//! The programs on real devices: a loop device under each scheduler, and zram.
#![allow(
    clippy::disallowed_methods,
    reason = "a test makes devices and loads them by itself"
)]

mod events;
mod sleeps;

use crate::{Layers, ProbeError, ProbedDevice, Strength};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

/// One device at a time: the counts are exact.
static TURN: Mutex<()> = Mutex::new(());
const BLOCK: usize = 4096;
const MIB: u64 = 1 << 20;

/// A loop device with direct I/O over a written file; taken down when dropped.
struct Loop {
    device: ProbedDevice,
    path: PathBuf,
    scheduler: String,
    file: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Loop {
    /// None, with the reason printed, where this machine cannot have one.
    fn new(scheduler: &str) -> Option<Loop> {
        let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !host::rights::is_root() {
            skip::missing("root", "a loop device needs root");
            return None;
        }
        let unique = host::clock::monotonic_ns();
        let file = PathBuf::from(format!(
            "{}/../../../target/tmp",
            env!("CARGO_MANIFEST_DIR")
        ));
        std::fs::create_dir_all(&file).unwrap();
        let file = file.join(format!("layers-{}-{unique}", std::process::id()));
        std::fs::write(&file, vec![0x5a; 64 << 20]).unwrap();
        File::open(&file).unwrap().sync_all().unwrap();
        let arguments = ["--direct-io=on", "-f", "--show"];
        let output = Command::new("losetup").args(arguments).arg(&file).output();
        let path = output
            .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string())
            .unwrap_or_default();
        if path.is_empty() {
            let _ = std::fs::remove_file(&file);
            skip::missing("loop", "this machine gives no loop device");
            return None;
        }
        let device = device(path.trim_start_matches("/dev/"));
        let before = chosen(&device.name);
        let disk = Loop {
            device,
            path: path.into(),
            scheduler: before,
            file,
            _turn: turn,
        };
        if std::fs::write(setting(&disk.device.name), scheduler).is_err() {
            skip::missing(
                &format!("kernel:{scheduler}"),
                format!("this kernel has no {scheduler}"),
            );
            return None;
        }
        Some(disk)
    }

    fn open(&self, flags: i32) -> File {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(&self.path)
            .unwrap()
    }

    /// Reads blocks with direct I/O from so many threads, each its own share.
    fn read_blocks(&self, threads: u64, each: u64) {
        read_blocks(&self.path, threads, each);
    }
}

/// Reads blocks of a device of 64 MiB.
fn read_blocks(path: &Path, threads: u64, each: u64) {
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let file = OpenOptions::new()
                    .read(true)
                    .custom_flags(libc::O_DIRECT)
                    .open(path)
                    .unwrap();
                let mut buffer = Aligned::new();
                for index in 0..each {
                    let block = (index * 7919 + thread * 104_729) % (64 * MIB / BLOCK as u64);
                    file.read_exact_at(buffer.block(), block * BLOCK as u64)
                        .unwrap();
                }
            });
        }
    });
}

/// A loop device over another device; detached when dropped.
struct Above(PathBuf);

impl Above {
    fn new(below: &Path) -> Option<Above> {
        let output = Command::new("losetup")
            .args(["--direct-io=on", "-f", "--show"])
            .arg(below)
            .output()
            .ok()?;
        let path = String::from_utf8_lossy(&output.stdout).trim().to_string();
        (!path.is_empty()).then(|| Above(path.into()))
    }
}

impl Drop for Above {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = std::fs::write(setting(&self.device.name), &self.scheduler);
        let _ = Command::new("losetup").arg("-d").arg(&self.path).status();
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A buffer that direct I/O takes.
struct Aligned(Vec<u8>);

impl Aligned {
    fn new() -> Aligned {
        Aligned(vec![0x77; 2 * BLOCK])
    }

    fn block(&mut self) -> &mut [u8] {
        let offset = self.0.as_ptr().align_offset(BLOCK);
        &mut self.0[offset..offset + BLOCK]
    }
}

fn setting(name: &str) -> String {
    format!("/sys/block/{name}/queue/scheduler")
}

fn chosen(name: &str) -> String {
    let text = std::fs::read_to_string(setting(name)).unwrap_or_default();
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("none", |(word, _)| word)
        .to_string()
}

fn device(name: &str) -> ProbedDevice {
    let text = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
    let (major, minor) = text.trim().split_once(':').unwrap();
    ProbedDevice {
        major: major.parse().unwrap(),
        minor: minor.parse().unwrap(),
        name: name.to_string(),
    }
}

/// Notes why nothing is traced here: a right is missing, or the kernel cannot.
#[track_caller]
pub(crate) fn cannot_trace(error: &ProbeError) {
    let is_refused = matches!(error, ProbeError::NotPermitted { .. });
    let need = if is_refused {
        "trace"
    } else {
        "kernel:tracing"
    };
    skip::missing(need, error);
}

/// None, with the reason noted, where this machine does not let us.
fn attach(devices: &[ProbedDevice], strength: Strength) -> Option<Layers> {
    match Layers::attach(devices, strength) {
        Ok(layers) => Some(layers),
        Err(error @ (ProbeError::NoBtf { .. } | ProbeError::NotPermitted { .. })) => {
            cannot_trace(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn total(device: &DeviceLayers, side: LayerSide, span: Span) -> u64 {
    device.times(side, span).map_or(0, |times| times.total())
}

fn mean(device: &DeviceLayers, side: LayerSide, span: Span) -> f64 {
    device
        .times(side, span)
        .and_then(|times| times.mean_ns())
        .unwrap_or(0.0)
}

/// What was counted, once completions of the load's last I/Os have been seen too.
fn settled(layers: &Layers) -> LayerTimes {
    // The first device is the test's own: it is quiet when all completions have been seen.
    let quiet = |times: &LayerTimes| format!("{:?}", times.devices[0]);
    let mut last = layers.read().unwrap();
    for _ in 0..500 {
        host::clock::sleep_ms(20);
        let now = layers.read().unwrap();
        if quiet(&now) == quiet(&last) {
            return now;
        }
        last = now;
    }
    panic!("the device does not come to rest: {:?}", last.devices[0]);
}

/// The kernel leaves out a program for an event that interrupts it, and the table of what is under way may have no
/// place: few, and all of them are owned up to.
fn check_unseen(one: &DeviceLayers, seen: u64, ios: u64) {
    assert_eq!(
        seen + one.counter("unseen") + one.counter("dropped"),
        ios,
        "{:?}",
        one.counters
    );
    // How many those are is the machine's affair.
    let is_little = one.counter("dropped") * 100 <= ios && one.counter("unseen") * 10 <= ios;
    skip::measured(
        skip::Outcome::right_if(is_little),
        format!("{:?}", one.counters),
    );
}

#[test]
#[ignore = "live"]
fn every_io_is_counted_and_its_layers_add_up_under_each_scheduler() {
    for scheduler in ["none", "mq-deadline", "kyber", "bfq"] {
        let Some(disk) = Loop::new(scheduler) else {
            continue;
        };
        let Some(layers) = attach(std::slice::from_ref(&disk.device), Strength::Full) else {
            return;
        };
        let ios = 4 * 1_000;
        disk.read_blocks(4, 1_000);
        let read = settled(&layers);
        let one = &read.devices[0];
        let count = |span| total(one, LayerSide::Read, span);
        assert_eq!(one.counter("queued"), ios, "{scheduler}");
        assert!(
            one.counter("issued").abs_diff(ios) * 50 <= ios,
            "{scheduler}: {:?}",
            one.counters
        );
        check_unseen(one, count(Span::Q2C), ios);
        for other in [
            "dropped",
            "unmatched",
            "merged",
            "split",
            "errored",
            "backwards",
        ] {
            assert_eq!(one.counter(other), 0, "{scheduler}: {other}");
        }
        let (seen, lacking) = match scheduler {
            "none" => (
                vec![Span::Q2G, Span::G2D, Span::D2C],
                vec![Span::G2I, Span::I2D, Span::G2C],
            ),
            _ => (
                vec![Span::Q2G, Span::G2I, Span::I2D, Span::D2C],
                vec![Span::G2D, Span::G2C],
            ),
        };
        let is_whole = |span: &Span| count(*span).abs_diff(count(Span::Q2C)) * 50 <= ios;
        assert!(
            seen.iter().all(is_whole),
            "{scheduler}: {:?}",
            seen.iter().map(|span| count(*span)).collect::<Vec<_>>()
        );
        assert!(
            lacking
                .iter()
                .all(|span| one.times(LayerSide::Read, *span).is_none()),
            "{scheduler}"
        );
        let parts: f64 = seen
            .iter()
            .map(|span| mean(one, LayerSide::Read, *span))
            .sum();
        let whole = mean(one, LayerSide::Read, Span::Q2C);
        assert!(
            (parts / whole - 1.0).abs() < 0.02,
            "{scheduler}: the layers sum to {parts} of {whole} ns"
        );
    }
}

#[test]
#[ignore = "live"]
fn the_lite_strength_counts_the_same_requests() {
    let Some(disk) = Loop::new("mq-deadline") else {
        return;
    };
    let Some(layers) = attach(std::slice::from_ref(&disk.device), Strength::Lite) else {
        return;
    };
    disk.read_blocks(4, 1_000);
    let read = settled(&layers);
    let one = &read.devices[0];
    check_unseen(one, total(one, LayerSide::Read, Span::G2C), 4_000);
    assert!(one.times(LayerSide::Read, Span::Q2C).is_none());
    if let Some(d2c) = one
        .times(LayerSide::Read, Span::D2C)
        .and_then(|times| times.mean_ns())
    {
        assert!(d2c <= mean(one, LayerSide::Read, Span::G2C));
    }
}

#[test]
#[ignore = "live"]
fn the_device_below_has_layers_of_its_own() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let path = File::open(&disk.file).unwrap();
    let below = std::os::unix::fs::MetadataExt::dev(&path.metadata().unwrap());
    let number = format!("{}:{}", libc::major(below), libc::minor(below));
    let Some(name) = whole_disk(&number) else {
        skip::missing(
            "disk",
            format!("the backing file is on {number}, which is no disk"),
        );
        return;
    };
    let devices = [disk.device.clone(), device(&name)];
    let Some(layers) = attach(&devices, Strength::Full) else {
        return;
    };
    disk.read_blocks(4, 500);
    let read = settled(&layers);
    let (upper, lower) = (&read.devices[0], &read.devices[1]);
    assert_eq!(upper.counter("queued"), 2_000);
    assert!(
        lower.counter("queued") >= 2_000,
        "the disk below got them too: {:?}",
        lower.counters
    );
    assert!(
        total(lower, LayerSide::Read, Span::Q2C) > 0,
        "and they took time there: {:?}",
        lower.counters
    );
}

#[test]
#[ignore = "live"]
fn the_time_below_is_part_of_the_time_above() {
    let Some(below) = Loop::new("none") else {
        return;
    };
    // Of a disk that others use, the times are those of everybody; this stack is ours alone.
    let Some(above) = Above::new(&below.path) else {
        skip::missing("loop", "this machine gives no second loop device");
        return;
    };
    let devices = [
        device(above.0.to_string_lossy().trim_start_matches("/dev/")),
        below.device.clone(),
    ];
    let Some(layers) = attach(&devices, Strength::Full) else {
        return;
    };
    read_blocks(&above.0, 4, 500);
    let read = settled(&layers);
    let (upper, lower) = (&read.devices[0], &read.devices[1]);
    check_unseen(
        upper,
        total(upper, LayerSide::Read, Span::Q2C),
        upper.counter("queued"),
    );
    check_unseen(
        lower,
        total(lower, LayerSide::Read, Span::Q2C),
        lower.counter("queued"),
    );
    assert!(
        upper.counter("queued") >= 2_000 && lower.counter("queued") >= 2_000,
        "{:?}",
        lower.counters
    );
    // Each I/O took longer above than below, so that the medians differ likewise, were all of them seen; up to a tenth
    // may not have been, in either place.
    let at = |one: &DeviceLayers, share| {
        one.times(LayerSide::Read, Span::Q2C)
            .and_then(|times| times.quantile_ns(share))
            .unwrap()
    };
    let (inside, outside) = (at(lower, 0.4), at(upper, 0.6));
    assert!(inside < outside, "{inside} ns below, {outside} ns above");
}

/// The disk of a device number; of a partition, the disk it is on.
fn whole_disk(number: &str) -> Option<String> {
    let link = std::fs::canonicalize(format!("/sys/dev/block/{number}")).ok()?;
    let whole = if link.join("partition").exists() {
        link.parent()?.to_path_buf()
    } else {
        link
    };
    Some(whole.file_name()?.to_string_lossy().into_owned())
}

#[test]
#[ignore = "live"]
fn buffered_writes_merge_and_end_with_a_flush() {
    let Some(disk) = Loop::new("mq-deadline") else {
        return;
    };
    let Some(layers) = attach(std::slice::from_ref(&disk.device), Strength::Full) else {
        return;
    };
    let file = disk.open(0);
    let data = vec![0x33; MIB as usize];
    (0..16).for_each(|index| file.write_all_at(&data, index * MIB).unwrap());
    file.sync_all().unwrap();
    let read = settled(&layers);
    let one = &read.devices[0];
    let (writes, requests) = (
        total(one, LayerSide::Write, Span::Q2C),
        total(one, LayerSide::Write, Span::D2C),
    );
    assert!(writes > 0 && requests > 0, "{:?}", one.counters);
    // A request whose first bio found no place in the table is completed without its times.
    let lost = one.counter("dropped") + one.counter("unseen");
    let joined = requests + one.counter("merged");
    assert!(
        writes.abs_diff(joined) <= lost,
        "each bio had a request or joined one: {:?}",
        one.counters
    );
    let flushes = one
        .times(LayerSide::Flush, Span::Q2C)
        .map_or(0, |times| times.total());
    assert!(flushes >= 1, "{:?}", one.counters);
    assert!(
        one.times(LayerSide::Flush, Span::D2C).is_some(),
        "the flush itself was issued"
    );
    assert!(
        one.times(LayerSide::Flush, Span::I2D).is_none(),
        "a flush does not pass the scheduler"
    );
    let queued = one.counter("queued") + one.counter("split");
    check_unseen(
        one,
        LayerSide::ALL
            .iter()
            .map(|side| total(one, *side, Span::Q2C))
            .sum(),
        queued,
    );
}

#[test]
#[ignore = "live"]
fn a_discard_is_a_direction_and_a_large_one_is_split() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let Some(layers) = attach(std::slice::from_ref(&disk.device), Strength::Full) else {
        return;
    };
    let limit = std::fs::read_to_string(format!(
        "/sys/block/{}/queue/discard_max_bytes",
        disk.device.name
    ));
    let limit_path = format!("/sys/block/{}/queue/discard_max_bytes", disk.device.name);
    // Half a MiB at once, so that 2 MiB take four requests.
    let limited = std::fs::write(&limit_path, "524288").is_ok();
    let output = Command::new("blkdiscard")
        .args(["-o", "0", "-l", "2097152"])
        .arg(&disk.path)
        .output();
    if let (true, Ok(limit)) = (limited, limit) {
        let _ = std::fs::write(&limit_path, limit.trim());
    }
    match output {
        Ok(output) if output.status.success() => {}
        Ok(_) => return skip::missing("kernel:loop-discard", "this loop device takes no discard"),
        Err(error) => return skip::missing("blkdiscard", error),
    }
    let read = settled(&layers);
    let one = &read.devices[0];
    let done = total(one, LayerSide::Discard, Span::Q2C);
    assert!(
        done >= if limited { 4 } else { 1 },
        "{done}: {:?}",
        one.counters
    );
}

#[test]
#[ignore = "live"]
fn a_large_read_is_split_and_its_parts_add_up() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let limit = format!("/sys/block/{}/queue/max_sectors_kb", disk.device.name);
    let before = std::fs::read_to_string(&limit).unwrap();
    std::fs::write(&limit, "64").unwrap();
    let layers = attach(std::slice::from_ref(&disk.device), Strength::Full);
    let file = disk.open(libc::O_DIRECT);
    let mut buffer = vec![0u8; (MIB as usize) + BLOCK];
    let offset = buffer.as_ptr().align_offset(BLOCK);
    for index in 0..32 {
        file.read_exact_at(&mut buffer[offset..offset + MIB as usize], index * MIB)
            .unwrap();
    }
    std::fs::write(&limit, before.trim()).unwrap();
    let Some(layers) = layers else { return };
    let read = settled(&layers);
    let one = &read.devices[0];
    let parts = one.counter("queued") + one.counter("split");
    assert!(one.counter("split") > 0, "{:?}", one.counters);
    assert!(
        parts >= 32 * 16,
        "1 MiB in parts of at most 64 KiB: {:?}",
        one.counters
    );
    check_unseen(one, total(one, LayerSide::Read, Span::Q2C), parts);
}

#[test]
#[ignore = "live"]
fn what_was_in_flight_when_the_programs_came_is_owned_up_to() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let done = std::sync::atomic::AtomicU64::new(0);
    let load = || {
        let (file, mut buffer) = (disk.open(libc::O_DIRECT), Aligned::new());
        let mut block = 0u64;
        while !stop.load(std::sync::atomic::Ordering::Relaxed) {
            block = (block * 7919 + 13) % 16_000;
            file.read_exact_at(buffer.block(), block * BLOCK as u64)
                .unwrap();
            done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    // However long the disk takes for so many; only a defect takes two minutes.
    let wait_for = |more: u64| {
        let wanted = done.load(std::sync::atomic::Ordering::Relaxed) + more;
        let deadline_ns = host::clock::monotonic_ns() + 120_000_000_000;
        while done.load(std::sync::atomic::Ordering::Relaxed) < wanted {
            if host::clock::monotonic_ns() > deadline_ns {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("the load stands still");
            }
            host::clock::sleep_ms(2);
        }
    };
    std::thread::scope(|scope| {
        (0..8).for_each(|_| drop(scope.spawn(load)));
        wait_for(100);
        let layers = attach(std::slice::from_ref(&disk.device), Strength::Full);
        wait_for(2_000);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let Some(layers) = layers else { return };
        let read = settled(&layers);
        let one = &read.devices[0];
        // The completions' program is there first: all I/Os until the last program was there count as older.
        assert!(one.counter("at_attach") >= 1, "{:?}", one.counters);
        assert!(
            one.counter("unmatched") * 20 <= one.counter("queued"),
            "{:?}",
            one.counters
        );
        check_unseen(
            one,
            total(one, LayerSide::Read, Span::Q2C),
            one.counter("queued"),
        );
    });
}

#[test]
fn a_failed_write_is_counted_as_an_error() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let Some(layers) = attach(std::slice::from_ref(&disk.device), Strength::Full) else {
        return;
    };
    // The device keeps its size while the file behind it gets shorter: reads beyond the end fail.
    OpenOptions::new()
        .write(true)
        .open(&disk.file)
        .unwrap()
        .set_len(4 * MIB)
        .unwrap();
    let (file, mut buffer) = (disk.open(libc::O_DIRECT), Aligned::new());
    let failed = file.read_exact_at(buffer.block(), 32 * MIB).is_err();
    let read = settled(&layers);
    let errors = read.devices[0].counter("errored");
    match failed {
        true => assert!(errors >= 1, "{:?}", read.devices[0].counters),
        false => skip::missing(
            "kernel:loop-errors",
            "this kernel's loop device reads zeroes beyond the end of its file",
        ),
    }
}

#[test]
fn a_device_without_requests_has_one_layer_only() {
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let idle =
        std::fs::read_to_string("/sys/block/zram0/disksize").is_ok_and(|text| text.trim() == "0");
    if !host::rights::is_root() {
        return skip::missing("root", "only root can set up a zram device");
    }
    if !idle {
        return skip::missing("kernel:zram", "there is no unused zram device");
    }
    std::fs::write("/sys/block/zram0/disksize", (16 * MIB).to_string()).unwrap();
    let layers = attach(&[device("zram0")], Strength::Full);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_DIRECT)
        .open("/dev/zram0")
        .unwrap();
    let mut buffer = Aligned::new();
    for index in 0..100 {
        file.write_all_at(buffer.block(), index * BLOCK as u64)
            .unwrap();
        file.read_exact_at(buffer.block(), index * BLOCK as u64)
            .unwrap();
    }
    let read = layers.as_ref().map(settled);
    drop(file);
    std::fs::write("/sys/block/zram0/reset", "1").unwrap();
    drop(turn);
    let Some(read) = read else { return };
    let one = &read.devices[0];
    assert_eq!(
        (
            total(one, LayerSide::Read, Span::Q2C),
            total(one, LayerSide::Write, Span::Q2C)
        ),
        (100, 100)
    );
    assert!(
        one.spans.iter().all(|one| one.span == Span::Q2C),
        "no requests, no other layers: {read:?}"
    );
}

#[test]
fn buckets_in_the_kernel_are_those_of_the_histogram() {
    let dir = host::files::temporary_dir("bucket").unwrap();
    let source = dir.path().join("main.c");
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/bucket.h");
    let main = format!(
        "#include <stdio.h>\n#include \"{header}\"\nint main(void) {{ unsigned long long v; while (scanf(\"%llu\", &v) == 1) printf(\"%u\\n\", bucket_of(v)); return 0; }}\n"
    );
    std::fs::write(&source, main).unwrap();
    let program = dir.path().join("bucket");
    if !Command::new("cc")
        .arg("-O1")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .is_ok_and(|status| status.success())
    {
        skip::missing("cc", "there is no C compiler");
        return;
    }
    let mut values: Vec<u64> = (0..64)
        .flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1])
        .collect();
    values.extend((0..model::histogram::BUCKETS).map(model::histogram::value_of));
    values.push(u64::MAX);
    let input = dir.path().join("in");
    std::fs::write(
        &input,
        values
            .iter()
            .map(|value| format!("{value}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let output = Command::new(&program)
        .stdin(File::open(&input).unwrap())
        .output()
        .unwrap();
    let found: Vec<usize> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert_eq!(
        found,
        values
            .iter()
            .map(|value| model::histogram::bucket_of(*value))
            .collect::<Vec<_>>()
    );
}
