//! What sections that ran at once did together: disks behind one controller, containers on one volume.

use model::record::SectionResult;
use model::units;
use std::collections::BTreeMap;

/// A line for each stage of two sections or more: `together: 351 k IOPS, 1.34 GiB/s in the 3.0 s from the first to the
/// last I/O of a and b`. The sum is over the time from the begin of the first to the end of the last, as fio's is.
pub fn lines(sections: &[SectionResult]) -> Vec<String> {
    let mut stages: BTreeMap<u32, Vec<&SectionResult>> = BTreeMap::new();
    for section in sections {
        stages.entry(section.stage).or_default().push(section);
    }
    let of_several = stages.values().filter(|stage| stage.len() > 1);
    of_several.filter_map(|stage| line(stage)).collect()
}

fn line(stage: &[&SectionResult]) -> Option<String> {
    let begin_ms = |one: &&SectionResult| (one.start_ms + one.job.ramp_ms) as f64;
    let first_ms = stage.iter().map(begin_ms).reduce(f64::min)?;
    let ends_ms = stage.iter().map(|one| begin_ms(one) + one.load.elapsed_ms);
    let span_ms = ends_ms.reduce(f64::max)? - first_ms;
    let ios: u64 = stage.iter().map(|one| one.load.ios()).sum();
    let bytes: u64 = stage.iter().map(|one| one.load.bytes()).sum();
    (span_ms > 0.0 && ios > 0).then(|| {
        format!(
            "together: {} IOPS, {} in the {} of {}",
            units::count((ios as f64 / span_ms * 1e3).round()),
            units::bytes_per_s(bytes as f64 / span_ms * 1e3),
            units::span_ms(span_ms.round() as u64),
            names(stage)
        )
    })
}

/// `a and b`, `a, b and c`, or `8 sections`.
fn names(stage: &[&SectionResult]) -> String {
    match stage {
        [others @ .., last] if stage.len() <= NAMES_MAX => {
            let others: Vec<&str> = others.iter().map(|one| one.name.as_str()).collect();
            format!("{} and {}", others.join(", "), last.name)
        }
        all => format!("{} sections", all.len()),
    }
}

/// As many names fit in a line beside the figures.
const NAMES_MAX: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::Job;
    use model::record::LoadResult;

    fn section(name: &str, stage: u32, start_ms: u64, ios: u64) -> SectionResult {
        let mut load = LoadResult {
            elapsed_ms: 2000.0,
            ..LoadResult::default()
        };
        (load.read.ios, load.read.bytes) = (ios, ios * 4096);
        SectionResult {
            name: name.into(),
            stage,
            start_ms,
            elsewhere: String::new(),
            job: Job::default(),
            load,
        }
    }

    #[test]
    fn what_ran_at_once_is_summed_over_all_its_time() {
        let alone = section("alone", 0, 0, 9000);
        let both = [section("a", 1, 2000, 1000), section("b", 1, 3000, 2000)];
        assert_eq!(
            lines(&[&[alone][..], &both].concat()),
            ["together: 1.00 k IOPS, 3.91 MiB/s in the 3.0 s of a and b"]
        );
        let many = ["a", "b", "c", "d"].map(|name| section(name, 0, 0, 500));
        assert_eq!(
            lines(&many),
            ["together: 1.00 k IOPS, 3.91 MiB/s in the 2.0 s of 4 sections"]
        );
    }
}
