//! Control groups of iodyno's own, made for a load and removed whatever happened, and those of others, to be entered.
//!
//! Only what iodyno made is ever removed: a directory of a control group hierarchy whose name carries the id that the
//! journal has, and the kernel removes none that still has processes or groups in it. Under version 2 a group has the
//! files of a controller only where its parent hands it down (`cgroup.subtree_control`); what had to be handed down for
//! it is taken back.

use crate::container::Container;
use crate::{Error, Host, Result, output, pods, walk};
use kernel::cgroups::{Hierarchies, Membership, with_those_above};
use kernel::mounts::Mounts;
use model::change::SavedGroup;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// What the directory's name begins with; the id follows.
const PREFIX: &str = "iodyno-group-";

/// `statfs` numbers of version 1 and version 2 (include/uapi/linux/magic.h).
const MAGIC: [i64; 2] = [0x0027_e0eb, 0x6367_7270];

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);

/// The controllers that a parent of version 2 hands down, as text; also its file's name.
const HANDED_DOWN: &str = "cgroup.subtree_control";

/// A control group, held open.
#[derive(Debug)]
pub struct Group {
    directory: OwnedFd,
    path: String,
    /// How it is removed; none for a group of others.
    saved: Option<SavedGroup>,
}

/// Characters of the shortest id by which the programs that run containers name one.
pub(crate) const CONTAINER_MIN: usize = 12;

/// The groups that a name stands for: a path below the hierarchies, the number of a process in them, `self` for our own, or
/// a container by its id, as a process in it has it in its path, or by its name. None where there are no such groups.
pub fn named(host: &Host, name: &str) -> Option<Membership> {
    let of_process = |pid: &str| {
        let text = host.text(&format!("/proc/{pid}/cgroup"))?;
        Some(Membership::parse(&text)).filter(|groups| !groups.is_empty())
    };
    let is_id = is_container_id(name);
    if name == "self" || (name.bytes().all(|byte| byte.is_ascii_digit()) && !is_id) {
        return of_process(name);
    }
    let path = format!("/{}", name.trim_matches('/'));
    let mounts = Mounts::parse(&host.text("/proc/self/mountinfo").unwrap_or_default());
    let mounted = Hierarchies::mounted(&mounts);
    let is_there = mounted
        .iter()
        .any(|tree| host.exists(&tree.directory(&path)));
    if is_there {
        return Some(Membership::everywhere(&path));
    }
    if let Some(id) = pods::id_of(host, name) {
        return named(host, &id);
    }
    if !is_id {
        let container = host.is_live().then(|| Container::named(host, name))??;
        return Some(Membership::parse(&container.groups_text()?));
    }
    of_process(&first_process(host, name)?.to_string())?.up_to(name)
}

/// Whether a name can only be a container's id.
pub(crate) fn is_container_id(name: &str) -> bool {
    name.len() >= CONTAINER_MIN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether groups and all above them are root's alone, as far as their hierarchies are mounted: nobody else puts processes into them,
/// freezes them or bounds them. Of a captured machine nobody knows it.
pub(crate) fn are_of_root(host: &Host, groups: &Membership) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    if !host.is_live() {
        return true;
    }
    let table = host.text("/proc/self/mountinfo").unwrap_or_default();
    let mounted = Hierarchies::mounted(&Mounts::parse(&table));
    let is_of_root = |directory: String| {
        let stat = rustix::fs::stat(directory);
        stat.is_ok_and(|stat| stat.st_uid == 0 && stat.st_mode & OTHERS_WRITE == 0)
    };
    let own = groups.controllers();
    let mut own = own
        .filter_map(|controller| mounted.group(groups, controller))
        .peekable();
    own.peek().is_some()
        && own
            .all(|(tree, below)| with_those_above(below).all(|one| is_of_root(tree.directory(one))))
}

/// The process with the lowest number in the groups of a container, which are root's.
pub(crate) fn first_process(host: &Host, id: &str) -> Option<u32> {
    let is_in = |pid: &u32| {
        let text = host.text(&format!("/proc/{pid}/cgroup"));
        let groups = text.and_then(|text| Membership::parse(&text).up_to(id));
        groups.is_some_and(|groups| are_of_root(host, &groups))
    };
    let names = host.list("/proc");
    let pids = names.iter().filter_map(|name| name.parse().ok());
    pids.filter(is_in).min()
}

/// Decides where a group below `parent` would be, and which of the wanted controllers have to be handed down for it;
/// makes nothing, so that it can be written down first. Version 1 hands nothing down: no controllers are wanted then.
///
/// # Errors
/// Where the parent is no control group, or version 2 does not have a controller here.
pub fn plan(parent: &str, wanted: &[&str]) -> Result<SavedGroup> {
    let above = Group::open(parent)?;
    let id = output::unguessable()?;
    let handed = match wanted.is_empty() {
        true => Vec::new(),
        false => missing(&above, wanted)?,
    };
    Ok(SavedGroup {
        path: format!("{}/{PREFIX}{id}", parent.trim_end_matches('/')),
        id,
        handed,
    })
}

/// The wanted controllers that the children of a group do not have yet.
fn missing(above: &Group, wanted: &[&str]) -> Result<Vec<String>> {
    let (there, down) = (above.read("cgroup.controllers")?, above.read(HANDED_DOWN)?);
    let has = |text: &str, one: &str| text.split_whitespace().any(|word| word == one);
    if let Some(lacking) = wanted.iter().find(|one| !has(&there, one)) {
        return Err(Error::refused(
            "make a control group in",
            Path::new(&above.path),
            format!("it does not have the controller `{lacking}`"),
        ));
    }
    let missing = wanted.iter().filter(|one| !has(&down, one));
    Ok(missing.map(|one| (*one).to_string()).collect())
}

impl Group {
    /// Makes the planned group.
    ///
    /// # Errors
    /// For want of rights, or where the hierarchy is read-only.
    pub fn create(saved: &SavedGroup) -> Result<Group> {
        let path = Path::new(&saved.path);
        let (parent, name) = walk::place("create", path)?;
        must_be_hierarchy(parent.as_fd(), "create", path)?;
        hand_down(parent.as_fd(), &saved.path, '+', &saved.handed)?;
        let failed = |error: rustix::io::Errno| Error::io("create", path, error);
        rustix::fs::mkdirat(&parent, &name, Mode::from_raw_mode(0o755)).map_err(failed)?;
        let directory =
            rustix::fs::openat(&parent, &name, DIRECTORY, Mode::empty()).map_err(failed)?;
        Ok(Group {
            directory,
            path: saved.path.clone(),
            saved: Some(saved.clone()),
        })
    }

    /// Opens a group that is there.
    ///
    /// # Errors
    /// Where the path is no directory of a hierarchy.
    pub fn open(path: &str) -> Result<Group> {
        let directory = rustix::fs::open(path, DIRECTORY, Mode::empty())
            .map_err(|error| Error::io("open", path, error))?;
        must_be_hierarchy(directory.as_fd(), "open", Path::new(path))?;
        Ok(Group {
            directory,
            path: path.into(),
            saved: None,
        })
    }

    /// Its directory.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Reads one of its files.
    ///
    /// # Errors
    /// Where it has none of that name.
    pub fn read(&self, file: &str) -> Result<String> {
        let mut text = String::new();
        let opened = self.file(file, OFlags::RDONLY);
        opened
            .and_then(|mut file| file.read_to_string(&mut text))
            .map_err(|error| Error::io("read", self.of(file), error))?;
        Ok(text)
    }

    /// Writes one of its files; only of a group that iodyno made, since nothing of others' is saved here.
    ///
    /// # Errors
    /// As the kernel refuses the value.
    pub fn write(&self, file: &str, value: &str) -> Result<()> {
        if self.saved.is_none() {
            let error = std::io::Error::other("the group is not iodyno's own");
            return Err(Error::io("write", self.of(file), error));
        }
        write(self.directory.as_fd(), file, value)
            .map_err(|error| Error::io("write", self.of(file), error))
    }

    /// Writes one of the files of any group, whose old value a journal has.
    pub(crate) fn write_journalled(&self, file: &str, value: &str) -> std::io::Result<()> {
        write(self.directory.as_fd(), file, value)
    }

    /// The kernel's number of the group.
    pub(crate) fn number(&self) -> Result<u64> {
        let stat = rustix::fs::fstat(&self.directory);
        Ok(stat
            .map_err(|error| Error::io("look at", Path::new(&self.path), error))?
            .st_ino)
    }

    /// Where a process enters it: see [`crate::Child::start_within`].
    ///
    /// # Errors
    /// For want of rights.
    pub fn entrance(&self) -> Result<OwnedFd> {
        let file = "cgroup.procs";
        let opened = self.file(file, OFlags::WRONLY);
        let opened = opened.map_err(|error| Error::io("open", self.of(file), error))?;
        Ok(opened.into())
    }

    /// Removes a group that iodyno made; one of others stays.
    ///
    /// # Errors
    /// While processes are in it.
    pub fn remove(&self) -> Result<()> {
        self.saved
            .as_ref()
            .map_or(Ok(()), |saved| remove(saved).map(|_| ()))
    }

    fn file(&self, name: &str, access: OFlags) -> std::io::Result<File> {
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.directory, name, flags, Mode::empty())?.into())
    }

    fn of(&self, file: &str) -> String {
        format!("{}/{file}", self.path)
    }
}

/// Removes a planned group, where it is there, and takes back what its parent hands down for it. Gives whether it was there.
///
/// # Errors
/// While processes are in it, and where the path is no control group.
pub(crate) fn remove(saved: &SavedGroup) -> Result<bool> {
    let path = Path::new(&saved.path);
    let (parent, name) = match walk::place("remove", path) {
        Err(error) if error.errno() == Some(libc::ENOENT) => return Ok(false),
        found => found?,
    };
    must_be_hierarchy(parent.as_fd(), "remove", path)?;
    let was_there = match rustix::fs::unlinkat(&parent, &name, AtFlags::REMOVEDIR) {
        Ok(()) => true,
        Err(rustix::io::Errno::NOENT) => false,
        Err(rustix::io::Errno::BUSY) => {
            let error = std::io::Error::other("processes or groups are still in it");
            return Err(Error::io("remove", path, error));
        }
        Err(error) => return Err(Error::io("remove", path, error)),
    };
    hand_down(parent.as_fd(), &saved.path, '-', &saved.handed)?;
    Ok(was_there)
}

/// Whether a path can be that of a group of this id.
pub(crate) fn is_own(path: &str, id: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with('/')
        && !path.split('/').any(|part| part == "..")
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && name == format!("{PREFIX}{id}")
}

fn hand_down(parent: BorrowedFd<'_>, path: &str, sign: char, controllers: &[String]) -> Result<()> {
    for controller in controllers {
        write(parent, HANDED_DOWN, &format!("{sign}{controller}"))
            .map_err(|error| Error::io("hand a controller down to", path, error))?;
    }
    Ok(())
}

fn write(directory: BorrowedFd<'_>, file: &str, value: &str) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(directory, file, flags, Mode::empty())?);
    file.write_all(value.as_bytes())
}

fn must_be_hierarchy(directory: BorrowedFd<'_>, action: &'static str, path: &Path) -> Result<()> {
    let found = rustix::fs::fstatfs(directory).map_err(|error| Error::io(action, path, error))?;
    match MAGIC.contains(&found.f_type) {
        true => Ok(()),
        false => Err(Error::refused(action, path, "it is no control group")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_named_by_path_process_or_container() {
        let text = "iodyno-host 1\n\
            path: /proc/self/mountinfo\nlines: 1\n31 1 0:27 / /c rw - cgroup2 c rw\n\
            path: /c/db/io.stat\nlines: 1\n8:0 rbytes=1\n\
            path: /proc/self/cgroup\nlines: 1\n0::/own\n\
            path: /proc/77/cgroup\nlines: 1\n0::/pod/cri-containerd-aabbccddeeff00112233.scope/init\n";
        let host = Host::from_archive(crate::Archive::parse(text).unwrap());
        let group = |name: &str| named(&host, name)?.path("").map(str::to_string);
        let container = Some("/pod/cri-containerd-aabbccddeeff00112233.scope".to_string());
        assert_eq!(group("aabbccddeeff"), container);
        assert_eq!(group("77"), container.map(|path| path + "/init"));
        assert_eq!(
            (group("self"), group("db/")),
            (Some("/own".into()), Some("/db".into()))
        );
        for none in ["78", "web", "aabbccddeeff01", "aabbcc"] {
            assert_eq!(group(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_no_hierarchy_is_left_alone() {
        let dir = crate::files::temporary_dir("group").unwrap();
        let place = dir.path().to_str().unwrap();
        assert!(Group::open(place).is_err() && plan(place, &[]).is_err());
        let saved = SavedGroup {
            path: format!("{place}/{PREFIX}1a"),
            id: "1a".into(),
            handed: Vec::new(),
        };
        std::fs::create_dir(&saved.path).unwrap();
        remove(&saved).unwrap_err();
        assert!(Path::new(&saved.path).exists());
        assert!(is_own(&saved.path, "1a") && !is_own(&saved.path, "1b"));
        assert!(!is_own("/sys/fs/cgroup/db", "db") && !is_own("/a/../iodyno-group-1", "1"));
        assert!(!is_own("/a/iodyno-group-x/y", "x/y"));
    }
}
