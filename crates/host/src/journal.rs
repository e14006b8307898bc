//! The write journal: nothing is written before its old value is on disk here.
//!
//! One file per changing command below `STATE/journal/`. A line is a checksum and a JSON entry. All old values are
//! saved and fsynced in one checkpoint before the first write; the file is removed once everything is verified to be
//! back. The owner holds a lock on it for life, so a journal that can be locked belongs to a process that died.

use crate::{Error, Host, Result, files};
use model::change::{Attribute, Restored, Saved, SavedFile, SavedTree};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
enum Entry {
    Begin { version: u32, pid: u32, boot_id: String, purpose: String, unix_ms: u64 },
    Saved { saved: Vec<Saved> },
    SavedFile { file: SavedFile },
    Tree { tree: SavedTree },
    Keep { paths: Vec<String> },
}

/// A journal's content as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalState {
    /// Process that wrote it.
    pub pid: u32,
    /// Boot in which it was written: kernel settings do not survive the next one.
    pub boot_id: String,
    /// The command, for people.
    pub purpose: String,
    /// When it began, ms since 1970.
    pub unix_ms: u64,
    /// Old values, in the order of saving.
    pub saved: Vec<Saved>,
    /// Files written, as they were.
    pub files: Vec<SavedFile>,
    /// Directories made for a load, to be removed.
    pub trees: Vec<SavedTree>,
}

/// An open journal: the permission to write settings.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    saved: Vec<Saved>,
    files: Vec<SavedFile>,
}

impl Journal {
    /// Begins a journal for a command.
    pub fn begin(state_dir: &Path, purpose: &str) -> Result<Journal> {
        let dir = state_dir.join("journal");
        files::create_dirs(&dir)?;
        let name = format!("{}-{}.journal", crate::clock::unix_ms(), std::process::id());
        let path = dir.join(name);
        let opened = File::options().create_new(true).read(true).append(true).open(&path);
        let file = opened.map_err(|error| Error::io("create", &path, error))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| Error::io("lock", &path, error))?;
        let mut journal = Journal { path, file, saved: Vec::new(), files: Vec::new() };
        journal.append(&Entry::Begin {
            version: 1,
            pid: std::process::id(),
            boot_id: boot_id(),
            purpose: purpose.to_string(),
            unix_ms: crate::clock::unix_ms(),
        })?;
        sync_dir(&dir)?;
        Ok(journal)
    }

    /// Saves the values that these attributes have now, each with its place in the order of restoring, and returns
    /// once they are on disk. One saved before keeps its first value.
    pub fn checkpoint(&mut self, host: &Host, attributes: &[(String, u8)]) -> Result<()> {
        let fresh: Vec<Saved> = attributes
            .iter()
            .filter(|(path, _)| !self.covers(path))
            .map(|(path, order)| Saved { path: path.clone(), old: host.attribute(path), order: *order })
            .collect();
        if !fresh.is_empty() {
            self.append(&Entry::Saved { saved: fresh.clone() })?;
            self.saved.extend(fresh);
        }
        Ok(())
    }

    /// The saved attributes.
    pub fn saved(&self) -> &[Saved] {
        &self.saved
    }

    fn covers(&self, path: &str) -> bool {
        self.saved.iter().any(|saved| saved.path == path)
    }

    /// Writes a setting that a checkpoint covers. What the kernel made of it is the caller's to read back.
    pub fn write(&self, path: &str, value: &str) -> Result<()> {
        if !self.covers(path) {
            return Err(Error::NotJournalled { path: path.to_string() });
        }
        write_attribute(path, value)
    }

    /// Writes a configuration file, its old content or absence saved first.
    pub fn write_file(&mut self, path: &str, content: &str) -> Result<()> {
        let old = match files::read_text(Path::new(path)) {
            Ok(text) => Some(text),
            Err(error) if error.errno() == Some(libc::ENOENT) => None,
            Err(error) => return Err(error),
        };
        let file = SavedFile { path: path.to_string(), old };
        self.append(&Entry::SavedFile { file: file.clone() })?;
        self.files.push(file);
        files::write_atomically(Path::new(path), content)
    }

    /// Writes down a directory that is about to be made and has to be removed at the end.
    pub fn add_tree(&mut self, tree: &SavedTree) -> Result<()> {
        self.append(&Entry::Tree { tree: tree.clone() })
    }

    /// Puts every setting back and verifies it, and goes on: the journal stays open for further writes.
    pub fn put_back(&self, host: &Host) -> Vec<Restored> {
        restore(host, &self.saved)
    }

    /// Puts everything back and verifies it. The journal is closed only when all is whole; else it stays for `undo`.
    pub fn revert(self, host: &Host) -> Result<Vec<Restored>> {
        let mut restored = self.put_back(host);
        restored.extend(restore_files(&self.files));
        if restored.iter().all(Restored::is_whole) {
            self.close()?;
        }
        Ok(restored)
    }

    /// Leaves the new values in place, and keeps the journal so that `undo` can still put the old ones back.
    pub fn keep(mut self) -> Result<PathBuf> {
        let paths = self.saved.iter().map(|saved| saved.path.clone()).collect();
        self.append(&Entry::Keep { paths })?;
        Ok(self.path)
    }

    /// Ends a journal that has nothing left to put back.
    pub fn close(self) -> Result<()> {
        files::remove(&self.path)?;
        self.path.parent().map_or(Ok(()), sync_dir)
    }

    fn append(&mut self, entry: &Entry) -> Result<()> {
        let json = serde_json::to_string(entry)
            .map_err(|error| Error::io("write", &self.path, std::io::Error::other(error)))?;
        let line = format!("{:016x} {json}\n", checksum(json.as_bytes()));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::io("write", &self.path, error))
    }
}

/// A journal that is still on disk: its process died, or it was kept on purpose by `apply`.
#[derive(Debug)]
pub struct Unfinished {
    /// The file; its name without the ending is the id that `undo` takes.
    pub path: PathBuf,
    /// Its content.
    pub state: JournalState,
    /// Whether `apply` left it on purpose.
    pub kept: bool,
    /// Whether the process that wrote it still runs.
    pub running: bool,
    file: File,
}

impl Unfinished {
    /// The id for `undo`.
    pub fn id(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Whether the machine has been booted since: then the kernel has its own values again and there is nothing to undo.
    pub fn is_of_an_earlier_boot(&self) -> bool {
        self.state.boot_id != boot_id()
    }

    /// Puts the old values back, verifies them and removes the journal when all is whole. Of a journal that still has
    /// its owner nothing is touched.
    pub fn undo(self, host: &Host) -> Result<Vec<Restored>> {
        if self.running || flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(Error::Locked { what: self.state.purpose.clone(), pid: self.state.pid.to_string() });
        }
        // Settings ended with the boot they were made in; files did not.
        let mut restored =
            if self.is_of_an_earlier_boot() { Vec::new() } else { restore(host, &self.state.saved) };
        restored.extend(restore_files(&self.state.files));
        restored.extend(self.state.trees.iter().map(remove_tree));
        if restored.iter().all(Restored::is_whole) {
            files::remove(&self.path)?;
        }
        Ok(restored)
    }
}

/// All journals on disk, oldest first, with what could not be read.
pub fn find_unfinished(state_dir: &Path) -> (Vec<Unfinished>, Vec<Error>) {
    let dir = state_dir.join("journal");
    let mut names = Host::live().list(&dir.to_string_lossy());
    names.retain(|name| name.ends_with(".journal"));
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for name in names {
        match open_unfinished(&dir.join(name)) {
            Ok(Some(journal)) => found.push(journal),
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    (found, errors)
}

fn open_unfinished(path: &Path) -> Result<Option<Unfinished>> {
    let file = match File::open(path) {
        // Its owner closed it between our listing and our opening.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| Error::io("open", path, error))?,
    };
    let running = flock(&file, FlockOperation::NonBlockingLockShared).is_err();
    let text = files::read_text(path)?;
    let Some((state, kept)) =
        parse(&text).map_err(|line| Error::Journal { path: path.to_path_buf(), line })?
    else {
        // Death came before the first line was whole: nothing was saved, so nothing was written.
        if !running {
            files::remove(path)?;
        }
        return Ok(None);
    };
    Ok(Some(Unfinished { path: path.to_path_buf(), state, kept, running, file }))
}

/// The journal's content; none when not even its first line is whole. A torn last line is what a power cut leaves: no
/// write followed it, for every write waits for its line. A damaged line before the last is an error with its number.
fn parse(text: &str) -> std::result::Result<Option<(JournalState, bool)>, usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Option<(JournalState, bool)> = None;
    for (index, line) in lines.iter().enumerate() {
        let Some(entry) = parse_line(line) else {
            return if index + 1 == lines.len() { Ok(found) } else { Err(index + 1) };
        };
        match (entry, &mut found) {
            (Entry::Begin { pid, boot_id, purpose, unix_ms, .. }, None) => {
                let (saved, files, trees) = (Vec::new(), Vec::new(), Vec::new());
                found = Some((JournalState { pid, boot_id, purpose, unix_ms, saved, files, trees }, false));
            }
            (Entry::SavedFile { file }, Some((state, _))) => state.files.push(file),
            (Entry::Tree { tree }, Some((state, _))) => state.trees.push(tree),
            (Entry::Saved { saved }, Some((state, _))) => state.saved.extend(saved),
            (Entry::Keep { .. }, Some((_, kept))) => *kept = true,
            _ => return Err(index + 1),
        }
    }
    Ok(found)
}

fn parse_line(line: &str) -> Option<Entry> {
    let (sum, json) = line.split_once(' ')?;
    let is_whole = u64::from_str_radix(sum, 16).ok()? == checksum(json.as_bytes());
    is_whole.then(|| serde_json::from_str(json).ok())?
}

/// FNV-1a: enough to tell a torn or flipped line from a whole one.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn write_attribute(path: &str, value: &str) -> Result<()> {
    // No O_CREAT and no O_TRUNC: an attribute that is gone must be an error, not a new file.
    let opened = File::options().write(true).open(path);
    opened
        .and_then(|mut file| file.write_all(value.as_bytes()))
        .map_err(|error| Error::io("write", path, error))
}

/// Puts attributes back in their order. A write can reset one restored before (a scheduler switch resets nr_requests,
/// a limit may reset read-ahead), so it goes round until a pass changes nothing, at most four times.
fn restore(host: &Host, saved: &[Saved]) -> Vec<Restored> {
    let mut ordered: Vec<&Saved> = saved.iter().collect();
    ordered.sort_by_key(|saved| saved.order);
    let mut outcome: Vec<Restored> = ordered.iter().map(|saved| restore_one(host, saved)).collect();
    for _ in 0..3 {
        let again: Vec<Restored> = ordered.iter().map(|saved| restore_one(host, saved)).collect();
        let is_settled = again.iter().all(|restored| !restored.written);
        for (first, latest) in outcome.iter_mut().zip(again) {
            let written = first.written || latest.written;
            *first = Restored { written, ..latest };
        }
        if is_settled {
            break;
        }
    }
    outcome
}

fn restore_one(host: &Host, saved: &Saved) -> Restored {
    let shown = |path: &str| selected(&host.attribute(path));
    let wanted = selected(&saved.old);
    let found = shown(&saved.path);
    let mut restored =
        Restored { path: saved.path.clone(), wanted: wanted.clone(), found, written: false, error: None };
    let Some(value) = wanted.value() else { return restored };
    if restored.found == wanted {
        return restored;
    }
    restored.written = true;
    restored.error = write_attribute(&saved.path, value).err().map(|error| error.to_string());
    restored.found = shown(&saved.path);
    restored
}

/// Puts files back, the latest written first, so that one written twice ends with its first content.
fn restore_files(saved: &[SavedFile]) -> Vec<Restored> {
    let as_attribute = |text: Option<String>| text.map_or(Attribute::Absent, Attribute::Value);
    let restore_one = |file: &SavedFile| {
        let path = Path::new(&file.path);
        let outcome = match &file.old {
            Some(old) => files::write_atomically(path, old),
            None => files::remove(path),
        };
        Restored {
            path: file.path.clone(),
            wanted: as_attribute(file.old.clone()),
            found: as_attribute(files::read_text(path).ok()),
            written: true,
            error: outcome.err().map(|error| error.to_string()),
        }
    };
    saved.iter().rev().map(restore_one).collect()
}

/// Removes what a load of small files left.
fn remove_tree(tree: &SavedTree) -> Restored {
    let outcome = crate::tree::remove(tree);
    let left = || Attribute::Value("a tree of files".to_string());
    Restored {
        path: tree.path.clone(),
        wanted: Attribute::Absent,
        found: if outcome.is_ok() { Attribute::Absent } else { left() },
        written: !matches!(outcome, Ok(false)),
        error: outcome.err().map(|error| error.to_string()),
    }
}

/// Of a choice attribute (`none [mq-deadline] bfq`) the chosen word; any other value as it is.
fn selected(attribute: &Attribute) -> Attribute {
    match attribute {
        Attribute::Value(text) => {
            let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            Attribute::Value(chosen.map_or(text.as_str(), |(word, _)| word).to_string())
        }
        other => other.clone(),
    }
}

fn boot_id() -> String {
    Host::live().text("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| Error::io("sync", dir, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(dir: &Path, name: &str, value: &str) -> String {
        let path = dir.join(name);
        std::fs::write(&path, format!("{value}\n")).unwrap();
        path.to_string_lossy().into_owned()
    }

    #[test]
    fn a_tree_of_a_load_that_died_is_removed_also_after_a_reboot() {
        let dir = files::temporary_dir("journal").unwrap();
        let parent = crate::Target::open(dir.path()).unwrap();
        let tree = crate::tree::plan(&parent).unwrap();
        let mut journal = Journal::begin(dir.path(), "run files").unwrap();
        journal.add_tree(&tree).unwrap();
        let made = crate::tree::Tree::create(&parent, &tree).unwrap();
        made.create_file("f0").unwrap();
        drop(journal);
        let mut left = find_unfinished(dir.path()).0.remove(0);
        assert_eq!(left.state.trees.first(), Some(&tree));
        left.state.boot_id = "another boot".into();
        let restored = left.undo(&Host::live()).unwrap();
        assert!(restored[0].is_whole() && restored[0].written, "{restored:?}");
        assert!(!Path::new(&tree.path).exists() && find_unfinished(dir.path()).0.is_empty());
    }

    #[test]
    fn writes_only_what_was_saved_and_puts_it_back() {
        let dir = files::temporary_dir("journal").unwrap();
        let depth = setting(dir.path(), "nr_requests", "256");
        let other = setting(dir.path(), "other", "1");
        let host = Host::live();
        let mut journal = Journal::begin(dir.path(), "tune loop0").unwrap();
        journal.checkpoint(&host, &[(depth.clone(), 1)]).unwrap();
        assert!(matches!(journal.write(&other, "2"), Err(Error::NotJournalled { .. })));
        journal.write(&depth, "999").unwrap();
        let restored = journal.revert(&host).unwrap();
        assert!(restored.iter().all(Restored::is_whole));
        assert_eq!(host.text(&depth).unwrap(), "256");
        assert!(find_unfinished(dir.path()).0.is_empty());
    }

    #[test]
    fn the_old_value_is_on_disk_before_the_write() {
        let dir = files::temporary_dir("journal").unwrap();
        let depth = setting(dir.path(), "nr_requests", "256");
        let host = Host::live();
        let mut journal = Journal::begin(dir.path(), "tune loop0").unwrap();
        journal.checkpoint(&host, &[(depth.clone(), 1), ("/nowhere".into(), 2)]).unwrap();
        let (found, errors) = find_unfinished(dir.path());
        assert!(errors.is_empty() && found[0].running, "the owner lives");
        assert_eq!(found[0].state.saved[0].old, Attribute::Value("256".into()));
        assert_eq!(found[0].state.saved[1].old, Attribute::Absent);
        let alive = found.into_iter().next().unwrap();
        assert!(matches!(alive.undo(&host), Err(Error::Locked { .. })));
        journal.write(&depth, "999").unwrap();
        drop(journal);
        let dead = find_unfinished(dir.path()).0.remove(0);
        assert!(!dead.running && !dead.kept);
        dead.undo(&host).unwrap();
        assert_eq!(host.text(&depth).unwrap(), "256");
        assert!(find_unfinished(dir.path()).0.is_empty());
    }

    #[test]
    fn a_torn_last_line_is_forgiven_and_a_damaged_middle_is_named() {
        let dir = files::temporary_dir("journal").unwrap();
        let depth = setting(dir.path(), "nr_requests", "256");
        let mut journal = Journal::begin(dir.path(), "tune").unwrap();
        journal.checkpoint(&Host::live(), &[(depth, 1)]).unwrap();
        let whole = files::read_text(&journal.path).unwrap();
        for cut in 0..whole.len() {
            let torn = parse(&whole[..cut]).unwrap_or_else(|line| panic!("cut at {cut}: line {line}"));
            assert!(torn.is_none_or(|(state, _)| state.saved.len() <= 1));
        }
        let damaged = whole.replacen("begin", "bogin", 1);
        assert_eq!(parse(&damaged).unwrap_err(), 1);
    }

    #[test]
    fn files_come_back_or_go() {
        let dir = files::temporary_dir("journal").unwrap();
        let (old, new) = (setting(dir.path(), "old.rules", "mine"), dir.path().join("new.rules"));
        let mut journal = Journal::begin(dir.path(), "apply 7").unwrap();
        journal.write_file(&old, "theirs\n").unwrap();
        journal.write_file(&old, "theirs again\n").unwrap();
        journal.write_file(&new.to_string_lossy(), "theirs\n").unwrap();
        journal.keep().unwrap();
        find_unfinished(dir.path()).0.remove(0).undo(&Host::live()).unwrap();
        assert_eq!(files::read_text(Path::new(&old)).unwrap(), "mine\n");
        assert!(!new.exists());
    }

    #[test]
    fn kept_journals_can_be_undone_later() {
        let dir = files::temporary_dir("journal").unwrap();
        let depth = setting(dir.path(), "nr_requests", "256");
        let host = Host::live();
        let mut journal = Journal::begin(dir.path(), "apply 7").unwrap();
        journal.checkpoint(&host, &[(depth.clone(), 1)]).unwrap();
        journal.write(&depth, "64").unwrap();
        journal.keep().unwrap();
        let kept = find_unfinished(dir.path()).0.remove(0);
        assert!(kept.kept && !kept.running);
        kept.undo(&host).unwrap();
        assert_eq!(host.text(&depth).unwrap(), "256");
    }
}
