//! Defaults of a device's request queue and of its scheduler.

use super::{Kernel, always, because};
use kernel::choice;
use model::iopath::{KernelDefault, Layer, LayerKind};

/// Tunables of the schedulers (block/mq-deadline.c, bfq-iosched.c, kyber-iosched.c; cfq-iosched.c and
/// deadline-iosched.c before 5.0). Times of bfq and cfq are whole ticks and depend on the tick, so they are not here.
const TUNABLES: &[(&str, &str, &str)] = &[
    ("deadline", "read_expire", "500"),
    ("deadline", "write_expire", "5000"),
    ("deadline", "writes_starved", "2"),
    ("deadline", "fifo_batch", "16"),
    ("deadline", "front_merges", "1"),
    ("bfq", "slice_idle", "8"),
    ("bfq", "low_latency", "1"),
    ("bfq", "strict_guarantees", "0"),
    ("bfq", "max_budget", "0"),
    ("bfq", "back_seek_max", "16384"),
    ("bfq", "back_seek_penalty", "2"),
    ("kyber", "read_lat_nsec", "2000000"),
    ("kyber", "write_lat_nsec", "10000000"),
    ("cfq", "quantum", "8"),
    ("cfq", "slice_idle", "8"),
    ("cfq", "low_latency", "1"),
];

/// Of a whole device.
pub(super) fn of(layer: &Layer, name: &str, kernel: &Kernel) -> Option<KernelDefault> {
    if let Some(tunable) = name.strip_prefix("iosched/") {
        return of_scheduler(layer, tunable);
    }
    match name {
        "scheduler" => scheduler(layer, kernel),
        "read_ahead_kb" => read_ahead_kb(layer, kernel),
        "nr_requests" if layer.kind == LayerKind::Disk => nr_requests(layer, kernel),
        "max_sectors_kb" if layer.kind == LayerKind::Disk => max_sectors_kb(layer, kernel),
        "wbt_lat_usec" => wbt_lat_usec(layer, kernel),
        "rq_affinity" if has_requests(layer, kernel) => always(1),
        "nomerges" if has_requests(layer, kernel) => always(0),
        "iostats" if has_requests(layer, kernel) => always(1),
        "io_timeout" if is_plain_disk(layer) => always(30000),
        "md/stripe_cache_size" => always(256),
        "md/group_thread_cnt" => always(0),
        "md/preread_bypass_threshold" => always(1),
        // Shown as `1000 (system)` while the system's own numbers count.
        "md/sync_speed_min" => always("1000 (system)"),
        "md/sync_speed_max" => always("200000 (system)"),
        _ => None,
    }
}

fn chosen<'a>(layer: &'a Layer, setting: &str) -> Option<&'a str> {
    layer.setting(setting)?.chosen()
}

fn number(layer: &Layer, setting: &str) -> Option<u64> {
    chosen(layer, setting)?.parse().ok()
}

/// Whether it is a disk whose driver takes requests: RAM disks and the shared heads of NVMe multipath take bios, and have
/// no hardware queues. Old kernels show none of any disk.
fn has_requests(layer: &Layer, kernel: &Kernel) -> bool {
    let is_memory = || {
        layer
            .fact("transport")
            .is_some_and(|way| way.contains("memory"))
    };
    layer.kind == LayerKind::Disk
        && (!layer.queues.is_empty() || kernel.is_before(4, 0) && !is_memory())
}

/// Whether the driver leaves the common limits and times alone.
fn is_plain_disk(layer: &Layer) -> bool {
    let driver = layer.fact("driver").unwrap_or_default();
    let is_known = driver == "virtio_blk"
        || layer.name.starts_with("nvme")
        || layer.fact("transport") == Some("sata");
    layer.kind == LayerKind::Disk && is_known
}

fn of_scheduler(layer: &Layer, tunable: &str) -> Option<KernelDefault> {
    let scheduler = chosen(layer, "scheduler")?;
    let of = |of: &str| of == scheduler || (of == "deadline" && scheduler == "mq-deadline");
    TUNABLES
        .iter()
        .find(|(name, key, _)| of(name) && *key == tunable)
        .and_then(|(.., value)| always(value))
}

/// `elevator_get_default` of block/elevator.c: with one hardware queue, or tags shared by all, mq-deadline; else none.
fn scheduler(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    let knows = |name: &str| {
        let list = layer
            .setting("scheduler")
            .and_then(|setting| setting.value.value())
            .unwrap_or_default();
        choice::offered(list).any(|word| word == name)
    };
    match layer.kind {
        LayerKind::Disk => {}
        // A loop device asks for none since 5.14; a stacked one has no requests to schedule.
        LayerKind::Loop if kernel.is_since(5, 14) => return because("none", "loop device"),
        LayerKind::Stacked | LayerKind::Zram if !knows("mq-deadline") => {
            return because("none", "no requests of its own");
        }
        _ => return None,
    }
    let queues = layer.queues.len();
    if kernel.is_before(4, 0) {
        return legacy(layer, kernel);
    }
    if layer.name.starts_with("nvme") && queues != 1 && kernel.is_since(4, 11) {
        return because("none", "several hardware queues");
    }
    // In between, SCSI could go either way.
    let is_settled = kernel.is_since(5, 0) || kernel.is_red_hat() && kernel.is_since(4, 18);
    if !is_settled || queues == 0 {
        return None;
    }
    match (queues, layer.fact("controller_driver").unwrap_or_default()) {
        (1, _) if knows("mq-deadline") => because("mq-deadline", "one hardware queue"),
        (1, _) => None,
        // Several queues that share their tags count as one where the driver says so, which sysfs does not tell.
        (
            _,
            "megaraid_sas" | "mpt3sas" | "mpi3mr" | "smartpqi" | "hisi_sas_v3_hw" | "hpsa"
            | "aacraid",
        ) => None,
        _ => because("none", "several hardware queues"),
    }
}

/// 3.x: what the distribution built in, and none where there are no requests to schedule.
fn legacy(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    let is_queueless =
        layer.name.starts_with("nvme") || layer.name.starts_with("vd") && !layer.queues.is_empty();
    if is_queueless {
        return because("none", "multi-queue driver, kernel 3.x");
    }
    match (kernel.release.contains(".el7"), layer.fact("transport")) {
        (true, Some("sata")) => because("cfq", "SATA, RHEL 7"),
        (true, Some(_)) => because("deadline", "RHEL 7, but for SATA disks"),
        (false, _) => because("cfq", "kernel 3.x, unless the distribution chose another"),
        _ => None,
    }
}

/// 128 KiB, twice the optimal I/O size where that is more (5.10), twice the largest request on rotational disks that
/// give no optimal size (6.17): block/blk-settings.c, `blk_apply_bdi_limits`.
fn read_ahead_kb(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    let optimal_kib = number(layer, "optimal_io_size").unwrap_or(0) / 1024;
    let rotational = number(layer, "rotational") == Some(1);
    let is_stacked = layer.kind == LayerKind::Stacked;
    if kernel.is_before(5, 10) {
        // Before, arrays set it themselves and LVM set it by its own reckoning.
        return (!is_stacked && kernel.version.is_some())
            .then(|| always(128))
            .flatten();
    }
    kernel.version?;
    if optimal_kib * 2 > 128 {
        return because(
            optimal_kib * 2,
            "twice the optimal I/O size, kernel 5.10 and later",
        );
    }
    if optimal_kib == 0 && rotational && kernel.is_since(6, 17) {
        // It only ever grows: a request size that was raised by hand has raised it too.
        let largest = match is_plain_disk(layer) {
            true => max_sectors_kb(layer, kernel)?.value.parse().ok()?,
            false => number(layer, "max_sectors_kb")?,
        };
        return because(
            largest.saturating_mul(2).max(128),
            "rotational: twice the largest request, kernel 6.17 and later",
        );
    }
    // LVM rounds up to whole stripes where it sets up a volume.
    (!is_stacked || layer.fact("vg").is_none())
        .then(|| always(128))
        .flatten()
}

/// Without a scheduler as many as the driver has tags, else twice that and at most 256 (block/blk-mq-sched.c).
fn nr_requests(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    let tags = layer.queues.iter().filter_map(|queue| queue.nr_tags).min();
    let Some(tags) = tags else {
        return kernel
            .is_before(4, 0)
            .then(|| because(128, "single queue, kernel 3.x"))
            .flatten();
    };
    match chosen(layer, "scheduler")? {
        "none" => because(tags, "the driver's tags, no scheduler"),
        _ if kernel.is_since(4, 12) => {
            because(2 * tags.min(128), "twice the driver's tags, at most 256")
        }
        _ => None,
    }
}

/// The hardware's limit or a common one, whichever is lower: 512 KiB up to 3.18, 1280 KiB from 4.4, 4096 KiB from 6.17
/// (include/linux/blkdev.h, `BLK_DEF_MAX_SECTORS`; commits d2be537c3ba3 and 9b8b84879d4a).
fn max_sectors_kb(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    let hardware = number(layer, "max_hw_sectors_kb")?;
    // A device that gives an optimal size may be given requests of that size: by the SCSI driver, and in newer kernels
    // by the block layer. Older NVMe drivers do not look at it.
    let looks_at_it = !layer.name.starts_with("nvme") || !kernel.is_before(6, 2);
    if !is_plain_disk(layer) || looks_at_it && number(layer, "optimal_io_size").unwrap_or(0) != 0 {
        return None;
    }
    let (cap, since) = if kernel.is_since(6, 17) {
        (4096, "at most 4 MiB, kernel 6.17 and later")
    } else if kernel.is_since(4, 4) {
        (1280, "at most 1280 KiB, kernel 4.4 to 6.16")
    } else if kernel.is_before(3, 19) {
        (512, "at most 512 KiB, kernels before 3.19")
    } else {
        return None;
    };
    because(
        hardware.min(cap),
        if hardware < cap {
            "the hardware's limit"
        } else {
            since
        },
    )
}

/// 2 ms on media that do not rotate, 75 ms on those that do (block/blk-wbt.c, `wbt_default_latency_nsec`); off under bfq.
fn wbt_lat_usec(layer: &Layer, kernel: &Kernel) -> Option<KernelDefault> {
    if !has_requests(layer, kernel) || !kernel.is_since(5, 0) {
        return None;
    }
    let configured = "unless the kernel was built without CONFIG_BLK_WBT_MQ";
    match (chosen(layer, "scheduler"), number(layer, "rotational")?) {
        (Some("bfq"), _) => because(0, "off under bfq"),
        (_, 1) => because(75000, &format!("rotational, {configured}")),
        _ => because(2000, &format!("not rotational, {configured}")),
    }
}

#[cfg(test)]
mod tests;
