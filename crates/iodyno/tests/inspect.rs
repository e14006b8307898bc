//! `inspect`, the catalogue and the pages.

use crate::support::{Iodyno, code, text};

#[test]
fn shows_the_path_to_the_disk_and_answers_fast() {
    let iodyno = Iodyno::new();
    let begin = std::time::Instant::now();
    let (document, output) = iodyno.json(&["inspect", "."]);
    assert!(begin.elapsed().as_millis() < 2_000, "inspect took {:?}", begin.elapsed());
    assert_eq!(code(&output), 0);
    assert_eq!(document["schema"], "iodyno.path/1");
    assert!(document["root"]["below"].as_array().is_some_and(|below| !below.is_empty()), "{document}");
    let people = iodyno.run(&["inspect", "."]);
    assert!(text(&people.stdout).contains('└'), "{}", text(&people.stdout));
}

#[test]
fn a_captured_machine_stands_in_for_this_one() {
    let hosts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hosts");
    let mut seen = 0;
    for entry in std::fs::read_dir(&hosts).unwrap().flatten() {
        let file = entry.path();
        let captured = std::fs::read_to_string(&file).unwrap();
        let target = captured
            .lines()
            .find_map(|line| line.strip_prefix("# target: "))
            .unwrap_or_else(|| panic!("{} does not say its target in a `# target: ` line", file.display()));
        let (document, output) = Iodyno::new().json(&["inspect", target, "--root", file.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", file.display());
        assert!(document["root"]["kind"].is_string());
        seen += 1;
    }
    assert!(seen >= 5, "{seen} captured machines");
}

#[test]
fn what_was_captured_here_reads_the_same_there() {
    let (iodyno, dir) = (Iodyno::new(), crate::support::Dir::new("capture"));
    let file = dir.path().join("this.host");
    let file = file.to_str().unwrap();
    let (here, _) = iodyno.json(&["inspect", "/", "--capture", file]);
    let (there, output) = iodyno.json(&["inspect", "/", "--root", file]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(here["target"], there["target"]);
    let names = |document: &serde_json::Value| {
        document["root"]["below"][0]["settings"].to_string().replace("true", "false")
    };
    assert_eq!(names(&here), names(&there), "the settings are the same but for their modes");
}

#[test]
fn everything_in_the_catalogue_has_a_page() {
    let iodyno = Iodyno::new();
    let (document, _) = iodyno.json(&["catalogue"]);
    let entries = document["entries"].as_array().unwrap();
    assert!(entries.len() > 20, "{} entries", entries.len());
    for entry in entries {
        let id = entry["id"].as_str().unwrap();
        let page = iodyno.run(&["explain", id]);
        assert_eq!(code(&page), 0, "{id}");
        assert!(text(&page.stdout).contains("## "), "{id} has sections");
    }
    let near = iodyno.run(&["explain", "schedul"]);
    assert_eq!(code(&near), 2);
    assert!(
        text(&near.stderr).contains("Did you mean scheduler, scheduler_in_job?"),
        "{}",
        text(&near.stderr)
    );
}

#[test]
fn completions_and_the_manual_come_from_the_parser() {
    let iodyno = Iodyno::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(text(&iodyno.run(&["completions", shell]).stdout).contains("iodyno"), "{shell}");
    }
    assert!(text(&iodyno.run(&["manual"]).stdout).contains(".TH iodyno"));
}
