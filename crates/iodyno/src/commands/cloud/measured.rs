//! What a measured rate looks like: of a record, or of a file with a series.

use super::documents::{Answer, SeenLoad};
use super::{CloudArgs, failure};
use crate::context::Context;
use crate::exit::Failure;
use analyse::plateau::{self, Pulses};
use diagnose::cloud::{self, Data, Fall, Measured};
use model::histogram::Histogram;
use model::imported::{Imported, ImportedSeries, LoadFigures, SideFigures};
use model::record::{LoadResult, Record};
use model::units::parse_bytes;
use store::Store;

const GIB: f64 = (1u64 << 30) as f64;

/// Blocks up to this size are limited by I/Os a second as often as by bytes; larger ones by bytes.
const SMALL_BLOCK: u64 = 256 << 10;

/// Block size of rates that tell none.
const BS_UNTOLD: u64 = 4096;

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
            size_gib: args.room.as_ref().map(|room| room.gib),
            provider: args.provider.clone().unwrap_or_default(),
            ..Measured::default()
        };
        let what = file.display().to_string();
        let look = MeasuredLook {
            rates,
            step_s,
            latency: Histogram::new(),
            pulses: None,
            mean: None,
            bs: BS_UNTOLD,
        };
        return Ok(Answer::Seen(vec![seen(data, what, &look, measured)]));
    }
    let id = args.record.unwrap_or_default();
    let record = Store::open_read_only(&context.state_dir)?.get(id)?;
    if let Some(imported) = record.imported()
        && let Some(look) = look_of_import(imported)
    {
        let what = format!("record {id}, {}", imported.name);
        let what = what.trim_end_matches([',', ' ']).to_string();
        return Ok(Answer::Seen(vec![seen(
            data,
            what,
            &look,
            known(data, args, &record),
        )]));
    }
    let loads = loads_of(&record);
    if loads.is_empty() {
        return Err(Failure::usage(format!(
            "record {id} has no load to look at; give that of a run, or of an import with a rate"
        )));
    }
    let seen = loads.into_iter().map(|(name, load, bs)| {
        let what = format!("record {id}, {name}");
        of_load(data, known(data, args, &record), what, load, bs)
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

/// What is known of the disk besides the load.
fn known(data: &Data, args: &CloudArgs, record: &Record) -> Measured {
    let machine = cloud::machine_of(data, &record.path);
    let asked = args.room.as_ref().map(|room| room.gib);
    let size_gib = asked.or_else(|| {
        let disks = record.path.disks();
        let only = disks.first().filter(|_| disks.len() == 1)?;
        only.number("size_bytes").map(|bytes| bytes / GIB)
    });
    Measured {
        size_gib,
        provider: args
            .provider
            .clone()
            .or(machine.provider)
            .unwrap_or_default(),
        instance: machine.instance,
        ..Measured::default()
    }
}

/// What another tool measured: its rates over time, else the mean of the load.
fn look_of_import(imported: &Imported) -> Option<MeasuredLook> {
    let (rates, step_s) = rates_of_import(imported);
    let mean = imported.load.as_ref().and_then(mean_of);
    let bytes_an_io = mean.and_then(|mean| Some(mean.bytes_per_s? / mean.iops?));
    let facts = compare::job::imported_facts(imported);
    let told = facts.get("bs").and_then(|bs| parse_bytes(bs).ok());
    let has_rates = rates.len() >= 2 * plateau::LEAST;
    let counts_ios = has_rates || mean.is_some_and(|mean| mean.iops.is_some());
    let bs = told
        .or(bytes_an_io.map(|bytes| bytes.round() as u64))
        .or(counts_ios.then_some(BS_UNTOLD))?;
    let iops = mean.and_then(|mean| mean.iops.or(Some(mean.bytes_per_s? / bs.max(1) as f64)));
    (has_rates || iops.is_some()).then(|| MeasuredLook {
        rates,
        step_s,
        latency: Histogram::new(),
        pulses: None,
        mean: iops.filter(|_| !has_rates),
        bs,
    })
}

/// I/Os a second of all directions over time, and the time between two of them, s.
fn rates_of_import(imported: &Imported) -> (Vec<f64>, f64) {
    let is_rate = |one: &&ImportedSeries| one.field.ends_with(".iops") && one.unit == "1/s";
    let mut directions = imported.series.iter().filter(is_rate);
    let Some(first) = directions.next() else {
        return (Vec::new(), 0.0);
    };
    let mut rates: Vec<f64> = first
        .values
        .iter()
        .map(|rate| rate.unwrap_or(0.0))
        .collect();
    for other in directions.filter(|other| other.time_ms == first.time_ms) {
        for (sum, rate) in rates.iter_mut().zip(&other.values) {
            *sum += rate.unwrap_or(0.0);
        }
    }
    let steps = first.time_ms.windows(2).map(|two| two[1] - two[0]);
    let steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
    match steps.is_empty() {
        true => (Vec::new(), 0.0),
        false => (rates, stats::median(&steps) / 1e3),
    }
}

/// What a load did on average.
#[derive(Clone, Copy)]
struct MeanRates {
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
}

/// Reads and writes together; a figure that one direction lacks is none of both.
fn mean_of(load: &LoadFigures) -> Option<MeanRates> {
    let sides = [&load.read, &load.write, &load.mixed];
    let sides: Vec<&SideFigures> = sides.into_iter().flatten().collect();
    let sum = |of: fn(&SideFigures) -> Option<f64>| {
        let sum: Option<f64> = sides.iter().map(|side| of(side)).sum();
        sum.filter(|sum| *sum > 0.0)
    };
    let mean = MeanRates {
        iops: sum(|side| side.iops),
        bytes_per_s: sum(|side| side.bytes_per_s),
    };
    (mean.iops.is_some() || mean.bytes_per_s.is_some()).then_some(mean)
}

fn of_load(data: &Data, known: Measured, what: String, load: &LoadResult, bs: u64) -> SeenLoad {
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
        mean: None,
        bs,
    };
    seen(data, what, &look, known)
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
    /// I/Os a second of the whole load, where there are no steps.
    mean: Option<f64>,
    /// Block size, bytes.
    bs: u64,
}

fn seen(data: &Data, what: String, look: &MeasuredLook, known: Measured) -> SeenLoad {
    // Steps that are short against the pulses are not flat, and the pulses give the rate.
    let at = |settled: f64| Fall {
        settled,
        highest: None,
        lasted_s: 0.0,
        credits: 0.0,
    };
    let by_pulses = || look.pulses.map(|pulses| at(pulses.rate()));
    let seen = cloud::fall_of(&look.rates, look.step_s, &look.latency).or_else(by_pulses);
    let is_mean = seen.is_none() && look.mean.is_some();
    let fall = seen.or(look.mean.map(at));
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
        is_mean,
        two_steps: plateau::two_steps(&look.latency).is_some(),
        pulses: look.pulses,
        matches: measured
            .as_ref()
            .map(|measured| cloud::recognise(data, measured))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(iops: Option<f64>, bytes_per_s: Option<f64>) -> Option<SideFigures> {
        Some(SideFigures {
            iops,
            bytes_per_s,
            ..SideFigures::default()
        })
    }

    fn imported(load: LoadFigures) -> Imported {
        Imported {
            tool: "fio-3.33".into(),
            load: Some(load),
            ..Imported::default()
        }
    }

    #[test]
    fn the_mean_of_another_tool_is_looked_up() {
        let mut result = imported(LoadFigures {
            read: side(Some(14_100.0), Some(14_100.0 * 4096.0)),
            write: side(Some(6_050.0), Some(6_050.0 * 4096.0)),
            ..LoadFigures::default()
        });
        let look = look_of_import(&result).unwrap();
        assert_eq!((look.mean, look.bs), (Some(20_150.0), 4096));
        let known = Measured {
            size_gib: Some(366.0),
            provider: "alibaba".into(),
            ..Measured::default()
        };
        let found = seen(cloud::builtin(), "record 7".into(), &look, known);
        assert!(found.is_mean && !found.is_capped());
        assert_eq!(found.matches[0].kind, "essd-pl1");
        // What tells bytes and a block size alone has a rate as well; what tells no block size has none.
        result.load = Some(LoadFigures {
            write: side(None, Some(100.0 * 1_048_576.0)),
            ..LoadFigures::default()
        });
        assert!(look_of_import(&result).is_none());
        result.facts.insert("bs".into(), "1m".into());
        assert_eq!(look_of_import(&result).unwrap().mean, Some(100.0));
    }

    #[test]
    fn rates_over_time_of_another_tool_show_a_fall() {
        let series = |subject: &str, of: fn(usize) -> f64| ImportedSeries {
            field: "fio.iops".into(),
            subject: subject.into(),
            unit: "1/s".into(),
            time_ms: (1..=60).map(|second| f64::from(second) * 1e3).collect(),
            values: (0..60).map(|index| Some(of(index))).collect(),
        };
        let mut result = imported(LoadFigures::default());
        result.facts.insert("bs".into(), "4k".into());
        result.series = vec![
            series("read", |index| if index < 20 { 2000.0 } else { 200.0 }),
            series("write", |index| if index < 20 { 1000.0 } else { 100.0 }),
        ];
        let look = look_of_import(&result).unwrap();
        let found = seen(cloud::builtin(), "log".into(), &look, Measured::default());
        let fall = found.fall.unwrap();
        assert_eq!((fall.settled, fall.highest), (300.0, Some(3000.0)));
        assert!(!found.is_mean);
    }
}
