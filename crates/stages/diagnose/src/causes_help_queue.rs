//! What the causes about queues, read-ahead and dirty pages share: who governs, and what the short loads say about it.

use super::Scene;
use super::medium::Medium;
use model::check::{Probe, Role};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind, Owner, Setting};
use model::layers::Span;

/// No platter answers a read that reaches it faster than this, us: half a turn at 15,000 rpm is 2,000.
const FAST_US: f64 = 1000.0;

/// The chosen word or value of a setting of a layer.
pub fn chosen<'a>(layer: &'a Layer, name: &str) -> Option<&'a str> {
    layer.setting(name)?.chosen()
}

/// A setting of a layer that is a number.
pub fn number(layer: &Layer, name: &str) -> Option<f64> {
    layer.setting(name)?.number()
}

/// The scheduler of a queue, `none` included.
pub fn scheduler(layer: &Layer) -> Option<&str> {
    chosen(layer, "scheduler")
}

/// What took the place of a scheduler of the single-queue block layer, which went with Linux 5.0.
pub fn successor(word: &str) -> Option<&'static str> {
    match word {
        "noop" => Some("none"),
        "deadline" => Some("mq-deadline"),
        "cfq" => Some("bfq"),
        _ => None,
    }
}

/// Whether the kernel takes it for a spinning disk.
pub fn rotational(layer: &Layer) -> Option<bool> {
    let word = layer
        .fact("rotational")
        .or_else(|| chosen(layer, "rotational"))?;
    Some(word == "1")
}

/// Whether it answers as no platter can: known for flash, or measured at depth 1.
pub fn is_fast(scene: &Scene<'_>, layer: &Layer) -> bool {
    let measured = scene
        .probe(Role::Latency)
        .and_then(|probe| probe.percentile_us(0.5));
    rotational(layer) == Some(false) || measured.is_some_and(|us| us < FAST_US)
}

/// A spinning disk on a cable of this machine. What a hypervisor or a controller shows as spinning need not be one.
pub fn is_spinning(scene: &Scene<'_>, layer: &Layer) -> bool {
    let hidden =
        layer.fact("raid_volume") == Some("yes") || layer.fact("raid_controller").is_some();
    let spins = layer.kind == LayerKind::Disk && scene.medium_of(layer) == Some(Medium::Rotational);
    spins && !hidden && scene.path.machine_fact("hypervisor").is_none()
}

/// How many requests a queue passes on at once; 32 (SATA) where it does not say.
pub fn room(layer: &Layer) -> f64 {
    let tags = layer
        .queues
        .iter()
        .filter_map(|queue| queue.nr_tags)
        .min()
        .map(|tags| tags as f64);
    number(layer, "queue_depth").or(tags).unwrap_or(32.0)
}

/// The largest share of an I/O's time that passed in a span, over the loads that the device had room for: in deeper ones
/// requests wait in any queue, whoever keeps it. With it the load. None where nothing was traced.
pub fn share_of<'a>(scene: &Scene<'a>, layer: &Layer, spans: &[Span]) -> Option<(f64, &'a Probe)> {
    let fits = |probe: &&Probe| f64::from(probe.load.depth.max(1)) <= room(layer);
    let shares = scene.probes.iter().filter(fits).filter_map(|probe| {
        let us = |span: Span| probe.span_us(&layer.name, span);
        let parts = [Span::Q2G, Span::G2I, Span::I2D, Span::G2D, Span::D2C]
            .into_iter()
            .filter_map(us);
        let whole = us(Span::Q2C).unwrap_or_else(|| parts.sum());
        let part: f64 = spans.iter().filter_map(|span| us(*span)).sum();
        (whole > 0.0).then_some((part / whole, probe))
    });
    shares.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// A field over all disks of the path.
pub fn of_disks(scene: &Scene<'_>, frame: &Frame, id: &str) -> Option<f64> {
    let values = scene
        .disks()
        .into_iter()
        .filter_map(|disk| frame.get(id, &disk.name));
    values.reduce(|one, other| one + other)
}

/// Bytes a second of one stream, and of several together.
pub fn streams(scene: &Scene<'_>) -> Option<(f64, f64)> {
    let rate = |role| Some(scene.probe(role)?.bytes_per_s()).filter(|rate| *rate > 0.0);
    Some((rate(Role::Stream)?, rate(Role::Streams)?))
}

/// The read-ahead that acts on the target, with the layer that has it: of the file system's own bdi, else of the first
/// queue from the top.
pub fn read_ahead<'a>(scene: &Scene<'a>) -> Option<(&'a Layer, &'a Setting)> {
    let of_bdi = |layer: &'a Layer| Some((layer, layer.setting("bdi/read_ahead_kb")?));
    let of_queue = |layer: &'a Layer| Some((layer, layer.setting("read_ahead_kb")?));
    let layers = scene.layers();
    layers
        .iter()
        .copied()
        .find_map(of_bdi)
        .or_else(|| of_queue(scene.path.queue_device()?))
}

/// How many bytes the disks read for each that the random buffered load got: as the kernel counts them for the load, else all that
/// the disks read less what others read before.
pub fn amplification(scene: &Scene<'_>) -> Option<f64> {
    let probe = scene.probe(Role::BufferedRandom)?;
    let fetched = probe.tasks.as_ref().and_then(|tasks| tasks.fetched_bytes);
    if let Some(bytes) = fetched.filter(|_| probe.load.read.bytes > 0) {
        return Some(bytes as f64 / probe.load.read.bytes as f64);
    }
    let others = scene
        .idle()
        .and_then(|frame| of_disks(scene, frame, "disk.read_bytes_per_s"));
    let read = of_disks(scene, &probe.frame, "disk.read_bytes_per_s")? - others.unwrap_or(0.0);
    let got = probe.bytes_per_s();
    (got > 0.0).then(|| read.max(0.0) / got)
}

/// The part of the rate of direct random reads, one at a time, that buffered ones do not reach; 0 where that is not known.
pub fn slower_than_direct(scene: &Scene<'_>) -> f64 {
    let of = |role| {
        scene
            .probe(role)
            .map(Probe::iops)
            .filter(|rate| *rate > 0.0)
    };
    let rates = of(Role::BufferedRandom).zip(of(Role::Latency));
    rates.map_or(0.0, |(buffered, direct)| (1.0 - buffered / direct).max(0.0))
}

/// Whether a mount has an option, word for word.
pub fn mounted_with(layer: &Layer, option: &str) -> bool {
    let has = |name: &str| {
        layer
            .fact(name)
            .is_some_and(|words| words.split(',').any(|one| one == option))
    };
    has("options") || has("super_options")
}

/// Two spellings of one limit each: writing one sets the other to 0.
pub const DIRTY_PAIRS: [(&str, &str); 2] = [
    ("vm.dirty_ratio", "vm.dirty_bytes"),
    ("vm.dirty_background_ratio", "vm.dirty_background_bytes"),
];

/// The most that may be dirty before every writer waits, bytes: as the kernel figured it, else as it was configured.
pub fn dirty_limit(scene: &Scene<'_>) -> Option<f64> {
    let seen = scene
        .frames()
        .find_map(|(_, frame)| frame.get("memory.dirty_threshold_bytes", ""));
    let set = |name: &str| {
        scene
            .path
            .machine_setting(name)
            .and_then(Setting::number)
            .filter(|set| *set > 0.0)
    };
    let share = || Some(set("vm.dirty_ratio")? / 100.0 * scene.memory_bytes()?);
    set("vm.dirty_bytes").or(seen).or_else(share)
}

/// From this ratio on a limit of dirty pages is worth a remark of its own, percent: twice the kernel's default.
const HIGH_RATIO: f64 = 40.0;

/// `vm.dirty_ratio` where it holds and is high, percent.
pub fn high_dirty_ratio(scene: &Scene<'_>) -> Option<f64> {
    let set = |name: &str| scene.path.machine_setting(name).and_then(Setting::number);
    let has_bytes = set("vm.dirty_bytes").is_some_and(|bytes| bytes > 0.0);
    set("vm.dirty_ratio").filter(|ratio| *ratio >= HIGH_RATIO && !has_bytes)
}

/// Below this share of direct writes something holds buffered ones back.
pub const BUFFERED_SLOW: f64 = 0.7;
/// From this share on nothing does.
pub const BUFFERED_FINE: f64 = 0.9;

/// The share of the direct write load's rate that the buffered one reached; none without both.
pub fn buffered_share(scene: &Scene<'_>) -> Option<f64> {
    let rate = |role| {
        scene
            .probe(role)
            .map(Probe::bytes_per_s)
            .filter(|rate| *rate > 0.0)
    };
    Some(rate(Role::BufferedWrite)? / rate(Role::WriteStream)?)
}

/// Bytes a second that the disks write: of the sequential direct load, else what the kernel believes of them.
pub fn write_rate(scene: &Scene<'_>) -> Option<f64> {
    let measured = scene
        .probe(Role::WriteStream)
        .map(Probe::bytes_per_s)
        .filter(|rate| *rate > 0.0);
    let believed = || {
        let mut frames = scene.frames();
        frames.find_map(|(_, frame)| {
            scene.layers().into_iter().find_map(|layer| {
                frame
                    .get("bdi.write_bandwidth_bytes_per_s", &layer.name)
                    .filter(|rate| *rate > 0.0)
            })
        })
    };
    measured.or_else(believed)
}

/// The owners that are neither the kernel nor its drivers: files and daemons that somebody wrote or installed.
pub fn configured(setting: &Setting) -> impl Iterator<Item = &Owner> {
    setting
        .owners
        .iter()
        .filter(|owner| owner.wants.is_some() && !matches!(&*owner.kind, "kernel" | "driver"))
}
