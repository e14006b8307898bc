//! One control group: its files, held open, and what they said last.

use super::hierarchy::Hierarchies;
use super::parts::{self, COUNT, Disks, Values};
use crate::parse;
use host::{Host, Sampled};
use kernel::cgroups::Tree;

/// Files of version 1 from which the I/O can be had, the best first: those with the groups below, of all schedulers.
const KINDS: [&str; 6] = [
    "throttle.{}_recursive",
    "throttle.{}",
    "bfq.{}_recursive",
    "{}_recursive",
    "bfq.{}",
    "{}",
];
const THROTTLES: [(&str, usize); 4] = [
    ("read_bps", parts::READ_BYTES_LIMIT),
    ("write_bps", parts::WRITE_BYTES_LIMIT),
    ("read_iops", parts::READ_IOS_LIMIT),
    ("write_iops", parts::WRITE_IOS_LIMIT),
];

/// How a file is to be read.
#[derive(Clone, Copy, Debug)]
enum Part {
    IoStat,
    BlkioBytes,
    BlkioIos,
    Pressure,
    Memory,
    MemoryLimit,
    MemoryStat { is_unified: bool },
    IoMax,
    Throttle(usize),
}

#[derive(Debug)]
pub(super) struct SampledGroup {
    path: String,
    subject: String,
    /// The own group, and those that were asked for by name.
    is_named: bool,
    files: Vec<(Part, Sampled)>,
    values: Values,
    places: [Option<usize>; COUNT],
    is_gone: bool,
}

impl SampledGroup {
    /// Opens the files that a group has; it may have none.
    pub fn open(host: &Host, trees: &Hierarchies, path: &str, is_named: bool) -> Self {
        let path = format!("/{}", path.trim_matches('/'));
        let subject = if path == "/" { "root" } else { &path[1..] };
        let mut group = SampledGroup {
            subject: subject.to_string(),
            files: Vec::new(),
            path,
            is_named,
            values: [f64::NAN; COUNT],
            places: [None; COUNT],
            is_gone: false,
        };
        group.reopen(host, trees);
        group
    }

    /// Opens the files again: the group was removed and has come again.
    pub fn reopen(&mut self, host: &Host, trees: &Hierarchies) {
        let mut files = Vec::new();
        let mut add = |part: Part, tree: &Option<Tree>, name: &str| {
            let file = tree.as_ref().and_then(|tree| {
                host.sampled(&format!("{}/{name}", tree.directory(&self.path)))
                    .ok()
            });
            file.map(|file| files.push((part, file))).is_some()
        };
        let Hierarchies {
            unified,
            blkio,
            memory,
            ..
        } = trees;
        if !add(Part::IoStat, unified, "io.stat") {
            let name = |kind: &str, what: &str| format!("blkio.{}", kind.replacen("{}", what, 1));
            let kind = KINDS
                .iter()
                .find(|kind| add(Part::BlkioBytes, blkio, &name(kind, "io_service_bytes")));
            kind.map(|kind| add(Part::BlkioIos, blkio, &name(kind, "io_serviced")));
        }
        add(Part::Pressure, unified, "io.pressure");
        let is_unified = add(Part::Memory, unified, "memory.current");
        if !is_unified {
            add(Part::Memory, memory, "memory.usage_in_bytes");
        }
        if self.is_named {
            let tree = if is_unified { unified } else { memory };
            add(Part::MemoryStat { is_unified }, tree, "memory.stat");
            add(
                Part::MemoryLimit,
                tree,
                if is_unified {
                    "memory.max"
                } else {
                    "memory.limit_in_bytes"
                },
            );
            if !add(Part::IoMax, unified, "io.max") {
                for (what, place) in THROTTLES {
                    add(
                        Part::Throttle(place),
                        blkio,
                        &format!("blkio.throttle.{what}_device"),
                    );
                }
            }
        }
        self.files = files;
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// The group in names of series.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Whether no file of it could be read last time.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Reads every file; one that fails leaves its own gaps.
    pub fn read(&mut self, disks: &Disks) {
        let values = &mut self.values;
        values.fill(f64::NAN);
        self.is_gone = true;
        for (part, file) in &mut self.files {
            let Ok(text) = file.read() else { continue };
            self.is_gone = false;
            match *part {
                Part::IoStat => parts::io_stat(text, disks, values),
                Part::BlkioBytes => parts::blkio(text, true, disks, values),
                Part::BlkioIos => parts::blkio(text, false, disks, values),
                Part::Pressure => {
                    (values[parts::SOME], values[parts::FULL]) = parse::pressure_us(text)
                }
                Part::Memory => values[parts::MEMORY] = parts::single(text).unwrap_or(f64::NAN),
                Part::MemoryLimit => {
                    values[parts::MEMORY_LIMIT] = parts::single(text).unwrap_or(f64::NAN)
                }
                Part::MemoryStat { is_unified } => parts::memory_stat(text, is_unified, values),
                Part::IoMax => parts::io_max(text, values),
                Part::Throttle(place) => parts::throttle(text, place, values),
            }
        }
    }

    pub fn has_done_io(&self) -> bool {
        self.values[parts::READ_IOS] + self.values[parts::WRITE_IOS] > 0.0
    }

    /// Places of what it tells and has no series for.
    pub fn nameless(&self) -> Vec<usize> {
        (0..COUNT)
            .filter(|place| self.places[*place].is_none() && !self.values[*place].is_nan())
            .collect()
    }

    pub fn name(&mut self, place: usize, column: usize) {
        self.places[place] = Some(column);
    }

    /// Puts what it said last into a row. The row may be shorter than its newest series.
    pub fn fill(&self, row: &mut [f64]) {
        for (place, value) in self.places.iter().zip(self.values) {
            if let Some(cell) = place.and_then(|place| row.get_mut(place)) {
                *cell = value;
            }
        }
    }
}
