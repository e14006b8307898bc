//! # fio's histogram logs
//!
//! What `write_hist_log` and `log_hist_msec` write: all completion latencies of an interval by bucket, a line each.
//!
//! ## What it reads
//! Time, direction, block size and the counts of the intervals, of fio's 1,856 buckets of ns (2.99 and later) or 1,216 of
//! µs before, thinned out by `log_hist_coarseness`. The sum over all intervals with its percentiles, and count, median
//! and 99th percentile of each interval.
//!
//! ## What is lost
//! With a coarseness of k, 2^k buckets were added up: latencies are known to 2^k/64 of their size. Least and greatest
//! latency are those of the buckets.
//!
//! ## Example
//! `fio --write_hist_log=a --log_hist_msec=1000 --name=a --rw=randread --filename=/dev/sdb; iodyno import a_clat_hist.1.log`

use super::fio_log::{DIRECTIONS, PERCENTILES};
use crate::{How, ImportError, Importer, Piece, Unread};
use model::histogram::{Histogram, bucket_of, edge_of, value_of};
use model::imported::{Imported, ImportedSeries, LatencyFigures, LoadFigures, SideFigures};
use model::units;
use std::collections::BTreeMap;
use std::io::{BufRead, Read};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_hist_log",
    since: "0.1",
    reads: "fio's histogram logs",
    how: How::Stream { is_mine, read },
};

/// Buckets of ns.
const NS_BUCKETS: usize = 1_856;
/// Buckets of µs, before 2.99.
const US_BUCKETS: usize = 1_216;
/// fio's largest `log_hist_coarseness`.
const COARSEST: u32 = 6;
/// A line has at most this many counts, each with at most 20 digits.
const LINE_MAX: u64 = (NS_BUCKETS as u64 + 3) * 22;
/// Most intervals of which a series is kept.
const INTERVALS_MAX: usize = 20_000;
/// Larger counts are damage, and sums must not overflow.
const COUNT_MAX: u64 = 1 << 40;

/// How a log's buckets are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    bins: usize,
    coarseness: u32,
    is_us: bool,
}

impl Layout {
    /// From the number of counts on a line: no two layouts have the same.
    fn of_bins(bins: usize) -> Option<Layout> {
        let all = (0..=COARSEST).flat_map(|coarseness| {
            [(NS_BUCKETS, false), (US_BUCKETS, true)].map(|all| (coarseness, all))
        });
        all.map(|(coarseness, (buckets, is_us))| Layout {
            bins: buckets >> coarseness,
            coarseness,
            is_us,
        })
        .find(|layout| layout.bins == bins)
    }

    /// The bucket of ours for a bin: of a coarse one the middle.
    fn bucket(self, bin: usize) -> usize {
        let fine = (bin << self.coarseness) + ((1 << self.coarseness) >> 1);
        if self.is_us {
            bucket_of(value_of(fine).saturating_mul(1_000))
        } else {
            fine
        }
    }
}

fn is_mine(head: &[u8]) -> bool {
    let line = head
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty());
    line.and_then(|line| std::str::from_utf8(line).ok())
        .is_some_and(|line| FioHistLogLine::read(line).is_some())
}

/// One interval.
struct FioHistLogLine {
    time_ms: f64,
    direction: usize,
    block: u64,
    layout: Layout,
    counts: Vec<u64>,
}

impl FioHistLogLine {
    fn read(line: &str) -> Option<FioHistLogLine> {
        let mut fields = line
            .split(',')
            .map(|field| field.trim().parse::<u64>().ok());
        let (time, direction, block) = (fields.next()??, fields.next()??, fields.next()??);
        let counts: Vec<u64> = fields.collect::<Option<_>>()?;
        let layout = Layout::of_bins(counts.len())?;
        (direction < 3).then_some(FioHistLogLine {
            time_ms: time as f64,
            direction: direction as usize,
            block,
            layout,
            counts,
        })
    }

    fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        for (bin, count) in self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            histogram.add_count(self.layout.bucket(bin), (*count).min(COUNT_MAX));
        }
        histogram
    }
}

/// One direction.
#[derive(Default)]
struct FioHistLogSide {
    all: Histogram,
    block: Option<u64>,
    has_more_blocks: bool,
    time_ms: Vec<f64>,
    count: Vec<Option<f64>>,
    p50_ms: Vec<Option<f64>>,
    p99_ms: Vec<Option<f64>>,
}

fn read(source: &mut dyn BufRead) -> Result<Vec<Piece>, ImportError> {
    let mut sides: [FioHistLogSide; 3] = Default::default();
    let (mut text, mut number, mut layout, mut unread) = (Vec::new(), 0u64, None, Vec::new());
    loop {
        text.clear();
        if Read::take(&mut *source, LINE_MAX).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        number += 1;
        let line = std::str::from_utf8(&text)
            .ok()
            .and_then(FioHistLogLine::read);
        let line = line.filter(|line| layout.is_none_or(|layout| layout == line.layout));
        match line {
            Some(line) => {
                layout = Some(line.layout);
                sides[line.direction].add(&line);
            }
            None if text.trim_ascii().is_empty() => {}
            None if unread.len() < 20 => unread.push(Unread {
                lines: Some((number, number)),
                why: "this is no line of this histogram log, or it is cut off".into(),
            }),
            None => {}
        }
    }
    let Some(layout) = layout else {
        return Ok(Vec::new());
    };
    let mut piece = Piece::new(
        0..usize::try_from(number).unwrap_or(usize::MAX),
        imported(&sides, layout),
    );
    piece.unread = unread;
    Ok(vec![piece])
}

impl FioHistLogSide {
    fn add(&mut self, line: &FioHistLogLine) {
        let histogram = line.histogram();
        // Sums of many damaged lines must not overflow either.
        if self.all.total() < 1 << 60 {
            self.all.merge(&histogram);
        }
        self.has_more_blocks |= self.block.is_some_and(|block| block != line.block);
        self.block = Some(line.block);
        if self.time_ms.len() < INTERVALS_MAX {
            let ms = |quantile: f64| histogram.quantile_ns(quantile).map(|ns| ns as f64 / 1e6);
            self.time_ms.push(line.time_ms);
            self.count.push(Some(histogram.total() as f64));
            self.p50_ms.push(ms(0.5));
            self.p99_ms.push(ms(0.99));
        }
    }

    fn figures(&self, elapsed_ms: f64) -> SideFigures {
        let counts = self.all.counts();
        let (first, last) = (
            counts.iter().position(|count| *count > 0),
            counts.iter().rposition(|count| *count > 0),
        );
        let ios = self.all.total();
        let block = self
            .block
            .filter(|block| !self.has_more_blocks && *block > 0);
        let bytes = block.map(|block| ios as f64 * block as f64);
        let rate = |amount: f64| (elapsed_ms > 0.0).then(|| amount / elapsed_ms * 1e3);
        let mut latency = LatencyFigures {
            kind: "clat".into(),
            count: Some(ios),
            min_ns: first.map(|bucket| edge_of(bucket) as f64),
            mean_ns: self.all.mean_ns(),
            max_ns: last.map(|bucket| value_of(bucket) as f64),
            stddev_ns: None,
            percentiles: Vec::new(),
            histogram: Some(self.all.clone()),
        };
        latency.percentiles = latency.counted_percentiles(&PERCENTILES);
        SideFigures {
            ios: Some(ios),
            bytes,
            iops: rate(ios as f64),
            bytes_per_s: bytes.and_then(rate),
            latencies: vec![latency],
            ..SideFigures::default()
        }
    }

    fn series(&self, direction: &str) -> Vec<ImportedSeries> {
        let of = |field: &str, unit: &str, values: &[Option<f64>]| ImportedSeries {
            field: format!("fio.{field}"),
            subject: direction.into(),
            unit: unit.into(),
            time_ms: self.time_ms.clone(),
            values: values.to_vec(),
        };
        vec![
            of("ios", "ios", &self.count),
            of("clat_p50_ms", "ms", &self.p50_ms),
            of("clat_p99_ms", "ms", &self.p99_ms),
        ]
    }
}

fn imported(sides: &[FioHistLogSide; 3], layout: Layout) -> Imported {
    let ends = sides.iter().flat_map(|side| side.time_ms.iter().copied());
    let (first, last) = ends.fold((f64::INFINITY, 0.0f64), |(first, last), end| {
        (first.min(end), last.max(end))
    });
    // A clock's time instead of a job's: from the first interval's end on.
    let elapsed_ms = if first > 1e12 { last - first } else { last };
    let mut load = LoadFigures {
        elapsed_ms: Some(elapsed_ms),
        ..LoadFigures::default()
    };
    let mut series = Vec::new();
    for (side, word) in sides
        .iter()
        .zip(DIRECTIONS)
        .filter(|(side, _)| side.all.total() > 0)
    {
        series.extend(side.series(word));
        *super::fio_text::job::side_of(&mut load, word) = Some(side.figures(elapsed_ms));
    }
    let mut lossy =
        vec!["what happened after the last whole interval is not in the log".to_string()];
    if layout.coarseness > 0 {
        let share = 100.0 * f64::from(1 << layout.coarseness) / 64.0;
        let coarseness = layout.coarseness;
        lossy.push(format!(
            "coarseness {coarseness}: latencies are known to about {share} of their size",
            share = units::percent_whole(share)
        ));
    }
    if sides.iter().any(|side| side.has_more_blocks) {
        lossy.push("block sizes differ from interval to interval: there is no bandwidth".into());
    }
    let unit = if layout.is_us {
        "1,216 buckets are µs (fio before 2.99)"
    } else {
        "1,856 buckets are ns"
    };
    Imported {
        tool: "fio".into(),
        name: "clat_hist".into(),
        lossy,
        units: vec![unit.into()],
        load: Some(load),
        series,
        facts: BTreeMap::from([
            ("log".to_string(), "clat_hist".to_string()),
            ("coarseness".to_string(), layout.coarseness.to_string()),
        ]),
        ..Imported::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::import;
    use model::histogram::{bucket_of, value_of};

    /// A line with these counts by bin.
    fn line(time: u64, direction: u64, bins: usize, counts: &[(usize, u64)]) -> String {
        let mut all = vec![0; bins];
        counts.iter().for_each(|(bin, count)| all[*bin] = *count);
        let all: Vec<String> = all.iter().map(u64::to_string).collect();
        format!("{time}, {direction}, 4096, {}\n", all.join(", "))
    }

    #[test]
    fn every_layout_is_told_by_its_number_of_bins() {
        for (bins, coarseness, is_us) in [
            (1856, 0, false),
            (928, 1, false),
            (29, 6, false),
            (1216, 0, true),
            (19, 6, true),
        ] {
            let layout = Layout::of_bins(bins).unwrap();
            assert_eq!(
                (layout.coarseness, layout.is_us),
                (coarseness, is_us),
                "{bins}"
            );
        }
        assert_eq!(Layout::of_bins(30), None);
        // A latency of 1 ms is in the same place whatever the layout.
        for bins in [1856, 464, 1216, 304] {
            let layout = Layout::of_bins(bins).unwrap();
            let fine = bucket_of(if layout.is_us { 1_000 } else { 1_000_000 });
            let back = value_of(layout.bucket(fine >> layout.coarseness)) as f64;
            assert!((back / 1e6 - 1.0).abs() < 0.1, "{bins}: {back}");
        }
    }

    #[test]
    fn intervals_add_up() {
        let (fast, slow) = (bucket_of(100_000), bucket_of(5_000_000));
        let text = line(1000, 0, 1856, &[(fast, 99), (slow, 1)])
            + &line(2000, 0, 1856, &[(fast, 300)])
            + &line(2000, 1, 1856, &[(slow, 7)]);
        let import = import("a_clat_hist.1.log", &mut text.as_bytes()).unwrap();
        let result = &import.results[0];
        assert_eq!(
            (result.importer.as_str(), result.lines),
            ("fio_hist_log", Some((1, 3)))
        );
        let load = result.load.as_ref().unwrap();
        let read = load.read.as_ref().unwrap();
        assert_eq!(
            (read.ios, read.iops, read.bytes),
            (Some(400), Some(200.0), Some(400.0 * 4096.0))
        );
        let clat = read.latency("clat").unwrap();
        assert_eq!(clat.histogram.as_ref().unwrap().counts()[slow], 1);
        assert_eq!(clat.percentiles[6], (50.0, value_of(fast) as f64));
        assert_eq!(load.write.as_ref().unwrap().ios, Some(7));
        let p99 = result
            .series
            .iter()
            .find(|series| series.field == "fio.clat_p99_ms")
            .unwrap();
        assert_eq!(p99.values[0], Some(value_of(fast) as f64 / 1e6));
    }

    #[test]
    fn a_line_that_is_cut_is_told() {
        let whole = line(1000, 0, 464, &[(3, 5)]);
        let text = format!("{whole}{}", &whole[..400]);
        let import = import("x", &mut text.as_bytes()).unwrap();
        assert_eq!(import.results.len(), 1);
        assert_eq!(import.unread[0].lines, Some((2, 2)));
    }
}
