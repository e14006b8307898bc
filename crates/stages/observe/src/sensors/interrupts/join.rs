//! Which interrupt lines are a disk's: those of the controller above it in sysfs.

use crate::{parse, scan::Scan};
use host::Host;

/// A disk and the numbers of its controller's lines.
#[derive(Debug, PartialEq)]
pub struct Joined {
    /// Kernel name of the disk.
    pub disk: String,
    /// In ascending order, at least one.
    pub irqs: Vec<u32>,
}

/// The disks that have lines, in their order. `table` is /proc/interrupts.
pub fn join(host: &Host, disks: &[String], table: &[u8]) -> Vec<Joined> {
    let lines: Vec<(u32, &str)> = parse::lines(table).filter_map(numbered).collect();
    let of_disk = |disk: &String| {
        let above = controllers(host, disk);
        let mut irqs = above
            .iter()
            .flat_map(|path| function(host, path))
            .collect::<Vec<u32>>();
        // A controller sets up more vectors than it uses; only those with a handler are in the table.
        irqs.retain(|irq| lines.iter().any(|(number, _)| number == irq));
        if irqs.is_empty() {
            let names: Vec<&str> = above.iter().flat_map(|path| path.split('/')).collect();
            let is_ours =
                |(_, text): &&(u32, &str)| names.iter().any(|name| is_named_after(text, name));
            irqs = lines.iter().filter(is_ours).map(|(irq, _)| *irq).collect();
        }
        irqs.sort_unstable();
        irqs.dedup();
        (!irqs.is_empty()).then(|| Joined {
            disk: disk.clone(),
            irqs,
        })
    };
    disks.iter().filter_map(of_disk).collect()
}

/// A line's number and what follows its counts: chip, trigger and names of the handlers.
fn numbered(line: &[u8]) -> Option<(u32, &str)> {
    let text = std::str::from_utf8(line).ok()?;
    let (irq, rest) = text.split_once(':')?;
    let mut counts = Scan::new(rest.as_bytes());
    while counts.number().is_some() {}
    let names = std::str::from_utf8(counts.line()).ok()?;
    Some((irq.trim().parse().ok()?, names))
}

/// Where a disk hangs: its directory, or of a multipath NVMe namespace, which hangs on a virtual subsystem, those of its
/// controllers (drivers/nvme/host/multipath.c).
fn controllers(host: &Host, disk: &str) -> Vec<String> {
    let Some(path) = host.resolve(&format!("/sys/class/block/{disk}")) else {
        return Vec::new();
    };
    if !path.contains("/nvme-subsystem/") {
        return vec![path];
    }
    let subsystem = format!("{path}/device");
    let is_controller = |name: &String| {
        name.strip_prefix("nvme")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let links = host.list(&subsystem).into_iter().filter(is_controller);
    links
        .filter_map(|name| host.resolve(&format!("{subsystem}/{name}")))
        .collect()
}

/// The lines of the nearest PCI function above a directory. Those further up are bridges, whose lines are hot-plug and
/// error reports.
fn function(host: &Host, directory: &str) -> Vec<u32> {
    let mut path = directory;
    while let Some((above, _)) = path
        .rsplit_once('/')
        .filter(|(above, _)| above.starts_with("/sys/devices/"))
    {
        path = above;
        let Some(legacy) = host.number(&format!("{path}/irq")) else {
            continue;
        };
        let messages = host.list(&format!("{path}/msi_irqs"));
        return match messages.is_empty() {
            true => u32::try_from(legacy)
                .ok()
                .filter(|irq| *irq > 0)
                .into_iter()
                .collect(),
            false => messages.iter().filter_map(|irq| irq.parse().ok()).collect(),
        };
    }
    Vec::new()
}

/// `virtio1-req.0`, `nvme0q1` and `mmc0` belong to `virtio1`, `nvme0` and `mmc0`; `virtio10` does not to `virtio1`.
fn is_named_after(text: &str, device: &str) -> bool {
    let is_specific = device.ends_with(|c: char| c.is_ascii_digit())
        && device.starts_with(|c: char| c.is_alphabetic());
    let belongs = |word: &str| {
        word.strip_prefix(device)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    is_specific && text.split([' ', ',']).any(belongs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::machine;

    const TABLE: &str = "      CPU0 CPU1\n 9: 1 2 IO-APIC 9-fasteoi virtio3\n 16: 5 0 IO-APIC-fasteoi megasas, uhci0\n \
        24: 0 0 PCI-MSI aerdrv\n 30: 0 1 PCI-MSI-edge nvme0q0\n 31: 7 8 PCI-MSI-edge nvme0q1\n 44: 7 0 PCI-MSI-edge ahci\n\
        LOC: 1 1 Local timer\n";
    const BRIDGE: &str = "/sys/devices/pci0000:00/0000:00:01.0";

    fn irqs(files: &[(String, &str)], links: &[(&str, String)], disk: &str) -> Vec<u32> {
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        let links: Vec<(&str, &str)> = links
            .iter()
            .map(|(path, to)| (*path, to.as_str()))
            .collect();
        let mut joined = join(
            &machine(&files, &links),
            &[disk.to_string()],
            TABLE.as_bytes(),
        );
        joined.pop().map(|joined| joined.irqs).unwrap_or_default()
    }

    #[test]
    fn messages_of_the_nearest_function_that_have_a_handler() {
        let nvme = format!("{BRIDGE}/0000:01:00.0");
        let files = [
            (format!("{BRIDGE}/irq"), "24"),
            (format!("{BRIDGE}/msi_irqs/24"), "msi"),
            (format!("{nvme}/irq"), "11"),
            (format!("{nvme}/msi_irqs/30"), "msix"),
            (format!("{nvme}/msi_irqs/31"), "msix"),
            (format!("{nvme}/msi_irqs/32"), "msix"),
            (format!("{nvme}/nvme/nvme0/nvme0n1/size"), "8"),
        ];
        let at = format!("{nvme}/nvme/nvme0/nvme0n1");
        assert_eq!(
            irqs(&files, &[("/sys/class/block/nvme0n1", at)], "nvme0n1"),
            [30, 31]
        );
    }

    #[test]
    fn a_legacy_line_of_a_raid_controller() {
        let files = [
            (format!("{BRIDGE}/irq"), "16"),
            (
                format!("{BRIDGE}/host0/target0:2:0/0:2:0:0/block/sda/size"),
                "8",
            ),
        ];
        let at = format!("{BRIDGE}/host0/target0:2:0/0:2:0:0/block/sda");
        assert_eq!(irqs(&files, &[("/sys/class/block/sda", at)], "sda"), [16]);
    }

    #[test]
    fn without_pci_by_the_name_of_the_handler() {
        let at = "/sys/devices/platform/a003e00.virtio_mmio/virtio3/block/vda";
        let files = [(format!("{at}/size"), "8")];
        assert_eq!(
            irqs(&files, &[("/sys/class/block/vda", at.into())], "vda"),
            [9]
        );
        assert!(!is_named_after("9-fasteoi virtio30", "virtio3"));
    }

    #[test]
    fn a_multipath_namespace_has_the_lines_of_its_controllers() {
        let head = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
        let nvme = format!("{BRIDGE}/0000:01:00.0");
        let files = [
            (format!("{head}/nvme0n1/size"), "8"),
            (format!("{nvme}/irq"), "11"),
            (format!("{nvme}/msi_irqs/31"), "msix"),
            (format!("{nvme}/nvme/nvme0/state"), "live"),
        ];
        let (device, controller) = (format!("{head}/nvme0n1/device"), format!("{head}/nvme0"));
        let links = [
            ("/sys/class/block/nvme0n1", format!("{head}/nvme0n1")),
            (device.as_str(), head.to_string()),
            (controller.as_str(), format!("{nvme}/nvme/nvme0")),
        ];
        assert_eq!(irqs(&files, &links, "nvme0n1"), [31]);
    }

    #[test]
    fn a_loop_device_has_none() {
        let at = "/sys/devices/virtual/block/loop0";
        let files = [(format!("{at}/size"), "8")];
        assert!(irqs(&files, &[("/sys/class/block/loop0", at.into())], "loop0").is_empty());
    }
}
