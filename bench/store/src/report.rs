//! The section of `bench/RESULTS.md`.

use crate::measure::Measured;
use model::units;
use std::fmt::Write;

/// The tables.
pub fn text(measured: &Measured) -> String {
    let live = host::Host::live();
    let kernel = live.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = live.text("/proc/loadavg").unwrap_or_default();
    let bytes = |bytes: f64| units::bytes(bytes);
    let mut text = format!(
        "Linux {kernel}, load average {} at the end. {} records with {} samples: {} of JSON in a file of {}. Written {} at a \
         time, {:.0} records a second; `iodyno store check` reads all of it in {:.0} s.\n\n\
         | what | rows | median, ms | worst of 30, ms | goal, ms |\n|---|---|---|---|---|\n",
        load.split(' ').next().unwrap_or("?"),
        units::count(measured.records as f64),
        units::count(measured.samples as f64),
        bytes(measured.json_bytes as f64),
        bytes(measured.store_bytes as f64),
        100,
        measured.records as f64 / measured.insert_s,
        measured.check_s,
    );
    for asked in &measured.asked {
        let times = &asked.times_ms;
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        let goal = asked
            .goal_ms
            .map_or("–".to_string(), |goal| format!("{goal:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {median:.2} | {worst:.2} | {goal} |",
            asked.what, asked.rows
        );
    }
    text += "\nWhat zstd makes of a document:\n\n| level | size, % | pack, MB/s | unpack, MB/s |\n|---|---|---|---|\n";
    for packing in &measured.packings {
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.0} | {:.0} |",
            packing.level,
            packing.share * 100.0,
            packing.pack_mb_per_s,
            packing.unpack_mb_per_s
        );
    }
    text
}
