//! A directory of iodyno's own below a user's, for loads of many small files, and its removal whatever happened.
//!
//! Only what iodyno made is ever removed: the directory must carry the marker file with the id that the journal names,
//! only entries with iodyno's own names are touched, no link is followed, and no mount point is entered. Anything else
//! that lies in it stays and is told. All of it goes by descriptors of directories, from the one that was opened as the
//! target, or from one found on a way without links of others.

use crate::data_tree::EntryStat;
use crate::files::CacheUse;
use crate::{Error, Result, Target, output, walk};
use model::change::SavedTree;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Advice, AtFlags, Dir, Mode, OFlags};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file that says whose the directory is.
const MARKER: &str = ".iodyno-tree";

/// What the directory's name begins with; the id follows.
const PREFIX: &str = "iodyno-tree-";

/// Directories below each other that are entered at most: far more than any tree made here has.
const MOST_LEVELS: u32 = 64;

pub(crate) const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);

/// Decides where a tree below `parent` would be, and its id; makes nothing, so that it can be written down first.
pub fn plan(parent: &Target) -> Result<SavedTree> {
    let parent = parent.resolved()?;
    let id = format!("{:x}-{}", crate::clock::unix_ms(), output::unguessable()?);
    let path = parent.join(format!("{PREFIX}{id}"));
    let path = path.to_str().map(str::to_string).ok_or_else(|| {
        Error::io(
            "make a tree in",
            &parent,
            std::io::Error::other("its name is not UTF-8 and cannot be journalled"),
        )
    })?;
    Ok(SavedTree { path, id })
}

/// An open tree. Paths given to its functions are relative to it.
#[derive(Debug)]
pub struct Tree {
    place: TreePlace,
    root: OwnedFd,
    saved: SavedTree,
}

/// Where a tree's name is: the directory, held open, and the name.
#[derive(Debug)]
struct TreePlace {
    parent: OwnedFd,
    name: OsString,
}

/// A file of a tree, of ours or of others.
#[derive(Debug)]
pub struct TreeFile(OwnedFd);

impl Tree {
    /// Makes the planned directory and its marker in the parent that it was planned for, both for this user alone.
    pub fn create(parent: &Target, saved: &SavedTree) -> Result<Tree> {
        let path = Path::new(&saved.path);
        let failed = |error: rustix::io::Errno| Error::io("create", path, error);
        let held = parent
            .as_fd()
            .try_clone_to_owned()
            .map_err(|error| Error::io("create", path, error))?;
        let place = TreePlace {
            parent: held,
            name: format!("{PREFIX}{}", saved.id).into(),
        };
        rustix::fs::mkdirat(&place.parent, &place.name, Mode::RWXU).map_err(failed)?;
        let root = rustix::fs::openat(&place.parent, &place.name, DIRECTORY, Mode::empty())
            .map_err(failed)?;
        // Whoever may write to the parent can put another directory in the place of this one.
        refuse_foreign(root.as_fd(), "create", path)?;
        if !holds_nothing_but(root.as_fd(), &[]).map_err(failed)? {
            return Err(Error::refused(
                "create",
                path,
                "another directory was put in its place",
            ));
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let marker =
            rustix::fs::openat(&root, MARKER, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        rustix::io::write(&marker, format!("{}\n", saved.id).as_bytes()).map_err(failed)?;
        rustix::fs::fsync(&marker).map_err(failed)?;
        Ok(Tree {
            place,
            root,
            saved: saved.clone(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.saved.path)
    }

    /// An error on something in it.
    pub fn error(&self, action: &'static str, relative: &str, source: std::io::Error) -> Error {
        Error::io(action, self.path().join(relative), source)
    }

    /// Makes a directory.
    pub fn mkdir(&self, relative: &str) -> std::io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.root, relative, Mode::RWXU)?)
    }

    /// Makes a new file, open for writing.
    pub fn create_file(&self, relative: &str) -> std::io::Result<TreeFile> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(TreeFile(rustix::fs::openat(
            &self.root,
            relative,
            flags,
            Mode::RUSR | Mode::WUSR,
        )?))
    }

    /// Opens a file for reading.
    pub fn open_file(&self, relative: &str) -> std::io::Result<TreeFile> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(TreeFile(rustix::fs::openat(
            &self.root,
            relative,
            flags,
            Mode::empty(),
        )?))
    }

    /// Size of a file, bytes.
    pub fn stat(&self, relative: &str) -> std::io::Result<u64> {
        Ok(rustix::fs::statat(&self.root, relative, AtFlags::SYMLINK_NOFOLLOW)?.st_size as u64)
    }

    /// Gives a file another name.
    pub fn rename(&self, from: &str, to: &str) -> std::io::Result<()> {
        Ok(rustix::fs::renameat(&self.root, from, &self.root, to)?)
    }

    /// Removes a file.
    pub fn unlink(&self, relative: &str) -> std::io::Result<()> {
        Ok(rustix::fs::unlinkat(
            &self.root,
            relative,
            AtFlags::empty(),
        )?)
    }

    /// Waits until all that was written to its file system is on the device.
    pub fn sync(&self) -> std::io::Result<()> {
        Ok(rustix::fs::syncfs(&self.root)?)
    }

    /// Whether it lives in memory (tmpfs, ramfs).
    pub fn is_in_memory(&self) -> bool {
        crate::mounts::is_memory(self.root.as_fd())
    }

    /// Removes all of it, wherever its path leads meanwhile.
    pub fn remove(&self) -> Result<()> {
        remove_root(&self.place, self.root.as_fd(), &self.saved).map(|_| ())
    }
}

impl AsFd for Tree {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }
}

impl From<TreeFile> for OwnedFd {
    fn from(file: TreeFile) -> OwnedFd {
        file.0
    }
}

impl TreeFile {
    /// A file that was opened.
    pub(crate) fn over(fd: OwnedFd) -> TreeFile {
        TreeFile(fd)
    }

    /// What it is and how long.
    pub fn stat(&self) -> std::io::Result<EntryStat> {
        Ok(EntryStat::of(&rustix::fs::fstat(&self.0)?))
    }

    /// What the page cache holds of its first `bytes`.
    pub fn cache_use(&self, bytes: u64) -> std::io::Result<CacheUse> {
        crate::cachestat::cache_use(self.0.as_fd(), 0, bytes)
    }

    /// Appends all of a buffer.
    pub fn write_all(&self, mut buffer: &[u8]) -> std::io::Result<()> {
        while !buffer.is_empty() {
            match rustix::io::write(&self.0, buffer) {
                Ok(0) => return Err(std::io::Error::from_raw_os_error(libc::ENOSPC)),
                Ok(written) => buffer = &buffer[written..],
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads on; 0 at the end.
    pub fn read(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| {
            rustix::io::read(&self.0, &mut *buffer)
        })?)
    }

    /// Waits until it is on the device.
    pub fn sync(&self) -> std::io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Drops its clean cached pages.
    pub fn drop_cache(&self) -> std::io::Result<()> {
        Ok(rustix::fs::fadvise(&self.0, 0, None, Advice::DontNeed)?)
    }
}

/// Removes a tree that was written down; false when there is none any more. The error says what stays and why.
pub fn remove(saved: &SavedTree) -> Result<bool> {
    let path = Path::new(&saved.path);
    let is_gone = |error: &Error| error.errno() == Some(libc::ENOENT);
    let place = match walk::place("remove", path) {
        Err(error) if is_gone(&error) => return Ok(false),
        found => found.map(|(parent, name)| TreePlace { parent, name })?,
    };
    match rustix::fs::openat(&place.parent, &place.name, DIRECTORY, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => Ok(false),
        opened => {
            let root = opened.map_err(|error| Error::io("remove", path, error))?;
            remove_root(&place, root.as_fd(), saved)
        }
    }
}

fn remove_root(place: &TreePlace, root: BorrowedFd<'_>, saved: &SavedTree) -> Result<bool> {
    let path = Path::new(&saved.path);
    let failed = |error: rustix::io::Errno| Error::io("remove", path, error);
    let refused = |why: String| Error::io("remove", path, std::io::Error::other(why));
    let remove_name = || rustix::fs::unlinkat(&place.parent, &place.name, AtFlags::REMOVEDIR);
    refuse_foreign(root, "remove", path)?;
    let is_bare = holds_nothing_but(root, &[MARKER]).map_err(failed)?;
    match marker(root).map_err(failed)? {
        Some(id) if id == saved.id => {}
        // Death came while it was being marked: then it holds the beginning of its marker and nothing else.
        Some(begun) if is_bare && saved.id.starts_with(&begun) => {}
        Some(_) => {
            return Err(refused(
                "its marker names another tree; it is not ours to remove".into(),
            ));
        }
        // Death came between making it and marking it, or between the two last steps below: then it is empty.
        None => {
            return remove_name().map(|()| true).map_err(|_| {
                refused(format!(
                    "it is not empty and has no marker {MARKER}; it is not ours to remove"
                ))
            });
        }
    }
    let device = rustix::fs::fstat(root).map_err(failed)?.st_dev;
    if rustix::fs::fstat(&place.parent).map_err(failed)?.st_dev != device {
        return Err(refused("another file system is mounted there".into()));
    }
    let mut foreign = None;
    clear(root, device, 0, &mut foreign).map_err(failed)?;
    if let Some(name) = foreign {
        return Err(refused(format!(
            "it holds `{name}`, which iodyno did not make; move that away first"
        )));
    }
    rustix::fs::unlinkat(root, MARKER, AtFlags::empty()).map_err(failed)?;
    remove_name().map_err(failed)?;
    Ok(true)
}

/// A directory of somebody else is not ours, whatever its name and its marker say.
fn refuse_foreign(root: BorrowedFd<'_>, action: &'static str, path: &Path) -> Result<()> {
    let stat = rustix::fs::fstat(root).map_err(|error| Error::io(action, path, error))?;
    if walk::is_trusted(stat.st_uid) {
        return Ok(());
    }
    let why = format!(
        "the directory there belongs to the user {}; it is not ours",
        stat.st_uid
    );
    Err(Error::refused(action, path, why))
}

/// Whether a directory is empty but for these names.
fn holds_nothing_but(dir: BorrowedFd<'_>, allowed: &[&str]) -> rustix::io::Result<bool> {
    let names = Dir::read_from(dir)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let names = names.collect::<rustix::io::Result<Vec<_>>>()?;
    let is_allowed = |name: &[u8]| allowed.iter().any(|allowed| allowed.as_bytes() == name);
    Ok(names
        .iter()
        .map(|name| name.to_bytes())
        .all(|name| matches!(name, b"." | b"..") || is_allowed(name)))
}

/// The id in a directory's marker; none where there is no marker.
fn marker(root: BorrowedFd<'_>) -> rustix::io::Result<Option<String>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(root, MARKER, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    let mut content = [0; 256];
    let read = rustix::io::read(&file, &mut content)?;
    Ok(Some(
        String::from_utf8_lossy(&content[..read])
            .trim_end()
            .to_string(),
    ))
}

/// What a name of ours stands for.
enum Ours {
    Directory,
    File,
}

/// `d` and `j` with a number are our directories, `f` and `r` our files.
fn ours(name: &str) -> Option<Ours> {
    let (kind, number) = (name.get(..1)?, name.get(1..)?);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    match kind {
        "d" | "j" if is_number => Some(Ours::Directory),
        "f" | "r" if is_number => Some(Ours::File),
        _ => None,
    }
}

/// Removes what is ours in a directory. Removing entries while listing may hide others from the list, so it goes round
/// until a pass finds nothing to remove.
fn clear(
    dir: BorrowedFd<'_>,
    device: u64,
    level: u32,
    foreign: &mut Option<String>,
) -> rustix::io::Result<()> {
    if level > MOST_LEVELS {
        return Err(rustix::io::Errno::LOOP);
    }
    loop {
        let mut removed = 0u64;
        for entry in Dir::read_from(dir)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            match (name.as_ref(), ours(&name)) {
                ("." | ".." | MARKER, _) => {}
                (_, Some(Ours::File)) => {
                    match rustix::fs::unlinkat(dir, entry.file_name(), AtFlags::empty()) {
                        Err(rustix::io::Errno::ISDIR | rustix::io::Errno::PERM) => {
                            keep(foreign, &name)
                        }
                        done => done.map(|()| removed += 1)?,
                    }
                }
                (_, Some(Ours::Directory)) => {
                    removed +=
                        u64::from(clear_below(dir, entry.file_name(), device, level, foreign)?);
                }
                (_, None) => keep(foreign, &name),
            }
        }
        if removed == 0 {
            return Ok(());
        }
    }
}

/// Empties a directory and removes it; false when something foreign keeps it.
fn clear_below(
    dir: BorrowedFd<'_>,
    name: &std::ffi::CStr,
    device: u64,
    level: u32,
    foreign: &mut Option<String>,
) -> rustix::io::Result<bool> {
    let below = match rustix::fs::openat(dir, name, DIRECTORY, Mode::empty()) {
        // A link, or a file with a directory's name: somebody else's.
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            keep(foreign, &name.to_string_lossy());
            return Ok(false);
        }
        opened => opened?,
    };
    if rustix::fs::fstat(&below)?.st_dev != device {
        keep(foreign, &name.to_string_lossy());
        return Ok(false);
    }
    clear(below.as_fd(), device, level + 1, foreign)?;
    match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Err(rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST) if foreign.is_some() => {
            Ok(false)
        }
        done => done.map(|()| true),
    }
}

fn keep(foreign: &mut Option<String>, name: &str) {
    foreign.get_or_insert_with(|| model::text::clean(name).into_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{TemporaryDir, temporary_dir};
    use std::os::unix::fs::symlink;

    fn tree() -> (TemporaryDir, SavedTree, Tree) {
        let dir = temporary_dir("tree").unwrap();
        let parent = Target::open(dir.path()).unwrap();
        let saved = plan(&parent).unwrap();
        let tree = Tree::create(&parent, &saved).unwrap();
        tree.mkdir("j0").unwrap();
        tree.mkdir("j0/d0").unwrap();
        for index in 0..500 {
            tree.create_file(&format!("j0/d0/f{index:x}"))
                .unwrap()
                .write_all(b"x")
                .unwrap();
        }
        (dir, saved, tree)
    }

    fn count(dir: &Path) -> usize {
        std::fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn what_was_made_is_removed_and_nothing_else() {
        let (dir, saved, tree) = tree();
        assert_eq!(tree.stat("j0/d0/f1ff").ok(), None);
        tree.rename("j0/d0/f0", "j0/d0/r0").unwrap();
        assert_eq!(tree.stat("j0/d0/r0").unwrap(), 1);
        assert!(remove(&saved).unwrap());
        assert_eq!(count(dir.path()), 0);
        assert!(!remove(&saved).unwrap(), "one that is gone is no error");
    }

    #[test]
    fn what_is_not_ours_stays_and_is_named() {
        let (dir, saved, tree) = tree();
        let mine = tree.path().join("j0/d0/thesis.tex");
        std::fs::write(&mine, "mine").unwrap();
        let error = remove(&saved).unwrap_err().to_string();
        assert!(
            error.contains("`thesis.tex`, which iodyno did not make"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine");
        std::fs::remove_file(&mine).unwrap();
        assert!(remove(&saved).unwrap());
        assert_eq!(count(dir.path()), 0);
    }

    #[test]
    fn links_are_never_followed() {
        let (dir, saved, tree) = tree();
        let outside = dir.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("f1"), "mine").unwrap();
        symlink(&outside, tree.path().join("d7")).unwrap();
        symlink(outside.join("f1"), tree.path().join("f9")).unwrap();
        let error = remove(&saved).unwrap_err().to_string();
        assert!(error.contains("`d7`"), "{error}");
        assert_eq!(std::fs::read_to_string(outside.join("f1")).unwrap(), "mine");
        assert!(
            !tree.path().join("f9").is_symlink(),
            "a link in place of a file is only a name"
        );
        // The whole tree replaced by a link is refused as well.
        let moved = dir.path().join("moved");
        std::fs::rename(&saved.path, &moved).unwrap();
        symlink(&outside, &saved.path).unwrap();
        remove(&saved).unwrap_err();
        assert!(outside.join("f1").exists());
    }

    #[test]
    fn only_the_tree_with_the_right_marker_is_removed() {
        let (dir, saved, tree) = tree();
        let other = SavedTree {
            id: "another".into(),
            ..saved.clone()
        };
        assert!(remove(&other).unwrap_err().to_string().contains("not ours"));
        std::fs::remove_file(tree.path().join(MARKER)).unwrap();
        assert!(
            remove(&saved)
                .unwrap_err()
                .to_string()
                .contains("no marker")
        );
        let again = dir.path().join("..").join(dir.path().file_name().unwrap());
        let empty = plan(&Target::open(&again).unwrap()).unwrap();
        std::fs::create_dir(&empty.path).unwrap();
        assert!(
            remove(&empty).unwrap(),
            "death between making and marking leaves it empty"
        );
    }

    #[test]
    fn one_that_was_being_marked_is_removed_while_it_holds_nothing_else() {
        let dir = temporary_dir("tree").unwrap();
        let saved = plan(&Target::open(dir.path()).unwrap()).unwrap();
        let (path, whole) = (Path::new(&saved.path), format!("{}\n", saved.id));
        // Cut anywhere, by a kill or by a power cut.
        for length in 0..=whole.len() {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join(MARKER), &whole[..length]).unwrap();
            assert!(remove(&saved).unwrap(), "{length} bytes");
            assert_eq!(count(dir.path()), 0);
        }
        for (marker, other) in [("", "f0"), (&whole[..3], "theirs"), ("another", MARKER)] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join(other), "mine").unwrap();
            std::fs::write(path.join(MARKER), marker).unwrap();
            let error = remove(&saved).unwrap_err().to_string();
            assert!(error.contains("not ours to remove"), "{marker}: {error}");
            assert!(path.join(other).exists());
            std::fs::remove_dir_all(path).unwrap();
        }
    }

    #[test]
    fn a_directory_of_another_user_is_never_ours() {
        if !crate::rights::is_root() {
            skip::missing("root", "only root can give a directory to somebody else");
            return;
        }
        let dir = temporary_dir("tree").unwrap();
        let parent = Target::open(dir.path()).unwrap();
        let saved = plan(&parent).unwrap();
        // What somebody who reads the name could prepare: the marker, and files with our names.
        std::fs::create_dir(&saved.path).unwrap();
        std::fs::write(
            Path::new(&saved.path).join(MARKER),
            format!("{}\n", saved.id),
        )
        .unwrap();
        std::fs::write(Path::new(&saved.path).join("f0"), "theirs").unwrap();
        std::os::unix::fs::chown(&saved.path, Some(65_534), None).unwrap();
        assert!(remove(&saved).unwrap_err().is_refusal());
        assert!(Path::new(&saved.path).join("f0").exists());
        assert_eq!(
            Tree::create(&parent, &saved).unwrap_err().errno(),
            Some(libc::EEXIST)
        );
    }

    #[test]
    fn it_is_removed_where_it_was_made_when_its_path_leads_elsewhere() {
        let dir = temporary_dir("tree").unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        std::fs::create_dir(&here).unwrap();
        let parent = Target::open(&here).unwrap();
        let saved = plan(&parent).unwrap();
        let tree = Tree::create(&parent, &saved).unwrap();
        tree.create_file("f0").unwrap();
        std::fs::rename(&here, &there).unwrap();
        std::fs::create_dir_all(&saved.path).unwrap();
        std::fs::write(Path::new(&saved.path).join("f0"), "theirs").unwrap();
        tree.create_file("f1").unwrap();
        tree.remove().unwrap();
        assert_eq!(count(&there), 0);
        assert!(Path::new(&saved.path).join("f0").exists());
        assert!(remove(&saved).is_err(), "by its path it is not ours");
    }
}
