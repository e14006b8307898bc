//! A container of this machine, seen from outside: its first process, its control groups, and where on this machine its
//! files are. Any other process can stand for one, too.
//!
//! A container is a stranger: who runs it decides what stands below its root. Nothing is done inside: names are looked up below
//! that root as if it were `/`, so that no link leads out of it, and links of others than the container and root lead nowhere
//! ([`lookup`]). What is found is looked for among this machine's own mounts, and only what is the same file is taken. That path
//! has no link on its way, and none that comes there later is followed. What is to be written has to be the container's own to
//! write ([`owner`]): a user's namespace can have any file of the machine bound over one of his.

mod lookup;
mod owner;

use crate::files::{self, Identity};
use crate::group::{self, Group};
use crate::{Child, Error, Host, Privileges, Result, clock, pods, walk};
use kernel::cgroups::{Hierarchies, Membership};
use kernel::mounts::{Mount, Mounts};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookup::Lost;
use owner::Owner;

/// What a path of a container is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerAccess {
    /// To look at it.
    Look,
    /// To load it: scratch is written there at the least.
    Write,
}

/// A container, held by its first process.
#[derive(Clone, Debug)]
pub struct Container {
    name: String,
    /// The process's directory in /proc: it is of this process, whoever gets the number after it.
    process: Arc<OwnedFd>,
}

/// Programs that run containers, and the words with which each tells a container's first process by its name, which follows.
const CLIENTS: [(&str, &[&str]); 5] = [
    (
        "docker",
        &["inspect", "--type=container", "--format={{.State.Pid}}"],
    ),
    (
        "podman",
        &["container", "inspect", "--format={{.State.Pid}}"],
    ),
    (
        "nerdctl",
        &["inspect", "--type=container", "--format={{.State.Pid}}"],
    ),
    ("lxc-info", &["--no-humanize", "--pid", "--name"]),
    ("machinectl", &["show", "--property=Leader", "--value"]),
];

/// What one of these gets for its answer, ms.
const CLIENT_MS: u64 = 5_000;

/// Hierarchies of version 1 that hold what a load is given: its I/O, its memory and its CPUs. Those of devices and of
/// processes do not bind what is done for the container from outside. Version 2 has one, with the empty name.
const CONTROLLERS: [&str; 5] = ["", "blkio", "memory", "cpu", "cpuset"];

const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

impl Container {
    /// The container of a name, an id or a process; none where nobody knows it. Of an id, only processes in groups of root's are
    /// looked at: in a group of his own a user can call anything by it.
    pub fn named(host: &Host, name: &str) -> Option<Container> {
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        let look = || match group::is_container_id(name) {
            true => group::first_process(host, name),
            false if is_number => name.parse().ok(),
            false => match pods::id_of(host, name) {
                Some(id) => group::first_process(host, &id),
                None => by_clients(name),
            },
        };
        let pid = look()?;
        let flags = LOOK | OFlags::DIRECTORY;
        let process = rustix::fs::open(format!("/proc/{pid}"), flags, Mode::empty()).ok()?;
        // Of an id what its programs take for all of it.
        let short = name
            .get(..group::CONTAINER_MIN)
            .filter(|_| group::is_container_id(name));
        // Between the answer and the opening the number may have become another process's: now it is held.
        (look() == Some(pid)).then(|| Container {
            name: short.unwrap_or(name).into(),
            process: Arc::new(process),
        })
    }

    /// Whether a number, which names a process, is also the name of a container here, whose first process is another one.
    pub fn is_ambiguous(name: &str) -> bool {
        let number = name.parse::<u32>().ok();
        number.is_some() && by_clients(name).is_some_and(|pid| Some(pid) != number)
    }

    /// As it was named; of an id its first twelve digits.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its group of I/O, as /proc/PID/cgroup names it: of version 1 where that is in use, else of version 2.
    ///
    /// # Errors
    /// Once its first process has ended.
    pub fn group(&self) -> Result<String> {
        let failed = |error: Errno| self.failed("look at the groups of", "", error);
        let groups = Membership::parse(&self.text("cgroup").map_err(failed)?);
        let group = groups.path("blkio").or(groups.path(""));
        Ok(group.unwrap_or("/").to_string())
    }

    /// The groups of its first process, as /proc/PID/cgroup has them; none once it has ended.
    pub(crate) fn groups_text(&self) -> Option<String> {
        self.text("cgroup").ok()
    }

    /// Where a path of the container is on this machine: a block device by its node here, everything else by a path of
    /// the same file here.
    ///
    /// # Errors
    /// Where the container has no such path or has ended, for want of rights, and where no mount of this machine shows it.
    /// [`Error::Refused`] where a stranger's link leads there, and for writing where it is not the container's own to write.
    pub fn place(&self, host: &Host, inside: &str, access: ContainerAccess) -> Result<PathBuf> {
        let look = |error: Errno| self.failed("look at", inside, error);
        let owner = self.owner().map_err(look)?;
        let found = match self.open(inside, &owner) {
            // Few containers have nodes of the devices that they use.
            Err(Lost::Failed(Errno::NOENT))
                if inside.starts_with("/dev/") && host.exists(inside) =>
            {
                return Ok(inside.into());
            }
            found => found.map_err(|lost| self.lost(inside, lost))?,
        };
        let stat = rustix::fs::fstat(&found).map_err(look)?;
        if access == ContainerAccess::Write && !owner.may_write(&stat) {
            return Err(self.not_its_own(inside, &owner, stat.st_uid));
        }
        if FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice {
            let number = stat.st_rdev;
            let number = format!(
                "{}:{}",
                rustix::fs::major(number),
                rustix::fs::minor(number)
            );
            let name = host.block_name(&number);
            let name = name.ok_or_else(|| self.failed("find", inside, Errno::NODEV))?;
            return Ok(format!("/dev/{}", name.replace('!', "/")).into());
        }
        let identity = Identity::new(stat.st_dev, stat.st_ino, stat.st_rdev);
        let here = host.text("/proc/self/mountinfo").unwrap_or_default();
        let there = self.text("mountinfo").map_err(look)?;
        let (mount, below) = held_by(found.as_fd(), &there)
            .ok_or_else(|| self.failed("find", inside, Errno::NOENT))?;
        let mut places = places(&mount, &below, &Mounts::parse(&here)).into_iter();
        let same = places.find(|place| files::identity(place).as_ref() == Some(&identity));
        let same = same.ok_or_else(|| self.unseen(inside, &mount))?;
        walk::without_links(&same);
        Ok(same)
    }

    /// Enters its groups with all of this process: what it does from now on counts, and is limited, as the container's.
    ///
    /// # Errors
    /// For want of rights, and where the container has ended.
    pub fn enter(&self, host: &Host) -> Result<()> {
        let failed = |error: Errno| self.failed("enter the groups of", "", error);
        let groups = Membership::parse(&self.text("cgroup").map_err(failed)?);
        let table = host.text("/proc/self/mountinfo").unwrap_or_default();
        let mounted = Hierarchies::mounted(&Mounts::parse(&table));
        let mut directories: Vec<String> = CONTROLLERS
            .iter()
            .filter_map(|controller| mounted.group(&groups, controller))
            .map(|(tree, below)| tree.directory(below))
            .collect();
        directories.dedup();
        for directory in directories {
            let entrance = Group::open(&directory)?.entrance()?;
            rustix::io::write(&entrance, b"0")
                .map_err(|error| Error::io("enter", &directory, error))?;
        }
        Ok(())
    }

    fn open(&self, inside: &str, owner: &Owner) -> std::result::Result<OwnedFd, Lost> {
        let root = rustix::fs::openat(&self.process, "root", LOOK, Mode::empty())?;
        lookup::open(root.as_fd(), inside, owner)
    }

    fn owner(&self) -> std::result::Result<Owner, Errno> {
        let [status, users, groups] = ["status", "uid_map", "gid_map"].map(|file| self.text(file));
        Owner::parse(&status?, &users?, &groups?).ok_or(Errno::SRCH)
    }

    /// Whether its groups are root's of this machine alone: nobody else can freeze what is in them, or bound it.
    ///
    /// # Errors
    /// Once its first process has ended.
    pub fn is_in_groups_of_root(&self, host: &Host) -> Result<bool> {
        let failed = |error: Errno| self.failed("look at the groups of", "", error);
        let groups = Membership::parse(&self.text("cgroup").map_err(failed)?);
        Ok(group::are_of_root(host, &groups))
    }

    fn lost(&self, inside: &str, lost: Lost) -> Error {
        match lost {
            Lost::Failed(error) => self.failed("open", inside, error),
            Lost::Exchanged => {
                let why = "it was exchanged for something else while iodyno looked at it. Nothing was written";
                Error::refused("open", self.shown(inside), why)
            }
            Lost::Link { path, user } => {
                let why = format!(
                    "{} is a symbolic link of the user {user}, who can let it lead anywhere. Name the path itself that it is to \
                     lead to",
                    path.display()
                );
                Error::refused("open", self.shown(inside), why)
            }
        }
    }

    fn not_its_own(&self, inside: &str, owner: &Owner, user: u32) -> Error {
        let why = format!(
            "it belongs to the user {user}, and the container, which runs as {}, could not write it itself. Where that is meant, \
             give the path that it has on this machine, with --container left out",
            owner.words()
        );
        Error::refused("load", self.shown(inside), why)
    }

    fn shown(&self, inside: &str) -> PathBuf {
        PathBuf::from(format!("{inside} of the container {}", self.name))
    }

    fn text(&self, file: &str) -> std::result::Result<String, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.process, file, flags, Mode::empty())?;
        let mut text = String::new();
        File::from(opened)
            .read_to_string(&mut text)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok(text)
    }

    fn failed(&self, action: &'static str, inside: &str, error: Errno) -> Error {
        let path = match inside {
            "" => format!("the container {}", self.name),
            inside => format!("{inside} of the container {}", self.name),
        };
        match error {
            Errno::SRCH => Error::refused(action, Path::new(&path), "its first process has ended"),
            Errno::NOSYS => {
                let why = "it takes Linux 5.6 (openat2). Give the path that it has on this machine, with --container left out";
                Error::refused(action, Path::new(&path), why)
            }
            error => Error::io(action, path, error),
        }
    }

    fn unseen(&self, inside: &str, mount: &Mount) -> Error {
        let why = format!(
            "it lies on {} at {}, which only the container sees. Run iodyno inside the container for that",
            mount.fstype, mount.point
        );
        let path = format!("{inside} of the container {}", self.name);
        Error::refused("find", Path::new(&path), why)
    }
}

/// Asks the programs that run containers.
fn by_clients(name: &str) -> Option<u32> {
    let is_plain = !name.is_empty() && !name.starts_with('-') && !name.contains('/');
    let asked = |(program, words): (&str, &[&str])| {
        let words = words.iter().copied().chain([name]);
        let words: Vec<String> = words.map(str::to_string).collect();
        let mut client = Child::start(program, &words, Privileges::Users).ok()?;
        let until_ns = clock::outer::monotonic_ns() + CLIENT_MS * 1_000_000;
        while !client.has_ended() && clock::outer::monotonic_ns() < until_ns {
            clock::outer::sleep_ms(5);
        }
        let pid = client.printed().0.trim().parse().ok();
        // A container that has ended has no process: `0`.
        pid.filter(|pid| client.status() == Some(0) && *pid > 0)
    };
    is_plain
        .then(|| CLIENTS.into_iter().find_map(asked))
        .flatten()
}

/// The mount in a table that holds an open object, and the object's path below that mount.
fn held_by(object: BorrowedFd<'_>, table: &str) -> Option<(Mount, String)> {
    let number = object.as_raw_fd();
    let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()?;
    let id = told.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    let id: u32 = id.trim().parse().ok()?;
    let mount = Mounts::parse(table).into_iter().find(|one| one.id == id)?;
    // As the container names it: the kernel goes up to the root of the object's own mounts (fs/d_path.c).
    let path = std::fs::read_link(format!("/proc/self/fd/{number}")).ok()?;
    let below = path.strip_prefix(&mount.point).ok()?.to_str()?.to_string();
    Some((mount, below))
}

/// Where mounts of another table show the same part of a file system.
fn places(mount: &Mount, below: &str, here: &Mounts) -> Vec<PathBuf> {
    let whole = Path::new(&mount.root).join(below);
    let shows = |one: &Mount| {
        let is_same = one.devno == mount.devno && one.fstype == mount.fstype;
        let rest = whole.strip_prefix(&one.root).ok().filter(|_| is_same)?;
        let place = Path::new(&one.point).join(rest);
        // A slash at the end would be kept.
        Some(place.components().collect())
    };
    let mut places: Vec<PathBuf> = here.iter().filter_map(shows).collect();
    places.sort_by_key(|place| place.as_os_str().len());
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_and_a_layer_are_found_among_the_mounts_of_the_machine() {
        let there = Mounts::parse(
            "73 48 0:40 / / rw - overlay overlay rw\n74 73 254:0 /pool/vol /data rw - ext4 /dev/vda rw\n",
        );
        let here = Mounts::parse(
            "1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 254:0 /pool /mnt/w rw - ext4 /dev/vda rw\n\
             3 1 254:0 /elsewhere /e rw - ext4 /dev/vda rw\n46 1 0:40 / /run/merge rw - overlay overlay rw\n",
        );
        let found = |at: usize, below: &str| {
            let mount = there.iter().nth(at).unwrap();
            let places = places(mount, below, &here);
            places
                .iter()
                .map(|place| place.to_str().unwrap().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(found(0, ""), ["/run/merge"]);
        assert_eq!(found(0, "usr/bin"), ["/run/merge/usr/bin"]);
        assert_eq!(found(1, ""), ["/pool/vol", "/mnt/w/vol"]);
        assert_eq!(found(1, "db/x"), ["/pool/vol/db/x", "/mnt/w/vol/db/x"]);
    }

    #[test]
    fn a_process_of_our_own_sees_what_we_see() {
        let host = Host::live();
        let ourselves = std::process::id().to_string();
        let this = Container::named(&host, &ourselves).unwrap();
        assert_eq!(this.name(), ourselves);
        let dir = files::temporary_dir("container").unwrap();
        let link = dir.path().join("link");
        // A link of /proc that jumps, as to the root of another process.
        std::os::unix::fs::symlink("/proc/self/root/etc", &link).unwrap();
        let place = |path: &Path| this.place(&host, path.to_str().unwrap(), ContainerAccess::Write);
        let found = place(dir.path()).unwrap();
        assert_eq!(files::identity(&found), files::identity(dir.path()));
        let missing = place(&dir.path().join("missing")).unwrap_err();
        assert!(
            missing.to_string().contains("of the container"),
            "{missing}"
        );
        place(&link).unwrap_err();
        // Links that are followed: absolute and relative ones, with `..` behind them, and not in circles.
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        for (to, from) in [
            ("a/b", "there"),
            ("../there/..", "a/up"),
            ("circle", "circle"),
        ] {
            std::os::unix::fs::symlink(to, at(from)).unwrap();
        }
        std::os::unix::fs::symlink(at("there"), at("absolute")).unwrap();
        for (path, end) in [("absolute", "a/b"), ("there/../b", "a/b"), ("a/up", "a")] {
            let found = place(&at(path)).unwrap();
            assert_eq!(files::identity(&found), files::identity(&at(end)), "{path}");
        }
        place(&at("circle")).unwrap_err();
        if crate::rights::is_root() {
            std::os::unix::fs::lchown(at("there"), Some(65_534), None).unwrap();
            let refused = place(&at("absolute")).unwrap_err();
            assert!(
                refused.is_refusal() && refused.to_string().contains("user 65534"),
                "{refused}"
            );
        }
        assert!(Container::named(&host, "4194304999").is_none());
        assert!(Container::named(&host, "-h").is_none());
    }
}
