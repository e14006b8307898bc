//! A data set of small files: what is in the tree, and how fast it is read on one or more targets, cold and warm.

use crate::curve::Spread;
use crate::record::{Direction, Operation};
use serde::{Deserialize, Serialize};

/// Schema of the document.
pub const DATASET_SCHEMA: &str = "iodyno.dataset/1";

/// The engine that a record names for these reads.
pub const DATASET_ENGINE: &str = "dataset";

/// The operations of reading one file, in their order. `file` is all of them together.
pub const READ_OPERATIONS: [&str; 5] = ["open", "stat", "read", "close", "file"];

/// Place of `read` among [`READ_OPERATIONS`]: the others below `file` are metadata.
pub const READ: usize = 2;

/// Place of `file` among [`READ_OPERATIONS`].
pub const FILE: usize = 4;

/// The whole answer of one `iodyno dataset`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatasetReport {
    /// `iodyno.dataset/1`.
    pub schema: String,
    /// The tree, as the user named it.
    pub tree: String,
    /// What is in it.
    pub shape: DatasetShape,
    /// The tree first, then what it was held against, in the order of the command line.
    pub targets: Vec<DatasetTarget>,
    /// Seed of the sample, of the order of files and of the order of turns.
    pub seed: u64,
    /// Whether the budget or a signal ended the reading before all epochs were done.
    pub is_cut: bool,
    /// What a reader of all of it has to know, each a sentence.
    pub notes: Vec<String>,
}

/// What a record keeps: the tree, and what one target did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dataset {
    /// The tree, as the user named it.
    pub tree: String,
    /// What is in it.
    pub shape: DatasetShape,
    /// What was read here.
    pub target: DatasetTarget,
    /// What it was held against: the first target's name; none in the first target's own record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Whether the budget or a signal ended the reading before all epochs were done.
    #[serde(default)]
    pub is_cut: bool,
    /// What a reader of all of it has to know, each a sentence.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What a walk through a tree found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DatasetShape {
    /// Regular files.
    pub files: u64,
    /// Directories, the root among them.
    pub directories: u64,
    /// Bytes of the regular files.
    pub bytes: u64,
    /// Bytes that a copy takes, its files and directories in blocks of 4 KiB; 0 where that was not counted.
    pub copy_bytes: u64,
    /// Whether all of the tree was walked; if not, the four above are lower bounds.
    pub is_whole: bool,
    /// How long the walk took, ms.
    pub walk_ms: f64,
    /// Regular files by size, the smallest first; sizes without files are left out.
    pub sizes: Vec<SizeClass>,
    /// Directories on the way to the deepest file.
    pub depth: u32,
    /// Files in a directory that holds some: the median.
    pub files_in_directory: u64,
    /// The same: the most.
    pub files_in_directory_max: u64,
    /// Symbolic links, which were not followed.
    pub links: u64,
    /// Pipes, sockets and devices, which were not opened.
    pub specials: u64,
    /// Entries that may not be looked at, and directories that may not be listed.
    pub unreadable: u64,
    /// Entries that were gone when they were looked at.
    pub vanished: u64,
    /// Directories on which something is mounted, which were not entered.
    pub mounts: u64,
    /// Directories that lie too deep, which were not entered.
    pub too_deep: u64,
    /// Files that have fewer blocks than bytes: they have holes, or the file system compresses.
    pub sparse: u64,
    /// Files too large to be small: counted above, and not read.
    pub huge: u64,
    /// Files of the sample.
    pub sampled_files: u64,
    /// Bytes of the sample.
    pub sampled_bytes: u64,
    /// `opendir`, `readdir` (a whole directory each) and `stat`, as the walk did them.
    pub walk: Vec<Operation>,
}

/// Files of a decade of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeClass {
    /// The least size, bytes.
    pub from_bytes: u64,
    /// The first size beyond it, bytes.
    pub below_bytes: u64,
    /// Files of such a size.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What was read on a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatasetRole {
    /// The tree itself.
    #[default]
    Tree,
    /// A copy of the tree that was there already.
    Copy,
    /// Files of the same sizes and depths, made for this and removed.
    Scratch,
}

/// What cold means in a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ColdBy {
    /// The pages of each file were dropped; names and inodes stayed in memory.
    #[default]
    Files,
    /// All clean pages, names and inodes of the machine were dropped.
    Machine,
}

/// One place where the files were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DatasetTarget {
    /// As the user named it.
    pub target: String,
    /// What was read there.
    pub role: DatasetRole,
    /// The block device below it; none for a network file system or memory.
    pub device: Option<String>,
    /// Type of its file system.
    pub fstype: Option<String>,
    /// Number of its record in the store.
    pub record: Option<i64>,
    /// Free space, bytes.
    pub free_bytes: Option<u64>,
    /// Inodes left; none where the file system has no fixed number.
    pub free_inodes: Option<u64>,
    /// Inodes in all; none where the file system has no fixed number.
    pub total_inodes: Option<u64>,
    /// The first reads of all, by one reader, of some files that this measurement had not opened before: caches as they
    /// were. None of files that were just made.
    pub found: Option<DatasetPass>,
    /// How it was read: cold before warm, few readers before many.
    pub passes: Vec<DatasetPass>,
    /// Files that could not be read, by reason, with how many.
    pub failed: Vec<(String, u64)>,
    /// What a reader of the figures has to know, each a sentence.
    pub notes: Vec<String>,
}

/// All reads of one state of the cache by so many readers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DatasetPass {
    /// How the cache was emptied before; none where the files had just been read.
    pub cold: Option<ColdBy>,
    /// Threads that read at once.
    pub readers: u32,
    /// Turns that it is made of.
    pub turns: u32,
    /// Files read.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Time of all turns together, ms.
    pub elapsed_ms: f64,
    /// The operations of [`READ_OPERATIONS`], each with its latencies; `busy_ms` is the time of all readers in it.
    pub operations: Vec<Operation>,
    /// Files per second over the turns.
    pub files_per_s: Spread,
    /// How many times faster than on the first target, turn by turn; none for the first target itself.
    pub faster: Option<Spread>,
    /// Share of the difference to the first target's time for a file that is metadata; none without a clear difference.
    pub metadata_of_difference: Option<f64>,
    /// The same bytes from one large file.
    pub packed: Option<PackedPass>,
    /// Bytes that the block device read meanwhile, for everybody; none without a device.
    pub device_bytes: Option<u64>,
    /// Share of the bytes that was in the page cache just before the read, after it had been dropped; none where nobody asked.
    pub cached: Option<f64>,
}

/// The bytes of a pass, read from one packed file in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackedPass {
    /// Bytes read, with a header for each file as tar has.
    pub bytes: u64,
    /// How long it took, ms.
    pub elapsed_ms: f64,
    /// How many times faster than the files, turn by turn.
    pub faster: Spread,
}

/// What one turn of reading did: some files, once, by so many readers.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadLap {
    /// From the first reader's start to the last one's end, ns.
    pub elapsed_ns: u64,
    /// Files read to their end.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// By place in [`READ_OPERATIONS`]: time of all readers, ns.
    pub busy_ns: [u64; 5],
    /// The same: latencies.
    pub operations: [Direction; 5],
    /// Files that could not be read: place in the sample, and why.
    pub failed: Vec<(usize, ReadFailure)>,
}

/// Why a file of the sample could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFailure {
    /// It was gone.
    Vanished,
    /// It may not be read.
    Unreadable,
    /// It had another length than before, or was no regular file any more.
    Changed,
    /// The kernel said something else.
    Failed(String),
}

impl ReadFailure {
    /// For people, and for counting.
    pub fn words(&self) -> String {
        match self {
            ReadFailure::Vanished => "gone since the tree was listed".into(),
            ReadFailure::Unreadable => "not readable for this user".into(),
            ReadFailure::Changed => "changed since the tree was listed".into(),
            ReadFailure::Failed(why) => why.clone(),
        }
    }
}

impl Default for ReadLap {
    fn default() -> Self {
        ReadLap {
            elapsed_ns: 0,
            files: 0,
            bytes: 0,
            busy_ns: [0; 5],
            operations: std::array::from_fn(|_| Direction::default()),
            failed: Vec::new(),
        }
    }
}

impl ReadLap {
    /// Counts one operation, by its place in [`READ_OPERATIONS`].
    pub fn book(&mut self, at: usize, ns: u64) {
        self.busy_ns[at] += ns;
        self.operations[at].ios += 1;
        self.operations[at].latency.record(ns);
    }

    /// Adds what another reader of the same turn, or another turn, did. The elapsed time is left to the caller.
    pub fn add(&mut self, other: &ReadLap) {
        self.files += other.files;
        self.bytes += other.bytes;
        for (mine, theirs) in self.busy_ns.iter_mut().zip(other.busy_ns) {
            *mine += theirs;
        }
        for (mine, theirs) in self.operations.iter_mut().zip(&other.operations) {
            mine.ios += theirs.ios;
            mine.bytes += theirs.bytes;
            mine.latency.merge(&theirs.latency);
        }
        self.failed.extend_from_slice(&other.failed);
    }
}

impl DatasetShape {
    /// Bytes of a file on average; 0 without files.
    pub fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.files.max(1) as f64
    }

    /// Bytes that a copy of all of it needs.
    pub fn needed_bytes(&self) -> u64 {
        self.copy_bytes.max(self.bytes)
    }

    /// Inodes that a copy of all of it needs.
    pub fn inodes(&self) -> u64 {
        self.files + self.directories + self.links
    }
}

impl DatasetTarget {
    /// The pass of a state of the cache and a number of readers.
    pub fn pass(&self, is_cold: bool, readers: u32) -> Option<&DatasetPass> {
        self.passes
            .iter()
            .find(|pass| pass.cold.is_some() == is_cold && pass.readers == readers)
    }

    /// Why a copy of a tree does not fit here, in words; none where it does, or where it lies here already.
    pub fn lacks(&self, shape: &DatasetShape) -> Vec<&'static str> {
        if self.role != DatasetRole::Scratch {
            return Vec::new();
        }
        let is_short = |wanted: u64, free: Option<u64>| free.is_some_and(|free| wanted > free);
        let mut lacks = Vec::new();
        lacks.extend(is_short(shape.needed_bytes(), self.free_bytes).then_some("bytes"));
        lacks.extend(is_short(shape.inodes(), self.free_inodes).then_some("inodes"));
        lacks
    }
}

impl DatasetPass {
    /// For people: `cold, 1 reader`.
    pub fn words(&self) -> String {
        let state = self.state();
        match self.readers {
            1 => format!("{state}, 1 reader"),
            readers => format!("{state}, {readers} readers"),
        }
    }

    /// `cold` or `warm`.
    pub fn state(&self) -> &'static str {
        if self.cold.is_some() { "cold" } else { "warm" }
    }

    /// Time of one file, ns: of the readers' own, so that more readers do not make it less.
    pub fn file_ns(&self) -> f64 {
        self.mean_ns(FILE)
    }

    /// Mean time of an operation a file, by its place in [`READ_OPERATIONS`], ns.
    pub fn mean_ns(&self, at: usize) -> f64 {
        let busy_ms = self.operations.get(at).map_or(0.0, |one| one.busy_ms);
        busy_ms * 1e6 / self.files.max(1) as f64
    }

    /// What of a file's time is metadata: open, stat and close, ns.
    pub fn metadata_ns(&self) -> f64 {
        self.mean_ns(0) + self.mean_ns(1) + self.mean_ns(3)
    }

    /// The same as a share of opening, looking, reading and closing.
    pub fn metadata_share(&self) -> f64 {
        let all = self.metadata_ns() + self.mean_ns(READ);
        if all > 0.0 {
            self.metadata_ns() / all
        } else {
            0.0
        }
    }

    /// Bytes per second over the turns.
    pub fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.elapsed_ms.max(1e-6) * 1e3
    }

    /// What reading so many files takes at this speed, ms.
    pub fn time_of(&self, files: u64) -> f64 {
        self.elapsed_ms / self.files.max(1) as f64 * files as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_add_up_and_metadata_is_what_is_not_read() {
        let mut lap = ReadLap::default();
        for (at, ns) in [(0, 100), (1, 50), (READ, 800), (3, 50), (FILE, 1000)] {
            lap.book(at, ns);
        }
        lap.files = 1;
        let mut both = lap.clone();
        both.add(&lap);
        assert_eq!((both.files, both.busy_ns[READ]), (2, 1600));
        let operations = READ_OPERATIONS
            .iter()
            .enumerate()
            .map(|(at, name)| Operation {
                name: (*name).into(),
                busy_ms: both.busy_ns[at] as f64 / 1e6,
                done: both.operations[at].clone(),
            });
        let pass = DatasetPass {
            files: 2,
            operations: operations.collect(),
            ..DatasetPass::default()
        };
        assert!((pass.file_ns() - 1000.0).abs() < 1e-6);
        assert!((pass.metadata_share() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn inodes_that_are_missing_are_named() {
        let shape = DatasetShape {
            files: 5_000_000,
            bytes: 1 << 30,
            ..DatasetShape::default()
        };
        let stick = DatasetTarget {
            role: DatasetRole::Scratch,
            free_bytes: Some(54 << 30),
            free_inodes: Some(3_842_037),
            ..DatasetTarget::default()
        };
        assert_eq!(stick.lacks(&shape), ["inodes"]);
        let tiny = DatasetShape {
            files: 13_400,
            bytes: 134_000,
            copy_bytes: 13_400 * 4096,
            ..DatasetShape::default()
        };
        let full = DatasetTarget {
            free_bytes: Some(46 << 20),
            ..stick.clone()
        };
        assert_eq!(full.lacks(&tiny), ["bytes"]);
        let copy = DatasetTarget {
            role: DatasetRole::Copy,
            ..stick
        };
        assert!(copy.lacks(&shape).is_empty());
    }
}
