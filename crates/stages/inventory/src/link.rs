//! What the links on the way to a disk can carry, so that a reader knows the least of them.

use super::Draft;
use host::Host;
use model::units;

/// Of a serial link with ten bits to the byte, what is left for data after framing and commands: 6 Gbit/s SATA reads
/// about 550 MB/s at best.
const FRAMING: f64 = 0.916;

/// One link can carry so many bytes a second now, and so many if it ran as well as both of its ends can. The disk keeps
/// the least of each, and which link limits it.
pub(super) fn offer(draft: &mut Draft, name: &str, now_bytes_per_s: f64, most_bytes_per_s: f64) {
    let least = |draft: &Draft, fact: &str, value: f64| {
        draft.layer.number(fact).is_none_or(|known| value < known)
    };
    if least(draft, "link_bytes_per_s", now_bytes_per_s) {
        draft.fact("link_bytes_per_s", Some(units::whole(now_bytes_per_s)));
        draft.fact("link_limited_by", Some(name));
    }
    if least(draft, "link_bytes_per_s_max", most_bytes_per_s) {
        draft.fact("link_bytes_per_s_max", Some(units::whole(most_bytes_per_s)));
    }
}

/// What a link with ten bits to the byte carries: SATA, SAS.
pub(super) fn serial_bytes_per_s(gbit: f64) -> f64 {
    gbit * 1e9 / 10.0 * FRAMING
}

/// What a PCI Express link carries: lanes times the rate, less the line code (PCIe base specification: 8b/10b up to
/// 5 GT/s, then 128b/130b, from 64 GT/s on 242 of 256 bytes). The packets' own headers take up to a tenth more.
pub(super) fn pcie_bytes_per_s(gt: f64, lanes: f64) -> f64 {
    let code = match gt {
        gt if gt < 6.0 => 0.8,
        gt if gt < 60.0 => 128.0 / 130.0,
        _ => 242.0 / 256.0,
    };
    gt * 1e9 * code / 8.0 * lanes
}

/// What bulk transfers of USB reach at the rates that sysfs gives.
pub(super) fn usb_bytes_per_s(mbit: f64) -> f64 {
    match mbit {
        mbit if mbit <= 12.0 => mbit * 1e6 / 8.0 * 0.8,
        mbit if mbit <= 480.0 => 40e6,
        mbit if mbit <= 5000.0 => 450e6,
        mbit => mbit / 10.0 * 1e6,
    }
}

/// The number at the front of `8.0 GT/s PCIe`, `6.0 Gbps`, `12.0 Gbit`.
pub(super) fn rate(text: &str) -> Option<f64> {
    text.split_whitespace()
        .next()?
        .parse()
        .ok()
        .filter(|rate| *rate > 0.0)
}

/// Whether a hypervisor makes this disk: the rate of its link is then a number that somebody typed.
pub(super) fn is_emulated(host: &Host, draft: &Draft) -> bool {
    let text = |file: &str| host.text(&draft.path(file)).unwrap_or_default();
    let (vendor, model) = (text("device/vendor"), text("device/model"));
    ["QEMU", "VMware", "VBOX", "Msft", "Virtual"]
        .iter()
        .any(|maker| vendor.trim().eq_ignore_ascii_case(maker) || model.trim().starts_with(maker))
}

/// Whether a device of sysfs may be asked: one in a low-power state might be woken by a read of its registers.
pub(super) fn is_awake(host: &Host, device: &str) -> bool {
    let is = |file: &str, states: &[&str]| {
        host.text(&format!("{device}/{file}"))
            .is_some_and(|state| states.contains(&state.trim()))
    };
    !is("power/runtime_status", &["suspended", "suspending"])
        && !is("power_state", &["D3hot", "D3cold"])
}

/// `ata3` for the prefix `ata`.
pub(super) fn is_numbered(name: &str, prefix: &str) -> bool {
    let number = name.strip_prefix(prefix).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_links_in_bytes() {
        let close = |found: f64, wanted: f64| {
            assert!((found / wanted - 1.0).abs() < 0.01, "{found} {wanted}")
        };
        close(pcie_bytes_per_s(2.5, 1.0), 250e6);
        close(pcie_bytes_per_s(8.0, 4.0), 3.938e9);
        close(pcie_bytes_per_s(64.0, 4.0), 30.25e9);
        close(serial_bytes_per_s(6.0), 550e6);
        close(usb_bytes_per_s(10_000.0), 1e9);
        assert_eq!(
            (rate("8.0 GT/s PCIe"), rate("Unknown"), rate("0 GT/s")),
            (Some(8.0), None, None)
        );
    }
}
