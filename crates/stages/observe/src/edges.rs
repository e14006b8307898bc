//! Counters read at the edges of a window, at moments that somebody else chooses.
//!
//! The sampler's rows are 100 ms apart, and an experiment's windows are hardly longer: between two edges that fall
//! where they may there is often no pair of rows. So the same sensors are read once more, exactly where a window's kept
//! part begins and ends.

use super::{Scope, SensorSource, sensors};
use host::{Host, clock, process};
use model::reading::SeriesName;

/// The sensors whose counters say what a window did.
const READ: [&str; 3] = ["cpu", "diskstats", "interrupts"];

/// Opened sensors; those that this machine does not have are left out.
pub struct Edges {
    sources: Vec<Timed>,
    columns: Vec<SeriesName>,
}

/// A sensor and the CPU time that a read takes: on machines with hundreds of interrupt lines and CPUs it is milliseconds.
/// It is measured when the sensor is opened, so that one read that was interrupted does not end all.
struct Timed {
    source: Box<dyn SensorSource>,
    width: usize,
    took_ns: u64,
}

/// All counters at one moment, in the order of [`Edges::columns`]; NaN is a value that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeReading {
    /// When, ns of [`host::clock::monotonic_ns`].
    pub time_ns: u64,
    /// The raw values.
    pub values: Vec<f64>,
}

impl Edges {
    /// Opens the sensors on the devices of a path.
    pub fn open(host: &Host, scope: &Scope) -> Edges {
        let chosen = sensors::ALL
            .iter()
            .filter(|sensor| READ.contains(&sensor.id));
        let opened = chosen.filter_map(|sensor| sensor.opened(host, scope).ok());
        let mut edges = Edges {
            sources: Vec::new(),
            columns: Vec::new(),
        };
        for source in opened {
            let names = source.columns().into_iter().map(|column| SeriesName {
                name: column.name,
                kind: column.metric.kind,
            });
            let before = edges.columns.len();
            edges.columns.extend(names);
            edges.sources.push(Timed {
                source,
                width: edges.columns.len() - before,
                took_ns: 0,
            });
        }
        // The first read of a file is slower than all others; the second one says what reading takes.
        edges.read(u64::MAX);
        for sensor in &mut edges.sources {
            let begin_ns = process::thread_cpu_ns();
            // A source that fails is found out again at every edge.
            let _ = sensor.source.read(&mut vec![f64::NAN; sensor.width]);
            sensor.took_ns = process::thread_cpu_ns() - begin_ns;
        }
        edges
    }

    /// The series, as the sensors give them.
    pub fn columns(&self) -> &[SeriesName] {
        &self.columns
    }

    /// Reads every sensor that takes `most_ns` of CPU time at the most.
    pub fn read(&mut self, most_ns: u64) -> EdgeReading {
        let mut reading = EdgeReading {
            time_ns: clock::monotonic_ns(),
            values: vec![f64::NAN; self.columns.len()],
        };
        let mut rest = reading.values.as_mut_slice();
        for sensor in &mut self.sources {
            let (row, after) = rest.split_at_mut(sensor.width);
            rest = after;
            if sensor.took_ns > most_ns {
                continue;
            }
            if sensor.source.read(row).is_err() {
                row.fill(f64::NAN);
            }
        }
        reading
    }
}

impl std::fmt::Debug for Edges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edges")
            .field("columns", &self.columns.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(files: &[(&str, &str)]) -> Host {
        let mut text = String::from("iodyno-host 1\n");
        for (path, content) in files {
            text.push_str(&format!(
                "path: {path}\nlines: {}\n{content}\n",
                content.lines().count()
            ));
        }
        Host::from_archive(host::Archive::parse(&text).unwrap())
    }

    #[test]
    fn what_a_machine_has_is_read_and_the_rest_left_out() {
        let disk = "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11";
        let stat = "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0";
        let host = host(&[("/proc/diskstats", disk), ("/proc/stat", stat)]);
        let mut edges = Edges::open(&host, &Scope::devices(&["sda"]));
        let (cpu, disk) = ("cpu.0.", "disk.sda.");
        let of = |prefix: &str| {
            edges
                .columns()
                .iter()
                .filter(|column| column.name.starts_with(prefix))
                .count()
        };
        assert_eq!((of(cpu), of(disk)), (8, 11));
        let reading = edges.read(u64::MAX);
        let at = |name: &str| {
            let index = edges
                .columns()
                .iter()
                .position(|column| column.name == name)
                .unwrap();
            reading.values[index]
        };
        assert_eq!((at("cpu.0.softirq"), at("disk.sda.read_ios")), (7.0, 1.0));
    }

    #[test]
    fn a_sensor_that_takes_too_long_is_left_out() {
        let host = host(&[("/proc/diskstats", "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11")]);
        let mut edges = Edges::open(&host, &Scope::devices(&["sda"]));
        edges.sources[0].took_ns = 2_000;
        assert!(edges.read(1_000).values.iter().all(|value| value.is_nan()));
        assert!(edges.read(2_000).values.iter().all(|value| !value.is_nan()));
    }

    #[test]
    fn a_machine_without_sources_has_empty_readings() {
        let mut edges = Edges::open(&host(&[]), &Scope::default());
        assert!(edges.columns().is_empty() && edges.read(u64::MAX).values.is_empty());
    }
}
