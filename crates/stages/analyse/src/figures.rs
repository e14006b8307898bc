//! From raw counters at the two edges of a window to figures that people know: waits, rates, shares of a CPU.
//!
//! A counter that fell was reset; a figure made of it has no value for that window. One of 32 bits may have wrapped.

use model::sample::MetricKind;

/// Ticks of /proc/stat are hundredths of a second on every architecture (USER_HZ).
const TICK_US: f64 = 10_000.0;
/// What counts as work of a CPU. Waiting for I/O is idling, and what the hypervisor stole was somebody else's.
const BUSY: [&str; 5] = ["user", "nice", "system", "irq", "softirq"];
/// All columns of a CPU.
const TIMES: [&str; 8] = [
    "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal",
];

/// Column of the I/Os that the load completed, beside the kernel's: one of them may be many of the device's.
pub const LOAD_IOS: &str = "load.ios";

/// How figures are made of columns.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    figures: Vec<Figure>,
    /// How each column counts.
    kinds: Vec<MetricKind>,
}

#[derive(Clone, Debug)]
struct Figure {
    name: String,
    unit: &'static str,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    /// Growth of a column by second.
    PerSecond { column: usize, factor: f64 },
    /// Growth of some columns over that of others.
    Ratio {
        over: Vec<usize>,
        under: Vec<usize>,
        factor: f64,
    },
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

/// Times of /proc/diskstats are in 32 bits, whatever the machine's word (Documentation/admin-guide/iostats.rst).
fn kind(column: &str) -> MetricKind {
    let is_disk_time = column.starts_with("disk.") && column.ends_with("_ms");
    if is_disk_time {
        MetricKind::Counter32
    } else {
        MetricKind::Counter
    }
}

/// Looks up columns by name.
struct Columns<'a>(&'a [String]);

impl Columns<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|column| column == name)
    }

    fn all(&self, prefix: &str, names: &[&str]) -> Option<Vec<usize>> {
        names
            .iter()
            .map(|name| self.find(&format!("{prefix}{name}")))
            .collect()
    }

    /// What stands between a prefix and a suffix, over all columns, in their order.
    fn subjects(&self, prefix: &str, suffix: &str) -> Vec<String> {
        let subject =
            |name: &String| Some(name.strip_prefix(prefix)?.strip_suffix(suffix)?.to_string());
        self.0.iter().filter_map(subject).collect()
    }
}

impl Recipe {
    /// The figures that these columns give.
    pub fn new(columns: &[String]) -> Recipe {
        let kinds = columns.iter().map(|column| kind(column)).collect();
        let columns = Columns(columns);
        let mut figures = Vec::new();
        for disk in columns.subjects("disk.", ".read_ios") {
            figures.extend(of_disk(&columns, &disk));
        }
        let cpus = columns.subjects("cpu.", ".user");
        figures.extend(cpus.iter().flat_map(|cpu| of_cpu(&columns, cpu)));
        figures.extend(per_io(&columns, &cpus));
        let load = columns.find(LOAD_IOS);
        figures
            .extend(load.map(|load| Figure::per_second("load.per_s".into(), "per_s", load, 1.0)));
        for cpu in columns.subjects("irq.cpu", ".target") {
            let column = columns.find(&format!("irq.cpu{cpu}.target"));
            let name = format!("irq.cpu{cpu}.target_per_s");
            figures.extend(column.map(|column| Figure::per_second(name, "per_s", column, 1.0)));
        }
        Recipe { figures, kinds }
    }

    /// Name and unit of each figure.
    pub fn names(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.figures
            .iter()
            .map(|figure| (figure.name.as_str(), figure.unit))
    }

    /// The figures of a window of `elapsed_ns` between two readings of the columns.
    pub fn compute(&self, from: &[f64], to: &[f64], elapsed_ns: u64) -> Vec<Option<f64>> {
        let growth = |column: usize| {
            let (kind, before, after) =
                (self.kinds.get(column)?, from.get(column)?, to.get(column)?);
            kind.grown(*before, *after)
        };
        let sum = |columns: &[usize]| {
            columns
                .iter()
                .map(|column| growth(*column))
                .sum::<Option<f64>>()
        };
        let value = |figure: &Figure| match &figure.of {
            Of::PerSecond { column, factor } => growth(*column)
                .filter(|_| elapsed_ns > 0)
                .map(|grown| grown * factor / (elapsed_ns as f64 / 1e9)),
            Of::Ratio {
                over,
                under,
                factor,
            } => sum(over)
                .zip(sum(under))
                .filter(|(_, under)| *under > 0.0)
                .map(|(over, under)| over / under * factor),
        };
        self.figures.iter().map(value).collect()
    }
}

impl Figure {
    fn per_second(name: String, unit: &'static str, column: usize, factor: f64) -> Figure {
        Figure {
            name,
            unit,
            of: Of::PerSecond { column, factor },
        }
    }

    fn ratio(
        name: String,
        unit: &'static str,
        over: Vec<usize>,
        under: Vec<usize>,
        factor: f64,
    ) -> Figure {
        Figure {
            name,
            unit,
            of: Of::Ratio {
                over,
                under,
                factor,
            },
        }
    }
}

fn of_disk(columns: &Columns<'_>, disk: &str) -> Vec<Figure> {
    let column = |name: &str| columns.find(&format!("disk.{disk}.{name}"));
    let rate = |name: &str, unit, source: &str, factor| {
        column(source)
            .map(|column| Figure::per_second(format!("disk.{disk}.{name}"), unit, column, factor))
    };
    let ratio = |name: &str, unit, over: &str, under: &str, factor| {
        let (over, under) = (column(over)?, column(under)?);
        Some(Figure::ratio(
            format!("disk.{disk}.{name}"),
            unit,
            vec![over],
            vec![under],
            factor,
        ))
    };
    let figures = [
        rate("read_per_s", "per_s", "read_ios", 1.0),
        rate("write_per_s", "per_s", "write_ios", 1.0),
        rate("flush_per_s", "per_s", "flush_ios", 1.0),
        rate("read_merges_per_s", "per_s", "read_merges", 1.0),
        rate("write_merges_per_s", "per_s", "write_merges", 1.0),
        ratio("await_read_ms", "ms", "read_ms", "read_ios", 1.0),
        ratio("await_write_ms", "ms", "write_ms", "write_ios", 1.0),
        ratio("await_flush_ms", "ms", "flush_ms", "flush_ios", 1.0),
        ratio("size_read_kib", "kib", "read_sectors", "read_ios", 0.5),
        ratio("size_write_kib", "kib", "write_sectors", "write_ios", 0.5),
        // Milliseconds of all requests by second of time: how many there were at a time.
        rate("in_flight", "ios", "queue_ms", 1e-3),
    ];
    figures.into_iter().flatten().collect()
}

fn of_cpu(columns: &Columns<'_>, cpu: &str) -> Vec<Figure> {
    let prefix = format!("cpu.{cpu}.");
    let Some(whole) = columns.all(&prefix, &TIMES) else {
        return Vec::new();
    };
    let share = |name: &str, parts: &[&str]| {
        let over = columns.all(&prefix, parts)?;
        Some(Figure::ratio(
            format!("{prefix}{name}_percent"),
            "percent",
            over,
            whole.clone(),
            100.0,
        ))
    };
    let one = |name: &str| share(name, &[name]);
    [
        share("busy", &BUSY),
        one("softirq"),
        one("irq"),
        one("steal"),
        one("iowait"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// CPU time of all CPUs over the I/Os of the load.
fn per_io(columns: &Columns<'_>, cpus: &[String]) -> Option<Figure> {
    let busy: Option<Vec<Vec<usize>>> = cpus
        .iter()
        .map(|cpu| columns.all(&format!("cpu.{cpu}."), &BUSY))
        .collect();
    let ios = vec![columns.find(LOAD_IOS)?];
    let busy = busy?.concat();
    (!busy.is_empty()).then(|| Figure::ratio("cpu.all.us_per_io".into(), "us", busy, ios, TICK_US))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<String> {
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
        let cpu = TIMES.iter().map(|name| format!("cpu.1.{name}"));
        disk.chain(cpu)
            .chain([
                "irq.cpu1.all".to_string(),
                "irq.cpu1.target".to_string(),
                LOAD_IOS.to_string(),
            ])
            .collect()
    }

    fn value(figures: &[Option<f64>], recipe: &Recipe, name: &str) -> Option<f64> {
        let index = recipe.names().position(|(found, _)| found == name);
        figures[index.unwrap_or_else(|| panic!("no figure {name}"))]
    }

    #[test]
    fn counters_become_what_iostat_and_mpstat_show() {
        let recipe = Recipe::new(&columns());
        let from = vec![0.0; 20];
        let to = [
            // 1,000 reads of 4 KiB that took 500 ms together, no writes; 500 ms of requests in half a second.
            1_000.0, 20.0, 8_000.0, 500.0, 0.0, 0.0, 0.0, 0.0, 500.0, //
            10.0, 0.0, 9.0, 6.0, 5.0, 0.0, 20.0, 0.0, //
            2_000.0, 900.0, 500.0,
        ];
        let figures = recipe.compute(&from, &to, 500_000_000);
        let of = |name: &str| value(&figures, &recipe, name);
        assert_eq!(of("disk.vda.read_per_s"), Some(2_000.0));
        assert_eq!(of("disk.vda.await_read_ms"), Some(0.5));
        assert_eq!(
            of("disk.vda.await_write_ms"),
            None,
            "no writes have no wait"
        );
        assert_eq!(of("disk.vda.size_read_kib"), Some(4.0));
        assert_eq!(of("disk.vda.read_merges_per_s"), Some(40.0));
        assert_eq!(of("disk.vda.in_flight"), Some(1.0));
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
        let recipe = Recipe::new(&columns());
        let (mut from, mut to) = (vec![10.0; 20], vec![20.0; 20]);
        (from[3], to[3]) = (5_000_000.0, 7.0);
        (from[7], to[7]) = (4_294_967_290.0, 14.0);
        to[0] = f64::NAN;
        to[9] = 3.0;
        let figures = recipe.compute(&from, &to, 100_000_000);
        for name in [
            "disk.vda.await_read_ms",
            "disk.vda.read_per_s",
            "cpu.all.us_per_io",
        ] {
            assert_eq!(value(&figures, &recipe, name), None, "{name}");
        }
        assert_eq!(
            value(&figures, &recipe, "disk.vda.write_per_s"),
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
