//! One run of fio: from its command line, or whatever is left of it, to the counts of the disks.

use super::command::{self, Banner, CommandFacts};
use super::job::{Job, side_name};
use super::marks::{Mark, MarkKind};
use super::side::{FioTextSide, is_whole};
use super::values::{after, number, value};
use crate::pieces::Pieces;
use crate::{Piece, Unread};
use model::imported::DiskFigures;

/// Lines without a word of fio after which what follows is another run.
const APART: usize = 30;

/// Jobs that are looked up by name are at most so many, so that a hostile text takes no longer than a long one.
const BANNERS_MAX: usize = 4_096;

/// The runs of a text, each as its parts.
pub fn runs(marks: &[Mark]) -> Vec<&[Mark]> {
    let mut starts = Vec::new();
    let mut seen = SeenFioText::default();
    for (index, mark) in marks.iter().enumerate() {
        let last_line = index.checked_sub(1).map_or(0, |before| marks[before].line);
        // With `--output-format=json,normal` a document of any length stands between the banners and the heads.
        let is_far = mark.line > last_line + APART
            && !(seen.banner && !seen.result && mark.kind == MarkKind::Head);
        if index == 0 || seen.is_over_at(mark) || is_far {
            starts.push(index);
            seen = SeenFioText::default();
        }
        seen.note(mark);
    }
    let ends = starts.iter().skip(1).copied().chain([marks.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &marks[*start..end])
        .collect()
}

/// What of a run has been seen.
#[derive(Default)]
struct SeenFioText {
    anything: bool,
    banner: bool,
    result: bool,
    end: bool,
    group: Option<u32>,
}

impl SeenFioText {
    fn is_over_at(&self, mark: &Mark) -> bool {
        match mark.kind {
            MarkKind::Command => self.anything,
            MarkKind::Banner | MarkKind::Version => self.result,
            MarkKind::Head => self.end,
            MarkKind::Side => self.end && is_whole(&mark.text),
            MarkKind::Group => self
                .group
                .is_some_and(|last| group_number(mark).is_some_and(|now| now <= last)),
            _ => false,
        }
    }

    fn note(&mut self, mark: &Mark) {
        self.anything = true;
        self.banner |= mark.kind == MarkKind::Banner;
        match mark.kind {
            MarkKind::Head => self.result = true,
            MarkKind::Side => self.result |= is_whole(&mark.text),
            MarkKind::Group => {
                (self.result, self.end, self.group) = (true, true, group_number(mark))
            }
            MarkKind::Disks | MarkKind::Disk => self.end |= self.result,
            _ => {}
        }
    }
}

fn group_number(mark: &Mark) -> Option<u32> {
    number(mark.text.strip_prefix("Run status group")?).map(|(number, _)| number.value as u32)
}

/// What fio says of all jobs of a group.
#[derive(Default)]
struct FioTextGroup {
    number: Option<u32>,
    lines: Vec<usize>,
    sides: Vec<(&'static str, FioTextSide)>,
}

/// A run while it is read.
#[derive(Default)]
struct FioTextRun {
    command: CommandFacts,
    host: Option<String>,
    version: Option<String>,
    banners: Vec<Banner>,
    jobs: Vec<Job>,
    groups: Vec<FioTextGroup>,
    disks: Vec<DiskFigures>,
    /// Lines before the first job and after the last that are of the run as a whole.
    lines: Vec<usize>,
    /// Lines whose direction or job is not there.
    orphans: Vec<usize>,
}

/// The results of one run.
pub fn pieces(marks: &[Mark], pieces: &mut Pieces) {
    let mut run = FioTextRun::default();
    for mark in marks {
        run.take(mark);
        // This one has no room any more; that it is there is all that has to be known.
        if run.jobs.len() > pieces.room() {
            break;
        }
    }
    run.finish(pieces);
}

/// A fio command with nothing after it, or lines of an output whose head is not there.
pub fn orphan(marks: &[Mark]) -> Option<Unread> {
    let first = marks.first()?;
    let last = marks.last()?;
    let why = match first.kind {
        MarkKind::Command => "a fio command line whose results are not here",
        MarkKind::Version | MarkKind::Other | MarkKind::Description | MarkKind::Side => {
            return None;
        }
        _ => "lines of fio's output without the line that says the rate",
    };
    let to = if first.kind == MarkKind::Command {
        first.line
    } else {
        last.line
    };
    Some(Unread {
        lines: Some((first.line as u64 + 1, to as u64 + 1)),
        why: why.into(),
    })
}

impl FioTextRun {
    fn take(&mut self, mark: &Mark) {
        match mark.kind {
            MarkKind::Command => {
                self.command = command::facts(&mark.text);
                self.host = command::host(&mark.before);
                self.lines.push(mark.line);
            }
            MarkKind::Banner => {
                let name = self.name_in(mark);
                if self.banners.len() < BANNERS_MAX {
                    self.banners.push(Banner::read(mark, name));
                }
                self.lines.push(mark.line);
            }
            MarkKind::Version => {
                let word = mark.text.find("fio-").map(|at| &mark.text[at..]);
                let word = word.and_then(|word| word.split_ascii_whitespace().next());
                self.version = word.map(|word| word.trim_end_matches(['.', '-']).to_string());
                self.lines.push(mark.line);
            }
            MarkKind::Head => {
                let name = self.name_in(mark);
                self.jobs.push(Job::of_head(mark, name));
            }
            MarkKind::Side => self.side(mark),
            MarkKind::Group => self.groups.push(FioTextGroup {
                number: group_number(mark),
                lines: vec![mark.line],
                sides: Vec::new(),
            }),
            MarkKind::GroupSide => self.group_side(mark),
            MarkKind::Disks | MarkKind::Status => self.lines.push(mark.line),
            MarkKind::Disk => self.disk(mark),
            MarkKind::Other if self.jobs.is_empty() => self.lines.push(mark.line),
            _ if self.groups.is_empty() => match self.jobs.last_mut() {
                Some(job) => job.take(mark),
                None => self.orphans.push(mark.line),
            },
            _ => self.orphans.push(mark.line),
        }
    }

    /// A direction belongs to the job above it. Without one, or where that has this direction already, the head is
    /// missing.
    fn side(&mut self, mark: &Mark) {
        let name = side_name(&mark.text);
        let has_open = self.groups.is_empty() && self.jobs.last().is_some_and(|job| !job.has(name));
        if !has_open {
            if !is_whole(&mark.text) {
                return;
            }
            self.jobs.push(Job::without_head());
        }
        if let Some(job) = self.jobs.last_mut() {
            job.side(mark);
        }
    }

    fn group_side(&mut self, mark: &Mark) {
        if self.groups.is_empty() {
            self.groups.push(FioTextGroup::default());
        }
        if let Some(group) = self.groups.last_mut() {
            group.lines.push(mark.line);
            group
                .sides
                .push((side_name(&mark.text), FioTextSide::of_group(&mark.text)));
        }
    }

    fn disk(&mut self, mark: &Mark) {
        self.lines.push(mark.line);
        let pair = |key: &str| {
            let (read, write) = after(&mark.text, key)
                .and_then(|pair| pair.split_once('/'))
                .unzip();
            let count = |text: Option<&str>| number(text?).map(|(count, _)| count.value as u64);
            (count(read), count(write))
        };
        let name = mark
            .text
            .split(':')
            .next()
            .unwrap_or_default()
            .trim()
            .to_string();
        let ((read_ios, write_ios), (read_merges, write_merges)) = (pair("ios"), pair("merge"));
        let util_pct = value(&mark.text, "util");
        if self.disks.len() < 1_000 {
            self.disks.push(DiskFigures {
                name,
                read_ios,
                write_ios,
                read_merges,
                write_merges,
                util_pct,
            });
        }
    }

    /// The name before `: (g=` or `: (groupid=`. Where the line has more before it, one of the known names; else the
    /// last word.
    fn name_in(&self, mark: &Mark) -> String {
        let before = mark.before.trim_end();
        let named = self.command.get("name").into_iter();
        let known = named.chain(self.banners.iter().map(|banner| &banner.name));
        if let Some(name) = known
            .filter(|name| !name.is_empty() && before.ends_with(*name))
            .max_by_key(|name| name.len())
        {
            return name.clone();
        }
        let rest = before
            .rsplit(']')
            .next()
            .filter(|_| before.contains("[eta"))
            .unwrap_or(before);
        // A prefix of a log: `Aug 17 web1 fio[12]: a`.
        let rest = rest.rsplit(": ").next().unwrap_or(rest);
        let rest = rest.trim_start_matches(['>', '|', ' ']);
        let rest = rest.rsplit("> ").next().unwrap_or(rest).trim();
        let is_all = mark.is_first && rest.len() < 200;
        if is_all {
            rest.into()
        } else {
            rest.rsplit(' ')
                .next()
                .unwrap_or_default()
                .chars()
                .take(200)
                .collect()
        }
    }

    fn finish(mut self, pieces: &mut Pieces) {
        if self.jobs.is_empty() {
            return self.groups_alone(pieces);
        }
        let alone = self.jobs.len() == 1;
        for group in &self.groups {
            let mut of_group: Vec<&mut Job> = self
                .jobs
                .iter_mut()
                .filter(|job| job.group.is_none() || job.group == group.number)
                .collect();
            if let [job] = of_group.as_mut_slice() {
                job.compare(&group.sides);
            }
        }
        let tail: Vec<usize> = self
            .groups
            .iter()
            .flat_map(|group| group.lines.clone())
            .collect();
        let mut jobs = std::mem::take(&mut self.jobs);
        if let Some(last) = jobs.last_mut() {
            last.lines.extend(tail);
        }
        // What is of the run as a whole belongs to the job that is nearest.
        let first: Vec<usize> = jobs
            .iter()
            .map(|job| job.first_line().unwrap_or(0))
            .collect();
        for line in &self.lines {
            let at = first
                .partition_point(|first| first < line)
                .min(jobs.len() - 1);
            jobs[at].lines.push(*line);
        }
        pieces.extend(jobs.into_iter().map(|job| self.piece(job, alone)));
    }

    fn piece(&self, mut job: Job, is_alone: bool) -> Piece {
        let near = self
            .banners
            .iter()
            .filter(|banner| banner.group == job.group || job.group.is_none());
        let banner = self
            .banners
            .iter()
            .find(|banner| banner.name == job.name && banner.group == job.group)
            .or_else(|| near.clone().next())
            .or(self.banners.first());
        for (name, value) in banner
            .iter()
            .flat_map(|banner| &banner.facts)
            .chain(&self.command)
        {
            job.facts.insert(name.clone(), value.clone());
        }
        job.facts.remove("name");
        if let Some(host) = &self.host {
            job.facts.insert("host".into(), host.clone());
        }
        if job.name.is_empty() {
            let named = banner
                .map(|banner| banner.name.clone())
                .filter(|name| !name.is_empty());
            job.name = named
                .or_else(|| self.command.get("name").cloned())
                .unwrap_or_else(|| "fio".into());
        }
        if !is_alone && !self.disks.is_empty() {
            job.lossy
                .push("the counts of the disks are of all jobs of the run together".into());
        }
        job.piece(self.version.as_deref(), &self.disks)
    }

    /// Only `Run status group` is left: one result a group.
    fn groups_alone(mut self, pieces: &mut Pieces) {
        let mut is_first = true;
        for group in std::mem::take(&mut self.groups) {
            if !group.sides.iter().any(|(_, side)| side.has_rate()) {
                continue;
            }
            let mut job = Job::without_head();
            job.group = group.number;
            job.lines = group.lines;
            if std::mem::take(&mut is_first) {
                job.lines.extend(&self.lines);
            }
            job.lossy
                .push("only fio's sum of the group is there: no IOPS, no latencies".into());
            job.take_group(group.sides);
            pieces.push(self.piece(job, true));
        }
    }
}
