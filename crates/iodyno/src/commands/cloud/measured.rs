//! What a measured rate looks like: of a record, or of a file with a series.

use super::documents::{Answer, Seen};
use super::{Args, failure};
use crate::commands::Context;
use crate::exit::Failure;
use crate::store::Store;
use model::histogram::Histogram;
use model::record::{LoadResult, Record};
use pipeline::diagnose::cloud::{self, Data, Measured};

const GIB: f64 = (1u64 << 30) as f64;

/// Blocks up to this size are limited by I/Os a second as often as by bytes; larger ones by bytes.
const SMALL_BLOCK: u64 = 256 << 10;

/// Recognises the rate of `--record` or `--series`.
pub fn answer<'a>(args: &Args, context: &Context, data: &'a Data) -> Result<Answer<'a>, Failure> {
    if let Some(file) = &args.series {
        let text = host::files::read_text(file)?;
        let (rates, step_s) = cloud::series_of_text(&text, args.every as f64 / 1e3).map_err(failure)?;
        let measured = Measured {
            size_gib: args.room,
            provider: args.provider.clone().unwrap_or_default(),
            ..Measured::default()
        };
        let what = file.display().to_string();
        return Ok(Answer::Seen(vec![seen(data, what, (&rates, step_s), &Histogram::new(), measured, 4096)]));
    }
    let id = args.record.unwrap_or_default();
    let record = Store::open(&context.state_dir)?.get(id)?;
    let loads = loads_of(&record);
    if loads.is_empty() {
        return Err(Failure::usage(format!("record {id} has no load to look at; give that of a run")));
    }
    let seen = loads.into_iter().map(|(name, load, bs)| {
        let what = format!("record {id}, {name}");
        of_load(data, args, &record, what, load, bs)
    });
    Ok(Answer::Seen(seen.collect()))
}

/// Each section with its block size.
fn loads_of(record: &Record) -> Vec<(String, &LoadResult, u64)> {
    if record.sections.is_empty() {
        let load = record.load.iter();
        return load.map(|load| (record.target.clone(), load, record.job.bs)).collect();
    }
    record.sections.iter().map(|section| (section.name.clone(), &section.load, section.job.bs)).collect()
}

fn of_load(data: &Data, args: &Args, record: &Record, what: String, load: &LoadResult, bs: u64) -> Seen {
    let machine = cloud::machine_of(data, &record.path);
    let size = args.room.or_else(|| {
        let disks = record.path.disks();
        let only = disks.first().filter(|_| disks.len() == 1)?;
        only.number("size_bytes").map(|bytes| bytes / GIB)
    });
    let measured = Measured {
        size_gib: size,
        provider: args.provider.clone().or(machine.provider).unwrap_or_default(),
        instance: machine.instance,
        ..Measured::default()
    };
    let series = cloud::series_of_intervals(&load.intervals);
    // A short load has few intervals and many bins.
    let series = if series.0.len() < 20 { cloud::series_of_bins(load) } else { series };
    seen(data, what, (&series.0, series.1), &load.latency(), measured, bs)
}

fn seen(
    data: &Data,
    what: String,
    (rates, step_s): (&[f64], f64),
    latency: &Histogram,
    known: Measured,
    bs: u64,
) -> Seen {
    let fall = cloud::fall_of(rates, step_s, latency);
    let measured = fall.map(|fall| Measured {
        iops: (bs <= SMALL_BLOCK).then_some(fall.settled),
        bytes_per_s: Some(fall.settled * bs as f64),
        ..known.clone()
    });
    let matches = measured.as_ref().map(|measured| cloud::recognise(data, measured)).unwrap_or_default();
    let two_steps = pipeline::analyse::plateau::two_steps(latency).is_some();
    Seen { what, intervals: rates.len(), size_gib: known.size_gib, bs, fall, two_steps, matches }
}
