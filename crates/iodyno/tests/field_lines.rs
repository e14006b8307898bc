//! The lines that field reports print, run as they stand: scaled down, each does what it says or is refused for a
//! reason that is right, and the guide tells what the lint holds against it.

use crate::support::{Dir, Iodyno, code, text};

fn read(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    std::fs::read_to_string(format!("{root}{path}")).unwrap()
}

/// Words as a shell would hand them over, quotes taken off.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()))
            }
            other => word.push(other),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Every line with the rules that it breaks where the report ran it; none where that is not told.
fn lines() -> Vec<(String, Option<String>)> {
    let judged = read("testdata/fio/reports.txt");
    let judged = judged
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut parts = line.splitn(3, " :: ").map(str::trim);
            let rules = parts
                .next()
                .unwrap()
                .trim_start_matches(':')
                .trim()
                .to_string();
            let last = line.rsplit(" :: ").next().unwrap().trim().to_string();
            (last, Some(rules))
        });
    let pasted = read("testdata/fio/lines.txt");
    let pasted = pasted
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("=>"));
    judged
        .chain(pasted.map(|line| (line.to_string(), None)))
        .collect()
}

#[test]
fn every_line_of_the_reports_runs_or_is_refused_rightly() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("field"));
    let target = dir.path().to_str().unwrap();
    let lines = lines();
    assert!(lines.len() > 35, "{} lines", lines.len());
    for (line, _) in lines {
        let words = words(&line);
        let mut arguments = vec![
            "run",
            target,
            "--max-size",
            "8m",
            "--max-runtime",
            "100ms",
            "--",
        ];
        arguments.extend(words.iter().map(String::as_str));
        let output = iodyno.run(&arguments);
        let said = text(&output.stderr);
        if line.contains("bs=1G") {
            assert_eq!(code(&output), 2, "{line}\n{said}");
            assert!(
                said.contains("a block is larger than the 8.00 MiB to be used"),
                "{line}\n{said}"
            );
            continue;
        }
        assert_eq!(code(&output), 0, "{line}\n{said}");
        assert!(
            text(&output.stdout).contains("IOPS"),
            "{line}\n{}",
            text(&output.stdout)
        );
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_guide_tells_what_the_lint_says_about_each() {
    let guide = read("docs/guide/field-reports.md");
    for (line, rules) in lines() {
        let Some(rules) = rules else { continue };
        let row = guide.lines().find(|row| row.contains(&format!("`{line}`")));
        let row = row.unwrap_or_else(|| panic!("the guide has no row for {line}"));
        for rule in rules.split(", ").filter(|rule| !rule.is_empty()) {
            assert!(row.contains(rule), "{rule} is missing in {row}");
        }
    }
}
