//! Who set the rate: the device, the depth, the load's own CPU, or the job itself.

use model::curve::Little;
use model::job::{Arrivals, Job, PerDirection, Rate};
use model::record::LoadResult;
use model::sample::SensorLog;
use model::units;
use model::window::Window;

/// A rate within this share of the one asked for counts as kept.
const KEPT: f64 = 0.97;
/// CPU time of a thread from which the load's generator is in the way.
const BUSY: f64 = 0.9;

/// What set the rate of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The rate that was asked for was kept.
    RateKept,
    /// The rate that was asked for was not reached.
    RateMissed(f64),
    /// The pauses that were asked for.
    Thinktime,
    /// The CPU time of each of the load's threads, as a share.
    Cpu(f64),
    /// One I/O at a time.
    OneAtATime,
    /// Syncs between the writes, as a share of the time.
    Sync(f64),
    /// The queue was full all the time.
    QueueFull,
    /// The queue was not full: submission takes the time.
    Submission,
    /// Nothing can be said.
    Unknown,
}

impl Limit {
    /// What set the rate of this load.
    pub fn of(job: &Job, load: &LoadResult) -> Limit {
        if let Some(asked) = asked_iops(job) {
            let kept = load.iops() / asked;
            // Random arrivals stay below their mean by chance: three standard deviations.
            let chance = match job.arrivals {
                Arrivals::Poisson => 3.0 / (load.ios().max(1) as f64).sqrt(),
                Arrivals::Linear => 0.0,
            };
            return if kept >= KEPT - chance {
                Limit::RateKept
            } else {
                Limit::RateMissed(kept)
            };
        }
        if job.is_paced() {
            return Limit::Unknown;
        }
        if job.thinktime.us > 0 {
            return Limit::Thinktime;
        }
        // Buffered libaio does its I/O while it submits: what Little's law sees is the batch, not the device's queue.
        let is_batch = job.ioengine == "libaio" && !job.direct;
        if load.depth == 0 || !load.operations.is_empty() || is_batch {
            return Limit::Unknown;
        }
        let threads = f64::from(job.numjobs.max(1));
        let cpu = (load.cpu_user_ms + load.cpu_system_ms) / load.elapsed_ms.max(1.0) / threads;
        let Some(reached) = load.in_flight() else {
            return Limit::Unknown;
        };
        let asked = f64::from(load.depth);
        let alone = threads * (1.0 + Little::TOLERANCE);
        let syncs_ns = load.sync.latency.mean_ns().unwrap_or(0.0) * load.sync.ios as f64;
        let syncing = syncs_ns / 1e6 / load.elapsed_ms.max(1.0) / threads;
        if syncing > 0.5 {
            Limit::Sync(syncing)
        } else if cpu > BUSY {
            Limit::Cpu(cpu)
        } else if reached <= alone && asked <= alone {
            Limit::OneAtATime
        } else if Little::agrees(reached, asked) {
            Limit::QueueFull
        } else {
            Limit::Submission
        }
    }

    /// For people.
    pub fn words(self, job: &Job, load: &LoadResult) -> Option<String> {
        let (asked, reached) = (load.depth, load.in_flight());
        let reached = reached.map_or_else(String::new, |depth| {
            units::count((depth * 10.0).round() / 10.0)
        });
        Some(match self {
            Limit::RateKept => "the rate that was asked for; the device could do it".into(),
            Limit::RateMissed(kept) => {
                format!(
                    "the rate that was asked for was not reached, only {} of it",
                    units::share(kept)
                )
            }
            Limit::Thinktime => "the pauses that the job asks for".into(),
            Limit::Cpu(share) => format!(
                "the load's own CPU ({} of each thread), so the device may do more: add jobs or CPUs",
                units::share(share)
            ),
            Limit::OneAtATime if job.numjobs > 1 => format!(
                "{} jobs with one I/O each in flight: the time of an I/O, not the device's capacity",
                job.numjobs
            ),
            Limit::OneAtATime => {
                "one I/O in flight: the time of an I/O, not the device's capacity".into()
            }
            Limit::Sync(share) => {
                format!(
                    "the syncs between the writes: they take {} of the time",
                    units::share(share.min(1.0))
                )
            }
            Limit::QueueFull => {
                format!("depth {reached} of {asked} was reached, so what is below sets the rate")
            }
            Limit::Submission => {
                format!(
                    "depth {reached} of {asked} was reached: submission, not the device, sets the rate"
                )
            }
            Limit::Unknown => return None,
        })
    }
}

/// The I/Os per second of all jobs together, where each direction that the job has is limited so.
fn asked_iops(job: &Job) -> Option<f64> {
    let PerDirection { read, write, trim } = job.rates;
    let used = [
        (job.rw.reads(), read),
        (job.rw.writes(), write),
        (job.rw.trims(), trim),
    ];
    let mut sum = 0.0;
    for (_, rate) in used.into_iter().filter(|(is_used, _)| *is_used) {
        match rate {
            Rate::Iops(iops) => sum += iops as f64,
            Rate::Bytes(bytes) if job.block_sizes.is_none() => sum += bytes as f64 / job.bs as f64,
            _ => return None,
        }
    }
    Some(sum * f64::from(job.numjobs.max(1))).filter(|sum| *sum > 0.0)
}

/// How much of what a load moved its device saw, as a ratio of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceShare(pub f64);

impl DeviceShare {
    /// For people; `is_in_memory` says that the device is no disk.
    pub fn words(self, is_in_memory: bool) -> String {
        let percent = units::share(self.0);
        let what = if is_in_memory {
            "device in memory"
        } else {
            "disk"
        };
        match self.0 {
            0.0..0.05 => format!("the page cache: the {what} saw {percent} of these bytes"),
            0.05..0.9 => format!("cache and {what} mixed: the {what} saw {percent} of these bytes"),
            0.9..1.15 => format!("the {what}: it saw {percent} of these bytes"),
            _ => format!(
                "the {what}, and it moved {percent} of these bytes: read-ahead, metadata or somebody else"
            ),
        }
    }
}

/// The bytes of a device's own counters against those of the only load of a run, in the time that was measured.
pub fn device_share(
    job: &Job,
    load: &LoadResult,
    sensors: &[SensorLog],
    device: &str,
) -> Option<DeviceShare> {
    let seen = Window::of_load(job, load).device_bytes(sensors, device)?;
    let sides = [
        (load.read.bytes as f64, seen.read),
        (load.write.bytes as f64, seen.written),
    ];
    let used = sides.into_iter().filter(|(moved, _)| *moved > 0.0);
    let (moved, seen) = used.fold((0.0, 0.0), |sum, side| (sum.0 + side.0, sum.1 + side.1));
    (moved > 0.0).then_some(DeviceShare(seen / moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sample::{MetricKind, SampleSeries};

    fn load(ios: u64, latency_ns: u64) -> LoadResult {
        let mut load = LoadResult {
            elapsed_ms: 1000.0,
            depth: 32,
            ..LoadResult::default()
        };
        (0..ios).for_each(|_| load.read.latency.record(latency_ns));
        load.read.ios = ios;
        load
    }

    #[test]
    fn tells_the_queue_from_submission_and_a_single_io() {
        let job = Job {
            iodepth: 32,
            ..Job::default()
        };
        assert_eq!(Limit::of(&job, &load(32_000, 1_000_000)), Limit::QueueFull);
        let shallow = load(1_000, 1_000_000);
        assert_eq!(Limit::of(&job, &shallow), Limit::Submission);
        let words = Limit::Submission.words(&job, &shallow).unwrap();
        assert!(words.contains("depth 1 of 32 was reached"), "{words}");
        assert_eq!(
            Limit::of(
                &job,
                &LoadResult {
                    depth: 1,
                    ..shallow.clone()
                }
            ),
            Limit::OneAtATime
        );
        let busy = LoadResult {
            cpu_system_ms: 980.0,
            ..load(32_000, 1_000_000)
        };
        assert_eq!(Limit::of(&job, &busy), Limit::Cpu(0.98));
    }

    #[test]
    fn a_rate_is_kept_or_missed() {
        let job = Job {
            rates: PerDirection::all(Rate::Iops(1000)),
            ..Job::default()
        };
        assert_eq!(Limit::of(&job, &load(990, 1_000)), Limit::RateKept);
        assert_eq!(Limit::of(&job, &load(500, 1_000)), Limit::RateMissed(0.5));
    }

    /// Sectors read by vda at each 500 ms.
    fn counted(sectors: [f64; 5]) -> SensorLog {
        let series = |name: &str, values: [f64; 5]| SampleSeries {
            name: format!("disk.vda.{name}"),
            unit: "sectors".into(),
            kind: MetricKind::Counter,
            values: values.map(Some).to_vec(),
        };
        let mut log = SensorLog::absent("diskstats", "");
        log.no_data = None;
        log.time_ns = (0..5).map(|i| i * 500_000_000).collect();
        log.series = vec![
            series("read_sectors", sectors),
            series("write_sectors", [3.0; 5]),
        ];
        log
    }

    #[test]
    fn what_a_ramp_moved_is_not_the_loads() {
        let mut load = load(0, 0);
        load.read.bytes = 1000 * 512;
        let job = Job {
            ramp_ms: 1000,
            ..Job::default()
        };
        let sensors = [counted([0.0, 5e5, 1e6, 1e6 + 500.0, 1e6 + 1000.0])];
        let share = device_share(&job, &load, &sensors, "vda").unwrap();
        assert_eq!(share, DeviceShare(1.0));
        assert_eq!(device_share(&job, &load, &sensors, "vdb"), None);
    }

    #[test]
    fn a_cache_is_named() {
        let cached = DeviceShare(0.01).words(false);
        assert!(cached.starts_with("the page cache: the disk"), "{cached}");
        let disk = DeviceShare(1.0).words(false);
        assert!(disk.starts_with("the disk: it saw 100 %"), "{disk}");
        let memory = DeviceShare(1.0).words(true);
        assert!(
            memory.starts_with("the device in memory: it saw"),
            "{memory}"
        );
    }
}
