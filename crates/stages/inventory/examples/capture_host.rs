//! Captures this machine for the tests of the sensors: whatever a sensor may read, and again a little later.
//!
//! `lab/capture` runs it, in guests and on the machine at hand: `capture_host DIRECTORY NAME TARGET GROUPS PIDS ABOUT`.
//! GROUPS and PIDS are lists with commas; of other control groups and processes nothing is kept. `NAME.host` is the
//! machine, `NAME.later` what had changed a second or more later, in the same form; `/proc/uptime` tells how much more.
#![allow(
    clippy::disallowed_methods,
    reason = "it reads modes, which a captured machine does not have"
)]

use host::{Archive, Host, clock, files};
use std::collections::BTreeMap;
use std::error::Error;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Files and links; `*` stands for anything within one name.
const PATHS: &[&str] = &[
    "/proc/cgroups",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/irq/*/effective_affinity_list",
    "/proc/irq/*/smp_affinity_list",
    "/proc/loadavg",
    "/proc/mdstat",
    "/proc/meminfo",
    "/proc/mounts",
    "/proc/pressure/*",
    "/proc/schedstat",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/softirqs",
    "/proc/stat",
    "/proc/swaps",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/dirty*",
    "/proc/sys/vm/swappiness",
    "/proc/uptime",
    "/proc/vmstat",
    "/sys/block/*",
    "/sys/bus/pci/devices/*",
    "/sys/bus/pci/devices/*/class",
    "/sys/bus/pci/devices/*/driver",
    "/sys/bus/pci/devices/*/irq",
    "/sys/bus/pci/devices/*/msi_irqs/*",
    "/sys/bus/pci/devices/*/numa_node",
    "/sys/class/bdi/*",
    "/sys/class/bdi/*/*",
    "/sys/class/block/*",
    "/sys/class/block/*/dev",
    "/sys/class/block/*/inflight",
    "/sys/class/block/*/partition",
    "/sys/class/block/*/size",
    "/sys/class/block/*/stat",
    "/sys/class/hwmon/*",
    "/sys/class/hwmon/*/device",
    "/sys/class/hwmon/*/*",
    "/sys/class/nvme/*",
    "/sys/class/nvme/*/*",
    "/sys/devices/system/cpu/cpu*/thermal_throttle/*",
    "/sys/devices/system/cpu/cpu*/topology/core_id",
    "/sys/devices/system/cpu/cpu*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
    "/sys/devices/system/node/node*/cpulist",
    "/sys/devices/system/node/online",
    "/sys/kernel/debug/bdi/*/stats",
];

/// Of a disk that holds anything, below `/sys/class/block/NAME`.
const OF_DISK: &[&str] = &[
    "*",
    "device/address",
    "device/cntlid",
    "device/driver",
    "device/firmware_rev",
    "device/io*_cnt",
    "device/model",
    "device/numa_node",
    "device/queue_count",
    "device/queue_depth",
    "device/queue_type",
    "device/rev",
    "device/state",
    "device/subsystem",
    "device/transport",
    "device/type",
    "device/vendor",
    "dm/*",
    "holders/*",
    "loop/*",
    "md/*",
    "md/*/*",
    "mq/*/cpu_list",
    "mq/*/nr_tags",
    "queue/*",
    "queue/iosched/*",
    "slaves/*",
];

/// Directories that say something by being empty.
const DIRECTORIES: &[&str] = &["/sys/class/block/*/holders", "/sys/class/block/*/slaves"];

/// Of a process.
const OF_PROCESS: &[&str] = &["cgroup", "comm", "io", "stat"];

/// Of a control group, v1 and v2.
const OF_GROUP: &[&str] = &[
    "blkio.bfq.io_service*_recursive",
    "blkio.io_*_recursive",
    "blkio.throttle.*",
    "cgroup.controllers",
    "cgroup.subtree_control",
    "cpu.pressure",
    "cpu.stat",
    "io.max",
    "io.pressure",
    "io.stat",
    "io.weight",
    "memory.current",
    "memory.limit_in_bytes",
    "memory.max",
    "memory.pressure",
    "memory.stat",
    "memory.usage_in_bytes",
];

/// Names of files that identify a machine, and those that no sensor reads.
const NEVER: &[&str] = &[
    "serial",
    "wwid",
    "uuid",
    "uevent",
    "nguid",
    "eui",
    "subsysnqn",
    "hostnqn",
    "hostid",
    "address",
    "partuuid",
];

/// Mount points that any machine may have.
const USUAL: &[&str] = &["/dev", "/proc", "/run", "/srv", "/sys"];

/// Where the backing files are that a capture makes for itself.
const OWN: &[&str] = &["/srv", "/var/tmp/iodyno-capture"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, name, target, groups, pids, about] = &arguments[..] else {
        return Err("usage: capture_host DIRECTORY NAME TARGET GROUPS PIDS ABOUT".into());
    };
    let wanted = Wanted {
        target,
        groups: list(groups),
        pids: list(pids),
    };
    let first = wanted.capture()?;
    clock::sleep_ms(1000);
    let later = changes(&first, &wanted.capture()?);
    let header = format!("iodyno-host 1\n# {about}\n# target: {target}\n");
    let text = first.print().replacen("iodyno-host 1\n", &header, 1);
    let file = |end: &str| Path::new(directory).join(format!("{name}.{end}"));
    files::write_atomically(&file("host"), &text)?;
    let later = format!(
        "# What had changed on {name} when it was read again; appended to {name}.host it is that moment.\n{later}"
    );
    files::write_atomically(&file("later"), &later)?;
    Ok(())
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').filter(|word| !word.is_empty()).collect()
}

/// The entries of an archive's text that are new or different in another.
fn changes(first: &Archive, second: &Archive) -> String {
    let (first, second) = (first.print(), second.print());
    let known: BTreeMap<&str, &str> = entries(&first).collect();
    let changed = entries(&second).filter(|(path, body)| known.get(path) != Some(body));
    changed
        .map(|(path, body)| format!("path: {path}\n{body}"))
        .collect()
}

fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some((*end - line.len(), line))
        })
        .filter(|(_, line)| line.starts_with("path: /"))
        .map(|(start, line)| {
            let body = &text[start + line.len()..];
            let end = body.find("\npath: /").map_or(body.len(), |end| end + 1);
            (line.trim_end().trim_start_matches("path: "), &body[..end])
        })
}

struct Wanted<'a> {
    target: &'a str,
    groups: Vec<&'a str>,
    pids: Vec<&'a str>,
}

impl Wanted<'_> {
    fn capture(&self) -> Result<Archive, Box<dyn Error>> {
        let host = Host::recording();
        inventory::collect(&host, self.target)?;
        for pattern in PATHS {
            keep_all(&host, pattern);
        }
        for disk in Host::live().list("/sys/block") {
            keep_disk(&host, &disk);
        }
        for pattern in DIRECTORIES {
            expand(pattern).iter().for_each(|path| _ = host.kind(path));
        }
        for (pid, file) in self
            .pids
            .iter()
            .flat_map(|pid| OF_PROCESS.iter().map(move |file| (pid, file)))
        {
            keep(&host, &format!("/proc/{pid}/{file}"));
        }
        for mount in cgroup_mounts() {
            for group in std::iter::once("").chain(self.groups.iter().copied()) {
                let directory = format!("{mount}/{group}");
                OF_GROUP.iter().for_each(|file| {
                    keep_all(
                        &host,
                        &format!("{}/{file}", directory.trim_end_matches('/')),
                    )
                });
            }
        }
        let mut archive = host.recorded();
        let field = |index: usize| move |text: &str| usual_mounts(text, index);
        archive.rewrite("/proc/self/mountinfo", field(4));
        archive.rewrite("/proc/mounts", field(1));
        archive.rewrite("/proc/self/mounts", field(1));
        inventory::conceal(&mut archive, inventory::Masking::Serials);
        Ok(archive)
    }
}

/// A disk with its partitions and every driver above it; nothing of one that holds nothing, such as an unused loop
/// device, or whose backing file is somebody else's.
fn keep_disk(host: &Host, disk: &str) {
    let directory = format!("/sys/class/block/{disk}");
    let file = Host::live().text(&format!("{directory}/loop/backing_file"));
    let is_foreign = file.is_some_and(|file| !OWN.iter().any(|own| file.starts_with(own)));
    if is_foreign || Host::live().number(&format!("{directory}/size")) == Some(0) {
        return;
    }
    OF_DISK
        .iter()
        .for_each(|pattern| keep_all(host, &format!("{directory}/{pattern}")));
    let partitions = expand(&format!("{directory}/{disk}*/partition"));
    for partition in partitions
        .iter()
        .filter_map(|path| path.strip_suffix("/partition"))
    {
        keep_all(host, &format!("{partition}/*"));
    }
    let Some(mut above) = Host::live().resolve(&directory) else {
        return;
    };
    while above.starts_with("/sys/devices/") {
        keep_all(host, &format!("{above}/driver"));
        keep_all(host, &format!("{above}/subsystem"));
        above.truncate(above.rfind('/').unwrap_or(0));
    }
}

fn keep_all(host: &Host, pattern: &str) {
    expand(pattern).iter().for_each(|path| keep(host, path));
}

/// A link is kept as one, a file with what it says, or with why it cannot be read.
fn keep(host: &Host, path: &str) {
    let name = path.rsplit('/').next().unwrap_or_default();
    if NEVER.contains(&name) || host.link(path).is_some() {
        return;
    }
    let Ok(metadata) = std::fs::metadata(path) else {
        return;
    };
    if metadata.is_file() && metadata.permissions().mode() & 0o444 != 0 {
        host.attribute(path);
    }
}

/// The paths that a pattern stands for on this machine.
fn expand(pattern: &str) -> Vec<String> {
    let live = Host::live();
    let Some(star) = pattern.find('*') else {
        let is_there = live.exists(pattern) || live.link(pattern).is_some();
        return is_there.then(|| pattern.to_string()).into_iter().collect();
    };
    let start = pattern[..star].rfind('/').unwrap_or(0);
    let end = pattern[star..]
        .find('/')
        .map_or(pattern.len(), |slash| star + slash);
    let (before, after) = (&pattern[start + 1..star], &pattern[star + 1..end]);
    let names = live.list(&pattern[..start]).into_iter();
    let fits = |name: &String| {
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
    };
    names
        .filter(fits)
        .flat_map(|name| expand(&format!("{}/{name}{}", &pattern[..start], &pattern[end..])))
        .collect()
}

fn cgroup_mounts() -> Vec<String> {
    let text = Host::live()
        .text("/proc/self/mountinfo")
        .unwrap_or_default();
    let is_cgroup = |line: &&str| line.contains(" - cgroup");
    text.lines()
        .filter(is_cgroup)
        .filter_map(|line| line.split(' ').nth(4))
        .map(str::to_string)
        .collect()
}

/// The lines of a list of mounts whose point, at a field of the line, tells nothing about this machine.
fn usual_mounts(text: &str, field: usize) -> String {
    let is_usual = |line: &&str| {
        let point = line.split(' ').nth(field).unwrap_or_default();
        point == "/" || USUAL.iter().any(|usual| point.starts_with(usual))
    };
    text.lines().filter(is_usual).collect::<Vec<_>>().join("\n")
}
