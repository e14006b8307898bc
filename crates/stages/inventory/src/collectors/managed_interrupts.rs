//! # Managed interrupts
//!
//! Whether the kernel itself spreads a disk's interrupts over the CPUs; then nobody else can move them.
//!
//! ## What it reads
//! `/sys/kernel/debug/irq/irqs/*` where debugfs is there and this is root; otherwise the disk's driver and how its
//! interrupts are spread.
//!
//! ## Fields
//! - `irq_managed`: `yes`, writes to `smp_affinity` are refused and irqbalance leaves them alone; `no`; or `unknown`
//!
//! ## Example
//! `nvme0n1` with eight interrupts of one CPU each: `yes`.

use crate::{Collector, Draft, Survey};
use host::Host;
use model::iopath::{Interrupt, LayerKind};

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "managed_interrupts",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &["/sys/kernel/debug/irq/irqs/*"],
    collect,
};

/// Drivers that never ask for managed interrupts.
const UNMANAGED: [&str; 8] = [
    "ahci",
    "ata_piix",
    "xhci_hcd",
    "ehci-pci",
    "uhci_hcd",
    "hpsa",
    "mptsas",
    "sdhci-pci",
];
/// Drivers that ask for them (pci_alloc_irq_vectors_affinity, virtio_find_vqs with a descriptor).
const MANAGED: [&str; 7] = [
    "nvme",
    "virtio-pci",
    "megaraid_sas",
    "mpt3sas",
    "smartpqi",
    "mpi3mr",
    "qla2xxx",
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let lines = &draft.layer.interrupts;
    if lines.is_empty() {
        return;
    }
    let told = by_debugfs(survey.host, lines);
    let driver = draft.known("controller_driver").unwrap_or_default();
    let managed = told.or_else(|| by_driver(driver, lines));
    draft.fact(
        "irq_managed",
        Some(managed.map_or("unknown", |managed| if managed { "yes" } else { "no" })),
    );
}

/// The kernel's own word on any of the lines; configuration changes are never managed, so one suffices.
fn by_debugfs(host: &Host, lines: &[Interrupt]) -> Option<bool> {
    let texts: Vec<String> = lines
        .iter()
        .filter_map(|line| host.text(&format!("/sys/kernel/debug/irq/irqs/{}", line.irq)))
        .collect();
    (!texts.is_empty()).then(|| {
        texts
            .iter()
            .any(|text| text.contains("IRQD_AFFINITY_MANAGED"))
    })
}

/// A driver that asks for spreading has got it where several lines share the CPUs out between them.
fn by_driver(driver: &str, lines: &[Interrupt]) -> Option<bool> {
    if UNMANAGED.contains(&driver) {
        return Some(false);
    }
    let mut sets: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.allowed_cpus.as_deref())
        .collect();
    sets.sort_unstable();
    sets.dedup();
    (MANAGED.contains(&driver) && sets.len() > 2).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;

    fn lines(sets: &[&str]) -> Vec<Interrupt> {
        let line = |(irq, set): (usize, &&str)| Interrupt {
            irq: irq as u32,
            name: String::new(),
            allowed_cpus: Some((*set).to_string()),
            effective_cpus: None,
            counts: Vec::new(),
        };
        sets.iter().enumerate().map(line).collect()
    }

    #[test]
    fn by_the_kernel_s_word_or_by_the_spread() {
        assert_eq!(
            by_driver("nvme", &lines(&["0-3", "0", "1", "2-3"])),
            Some(true)
        );
        assert_eq!(by_driver("nvme", &lines(&["0-3", "0-3"])), None);
        assert_eq!(by_driver("ahci", &lines(&["0-3"])), Some(false));
        let text = "iodyno-host 1\npath: /sys/kernel/debug/irq/irqs/1\nlines: 2\ndstate: 0x1\n IRQD_AFFINITY_MANAGED\n";
        let host = Host::from_archive(Archive::parse(text).unwrap());
        assert_eq!(by_debugfs(&host, &lines(&["0", "0"])), Some(true));
        assert_eq!(by_debugfs(&host, &lines(&["0"])), None);
    }
}
