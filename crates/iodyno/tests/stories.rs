//! The stories of the five field reports, replayed: each ends at what the report found, or at the better finding.
//!
//! A story stands on a machine of `testdata/hosts` or on what a check saw in a guest that has the same mistake
//! (`testdata/faults`). The guide `docs/guide/field-reports.md` has the same commands.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;

fn testdata(below: &str) -> String {
    format!("{}/../../testdata/{below}", env!("CARGO_MANIFEST_DIR"))
}

/// The rules whose findings stand, in their order.
fn rules(document: &Value) -> Vec<&str> {
    let findings = document["findings"]
        .as_array()
        .expect("a list of findings")
        .iter();
    findings
        .filter(|one| one["withdrawn"].is_null())
        .map(|one| one["rule"].as_str().unwrap())
        .collect()
}

/// What is found first, up to three, when a kept document of a check is judged again.
fn first_of_replay(name: &str) -> Vec<String> {
    let (document, output) = Iodyno::new().json(&[
        "check",
        "--replay",
        &testdata(&format!("faults/{name}.json")),
    ]);
    assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
    rules(&document)
        .into_iter()
        .take(3)
        .map(str::to_string)
        .collect()
}

fn is_named(name: &str, rule: &str) {
    let found = first_of_replay(name);
    assert!(
        found.iter().any(|one| one == rule),
        "{name} is {rule}, but this was found: {found:?}"
    );
}

/// The report's own line, with the jobs that it was run with.
const FIFTY_JOBS: &str = "fio -filename=/dev/sda -direct=1 -iodepth 1 -thread -rw=write -ioengine=psync -bs=4k \
                          -size=1000G -numjobs=50 -runtime=180 -group_reporting -name=sqe_100write_4k";

/// Three days of swapping controllers, drivers and firmware. The two systems differ in the scheduler, and the job's
/// fifty writers share one range, which is why it mattered so much.
#[test]
fn a_server_that_lost_its_scheduler_with_a_new_system() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("story"));
    let good = testdata("hosts/report_000_rhel69_cfq.host");
    let bad = testdata("hosts/report_000_centos7_deadline.host");
    let words: Vec<&str> = FIFTY_JOBS.split_whitespace().collect();
    let (document, output) = iodyno.json(&[&["diff", &good, &bad, "--"], &words[..]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let first = &document["differences"][0];
    assert_eq!(
        (&first["name"], &first["knob"]),
        (&"scheduler".into(), &"scheduler".into()),
        "{document}"
    );
    let experiment = first["experiment"].as_str().unwrap();
    assert_eq!(
        experiment,
        format!(
            "sudo iodyno tune /dev/sdb --knob scheduler=deadline,cfq -- {}",
            words.join(" ")
        )
    );
    let people = text(&iodyno.run(&["diff", &good, &bad]).stdout);
    assert!(people.contains("cfq there, deadline here"), "{people}");
    assert!(
        people.contains("the kernel's default, which moved"),
        "{people}"
    );

    let target = dir.path().to_str().unwrap();
    let scaled = [
        "run",
        target,
        "--max-size",
        "8m",
        "--max-runtime",
        "100ms",
        "--",
    ];
    let (document, output) = iodyno.json(&[&scaled[..], &words[..]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        rules(&document["record"]).contains(&"jobs_share_one_range"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stderr).contains("-offset_increment="),
        "{}",
        text(&output.stderr)
    );
}

/// Volumes ranked by one test each. Such a rank can be that of a scheduler, or of a volume that uses one of its disks.
#[test]
fn volumes_ranked_without_a_look_at_what_they_are_made_of() {
    is_named("bfq_on_nvme", "bfq_on_flash");
    is_named("linear_lvm", "linear_volume");
}

/// A look-up service on a SAS adapter, all of whose vectors one CPU serves.
#[test]
fn an_adapter_that_interrupts_one_cpu_only() {
    let host = testdata("hosts/report_002_sas_irq.host");
    let (document, output) = Iodyno::new().json(&["check", "--root", &host, "/data/ssd1"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        rules(&document)[..1],
        ["interrupts_not_spread"],
        "{document}"
    );
    let claim = document["findings"][0]["claim"].as_str().unwrap();
    assert!(
        claim.contains("all 16 interrupt vectors") && claim.contains("CPU 1"),
        "{claim}"
    );
}

/// A rate of 20,150 IOPS that no setting moved: it is what the disk was sold with. Where a group limits, it is the group.
#[test]
fn a_cloud_disk_that_gives_what_it_was_sold_with() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("story-cloud"));
    let file = dir.path().join("rates");
    std::fs::write(&file, "20150\n".repeat(40)).unwrap();
    let arguments = [
        "cloud",
        "--series",
        file.to_str().unwrap(),
        "--provider",
        "alibaba",
    ];
    let (document, output) = iodyno.json(&arguments);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        document["loads"][0]["matches"][0]["kind"], "essd-pl1",
        "{document}"
    );
    let people = text(&iodyno.run(&arguments).stdout);
    assert!(
        people.contains("alibaba:essd-pl1 of 367 GiB (355 to 379)"),
        "{people}"
    );
    is_named("cgroup_limit", "cgroup_limit_reached");
}

/// A loop device that was faster than the disk below it: the page cache answered.
#[test]
fn a_loop_device_whose_figures_are_the_page_cache_s() {
    is_named("loop_cached", "loop_without_direct_io");
    let (document, _) =
        Iodyno::new().json(&["check", "--replay", &testdata("faults/loop_cached.json")]);
    let all = document["findings"].as_array().unwrap();
    let finding = all
        .iter()
        .find(|one| one["rule"] == "loop_without_direct_io")
        .unwrap();
    assert!(
        finding["claim"]
            .as_str()
            .unwrap()
            .contains("page cache of its backing file"),
        "{finding}"
    );
}

/// The same report's slow disk: it can take many commands at a time, and a quirk keeps it on a driver that gives it one.
#[test]
fn a_usb_disk_that_is_given_one_command_at_a_time() {
    let host = testdata("hosts/report_004_usb_storage.host");
    let (document, output) = Iodyno::new().json(&["check", "--root", &host, "/media/usb"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(rules(&document)[..1], ["usb_one_command"], "{document}");
    let finding = &document["findings"][0];
    assert_eq!(finding["level"], "warning", "{finding}");
    assert!(
        finding["claim"]
            .as_str()
            .unwrap()
            .contains("because of the quirk u"),
        "{finding}"
    );
}

/// And its data set of small files, before which it counted the inodes: a file system can be full with bytes left.
#[test]
fn a_file_system_that_is_full_with_bytes_left() {
    is_named("inodes_full", "file_system_full");
}
