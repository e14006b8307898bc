//! What the rules know: the jobs, the target, the machine and, after a load, what came of it.

use super::medium::Medium;
use model::iopath::{IoPath, Layer, LayerKind};
use model::job::engines::{self, is_synchronous};
use model::job::{Job, SCRATCH_BYTES, Section, Sharing};
use model::record::SectionResult;
use model::sample::SensorLog;
pub use model::target::{CgroupLimit, Machine, TargetFacts, TargetKind};

/// All that is known. What is not known is none or empty, and a rule that needs it stays silent.
#[derive(Clone, Debug)]
pub struct RuleFacts<'a> {
    /// The jobs.
    pub sections: &'a [Section],
    /// What they are to work on.
    pub target: TargetFacts,
    /// What lies below it.
    pub path: Option<&'a IoPath>,
    /// The machine.
    pub machine: Machine,
    /// What each section did; empty before the load. A run of one section has one element.
    pub load: &'a [SectionResult],
    /// What the sensors read meanwhile, on the clock of [`SectionResult::start_ms`].
    pub sensors: &'a [SensorLog],
}

impl RuleFacts<'_> {
    /// What answers at the bottom of the path.
    pub fn medium(&self) -> Option<Medium> {
        if self.target.is_in_memory {
            return Some(Medium::Memory);
        }
        self.path.and_then(Medium::of)
    }

    /// All layers below the target, from the top down.
    pub fn layers(&self) -> Vec<&Layer> {
        self.path.map(|path| path.root.walk()).unwrap_or_default()
    }

    /// The file system that holds the target, where it is not a device.
    pub fn file_system(&self) -> Option<&Layer> {
        let first = *self.layers().get(1)?;
        matches!(first.kind, LayerKind::FileSystem | LayerKind::Unbacked).then_some(first)
    }

    /// The lowest disk, where the path has one.
    pub fn disk(&self) -> Option<&Layer> {
        self.layers()
            .into_iter()
            .find(|layer| layer.kind == LayerKind::Disk)
    }

    /// The loop device of the path that lets the page cache lie between it and its file.
    pub fn cached_loop(&self) -> Option<&Layer> {
        let has_cache = |layer: &&Layer| layer.facts.get("dio").is_some_and(|dio| dio == "0");
        self.layers()
            .into_iter()
            .filter(|layer| layer.kind == LayerKind::Loop)
            .find(has_cache)
    }

    /// Bytes of the range that each job of a section works on; none where neither job nor target says.
    pub fn range_bytes(&self, job: &Job) -> Option<u64> {
        let there = self.target.bytes;
        let asked = match (job.size, job.size_percent) {
            (0, 0) if self.target.kind == TargetKind::Directory => Some(SCRATCH_BYTES),
            (0, 0) => there.map(|bytes| bytes.saturating_sub(job.offset)),
            (0, percent) => there.map(|bytes| bytes / 100 * u64::from(percent)),
            (size, _) => Some(size),
        };
        let range = match self.target.kind {
            TargetKind::Directory | TargetKind::Missing => asked,
            TargetKind::File | TargetKind::Device => {
                asked.map(|bytes| bytes.min(there.unwrap_or(bytes)))
            }
        };
        // An empty target is refused by the load itself; no rule has anything to say about nothing.
        range.filter(|bytes| *bytes > 0)
    }

    /// Bytes that all jobs of a section together work on.
    pub fn section_bytes(&self, job: &Job) -> Option<u64> {
        let range = self.range_bytes(job)?;
        let further = u64::from(job.numjobs.max(1) - 1);
        Some(match job.files.sharing {
            Sharing::Own => range.saturating_mul(further + 1),
            Sharing::Shares => range,
            Sharing::Same => {
                range.saturating_add(job.offset_increment.min(range).saturating_mul(further))
            }
        })
    }
}

/// Whether a job reads and writes blocks itself: trees of files and engines that only look on do not.
pub fn is_block_io(job: &Job) -> bool {
    engines::is_block_io(job.effective_engine())
}

/// The sections that do block I/O.
pub fn block_sections<'a>(facts: &RuleFacts<'a>) -> impl Iterator<Item = &'a Section> {
    facts
        .sections
        .iter()
        .filter(|section| is_block_io(&section.job))
}

/// I/Os that all jobs of a section can have in flight together.
pub fn depth_asked(job: &Job) -> u64 {
    let each = if is_synchronous(job.effective_engine()) {
        1
    } else {
        job.iodepth.max(1)
    };
    u64::from(each) * u64::from(job.numjobs.max(1))
}

/// The engine to propose where several requests are to be in flight.
pub fn async_engine(facts: &RuleFacts<'_>) -> &'static str {
    if facts.machine.io_uring_disabled == Some(2) {
        "libaio"
    } else {
        "io_uring"
    }
}

/// Whether a job comes back to blocks that it or its siblings have visited, or finds them cached to begin with.
pub fn is_revisited(job: &Job) -> bool {
    let shares = job.numjobs > 1 && job.files.sharing == Sharing::Same && job.offset_increment == 0;
    // A buffered job may drop the cache before each pass; what it visits within one is another matter.
    let passes = (job.time_based || job.loops > 1) && (job.direct || !job.cold_passes);
    passes || shares || !job.invalidate || (job.rw.is_random() && job.norandommap)
}

impl RuleFacts<'_> {
    /// The limits of control groups that the jobs would run into, on devices of the path.
    pub fn limits(&self) -> Vec<&CgroupLimit> {
        let names: Vec<&str> = self
            .layers()
            .iter()
            .map(|layer| layer.name.as_str())
            .collect();
        let jobs = || self.sections.iter().map(|section| &section.job);
        let (reads, writes) = (
            jobs().any(|job| job.rw.reads()),
            jobs().any(|job| job.rw.writes()),
        );
        let binds = |limit: &&CgroupLimit| {
            let direction = if limit.what.starts_with('r') {
                reads
            } else {
                writes
            };
            direction && names.contains(&limit.device.as_str())
        };
        self.machine.cgroup_limits.iter().filter(binds).collect()
    }
}
