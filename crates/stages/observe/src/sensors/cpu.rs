//! # CPU time
//!
//! Where each CPU's time goes, so that a CPU which only serves interrupts is seen among idle ones.
//!
//! ## What it reads
//! `/proc/stat` (proc(5)), the lines of single CPUs and of the whole machine.
//!
//! ## Metrics
//! - `cpu.<n>.user`, `nice`, `system`, `idle`, `iowait`, `irq`, `softirq`, `steal`: ticks of 1/100 s since boot. A CPU
//!   that goes offline leaves gaps, one that comes has series from then on. `idle` and `iowait` step back by a tick now
//!   and then, which the kernel documents; the highest is kept.
//! - `stat.interrupts`, `stat.context_switches`, `stat.forks`: of the whole machine since boot
//! - `stat.running_tasks`, `stat.blocked_tasks`: at the moment of the sample
//!
//! The fields are shares of a CPU's time (`cpu.softirq_percent`) and rates (`stat.interrupts_per_s`). A tenth of a second
//! is ten ticks: single samples are coarse, seconds are not.
//!
//! ## Cost
//! One read per sample; the kernel also sums up all interrupts for the file, which grows with CPUs and lines.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `cpu.1.softirq` grows by 61 ticks in a second: CPU 1 spends 61 % of its time in soft interrupts.

use crate::declare::metric;
use crate::scan::Scan;
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::{Host, Sampled};
use model::sample::MetricKind::{Counter, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "cpu",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/stat"],
    metrics: METRICS,
    fields: model::field::cpu::FIELDS,
    open,
};

/// In the order of the columns, then what the machine has as a whole.
static METRICS: &[Metric] = &[
    metric(
        "cpu.{}.user",
        "ticks",
        Counter,
        "time in user mode, guests included",
        "",
    ),
    metric(
        "cpu.{}.nice",
        "ticks",
        Counter,
        "time in user mode at lowered priority",
        "",
    ),
    metric("cpu.{}.system", "ticks", Counter, "time in the kernel", ""),
    metric(
        "cpu.{}.idle",
        "ticks",
        Counter,
        "time with nothing to do",
        "",
    ),
    metric(
        "cpu.{}.iowait",
        "ticks",
        Counter,
        "idle time while a task that last ran here waited for a disk",
        "that a disk is the bottleneck: any other work to do turns it into user time",
    ),
    metric(
        "cpu.{}.irq",
        "ticks",
        Counter,
        "time in interrupt handlers",
        "short interrupts where the kernel only counts ticks",
    ),
    metric(
        "cpu.{}.softirq",
        "ticks",
        Counter,
        "time in soft interrupts, block completions among them",
        "what ksoftirqd does, which is its own system time",
    ),
    metric(
        "cpu.{}.steal",
        "ticks",
        Counter,
        "time the hypervisor gave to others",
        "",
    ),
    metric(
        "stat.interrupts",
        "events",
        Counter,
        "interrupts served, those without a number included",
        "",
    ),
    metric(
        "stat.context_switches",
        "events",
        Counter,
        "changes from one task to another",
        "",
    ),
    metric(
        "stat.forks",
        "tasks",
        Counter,
        "processes and threads begun",
        "",
    ),
    metric(
        "stat.running_tasks",
        "tasks",
        Gauge,
        "tasks that run or could run",
        "how long they waited",
    ),
    metric(
        "stat.blocked_tasks",
        "tasks",
        Gauge,
        "tasks that wait for I/O",
        "tasks that wait in io_uring or for a lock that an I/O holds",
    ),
];

/// Columns of a CPU.
const OF_CPU: usize = 8;
const IDLE: usize = 3;
const IOWAIT: usize = 4;
/// The lines of the whole machine, in the order of their metrics.
const WORDS: [&[u8]; 5] = [
    b"intr",
    b"ctxt",
    b"processes",
    b"procs_running",
    b"procs_blocked",
];
/// A counter that fell by more has begun anew.
const STEP_BACK_MAX_TICKS: f64 = 100.0;

/// Rows hold the whole machine first, then the CPUs in the order in which they came.
struct Cpu {
    file: Sampled,
    cpus: Vec<One>,
    /// How many of them have series.
    known: usize,
}

struct One {
    number: u64,
    /// The highest `idle` and `iowait` so far.
    highest: [f64; 2],
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let mut file = host
        .sampled("/proc/stat")
        .map_err(|error| error.to_string())?;
    let mut scan = Scan::new(file.read().map_err(|error| error.to_string())?);
    let mut cpus = Vec::new();
    while !scan.is_done() {
        cpus.extend(cpu_number(scan.word()).map(One::new));
        scan.line();
    }
    match cpus.is_empty() {
        true => Err("/proc/stat lists no CPU".into()),
        false => Ok(Box::new(Cpu {
            file,
            known: cpus.len(),
            cpus,
        })),
    }
}

/// 3 of `cpu3`; none of `cpu`, the sum of all.
fn cpu_number(word: &[u8]) -> Option<u64> {
    Scan::new(word.strip_prefix(b"cpu")?).number()
}

impl One {
    fn new(number: u64) -> One {
        One {
            number,
            highest: [0.0; 2],
        }
    }

    fn columns(&self) -> Vec<SensorColumn> {
        SensorColumn::all_of(&METRICS[..OF_CPU], &self.number.to_string())
    }

    /// Keeps what may step back from doing so.
    fn steady(&mut self, cells: &mut [f64]) {
        for (highest, place) in self.highest.iter_mut().zip([IDLE, IOWAIT]) {
            if *highest - cells[place] > STEP_BACK_MAX_TICKS {
                *highest = cells[place];
            }
            *highest = highest.max(cells[place]);
            cells[place] = *highest;
        }
    }
}

impl SensorSource for Cpu {
    fn columns(&self) -> Vec<SensorColumn> {
        let machine = METRICS[OF_CPU..]
            .iter()
            .map(|metric| SensorColumn::of(metric, ""));
        machine
            .chain(self.cpus[..self.known].iter().flat_map(One::columns))
            .collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let known = std::mem::replace(&mut self.known, self.cpus.len());
        self.cpus[known..].iter().flat_map(One::columns).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let (machine, cpus) = row.split_at_mut(METRICS.len() - OF_CPU);
        let mut scan = Scan::new(self.file.read()?);
        let mut expected = 0;
        while !scan.is_done() {
            let word = scan.word();
            if let Some(number) = cpu_number(word) {
                let place = place(&mut self.cpus, expected, number);
                expected = place + 1;
                if let Some(cells) = cpus.chunks_mut(OF_CPU).nth(place) {
                    scan.fill(cells);
                    self.cpus[place].steady(cells);
                }
            } else if let Some(place) = WORDS.iter().position(|known| *known == word) {
                scan.fill(&mut machine[place..=place]);
            }
            scan.line();
        }
        Ok(())
    }
}

/// The CPU's place in the list, usually the one behind the line before. One that is new comes last.
fn place(cpus: &mut Vec<One>, expected: usize, number: u64) -> usize {
    if cpus.get(expected).is_some_and(|cpu| cpu.number == number) {
        return expected;
    }
    cpus.iter()
        .position(|cpu| cpu.number == number)
        .unwrap_or_else(|| {
            cpus.push(One::new(number));
            cpus.len() - 1
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{read_once, readings};

    const OLD: &str = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu3 11 12 13 14 15 16 17 18 0 0\n\
        intr 5 0 3\nctxt 70\nbtime 1\nprocesses 8\nprocs_running 2\nprocs_blocked 1\nsoftirq 5 0\n";

    fn value(row: &[(String, Option<f64>)], name: &str) -> Option<f64> {
        row.iter().find(|(one, _)| one == name).unwrap().1
    }

    #[test]
    fn single_cpus_without_their_sum_and_the_machine() {
        let row = read_once(&SENSOR, &[("/proc/stat", OLD)], &Scope::default()).unwrap();
        assert_eq!(row.len(), 5 + 16);
        assert_eq!(
            (value(&row, "cpu.0.user"), value(&row, "cpu.3.steal")),
            (Some(1.0), Some(18.0))
        );
        assert_eq!(
            (value(&row, "stat.interrupts"), value(&row, "stat.forks")),
            (Some(5.0), Some(8.0))
        );
        assert_eq!(
            (
                value(&row, "stat.running_tasks"),
                value(&row, "stat.blocked_tasks")
            ),
            (Some(2.0), Some(1.0))
        );
    }

    #[test]
    fn a_short_line_of_an_old_kernel_leaves_gaps() {
        let row = read_once(
            &SENSOR,
            &[("/proc/stat", "cpu0 1 2 3 4 5 6 7")],
            &Scope::default(),
        )
        .unwrap();
        assert_eq!(
            (value(&row, "cpu.0.softirq"), value(&row, "cpu.0.steal")),
            (Some(7.0), None)
        );
    }

    fn source(text: &str) -> (host::files::TemporaryDir, Cpu) {
        let dir = host::files::temporary_dir("cpu").unwrap();
        let path = dir.path().join("stat");
        host::files::write_atomically(&path, text).unwrap();
        let file = Host::live().sampled(&path.to_string_lossy()).unwrap();
        (
            dir,
            Cpu {
                file,
                cpus: vec![One::new(0)],
                known: 1,
            },
        )
    }

    #[test]
    fn a_cpu_that_comes_has_series_from_then_on() {
        let (_dir, mut cpu) = source(OLD);
        let rows = readings(&mut cpu, 2);
        assert_eq!((rows[0].len(), rows[1].len()), (5 + 8, 5 + 16));
        assert_eq!(rows[1][5 + 8], 11.0);
    }

    #[test]
    fn idle_time_does_not_step_back_but_begins_anew() {
        let mut one = One::new(0);
        let mut read = |idle: f64, iowait: f64| {
            let mut cells = [0.0, 0.0, 0.0, idle, iowait, 0.0, 0.0, 0.0];
            one.steady(&mut cells);
            (cells[IDLE], cells[IOWAIT])
        };
        assert_eq!(read(500.0, 90.0), (500.0, 90.0));
        assert_eq!(read(501.0, 89.0), (501.0, 90.0));
        assert_eq!(read(20.0, 91.0), (20.0, 91.0));
    }
}
