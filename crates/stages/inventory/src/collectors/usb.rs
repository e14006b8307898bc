//! # USB
//!
//! How a USB disk is attached: the speed of every cable on the way, the driver, and whether it could do better.
//!
//! ## What it reads
//! Of the USB device `speed`, `version`, `idVendor`, `idProduct`, `descriptors` and, from Linux 6.9 on,
//! `bos_descriptors`; the driver of the disk's interface; `speed` of the hubs above;
//! `/sys/module/usb_storage/parameters/quirks`. The kernel keeps the descriptors: the device is not asked. Serial
//! numbers are not among them.
//!
//! ## Fields
//! - `usb_speed_mbit`: of the device's link; `usb_speed_max_mbit`: at least so much it could do, where it says
//! - `usb_version`: the version of USB it speaks here; `2.10` is a USB 3 device on a USB 2 cable or port
//! - `usb_driver`: `usb-storage`, one command at a time, or `uas`
//! - `uas_capable`: `yes` where one of the interface's settings is UAS, whatever driver is in use
//! - `uas_streams`: streams of that setting's endpoints, which bound how many commands uas has under way at USB 3 speed
//! - `usb_hubs`: hubs between the machine and the device
//! - `usb_id`: vendor and product; `usb_quirks`: flags that the module was given for them (`u`: never use UAS)
//!
//! ## Example
//! 5000 Mbit/s, `usb_driver` usb-storage, `uas_capable` yes, `usb_quirks` u: somebody has switched UAS off.

use crate::{Collector, Draft, Survey, device, link};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "usb",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/bus/usb/devices/*/speed",
        "/sys/bus/usb/devices/*/descriptors",
        "/sys/module/usb_storage/parameters/quirks",
    ],
    collect,
};

// Universal Serial Bus 3.2, tables 9-5 and 9-14 to 9-19; USB Attached SCSI, 5.2.
const INTERFACE: u8 = 4;
const MASS_STORAGE: u8 = 8;
const UAS: u8 = 0x62;
const ENDPOINT_COMPANION: u8 = 0x30;
const DEVICE_CAPABILITY: u8 = 0x10;
const SUPER_SPEED: u8 = 3;
const SUPER_SPEED_PLUS: u8 = 0x0A;

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = device::ancestors(&draft.subject);
    // `2-1:1.0` is an interface of the device `2-1`, in whose directory it lies.
    let Some(interface) = ancestors.iter().find(|path| is_interface(link::base(path))) else {
        return;
    };
    let Some((usb_device, _)) = interface.rsplit_once('/') else {
        return;
    };
    let text = |file: &str| {
        Some(
            host.text(&format!("{usb_device}/{file}"))?
                .trim()
                .to_string(),
        )
    };
    let mbit = text("speed").as_deref().and_then(link::rate);
    draft.fact("usb_speed_mbit", mbit.map(|mbit| mbit.to_string()));
    draft.fact("usb_version", text("version"));
    draft.fact(
        "usb_driver",
        device::link_name(host, &format!("{interface}/driver")),
    );
    let descriptors = host.bytes(&format!("{usb_device}/descriptors"));
    let can = descriptors
        .as_deref()
        .map(|bytes| if has_uas(bytes) { "yes" } else { "no" });
    draft.fact("uas_capable", can);
    let streams = descriptors.as_deref().and_then(uas_streams);
    draft.fact("uas_streams", streams.map(|count| count.to_string()));
    let hubs = ancestors
        .iter()
        .filter(|path| path.len() < usb_device.len() && is_device(link::base(path)));
    let hubs: Vec<&String> = hubs.collect();
    draft.fact(
        "usb_hubs",
        (!hubs.is_empty()).then(|| hubs.len().to_string()),
    );
    if let Some(id) = text("idVendor")
        .zip(text("idProduct"))
        .map(|(vendor, product)| format!("{vendor}:{product}"))
    {
        let quirks = host
            .text("/sys/module/usb_storage/parameters/quirks")
            .unwrap_or_default();
        draft.fact("usb_quirks", quirks_of(&quirks, &id));
        draft.fact("usb_id", Some(id));
    }
    let best = host
        .bytes(&format!("{usb_device}/bos_descriptors"))
        .and_then(|bytes| best_mbit(&bytes));
    draft.fact("usb_speed_max_mbit", best.map(|mbit| mbit.to_string()));
    if let Some(mbit) = mbit.filter(|_| !link::is_emulated(host, draft)) {
        let on_the_way = hubs
            .iter()
            .filter_map(|hub| link::rate(&host.text(&format!("{hub}/speed"))?));
        let least = on_the_way.fold(mbit, f64::min);
        let most = best.map_or(least, |best| best.max(least));
        link::offer(
            draft,
            "usb",
            link::usb_bytes_per_s(least),
            link::usb_bytes_per_s(most),
        );
    }
}

/// `2-1.4` and, with `:1.0` behind it, its interface.
fn is_device(name: &str) -> bool {
    name.split_once('-').is_some_and(|(bus, ports)| {
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(bus) && ports.split('.').all(is_number)
    })
}

fn is_interface(name: &str) -> bool {
    name.split_once(':')
        .is_some_and(|(device, interface)| is_device(device) && interface.contains('.'))
}

/// Descriptors lie one behind the other, each with its length and its type in front.
fn descriptors(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = usize::from(*bytes.first()?);
        // A length below its own two bytes would not end.
        let one = bytes.get(..length).filter(|one| one.len() >= 2)?;
        bytes = &bytes[length..];
        Some(one)
    })
}

/// Whether any setting of an interface is mass storage by UAS.
fn has_uas(bytes: &[u8]) -> bool {
    descriptors(bytes).any(is_uas)
}

fn is_uas(one: &[u8]) -> bool {
    one[1] == INTERFACE && one.get(5) == Some(&MASS_STORAGE) && one.get(7) == Some(&UAS)
}

/// The fewest streams that the endpoints of the UAS setting have which have any: the command endpoint has none.
fn uas_streams(bytes: &[u8]) -> Option<u32> {
    let mut in_uas = false;
    let mut least: Option<u32> = None;
    for one in descriptors(bytes) {
        match (one[1], one.get(3)) {
            (INTERFACE, _) => in_uas = is_uas(one),
            // The lowest five bits are an exponent, at most 16.
            (ENDPOINT_COMPANION, Some(attributes)) if in_uas && attributes & 0x1F > 0 => {
                let streams = 1 << (attributes & 0x1F).min(16);
                least = Some(least.map_or(streams, |least| least.min(streams)));
            }
            _ => {}
        }
    }
    least
}

/// The least that a device with these capabilities can do, Mbit/s; none where it has no fast ones.
fn best_mbit(bytes: &[u8]) -> Option<f64> {
    let of_capability = |one: &[u8]| match (one[1], one.get(2)) {
        (DEVICE_CAPABILITY, Some(&SUPER_SPEED)) => Some(5000.0),
        (DEVICE_CAPABILITY, Some(&SUPER_SPEED_PLUS)) => Some(10_000.0),
        _ => None,
    };
    descriptors(bytes)
        .filter_map(of_capability)
        .max_by(f64::total_cmp)
}

/// `152d:0578:u,0bc2:ab38:ut` → `u` for the first (Documentation/admin-guide/kernel-parameters.txt, usb-storage.quirks).
fn quirks_of(text: &str, id: &str) -> Option<String> {
    let mut entries = text.trim().split(',');
    entries.find_map(|entry| Some(entry.strip_prefix(id)?.strip_prefix(':')?.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{collect_on, facts};

    const WITHOUT: &str = "12011003000000095b3528320001010203010902200001010080320904000002080650000705810200020007050202000200";

    fn with_uas() -> String {
        format!("{WITHOUT}090400010408066200")
    }

    fn disk(descriptors: &str, driver: &str, quirks: &str) -> model::iopath::IoPath {
        let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3.1";
        collect_on(
            &format!(
                "path: /sys/class/block/sdb\n\
                 link: ../../devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3.1/2-3.1:1.0/host4/target4:0:0/4:0:0:0/block/sdb\n\
                 path: {usb}/2-3.1:1.0/host4/target4:0:0/4:0:0:0/block/sdb/size\nlines: 1\n8\n\
                 path: {usb}/2-3.1:1.0/driver\nlink: ../../../../bus/usb/drivers/{driver}\n\
                 path: {usb}/speed\nlines: 1\n5000\npath: {usb}/version\nlines: 1\n 3.20\n\
                 path: {usb}/../speed\nlines: 1\n480\n\
                 path: /sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/speed\nlines: 1\n480\n\
                 path: {usb}/idVendor\nlines: 1\n152d\npath: {usb}/idProduct\nlines: 1\n0578\n\
                 path: {usb}/descriptors\nbytes: {descriptors}\n\
                 path: /sys/module/usb_storage/parameters/quirks\nlines: 1\n{quirks}\n"
            ),
            "sdb",
        )
    }

    #[test]
    fn a_device_that_could_do_uas_and_a_hub_that_holds_it_back() {
        let path = disk(&with_uas(), "usb-storage", "0bc2:ab38:t,152d:0578:u");
        let fact = |name: &str| facts(&path, "sdb", name);
        assert_eq!(
            (fact("usb_driver"), fact("uas_capable"), fact("usb_quirks")),
            ("usb-storage", "yes", "u")
        );
        assert_eq!(
            (
                fact("usb_speed_mbit"),
                fact("usb_version"),
                fact("usb_hubs")
            ),
            ("5000", "3.20", "1")
        );
        assert_eq!(
            (fact("link_bytes_per_s"), fact("link_limited_by")),
            ("40000000", "usb")
        );
        assert_eq!(
            facts(&disk(WITHOUT, "usb-storage", ""), "sdb", "uas_capable"),
            "no"
        );
    }

    #[test]
    fn the_streams_of_uas_are_those_of_its_own_endpoints() {
        // A companion of Bulk-Only Transport, then of UAS: a command endpoint without streams, and two with 16 and 32.
        let companion = |exponent: u8| format!("063000{exponent:02x}0000");
        let uas = format!("{}{}{}", companion(0), companion(4), companion(5));
        let all = format!("{WITHOUT}{}090400010408066200{uas}", companion(2));
        let path = disk(&all, "uas", "");
        assert_eq!(facts(&path, "sdb", "uas_streams"), "16");
        let none = disk(&with_uas(), "uas", "");
        assert_eq!(none.root.below[0].fact("uas_streams"), None);
    }

    #[test]
    fn damaged_descriptors_end() {
        let bytes: Vec<u8> = with_uas()
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        assert!(has_uas(&bytes) && !has_uas(&bytes[..bytes.len() - 1]));
        for at in 0..bytes.len() {
            for value in [0, 1, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                assert!(descriptors(&damaged).count() <= bytes.len());
            }
        }
        assert_eq!(
            best_mbit(&[5, 0x0F, 22, 0, 1, 10, 0x10, 3, 0, 0, 0, 0, 0, 0, 0]),
            Some(5000.0)
        );
    }
}
