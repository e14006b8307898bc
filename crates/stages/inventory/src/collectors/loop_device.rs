//! # Loop device
//!
//! A file used as a disk: which file, whether the page cache lies between, and the file's own I/O path.
//!
//! ## What it reads
//! `/sys/class/block/{}/loop/{backing_file,dio,offset,sizelimit,autoclear,partscan}`; stat(2) of the backing file.
//!
//! ## Fields
//! - `backing_file`: as the kernel names it; absent on a loop device that is not set up
//! - `dio`: 1 when I/O to the file bypasses the page cache, else 0
//! - `offset_bytes`, `size_limit_bytes`: the part of the file; a limit of 0 is none
//! - `autoclear`: 1 when the device goes with its last user
//! - `size_bytes`: of the device
//! - `backing_sparse`: `yes` where the file has holes, `backing_allocated_bytes` what is there of it; `backing_fstype`: the
//!   file system that the file is on
//!
//! ## Example
//! `loop0` over `/var/lib/image.img`, `dio` 0: every block is cached twice and direct I/O is direct in name only.

use crate::{Below, Collector, Draft, Survey};
use host::Host;
use host::files::FileKind;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "loop_device",
    since: "0.1.0",
    kinds: &[LayerKind::Loop],
    reads: &["/sys/class/block/{}/loop/*"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    draft.fact_from(host, "backing_file", "loop/backing_file");
    draft.fact_from(host, "dio", "loop/dio");
    draft.fact_from(host, "offset_bytes", "loop/offset");
    draft.fact_from(host, "size_limit_bytes", "loop/sizelimit");
    draft.fact_from(host, "autoclear", "loop/autoclear");
    let sectors = host.number(&draft.path("size"));
    draft.fact(
        "size_bytes",
        sectors.map(|sectors| sectors.saturating_mul(512).to_string()),
    );
    let Some(file) = draft.known("backing_file").map(str::to_string) else {
        draft.layer.title = "loop device, not set up".into();
        return;
    };
    draft.layer.title = format!("loop device over {file}");
    let resolved = host.resolve(&file);
    if let Some(resolved) = &resolved {
        file_facts(survey, draft, resolved);
    }
    match resolved {
        Some(resolved) => draft.below.push(below(host, resolved)),
        // The name is that of the opener's mount namespace; an unlinked file's ends in " (deleted)".
        None => survey.notes.push(format!(
            "{}: the backing file {file} cannot be seen from here, so what lies below it is not known.",
            draft.layer.name
        )),
    }
}

/// Holes are filled while the device is written: slower at first, and without an end when the file system is full.
fn file_facts(survey: &Survey<'_>, draft: &mut Draft, file: &str) {
    let Some(size) = survey.host.file_size(file) else {
        return;
    };
    draft.fact(
        "backing_sparse",
        Some(if size.allocated_bytes < size.bytes {
            "yes"
        } else {
            "no"
        }),
    );
    draft.fact(
        "backing_allocated_bytes",
        Some(size.allocated_bytes.to_string()),
    );
    draft.fact(
        "backing_fstype",
        survey
            .mounts
            .holding(file)
            .map(|mount| mount.fstype.clone()),
    );
}

/// Over a block device there is no file system: the device itself comes next.
fn below(host: &Host, path: String) -> Below {
    match host.kind(&path) {
        Some(FileKind::BlockDevice { major, minor }) => host
            .block_name(&format!("{major}:{minor}"))
            .map_or(Below::Path(path), Below::Device),
        _ => Below::Path(path),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    const LOOP: &str = "path: /sys/class/block/loop3\nlink: ../../devices/virtual/block/loop3\n\
        path: /sys/devices/virtual/block/loop3/size\nlines: 1\n2048\n";

    #[test]
    fn an_unset_one_is_not_a_failure() {
        let path = collect_on(LOOP, "loop3");
        assert_eq!(path.root.below[0].title, "loop device, not set up");
        assert!(path.notes.is_empty());
    }

    #[test]
    fn an_unlinked_backing_file_is_noted() {
        let path = collect_on(
            &format!(
                "{LOOP}path: /sys/devices/virtual/block/loop3/loop/backing_file\nlines: 1\n/x.img (deleted)\n"
            ),
            "loop3",
        );
        assert!(
            path.notes[0].contains("/x.img (deleted)"),
            "{:?}",
            path.notes
        );
    }

    #[test]
    fn a_file_with_holes_is_told() {
        let path = |there: u64| {
            collect_on(
                &format!(
                    "{LOOP}path: /sys/devices/virtual/block/loop3/loop/backing_file\nlines: 1\n/x.img\n\
                     path: /x.img\nlines: 0\npath: /x.img\nfile: 1048576 {there}\n\
                     path: /proc/self/mountinfo\nlines: 1\n1 1 0:9 / / rw - tmpfs tmpfs rw\n"
                ),
                "loop3",
            )
        };
        let sparse = path(4096);
        assert_eq!(sparse.root.below[0].fact("backing_sparse"), Some("yes"));
        assert_eq!(sparse.root.below[0].fact("backing_fstype"), Some("tmpfs"));
        // A file system can give more than the length, for its own tables.
        assert_eq!(
            path(1_052_672).root.below[0].fact("backing_sparse"),
            Some("no")
        );
    }

    #[test]
    fn over_a_block_device_that_device_comes_next() {
        let path = collect_on(
            &format!(
                "{LOOP}path: /sys/devices/virtual/block/loop3/loop/backing_file\nlines: 1\n/dev/dm-0\n\
                 path: /dev/dm-0\ndevice: 253:0\n\
                 path: /sys/dev/block/253:0\nlink: ../../devices/virtual/block/dm-0\n\
                 path: /sys/class/block/dm-0\nlink: ../../devices/virtual/block/dm-0\n\
                 path: /sys/devices/virtual/block/dm-0/size\nlines: 1\n2048\n"
            ),
            "loop3",
        );
        assert_eq!(path.root.below[0].below[0].name, "dm-0", "{:?}", path.notes);
    }
}
