//! What a measured rate looks like: of a record, or of a file with a series.

use super::documents::{Answer, SeenLoad};
use super::{CloudArgs, failure};
use crate::context::Context;
use crate::exit::Failure;
use analyse::plateau::{self, Pulses};
use diagnose::cloud::{self, Data, Fall, Measured};
use model::histogram::Histogram;
use model::record::{LoadResult, Record};
use store::Store;

const GIB: f64 = (1u64 << 30) as f64;

/// Blocks up to this size are limited by I/Os a second as often as by bytes; larger ones by bytes.
const SMALL_BLOCK: u64 = 256 << 10;

/// Recognises the rate of `--record` or `--series`.
pub fn answer<'a>(
    args: &CloudArgs,
    context: &Context,
    data: &'a Data,
) -> Result<Answer<'a>, Failure> {
    if let Some(file) = &args.series {
        let text = host::files::read_text(file)?;
        let (rates, step_s) =
            cloud::series_of_text(&text, args.every as f64 / 1e3).map_err(failure)?;
        let measured = Measured {
            size_gib: args.room,
            provider: args.provider.clone().unwrap_or_default(),
            ..Measured::default()
        };
        let what = file.display().to_string();
        let look = MeasuredLook {
            rates,
            step_s,
            latency: Histogram::new(),
            pulses: None,
            bs: 4096,
        };
        return Ok(Answer::Seen(vec![seen(data, what, &look, measured)]));
    }
    let id = args.record.unwrap_or_default();
    let record = Store::open_read_only(&context.state_dir)?.get(id)?;
    let loads = loads_of(&record);
    if loads.is_empty() {
        return Err(Failure::usage(format!(
            "record {id} has no load to look at; give that of a run"
        )));
    }
    let seen = loads.into_iter().map(|(name, load, bs)| {
        let what = format!("record {id}, {name}");
        of_load(data, args, &record, what, load, bs)
    });
    Ok(Answer::Seen(seen.collect()))
}

/// Each section with its block size.
fn loads_of(record: &Record) -> Vec<(String, &LoadResult, u64)> {
    if record.sections().is_empty() {
        let load = record.load().into_iter();
        return load
            .map(|load| (record.target.clone(), load, record.job.bs))
            .collect();
    }
    record
        .sections()
        .iter()
        .map(|section| (section.name.clone(), &section.load, section.job.bs))
        .collect()
}

fn of_load(
    data: &Data,
    args: &CloudArgs,
    record: &Record,
    what: String,
    load: &LoadResult,
    bs: u64,
) -> SeenLoad {
    let machine = cloud::machine_of(data, &record.path);
    let size = args.room.or_else(|| {
        let disks = record.path.disks();
        let only = disks.first().filter(|_| disks.len() == 1)?;
        only.number("size_bytes").map(|bytes| bytes / GIB)
    });
    let measured = Measured {
        size_gib: size,
        provider: args
            .provider
            .clone()
            .or(machine.provider)
            .unwrap_or_default(),
        instance: machine.instance,
        ..Measured::default()
    };
    let series = cloud::series_of_intervals(&load.intervals);
    // A short load has few intervals and many bins.
    let (rates, step_s) = if series.0.len() < 20 {
        cloud::series_of_bins(load, 40)
    } else {
        series
    };
    let pulses = plateau::pulses(&load.bins, load.bin_ms, load.depth.max(1));
    let look = MeasuredLook {
        rates,
        step_s,
        latency: load.latency(),
        pulses,
        bs,
    };
    seen(data, what, &look, measured)
}

/// What there is to look at.
struct MeasuredLook {
    /// I/Os a second of each step.
    rates: Vec<f64>,
    /// Length of a step, s.
    step_s: f64,
    /// Latency of all I/Os; empty where it is not known.
    latency: Histogram,
    pulses: Option<Pulses>,
    /// Block size, bytes.
    bs: u64,
}

fn seen(data: &Data, what: String, look: &MeasuredLook, known: Measured) -> SeenLoad {
    // Steps that are short against the pulses are not flat, and the pulses give the rate.
    let by_pulses = |pulses: Pulses| Fall {
        settled: pulses.rate(),
        highest: None,
        lasted_s: 0.0,
        credits: 0.0,
    };
    let fall =
        cloud::fall_of(&look.rates, look.step_s, &look.latency).or(look.pulses.map(by_pulses));
    let measured = fall.map(|fall| Measured {
        iops: (look.bs <= SMALL_BLOCK).then_some(fall.settled),
        bytes_per_s: Some(fall.settled * look.bs as f64),
        ..known.clone()
    });
    SeenLoad {
        what,
        intervals: look.rates.len(),
        size_gib: known.size_gib,
        bs: look.bs,
        fall,
        two_steps: plateau::two_steps(&look.latency).is_some(),
        pulses: look.pulses,
        matches: measured
            .as_ref()
            .map(|measured| cloud::recognise(data, measured))
            .unwrap_or_default(),
    }
}
