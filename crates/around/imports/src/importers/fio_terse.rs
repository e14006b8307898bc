//! # fio's terse output
//!
//! One line a job, fields between semicolons: `--minimal`, `--output-format=terse`, versions 2 to 5.
//!
//! ## What it reads
//! The directions with rates, latencies, percentiles and samples, CPU, disks and errors. Version 3, fio's default, has no
//! trims. A name with semicolons in it is put together again.
//!
//! ## What is lost
//! Latencies are whole µs except mean and deviation; percentiles are the middles of fio's buckets. There is no block
//! size, no option and no time. The distribution of depths is not kept.
//!
//! ## Example
//! `fio --minimal --rw=randread --bs=4k --filename=/dev/sdb --name=a | iodyno import -`

use super::fio_text::values::plain;
use crate::fio_json::value::NUMBER_MAX;
use crate::pieces::Pieces;
use crate::{How, Importer, Piece, Text};
use model::imported::{DiskFigures, Imported, LatencyFigures, LoadFigures, Samples, SideFigures};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_terse",
    since: "0.1",
    reads: "fio's terse output, versions 2 to 5",
    how: How::Text(find),
};

/// Fields of CPU, depths and shares of latency.
const TAIL: usize = 5 + 7 + 10 + 12;
/// Fields of a disk.
const DISK: usize = 9;

fn find(text: &Text, pieces: &mut Pieces) {
    for (index, line) in text.lines.iter().enumerate() {
        // Version 2 writes the description on the line after.
        if let (Some(description), Some(last)) =
            (line.strip_prefix(';'), pieces.own_mut().next_back())
            && last.lines.last().is_some_and(|range| range.end == index)
            && last
                .imported
                .facts
                .get("terse_version")
                .is_some_and(|version| version == "2")
        {
            last.imported.facts.insert(
                "description".into(),
                description.chars().take(500).collect(),
            );
            last.lines = super::fio_text::ranges(vec![index - 1, index]);
            continue;
        }
        if line.len() > 100 && line.matches(';').take(80).count() > 70 {
            pieces.extend(job(&plain(line)).map(|imported| Piece::new(index..index + 1, imported)));
        }
    }
}

/// Fields in their order.
struct Fields<'a> {
    all: &'a [&'a str],
    at: usize,
}

impl Fields<'_> {
    fn next(&mut self) -> &str {
        let field = self.all.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        field.trim()
    }

    fn number(&mut self) -> Option<f64> {
        let field = self.next();
        let number: f64 = field.strip_suffix('%').unwrap_or(field).parse().ok()?;
        (number.abs() < NUMBER_MAX).then_some(number)
    }

    fn count(&mut self) -> Option<u64> {
        self.number().map(|count| count.max(0.0) as u64)
    }
}

fn job(line: &str) -> Option<Imported> {
    let all: Vec<&str> = line.trim().split(';').collect();
    // A log may have written something before it.
    let version = all
        .first()?
        .trim()
        .rsplit([' ', '>', '|'])
        .next()?
        .parse::<u8>()
        .ok()?;
    let name_at = match version {
        2 => 1,
        3..=5 if all.get(1).is_some_and(|tool| tool.starts_with("fio-")) => 2,
        _ => return None,
    };
    // Semicolons in the name push everything back: the percentiles show by how much.
    let pushed = (0..=8).find(|pushed| is_job(&all, name_at + pushed))?;
    let name = all[name_at..=name_at + pushed].join(";");
    let mut fields = Fields {
        all: &all,
        at: name_at + pushed + 1,
    };
    let group = fields.next().to_string();
    let error = fields.count();
    let (mut load, is_mixed) = directions(&mut fields, version);
    load.cpu_user_pct = fields.number();
    load.cpu_system_pct = fields.number();
    fields.at += TAIL - 2;
    let mut imported = Imported {
        tool: if version == 2 {
            "fio".into()
        } else {
            all[1].into()
        },
        name,
        ..Imported::default()
    };
    rest(&mut fields, &mut load, &mut imported);
    load.errors = load.errors.or(error.map(|error| u64::from(error != 0)));
    imported
        .facts
        .insert("terse_version".into(), version.to_string());
    imported.facts.insert("group".into(), group);
    imported
        .lossy
        .push("latencies but means are whole µs".into());
    if version == 3 && !is_mixed {
        imported
            .lossy
            .push("trims are not told by terse version 3".into());
    }
    imported
        .units
        .push("bandwidth is KiB/s and latency µs, as fio's HOWTO says of this format".into());
    imported.load = Some(load);
    Some(imported)
}

/// Whether the percentiles of a first direction stand where they belong after a name at this place.
fn is_job(all: &[&str], name_at: usize) -> bool {
    let percentiles = name_at + 3 + 4 + 4 + 4;
    (0..20).all(|at| {
        all.get(percentiles + at)
            .is_some_and(|field| field.contains("%="))
    })
}

/// Reads, writes and trims; or all as one (`unified_rw_reporting=1`), where CPU follows at once.
fn directions(fields: &mut Fields, version: u8) -> (LoadFigures, bool) {
    let mut load = LoadFigures::default();
    let first = direction(fields, version);
    let is_mixed = fields
        .all
        .get(fields.at)
        .is_some_and(|field| field.ends_with('%'));
    let runtime = |side: &Option<(SideFigures, f64)>| side.as_ref().map(|(_, runtime)| *runtime);
    let mut longest = runtime(&first);
    let mut keep = |side: Option<(SideFigures, f64)>| {
        longest = longest
            .into_iter()
            .chain(runtime(&side))
            .max_by(f64::total_cmp);
        side.map(|(side, _)| side)
    };
    if is_mixed {
        load.mixed = keep(first);
    } else {
        load.read = keep(first);
        load.write = keep(direction(fields, version));
        if version != 3 {
            load.trim = keep(direction(fields, version));
        }
    }
    load.elapsed_ms = longest;
    (load, is_mixed)
}

/// One direction and its time; none where nothing was done.
fn direction(fields: &mut Fields, version: u8) -> Option<(SideFigures, f64)> {
    let kib = fields.number();
    let rate = fields.number();
    let iops = fields.number();
    let runtime = fields.number();
    let slat = latency("slat", fields);
    let clat = latency("clat", fields);
    let percentiles = percentiles(fields);
    let lat = latency("lat", fields);
    let (min, max) = (fields.number(), fields.number());
    fields.at += 1;
    let (mean, stddev) = (fields.number(), fields.number());
    let count = if version == 5 {
        fields.count().unwrap_or(0)
    } else {
        0
    };
    let bytes_per_s_samples = samples(min, max, mean, stddev, count, 1024.0);
    let iops_samples = (version == 5).then(|| {
        let (min, max, mean, stddev) = (
            fields.number(),
            fields.number(),
            fields.number(),
            fields.number(),
        );
        let count = fields.count().unwrap_or(0);
        samples(min, max, mean, stddev, count, 1.0)
    });
    if kib == Some(0.0) && iops == Some(0.0) {
        return None;
    }
    let mut latencies: Vec<LatencyFigures> = [slat, clat, lat].into_iter().flatten().collect();
    if let Some(clat) = latencies.iter_mut().find(|latency| latency.kind == "clat") {
        clat.percentiles = percentiles;
    }
    let side = SideFigures {
        bytes: kib.map(|kib| kib * 1024.0),
        iops,
        bytes_per_s: rate.map(|kib| kib * 1024.0),
        iops_samples: iops_samples.flatten(),
        bytes_per_s_samples,
        latencies,
        ..SideFigures::default()
    };
    Some((side, runtime.unwrap_or(0.0)))
}

fn latency(kind: &str, fields: &mut Fields) -> Option<LatencyFigures> {
    let mut ns = || fields.number().map(|us| us * 1e3);
    let (min_ns, max_ns, mean_ns, stddev_ns) = (ns(), ns(), ns(), ns());
    let has_any = mean_ns.is_some_and(|mean| mean > 0.0);
    has_any.then(|| LatencyFigures {
        kind: kind.into(),
        min_ns,
        mean_ns,
        stddev_ns,
        max_ns,
        ..LatencyFigures::default()
    })
}

/// Twenty fields `99.000000%=310`; unused ones are `0%=0`.
fn percentiles(fields: &mut Fields) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for _ in 0..20 {
        let pair = fields
            .next()
            .split_once("%=")
            .and_then(|(a, b)| a.parse::<f64>().ok().zip(b.parse::<f64>().ok()));
        all.extend(pair.filter(|(per_cent, us)| {
            *per_cent > 0.0 && *per_cent <= 100.0 && us.abs() < NUMBER_MAX
        }));
    }
    all.iter()
        .map(|(per_cent, us)| (*per_cent, us * 1e3))
        .collect()
}

fn samples(
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    stddev: Option<f64>,
    count: u64,
    factor: f64,
) -> Option<Samples> {
    let samples = Samples {
        count,
        min: min? * factor,
        max: max? * factor,
        mean: mean? * factor,
        stddev: stddev? * factor,
    };
    (samples.mean > 0.0).then_some(samples)
}

/// Disks, errors and the description, none of which need be there.
fn rest(fields: &mut Fields, load: &mut LoadFigures, imported: &mut Imported) {
    let is_disk = |fields: &Fields| {
        fields
            .all
            .get(fields.at + DISK - 1)
            .is_some_and(|util| util.trim().ends_with('%'))
            && fields
                .all
                .get(fields.at + 1)
                .is_some_and(|ios| ios.trim().parse::<u64>().is_ok())
    };
    while is_disk(fields) && load.disks.len() < 1_000 {
        let name = fields.next().to_string();
        let (read_ios, write_ios) = (fields.count(), fields.count());
        let (read_merges, write_merges) = (fields.count(), fields.count());
        fields.at += 3;
        let util_pct = fields.number();
        load.disks.push(DiskFigures {
            name,
            read_ios,
            write_ios,
            read_merges,
            write_merges,
            util_pct,
        });
    }
    let left = fields.all.get(fields.at..).unwrap_or_default();
    let is_number = |at: usize| {
        left.get(at)
            .is_some_and(|field| field.parse::<u64>().is_ok())
    };
    if left.len() >= 2 && is_number(0) && is_number(1) {
        load.errors = left[0].parse().ok();
    } else if let Some(description) = left
        .first()
        .filter(|text| left.len() == 1 && !text.is_empty())
    {
        imported.facts.insert(
            "description".into(),
            description.chars().take(500).collect(),
        );
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]
    use crate::import;
    use model::imported::Imported;

    fn fixture(version: u8) -> String {
        let name = format!("../../../testdata/imports/fio_terse/fio-3.33.terse{version}.txt");
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
            .unwrap()
    }

    fn read(text: &str) -> Vec<Imported> {
        let import = import("x", &mut text.as_bytes()).unwrap();
        assert!(import.unread.is_empty(), "{:?}", import.unread);
        import.results
    }

    #[test]
    fn the_four_versions_say_the_same() {
        for version in 2..=5 {
            let results = read(&fixture(version));
            assert_eq!(results.len(), 1, "{version}");
            let a = &results[0];
            assert_eq!(
                (a.name.as_str(), a.facts["description"].as_str()),
                ("a", "hello"),
                "{version}"
            );
            assert_eq!(a.tool, if version == 2 { "fio" } else { "fio-3.33" });
            let load = a.load.as_ref().unwrap();
            let read = load.read.as_ref().unwrap();
            assert_eq!(
                (read.iops, read.bytes_per_s),
                (Some(29_000.0), Some(116_000.0 * 1024.0))
            );
            assert_eq!(read.bytes, Some(116.0 * 1024.0));
            let clat = read.latency("clat").unwrap();
            assert_eq!(clat.percentiles.len(), 17);
            assert!(
                (300.0..400.0).contains(&clat.mean_ns.unwrap()) || version == 4,
                "{clat:?}"
            );
            assert!(
                read.latency("slat").is_none(),
                "a synchronous engine has none"
            );
            assert_eq!(load.write.as_ref().unwrap().iops, Some(35_000.0));
            assert!(load.trim.is_none());
            assert_eq!((load.elapsed_ms, load.cpu_user_pct), (Some(1.0), Some(0.0)));
            assert_eq!(read.iops_samples.is_some(), version == 5);
        }
    }

    #[test]
    fn a_name_may_hold_semicolons_and_a_disk_may_follow() {
        let line = fixture(3)
            .trim()
            .replace(";hello", ";sda;29;35;1;2;3;4;5;87.50%;slow; one");
        let line = line.replacen(";a;", ";a;b;c;", 1);
        let results = read(&line);
        assert_eq!(results[0].name, "a;b;c");
        let load = results[0].load.as_ref().unwrap();
        assert_eq!(
            (load.disks[0].name.as_str(), load.disks[0].util_pct),
            ("sda", Some(87.5))
        );
        assert_eq!(load.read.as_ref().unwrap().iops, Some(29_000.0));
    }

    #[test]
    fn other_lines_with_semicolons_are_no_jobs() {
        let text = "1;2;3;".repeat(60);
        assert!(
            import("x", &mut text.as_bytes())
                .unwrap()
                .results
                .is_empty()
        );
    }
}
