//! Two or more records side by side.

use crate::bound::{self, Bound};
use crate::interval::ratio;
use crate::repeats::{self, RepeatGroup, find};
use crate::{curves, job, measures, settings, words};
use model::comparison::{
    COMPARE_SCHEMA, Compared, Comparison, ComparisonCell, ComparisonRow, ComparisonSubject,
    Measure, Part, Ratio, Repeats, Standing,
};
use model::record::Record;

/// A record with what the user calls it and its number.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// As the user named it.
    pub name: &'a str,
    /// Number in the store.
    pub id: Option<i64>,
    /// The record.
    pub record: &'a Record,
}

/// Compares records with the one at `base`. `known` are other records of the store, from which what repeats of one
/// setting differ by is learnt.
pub fn records(
    given: &[Named<'_>],
    base: usize,
    known: &[Named<'_>],
    bounds: &[Bound],
    strict: bool,
) -> Comparison {
    let subject = |one: &Named<'_>| measures::of(one.name, one.id, one.record);
    let subjects: Vec<ComparisonSubject> = given.iter().map(subject).collect();
    let others: Vec<ComparisonSubject> = known.iter().map(subject).collect();
    let is_same: Vec<bool> = given
        .iter()
        .map(|one| settings::is_same(given[base].record, one.record))
        .collect();
    let all: Vec<(&ComparisonSubject, &Record)> = subjects
        .iter()
        .zip(given)
        .chain(
            others.iter().zip(
                known
                    .iter()
                    .filter(|one| !given.iter().any(|own| own.id == one.id)),
            ),
        )
        .map(|(subject, one)| (subject, one.record))
        .collect();
    let groups = repeat_groups(&all);
    let compared = (subjects[base].parts.iter())
        .map(|part| compared(part, &subjects, base, &is_same, &groups))
        .collect::<Vec<_>>();
    let settings = (0..given.len())
        .filter(|index| *index != base)
        .filter_map(|index| {
            let (a, b) = (&given[base], &given[index]);
            settings::differ(index, (a.name, a.record), (b.name, b.record))
        })
        .collect();
    let mut comparison = Comparison {
        schema: COMPARE_SCHEMA.into(),
        sentence: String::new(),
        base,
        compared,
        curves: curves::over(
            &given.iter().map(|one| one.record).collect::<Vec<_>>(),
            base,
        ),
        settings,
        bounds: Vec::new(),
        subjects,
    };
    comparison.bounds = bound::judge(bounds, &comparison, strict);
    comparison.sentence = crate::sentence::of(&comparison);
    comparison
}

/// Runs of one setting on one device, those with at least two.
fn repeat_groups<'a>(all: &[(&'a ComparisonSubject, &Record)]) -> Vec<RepeatGroup<'a>> {
    let mut seen: Vec<i64> = Vec::new();
    let once = all.iter().filter(|(subject, _)| match subject.record {
        Some(id) if seen.contains(&id) => false,
        Some(id) => {
            seen.push(id);
            true
        }
        None => false,
    });
    let own: Vec<&(&ComparisonSubject, &Record)> = once.collect();
    let groups = settings::groups(&own.iter().map(|one| one.1).collect::<Vec<_>>());
    let group = |indices: Vec<usize>| indices.into_iter().map(|index| own[index].0).collect();
    groups
        .into_iter()
        .filter(|indices| indices.len() > 1)
        .map(group)
        .collect()
}

fn compared(
    part: &Part,
    subjects: &[ComparisonSubject],
    base: usize,
    is_same: &[bool],
    groups: &[RepeatGroup<'_>],
) -> Compared {
    let beside: Vec<Option<(&Part, Option<String>)>> = subjects
        .iter()
        .enumerate()
        .map(|(index, subject)| {
            if index == base {
                Some((part, None))
            } else {
                counterpart(part, subject)
            }
        })
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for (other, _) in beside.iter().flatten() {
        names.extend(other.measures.iter().map(|one| one.name.as_str()));
    }
    let mut ordered: Vec<&str> = Vec::new();
    names.into_iter().for_each(|name| {
        if !ordered.contains(&name) {
            ordered.push(name);
        }
    });
    let rows = ordered
        .into_iter()
        .map(|name| row(name, part, &beside, base, is_same, groups))
        .collect();
    let unlike = beside
        .iter()
        .enumerate()
        .filter_map(|(index, one)| Some((index, one.as_ref()?.1.clone()?)))
        .collect();
    let remarks = remarks(part, &beside, subjects, base);
    Compared {
        name: part.name.clone(),
        phrase: part.phrase.clone(),
        rows,
        unlike,
        remarks,
    }
}

/// The load of a subject that stands beside one of the base's, and why it is not like it: of the same name, else the only
/// one, else the only one with a like job.
fn counterpart<'a>(
    part: &Part,
    subject: &'a ComparisonSubject,
) -> Option<(&'a Part, Option<String>)> {
    let like: Vec<&Part> = subject
        .parts
        .iter()
        .filter(|other| job::differs(&part.job, &other.job).is_empty())
        .collect();
    let named = subject
        .parts
        .iter()
        .find(|other| other.name == part.name && !part.name.is_empty());
    let found = match (&like[..], named, &subject.parts[..]) {
        ([only], _, _) => only,
        (_, Some(named), _) => named,
        (_, _, [only]) => only,
        _ => return None,
    };
    let differs = job::differs(&part.job, &found.job);
    let why = differs
        .iter()
        .take(3)
        .map(|(name, a, b)| format!("{name} {b}, not {a}"));
    let why = (!differs.is_empty()).then(|| words::list(&why.collect::<Vec<_>>()));
    Some((found, why))
}

fn row(
    name: &str,
    part: &Part,
    beside: &[Option<(&Part, Option<String>)>],
    base: usize,
    is_same: &[bool],
    groups: &[RepeatGroup<'_>],
) -> ComparisonRow {
    let own = find(part, name);
    let repeats = repeats::of(groups, part, name);
    let cell = |(index, other): (usize, &Option<(&Part, Option<String>)>)| {
        let (other, unlike) = other.as_ref()?;
        let measure = find(other, name)?.clone();
        let ratio = match own {
            Some(own) if index != base && unlike.is_none() => {
                against(&measure, own, repeats.as_ref(), is_same[index])
            }
            _ => None,
        };
        Some(ComparisonCell { measure, ratio })
    };
    let cells = beside.iter().enumerate().map(cell).collect();
    ComparisonRow {
        measure: name.into(),
        cells,
        repeats,
    }
}

fn against(
    measure: &Measure,
    base: &Measure,
    repeats: Option<&Repeats>,
    is_same: bool,
) -> Option<Ratio> {
    let bounds = |one: &Measure| (one.value, one.low, one.high);
    let (value, low, high) = ratio(bounds(measure), bounds(base))?;
    let away = value.max(1.0 / value) - 1.0;
    let standing = match repeats {
        _ if is_same => Standing::SameSetting,
        Some(repeats) if away <= repeats.largest.max(repeats.reach.unwrap_or(0.0)) => {
            Standing::Within
        }
        Some(repeats) if repeats.reach.is_some() => Standing::Beyond,
        _ => Standing::Hint,
    };
    Some(Ratio {
        ratio: value,
        low,
        high,
        standing,
    })
}

/// What else differs between loads that are alike, and what their sources do not tell.
fn remarks(
    part: &Part,
    beside: &[Option<(&Part, Option<String>)>],
    subjects: &[ComparisonSubject],
    base: usize,
) -> Vec<String> {
    let mut remarks = Vec::new();
    for (index, other) in beside.iter().enumerate() {
        let Some((other, unlike)) = other else {
            continue;
        };
        let name = &subjects[index].name;
        for note in &other.notes {
            remarks.push(format!("{name}: {note}."));
        }
        if index == base || unlike.is_some() {
            continue;
        }
        for (fact, here) in &other.beside {
            if let Some(there) = part
                .beside
                .get(fact)
                .filter(|there| *there != here && fact != "runtime")
            {
                remarks.push(format!(
                    "{name}: {fact} is {here}, of {} it is {there}.",
                    subjects[base].name
                ));
            }
        }
        let untold = job::untold(&part.job, &other.job);
        if !untold.is_empty() {
            let silent = if other.job.len() < part.job.len() {
                name
            } else {
                &subjects[base].name
            };
            let names: Vec<String> = untold.iter().map(|name| name.to_string()).collect();
            remarks.push(format!(
                "{silent} does not tell {}; it is taken to be alike.",
                words::list(&names)
            ));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{fio_text, run};
    use model::change::Attribute;
    use model::iopath::Setting;
    use model::job::Job;

    fn named<'a>(name: &'a str, id: i64, record: &'a Record) -> Named<'a> {
        Named {
            name,
            id: Some(id),
            record,
        }
    }

    fn with_scheduler(mut record: Record, scheduler: &str) -> Record {
        let disk = &mut record.path.root.below[0].below[0];
        disk.settings = vec![Setting::new(
            "scheduler",
            "",
            Attribute::Value(scheduler.into()),
            true,
        )];
        record
    }

    fn cell<'a>(comparison: &'a Comparison, measure: &str, subject: usize) -> &'a ComparisonCell {
        let row = comparison.compared[0]
            .rows
            .iter()
            .find(|row| row.measure == measure)
            .unwrap();
        row.cells[subject].as_ref().unwrap()
    }

    #[test]
    fn one_run_each_is_a_hint_and_says_so() {
        let (a, b) = (
            with_scheduler(run(10_000.0, 0.01, 30), "none"),
            with_scheduler(run(11_000.0, 0.01, 30), "bfq"),
        );
        let found = records(&[named("7", 7, &a), named("9", 9, &b)], 0, &[], &[], false);
        let ratio = cell(&found, "read.iops", 1).ratio.as_ref().unwrap();
        assert!(
            (ratio.ratio - 1.1).abs() < 0.01
                && ratio.low.unwrap() > 1.08
                && ratio.high.unwrap() < 1.12
        );
        assert_eq!(ratio.standing, Standing::Hint);
        assert!(
            found.sentence.contains("no more than a hint"),
            "{}",
            found.sentence
        );
        assert!(
            !found.sentence.contains("another tool"),
            "{}",
            found.sentence
        );
        assert!(
            found
                .sentence
                .starts_with("9 against 7: read IOPS +9.6 % (8.9 to 10) and read p99 −"),
            "{}",
            found.sentence
        );
        assert_eq!(found.settings[0].differences[0].name, "scheduler");
    }

    #[test]
    fn repeats_in_the_store_tell_what_a_difference_is_worth() {
        let a = with_scheduler(run(10_000.0, 0.0, 30), "none");
        let b = with_scheduler(run(10_150.0, 0.0, 30), "bfq");
        let again = with_scheduler(run(10_210.0, 0.0, 30), "none");
        let given = [named("7", 7, &a), named("9", 9, &b)];
        let found = records(
            &given,
            0,
            &[named("5", 5, &again), named("7", 7, &a)],
            &[],
            false,
        );
        let row = &found.compared[0].rows[0];
        assert_eq!(row.repeats.as_ref().unwrap().records, [7, 5]);
        assert_eq!(
            cell(&found, "read.iops", 1)
                .ratio
                .as_ref()
                .unwrap()
                .standing,
            Standing::Within
        );
        assert!(
            found
                .sentence
                .contains("within what the same setting gave twice (2.1 %"),
            "{}",
            found.sentence
        );
        let more: Vec<Record> = [9_950.0, 10_020.0, 10_060.0]
            .map(|iops| with_scheduler(run(iops, 0.0, 30), "none"))
            .to_vec();
        let known: Vec<Named<'_>> = more
            .iter()
            .enumerate()
            .map(|(index, record)| named("x", 20 + index as i64, record))
            .collect();
        let far = with_scheduler(run(12_000.0, 0.0, 30), "bfq");
        let found = records(
            &[named("7", 7, &a), named("9", 9, &far)],
            0,
            &known,
            &[],
            false,
        );
        assert_eq!(
            cell(&found, "read.iops", 1)
                .ratio
                .as_ref()
                .unwrap()
                .standing,
            Standing::Beyond
        );
        assert!(
            found
                .sentence
                .contains("more than runs of one setting differ by"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn the_same_setting_twice_is_a_repeat_and_no_effect() {
        let (a, b) = (run(10_000.0, 0.0, 30), run(10_300.0, 0.0, 30));
        let found = records(&[named("7", 7, &a), named("8", 8, &b)], 0, &[], &[], false);
        assert_eq!(
            cell(&found, "read.iops", 1)
                .ratio
                .as_ref()
                .unwrap()
                .standing,
            Standing::SameSetting
        );
        assert!(
            found.sentence.contains("what a repeat gives"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn unlike_jobs_are_shown_without_a_ratio_and_with_the_reason() {
        let (a, mut b) = (run(10_000.0, 0.0, 30), run(5_000.0, 0.0, 30));
        b.job = Job {
            bs: 8192,
            ..Job::default()
        };
        let found = records(&[named("7", 7, &a), named("8", 8, &b)], 0, &[], &[], false);
        assert_eq!(cell(&found, "read.iops", 1).ratio, None);
        assert_eq!(found.compared[0].unlike, [(1, "bs 8k, not 4k".to_string())]);
        assert!(
            found.sentence.contains("not alike") && found.sentence.contains("bs 8k"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn another_tools_result_stands_beside_ours() {
        let mut a = run(10_000.0, 0.0, 30);
        a.job = Job {
            rw: model::job::Rw::Read,
            iodepth: 64,
            ..Job::default()
        };
        let old = fio_text(
            20_000.0,
            &[
                ("rw", "read"),
                ("bs", "4k"),
                ("iodepth", "64"),
                ("ioengine", "libaio"),
            ],
        );
        let given = [
            named("7", 7, &a),
            Named {
                name: "old.txt:12",
                id: None,
                record: &old,
            },
        ];
        let found = records(&given, 0, &[], &[], false);
        let ratio = cell(&found, "read.iops", 1).ratio.as_ref().unwrap();
        assert!((ratio.ratio - 2.0).abs() < 0.01 && ratio.low.is_some());
        assert_eq!(
            cell(&found, "read.p99", 1).ratio.as_ref().unwrap().low,
            None,
            "no interval where none is told"
        );
        let lack = "The percentiles of old.txt:12 are single figures of another tool and have no interval.";
        assert!(found.sentence.ends_with(lack), "{}", found.sentence);
        let remarks = found.compared[0].remarks.join("\n");
        assert!(
            remarks.contains("ioengine is libaio") && remarks.contains("does not tell direct"),
            "{remarks}"
        );
        assert!(found.settings.is_empty(), "a text holds no settings");
    }
}
