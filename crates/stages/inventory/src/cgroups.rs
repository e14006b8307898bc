//! The limits of the control groups that this process is in: memory and I/O, of both versions.

use host::Host;
use kernel::cgroups::{Hierarchies, Membership, THROTTLES, Version, with_those_above};
use kernel::device_lines;
use kernel::mounts::Mounts;
use model::target::CgroupLimit;

/// The lowest memory limit, bytes; none where there is none.
pub fn memory_bytes(host: &Host) -> Option<u64> {
    memory_limit(host).map(|(bytes, _)| bytes)
}

/// The lowest memory limit, bytes, and the group that has it: the nearest of several that have the same.
pub(super) fn memory_limit(host: &Host) -> Option<(u64, String)> {
    let of = |controller: &str, file: &'static str| {
        let limit = move |group: ControlGroup| {
            let bytes = host.number(&format!("{}/{file}", group.directory))?;
            Some((bytes, group.name))
        };
        groups(host, controller).into_iter().filter_map(limit)
    };
    // Version 1 says "none" with a number beyond any memory; "max" is not a number.
    of("", "memory.max")
        .chain(of("memory", "memory.limit_in_bytes"))
        .min_by_key(|(bytes, _)| *bytes)
}

/// The lowest quota of CPU time, CPUs, and the group that has it: the nearest of several that have the same.
pub(super) fn cpu_limit(host: &Host) -> Option<(f64, String)> {
    let number =
        |group: &ControlGroup, file: &str| host.number(&format!("{}/{file}", group.directory));
    let unified = groups(host, "").into_iter().filter_map(|group| {
        let text = host.text(&format!("{}/cpu.max", group.directory))?;
        let mut words = text.split_ascii_whitespace();
        // "max" is no number.
        let (quota, period): (f64, f64) =
            (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((quota / period, group.name))
    });
    let old = groups(host, "cpu").into_iter().filter_map(|group| {
        // No quota is -1, which `number` does not read.
        let quota: u64 = number(&group, "cpu.cfs_quota_us")?;
        let period = number(&group, "cpu.cfs_period_us").filter(|us| *us > 0)?;
        Some((quota as f64 / period as f64, group.name))
    });
    unified
        .chain(old)
        .filter(|(cpus, _)| cpus.is_finite())
        .min_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// All I/O limits on devices that have a name here, of the nearest group first.
pub fn io_limits(host: &Host) -> Vec<CgroupLimit> {
    let unified = groups(host, "").into_iter().flat_map(|group| {
        let text = host
            .text(&format!("{}/io.max", group.directory))
            .unwrap_or_default();
        text.lines()
            .flat_map(|line| of_line(host, line, &group.name))
            .collect::<Vec<_>>()
    });
    let old = groups(host, "blkio").into_iter().flat_map(|group| {
        THROTTLES.iter().flat_map(move |(file, what)| {
            let text = host
                .text(&format!("{}/{file}", group.directory))
                .unwrap_or_default();
            text.lines()
                .filter_map(|line| of_throttle(host, line, what, &group.name))
                .collect::<Vec<_>>()
        })
    });
    unified.chain(old).collect()
}

/// The lowest limit of each kind on each device.
pub fn lowest_io_limits(host: &Host) -> Vec<CgroupLimit> {
    let mut limits = io_limits(host);
    limits.sort_by(|a, b| (&a.device, &a.what, a.limit).cmp(&(&b.device, &b.what, b.limit)));
    limits.dedup_by(|later, first| (&later.device, &later.what) == (&first.device, &first.what));
    limits
}

/// The weight of this process's own group: `io.weight` and its forebears.
pub(super) fn io_weight(host: &Host) -> Option<String> {
    let files = [
        ("", "io.weight"),
        ("", "io.bfq.weight"),
        ("blkio", "blkio.bfq.weight"),
        ("blkio", "blkio.weight"),
    ];
    files.iter().find_map(|(controller, file)| {
        let group = groups(host, controller).into_iter().next()?;
        let text = host.text(&format!("{}/{file}", group.directory))?;
        let first = text
            .lines()
            .next()?
            .trim_start_matches("default")
            .trim()
            .to_string();
        (!first.is_empty()).then_some(first)
    })
}

/// Which versions are in use, and this process's group: of version 2 where it does anything, else of `blkio`.
pub(super) fn membership(host: &Host) -> Option<(&'static str, String)> {
    let process = own(host);
    let (unified, old) = (process.path(""), process.path("blkio"));
    let (version, path) = match process.version()? {
        Version::Two => ("2", unified),
        Version::Hybrid => ("hybrid", old.or(unified)),
        Version::One => ("1", old),
    };
    Some((version, path.unwrap_or("/").to_string()))
}

/// Every group of this process, by its path, in all trees and without repeats.
pub(super) fn paths(host: &Host) -> Vec<String> {
    let process = own(host);
    process.paths().into_iter().map(str::to_string).collect()
}

struct ControlGroup {
    /// In /sys.
    directory: String,
    /// As /proc/PID/cgroup names it.
    name: String,
}

fn own(host: &Host) -> Membership {
    Membership::parse(&host.text("/proc/self/cgroup").unwrap_or_default())
}

/// The directories of this process's group and of all above it. A controller of version 1 has its own tree.
fn groups(host: &Host, controller: &str) -> Vec<ControlGroup> {
    let process = own(host);
    let mounts = Mounts::parse(&host.text("/proc/self/mountinfo").unwrap_or_default());
    let hierarchies = Hierarchies::of(&mounts, &process);
    let Some((tree, below)) = hierarchies.group(&process, controller) else {
        return Vec::new();
    };
    let group = |name: &str| ControlGroup {
        directory: tree.directory(name),
        name: tree.name(name),
    };
    with_those_above(below).map(group).collect()
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn of_line(host: &Host, line: &str, group: &str) -> Vec<CgroupLimit> {
    let Some((device, words)) = device_of(host, line) else {
        return Vec::new();
    };
    let limit = |(what, limit): (&str, &str)| {
        let limit = limit.parse().ok()?;
        Some(CgroupLimit {
            device: device.clone(),
            what: what.into(),
            limit,
            group: group.into(),
            version: 2,
        })
    };
    device_lines::keyed(words).filter_map(limit).collect()
}

/// `8:16 120`.
fn of_throttle(host: &Host, line: &str, what: &str, group: &str) -> Option<CgroupLimit> {
    let (device, limit) = device_of(host, line)?;
    Some(CgroupLimit {
        device,
        what: what.into(),
        limit: limit.parse().ok()?,
        group: group.into(),
        version: 1,
    })
}

/// The device that a line is of, by its name here, and what follows.
fn device_of<'a>(host: &Host, line: &'a str) -> Option<(String, &'a str)> {
    let (devno, words) = device_lines::split(line)?;
    let device = host.block_name(&devno.to_string())?;
    Some((device, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(rest: &str) -> Host {
        let text =
            format!("iodyno-host 1\npath: /sys/dev/block/8:16\nlink: ../../devices/p/sdb\n{rest}");
        Host::from_archive(host::Archive::parse(&text).unwrap())
    }

    const TWO_LEVELS: &str = "path: /proc/self/cgroup\nlines: 1\n0::/a/b\n\
         path: /sys/fs/cgroup/a/b/io.max\nlines: 1\n8:16 rbps=max wbps=max riops=2000 wiops=max\n\
         path: /sys/fs/cgroup/a/io.max\nlines: 2\n8:16 rbps=1048576 wbps=max riops=500 wiops=max\n8:32 riops=1\n\
         path: /sys/fs/cgroup/a/b/io.weight\nlines: 1\ndefault 50\n\
         path: /sys/fs/cgroup/a/memory.max\nlines: 1\n1073741824\n\
         path: /sys/fs/cgroup/a/b/memory.max\nlines: 1\nmax\n\
         path: /sys/fs/cgroup/a/b/cpu.max\nlines: 1\n30000 100000\n\
         path: /sys/fs/cgroup/a/cpu.max\nlines: 1\nmax 100000\n";

    #[test]
    fn the_lowest_limit_of_all_groups_above_counts() {
        let host = machine(TWO_LEVELS);
        let found: Vec<(String, u64)> = lowest_io_limits(&host)
            .into_iter()
            .map(|one| (one.what, one.limit))
            .collect();
        assert_eq!(
            found,
            [("rbps".to_string(), 1 << 20), ("riops".to_string(), 500)]
        );
        assert_eq!(memory_limit(&host), Some((1 << 30, "/a".to_string())));
        assert_eq!(cpu_limit(&host), Some((0.3, "/a/b".to_string())));
        assert_eq!(membership(&host), Some(("2", "/a/b".to_string())));
        assert_eq!(io_weight(&host).as_deref(), Some("50"));
    }

    #[test]
    fn all_limits_are_told_with_their_group_the_nearest_first() {
        let found = io_limits(&machine(TWO_LEVELS));
        let told: Vec<(&str, u64, &str)> = found
            .iter()
            .map(|one| (one.what.as_str(), one.limit, one.group.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("riops", 2000, "/a/b"),
                ("rbps", 1 << 20, "/a"),
                ("riops", 500, "/a")
            ]
        );
    }

    #[test]
    fn a_container_finds_its_limits_where_its_part_is_mounted() {
        let host = machine(
            "path: /proc/self/cgroup\nlines: 1\n7:blkio:/docker/4f/job\n\
             path: /proc/self/mountinfo\nlines: 1\n\
             31 1 0:27 /docker/4f /sys/fs/cgroup/blkio ro - cgroup cgroup rw,blkio\n\
             path: /sys/fs/cgroup/blkio/job/blkio.throttle.read_iops_device\nlines: 1\n8:16 120\n\
             path: /sys/fs/cgroup/blkio/blkio.throttle.write_iops_device\nlines: 1\n8:16 80\n",
        );
        let found: Vec<(String, u64)> = io_limits(&host)
            .into_iter()
            .map(|one| (one.group, one.limit))
            .collect();
        let of = |name: &str, limit| (name.to_string(), limit);
        assert_eq!(found, [of("/docker/4f/job", 120), of("/docker/4f", 80)]);
    }

    #[test]
    fn the_first_version_is_read_too() {
        let host = machine(
            "path: /proc/self/cgroup\nlines: 2\n7:blkio:/c\n4:memory:/c\n\
             path: /sys/fs/cgroup/blkio/c/blkio.throttle.write_bps_device\nlines: 1\n8:16 1048576\n\
             path: /sys/fs/cgroup/memory/c/memory.limit_in_bytes\nlines: 1\n9223372036854771712\n",
        );
        let found = lowest_io_limits(&host);
        assert_eq!(
            (
                found[0].device.as_str(),
                found[0].what.as_str(),
                found[0].limit
            ),
            ("sdb", "wbps", 1 << 20)
        );
        assert_eq!(memory_bytes(&host), Some(9223372036854771712));
        assert_eq!(membership(&host), Some(("1", "/c".to_string())));
        assert!(io_limits(&machine("")).is_empty() && membership(&machine("")).is_none());
    }
}
