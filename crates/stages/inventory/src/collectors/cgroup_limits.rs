//! # Control groups
//!
//! The limits that bind this process, of its own group and of all above it, and whether it runs in a container.
//!
//! ## What it reads
//! `/proc/self/cgroup`, and `/proc/self/mountinfo` for where the hierarchies are; `io.max`, `io.weight`,
//! `io.bfq.weight`, `memory.max`, `cpu.max` of version 2 and `blkio.throttle.*`, `blkio.weight`, `memory.limit_in_bytes`,
//! `cpu.cfs_quota_us` of version 1 (Documentation/admin-guide/cgroup-v2.rst). For containers `/.dockerenv`, `/run/.containerenv`,
//! `/run/systemd/container`, `/var/run/secrets/kubernetes.io`.
//!
//! ## Fields
//! - `cgroup_version`: `1`, `2` or `hybrid`; `cgroup`: this process's group
//! - `io_limits`: every limit on a device, `vda riops 1000; vda wbps 1048576`, that of the nearest group first
//! - `io_limits_from`: the group of each, in the same order
//! - `io_weight`: of its own group
//! - `memory_limit_bytes`: the lowest of all groups, where it is less than the memory
//! - `memory_limit_from`: the group that has it
//! - `cpu_limit`: CPUs that the groups may use by their quotas, the lowest of all: `0.3`
//! - `cpu_limit_from`: the group that has it
//! - `container`: `docker`, `podman`, `kubernetes`, `lxc`, …
//! - `for_container`: the container that the target was looked at for from outside (`--container`), whose groups these are;
//!   `named_in_container`: how it names the target
//!
//! ## Example
//! `io_limits` is `vda riops 500`: no tuning of the disk will give more than 500 reads a second here.

use crate::{Collector, Draft, Survey, cgroups};
use host::Host;
use model::iopath::{FOR_CONTAINER, LayerKind, NAMED_IN_CONTAINER};

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "cgroup_limits",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/proc/self/cgroup",
        "/proc/self/mountinfo",
        "/sys/fs/cgroup/*/io.max",
        "/sys/fs/cgroup/blkio/*/blkio.throttle.*",
        "/sys/fs/cgroup/*/cpu.max",
        "/sys/fs/cgroup/cpu/*/cpu.cfs_*_us",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    if let Some((version, group)) = cgroups::membership(host) {
        draft.fact("container", container(host, &group));
        draft.fact(FOR_CONTAINER, host.container().map(str::to_string));
        let inside = host.named_in_container();
        draft.fact(NAMED_IN_CONTAINER, inside.map(str::to_string));
        draft.fact("cgroup_version", Some(version));
        draft.fact("cgroup", Some(group));
    }
    let limits = cgroups::io_limits(host);
    if !limits.is_empty() {
        let told: Vec<String> = limits
            .iter()
            .map(|one| format!("{} {} {}", one.device, one.what, one.limit))
            .collect();
        let groups: Vec<&str> = limits.iter().map(|one| one.group.as_str()).collect();
        draft.fact("io_limits", Some(told.join("; ")));
        draft.fact("io_limits_from", Some(groups.join("; ")));
    }
    draft.fact("io_weight", cgroups::io_weight(host));
    let memory = host.meminfo_bytes("MemTotal").unwrap_or(u64::MAX);
    let limit = cgroups::memory_limit(host).filter(|(bytes, _)| *bytes < memory);
    if let Some((bytes, group)) = limit {
        draft.fact("memory_limit_bytes", Some(bytes.to_string()));
        draft.fact("memory_limit_from", Some(group));
    }
    if let Some((cpus, group)) = cgroups::cpu_limit(host) {
        draft.fact("cpu_limit", Some(format!("{}", (cpus * 1e3).round() / 1e3)));
        draft.fact("cpu_limit_from", Some(group));
    }
}

fn container(host: &Host, group: &str) -> Option<String> {
    let by_file = [
        ("/var/run/secrets/kubernetes.io", "kubernetes"),
        ("/.dockerenv", "docker"),
        ("/run/.containerenv", "podman"),
    ];
    let by_group = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("/lxc", "lxc"),
    ];
    let named = host
        .text("/run/systemd/container")
        .map(|name| name.trim().to_string());
    let file = || {
        by_file
            .iter()
            .find(|(path, _)| host.exists(path))
            .map(|(_, name)| (*name).to_string())
    };
    let path = || {
        by_group
            .iter()
            .find(|(part, _)| group.contains(part))
            .map(|(_, name)| (*name).to_string())
    };
    // The group is the kernel's word; files may have come with the image. From outside it is the only one about the container.
    let is_outside = host.container().is_some();
    let told_inside = || file().or(named.filter(|name| !name.is_empty()));
    path().or_else(|| (!is_outside).then(told_inside).flatten())
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn limits_are_told_from_the_nearest_group_up() {
        let path = collect_on(
            "path: /sys/class/block/sdb\nlink: ../../devices/p/sdb\npath: /sys/dev/block/8:16\nlink: ../../devices/p/sdb\n\
             path: /sys/devices/p/sdb/dev\nlines: 1\n8:16\n\
             path: /proc/self/cgroup\nlines: 1\n0::/kubepods.slice/pod1\n\
             path: /sys/fs/cgroup/kubepods.slice/pod1/io.max\nlines: 1\n8:16 rbps=max riops=1000\n\
             path: /sys/fs/cgroup/kubepods.slice/io.max\nlines: 1\n8:16 wbps=1048576\n\
             path: /sys/fs/cgroup/kubepods.slice/memory.max\nlines: 1\n1024\n",
            "sdb",
        );
        assert_eq!(
            path.machine_fact("io_limits"),
            Some("sdb riops 1000; sdb wbps 1048576")
        );
        assert_eq!(
            path.machine_fact("io_limits_from"),
            Some("/kubepods.slice/pod1; /kubepods.slice")
        );
        assert_eq!(path.machine_fact("cgroup_version"), Some("2"));
        assert_eq!(path.machine_fact("container"), Some("kubernetes"));
        assert_eq!(path.machine_fact("memory_limit_bytes"), Some("1024"));
        assert_eq!(
            path.machine_fact("memory_limit_from"),
            Some("/kubepods.slice")
        );
    }
}
