//! `inspect`, the catalogue and the pages.

use crate::support::{Iodyno, code, text};

#[test]
fn shows_the_path_to_the_disk_with_little_work() {
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&["inspect", "."]);
    assert_eq!(code(&output), 0);
    assert_eq!(document["schema"], "iodyno.path/1");
    assert!(
        document["root"]["below"]
            .as_array()
            .is_some_and(|below| !below.is_empty()),
        "{document}"
    );
    let people = iodyno.run(&["inspect", "."]);
    assert!(
        text(&people.stdout).contains('└'),
        "{}",
        text(&people.stdout)
    );
    // The time by the clock is this machine's affair; the CPU time is ours.
    let timed = "\"$0\" inspect . >/dev/null && times";
    let output = std::process::Command::new("sh")
        .args(["-c", timed, env!("CARGO_BIN_EXE_iodyno")])
        .output()
        .unwrap();
    // The second line is that of the shell's children.
    let times = text(&output.stdout)
        .lines()
        .nth(1)
        .unwrap_or_default()
        .to_string();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let cpu_s = times.split_whitespace().map(seconds).sum::<Option<f64>>();
    assert!(
        !times.is_empty() && cpu_s.is_some_and(|cpu_s| cpu_s < 2.0),
        "user and system: {times}"
    );
}

#[test]
fn a_locale_without_other_letters_and_a_narrow_terminal_are_heeded() {
    let iodyno = Iodyno::new();
    let host = "../../testdata/hosts/report_002_sas_irq.host";
    let words = ["inspect", "/data/ssd1", "--root", host, "--all"];
    let plain = iodyno.command(&words).env("LC_ALL", "C").output().unwrap();
    let plain = text(&plain.stdout);
    assert!(
        plain.is_ascii() && plain.contains("+ ") && !plain.contains('?'),
        "{plain}"
    );
    let rich = iodyno.run(&words);
    assert_eq!(text(&rich.stdout).lines().count(), plain.lines().count());
    if skip::lacks("script") {
        return;
    }
    let command = format!(
        "stty cols 60; {} {}",
        env!("CARGO_BIN_EXE_iodyno"),
        words.join(" ")
    );
    let narrow = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let narrow = text(&narrow.stdout);
    let words = |line: &&str| line.split_whitespace().count() > 4;
    let wide: Vec<&str> = narrow
        .lines()
        .map(str::trim_end)
        .filter(|line| line.chars().count() > 60)
        .filter(words)
        .collect();
    assert!(narrow.lines().count() > 10 && wide.is_empty(), "{wide:#?}");
}

#[test]
fn a_captured_machine_stands_in_for_this_one() {
    let hosts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hosts");
    let mut seen = 0;
    for entry in std::fs::read_dir(&hosts).unwrap().flatten() {
        let file = entry.path();
        // `NAME.later` holds only what had changed when the machine was read again.
        if file.extension().is_none_or(|end| end != "host") {
            continue;
        }
        let captured = std::fs::read_to_string(&file).unwrap();
        let target = captured
            .lines()
            .find_map(|line| line.strip_prefix("# target: "))
            .unwrap_or_else(|| {
                panic!(
                    "{} does not say its target in a `# target: ` line",
                    file.display()
                )
            });
        let (document, output) =
            Iodyno::new().json(&["inspect", target, "--root", file.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", file.display());
        assert!(document["root"]["kind"].is_string());
        seen += 1;
    }
    assert!(seen >= 5, "{seen} captured machines");
}

#[test]
fn a_captured_machine_is_looked_at_below_its_own_target() {
    let hosts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/hosts");
    let file = format!("{hosts}/report_000_centos7_deadline.host");
    let iodyno = Iodyno::new();
    for verb in ["inspect", "check"] {
        let (document, output) = iodyno.json(&[verb, "--root", &file]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 0, "{verb}: {said}");
        assert!(
            document.to_string().contains("/dev/sdb"),
            "{verb}: {document}"
        );
        assert!(
            said.contains("looking below /dev/sdb, for which"),
            "{verb}: {said}"
        );
        let (named, output) = iodyno.json(&[verb, "/dev/sdb", "--root", &file]);
        let target = |document: &serde_json::Value| match verb {
            "inspect" => document["target"].clone(),
            _ => document["path"]["target"].clone(),
        };
        assert_eq!(target(&named), "/dev/sdb");
        assert_eq!(target(&document), target(&named), "{verb}");
        assert!(
            !text(&output.stderr).contains("looking below"),
            "{verb}: it was named"
        );
    }
    let (check, _) = iodyno.json(&["check", "--root", &file]);
    let next = check["next"].as_str().unwrap();
    assert!(!next.contains(" . ") && !next.ends_with(" ."), "{next}");
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
    let captured = std::fs::read(file).unwrap();
    std::fs::write(file, "the machine as it was\n").unwrap();
    let refused = iodyno.run(&["inspect", "/", "--capture", file]);
    let said = text(&refused.stderr);
    assert!(code(&refused) == 4 && said.contains("--force"), "{said}");
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        "the machine as it was\n"
    );
    let forced = iodyno.run(&["inspect", "/", "--capture", file, "--force"]);
    assert_eq!(code(&forced), 0, "{}", text(&forced.stderr));
    let again = std::fs::read(file).unwrap();
    assert!(again.starts_with(&captured[..12]), "a capture again");
    let names = |document: &serde_json::Value| {
        document["root"]["below"][0]["settings"]
            .to_string()
            .replace("true", "false")
    };
    assert_eq!(
        names(&here),
        names(&there),
        "the settings are the same but for their modes"
    );
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
        let is_field = entry["kind"] == "field" || entry["kind"] == "series";
        let wanted = if is_field {
            "Read by the sensor `"
        } else {
            "## "
        };
        assert!(
            text(&page.stdout).contains(wanted),
            "{id}: {}",
            text(&page.stdout)
        );
    }
    let near = iodyno.run(&["explain", "schedul"]);
    assert_eq!(code(&near), 2);
    assert!(
        text(&near.stderr)
            .contains("Did you mean scheduler, scheduler_in_job, no_scheduler_on_spinning_disk, scheduler_on_wrong_layer, scheduler_word_gone?"),
        "{}",
        text(&near.stderr)
    );
}

#[test]
fn completions_and_the_manual_come_from_the_parser() {
    let iodyno = Iodyno::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            text(&iodyno.run(&["completions", shell]).stdout).contains("iodyno"),
            "{shell}"
        );
    }
    let page = |words: &[&str]| text(&iodyno.run(words).stdout).to_string();
    let program = page(&["manual"]);
    assert!(program.contains(".TH iodyno 1"), "{program}");
    assert!(program.contains("iodyno\\-check(1)"), "{program}");
    let verb = page(&["manual", "loop"]);
    assert!(verb.contains(".TH iodyno-loop 1  \"iodyno "), "{verb}");
    assert!(verb.contains(".SH \"IODYNO LOOP CREATE\""), "{verb}");
    assert!(page(&["manual", "--list"]).contains("\nloop create\t"));
    let version = page(&["--version"]);
    assert!(version.starts_with(page(&["-V"]).trim_end()), "{version}");
    assert!(version.contains("\ncommit "), "{version}");
    assert!(version.contains("io_uring"), "{version}");
    assert_eq!(
        code(&iodyno.run(&["manual", "fill"])),
        2,
        "hidden verbs have no page"
    );
}

#[test]
fn a_masked_capture_names_neither_the_machine_nor_its_volumes() {
    let (iodyno, dir) = (Iodyno::new(), crate::support::Dir::new("mask"));
    let file = dir.path().join("masked.host");
    let output = iodyno.run(&[
        "inspect",
        "/",
        "--capture",
        file.to_str().unwrap(),
        "--mask",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let captured = std::fs::read_to_string(&file).unwrap();
    let is_identifier = |word: &str| {
        word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
            && !word.starts_with("00000000-0000-0000-0000-")
    };
    let left = captured
        .split(|c: char| !c.is_ascii_hexdigit() && c != '-')
        .find(|word| is_identifier(word));
    assert_eq!(left, None);
    let (document, output) = iodyno.json(&["inspect", "/", "--root", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        document["machine"]["settings"]
            .as_array()
            .is_some_and(|settings| !settings.is_empty())
    );
    let refused = iodyno.run(&["inspect", "/", "--mask"]);
    assert_eq!(code(&refused), 2, "--mask without --capture");
}
