//! # TuneD
//!
//! ## What it reads
//! `/etc/tuned/active_profile`, the `tuned.conf` of each active profile below `/etc/tuned` and `/usr/lib/tuned`, those that
//! they include, and `/etc/tuned/tuned-main.conf`.
//!
//! ## What it claims
//! `elevator` and `readahead` of disks that `devices` names, entries of `[sysctl]`, `[vm]` and `[sysfs]`, the governor and
//! the latency of `[cpu]`. A value with TuneD's functions or variables is claimed without saying what it will be.
//!
//! ## When it acts
//! When TuneD starts and when a disk appears while it runs. It applies the files of `/etc/sysctl.d` again after its own
//! `[sysctl]` unless `reapply_sysctl` is 0. A profile whose daemon does not run is a maybe: values that it set at boot
//! may still be there.
//!
//! ## Example
//! `TuneD profile throughput-performance, /usr/lib/tuned/throughput-performance/tuned.conf:30` wants `read_ahead_kb` to be
//! 4096.
//!
//! ## Sources
//! - TuneD, `tuned/plugins/plugin_disk.py`, `plugin_sysctl.py`, `plugin_vm.py`, `tuned-main.conf`

mod profile;

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::{ini, sysctl_path};
use crate::{glob, services};
use host::Host;
use model::iopath::LayerKind;
use profile::{ProfileEntry, entries};

const ACTIVE: &str = "/etc/tuned/active_profile";
const MAIN: &str = "/etc/tuned/tuned-main.conf";

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "tuned",
    since: "0.1.0",
    reads: &[
        ACTIVE,
        MAIN,
        "/etc/tuned/*/tuned.conf",
        "/usr/lib/tuned/*/tuned.conf",
    ],
    claims,
};

/// The names of the active profiles.
pub(crate) fn active(host: &Host) -> Vec<String> {
    host.text(ACTIVE)
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_string)
        .collect()
}

/// Whether its daemon runs.
pub(crate) fn is_running(host: &Host) -> bool {
    services::is_running(host, "tuned", &["/run/tuned/tuned.pid"])
}

/// Whether it applies the sysctl files of the administrator after its own (its default).
pub(super) fn reapplies_sysctl(host: &Host) -> bool {
    let main = host.text(MAIN).unwrap_or_default();
    let off = |value: &str| matches!(value, "0" | "False" | "false" | "no");
    is_running(host)
        && !active(host).is_empty()
        && !ini(&main)
            .iter()
            .any(|(_, key, value, _)| key == "reapply_sysctl" && off(value))
}

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let running = is_running(scene.host);
    let mut claims = Vec::new();
    for name in active(scene.host) {
        for (sequence, entry) in entries(scene.host, &name).iter().enumerate() {
            for (on, wants) in targets(scene, entry) {
                claims.push(Claim {
                    on,
                    phase: Phase::Service,
                    sequence,
                    place: format!("TuneD profile {name}, {}:{}", entry.file, entry.line),
                    // Functions and variables are worked out by TuneD alone.
                    wants: wants.filter(|value| !value.contains("${")),
                    acts: match running {
                        true => "when TuneD starts or a disk appears".into(),
                        false => "maybe: TuneD does not run now, but may have set it before".into(),
                    },
                });
            }
        }
    }
    claims
}

/// What an entry of a profile sets.
fn targets(scene: &Scene<'_>, entry: &ProfileEntry) -> Vec<(On, Option<String>)> {
    let value = Some(entry.value.trim_matches('"').to_string());
    match (entry.plugin.as_str(), entry.key.as_str()) {
        ("disk", key @ ("elevator" | "readahead")) => {
            let name = if key == "elevator" {
                "scheduler"
            } else {
                "read_ahead_kb"
            };
            let disks = scene.path.root.walk().into_iter().filter(|layer| {
                layer.devno.is_some()
                    && layer.kind != LayerKind::Partition
                    && is_meant(&entry.devices, &layer.name)
            });
            let settings = disks.filter_map(|layer| layer.setting(name));
            let wants = |now: &model::iopath::Setting| match key {
                "elevator" => value.clone(),
                _ => read_ahead_kib(&entry.value, now.number()),
            };
            settings
                .map(|setting| (On::Path(scene.canonical(&setting.path)), wants(setting)))
                .collect()
        }
        ("sysctl", key) => vec![(
            On::Path(sysctl_path(key)),
            value.map(|value| plain_number(&value)),
        )],
        ("vm", "transparent_hugepages" | "transparent_hugepage") => {
            vec![(On::Named("transparent_hugepage".into()), value)]
        }
        ("vm", key) => vec![(On::Named(format!("vm.{key}")), value)],
        ("sysfs", path) => scene
            .settings_at(path)
            .into_iter()
            .map(|on| (on, value.clone()))
            .collect(),
        ("cpu", "governor") => vec![(
            On::Fact {
                layer: "machine".into(),
                name: "cpu_governor",
            },
            value,
        )],
        ("cpu", "force_latency") => {
            vec![(
                On::Fact {
                    layer: "machine".into(),
                    name: "pm_qos_cpu_dma_latency_us",
                },
                value,
            )]
        }
        _ => Vec::new(),
    }
}

/// `sd*, !sdb`: names that match, less those after a mark. No list is every disk.
fn is_meant(devices: &str, name: &str) -> bool {
    let patterns = devices
        .split([',', ' '])
        .filter(|pattern| !pattern.is_empty());
    let (not, only): (Vec<&str>, Vec<&str>) =
        patterns.partition(|pattern| pattern.starts_with('!'));
    let meant = only.is_empty() || only.iter().any(|pattern| glob::matches(pattern, name));
    meant && !not.iter().any(|pattern| glob::matches(&pattern[1..], name))
}

/// `4096` is KiB, `4096 s` are sectors, `>4096` raises only.
fn read_ahead_kib(value: &str, now: Option<f64>) -> Option<String> {
    let (raises_only, value) = match value.trim().strip_prefix('>') {
        Some(value) => (true, value.trim()),
        None => (false, value.trim()),
    };
    let (number, sectors) = match value.strip_suffix(['s', 'S']) {
        Some(number) => (number.trim(), true),
        None => (value, false),
    };
    let number: f64 = number.parse().ok()?;
    let kib = if sectors { number / 2.0 } else { number };
    let wants = now.filter(|now| raises_only && *now > kib).unwrap_or(kib);
    Some(wants.to_string())
}

/// `>10` in a sysctl raises only; what it raises to is the number.
fn plain_number(value: &str) -> String {
    value.trim_start_matches(['>', '<']).trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::collect_on;
    use model::ownership::SetBy;

    const MACHINE: &str = "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
        path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
        path: /sys/devices/p/sda/queue/read_ahead_kb\nlines: 1\n4096\n\
        path: /proc/sys/vm/dirty_ratio\nlines: 1\n40\npath: /proc/sys/vm/swappiness\nlines: 1\n10\n\
        path: /etc/tuned/active_profile\nlines: 1\nmine\n\
        path: /etc/tuned/mine/tuned.conf\nlines: 4\n[main]\ninclude=throughput-performance\n[sysctl]\nvm.swappiness=10\n\
        path: /usr/lib/tuned/throughput-performance/tuned.conf\nlines: 6\n[disk]\ndevices=!vd*\nreadahead=>4096\n\
        [sysctl]\nvm.dirty_ratio = 40\nvm.swappiness=60\n";
    const RUNS: &str =
        "path: /sys/fs/cgroup/system.slice/tuned.service/cgroup.procs\nlines: 1\n9\n";

    #[test]
    fn a_profile_and_what_it_includes_are_named_with_their_lines() {
        let path = collect_on(&format!("{MACHINE}{RUNS}"), "sda");
        let ahead = path.disks()[0].setting("read_ahead_kb").unwrap();
        let place = "TuneD profile mine, /usr/lib/tuned/throughput-performance/tuned.conf:3";
        assert!(
            matches!(ahead.set_by(), SetBy::Owner(owner) if owner.place == place),
            "{ahead:?}"
        );
        let swappiness = path.machine_setting("vm.swappiness").unwrap();
        assert_eq!(
            swappiness.owners.len(),
            1,
            "the profile's own line replaces the included one"
        );
        assert!(
            swappiness.owners[0]
                .place
                .ends_with("/etc/tuned/mine/tuned.conf:4")
        );
    }

    #[test]
    fn a_sysctl_file_of_the_administrator_comes_after_it() {
        let file = "path: /etc/sysctl.d/9.conf\nlines: 1\nvm.swappiness=1\n";
        let last = |more: &str| {
            let path = collect_on(&format!("{MACHINE}{file}{more}"), "sda");
            path.machine_setting("vm.swappiness")
                .unwrap()
                .owners
                .last()
                .unwrap()
                .kind
                .clone()
        };
        assert_eq!(last(RUNS), "sysctl_file");
        assert_eq!(
            last(&format!(
                "{RUNS}path: /etc/tuned/tuned-main.conf\nlines: 1\nreapply_sysctl = 0\n"
            )),
            "tuned"
        );
    }

    #[test]
    fn a_daemon_that_does_not_run_is_a_maybe() {
        let path = collect_on(MACHINE, "sda");
        assert!(!path.machine_setting("vm.dirty_ratio").unwrap().owners[0].is_certain());
    }

    #[test]
    fn units_and_names_are_tuned_s() {
        assert_eq!(read_ahead_kib("8192 s", None).as_deref(), Some("4096"));
        assert_eq!(read_ahead_kib(">128", Some(512.0)).as_deref(), Some("512"));
        assert!(is_meant("!vd*", "sda") && !is_meant("!vd*", "vda") && is_meant("", "x"));
        assert!(
            is_meant("sd*, !sdb", "sda")
                && !is_meant("sd*, !sdb", "sdb")
                && !is_meant("sd*", "vda")
        );
    }
}
