//! Captured machines, inspected whole: what is shown of each is compared with a file.
//!
//! `IODYNO_BLESS=1 cargo test -p report --test golden` writes the files anew; the diff is then for a person to judge.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop here"
)]

use host::{Host, environment, files};
use observe::{DeviceCounters, Sampler, Scope};
use report::path_view::{self, PathOptions};
use std::path::{Path, PathBuf};

fn testdata(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata")
        .join(below)
}

/// Every captured machine: its name, its host, and the target its `# target:` line names.
fn machines() -> Vec<(String, Host, String)> {
    let directory = testdata("hosts");
    let names = Host::live().list(&directory.to_string_lossy());
    let names: Vec<String> = names
        .into_iter()
        .filter(|name| name.ends_with(".host"))
        .collect();
    assert!(names.len() >= 22, "{names:?}");
    let machine = |name: String| {
        let path = directory.join(&name);
        let text = files::read_text(&path).unwrap();
        let target = text
            .lines()
            .find_map(|line| line.strip_prefix("# target: "))
            .expect("a # target: line");
        (
            name.trim_end_matches(".host").to_string(),
            Host::open(&path).unwrap(),
            target.to_string(),
        )
    };
    names.into_iter().map(machine).collect()
}

fn compare(path: &Path, found: &str) {
    if environment::variable("IODYNO_BLESS").is_some() {
        files::create_dirs(path.parent().unwrap()).unwrap();
        files::write_atomically(path, found).unwrap();
    }
    let wanted = files::read_text(path).unwrap_or_default();
    assert!(
        wanted == found,
        "{} differs; this was found:\n{found}",
        path.display()
    );
}

#[test]
fn every_machine_is_shown_as_before() {
    for (name, host, target) in machines() {
        let path = inventory::collect(&host, &target).unwrap();
        let short = path_view::text(&path, PathOptions::default());
        compare(&testdata(&format!("golden/{name}/inspect.txt")), &short);
        let all = path_view::text(
            &path,
            PathOptions {
                all: true,
                ..PathOptions::default()
            },
        );
        compare(&testdata(&format!("golden/{name}/inspect-all.txt")), &all);
        for line in short.lines() {
            let words = line.chars().count();
            assert!(words <= 80, "{name}: {words} columns: {line}");
        }
    }
}

#[test]
fn a_path_survives_json() {
    for (name, host, target) in machines() {
        let path = inventory::collect(&host, &target).unwrap();
        let json = serde_json::to_string(&path).unwrap();
        assert_eq!(
            serde_json::from_str::<model::iopath::IoPath>(&json).unwrap(),
            path,
            "{name}"
        );
    }
}

#[test]
fn every_machine_has_a_device_to_tune_and_can_be_sampled() {
    for (name, host, target) in machines() {
        let path = inventory::collect(&host, &target).unwrap();
        let device = path
            .queue_device()
            .unwrap_or_else(|| panic!("{name} has no queue"));
        assert!(
            device.setting("read_ahead_kb").is_some(),
            "{name}: {}",
            device.name
        );
        let logs = Sampler::start(&host, 1000, 0, &Scope::of(&path)).stop();
        let disks = logs.iter().find(|log| log.sensor == "diskstats").unwrap();
        assert!(!disks.series.is_empty(), "{name}: {:?}", disks.no_data);
    }
}

#[test]
fn captures_carry_the_counters_of_their_devices() {
    let captured = machines()
        .into_iter()
        .find(|(name, ..)| name == "virtio_ext4")
        .unwrap()
        .1;
    let counters = DeviceCounters::open(&captured, "vda")
        .unwrap()
        .read()
        .unwrap();
    assert!(counters.read_ios > 0 && counters.write_sectors > 0);
}
