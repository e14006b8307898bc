//! What the value of a queue setting means, in a few words.

use kernel::choice;
use model::change::Attribute;
use model::iopath::{Layer, LayerKind, Setting};
use model::units;

/// The settings that matter most often, in the order a reader wants them.
pub(super) const MAIN: &[&str] = &[
    "scheduler",
    "nr_requests",
    "queue_depth",
    "read_ahead_kb",
    "wbt_lat_usec",
    "rq_affinity",
    "nomerges",
    "max_sectors_kb",
    "write_cache",
    "rotational",
    "md/stripe_cache_size",
];

/// A value with its unit. The choice of a list in brackets stands alone: `none [bfq]` is `bfq`.
pub(super) fn value(setting: &Setting) -> String {
    let text = match &setting.value {
        Attribute::Value(text) => text.trim(),
        Attribute::Absent => return "absent".into(),
        Attribute::Refused(22) => return "not set up".into(),
        refused => return refused.to_string(),
    };
    let unit = match setting.name.rsplit('_').next() {
        _ if text.parse::<f64>().is_err() => "",
        Some("kb") => " KiB",
        Some("usec") => " µs",
        Some("msecs") => " ms",
        Some("bytes" | "size" | "granularity") if setting.name != "md/stripe_cache_size" => " B",
        _ => "",
    };
    format!("{}{unit}", choice::value(text))
}

/// What the value does, on this layer; empty where the value says it all.
pub(super) fn meaning(setting: &Setting, layer: &Layer) -> String {
    let text = match &setting.value {
        Attribute::Value(text) => text.trim(),
        Attribute::Absent => return "this kernel has no such setting".into(),
        Attribute::Refused(22) => return "EINVAL: not in use on this queue".into(),
        Attribute::Refused(_) => return "the kernel refuses to show it".into(),
        Attribute::OfAnother => return "another device has its name".into(),
    };
    let number = text.parse::<u64>().ok();
    match (setting.name.as_str(), number) {
        ("scheduler", _) => scheduler(text),
        ("nr_requests", _) => requests(layer),
        ("queue_depth", _) => "commands the disk takes at a time".into(),
        ("read_ahead_kb", Some(kib)) => read_ahead(kib),
        ("wbt_lat_usec", Some(us)) => writeback_throttling(us),
        ("rq_affinity", Some(0)) => "completes on the CPU that took the interrupt".into(),
        ("rq_affinity", Some(1)) => "completes near the CPU that submitted".into(),
        ("rq_affinity", Some(2)) => "completes on the very CPU that submitted".into(),
        ("nomerges", Some(0)) => "neighbouring requests are merged".into(),
        ("nomerges", Some(1)) => "only the cheapest merges are tried".into(),
        ("nomerges", Some(2)) => "requests are never merged".into(),
        ("max_sectors_kb", Some(_)) => largest_request(layer),
        ("write_cache", _) if text == "write back" => {
            "volatile disk cache: flushes are sent".into()
        }
        ("write_cache", _) if text == "write through" => {
            "no volatile cache: flushes are left out".into()
        }
        ("rotational", Some(flag)) => format!("taken for {}", rotational(flag, layer)),
        ("cache_type", _) if text == "write back" => "the disk's own cache is volatile".into(),
        ("cache_type", _) if text == "write through" => {
            "the disk says that its cache survives a power cut".into()
        }
        _ => of_one_kind(&setting.name, text, number),
    }
}

/// Settings that only some kinds of devices have.
fn of_one_kind(name: &str, text: &str, number: Option<u64>) -> String {
    let words = match (name, number) {
        ("md/stripe_cache_size", _) => "stripes kept in memory",
        ("md/group_thread_cnt", Some(0)) => "one thread computes parity for the whole array",
        ("md/group_thread_cnt", _) => "more threads compute parity",
        ("md/preread_bypass_threshold", _) => "whole stripes that may pass one that needs reading",
        ("md/sync_speed_min", _) => "KiB/s that a rebuild takes though others wait",
        ("md/sync_speed_max", _) => "KiB/s that a rebuild takes at the most",
        ("dev.raid.speed_limit_min", _) => "KiB/s, of every array that has none of its own",
        ("dev.raid.speed_limit_max", _) => "KiB/s, of every array that has none of its own",
        ("md/bitmap/location", _) if text == "none" => "after a crash all is synchronised anew",
        ("nvme/ps_max_latency_us", Some(0)) => "the controller does not sleep",
        ("nvme/ps_max_latency_us", _) => "µs that waking the controller may take",
        ("nvme/poll_queues", Some(0)) => "no queue can be polled",
        ("nvme/io_timeout", _) => "s until a command is given up",
        ("nvme/iopolicy", _) => "how I/O is spread over the paths",
        ("virtio_blk/poll_queues", Some(0)) => "no queue can be polled",
        ("link_power_management_policy", _) if text == "max_performance" => {
            "the SATA link does not sleep"
        }
        ("link_power_management_policy", _) => "the SATA link may sleep between commands",
        ("provisioning_mode", _) => "how discards reach the disk",
        ("bcache/sequential_cutoff", _) => "longer sequential I/O passes the cache by",
        ("bcache/writeback_percent", _) => "% of the cache that may wait to be written back",
        ("bcache/congested_read_threshold_us" | "bcache/congested_write_threshold_us", Some(0)) => {
            "a slow cache is not passed by"
        }
        ("iscsi/recovery_tmo" | "fc/dev_loss_tmo", _) => "s until a lost connection fails the I/O",
        ("fc/fast_io_fail_tmo", _) => "s until I/O to a lost port fails",
        _ => "",
    };
    words.to_string()
}

fn scheduler(text: &str) -> String {
    let chosen = choice::chosen(text);
    let others: Vec<&str> = choice::offered(text)
        .filter(|name| Some(*name) != chosen)
        .collect();
    match (chosen, others.as_slice()) {
        (None, _) | (_, []) => "no other is loaded".into(),
        (_, others) => format!("can be {}", others.join(", ")),
    }
}

/// The old block layer counts reads and writes each (Documentation/block/queue-sysfs.rst); blk-mq counts both per
/// hardware queue.
fn requests(layer: &Layer) -> String {
    if layer.queues.is_empty() {
        return "reads, and as many writes, may wait".into();
    }
    let per = if layer.queues.len() > 1 {
        ", per hardware queue"
    } else {
        ""
    };
    format!("requests may wait{per}")
}

fn read_ahead(kib: u64) -> String {
    match kib {
        0 => "off: buffered reads fetch nothing ahead".into(),
        _ => "ahead of buffered sequential reads".into(),
    }
}

fn writeback_throttling(us: u64) -> String {
    match us {
        0 => "off: buffered writeback is never held back".into(),
        _ => format!(
            "writeback yields to reads over {}",
            units::duration_ns(us as f64 * 1e3)
        ),
    }
}

fn largest_request(layer: &Layer) -> String {
    let hardware = layer
        .setting("max_hw_sectors_kb")
        .and_then(|setting| setting.value.value());
    match hardware.and_then(|text| text.trim().parse::<u64>().ok()) {
        // Drivers without a limit leave the largest number there is (block/blk-settings.c).
        Some(kib) if kib >= u64::from(u32::MAX / 2) => {
            "largest request (hardware: no limit)".into()
        }
        Some(kib) => format!("largest request (hardware: {kib} KiB)"),
        None => "largest request".into(),
    }
}

fn rotational(flag: u64, layer: &Layer) -> &'static str {
    let is_virtual = layer.kind != LayerKind::Disk
        || layer
            .facts
            .get("transport")
            .is_some_and(|transport| transport.starts_with("virtio"));
    match flag {
        0 => "flash",
        _ if is_virtual => "spinning; virtual disks often are",
        _ => "spinning",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str, value: Attribute) -> Setting {
        Setting::new(name, "", value, true)
    }

    fn words(name: &str, text: &str) -> (String, String) {
        let setting = setting(name, Attribute::Value(text.into()));
        (
            value(&setting),
            meaning(&setting, &Layer::new(LayerKind::Disk, "sda")),
        )
    }

    #[test]
    fn values_carry_units_and_meanings() {
        assert_eq!(
            words("scheduler", "noop deadline [cfq]"),
            ("cfq".into(), "can be noop, deadline".into())
        );
        assert_eq!(words("scheduler", "none").1, "no other is loaded");
        let (value, meaning) = words("wbt_lat_usec", "75000");
        assert_eq!(
            (value.as_str(), meaning.contains("75.0 ms")),
            ("75000 µs", true)
        );
        assert_eq!(words("read_ahead_kb", "128").0, "128 KiB");
        assert_eq!(
            words("wbt_lat_usec", "0").1,
            "off: buffered writeback is never held back"
        );
        assert_eq!(words("unheard_of", "7"), ("7".into(), String::new()));
    }

    #[test]
    fn a_refusal_is_explained() {
        let refused = setting("wbt_lat_usec", Attribute::Refused(22));
        assert_eq!(value(&refused), "not set up");
        assert!(meaning(&refused, &Layer::new(LayerKind::Disk, "sda")).contains("EINVAL"));
    }
}
