//! One direction of a job: what fio prints about it, made as exact as the printed numbers allow.

use super::values::{Rounded, Thousand, after, amount, number, scaled, unit_ns, value};
use model::imported::{LatencyFigures, Samples, SideFigures};

/// A direction while it is read.
#[derive(Clone, Debug, Default)]
pub struct FioTextSide {
    iops: Option<Rounded>,
    bytes_per_s: Option<Rounded>,
    bytes: Option<Rounded>,
    /// From the first to the last I/O, ms.
    pub runtime_ms: Option<f64>,
    /// Completed I/Os, of the line `issued`.
    pub ios: Option<u64>,
    /// Latencies and samples.
    pub figures: SideFigures,
}

/// What was lost or decided on the way.
#[derive(Clone, Debug, Default)]
pub struct Marksmanship {
    /// Whether a rate is only known rounded.
    pub is_rounded: bool,
    /// Whether count and time contradict the printed rate.
    pub contradicts: bool,
}

/// Whether a text of a direction is a whole line of fio, and not `read: IOPS=5` of somebody's table.
pub fn is_whole(text: &str) -> bool {
    let dense: String = text.chars().filter(|c| *c != ' ').take(200).collect();
    dense.contains("/s)(") || dense.contains("runt=")
}

/// Whether the line is of a fio before 2.20: `read : io=…, bw=…, iops=…, runt=…`.
pub fn is_old(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with("io"))
}

impl FioTextSide {
    /// From `read: IOPS=20.1k, BW=78.7MiB/s (82.5MB/s)(10.0GiB/msec)` or the older line.
    pub fn read(text: &str) -> FioTextSide {
        let mut side = FioTextSide::default();
        if is_old(text) {
            let bytes =
                |key| amount(after(text, key)?, Thousand::Binary).map(|amount| amount.bytes);
            side.bytes = bytes("io");
            side.bytes_per_s = bytes("bw");
            side.iops = after(text, "iops").and_then(scaled);
            side.runtime_ms = value(text, "runt");
            return side;
        }
        side.iops = after(text, "IOPS").and_then(scaled);
        let rate = after(text, "BW").and_then(|rate| amount(rate, Thousand::Si));
        side.bytes_per_s = rate.map(|rate| rate.bytes);
        // The last parentheses: amount and time.
        let inside = text
            .rsplit_once('(')
            .and_then(|(_, last)| last.split_once(')'));
        if let Some((bytes, time)) = inside.and_then(|(inside, _)| inside.split_once('/'))
            && !time.starts_with("s")
        {
            side.bytes = amount(bytes, Thousand::Si).map(|amount| amount.bytes);
            side.runtime_ms = number(time)
                .filter(|(_, rest)| rest.starts_with("msec"))
                .map(|(ms, _)| ms.value);
        }
        side
    }

    /// From `READ: bw=102MiB/s (107MB/s), …, io=6141MiB (6440MB), run=60001-60001msec` or the older line.
    pub fn of_group(text: &str) -> FioTextSide {
        let mut side = FioTextSide::default();
        let is_old = after(text, "aggrb").is_some();
        let thousand = if is_old {
            Thousand::Binary
        } else {
            Thousand::Si
        };
        let bytes = |key| amount(after(text, key)?, thousand).map(|amount| amount.bytes);
        side.bytes = bytes("io");
        side.bytes_per_s = bytes(if is_old { "aggrb" } else { "bw" });
        side.runtime_ms = if is_old {
            value(text, "maxt")
        } else {
            let range = after(text, "run").and_then(|range| range.split_once('-'));
            range
                .and_then(|(_, longest)| number(longest))
                .map(|(ms, _)| ms.value)
        };
        side
    }

    /// Whether it says how much was done.
    pub fn has_rate(&self) -> bool {
        self.iops.is_some() || self.bytes_per_s.is_some()
    }

    /// Bytes per second as printed.
    pub fn printed_bytes_per_s(&self) -> Option<f64> {
        self.bytes_per_s.map(|rate| rate.value)
    }

    /// Takes from the group's line what its own lacks.
    pub fn fill(&mut self, group: &FioTextSide) {
        if self.bytes_per_s.is_none() {
            self.bytes_per_s = group.bytes_per_s;
        }
        self.bytes = self.bytes.or(group.bytes);
        self.runtime_ms = self.runtime_ms.or(group.runtime_ms);
    }

    /// The latency of a kind, to write into.
    pub fn latency(&mut self, kind: &str) -> &mut LatencyFigures {
        let all = &mut self.figures.latencies;
        let at = all
            .iter()
            .position(|latency| latency.kind == kind)
            .unwrap_or_else(|| {
                all.push(LatencyFigures {
                    kind: kind.into(),
                    ..LatencyFigures::default()
                });
                all.len() - 1
            });
        &mut all[at]
    }

    /// The figures. `block` is the size of every I/O, where all have one: with it, the count and the time, rates that fio
    /// rounds to three digits are known exactly; they are taken so where they print as fio printed them.
    pub fn finish(mut self, block: Option<u64>) -> (SideFigures, Marksmanship) {
        let mut said = Marksmanship::default();
        let seconds = self.runtime_ms.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3);
        let bytes = self
            .ios
            .zip(block)
            .map(|(ios, block)| (ios as f64) * block as f64);
        let bytes = bytes.filter(|exact| self.bytes.is_none_or(|printed| printed.may_be(*exact)));
        let mut exact_or = |count: Option<f64>, printed: Option<Rounded>| {
            let exact = count.zip(seconds).map(|(count, seconds)| count / seconds);
            match (exact, printed) {
                (Some(exact), Some(printed)) if printed.may_be(exact) => Some(exact),
                // A run that took a few ms: the printed time is too coarse to say more.
                (exact, Some(printed)) => {
                    said.is_rounded = true;
                    said.contradicts |= exact
                        .is_some_and(|exact| (exact / printed.value - 1.0).abs() > 0.05)
                        && seconds.is_some_and(|seconds| seconds > 0.1);
                    Some(printed.value)
                }
                (exact, None) => exact,
            }
        };
        self.figures.iops = exact_or(self.ios.map(|ios| ios as f64), self.iops);
        self.figures.bytes_per_s = exact_or(bytes, self.bytes_per_s);
        self.figures.ios = self.ios;
        self.figures.bytes = bytes.or(self.bytes.map(|bytes| bytes.value));
        for latency in &mut self.figures.latencies {
            latency.percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
            latency.percentiles.dedup_by(|a, b| a.0 == b.0);
        }
        (self.figures, said)
    }
}

/// What stands before the parenthesis and the unit in it: `clat (usec)` → `clat`, 1000.
pub fn kind_and_unit(text: &str) -> Option<(&str, f64)> {
    let (before, rest) = text.split_once('(')?;
    let unit = unit_ns(rest.split_once(')')?.0.trim())?;
    Some((before.split_whitespace().next().unwrap_or("clat"), unit))
}

/// Fills a latency from `(usec): min=115, max=21187, avg=3168.01, stdev=3363.51`.
pub fn read_latency(text: &str, unit: f64, into: &mut LatencyFigures) {
    let ns = |key| value(text, key).map(|found| found * unit);
    into.min_ns = ns("min");
    into.max_ns = ns("max");
    into.mean_ns = ns("avg");
    into.stddev_ns = ns("stdev");
}

/// Samples from `min=76672, max=80000, per=100.00%, avg=80606.35, stdev=10317.80, samples=260`, all times `factor`; none
/// where one of the four is missing.
pub fn samples(text: &str, factor: f64) -> Option<Samples> {
    let scaled = |key| value(text, key).map(|found| found * factor);
    Some(Samples {
        // Before 2.99 fio does not say how many.
        count: value(text, "samples").unwrap_or(0.0) as u64,
        min: scaled("min")?,
        max: scaled("max")?,
        mean: scaled("avg")?,
        stddev: scaled("stdev")?,
    })
}
