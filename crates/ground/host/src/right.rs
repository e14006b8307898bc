//! What single rights give, beyond what every user may, by which capabilities, and which of them this process has.

use crate::{Host, Privileges};
use kernel::release::Release;
use rustix::thread::{CapabilitySet, capabilities, capability_is_in_bounding_set};

/// The last capability that a kernel knows which has CAP_BPF and CAP_PERFMON: 5.8 and newer (linux/capability.h).
const HAS_BPF: u64 = 39;

/// One thing that a verb can do with more rights than every user has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Sees what processes of other users have open, and their I/O.
    SeeOthers,
    /// Reads the kernel's log.
    KernelLog,
    /// Reads the tables of device mapper.
    DeviceMapper,
    /// Traces the block layer by programs in the kernel.
    Trace,
    /// Locks more memory than the limit of the user.
    LockMemory,
    /// Asks disks for their health, and empties their caches before a load.
    AskDisks,
    /// Reads, writes and gives away files whoever owns them.
    AnyFile,
    /// Gives threads a higher priority.
    Priority,
}

/// A right, and how far this process has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRight {
    /// Which.
    pub right: Right,
    /// Its capabilities on this kernel, as setcap takes them: `cap_bpf`.
    pub capabilities: Vec<String>,
    /// Those of them that are not effective in this process.
    pub missing: Vec<String>,
    /// Those of the missing that no program of this container can be given: they are outside of its bounding set.
    pub barred: Vec<String>,
}

/// What of a kernel decides which capabilities a right takes.
#[derive(Clone, Copy, Debug)]
struct KernelRights {
    /// Number of the last capability that it knows; distributions add them to older kernels, so that its release does not tell.
    last: u64,
    /// Since 5.11 the memory of maps does not count as locked.
    maps_are_locked: bool,
}

impl KernelRights {
    fn of(host: &Host) -> KernelRights {
        let release = host.text("/proc/sys/kernel/osrelease");
        let release = release.as_deref().and_then(Release::parse);
        KernelRights {
            last: host
                .number("/proc/sys/kernel/cap_last_cap")
                .unwrap_or(HAS_BPF),
            maps_are_locked: release.is_some_and(|release| !release.at_least(5, 11)),
        }
    }
}

impl Right {
    /// A word for it, the same in every version.
    pub fn id(self) -> &'static str {
        match self {
            Right::SeeOthers => "see-others",
            Right::KernelLog => "kernel-log",
            Right::DeviceMapper => "device-mapper",
            Right::Trace => "trace",
            Right::LockMemory => "lock-memory",
            Right::AskDisks => "ask-disks",
            Right::AnyFile => "any-file",
            Right::Priority => "priority",
        }
    }

    /// What it gives, as the end of a sentence.
    pub fn gives(self) -> &'static str {
        match self {
            Right::SeeOthers => "open files and I/O of others",
            Right::KernelLog => "the kernel's log",
            Right::DeviceMapper => "tables of device mapper",
            Right::Trace => "times by layer (eBPF)",
            Right::LockMemory => "more locked memory",
            Right::AskDisks => "health of disks",
            Right::AnyFile => "files of other users",
            Right::Priority => "higher priorities",
        }
    }

    /// Why nobody but root has it, whatever capabilities a process has; none where its capabilities suffice.
    pub fn is_roots_alone(self) -> Option<&'static str> {
        match self {
            Right::DeviceMapper => Some("its device node belongs to root"),
            Right::AskDisks => Some("the nodes that answer belong to root"),
            Right::AnyFile => Some("its capabilities are as good as root"),
            _ => None,
        }
    }

    /// The capabilities that give it, on kernels that know them all.
    pub(crate) fn capabilities(self) -> CapabilitySet {
        use CapabilitySet as C;
        match self {
            Right::SeeOthers => C::DAC_READ_SEARCH | C::SYS_PTRACE,
            Right::KernelLog => C::SYSLOG,
            // Device mapper gives its tables to nobody without SYS_ADMIN (drivers/md/dm-ioctl.c).
            Right::DeviceMapper => C::SYS_ADMIN,
            Right::Trace => C::PERFMON | C::BPF,
            // Buffers of io_uring count as locked, and before 5.11 so does the memory of maps.
            Right::LockMemory => C::IPC_LOCK | C::SYS_RESOURCE,
            // The commands of NVMe and ATA, and BLKFLSBUF.
            Right::AskDisks => C::SYS_ADMIN | C::SYS_RAWIO,
            Right::AnyFile => C::DAC_OVERRIDE | C::CHOWN | C::FOWNER | C::FSETID,
            Right::Priority => C::SYS_NICE,
        }
    }

    /// Those that give it on this kernel: what an old one does not know was a part of SYS_ADMIN.
    fn capabilities_on(self, kernel: KernelRights) -> CapabilitySet {
        match self {
            Right::Trace if kernel.last < HAS_BPF => CapabilitySet::SYS_ADMIN,
            Right::LockMemory if !kernel.maps_are_locked => CapabilitySet::IPC_LOCK,
            _ => self.capabilities(),
        }
    }
}

/// What a class of verbs can make use of, each with what this process has of it.
///
/// # Errors
/// When the kernel does not say which capabilities this process has.
pub fn held(privileges: Privileges, host: &Host) -> crate::Result<Vec<HeldRight>> {
    let effective = effective()?;
    let kernel = KernelRights::of(host);
    let one = |right: &Right| {
        let wanted = right.capabilities_on(kernel);
        let missing = wanted - effective;
        let barred = missing.iter().filter(|one| !may_be_given(*one));
        HeldRight {
            right: *right,
            capabilities: names(wanted),
            missing: names(missing),
            barred: names(barred.fold(CapabilitySet::empty(), |all, one| all | one)),
        }
    };
    Ok(privileges.rights().iter().map(one).collect())
}

/// The capabilities that are effective in this process, as setcap takes them.
///
/// # Errors
/// When the kernel does not say it.
pub fn own() -> crate::Result<Vec<String>> {
    Ok(names(effective()?))
}

pub(crate) fn effective() -> crate::Result<CapabilitySet> {
    let sets = capabilities(None);
    Ok(sets
        .map_err(|error| crate::Error::io("read the rights of", "/proc/self", error))?
        .effective)
}

/// Whether a program that this process starts can have it; one that the kernel does not know it can not.
fn may_be_given(one: CapabilitySet) -> bool {
    capability_is_in_bounding_set(one).unwrap_or(false)
}

/// In the order of their numbers; numbers without a name are left out.
fn names(set: CapabilitySet) -> Vec<String> {
    let named = set.iter_names();
    named
        .map(|(name, _)| format!("cap_{}", name.to_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(last: u64, maps_are_locked: bool, right: Right) -> Vec<String> {
        names(right.capabilities_on(KernelRights {
            last,
            maps_are_locked,
        }))
    }

    #[test]
    fn an_old_kernel_takes_what_there_was_before() {
        assert_eq!(on(40, false, Right::Trace), ["cap_perfmon", "cap_bpf"]);
        assert_eq!(on(37, true, Right::Trace), ["cap_sys_admin"]);
        assert_eq!(on(40, false, Right::LockMemory), ["cap_ipc_lock"]);
        assert_eq!(
            on(39, true, Right::LockMemory),
            ["cap_ipc_lock", "cap_sys_resource"]
        );
    }

    #[test]
    fn what_is_missing_is_what_is_not_effective() {
        let ours = own().unwrap();
        for one in held(Privileges::Load, &Host::live()).unwrap() {
            let lacking = one
                .capabilities
                .iter()
                .filter(|name| !ours.contains(name))
                .cloned();
            assert_eq!(one.missing, lacking.collect::<Vec<_>>(), "{:?}", one.right);
        }
    }

    #[test]
    fn without_rights_of_its_own_a_class_has_none() {
        assert!(held(Privileges::Own, &Host::live()).unwrap().is_empty());
    }
}
