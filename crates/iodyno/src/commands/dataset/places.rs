//! Where the files are read: the tree, copies of it that are there, and what is made for the measurement and removed.

use super::DatasetArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::Teller;
use analyse::dataset::DatasetTally;
use diagnose::dataset::DatasetPlace;
use host::data_tree::DataTree;
use host::disk_counters::DeviceCounters;
use host::files::{self, FileKind};
use host::signals::Stop;
use host::{Space, Target};
use load::dataset::{PackedFile, ReadingPlace, SampleFile, ScratchCopy, Survey, tar_bytes};
use model::dataset::{DatasetPass, DatasetRole, DatasetTarget};
use model::iopath::{IoPath, LayerKind};
use model::text::shown;
use model::units;
use std::path::Path;

/// Files of the sample that are looked for before a directory counts as a copy of the tree.
const LOOKED_FOR: usize = 64;

/// All places, the tree first.
#[derive(Debug)]
pub struct Places {
    /// The places.
    pub all: Vec<Place>,
}

/// One place.
#[derive(Debug)]
pub struct Place {
    name: String,
    role: DatasetRole,
    /// Its I/O path.
    pub path: IoPath,
    target: Target,
    /// The files.
    pub reading: ReadingPlace,
    /// The same bytes in one file.
    pub packed: Option<PackedFile>,
    /// What the first reads of all gave.
    pub found: Option<DatasetPass>,
    /// Counters of the device below it.
    counters: Option<DeviceCounters>,
    copy: Option<ScratchCopy>,
    space: Option<Space>,
}

impl Places {
    /// Opens everything, and makes what is missing once all of it is known to be allowed.
    pub fn prepare(
        args: &DatasetArgs,
        context: &Context,
        tree: Target,
        survey: &Survey,
        (stop, teller): (&Stop, &Teller),
    ) -> Result<Places, Failure> {
        let sample = &survey.sample;
        let others = args
            .against
            .iter()
            .map(|path| Other::look(path, &tree, sample));
        let others = others.collect::<Result<Vec<_>, Failure>>()?;
        let beside = args
            .scratch
            .as_deref()
            .map(|path| scratch_of(path, &tree))
            .transpose()?;
        let reading = ReadingPlace::same_names(DataTree::open(&tree)?, sample);
        let mut first = Place::new(context, &args.tree, tree, DatasetRole::Tree, reading)?;
        let lengths = sample.iter().map(|file| tar_bytes(file.bytes));
        let packed_bytes = lengths.fold(0, u64::saturating_add);
        if let Some(beside) = beside.filter(|_| !stop.is_asked()) {
            teller.say(format!(
                "packing {} in {}",
                units::bytes(packed_bytes as f64),
                shown(beside.path())
            ));
            first.packed = Some(PackedFile::make(&beside, packed_bytes, stop)?);
        }
        let mut places = Places { all: vec![first] };
        for other in others {
            if stop.is_asked() {
                break;
            }
            places
                .all
                .push(other.made(context, survey, packed_bytes, (stop, teller))?);
        }
        Ok(places)
    }

    /// Removes everything that was made.
    pub fn remove(&mut self) -> Result<(), Failure> {
        let mut result = Ok(());
        for place in &mut self.all {
            place.packed = None;
            if let Some(copy) = place.copy.take()
                && let Err(error) = copy.remove()
            {
                let failure = Failure::from(error);
                result =
                    Err(failure.hint("The rest of the copy stays; `iodyno undo` tries again."));
            }
        }
        result
    }
}

/// A directory to be held against the tree.
#[derive(Debug)]
struct Other<'a> {
    path: &'a Path,
    target: Target,
    role: DatasetRole,
}

impl<'a> Other<'a> {
    /// What it is: a copy, or a place for one.
    fn look(path: &'a Path, tree: &Target, sample: &[SampleFile]) -> Result<Self, Failure> {
        let target = Target::open(path)?;
        if target.kind() != FileKind::Directory {
            return Err(Failure::usage(format!("{} is no directory", shown(path))));
        }
        let there = DataTree::open(&target)?;
        let asked = sample.iter().take(LOOKED_FOR);
        let is_there =
            |file: &&SampleFile| there.bytes_of(&file.path).ok().flatten() == Some(file.bytes);
        let (asked, found) = (asked.len(), asked.filter(is_there).count());
        let role = match found {
            0 => DatasetRole::Scratch,
            found if found * 10 >= asked * 9 => DatasetRole::Copy,
            found => {
                return Err(Failure::usage(format!(
                    "{} holds {found} of {asked} files of the tree at the same place with the same length: neither a copy \
                     nor a place for one",
                    shown(path)
                ))
                .hint("Name a whole copy of the tree, or a directory that holds nothing of it."));
            }
        };
        if role == DatasetRole::Scratch {
            refuse_inside(path, &target, tree)?;
        }
        Ok(Other { path, target, role })
    }

    fn made(
        self,
        context: &Context,
        survey: &Survey,
        packed_bytes: u64,
        (stop, teller): (&Stop, &Teller),
    ) -> Result<Place, Failure> {
        let sample = &survey.sample;
        if self.role == DatasetRole::Copy {
            let reading = ReadingPlace::same_names(DataTree::open(&self.target)?, sample);
            return Place::new(context, self.path, self.target, self.role, reading);
        }
        // Before anything is made there: what it has is what it had.
        let space = self.target.space();
        let all = units::count(sample.len() as f64);
        let mut tell = |done: u64| {
            let done = units::count(done as f64);
            teller.say(format!(
                "making {done} of {all} files in {}",
                shown(self.path)
            ));
        };
        let machine = (&context.host, context.state_dir.as_path());
        let copy = ScratchCopy::make(&self.target, machine, sample, packed_bytes, stop, &mut tell)?;
        let packed = PackedFile::make(&self.target, packed_bytes, stop)?;
        let reading = copy.place()?;
        let mut place = Place::new(context, self.path, self.target, self.role, reading)?;
        (place.copy, place.packed, place.space) = (Some(copy), Some(packed), space);
        Ok(place)
    }
}

/// A directory for a packed file that tells of the tree's own storage.
fn scratch_of(path: &Path, tree: &Target) -> Result<Target, Failure> {
    let target = Target::open(path)?;
    if target.kind() != FileKind::Directory {
        return Err(Failure::usage(format!("{} is no directory", shown(path))));
    }
    if target.identity().device != tree.identity().device {
        return Err(Failure::usage(format!(
            "{} lies on another file system than {}, and would say nothing of it",
            shown(path),
            shown(tree.path())
        ))
        .hint("Other places are held against it with --against."));
    }
    refuse_inside(path, &target, tree)?;
    Ok(target)
}

/// Nothing is made in the tree that is only read.
fn refuse_inside(path: &Path, target: &Target, tree: &Target) -> Result<(), Failure> {
    let tree_identity = tree.identity();
    let place = target.resolved()?;
    let is_tree = |above: &Path| files::identity(above).is_some_and(|one| one == tree_identity);
    if place.ancestors().any(is_tree) {
        return Err(Failure::new(
            Exit::Refused,
            format!(
                "{} lies in {}, in which nothing is written",
                shown(path),
                shown(tree.path())
            ),
        )
        .hint("Name a directory beside it."));
    }
    Ok(())
}

impl Place {
    fn new(
        context: &Context,
        named: &Path,
        target: Target,
        role: DatasetRole,
        reading: ReadingPlace,
    ) -> Result<Place, Failure> {
        let path = inventory::collect(&context.host, &named.to_string_lossy())?;
        let device = path.queue_device().map(|layer| layer.name.clone());
        let counters = device.and_then(|name| DeviceCounters::open(&context.host, &name).ok());
        Ok(Place {
            name: shown(named),
            role,
            space: target.space(),
            path,
            target,
            reading,
            packed: None,
            found: None,
            counters,
            copy: None,
        })
    }

    /// As the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its files were made for this.
    pub fn is_scratch(&self) -> bool {
        self.role == DatasetRole::Scratch
    }

    /// Bytes that its device has read so far.
    pub fn device_bytes(&mut self) -> Option<u64> {
        let counters = self.counters.as_mut()?.read().ok()?;
        Some(counters.read_sectors.wrapping_mul(512))
    }

    /// What is known beside the figures.
    pub fn facts(&self, tree: Option<&Place>) -> DatasetPlace {
        let layers = self.path.root.walk();
        let looped = layers.iter().find(|layer| layer.kind == LayerKind::Loop);
        let cached = looped.filter(|layer| layer.fact("dio") == Some("0"));
        let device = self.target.identity().device;
        DatasetPlace {
            is_in_memory: self.reading.tree().is_in_memory(),
            cached_loop: cached.and_then(|layer| layer.fact("backing_file").map(str::to_string)),
            may_set_atime: self.reading.tree().may_set_atime(),
            is_same_file_system: tree.is_some_and(|tree| tree.target.identity().device == device),
        }
    }

    /// What it is and what was read there.
    pub fn told(&self, tally: &DatasetTally, at: usize) -> DatasetTarget {
        let layers = self.path.root.walk();
        let is_files = |kind| matches!(kind, LayerKind::FileSystem | LayerKind::Unbacked);
        let of_files = layers.iter().find(|layer| is_files(layer.kind));
        let inodes = self.space.filter(|space| space.total_inodes > 0);
        DatasetTarget {
            target: self.name.clone(),
            role: self.role,
            device: self.path.queue_device().map(|layer| layer.name.clone()),
            fstype: of_files.and_then(|layer| layer.fact("fstype").map(str::to_string)),
            free_bytes: self.space.map(|space| space.free_bytes),
            free_inodes: inodes.map(|space| space.free_inodes),
            total_inodes: inodes.map(|space| space.total_inodes),
            found: self.found.clone(),
            passes: tally.passes(at),
            failed: tally.failed(at),
            ..DatasetTarget::default()
        }
    }
}
