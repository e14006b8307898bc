//! The lines that people have published, and jobs that are as they should be.

use super::super::examples::Example;
use super::super::{before, corrected, words};
use model::finding::{Finding, Level};

/// The parts of a line: expected rules, facts, and fio's words.
fn lines(text: &str) -> impl Iterator<Item = (&str, String, &str)> {
    let real = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    real.map(|line| {
        let parts: Vec<&str> = line.splitn(3, "::").map(str::trim).collect();
        let facts = parts[1].replace("; ", "\n");
        (parts[0], format!("fio: {}\n{facts}\n", parts[2]), parts[2])
    })
}

fn serious(findings: &[Finding]) -> Vec<&str> {
    let serious = findings
        .iter()
        .filter(|finding| finding.level >= Level::Warning);
    serious.map(|finding| finding.rule.as_str()).collect()
}

const REPORTS: &str = include_str!("../../../../../testdata/fio/reports.txt");
const GOOD: &str = include_str!("../../../../../testdata/fio/good.txt");

#[test]
fn the_reports_are_judged_rightly() {
    let mut all = Vec::new();
    for (expected, facts, line) in lines(REPORTS) {
        let example = Example::parse(&facts);
        let findings = before(&example.facts());
        assert_eq!(
            serious(&findings).join(", "),
            expected,
            "{line}\n{findings:#?}"
        );
        all.extend(serious(&findings).into_iter().map(str::to_string));
    }
    let proved = [
        "iodepth_with_sync_engine",
        "direct_and_buffered",
        "jobs_share_one_range",
        "size_beyond_target",
        "loop_without_direct_io",
        "buffered_libaio",
    ];
    assert!(
        proved.iter().all(|id| all.iter().any(|found| found == id)),
        "{all:?}"
    );
}

#[test]
fn corrected_reports_measure_what_they_say() {
    for (_, facts, line) in lines(REPORTS) {
        let example = Example::parse(&facts);
        let findings = before(&example.facts());
        let sections = corrected(example.facts().sections, &findings);
        let said = words(&sections).join(" ");
        let example = example.with_sections(sections);
        let left: Vec<Finding> = before(&example.facts())
            .into_iter()
            .filter(|finding| finding.level >= Level::Warning)
            .collect();
        // What lies below the target is not the job's to correct.
        let left: Vec<&Finding> = left
            .iter()
            .filter(|one| one.rule != "loop_without_direct_io")
            .collect();
        assert!(left.is_empty(), "{line}\n{said}\n{left:#?}");
    }
}

#[test]
fn good_jobs_are_left_in_peace() {
    assert!(lines(GOOD).count() >= 10);
    for (_, facts, line) in lines(GOOD) {
        let findings = before(&Example::parse(&facts).facts());
        assert!(serious(&findings).is_empty(), "{line}\n{findings:#?}");
    }
}
