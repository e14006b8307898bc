//! A token bucket in a measured series: where the stock ended, what it held, and the rate that is left.

use super::error::CloudError;
use analyse::plateau;
use model::histogram::Histogram;
use model::record::{Interval, LoadResult};

/// A rate that is capped, and the stock that was used up before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The settled rate, /s.
    pub settled: f64,
    /// The highest rate before, /s; none without a stock.
    pub highest: Option<f64>,
    /// How long the stock lasted, s; 0 without one.
    pub lasted_s: f64,
    /// What was used beyond the settled rate, in the unit of the rates: the credits that there were.
    pub credits: f64,
}

/// The plateau of a series of rates, each over `step_s`. Without latencies only a fall or a flat line can be seen, and
/// a flat line is taken for a cap: the caller knows why it asks.
pub fn fall_of(rates: &[f64], step_s: f64, latency: &Histogram) -> Option<Fall> {
    let (first, last) = rates.split_at(rates.len() / 2);
    let found = plateau::of(rates, latency);
    let is_flat = last.len() >= plateau::LEAST
        && plateau::variation(last).is_some_and(|noise| noise <= plateau::FLAT);
    let Some(found) = found else {
        let settled = stats::mean(last);
        return is_flat.then_some(Fall {
            settled,
            highest: None,
            lasted_s: 0.0,
            credits: 0.0,
        });
    };
    let stock = &first[..found.stock_intervals.min(first.len())];
    let credits = stock
        .iter()
        .map(|rate| (rate - found.settled) * step_s)
        .sum();
    Some(Fall {
        settled: found.settled,
        highest: found.had_stock.then_some(found.highest),
        lasted_s: found.stock_intervals as f64 * step_s,
        credits,
    })
}

/// I/Os a second of each whole interval of a load, with their length, s.
pub fn series_of_intervals(intervals: &[Interval]) -> (Vec<f64>, f64) {
    let longest = intervals
        .iter()
        .map(|interval| interval.length_ms)
        .max()
        .unwrap_or(0);
    let whole = intervals
        .iter()
        .filter(|interval| longest > 0 && interval.length_ms == longest);
    let step_s = longest as f64 / 1e3;
    (
        whole
            .map(|one| (one.read.ios + one.write.ios) as f64 / step_s)
            .collect(),
        step_s,
    )
}

/// Shorter than this, ms, the ticks of a bucket's clock show in place of its rate.
const STEP_MIN_MS: u64 = 100;

/// The same of a load's bins, which are what a short load has, put together to at most so many steps. The first and the
/// last bin are cut and left out, and so is the time before the first completion.
pub fn series_of_bins(load: &LoadResult, steps_max: usize) -> (Vec<f64>, f64) {
    let whole = load
        .bins
        .get(1..load.bins.len().saturating_sub(1))
        .unwrap_or_default();
    let first = whole
        .iter()
        .position(|count| *count > 0)
        .unwrap_or(whole.len());
    let whole = &whole[first..];
    if load.bin_ms == 0 {
        return (Vec::new(), 0.0);
    }
    let together = (STEP_MIN_MS.div_ceil(load.bin_ms) as usize)
        .max(whole.len().div_ceil(steps_max.max(1)))
        .max(1);
    let step_s = (load.bin_ms * together as u64) as f64 / 1e3;
    let rate = |bins: &[u32]| bins.iter().map(|count| f64::from(*count)).sum::<f64>() / step_s;
    (whole.chunks_exact(together).map(rate).collect(), step_s)
}

/// A series as text: one rate a line, or what fio's `write_iops_log` gives (`ms, iops, …`), of which directions at one
/// time are added up. Lines that begin with `#` are left out.
///
/// # Errors
/// The first line that is neither.
pub fn series_of_text(text: &str, step_s: f64) -> Result<(Vec<f64>, f64), CloudError> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (mut plain, mut timed): (Vec<f64>, Vec<(f64, f64)>) = (Vec::new(), Vec::new());
    for (index, line) in lines {
        let number = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|value| value.is_finite())
        };
        let columns: Vec<&str> = line.split(',').collect();
        match columns[..] {
            [rate] => plain.extend(number(rate)),
            [time, rate, ..] => timed.extend(number(time).zip(number(rate))),
            [] => {}
        }
        let is_read = if columns.len() == 1 {
            number(line).is_some()
        } else {
            number(columns[0]).is_some()
        };
        if !is_read {
            let why = format!(
                "line {} is `{line}`: neither a rate nor `ms, iops`",
                index + 1
            );
            return Err(CloudError::File {
                what: "the series",
                why,
            });
        }
    }
    if timed.is_empty() {
        Ok((plain, step_s))
    } else {
        Ok(of_log(&timed, step_s))
    }
}

/// fio writes one line for each direction; those within half a step belong together.
fn of_log(timed: &[(f64, f64)], step_s: f64) -> (Vec<f64>, f64) {
    let mut sorted = timed.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let gaps: Vec<f64> = sorted
        .windows(2)
        .map(|two| two[1].0 - two[0].0)
        .filter(|gap| *gap > 0.5)
        .collect();
    let step_ms = match gaps.is_empty() {
        true => step_s * 1e3,
        false => stats::median(&gaps),
    };
    let mut rates: Vec<(f64, f64)> = Vec::new();
    for (time, rate) in sorted {
        match rates.last_mut() {
            Some((at, sum)) if time - *at < step_ms / 2.0 => *sum += rate,
            _ => rates.push((time, rate)),
        }
    }
    (
        rates.into_iter().map(|(_, rate)| rate).collect(),
        step_ms / 1e3,
    )
}
