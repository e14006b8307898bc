//! fio's JSON output, of every version since 2.2, as numbers with known units.
//!
//! What changed over the years is told apart by the names of keys, not by the version: `clat` is µs and `clat_ns` is
//! ns, `io_bytes` beside `io_kbytes` is bytes and alone is KiB. Every key may be missing. Text before, between and
//! after the documents is kept, because fio says its errors there. Pure: no file is read here.
//!
//! Sources: fio's `stat.c`, `client.c` and `HOWTO.rst` of the tags 2.1.4 to 3.42.

mod find;
mod latency;
pub(crate) mod value;
mod version;

pub use latency::Latency;
pub use version::Version;

use crate::pieces::RESULTS_MAX;
use model::imported::Samples;
use std::collections::BTreeMap;
use value::{Value, ValueMap, count, map, number, text};

/// What fio printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Its version, where it could be understood.
    pub version: Option<Version>,
    /// As printed: `fio-3.33`.
    pub version_text: String,
    /// When it was printed, ms since 1970.
    pub unix_ms: Option<u64>,
    /// Options of the `[global]` section.
    pub global_options: BTreeMap<String, String>,
    /// The jobs; with `group_reporting` the groups.
    pub jobs: Vec<JobOutput>,
    /// What the kernel counted for the devices below, over all of fio's run.
    pub disk_util: Vec<DiskUtil>,
    /// Lines outside the documents that are not empty.
    pub text: Vec<String>,
    /// How many whole documents there were; with `status-interval` the last one counts, each tells all since the start.
    pub documents: usize,
    /// Whether another document began and was cut off.
    pub is_cut: bool,
}

/// One job, or one group of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobOutput {
    /// Its name.
    pub name: String,
    /// Which machine ran it, of client and server.
    pub hostname: Option<String>,
    /// Whether it repeats what the others did (`All clients`): not to be added to them.
    pub is_sum: bool,
    /// errno that ended it; 0 is none.
    pub error: i32,
    /// Failed I/Os that `continue_on_error` passed over.
    pub errors: u64,
    /// Its options as given.
    pub options: BTreeMap<String, String>,
    /// When it began, ms since 1970 (3.36 and later).
    pub started_unix_ms: Option<u64>,
    /// How long fio had been running it when it printed, s.
    pub elapsed_s: Option<u64>,
    /// Wall time of the job, ms: that of its longest direction. fio's `job_runtime` is no such thing, with
    /// `group_reporting` it adds up the times of all jobs of the group.
    pub runtime_ms: u64,
    /// fio's `job_runtime`: the times of all jobs of the group added up, ms. None where fio does not tell it.
    pub added_runtime_ms: Option<u64>,
    /// CPU time in user mode, per cent of what the times of all jobs add up to.
    pub usr_cpu: f64,
    /// CPU time in the kernel, per cent of what the times of all jobs add up to.
    pub sys_cpu: f64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims.
    pub trim: Direction,
    /// All directions as one, where fio was asked not to tell them apart (`unified_rw_reporting=1`).
    pub mixed: Option<Direction>,
    /// fsync, fdatasync and sync_file_range.
    pub sync: Direction,
}

/// What one direction of a job did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// Completed I/Os.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Time from the first to the last I/O, ms.
    pub runtime_ms: u64,
    /// fio's own figure.
    pub iops: f64,
    /// fio's own figure.
    pub bytes_per_s: f64,
    /// Samples of IOPS that fio took.
    pub iops_samples: Option<Samples>,
    /// The same of bytes per second.
    pub bytes_per_s_samples: Option<Samples>,
    /// I/Os that moved less than asked for.
    pub short_ios: u64,
    /// From the call to its return.
    pub slat: Option<Latency>,
    /// From submission to completion.
    pub clat: Option<Latency>,
    /// Both together.
    pub lat: Option<Latency>,
}

/// What the kernel counted for one device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskUtil {
    /// Kernel name.
    pub name: String,
    /// Reads completed.
    pub read_ios: u64,
    /// Writes completed.
    pub write_ios: u64,
    /// Reads merged.
    pub read_merges: u64,
    /// Writes merged.
    pub write_merges: u64,
    /// Share of time with I/O, per cent.
    pub util_percent: f64,
}

/// Why there are no numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FioJsonError {
    /// No document at all.
    #[error("there is no JSON document of fio in it{}", said(text))]
    None {
        /// What is there instead.
        text: Vec<String>,
    },
    /// The only document is not whole.
    #[error("its JSON document is cut off or damaged: {why}{}", said(text))]
    Damaged {
        /// What the reader found.
        why: String,
        /// What is there besides.
        text: Vec<String>,
    },
}

/// The last lines that fio printed besides, for a message.
fn said(text: &[String]) -> String {
    let last: Vec<&str> = text
        .iter()
        .rev()
        .take(3)
        .rev()
        .map(String::as_str)
        .collect();
    if last.is_empty() {
        String::new()
    } else {
        format!("; fio said: {}", last.join(" / "))
    }
}

/// Reads everything that fio printed.
pub fn read(printed: &str) -> Result<Output, FioJsonError> {
    let mut found = find::documents(printed);
    let documents = found.documents.len();
    let Some(last) = found.documents.pop() else {
        return Err(match found.damage {
            Some(why) => FioJsonError::Damaged {
                why,
                text: found.text,
            },
            None => FioJsonError::None { text: found.text },
        });
    };
    Ok(Output {
        documents,
        is_cut: found.damage.is_some(),
        text: found.text,
        ..last
    })
}

/// What the document says that a text begins with, and how many bytes it takes.
///
/// # Errors
///
/// Why it is none.
pub fn document(text: &str) -> Result<(Output, usize), String> {
    let (document, used) = value::parse(text)?;
    let keys = ["fio version", "jobs", "client_stats"];
    match keys.iter().any(|key| document.contains_key(key)) {
        true => Ok((of_document(&document), used)),
        false => Err("it is JSON of another program".into()),
    }
}

/// What one document says.
fn of_document(document: &ValueMap) -> Output {
    let version_text = text(document, "fio version").unwrap_or_default();
    let in_seconds = count(document, "timestamp").map(|seconds| seconds.saturating_mul(1000));
    let mut output = Output {
        version: Version::parse(&version_text),
        version_text,
        unix_ms: count(document, "timestamp_ms").or(in_seconds),
        global_options: global_options(document),
        disk_util: list(document, "disk_util").map(disk).collect(),
        documents: 1,
        ..Output::default()
    };
    let jobs = list(document, "jobs").chain(list(document, "client_stats"));
    // One more than is read of a file, so that somebody notices.
    let jobs = jobs.take(RESULTS_MAX + 1);
    output.jobs = jobs.map(|job| output.job(job)).collect();
    output
}

fn list<'m, 'a>(from: &'m ValueMap<'a>, key: &str) -> impl Iterator<Item = &'m ValueMap<'a>> {
    from.get(key)
        .into_iter()
        .flat_map(Value::items)
        .filter_map(Value::as_map)
}

/// One object, or since 3.39 with several clients an array of them.
fn global_options(document: &ValueMap) -> BTreeMap<String, String> {
    match document.get("global options") {
        Some(Value::List(all)) => all.iter().flat_map(options).collect(),
        Some(one) => options(one),
        None => BTreeMap::new(),
    }
}

fn options(from: &Value) -> BTreeMap<String, String> {
    let pairs = from.as_map().into_iter().flat_map(ValueMap::iter);
    pairs
        .map(|(name, value)| (name.to_string(), value::as_text(value).unwrap_or_default()))
        .collect()
}

fn disk(from: &ValueMap) -> DiskUtil {
    DiskUtil {
        name: text(from, "name").unwrap_or_default(),
        read_ios: count(from, "read_ios").unwrap_or(0),
        write_ios: count(from, "write_ios").unwrap_or(0),
        read_merges: count(from, "read_merges").unwrap_or(0),
        write_merges: count(from, "write_merges").unwrap_or(0),
        util_percent: number(from, "util").unwrap_or(0.0),
    }
}

impl Output {
    fn job(&self, from: &ValueMap) -> JobOutput {
        let name = text(from, "jobname").unwrap_or_default();
        let direction = |key| map(from, key).map(direction);
        let is_split = ["read", "write", "trim"]
            .iter()
            .any(|key| from.contains_key(key));
        let mut job = JobOutput {
            hostname: text(from, "hostname"),
            is_sum: name == "All clients",
            error: number(from, "error").map_or(0, |errno| errno as i32),
            started_unix_ms: count(from, "job_start"),
            elapsed_s: count(from, "elapsed"),
            errors: count(from, "total_err").unwrap_or(0),
            options: from.get("job options").map(options).unwrap_or_default(),
            added_runtime_ms: count(from, "job_runtime").filter(|ms| *ms > 0),
            usr_cpu: number(from, "usr_cpu").unwrap_or(0.0),
            sys_cpu: number(from, "sys_cpu").unwrap_or(0.0),
            read: direction("read").unwrap_or_default(),
            write: direction("write").unwrap_or_default(),
            trim: direction("trim").unwrap_or_default(),
            // With `both` it repeats the others.
            mixed: direction("mixed").filter(|_| !is_split),
            sync: direction("sync").map(sync).unwrap_or_default(),
            runtime_ms: 0,
            name,
        };
        let longest = job
            .directions()
            .map(|direction| direction.runtime_ms)
            .max()
            .unwrap_or(0);
        job.runtime_ms = if longest > 0 {
            longest
        } else {
            job.added_runtime_ms.unwrap_or(0)
        };
        if self.has_lat_in_clat(&job) {
            for direction in [&mut job.read, &mut job.write, &mut job.trim] {
                latency::move_percentiles(&mut direction.clat, &mut direction.lat);
            }
        }
        job
    }

    /// 3.11 and 3.12 print the percentiles of `lat` below `clat_ns` when asked for them.
    fn has_lat_in_clat(&self, job: &JobOutput) -> bool {
        let asked = job
            .options
            .get("lat_percentiles")
            .or_else(|| self.global_options.get("lat_percentiles"));
        let is_between =
            |version: Version| (Version::new(3, 11)..Version::new(3, 13)).contains(&version);
        self.version.is_some_and(is_between) && asked.is_some_and(|value| value != "0")
    }

    /// The jobs that add up to all that was done.
    pub fn parts(&self) -> impl Iterator<Item = &JobOutput> {
        self.jobs.iter().filter(|job| !job.is_sum)
    }
}

impl JobOutput {
    /// Reads, writes and trims, or the one direction that stands for them.
    pub fn directions(&self) -> impl Iterator<Item = &Direction> {
        [&self.read, &self.write, &self.trim]
            .into_iter()
            .chain(&self.mixed)
    }

    /// How many jobs' times its shares of CPU time are of, at once: 4 for a group of 4 jobs. Times it, they are shares of one
    /// CPU. None where fio does not tell the added time.
    pub fn jobs_at_once(&self) -> Option<f64> {
        let added_ms = self.added_runtime_ms? as f64;
        (self.runtime_ms > 0).then(|| added_ms / self.runtime_ms as f64)
    }
}

fn direction(from: &ValueMap) -> Direction {
    let runtime_ms = count(from, "runtime").unwrap_or(0);
    let iops = number(from, "iops").unwrap_or(0.0);
    let kib = |key| number(from, key).map(|kib| kib * 1024.0);
    let bytes = match from.contains_key("io_kbytes") {
        true => count(from, "io_bytes"),
        false => count(from, "io_bytes").map(|kib| kib.saturating_mul(1024)),
    };
    let latency = |name| Latency::find(from, name);
    let mut direction = Direction {
        bytes: bytes.unwrap_or(0),
        runtime_ms,
        iops,
        bytes_per_s: number(from, "bw_bytes")
            .or_else(|| kib("bw"))
            .unwrap_or(0.0),
        short_ios: count(from, "short_ios").unwrap_or(0),
        iops_samples: samples(
            from,
            [
                "iops_min",
                "iops_max",
                "iops_mean",
                "iops_stddev",
                "iops_samples",
            ],
            1.0,
        ),
        bytes_per_s_samples: samples(
            from,
            ["bw_min", "bw_max", "bw_mean", "bw_dev", "bw_samples"],
            1024.0,
        ),
        slat: latency("slat"),
        clat: latency("clat"),
        lat: latency("lat"),
        ios: 0,
    };
    direction.ios = count(from, "total_ios")
        .or_else(|| direction.clat.as_ref().and_then(|clat| clat.samples))
        // Before 2.1.14 the number itself was not told.
        .unwrap_or((iops * runtime_ms as f64 / 1e3).round() as u64);
    direction
}

/// Minimum, maximum, mean, standard deviation and number, times `factor`. Runs shorter than the first sample have none.
fn samples(from: &ValueMap, keys: [&str; 5], factor: f64) -> Option<Samples> {
    let [min, max, mean, stddev] =
        [0, 1, 2, 3].map(|at| number(from, keys[at]).map(|found| found * factor));
    let samples = Samples {
        count: count(from, keys[4]).unwrap_or(0),
        min: min?,
        max: max?,
        mean: mean?,
        stddev: stddev?,
    };
    (samples.mean > 0.0).then_some(samples)
}

/// Syncs are counted by their latencies: some versions print a total of 0 beside them.
fn sync(direction: Direction) -> Direction {
    let samples = direction
        .lat
        .as_ref()
        .and_then(|lat| lat.samples)
        .unwrap_or(0);
    Direction {
        ios: direction.ios.max(samples),
        ..direction
    }
}

#[cfg(test)]
pub mod tests;
