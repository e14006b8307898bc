//! The walk through a tree: what is in it, and a sample of its files. Memory grows with the sample and the depth, not with
//! the number of files.

use super::BLOCK_BYTES;
use crate::LoadError;
use host::clock::{self, FastClock};
use host::data_tree::{DataDir, DataTree, EntryKind};
use host::signals::Stop;
use model::dataset::{DatasetShape, SizeClass};
use model::histogram::Histogram;
use model::record::{Direction, Operation};
use stats::dice::Dice;
use std::ffi::CString;
use std::io::ErrorKind;

/// Directories below each other that are entered at most; each holds a descriptor and a buffer while those below are read.
const MOST_LEVELS: usize = 256;
/// Of a path longer than this the kernel finds no file, bytes.
const MOST_PATH: usize = 4095;
/// Decades of sizes that are told apart: the last one begins at 1 TB.
const DECADES: usize = 14;
/// How often is looked whether to stop, entries.
const LOOK_ENTRIES: u64 = 64;

/// How a tree is walked.
#[derive(Clone, Copy, Debug)]
pub struct SurveyPlan {
    /// Files of the sample at most.
    pub sample_files: usize,
    /// Bytes of the sample at most; one file may pass it.
    pub sample_bytes: u64,
    /// Files of more bytes are counted and not drawn.
    pub huge_bytes: u64,
    /// When to stop walking, ns of the monotonic clock.
    pub until_ns: u64,
    /// Seed of the sample.
    pub seed: u64,
}

/// A file of the sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleFile {
    /// Where it is, relative to the root: bytes, which need not be UTF-8.
    pub path: Box<[u8]>,
    /// Its length when it was listed, bytes.
    pub bytes: u64,
    /// Its place in the order of the listing.
    pub index: u64,
}

/// What a walk gave.
#[derive(Debug)]
pub struct Survey {
    /// What is in the tree.
    pub shape: DatasetShape,
    /// Files drawn at random, each as likely as the other, in random order.
    pub sample: Vec<SampleFile>,
}

/// Walks a tree, depth first in the order of its directories.
///
/// # Errors
/// When the root itself cannot be listed. What cannot be looked at below it is counted.
pub fn survey(
    tree: &DataTree,
    plan: &SurveyPlan,
    stop: &Stop,
    tell: &mut dyn FnMut(u64),
) -> Result<Survey, LoadError> {
    let mut walk = Walk::new(tree, plan);
    let begun_ns = clock::monotonic_ns();
    let root = tree
        .list()
        .map_err(|error| host::Error::io("list", tree.path(), error))?;
    let is_whole = walk.all(root, stop, tell);
    let mut survey = walk.finish();
    survey.shape.is_whole = is_whole;
    survey.shape.walk_ms = (clock::monotonic_ns() - begun_ns) as f64 / 1e6;
    Ok(survey)
}

/// A kind of call: how often, how long.
#[derive(Default)]
struct Calls {
    busy_ns: u64,
    done: Direction,
}

impl Calls {
    fn book(&mut self, ns: u64) {
        self.busy_ns += ns;
        self.done.ios += 1;
        self.done.latency.record(ns);
    }

    fn operation(self, name: &str) -> Operation {
        Operation {
            name: name.into(),
            busy_ms: self.busy_ns as f64 / 1e6,
            done: self.done,
        }
    }
}

/// A directory on the way down.
struct Level {
    dir: DataDir,
    /// Length of the path before its own name.
    path_before: usize,
    files: u64,
    readdir_ns: u64,
}

struct Walk<'a> {
    tree: &'a DataTree,
    plan: &'a SurveyPlan,
    clock: FastClock,
    dice: Dice,
    shape: DatasetShape,
    sizes: [(u64, u64); DECADES],
    in_directory: Histogram,
    opendir: Calls,
    readdir: Calls,
    stat: Calls,
    sample: Vec<SampleFile>,
    /// Files that could have been drawn so far.
    drawable: u64,
    path: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn new(tree: &'a DataTree, plan: &'a SurveyPlan) -> Walk<'a> {
        Walk {
            tree,
            plan,
            clock: FastClock::calibrate(),
            dice: Dice::new(plan.seed),
            shape: DatasetShape::default(),
            sizes: [(0, 0); DECADES],
            in_directory: Histogram::new(),
            opendir: Calls::default(),
            readdir: Calls::default(),
            stat: Calls::default(),
            sample: Vec::new(),
            drawable: 0,
            path: Vec::new(),
        }
    }

    /// Whether all of it was walked.
    fn all(&mut self, root: DataDir, stop: &Stop, tell: &mut dyn FnMut(u64)) -> bool {
        self.directory();
        let mount = root.mount();
        let mut levels = vec![Level {
            dir: root,
            path_before: 0,
            files: 0,
            readdir_ns: 0,
        }];
        let mut entries = 0u64;
        while let Some(level) = levels.last_mut() {
            entries += 1;
            if entries.is_multiple_of(LOOK_ENTRIES) {
                tell(self.shape.files);
                if stop.is_asked() || clock::monotonic_ns() > self.plan.until_ns {
                    levels.drain(..).for_each(|level| self.leave(&level));
                    return false;
                }
            }
            let begun_ns = self.clock.now_ns();
            let next = level.dir.next_entry();
            level.readdir_ns += self.clock.now_ns().saturating_sub(begun_ns);
            match next {
                Some(Ok((name, kind))) => {
                    let depth = levels.len();
                    if let Some(below) = self.entry(&mut levels, &name, kind, mount, depth) {
                        levels.push(below);
                    }
                }
                Some(Err(_)) => {
                    self.shape.unreadable += 1;
                    self.up(&mut levels);
                }
                None => self.up(&mut levels),
            }
        }
        true
    }

    fn up(&mut self, levels: &mut Vec<Level>) {
        if let Some(level) = levels.pop() {
            self.path.truncate(level.path_before);
            self.leave(&level);
        }
    }

    fn leave(&mut self, level: &Level) {
        self.readdir.book(level.readdir_ns);
        if level.files > 0 {
            self.in_directory.record(level.files);
            self.shape.files_in_directory_max = self.shape.files_in_directory_max.max(level.files);
        }
    }

    /// Counts an entry; a directory to go into, where it is one.
    fn entry(
        &mut self,
        levels: &mut [Level],
        name: &CString,
        mut kind: EntryKind,
        mount: u64,
        depth: usize,
    ) -> Option<Level> {
        let level = levels.last_mut()?;
        let mut found = None;
        if matches!(kind, EntryKind::File | EntryKind::Unknown) {
            let begun_ns = self.clock.now_ns();
            let stat = level.dir.stat(name);
            let took_ns = self.clock.now_ns().saturating_sub(begun_ns);
            match stat {
                Ok(stat) => {
                    self.stat.book(took_ns);
                    kind = stat.kind;
                    found = Some(stat);
                }
                Err(error) => {
                    self.lost(&error);
                    return None;
                }
            }
        }
        match (kind, found) {
            (EntryKind::Directory, _) => return self.enter(levels, name, mount),
            (EntryKind::File, Some(stat)) => {
                level.files += 1;
                self.shape.depth = self.shape.depth.max(depth as u32 - 1);
                self.file(name, stat.bytes, stat.allocated_bytes);
            }
            (EntryKind::Link, _) => self.shape.links += 1,
            _ => self.shape.specials += 1,
        }
        None
    }

    fn enter(&mut self, levels: &mut [Level], name: &CString, mount: u64) -> Option<Level> {
        let path_before = self.path.len();
        if levels.len() >= MOST_LEVELS || path_before + name.as_bytes().len() >= MOST_PATH {
            self.shape.too_deep += 1;
            return None;
        }
        let begun_ns = self.clock.now_ns();
        let opened = self.tree.enter(&levels.last()?.dir, name);
        let took_ns = self.clock.now_ns().saturating_sub(begun_ns);
        match opened {
            Ok(dir) if dir.mount() != mount => {
                self.shape.mounts += 1;
                None
            }
            Ok(dir) => {
                self.opendir.book(took_ns);
                self.directory();
                self.path.extend_from_slice(name.as_bytes());
                self.path.push(b'/');
                Some(Level {
                    dir,
                    path_before,
                    files: 0,
                    readdir_ns: 0,
                })
            }
            Err(error) => {
                self.lost(&error);
                None
            }
        }
    }

    fn directory(&mut self) {
        self.shape.directories += 1;
        self.shape.copy_bytes = self.shape.copy_bytes.saturating_add(BLOCK_BYTES);
    }

    fn lost(&mut self, error: &std::io::Error) {
        match error.kind() {
            ErrorKind::NotFound => self.shape.vanished += 1,
            _ => self.shape.unreadable += 1,
        }
    }

    fn file(&mut self, name: &CString, bytes: u64, allocated_bytes: u64) {
        let index = self.shape.files;
        self.shape.files += 1;
        // Sparse files can be longer than any disk, and their sum than any number.
        self.shape.bytes = self.shape.bytes.saturating_add(bytes);
        let blocks = bytes.next_multiple_of(BLOCK_BYTES);
        self.shape.copy_bytes = self.shape.copy_bytes.saturating_add(blocks);
        self.shape.sparse += u64::from(allocated_bytes < bytes);
        let (files, sum) = &mut self.sizes[decade(bytes)];
        (*files, *sum) = (*files + 1, sum.saturating_add(bytes));
        if bytes > self.plan.huge_bytes {
            self.shape.huge += 1;
            return;
        }
        self.drawable += 1;
        // Vitter's algorithm R: after n files each of them is in the sample with the same probability.
        let place = match self.sample.len() < self.plan.sample_files {
            true => self.sample.len(),
            false => self.dice.below(self.drawable as usize),
        };
        if place >= self.plan.sample_files {
            return;
        }
        let file = SampleFile {
            path: [&self.path, name.as_bytes()].concat().into(),
            bytes,
            index,
        };
        match self.sample.get_mut(place) {
            Some(there) => *there = file,
            None => self.sample.push(file),
        }
    }

    fn finish(mut self) -> Survey {
        self.dice.shuffle(&mut self.sample);
        let mut sum = 0u64;
        let fits = |file: &&SampleFile| {
            sum = sum.saturating_add(file.bytes);
            sum <= self.plan.sample_bytes
        };
        let kept = self.sample.iter().take_while(fits).count();
        self.sample.truncate(kept.max(1));
        let mut shape = self.shape;
        shape.sampled_files = self.sample.len() as u64;
        let lengths = self.sample.iter().map(|file| file.bytes);
        shape.sampled_bytes = lengths.fold(0, u64::saturating_add);
        // A range of the histogram may end above the largest of its values.
        let median = self.in_directory.quantile_ns(0.5).unwrap_or(0);
        shape.files_in_directory = median.min(shape.files_in_directory_max);
        shape.sizes = classes(&self.sizes);
        shape.walk = vec![
            self.opendir.operation("opendir"),
            self.readdir.operation("readdir"),
            self.stat.operation("stat"),
        ];
        let sample = self.sample;
        Survey { shape, sample }
    }
}

/// Empty files, then below 10 bytes, below 100 and so on.
fn decade(bytes: u64) -> usize {
    match bytes {
        0 => 0,
        bytes => (bytes.ilog10() as usize + 1).min(DECADES - 1),
    }
}

fn classes(sizes: &[(u64, u64); DECADES]) -> Vec<SizeClass> {
    let class = |(decade, (files, bytes)): (usize, &(u64, u64))| {
        (*files > 0).then(|| SizeClass {
            from_bytes: if decade == 0 {
                0
            } else {
                10u64.pow(decade as u32 - 1)
            },
            below_bytes: match decade {
                0 => 1,
                last if last == DECADES - 1 => u64::MAX,
                decade => 10u64.pow(decade as u32),
            },
            files: *files,
            bytes: *bytes,
        })
    };
    sizes.iter().enumerate().filter_map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_files_longer_than_any_disk_are_counted() {
        let dir = host::files::temporary_dir("survey").unwrap();
        let tree = DataTree::open(&host::Target::open(dir.path()).unwrap()).unwrap();
        let plan = SurveyPlan {
            sample_files: 10,
            sample_bytes: u64::MAX,
            huge_bytes: u64::MAX,
            until_ns: u64::MAX,
            seed: 7,
        };
        let mut walk = Walk::new(&tree, &plan);
        let longest = i64::MAX as u64;
        for name in [c"a", c"b", c"c"] {
            walk.file(&CString::from(name), longest, 0);
        }
        let shape = walk.finish().shape;
        let told = [shape.bytes, shape.copy_bytes, shape.sampled_bytes];
        assert_eq!(told, [u64::MAX; 3]);
        assert_eq!(shape.sizes[0].bytes, u64::MAX);
    }
}
