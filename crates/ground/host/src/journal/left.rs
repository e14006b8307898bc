//! Journals that are on disk: of a process that runs, that died, or of an `apply` that keeps its settings.

use super::lines::{self, JournalEntry};
use super::{ENDING, End, boot_id, families, id_of, remove, restore};
use crate::device_lock::{Lookers, journals_of_all};
use crate::{
    Begin, Damage, DeviceLock, Error, Host, Reach, Result, clock, durable, files, life,
    loop_removal,
};
use model::change::{
    Attribute, Restored, Saved, SavedFile, SavedGroup, SavedLoop, SavedObjects, SavedTree,
};
use model::kube::SavedKube;
use model::text::{clean, shell_word};
use std::fs::File;
use std::path::{Path, PathBuf};

/// How long another command may look at a journal before it counts as in use, ms.
const PATIENCE_MS: u64 = 2_000;
/// Between two attempts to lock it, ms. Simulated processes wait for their turn instead.
const PAUSE_MS: u64 = if cfg!(test) { 0 } else { 5 };
/// Ending of the name of a damaged journal of which nothing more can be put back.
const SALVAGED: &str = "damaged";

/// A journal that is still on disk.
#[derive(Debug)]
pub struct Unfinished {
    /// The file; its name without the ending is the id that `undo` takes.
    pub path: PathBuf,
    /// Who made it, when and of what.
    pub begin: Begin,
    /// Old values, in the order of saving.
    pub saved: Vec<Saved>,
    /// Files written, as they were.
    pub files: Vec<SavedFile>,
    /// Directories made for a load, to be removed.
    pub trees: Vec<SavedTree>,
    /// Control groups made for a load, to be removed.
    pub groups: Vec<SavedGroup>,
    /// A loop device made for good, or on the way to be.
    pub made_loop: Option<SavedLoop>,
    /// Objects made in pools of Ceph clusters for a load, to be removed.
    pub objects: Vec<SavedObjects>,
    /// Objects made in Kubernetes clusters, to be removed.
    pub kube: Vec<SavedKube>,
    /// What `apply` left on purpose: each attribute with what it showed then. None where nothing was to stay.
    pub kept: Option<Vec<(String, Attribute)>>,
    /// Whether the process that wrote it still runs.
    pub running: bool,
    /// Whether the machine has been booted since: then the kernel has its own values again.
    pub is_of_an_earlier_boot: bool,
    /// The first line that is not what was written.
    pub damage: Option<Damage>,
    is_done: bool,
    end: End,
    /// Bytes of the file that a death has torn off.
    is_torn: bool,
    /// Whole lines.
    lines: usize,
    file: File,
}

/// What to do about a journal that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOut {
    /// What the command does, after `to`: `put it back`.
    pub aim: &'static str,
    /// The option that `undo` needs for it; none where the journal's id is enough.
    pub option: Option<&'static str>,
    /// The command.
    pub command: String,
}

/// What journals are there, oldest first, and what could not be looked at.
#[derive(Debug, Default)]
pub struct FoundJournals {
    /// The journals.
    pub journals: Vec<Unfinished>,
    /// What is not believed, cannot be opened, or is of another version.
    pub errors: Vec<Error>,
    /// Damaged journals of which nothing more can be put back: what their damaged lines held may still be changed.
    pub salvaged: Vec<PathBuf>,
}

impl Unfinished {
    /// An object in a cluster, or what is known of it by now.
    fn knows(&mut self, made: SavedKube) {
        self.kube.retain(|known| !known.is_about(&made));
        self.kube.push(made);
    }

    /// The id for `undo`.
    pub fn id(&self) -> String {
        id_of(&self.path)
    }

    /// The process that writes it, in words: whether it runs or stands still.
    pub fn owner(&self) -> String {
        life::in_words(self.begin.pid, life::PUT_BACK)
    }

    /// Whether it waits for somebody to undo it: its process died, nobody wanted it kept, and a reboot since has not
    /// undone it. Files outlive a boot, settings do not.
    pub fn is_pending(&self) -> bool {
        let is_left = !self.is_of_an_earlier_boot || self.has_lasting();
        let is_finished_loop = self.made_loop.is_some() && self.kept.is_some();
        let is_damaged = self.damage.is_some() && !is_finished_loop;
        !self.running && (is_damaged || (self.kept.is_none() && is_left))
    }

    /// Whether it has what outlives a boot: files, directories, a loop device's file, objects of a cluster.
    pub fn has_lasting(&self) -> bool {
        let has_files = !self.trees.is_empty() || !self.files.is_empty();
        let has_objects = !self.objects.is_empty() || !self.kube.is_empty();
        has_files || self.made_loop.is_some() || has_objects
    }

    /// Whether its process may run where this one does not see it: inside a container neither the processes of the host nor,
    /// on an overlay, their locks are seen.
    pub fn may_run_unseen(&self) -> bool {
        !self.running
            && !self.is_of_an_earlier_boot
            && !life::in_first_namespaces()
            && life::process(self.begin.pid) == life::Process::Gone
            && durable::is_on_overlay(&self.file)
    }

    /// What somebody whose state directory is this one can do about it.
    pub fn way_out(&self, host: &Host, state_dir: &Path) -> WayOut {
        if let Some(made) = self.finished_loop() {
            return self.way_out_of_loop(made, state_dir);
        }
        let (aim, option) = if self.damage.is_some() {
            ("put it back", Some("--salvage"))
        } else if self.went_with_its_device(host) {
            let aim = "remove its journal (its settings went with the device)";
            (aim, Some("--forget"))
        } else {
            ("put it back", None)
        };
        let command = self.command(option, state_dir);
        WayOut {
            aim,
            option,
            command,
        }
    }

    /// Whether `undo` has nothing to write and cannot end: settings went with their device, and nothing else is out of
    /// its place.
    fn went_with_its_device(&self, host: &Host) -> bool {
        let has_made = self.has_lasting() || !self.groups.is_empty();
        if self.is_of_an_earlier_boot || has_made {
            return false;
        }
        let (gone, here) = self.gone_and_here(host);
        let is_back = || restore::compare(host, &here).iter().all(Restored::is_whole);
        !gone.iter().all(Restored::is_whole) && is_back()
    }

    fn command(&self, option: Option<&str>, state_dir: &Path) -> String {
        let words = [Some("iodyno undo"), option, Some(&self.id())];
        let command = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        self.with_state_dir(command, state_dir)
    }

    /// The state directory that it lies in.
    pub(super) fn state_dir(&self) -> &Path {
        let journals = self.path.parent();
        journals.and_then(Path::parent).unwrap_or(Path::new(""))
    }

    pub(super) fn with_state_dir(&self, command: String, state_dir: &Path) -> String {
        let own = self.state_dir();
        if own == state_dir {
            return command;
        }
        format!(
            "IODYNO_STATE_DIR={} {command}",
            shell_word(&own.to_string_lossy())
        )
    }

    /// Puts the old values back, reads them back and removes the journal when all is whole.
    ///
    /// # Errors
    /// [`Error::Locked`] while its owner runs or another holds its device; [`Error::Beneath`] while later changes stand
    /// on it; [`Error::Journal`] when it is damaged. Nothing is written then.
    pub fn undo(self, host: &Host, state_dir: &Path) -> Result<Vec<Restored>> {
        let Some((journal, lock)) = self.lock(host, "undo")? else {
            return Ok(Vec::new());
        };
        if let Some(damage) = &journal.damage {
            return Err(Error::Journal {
                path: journal.path.clone(),
                line: damage.line,
                known: journal.known(state_dir),
            });
        }
        journal.must_hold_no_data()?;
        journal.must_be_on_top(host, lock.as_ref(), state_dir)?;
        let restored = journal.restore(host, false)?;
        if restored.iter().all(Restored::is_whole) {
            journal.finish()?;
        }
        Ok(restored)
    }

    /// Puts back what the whole lines of a damaged journal say. The file stays, under a name that no command looks for, once nothing is
    /// left to put back: what was set on a device, a mount, a group or for an interrupt that is another one now never will be, nor a
    /// file that somebody has edited since. One that is whole is undone as ever.
    ///
    /// # Errors
    /// As of [`Unfinished::undo`].
    pub fn salvage(self, host: &Host, state_dir: &Path) -> Result<Vec<Restored>> {
        let Some((journal, lock)) = self.lock(host, "undo --salvage")? else {
            return Ok(Vec::new());
        };
        journal.must_hold_no_data()?;
        journal.must_be_on_top(host, lock.as_ref(), state_dir)?;
        let restored = journal.restore(host, false)?;
        if journal.damage.is_none() {
            if restored.iter().all(Restored::is_whole) {
                journal.finish()?;
            }
            return Ok(restored);
        }
        let (gone, _) = journal.gone_and_here(host);
        let is_gone = |one: &Restored| gone.iter().any(|it| it.path == one.path);
        let is_settled = |one: &Restored| one.is_whole() || one.edited.is_some() || is_gone(one);
        if restored.iter().all(is_settled) {
            let aside = journal.path.with_extension(SALVAGED);
            durable::rename_new(&journal.path, &aside)
                .map_err(|error| Error::io("rename to", &aside, error))?;
        }
        Ok(restored)
    }

    /// Removes a journal without writing anything else: for a device that is gone and will not come back, for files that
    /// somebody has edited since, and for objects of a cluster that answers no more; those carry how they are found by hand.
    ///
    /// # Errors
    /// [`Error::NotForgotten`] while a setting is in place that it could put back, or an object that it could remove.
    pub fn forget(self, host: &Host) -> Result<Vec<Restored>> {
        let Some((journal, _lock)) = self.lock(host, "undo --forget")? else {
            return Ok(Vec::new());
        };
        let mut settings = match journal.is_of_an_earlier_boot {
            true => Vec::new(),
            false => restore::compare(host, &journal.gone_and_here(host).1),
        };
        settings.extend(journal.objects.iter().map(restore::compare_objects));
        settings.extend(journal.kube.iter().map(restore::compare_kube));
        let changed = settings
            .iter()
            .find(|setting| !setting.is_whole() && setting.error.is_none())
            .map(|setting| {
                format!(
                    "{} is {} and was {}",
                    setting.path, setting.found, setting.wanted
                )
            });
        let trees = journal.trees.iter().map(|tree| &tree.path);
        let mut made = trees.chain(journal.groups.iter().map(|group| &group.path));
        let made = made.find(|path| Path::new(path).exists());
        let of_loop = journal.made_loop.as_ref().and_then(|made| {
            match loop_removal::state(host, made, !journal.is_of_an_earlier_boot) {
                Ok(found) if found.is_gone() => None,
                Ok(_) => Some(format!("{} is still there", made.path)),
                Err(error) => Some(format!("nobody knows whether it is gone: {error}")),
            }
        });
        let is_ours = |file: &&SavedFile| {
            file.old.as_ref() != Some(&file.new)
                && files::read_whole(&host.place(&file.path))
                    .is_ok_and(|found| found.as_ref() == Some(&file.new))
        };
        let file = journal
            .files
            .iter()
            .find(is_ours)
            .map(|file| format!("{} is as iodyno wrote it", file.path));
        let reason = changed
            .or(file)
            .or_else(|| made.map(|path| format!("{path} is still there")))
            .or(of_loop);
        let damaged = journal
            .damage
            .as_ref()
            .map(|_| "it is damaged; --salvage puts back what is whole".to_string());
        if let Some(why) = damaged.or(reason) {
            let (purpose, id) = (journal.begin.purpose.clone(), journal.id());
            return Err(Error::NotForgotten { purpose, id, why });
        }
        journal.finish()?;
        Ok(settings)
    }

    /// Takes what its settings show now for what was left in place. Nothing but the journal is written, and `undo` still
    /// puts the old values back.
    ///
    /// # Errors
    /// [`Error::NotAccepted`] for one that is damaged, that nobody kept, or of an earlier boot.
    pub fn accept(self, host: &Host) -> Result<()> {
        let Some((mut journal, _lock)) = self.lock(host, "undo --accept")? else {
            return Ok(());
        };
        let refused = match (&journal.damage, &journal.kept) {
            (Some(_), _) => Some("it is damaged"),
            (_, None) => Some("nothing of it was left in place on purpose"),
            _ if journal.is_of_an_earlier_boot => Some("its settings ended with their boot"),
            _ => None,
        };
        if let Some(why) = refused {
            let (purpose, id) = (journal.begin.purpose.clone(), journal.id());
            let why = why.to_string();
            return Err(Error::NotAccepted { purpose, id, why });
        }
        // What a death has torn off must not stand before the new line.
        if journal.is_torn {
            durable::truncate(&journal.file, &journal.path, journal.end.bytes)
                .map_err(|error| Error::io("write", &journal.path, error))?;
        }
        let shown = journal.saved.iter();
        let shown = shown.map(|saved| (saved.path.clone(), host.attribute(&saved.path)));
        let entry = JournalEntry::Keep {
            shown: shown.collect(),
        };
        journal.end.append(&journal.file, &journal.path, &entry)
    }

    /// The same journal, locked and read again, with the lock of its device; none when another command has undone it
    /// meanwhile.
    pub(super) fn lock(
        self,
        host: &Host,
        purpose: &str,
    ) -> Result<Option<(Unfinished, Option<DeviceLock>)>> {
        let failed = |error: std::io::Error| Error::io("lock", &self.path, error);
        let lock = match &self.begin.device {
            Some(device) => {
                // Files are named after the device's name, whichever disk has it now.
                let now = host
                    .device_identity(&device.name)
                    .unwrap_or_else(|| device.clone());
                let reach = match self.begin.machine {
                    true => Reach::Machine,
                    false => Reach::Device,
                };
                Some(DeviceLock::take_of(
                    host,
                    &now,
                    (reach, Lookers::Ignored),
                    purpose,
                )?)
            }
            None => None,
        };
        let until_ns = clock::outer::monotonic_ns() + PATIENCE_MS * 1_000_000;
        // Who only looks locks it for a moment; its owner does for life.
        while !durable::try_lock(&self.file, &self.path).map_err(failed)? {
            let is_owned = self.running && life::process(self.begin.pid) != life::Process::Gone;
            if is_owned || clock::outer::monotonic_ns() > until_ns {
                let what = format!("`{}`", self.begin.purpose);
                return Err(Error::Locked {
                    what,
                    holder: self.owner(),
                });
            }
            clock::outer::sleep_ms(PAUSE_MS);
        }
        if !durable::is_named(&self.file, &self.path) {
            return Ok(None);
        }
        let again = read(host, self.path, self.file, false)?;
        Ok(Some((again, lock)))
    }

    /// Why its device is not the one that has its name now; none where it is.
    pub fn another_device(&self, host: &Host) -> Option<String> {
        host.another_device(self.begin.device.as_ref()?)
    }

    /// Changes form a stack: an older one is not taken from beneath a later one that has the same settings or files.
    fn must_be_on_top(
        &self,
        host: &Host,
        lock: Option<&DeviceLock>,
        state_dir: &Path,
    ) -> Result<()> {
        let Some(lock) = lock else { return Ok(()) };
        // What cannot be read is told by whoever lists the journals; it keeps nobody from taking back the others.
        let (all, _) = all(host, lock, state_dir)?;
        let mut above: Vec<&Unfinished> = all
            .iter()
            .filter(|other| other.path != self.path && self.shared_with(other).is_some())
            .collect();
        above.retain(|other| other.begin.level > self.begin.level);
        above.sort_by_key(|other| std::cmp::Reverse(other.begin.level));
        let Some(what) = above.first().and_then(|other| self.shared_with(other)) else {
            return Ok(());
        };
        let names: Vec<String> = above
            .iter()
            .map(|other| format!("{} ({})", other.begin.purpose, other.id()))
            .collect();
        let is_foreign = |other: &&Unfinished| other.path.parent() != self.path.parent();
        let command = match above.iter().find(|other| is_foreign(other)) {
            Some(other) => format!("{} (first)", other.way_out(host, state_dir).command),
            None => format!("iodyno undo --with-later {}", self.id()),
        };
        Err(Error::Beneath {
            purpose: self.begin.purpose.clone(),
            id: self.id(),
            what,
            above: names.join(", "),
            command,
        })
    }

    /// A setting or file that another journal has too. Settings end with their boot, files do not.
    pub fn shared_with(&self, other: &Unfinished) -> Option<String> {
        let is_one_device = match (&self.begin.device, &other.begin.device) {
            (Some(own), Some(others)) => own.is_still(others).is_ok(),
            _ => false,
        };
        let is_of_now = !self.is_of_an_earlier_boot && !other.is_of_an_earlier_boot;
        let can_be_one = |path: &str| is_one_device || families::is_of_machine(path);
        let settings = self
            .saved
            .iter()
            .filter(|saved| is_of_now && can_be_one(&saved.path))
            .map(|saved| &saved.path);
        let setting = settings
            .into_iter()
            .find(|path| other.saved.iter().any(|saved| saved.path == **path));
        let is_its_file = |path: &&String| other.files.iter().any(|file| file.path == **path);
        setting
            .or_else(|| self.files.iter().map(|file| &file.path).find(is_its_file))
            .cloned()
    }

    /// What becomes of the settings that went with their device or with whom they served, and the others: the machine's
    /// stay when a device goes.
    fn gone_and_here(&self, host: &Host) -> (Vec<Restored>, Vec<Saved>) {
        let device = self.begin.device.as_ref();
        let (mut gone, mut here) = (Vec::new(), Vec::new());
        for saved in &self.saved {
            let left = restore::of_another(host, saved, device);
            match left {
                Some(left) => gone.push(left),
                None => here.push(saved.clone()),
            }
        }
        (gone, here)
    }

    pub(super) fn restore(&self, host: &Host, keeps_file: bool) -> Result<Vec<Restored>> {
        self.must_name_own_paths()?;
        if let Some(made) = &self.made_loop {
            let is_same_boot = !self.is_of_an_earlier_boot;
            let mut restored = loop_removal::remove(host, made, is_same_boot, keeps_file);
            // While it is in use, what attaches it at boot stays as well.
            if restored.iter().all(Restored::is_whole) {
                restored.extend(restore::files(host, &self.files));
            }
            return Ok(restored);
        }
        // Settings ended with the boot they were made in; files did not.
        let mut restored = if self.is_of_an_earlier_boot {
            Vec::new()
        } else {
            let (gone, here) = self.gone_and_here(host);
            let mut restored = restore::settings(host, &here, self.begin.device.as_ref());
            restored.extend(gone);
            restored.extend(self.groups.iter().map(restore::group));
            restored
        };
        restored.extend(restore::files(host, &self.files));
        restored.extend(self.trees.iter().map(restore::tree));
        restored.extend(self.objects.iter().map(restore::objects));
        // A claim waits for the pods that use it, which were made after it.
        restored.extend(self.kube.iter().rev().map(restore::of_kube));
        Ok(restored)
    }

    /// Whoever wrote it, a path that no knob owns is not written.
    fn must_name_own_paths(&self) -> Result<()> {
        let device = self.begin.device.as_ref();
        let is_own = |path: &str| families::is_setting_of(device, self.begin.machine, path);
        let setting = self
            .saved
            .iter()
            .map(|saved| &saved.path)
            .find(|path| !is_own(path));
        let file = self
            .files
            .iter()
            .find(|file| !families::is_put_back(file))
            .map(|file| &file.path);
        let owner = || device.map_or("a load", |device| &device.name).to_string();
        let made = self.made_loop.as_ref();
        let made = made.filter(|made| !loop_removal::is_own(made));
        match setting.or(file).or(made.map(|made| &made.path)) {
            Some(path) => Err(Error::Foreign {
                path: path.clone(),
                owner: owner(),
            }),
            None => Ok(()),
        }
    }

    /// What the whole lines of a damaged journal say, and how to go on.
    fn known(&self, state_dir: &Path) -> String {
        let values: Vec<String> = self
            .saved
            .iter()
            .map(|saved| {
                format!(
                    "\n  {} was {}",
                    clean(&saved.path),
                    clean(&saved.old.to_string())
                )
            })
            .collect();
        let damage = self
            .damage
            .as_ref()
            .map(|damage| damage.text.clone())
            .unwrap_or_default();
        let known = match values.is_empty() {
            true => "No old value is whole in it.".to_string(),
            false => format!("What is whole in it:{}", values.concat()),
        };
        let text: String = clean(&damage).chars().take(2_000).collect();
        format!(
            "{known}\nThe damaged line: {text}\nTo put back what is whole: {}",
            self.command(Some("--salvage"), state_dir)
        )
    }

    /// Says that all is done, and removes it.
    pub(super) fn finish(mut self) -> Result<()> {
        let is_whole = self.damage.is_none()
            && (!self.is_torn || durable::truncate(&self.file, &self.path, self.end.bytes).is_ok());
        if is_whole {
            // On a full disk the word is missing and the file goes all the same.
            let _ = self.end.append(&self.file, &self.path, &JournalEntry::Done);
        }
        remove(&self.path)
    }
}

/// All journals of a state directory, oldest first, with what could not be read.
pub fn find_unfinished(host: &Host, state_dir: &Path) -> FoundJournals {
    let dir = state_dir.join("journal");
    let mut found = FoundJournals::default();
    // Where the directory of all is not believed, nothing in it is.
    for dir in [state_dir, &dir] {
        match durable::check(dir) {
            Ok(true) => {}
            Ok(false) => return found,
            Err(error) => {
                found.errors.push(error);
                return found;
            }
        }
    }
    let names = Host::live().list(&dir.to_string_lossy());
    let is_salvaged = |name: &&String| name.ends_with(&format!(".{SALVAGED}"));
    found.salvaged = names
        .iter()
        .filter(is_salvaged)
        .map(|name| dir.join(name))
        .collect();
    for name in names.iter().filter(|name| name.ends_with(ENDING)) {
        match open(host, dir.join(name)) {
            Ok(Some(journal)) => found.journals.push(journal),
            Ok(None) => {}
            Err(error) => found.errors.push(error),
        }
    }
    found
        .journals
        .sort_by_key(|journal| (journal.begin.level, journal.begin.unix_ms));
    found
}

/// The journals of this boot that lie in other state directories. What cannot be looked at is left out.
pub fn find_elsewhere(host: &Host, state_dir: &Path) -> Vec<Unfinished> {
    let own = state_dir.join("journal");
    let others = journals_of_all(host)
        .into_iter()
        .filter(|path| path.parent() != Some(&own));
    others
        .filter_map(|path| open_trusted(host, path).ok().flatten())
        .collect()
}

/// A journal of a directory that nobody else may write to.
fn open_trusted(host: &Host, path: PathBuf) -> Result<Option<Unfinished>> {
    match path.parent().map(durable::check) {
        Some(Ok(true)) => open(host, path),
        _ => Ok(None),
    }
}

/// The journals of a state directory, and those of others that were made on a device in this boot.
fn all(
    host: &Host,
    lock: &DeviceLock,
    state_dir: &Path,
) -> Result<(Vec<Unfinished>, Option<Error>)> {
    let FoundJournals {
        mut journals,
        errors,
        ..
    } = find_unfinished(host, state_dir);
    for path in lock.journals()? {
        let is_new = !journals.iter().any(|journal| journal.path == path);
        if is_new {
            journals.extend(open_trusted(host, path)?);
        }
    }
    Ok((journals, errors.into_iter().next()))
}

/// What a new change to a device meets.
pub(super) struct Standing {
    /// A change that nobody wanted kept: it has to be put back first.
    pub in_the_way: Option<Unfinished>,
    /// The highest level of all changes.
    pub level: u64,
}

/// The changes that stand, of whatever state directory.
pub(super) fn standing(host: &Host, lock: &DeviceLock, state_dir: &Path) -> Result<Standing> {
    let (all, unread) = all(host, lock, state_dir)?;
    // What cannot be read may be about this device.
    if let Some(error) = unread {
        return Err(error);
    }
    let level = all
        .iter()
        .map(|journal| journal.begin.level)
        .max()
        .unwrap_or(0);
    let is_in_the_way = |journal: &Unfinished| {
        let is_of_machine = journal.begin.machine && lock.reach() == Reach::Machine;
        let is_of_device = match &journal.begin.device {
            Some(_) if is_of_machine => true,
            Some(own) => own.name == lock.device().name && own.is_still(lock.device()).is_ok(),
            // The line that would name it is damaged.
            None => journal.damage.is_some() && journal.made_loop.is_none(),
        };
        is_of_device
            && !journal.is_of_an_earlier_boot
            && (journal.kept.is_none() || journal.damage.is_some())
    };
    Ok(Standing {
        in_the_way: all.into_iter().find(is_in_the_way),
        level,
    })
}

/// A journal as it is now; none where there is none any more, or it is finished.
fn open(host: &Host, path: PathBuf) -> Result<Option<Unfinished>> {
    let Some(file) = durable::open(&path)? else {
        return Ok(None);
    };
    let failed = |error: std::io::Error| Error::io("look at", &path, error);
    let running = durable::is_locked(&file, &path).map_err(failed)?;
    let journal = read(host, path, file, running)?;
    // Death came between the last two steps: everything was read back, the name alone is left.
    if journal.is_done && journal.damage.is_none() {
        if !journal.running {
            let _ = journal
                .lock(host, "undo")
                .map(|locked| locked.map(|(journal, _)| journal.finish()));
        }
        return Ok(None);
    }
    Ok(Some(journal))
}

fn read(host: &Host, path: PathBuf, file: File, running: bool) -> Result<Unfinished> {
    let bytes = durable::read(&file, &path).map_err(|error| Error::io("read", &path, error))?;
    let text = lines::read(&bytes);
    let mut journal = Unfinished {
        path,
        begin: Begin::default(),
        saved: Vec::new(),
        files: Vec::new(),
        trees: Vec::new(),
        groups: Vec::new(),
        made_loop: None,
        objects: Vec::new(),
        kube: Vec::new(),
        kept: None,
        running,
        is_of_an_earlier_boot: false,
        damage: text.damage,
        is_done: false,
        end: End {
            bytes: text.whole_bytes,
            sum: text.sum,
            is_spoilt: false,
        },
        is_torn: text.whole_bytes < bytes.len() as u64,
        lines: text.lines,
        file,
    };
    let mut has_begun = false;
    for entry in text.entries {
        take(&mut journal, &mut has_begun, entry);
    }
    let stated = match has_begun {
        true => Some(journal.begin.version),
        false => stated_version(&bytes),
    };
    if let Some(version) = stated.filter(|version| *version != lines::VERSION) {
        return Err(Error::JournalVersion {
            path: journal.path,
            version,
            reads: lines::VERSION,
        });
    }
    if !has_begun {
        // It gets its name with its first line on the disk, so one without is damaged.
        let text = String::from_utf8_lossy(&bytes).chars().take(200).collect();
        journal.damage.get_or_insert(Damage { line: 1, text });
        journal.begin.purpose = "a command whose name is damaged".into();
    }
    journal.is_of_an_earlier_boot = has_begun && journal.begin.boot_id != boot_id(host);
    if has_begun
        && !running
        && let Some(text) = cut_off(&journal, &bytes)
    {
        let line = journal.lines + 1;
        journal.damage.get_or_insert(Damage { line, text });
    }
    Ok(journal)
}

/// What says that a journal's end is missing. Whoever dies while a line is written has written no setting after it; whoever cuts a file
/// cuts off what says that something was. One cannot be told from the other, but in a later boot, where settings are gone.
fn cut_off(journal: &Unfinished, bytes: &[u8]) -> Option<String> {
    if journal.is_of_an_earlier_boot {
        return None;
    }
    let rest = bytes.get(journal.end.bytes as usize..).unwrap_or_default();
    let is_marked = durable::is_marked(&journal.file);
    match journal.lines {
        _ if !rest.is_empty() => Some(String::from_utf8_lossy(rest).chars().take(200).collect()),
        0 | 1 if is_marked => Some("its lines behind the first one are cut off".into()),
        _ => None,
    }
}

/// Takes one entry of a journal into what is known of it.
fn take(journal: &mut Unfinished, has_begun: &mut bool, entry: JournalEntry) {
    match entry {
        JournalEntry::Begin(begin) if !*has_begun => {
            *has_begun = true;
            journal.begin = begin;
        }
        JournalEntry::Begin(_) => {
            journal.damage.get_or_insert(Damage {
                line: 1,
                text: "it begins twice".into(),
            });
        }
        JournalEntry::Saved { saved } => journal.saved.extend(saved),
        JournalEntry::SavedFile { file } => journal.files.push(file),
        JournalEntry::Tree { tree } => journal.trees.push(tree),
        JournalEntry::Group { group } => journal.groups.push(group),
        JournalEntry::Loop { made } => journal.made_loop = Some(made),
        JournalEntry::Objects { objects } => journal.objects.push(objects),
        JournalEntry::Kube { made } => journal.knows(made),
        JournalEntry::Keep { shown } => journal.kept = Some(shown),
        JournalEntry::Done => journal.is_done = true,
    }
}

/// The version that the first line of a journal of another form states.
fn stated_version(bytes: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    let rest = text
        .lines()
        .next()?
        .split_once("\"version\":")?
        .1
        .trim_start()
        .to_string();
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}
