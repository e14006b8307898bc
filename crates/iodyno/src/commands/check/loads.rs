//! The short loads, one after the other, with every sensor beside them.

use super::ground::Ground;
use super::plan::{self, CheckPlan, CheckStep};
use super::rehearsed;
use crate::commands::layers_arg;
use crate::commands::run::intervals::Intervals;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::Teller;
use analyse::fields::Fields;
use analyse::knee::{self, Visits};
use host::signals::Stop;
use host::{Host, clock};
use load::{LoadError, Region, Running};
use model::check::{Probe, Role};
use model::frame::Frame;
use model::iopath::IoPath;
use model::job::Job;
use model::layers::LayerTimes;
use model::reading::{Reading, ReadingRow};
use model::record::LoadResult;
use model::sample::SensorLog;
use model::time_account::TaskTimes;
use model::units;
use observe::{
    INTERVAL_DEFAULT_MS, LoadSleep, LoadTasks, OwnWait, Sampler, Scope, Status, Tracing,
    TracingWish,
};

/// How often a load is looked at, ms.
const LOOK_MS: u64 = 20;

/// Length of an interval of a load's series, ms.
const SERIES_MS: u64 = 100;

/// The response curve ends when two deeper queues in a row give less than this more than the best before: one alone may
/// have met a moment of others' work.
const GROWS: f64 = 1.1;
const FLAT_IN_A_ROW: usize = 2;

/// A load that has less than this share of its time left is left out.
const SHARE_LEAST: f64 = 0.4;

/// Sensors at work, and what the loads gave so far.
pub struct Loads<'a> {
    host: Host,
    /// Kernel names of the block devices of the path.
    devices: Vec<String>,
    plan: &'a CheckPlan,
    stop: &'a Stop,
    line: &'a Teller,
    sampler: Sampler,
    fields: Fields,
    tracing: Tracing,
    sleep: LoadSleep,
    origin_ns: u64,
    seed: u64,
    probes: Vec<Probe>,
    /// Beginning and end of each load, ns after the origin.
    edges: Vec<(i64, i64)>,
    unseen: Vec<String>,
    /// When everything is likely to be done, ns of the clock.
    end_ns: u64,
}

/// What came of all loads.
pub struct LoadsDone {
    /// The loads.
    pub probes: Vec<Probe>,
    /// What the device's counters read at their edges.
    pub sensors: Vec<SensorLog>,
    /// How the sampling went.
    pub status: Status,
    /// Why there are no layers, where there are none.
    pub no_layers: Option<String>,
    /// What was left out, and why.
    pub unseen: Vec<String>,
}

impl<'a> Loads<'a> {
    /// Starts the sensors. `origin_ns` is the start of the check.
    pub fn start(
        (context, path): (&'a Context, &IoPath),
        plan: &'a CheckPlan,
        wish: TracingWish,
        (stop, line): (&'a Stop, &'a Teller),
        origin_ns: u64,
    ) -> Loads<'a> {
        let tracing = layers_arg::start(&context.host, path, wish);
        let sleep = LoadSleep::start(&tracing);
        let scope = Scope {
            tracing: tracing.clone(),
            ..Scope::of(path)
        };
        let sampler = Sampler::start(&context.host, INTERVAL_DEFAULT_MS, origin_ns, &scope);
        let (host, devices) = (context.host.clone(), scope.devices.clone());
        let fields = Fields::new(observe::fields());
        let (probes, edges, unseen) = (Vec::new(), Vec::new(), Vec::new());
        let seed = rehearsed::seed_or(&context.host, clock::unix_ms);
        let end_ns = origin_ns + plan.expected_ms(true) * 1_000_000;
        Loads {
            host,
            devices,
            plan,
            stop,
            line,
            sampler,
            fields,
            tracing,
            sleep,
            origin_ns,
            seed,
            probes,
            edges,
            unseen,
            end_ns,
        }
    }

    /// What others do.
    pub fn idle(&mut self) {
        let begin_ns = clock::monotonic_ns();
        let before = self.tracing.read();
        let tasks = OwnWait::start(&self.host);
        let end_ns = begin_ns + self.plan.idle_ms * 1_000_000;
        while clock::monotonic_ns() < end_ns && !self.stop.is_asked() {
            self.tell("what others do");
            clock::sleep_ns(LOOK_MS * 1_000_000);
        }
        let elapsed_ms = (clock::monotonic_ns() - begin_ns) as f64 / 1e6;
        let load = LoadResult {
            elapsed_ms,
            ..LoadResult::default()
        };
        let step = CheckStep {
            role: Role::Idle,
            ms: 0,
            depth: 1,
        };
        let job = plan::job(step, 0, 0);
        self.keep(
            (step.role, job),
            load,
            tasks.and_then(OwnWait::finish),
            begin_ns,
            before,
        );
    }

    /// What others did, once [`Loads::idle`] has looked.
    pub fn idle_frame(&self) -> Option<&Frame> {
        let idle = self.probes.iter().find(|probe| probe.role == Role::Idle);
        idle.map(|probe| &probe.frame)
    }

    /// All loads that fit the target and the time. What fails in the middle is a failure of the target.
    pub fn run(&mut self, ground: &Ground) -> Result<(), Failure> {
        let plan = self.plan;
        for (place, step) in plan.steps.iter().enumerate() {
            if self.stop.is_asked() {
                break;
            }
            let ahead = plan.steps[place..]
                .iter()
                .filter(|step| self.is_possible(step.role, ground));
            self.end_ns =
                clock::monotonic_ns() + ahead.map(|step| step.ms).sum::<u64>() * 1_000_000;
            if !self.is_possible(step.role, ground) {
                continue;
            }
            let is_writing = plan::writes(step.role);
            let Some(step) = self.fitting(*step) else {
                continue;
            };
            match self.one(step, ground) {
                Ok(()) => {}
                // A target too small for this load says so; the others are made.
                Err(error) if error.exit() == Exit::Usage => {
                    self.unseen.push(format!("{}: {error}.", phrase(step)));
                }
                Err(error) => return Err(error.into()),
            }
            if is_writing {
                ground.prepared.sync()?;
            }
        }
        Ok(())
    }

    fn is_possible(&self, role: Role, ground: &Ground) -> bool {
        (ground.is_scratch || !plan::writes(role))
            && (ground.has_direct || plan::is_buffered(role))
            && (role != Role::Depth || !self.plan.ends_at_knee || !self.has_knee())
    }

    /// The step, shortened to the time that is left; none where that is too little.
    fn fitting(&mut self, step: CheckStep) -> Option<CheckStep> {
        let limit_ns = self.origin_ns + self.plan.limit_ms * 1_000_000;
        let left_ms = limit_ns.saturating_sub(clock::monotonic_ns()) / 1_000_000;
        let ms = step.ms.min(left_ms);
        if (ms as f64) < SHARE_LEAST * step.ms as f64 {
            let limit = units::span_ms(self.plan.limit_ms);
            self.unseen.push(format!(
                "{}: the {limit} of this check were over.",
                phrase(step)
            ));
            return None;
        }
        Some(CheckStep { ms, ..step })
    }

    /// Whether the response curve has shown its knee, and what lies above it.
    fn has_knee(&self) -> bool {
        let is_curve = |probe: &&Probe| matches!(probe.role, Role::Latency | Role::Depth);
        let curve = self.probes.iter().filter(is_curve);
        let points: Vec<(f64, f64)> = curve
            .map(|probe| (probe.iops(), probe.mean_us().unwrap_or(0.0)))
            .collect();
        has_knee(&points, self.seed)
    }

    fn one(&mut self, step: CheckStep, ground: &Ground) -> Result<(), LoadError> {
        self.seed = self.seed.wrapping_add(1);
        let job = plan::job(step, ground.bytes(), self.seed);
        let before = self.tracing.read();
        if step.role == Role::Mixed {
            return self.mixed(step, ground, job, before);
        }
        let awake = self.sleep.read();
        let running = load::start(&ground.prepared, &job, self.seed, Region::WHOLE)?;
        let tasks = LoadTasks::start(&self.host, &self.devices);
        let begin_ns = running.origin_ns();
        let load = self.watch(step, running)?;
        let off_cpu = self.sleep.since(awake.as_ref());
        let tasks = tasks.finish().map(|tasks| TaskTimes { off_cpu, ..tasks });
        self.keep((step.role, job), load, tasks, begin_ns, before);
        Ok(())
    }

    /// Reads in one half of the scratch, a stream of writes in the other.
    fn mixed(
        &mut self,
        step: CheckStep,
        ground: &Ground,
        job: Job,
        before: Option<LayerTimes>,
    ) -> Result<(), LoadError> {
        let writes = plan::mixed_writes(step, self.seed);
        let writing = load::start(&ground.prepared, &writes, self.seed, Region::half(1))?;
        let reading = load::start(&ground.prepared, &job, self.seed, Region::half(0))?;
        let begin_ns = reading.origin_ns();
        let mut load = self.watch(step, reading)?;
        if let Some(failure) = writing.failure() {
            return Err(failure);
        }
        load.write = writing.finish().write;
        self.keep((step.role, job), load, None, begin_ns, before);
        Ok(())
    }

    /// Lets a load run for its time, and ends it.
    fn watch(&self, step: CheckStep, mut running: Running) -> Result<LoadResult, LoadError> {
        let mut intervals = Intervals::new("", running.origin_ns(), SERIES_MS);
        let end_ns = running.origin_ns() + step.ms * 1_000_000;
        let phrase = phrase(step);
        while clock::monotonic_ns() < end_ns
            && running.wait_ms(LOOK_MS, self.stop)
            && !running.is_over()
        {
            self.tell(&phrase);
            running.poll();
            let now_ns = clock::monotonic_ns();
            if intervals.is_due(now_ns) {
                intervals.look(&running, now_ns);
            }
        }
        running.stop();
        if let Some(failure) = running.failure() {
            return Err(failure);
        }
        let mut load = running.finish();
        (load.intervals, load.latency_map) = intervals.into_all();
        Ok(load)
    }

    fn keep(
        &mut self,
        (role, job): (Role, Job),
        load: LoadResult,
        tasks: Option<TaskTimes>,
        begin_ns: u64,
        before: Option<LayerTimes>,
    ) {
        let begin = begin_ns.saturating_sub(self.origin_ns) as i64;
        let end = begin + (load.elapsed_ms * 1e6) as i64;
        let frame = self.fields.frame(&self.inside(begin, end));
        let layers = self.tracing.since(before.as_ref());
        self.edges.push((begin, end));
        let start_ms = (begin / 1_000_000) as u64;
        self.probes.push(Probe {
            role,
            job,
            load,
            frame,
            layers,
            tasks,
            start_ms,
        });
    }

    /// What the sensors read within a load, from the first sample that lies in it on: the one before has seen the load
    /// before it as well. On a busy machine samples come late, so that their own times decide; what devices did is unknown
    /// where the only samples are mostly about the load before.
    fn inside(&self, begin: i64, end: i64) -> Vec<Reading> {
        let step = INTERVAL_DEFAULT_MS as i64 * 1_000_000;
        let mut from = (begin + step).min(end);
        loop {
            let mut readings = self.sampler.readings(from, end);
            let is_early = |one: &Reading| {
                one.sensor == "diskstats"
                    && one.from.as_ref().is_some_and(|row| row.time_ns < begin)
            };
            if !readings.iter().any(is_early) {
                return readings;
            }
            if from >= end {
                readings.retain(|one| one.sensor != "diskstats" || !is_mostly_before(one, begin));
                return readings;
            }
            from = (from + step).min(end);
        }
    }

    fn tell(&self, what: &str) {
        let left_ms = self.end_ns.saturating_sub(clock::monotonic_ns()) / 1_000_000;
        let left = units::span_ms(left_ms.div_ceil(1000) * 1000);
        self.line.say(format!("check: {what}, about {left} left"));
    }

    /// Ends the sensors and gives everything.
    pub fn finish(self) -> LoadsDone {
        self.line.clear();
        let status = self.sampler.status();
        let no_layers = self.tracing.layers().err().map(ToString::to_string);
        let sensors = at_edges(self.sampler.stop(), &self.edges);
        LoadsDone {
            probes: self.probes,
            sensors,
            status,
            no_layers,
            unseen: self.unseen,
        }
    }
}

/// Whether more than half of the time between a reading's two samples lies before a moment.
fn is_mostly_before(reading: &Reading, moment: i64) -> bool {
    let middle = |row: &ReadingRow| row.time_ns + (reading.to.time_ns - row.time_ns) / 2;
    reading
        .from
        .as_ref()
        .is_some_and(|row| middle(row) < moment)
}

/// Whether a curve of rate and mean latency has a knee and is flat behind it.
fn has_knee(points: &[(f64, f64)], seed: u64) -> bool {
    let Some(place) = points.len().checked_sub(FLAT_IN_A_ROW) else {
        return false;
    };
    let (before, last) = points.split_at(place);
    let best = before.iter().map(|(iops, _)| *iops).fold(0.0, f64::max);
    let is_flat = last.iter().all(|(iops, _)| *iops < best * GROWS);
    let visits = points.iter().map(|(iops, latency)| Visits {
        iops: vec![*iops],
        latency: vec![*latency],
    });
    is_flat && knee::find(&visits.collect::<Vec<_>>(), seed).is_ok()
}

/// A load in the words of a probe.
fn phrase(step: CheckStep) -> String {
    let load = LoadResult {
        depth: step.depth,
        ..LoadResult::default()
    };
    let job = plan::job(step, 0, 0);
    let probe = Probe::of(step.role, job);
    Probe { load, ..probe }.phrase()
}

/// What devices read and wrote, at the samples on both sides of the edges of the loads: enough to tell what each moved, and
/// what others did. Sensors without data keep the reason.
fn at_edges(logs: Vec<SensorLog>, edges: &[(i64, i64)]) -> Vec<SensorLog> {
    let kept = logs.into_iter().filter_map(|mut log| {
        if log.no_data.is_some() {
            return Some(log);
        }
        let is_bytes =
            |name: &str| name.ends_with(".read_sectors") || name.ends_with(".write_sectors");
        log.series.retain(|series| is_bytes(&series.name));
        if log.sensor != "diskstats" {
            return None;
        }
        let before = |ns: i64| {
            log.time_ns
                .partition_point(|time| *time <= ns)
                .saturating_sub(1)
        };
        let after = |ns: i64| {
            log.time_ns
                .partition_point(|time| *time < ns)
                .min(log.time_ns.len().max(1) - 1)
        };
        let around = |ns: &i64| [before(*ns), after(*ns)];
        let mut places: Vec<usize> = edges
            .iter()
            .flat_map(|(begin, end)| [begin, end])
            .flat_map(around)
            .collect();
        places.sort_unstable();
        places.dedup();
        for series in &mut log.series {
            series.values = places
                .iter()
                .filter_map(|place| series.values.get(*place).copied())
                .collect();
        }
        log.time_ns = places
            .iter()
            .filter_map(|place| log.time_ns.get(*place).copied())
            .collect();
        Some(log)
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sample::{MetricKind, SampleSeries};

    #[test]
    fn samples_beside_the_edges_are_kept() {
        let series = |name: &str| SampleSeries {
            name: name.into(),
            unit: "sectors".into(),
            kind: MetricKind::Counter,
            values: (0..10).map(|value| Some(f64::from(value))).collect(),
        };
        let mut log = SensorLog {
            no_data: None,
            ..SensorLog::absent("diskstats", "")
        };
        log.time_ns = (0..10).map(|tick| tick * 100).collect();
        log.series = vec![series("disk.vda.read_sectors"), series("disk.vda.read_ios")];
        let other = SensorLog {
            no_data: None,
            ..SensorLog::absent("cpu", "")
        };
        let absent = SensorLog::absent("md", "no array");
        let kept = at_edges(vec![log, other, absent], &[(150, 320), (420, 2_000)]);
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert_eq!(
            kept[0].time_ns,
            [100, 200, 300, 400, 500, 900],
            "of each edge the sample before and the one after"
        );
        assert_eq!(kept[0].series.len(), 1);
        assert_eq!(
            kept[0].series[0].values,
            [1.0, 2.0, 3.0, 4.0, 5.0, 9.0].map(Some)
        );
    }

    #[test]
    fn a_reading_is_about_the_load_that_most_of_it_lies_in() {
        let row = |time_ns: i64| ReadingRow {
            time_ns,
            cells: Vec::new().into(),
        };
        let series = std::sync::Arc::new(Vec::new());
        let reading = |from: Option<i64>, to: i64| Reading {
            sensor: "diskstats",
            series: series.clone(),
            from: from.map(row),
            to: row(to),
        };
        // A guest on a busy host: two samples, and the load began 34 ms before the later one.
        assert!(is_mostly_before(&reading(Some(18_307), 19_025), 18_991));
        assert!(!is_mostly_before(&reading(Some(18_307), 20_900), 18_991));
        assert!(
            !is_mostly_before(&reading(None, 19_025), 18_991),
            "one sample spans nothing"
        );
    }

    #[test]
    fn a_curve_ends_behind_its_knee_and_not_at_one_dip() {
        let curve = [
            (5e3, 200.0),
            (1e4, 200.0),
            (4e4, 200.0),
            (6e4, 530.0),
            (6.1e4, 2_100.0),
            (6e4, 4_300.0),
        ];
        let ends = (1..=curve.len()).find(|count| has_knee(&curve[..*count], 1));
        assert_eq!(ends, Some(6), "two flat steps behind the best");
        let dip = [(5e3, 200.0), (1e4, 200.0), (9e3, 900.0), (4e4, 800.0)];
        assert!((1..=dip.len()).all(|count| !has_knee(&dip[..count], 1)));
    }

    #[test]
    fn loads_are_told_in_words() {
        assert_eq!(
            phrase(CheckStep {
                role: Role::Depth,
                ms: 1,
                depth: 32
            }),
            "depth 32"
        );
        assert_eq!(
            phrase(CheckStep {
                role: Role::Streams,
                ms: 1,
                depth: 4
            }),
            "4 streams"
        );
    }
}
