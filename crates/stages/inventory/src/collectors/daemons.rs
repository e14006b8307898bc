//! # Daemons that tune
//!
//! Programs that change settings by themselves: irqbalance, TuneD, and systemd's weekly trim.
//!
//! ## What it reads
//! systemd's control groups of the services, the files that they leave in `/run`, their configuration in `/etc`, and the
//! units that are enabled. `/usr/lib*/systemd/libsystemd-shared-*.so` for systemd's version.
//!
//! ## Fields
//! - `irqbalance`: `running`, `stopped` (installed) or `absent`
//! - `irqbalance_config`: what its configuration sets, `IRQBALANCE_ARGS=--banirq=30`
//! - `tuned_profile`: the active profile; `tuned`: `running` or `stopped`, where there is one
//! - `systemd`: its version, or `running` where the version cannot be told
//! - `fstrim_timer`: `active` or `inactive`
//!
//! ## Example
//! irqbalance runs without banned interrupts; TuneD's profile is `throughput-performance`.

use crate::claimants::{irqbalance, tuned};
use crate::{Collector, Draft, Survey, services};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "daemons",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/sys/fs/cgroup/system.slice/*.service/cgroup.procs",
        "/run/irqbalance",
        "/etc/default/irqbalance",
        "/etc/tuned/active_profile",
        "/etc/systemd/system/timers.target.wants",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    draft.fact("irqbalance", balancer(host));
    let set = irqbalance::configuration(host)
        .map(|(_, set)| set)
        .unwrap_or_default();
    let set: Vec<String> = set
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    draft.fact(
        "irqbalance_config",
        Some(set.join(" ")).filter(|text| !text.is_empty()),
    );
    let profiles = tuned::active(host);
    if !profiles.is_empty() {
        draft.fact("tuned_profile", Some(profiles.join(" ")));
        draft.fact(
            "tuned",
            Some(if tuned::is_running(host) {
                "running"
            } else {
                "stopped"
            }),
        );
    }
    if services::has_systemd(host) {
        draft.fact(
            "systemd",
            Some(systemd(host).unwrap_or_else(|| "running".into())),
        );
        let is_on = services::is_enabled(host, "fstrim.timer", "timers.target");
        draft.fact(
            "fstrim_timer",
            Some(if is_on { "active" } else { "inactive" }),
        );
    }
}

/// Nothing to say of a machine that was captured before this was read.
fn balancer(host: &Host) -> Option<&'static str> {
    if services::is_running(
        host,
        "irqbalance",
        &["/run/irqbalance", "/run/irqbalance.pid"],
    ) {
        return Some("running");
    }
    let is_there = ["/usr/sbin/irqbalance", "/sbin/irqbalance"]
        .iter()
        .any(|path| host.exists(path));
    match (is_there, host.exists("/usr/sbin")) {
        (true, _) => Some("stopped"),
        (false, true) => Some("absent"),
        (false, false) => None,
    }
}

/// The version is in the name of its library.
fn systemd(host: &Host) -> Option<String> {
    [
        "/usr/lib/systemd",
        "/lib/systemd",
        "/usr/lib/x86_64-linux-gnu/systemd",
        "/usr/lib/aarch64-linux-gnu/systemd",
    ]
    .iter()
    .find_map(|directory| {
        let name = host
            .list(directory)
            .into_iter()
            .find(|name| name.starts_with("libsystemd-shared-"))?;
        let version = name
            .trim_start_matches("libsystemd-shared-")
            .split(['.', '-'])
            .next()?
            .to_string();
        (!version.is_empty()).then_some(version)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn daemons_and_their_state_are_told() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\npath: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
             path: /usr/sbin/irqbalance\nlines: 0\npath: /etc/default/irqbalance\nlines: 1\nIRQBALANCE_ARGS=\"--banirq=3\"\n\
             path: /etc/tuned/active_profile\nlines: 1\nthroughput-performance\n\
             path: /run/systemd/system\ndirectory\npath: /usr/lib/systemd/libsystemd-shared-252.so\nlines: 0\n",
            "sda",
        );
        let fact = |name: &str| path.machine_fact(name);
        assert_eq!(
            (fact("irqbalance"), fact("irqbalance_config")),
            (Some("stopped"), Some("IRQBALANCE_ARGS=--banirq=3"))
        );
        assert_eq!(
            (fact("tuned_profile"), fact("tuned")),
            (Some("throughput-performance"), Some("stopped"))
        );
        assert_eq!(
            (fact("systemd"), fact("fstrim_timer")),
            (Some("252"), Some("inactive"))
        );
    }
}
