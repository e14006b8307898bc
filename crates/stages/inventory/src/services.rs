//! Which daemons run: told by systemd's control groups and by the files that daemons leave in /run, since searching
//! every process would cost more than the rest of the inventory.

use host::Host;

/// Trees in which systemd keeps its groups.
const TREES: &[&str] = &[
    "/sys/fs/cgroup",
    "/sys/fs/cgroup/systemd",
    "/sys/fs/cgroup/unified",
];

/// Whether systemd runs this machine.
pub(super) fn has_systemd(host: &Host) -> bool {
    host.exists("/run/systemd/system")
}

/// Whether a service of systemd has processes; where systemd does not run the machine, whether a file in /run says that
/// the daemon is there.
pub(super) fn is_running(host: &Host, service: &str, run_files: &[&str]) -> bool {
    let group = |tree: &&str| format!("{tree}/system.slice/{service}.service");
    let is_populated = |group: String| {
        host.text(&format!("{group}/cgroup.procs"))
            .is_some_and(|processes| !processes.trim().is_empty())
    };
    let is_left = || run_files.iter().any(|file| host.exists(file));
    TREES.iter().map(group).any(is_populated) || (!has_systemd(host) && is_left())
}

/// Whether a unit is wanted at boot or by a target.
pub(super) fn is_enabled(host: &Host, unit: &str, target: &str) -> bool {
    [
        "/etc/systemd/system",
        "/run/systemd/system",
        "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]
    .iter()
    .any(|directory| {
        host.link(&format!("{directory}/{target}.wants/{unit}"))
            .is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_runs_when_its_group_has_processes() {
        let text = "iodyno-host 1\npath: /sys/fs/cgroup/system.slice/tuned.service/cgroup.procs\nlines: 1\n812\n\
            path: /sys/fs/cgroup/system.slice/irqbalance.service/cgroup.procs\nlines: 0\n\
            path: /run/irqbalance/irqbalance9.sock\nlines: 0\n\
            path: /etc/systemd/system/timers.target.wants/fstrim.timer\nlink: /lib/systemd/system/fstrim.timer\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        assert!(is_running(&host, "tuned", &[]));
        assert!(!is_running(&host, "irqbalance", &["/run/irqbalance.pid"]));
        assert!(is_running(&host, "irqbalance", &["/run/irqbalance"]));
        assert!(is_enabled(&host, "fstrim.timer", "timers.target"));
        assert!(!is_enabled(&host, "other.timer", "timers.target") && !has_systemd(&host));
    }
}
