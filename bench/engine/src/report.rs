//! Paired ratios, and the section of `bench/RESULTS.md` that holds them.

use crate::Outcome;
use crate::measure::Comparison;
use stats::FiveNumbers;
use std::fmt::Write;

/// A quantity of one run.
pub type Quantity = fn(&Outcome) -> f64;

fn rate(outcome: &Outcome) -> f64 {
    outcome.ios as f64 / outcome.elapsed_s
}

fn per_cpu_s(outcome: &Outcome) -> f64 {
    outcome.ios as f64 / outcome.cpu_s
}

/// `1.23 (1.20–1.27, all 1.10–1.30)`: median, quartiles, extremes of native over the other, round by round.
fn ratio(native: &[Outcome], other: &[Outcome], quantity: Quantity) -> String {
    let ratios: Vec<f64> = native
        .iter()
        .zip(other)
        .map(|(ours, theirs)| quantity(ours) / quantity(theirs))
        .collect();
    spread(&ratios)
}

/// Median, quartiles and extremes of ratios.
pub fn spread(ratios: &[f64]) -> String {
    match FiveNumbers::of(ratios) {
        Some(five) if five.median.is_finite() => format!(
            "{:.3} ({:.3}–{:.3}, all {:.3}–{:.3})",
            five.median, five.lower_quartile, five.upper_quartile, five.least, five.greatest
        ),
        _ => "–".into(),
    }
}

/// The middle of a quantity over runs.
pub fn median(outcomes: &[Outcome], quantity: Quantity) -> f64 {
    let values: Vec<f64> = outcomes.iter().map(quantity).collect();
    stats::median(&values)
}

fn table(comparison: &Comparison) -> String {
    let native = &comparison.columns[0].1;
    let mut text = format!("### {}\n\n", comparison.title);
    let quantities: &[(&str, Quantity)] = if comparison.device_bound {
        &[
            ("rate", rate),
            ("p50", |outcome| outcome.p50_ns),
            ("p99", |outcome| outcome.p99_ns),
        ]
    } else {
        &[("IOPS per CPU-second", per_cpu_s), ("rate", rate)]
    };
    text += "| | k IOPS | CPU ns per I/O | p50 µs | p99 µs |";
    for (name, _) in quantities {
        let _ = write!(text, " native ÷ it: {name} |");
    }
    text += "\n|---|---|---|---|---|";
    text += &"---|".repeat(quantities.len());
    for (contestant, outcomes) in &comparison.columns {
        let _ = write!(
            text,
            "\n| {} | {:.0} | {:.0} | {:.1} | {:.1} |",
            contestant.label(),
            median(outcomes, rate) / 1e3,
            median(outcomes, |outcome| outcome.cpu_s * 1e9 / outcome.ios as f64),
            median(outcomes, |outcome| outcome.p50_ns) / 1e3,
            median(outcomes, |outcome| outcome.p99_ns) / 1e3,
        );
        for (_, quantity) in quantities {
            let _ = write!(text, " {} |", ratio(native, outcomes, *quantity));
        }
    }
    text.replace(" 0.0 |", " – |") + "\n"
}

/// Prints one comparison.
pub fn print(comparison: &Comparison) {
    println!("{}", table(comparison));
}

/// The machine and its day, for a heading.
pub fn machine() -> String {
    let output = std::process::Command::new("fio").arg("--version").output();
    let fio = output.map_or_else(
        |_| "no fio".into(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_string(),
    );
    format!(
        "{}, {fio}, {}, load average {} at the end",
        kit::results::machine(),
        kit::results::date(),
        kit::results::load_average(),
    )
}

/// Rewrites the section between its marks in `bench/RESULTS.md`.
pub fn write(
    comparisons: &[Comparison],
    stall: Option<&str>,
    rounds: usize,
    runtime_ms: u64,
) -> Result<(), String> {
    let tables: Vec<String> = comparisons
        .iter()
        .map(table)
        .chain(stall.map(str::to_string))
        .collect();
    let section = format!(
        "## The native engine against fio and the smallest loop\n\n{}; {rounds} rounds of {runtime_ms} ms each, \
         interleaved in random order, all on one CPU. Ratios are medians of paired ratios, in brackets the quartiles and \
         the extremes. CPU is that of the whole process, kernel workers included, start-up taken off. fio's latency is \
         its `lat`, from before submission, as ours. On zram no I/O can begin without waiting: io_uring hands each one to \
         kernel worker threads, one after the other or, as the native engine asks and fio with force_async, to several at \
         once.\n\n{}",
        machine(),
        tables.join("\n")
    );
    kit::results::publish("engine", &section)
}
