//! # fio's JSON
//!
//! `--output-format=json` and `json+` of fio 2.2 to 3.4x, also of clients and servers, alone in a file or between other
//! lines.
//!
//! ## What it reads
//! One result a job, or a group with `group_reporting`: all directions with their own numbers, latencies with the
//! percentiles and, of `json+`, every bucket; samples, CPU, errors, options, disks. Of the documents that
//! `--status-interval` writes the last one counts. The sum of all clients is left out where its parts are there.
//!
//! ## What is lost
//! Nothing that iodyno has a place for. The distribution of depths and `steadystate` have none. The counts of the disks
//! are those of fio's whole run, not of the job.
//!
//! ## Example
//! `fio --output-format=json+ --output=out.json job.fio; iodyno import out.json`

use crate::fio_json::{self, Direction, JobOutput, Latency, Output, Version};
use crate::json_in_text;
use crate::pieces::Pieces;
use crate::{How, Importer, Piece, Text, Unread};
use model::imported::{DiskFigures, Imported, LatencyFigures, LoadFigures, SideFigures};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_json",
    since: "0.1",
    reads: "fio's JSON and JSON+, 2.2 to 3.4x",
    how: How::Json(find),
};

/// Words of which one stands near the beginning of a document of fio.
const WORDS: [&str; 3] = ["fio version", "\"jobs\"", "client_stats"];

fn find(text: &Text, pieces: &mut Pieces) {
    let mut run: Option<(Range<usize>, Output)> = None;
    let mut damaged = Vec::new();
    for document in json_in_text::documents(text, &WORDS, fio_json::document) {
        let mut lines = document.lines;
        match document.said {
            Ok(output) => {
                match run.take() {
                    Some((before, last)) if is_same_run(&last, &output) => {
                        lines.start = before.start;
                    }
                    Some((before, last)) => of_run(text, before, last, pieces),
                    None => {}
                }
                run = Some((lines, output));
            }
            Err(why) => damaged.push(unread(&lines, &why)),
        }
        if pieces.is_cut() {
            break;
        }
    }
    if let Some((lines, output)) = run {
        of_run(text, lines, output, pieces);
    }
    if let Some(first) = pieces.own_mut().next() {
        first.unread.extend(damaged);
    }
}

fn unread(lines: &Range<usize>, why: &str) -> Unread {
    let lines = (lines.start as u64 + 1, lines.end as u64);
    Unread {
        lines: Some(lines),
        why: format!("a JSON document of fio that is cut off or damaged: {why}"),
    }
}

/// Whether a document is the next one of the same run, as `--status-interval` writes them: the same jobs that began at
/// the same moment and have done more.
fn is_same_run(before: &Output, after: &Output) -> bool {
    let names = |output: &Output| {
        output
            .jobs
            .iter()
            .map(|job| job.name.clone())
            .collect::<Vec<_>>()
    };
    let start = |output: &Output| {
        let elapsed_ms = output.jobs.first()?.elapsed_s?.saturating_mul(1000);
        output.unix_ms?.checked_sub(elapsed_ms)
    };
    let done = |output: &Output| {
        output
            .parts()
            .flat_map(JobOutput::directions)
            .map(|side| side.ios)
            .sum::<u64>()
    };
    let starts = start(before).zip(start(after));
    names(before) == names(after)
        && starts.is_some_and(|(a, b)| a.abs_diff(b) <= 2_000)
        && done(after) >= done(before)
        && before.unix_ms < after.unix_ms
}

/// Each job with its own lines; what stands before the first one and after the last one is theirs.
fn of_run(text: &Text, document: Range<usize>, mut output: Output, pieces: &mut Pieces) {
    let has_parts = output.parts().next().is_some();
    let starts = starts(text, &document, output.jobs.len());
    let all = starts.into_iter().zip(std::mem::take(&mut output.jobs));
    let mut jobs: Vec<(usize, JobOutput)> =
        all.filter(|(_, job)| !job.is_sum || !has_parts).collect();
    if let Some((start, _)) = jobs.first_mut() {
        *start = document.start;
    }
    let is_alone = jobs.len() == 1;
    let ends = jobs
        .iter()
        .skip(1)
        .map(|(start, _)| *start)
        .chain([document.end])
        .collect::<Vec<_>>();
    let piece = |((start, job), end): ((usize, JobOutput), usize)| {
        // A document on one line is of all its jobs.
        let lines = start..end.max(start + 1);
        Piece::new(lines, imported(&output, job, is_alone))
    };
    pieces.extend(jobs.into_iter().zip(ends).map(piece));
}

/// The line at which each job begins, one before its name; all in the first line where the document is not printed as fio
/// prints it.
fn starts(text: &Text, document: &Range<usize>, jobs: usize) -> Vec<usize> {
    let all = text
        .lines
        .get(document.clone())
        .unwrap_or_default()
        .iter()
        .enumerate();
    let named = all.filter(|(_, line)| line.trim_ascii_start().starts_with("\"jobname\""));
    let starts: Vec<usize> = named
        .map(|(at, _)| (document.start + at).saturating_sub(1))
        .collect();
    let is_plain = starts.len() == jobs && starts.windows(2).all(|pair| pair[0] < pair[1]);
    if is_plain {
        starts
    } else {
        vec![document.start; jobs]
    }
}

fn imported(output: &Output, job: JobOutput, is_alone: bool) -> Imported {
    let facts = facts(output, &job);
    let jobs = job.jobs_at_once().unwrap_or_else(|| group_size(&facts));
    let mut load = LoadFigures {
        elapsed_ms: (job.runtime_ms > 0).then_some(job.runtime_ms as f64),
        read: side(job.read),
        write: side(job.write),
        trim: side(job.trim),
        sync: side(job.sync).map(|side| SideFigures {
            iops: None,
            bytes: None,
            bytes_per_s: None,
            ..side
        }),
        mixed: job.mixed.and_then(side),
        cpu_user_pct: Some(job.usr_cpu * jobs),
        cpu_system_pct: Some(job.sys_cpu * jobs),
        errors: Some(job.errors.max(u64::from(job.error != 0))),
        disks: Vec::new(),
        operations: Vec::new(),
    };
    load.disks = output.disk_util.iter().map(disk).collect();
    let mut lossy = Vec::new();
    if !is_alone && !load.disks.is_empty() {
        lossy.push("the counts of the disks are of all jobs of the run together".into());
    }
    if job.error != 0 {
        lossy.push(format!("fio ended this job with error {}", job.error));
    }
    let mut units = Vec::new();
    if output
        .version
        .is_some_and(|version| version < Version::new(2, 99))
    {
        units.push("latencies of fio before 2.99 are µs, and bw is KiB/s".into());
    }
    let tool = if output.version_text.is_empty() {
        "fio".into()
    } else {
        output.version_text.clone()
    };
    Imported {
        tool,
        name: job.name,
        measured_unix_ms: job.started_unix_ms.or(output.unix_ms),
        lossy,
        units,
        load: Some(load),
        facts,
        ..Imported::default()
    }
}

/// How many jobs a result stands for, as its options say.
fn group_size(facts: &BTreeMap<String, String>) -> f64 {
    let is_group = facts.get("group_reporting").is_some_and(|word| word != "0");
    let jobs = facts.get("numjobs").filter(|_| is_group);
    jobs.and_then(|jobs| jobs.parse::<u32>().ok())
        .map_or(1.0, |jobs| f64::from(jobs.max(1)))
}

/// Options of the job over those of `[global]`, under the names that iodyno uses.
fn facts(output: &Output, job: &JobOutput) -> BTreeMap<String, String> {
    let mut facts: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in output.global_options.iter().chain(&job.options) {
        let name = match name.as_str() {
            "readwrite" => "rw",
            "blocksize" => "bs",
            "name" => continue,
            name => name,
        };
        facts.insert(name.to_string(), value.chars().take(500).collect());
    }
    if let Some(device) = facts
        .get("filename")
        .filter(|name| name.starts_with("/dev/"))
        .cloned()
    {
        facts.insert("device".into(), device);
    }
    if let Some(host) = &job.hostname {
        facts.insert("host".into(), host.clone());
    }
    facts
}

/// A direction that did nothing is none.
fn side(direction: Direction) -> Option<SideFigures> {
    let latencies = [
        ("slat", direction.slat),
        ("clat", direction.clat),
        ("lat", direction.lat),
    ];
    (direction.ios > 0).then(|| SideFigures {
        ios: Some(direction.ios),
        bytes: Some(direction.bytes as f64),
        iops: Some(direction.iops),
        bytes_per_s: Some(direction.bytes_per_s),
        iops_samples: direction.iops_samples,
        bytes_per_s_samples: direction.bytes_per_s_samples,
        latencies: latencies
            .into_iter()
            .filter_map(|(kind, found)| latency(kind, found?))
            .collect(),
    })
}

/// What has neither a mean nor a bucket was not measured (slat of synchronous engines).
fn latency(kind: &str, found: Latency) -> Option<LatencyFigures> {
    let has_any =
        found.max_ns > 0.0 || found.mean_ns > 0.0 || found.samples.is_some_and(|count| count > 0);
    has_any.then(|| LatencyFigures {
        kind: kind.into(),
        count: found.samples,
        min_ns: Some(found.min_ns),
        mean_ns: Some(found.mean_ns),
        stddev_ns: Some(found.stddev_ns),
        max_ns: Some(found.max_ns),
        percentiles: found.percentiles,
        histogram: found.bins,
    })
}

fn disk(found: &fio_json::DiskUtil) -> DiskFigures {
    DiskFigures {
        name: found.name.clone(),
        read_ios: Some(found.read_ios),
        write_ios: Some(found.write_ios),
        read_merges: Some(found.read_merges),
        write_merges: Some(found.write_merges),
        util_pct: Some(found.util_percent),
    }
}

#[cfg(test)]
mod tests;
