//! What a limit of a control group holds on this machine, and that nothing of it stays, on a file system of the test's own.

use crate::limits::{groups_left, mounted, way};
use crate::mounts::Mounted;
use crate::support::{Iodyno, code, text};
use serde_json::Value;
use skip::Outcome;

#[test]
#[ignore = "live"]
fn direct_and_synced_writes_are_held_and_the_group_is_charged_for_them() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let words = [
        "limit",
        mounted.point(),
        "--write-bps",
        "8m",
        "--runtime",
        "2s",
    ];
    let (report, output) = iodyno.json(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    let direct = way(&report, "direct");
    let bytes = |what: &str| direct[what]["bytes"].as_f64().unwrap();
    let difference = (bytes("charged") / bytes("program") - 1.0).abs();
    skip::measured(
        Outcome::right_if(difference < 0.02),
        format!("charged for what was written to {difference:.3}"),
    );
    // What the kernel's flusher does for a group of version 1 is nobody's.
    let wanted = match report["version"].as_u64() {
        Some(1) => "passed-by",
        _ => "behind-cache",
    };
    for (name, wanted) in [
        ("direct", "held"),
        ("fsync", "held"),
        ("buffered", wanted),
        ("mmap", wanted),
    ] {
        let effect = &way(&report, name)["effect"];
        skip::measured(
            Outcome::right_if(*effect == wanted),
            format!("{name}: {effect}"),
        );
    }
    let shown = iodyno.run(&["show", &direct["record"].to_string()]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("limit: control group /"), "{shown}");
    assert_eq!(groups_left(), Vec::<String>::new());
    iodyno.assert_nothing_is_changed();
}

#[test]
#[ignore = "live"]
fn groups_at_once_get_what_the_device_moves() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let options = [
        "--containers",
        "1,2",
        "--read-iops",
        "400",
        "--runtime",
        "2s",
    ];
    let (report, output) = iodyno.json(&[&["limit", mounted.point()], &options[..]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let rounds = report["at_once"].as_array().unwrap();
    let told: Vec<_> = rounds
        .iter()
        .map(|round| {
            (
                round["count"].as_u64().unwrap(),
                round["is_host"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [(1, false), (2, false), (2, true)]);
    let two = &rounds[1];
    let ios = |value: &Value| value["ios"].as_f64().unwrap();
    let shares = two["shares"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|share| ios(&share["moved"])).sum();
    let seconds = two["span_ms"].as_f64().unwrap() / 1e3;
    let (share, below) = (sum / seconds / 800.0, ios(&two["device"]) / sum);
    let is_true = (share - 1.0).abs() < 0.15 && (below - 1.0).abs() < 0.1;
    skip::measured(
        Outcome::right_if(is_true),
        format!("{share:.2} of what two may do, the device {below:.2} of theirs"),
    );
    assert_eq!(groups_left(), Vec::<String>::new());
}

/// Two groups of weights 100 and 400 that wait for one slow disk.
fn shares_by_weight(mounted: &Mounted, scheduler: &str) -> Option<(Value, String)> {
    let disk = &mounted.disk;
    if disk.lacks_scheduler(scheduler) {
        return None;
    }
    disk.set("scheduler", scheduler);
    let options = [
        "--containers",
        "2",
        "--weights",
        "100,400",
        "--runtime",
        "4s",
    ];
    let words = [&["limit", mounted.point()], &options[..]].concat();
    let (report, output) = Iodyno::new().json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let said = text(&Iodyno::new().run(&words).stdout);
    assert_eq!(groups_left(), Vec::<String>::new());
    Some((report, said))
}

#[test]
#[ignore = "live"]
fn weights_are_kept_by_bfq_and_by_nobody_without_it() {
    let Some(mounted) = mounted() else { return };
    let heavy = |report: &Value| {
        let shares = report["at_once"][0]["shares"].as_array().unwrap();
        let bytes = |index: usize| shares[index]["moved"]["bytes"].as_f64().unwrap();
        bytes(1) / (bytes(0) + bytes(1))
    };
    let Some((report, said)) = shares_by_weight(&mounted, "mq-deadline") else {
        return;
    };
    assert_eq!(report["weights_by"], Value::Null, "{report:#}");
    assert!(said.contains("sudo iodyno set scheduler=bfq"), "{said}");
    let without = heavy(&report);
    let Some((report, said)) = shares_by_weight(&mounted, "bfq") else {
        return;
    };
    assert_eq!(report["weights_by"], "bfq", "{report:#}");
    let with = heavy(&report);
    skip::measured(
        Outcome::won_if(with > without + 0.1),
        format!("the heavy group's share: {with:.2} with bfq, {without:.2} without"),
    );
    assert!(said.contains("bfq"), "{said}");
}
