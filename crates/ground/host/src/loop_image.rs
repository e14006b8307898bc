//! The file below a loop device: made where nothing is, under a name that nobody can guess, and told from every other by
//! its number and its time of birth before it gets the name that was asked for.

use crate::files::DataFile;
use crate::{Error, Result, Space, mounts, output, walk};
use model::change::{ImageFile, SavedFileSystem, SavedLoop};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What the file's name begins with while it is made; the id follows.
const PREFIX: &str = ".iodyno-loop-";

/// Where a file is to be made: its directory, held open, in which nothing has its name.
#[derive(Debug)]
pub struct ImagePlace {
    dir: OwnedFd,
    name: OsString,
    /// Absolute, links resolved.
    path: PathBuf,
}

impl ImagePlace {
    /// Finds the directory, on a way without links of others. Nothing is made.
    ///
    /// # Errors
    /// Where something has the name already, a link too; where the directory holds attributes of the kernel; where the
    /// path cannot be written down.
    pub fn open(path: &Path) -> Result<ImagePlace> {
        let (dir, name) = walk::place("create", path)?;
        if let Some(kind) = mounts::of_the_kernel(dir.as_fd()) {
            let why = format!("{kind} holds attributes of the kernel, no files");
            return Err(Error::refused("create", path, why));
        }
        let resolved = directory_of(dir.as_fd(), path)?.join(&name);
        let text = resolved.to_str().unwrap_or_default();
        if text.is_empty() || text.contains(model::text::is_unsafe) {
            let why = "its path is not UTF-8 or has control characters in it, so that no journal and no unit can name it";
            return Err(Error::refused("create", path, why));
        }
        let place = ImagePlace {
            dir,
            name,
            path: resolved,
        };
        place.must_be_free()?;
        Ok(place)
    }

    /// Absolute, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Space of the file system.
    pub fn space(&self) -> Option<Space> {
        rustix::fs::fstatvfs(&self.dir).ok().map(Space::of)
    }

    /// Whether it lies in memory (tmpfs, ramfs).
    pub fn is_in_memory(&self) -> bool {
        mounts::is_memory(self.dir.as_fd())
    }

    /// The first directory on the way to it from the root down in which users other than root and this one can exchange what
    /// leads to it; none where there is none.
    ///
    /// # Errors
    /// Where a directory cannot be looked at.
    pub fn open_to_others(&self) -> Result<Option<PathBuf>> {
        walk::open_to_others(&self.path)
    }

    /// The file system that it lies in; none where that cannot be asked.
    pub fn file_system(&self) -> Option<SavedFileSystem> {
        file_system(self.dir.as_fd()).ok()
    }

    /// An id for a file that is about to be made here.
    ///
    /// # Errors
    /// Where the kernel gives no random numbers.
    pub fn id() -> Result<String> {
        output::unguessable()
    }

    /// Makes the file, empty, under the name that only its id tells.
    ///
    /// # Errors
    /// For want of rights, or on a read-only file system.
    pub fn create(&self, id: &str) -> Result<(DataFile, ImageFile)> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let fd = rustix::fs::openat(&self.dir, hidden(id), flags, mode)
            .map_err(|error| Error::io("create", &self.path, error))?;
        let image = identity(fd.as_fd(), "", AtFlags::EMPTY_PATH)
            .map_err(|error| Error::io("look at", &self.path, error))?;
        Ok((DataFile::from_fd(fd, &self.path)?, image))
    }

    /// Gives the file its own name, where nothing has it by now.
    ///
    /// # Errors
    /// Where something has it.
    pub fn name(&self, id: &str) -> Result<()> {
        let hidden = hidden(id);
        match output::rename_new(&self.dir, OsStr::new(&hidden), &self.name) {
            Err(Errno::EXIST) => {
                self.must_be_free()?;
                Err(Error::io("name", &self.path, Errno::EXIST))
            }
            renamed => renamed
                .and_then(|()| output::sync(&self.dir))
                .map_err(|error| Error::io("name", &self.path, error)),
        }
    }

    fn must_be_free(&self) -> Result<()> {
        let found = rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let kind = match found {
            Err(Errno::NOENT) => return Ok(()),
            found => found.map_err(|error| Error::io("look at", &self.path, error))?,
        };
        let what = match FileType::from_raw_mode(kind.st_mode) {
            FileType::Symlink => "a symbolic link",
            FileType::Directory => "a directory",
            FileType::RegularFile => "a file",
            _ => "something",
        };
        let why = format!(
            "{what} of that name is there, and nothing that exists is overwritten. Name a file that does not exist yet"
        );
        Err(Error::refused("create", &self.path, why))
    }
}

/// How the file that was written down stands to what has its path now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageNow {
    /// It is there; its number now, which another boot may have changed.
    There(ImageFile),
    /// Nothing is there.
    Gone,
    /// Another file is there.
    Another,
    /// Its directory is missing, or in another file system than the file: what has its path now says nothing of it.
    NotMounted,
}

impl ImageNow {
    /// Fails where its file system is not there, so that nobody knows what is left of it.
    pub(crate) fn must_be_mounted(&self, saved: &SavedLoop) -> Result<()> {
        if *self != ImageNow::NotMounted {
            return Ok(());
        }
        let why = "its directory is missing, or another file system is mounted there than the one with the file, and \
                   nothing was touched. Mount that one first; one that is gone for good is forgotten by `iodyno undo --forget`";
        Err(Error::refused("remove", &saved.path, why))
    }
}

/// What is at the path of a file that was written down, in this boot or an earlier one.
///
/// # Errors
/// Where that cannot be looked at.
pub(crate) fn now(saved: &SavedLoop, is_same_boot: bool) -> Result<ImageNow> {
    Ok(look(saved, is_same_boot)?.map_or(ImageNow::NotMounted, |(now, ..)| now))
}

/// The same with the directory that was looked into, held open, and the name in it; none where the directory is missing.
fn look(saved: &SavedLoop, is_same_boot: bool) -> Result<Option<(ImageNow, OwnedFd, OsString)>> {
    let path = Path::new(&saved.path);
    let failed = |error: Errno| Error::io("look at", path, error);
    let (dir, name) = match walk::place("look at", path) {
        Err(error) if error.is_missing() => return Ok(None),
        found => found?,
    };
    let found = match identity(dir.as_fd(), &name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => None,
        found => Some(found.map_err(failed)?),
    };
    let is_it = |image: &ImageFile| {
        let of = |image: &ImageFile| (image.inode, image.birth_ns);
        found.as_ref().is_some_and(|found| of(found) == of(image))
    };
    let is_there = saved.image.as_ref().is_some_and(is_it);
    // The time of birth proves it wherever it lies.
    let is_proved = is_there && found.as_ref().is_some_and(|found| found.birth_ns.is_some());
    let is_mounted =
        is_proved || is_in_its_file_system(dir.as_fd(), saved, is_same_boot).map_err(failed)?;
    let now = match found {
        _ if !is_mounted => ImageNow::NotMounted,
        None => ImageNow::Gone,
        Some(found) if is_there => ImageNow::There(found),
        Some(_) => ImageNow::Another,
    };
    Ok(Some((now, dir, name)))
}

/// Removes the file that was written down, under both its names, or, where it is kept, under the one alone that it has
/// while it is made. Gives whether it was there; another file stays.
///
/// # Errors
/// Where the file system refuses it.
pub(crate) fn remove(saved: &SavedLoop, is_same_boot: bool, keeps_file: bool) -> Result<bool> {
    let (now, dir, name) = match look(saved, is_same_boot)? {
        None | Some((ImageNow::NotMounted, ..)) => return Ok(false),
        Some(found) => found,
    };
    let unlink = |name: &OsStr| match rustix::fs::unlinkat(&dir, name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(Error::io("remove", &saved.path, error)),
    };
    let unborn = unlink(OsStr::new(&hidden(&saved.id)))?;
    let goes = matches!(now, ImageNow::There(_)) && !keeps_file;
    Ok((goes && unlink(&name)?) || unborn)
}

fn is_in_its_file_system(
    dir: BorrowedFd<'_>,
    saved: &SavedLoop,
    is_same_boot: bool,
) -> rustix::io::Result<bool> {
    let Some(was) = &saved.file_system else {
        return Ok(true);
    };
    let now = file_system(dir)?;
    Ok(match now.id != 0 && was.id != 0 {
        true => now.id == was.id,
        false => is_same_boot && now.device == was.device,
    })
}

fn file_system(dir: BorrowedFd<'_>) -> rustix::io::Result<SavedFileSystem> {
    Ok(SavedFileSystem {
        device: identity(dir, "", AtFlags::EMPTY_PATH)?.device,
        id: rustix::fs::fstatvfs(dir)?.f_fsid,
    })
}

fn hidden(id: &str) -> String {
    format!("{PREFIX}{id}")
}

/// Where a directory is that is held open.
pub(crate) fn directory_of(dir: BorrowedFd<'_>, path: &Path) -> Result<PathBuf> {
    let link = format!("/proc/self/fd/{}", dir.as_raw_fd());
    std::fs::read_link(link).map_err(|error| Error::io("find", path, error))
}

fn identity(
    dir: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    flags: AtFlags,
) -> rustix::io::Result<ImageFile> {
    let wanted = StatxFlags::BTIME | StatxFlags::INO;
    let stat = rustix::fs::statx(dir, name, flags, wanted)?;
    let has_birth = stat.stx_mask & StatxFlags::BTIME.bits() != 0;
    let birth = has_birth.then(|| {
        let seconds = u64::try_from(stat.stx_btime.tv_sec).unwrap_or(0);
        seconds.saturating_mul(1_000_000_000) + u64::from(stat.stx_btime.tv_nsec)
    });
    Ok(ImageFile {
        device: format!("{}:{}", stat.stx_dev_major, stat.stx_dev_minor),
        inode: stat.stx_ino,
        birth_ns: birth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn saved(place: &ImagePlace, id: &str, image: Option<ImageFile>) -> SavedLoop {
        SavedLoop {
            path: place.path().to_str().unwrap().into(),
            id: id.into(),
            image,
            ..SavedLoop::default()
        }
    }

    #[test]
    fn a_file_is_made_where_nothing_is_and_removed_under_both_names() {
        let dir = crate::files::temporary_dir("image").unwrap();
        let path = dir.path().join("data.img");
        let place = ImagePlace::open(&path).unwrap();
        place.create("1a").unwrap();
        assert!(dir.path().join(".iodyno-loop-1a").exists() && !path.exists());
        let unborn = saved(&place, "1a", None);
        let gone = |saved: &SavedLoop, keeps_file| remove(saved, true, keeps_file).unwrap();
        assert!(gone(&unborn, true) && !gone(&unborn, true));
        let (_, again) = place.create("1a").unwrap();
        place.name("1a").unwrap();
        let whole = saved(&place, "1a", Some(again.clone()));
        assert_eq!(now(&whole, true).unwrap(), ImageNow::There(again.clone()));
        assert!(!gone(&whole, true) && path.exists(), "it is kept");
        // The same number, made at another time: a file system uses numbers again.
        let earlier = ImageFile {
            birth_ns: Some(7),
            ..again
        };
        let earlier = saved(&place, "1a", Some(earlier));
        assert_eq!(now(&earlier, true).unwrap(), ImageNow::Another);
        assert!(gone(&whole, false));
        assert_eq!(now(&whole, true).unwrap(), ImageNow::Gone);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_lies_in_a_file_system_that_is_not_there_is_not_gone() {
        let dir = crate::files::temporary_dir("image").unwrap();
        let below = dir.path().join("below");
        std::fs::create_dir(&below).unwrap();
        let place = ImagePlace::open(&below.join("data.img")).unwrap();
        let (_, image) = place.create("3c").unwrap();
        place.name("3c").unwrap();
        let of = |file_system| SavedLoop {
            file_system: Some(file_system),
            ..saved(&place, "3c", Some(image.clone()))
        };
        let here = place.file_system().unwrap();
        let own = of(here.clone());
        let another = of(SavedFileSystem {
            device: "0:0".into(),
            id: here.id ^ 1,
        });
        let is_there = |saved| matches!(now(saved, true).unwrap(), ImageNow::There(_));
        assert!(is_there(&own));
        assert_eq!(
            is_there(&another),
            image.birth_ns.is_some(),
            "the time of birth proves it"
        );
        std::fs::rename(place.path(), below.join("elsewhere")).unwrap();
        assert_eq!(now(&own, true).unwrap(), ImageNow::Gone);
        std::fs::write(below.join(".iodyno-loop-3c"), "theirs").unwrap();
        for (saved, is_same_boot) in [(&another, true), (&another, false)] {
            let found = now(saved, is_same_boot).unwrap();
            assert_eq!(found, ImageNow::NotMounted);
            assert!(found.must_be_mounted(saved).unwrap_err().is_refusal());
            assert!(!remove(saved, is_same_boot, false).unwrap());
        }
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 2);
        std::fs::remove_dir_all(&below).unwrap();
        assert_eq!(now(&own, true).unwrap(), ImageNow::NotMounted);
    }

    #[test]
    fn what_exists_is_neither_overwritten_nor_removed() {
        let dir = crate::files::temporary_dir("image").unwrap();
        let path = dir.path().join("data.img");
        let place = ImagePlace::open(&path).unwrap();
        let (_, image) = place.create("2b").unwrap();
        // Somebody is quicker.
        std::fs::write(&path, "theirs").unwrap();
        assert!(place.name("2b").unwrap_err().is_refusal());
        let saved = saved(&place, "2b", Some(image));
        assert!(
            remove(&saved, true, false).unwrap(),
            "the unborn one is ours"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        assert!(
            ImagePlace::open(&path)
                .unwrap_err()
                .to_string()
                .contains("a file of that name")
        );
        symlink("nowhere", dir.path().join("link")).unwrap();
        let refused = ImagePlace::open(&dir.path().join("link")).unwrap_err();
        assert!(refused.to_string().contains("a symbolic link"), "{refused}");
        assert!(
            ImagePlace::open(Path::new("/proc/x"))
                .unwrap_err()
                .is_refusal()
        );
        assert!(
            ImagePlace::open(&dir.path().join("a\nb"))
                .unwrap_err()
                .is_refusal()
        );
    }
}
