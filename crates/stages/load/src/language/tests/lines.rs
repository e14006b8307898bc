//! Lines of field reports: they mean what the job file beside them says, and fio understands them as well.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use super::*;

pub(super) fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/fio")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn lines_of_field_reports_mean_the_jobs_of_the_file() {
    let lines = fixture("lines.txt");
    let parsed = from_file(
        &fixture("field-reports.fio"),
        "f",
        &mut |_| None,
        &mut |_| Err("none".into()),
    )
    .unwrap();
    assert_eq!(parsed.unsupported, []);
    let mut lines = lines.lines().filter(|line| !line.starts_with("# "));
    let mut count = 0;
    while let (Some(line), Some(meaning)) = (lines.next(), lines.next()) {
        let meaning = meaning
            .strip_prefix("=> ")
            .unwrap_or_else(|| panic!("{line}: no meaning"));
        let found =
            from_words(&[line.to_string()]).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(
            (found.sections.len(), &found.unsupported[..]),
            (1, &[][..]),
            "{line}"
        );
        let job = &found.sections[0].job;
        match parsed
            .sections
            .iter()
            .find(|section| section.name == meaning)
        {
            Some(section) => assert_eq!(*job, section.job, "{line}"),
            None => assert_eq!(
                format!("{} {} {}", job.rw.word(), job.bs, job.size),
                meaning,
                "{line}"
            ),
        }
        let split: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        if !line.contains('"') {
            assert_eq!(
                from_words(&split).unwrap().sections[0].job,
                *job,
                "{line}, word by word"
            );
        }
        count += 1;
    }
    assert_eq!(count, 19);
}
