//! What a child may do: it begins with the capabilities that its errand needs, and can never gain others. Only a command
//! that the user gave keeps all that the user has.
//!
//! A child inherits all of root's capabilities otherwise, and a program that reads a hostile file needs none of them. Where
//! iodyno does not run as root there is nothing to take; `no_new_privs` still keeps a child from programs that would give it
//! more (setuid, file capabilities; Documentation/userspace-api/no_new_privs.rst).
#![allow(unsafe_code, reason = "rights are given up between fork and exec")]

use crate::right::Right;
use rustix::process::{
    Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal,
    setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The most memory of its own that a child may have which only reads, bytes: a record or a file that unpacks to more ends
/// that child, not the machine. Linux counts all private memory for it since 4.7.
const MEMORY_MAX: u64 = 4 << 30;

/// There where the kernel has device mapper.
const DEVICE_MAPPER: &str = "/sys/class/misc/device-mapper";

/// What a child needs its rights for. Each keeps those that it was given by us, and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privileges {
    /// Reads what belongs to this user alone: records, and files that somebody sent. No capability.
    Own,
    /// Reads the machine: open files of all processes, tables of device mapper, the kernel's log.
    Inspect,
    /// The same, and traces: programs in the kernel, perf, commands that ask a disk for its health.
    Watch,
    /// Loads devices and changes settings.
    Load,
    /// A program of others that loads devices, as fio does.
    Generate,
    /// Listens to strangers, and gives up even these once it has become nobody ([`crate::confined`]).
    Confine,
    /// A command in the user's own words: what the user may, also to become another user (`sudo -u postgres pgbench`).
    Users,
}

impl Privileges {
    /// What it can make use of beyond what every user may; of a command in the user's own words nobody knows it.
    pub fn rights(self) -> &'static [Right] {
        use Right as R;
        const LOOK: &[Right] = &[R::SeeOthers, R::KernelLog];
        const LOOK_AT_MAPPER: &[Right] = &[R::SeeOthers, R::KernelLog, R::DeviceMapper];
        const WATCH: &[Right] = &[
            R::SeeOthers,
            R::KernelLog,
            R::DeviceMapper,
            R::Trace,
            R::LockMemory,
            R::AskDisks,
        ];
        const LOAD: &[Right] = &[
            R::SeeOthers,
            R::KernelLog,
            R::DeviceMapper,
            R::Trace,
            R::LockMemory,
            R::AskDisks,
            R::AnyFile,
            R::Priority,
        ];
        // SYS_ADMIN flushes the cache of a device before a load (BLKFLSBUF), which fio leaves out without it; SYS_PTRACE
        // opens what our descriptors stand for (/proc/PID/fd), since we may do more than it (security/commoncap.c).
        const GENERATE: &[Right] = &[
            R::SeeOthers,
            R::LockMemory,
            R::AskDisks,
            R::AnyFile,
            R::Priority,
        ];
        match self {
            Privileges::Own | Privileges::Confine | Privileges::Users => &[],
            Privileges::Inspect if Path::new(DEVICE_MAPPER).exists() => LOOK_AT_MAPPER,
            Privileges::Inspect => LOOK,
            Privileges::Watch => WATCH,
            Privileges::Load => LOAD,
            Privileges::Generate => GENERATE,
        }
    }

    /// The capabilities that it may keep.
    fn kept(self) -> CapabilitySet {
        // Another user without groups, another root directory, another network; and what it takes to give up the rest.
        const CONFINE: CapabilitySet = CapabilitySet::SETUID
            .union(CapabilitySet::SETGID)
            .union(CapabilitySet::SYS_CHROOT)
            .union(CapabilitySet::SYS_ADMIN)
            .union(CapabilitySet::SETPCAP);
        match self {
            Privileges::Users => CapabilitySet::all(),
            Privileges::Confine => CONFINE,
            _ => {
                let rights = self.rights().iter();
                rights.fold(CapabilitySet::empty(), |kept, right| {
                    kept | right.capabilities()
                })
            }
        }
    }

    /// Whether it only reads, so that nothing is left half done when the kernel ends it.
    fn only_reads(self) -> bool {
        matches!(self, Privileges::Own | Privileges::Inspect)
    }

    /// Gives up everything else, for this thread and what it executes.
    ///
    /// Makes system calls only and allocates nothing, so it is safe between fork and exec.
    fn limit(self, kept: CapabilitySet) -> std::io::Result<()> {
        if self == Privileges::Users {
            return Ok(());
        }
        if self.only_reads() {
            let Rlimit { current, maximum } = getrlimit(Resource::Data);
            let most = current.unwrap_or(u64::MAX).min(MEMORY_MAX);
            setrlimit(
                Resource::Data,
                Rlimit {
                    current: Some(most),
                    maximum,
                },
            )?;
        }
        give_up_all_but(kept)
    }

    /// Calls a function on a thread of its own that has given up all other capabilities for good, as a program started for
    /// this would have. Memory is not bounded here: that is a matter of whole processes.
    ///
    /// # Errors
    /// When there is no thread, or the kernel refuses the change.
    pub fn within<T: Send>(self, work: impl FnOnce() -> T + Send) -> crate::Result<T> {
        let kept = self.kept();
        let limited = move || give_up_all_but(kept).map(|()| work());
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, limited)?;
            // A defect in the work is one of whoever asked for it.
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.map_err(|error| crate::Error::io("give up rights for", "/proc/thread-self", error))
    }
}

/// Gives up all other capabilities, for this thread and what it executes: they belong to threads (capabilities(7)).
///
/// Makes system calls only and allocates nothing, so it is safe between fork and exec.
pub(crate) fn give_up_all_but(kept: CapabilitySet) -> std::io::Result<()> {
    set_no_new_privs(true)?;
    limit_bounding(kept);
    let ours = capabilities(None)?;
    let permitted = ours.permitted & kept;
    // Ambient capabilities, as a service manager gives them, follow the inheritable ones.
    let inheritable = ours.inheritable & kept;
    set_capabilities(
        None,
        CapabilitySets {
            effective: permitted,
            permitted,
            inheritable,
        },
    )?;
    Ok(())
}

/// Leaves only these to be gained by this thread and what it executes.
pub(crate) fn limit_bounding(kept: CapabilitySet) {
    for number in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if !kept.contains(one) {
            // Refused without SETPCAP, and for numbers that the kernel does not know. What root executes is then
            // still limited: with no_new_privs it gets nothing that is not permitted here (security/commoncap.c).
            let _ = remove_capability_from_bounding_set(one);
        }
    }
}

/// Makes a command one that hears our request to end, is told of our thread's death by `death`, has a process group of its
/// own (Ctrl-C in the terminal reaches it only through us), and may do what it needs.
pub(crate) fn prepare(command: &mut Command, death: Signal, privileges: Privileges) {
    command.process_group(0);
    let (us, kept) = (getpid(), privileges.kept());
    // SAFETY: the closure makes system calls that are safe between fork and exec (async-signal-safe), allocates nothing
    // and touches no memory of the parent; its errors are numbers but for one, which is made of a static text.
    unsafe {
        command.pre_exec(move || {
            // A script's background job begins with SIGINT ignored, and a program inherits that: then it would not hear
            // our request to end.
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            if privileges == Privileges::Confine {
                keep_no_file_open();
            }
            privileges.limit(kept)?;
            // Behind the change of rights, which would take it back where it gave any.
            set_parent_process_death_signal(Some(death))?;
            // The parent may have died before the line above; then nobody would send the signal.
            if getppid() != Some(us) {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
}

/// Leaves nothing open in what is executed but standard input and outputs: what we were started with, such as a terminal or a
/// log, is not for whoever talks to strangers.
///
/// Makes system calls only, so it is safe between fork and exec.
fn keep_no_file_open() {
    /// Descriptors that are looked at where the kernel cannot be told of all at once.
    const MOST: u64 = 1 << 16;
    // SAFETY: it marks descriptors, as fcntl does, and touches no memory. There since Linux 5.9, this flag since 5.11.
    let marked = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if marked != 0 {
        let most = getrlimit(Resource::Nofile)
            .current
            .unwrap_or(MOST)
            .min(MOST);
        for descriptor in 3..most as libc::c_int {
            // SAFETY: it marks a descriptor, or says that there is none of this number.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Makes a command one that enters control groups before it executes anything, by what it may do before it gives rights up.
pub(crate) fn enter(command: &mut Command, entrances: Vec<OwnedFd>) {
    // SAFETY: the closure makes one system call a group, which is safe between fork and exec, allocates nothing and
    // touches no memory of the parent. `0` is whoever writes it (Documentation/admin-guide/cgroup-v2.rst).
    unsafe {
        command.pre_exec(move || {
            for entrance in &entrances {
                rustix::io::write(entrance, b"0")?;
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Piped;
    use std::io::Read;

    /// A line of `/proc/self/status` of a child, as a number.
    fn told(privileges: Privileges) -> impl Fn(&str) -> u64 {
        let mut child = Piped::start("cat", &["/proc/self/status".into()], privileges).unwrap();
        let mut text = String::new();
        child.stdout().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap(), Some(0));
        move |field| {
            let value = text
                .lines()
                .find_map(|line| line.strip_prefix(field)?.strip_prefix(":\t"));
            u64::from_str_radix(value.unwrap_or_else(|| panic!("no {field} in {text}")), 16)
                .unwrap()
        }
    }

    const ALL: [Privileges; 6] = [
        Privileges::Confine,
        Privileges::Own,
        Privileges::Inspect,
        Privileges::Watch,
        Privileges::Load,
        Privileges::Generate,
    ];

    #[test]
    fn who_talks_to_strangers_is_left_no_open_file() {
        let file = std::fs::File::open("/proc/version").unwrap();
        // Without CLOEXEC, as a shell leaves it open for us.
        let inherited = rustix::io::fcntl_dupfd_cloexec(&file, 200).unwrap();
        rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).unwrap();
        let open = |privileges| {
            let words = ["-l".to_string(), "/proc/self/fd".to_string()];
            let mut child = Piped::start("ls", &words, privileges).unwrap();
            let mut text = String::new();
            child.stdout().unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert!(open(Privileges::Own).contains("/proc/version"));
        let left = open(Privileges::Confine);
        assert!(!left.contains("/proc/version"), "{left}");
    }

    #[test]
    fn a_child_has_what_it_needs_and_can_gain_nothing() {
        let ours = capabilities(None).unwrap();
        for privileges in ALL {
            let field = told(privileges);
            let wanted = (ours.permitted & privileges.kept()).bits();
            assert_eq!(field("NoNewPrivs"), 1, "{privileges:?}");
            assert_eq!(
                field("CapInh") & !privileges.kept().bits(),
                0,
                "{privileges:?}"
            );
            // Only root's programs begin with what is permitted.
            if crate::rights::is_root() {
                assert_eq!(
                    (field("CapEff"), field("CapPrm")),
                    (wanted, wanted),
                    "{privileges:?}"
                );
            }
            if ours.effective.contains(CapabilitySet::SETPCAP) {
                assert_eq!(
                    field("CapBnd") & !privileges.kept().bits(),
                    0,
                    "{privileges:?}"
                );
            }
        }
    }

    #[test]
    fn a_thread_has_what_it_needs_and_the_others_keep_theirs() {
        let before = capabilities(None).unwrap();
        let (ours, text) = Privileges::Inspect
            .within(|| {
                let status = std::fs::read_to_string("/proc/thread-self/status");
                (capabilities(None).unwrap(), status.unwrap())
            })
            .unwrap();
        let kept = Privileges::Inspect.kept();
        assert_eq!(ours.effective, before.permitted & kept);
        assert_eq!(ours.permitted, before.permitted & kept);
        assert!(text.contains("NoNewPrivs:\t1"), "{text}");
        assert_eq!(capabilities(None).unwrap(), before);
    }

    #[test]
    fn each_class_keeps_what_its_rights_take() {
        use CapabilitySet as C;
        let look = C::DAC_READ_SEARCH | C::SYS_PTRACE | C::SYSLOG;
        let watch = look
            | C::SYS_ADMIN
            | C::SYS_RAWIO
            | C::PERFMON
            | C::BPF
            | C::SYS_RESOURCE
            | C::IPC_LOCK;
        let files = C::DAC_OVERRIDE | C::CHOWN | C::FOWNER | C::FSETID;
        assert_eq!(Privileges::Inspect.kept() - C::SYS_ADMIN, look);
        assert_eq!(Privileges::Watch.kept(), watch);
        assert_eq!(Privileges::Load.kept(), watch | files | C::SYS_NICE);
        let generate = C::IPC_LOCK
            | C::SYS_RESOURCE
            | C::DAC_READ_SEARCH
            | C::SYS_PTRACE
            | C::SYS_NICE
            | C::SYS_ADMIN
            | C::SYS_RAWIO;
        assert_eq!(Privileges::Generate.kept(), files | generate);
    }

    #[test]
    fn reading_keeps_nothing_that_changes_files_networks_or_users() {
        use CapabilitySet as C;
        let never = C::SETUID
            | C::SETGID
            | C::SETPCAP
            | C::NET_ADMIN
            | C::NET_RAW
            | C::SYS_MODULE
            | C::SYS_BOOT;
        let never = never | C::MKNOD | C::SYS_TIME | C::SYS_CHROOT | C::SETFCAP;
        // Who is to become nobody needs some of them for that, and loses them with it.
        let stays = |privileges: &&Privileges| **privileges != Privileges::Confine;
        assert!(
            ALL.iter()
                .filter(stays)
                .all(|privileges| !privileges.kept().intersects(never))
        );
        let changing = C::DAC_OVERRIDE | C::CHOWN | C::FOWNER | C::FSETID | C::KILL;
        assert!(!Privileges::Confine.kept().intersects(changing));
        assert!(!Privileges::Watch.kept().intersects(changing));
        assert!(Privileges::Own.kept().is_empty());
        assert!(
            Privileges::Watch
                .kept()
                .contains(Privileges::Inspect.kept())
        );
        assert!(Privileges::Load.kept().contains(Privileges::Watch.kept()));
    }
}
