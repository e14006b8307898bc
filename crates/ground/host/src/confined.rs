//! A process that listens to strangers gives up what it does not need for that: its user, its files, its network.

use crate::privileges::{give_up_all_but, limit_bounding};
use crate::{Error, Host, Result, output};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::process::{Gid, Uid};
use rustix::thread::{CapabilitySet, UnshareFlags, unshare_unsafe};
use std::path::PathBuf;

/// Ids that systemd gives to services without a user of their own (`DynamicUser=`), so that no file belongs to one
/// (systemd.exec(5), UIDS-GIDS.md).
const DYNAMIC_IDS: std::ops::RangeInclusive<u32> = 61_184..=65_519;
/// The most memory that it may take, bytes: some hundred connections with their buffers need a tenth.
const MEMORY_MAX: u64 = 1 << 30;
/// The most threads and processes of its user.
const THREADS_MAX: u64 = 64;

/// What a process has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confined {
    /// The user that it is by now; none where it stays the one it was.
    pub user: Option<u32>,
    /// Whether it is in a network of its own, which has nothing in it but the sockets that it was given.
    pub has_own_network: bool,
}

/// Makes this process one that can do nothing but talk over the sockets that it has.
///
/// As root it becomes a user that owns no file and no other process, in an empty directory that is removed already, in a
/// network of its own; each where the kernel lets it. Any user's process loses what capabilities it has, gains none, writes
/// no file, is read and traced by nobody but root, and dies with its parent. Ctrl-C and requests to end are the parent's to
/// hear.
///
/// # Errors
/// When it has a second thread, which would keep its rights, or cannot lose them.
pub fn confine() -> Result<Confined> {
    let failed = |error: Errno| Error::io("give up rights for", "/proc/self", error);
    if Host::live().list("/proc/self/task").len() != 1 {
        return Err(failed(Errno::BUSY));
    }
    ignore_requests_to_end();
    let mut confined = Confined {
        user: None,
        has_own_network: false,
    };
    if crate::rights::is_root() {
        // While it may: a user that is not root cannot.
        limit_bounding(CapabilitySet::empty());
        let host = Host::live();
        let user = unused_id(crate::process::id(), &used_ids(&host));
        confined.has_own_network = leave_network();
        leave_files()?;
        confined.user = become_user(user).map_err(failed)?;
    }
    give_up_all_but(CapabilitySet::empty())
        .map_err(|error| Error::io("give up rights for", "/proc/self", error))?;
    limit(confined.user.is_some()).map_err(failed)?;
    // Behind the change of user, which takes back what was said before.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed)?;
    Ok(confined)
}

/// Goes into a network, and a space of System V's shared memory, that have nothing in them.
#[allow(unsafe_code, reason = "unshare can take open files from other threads")]
fn leave_network() -> bool {
    // SAFETY: the table of open files stays shared, and there is one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET | UnshareFlags::NEWIPC) }.is_ok()
}

/// Takes a directory for the root of all names that nobody can reach or put anything into: it is removed already. Where none can
/// be made, or this is not allowed, it goes on seeing what everybody may read.
fn leave_files() -> Result<()> {
    let places = [std::env::temp_dir(), "/run".into(), "/dev/shm".into()];
    let made = |place: &PathBuf| output::temporary_dir_in(place, "door").ok();
    let Some(dir) = places.iter().find_map(made) else {
        return Ok(());
    };
    let failed = |error| Error::io("enter", dir.path(), error);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let empty = rustix::fs::open(dir.path(), flags, Mode::empty()).map_err(failed)?;
    rustix::process::fchdir(&empty).map_err(failed)?;
    std::fs::remove_dir(dir.path()).map_err(|error| Error::io("remove", dir.path(), error))?;
    match rustix::process::chroot(".") {
        Ok(()) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// The users of all processes: what has the same one could send it signals.
fn used_ids(host: &Host) -> Vec<u32> {
    host.list("/proc")
        .iter()
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|pid| host.text(&format!("/proc/{pid}/status")))
        .filter_map(|status| {
            let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
            ids.split_whitespace().next()?.parse().ok()
        })
        .collect()
}

/// An id that no process has. Two that look at the same moment begin at different ones.
fn unused_id(pid: u32, used: &[u32]) -> u32 {
    let (first, count) = (*DYNAMIC_IDS.start(), DYNAMIC_IDS.count() as u32);
    let mut ids = (0..count).map(|step| first + (pid % count + step) % count);
    ids.find(|id| !used.contains(id)).unwrap_or(first)
}

/// Becomes a user for good. None where it may not, or this user namespace has no other one, as in some containers.
fn become_user(id: u32) -> rustix::io::Result<Option<u32>> {
    let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
    // A user namespace may keep groups from being taken away; those that are left are its own.
    match rustix::thread::set_thread_groups(&[]) {
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    match rustix::thread::set_thread_res_gid(gid, gid, gid) {
        Err(Errno::INVAL | Errno::PERM) => return Ok(None),
        other => other?,
    }
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    Ok(Some(id))
}

/// Bounds what it may use up, for good.
fn limit(is_alone: bool) -> rustix::io::Result<()> {
    let at_most = |resource, most: u64| {
        let Rlimit { current, maximum } = getrlimit(resource);
        let most = most.min(maximum.unwrap_or(u64::MAX));
        let now = current.unwrap_or(u64::MAX).min(most);
        setrlimit(
            resource,
            Rlimit {
                current: Some(now),
                maximum: Some(most),
            },
        )
    };
    at_most(Resource::Fsize, 0)?;
    at_most(Resource::Core, 0)?;
    at_most(Resource::Data, MEMORY_MAX)?;
    // Counted by user, so of a user's own processes it would be a bound on all of them.
    match is_alone {
        true => at_most(Resource::Nproc, THREADS_MAX),
        false => Ok(()),
    }
}

#[allow(
    unsafe_code,
    reason = "the standard library has no signal dispositions"
)]
fn ignore_requests_to_end() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1] {
        // SAFETY: SIG_IGN is no function of ours, so nothing runs when the signal comes.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_a_process_has_is_not_taken() {
        let first = *DYNAMIC_IDS.start();
        assert_eq!(unused_id(0, &[]), first);
        assert_eq!(unused_id(0, &[first, first + 1]), first + 2);
        let last = *DYNAMIC_IDS.end();
        assert_eq!(unused_id(last - first, &[last]), first);
        assert!(used_ids(&Host::live()).contains(&rustix::process::getuid().as_raw()));
    }

    #[test]
    fn with_a_second_thread_nothing_is_given_up() {
        let refused = std::thread::spawn(confine).join().unwrap();
        assert!(refused.is_err());
    }
}
