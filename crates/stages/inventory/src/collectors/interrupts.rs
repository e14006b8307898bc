//! # Interrupts
//!
//! The interrupt lines of a disk's controller: which CPUs may take them, which do, and how many came.
//!
//! ## What it reads
//! `msi_irqs/` of the PCI function the disk hangs on, else its `irq`, else the lines of `/proc/interrupts` that carry
//! the name of one of the disk's parents (`virtio1-req.0`, `nvme0q1`, `mmc0`); then
//! `/proc/irq/*/{smp_affinity_list,effective_affinity_list}`.
//!
//! ## Fields
//! One line per interrupt: number, name, allowed CPUs, CPUs in effect (Linux 4.14 and later), count per CPU since
//! boot. A controller's lines are those of all its disks.
//!
//! ## Example
//! irq 36 `virtio1-req.0`, allowed on CPUs 0-1, in effect on CPU 1, 70341 on CPU 1.

use crate::{Collector, Draft, Survey, device};
use host::Host;
use model::iopath::{Interrupt, LayerKind};

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "interrupts",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/proc/interrupts",
        "/proc/irq/*/smp_affinity_list",
        "/proc/irq/*/effective_affinity_list",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = controllers(host, draft);
    let mut numbers = numbered(host, &ancestors);
    let table = survey.interrupts();
    // A controller sets up more vectors than it uses; only those with a handler are in the table.
    numbers.retain(|irq| table.iter().any(|line| line.irq == *irq));
    let names: Vec<&str> = ancestors
        .iter()
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    let is_ours = |line: &&Interrupt| match numbers.as_slice() {
        [] => names.iter().any(|name| is_named_after(&line.name, name)),
        numbers => numbers.contains(&line.irq),
    };
    draft.layer.interrupts = table
        .iter()
        .filter(is_ours)
        .map(|line| with_affinity(host, line))
        .collect();
}

/// The devices above the disk, nearest first. A multipath NVMe namespace hangs on a virtual subsystem, which links
/// to its controllers (drivers/nvme/host/multipath.c).
fn controllers(host: &Host, draft: &Draft) -> Vec<String> {
    if !draft.subject.contains("/nvme-subsystem/") {
        return device::ancestors(&draft.subject);
    }
    let subsystem = draft.path("device");
    let links = host.list(&subsystem).into_iter().filter(|name| {
        name.strip_prefix("nvme")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let resolved = links.filter_map(|name| host.resolve(&format!("{subsystem}/{name}")));
    resolved
        .flat_map(|path| device::ancestors(&format!("{path}/namespace")))
        .collect()
}

/// Interrupt numbers of every PCI function on the way, but not of the bridges above it: a bridge's own lines are
/// hot-plug and error reports.
fn numbered(host: &Host, ancestors: &[String]) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut last_function: Option<&String> = None;
    for path in ancestors {
        let is_above_last = last_function.is_some_and(|last| last.starts_with(&format!("{path}/")));
        let legacy = (!is_above_last)
            .then(|| host.number(&format!("{path}/irq")))
            .flatten();
        let Some(legacy) = legacy else { continue };
        last_function = Some(path);
        let messages = host.list(&format!("{path}/msi_irqs"));
        match messages.is_empty() {
            true => numbers.extend(u32::try_from(legacy).ok().filter(|irq| *irq > 0)),
            false => numbers.extend(messages.iter().filter_map(|irq| irq.parse::<u32>().ok())),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// `virtio1-req.0`, `nvme0q1` and `mmc0` belong to `virtio1`, `nvme0` and `mmc0`; `virtio10` does not to `virtio1`.
fn is_named_after(action: &str, device: &str) -> bool {
    let is_specific = device.ends_with(|c: char| c.is_ascii_digit())
        && device.starts_with(|c: char| c.is_alphabetic());
    is_specific
        && action.split(", ").any(|action| {
            action
                .strip_prefix(device)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        })
}

fn with_affinity(host: &Host, line: &Interrupt) -> Interrupt {
    let list = |file: &str| {
        host.text(&format!("/proc/irq/{}/{file}", line.irq))
            .filter(|cpus| !cpus.trim().is_empty())
    };
    Interrupt {
        allowed_cpus: list("smp_affinity_list"),
        effective_cpus: list("effective_affinity_list"),
        ..line.clone()
    }
}

/// The numbered lines of /proc/interrupts.
pub(crate) fn parse(text: &str) -> Vec<Interrupt> {
    let cpus = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .count();
    text.lines()
        .skip(1)
        .filter_map(|line| parse_line(line, cpus))
        .collect()
}

fn parse_line(line: &str, cpus: usize) -> Option<Interrupt> {
    let (irq, rest) = line.split_once(':')?;
    let mut words = rest.split_whitespace();
    let counts: Vec<u64> = words
        .by_ref()
        .take(cpus)
        .map_while(|count| count.parse().ok())
        .collect();
    let words: Vec<&str> = words.collect();
    Some(Interrupt {
        irq: irq.trim().parse().ok()?,
        name: action(&words),
        allowed_cpus: None,
        effective_cpus: None,
        counts,
    })
}

/// What is left after the chip, its pin and its trigger: `PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0` on 6.x,
/// `PCI-MSI-edge ahci` on 3.x, `GICv3 27 Level arch_timer` on Arm.
fn action(words: &[&str]) -> String {
    let is_trigger =
        |word: &&str| word.eq_ignore_ascii_case("level") || word.eq_ignore_ascii_case("edge");
    let mut rest = words.get(1..).unwrap_or_default();
    if rest.len() > 1 && rest[0].starts_with(|c: char| c.is_ascii_digit()) {
        rest = &rest[1..];
    }
    if rest.len() > 1 && rest.first().is_some_and(is_trigger) {
        rest = &rest[1..];
    }
    rest.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::collect_on;

    #[test]
    fn three_forms_of_a_line() {
        let table = parse(
            "           CPU0       CPU1\n 36:  0 70341 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n\
              44:  7 0  PCI-MSI-edge      ahci, i915\n 11:  1 2   GICv3  27 Level     arch_timer\n\
             NMI:  0 0   Non-maskable interrupts\nERR:  0\n",
        );
        let names: Vec<(u32, &str)> = table
            .iter()
            .map(|line| (line.irq, line.name.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                (36, "virtio1-req.0"),
                (44, "ahci, i915"),
                (11, "arch_timer")
            ]
        );
        assert_eq!(table[0].counts, [0, 70341]);
    }

    #[test]
    fn names_are_compared_whole() {
        assert!(is_named_after("virtio1-req.0", "virtio1"));
        assert!(is_named_after("nvme0q1", "nvme0"));
        assert!(is_named_after("mmc0, sdhci", "mmc0"));
        assert!(!is_named_after("virtio10-req.0", "virtio1"));
        assert!(!is_named_after("block", "block"));
    }

    #[test]
    fn messages_of_the_function_count_and_the_bridges_do_not() {
        let bridge = "/sys/devices/pci0000:00/0000:00:01.0";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/nvme0n1\nlink: ../..{}/0000:01:00.0/nvme/nvme0/nvme0n1\n\
                 path: {bridge}/0000:01:00.0/nvme/nvme0/nvme0n1/size\nlines: 1\n8\n\
                 path: {bridge}/irq\nlines: 1\n24\npath: {bridge}/msi_irqs/24\nlines: 1\nmsi\n\
                 path: {bridge}/0000:01:00.0/irq\nlines: 1\n30\n\
                 path: {bridge}/0000:01:00.0/msi_irqs/30\nlines: 1\nmsix\n\
                 path: {bridge}/0000:01:00.0/msi_irqs/31\nlines: 1\nmsix\n\
                 path: /proc/interrupts\nlines: 4\n  CPU0\n 24: 0 PCI-MSI 1-edge pcieport\n 30: 9 PCI-MSIX 0-edge nvme0q0\n \
                 31: 8 PCI-MSIX 1-edge nvme0q1\n\
                 path: /proc/irq/31/effective_affinity_list\nlines: 1\n0\n",
                &bridge[4..]
            ),
            "nvme0n1",
        );
        let lines = &path.root.below[0].interrupts;
        let irqs: Vec<u32> = lines.iter().map(|line| line.irq).collect();
        assert_eq!(irqs, [30, 31]);
        assert_eq!(lines[1].effective_cpus.as_deref(), Some("0"));
    }

    #[test]
    fn a_device_without_numbers_is_found_by_name() {
        let path = collect_on(
            "path: /sys/class/block/vda\nlink: ../../devices/platform/x.0/virtio0/block/vda\n\
             path: /sys/devices/platform/x.0/virtio0/block/vda/size\nlines: 1\n8\n\
             path: /proc/interrupts\nlines: 2\n  CPU0\n 5: 9 IO-APIC 5-edge virtio0\n",
            "vda",
        );
        assert_eq!(path.root.below[0].interrupts[0].irq, 5);
    }

    #[test]
    fn a_multipath_namespace_has_the_lines_of_all_its_controllers() {
        let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
        let mut host = format!(
            "path: /sys/class/block/nvme0n1\nlink: ../..{}/nvme0n1\n\
             path: {subsystem}/nvme0n1/device\nlink: ../../nvme-subsys0\n\
             path: /proc/interrupts\nlines: 4\n  CPU0\n 30: 9 PCI-MSIX 1-edge nvme0q1\n 40: 8 PCI-MSIX 1-edge \
             nvme1q1\n 50: 7 PCI-MSIX 1-edge nvme2q1\n",
            &subsystem[4..]
        );
        for (index, irq) in [(0, 30), (1, 40)] {
            let function = format!("/sys/devices/pci0000:00/0000:0{index}:00.0");
            host.push_str(&format!(
                "path: {subsystem}/nvme{index}\nlink: {function}/nvme/nvme{index}\n\
                 path: {function}/nvme/nvme{index}/state\nlines: 1\nlive\n\
                 path: {function}/irq\nlines: 1\n9\npath: {function}/msi_irqs/{irq}\nlines: 1\nmsix\n"
            ));
        }
        let path = collect_on(&host, "nvme0n1");
        let irqs: Vec<u32> = path.root.below[0]
            .interrupts
            .iter()
            .map(|line| line.irq)
            .collect();
        assert_eq!(irqs, [30, 40]);
    }
}
