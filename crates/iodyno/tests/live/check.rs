//! `check`: short loads, what they gave, what was found, and that nothing is changed or left.

use crate::check::{found, roles};
use crate::support::{Dir, Iodyno, Loop, code, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// That every kind of load was made, each with what the sensors saw, and gave something.
fn assert_loads(document: &Value) {
    let roles = roles(document);
    assert_eq!(roles.first(), Some(&"idle"), "{roles:?}");
    // A disk that stalls may use up the time; what is left out is told.
    let left_out = document["unseen"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one.to_string().contains("Left out"));
    for wanted in [
        "latency",
        "depth",
        "stream",
        "streams",
        "buffered-random",
        "fsync",
        "write",
        "write-stream",
    ] {
        assert!(
            left_out || roles.contains(&wanted),
            "{wanted} is not among {roles:?}"
        );
    }
    for probe in document["probes"].as_array().unwrap() {
        assert!(
            probe["frame"]
                .as_object()
                .is_some_and(|frame| !frame.is_empty()),
            "{}",
            probe["role"]
        );
    }
    let given = document["given"].as_array().unwrap();
    assert!(left_out || given.len() >= 6, "{given:?}");
    assert!(
        given.iter().all(|one| one["value"].as_f64().unwrap() > 0.0),
        "{given:?}"
    );
}

#[test]
#[ignore = "live"]
fn a_directory_is_checked_whole_and_the_record_shows_it_again() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("check"));
    let target = dir.path().to_str().unwrap();
    let (document, output) = iodyno.json(&["check", target, "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "no scratch is left"
    );
    assert_eq!(
        (&document["schema"], &document["mode"]),
        (&"iodyno.check/1".into(), &"quick".into())
    );
    assert_loads(&document);
    assert!(
        output.stdout.len() < 2 << 20,
        "the document has {} bytes",
        output.stdout.len()
    );
    let shown = text(&iodyno.run(&["show", &document["id"].to_string()]).stdout);
    let answer = document["answer"].as_str().unwrap();
    let words = |text: &str| {
        text.split_whitespace()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert!(
        words(&shown).starts_with(&words(answer)),
        "{shown}\ndoes not begin with\n{answer}"
    );
    // A command goes on in the next line as a shell would read it.
    let pasted = words(&shown.replace("\\\n", " ")).join(" ");
    let next = format!("Next: {}", document["next"].as_str().unwrap());
    assert!(pasted.contains(&next), "{shown}");
    // The target's path is not broken, however long it is.
    let mut prose = shown.lines().filter(|line| !line.contains(target));
    assert!(prose.all(|line| line.chars().count() <= 100), "{shown}");
}

#[test]
#[ignore = "live"]
fn a_device_is_read_and_nothing_of_it_changes() {
    let Some(disk) = Loop::new(96) else { return };
    let Some(file) = backing(&disk) else {
        panic!("{} has no file", disk.name)
    };
    let (settings, content) = (disk.settings(), sum(&file));
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&["check", &disk.device, "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let roles = roles(&document);
    assert!(
        !roles
            .iter()
            .any(|role| role.contains("write") || *role == "fsync" || *role == "mixed"),
        "{roles:?}"
    );
    assert!(roles.contains(&"latency"), "{roles:?}");
    for probe in document["probes"].as_array().unwrap() {
        assert_eq!(probe["load"]["write"]["ios"], 0, "{}", probe["role"]);
    }
    assert_eq!(disk.settings(), settings, "a setting was changed");
    assert_eq!(sum(&file), content, "the device was written");
    let status = iodyno.run(&["status"]);
    assert_eq!(code(&status), 0, "{}", text(&status.stderr));
    assert!(
        !iodyno.state.path().join("journal").exists(),
        "a check writes no setting, so it needs no journal"
    );
}

/// The file behind a loop device.
fn backing(disk: &Loop) -> Option<PathBuf> {
    let name =
        std::fs::read_to_string(format!("/sys/block/{}/loop/backing_file", disk.name)).ok()?;
    Some(name.trim().into())
}

/// A sum over all bytes, with their places.
fn sum(file: &Path) -> u64 {
    let bytes = std::fs::read(file).unwrap();
    let words = bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.fold(0, |sum, word| sum.rotate_left(5).wrapping_add(word))
}

#[test]
#[ignore = "live"]
fn a_loop_device_that_caches_is_found_out() {
    let Some(disk) = Loop::cached(96) else { return };
    let (document, output) = Iodyno::new().json(&["check", &disk.device, "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let found = found(&document);
    // Below a file system in memory there is no disk to compare with.
    let has_disk = document["path"].to_string().contains("\"kind\":\"disk\"");
    let is_found = !has_disk || found.iter().any(|(rule, _)| rule.contains("loop"));
    skip::measured(skip::Outcome::won_if(is_found), format!("{found:?}"));
}
