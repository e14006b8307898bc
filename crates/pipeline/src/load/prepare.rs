//! Making a target ready: what it is, whether it may be loaded, how large it is, and that there is data to read.

use super::error::shown;
use super::{Consent, LoadError, check, gates, layout};
use host::files::{self, Access, DataFile, Kind};
use host::signals::Stop;
use host::{Host, scratch};
use model::job::Job;
use model::units;
use std::path::Path;

/// Scratch size where the job names none.
const SCRATCH_BYTES: u64 = 1 << 30;

/// A target that a load may be started on, again and again. A scratch file is gone when this is dropped; a device that
/// is to be written stays claimed until then.
#[derive(Debug)]
pub struct Prepared {
    target: String,
    file: DataFile,
    bytes: u64,
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

    /// Bytes of the target that loads use.
    pub fn bytes(&self) -> u64 {
        self.bytes
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

    /// Whether loads begin with what is in the page cache.
    pub fn keeps_cache(&self) -> bool {
        self.keep_cache
    }

    /// What was found while making it ready, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The file or device.
    pub fn file(&self) -> &DataFile {
        &self.file
    }
}

/// Makes a target ready for a job. `progress` gets bytes written and bytes in all while a scratch file is laid out.
///
/// Errors name what is in the way; [`LoadError::exit_class`] tells usage, rights, refusals and failures apart. Nothing
/// is left behind by an error.
pub fn prepare(
    host: &Host,
    target: &Path,
    job: &Job,
    consent: &Consent,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Prepared, LoadError> {
    check::job(job)?;
    let none = |why: &str| LoadError::NoTarget { target: shown(target), why: why.into() };
    if !host.is_live() {
        return Err(none("it belongs to a captured machine, and only the live one can be loaded"));
    }
    let prepared = match files::kind(target)? {
        Kind::Directory => directory(target, job, stop, progress)?,
        Kind::File => regular_file(target, job, consent)?,
        Kind::BlockDevice { .. } => device(host, target, job, consent)?,
        Kind::Other => return Err(none("it is neither directory, regular file nor block device")),
    };
    check::fits(&prepared, job)?;
    Ok(prepared)
}

/// A scratch file, written in full whatever the job does: a first write would measure the allocation as well.
fn directory(
    dir: &Path,
    job: &Job,
    stop: &Stop,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Prepared, LoadError> {
    let file = scratch::create(dir)?;
    refuse_direct(dir, &file, job)?;
    let align_bytes = u64::from(file.direct_align_bytes().unwrap_or(file.block_bytes()));
    let wanted = if job.size == 0 { SCRATCH_BYTES } else { job.size };
    let bytes = wanted.next_multiple_of(align_bytes.max(4096));
    room(dir, bytes)?;
    let direct = scratch::takes_direct(&file);
    let writer = file.reopen(Access { direct, write: true, exclusive: false })?;
    layout::write_all(&writer, bytes, stop, progress)?;
    Ok(Prepared {
        target: shown(dir),
        bytes,
        align_bytes,
        writable: true,
        in_memory: file.is_in_memory(),
        keep_cache: false,
        notes: vec![format!(
            "scratch file of {} in {}, removed at the end",
            units::bytes(bytes as f64),
            shown(dir)
        )],
        file,
        _claim: None,
    })
}

fn room(dir: &Path, wanted_bytes: u64) -> Result<(), LoadError> {
    let space = Host::live().space(&dir.to_string_lossy());
    let Some(space) = space else { return Ok(()) };
    let reserve_bytes = scratch::reserve_bytes(space.total_bytes);
    if wanted_bytes <= space.free_bytes.saturating_sub(reserve_bytes) {
        return Ok(());
    }
    Err(LoadError::NoSpace { target: shown(dir), wanted_bytes, free_bytes: space.free_bytes, reserve_bytes })
}

/// Direct I/O on a file system that has none is refused or, worse, accepted and ignored.
fn refuse_direct(target: &Path, file: &DataFile, job: &Job) -> Result<(), LoadError> {
    let error = |why: &str| Err(LoadError::NoDirect { target: shown(target), why: why.into() });
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

fn regular_file(path: &Path, job: &Job, consent: &Consent) -> Result<Prepared, LoadError> {
    let write = job.rw.writes();
    if write && !consent.overwrite {
        return Err(LoadError::NoOverwrite { target: shown(path) });
    }
    let file = DataFile::open(path, Access { direct: false, write, exclusive: false })?;
    refuse_direct(path, &file, job)?;
    let bytes = used_bytes(path, job.size, file.bytes())?;
    let mut notes = Vec::new();
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
        target: shown(path),
        bytes,
        align_bytes,
        writable: write,
        in_memory,
        keep_cache: false,
        notes,
        file,
        _claim: None,
    })
}

fn device(host: &Host, path: &Path, job: &Job, consent: &Consent) -> Result<Prepared, LoadError> {
    let write = job.rw.writes();
    let claim = if write { Some(gates::claim(host, path, consent)?) } else { None };
    let file = DataFile::open(path, Access { direct: false, write, exclusive: false })?;
    let bytes = used_bytes(path, job.size, file.bytes())?;
    let mut notes = Vec::new();
    if job.rw.reads() {
        notes.push(format!(
            "blocks of {} that were never written or were trimmed may be answered without touching the medium",
            shown(path)
        ));
    }
    Ok(Prepared {
        target: shown(path),
        bytes,
        align_bytes: u64::from(file.block_bytes()),
        writable: write,
        in_memory: false,
        keep_cache: false,
        notes,
        file,
        _claim: claim,
    })
}

/// The size asked for, or all there is.
fn used_bytes(path: &Path, wanted: u64, there: u64) -> Result<u64, LoadError> {
    if there == 0 {
        return Err(LoadError::NoTarget { target: shown(path), why: "it is empty".into() });
    }
    if wanted > there {
        return Err(LoadError::usage(
            format!("--size={wanted}"),
            format!("{} has {} only", shown(path), units::bytes(there as f64)),
            "Ask for less, or leave the size out to use all of it",
        ));
    }
    Ok(if wanted == 0 { there } else { wanted })
}
