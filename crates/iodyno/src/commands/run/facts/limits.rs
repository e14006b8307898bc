//! The limits of the control groups that this process is in: memory and I/O, of both versions.

use host::Host;
use pipeline::diagnose::CgroupLimit;

/// Where version 2 may be mounted: alone, or beside version 1.
const UNIFIED: &[&str] = &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// Files of version 1 and the names that version 2 has for what they limit.
const THROTTLES: &[(&str, &str)] = &[
    ("blkio.throttle.read_iops_device", "riops"),
    ("blkio.throttle.write_iops_device", "wiops"),
    ("blkio.throttle.read_bps_device", "rbps"),
    ("blkio.throttle.write_bps_device", "wbps"),
];

/// The lowest memory limit; none where there is none.
pub fn memory_bytes(host: &Host) -> Option<u64> {
    let unified = groups(host, "").into_iter().map(|group| format!("{group}/memory.max"));
    let old = groups(host, "memory").into_iter().map(|group| format!("{group}/memory.limit_in_bytes"));
    // Version 1 says "none" with a number beyond any memory; "max" is not a number.
    unified.chain(old).filter_map(|path| host.number(&path)).min()
}

/// All I/O limits on devices that have a name here, the lowest of each kind.
pub fn io(host: &Host) -> Vec<CgroupLimit> {
    let unified = groups(host, "").into_iter().flat_map(|group| {
        let text = host.text(&format!("{group}/io.max")).unwrap_or_default();
        text.lines().flat_map(|line| of_line(host, line)).collect::<Vec<_>>()
    });
    let old = groups(host, "blkio").into_iter().flat_map(|group| {
        THROTTLES.iter().flat_map(move |(file, what)| {
            let text = host.text(&format!("{group}/{file}")).unwrap_or_default();
            text.lines().filter_map(|line| of_throttle(host, line, what)).collect::<Vec<_>>()
        })
    });
    let mut limits: Vec<CgroupLimit> = unified.chain(old).collect();
    limits.sort_by(|a, b| (&a.device, &a.what, a.limit).cmp(&(&b.device, &b.what, b.limit)));
    limits.dedup_by(|later, first| (&later.device, &later.what) == (&first.device, &first.what));
    limits
}

/// The directories of this process's group and of all above it. A controller of version 1 has its own tree.
fn groups(host: &Host, controller: &str) -> Vec<String> {
    let table = host.text("/proc/self/cgroup").unwrap_or_default();
    let own = table.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|one| one == controller).then_some(path)
    });
    let Some(own) = own else { return Vec::new() };
    let roots = match controller {
        "" => UNIFIED.iter().map(|root| root.to_string()).collect(),
        controller => vec![format!("/sys/fs/cgroup/{controller}")],
    };
    let above = |root: &String| {
        let mut group = format!("{root}{}", own.trim_end_matches('/'));
        let mut all = vec![group.clone()];
        while group.len() > root.len() {
            group.truncate(group.rfind('/').unwrap_or(0).max(root.len()));
            all.push(group.clone());
        }
        all
    };
    roots.iter().flat_map(above).collect()
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn of_line(host: &Host, line: &str) -> Vec<CgroupLimit> {
    let mut words = line.split_whitespace();
    let Some(device) = words.next().and_then(|devno| device(host, devno)) else { return Vec::new() };
    let limit = |word: &str| {
        let (what, limit) = word.split_once('=')?;
        Some(CgroupLimit { device: device.clone(), what: what.into(), limit: limit.parse().ok()? })
    };
    words.filter_map(limit).collect()
}

/// `8:16 120`.
fn of_throttle(host: &Host, line: &str, what: &str) -> Option<CgroupLimit> {
    let (devno, limit) = line.split_once(' ')?;
    Some(CgroupLimit { device: device(host, devno)?, what: what.into(), limit: limit.trim().parse().ok()? })
}

/// The kernel name of `major:minor`.
fn device(host: &Host, devno: &str) -> Option<String> {
    let link = host.link(&format!("/sys/dev/block/{devno}"))?;
    link.rsplit('/').next().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(rest: &str) -> Host {
        let text = format!("iodyno-host 1\npath: /sys/dev/block/8:16\nlink: ../../devices/p/sdb\n{rest}");
        Host::from_archive(host::Archive::parse(&text).unwrap())
    }

    #[test]
    fn the_lowest_limit_of_all_groups_above_counts() {
        let host = machine(
            "path: /proc/self/cgroup\nlines: 1\n0::/a/b\n\
             path: /sys/fs/cgroup/a/b/io.max\nlines: 1\n8:16 rbps=max wbps=max riops=2000 wiops=max\n\
             path: /sys/fs/cgroup/a/io.max\nlines: 2\n8:16 rbps=1048576 wbps=max riops=500 wiops=max\n8:32 riops=1\n\
             path: /sys/fs/cgroup/a/memory.max\nlines: 1\n1073741824\n\
             path: /sys/fs/cgroup/a/b/memory.max\nlines: 1\nmax\n",
        );
        let found: Vec<(String, u64)> = io(&host).into_iter().map(|one| (one.what, one.limit)).collect();
        assert_eq!(found, [("rbps".to_string(), 1 << 20), ("riops".to_string(), 500)]);
        assert_eq!(memory_bytes(&host), Some(1 << 30));
    }

    #[test]
    fn the_first_version_is_read_too() {
        let host = machine(
            "path: /proc/self/cgroup\nlines: 2\n7:blkio:/c\n4:memory:/c\n\
             path: /sys/fs/cgroup/blkio/c/blkio.throttle.write_bps_device\nlines: 1\n8:16 1048576\n\
             path: /sys/fs/cgroup/memory/c/memory.limit_in_bytes\nlines: 1\n9223372036854771712\n",
        );
        assert_eq!(io(&host), [CgroupLimit { device: "sdb".into(), what: "wbps".into(), limit: 1 << 20 }]);
        assert_eq!(memory_bytes(&host), Some(9223372036854771712));
        assert!(io(&machine("")).is_empty());
    }
}
