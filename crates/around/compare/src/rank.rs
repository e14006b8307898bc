//! Devices ranked, one table a job.
//!
//! Runs of one device are pooled: their geometric mean, with what they differ by as the interval. A single run has the
//! interval that the run itself holds, and is marked, for what differs between runs is not in it.

use crate::repeats::find;
use crate::{job, words};
use analyse::spread;
use model::comparison::{
    Basis, Better, Caveat, ComparisonEntry, ComparisonSubject, JobFacts, Measure, Part,
    RANK_SCHEMA, RankedJob, Ranking,
};
use model::units;
use std::collections::BTreeMap;

/// From this block size on, bytes a second are what a device is asked for.
const LARGE_BLOCK: u64 = 65_536;

/// Ranks. `by` is the name of a measure; without it, I/Os a second or bytes a second, by the size of the blocks.
pub fn ranking(subjects: &[ComparisonSubject], by: Option<&str>) -> Ranking {
    let mut jobs: Vec<RankedJob> = Vec::new();
    let mut alone: Vec<(String, String)> = Vec::new();
    let mut without: Vec<(String, String)> = Vec::new();
    for group in groups(subjects) {
        match ranked(&group, by) {
            Some(job) => jobs.push(job),
            None if devices(&group).len() < 2 => alone.extend(named(&group)),
            None => without.extend(named(&group)),
        }
    }
    // What is said of a stated job is worth more than of results that may have been of any.
    jobs.sort_by_key(|job| {
        (
            job.job.contains_key("tool"),
            std::cmp::Reverse(job.entries.len()),
        )
    });
    let mut found = Ranking {
        schema: RANK_SCHEMA.into(),
        sentence: String::new(),
        jobs,
        alone,
        without,
    };
    found.sentence = match found.jobs.first() {
        Some(first) => sentence(first, found.jobs.len() - 1),
        None => why_none(&found, by),
    };
    found
}

/// The names of these results, each with its job.
fn named(group: &[Load<'_>]) -> Vec<(String, String)> {
    let name = |(subject, part): &Load<'_>| (subject.name.clone(), part.phrase.clone());
    group.iter().map(name).collect()
}

/// A load with the record it is of.
type Load<'a> = (&'a ComparisonSubject, &'a Part);

/// Loads whose jobs are alike. Those that tell most come first; one that tells little joins the only group it is like,
/// and where it is like several it stands with those that tell as little.
fn groups(subjects: &[ComparisonSubject]) -> Vec<Vec<Load<'_>>> {
    let mut loads: Vec<Load<'_>> = subjects
        .iter()
        .flat_map(|subject| subject.parts.iter().map(move |part| (subject, part)))
        .collect();
    loads.sort_by_key(|(_, part)| std::cmp::Reverse(told(&part.job)));
    let mut groups: Vec<Vec<Load<'_>>> = Vec::new();
    for load in loads {
        let same = groups.iter().position(|group| group[0].1.job == load.1.job);
        let is_like = |index: &usize| {
            groups[*index]
                .iter()
                .all(|(_, other)| job::differs(&other.job, &load.1.job).is_empty())
        };
        let like: Vec<usize> = match same {
            Some(same) => vec![same],
            None => (0..groups.len()).filter(is_like).collect(),
        };
        match like[..] {
            [only] => groups[only].push(load),
            _ => groups.push(vec![load]),
        }
    }
    groups
}

/// How many of the facts that every job has are told.
fn told(facts: &JobFacts) -> usize {
    [
        "rw",
        "direction",
        "bs",
        "direct",
        "iodepth",
        "numjobs",
        "load",
    ]
    .iter()
    .filter(|name| facts.contains_key(**name))
    .count()
}

/// The table of a group, where two of its devices tell what to rank by.
fn ranked(group: &[Load<'_>], by: Option<&str>) -> Option<RankedJob> {
    let by = match by {
        Some(word) => commonest(group, &[word]),
        None => measure_of(group),
    }?;
    let mut entries: Vec<ComparisonEntry> = devices(group)
        .iter()
        .filter_map(|loads| entry(loads, &by))
        .collect();
    if entries.len() < 2 {
        return None;
    }
    let better = entries[0].by.better;
    let worse = |a: &ComparisonEntry, b: &ComparisonEntry| match better {
        Better::More => b.by.value.total_cmp(&a.by.value),
        Better::Less => a.by.value.total_cmp(&b.by.value),
    };
    entries.sort_by(worse);
    let best = entries[0].by.value;
    let all = entries.clone();
    for entry in &mut entries {
        entry.rank = 1 + all
            .iter()
            .filter(|other| is_certainly_better(&other.by, &entry.by))
            .count() as u32;
        entry.times = if better == Better::More {
            best / entry.by.value
        } else {
            entry.by.value / best
        };
    }
    let ratios: Vec<String> = entries
        .iter()
        .map(|entry| {
            if entry.times < 1.005 {
                "1".into()
            } else {
                units::times(entry.times).replace(".0", "")
            }
        })
        .collect();
    // Those that tell most come first. The heading says what all of them tell.
    let ((_, first), (_, last)) = (group[0], group[group.len() - 1]);
    Some(RankedJob {
        phrase: last.phrase.clone(),
        job: first.job.clone(),
        by,
        ratios: ratios.join(" : "),
        remarks: remarks(group, &entries),
        entries,
    })
}

/// What a group is ranked by: what the busiest direction of most of its members has.
fn measure_of(group: &[Load<'_>]) -> Option<String> {
    let bs = group
        .iter()
        .find_map(|(_, part)| model::units::parse_bytes(part.job.get("bs")?).ok());
    let is_large = bs.is_some_and(|bs| bs >= LARGE_BLOCK);
    let order: [&str; 2] = if is_large {
        ["bw", "iops"]
    } else {
        ["iops", "bw"]
    };
    commonest(group, &order).or_else(|| operation_rate(group))
}

/// The rate of operations that are no single I/Os, such as transactions a second, that most members have.
fn operation_rate(group: &[Load<'_>]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for measure in group.iter().flat_map(|(_, part)| &part.measures) {
        if measure.name.ends_with(".per_s") && !names.contains(&measure.name.as_str()) {
            names.push(&measure.name);
        }
    }
    commonest(group, &names)
}

/// Of these measures, of all directions together or of one, the one that most members have. The first word counts among
/// equals; a word that names its direction is taken as it is.
fn commonest(group: &[Load<'_>], words: &[&str]) -> Option<String> {
    let candidates = words.iter().flat_map(|word| {
        ["", "read.", "write.", "trim."]
            .iter()
            .map(move |direction| format!("{direction}{word}"))
    });
    let has = |name: &String| {
        group
            .iter()
            .filter(|(_, part)| find(part, name).is_some())
            .count()
    };
    // The first of the largest: max_by_key would take the last.
    let mut found: Option<(usize, String)> = None;
    for name in candidates {
        let count = has(&name);
        if count > 1 && found.as_ref().is_none_or(|(most, _)| count > *most) {
            found = Some((count, name));
        }
    }
    found.map(|(_, name)| name)
}

/// The loads of a group by device. A device is one machine's; a result of which neither is told is one of its own.
fn devices<'a>(group: &[Load<'a>]) -> Vec<Vec<Load<'a>>> {
    let mut devices: BTreeMap<String, (usize, Vec<Load<'a>>)> = BTreeMap::new();
    for (index, (subject, part)) in group.iter().enumerate() {
        let is_known = !subject.device.is_empty()
            && (!subject.host.is_empty() || !subject.identity.is_empty());
        let key = match (is_known, subject.identity.is_empty()) {
            (true, false) => format!("id {}", subject.identity),
            (true, true) => format!("{} {} {}", subject.host, subject.device, subject.stack),
            (false, _) => format!("result {index}"),
        };
        devices
            .entry(key)
            .or_insert_with(|| (index, Vec::new()))
            .1
            .push((subject, part));
    }
    let mut all: Vec<(usize, Vec<Load<'a>>)> = devices.into_values().collect();
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, loads)| loads).collect()
}

/// A run that has the measure by which devices are ranked.
type RankedRun<'a> = (&'a ComparisonSubject, &'a Part, &'a Measure);

fn entry(loads: &[Load<'_>], by: &str) -> Option<ComparisonEntry> {
    let runs: Vec<RankedRun<'_>> = loads
        .iter()
        .filter_map(|(subject, part)| Some((*subject, *part, find(part, by)?)))
        .collect();
    let (first, ..) = *runs.first()?;
    let direction = by.rsplit_once('.').map(|(direction, _)| direction);
    let side = |word: &str| mean_beside(&runs, direction, word);
    let ranked_by: Vec<&Measure> = runs.iter().map(|(_, _, measure)| *measure).collect();
    Some(ComparisonEntry {
        rank: 0,
        label: label(first),
        records: runs
            .iter()
            .filter_map(|(subject, ..)| subject.record)
            .collect(),
        names: runs
            .iter()
            .map(|(subject, ..)| subject.name.clone())
            .collect(),
        source: sources(&runs).join(", "),
        runs: runs.len() as u32,
        by: pooled(&ranked_by),
        times: 1.0,
        iops: side("iops"),
        bytes_per_s: side("bw"),
        mean_ns: side("mean"),
        p99_ns: side("p99"),
        caveats: caveats(&runs),
    })
}

fn label(subject: &ComparisonSubject) -> String {
    if subject.host.is_empty() {
        subject.label.clone()
    } else {
        format!("{} of {}", subject.label, subject.host)
    }
}

fn sources(runs: &[RankedRun<'_>]) -> Vec<String> {
    let mut sources: Vec<String> = runs
        .iter()
        .map(|(subject, ..)| subject.source.clone())
        .collect();
    sources.dedup();
    sources
}

/// What limits the result of these runs, each mark once.
fn caveats(runs: &[RankedRun<'_>]) -> Vec<Caveat> {
    let mut caveats: Vec<Caveat> = Vec::new();
    if runs.len() == 1 {
        let why = "one run: what differs between runs is not in its interval".to_string();
        caveats.push(Caveat {
            mark: "1 run".into(),
            why,
        });
    }
    for caveat in runs.iter().flat_map(|(subject, ..)| &subject.caveats) {
        if !caveats.iter().any(|one| one.mark == caveat.mark) {
            caveats.push(caveat.clone());
        }
    }
    caveats
}

/// The mean over the runs of another measure: of the direction ranked by, of all together, else of reads or of writes.
fn mean_beside(runs: &[RankedRun<'_>], direction: Option<&str>, word: &str) -> Option<f64> {
    let own = direction.map(|direction| format!("{direction}.{word}"));
    let (all, reads, writes) = (
        word.to_string(),
        format!("read.{word}"),
        format!("write.{word}"),
    );
    let names: Vec<String> = own.into_iter().chain([all, reads, writes]).collect();
    let value = |part: &Part| {
        let measure = names.iter().find_map(|name| find(part, name));
        measure.map(|one| one.value)
    };
    let values: Vec<f64> = runs.iter().filter_map(|(_, part, _)| value(part)).collect();
    (!values.is_empty())
        .then(|| spread::of(&values).mean)
        .filter(|mean| *mean > 0.0)
}

/// Several runs of one device as one number.
fn pooled(measures: &[&Measure]) -> Measure {
    let first = measures[0];
    if measures.len() == 1 {
        return first.clone();
    }
    let values: Vec<f64> = measures.iter().map(|measure| measure.value).collect();
    let found = spread::of(&values);
    Measure {
        value: found.mean,
        low: found.low,
        high: found.high,
        basis: Basis::Runs,
        n: measures.len() as u64,
        ..first.clone()
    }
}

fn is_certainly_better(a: &Measure, b: &Measure) -> bool {
    let low = |one: &Measure| one.low.unwrap_or(one.value);
    let high = |one: &Measure| one.high.unwrap_or(one.value);
    match a.better {
        Better::More => low(a) > high(b),
        Better::Less => high(a) < low(b),
    }
}

fn remarks(group: &[Load<'_>], entries: &[ComparisonEntry]) -> Vec<String> {
    let mut remarks = Vec::new();
    let (_, most) = group[0];
    let mut silent: Vec<String> = Vec::new();
    let mut untold: Vec<&str> = Vec::new();
    for (subject, part) in group {
        let missing = job::untold(&most.job, &part.job);
        if !missing.is_empty() && !silent.contains(&subject.name) {
            silent.push(subject.name.clone());
            missing.into_iter().for_each(|name| {
                if !untold.contains(&name) {
                    untold.push(name);
                }
            });
        }
    }
    if !silent.is_empty() {
        let taken = untold.iter().filter_map(|name| {
            let value = most.job.get(*name)?;
            Some(format!("{name}={value}"))
        });
        let taken: Vec<String> = taken.collect();
        let untold: Vec<String> = untold.iter().map(|name| name.to_string()).collect();
        let names = if silent.len() > 3 {
            format!("{} results", silent.len())
        } else {
            words::list(&silent)
        };
        let verb = if silent.len() == 1 { "does" } else { "do" };
        remarks.push(format!(
            "{names} {verb} not tell {}; it is taken to be alike: {}.",
            words::list(&untold),
            taken.join(" ")
        ));
    }
    remarks.extend(engines(group));
    let mut marks: Vec<&Caveat> = Vec::new();
    for caveat in entries
        .iter()
        .flat_map(|entry| &entry.caveats)
        .filter(|one| one.mark != "1 run" && one.mark != "lossy")
    {
        if !marks.iter().any(|one| one.mark == caveat.mark) {
            marks.push(caveat);
        }
    }
    remarks.extend(
        marks
            .iter()
            .map(|caveat| format!("{}: {}", caveat.mark, caveat.why)),
    );
    if entries.iter().any(|entry| entry.runs == 1) {
        remarks.push(
            "1 run: what differs between runs is not in the interval; repeats would tell.".into(),
        );
    }
    remarks
}

/// That engines differ, which has a part in IOPS and in the time of an I/O.
fn engines(group: &[Load<'_>]) -> Option<String> {
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (subject, part) in group {
        let of = names.entry(part.beside.get("ioengine")?).or_default();
        if !of.contains(&subject.name) {
            of.push(subject.name.clone());
        }
    }
    let each = names.iter().map(|(engine, names)| match &names[..] {
        [_, _, _, _, ..] => format!("{engine} ({} results)", names.len()),
        few => format!("{engine} ({})", words::list(few)),
    });
    let each: Vec<String> = each.collect();
    (each.len() > 1).then(|| format!("The engines differ: {}.", words::list(&each)))
}

/// Why there is no table.
fn why_none(found: &Ranking, by: Option<&str>) -> String {
    match (found.without.is_empty(), found.alone.is_empty(), by) {
        (true, true, _) => "There is no load to rank.".into(),
        (true, false, _) => "Nothing can be ranked: no two devices had the same job.".into(),
        (false, _, Some(by)) => format!(
            "Nothing can be ranked by {}: no two results of one job tell it.",
            words::title(by)
        ),
        (false, _, None) => {
            "Nothing can be ranked: no two results of one job tell the same rate.".into()
        }
    }
}

/// The first table in one sentence, and how many more there are.
fn sentence(first: &RankedJob, more: usize) -> String {
    let label = |entry: &ComparisonEntry| entry.label.clone();
    let chain = match &first.entries[..] {
        entries if entries.len() <= 4 => entries.iter().map(label).collect::<Vec<_>>().join(" > "),
        [best, .., worst] => format!("{} > … > {}", best.label, worst.label),
        _ => String::new(),
    };
    let more = match more {
        0 => String::new(),
        1 => " One more job below.".into(),
        more => format!(" {more} more jobs below."),
    };
    let ratios = match &first.entries[..] {
        [.., worst] if first.entries.len() > 8 => format!("1 to {}", units::times(worst.times)),
        _ => first.ratios.clone(),
    };
    format!(
        "{}, {}: {chain}, {ratios}.{more}",
        first.phrase,
        words::title(&first.by)
    )
}

#[cfg(test)]
mod tests;
