//! # irqbalance
//!
//! ## What it reads
//! Whether it runs, and its arguments: `/etc/default/irqbalance`, `/etc/sysconfig/irqbalance`, `/etc/conf.d/irqbalance`.
//!
//! ## What it claims
//! The interrupts of disks, unless each of them is banned (`--banirq`) or the kernel manages them (`irq_managed`). To
//! which CPUs it will move them is its own decision, so no value is named.
//!
//! ## When it acts
//! Every 10 s, or at the interval of `--interval`; with `--oneshot` once at boot.
//!
//! ## Example
//! irqbalance rewrites what is written to `/proc/irq/30/smp_affinity_list` within 10 s.
//!
//! ## Sources
//! - irqbalance(1)

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::ini;
use host::Host;
use model::iopath::{Layer, LayerKind};

/// Where distributions keep its arguments.
const CONFIGURATIONS: &[&str] = &[
    "/etc/default/irqbalance",
    "/etc/sysconfig/irqbalance",
    "/etc/conf.d/irqbalance",
];

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "irqbalance",
    since: "0.1.0",
    reads: CONFIGURATIONS,
    claims,
};

/// Its configuration: the file, and the lines in it that set something.
pub(crate) fn configuration(host: &Host) -> Option<(String, Vec<(String, String)>)> {
    let (path, text) = CONFIGURATIONS
        .iter()
        .find_map(|path| Some(((*path).to_string(), host.text(path)?)))?;
    let set = ini(&text).into_iter().map(|(_, key, value, _)| {
        (
            key.trim_start_matches("export ").to_string(),
            value.trim_matches(['"', '\'']).to_string(),
        )
    });
    Some((path, set.filter(|(_, value)| !value.is_empty()).collect()))
}

/// Whether its arguments ban an interrupt by its number.
pub fn bans(host: &Host, irq: u32) -> bool {
    let set = configuration(host).map(|(_, set)| set).unwrap_or_default();
    let arguments = set.into_iter().filter(|(key, _)| is_arguments(key));
    let texts: Vec<String> = arguments.map(|(_, value)| value).collect();
    let text = texts.join(" ");
    is_banned(&text.split([' ', '=']).collect::<Vec<_>>(), irq)
}

fn is_arguments(key: &str) -> bool {
    key.ends_with("ARGS") || key == "OPTIONS"
}

fn is_banned(words: &[&str], irq: u32) -> bool {
    words
        .windows(2)
        .any(|pair| matches!(pair[0], "--banirq" | "-i") && pair[1] == irq.to_string())
}

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    if scene.machine_fact("irqbalance") != Some("running") {
        return Vec::new();
    }
    let (place, arguments) = match configuration(scene.host) {
        Some((path, set)) => {
            let arguments = set.into_iter().filter(|(key, _)| is_arguments(key));
            (
                path,
                arguments
                    .map(|(_, value)| value)
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        }
        None => ("irqbalance".into(), String::new()),
    };
    let words: Vec<&str> = arguments.split([' ', '=']).collect();
    let value = |names: [&str; 2]| {
        words
            .iter()
            .position(|word| names.contains(word))
            .and_then(|at| words.get(at + 1))
            .copied()
    };
    let acts = match value(["--interval", "-t"]) {
        _ if words.contains(&"--oneshot") || words.contains(&"-o") => "once, at boot".to_string(),
        seconds => format!("every {} s", seconds.unwrap_or("10")),
    };
    let disks = scene
        .path
        .of_kind(LayerKind::Disk)
        .filter(|disk| is_balanced(disk, &words));
    let claim = |disk: &Layer| Claim {
        on: On::Fact {
            layer: disk.name.clone(),
            name: "interrupts",
        },
        phase: Phase::Cycle,
        sequence: 0,
        place: place.clone(),
        wants: None,
        acts: acts.clone(),
    };
    disks.map(claim).collect()
}

fn is_balanced(disk: &Layer, words: &[&str]) -> bool {
    disk.fact("irq_managed") != Some("yes")
        && disk
            .interrupts
            .iter()
            .any(|line| !is_banned(words, line.irq))
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::iopath::IoPath;

    fn machine(arguments: &str) -> IoPath {
        collect_on(
            &format!(
                "path: /sys/class/block/vda\nlink: ../../devices/platform/x.0/virtio0/block/vda\n\
                 path: /sys/devices/platform/x.0/virtio0/block/vda/dev\nlines: 1\n254:0\n\
                 path: /proc/interrupts\nlines: 2\n  CPU0\n 5: 9 IO-APIC 5-edge virtio0\n\
                 path: /run/irqbalance/irqbalance1.sock\nlines: 0\n\
                 path: /etc/default/irqbalance\nlines: 2\n# c\nIRQBALANCE_ARGS=\"{arguments}\"\n"
            ),
            "vda",
        )
    }

    #[test]
    fn interrupts_are_rewritten_unless_they_are_banned() {
        let acts = |arguments: &str| {
            machine(arguments).disks()[0]
                .owners
                .get("interrupts")
                .map(|owners| owners[0].acts.clone())
        };
        assert_eq!(acts("").as_deref(), Some("every 10 s"));
        assert_eq!(acts("--interval=30").as_deref(), Some("every 30 s"));
        assert_eq!(acts("--oneshot").as_deref(), Some("once, at boot"));
        assert_eq!(acts("--banirq=5"), None);
        assert_eq!(acts("--banirq=6").as_deref(), Some("every 10 s"));
    }
}
