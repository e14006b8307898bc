//! A ranking in lines: one table a job, the best first.

use super::{left, paragraph, right, short};
use crate::words;
use model::comparison::{ComparisonEntry, RankedJob, Ranking};
use model::units;
use report::text::{Paint, clean};

/// Results that stand alone are named up to this many.
const ALONE_MAX: usize = 8;
/// Room for a label, characters.
const LABEL: usize = 24;
/// Measures that have a column, by the last word of their names.
const COLUMNS: [&str; 4] = ["iops", "bw", "mean", "p99"];

/// The whole ranking.
pub fn lines(found: &Ranking, paint: Paint) -> Vec<String> {
    let mut lines = paragraph(&found.sentence, 0);
    for job in &found.jobs {
        lines.push(String::new());
        lines.extend(table(job, paint));
    }
    let why = match found.alone.len() {
        1 => "Not ranked, for no other device had its job:".into(),
        count => format!("Not ranked, for no other device had their jobs ({count}):"),
    };
    lines.extend(unranked(&why, &found.alone));
    let why = format!(
        "Not ranked, for too few results of their jobs tell the number ({}):",
        found.without.len()
    );
    lines.extend(unranked(&why, &found.without));
    lines
}

/// Results that stand in no table, below the reason.
fn unranked(why: &str, results: &[(String, String)]) -> Vec<String> {
    if results.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), why.to_string()];
    for (name, job) in results.iter().take(ALONE_MAX) {
        lines.extend(paragraph(&format!("{name}: {job}"), 2));
    }
    if results.len() > ALONE_MAX {
        lines.push(format!("  and {} more", results.len() - ALONE_MAX));
    }
    lines
}

fn table(job: &RankedJob, paint: Paint) -> Vec<String> {
    let mut lines = vec![
        paint.strong(&clean(&job.phrase)),
        format!("  by {}: {}", words::title(&job.by), job.ratios),
        format!(
            "  {} {}{}{}{}{}{}  {}",
            right("", 2),
            left("device", LABEL + 1),
            right("IOPS", 8),
            right("bandwidth", 11),
            right("mean", 9),
            right("p99", 9),
            right("ratio", 6),
            "n"
        ),
    ];
    for (index, (entry, label)) in job.entries.iter().zip(labels(&job.entries)).enumerate() {
        // A shared rank is said once, and kept for those that share it.
        let shared = index > 0 && job.entries[index - 1].rank == entry.rank;
        lines.extend(row(entry, &label, shared));
    }
    lines.extend(job.remarks.iter().flat_map(|remark| paragraph(remark, 2)));
    lines
}

/// The labels as the table has room for them: cut where no two become the same, in the midst if that will do.
fn labels(entries: &[ComparisonEntry]) -> Vec<String> {
    let end = |label: &str| {
        let from = label.char_indices().rev().nth(LABEL - 2);
        from.map_or_else(|| label.to_string(), |(at, _)| format!("…{}", &label[at..]))
    };
    let all = |cut: &dyn Fn(&str) -> String| -> Vec<String> {
        entries
            .iter()
            .map(|entry| cut(&clean(&entry.label)))
            .collect()
    };
    let is_distinct = |cut: &Vec<String>| {
        let mut each: Vec<(&String, &String)> = cut
            .iter()
            .zip(entries.iter().map(|entry| &entry.label))
            .collect();
        each.sort_unstable();
        each.dedup();
        each.windows(2).all(|pair| pair[0].0 != pair[1].0)
    };
    let midst = all(&|label| short(label, LABEL));
    let ends = Some(&midst)
        .filter(|midst| !is_distinct(midst))
        .map(|_| all(&end))
        .filter(is_distinct);
    ends.unwrap_or(midst)
}

fn row(entry: &ComparisonEntry, label: &str, shared: bool) -> Vec<String> {
    let or_dash = |value: Option<String>| value.unwrap_or("–".into());
    let rank = if shared {
        "=".to_string()
    } else {
        entry.rank.to_string()
    };
    let times = if entry.times < 1.005 {
        "1".into()
    } else {
        units::times(entry.times)
    };
    let mut lines = vec![format!(
        "  {} {}{}{}{}{}{}  {}",
        right(&rank, 2),
        left(label, LABEL + 1),
        right(
            &or_dash(entry.iops.map(|iops| units::count(iops.round()))),
            8
        ),
        right(&or_dash(entry.bytes_per_s.map(units::bytes_per_s)), 11),
        right(&or_dash(entry.mean_ns.map(units::duration_ns)), 9),
        right(&or_dash(entry.p99_ns.map(units::duration_ns)), 9),
        right(&times, 6),
        entry.runs
    )];
    let mut below = Vec::new();
    let word = entry.by.name.rsplit('.').next().unwrap_or_default();
    if !COLUMNS.contains(&word) {
        let title = words::title(&entry.by.name);
        below.push(format!("{} {title}", words::of(&entry.by)));
    }
    if let (Some(low), Some(high)) = (entry.by.low, entry.by.high) {
        let word = |value: f64| words::value(&entry.by.unit, value);
        below.push(format!("{} to {}", word(low), word(high)));
    }
    below.push(match &entry.names[..] {
        [only] => format!("{only}, {}", entry.source),
        many => {
            format!(
                "{}, {}",
                words::list(&many.iter().take(5).cloned().collect::<Vec<_>>()),
                entry.source
            )
        }
    });
    let marks: Vec<&str> = entry
        .caveats
        .iter()
        .map(|caveat| caveat.mark.as_str())
        .collect();
    if !marks.is_empty() {
        below.push(format!("[{}]", marks.join(", ")));
    }
    lines.extend(paragraph(&below.join("  "), 7));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;
    use crate::{measures, rank};
    use report::text::columns;

    #[test]
    fn labels_that_are_cut_stay_apart() {
        let entry = |host: &str| {
            let mut record = run(1e4, 0.01, 30);
            record.provenance.hostname = host.into();
            let other = run(2e4, 0.01, 30);
            let subjects = [
                measures::of("1", Some(1), &record),
                measures::of("2", Some(2), &other),
            ];
            let mut entries = rank::ranking(&subjects, None).jobs.remove(0).entries;
            entries.retain(|entry| entry.label.contains(host));
            entries.remove(0)
        };
        let long = |middle: &str| {
            entry(&format!(
                "report-with-a-long-name-{middle}-of-the-field-test"
            ))
        };
        let (one, other) = (long("one"), long("two"));
        let cut = labels(&[one.clone(), other]);
        assert_ne!(cut[0], cut[1], "{cut:?}");
        assert!(cut.iter().all(|label| columns(label) <= LABEL), "{cut:?}");
        let same = labels(&[one.clone(), one]);
        assert_eq!(same[0], same[1]);
        assert!(same[0].starts_with("vda"), "{same:?}");
    }

    #[test]
    fn the_table_fits_and_marks_what_is_not_sure() {
        let of = |name: &str, host: &str, iops: f64| {
            let mut record = run(iops, 0.01, 30);
            record.provenance.hostname = host.into();
            measures::of(name, name.parse().ok(), &record)
        };
        let subjects = [
            of("1", "nvme", 100_000.0),
            of("2", "san", 32_000.0),
            of("3", "hdd-in-the-other-rack", 6_600.0),
        ];
        let lines = lines(&rank::ranking(&subjects, None), Paint::Plain);
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        let text = lines.join("\n");
        for wanted in [
            "by read IOPS: 1 : 3.1 : 15",
            "   1 vda QEMU of nvme",
            "[1 run]",
            "100 k",
            "  15  1",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }
}
