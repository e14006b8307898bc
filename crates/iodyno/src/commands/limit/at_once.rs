//! Several groups on one disk at once: what each gets, and how fair that is, beside as many programs without groups.

use super::LimitArgs;
use super::ground::Ground;
use super::groups::LimitGroup;
use super::program;
use super::ways::device_moved;
use super::weights;
use crate::context::Context;
use crate::exit::Failure;
use host::disk_counters::DeviceCounters;
use host::signals::Stop;
use host::{Child, clock};
use model::finding::{Finding, Level};
use model::limit::{GroupShare, GroupsAtOnce, LimitReport, Moved};
use model::record::{LoadResult, Record};
use report::limit_view;
use std::path::PathBuf;
use store::Store;

/// What a group does where nobody says otherwise.
const JOB: [&str; 5] = [
    "-rw=randread",
    "-bs=4k",
    "-ioengine=libaio",
    "-iodepth=16",
    "-direct=1",
];
/// Size of each group's file, bytes.
const FILE_BYTES: u64 = 256 << 20;
/// Programs do not begin at the same moment: so long is not measured at their start.
const RAMP_MS: u64 = 1500;
/// How often is looked, ms.
const LOOK_MS: u64 = 20;

/// Every number of groups, then as many programs without groups as there were groups at most.
pub fn measure(
    args: &LimitArgs,
    context: &Context,
    ground: &mut Ground,
    asked: Option<(&'static str, u64)>,
    stop: &Stop,
    report: &mut LimitReport,
) -> Result<(), Failure> {
    let store = Store::open(&context.state_dir)?;
    let mut counts = args.containers.clone();
    counts.sort_unstable();
    counts.dedup();
    let most = counts.last().copied().unwrap_or(1);
    let mut groups = Vec::new();
    let mut files = Vec::new();
    for index in 0..most {
        let group = LimitGroup::make(ground, args.memory)?;
        if let Some((what, value)) = asked {
            let limit = group.limit(&ground.device, what, value)?;
            if index == 0 {
                report.limits.push(model::limit::LimitMeasured {
                    limit,
                    ways: Vec::new(),
                });
            }
        }
        if let Some(weight) = weight_of(args, index as usize) {
            let by = weights::give(&group, &ground.device, weight)?;
            report.weights_by = by;
        }
        groups.push(group);
        files.push(ground.make_file(index as usize, FILE_BYTES, Vec::new(), stop)?);
    }
    let mut rounds: Vec<(usize, bool)> = counts
        .iter()
        .map(|count| (*count as usize, false))
        .collect();
    rounds.push((most as usize, true));
    let words = words(args, files.first().map_or(FILE_BYTES, |(_, bytes)| *bytes));
    for (count, is_host) in rounds {
        if stop.is_asked() {
            break;
        }
        let places = groups.iter().zip(&files).take(count);
        let mut children = start_each(ground, places, &words, is_host)?;
        let mut looks = Looks::new(&ground.device.name)?;
        looks.until_ended(&mut children, stop)?;
        let mut programs = Vec::new();
        for child in &mut children {
            programs.push(program::record(child)?);
        }
        if stop.is_asked() {
            break;
        }
        let mut told = at_once(&store, &programs, &looks, is_host)?;
        for (index, share) in told.shares.iter_mut().enumerate().filter(|_| !is_host) {
            share.weight = weight_of(args, index);
        }
        if report.job.is_none() {
            report.job = programs.first().map(|(record, _)| record.job.phrase());
            programs
                .first()
                .into_iter()
                .for_each(|(record, _)| warn(context, record));
        }
        context.out.note(limit_view::round(&told));
        report.at_once.push(told);
    }
    Ok(())
}

/// Says where the job does not do what its words say.
fn warn(context: &Context, record: &Record) {
    let is_of_words = |one: &&Finding| one.level == Level::Wrong && one.position.is_some();
    for finding in record.findings.iter().filter(is_of_words) {
        let told = format!(
            "  {}: {} {}",
            finding.level.word(),
            finding.claim,
            finding.advice
        );
        context.out.note(told);
    }
}

/// The weight of a group: those that were asked for, by turns.
fn weight_of(args: &LimitArgs, index: usize) -> Option<u32> {
    args.weights.iter().cycle().nth(index).copied()
}

/// Starts a program on each file, in its group; in none of its own for the host's round.
fn start_each<'a>(
    ground: &Ground,
    places: impl Iterator<Item = (&'a LimitGroup, &'a (PathBuf, u64))>,
    words: &[String],
    is_host: bool,
) -> Result<Vec<Child>, Failure> {
    let start = |(group, (file, _)): (&LimitGroup, &(PathBuf, u64))| {
        let entrances = match is_host {
            true => Vec::new(),
            false => group.entrances()?,
        };
        program::start(ground.given(file)?, words, entrances)
    };
    places.map(start).collect()
}

/// The job of each group in fio's words.
fn words(args: &LimitArgs, bytes: u64) -> Vec<String> {
    let own = || JOB.iter().map(|word| (*word).to_string()).collect();
    let job: Vec<String> = match args.job.is_empty() {
        true => own(),
        false => args.job.clone(),
    };
    let ours = [
        format!("-size={bytes}"),
        format!("-runtime={}ms", args.runtime),
        format!("-ramp_time={RAMP_MS}ms"),
        "-time_based".into(),
    ];
    job.into_iter().chain(ours).collect()
}

/// The device's counters over time.
struct Looks {
    counters: DeviceCounters,
    /// Wall clock, ms since 1970, and what was read and written so far.
    seen: Vec<(u64, Moved)>,
}

impl Looks {
    fn new(device: &str) -> Result<Looks, Failure> {
        Ok(Looks {
            counters: DeviceCounters::open(&host::Host::live(), device)?,
            seen: Vec::new(),
        })
    }

    /// Looks until all programs have ended, which are asked to where the user asks us.
    fn until_ended(&mut self, children: &mut [Child], stop: &Stop) -> Result<(), Failure> {
        let mut ending = program::Ending::new(stop);
        while ending.goes_on(children)? {
            self.look()?;
            clock::sleep_ms(LOOK_MS);
        }
        self.look()
    }

    fn look(&mut self) -> Result<(), Failure> {
        let read = device_moved(&mut self.counters, true)?;
        let written = device_moved(&mut self.counters, false)?;
        let both = Moved {
            bytes: read.bytes + written.bytes,
            ios: read.ios + written.ios,
        };
        self.seen.push((clock::unix_ms(), both));
        Ok(())
    }

    /// What the device moved between two moments, ms since 1970: by the looks next to them, in proportion.
    fn between(&self, from_ms: f64, to_ms: f64) -> Moved {
        let at = |when_ms: f64, of: fn(&Moved) -> u64| -> f64 {
            let later = self.seen.partition_point(|(ms, _)| (*ms as f64) < when_ms);
            let get = |index: usize| self.seen.get(index).or(self.seen.last());
            let (Some((a_ms, a)), Some((b_ms, b))) = (get(later.saturating_sub(1)), get(later))
            else {
                return 0.0;
            };
            let share = match *b_ms as f64 - *a_ms as f64 {
                length if length > 0.0 => ((when_ms - *a_ms as f64) / length).clamp(0.0, 1.0),
                _ => 0.0,
            };
            of(a) as f64 + (of(b) as f64 - of(a) as f64) * share
        };
        let grown = |of: fn(&Moved) -> u64| (at(to_ms, of) - at(from_ms, of)).max(0.0) as u64;
        Moved {
            bytes: grown(|moved| moved.bytes),
            ios: grown(|moved| moved.ios),
        }
    }
}

/// When the measured part of a load was, ms since 1970.
fn span_ms(record: &Record, load: &LoadResult) -> (f64, f64) {
    let from = record.provenance.started_unix_ms as f64 + record.job.ramp_ms as f64;
    (from, from + load.elapsed_ms)
}

/// What each moved while all ran.
fn at_once(
    store: &Store,
    programs: &[(Record, LoadResult)],
    looks: &Looks,
    is_host: bool,
) -> Result<GroupsAtOnce, Failure> {
    let spans = programs.iter().map(|(record, load)| span_ms(record, load));
    let (from_ms, to_ms) = spans.fold((f64::MIN, f64::MAX), |both, one| {
        (both.0.max(one.0), both.1.min(one.1))
    });
    let mut shares = Vec::new();
    for (record, load) in programs {
        let latency = load.latency();
        shares.push(GroupShare {
            moved: within(record, load, from_ms, to_ms),
            p99_ns: latency.quantile_ns(0.99),
            weight: None,
            record: program::keep(store, record)?,
        });
    }
    Ok(GroupsAtOnce {
        count: programs.len(),
        is_host,
        span_ms: (to_ms - from_ms).max(0.0),
        shares,
        device: looks.between(from_ms, to_ms),
    })
}

/// What a load moved between two moments, ms since 1970: of intervals at the edges their part.
fn within(record: &Record, load: &LoadResult, from_ms: f64, to_ms: f64) -> Moved {
    let began_ms = record.provenance.started_unix_ms as f64;
    let (mut bytes, mut ios) = (0.0, 0.0);
    for interval in &load.intervals {
        let start_ms = began_ms + interval.start_ms as f64;
        let end_ms = start_ms + interval.length_ms as f64;
        let inside = (end_ms.min(to_ms) - start_ms.max(from_ms)).max(0.0);
        let share = inside / (interval.length_ms as f64).max(1.0);
        bytes += (interval.read.bytes + interval.write.bytes) as f64 * share;
        ios += (interval.read.ios + interval.write.ios) as f64 * share;
    }
    Moved {
        bytes: bytes as u64,
        ios: ios as u64,
    }
}
