//! # Block-layer latency by layer
//!
//! Where an I/O spends its time below the system call: waiting for a request, in the scheduler, in the device.
//!
//! ## What it reads
//! The kernel's trace events of block I/O, by programs that run in the kernel (eBPF) on every block device of the path.
//! *Full* follows each I/O from block_bio_queue through block_getrq, block_rq_insert and block_rq_issue to
//! block_rq_complete, or block_bio_complete where a driver has no requests. *Lite* looks at block_rq_complete only and
//! takes the times that the kernel keeps in the request. Where the kernel takes no programs, full reads the same events
//! from perf's rings, from tracefs or from blktrace, whichever of them it has, and pairs them by device and sector. The
//! record says which it was. `--layers off|auto|lite|full|perf|tracefs|blktrace`
//! chooses: `run` traces nothing unless asked, `watch` is lite, `tune` is full after each decision. The times themselves are histograms of
//! 1,856 buckets, kept once for the whole load in the record's `layers` (and by arm in a trial's); this sensor keeps the
//! counts over time.
//!
//! - Q2G: waiting for a request: all tags taken, or the disk throttled
//! - G2I: in the submitter's batch (plug)
//! - I2D: in the scheduler
//! - G2D: from the request to the driver, where no scheduler is between them
//! - D2C: in driver and device
//! - Q2C: all of it, by bio; G2C: from the request on (lite)
//!
//! A layer that a driver or scheduler does not have is absent, never zero: none has no G2I and I2D, zram and dm have
//! Q2C only. Merged bios share their request's layers; the parts of a split one are counted each, from the moment the
//! whole was queued. A loop device and the disk below it have layers each.
//!
//! For a load of iodyno's own the record's layers also have `outside`: the mean latency of the load less the mean Q2C of
//! the uppermost device, by direction. That is the time from the call that submits an I/O to the block layer, and from the
//! block layer's end to the program: file system and page cache, the driver's way back, the interrupt, the wake-up,
//! waiting for a CPU. It is absent where the device saw another number of I/Os than the load made (by more than 1 %), as
//! with a page cache, a split, other users of the disk, or a ramp.
//!
//! ## Metrics
//! `layers.<device>.queued`, `issued`, `merged`, `split`, `requeued`, `errored`, `dropped`, `at_attach`, `unmatched`,
//! `untimed`, `partial`, `unwalked`, `commands`, `backwards`, `again`: I/Os since the programs were attached.
//!
//! ## Cost
//! Full takes about a third of a microsecond of CPU per I/O and device, lite a fifth of that; events of other devices cost a twentieth.
//! Attaching takes 20 ms to a second before the load starts. A disk in memory (zram) would lose a third of its rate,
//! so there it has to be asked for.
//!
//! ## When absent
//! Without root (CAP_BPF and CAP_PERFMON), in most containers; lite also on kernels before 5.5 or built without
//! CONFIG_DEBUG_INFO_BTF, where full goes down the ladder: perf, tracefs, blktrace. `iodyno explain layers` says what this machine gives and why.
//! The kernel runs no program for an event that interrupts one on the same CPU: such I/Os are missing from the
//! histograms, and `unseen` in the record's counters says how many.
//!
//! ## Example
//! I2D has a median of 410 µs and D2C of 88 µs: the disk is fast, the scheduler holds requests back.

use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::Host;
use model::sample::MetricKind::Counter;
use probe::Layers;
use std::sync::Arc;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "layers",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/sys/kernel/btf/vmlinux"],
    metrics: METRICS,
    fields: &[],
    open,
};

const fn metric(name: &'static str, meaning: &'static str, cannot_tell: &'static str) -> Metric {
    Metric {
        name,
        unit: "ios",
        kind: Counter,
        meaning,
        cannot_tell,
    }
}

/// In the order of the programs' counters.
static METRICS: &[Metric] = &[
    metric(
        "layers.{}.queued",
        "I/Os that arrived at the device (full)",
        "",
    ),
    metric(
        "layers.{}.issued",
        "requests that the driver got (full)",
        "",
    ),
    metric(
        "layers.{}.merged",
        "I/Os that were done as a part of another one's request (full)",
        "",
    ),
    metric(
        "layers.{}.split",
        "parts cut off I/Os that were too large for the device (full)",
        "",
    ),
    metric(
        "layers.{}.requeued",
        "requests that the driver gave back (full)",
        "why: a busy device or a full queue",
    ),
    metric(
        "layers.{}.errored",
        "I/Os that failed",
        "what failed: retries of the driver are not seen",
    ),
    metric(
        "layers.{}.dropped",
        "I/Os not followed because their place in the table was taken (full)",
        "",
    ),
    metric(
        "layers.{}.at_attach",
        "completions of what was under way before the programs came",
        "",
    ),
    metric(
        "layers.{}.unmatched",
        "other completions whose beginning was not seen (full)",
        "",
    ),
    metric(
        "layers.{}.untimed",
        "completions without the kernel's time stamps, as with iostats 0 (lite)",
        "",
    ),
    metric(
        "layers.{}.partial",
        "completions of only a part of a request",
        "",
    ),
    metric(
        "layers.{}.unwalked",
        "requests of more than 256 I/Os, of which the rest is not counted (full)",
        "",
    ),
    metric(
        "layers.{}.commands",
        "commands of drivers and zones, which are no I/O",
        "",
    ),
    metric(
        "layers.{}.backwards",
        "times left out because they would have been negative",
        "",
    ),
    metric(
        "layers.{}.again",
        "tries that were not to wait and would have had to, as io_uring's first (full)",
        "",
    ),
];

struct LayerCounters {
    layers: Arc<Layers>,
}

fn open(_host: &Host, scope: &Scope) -> Opened {
    match scope.tracing.layers() {
        Ok(layers) => Ok(Box::new(LayerCounters {
            layers: layers.clone(),
        })),
        Err(reason) => Err(reason.to_string()),
    }
}

impl SensorSource for LayerCounters {
    fn columns(&self) -> Vec<SensorColumn> {
        let devices = self.layers.devices().iter();
        devices
            .flat_map(|device| {
                METRICS
                    .iter()
                    .map(|metric| SensorColumn::of(metric, &device.name))
            })
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for (slot, cells) in row.chunks_mut(METRICS.len()).enumerate() {
            // A map that cannot be read leaves a gap.
            if let Ok(counts) = self.layers.counters(slot) {
                cells
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(cell, count)| *cell = count as f64);
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let rung = self.layers.strength().rung();
        let why = self.layers.why_not_better().join("; ");
        if why.is_empty() {
            Vec::new()
        } else {
            vec![format!("layers come from {rung}; not from {why}")]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tracing;
    use crate::sensor_tests::read_once;

    #[test]
    fn metrics_are_the_programs_counters() {
        let names: Vec<String> = Layers::counter_names()
            .iter()
            .map(|name| format!("layers.{{}}.{name}"))
            .collect();
        assert_eq!(
            METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>(),
            names
        );
    }

    #[test]
    fn without_programs_it_says_why() {
        let scope = Scope {
            tracing: Tracing::off("no rights"),
            ..Scope::default()
        };
        assert_eq!(read_once(&SENSOR, &[], &scope).unwrap_err(), "no rights");
    }
}
