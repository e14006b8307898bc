//! `apply` of what others proved, or say that they did.

use super::{Hostile, hostname, is_harmless, kept_before, tuned};
use crate::support::{Iodyno, Loop, code, text};

#[test]
fn what_was_proved_elsewhere_is_applied_only_where_that_is_meant() {
    let Some(disk) = Loop::new(16) else { return };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "none");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    // Whoever makes the record says that it is of this machine.
    let wins = [("scheduler", disk.name.as_str(), "none", "mq-deadline")];
    let hostile = Hostile::new(&[tuned(&hostname(), &wins)]);
    assert_eq!(code(&iodyno.run(&["merge", &hostile.name()])), 0);
    for refused in [
        &["apply", "1"][..],
        &["apply", "1", "--dry-run"],
        &["apply", "1", "--persist"],
    ] {
        let output = iodyno.run(refused);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 4, "{refused:?}: {said}");
        assert!(
            said.contains("was merged from") && said.contains("--from-elsewhere"),
            "{said}"
        );
    }
    assert_eq!(disk.settings(), before);
    let shown = iodyno.run(&["apply", "1", "--from-elsewhere", "--dry-run"]);
    let said = text(&shown.stdout);
    assert_eq!(code(&shown), 0, "{}", text(&shown.stderr));
    for part in [
        "What it says is trusted",
        &format!("proved on {}", hostname()),
        "its disk   unknown",
        &format!("this disk  {}", disk.name),
        "scheduler=mq-deadline  +50 % (+40 % to +60 %)",
        "none → mq-deadline",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(disk.settings(), before);
    let (applied, output) = iodyno.json(&["apply", "1", "--from-elsewhere"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(applied["origin"]["how"], "merged");
    assert!(
        disk.settings()
            .contains(&"scheduler=mq-deadline".to_string())
    );
    assert_eq!(
        code(&iodyno.run(&["undo", applied["journal"].as_str().unwrap()])),
        0
    );
    assert_eq!(disk.settings(), before);
}

#[test]
fn a_record_of_another_host_is_from_elsewhere_also_in_our_own_store() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    let store = ::store::Store::open(iodyno.state.path()).unwrap();
    store
        .insert(&tuned(
            "some-other-host",
            &[("rq_affinity", &disk.name, "1", "2")],
        ))
        .unwrap();
    let output = iodyno.run(&["apply", "1", "--dry-run"]);
    assert_eq!(code(&output), 4);
    assert!(
        text(&output.stderr).contains("measured on some-other-host"),
        "{}",
        text(&output.stderr)
    );
    // And what an earlier version kept, which did not say what was merged.
    let store = rusqlite::Connection::open(iodyno.state.path().join("records.db")).unwrap();
    store
        .execute_batch("DROP TABLE proof; DROP TABLE origin; PRAGMA user_version = 2")
        .unwrap();
    let output = iodyno.run(&["apply", "1", "--dry-run"]);
    assert!(
        text(&output.stderr).contains("kept by an earlier iodyno"),
        "{}",
        text(&output.stderr)
    );
}

/// Settings, devices and values that would be a line of a rule, a program or a path outside /sys.
#[test]
fn what_is_no_setting_reaches_neither_a_path_nor_a_rule() {
    let Some(disk) = Loop::new(16) else { return };
    let before = disk.settings();
    let name = disk.name.as_str();
    let injected = "nr_requests}=\"128\", RUN+=\"/bin/sh -c 'touch /x'\", ATTR{queue/nr_requests";
    let hidden = "nr_requests}=\"128\"\u{1b}[8m, RUN+=\"/bin/sh -c 'touch /x'\"\u{1b}[2K\u{1b}[1A, ATTR{queue/x";
    let cases = [
        vec![
            ("rq_affinity", name, "2", "1"),
            (injected, name, "1", "128"),
        ],
        vec![("rq_affinity", name, "2", "1"), (hidden, name, "1", "128")],
        vec![
            ("rq_affinity", name, "2", "1"),
            ("x}=\"1\"\nRUN+=\"/bin/sh -c id\"\n#", name, "2", "1"),
        ],
        vec![
            ("rq_affinity", name, "2", "1"),
            ("../../../../etc/motd", name, "2", "1"),
        ],
        vec![("read_ahead_kb", "../../tmp/evildev", "4", "128")],
        vec![("read_ahead_kb", "..", "4", "128")],
        vec![("scheduler", name, "none", "none\", RUN+=\"/bin/id")],
        vec![("scheduler", name, "none", "$kernel%k")],
        vec![("scheduler", name, "none", "no-such")],
        vec![("io_poll", name, "0", "1")],
        vec![
            ("rq_affinity", name, "1", "2"),
            ("rq_affinity", "vda", "1", "2"),
        ],
    ];
    let records: Vec<_> = cases.iter().map(|wins| tuned(&hostname(), wins)).collect();
    let iodyno = Iodyno::new();
    kept_before(&iodyno, &records, "merged before anybody looked");
    for id in 1..=cases.len() {
        let id = id.to_string();
        for more in [
            &["--dry-run"][..],
            &["--dry-run", "--persist"],
            &["--from-elsewhere"],
            &["--from-elsewhere", "--dry-run", "--persist"],
        ] {
            let output = iodyno.run(&[&["apply", &id], more].concat());
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(code(&output), 4, "record {id} {more:?}: {said}");
            assert!(
                text(&output.stdout).is_empty(),
                "nothing of it is a plan: {said}"
            );
            is_harmless(&said, &format!("record {id}"));
        }
    }
    assert_eq!(disk.settings(), before);
    // What no kernel could have is not even taken in.
    let hostile = Hostile::new(&records);
    let merged = Iodyno::new();
    let output = merged.run(&["merge", &hostile.name()]);
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stdout).starts_with("3 new"),
        "{}",
        text(&output.stdout)
    );
    is_harmless(&(text(&output.stdout) + &text(&output.stderr)), "merge");
}
