//! # Soft interrupts
//!
//! Where block completions and timers run: a CPU that completes everybody's I/O is seen here.
//!
//! ## What it reads
//! `/proc/softirqs` (proc(5)): the lines BLOCK, IRQ_POLL (BLOCK_IOPOLL before Linux 4.5), TIMER and TASKLET.
//!
//! ## Metrics
//! `softirq.cpu<n>.block`, `irq_poll`, `timer`, `tasklet`: since boot, wrapping at 2^32. The file has a column for each
//! CPU that the machine could have; one that has run none of the four has no series until it does.
//!
//! ## Cost
//! One read per sample; the kernel prints ten lines × CPUs numbers.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `softirq.cpu1.block_per_s` at 80,000 and 0 on all others: CPU 1 completes every I/O (`rq_affinity`, or one queue).

use crate::declare::{field, metric};
use crate::scan::Scan;
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::{Host, Sampled};
use model::field::Field;
use model::field::Formula::Rate;
use model::sample::MetricKind::Counter32;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "softirqs",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/softirqs"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const BLOCK: &str = "block completions that ran as soft interrupts";
const NOT_ALL: &str =
    "completions that ran in the interrupt itself or were polled, which need none";
const IRQ_POLL: &str =
    "rounds of polling by drivers that poll after an interrupt (some SAS controllers)";
const TIMER: &str = "rounds of expired timers, request timeouts and I/O throttling among them";
const TASKLET: &str = "tasklets, in which some older drivers complete I/O";

static METRICS: &[Metric] = &[
    metric("softirq.cpu{}.block", "events", Counter32, BLOCK, NOT_ALL),
    metric("softirq.cpu{}.irq_poll", "events", Counter32, IRQ_POLL, ""),
    metric("softirq.cpu{}.timer", "events", Counter32, TIMER, ""),
    metric("softirq.cpu{}.tasklet", "events", Counter32, TASKLET, ""),
];

static FIELDS: &[Field] = &[
    field(
        "softirq.cpu{}.block_per_s",
        "/s",
        Rate(&["softirq.cpu{}.block"], 1.0),
        BLOCK,
        NOT_ALL,
    ),
    field(
        "softirq.cpu{}.irq_poll_per_s",
        "/s",
        Rate(&["softirq.cpu{}.irq_poll"], 1.0),
        IRQ_POLL,
        "",
    ),
    field(
        "softirq.cpu{}.timer_per_s",
        "/s",
        Rate(&["softirq.cpu{}.timer"], 1.0),
        TIMER,
        "",
    ),
    field(
        "softirq.cpu{}.tasklet_per_s",
        "/s",
        Rate(&["softirq.cpu{}.tasklet"], 1.0),
        TASKLET,
        "",
    ),
];

/// The metric of a line.
fn metric_of(word: &[u8]) -> Option<usize> {
    match word {
        b"BLOCK:" => Some(0),
        b"IRQ_POLL:" | b"BLOCK_IOPOLL:" => Some(1),
        b"TIMER:" => Some(2),
        b"TASKLET:" => Some(3),
        _ => None,
    }
}

struct Softirqs {
    file: Sampled,
    /// By column of the file: the CPU's number and the place of its cells, once it has run any.
    cpus: Vec<(u64, Option<usize>)>,
    /// How many CPUs have a place, and how many of those have series.
    placed: usize,
    known: usize,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let mut file = host
        .sampled("/proc/softirqs")
        .map_err(|error| error.to_string())?;
    let mut header = Scan::new(file.read().map_err(|error| error.to_string())?);
    let number = |word: &[u8]| Scan::new(word.strip_prefix(b"CPU")?).number();
    let cpus: Vec<_> = std::iter::from_fn(|| number(header.word()))
        .map(|cpu| (cpu, None))
        .collect();
    if cpus.is_empty() {
        return Err("/proc/softirqs has no CPU columns".into());
    }
    let mut softirqs = Softirqs {
        file,
        cpus,
        placed: 0,
        known: 0,
    };
    softirqs.read(&mut []).map_err(|error| error.to_string())?;
    softirqs.known = softirqs.placed;
    Ok(Box::new(softirqs))
}

impl Softirqs {
    /// Series of the CPUs from this place on.
    fn columns_from(&self, first: usize) -> Vec<SensorColumn> {
        let mut cpus: Vec<(usize, u64)> = self
            .cpus
            .iter()
            .filter_map(|(number, place)| Some(((*place)?, *number)))
            .collect();
        cpus.sort_unstable();
        let wanted = cpus
            .iter()
            .filter(|(place, _)| (first..self.known).contains(place));
        wanted
            .flat_map(|(_, number)| SensorColumn::all_of(METRICS, &number.to_string()))
            .collect()
    }
}

impl SensorSource for Softirqs {
    fn columns(&self) -> Vec<SensorColumn> {
        self.columns_from(0)
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let known = std::mem::replace(&mut self.known, self.placed);
        if known == self.placed {
            Vec::new()
        } else {
            self.columns_from(known)
        }
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let mut scan = Scan::new(self.file.read()?);
        scan.line();
        while !scan.is_done() {
            if let Some(metric) = metric_of(scan.word()) {
                for (_, place) in &mut self.cpus {
                    let Some(count) = scan.number() else { break };
                    if place.is_none() && count > 0 {
                        *place = Some(self.placed);
                        self.placed += 1;
                    }
                    let cell = place.and_then(|place| row.get_mut(place * METRICS.len() + metric));
                    if let Some(cell) = cell {
                        *cell = count as f64;
                    }
                }
            }
            scan.line();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::read_once;

    #[test]
    fn a_cpu_that_never_ran_any_has_no_series() {
        let text = "                    CPU0       CPU1       CPU2       CPU3\n          HI:          1          1 \
            0 0\n       TIMER:    2000 0 0 5\n      NET_TX:   1 1 1 1\n       BLOCK:     7 0 0 80000\n    IRQ_POLL: 0 0 0 0\n     \
            TASKLET:  3 0 0 0\n";
        let row = read_once(&SENSOR, &[("/proc/softirqs", text)], &Scope::default()).unwrap();
        let values: Vec<(&str, f64)> = row
            .iter()
            .map(|(name, value)| (name.as_str(), value.unwrap()))
            .collect();
        assert_eq!(
            values[..2],
            [("softirq.cpu0.block", 7.0), ("softirq.cpu0.irq_poll", 0.0)]
        );
        assert_eq!(
            values[4..7],
            [
                ("softirq.cpu3.block", 80000.0),
                ("softirq.cpu3.irq_poll", 0.0),
                ("softirq.cpu3.timer", 5.0)
            ]
        );
        assert_eq!(values.len(), 8);
    }

    #[test]
    fn linux_3_10_names_polling_otherwise() {
        let text = "      CPU0\nTIMER: 1\nBLOCK: 2\nBLOCK_IOPOLL: 3\nTASKLET: 4\n";
        let row = read_once(&SENSOR, &[("/proc/softirqs", text)], &Scope::default()).unwrap();
        let values: Vec<f64> = row.iter().map(|(_, value)| value.unwrap()).collect();
        assert_eq!(values, [2.0, 3.0, 1.0, 4.0]);
    }
}
