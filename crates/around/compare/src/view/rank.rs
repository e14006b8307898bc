//! A ranking in lines: one table a job, the best first.

use super::{left, paragraph, right, short};
use crate::words;
use model::comparison::{ComparisonEntry, RankedJob, Ranking};
use model::units;
use report::text::{Paint, clean};

/// Results that stand alone are named up to this many.
const ALONE_MAX: usize = 8;

/// The whole ranking.
pub fn lines(found: &Ranking, paint: Paint) -> Vec<String> {
    let mut lines = paragraph(&found.sentence, 0);
    for job in &found.jobs {
        lines.push(String::new());
        lines.extend(table(job, paint));
    }
    if !found.alone.is_empty() {
        lines.push(String::new());
        let count = found.alone.len();
        lines.push(match count {
            1 => "Not ranked, for no other device had its job:".into(),
            _ => format!("Not ranked, for no other device had their jobs ({count}):"),
        });
        for (name, job) in found.alone.iter().take(ALONE_MAX) {
            lines.extend(paragraph(&format!("{name}: {job}"), 2));
        }
        if count > ALONE_MAX {
            lines.push(format!("  and {} more", count - ALONE_MAX));
        }
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
            left("device", 25),
            right("IOPS", 8),
            right("bandwidth", 11),
            right("mean", 9),
            right("p99", 9),
            right("ratio", 6),
            "n"
        ),
    ];
    for (index, entry) in job.entries.iter().enumerate() {
        // A shared rank is said once, and kept for those that share it.
        let shared = index > 0 && job.entries[index - 1].rank == entry.rank;
        lines.extend(row(entry, shared));
    }
    lines.extend(job.remarks.iter().flat_map(|remark| paragraph(remark, 2)));
    lines
}

fn row(entry: &ComparisonEntry, shared: bool) -> Vec<String> {
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
        left(&short(&entry.label, 24), 25),
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
