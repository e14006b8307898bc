//! The words by which each part of fio's text is known, wherever in a line they stand: pages that are pasted lose line
//! ends, so that one line holds half of an output, and gain prefixes.

use super::values::plain;
use crate::Text;
use regex::Regex;
use std::sync::LazyLock;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// `fio -rw=read …`
    Command,
    /// `NAME: (g=0): rw=read, bs=…`
    Banner,
    /// `NAME: (groupid=0, jobs=1): err= 0: pid=1: DATE`
    Head,
    /// `read: IOPS=…, BW=…` or, before 2.20, `read : io=…, bw=…`
    Side,
    /// `slat (usec): min=…`
    Latency,
    /// `lat (usec) : 250=0.01%, …`
    Shares,
    /// `clat percentiles (usec):`
    Percentiles,
    /// `99.00th=[ 510]`
    Percentile,
    /// `bw ( KiB/s): min=…`
    BwSamples,
    /// `iops : min=…`
    IopsSamples,
    /// `cpu : usr=…`
    Cpu,
    /// `issued rwts: total=…`
    Issued,
    /// `errors : total=…`
    Errors,
    /// `Run status group 0 (all jobs):`
    Group,
    /// `READ: bw=…`
    GroupSide,
    /// `Disk stats (read/write):`
    Disks,
    /// `vdb: ios=…`
    Disk,
    /// `fsync/fdatasync/sync_file_range:`
    Sync,
    /// `Jobs: 1 (f=1): …`: what is rewritten while fio runs.
    Status,
    /// `Description  : [hello]`
    Description,
    /// Parts that hold nothing that is kept.
    Other,
    /// `fio-3.7`
    Version,
}

/// Each kind with what it is known by. The order decides only where two begin at the same place.
const KNOWN_BY: [(MarkKind, &str); 25] = [
    (
        MarkKind::Command,
        r"(?:^|[\s/#$>|~:`'\x22])fio +(?:-[A-Za-z-]|[!-~]+\.(?:fio|job|ini)\b)",
    ),
    (MarkKind::Banner, r": *\(g=[0-9]+\): *rw="),
    (MarkKind::Head, r": *\(groupid=[0-9]*, *jobs=[0-9]*\)"),
    (
        MarkKind::Side,
        r"(?:read|write|trim|mixed) *: *(?:IOPS|BW|io) *=",
    ),
    (
        MarkKind::Latency,
        r"(?:slat|clat|lat|sync) *\((?:nsec|usec|msec|sec)\) *: *(?:min|max|avg) *=",
    ),
    (
        MarkKind::Shares,
        r"lat *\((?:nsec|usec|msec)\) *: *(?:>=)?[0-9]+ *=",
    ),
    (
        MarkKind::Percentiles,
        r"(?:slat |clat |lat |sync )?percentiles *\((?:nsec|usec|msec|sec)\) *:",
    ),
    (MarkKind::Percentile, r"[|]? *[0-9]{1,3}\.[0-9]+th *= *\["),
    (
        MarkKind::BwSamples,
        r"bw *\( *[A-Za-z]* */s\) *: *(?:min|max|per|avg) *=",
    ),
    (MarkKind::IopsSamples, r"iops *: *(?:min|max|avg) *="),
    (MarkKind::Cpu, r"cpu *: *usr *="),
    (MarkKind::Other, r"IO depths *: *1="),
    (MarkKind::Other, r"(?:submit|complete) *: *0="),
    (MarkKind::Issued, r"issued *(?:rwts?)? *: *total *="),
    (MarkKind::Errors, r"errors *: *total *="),
    (MarkKind::Other, r"latency *: *target *="),
    (MarkKind::Other, r"steadystate *: *attained *="),
    (
        MarkKind::Group,
        r"Run status group [0-9]+ *\(all jobs\) *:?",
    ),
    (
        MarkKind::GroupSide,
        r"(?:READ|WRITE|TRIM|MIXED) *: *(?:bw|io) *=",
    ),
    (MarkKind::Disks, r"Disk stats *\(read/write\) *:"),
    (
        MarkKind::Disk,
        r"[A-Za-z0-9_!/.-]+ *: *(?:aggr)?ios *= *[0-9]*/",
    ),
    (
        MarkKind::Sync,
        r"fsync/fdatasync/sync_file_range(?:/syncfs)? *:",
    ),
    (MarkKind::Status, r"Jobs: *[0-9]+ *\(f=[0-9]+\)"),
    (MarkKind::Description, r"Description *: *\["),
    (
        MarkKind::Other,
        r"Starting [0-9]+ (?:process|thread)(?:es|s)?\b|: Laying out IO file",
    ),
];

/// `fio-3.7` is looked for apart: it stands in names of images and files too.
const VERSION: &str = r"(?:^|[\s:>|])fio-[0-9]+\.[0-9]+[0-9A-Za-z.-]*";

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let known = KNOWN_BY
        .iter()
        .map(|(_, pattern)| *pattern)
        .chain([VERSION]);
    let all: Vec<String> = known.map(|pattern| format!("({pattern})")).collect();
    let pattern = format!("(?-u){}", all.join("|"));
    #[allow(clippy::expect_used)]
    // The pattern is a constant that every test compiles.
    Regex::new(&pattern).expect("a constant pattern")
});

/// A part of fio's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Index of its line.
    pub line: usize,
    /// Whether it is the first of its line.
    pub is_first: bool,
    /// The line up to it, from the part before on.
    pub before: String,
    /// From its first word up to the next part.
    pub text: String,
}

/// The parts of one line, in their order.
pub fn of_line(index: usize, line: &str) -> Vec<Mark> {
    if !may_hold(line) {
        return Vec::new();
    }
    let line = plain(line);
    let mut found: Vec<(MarkKind, usize, usize)> = Vec::new();
    for captures in PATTERN.captures_iter(&line) {
        let groups = captures.iter().enumerate().skip(1);
        let Some((number, range)) = groups
            .filter_map(|(n, group)| Some((n, group?.range())))
            .next()
        else {
            continue;
        };
        let kind = KNOWN_BY
            .get(number - 1)
            .map_or(MarkKind::Version, |(kind, _)| *kind);
        found.push((kind, range.start, range.end));
    }
    let ends = found
        .iter()
        .skip(1)
        .map(|(_, start, _)| *start)
        .chain([line.len()]);
    let mut before_from = 0;
    let mut marks = Vec::with_capacity(found.len());
    for (&(kind, start, _), end) in found.iter().zip(ends) {
        let before = line[before_from..start].to_string();
        before_from = start;
        let is_first = marks.is_empty();
        marks.push(Mark {
            kind,
            line: index,
            is_first,
            before,
            text: line[start..end].to_string(),
        });
    }
    marks
}

/// All parts of a text.
pub fn of_text(text: &Text) -> Vec<Mark> {
    text.lines
        .iter()
        .enumerate()
        .flat_map(|(index, line)| of_line(index, line))
        .collect()
}

/// Whether it is worth to look closer: most lines of large files of other tools are not.
fn may_hold(line: &str) -> bool {
    line.contains(['=', '\u{ff1d}'])
        || [
            "fio",
            "percentiles",
            "Run status",
            "Disk stats",
            "Jobs:",
            "Starting ",
            "fsync/",
            "Laying out",
            "Description",
        ]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<MarkKind> {
        of_line(0, line).iter().map(|mark| mark.kind).collect()
    }

    #[test]
    fn one_line_may_hold_half_of_an_output() {
        let line = "$ sudo fio -filename=/dev/sda -rw=read a: (g=0): rw=read, bs=4096B fio-3.16 Starting 1 thread \
                    Jobs: 1 (f=1): [R(1)][eta 00m:00s] a: (groupid=0, jobs=1): err= 0: pid=1: Thu May 21 15:33:54 2020\
                    read: IOPS=6550, BW=102MiB/s (107MB/s)(6141MiB/60001msec) ......bw ( KiB/s): min=88384, max=113312, \
                    samples=119iops : min= 5524, samples=119 ......Run status group 0 (all jobs):READ: bw=102MiB/s, \
                    run=60001-60001msecDisk stats (read/write):sda: ios=392373/1, merge=0/0, util=99.75%";
        use MarkKind::*;
        assert_eq!(
            kinds(line),
            [
                Command,
                Banner,
                Version,
                Other,
                Status,
                Head,
                Side,
                BwSamples,
                IopsSamples,
                Group,
                GroupSide,
                Disks,
                Disk
            ]
        );
    }

    #[test]
    fn words_of_others_are_not_taken() {
        assert_eq!(kinds("docker run -it centos-fio:v3.7 bash"), []);
        assert_eq!(kinds("IOPS = 5, latency target"), []);
        assert_eq!(
            kinds("    clat percentiles (usec):"),
            [MarkKind::Percentiles]
        );
        assert_eq!(
            kinds("| 1.00th=[ 510], 5.00th=[ 578]"),
            [MarkKind::Percentile, MarkKind::Percentile]
        );
        assert_eq!(
            kinds("lat (usec) : 250=0.01%, 500=0.79%"),
            [MarkKind::Shares]
        );
        assert_eq!(
            kinds("  read : io=1024.0MB, bw=101KB/s, iops=25, runt= 60001msec"),
            [MarkKind::Side]
        );
    }
}
