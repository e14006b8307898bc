//! One job of fio's text while it is read.

use super::command::CommandFacts;
use super::marks::{Mark, MarkKind};
use super::side::{self, FioTextSide};
use super::time;
use super::values::{Thousand, after, bytes_of, is_ambiguous, number, value};
use crate::{Piece, Unread};
use model::imported::{DiskFigures, Imported, LoadFigures, SideFigures};
use model::units;

/// A job.
#[derive(Debug, Default)]
pub struct Job {
    /// Its name, empty where that is not known.
    pub name: String,
    /// Its group.
    pub group: Option<u32>,
    /// The lines it was read from.
    pub lines: Vec<usize>,
    /// What is said of it besides numbers.
    pub facts: CommandFacts,
    /// What is lost.
    pub lossy: Vec<String>,
    unread: Vec<Unread>,
    sides: Vec<(&'static str, FioTextSide)>,
    sync: Option<FioTextSide>,
    is_in_sync: bool,
    has_head: bool,
    is_old: bool,
    measured_unix_ms: Option<u64>,
    error: Option<i64>,
    errors: Option<u64>,
    issued: [Option<u64>; 4],
    /// Kind and unit of the percentiles that follow.
    percentiles: Option<(String, f64)>,
    shares: Vec<String>,
    cpu: (Option<f64>, Option<f64>),
}

/// The direction that a line begins with, in any case.
pub fn side_name(text: &str) -> &'static str {
    match text.as_bytes().first().map(u8::to_ascii_lowercase) {
        Some(b'r') => "read",
        Some(b'w') => "write",
        Some(b't') => "trim",
        _ => "mixed",
    }
}

impl Job {
    /// From `: (groupid=0, jobs=1): err= 0: pid=22: Thu Aug 17 06:17:20 2023`.
    pub fn of_head(mark: &Mark, name: String) -> Job {
        let mut job = Job {
            name,
            has_head: true,
            lines: vec![mark.line],
            ..Job::default()
        };
        job.group = value(&mark.text, "groupid").map(|group| group as u32);
        job.measured_unix_ms = time::unix_ms(&mark.text);
        let error = after(&mark.text, "err").map(str::trim_start);
        job.error = error.and_then(|text| {
            let (sign, digits) = text
                .strip_prefix('-')
                .map_or((1, text), |digits| (-1, digits));
            Some(sign * number(digits)?.0.value as i64)
        });
        for key in ["jobs", "pid"] {
            if let Some(found) = value(&mark.text, key) {
                job.facts.insert(key.into(), units::whole(found));
            }
        }
        if let Some((host, _)) = mark
            .before
            .trim_start()
            .strip_prefix('<')
            .and_then(|text| text.split_once("> "))
        {
            job.facts
                .insert("client".into(), host.chars().take(100).collect());
        }
        job
    }

    /// A job whose head is not there.
    pub fn without_head() -> Job {
        Job::default()
    }

    /// Whether it has this direction already.
    pub fn has(&self, name: &str) -> bool {
        self.sides.iter().any(|(side, _)| *side == name)
    }

    /// The first line.
    pub fn first_line(&self) -> Option<usize> {
        self.lines.iter().min().copied()
    }

    /// A line that begins a direction.
    pub fn side(&mut self, mark: &Mark) {
        self.line(mark);
        self.is_in_sync = false;
        self.percentiles = None;
        self.is_old |= side::is_old(&mark.text);
        self.sides
            .push((side_name(&mark.text), FioTextSide::read(&mark.text)));
    }

    /// The sums of a group that has no job.
    pub fn take_group(&mut self, sides: Vec<(&'static str, FioTextSide)>) {
        for (name, side) in sides {
            if !self.has(name) {
                self.sides.push((name, side));
            }
        }
    }

    /// The sums of a group whose only job this is: what is missing is taken from them, and what contradicts is said.
    pub fn compare(&mut self, sides: &[(&'static str, FioTextSide)]) {
        for (name, sum) in sides {
            let Some((_, own)) = self.sides.iter_mut().find(|(side, _)| side == name) else {
                if sum.has_rate() {
                    self.lossy.push(format!(
                        "the {name} line is not there: its bandwidth is that of the group"
                    ));
                    self.sides.push((name, sum.clone()));
                }
                continue;
            };
            let both = own.printed_bytes_per_s().zip(sum.printed_bytes_per_s());
            if let Some((job, group)) =
                both.filter(|(job, group)| (job / group - 1.0).abs() > 0.015)
            {
                self.lossy.push(format!(
                    "the {name} line says {} and `Run status group` below it {}: they are not of one run; the job's is kept",
                    model::units::bytes_per_s(job),
                    model::units::bytes_per_s(group)
                ));
            } else {
                own.fill(sum);
            }
        }
    }

    /// Any other line of the job.
    pub fn take(&mut self, mark: &Mark) {
        self.line(mark);
        match mark.kind {
            MarkKind::Latency => self.latency(&mark.text),
            MarkKind::Percentiles => {
                let kind = side::kind_and_unit(&mark.text);
                self.percentiles =
                    kind.map(|(kind, unit)| (percentile_kind(kind).to_string(), unit));
                self.is_in_sync |= mark.text.starts_with("sync");
            }
            MarkKind::Percentile => self.percentile(mark),
            MarkKind::BwSamples => self.bw_samples(&mark.text),
            MarkKind::IopsSamples => {
                let samples = side::samples(&mark.text, 1.0);
                self.with_side(|side| side.figures.iops_samples = samples);
            }
            MarkKind::Shares => self
                .shares
                .push(mark.text.trim().chars().take(200).collect()),
            MarkKind::Cpu => self.cpu = (value(&mark.text, "usr"), value(&mark.text, "sys")),
            MarkKind::Issued => self.issued = issued(&mark.text),
            MarkKind::Errors => {
                self.errors = value(&mark.text, "total").map(|errors| errors as u64)
            }
            MarkKind::Sync => (self.is_in_sync, self.percentiles) = (true, None),
            MarkKind::Description => {
                let inside = mark
                    .text
                    .split_once('[')
                    .and_then(|(_, rest)| rest.rsplit_once(']'));
                let inside = inside.map_or("", |(inside, _)| inside);
                self.facts
                    .insert("description".into(), inside.chars().take(500).collect());
            }
            _ => {}
        }
    }

    fn line(&mut self, mark: &Mark) {
        if self.lines.last() != Some(&mark.line) {
            self.lines.push(mark.line);
        }
        for what in gaps(&mark.text).into_iter().take(4) {
            let number = mark.line as u64 + 1;
            let why = format!("no number stands {what} of `{}`", first_words(&mark.text));
            self.unread.push(Unread {
                lines: Some((number, number)),
                why,
            });
        }
    }

    fn with_side(&mut self, act: impl FnOnce(&mut FioTextSide)) {
        if self.is_in_sync {
            act(self.sync.get_or_insert_default());
            return;
        }
        if self.sides.is_empty() {
            let why = "the line that says whether these are reads or writes is not there";
            self.lossy.push(why.into());
            self.sides.push(("mixed", FioTextSide::default()));
        }
        if let Some((_, side)) = self.sides.last_mut() {
            act(side);
        }
    }

    fn latency(&mut self, text: &str) {
        let Some((kind, unit)) = side::kind_and_unit(text) else {
            return;
        };
        self.is_in_sync |= kind == "sync";
        let kind = percentile_kind(kind).to_string();
        self.with_side(|side| side::read_latency(text, unit, side.latency(&kind)));
    }

    fn percentile(&mut self, mark: &Mark) {
        let text = mark.text.trim_start_matches(['|', ' ']);
        let found = number(text).zip(text.split_once('[').and_then(|(_, rest)| number(rest)));
        let Some(((per_cent, _), (latency, _))) = found else {
            return;
        };
        match self.percentiles.clone() {
            Some((kind, unit)) => self.with_side(|side| {
                let all = &mut side.latency(&kind).percentiles;
                if all.len() < 100 && per_cent.value <= 100.0 {
                    all.push((per_cent.value, latency.value * unit));
                }
            }),
            None => {
                let number = mark.line as u64 + 1;
                let why = "percentiles without the line above them that says their unit";
                if self.unread.last().is_none_or(|last| last.why != why) {
                    self.unread.push(Unread {
                        lines: Some((number, number)),
                        why: why.into(),
                    });
                }
            }
        }
    }

    /// `bw ( KiB/s): min=…`; before 2.20 `bw (KB  /s): min=…`, which is KiB.
    fn bw_samples(&mut self, text: &str) {
        let inside = text
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once("/s"));
        let unit = inside.map_or("", |(unit, _)| unit.trim());
        let thousand = if self.is_old {
            Thousand::Binary
        } else {
            Thousand::Si
        };
        if let Some(factor) = bytes_of(unit, thousand) {
            self.is_old |= is_ambiguous(unit) && thousand == Thousand::Binary;
            let samples = side::samples(text, factor);
            self.with_side(|side| side.figures.bytes_per_s_samples = samples);
        }
    }

    /// The result.
    pub fn piece(mut self, version: Option<&str>, disks: &[DiskFigures]) -> Piece {
        let block = self
            .facts
            .get("bs")
            .and_then(|bs| model::units::parse_bytes(bs).ok())
            .filter(|bs| *bs > 0);
        let (user, system) = self.cpu_of_all_jobs();
        let mut load = LoadFigures {
            cpu_user_pct: user,
            cpu_system_pct: system,
            errors: self
                .errors
                .or(self.error.map(|error| u64::from(error != 0))),
            disks: disks.to_vec(),
            ..LoadFigures::default()
        };
        let mut is_rounded = false;
        let is_alone = self.sides.len() == 1;
        for (name, mut side) in std::mem::take(&mut self.sides) {
            let place = ["read", "write", "trim"]
                .iter()
                .position(|side| *side == name);
            // With `unified_rw_reporting` one count stands for all.
            let all = || {
                self.issued[..3]
                    .iter()
                    .copied()
                    .reduce(|a, b| Some(a?.saturating_add(b?)))
                    .flatten()
            };
            side.ios = if name == "mixed" && is_alone {
                all()
            } else {
                place.and_then(|place| self.issued[place])
            };
            let elapsed = side.runtime_ms.into_iter().chain(load.elapsed_ms);
            load.elapsed_ms = elapsed.max_by(f64::total_cmp);
            let (figures, said) = side.finish(block);
            is_rounded |= said.is_rounded;
            if said.contradicts {
                self.lossy.push(format!(
                    "the {name} line's rate and its count of I/Os over its time differ by more than 5 %"
                ));
            }
            *side_of(&mut load, name) = Some(figures);
        }
        load.sync = self.sync.take().map(|mut sync| {
            sync.ios = self.issued[3].filter(|count| *count > 0);
            sync.finish(None).0
        });
        if is_rounded {
            self.lossy
                .push("rates are rounded to three or four digits, as fio prints them".into());
        }
        self.say_what_is_missing(&load);
        self.imported(load, version)
    }

    /// With `group_reporting` fio prints CPU time as a share of what the times of all jobs of the group add up to.
    fn cpu_of_all_jobs(&self) -> (Option<f64>, Option<f64>) {
        let jobs = self.facts.get("jobs").and_then(|jobs| jobs.parse().ok());
        let jobs: f64 = jobs.filter(|jobs| *jobs >= 1.0).unwrap_or(1.0);
        let (user, system) = self.cpu;
        (user.map(|pct| pct * jobs), system.map(|pct| pct * jobs))
    }

    fn say_what_is_missing(&mut self, load: &LoadFigures) {
        let sides: Vec<&SideFigures> = load.sides().map(|(_, side)| side).collect();
        let has_sum_only = self
            .lossy
            .iter()
            .any(|why| why.starts_with("only fio's sum"));
        if sides.is_empty() {
            self.lossy
                .push("only the head of the job is there: no rates, no latencies".into());
        } else if !has_sum_only && sides.iter().all(|side| side.latencies.is_empty()) {
            self.lossy
                .push("no latencies: the lines that hold them are not there".into());
        }
        if !has_sum_only && !self.has_head {
            self.lossy
                .push("the line with the job's name and time is not there".into());
        }
        if let Some(error) = self.error.filter(|error| *error != 0) {
            self.lossy
                .push(format!("fio ended this job with error {error}"));
        }
    }

    fn imported(mut self, load: LoadFigures, version: Option<&str>) -> Piece {
        let mut units = Vec::new();
        if self.is_old {
            units.push("KB, MB and GB of fio before 2.20 are KiB, MiB and GiB".to_string());
        }
        if self.measured_unix_ms.is_some() {
            units.push("fio prints its date without a zone: taken as UTC".into());
        }
        if !self.shares.is_empty() {
            self.facts
                .insert("latency_shares".into(), self.shares.join("; "));
        }
        if version.is_none() {
            self.lossy.push("fio's version is not said".into());
        }
        let imported = Imported {
            tool: version.unwrap_or("fio").into(),
            name: std::mem::take(&mut self.name),
            measured_unix_ms: self.measured_unix_ms,
            lossy: self.lossy,
            units,
            load: Some(load),
            facts: self.facts,
            ..Imported::default()
        };
        Piece {
            lines: super::ranges(self.lines),
            imported,
            unread: self.unread,
        }
    }
}

/// The place of a direction.
pub fn side_of<'a>(load: &'a mut LoadFigures, name: &str) -> &'a mut Option<SideFigures> {
    match name {
        "read" => &mut load.read,
        "write" => &mut load.write,
        "trim" => &mut load.trim,
        "sync" => &mut load.sync,
        _ => &mut load.mixed,
    }
}

/// The latency of syncs has no kind of its own in fio's other formats.
fn percentile_kind(word: &str) -> &str {
    match word {
        "sync" => "lat",
        "percentiles" => "clat",
        word => word,
    }
}

/// Reads, writes, trims and syncs of `total=29,35,0,0` or, before 2.20, `total=r=29/w=35/d=0`. A number that is not there
/// is none.
fn issued(text: &str) -> [Option<u64>; 4] {
    let mut counts = [None; 4];
    let Some(rest) = after(text, "total") else {
        return counts;
    };
    let end = rest
        .find(" short")
        .or_else(|| rest.find(", short"))
        .unwrap_or(rest.len());
    let rest = &rest[..end];
    let is_old = rest.starts_with('r');
    let parts = rest.split(if is_old { '/' } else { ',' });
    for (count, part) in counts.iter_mut().zip(parts) {
        *count =
            number(part.rsplit('=').next().unwrap_or(part)).map(|(count, _)| count.value as u64);
    }
    counts
}

/// Where a page lost numbers: `after max=`, `before msec`.
fn gaps(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('=') {
        let rest = text[at + 1..].trim_start_matches(' ');
        let key: String = text[..at]
            .chars()
            .rev()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let key: String = key.chars().rev().collect();
        let is_minus = rest
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_gap = rest.is_empty() || rest.starts_with([',', ':', '-', '/']) && !is_minus;
        // `pid=` is nobody's loss.
        if is_gap && !key.is_empty() && key != "pid" {
            found.push(format!("after `{key}=`"));
        }
    }
    if text.contains("/,") {
        found.push("after a slash".into());
    }
    if text.contains("/msec") {
        found.push("before `msec`".into());
    }
    if text.contains(",,") && text.contains("total") {
        found.push("between the commas".into());
    }
    found
}

fn first_words(text: &str) -> String {
    let end = text.find(['=', '(']).unwrap_or(text.len());
    text[..end]
        .trim()
        .trim_end_matches(':')
        .chars()
        .take(40)
        .collect()
}
