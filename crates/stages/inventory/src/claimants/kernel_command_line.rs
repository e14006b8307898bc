//! # Kernel command line
//!
//! ## What it reads
//! `/proc/cmdline`.
//!
//! ## What it claims
//! `MODULE.NAME=VALUE`: parameters of modules, built in or not; `sysctl.NAME=VALUE` (Linux 5.8 and later);
//! `transparent_hugepage=`; and `elevator=` on Linux before 5.0. From 5.0 on `elevator=` sets nothing and is therefore no
//! claim.
//!
//! ## When it acts
//! At boot, before everything else; for a module, when it is loaded.
//!
//! ## Example
//! `nvme.poll_queues=4` on the command line wants `nvme/poll_queues` to be 4.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/kernel-parameters.txt`; `block/elevator.c` of 5.0 and 5.10 ("Kernel parameter
//!   elevator= does not have any effect anymore")

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::sysctl_path;
use crate::defaults::Kernel;

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "kernel_command_line",
    since: "0.1.0",
    reads: &["/proc/cmdline"],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let kernel = Kernel::of(scene.path.machine.as_ref());
    let line = scene.machine_fact("command_line").unwrap_or_default();
    // What follows two dashes is for the first program, not for the kernel.
    let words = line
        .split_whitespace()
        .take_while(|word| *word != "--")
        .enumerate();
    let claim = |(sequence, word): (usize, &str)| {
        let (name, value) = word.split_once('=')?;
        let value = value.trim_matches('"');
        let claim = |on: On| Claim {
            on,
            phase: Phase::CommandLine,
            sequence,
            place: format!("kernel command line: {word}"),
            wants: Some(value.to_string()),
            acts: "at boot".into(),
        };
        Some(on(name, &kernel).into_iter().map(claim).collect::<Vec<_>>())
    };
    words.filter_map(claim).flatten().collect()
}

fn on(name: &str, kernel: &Kernel) -> Vec<On> {
    match name {
        "elevator" if kernel.is_before(5, 0) => vec![On::Named("scheduler".into())],
        "transparent_hugepage" => vec![On::Named("transparent_hugepage".into())],
        name if name.starts_with("sysctl.") && !kernel.is_before(5, 8) => {
            vec![On::Path(sysctl_path(&name["sysctl.".len()..]))]
        }
        name => match name.split_once('.') {
            Some((module, parameter)) => super::modprobe_file::parameter(module, parameter),
            None => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::iopath::IoPath;

    fn machine(release: &str, line: &str) -> IoPath {
        collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
                 path: /sys/devices/p/sda/queue/scheduler\nlines: 1\nnoop [deadline] cfq\n\
                 path: /proc/sys/vm/swappiness\nlines: 1\n1\n\
                 path: /sys/module/pcie_aspm/parameters/policy\nlines: 1\ndefault [performance]\n\
                 path: /proc/sys/kernel/osrelease\nlines: 1\n{release}\npath: /proc/cmdline\nlines: 1\n{line}\n"
            ),
            "sda",
        )
    }

    #[test]
    fn elevator_counts_on_old_kernels_only() {
        let scheduler = |release: &str| {
            let path = machine(release, "quiet elevator=deadline -- elevator=noop");
            path.disks()[0].setting("scheduler").unwrap().owners.clone()
        };
        assert_eq!(
            scheduler("3.10.0-1160.el7")[0].place,
            "kernel command line: elevator=deadline"
        );
        assert_eq!(scheduler("3.10.0-1160.el7").len(), 1);
        assert!(scheduler("5.10.0").is_empty());
    }

    #[test]
    fn parameters_and_sysctls_are_claims() {
        let path = machine(
            "6.1.0",
            "pcie_aspm.policy=performance sysctl.vm.swappiness=1",
        );
        for name in ["pcie_aspm.policy", "vm.swappiness"] {
            assert_eq!(
                path.machine_setting(name).unwrap().owners[0].kind,
                "kernel_command_line",
                "{name}"
            );
        }
    }
}
