//! # bcache
//!
//! A disk with a faster one as its cache: the mode, the state and how well it hits.
//!
//! ## What it reads
//! `/sys/class/block/{}/bcache/{cache_mode,state,dirty_data,sequential_cutoff,writeback_percent,writeback_delay,
//! writeback_running}`, `stats_total/cache_hit_ratio` and `cache/{cache_available_percent,congested_read_threshold_us,
//! congested_write_threshold_us}`.
//!
//! ## Fields
//! - `stack`: `bcache`
//! - `cache_mode`: `writethrough`, `writeback`, `writearound` or `none`; `cache_state`: `clean`, `dirty`, `no cache`
//! - `cache_dirty`: how much waits to be written back, in bcache's own words (`1.2G`)
//! - `cache_hit_percent`: of all requests since the device was set up; `cache_used_percent`
//! - settings `bcache/cache_mode`, `bcache/sequential_cutoff`, `bcache/writeback_percent`, `bcache/writeback_delay`,
//!   `bcache/writeback_running`, `bcache/congested_read_threshold_us`, `bcache/congested_write_threshold_us`
//!
//! ## Example
//! `bcache0`, writethrough, clean, 34 % hits, reads over 4 MiB in sequence pass by.

use crate::{Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "bcache",
    since: "0.1.0",
    kinds: &[LayerKind::Stacked],
    reads: &["/sys/class/block/{}/bcache/*"],
    collect,
};

const SETTINGS: [&str; 7] = [
    "cache_mode",
    "sequential_cutoff",
    "writeback_percent",
    "writeback_delay",
    "writeback_running",
    "cache/congested_read_threshold_us",
    "cache/congested_write_threshold_us",
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    if !draft.layer.name.starts_with("bcache") {
        return;
    }
    let host = survey.host;
    draft.fact("stack", Some("bcache"));
    draft.fact_from(host, "cache_state", "bcache/state");
    draft.fact_from(host, "cache_dirty", "bcache/dirty_data");
    draft.fact_from(
        host,
        "cache_hit_percent",
        "bcache/stats_total/cache_hit_ratio",
    );
    let available = host.number(&draft.path("bcache/cache/cache_available_percent"));
    let used = available.and_then(|percent| 100u64.checked_sub(percent));
    draft.fact(
        "cache_used_percent",
        used.map(|percent| percent.to_string()),
    );
    for file in SETTINGS {
        let path = draft.path(&format!("bcache/{file}"));
        if host.exists(&path) {
            draft.setting(
                host,
                &format!("bcache/{}", file.trim_start_matches("cache/")),
                path,
            );
        }
    }
    let mode = draft
        .layer
        .setting("bcache/cache_mode")
        .and_then(|setting| setting.chosen())
        .map(str::to_string);
    draft.fact("cache_mode", mode);
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn the_chosen_mode_and_what_is_left_to_write() {
        let base = "/sys/devices/virtual/block/bcache0";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/bcache0\nlink: ../../devices/virtual/block/bcache0\n\
                 path: {base}/bcache/cache_mode\nlines: 1\nwritethrough [writeback] writearound none\n\
                 path: {base}/bcache/state\nlines: 1\ndirty\npath: {base}/bcache/dirty_data\nlines: 1\n1.2G\n\
                 path: {base}/bcache/stats_total/cache_hit_ratio\nlines: 1\n34\n\
                 path: {base}/bcache/cache/cache_available_percent\nlines: 1\n80\n\
                 path: {base}/bcache/sequential_cutoff\nlines: 1\n4.0M\n"
            ),
            "bcache0",
        );
        let fact = |name: &str| facts(&path, "bcache0", name);
        assert_eq!(
            (fact("cache_mode"), fact("cache_state"), fact("cache_dirty")),
            ("writeback", "dirty", "1.2G")
        );
        assert_eq!(
            (fact("cache_hit_percent"), fact("cache_used_percent")),
            ("34", "20")
        );
        assert_eq!(
            path.root.below[0]
                .setting("bcache/sequential_cutoff")
                .unwrap()
                .chosen(),
            Some("4.0M")
        );
    }
}
