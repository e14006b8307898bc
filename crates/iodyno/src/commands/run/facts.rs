//! What the lint has to know of the target and of this machine, read where it is.

use diagnose::{Machine, TargetFacts, TargetKind};
use host::files::{Access, FileKind};
use host::{Host, Target, process, scratch};
use inventory::cgroups;
use kernel::release::Release;
use model::iopath::{IoPath, LayerKind};

/// Facts about a target. Opens a regular file for reading, to ask how much of it was ever written; writes nothing.
/// What cannot be found out is none.
pub fn target_facts(target: Option<&Target>, path: &IoPath) -> TargetFacts {
    let target = target.filter(|target| target.kernel_file_system().is_none());
    let kind = match target.map(Target::kind) {
        Some(FileKind::Directory) => TargetKind::Directory,
        Some(FileKind::File) => TargetKind::File,
        Some(FileKind::BlockDevice { .. }) => TargetKind::Device,
        Some(FileKind::Other) | None => TargetKind::Missing,
    };
    let mut facts = TargetFacts {
        name: path.target.clone(),
        kind,
        is_in_memory: is_in_memory(path),
        ..TargetFacts::default()
    };
    match kind {
        TargetKind::Directory => facts.free_bytes = target.and_then(usable_bytes),
        TargetKind::File => {
            let file = target.and_then(|target| target.reopen(Access::default()).ok());
            let Some(file) = file else { return facts };
            facts.bytes = Some(file.bytes());
            facts.is_in_memory |= file.is_in_memory();
            let written = file.written_bytes(file.bytes());
            facts.written_share = written
                .filter(|_| file.bytes() > 0)
                .map(|written| written as f64 / file.bytes() as f64);
        }
        TargetKind::Device => facts.bytes = device_bytes(path),
        TargetKind::Missing => {}
    }
    facts
}

/// What scratch may take: free space less what it leaves to others.
fn usable_bytes(directory: &Target) -> Option<u64> {
    let space = directory.space()?;
    Some(
        space
            .free_bytes
            .saturating_sub(scratch::reserve_bytes(space.total_bytes)),
    )
}

/// The inventory knows the size of a device, so that it need not be opened, which takes rights.
fn device_bytes(path: &IoPath) -> Option<u64> {
    path.root
        .below
        .first()?
        .facts
        .get("size_bytes")?
        .parse()
        .ok()
}

fn is_in_memory(path: &IoPath) -> bool {
    let holds = path.root.below.first();
    holds
        .filter(|layer| layer.kind == LayerKind::Unbacked)
        .is_some_and(|layer| {
            layer
                .facts
                .get("fstype")
                .is_some_and(|kind| matches!(kind.as_str(), "tmpfs" | "ramfs" | "devtmpfs"))
        })
}

/// Facts about this machine, as this process sees it.
pub fn machine_facts(host: &Host) -> Machine {
    let text = |path: &str| host.text(path).map(|text| text.trim().to_string());
    let total = host.meminfo_bytes("MemTotal");
    let limit = cgroups::memory_bytes(host);
    Machine {
        memory_bytes: total.map(|total| total.min(limit.unwrap_or(total))),
        cpus: u32::try_from(process::allowed_cpus().len()).ok(),
        nodes: nodes(host),
        kernel: text("/proc/sys/kernel/osrelease")
            .as_deref()
            .and_then(Release::parse),
        clocksource: text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        io_uring_disabled: host
            .number("/proc/sys/kernel/io_uring_disabled")
            .and_then(|value| value.try_into().ok()),
        cgroup_limits: cgroups::lowest_io_limits(host),
    }
}

/// CPU and node of each CPU; empty on a machine with one node, where there is nothing to choose.
fn nodes(host: &Host) -> Vec<(u32, u32)> {
    let nodes = host.nodes();
    if nodes.len() < 2 {
        return Vec::new();
    }
    let cpus = |node: &u32| {
        let node = *node;
        let cpus: Vec<u32> = host.node_cpus(node).unwrap_or_default().iter().collect();
        cpus.into_iter().map(move |cpu| (cpu, node))
    };
    nodes.iter().flat_map(cpus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::files;

    #[test]
    fn two_nodes_are_told_apart() {
        let text = "iodyno-host 1\npath: /sys/devices/system/node/node0/cpulist\nlines: 1\n0-1\n\
                    path: /sys/devices/system/node/node1/cpulist\nlines: 1\n2-3\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        assert_eq!(nodes(&host), [(0, 0), (1, 0), (2, 1), (3, 1)]);
    }

    #[test]
    fn holes_of_a_file_are_seen_and_the_directory_has_room() {
        let dir = files::temporary_dir("facts").unwrap();
        let name = dir.path().join("half");
        files::write_atomically(&name, &"x".repeat(1 << 20)).unwrap();
        let host = Host::live();
        let path = inventory::collect(&host, &name.to_string_lossy()).unwrap();
        let file = target_facts(Some(&Target::open(&name).unwrap()), &path);
        assert_eq!((file.kind, file.bytes), (TargetKind::File, Some(1 << 20)));
        assert!(
            file.written_share.is_none_or(|share| share > 0.99),
            "{file:?}"
        );
        let path = inventory::collect(&host, &dir.path().to_string_lossy()).unwrap();
        let directory = target_facts(Some(&Target::open(dir.path()).unwrap()), &path);
        assert!(
            directory.kind == TargetKind::Directory && directory.free_bytes.is_some(),
            "{directory:?}"
        );
        let machine = machine_facts(&host);
        assert!(
            machine.memory_bytes > Some(1 << 20)
                && machine.cpus > Some(0)
                && machine.kernel.is_some()
        );
    }
}
