//! The walk from a target down, on captured machines.

use super::*;
use host::Archive;

/// The path below a target of a machine written as archive entries.
pub(super) fn collect_on(entries: &str, target: &str) -> IoPath {
    collect(&host_of(entries), target).unwrap()
}

/// A fact of the layer of this name.
pub(super) fn facts<'a>(path: &'a IoPath, layer: &str, fact: &str) -> &'a str {
    let layer = path.root.walk().into_iter().rev().find(|candidate| candidate.name == layer).unwrap();
    layer.facts.get(fact).map_or("", String::as_str)
}

fn host_of(entries: &str) -> Host {
    Host::from_archive(Archive::parse(&format!("iodyno-host 1\n{entries}")).unwrap())
}

#[test]
fn what_is_not_there_is_told_with_what_to_do() {
    let error = collect(&Host::live(), "/no/such/place").unwrap_err().to_string();
    assert!(error.contains("/no/such/place") && error.contains("Name a directory"), "{error}");
    let error = collect(&Host::live(), "/dev/null").unwrap_err().to_string();
    assert!(error.contains("character device"), "{error}");
    assert!(matches!(collect(&Host::live(), ""), Err(InventoryError::NotFound { .. })));
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
    assert!(path.notes.iter().any(|note| note.contains("layers deep")), "{:?}", path.notes);
}

#[test]
fn collectors_are_sorted_and_unique() {
    let ids: Vec<&str> = collectors::ALL.iter().map(|collector| collector.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
}
