//! The write journal: nothing is written before its old value is on disk here.
//!
//! One file per changing command below `STATE/journal/`. It is born under a name that nobody looks for, locked, written
//! and synced, and only then named; so nobody ever sees one that is not whole, and its owner holds the lock for life. All
//! old values are saved and synced in one entry before the first write. Once everything was read back as it was, the
//! journal says so and is removed. Changes to one device form a stack, by `level`.

mod families;
mod left;
pub(crate) mod lines;
mod made_loop;
mod restore;

pub use left::{FoundJournals, Unfinished, WayOut, find_elsewhere, find_unfinished};
pub use lines::{Begin, Damage};

use crate::{DeviceLock, Error, Host, Reach, Result, durable, files, loop_removal};
use lines::JournalEntry;
use model::change::{
    Attribute, DeviceIdentity, FileContent, Restored, Saved, SavedFile, SavedGroup, SavedLoop,
    SavedObjects, SavedTree,
};
use model::kube::SavedKube;
use model::subject::Subject;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Ending of a journal's name.
pub(crate) const ENDING: &str = ".journal";
/// Beginning of the name under which one is born.
const UNBORN: &str = ".new-";
/// How long the unborn journal of a death is left alone, s: its owner may still be about to lock it.
const UNBORN_LEFT_S: u64 = 3600;
/// Mode of a configuration file that is new.
const NEW_FILE_MODE: u32 = 0o644;
/// What an attribute answers that the kernel has not set up (`wbt_lat_usec`). Any other refusal is a failed reading.
const NOT_SET_UP: [i32; 2] = [libc::EINVAL, libc::EOPNOTSUPP];

/// An open journal: the permission to write settings.
#[derive(Debug)]
pub struct Journal {
    host: Host,
    path: PathBuf,
    file: File,
    device: Option<DeviceIdentity>,
    machine: bool,
    saved: Vec<Saved>,
    files: Vec<SavedFile>,
    made_loop: Option<SavedLoop>,
    end: End,
}

impl Journal {
    /// Begins a journal for changes to the device whose lock is held.
    ///
    /// # Errors
    /// [`Error::Unfinished`] while an earlier command has left the device changed; [`Error::Untrusted`] for a state
    /// directory that others may write to.
    pub fn begin(
        host: &Host,
        state_dir: &Path,
        purpose: &str,
        lock: &DeviceLock,
    ) -> Result<Journal> {
        let level = 1 + Self::must_be_free(host, state_dir, lock)?;
        Self::born(host, state_dir, purpose, Some((lock, level)))
    }

    /// Whether no earlier command has left the device changed; gives the level of the last change that was kept.
    ///
    /// # Errors
    /// As of [`Journal::begin`], which asks the same.
    pub fn must_be_free(host: &Host, state_dir: &Path, lock: &DeviceLock) -> Result<u64> {
        let standing = left::standing(host, lock, state_dir)?;
        match standing.in_the_way {
            Some(unfinished) => Err(Error::Unfinished {
                device: lock.device().name.clone(),
                purpose: unfinished.begin.purpose.clone(),
                way: unfinished.way_out(host, state_dir),
            }),
            None => Ok(standing.level),
        }
    }

    /// Begins a journal for a load that makes files and changes no setting.
    ///
    /// # Errors
    /// [`Error::Untrusted`] for a state directory that others may write to.
    pub fn begin_for_files(host: &Host, state_dir: &Path, purpose: &str) -> Result<Journal> {
        Self::born(host, state_dir, purpose, None)
    }

    fn born(
        host: &Host,
        state_dir: &Path,
        purpose: &str,
        of: Option<(&DeviceLock, u64)>,
    ) -> Result<Journal> {
        let dir = state_dir.join("journal");
        durable::ensure(state_dir)?;
        durable::ensure(&dir)?;
        remove_unborn(&dir);
        let unique = u64::from_le_bytes(crate::random::bytes::<8>()?);
        let unborn = dir.join(format!("{UNBORN}{unique:016x}"));
        let file = durable::create(&unborn).map_err(|error| Error::io("create", &unborn, error))?;
        let device = of.map(|(lock, _)| lock.device().clone());
        let machine = of.is_some_and(|(lock, _)| lock.reach() == Reach::Machine);
        let begin = Begin {
            version: lines::VERSION,
            pid: std::process::id(),
            boot_id: boot_id(host),
            purpose: purpose.to_string(),
            unix_ms: crate::clock::unix_ms(),
            level: of.map_or(0, |(_, level)| level),
            device: device.clone(),
            machine,
        };
        let (saved, files) = (Vec::new(), Vec::new());
        let host = host.clone();
        let mut journal = Journal {
            host,
            path: unborn.clone(),
            file,
            device,
            machine,
            saved,
            files,
            made_loop: None,
            end: End::default(),
        };
        let named = journal.name(&begin, of.map(|(lock, _)| lock), &dir);
        if named.is_err() {
            let _ = durable::unlink(&unborn);
        }
        named.map(|()| journal)
    }

    /// Locks, writes and syncs it, and gives it its name.
    fn name(&mut self, begin: &Begin, lock: Option<&DeviceLock>, dir: &Path) -> Result<()> {
        let unborn = self.path.clone();
        let failed = |error: std::io::Error| Error::io("create", &unborn, error);
        if !durable::try_lock(&self.file, &self.path).map_err(failed)? {
            return Err(failed(std::io::Error::other(
                "another process has locked it",
            )));
        }
        self.append(&JournalEntry::Begin(begin.clone()))?;
        for attempt in 0.. {
            let path = dir.join(format!("{}-{}{ENDING}", begin.unix_ms + attempt, begin.pid));
            if let Some(lock) = lock {
                lock.register(&path)?;
            }
            match durable::rename_new(&self.path, &path) {
                Err(error)
                    if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < 100 => {}
                renamed => {
                    renamed.map_err(failed)?;
                    self.path = path;
                    break;
                }
            }
        }
        durable::sync_dir(dir).map_err(|error| {
            let _ = durable::unlink(&self.path);
            Error::io("sync", dir, error)
        })
    }

    /// Its id for `undo`.
    pub fn id(&self) -> String {
        id_of(&self.path)
    }

    /// Saves the values that these attributes have now, each with its place in the order of restoring, and returns
    /// once they are on disk. One saved before keeps its first value.
    ///
    /// # Errors
    /// [`Error::Foreign`] for a path that is no setting of the journal's device; [`Error::Io`] for one that cannot be
    /// read, since it could not be put back.
    pub fn checkpoint(&mut self, attributes: &[(String, u8)]) -> Result<()> {
        let mut fresh: Vec<Saved> = Vec::new();
        for (path, order) in attributes {
            self.owns(path)?;
            if !self.covers(path) && !fresh.iter().any(|saved| saved.path == *path) {
                // Before the value: of a subject that is exchanged between the two, a write is refused then.
                let mark = mark(&self.host, path);
                let old = self.host.attribute(path);
                if let Attribute::Refused(errno) = old
                    && !NOT_SET_UP.contains(&errno)
                {
                    return Err(Error::io(
                        "read",
                        path,
                        std::io::Error::from_raw_os_error(errno),
                    ));
                }
                fresh.push(Saved {
                    path: path.clone(),
                    old,
                    order: *order,
                    mark,
                });
            }
        }
        if !fresh.is_empty() {
            self.append(&JournalEntry::Saved {
                saved: fresh.clone(),
            })?;
            self.saved.extend(fresh);
        }
        Ok(())
    }

    /// The value that a setting had before the first write; none where it was not saved or had none.
    pub fn old(&self, path: &str) -> Option<&str> {
        let saved = self.saved.iter().find(|saved| saved.path == path)?;
        saved.old.value()
    }

    /// The places of all settings that were saved.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.saved.iter().map(|saved| saved.path.as_str())
    }

    fn owns(&self, path: &str) -> Result<()> {
        let is_own = families::is_setting_of(self.device.as_ref(), self.machine, path);
        let owner = || {
            self.device
                .as_ref()
                .map_or("a load", |device| &device.name)
                .to_string()
        };
        if is_own {
            Ok(())
        } else {
            Err(Error::Foreign {
                path: path.to_string(),
                owner: owner(),
            })
        }
    }

    fn covers(&self, path: &str) -> bool {
        self.saved.iter().any(|saved| saved.path == path)
    }

    /// Writes a setting whose old value a checkpoint has. What the kernel made of it is the caller's to read back.
    ///
    /// # Errors
    /// [`Error::NotJournalled`] where no old value is known that could be put back.
    pub fn write(&self, path: &str, value: &str) -> Result<()> {
        let has_old = |saved: &Saved| saved.path == path && saved.old.value().is_some();
        let Some(saved) = self.saved.iter().find(|saved| has_old(saved)) else {
            return Err(Error::NotJournalled {
                path: path.to_string(),
            });
        };
        let whose = restore::whose(saved, self.device.as_ref());
        self.host.write_attribute(path, value, &whose)
    }

    /// Writes a configuration file, its old content or absence saved first.
    ///
    /// # Errors
    /// [`Error::Foreign`] for a file that is none of iodyno's.
    pub fn write_file(&mut self, path: &str, content: &str) -> Result<()> {
        if !families::is_own_file(path) {
            return Err(Error::Foreign {
                path: path.to_string(),
                owner: "iodyno".into(),
            });
        }
        let old = files::read_whole(&self.host.place(path))?;
        self.replace_file(path, old, content)
    }

    /// Changes a file of somebody else's that is still what the change was made of; it is saved first.
    ///
    /// # Errors
    /// [`Error::Foreign`] for a file that is none of those that may be changed; [`Error::Io`] where it is not what was
    /// shown with the change.
    pub fn edit_file(&mut self, path: &str, before: &str, content: &str) -> Result<()> {
        if !families::is_others_file(path) {
            return Err(Error::Foreign {
                path: path.to_string(),
                owner: "iodyno".into(),
            });
        }
        let old = files::read_whole(&self.host.place(path))?;
        let is_same = |old: &FileContent| old.bytes().is_some_and(|it| it == before.as_bytes());
        if !old.as_ref().is_some_and(is_same) {
            let changed = std::io::Error::other("it has changed since the change was shown");
            return Err(Error::io("write", path, changed));
        }
        self.replace_file(path, old, content)
    }

    fn replace_file(&mut self, path: &str, old: Option<FileContent>, content: &str) -> Result<()> {
        let place = self.host.place(path);
        let us = (
            rustix::process::geteuid().as_raw(),
            rustix::process::getegid().as_raw(),
        );
        let (mode, owner) = old
            .as_ref()
            .map_or((NEW_FILE_MODE, us), |old| (old.mode, (old.uid, old.gid)));
        let new = FileContent::new(content.as_bytes(), mode, owner);
        let directory = place.parent().filter(|_| families::is_drop_in(path));
        let directory = directory.filter(|directory| !directory.exists());
        let expected = old.clone();
        let file = SavedFile {
            path: path.to_string(),
            old,
            new: new.clone(),
            made_directory: directory.is_some(),
        };
        self.append(&JournalEntry::SavedFile { file: file.clone() })?;
        self.files.push(file);
        if let Some(directory) = directory {
            crate::config_file::make_directory(directory)?;
        }
        files::replace(&place, &new, expected.as_ref()).inspect_err(|_| {
            // What was refused was not written: it is as it was, whatever somebody wrote there meanwhile. What cannot be read may be written.
            let is_other = files::read_whole(&place).is_ok_and(|now| now.as_ref() != Some(&new));
            if is_other {
                self.files.pop();
            }
        })
    }

    /// Writes down a directory that is about to be made and has to be removed at the end.
    pub fn add_tree(&mut self, tree: &SavedTree) -> Result<()> {
        self.append(&JournalEntry::Tree { tree: tree.clone() })
    }

    /// Writes down a control group that is about to be made and has to be removed at the end.
    pub fn add_group(&mut self, group: &SavedGroup) -> Result<()> {
        self.append(&JournalEntry::Group {
            group: group.clone(),
        })
    }

    /// Writes down a loop device that is about to be made, or what is known of it by now: the last one counts. It goes
    /// with everything else unless the journal is kept.
    pub fn set_loop(&mut self, made: &SavedLoop) -> Result<()> {
        self.append(&JournalEntry::Loop { made: made.clone() })?;
        self.made_loop = Some(made.clone());
        Ok(())
    }

    /// Writes down objects in a pool that are about to be made and have to be removed at the end.
    pub fn add_objects(&mut self, objects: &SavedObjects) -> Result<()> {
        self.append(&JournalEntry::Objects {
            objects: objects.clone(),
        })
    }

    /// Writes down an object in a Kubernetes cluster that is about to be made, or what is known of it by now: the last one
    /// counts. It has to be removed at the end.
    pub fn set_kube(&mut self, made: &SavedKube) -> Result<()> {
        self.append(&JournalEntry::Kube { made: made.clone() })
    }

    /// Puts every setting back and reads it back, and goes on: the journal stays open for further writes.
    pub fn put_back(&self) -> Vec<Restored> {
        restore::settings(&self.host, &self.saved, self.device.as_ref())
    }

    /// The same for some of the settings.
    pub fn put_back_of(&self, paths: &[String]) -> Vec<Restored> {
        let chosen = self
            .saved
            .iter()
            .filter(|saved| paths.contains(&saved.path));
        let chosen: Vec<Saved> = chosen.cloned().collect();
        restore::settings(&self.host, &chosen, self.device.as_ref())
    }

    /// Puts everything back and reads it back. The journal is closed only when all is whole; else it stays for `undo`.
    pub fn revert(self) -> Result<Vec<Restored>> {
        let mut restored = self.put_back();
        if let Some(made) = &self.made_loop {
            restored.extend(loop_removal::remove(&self.host, made, true, false));
        }
        if restored.iter().all(Restored::is_whole) || self.made_loop.is_none() {
            restored.extend(restore::files(&self.host, &self.files));
        }
        if restored.iter().all(Restored::is_whole) {
            self.close()?;
        }
        Ok(restored)
    }

    /// Leaves the new values in place, and the journal, so that `undo` can still put the old ones back. Gives its id.
    pub fn keep(&mut self) -> Result<String> {
        let shown = self
            .saved
            .iter()
            .map(|saved| (saved.path.clone(), self.host.attribute(&saved.path)));
        self.append(&JournalEntry::Keep {
            shown: shown.collect(),
        })?;
        Ok(self.id())
    }

    /// Ends a journal that has nothing left to put back.
    pub fn close(mut self) -> Result<()> {
        // On a full disk the word is missing and the file goes all the same.
        let _ = self.append(&JournalEntry::Done);
        remove(&self.path)
    }

    fn append(&mut self, entry: &JournalEntry) -> Result<()> {
        self.end.append(&self.file, &self.path, entry)?;
        let is_begin = matches!(entry, JournalEntry::Begin(_));
        match is_begin {
            true => Ok(()),
            false => durable::mark(&self.file, &self.path)
                .map_err(|error| Error::io("mark", &self.path, error)),
        }
    }
}

/// Where a journal's whole lines end.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    bytes: u64,
    /// Checksum of the last line, on which the next one builds.
    sum: u64,
    /// A line could not be written and not be taken back: nothing more may be said.
    is_spoilt: bool,
}

impl End {
    fn append(&mut self, file: &File, path: &Path, entry: &JournalEntry) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("write", path, error);
        if self.is_spoilt {
            return Err(failed(std::io::Error::other(
                "an earlier line could not be written",
            )));
        }
        let (line, sum) =
            lines::line(entry, self.sum).map_err(|error| failed(std::io::Error::other(error)))?;
        if let Err(error) = durable::append(file, path, line.as_bytes()) {
            // The next line must not stand behind half of this one.
            self.is_spoilt = durable::truncate(file, path, self.bytes).is_err();
            return Err(failed(error));
        }
        *self = End {
            bytes: self.bytes + line.len() as u64,
            sum,
            is_spoilt: false,
        };
        Ok(())
    }
}

/// Removes a journal that is locked, whole and finished.
fn remove(path: &Path) -> Result<()> {
    durable::unlink(path).map_err(|error| Error::io("remove", path, error))?;
    let dir = path.parent().unwrap_or(Path::new("."));
    durable::sync_dir(dir).map_err(|error| Error::io("sync", dir, error))
}

fn id_of(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What tells the subject of a path from another that has it later.
fn mark(host: &Host, path: &str) -> Option<String> {
    let (subject, _) = Subject::of_path(path)?;
    host.subject_mark(&subject)
}

fn boot_id(host: &Host) -> String {
    host.text("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
}

/// Removes what deaths before the birth have left: nothing was written by those.
fn remove_unborn(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let unborn = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(UNBORN));
    for entry in unborn {
        let is_old = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| {
                time.elapsed()
                    .is_ok_and(|elapsed| elapsed.as_secs() > UNBORN_LEFT_S)
            });
        let path = entry.path();
        if is_old
            && durable::open(&path).is_ok_and(|file| {
                file.is_some_and(|file| durable::try_lock(&file, &path).unwrap_or(false))
            })
        {
            let _ = durable::unlink(&path);
        }
    }
}

#[cfg(test)]
mod prefixes;
#[cfg(test)]
mod tests;
