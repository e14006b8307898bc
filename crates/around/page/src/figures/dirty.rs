//! Dirty pages against the limits at which the kernel begins to write, and to hold writers back.

use super::FigureLook;
use super::lines::{FigureLine, FigureLines};
use crate::figure::Figure;
use crate::series::{gauge, log_of, rates, summary};
use model::dirty::DirtyShares;
use model::record::Record;
use model::sample::{SampleSeries, SensorLog};
use view::scale::Quantity;

/// Less than this share of the background limit is nobody's concern.
const NOTABLE: f64 = 0.02;

/// Pages over time, and below what flows in and out; none where nothing was written through the cache.
pub fn figures(record: &Record) -> Vec<Figure> {
    let Some(log) = log_of(record, "vmstat") else {
        return Vec::new();
    };
    let value = |name: &str| gauge(log, &[name.to_string()], 1.0);
    let (Some(dirty), Some(writeback)) = (value("vm.dirty"), value("vm.writeback")) else {
        return Vec::new();
    };
    let most =
        |steps: &[crate::reduce::ReduceStep]| summary(steps).map_or(0.0, |(_, _, most)| most);
    let background = value("vm.dirty_background_threshold").unwrap_or_default();
    let is_notable = most(&dirty).max(most(&writeback)) >= NOTABLE * most(&background).max(1.0);
    let is_buffered = !record.job.direct && record.job.rw.writes() && record.load().is_some();
    if !is_notable && !is_buffered {
        return Vec::new();
    }
    let mut lines = vec![
        FigureLine {
            name: "dirty".into(),
            look: FigureLook::Write,
            steps: dirty,
        },
        FigureLine {
            name: "writeback".into(),
            look: FigureLook::Ink,
            steps: writeback,
        },
    ];
    lines.extend(limits(log));
    let pages = FigureLines {
        id: "dirty".into(),
        measure: "dirty pages".into(),
        quantity: Quantity::Bytes,
        lines,
        is_log: false,
        caption: "Pages that are dirty and pages on their way to the device, against the limits as the kernel computes them \
                  (/proc/vmstat): from `background` on it writes, and halfway to `limit` it begins to hold writers back."
            .into(),
        gap_reason: "no sample was taken then".into(),
    };
    [pages.figure(), flows(log).figure()]
        .into_iter()
        .flatten()
        .chain(of_groups(record))
        .collect()
}

/// The same of each control group whose memory is limited: its writers wait at a limit of its own.
fn of_groups(record: &Record) -> Vec<Figure> {
    // Under version 1 no group has a limit of its own.
    let is_first = matches!(
        record.path.machine_fact("cgroup_version"),
        Some("1" | "hybrid")
    );
    let shares = DirtyShares::of(&record.path).filter(|_| !is_first);
    let Some((log, shares)) = log_of(record, "cgroup").zip(shares) else {
        return Vec::new();
    };
    let group = |series: &SampleSeries| {
        let name = series
            .name
            .strip_prefix("cgroup.")?
            .strip_suffix(".dirty")?;
        of_group(log, name, shares)
    };
    log.series.iter().filter_map(group).collect()
}

fn of_group(log: &SensorLog, group: &str, shares: DirtyShares) -> Option<Figure> {
    let line = |name: &str, look, series: &str, factor| {
        let steps = gauge(log, &[format!("cgroup.{group}.{series}")], factor)?;
        summary(&steps).is_some().then(|| FigureLine {
            name: name.into(),
            look,
            steps,
        })
    };
    let limit = line("limit", FigureLook::Sync, "memory_limit", shares.limit)?;
    let lines = [
        line("dirty", FigureLook::Write, "dirty", 1.0),
        line("writeback", FigureLook::Ink, "writeback", 1.0),
        line(
            "background",
            FigureLook::Fifth,
            "memory_limit",
            shares.background,
        ),
        Some(limit),
    ];
    FigureLines {
        id: format!("dirty-of-{}", group.replace(|one: char| !one.is_ascii_alphanumeric(), "-")),
        measure: format!("dirty pages of {group}"),
        quantity: Quantity::Bytes,
        lines: lines.into_iter().flatten().collect(),
        is_log: false,
        caption: "Dirty pages that are charged to the control group, against the machine's shares of its memory limit, which \
                  are the most that it may have: where the file system takes part, its writers wait at `limit`."
            .into(),
        gap_reason: "no sample was taken then".into(),
    }
    .figure()
}

/// The limits move with free memory, so they are lines too.
fn limits(log: &SensorLog) -> Vec<FigureLine> {
    let limits = [
        (
            "background",
            FigureLook::Fifth,
            "vm.dirty_background_threshold",
        ),
        ("limit", FigureLook::Sync, "vm.dirty_threshold"),
    ];
    let line = |(name, look, series): (&str, FigureLook, &str)| {
        let steps = gauge(log, &[series.to_string()], 1.0)?;
        summary(&steps).is_some().then(|| FigureLine {
            name: name.into(),
            look,
            steps,
        })
    };
    limits.into_iter().filter_map(line).collect()
}

/// What becomes dirty, and what becomes clean again.
fn flows(log: &SensorLog) -> FigureLines {
    let flow = |name: &str, look, series: &str| {
        Some(FigureLine {
            name: name.into(),
            look,
            steps: rates(log, &[series.to_string()], 1.0)?,
        })
    };
    FigureLines {
        id: "dirty-flow".into(),
        measure: "into the cache and out of it".into(),
        quantity: Quantity::BytesPerS,
        lines: [flow("dirtied", FigureLook::Write, "vm.dirtied"), flow("written out", FigureLook::Ink, "vm.written")]
            .into_iter()
            .flatten()
            .collect(),
        is_log: false,
        caption: "What programs dirtied and what was written out, of the whole machine; the gap between them fills memory.".into(),
        gap_reason: "no sample was taken then".into(),
    }
}
