//! # PCI Express links
//!
//! Every link between the disk's controller and the processor: how fast it runs, how fast both of its ends could, and
//! which one limits the disk.
//!
//! ## What it reads
//! Of the disk's PCI function and of every bridge above it `{current,max}_link_{speed,width}`, of the function also
//! `vendor` and `link/*_aspm`; `/sys/module/pcie_aspm/parameters/policy`. A function that sleeps
//! (`power/runtime_status`, `power_state`) is not asked for its link, because that could wake it.
//!
//! ## Fields
//! - `link_speed`, `link_width`, `link_speed_max`, `link_width_max`: of the controller's own link, as sysfs has them
//! - `pcie_hops`: bridges above the controller
//! - `pcie_narrowest`: the function below the link that carries least
//! - `link_bytes_per_s`: what the narrowest link on the whole way to the disk carries, bytes per second, less the line
//!   code; SATA, SAS and USB links count too
//! - `link_bytes_per_s_max`: the same if every link ran as both of its ends can
//! - `link_limited_by`: which link that is: the address of a PCI function, `sata`, `sas`, `usb` or `fibre channel`
//! - `link_emulated`: `yes` where a hypervisor makes the device; then there are no figures in bytes
//! - `aspm`: the policy for link power saving; `aspm_states`: those that are on for the controller's link
//!
//! ## Example
//! An NVMe disk that could do 16 GT/s x4 behind a slot with one lane: `pcie_narrowest` is the disk,
//! `link_bytes_per_s` 1969230769, `link_bytes_per_s_max` the same, as the slot cannot do more.

use crate::{Collector, Draft, Survey, link};
use host::Host;
use kernel::choice;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "pcie_link",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/bus/pci/devices/*/*_link_*",
        "/sys/module/pcie_aspm/parameters/policy",
    ],
    collect,
};

/// Red Hat's numbers, under which QEMU's own devices go; VMware's; Oracle's.
const HYPERVISORS: [&str; 4] = ["0x1af4", "0x1b36", "0x15ad", "0x80ee"];

/// What one function says of the link above it (of a port: below it).
#[derive(Clone, Debug, Default)]
struct End {
    address: String,
    speed: Option<String>,
    width: Option<String>,
    speed_max: Option<String>,
    width_max: Option<String>,
}

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let functions = functions(host, draft);
    let Some(first) = functions.first() else {
        return;
    };
    let ends: Vec<End> = functions.iter().map(|path| end(host, path)).collect();
    draft.fact("pcie_hops", Some((functions.len() - 1).to_string()));
    if let Some((speed, width)) = ends[0].speed.clone().zip(ends[0].width.clone()) {
        draft.fact("link_speed", Some(speed));
        draft.fact("link_width", Some(width));
        draft.fact("link_speed_max", ends[0].speed_max.clone());
        draft.fact("link_width_max", ends[0].width_max.clone());
        power_saving(host, first, draft);
    }
    let vendor = host.text(&format!("{first}/vendor")).unwrap_or_default();
    if HYPERVISORS.contains(&vendor.trim()) || link::is_emulated(host, draft) {
        return draft.fact("link_emulated", Some("yes"));
    }
    let links = links(&ends);
    for (address, now, most) in &links {
        link::offer(draft, address, *now, *most);
    }
    let narrowest = links.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    draft.fact(
        "pcie_narrowest",
        narrowest.map(|(address, ..)| address.as_str()),
    );
}

/// The PCI functions on the way, the disk's own first. A multipath NVMe namespace hangs on a virtual subsystem; with one
/// path its controller stands for it.
fn functions(host: &Host, draft: &Draft) -> Vec<String> {
    let way = super::nvme::controllers(host, draft).into_iter().next();
    let from = way.map_or_else(
        || draft.subject.clone(),
        |controller| format!("{controller}/namespace"),
    );
    let ancestors = crate::device::ancestors(&from);
    ancestors
        .into_iter()
        .filter(|path| is_address(link::base(path)))
        .collect()
}

/// `0000:3b:00.0`, also with the longer domains below a VMD controller.
fn is_address(name: &str) -> bool {
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let is_hex =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(parts.as_slice(), [domain, bus, device, function]
        if domain.len() >= 4 && bus.len() == 2 && device.len() == 2 && function.len() == 1)
        && parts.iter().all(is_hex)
}

fn end(host: &Host, function: &str) -> End {
    let address = link::base(function).to_string();
    if !link::is_awake(host, function) {
        return End {
            address,
            ..End::default()
        };
    }
    let text = |file: &str| Some(host.text(&format!("{function}/{file}"))?.trim().to_string());
    // "Unknown" and a width of 0 or 255 are functions without a PCI Express link.
    let speed = |file: &str| text(file).filter(|speed| link::rate(speed).is_some());
    let width = |file: &str| text(file).filter(|width| width != "0" && width != "255");
    let (now, wide) = (speed("current_link_speed"), width("current_link_width"));
    if now.is_none() || wide.is_none() {
        return End {
            address,
            ..End::default()
        };
    }
    End {
        address,
        speed: now,
        width: wide,
        speed_max: speed("max_link_speed"),
        width_max: width("max_link_width"),
    }
}

/// Functions upwards are two to a link: a device and the port above it, a switch's upper side and the port above that.
/// Gives the lower one's address, bytes per second now, and at the most that both ends can.
fn links(ends: &[End]) -> Vec<(String, f64, f64)> {
    let of_pair = |pair: &[End]| {
        let now = pair.iter().find(|end| end.speed.is_some())?;
        let least = |read: fn(&End) -> Option<f64>| {
            let values = pair.iter().filter_map(read);
            values.min_by(f64::total_cmp)
        };
        let speed = link::rate(now.speed.as_deref()?)?;
        let width: f64 = now.width.as_deref()?.parse().ok()?;
        let speed_max = least(|end| link::rate(end.speed_max.as_deref()?)).unwrap_or(speed);
        let width_max = least(|end| end.width_max.as_deref()?.parse().ok()).unwrap_or(width);
        let most = link::pcie_bytes_per_s(speed_max.max(speed), width_max.max(width));
        Some((
            pair[0].address.clone(),
            link::pcie_bytes_per_s(speed, width),
            most,
        ))
    };
    ends.chunks(2).filter_map(of_pair).collect()
}

fn power_saving(host: &Host, function: &str, draft: &mut Draft) {
    let policy = host
        .text("/sys/module/pcie_aspm/parameters/policy")
        .unwrap_or_default();
    draft.fact("aspm", choice::chosen(&policy));
    let names = host
        .list(&format!("{function}/link"))
        .into_iter()
        .filter(|name| name.ends_with("aspm"));
    let on = names.filter(|name| host.number(&format!("{function}/link/{name}")) == Some(1));
    let on: Vec<String> = on
        .map(|name| name.trim_end_matches("_aspm").to_string())
        .collect();
    draft.fact(
        "aspm_states",
        Some(on.join(" ")).filter(|states| !states.is_empty()),
    );
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    /// A disk behind the functions of a path: address, speed and width now, and at most.
    fn disk(functions: &[(&str, &str, &str)], more: &str) -> model::iopath::IoPath {
        let (mut text, mut way) = (String::new(), "/sys/devices/pci0000:00".to_string());
        for (address, now, most) in functions {
            way.push_str(&format!("/{address}"));
            for (kind, value) in [("current", now), ("max", most)] {
                let (speed, width) = value.split_once(" x").unwrap();
                text.push_str(&format!(
                    "path: {way}/{kind}_link_speed\nlines: 1\n{speed}\npath: {way}/{kind}_link_width\nlines: 1\n{width}\n"
                ));
            }
        }
        text.push_str(&format!(
            "path: {way}/irq\nlines: 1\n29\n\
             path: /sys/class/block/nvme0n1\nlink: ../..{}/nvme/nvme0/nvme0n1\n\
             path: {way}/nvme/nvme0/nvme0n1/size\nlines: 1\n8\n",
            way.trim_start_matches("/sys")
        ));
        text.push_str(&more.replace("DEVICE", &way));
        collect_on(&text, "nvme0n1")
    }

    #[test]
    fn a_narrow_slot_limits_a_wide_disk() {
        let port = ("0000:00:1c.0", "8.0 GT/s PCIe x1", "16.0 GT/s PCIe x1");
        let path = disk(
            &[
                port,
                ("0000:01:00.0", "8.0 GT/s PCIe x1", "16.0 GT/s PCIe x4"),
            ],
            "",
        );
        assert_eq!(facts(&path, "nvme0n1", "pcie_hops"), "1");
        assert_eq!(facts(&path, "nvme0n1", "link_width_max"), "4");
        assert_eq!(facts(&path, "nvme0n1", "link_bytes_per_s"), "984615385");
        assert_eq!(
            facts(&path, "nvme0n1", "link_bytes_per_s_max"),
            "1969230769",
            "one lane is all the port has"
        );
    }

    #[test]
    fn a_switch_s_own_uplink_counts() {
        let path = disk(
            &[
                ("0000:00:01.0", "5.0 GT/s x4", "8.0 GT/s x16"),
                ("0000:01:00.0", "5.0 GT/s x4", "8.0 GT/s x8"),
                ("0000:02:04.0", "8.0 GT/s x4", "8.0 GT/s x4"),
                ("0000:05:00.0", "8.0 GT/s x4", "8.0 GT/s x4"),
            ],
            "path: DEVICE/link/l1_aspm\nlines: 1\n1\npath: DEVICE/link/l0s_aspm\nlines: 1\n0\n\
             path: /sys/module/pcie_aspm/parameters/policy\nlines: 1\n[default] performance powersave\n",
        );
        assert_eq!(facts(&path, "nvme0n1", "pcie_narrowest"), "0000:01:00.0");
        assert_eq!(facts(&path, "nvme0n1", "link_bytes_per_s"), "2000000000");
        assert_eq!(
            facts(&path, "nvme0n1", "link_bytes_per_s_max"),
            "3938461538"
        );
        assert_eq!(facts(&path, "nvme0n1", "aspm"), "default");
        assert_eq!(facts(&path, "nvme0n1", "aspm_states"), "l1");
    }

    #[test]
    fn a_sleeping_function_is_not_asked_and_an_emulated_one_not_believed() {
        let one = [("0000:01:00.0", "8.0 GT/s PCIe x4", "8.0 GT/s PCIe x4")];
        let asleep = disk(
            &one,
            "path: DEVICE/power/runtime_status\nlines: 1\nsuspended\n",
        );
        assert_eq!(facts(&asleep, "nvme0n1", "link_speed"), "");
        let emulated = disk(&one, "path: DEVICE/vendor\nlines: 1\n0x1b36\n");
        assert_eq!(facts(&emulated, "nvme0n1", "link_speed"), "8.0 GT/s PCIe");
        assert_eq!(facts(&emulated, "nvme0n1", "link_emulated"), "yes");
        assert_eq!(facts(&emulated, "nvme0n1", "link_bytes_per_s"), "");
    }
}
