//! What runs of one setting differ by: the only thing that tells what one run against another is worth.

use crate::job;
use model::comparison::{ComparisonSubject, Measure, Part, Repeats};
use stats::t_quantile;

/// Below so many degrees of freedom a bound on the difference of two runs would be a guess.
const FREEDOM_MIN: usize = 3;

/// Runs that have device and every setting in common, at least two. The caller knows the settings.
pub type RepeatGroup<'a> = Vec<&'a ComparisonSubject>;

/// What the groups say of a measure under a job like `part`'s. None where no group has two such runs.
pub fn of(groups: &[RepeatGroup<'_>], part: &Part, measure: &str) -> Option<Repeats> {
    let mut records = Vec::new();
    let (mut settings, mut largest, mut square, mut freedom) = (0, 0.0f64, 0.0, 0);
    for group in groups {
        let logs: Vec<f64> = group
            .iter()
            .filter_map(|subject| value(subject, part, measure))
            .map(f64::ln)
            .collect();
        if logs.len() < 2 {
            continue;
        }
        let (low, high) = logs
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| {
                (low.min(*log), high.max(*log))
            });
        largest = largest.max((high - low).exp() - 1.0);
        square += stats::sum_of_squares(&logs);
        freedom += logs.len() - 1;
        settings += 1;
        records.extend(group.iter().filter_map(|subject| subject.record));
    }
    if settings == 0 {
        return None;
    }
    let reach = || {
        let spread = (2.0 * square / freedom as f64).sqrt();
        (t_quantile(0.975, freedom) * spread).exp() - 1.0
    };
    Some(Repeats {
        records,
        settings,
        largest,
        reach: (freedom >= FREEDOM_MIN).then(reach),
    })
}

/// The number of the one load of a subject that is like a part's.
fn value(subject: &ComparisonSubject, part: &Part, measure: &str) -> Option<f64> {
    let like = |other: &&Part| {
        (other.name == part.name || subject.parts.len() == 1)
            && job::differs(&other.job, &part.job).is_empty()
    };
    let part = subject.parts.iter().find(like)?;
    find(part, measure)
        .map(|one| one.value)
        .filter(|value| *value > 0.0)
}

/// A measure of a part by name.
pub fn find<'a>(part: &'a Part, name: &str) -> Option<&'a Measure> {
    part.measures.iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;
    use crate::measures;

    #[test]
    fn repeats_tell_the_largest_difference_and_what_to_expect() {
        let subjects: Vec<ComparisonSubject> = [10_000.0, 10_200.0, 9_900.0, 10_100.0, 12_000.0]
            .into_iter()
            .enumerate()
            .map(|(index, iops)| measures::of("x", Some(index as i64), &run(iops, 0.0, 10)))
            .collect();
        let (first, rest) = subjects.split_at(4);
        let part = &subjects[0].parts[0];
        let group: RepeatGroup<'_> = first.iter().collect();
        let found = of(&[group], part, "read.iops").unwrap();
        assert_eq!((found.settings, found.records.len()), (1, 4));
        assert!(
            (found.largest - (10_200.0 / 9_900.0 - 1.0)).abs() < 1e-3,
            "{found:?}"
        );
        let reach = found.reach.unwrap();
        assert!(
            (0.04..0.08).contains(&reach),
            "t of 3 times √2 times 1.3 %: {reach}"
        );
        let two = of(&[first[..2].iter().collect()], part, "read.iops").unwrap();
        assert_eq!(two.reach, None, "two runs are no distribution");
        assert_eq!(
            of(&[rest.iter().collect()], part, "read.iops"),
            None,
            "one run is no repeat"
        );
        assert_eq!(of(&[first.iter().collect()], part, "write.iops"), None);
    }
}
