//! What `loop create` is about to make, and whether it can be made here. Nothing is touched.

use super::create::CreateArgs;
use super::document::PlanDocument;
use super::{file_system, shell, unit};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::dataset::is_network;
use host::loop_device::{ImagePlace, PlannedPoint};
use host::{Host, Target, rights, scratch};
use kernel::mounts::{Mount, Mounts};
use load::LoadError;
use model::change::{SavedLoop, SavedPoint};
use model::text::{clean, shell_word, shown};
use model::units;
use std::path::{Path, PathBuf};

/// Sizes are rounded up to this, bytes: no sector of a loop device is larger.
const BLOCK: u64 = 4096;
/// Smaller ones hold no file system, bytes.
const LEAST: u64 = 1 << 20;
/// More no offset in a file reaches, bytes.
const MOST: u64 = (1 << 63) - BLOCK;

/// The whole plan.
#[derive(Debug)]
pub struct LoopPlan {
    /// Where the file is made.
    pub place: ImagePlace,
    /// Where it is mounted.
    pub point: Option<PlannedPoint>,
    /// What is written down of it.
    pub saved: SavedLoop,
    /// How many inodes ext4 is to have.
    pub inodes: Option<u64>,
    /// Files for systemd, each with its content.
    pub unit: Vec<(String, String)>,
    /// Whether files there take direct I/O.
    pub takes_direct: bool,
    /// Whether direct I/O was asked for in any case.
    must_be_direct: bool,
    /// Whether the file's space has been reserved, so that nobody else can take it.
    pub is_reserved: bool,
}

impl LoopPlan {
    /// Of what was asked for.
    pub fn of(args: &CreateArgs, context: &Context) -> Result<LoopPlan, Failure> {
        must_fit_together(args)?;
        let place = ImagePlace::open(&args.file).map_err(|error| missing(error, &args.file))?;
        let point = args.mount.as_deref().map(PlannedPoint::find).transpose();
        let point =
            point.map_err(|error| missing(error, args.mount.as_deref().unwrap_or(&args.file)))?;
        must_not_hide(&place, point.as_ref())?;
        let (takes_direct, align) = direct(&place);
        if args.direct_io == "yes" && !takes_direct {
            let message = format!(
                "{} is on a file system that takes no direct I/O (O_DIRECT).",
                shown(place.path())
            );
            return Err(Failure::new(Exit::Refused, message)
                .hint("Use --direct-io auto, or a directory on ext4 or xfs."));
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let saved = SavedLoop {
            path: text(place.path()),
            id: ImagePlace::id()?,
            bytes: args.size.next_multiple_of(BLOCK),
            sector_bytes: args.sector.unwrap_or(align.clamp(512, 4096)),
            direct: takes_direct && args.direct_io != "no",
            fs: Some(args.fs.clone()).filter(|fs| fs != "none"),
            point: point.as_ref().map(|point| SavedPoint {
                path: text(point.path()),
                made: !point.is_there(),
            }),
            image: None,
            file_system: place.file_system(),
        };
        let unit = match args.unit {
            true => unit_files((&place, point.as_ref()), &saved, &context.host)?,
            false => Vec::new(),
        };
        Ok(LoopPlan {
            place,
            point,
            saved,
            inodes: args.inodes,
            unit,
            takes_direct,
            must_be_direct: args.direct_io == "yes",
            is_reserved: false,
        })
    }

    /// What the journal calls it.
    pub fn purpose(&self) -> String {
        clean(&format!("loop create {}", shell_word(&self.saved.path))).into_owned()
    }

    /// Paths of the files for systemd.
    pub fn unit_paths(&self) -> Vec<String> {
        self.unit.iter().map(|(path, _)| path.clone()).collect()
    }

    /// What would be made, for programs.
    pub fn document(&self) -> PlanDocument<'_> {
        PlanDocument {
            schema: "iodyno.loop-plan/1",
            file: &self.saved.path,
            bytes: self.saved.bytes,
            sector_bytes: self.saved.sector_bytes,
            direct_io: self.saved.direct,
            fs: self.saved.fs.as_deref(),
            mount: self.saved.point.as_ref().map(|point| point.path.as_str()),
            commands: shell::commands(self),
            unit: &self.unit,
        }
    }

    /// Fails before anything is made where something is missing: rights, programs, room.
    pub fn must_be_possible(&self, args: &CreateArgs) -> Result<(), Failure> {
        if !rights::is_root() || !rights::may_mount() {
            let message = "cannot make a loop device: setting it up and mounting it need root with CAP_SYS_ADMIN.";
            return Err(Failure::new(Exit::Rights, message).hint(
                "Run it with sudo. With --dry-run it shows the commands and makes nothing.",
            ));
        }
        file_system::must_be_installed(self)?;
        let Some(space) = self.place.space() else {
            return Ok(());
        };
        let reserve = scratch::reserve_bytes(space.total_bytes);
        match self.saved.bytes <= space.free_bytes.saturating_sub(reserve) {
            true => Ok(()),
            false => Err(self
                .no_room(&format!(
                    "{} are free, and {} of that stay for others",
                    units::bytes(space.free_bytes as f64),
                    units::bytes(reserve as f64)
                ))
                .on(shown(&args.file))),
        }
    }

    /// That the file does not fit.
    pub fn no_room(&self, why: &str) -> Failure {
        let message = format!(
            "no room for {} of {}: {why}.",
            clean(&self.saved.path),
            units::bytes(self.saved.bytes as f64)
        );
        Failure::new(Exit::Refused, message).why(why).hint(
            "Ask for less with --size, use another disk, or leave less to others with --keep-free.",
        )
    }

    /// Why to stop writing where space could not be reserved: others have taken what was to stay free.
    pub fn eaten(&self) -> Option<LoadError> {
        let space = self.place.space().filter(|_| !self.is_reserved)?;
        let reserve_bytes = scratch::reserve_bytes(space.total_bytes);
        let is_eaten = space.free_bytes < reserve_bytes - reserve_bytes / 16;
        is_eaten.then(|| LoadError::NoSpace {
            target: clean(&self.saved.path).into_owned(),
            wanted_bytes: self.saved.bytes,
            free_bytes: space.free_bytes,
            reserve_bytes,
        })
    }

    /// Fails where direct I/O was asked for in any case and the kernel does without.
    pub fn must_be_direct(&self, host: &Host, device: &str) -> Result<(), Failure> {
        let is_on = host.number(&format!("/sys/class/block/{device}/loop/dio")) == Some(1);
        if is_on || !self.must_be_direct {
            return Ok(());
        }
        let message = format!(
            "the kernel does no direct I/O from /dev/{device} to {}.",
            clean(&self.saved.path)
        );
        Err(Failure::new(Exit::Failed, message).hint(
            "Its sector may be smaller than that of the disk below: try --sector 4096. With --direct-io auto it goes through the page cache.",
        ))
    }
}

/// Options that need or exclude each other.
fn must_fit_together(args: &CreateArgs) -> Result<(), Failure> {
    let why = match args.fs.as_str() {
        "none" if args.mount.is_some() => "--mount needs a file system: --fs ext4 or --fs xfs",
        "xfs" if args.inodes.is_some() => {
            "xfs makes inodes as they are needed, so that --inodes says nothing: leave it out, or use --fs ext4"
        }
        "none" if args.inodes.is_some() => "--inodes is for a file system: --fs ext4",
        _ if args.size < LEAST => "--size is 1m at the least",
        _ if args.size > MOST => "--size is more than a file can have",
        _ => return Ok(()),
    };
    Err(Failure::usage(format!("{why}.")))
}

/// A mount on a directory above the file would hide it.
fn must_not_hide(place: &ImagePlace, point: Option<&PlannedPoint>) -> Result<(), Failure> {
    let above = point.filter(|point| place.path().starts_with(point.path()));
    let Some(point) = above.map(|point| shown(point.path())) else {
        return Ok(());
    };
    let message = format!(
        "cannot mount {} on {point}: the file lies below that directory, and the mount would hide it.",
        shown(place.path())
    );
    Err(Failure::new(Exit::Refused, message)
        .on(point)
        .hint("Mount on another directory, such as one beside the file."))
}

/// A directory that is not there yet is the most common mistake, and has one cure.
fn missing(error: host::Error, path: &Path) -> Failure {
    let is_missing = error.is_missing();
    let failure = Failure::from(error);
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    match parent.filter(|_| is_missing) {
        Some(parent) => failure.hint(format!(
            "Make its directory first: sudo mkdir -p {}",
            shell_word(&parent.to_string_lossy())
        )),
        None => failure,
    }
}

/// Whether files in the directory take direct I/O, and in what steps, bytes: asked of a nameless file. Where none can be
/// made there, as without rights, it is taken for a disk's.
fn direct(place: &ImagePlace) -> (bool, u32) {
    let directory = place.path().parent().map(Target::open);
    let file = directory.and_then(|directory| scratch::create(&directory.ok()?).ok());
    let Some(file) = file else {
        return (true, 512);
    };
    let align = file.direct_align_bytes();
    let takes_direct = align.is_some() && scratch::takes_direct(&file);
    (takes_direct, align.filter(|_| takes_direct).unwrap_or(512))
}

/// The files for systemd, where it can have them.
fn unit_files(
    (place, point): (&ImagePlace, Option<&PlannedPoint>),
    saved: &SavedLoop,
    host: &Host,
) -> Result<Vec<(String, String)>, Failure> {
    let refused = |why: &str, hint: String| {
        Err(Failure::new(
            Exit::Refused,
            format!("no unit for {}: {why}.", clean(&saved.path)),
        )
        .why(why)
        .hint(hint))
    };
    if !host.exists("/run/systemd/system") {
        let hint = format!(
            "Leave --unit out, and put this where this machine starts programs at boot (such as /etc/rc.local): {}",
            shell::bring_back(saved, "")
        );
        return refused("systemd does not run this machine", hint);
    }
    if place.is_in_memory() {
        return refused(
            "its file would lie in memory, which a reboot empties",
            "Name a file on a disk.".into(),
        );
    }
    if let Some(mount) = network(saved, host) {
        let hint = format!(
            "Leave --unit out, and write a unit after remote-fs.target that runs: {}",
            shell::bring_back(saved, "")
        );
        let why = format!(
            "{} is a network file system ({}), which comes after the local ones that this unit comes before",
            clean(&mount.point),
            clean(&mount.fstype)
        );
        return refused(&why, hint);
    }
    if let Some(open) = open_to_others(place, point)? {
        let why = format!(
            "users other than root may write to {}, and could put another file system in its place",
            shown(&open)
        );
        let hint = "Name a file and a directory below directories that only root may write to.";
        return refused(&why, hint.into());
    }
    let files = match unit::files(saved) {
        Ok(files) => files,
        Err(why) => {
            return refused(
                &why,
                "Use names of letters, digits and -_.:,+ alone.".into(),
            );
        }
    };
    match files.iter().find(|(path, _)| host.exists(path)) {
        Some((path, _)) => refused(
            &format!("{path} is there already"),
            format!("Look what it is for, and remove it: sudo rm {path}"),
        ),
        None => Ok(files),
    }
}

/// The network file system that the file or the mount point lies in.
fn network(saved: &SavedLoop, host: &Host) -> Option<Mount> {
    let mounts = Mounts::parse(&host.text("/proc/self/mountinfo")?);
    let point = saved.point.as_ref().map(|point| &point.path);
    let holding = std::iter::once(&saved.path).chain(point);
    let mut holding = holding.filter_map(|path| mounts.holding(path));
    holding.find(|mount| is_network(&mount.fstype)).cloned()
}

/// A directory in which others can exchange what leads to the file or the mount point.
fn open_to_others(
    place: &ImagePlace,
    point: Option<&PlannedPoint>,
) -> Result<Option<PathBuf>, Failure> {
    if let Some(open) = place.open_to_others()? {
        return Ok(Some(open));
    }
    Ok(point
        .map(PlannedPoint::open_to_others)
        .transpose()?
        .flatten())
}
