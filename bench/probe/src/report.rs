//! The section of `bench/RESULTS.md`.

use crate::Outcome;
use crate::modes::Mode;
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- probe:begin -->";
const END: &str = "<!-- probe:end -->";

/// Linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Prints the table and puts it between its marks.
pub fn write(columns: &[(Mode, Vec<Outcome>)], rounds: usize, runtime_ms: u64) -> Result<(), String> {
    let text = table(columns, rounds, runtime_ms);
    println!("{text}");
    let path = Path::new("bench/RESULTS.md");
    let results = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (before, rest) = results.split_once(BEGIN).ok_or("bench/RESULTS.md has no section for this")?;
    let (_, after) = rest.split_once(END).ok_or("the section of bench/RESULTS.md has no end")?;
    std::fs::write(path, format!("{before}{BEGIN}\n{text}{END}{after}")).map_err(|error| error.to_string())
}

fn table(columns: &[(Mode, Vec<Outcome>)], rounds: usize, runtime_ms: u64) -> String {
    let host = host::Host::live();
    let kernel = host.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = host.text("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_string();
    let mut text = format!(
        "Linux {kernel}, 2 layers (a loop device with direct I/O and the disk below it), 4 KiB random reads, io_uring, \
         depth 32; {rounds} rounds of {runtime_ms} ms each in random order, load average {load} at the end. Ratios are \
         medians of paired ratios with quartiles and extremes; the programs' time is the kernel's own figure, with what \
         measuring it costs; a program that does nothing, measured beside them, says how much that is.\n\n| tracing | k IOPS | rate against off | programs, ns per I/O and layer | of that, measuring | not seen |\n|---|---|---|---|---|---|\n"
    );
    let off = &columns[0].1;
    for (mode, outcomes) in columns.iter().filter(|(_, outcomes)| outcomes.iter().any(|one| one.ios > 0)) {
        let rate = quantile(&sorted(outcomes.iter().map(|one| one.iops)), 0.5) / 1e3;
        let ratios = sorted(outcomes.iter().zip(off).map(|(one, off)| one.iops / off.iops));
        let at = |share| quantile(&ratios, share);
        let cost = quantile(&sorted(outcomes.iter().map(|one| one.programs_ns)), 0.5);
        let cost = if cost > 0.0 { format!("{cost:.0}") } else { "–".into() };
        let measuring = quantile(&sorted(outcomes.iter().map(|one| one.measuring_ns)), 0.5);
        let measuring = if measuring > 0.0 { format!("{measuring:.0}") } else { "–".into() };
        let unseen = quantile(&sorted(outcomes.iter().map(|one| one.unseen)), 0.5) * 100.0;
        let unseen =
            if matches!(mode, Mode::Off | Mode::Perf) { "–".into() } else { format!("{unseen:.3} %") };
        let _ = writeln!(
            text,
            "| {} | {rate:.1} | {:.3} ({:.3}–{:.3}, all {:.3}–{:.3}) | {cost} | {measuring} | {unseen} |",
            mode.label(),
            at(0.5),
            at(0.25),
            at(0.75),
            at(0.0),
            at(1.0)
        );
    }
    text
}
