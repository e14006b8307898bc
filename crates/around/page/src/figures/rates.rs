//! Rates over time: I/Os and bytes per second, I/Os in flight, CPU time. One measure a chart, all on the same time.

use super::FigureLook;
use super::lines::{FigureLine, FigureLines};
use crate::figure::Figure;
use crate::reduce::ReduceStep;
use crate::series::{field, gauge, log_of, rates, subjects};
use model::field::disk;
use model::record::{Interval, IntervalSide, LoadResult, Record};
use view::scale::Quantity;

const GAP: &str = "no sample was taken then, or a counter was reset";
/// A run with fewer intervals is drawn from its finer bins.
const FEW_INTERVALS: usize = 20;

/// The charts of a record.
pub fn figures(record: &Record) -> Vec<Figure> {
    let own = own_rates(record);
    let device = if own.is_empty() {
        device_rates(record)
    } else {
        Vec::new()
    };
    own.into_iter()
        .chain(device)
        .chain(in_flight(record))
        .chain(cpu(record))
        .collect()
}

/// What the load itself counted.
fn own_rates(record: &Record) -> Vec<Figure> {
    if record.sections().len() > 1 {
        return sections(record).into_iter().collect();
    }
    let Some(load) = record.load() else {
        return Vec::new();
    };
    let bins = bins(load);
    let intervals = &load.intervals;
    if intervals.is_empty() && bins.is_none() {
        return Vec::new();
    }
    let caption = |what: &str| {
        let ms = intervals.first().map_or(0, |interval| interval.length_ms);
        format!(
            "{what}, as the load counted its completions, in intervals of {}.",
            Quantity::Seconds.words(ms as f64 / 1e3)
        )
    };
    let iops = match bins {
        Some(line) => FigureLines {
            id: "rates".into(),
            measure: "I/Os per second".into(),
            quantity: Quantity::Iops,
            lines: vec![line],
            is_log: false,
            caption: format!(
                "Completions of the load in bins of {}; a bin without any is a zero.",
                Quantity::Seconds.words(load.bin_ms as f64 / 1e3)
            ),
            gap_reason: GAP.into(),
        },
        None => FigureLines {
            id: "rates".into(),
            measure: "I/Os per second".into(),
            quantity: Quantity::Iops,
            lines: sides(intervals, |side| side.ios as f64),
            is_log: false,
            caption: caption("I/Os per second"),
            gap_reason: GAP.into(),
        },
    };
    let bytes = FigureLines {
        id: "bandwidth".into(),
        measure: "bandwidth".into(),
        quantity: Quantity::BytesPerS,
        lines: sides(intervals, |side| side.bytes as f64),
        is_log: false,
        caption: caption("Bytes per second"),
        gap_reason: GAP.into(),
    };
    [iops.figure(), bytes.figure()]
        .into_iter()
        .flatten()
        .collect()
}

/// Reads and writes of intervals, those that there are.
pub fn sides(intervals: &[Interval], of: impl Fn(&IntervalSide) -> f64) -> Vec<FigureLine> {
    let line = |name: &str, look, side: &dyn Fn(&Interval) -> IntervalSide| {
        let steps = intervals.iter().map(|interval| {
            let value = of(&side(interval)) * 1e3 / interval.length_ms.max(1) as f64;
            step(interval, Some(value))
        });
        FigureLine {
            name: name.into(),
            look,
            steps: steps.collect(),
        }
    };
    let lines = [
        line("read", FigureLook::Read, &|interval| interval.read),
        line("write", FigureLook::Write, &|interval| interval.write),
    ];
    let is_used = |line: &FigureLine| {
        line.steps
            .iter()
            .any(|step| step.value.is_some_and(|value| value > 0.0))
    };
    lines.into_iter().filter(is_used).collect()
}

/// An interval as a step.
pub fn step(interval: &Interval, value: Option<f64>) -> ReduceStep {
    let from = interval.start_ms as f64 / 1e3;
    ReduceStep {
        from,
        to: from + interval.length_ms as f64 / 1e3,
        value,
    }
}

/// The bins of a short load, which has few intervals. They do not tell directions apart.
pub fn bins(load: &LoadResult) -> Option<FigureLine> {
    let is_better =
        load.intervals.len() < FEW_INTERVALS && load.bins.len() > 2 * load.intervals.len();
    if !is_better || load.bin_ms == 0 {
        return None;
    }
    let (name, look) = match (load.read.ios > 0, load.write.ios > 0) {
        (true, false) => ("read", FigureLook::Read),
        (false, true) => ("write", FigureLook::Write),
        _ => ("all I/Os", FigureLook::Ink),
    };
    let width = load.bin_ms as f64 / 1e3;
    let end = if load.elapsed_ms > 0.0 {
        load.elapsed_ms / 1e3
    } else {
        f64::INFINITY
    };
    // The last bin is only begun: as a rate it would look like a fall.
    let whole = load
        .bins
        .iter()
        .enumerate()
        .take_while(|(index, _)| (*index as f64 + 1.0) * width <= end + 1e-9);
    let steps = whole.map(|(index, count)| {
        let from = index as f64 * width;
        ReduceStep {
            from,
            to: from + width,
            value: Some(f64::from(*count) / width),
        }
    });
    let steps: Vec<ReduceStep> = steps.collect();
    (steps.len() > 1).then(|| FigureLine {
        name: name.into(),
        look,
        steps,
    })
}

/// Several sections: each as one line, on the time line of the run.
fn sections(record: &Record) -> Option<Figure> {
    let line = |(index, section): (usize, &model::record::SectionResult)| {
        let steps = section.load.intervals.iter().map(|interval| {
            let ios = (interval.read.ios + interval.write.ios) as f64 * 1e3
                / interval.length_ms.max(1) as f64;
            let step = step(interval, Some(ios));
            let shift = section.start_ms as f64 / 1e3;
            ReduceStep {
                from: step.from + shift,
                to: step.to + shift,
                ..step
            }
        });
        FigureLine {
            name: section.name.clone(),
            look: FigureLook::SERIES[index % 6],
            steps: steps.collect(),
        }
    };
    let left_out = record.sections().len().saturating_sub(6);
    let rest = if left_out > 0 {
        format!(" {left_out} more sections are in the data only.")
    } else {
        String::new()
    };
    FigureLines {
        id: "rates".into(),
        measure: "I/Os per second by section".into(),
        quantity: Quantity::Iops,
        lines: record
            .sections()
            .iter()
            .take(6)
            .enumerate()
            .map(line)
            .collect(),
        is_log: false,
        caption: format!("Completions of each section, reads and writes together.{rest}"),
        gap_reason: GAP.into(),
    }
    .figure()
}

/// What the kernel counted on the device, where no load of ours did.
fn device_rates(record: &Record) -> Vec<Figure> {
    let Some((log, device)) = device_log(record, "diskstats", "disk.{}.read_ios") else {
        return Vec::new();
    };
    let lines = |ids: [&str; 2]| {
        let looks = [("read", FigureLook::Read), ("write", FigureLook::Write)];
        let lines = ids.iter().zip(looks).filter_map(|(id, (word, look))| {
            let steps = field(log, disk::find(id)?, &device)?;
            Some(FigureLine {
                name: word.into(),
                look,
                steps,
            })
        });
        lines
            .filter(|line| {
                line.steps
                    .iter()
                    .any(|step| step.value.is_some_and(|v| v > 0.0))
            })
            .collect::<Vec<_>>()
    };
    let caption = format!(
        "What the kernel completed on {device} (/proc/diskstats), whoever asked for it; requests after merging."
    );
    let iops = FigureLines {
        id: "rates".into(),
        measure: format!("requests per second on {device}"),
        quantity: Quantity::PerSecond,
        lines: lines(["disk.reads_per_s", "disk.writes_per_s"]),
        is_log: false,
        caption: caption.clone(),
        gap_reason: GAP.into(),
    };
    let bytes = FigureLines {
        id: "bandwidth".into(),
        measure: format!("bandwidth of {device}"),
        quantity: Quantity::BytesPerS,
        lines: lines(["disk.read_bytes_per_s", "disk.write_bytes_per_s"]),
        is_log: false,
        caption,
        gap_reason: GAP.into(),
    };
    [iops.figure(), bytes.figure()]
        .into_iter()
        .flatten()
        .collect()
}

/// The log of a sensor and the device of the path's queue, or the first that the log has.
fn device_log<'a>(
    record: &'a Record,
    sensor: &str,
    pattern: &str,
) -> Option<(&'a model::sample::SensorLog, String)> {
    let log = log_of(record, sensor)?;
    let known = subjects(log, pattern);
    let wanted = record.trials().first().map(|trial| trial.device.as_str());
    let wanted = wanted.or(record.path.queue_device().map(|layer| layer.name.as_str()));
    let device = known
        .iter()
        .find(|name| Some(**name) == wanted)
        .or(known.first())?;
    Some((log, (*device).to_string()))
}

fn in_flight(record: &Record) -> Option<Figure> {
    let (log, device) = device_log(record, "inflight", "inflight.{}.read_ios")?;
    let sides = [
        ("read", FigureLook::Read, "read_ios"),
        ("write", FigureLook::Write, "write_ios"),
    ];
    let lines = sides.into_iter().filter_map(|(word, look, name)| {
        let steps = gauge(log, &[format!("inflight.{device}.{name}")], 1.0)?;
        steps
            .iter()
            .any(|step| step.value.is_some_and(|v| v > 0.0))
            .then(|| FigureLine {
                name: word.into(),
                look,
                steps,
            })
    });
    FigureLines {
        id: "inflight".into(),
        measure: format!("in flight on {device}"),
        quantity: Quantity::Count,
        lines: lines.collect(),
        is_log: false,
        caption:
            "Requests that the driver had, as read at each sample: what was between two samples is not seen."
                .into(),
        gap_reason: GAP.into(),
    }
    .figure()
}

fn cpu(record: &Record) -> Option<Figure> {
    let log = log_of(record, "cpu")?;
    let cpus: Vec<&str> = subjects(log, "cpu.{}.idle");
    let sum = |words: &[&str]| {
        let names = cpus
            .iter()
            .flat_map(|cpu| words.iter().map(move |word| format!("cpu.{cpu}.{word}")));
        rates(log, &names.collect::<Vec<_>>(), 1.0)
    };
    // Shares of what was counted need no tick length: idle and waiting are the rest of it.
    let parts = [
        ("user", FigureLook::Discard, sum(&["user", "nice"])?),
        ("system", FigureLook::Ink, sum(&["system"])?),
        ("interrupts", FigureLook::Sync, sum(&["irq", "softirq"])?),
        ("steal", FigureLook::Sixth, sum(&["steal"])?),
    ];
    let rest = sum(&["idle", "iowait"])?;
    let whole = |index: usize| -> Option<f64> {
        let busy: Option<f64> = parts
            .iter()
            .map(|(_, _, steps)| steps.get(index)?.value)
            .sum();
        Some(busy? + rest.get(index)?.value?).filter(|whole| *whole > 0.0)
    };
    let lines = parts.iter().map(|(name, look, steps)| {
        let steps = steps.iter().enumerate().map(|(index, step)| {
            let value = step
                .value
                .zip(whole(index))
                .map(|(value, whole)| value / whole * 100.0);
            ReduceStep { value, ..*step }
        });
        FigureLine {
            name: (*name).into(),
            look: *look,
            steps: steps.collect(),
        }
    });
    let lines: Vec<FigureLine> = lines.collect();
    let is_used = |line: &FigureLine| {
        line.steps
            .iter()
            .any(|step| step.value.is_some_and(|value| value > 0.5))
    };
    let lines: Vec<FigureLine> = lines.into_iter().filter(is_used).collect();
    FigureLines {
        id: "cpu".into(),
        measure: "CPU time".into(),
        quantity: Quantity::Percent,
        lines,
        is_log: false,
        caption: format!(
            "Per cent of {} CPU{} together (/proc/stat). Waiting for I/O is idle time and is not drawn.",
            cpus.len(),
            if cpus.len() == 1 { "" } else { "s" }
        ),
        gap_reason: GAP.into(),
    }
    .figure()
}
