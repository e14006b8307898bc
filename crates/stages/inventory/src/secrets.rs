//! What of a kernel's command line is shown and captured. Passwords elsewhere are [`model::secret`]'s matter.

pub(super) use model::secret::cut;

/// Parameters whose values are kept: what decides about storage, CPUs and memory, and what tells one boot from another.
/// Others may hold anything: addresses, keys, passwords of installers.
const KEPT: &[&str] = &[
    "BOOT_IMAGE",
    "root",
    "rootflags",
    "rootfstype",
    "init",
    "quiet",
    "console",
    "earlyprintk",
    "panic",
    "LANG",
    "elevator",
    "transparent_hugepage",
    "hugepages",
    "hugepagesz",
    "default_hugepagesz",
    "mem",
    "memmap",
    "crashkernel",
    "mitigations",
    "spectre_v2",
    "pti",
    "nopti",
    "tsc",
    "clocksource",
    "isolcpus",
    "nohz",
    "nohz_full",
    "rcu_nocbs",
    "irqaffinity",
    "idle",
    "maxcpus",
    "nr_cpus",
    "numa",
    "numa_balancing",
    "iommu",
    "intel_iommu",
    "amd_iommu",
    "pci",
    "pcie_aspm",
    "preempt",
    "threadirqs",
    "skew_tick",
    "psi",
    "cgroup_disable",
    "cgroup_no_v1",
    "swapaccount",
    "acpi",
    "amd_pstate",
    "intel_pstate",
    "systemd.unified_cgroup_hierarchy",
    "net.ifnames",
    "raid",
    "rootwait",
];

/// Modules whose parameters are kept, and the prefix of sysctl.
const MODULES: &[&str] = &[
    "sysctl",
    "nvme",
    "nvme_core",
    "scsi_mod",
    "sd_mod",
    "libata",
    "ahci",
    "mpt3sas",
    "megaraid_sas",
    "hpsa",
    "qla2xxx",
    "lpfc",
    "virtio_blk",
    "xen_blkfront",
    "loop",
    "nbd",
    "zram",
    "brd",
    "null_blk",
    "md_mod",
    "raid456",
    "dm_mod",
    "dm_multipath",
    "dm_cache",
    "dm_crypt",
    "bcache",
    "zswap",
    "usb_storage",
    "uas",
    "mmc_block",
    "intel_idle",
    "processor",
    "cpuidle",
    "cpufreq",
    "intel_pstate",
    "workqueue",
    "printk",
    "rcutree",
    "rcupdate",
    "kvm",
    "fuse",
];

/// A kernel's command line with `…` for the value of every parameter that is not known to be harmless. What follows ` -- `
/// is for the first program, and left out.
pub(super) fn command_line(line: &str) -> String {
    let (line, ending) = line
        .strip_suffix('\n')
        .map_or((line, ""), |line| (line, "\n"));
    let mut words: Vec<String> = Vec::new();
    for word in quoted_words(line) {
        if word == "--" {
            words.extend(["--".into(), "…".into()]);
            break;
        }
        words.push(kept(word));
    }
    words.join(" ") + ending
}

fn kept(word: &str) -> String {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let module = name
        .split_once('.')
        .map(|(module, _)| module.replace('-', "_"));
    let is_known =
        KEPT.contains(&name) || module.is_some_and(|module| MODULES.contains(&module.as_str()));
    let is_flag = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match word.len() > name.len() {
        true if is_known => cut(word),
        true => format!("{name}=…"),
        false if word.chars().all(is_flag) => word.to_string(),
        false => "…".into(),
    }
}

/// Words apart by blanks, of which those in double quotes are none.
fn quoted_words(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let words = line.split(move |c: char| {
        is_quoted ^= c == '"';
        c.is_ascii_whitespace() && !is_quoted
    });
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_that_are_known_to_be_harmless_are_kept() {
        for (line, wanted) in [
            (
                "root=UUID=1-2 ro quiet elevator=noop\n",
                "root=UUID=1-2 ro quiet elevator=noop\n",
            ),
            (
                "nvme_core.io_timeout=255 usb-storage.quirks=1:2:u",
                "nvme_core.io_timeout=255 usb-storage.quirks=1:2:u",
            ),
            (
                "sysctl.vm.swappiness=1 transparent_hugepage=never",
                "sysctl.vm.swappiness=1 transparent_hugepage=never",
            ),
            (
                "netroot=iscsi:user:pass@192.0.2.1::::x ip=dhcp",
                "netroot=… ip=…",
            ),
            (
                "ks=https://x/k.cfg luks.key=/k agent.conf=\"a b\" quiet",
                "ks=… luks.key=… agent.conf=… quiet",
            ),
            (
                "console=ttyS0 hunter2! -- init secret",
                "console=ttyS0 … -- …",
            ),
            ("rootflags=password=x,ro", "rootflags=password=…,ro"),
        ] {
            assert_eq!(command_line(line), wanted);
        }
    }
}
