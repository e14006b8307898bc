//! From raw counters at the two edges of a window to figures that people know: waits, rates, shares of a CPU.
//!
//! Those of devices and CPUs are the fields that their sensors declare. A counter that fell was reset; a figure made of it has
//! no value for that window. One of 32 bits may have wrapped.

use crate::fields::Pick;
use model::field::{Field, Formula, cpu, disk, field, subject};
use model::reading::{Reading, ReadingRow, SeriesName};
use model::sample::MetricKind;
use std::sync::Arc;

/// Ticks of /proc/stat are hundredths of a second on every architecture (USER_HZ).
const TICK_US: f64 = 10_000.0;

/// The declared fields that tell arms apart.
const DECLARED: [&str; 16] = [
    "disk.reads_per_s",
    "disk.writes_per_s",
    "disk.flushes_per_s",
    "disk.read_merges_per_s",
    "disk.write_merges_per_s",
    "disk.await_read_ms",
    "disk.await_write_ms",
    "disk.await_flush_ms",
    "disk.size_read_bytes",
    "disk.size_write_bytes",
    "disk.queue_mean_ios",
    "cpu.busy_percent",
    "cpu.softirq_percent",
    "cpu.irq_percent",
    "cpu.steal_percent",
    "cpu.iowait_percent",
];

/// Column of the I/Os that the load completed, beside the kernel's: one of them may be many of the device's.
const LOAD_IOS: &str = "load.ios";

/// What only an experiment counts: its load, and interrupts of the target.
static OWN: &[Field] = &[
    field(
        "load.per_s",
        "/s",
        Formula::Rate(&[LOAD_IOS], 1.0),
        "I/Os of the load completed",
        "",
    ),
    field(
        "irq.cpu{}.target_per_s",
        "/s",
        Formula::Rate(&["irq.cpu{}.target"], 1.0),
        "interrupts of the target's devices that a CPU took",
        "",
    ),
];

/// The series of [`Recipe`] that counts the I/Os of the load.
pub fn load_ios() -> SeriesName {
    SeriesName {
        name: LOAD_IOS.into(),
        kind: MetricKind::Counter,
    }
}

/// How figures are made of columns.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    figures: Vec<Figure>,
    series: Arc<Vec<SeriesName>>,
}

#[derive(Clone, Debug)]
struct Figure {
    name: String,
    unit: &'static str,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    /// A declared field.
    Field(Pick),
    /// Busy time of all CPUs over the I/Os of the load.
    TimePerIo { busy: Vec<usize>, ios: usize },
}

/// Mean of a figure's windows and how they differ, taken in one by one (Welford 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Windows.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    squares: f64,
}

impl Moments {
    /// Takes in one more window.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let step = value - self.mean;
        self.mean += step / self.count as f64;
        self.squares += step * (value - self.mean);
    }

    /// Standard deviation; 0 below two windows.
    pub fn spread(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.squares / (self.count - 1) as f64).sqrt()
        }
    }
}

impl Recipe {
    /// The figures that these columns give.
    pub fn new(columns: Vec<SeriesName>) -> Recipe {
        let declared = disk::FIELDS
            .iter()
            .chain(cpu::FIELDS)
            .filter(|field| DECLARED.contains(&field.id().as_str()));
        let fields = declared.chain(OWN);
        let mut figures: Vec<Figure> = fields.flat_map(|field| of_field(field, &columns)).collect();
        figures.extend(time_per_io(&columns));
        Recipe {
            figures,
            series: Arc::new(columns),
        }
    }

    /// Name and unit of each figure.
    pub fn names(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.figures
            .iter()
            .map(|figure| (figure.name.as_str(), figure.unit))
    }

    /// The figures of a window of `elapsed_ns` between two readings of the columns.
    pub fn compute(&self, from: &[f64], to: &[f64], elapsed_ns: u64) -> Vec<Option<f64>> {
        let row = |time_ns, cells: &[f64]| ReadingRow {
            time_ns,
            cells: cells.into(),
        };
        let reading = Reading {
            sensor: "",
            series: self.series.clone(),
            from: Some(row(0, from)),
            to: row(elapsed_ns as i64, to),
        };
        self.figures
            .iter()
            .map(|figure| figure.value(&reading))
            .collect()
    }
}

impl Figure {
    fn value(&self, reading: &Reading) -> Option<f64> {
        match &self.of {
            Of::Field(pick) => pick.value(reading),
            Of::TimePerIo { busy, ios } => {
                let ios = reading.grown(&[*ios]).filter(|ios| *ios > 0.0)?;
                reading.grown(busy).map(|ticks| ticks / ios * TICK_US)
            }
        }
    }
}

/// A field for each subject whose series are there.
fn of_field(field: &'static Field, columns: &[SeriesName]) -> Vec<Figure> {
    let (of, _) = field.formula.parts();
    let Some(first) = of.first() else {
        return Vec::new();
    };
    let figure = |column: &SeriesName| {
        let subject = subject(first, &column.name)?;
        Some(Figure {
            name: field.of(subject),
            unit: field.unit,
            of: Of::Field(Pick::new(field, subject, columns)?),
        })
    };
    columns.iter().filter_map(figure).collect()
}

/// CPU time of all CPUs over the I/Os of the load.
fn time_per_io(columns: &[SeriesName]) -> Option<Figure> {
    let busy = cpu::FIELDS
        .iter()
        .find(|field| field.id() == "cpu.busy_percent")?;
    let (parts, _) = busy.formula.parts();
    let is_busy = |name: &str| parts.iter().any(|part| subject(part, name).is_some());
    let busy: Vec<usize> = (0..columns.len())
        .filter(|place| is_busy(&columns[*place].name))
        .collect();
    let ios = columns.iter().position(|column| column.name == LOAD_IOS)?;
    (!busy.is_empty()).then(|| Figure {
        name: "cpu.all.us_per_io".into(),
        unit: "us",
        of: Of::TimePerIo { busy, ios },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<SeriesName> {
        let disk = [
            "read_ios",
            "read_merges",
            "read_sectors",
            "read_ms",
            "write_ios",
            "write_merges",
        ];
        let disk = disk
            .into_iter()
            .chain(["write_sectors", "write_ms", "queue_ms"]);
        let disk = disk.map(|name| format!("disk.vda.{name}"));
        let cpu = [
            "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal",
        ];
        let cpu = cpu.iter().map(|name| format!("cpu.1.{name}"));
        disk.chain(cpu)
            .chain([
                "irq.cpu1.all".to_string(),
                "irq.cpu1.target".to_string(),
                LOAD_IOS.to_string(),
            ])
            .map(|name| SeriesName {
                kind: match name.ends_with("_ms") {
                    true => MetricKind::Counter32,
                    false => MetricKind::Counter,
                },
                name,
            })
            .collect()
    }

    fn value(figures: &[Option<f64>], recipe: &Recipe, name: &str) -> Option<f64> {
        let index = recipe.names().position(|(found, _)| found == name);
        figures[index.unwrap_or_else(|| panic!("no figure {name}"))]
    }

    #[test]
    fn counters_become_what_iostat_and_mpstat_show() {
        let recipe = Recipe::new(columns());
        let from = vec![0.0; 20];
        let to = [
            // 1,000 reads of 4 KiB that took 500 ms together, no writes; 500 ms of requests in half a second.
            1_000.0, 20.0, 8_000.0, 500.0, 0.0, 0.0, 0.0, 0.0, 500.0, //
            10.0, 0.0, 9.0, 6.0, 5.0, 0.0, 20.0, 0.0, //
            2_000.0, 900.0, 500.0,
        ];
        let figures = recipe.compute(&from, &to, 500_000_000);
        let of = |name: &str| value(&figures, &recipe, name);
        assert_eq!(of("disk.vda.reads_per_s"), Some(2_000.0));
        assert_eq!(of("disk.vda.await_read_ms"), Some(0.5));
        assert_eq!(
            of("disk.vda.await_write_ms"),
            None,
            "no writes have no wait"
        );
        assert_eq!(of("disk.vda.size_read_bytes"), Some(4096.0));
        assert_eq!(of("disk.vda.read_merges_per_s"), Some(40.0));
        assert_eq!(of("disk.vda.queue_mean_ios"), Some(1.0));
        assert_eq!(of("cpu.1.busy_percent"), Some(78.0));
        assert_eq!(of("cpu.1.softirq_percent"), Some(40.0));
        assert_eq!(of("cpu.1.iowait_percent"), Some(10.0));
        assert_eq!(
            of("cpu.all.us_per_io"),
            Some(780.0),
            "by I/O of the load, which the device sees as two"
        );
        assert_eq!(of("load.per_s"), Some(1_000.0));
        assert_eq!(of("irq.cpu1.target_per_s"), Some(1_800.0));
        assert!(
            recipe.names().all(|(name, _)| !name.contains("flush")),
            "this kernel does not count flushes"
        );
    }

    #[test]
    fn a_reset_or_a_gap_is_no_value_and_a_wrap_is() {
        let recipe = Recipe::new(columns());
        let (mut from, mut to) = (vec![10.0; 20], vec![20.0; 20]);
        (from[3], to[3]) = (5_000_000.0, 7.0);
        (from[7], to[7]) = (4_294_967_290.0, 14.0);
        to[0] = f64::NAN;
        to[9] = 3.0;
        let figures = recipe.compute(&from, &to, 100_000_000);
        for name in [
            "disk.vda.await_read_ms",
            "disk.vda.reads_per_s",
            "cpu.all.us_per_io",
        ] {
            assert_eq!(value(&figures, &recipe, name), None, "{name}");
        }
        assert_eq!(
            value(&figures, &recipe, "disk.vda.writes_per_s"),
            Some(100.0)
        );
        assert_eq!(
            value(&figures, &recipe, "disk.vda.await_write_ms"),
            Some(2.0),
            "20 ms over the wrap, of 10 writes"
        );
        assert!(
            recipe.compute(&from, &from, 0).iter().all(Option::is_none),
            "nothing happened in no time"
        );
    }

    #[test]
    fn moments_are_mean_and_standard_deviation() {
        let mut moments = Moments::default();
        assert_eq!((moments.count, moments.spread()), (0, 0.0));
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
            .into_iter()
            .for_each(|value| moments.add(value));
        assert_eq!((moments.count, moments.mean), (8, 5.0));
        assert!((moments.spread() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    }
}
