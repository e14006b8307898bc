//! One device over time: records of like jobs on like paths, and where they changed for good.

use crate::compare::Named;
use crate::{change_point, job, measures, repeats, words};
use diagnose::difference::{WEIGHT_MIN, differences};
use model::comparison::{
    ChangePoint, ComparisonSubject, HISTORY_SCHEMA, History, HistoryPoint, HistorySeries, Part,
};
use model::difference::Difference;
use model::job::{Job, identity};
use model::record::Record;

/// What is looked at where nobody says: a rate and a tail, by the last word of the measure.
const USUAL: [&str; 2] = ["iops", "p99"];

/// What to look for.
#[derive(Clone, Debug)]
pub struct HistoryWish {
    /// Measures by name, with direction or for all; empty for the usual ones.
    pub measures: Vec<String>,
    /// Chance of a false change anywhere.
    pub alpha: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for HistoryWish {
    /// The usual measures, a false change in one of twenty histories, and the same draws each time.
    fn default() -> HistoryWish {
        HistoryWish {
            measures: Vec::new(),
            alpha: 0.05,
            seed: 1,
        }
    }
}

/// The history of records.
pub fn history(given: &[Named<'_>], wish: &HistoryWish) -> History {
    let mut all: Vec<(ComparisonSubject, &Record)> = given
        .iter()
        .map(|one| (measures::of(one.name, one.id, one.record), one.record))
        .collect();
    all.sort_by_key(|(subject, _)| (subject.unix_ms, subject.record));
    let mut series: Vec<(HistorySeries, Vec<&Record>)> = Vec::new();
    for (subject, record) in &all {
        for part in &subject.parts {
            for name in looked_at(part, wish) {
                add(&mut series, subject, part, &name, record);
            }
        }
    }
    series.retain(|(one, _)| one.points.len() > 1);
    let searched = series
        .iter()
        .filter(|(one, _)| one.points.len() >= change_point::LEAST)
        .count();
    for (one, records) in &mut series {
        search(one, records, wish.alpha / searched.max(1) as f64, wish.seed);
    }
    let mut series: Vec<HistorySeries> = series.into_iter().map(|(one, _)| one).collect();
    series.sort_by_key(|one| (one.changes.is_empty(), std::cmp::Reverse(one.points.len())));
    let sentence = sentence(&series, all.len());
    History {
        schema: HISTORY_SCHEMA.into(),
        sentence,
        alpha: wish.alpha,
        searched,
        seed: wish.seed,
        series,
    }
}

/// The measures of a part that are looked at.
fn looked_at(part: &Part, wish: &HistoryWish) -> Vec<String> {
    let names: Vec<&str> = match wish.measures.is_empty() {
        true => USUAL.to_vec(),
        false => wish.measures.iter().map(String::as_str).collect(),
    };
    let is_one = |measure: &str| {
        let last = measure.split_once('.').map_or(measure, |(_, last)| last);
        names.iter().any(|name| *name == measure || *name == last)
    };
    part.measures
        .iter()
        .filter(|one| is_one(&one.name))
        .map(|one| one.name.clone())
        .collect()
}

/// Adds a record's number to the series of like jobs on like paths.
fn add<'a>(
    series: &mut Vec<(HistorySeries, Vec<&'a Record>)>,
    subject: &ComparisonSubject,
    part: &Part,
    name: &str,
    record: &'a Record,
) {
    let (Some(measure), Some(unix_ms), Some(id)) =
        (repeats::find(part, name), subject.unix_ms, subject.record)
    else {
        return;
    };
    let place = place(subject);
    let imported = record.imported().is_some();
    let point = HistoryPoint {
        record: id,
        unix_ms,
        measure: measure.clone(),
        imported,
    };
    let facts = job_words(part);
    let found = series.iter_mut().find(|(one, _)| {
        one.measure == name && one.place == place && one.part == part.name && one.phrase == facts
    });
    match found {
        Some((one, records)) => {
            one.points.push(point);
            records.push(record);
        }
        None => {
            let one = HistorySeries {
                phrase: facts,
                place,
                part: part.name.clone(),
                measure: name.into(),
                unit: measure.unit.clone(),
                better: measure.better,
                points: vec![point],
                levels: Vec::new(),
                changes: Vec::new(),
                correlation: 0.0,
                not_searched: None,
            };
            series.push((one, vec![record]));
        }
    }
}

/// The job with all that decides and is not as usual.
fn job_words(part: &Part) -> String {
    let told = [
        "rw",
        "bs",
        "iodepth",
        "numjobs",
        "direct",
        "direction",
        "tool",
        "load",
    ];
    let more = part
        .job
        .iter()
        .filter(|(name, value)| !told.contains(&name.as_str()) && !identity::is_usual(name, value));
    let more: String = more
        .map(|(name, value)| format!(", {name} {value}"))
        .collect();
    format!("{}{more}", job::phrase(&part.job))
}

fn place(subject: &ComparisonSubject) -> String {
    let host = if subject.host.is_empty() {
        String::new()
    } else {
        format!(" of {}", subject.host)
    };
    let stack = if subject.stack.is_empty() {
        String::new()
    } else {
        format!(" ({})", subject.stack)
    };
    format!(
        "{}{host}{stack}",
        if subject.label.is_empty() {
            &subject.target
        } else {
            &subject.label
        }
    )
}

fn search(series: &mut HistorySeries, records: &[&Record], alpha: f64, seed: u64) {
    let values: Vec<f64> = series
        .points
        .iter()
        .map(|point| point.measure.value)
        .collect();
    if values.len() < change_point::LEAST {
        let least = change_point::LEAST;
        series.not_searched = Some(format!(
            "{} records are too few for change points ({least} at least)",
            values.len()
        ));
    } else {
        let (changes, correlation) = change_point::find(&values, alpha, seed);
        series.correlation = correlation;
        series.changes = changes
            .into_iter()
            .map(|change| ChangePoint {
                changed: changed(
                    records[change.at - 1],
                    records[change.at],
                    Some(&records[change.at].job),
                ),
                at: change.at,
                between: change.between,
                effect: change.effect.0,
                low: change.effect.1,
                high: change.effect.2,
                p: change.p,
            })
            .collect();
    }
    let edges: Vec<usize> = [0]
        .into_iter()
        .chain(series.changes.iter().map(|one| one.at))
        .chain([values.len()])
        .collect();
    series.levels = edges
        .windows(2)
        .map(|edge| {
            (
                edge[0],
                edge[1] - 1,
                stats::median(&values[edge[0]..edge[1]]),
            )
        })
        .collect();
}

/// What differs between the record before a change and the first one after it: settings and facts that can matter for the
/// job, or for any, and the kernel.
pub(crate) fn changed(before: &Record, after: &Record, job: Option<&Job>) -> Vec<Difference> {
    let names = ["before", "after"];
    let mut found = differences(&before.path, &after.path, names, job).differences;
    let is_told = found.iter().any(|one| one.name == "kernel");
    let is_version = |name: &str| {
        name.contains("firmware") || ["kernel", "model", "distribution"].contains(&name)
    };
    found.retain(|one| one.weight >= WEIGHT_MIN || is_version(&one.name));
    let kernels = (&before.provenance.kernel, &after.provenance.kernel);
    let is_ours = before.imported().is_none() && after.imported().is_none();
    if !is_told && is_ours && kernels.0 != kernels.1 {
        found.insert(0, kernel(kernels.0, kernels.1));
    }
    found
}

fn kernel(before: &str, after: &str) -> Difference {
    Difference {
        place: "machine".into(),
        name: "kernel".into(),
        what: model::difference::DifferenceWhat::Fact,
        a: Some(before.into()),
        b: Some(after.into()),
        weight: 0.5,
        why: "Another kernel has other drivers, schedulers and defaults.".into(),
        origin: String::new(),
        knob: None,
        experiment: "Boot the old kernel once and repeat the run.".into(),
        also_in: 0,
    }
}

fn sentence(series: &[HistorySeries], records: usize) -> String {
    let last = series
        .iter()
        .flat_map(|one| one.changes.iter().map(move |change| (one, change)))
        .max_by_key(|(one, change)| one.points[change.at].unix_ms);
    let Some((one, change)) = last else {
        let most = series.iter().map(|one| one.points.len()).max().unwrap_or(0);
        return match most {
            0 => format!("{records} records, and no two of like jobs on like paths."),
            few if few < change_point::LEAST => format!(
                "{few} like records are too few for change points; from {} on they are searched.",
                change_point::LEAST
            ),
            most => format!("No lasting change in {most} like records."),
        };
    };
    let level = words::ratio(
        1.0 + change.effect,
        Some(1.0 + change.low),
        Some(1.0 + change.high),
    );
    let at = one.points[change.at].record;
    format!(
        "{} of {} changed by {level} at record {at}.",
        words::title(&one.measure),
        one.phrase
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;
    use model::change::Attribute;
    use model::iopath::Setting;

    fn records(count: usize, change: usize) -> Vec<Record> {
        let record = |index: usize| {
            let wobble = [0.0, 120.0, -80.0, 60.0, -150.0, 30.0, 90.0][index % 7];
            let iops = 10_000.0 + wobble - if index >= change { 2_000.0 } else { 0.0 };
            let mut record = run(iops, 0.0, 9);
            record.provenance.started_unix_ms += index as u64 * 86_400_000;
            let scheduler = if index >= change { "bfq" } else { "none" };
            let disk = &mut record.path.root.below[0].below[0];
            disk.settings = vec![Setting::new(
                "scheduler",
                "",
                Attribute::Value(scheduler.into()),
                true,
            )];
            if index >= change {
                record.provenance.kernel = "6.12.0".into();
            }
            record
        };
        (0..count).map(record).collect()
    }

    fn of(records: &[Record], measures: &[&str]) -> History {
        let names: Vec<String> = (0..records.len())
            .map(|index| (index + 1).to_string())
            .collect();
        let given: Vec<Named<'_>> = records
            .iter()
            .zip(&names)
            .map(|(record, name)| Named {
                name,
                id: name.parse().ok(),
                record,
            })
            .collect();
        let measures = measures.iter().map(|name| name.to_string()).collect();
        history(
            &given,
            &HistoryWish {
                measures,
                alpha: 0.05,
                seed: 1,
            },
        )
    }

    #[test]
    fn a_fifth_less_is_placed_and_what_changed_there_is_named() {
        let found = of(&records(20, 12), &["iops"]);
        let series = &found.series[0];
        assert_eq!(
            (found.searched, series.points.len(), series.measure.as_str()),
            (1, 20, "read.iops")
        );
        let change = &series.changes[0];
        assert_eq!(
            (series.changes.len(), series.points[change.at].record),
            (1, 13)
        );
        assert!(
            change.low < -0.2 && -0.2 < change.high && change.p < 0.05,
            "{change:?}"
        );
        let names: Vec<&str> = change.changed.iter().map(|one| one.name.as_str()).collect();
        assert!(
            names.contains(&"kernel") && names.contains(&"scheduler"),
            "{names:?}"
        );
        assert_eq!(series.levels.len(), 2);
        assert!(
            found.sentence.contains("changed by −20 %")
                && found.sentence.ends_with("at record 13."),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn few_records_are_shown_and_not_searched() {
        let found = of(&records(7, 99), &[]);
        assert_eq!((found.searched, found.series.len()), (0, 2));
        assert!(
            found.series[0]
                .not_searched
                .as_ref()
                .unwrap()
                .contains("8 at least")
        );
        assert!(found.sentence.contains("too few"), "{}", found.sentence);
        let calm = of(&records(20, 99), &["iops"]);
        assert!(
            calm.series[0].changes.is_empty(),
            "{:?}",
            calm.series[0].changes
        );
        assert_eq!(calm.sentence, "No lasting change in 20 like records.");
    }

    #[test]
    fn other_jobs_and_other_paths_are_other_series() {
        let mut all = records(12, 99);
        for record in &mut all[6..] {
            record.job.iodepth = 1;
        }
        all[11].path.root.below[0]
            .facts
            .insert("fstype".into(), "xfs".into());
        let found = of(&all, &["iops"]);
        let mut sizes: Vec<usize> = found.series.iter().map(|one| one.points.len()).collect();
        sizes.sort_unstable();
        assert_eq!(
            sizes,
            [5, 6],
            "the one on xfs stands alone and is no series"
        );
    }
}
