//! Making a target ready: what it is, whether it may be loaded, how large it is, and that there is data to read.

use super::ceph::CephPlace;
use super::{Consent, Engine, LoadError, Needs, Runs, check, engines, gates, layout};
use host::files::{Access, DataFile, FileKind};
use host::signals::Stop;
use host::{Host, Target, scratch};
use model::job::{Job, SCRATCH_BYTES, Sharing};
use model::text::shown;
use model::units;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a load works on.
#[derive(Clone, Debug)]
pub enum LoadTarget {
    /// A directory, a file or a block device, opened when it was judged. Whatever is made below it or opened again goes
    /// through this.
    Opened(Arc<Target>),
    /// A pool or an image of a Ceph cluster.
    Ceph(Arc<CephPlace>),
}

/// The target itself.
#[derive(Clone, Debug)]
pub struct ScratchPlace {
    /// The machine.
    pub host: Host,
    /// What it is.
    pub target: LoadTarget,
    /// Kernel name of the block device whose queue acts below it, where there is one.
    pub device: Option<String>,
    /// Where what is made below a target is written down, so that it can be removed after a crash; none in tests.
    pub state_dir: Option<PathBuf>,
}

impl ScratchPlace {
    /// As the user named it.
    pub fn path(&self) -> &Path {
        match &self.target {
            LoadTarget::Opened(target) => target.path(),
            LoadTarget::Ceph(place) => &place.path,
        }
    }

    /// The directory, file or device that it is.
    ///
    /// # Errors
    /// Where it is a part of a Ceph cluster, on which this engine cannot work.
    pub fn opened(&self) -> Result<&Arc<Target>, LoadError> {
        match &self.target {
            LoadTarget::Opened(target) => Ok(target),
            LoadTarget::Ceph(place) => {
                Err(place.no_target("this engine works on files and devices"))
            }
        }
    }

    /// The part of a Ceph cluster that it is.
    pub fn ceph(&self) -> Option<&Arc<CephPlace>> {
        match &self.target {
            LoadTarget::Ceph(place) => Some(place),
            LoadTarget::Opened(_) => None,
        }
    }
}

/// A target that a load may be started on, again and again. A scratch file is gone when this is dropped; a device that
/// is to be written stays claimed until then.
#[derive(Debug)]
pub struct Prepared {
    target: String,
    place: Arc<ScratchPlace>,
    /// The files of each owner: one for all jobs, or one for each (`Sharing::Own`).
    files: Vec<Vec<DataFile>>,
    file_bytes: u64,
    /// Bytes at the beginning of each file that no job of the section reaches.
    unused_bytes: u64,
    align_bytes: u64,
    writable: bool,
    in_memory: bool,
    keep_cache: bool,
    notes: Vec<String>,
    /// Claims the device (O_EXCL): nobody can mount it or build an array on it meanwhile.
    _claim: Option<DataFile>,
}

impl Prepared {
    /// The target as the user named it, fit for a terminal.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The target itself.
    pub fn place(&self) -> &Arc<ScratchPlace> {
        &self.place
    }

    /// Says which block device's queue acts below the target: engines that look at its counters need it.
    pub fn set_device(&mut self, device: Option<String>) {
        let place = ScratchPlace {
            device,
            ..ScratchPlace::clone(&self.place)
        };
        self.place = Arc::new(place);
    }

    /// Says where to write down what is made below the target and has to be removed.
    pub fn set_state_dir(&mut self, state_dir: PathBuf) {
        let place = ScratchPlace {
            state_dir: Some(state_dir),
            ..ScratchPlace::clone(&self.place)
        };
        self.place = Arc::new(place);
    }

    /// The files of a job of the section.
    pub fn files(&self, job_index: u32) -> &[DataFile] {
        match self.files.len() {
            0 => &[],
            owners => &self.files[job_index as usize % owners],
        }
    }

    /// How many jobs have files of their own.
    pub fn owners(&self) -> usize {
        self.files.len()
    }

    /// All files.
    pub fn all_files(&self) -> impl Iterator<Item = &DataFile> {
        self.files.iter().flatten()
    }

    /// Where the part of each file ends that loads use; it begins at the job's `offset`.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Bytes of each file that each job uses from its own offset on, where the file has as many.
    pub fn job_bytes(&self, job: &Job) -> u64 {
        match (
            job.size_percent,
            job.size,
            self.files.first().and_then(|files| files.first()),
        ) {
            (0, size, _) if size > 0 && job.files.count() == 1 => size,
            (percent, _, Some(file)) if percent > 0 => percent_bytes(file.bytes(), percent),
            _ => u64::MAX,
        }
    }

    /// Waits until everything written to the files is on the device.
    pub fn sync(&self) -> Result<(), LoadError> {
        self.all_files().try_for_each(|file| Ok(file.sync()?))
    }

    /// Bytes of the target that all loads together use.
    pub fn bytes(&self) -> u64 {
        self.file_bytes.saturating_sub(self.unused_bytes)
            * self.files.iter().map(Vec::len).sum::<usize>() as u64
    }

    /// What blocks of direct I/O must be multiples of, bytes.
    pub fn align_bytes(&self) -> u64 {
        self.align_bytes
    }

    /// Whether jobs that write may be started.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// Whether the target lives in memory.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Lets buffered loads begin with what is in the page cache, as fio's `invalidate=0`: to measure the cache itself.
    pub fn keep_cache(&mut self) {
        self.keep_cache = true;
    }

    /// A part of a Ceph cluster: nothing is opened here.
    pub(super) fn of_ceph(
        host: &Host,
        place: CephPlace,
        bytes: u64,
        notes: Vec<String>,
    ) -> Prepared {
        Prepared {
            target: shown(&place.path),
            place: Arc::new(ScratchPlace {
                host: host.clone(),
                target: LoadTarget::Ceph(Arc::new(place)),
                device: None,
                state_dir: None,
            }),
            files: Vec::new(),
            file_bytes: bytes,
            unused_bytes: 0,
            align_bytes: 1,
            writable: true,
            in_memory: false,
            keep_cache: true,
            notes,
            _claim: None,
        }
    }

    /// Removes what was made in a cluster for the load, and gives what there is to say of it. What stays is written down,
    /// and `undo` removes it.
    pub fn remove_made(&self) -> Vec<String> {
        let place = self.place.ceph();
        place.map_or_else(Vec::new, |place| place.remove_made())
    }

    fn without_cache(self) -> Prepared {
        Prepared {
            keep_cache: false,
            ..self
        }
    }

    /// Whether loads begin with what is in the page cache.
    pub fn keeps_cache(&self) -> bool {
        self.keep_cache
    }

    /// What was found while making it ready, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Makes a target ready for a job. `progress` gets bytes written and bytes in all while a scratch file is laid out.
///
/// Errors name what is in the way; [`LoadError::exit`] tells usage, rights, refusals and failures apart. Nothing
/// is left behind by an error.
pub fn prepare(
    host: &Host,
    target: &Arc<Target>,
    job: &Job,
    consent: &Consent,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Prepared, LoadError> {
    let engine = check::job(job)?;
    if host.rehearsal().is_some() {
        return rehearsed(host, target, job, engine);
    }
    if !host.is_live() {
        return Err(none(
            target,
            "it belongs to a captured machine, and only the live one can be loaded",
        ));
    }
    loadable(target)?;
    engines::fio::refuse_ceph(job, target.path())?;
    if engine.needs == Needs::Pool {
        return Err(none(
            target,
            &format!("{} loads a pool of a Ceph cluster: rados://POOL", engine.id),
        ));
    }
    if engine.runs == Runs::Command && !consent.run_command {
        return Err(LoadError::CommandNotTyped);
    }
    let prepared = match target.kind() {
        _ if engine.needs != Needs::Files => bare(host, target),
        FileKind::Directory => directory(host, target, job, stop, progress)?,
        FileKind::File => one_file(job).and_then(|()| regular_file(host, target, job, consent))?,
        FileKind::BlockDevice { .. } => {
            one_file(job).and_then(|()| device(host, target, job, consent))?
        }
        FileKind::Other => return Err(none(target, NEITHER)),
    };
    check::fits(&prepared, job)?;
    Ok(prepared)
}

/// Nothing is made and nothing opened: the disk is simulated.
fn rehearsed(
    host: &Host,
    target: &Arc<Target>,
    job: &Job,
    engine: &Engine,
) -> Result<Prepared, LoadError> {
    if engine.needs != Needs::Files || engine.runs != Runs::PerJob {
        return Err(LoadError::usage(
            format!("--ioengine {}", engine.id),
            "a simulated disk has only loads of files and devices that iodyno makes itself",
            "Rehearse with io_uring, libaio or psync",
        ));
    }
    if job.rw.trims() {
        return Err(LoadError::usage(
            "--rw",
            "a simulated disk reads and writes, and knows no trim",
            "Rehearse with reads or writes",
        ));
    }
    loadable(target)?;
    let prepared = Prepared {
        file_bytes: scratch_bytes(job),
        align_bytes: 512,
        writable: true,
        ..bare(host, target)
    };
    check::fits(&prepared, job)?;
    Ok(prepared)
}

const NEITHER: &str = "it is neither directory, regular file nor block device";

/// Whether a target holds data at all, whatever the job: attributes of the kernel are settings, and pipes and terminals
/// keep nothing.
pub fn loadable(target: &Target) -> Result<(), LoadError> {
    match (target.kind(), target.kernel_file_system()) {
        (FileKind::Other, _) => Err(none(target, NEITHER)),
        (_, Some(kind)) => Err(none(
            target,
            &format!("{kind} holds attributes of the kernel and no data"),
        )),
        _ => Ok(()),
    }
}

fn none(target: &Target, why: &str) -> LoadError {
    LoadError::NoTarget {
        target: shown(target.path()),
        why: why.into(),
    }
}

/// For an engine that works on no files.
fn bare(host: &Host, target: &Arc<Target>) -> Prepared {
    Prepared {
        target: shown(target.path()),
        place: Arc::new(ScratchPlace {
            host: host.clone(),
            target: LoadTarget::Opened(Arc::clone(target)),
            device: None,
            state_dir: None,
        }),
        files: Vec::new(),
        file_bytes: 0,
        unused_bytes: 0,
        align_bytes: 1,
        writable: target.kind() == FileKind::Directory,
        in_memory: false,
        keep_cache: true,
        notes: Vec::new(),
        _claim: None,
    }
}

/// A file or a device is one; only a directory has room for several.
fn one_file(job: &Job) -> Result<(), LoadError> {
    let (files, sharing) = (job.files.count(), job.files.sharing);
    if files == 1 && (sharing != Sharing::Own || job.numjobs == 1) {
        return Ok(());
    }
    Err(LoadError::usage(
        if files > 1 {
            format!("--nrfiles={files}")
        } else {
            format!("--numjobs={} without --filename", job.numjobs)
        },
        "the job wants several files, and the target is one file or device",
        "Use a directory as the target, or give one --filename that all jobs share",
    ))
}

/// Scratch files, written in full: a first write would measure the allocation as well. A job that reads nothing may ask
/// for less (`fallocate`).
fn directory(
    host: &Host,
    dir: &Arc<Target>,
    job: &Job,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Prepared, LoadError> {
    if job.size_percent > 0 {
        return Err(LoadError::usage(
            format!("--size={}%", job.size_percent),
            "a share needs something to be a share of, and scratch files have no size yet",
            "Give the size in bytes, or an existing file or device as the target",
        ));
    }
    let first = scratch::create(dir)?;
    refuse_direct(dir, &first, job)?;
    let align_bytes = u64::from(first.direct_align_bytes().unwrap_or(first.block_bytes()));
    let file_bytes = scratch_bytes(job).next_multiple_of(align_bytes.max(4096));
    let owners = if job.files.sharing == Sharing::Own {
        job.numjobs
    } else {
        1
    };
    let count = u64::from(owners) * u64::from(job.files.count());
    let bytes = file_bytes * count;
    room(dir, bytes)?;
    let in_memory = first.is_in_memory();
    let access = Access {
        direct: scratch::takes_direct(&first),
        write: true,
        ..Access::default()
    };
    let mut done = 0;
    let mut fill = |file: &DataFile| -> Result<(), LoadError> {
        let writer = file.reopen(access)?;
        let mut told = |now: u64, _| progress(done + now, bytes);
        let eaten = || eaten(dir, bytes);
        layout::make(&writer, file_bytes, job, stop, &eaten, &mut told)?;
        done += file_bytes;
        Ok(())
    };
    let mut fresh =
        std::iter::once(Ok(first)).chain(std::iter::repeat_with(|| scratch::create(dir)));
    let mut files: Vec<Vec<DataFile>> = Vec::new();
    for _ in 0..owners {
        let mut own = Vec::new();
        for file in fresh.by_ref().take(job.files.count() as usize) {
            let file = file?;
            fill(&file)?;
            own.push(file);
        }
        files.push(own);
    }
    Ok(Prepared {
        notes: vec![scratch_note(dir, count, bytes)],
        file_bytes,
        unused_bytes: job.offset,
        align_bytes,
        writable: true,
        files,
        in_memory,
        ..bare(host, dir)
    }
    .without_cache())
}

fn scratch_note(dir: &Target, count: u64, bytes: u64) -> String {
    let what = if count == 1 {
        "scratch file".into()
    } else {
        format!("{count} scratch files, together")
    };
    let size = units::bytes(bytes as f64);
    format!(
        "{what} of {size} in {}, removed at the end",
        shown(dir.path())
    )
}

/// Bytes that each scratch file must have for the job.
pub(super) fn scratch_bytes(job: &Job) -> u64 {
    let size = if job.size == 0 {
        SCRATCH_BYTES
    } else {
        job.size
    };
    let files = u64::from(job.files.count());
    let each = if job.files.filesize > 0 {
        job.files.filesize
    } else {
        size.div_ceil(files)
    };
    each.saturating_add(last_start(job))
}

/// Where the range of the first job begins.
pub(super) fn job_start(job: &Job) -> u64 {
    job.offset
}

/// Where the range of the last job begins.
pub(super) fn last_start(job: &Job) -> u64 {
    let last = if job.files.sharing == Sharing::Shares {
        0
    } else {
        u64::from(job.numjobs) - 1
    };
    job.offset
        .saturating_add(job.offset_increment.saturating_mul(last))
}

fn room(dir: &Target, wanted_bytes: u64) -> Result<(), LoadError> {
    let Some(space) = dir.space() else {
        return Ok(());
    };
    let reserve_bytes = scratch::reserve_bytes(space.total_bytes);
    if wanted_bytes <= space.free_bytes.saturating_sub(reserve_bytes) {
        return Ok(());
    }
    Err(LoadError::NoSpace {
        target: shown(dir.path()),
        wanted_bytes,
        free_bytes: space.free_bytes,
        reserve_bytes,
    })
}

/// Why to stop writing: others took space meanwhile, and now the reserve is being used up. Its last sixteenth is left to
/// what the file system writes for itself.
fn eaten(dir: &Target, wanted_bytes: u64) -> Option<LoadError> {
    let space = dir.space()?;
    let (free_bytes, reserve_bytes) = (space.free_bytes, scratch::reserve_bytes(space.total_bytes));
    let is_eaten = free_bytes < reserve_bytes - reserve_bytes / 16;
    is_eaten.then(|| LoadError::NoSpace {
        target: shown(dir.path()),
        wanted_bytes,
        free_bytes,
        reserve_bytes,
    })
}

/// Direct I/O on a file system that has none is refused or, worse, accepted and ignored.
fn refuse_direct(target: &Target, file: &DataFile, job: &Job) -> Result<(), LoadError> {
    let error = |why: &str| {
        Err(LoadError::NoDirect {
            target: shown(target.path()),
            why: why.into(),
        })
    };
    if !job.direct {
        Ok(())
    } else if file.is_in_memory() {
        error("its file system lives in memory (tmpfs), there is no device below it")
    } else if file.direct_align_bytes().is_none() || !scratch::takes_direct(file) {
        error("its file system refuses O_DIRECT, as some FUSE and network file systems do")
    } else {
        Ok(())
    }
}

fn regular_file(
    host: &Host,
    target: &Arc<Target>,
    job: &Job,
    consent: &Consent,
) -> Result<Prepared, LoadError> {
    let path = target.path();
    let write = job.rw.changes();
    if write && !consent.overwrite {
        return Err(LoadError::NoOverwrite {
            target: shown(path),
        });
    }
    let mut notes = if write {
        gates::file(host, target)?
    } else {
        Vec::new()
    };
    let file = target.reopen(Access {
        write,
        ..Access::default()
    })?;
    refuse_direct(target, &file, job)?;
    let bytes = used_end(target, job, file.bytes())?;
    match file.written_bytes(bytes) {
        Some(0) if job.rw.reads() => return Err(LoadError::NothingWritten { target: shown(path), bytes }),
        Some(written) if written < bytes => notes.push(format!(
            "{} of {} in {} were never written: reads of those come from memory, first writes allocate space",
            units::bytes((bytes - written) as f64),
            units::bytes(bytes as f64),
            shown(path)
        )),
        _ => {}
    }
    let align_bytes = u64::from(file.direct_align_bytes().unwrap_or(file.block_bytes()));
    let in_memory = file.is_in_memory();
    Ok(Prepared {
        file_bytes: bytes,
        unused_bytes: job.offset,
        align_bytes,
        writable: write,
        in_memory,
        notes,
        files: vec![vec![file]],
        ..bare(host, target)
    }
    .without_cache())
}

fn device(
    host: &Host,
    target: &Arc<Target>,
    job: &Job,
    consent: &Consent,
) -> Result<Prepared, LoadError> {
    let write = job.rw.changes();
    let claimed = if write {
        Some(gates::claim(host, target, consent)?)
    } else {
        None
    };
    let (claim, mut notes) =
        claimed.map_or((None, Vec::new()), |(claim, notes)| (Some(claim), notes));
    let file = target.reopen(Access {
        write,
        ..Access::default()
    })?;
    let bytes = used_end(target, job, file.bytes())?;
    if job.rw.reads() {
        notes.push(format!(
            "blocks of {} that were never written or were trimmed may be answered without touching the medium",
            shown(target.path())
        ));
    }
    Ok(Prepared {
        file_bytes: bytes,
        unused_bytes: job.offset,
        align_bytes: u64::from(file.block_bytes()),
        writable: write,
        notes,
        files: vec![vec![file]],
        _claim: claim,
        ..bare(host, target)
    }
    .without_cache())
}

/// Where the bytes that the job uses end: those asked for, or all there are.
fn used_end(target: &Target, job: &Job, there: u64) -> Result<u64, LoadError> {
    let path = target.path();
    if there == 0 {
        return Err(LoadError::NoTarget {
            target: shown(path),
            why: "it is empty".into(),
        });
    }
    let start = last_start(job);
    let has = |advice: &str| {
        let mut what = format!("--size={}", job.size);
        if job.size_percent > 0 {
            what = format!("--size={}%", job.size_percent);
        }
        if start > 0 {
            what = format!("--offset={} {what}", units::bytes(start as f64));
        }
        LoadError::usage(
            what,
            format!("{} has {} only", shown(path), units::bytes(there as f64)),
            advice,
        )
    };
    let end = match (job.size_percent, job.size) {
        (0, 0) => there,
        (0, size) => start.saturating_add(size),
        // As in fio, a share that would reach over the end stops there.
        (percent, _) => start
            .saturating_add(percent_bytes(there, percent))
            .min(there),
    };
    if end > there {
        return Err(has("Ask for less, or leave the size out to use all of it"));
    }
    if start >= end {
        return Err(has("Begin earlier: nothing is left after the offset"));
    }
    Ok(end)
}

/// A share of the whole target, bytes.
fn percent_bytes(there: u64, percent: u8) -> u64 {
    (u128::from(there) * u128::from(percent.min(100)) / 100) as u64
}
