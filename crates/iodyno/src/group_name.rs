//! A control group as people name it: by its path as /proc/PID/cgroup has it, by the number of a process in it, by a
//! container's id, or as `self`, the group that iodyno is in.

use crate::exit::{Exit, Failure};
use host::Host;
use kernel::cgroups::Hierarchies;
use kernel::mounts::Mounts;
use model::subject::Subject;
use model::text::clean;

/// Nobody has the name.
pub const UNSEEN: &str = "no such group, process or container is seen from here";

/// That a name is nobody's, and how groups are named.
pub fn missing(name: &str, why: &str) -> Failure {
    Failure::new(Exit::Failed, format!("there is no control group {}: {why}", clean(name))).on(name).hint(
        "Give a group as /proc/PID/cgroup names it (`systemd-cgls` lists them), the number of a process in it, a container's id or name, or `self`.",
    )
}

/// The path of the named group below its hierarchies: that of I/O of version 1 where there is one, else version 2's.
pub fn path(name: &str, host: &Host) -> Result<String, Failure> {
    let groups = host::group::named(host, name);
    let path = groups
        .as_ref()
        .and_then(|groups| groups.path("blkio").or(groups.path("")));
    path.map(str::to_string)
        .ok_or_else(|| missing(name, UNSEEN))
}

/// What the named group gives to a device. The controller of I/O is in one hierarchy: of version 1 where that is mounted and
/// has the group, else of version 2.
pub fn subject(name: &str, device: &str, host: &Host) -> Result<Subject, Failure> {
    let table = host.text("/proc/self/mountinfo").unwrap_or_default();
    let mounted = Hierarchies::mounted(&Mounts::parse(&table));
    let groups = host::group::named(host, name);
    let of = |controller: &str| {
        let (tree, below) = mounted.group(groups.as_ref()?, controller)?;
        Some(tree.directory(below))
    };
    let is_mounted = |directory: &&str| {
        let below = |tree: &kernel::cgroups::Tree| directory.starts_with(&tree.directory("/"));
        mounted.iter().any(below)
    };
    let pasted = Some(name).filter(is_mounted).map(str::to_string);
    let mut found = [of("blkio"), of(""), pasted].into_iter().flatten();
    let subject = found.find_map(|directory| {
        let subject = Subject::Group {
            device: device.to_string(),
            directory,
        };
        host.has_subject(&subject).then_some(subject)
    });
    subject.ok_or_else(|| missing(name, UNSEEN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;
    use model::change::Attribute;

    const MOUNTS: &str = "31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
        34 30 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";

    fn host() -> Host {
        let mut archive = Archive::default();
        for (path, text) in [
            ("/proc/self/mountinfo", MOUNTS),
            ("/proc/self/cgroup", "7:blkio:/shell\n0::/shell\n"),
            ("/proc/4711/cgroup", "7:blkio:/docker/4f\n0::/docker/4f\n"),
        ] {
            archive.insert(path, Attribute::Value(text.into()));
        }
        for group in [
            "blkio/shell",
            "blkio/docker/4f",
            "unified/docker/4f",
            "unified/new",
        ] {
            archive.insert_directory(&format!("/sys/fs/cgroup/{group}"));
        }
        Host::from_archive(archive)
    }

    #[test]
    fn a_group_is_found_by_its_path_a_process_or_as_our_own() {
        let directory = |name: &str| subject(name, "sda", &host()).map(|one| one.directory());
        let found = |name: &str| directory(name).unwrap_or_default();
        assert_eq!(found("self"), "/sys/fs/cgroup/blkio/shell");
        for name in [
            "4711",
            "/docker/4f",
            "docker/4f/",
            "/sys/fs/cgroup/blkio/docker/4f",
        ] {
            assert_eq!(found(name), "/sys/fs/cgroup/blkio/docker/4f", "{name}");
        }
        assert_eq!(found("/new"), "/sys/fs/cgroup/unified/new");
        for name in ["4712", "/shell/../docker/4f", "/etc", ""] {
            let refused = directory(name);
            assert!(refused.is_err(), "{name}: {refused:?}");
        }
    }
}
