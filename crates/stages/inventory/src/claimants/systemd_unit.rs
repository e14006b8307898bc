//! # systemd unit
//!
//! ## What it reads
//! `w` lines of tmpfiles.d in `/etc`, `/run`, `/usr/local/lib` and `/usr/lib`; services of the administrator in
//! `/etc/systemd/system` and `/etc/rc.local`, for commands that write settings; the units around this process's control
//! group with their drop-ins, for limits.
//!
//! ## What it claims
//! Settings that a `w` line or a command such as `ExecStart=/bin/sh -c 'echo none > /sys/block/sda/queue/scheduler'`
//! writes; the machine's `io_limits`, `io_weight`, `memory_limit_bytes` and `cpu_limit` where a unit of this process sets them.
//!
//! ## When it acts
//! tmpfiles.d at boot, after udev has first seen the disks; a service when it starts. A service that nothing seems to
//! start is a maybe.
//!
//! ## Example
//! `/etc/tmpfiles.d/thp.conf:1` wants `transparent_hugepage` to be never.
//!
//! ## Sources
//! - tmpfiles.d(5), systemd.service(5), systemd.resource-control(5)

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::{ConfigFile, drop_ins, shell_writes};
use crate::{cgroups, services};
use host::Host;

/// Where tmpfiles.d is, the strongest first.
pub(crate) const TMPFILES: &[&str] = &[
    "/etc/tmpfiles.d",
    "/run/tmpfiles.d",
    "/usr/local/lib/tmpfiles.d",
    "/usr/lib/tmpfiles.d",
];
/// Units that people and programs add to those of the distribution.
const OWN_UNITS: &str = "/etc/systemd/system";
/// Where the units of a control group may be described, the strongest first.
const UNITS: &[&str] = &[
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
const RC_LOCAL: &[&str] = &["/etc/rc.local", "/etc/rc.d/rc.local"];

/// Words of a unit and the fact of the machine that they set.
const LIMITS: &[(&str, &str)] = &[
    ("IOReadBandwidthMax", "io_limits"),
    ("IOWriteBandwidthMax", "io_limits"),
    ("IOReadIOPSMax", "io_limits"),
    ("IOWriteIOPSMax", "io_limits"),
    ("BlockIOReadBandwidth", "io_limits"),
    ("BlockIOWriteBandwidth", "io_limits"),
    ("IOWeight", "io_weight"),
    ("BlockIOWeight", "io_weight"),
    ("MemoryMax", "memory_limit_bytes"),
    ("MemoryLimit", "memory_limit_bytes"),
    ("CPUQuota", "cpu_limit"),
];

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "systemd_unit",
    since: "0.1.0",
    reads: &[
        "/etc/tmpfiles.d",
        "/usr/lib/tmpfiles.d",
        OWN_UNITS,
        "/etc/rc.local",
        "/proc/self/cgroup",
    ],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let mut claims = tmpfiles(scene);
    claims.extend(scripts(scene));
    claims.extend(limits(scene));
    claims
}

/// Whether a line of a unit or a script says something that this claimant takes. A capture keeps no others.
pub(crate) fn is_relevant(line: &str) -> bool {
    let key = line.trim().split('=').next().unwrap_or_default().trim();
    !shell_writes(line).is_empty() || LIMITS.iter().any(|(name, _)| *name == key)
}

/// `w /sys/kernel/mm/transparent_hugepage/enabled - - - - never`
fn tmpfiles(scene: &Scene<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (number, file) in drop_ins(scene.host, TMPFILES, ".conf").iter().enumerate() {
        for (index, line) in file.text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_write =
                words.first().is_some_and(|kind| kind.starts_with('w')) && words.len() > 6;
            if !is_write {
                continue;
            }
            claims.extend(scene.settings_at(words[1]).into_iter().map(|on| Claim {
                on,
                phase: Phase::System,
                sequence: (1 << 24) + (number << 16) + index,
                place: format!("{}:{}", file.path, index + 1),
                wants: Some(words[6..].join(" ").trim_matches('"').to_string()),
                acts: "at boot".into(),
            }));
        }
    }
    claims
}

fn scripts(scene: &Scene<'_>) -> Vec<Claim> {
    let host = scene.host;
    let mut claims = Vec::new();
    for name in host
        .list(OWN_UNITS)
        .into_iter()
        .filter(|name| name.ends_with(".service"))
    {
        let path = format!("{OWN_UNITS}/{name}");
        // Links lead to the distribution's own services, which write no settings of storage.
        let text = host
            .link(&path)
            .is_none()
            .then(|| host.text(&path))
            .flatten();
        let Some(text) = text else { continue };
        let starts = [
            "multi-user.target",
            "sysinit.target",
            "basic.target",
            "local-fs.target",
            "default.target",
            "graphical.target",
        ]
        .iter()
        .any(|target| services::is_enabled(host, &name, target));
        let acts = match starts {
            true => format!("when {name} starts, at boot"),
            false => format!("maybe when {name} starts; nothing seems to start it at boot"),
        };
        claims.extend(written(scene, &ConfigFile { path, text }, &acts));
    }
    for path in RC_LOCAL {
        let Some(text) = host.text(path) else {
            continue;
        };
        claims.extend(written(
            scene,
            &ConfigFile {
                path: (*path).to_string(),
                text,
            },
            "at the end of booting",
        ));
        break;
    }
    claims
}

fn written(scene: &Scene<'_>, file: &ConfigFile, acts: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (index, line) in file
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with('#'))
    {
        for (path, value) in shell_writes(line) {
            claims.extend(scene.settings_at(&path).into_iter().map(|on| Claim {
                on,
                phase: Phase::Service,
                sequence: index,
                place: format!("{}:{}", file.path, index + 1),
                wants: (!value.contains('$')).then(|| value.clone()),
                acts: acts.to_string(),
            }));
        }
    }
    claims
}

/// Limits that the units around this process set.
fn limits(scene: &Scene<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let paths = cgroups::paths(scene.host);
    let mut units: Vec<&str> = paths.iter().flat_map(|path| path.split('/')).collect();
    units.retain(|part| {
        [".service", ".slice", ".scope"]
            .iter()
            .any(|ending| part.ends_with(ending))
    });
    units.sort_unstable();
    units.dedup();
    for file in units.iter().flat_map(|unit| unit_files(scene.host, unit)) {
        for (index, line) in file.text.lines().enumerate() {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let Some((_, name)) = LIMITS.iter().find(|(word, _)| *word == key.trim()) else {
                continue;
            };
            claims.push(Claim {
                on: On::Fact {
                    layer: "machine".into(),
                    name,
                },
                phase: Phase::Service,
                sequence: index,
                place: format!("{}:{}", file.path, index + 1),
                wants: Some(format!("{}={}", key.trim(), value.trim())),
                acts: "when the unit starts".into(),
            });
        }
    }
    claims
}

fn unit_files(host: &Host, unit: &str) -> Vec<ConfigFile> {
    let whole = UNITS.iter().map(|directory| format!("{directory}/{unit}"));
    let main = whole.clone().find_map(|path| {
        Some(ConfigFile {
            text: host.text(&path)?,
            path,
        })
    });
    let directories: Vec<String> = whole.map(|path| format!("{path}.d")).collect();
    let names: Vec<&str> = directories.iter().map(String::as_str).collect();
    main.into_iter()
        .chain(drop_ins(host, &names, ".conf"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::collect_on;

    const DISK: &str = "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
        path: /sys/devices/p/sda/dev\nlines: 1\n8:0\npath: /sys/devices/p/sda/queue/scheduler\nlines: 1\n[none]\n\
        path: /sys/kernel/mm/transparent_hugepage/enabled\nlines: 1\nalways madvise [never]\n";

    #[test]
    fn lines_of_tmpfiles_and_commands_of_services_are_claims() {
        let path = collect_on(
            &format!(
                "{DISK}path: /etc/tmpfiles.d/t.conf\nlines: 2\nd /run/x\n\
                 w /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n\
                 path: /etc/systemd/system/io.service\nlines: 2\n[Service]\n\
                 ExecStart=/bin/sh -c 'echo none > /sys/block/sda/queue/scheduler'\n\
                 path: /etc/systemd/system/multi-user.target.wants/io.service\nlink: ../io.service\n"
            ),
            "sda",
        );
        let huge = &path.machine_setting("transparent_hugepage").unwrap().owners;
        assert_eq!(huge[0].place, "/etc/tmpfiles.d/t.conf:2");
        let scheduler = &path.disks()[0].setting("scheduler").unwrap().owners;
        assert_eq!(scheduler[0].place, "/etc/systemd/system/io.service:2");
        assert!(scheduler[0].is_certain(), "{scheduler:?}");
    }

    #[test]
    fn limits_of_the_units_around_this_process_have_their_place() {
        let path = collect_on(
            &format!(
                "{DISK}path: /proc/self/cgroup\nlines: 1\n0::/system.slice/db.service\n\
                 path: /etc/systemd/system/db.service.d/10-io.conf\nlines: 2\n[Service]\nIOReadIOPSMax=/dev/sda 500\n"
            ),
            "sda",
        );
        let owners = &path.machine.as_ref().unwrap().owners["io_limits"];
        assert_eq!(
            owners[0].place,
            "/etc/systemd/system/db.service.d/10-io.conf:2"
        );
        assert_eq!(
            owners[0].wants.as_deref(),
            Some("IOReadIOPSMax=/dev/sda 500")
        );
    }

    #[test]
    fn other_lines_stay_out_of_captures() {
        assert!(
            is_relevant("ExecStart=/sbin/blockdev --setra 64 /dev/sda")
                && is_relevant(" IOWeight=50")
        );
        assert!(
            !is_relevant("Environment=TOKEN=1")
                && !is_relevant("ExecStart=/usr/bin/db --password x")
        );
    }
}
