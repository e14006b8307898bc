//! # Queue settings
//!
//! Every attribute of a device's request queue and of its I/O scheduler.
//!
//! ## What it reads
//! `/sys/class/block/{}/queue/*` and `queue/iosched/*` (Documentation/ABI/stable/sysfs-block).
//!
//! ## Fields
//! One setting per attribute, named as the file: `read_ahead_kb`, `iosched/read_expire`. One that this kernel lacks
//! but others have and people tune is listed as absent; one that refuses to be read carries its errno.
//!
//! ## Example
//! `scheduler` is `none [mq-deadline] kyber bfq`; `wbt_lat_usec` is not set up (EINVAL).

use crate::{Collector, Draft, Survey};
use model::change::Attribute;
use model::iopath::LayerKind;

/// Attributes whose absence is worth knowing.
const TUNED: &[&str] = &[
    "max_sectors_kb",
    "nomerges",
    "nr_requests",
    "read_ahead_kb",
    "rotational",
    "rq_affinity",
    "scheduler",
    "wbt_lat_usec",
    "write_cache",
];

const EISDIR: i32 = 21;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "queue",
    since: "0.1.0",
    kinds: &[
        LayerKind::Disk,
        LayerKind::Loop,
        LayerKind::Zram,
        LayerKind::Stacked,
    ],
    reads: &[
        "/sys/class/block/{}/queue/*",
        "/sys/class/block/{}/queue/iosched/*",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let queue = draft.path("queue");
    let names = host.list(&queue);
    for name in &names {
        if name == "iosched" {
            continue;
        }
        draft.setting(host, name, format!("{queue}/{name}"));
    }
    for name in host.list(&format!("{queue}/iosched")) {
        draft.setting(
            host,
            &format!("iosched/{name}"),
            format!("{queue}/iosched/{name}"),
        );
    }
    // independent_access_ranges and crypto are directories of facts about the hardware, not settings.
    draft
        .layer
        .settings
        .retain(|setting| setting.value != Attribute::Refused(EISDIR));
    if names.is_empty() {
        return;
    }
    for name in TUNED
        .iter()
        .filter(|name| !names.iter().any(|there| there == *name))
    {
        draft.setting(host, name, format!("{queue}/{name}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::change::Attribute;

    #[test]
    fn a_value_a_refusal_and_an_absence_are_three_things() {
        let queue = "/sys/devices/p/sda/queue";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: {queue}/scheduler\nlines: 1\nnoop [cfq]\npath: {queue}/wbt_lat_usec\nerrno: 22\n\
                 path: {queue}/iosched/slice_idle\nlines: 1\n8\n"
            ),
            "sda",
        );
        let disk = &path.root.below[0];
        let value = |name: &str| disk.setting(name).unwrap().value.clone();
        assert_eq!(value("scheduler"), Attribute::Value("noop [cfq]".into()));
        assert_eq!(value("wbt_lat_usec"), Attribute::Refused(22));
        assert_eq!(value("write_cache"), Attribute::Absent);
        assert_eq!(value("iosched/slice_idle"), Attribute::Value("8".into()));
        assert!(disk.setting("iosched").is_none());
    }
}
