//! What a reader of a data set's figures has to know: what really was cold, what a cache served, what is not alike.

use model::dataset::{ColdBy, DatasetPass, DatasetReport, DatasetRole, DatasetTarget};
use model::units;

/// What is known of a target beside its figures.
#[derive(Clone, Debug, Default)]
pub struct DatasetPlace {
    /// It lives in memory.
    pub is_in_memory: bool,
    /// A loop device through the page cache: its file, as it is named.
    pub cached_loop: Option<String>,
    /// Reading may have changed access times.
    pub may_set_atime: bool,
    /// It is this directory of iodyno's own or of others.
    pub is_same_file_system: bool,
}

/// File systems whose other end has a cache of its own.
const NETWORK: [&str; 12] = [
    "ceph",
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "lustre",
    "gpfs",
    "beegfs",
    "glusterfs",
    "9p",
    "afs",
    "fuse",
];
/// More than this of the bytes in the page cache was not cold.
const STILL_CACHED: f64 = 0.05;
/// Less than this of the bytes from the device came from somewhere else.
const FROM_DEVICE: f64 = 0.5;
/// Fewer rounds than this give an interval too wide to mean much.
const FEW_TURNS: u32 = 6;

/// Notes on all of it: memory, the sample, the turns. `memory_bytes` is what this machine has.
pub fn notes(report: &DatasetReport, memory_bytes: Option<u64>) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(memory_bytes.map(|memory| fits(report, memory as f64)));
    let shape = &report.shape;
    if !shape.is_whole {
        notes.push(
            "the walk did not reach the end of the tree: its counts are lower bounds, and the sample comes from the part \
             that was walked"
                .into(),
        );
    }
    if shape.huge > 0 {
        notes.push(format!(
            "{} files are too large to be small files and were not read; iodyno run measures large ones",
            units::count(shape.huge as f64)
        ));
    }
    if shape.sparse > 0 && shape.sparse * 10 > shape.files {
        notes.push(format!(
            "{} of the files have fewer blocks than bytes: holes, compression or data in the inode; a copy of noise has not, \
             and reads more",
            units::share(shape.sparse as f64 / shape.files.max(1) as f64)
        ));
    }
    notes.extend(unpacked(report));
    let few = |pass: &DatasetPass| pass.turns < FEW_TURNS;
    if report
        .targets
        .iter()
        .flat_map(|target| &target.passes)
        .any(few)
    {
        let more = match report.is_cut {
            true => "a longer --budget narrows",
            false => "more --epochs narrow",
        };
        notes.push(format!(
            "some figures rest on fewer than {FEW_TURNS} turns; {more} their intervals"
        ));
    }
    notes
}

/// What packing gives is asked of the tree's own storage first, and only told where a file may be made there.
fn unpacked(report: &DatasetReport) -> Option<String> {
    let is_packed = |target: &DatasetTarget| target.passes.iter().any(|pass| pass.packed.is_some());
    let first = report
        .targets
        .first()
        .filter(|first| !first.passes.is_empty() && !is_packed(first))?;
    Some(format!(
        "what one packed file would give on the storage of {} was not measured, since nothing is written there unasked: \
         --scratch DIRECTORY names a place for it",
        first.target
    ))
}

/// Whether the tree fits into memory, and so whether the second epoch is warm.
fn fits(report: &DatasetReport, memory: f64) -> String {
    let bytes = report.shape.bytes as f64;
    let at_least = if report.shape.is_whole {
        ""
    } else {
        "at least "
    };
    let (tree, has) = (units::bytes(bytes), units::bytes(memory));
    if bytes > memory {
        return format!(
            "the tree ({at_least}{tree}) does not fit into this machine's memory ({has}): each epoch is read cold, and the \
             warm figures do not come about in training"
        );
    }
    match report.shape.is_whole {
        true if bytes > memory / 2.0 => format!(
            "the tree ({tree}) fits into this machine's memory ({has}) only where little else wants it: later epochs are \
             between cold and warm"
        ),
        true => format!(
            "the tree ({tree}) fits into this machine's memory ({has}): from the second epoch on the warm figures count, as \
             long as nothing else takes the memory"
        ),
        false => format!("at least {tree} of the tree were seen; this machine has {has} of memory"),
    }
}

/// Notes on one target.
pub fn notes_on(
    report: &DatasetReport,
    target: &DatasetTarget,
    place: &DatasetPlace,
) -> Vec<String> {
    let mut notes = Vec::new();
    if place.is_in_memory {
        notes
            .push("it lives in memory: nothing there is ever cold, and no disk is measured".into());
    } else {
        notes.extend(cold_notes(target));
    }
    if target.found.is_some() {
        let before = match target.role {
            DatasetRole::Tree => {
                "after the walk had looked at every file: names and inodes were in memory as far as they fit, pages as they \
                 happened to be. A loader that lists the tree first finds it so"
            }
            _ => {
                "as caches happened to be: no walk went before it, so that names and inodes may have come from the device"
            }
        };
        notes.push(format!(
            "as found: the first reads of all, by one reader, {before}"
        ));
    }
    if let Some(file) = &place.cached_loop {
        notes.push(format!(
            "its loop device reads {file} through the page cache, so what is cold above it may be warm below: losetup \
             --direct-io=on takes that away"
        ));
    }
    if target.role == DatasetRole::Scratch {
        notes.push(
            "its files were made just now, one after the other, of noise, with sizes and depths of the sample: directories \
             hold fewer files than in the tree, and an old or fuller file system may be slower"
                .into(),
        );
    }
    if place.may_set_atime {
        notes.push(
            "O_NOATIME was refused for a file of somebody else's, so reading may have changed access times".into(),
        );
    }
    let is_tree = target.role == DatasetRole::Tree;
    if place.is_same_file_system && !is_tree {
        let tree = &report.tree;
        notes.push(format!(
            "it lies on the same file system as {tree}: a difference is one of how the files lie there, not of the storage"
        ));
    }
    notes
}

/// What cold was, and whether it was.
fn cold_notes(target: &DatasetTarget) -> Vec<String> {
    let cold = || target.passes.iter().filter(|pass| pass.cold.is_some());
    let mut notes = Vec::new();
    let network = target.fstype.as_deref().is_some_and(is_network);
    let far = if network {
        "; the servers' own caches stay as they are"
    } else {
        ""
    };
    match cold().find_map(|pass| pass.cold) {
        Some(ColdBy::Files) => notes.push(format!(
            "cold: each file's pages were dropped; names and inodes stayed in this machine's memory{far}. Root has those \
             dropped too with --cold machine"
        )),
        Some(ColdBy::Machine) => notes.push(format!(
            "cold: all clean pages, names and inodes of this machine were dropped before each turn{far}"
        )),
        None => {}
    }
    let cached = cold().filter_map(|pass| pass.cached).fold(0.0, f64::max);
    if cached > STILL_CACHED {
        notes.push(format!(
            "{} of the bytes stayed in the page cache although they were dropped (somebody maps, writes or reads them): cold \
             is not quite cold",
            units::share(cached)
        ));
    }
    let (asked, moved) = cold().fold((0, 0), |(asked, moved), pass| match pass.device_bytes {
        Some(bytes) => (asked + pass.bytes, moved + bytes),
        None => (asked, moved),
    });
    if asked > 0 && (moved as f64) < FROM_DEVICE * asked as f64 {
        let device = target.device.as_deref().unwrap_or("the device");
        notes.push(format!(
            "{device} gave only {} of the bytes that were read cold: the rest came from a cache, from holes, or compressed",
            units::share(moved as f64 / asked as f64)
        ));
    }
    notes
}

/// Whether a file system of this type lies on other machines.
pub fn is_network(fstype: &str) -> bool {
    NETWORK
        .iter()
        .any(|name| fstype == *name || fstype.starts_with("fuse."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::dataset::DatasetShape;

    fn report(bytes: u64, is_whole: bool) -> DatasetReport {
        DatasetReport {
            tree: "/data".into(),
            shape: DatasetShape {
                files: 1000,
                bytes,
                is_whole,
                ..DatasetShape::default()
            },
            ..DatasetReport::default()
        }
    }

    fn target(pass: DatasetPass) -> DatasetTarget {
        DatasetTarget {
            device: Some("sda".into()),
            fstype: Some("ceph".into()),
            passes: vec![pass],
            ..DatasetTarget::default()
        }
    }

    fn cold(device_bytes: Option<u64>, cached: Option<f64>) -> DatasetPass {
        DatasetPass {
            cold: Some(ColdBy::Files),
            turns: 10,
            bytes: 1000,
            device_bytes,
            cached,
            ..DatasetPass::default()
        }
    }

    #[test]
    fn memory_decides_which_figures_count() {
        let words =
            |bytes: u64, is_whole| notes(&report(bytes, is_whole), Some(10 << 30)).join(" ");
        assert!(words(20 << 30, true).contains("does not fit"));
        assert!(words(8 << 30, true).contains("only where little else"));
        assert!(words(1 << 30, true).contains("from the second epoch on"));
        let cut = words(1 << 30, false);
        assert!(
            cut.contains("lower bounds") && cut.contains("at least 1.00 GiB"),
            "{cut}"
        );
    }

    #[test]
    fn what_was_not_cold_is_told() {
        let place = DatasetPlace::default();
        let words = |pass| notes_on(&report(1, true), &target(pass), &place).join(" ");
        let good = words(cold(Some(1100), Some(0.0)));
        assert!(
            good.contains("names and inodes stayed") && good.contains("servers' own caches"),
            "{good}"
        );
        assert!(!good.contains("gave only"), "{good}");
        assert!(words(cold(Some(100), None)).contains("sda gave only 10 %"));
        assert!(words(cold(None, Some(0.4))).contains("40 % of the bytes stayed"));
        let found = |role| DatasetTarget {
            role,
            found: Some(DatasetPass::default()),
            ..target(cold(Some(1100), None))
        };
        let words = |role| notes_on(&report(1, true), &found(role), &place).join(" ");
        assert!(words(DatasetRole::Tree).contains("after the walk had looked at every file"));
        assert!(words(DatasetRole::Copy).contains("no walk went before it"));
        let memory = DatasetPlace {
            is_in_memory: true,
            ..DatasetPlace::default()
        };
        let words = notes_on(&report(1, true), &target(cold(Some(0), None)), &memory);
        assert_eq!(words.len(), 1, "{words:?}");
    }

    #[test]
    fn few_turns_and_huge_files_are_told() {
        let mut one = report(1, true);
        one.shape.huge = 3;
        one.targets = vec![target(DatasetPass {
            turns: 2,
            ..DatasetPass::default()
        })];
        let words = notes(&one, None).join(" ");
        assert!(
            words.contains("3 files are too large") && words.contains("more --epochs narrow"),
            "{words}"
        );
        one.is_cut = true;
        let words = notes(&one, None).join(" ");
        assert!(words.contains("a longer --budget narrows"), "{words}");
    }
}
