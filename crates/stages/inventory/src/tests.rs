//! The walk from a target down, on captured machines.

use super::*;
use host::Archive;

/// The path below a target of a machine written as archive entries.
pub(super) fn collect_on(entries: &str, target: &str) -> IoPath {
    collect(&host_of(entries), target).unwrap()
}

/// A fact of the layer of this name.
pub(super) fn facts<'a>(path: &'a IoPath, layer: &str, fact: &str) -> &'a str {
    let layer = path
        .root
        .walk()
        .into_iter()
        .rev()
        .find(|candidate| candidate.name == layer)
        .unwrap();
    layer.facts.get(fact).map_or("", String::as_str)
}

fn host_of(entries: &str) -> Host {
    Host::from_archive(Archive::parse(&format!("iodyno-host 1\n{entries}")).unwrap())
}

#[test]
fn what_is_not_there_is_told_with_what_to_do() {
    let error = collect(&Host::live(), "/no/such/place")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("/no/such/place") && error.contains("Name a directory"),
        "{error}"
    );
    let error = collect(&Host::live(), "/dev/null").unwrap_err().to_string();
    assert!(error.contains("character device"), "{error}");
    assert!(matches!(
        collect(&Host::live(), ""),
        Err(InventoryError::NotFound { .. })
    ));
}

#[test]
fn a_machine_without_a_mount_table_says_so() {
    let error = collect(&host_of("path: /srv\ndirectory\n"), "/srv").unwrap_err();
    assert!(matches!(error, InventoryError::NoMounts { .. }));
}

#[test]
fn a_stack_that_loops_is_cut() {
    let base = "/sys/devices/virtual/block/loop0";
    let path = collect_on(
        &format!(
            "path: /proc/self/mountinfo\nlines: 1\n1 1 7:0 / / rw - ext4 /dev/loop0 rw\npath: /a.img\nlines: 0\n\
             path: /sys/dev/block/7:0\nlink: ../../devices/virtual/block/loop0\n\
             path: /sys/class/block/loop0\nlink: ../../devices/virtual/block/loop0\n\
             path: {base}/loop/backing_file\nlines: 1\n/a.img\n"
        ),
        "/",
    );
    assert!(
        path.notes.iter().any(|note| note.contains("layers deep")),
        "{:?}",
        path.notes
    );
}

#[test]
fn collectors_are_sorted_and_unique() {
    let ids: Vec<&str> = collectors::ALL
        .iter()
        .map(|collector| collector.id)
        .collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
}

/// The captured disk of a machine, many times over, each with functions and interrupts of its own.
fn many_disks(count: usize) -> Host {
    const ONE: &str = include_str!("../../../../testdata/hosts/nvme_multi_queue.host");
    let mut text = String::from("iodyno-host 1\n");
    let is_of_disk = |entry: &&str| entry.contains("nvme0") && entry.starts_with('/');
    for number in 0..count {
        let address = format!("0000:{:02x}:00.0", number + 1);
        for entry in ONE.split("path: ").filter(is_of_disk) {
            let entry = entry
                .replace("0000:01:00.0", &address)
                .replace("nvme0", &format!("nvme{number}"));
            text.push_str(&format!("path: {entry}"));
        }
        text.push_str(&format!(
            "path: /sys/devices/virtual/block/md0/slaves/nvme{number}n1\nlink: x\n"
        ));
    }
    for entry in ONE
        .split("path: ")
        .filter(|entry| entry.starts_with("/proc/"))
    {
        text.push_str(&format!("path: {entry}"));
    }
    text.push_str("path: /sys/class/block/md0\nlink: ../../devices/virtual/block/md0\n");
    text.push_str("path: /sys/devices/virtual/block/md0/md/level\nlines: 1\nraid0\n");
    Host::from_archive(Archive::parse(&text).unwrap())
}

#[test]
fn a_hundred_disks_are_all_there() {
    let path = collect(&many_disks(100), "md0").unwrap();
    assert_eq!(path.disks().len(), 100);
    assert!(
        path.disks()
            .iter()
            .all(|disk| disk.settings.len() > 20 && disk.fact("nvme_namespaces") == Some("1"))
    );
}

#[test]
#[ignore = "live"]
fn time_of_a_hundred_disks() {
    let host = many_disks(100);
    for _ in 0..5 {
        let start = host::clock::monotonic_ns();
        let path = collect(&host, "md0").unwrap();
        let collected = host::clock::monotonic_ns();
        let text = report::path_view::text(&path, Default::default());
        let shown = host::clock::monotonic_ns();
        let ms = |from: u64, to: u64| (to - from) as f64 / 1e6;
        let words = format!("{} lines", text.lines().count());
        println!(
            "collected in {:.1} ms, shown in {:.1} ms: {words}",
            ms(start, collected),
            ms(collected, shown)
        );
    }
}
