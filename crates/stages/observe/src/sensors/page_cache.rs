//! # Page cache of files
//!
//! How much of a file is in memory, and how much of that still has to be written.
//!
//! ## What it reads
//! The calls `cachestat` (Linux 6.5) and, on older kernels, `mincore`, for each file that was named.
//!
//! ## Metrics
//! Of the file's path: `page_cache.<file>.cached` bytes and `cached_percent` of its present size; with `cachestat` also
//! `dirty`, `writeback` and `evicted` bytes. Dirty pages and those being written are part of `cached`.
//!
//! ## Cost
//! Every second one call a file; the kernel's work grows with the pages it holds, with `mincore` with the file's size.
//! A file that takes more than 1 ms is looked at in 64 places of 1 MiB, spread over it evenly, and the figures are
//! estimates from those until it is tried whole again after a minute; a note says so.
//!
//! ## When absent
//! No file was named. A file that belongs to somebody else and may not be written: the kernel does not tell.
//!
//! ## Example
//! `page_cache./srv/db.cached_percent` at 100 during a read test: it measures memory, not the disk.

use crate::declare::field_of;
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::files::{Access, CacheDetails, CacheUse, DataFile, Identity, identity};
use host::{Host, process};
use model::field::{Field, Formula};
use model::sample::MetricKind::Gauge;
use std::path::{Path, PathBuf};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "page_cache",
    since: "0.1.0",
    every_ms: 1000,
    reads: &["cachestat(2)", "mincore(2)"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const fn gauge(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    cannot_tell: &'static str,
) -> Metric {
    Metric {
        name,
        unit,
        kind: Gauge,
        meaning,
        cannot_tell,
    }
}

static METRICS: &[Metric] = &[
    gauge(
        "page_cache.{}.cached",
        "bytes",
        "bytes of the file in memory",
        "whether reads are served from there: direct I/O passes it by",
    ),
    gauge(
        "page_cache.{}.cached_percent",
        "percent",
        "share of the file in memory",
        "which parts: the hot ones may be missing",
    ),
    gauge(
        "page_cache.{}.dirty",
        "bytes",
        "bytes in memory that are not on the disk and not on their way",
        "blocks of other files, such as the file system's metadata",
    ),
    gauge(
        "page_cache.{}.writeback",
        "bytes",
        "bytes on their way to the disk",
        "",
    ),
    gauge(
        "page_cache.{}.evicted",
        "bytes",
        "bytes that were in memory and had to go; the kernel remembers them for a while",
        "pages that were dropped on request: those leave no trace",
    ),
];

const fn last(
    name: &'static str,
    unit: &'static str,
    of: &'static [&'static str],
    place: usize,
) -> Field {
    field_of(&METRICS[place], name, unit, Formula::Last(of, 1.0))
}

static FIELDS: &[Field] = &[
    last(
        "page_cache.{}.cached_bytes",
        "bytes",
        &["page_cache.{}.cached"],
        0,
    ),
    last(
        "page_cache.{}.cached_percent",
        "percent",
        &["page_cache.{}.cached_percent"],
        1,
    ),
    last(
        "page_cache.{}.dirty_bytes",
        "bytes",
        &["page_cache.{}.dirty"],
        2,
    ),
    last(
        "page_cache.{}.writeback_bytes",
        "bytes",
        &["page_cache.{}.writeback"],
        3,
    ),
    last(
        "page_cache.{}.evicted_bytes",
        "bytes",
        &["page_cache.{}.evicted"],
        4,
    ),
];

/// CPU time for one file in one sample.
const BUDGET_NS: u64 = 1_000_000;
/// How much is asked about at a time while a file is looked at whole: the budget is passed by this at most.
const SLICE_BYTES: u64 = 256 << 20;
/// Where a file is too dear: how many places, of what size.
const PLACES: u64 = 64;
const PLACE_BYTES: u64 = 1 << 20;
/// Samples until a file that was too dear is tried whole again.
const RETRY: u32 = 60;

struct Watched {
    path: PathBuf,
    file: Option<(DataFile, Option<Identity>)>,
    /// Samples to come that are estimates.
    sampled: u32,
    was_estimated: bool,
}

struct PageCache(Vec<Watched>);

fn open(host: &Host, scope: &Scope) -> Opened {
    if scope.files.is_empty() {
        return Err("no file was named to look for in the page cache".into());
    }
    if !host.is_live() {
        return Err("a captured machine has no page cache".into());
    }
    let mut failure = None;
    let watched = scope.files.iter().map(|path| {
        let mut one = Watched {
            path: path.clone(),
            file: None,
            sampled: 0,
            was_estimated: false,
        };
        if let Err(error) = one.open().and_then(|()| one.look()) {
            failure.get_or_insert_with(|| error.to_string());
        }
        one
    });
    let watched: Vec<Watched> = watched.collect();
    match failure {
        Some(why) if watched.iter().all(|one| one.file.is_none()) => Err(why),
        _ => Ok(Box::new(PageCache(watched))),
    }
}

impl Watched {
    fn open(&mut self) -> host::Result<()> {
        self.file = None;
        self.file = Some((
            DataFile::open(&self.path, Access::default())?,
            identity(&self.path),
        ));
        Ok(())
    }

    /// What is in memory now, and the file's size; nothing for a file that is not there.
    fn look(&mut self) -> host::Result<Option<(CacheUse, u64)>> {
        // A file of the same name may have taken its place.
        if self
            .file
            .as_ref()
            .is_none_or(|(_, known)| identity(&self.path) != *known)
            && self.open().is_err()
        {
            return Ok(None);
        }
        let Some((file, _)) = &self.file else {
            return Ok(None);
        };
        let size = file
            .bytes_now()
            .map_err(|error| host::Error::io("ask the size of", &self.path, error))?;
        if self.sampled == 0 {
            if let Some(whole) = whole(file, size)? {
                return Ok(Some((whole, size)));
            }
            self.sampled = RETRY;
        }
        self.sampled -= 1;
        self.was_estimated = true;
        Ok(Some((estimate(file, size)?, size)))
    }

    fn name(&self) -> String {
        Path::to_string_lossy(&self.path).into_owned()
    }
}

/// Adds up the file slice by slice; nothing when that takes longer than it may.
fn whole(file: &DataFile, size: u64) -> host::Result<Option<CacheUse>> {
    let began_ns = process::thread_cpu_ns();
    let mut sum = CacheUse {
        cached: 0,
        details: Some(CacheDetails::default()),
    };
    let mut offset = 0;
    while offset < size {
        let length = SLICE_BYTES.min(size - offset);
        sum = sum_of(sum, file.cache_use(offset, length)?);
        offset += length;
        if offset < size && process::thread_cpu_ns() - began_ns > BUDGET_NS {
            return Ok(None);
        }
    }
    Ok(Some(sum))
}

/// The whole file by what there is in places spread over it.
fn estimate(file: &DataFile, size: u64) -> host::Result<CacheUse> {
    let step = (size / PLACES)
        .next_multiple_of(PLACE_BYTES)
        .max(PLACE_BYTES);
    let mut sum = CacheUse {
        cached: 0,
        details: Some(CacheDetails::default()),
    };
    let (mut offset, mut asked) = (0, 0);
    while offset < size {
        let length = PLACE_BYTES.min(size - offset);
        sum = sum_of(sum, file.cache_use(offset, length)?);
        asked += length;
        offset += step;
    }
    let scaled = |bytes: u64| (bytes as f64 * size as f64 / asked.max(1) as f64) as u64;
    let details = sum.details.map(|details| CacheDetails {
        dirty: scaled(details.dirty),
        writeback: scaled(details.writeback),
        evicted: scaled(details.evicted),
    });
    Ok(CacheUse {
        cached: scaled(sum.cached),
        details,
    })
}

fn sum_of(a: CacheUse, b: CacheUse) -> CacheUse {
    let details = a.details.zip(b.details).map(|(a, b)| CacheDetails {
        dirty: a.dirty + b.dirty,
        writeback: a.writeback + b.writeback,
        evicted: a.evicted + b.evicted,
    });
    CacheUse {
        cached: a.cached + b.cached,
        details,
    }
}

impl SensorSource for PageCache {
    fn columns(&self) -> Vec<SensorColumn> {
        let of = |one: &Watched| -> Vec<SensorColumn> {
            METRICS
                .iter()
                .map(|metric| SensorColumn::of(metric, &one.name()))
                .collect()
        };
        self.0.iter().flat_map(of).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let mut failure = None;
        for (one, cells) in self.0.iter_mut().zip(row.chunks_mut(METRICS.len())) {
            let (cache, size) = match one.look() {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) => {
                    failure.get_or_insert(error);
                    continue;
                }
            };
            // The last page is in memory whole, also where the file ends within it.
            let cached = cache.cached.min(size);
            cells[0] = cached as f64;
            if size > 0 {
                cells[1] = 100.0 * cached as f64 / size as f64;
            }
            if let Some(details) = cache.details {
                cells[2] = details.dirty as f64;
                cells[3] = details.writeback as f64;
                cells[4] = details.evicted as f64;
            }
        }
        // Only where there is nothing else to tell, since a failed read leaves a gap in all series.
        failure
            .filter(|_| row.iter().all(|cell| cell.is_nan()))
            .map_or(Ok(()), Err)
    }

    fn notes(&self) -> Vec<String> {
        let estimated = self.0.iter().filter(|one| one.was_estimated).map(|one| {
            format!(
                "{} is large: its figures are estimated from {PLACES} places of 1 MiB.",
                one.name()
            )
        });
        estimated.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::files;

    fn read(source: &mut Box<dyn SensorSource>) -> Vec<f64> {
        let mut row = vec![f64::NAN; source.columns().len()];
        source.read(&mut row).unwrap();
        row
    }

    #[test]
    fn what_was_just_written_is_in_memory_and_a_file_may_come_late() {
        let dir = files::temporary_dir("page-cache").unwrap();
        let (here, late) = (dir.path().join("here"), dir.path().join("late"));
        files::write_atomically(&here, &"x".repeat(4 << 20)).unwrap();
        let scope = Scope {
            files: vec![here.clone(), late.clone()],
            ..Scope::default()
        };
        let mut source = open(&Host::live(), &scope).unwrap_or_else(|why| panic!("{why}"));
        let row = read(&mut source);
        assert_eq!(
            source.columns()[1].name,
            format!("page_cache.{}.cached_percent", here.display())
        );
        assert!(row[0] > 0.0 && row[0] <= (4 << 20) as f64, "{row:?}");
        assert!(
            (row[1] - 100.0 * row[0] / (4 << 20) as f64).abs() < 1e-9,
            "{row:?}"
        );
        assert!(
            row[5..].iter().all(|cell| cell.is_nan()),
            "not there yet: {row:?}"
        );
        files::write_atomically(&late, &"y".repeat(8192)).unwrap();
        assert!(read(&mut source)[5] >= 0.0);
    }

    #[test]
    fn places_stand_for_the_whole() {
        let dir = files::temporary_dir("page-cache").unwrap();
        let path = dir.path().join("file");
        files::write_atomically(&path, "").unwrap();
        let file = DataFile::open(
            &path,
            Access {
                write: true,
                ..Access::default()
            },
        )
        .unwrap();
        let size = 1 << 40;
        if let Err(error) = file.extend(size) {
            skip::missing(
                "machine:file-size",
                format!("no file of 1 TiB here: {error}"),
            );
            return;
        }
        // Nothing of a hole is in memory, and finding that out is quick however large it is.
        assert_eq!(estimate(&file, size).unwrap().cached, 0);
        assert_eq!(estimate(&file, 3 << 20).unwrap().cached, 0);
        file.write_at(&[1; 8192], 0).unwrap();
        let cached = estimate(&file, size).unwrap().cached;
        assert!(cached == 0 || cached >= 8192, "{cached}");
    }

    #[test]
    fn absence_has_its_reason() {
        let reason = |host: &Host, scope: &Scope| open(host, scope).err().unwrap_or_default();
        assert!(reason(&Host::live(), &Scope::default()).contains("no file was named"));
        let scope = Scope {
            files: vec!["/no/such/file".into()],
            ..Scope::default()
        };
        assert!(reason(&Host::live(), &scope).contains("/no/such/file"));
    }
}
