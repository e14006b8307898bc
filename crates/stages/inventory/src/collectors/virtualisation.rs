//! # Virtualisation
//!
//! Whether the machine is a virtual one, whose, and of which type: what a cloud promises depends on it. Also which BIOS it has.
//!
//! ## What it reads
//! `/sys/class/dmi/id/{sys_vendor,product_name,product_version,bios_vendor,bios_version,bios_date,chassis_asset_tag,chassis_type}`,
//! `/sys/hypervisor/type`, `/sys/firmware/devicetree/base/compatible`, the clock sources that the kernel offers, and the head of
//! `/proc/cpuinfo`. Serial numbers are not read.
//!
//! ## Fields
//! - `hypervisor`: `kvm`, `xen`, `vmware`, `microsoft`, `amazon`, `google`, `virtualbox`, `firecracker`, or `unknown` where
//!   only the CPU's flag or the device tree tells of one; `kvm` is also what a monitor without DMI gives, Firecracker for one; absent on a physical machine
//! - `provider`: `aws`, `azure`, `gcp` or `alibaba`
//! - `instance`: the type, where DMI has it (AWS, Alibaba)
//! - `chassis`: type of the case as a word, of a physical machine; `product`: vendor and name of it
//! - `bios_vendor`, `bios_version`, `bios_date`: as DMI has them
//! - `cpu_model`: as the CPU gives it; on Arm by its maker's and its own number
//!
//! ## Example
//! `amazon`, provider `aws`, instance `m5d.2xlarge`.

use crate::{Collector, Draft, Survey};
use model::iopath::LayerKind;

const DMI: &str = "/sys/class/dmi/id";
/// What a board is, where a device tree describes it and not DMI: names with a zero behind each.
const BOARD: &str = "/sys/firmware/devicetree/base/compatible";
/// The board of virtual machines without hardware of their own (Documentation/devicetree/bindings/arm/linux,dummy-virt.yaml of
/// Linux 6.1), which QEMU, Firecracker and Cloud Hypervisor give guests of arm64.
const VIRTUAL_BOARD: &str = "linux,dummy-virt";
const CLOCKS: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
/// Of a file that repeats itself for every CPU.
const CPUINFO_BYTES: u64 = 4096;

/// What DMI says of hypervisors: word in a field, name.
const HYPERVISORS: &[(&str, &str)] = &[
    ("Amazon EC2", "amazon"),
    ("Google", "google"),
    ("VMware", "vmware"),
    ("Microsoft Corporation Virtual Machine", "microsoft"),
    ("innotek", "virtualbox"),
    ("Firecracker", "firecracker"),
    ("Alibaba", "kvm"),
    ("QEMU", "kvm"),
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("HVM domU", "xen"),
    ("Xen", "xen"),
];

/// The asset tag that Azure gives its machines, which tells them from other machines on Hyper-V.
const AZURE_TAG: &str = "7783-7084-3265-9085-8269-3286-77";

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "virtualisation",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/sys/class/dmi/id/*",
        "/sys/hypervisor/type",
        BOARD,
        "/proc/cpuinfo",
        CLOCKS,
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let dmi = |file: &str| {
        host.text(&format!("{DMI}/{file}"))
            .map(|text| text.trim().to_string())
    };
    for name in ["bios_vendor", "bios_version", "bios_date"] {
        draft.fact(name, dmi(name).filter(|text| !text.is_empty()));
    }
    let vendor = dmi("sys_vendor").unwrap_or_default();
    let product = dmi("product_name").unwrap_or_default();
    let cpuinfo = host
        .head("/proc/cpuinfo", CPUINFO_BYTES)
        .unwrap_or_default();
    draft.fact("cpu_model", kernel::cpuinfo::model(&cpuinfo));
    let flags = kernel::cpuinfo::flags(&cpuinfo);
    let has_flags = flags.is_some();
    let is_guest = flags.is_some_and(|mut flags| flags.any(|flag| flag == "hypervisor"))
        || is_virtual_board(&host.text(BOARD).unwrap_or_default());
    let named = [
        vendor.clone(),
        product.clone(),
        dmi("bios_vendor").unwrap_or_default(),
    ]
    .join(" ");
    let by_dmi = HYPERVISORS
        .iter()
        .find(|(word, _)| named.contains(word))
        .map(|(_, name)| (*name).to_string());
    let by_xen = host
        .text("/sys/hypervisor/type")
        .map(|kind| kind.trim().to_string());
    let by_clock = host.text(CLOCKS).and_then(|clocks| of_clocks(&clocks));
    // Metal instances carry the cloud's name in DMI and no flag; Arm has no flag at all, and AWS's metal has its kind in the type.
    let may_be_guest = is_guest || !has_flags && !product.contains(".metal");
    let hypervisor = by_xen.or_else(|| by_dmi.filter(|_| may_be_guest));
    let hypervisor = hypervisor.or_else(|| by_clock.filter(|_| is_guest));
    let hypervisor = hypervisor.or_else(|| is_guest.then(|| "unknown".to_string()));
    let provider = provider(
        &vendor,
        &product,
        &dmi("bios_vendor").unwrap_or_default(),
        &dmi("chassis_asset_tag").unwrap_or_default(),
    );
    let is_type = matches!(provider, Some("aws" | "alibaba")) && product.contains('.');
    draft.fact("instance", Some(product.clone()).filter(|_| is_type));
    draft.fact("provider", provider);
    if hypervisor.is_none() {
        draft.fact(
            "chassis",
            dmi("chassis_type").and_then(|kind| chassis(&kind)),
        );
        draft.fact(
            "product",
            Some(format!("{vendor} {product}").trim().to_string()).filter(|text| !text.is_empty()),
        );
    }
    draft.fact("hypervisor", hypervisor);
}

fn is_virtual_board(compatible: &str) -> bool {
    let names = compatible.trim_end().split('\0');
    names.into_iter().any(|name| name == VIRTUAL_BOARD)
}

/// Whose clocks a guest may take: named by arch/x86/kernel/kvmclock.c, drivers/clocksource/hyperv_timer.c and
/// arch/x86/xen/time.c of Linux 6.18. Firecracker and other monitors without DMI are known by nothing else to everyone.
fn of_clocks(clocks: &str) -> Option<String> {
    let of = [
        ("kvm-clock", "kvm"),
        ("hyperv_", "microsoft"),
        ("xen", "xen"),
    ];
    let mut clocks = clocks.split_whitespace();
    clocks.find_map(|clock| {
        let by = of.iter().find(|(start, _)| clock.starts_with(start))?;
        Some(by.1.to_string())
    })
}

fn provider(vendor: &str, product: &str, bios: &str, tag: &str) -> Option<&'static str> {
    if vendor.starts_with("Amazon EC2") || bios.starts_with("Amazon EC2") {
        Some("aws")
    } else if tag.starts_with(AZURE_TAG) {
        Some("azure")
    } else if vendor == "Google" || product.starts_with("Google Compute Engine") {
        Some("gcp")
    } else if vendor.starts_with("Alibaba") {
        Some("alibaba")
    } else {
        None
    }
}

/// SMBIOS 3.6, table 17; the kinds that machines with storage have.
fn chassis(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "3" | "4" | "6" | "7" => "desktop",
        "8" | "9" | "10" | "14" | "31" | "32" => "notebook",
        "17" | "23" => "rack",
        "28" | "29" => "blade",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::iopath::IoPath;

    fn machine(vendor: &str, product: &str, tag: &str, flags: &str) -> IoPath {
        collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: /sys/devices/p/sda/dev\nlines: 1\n8:0\npath: /sys/class/dmi/id/sys_vendor\nlines: 1\n{vendor}\n\
                 path: /sys/class/dmi/id/product_name\nlines: 1\n{product}\n\
                 path: /sys/class/dmi/id/chassis_asset_tag\nlines: 1\n{tag}\n\
                 path: /sys/class/dmi/id/chassis_type\nlines: 1\n23\n\
                 path: /sys/class/dmi/id/bios_version\nlines: 1\n2.12.2\npath: /sys/class/dmi/id/bios_date\nlines: 1\n07/09/2021\n\
                 path: /proc/cpuinfo\nlines: 2\nmodel name\t: Some CPU\nflags\t\t: {flags}\n"
            ),
            "sda",
        )
    }

    #[test]
    fn clouds_are_told_by_dmi() {
        let aws = machine("Amazon EC2", "m5d.2xlarge", "", "fpu hypervisor");
        assert_eq!(aws.machine_fact("provider"), Some("aws"));
        assert_eq!(aws.machine_fact("instance"), Some("m5d.2xlarge"));
        assert_eq!(aws.machine_fact("hypervisor"), Some("amazon"));
        let azure = machine(
            "Microsoft Corporation",
            "Virtual Machine",
            "7783-7084-3265-9085-8269-3286-77",
            "hypervisor",
        );
        assert_eq!(
            (
                azure.machine_fact("provider"),
                azure.machine_fact("hypervisor")
            ),
            (Some("azure"), Some("microsoft"))
        );
        let hyper_v = machine("Microsoft Corporation", "Virtual Machine", "", "hypervisor");
        assert_eq!(hyper_v.machine_fact("provider"), None);
        let alibaba = machine("Alibaba Cloud", "Alibaba Cloud ECS", "", "hypervisor");
        assert_eq!(
            (
                alibaba.machine_fact("provider"),
                alibaba.machine_fact("instance")
            ),
            (Some("alibaba"), None)
        );
    }

    #[test]
    fn a_guest_without_dmi_is_known_by_its_clocks() {
        for (clocks, hypervisor) in [
            ("tsc kvm-clock ", Some("kvm")),
            ("tsc hyperv_clocksource_tsc_page acpi_pm", Some("microsoft")),
            ("tsc hpet acpi_pm", None),
        ] {
            assert_eq!(super::of_clocks(clocks).as_deref(), hypervisor, "{clocks}");
        }
    }

    fn arm64(product: &str, board: &str) -> IoPath {
        collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\npath: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
                 path: /sys/class/dmi/id/sys_vendor\nlines: 1\nAmazon EC2\n\
                 path: /sys/class/dmi/id/product_name\nlines: 1\n{product}\n\
                 path: {}\nlines: 1\n{board}\n\
                 path: /proc/cpuinfo\nlines: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
                super::BOARD
            ),
            "sda",
        )
    }

    #[test]
    fn arm64_without_flags_is_told_by_its_type_and_its_board() {
        let guest = arm64("m6g.large", "");
        assert_eq!(guest.machine_fact("hypervisor"), Some("amazon"));
        assert_eq!(guest.machine_fact("cpu_model"), Some("Arm Neoverse-N1"));
        let metal = arm64("m6g.metal", "raspberrypi,4-model-b\0brcm,bcm2711\0");
        assert_eq!(metal.machine_fact("hypervisor"), None);
        assert_eq!(metal.machine_fact("provider"), Some("aws"));
        assert!(super::is_virtual_board("linux,dummy-virt\0"));
        assert!(!super::is_virtual_board("brcm,linux,dummy-virt2\0other\0"));
    }

    #[test]
    fn a_physical_machine_has_a_case_and_no_hypervisor() {
        let server = machine("Dell Inc.", "PowerEdge R740", "", "fpu sse");
        assert_eq!(server.machine_fact("bios_version"), Some("2.12.2"));
        assert_eq!(server.machine_fact("bios_date"), Some("07/09/2021"));
        assert_eq!(server.machine_fact("bios_vendor"), None);
        assert_eq!(server.machine_fact("hypervisor"), None);
        assert_eq!(server.machine_fact("chassis"), Some("rack"));
        assert_eq!(
            server.machine_fact("product"),
            Some("Dell Inc. PowerEdge R740")
        );
        assert_eq!(
            machine("", "", "", "hypervisor").machine_fact("hypervisor"),
            Some("unknown")
        );
        let metal = machine("Amazon EC2", "m5.metal", "", "fpu");
        assert_eq!(
            (
                metal.machine_fact("hypervisor"),
                metal.machine_fact("provider")
            ),
            (None, Some("aws"))
        );
    }
}
