//! A machine as wide as sensors have to bear, built rather than captured: any number of NVMe disks, each with an
//! interrupt line for some of its queues, and any number of CPUs.
//!
//! It names nothing of this crate, so that a benchmark can use this very file as a module of its own by `#[path]`.

use host::{Archive, Host};
use model::change::Attribute;

/// Where everything comes from that does not grow with disks and CPUs: memory, pressure, control groups, processes.
const REST: &str = include_str!("../../../../testdata/hosts/linux_6_12.host");
const KEPT: &[&str] = &["/proc/", "/sys/fs/cgroup"];
const INTERRUPTS_PER_DISK: usize = 4;

/// Linux 6.12 with this many disks `nvme0n1`, `nvme1n1` and so on, and this many CPUs. The counters of each are different
/// and none is zero. It holds four interrupt lines a disk.
pub fn wide_host(disks: usize, cpus: usize) -> Host {
    let mut archive = Archive::parse(&rest()).unwrap_or_default();
    let mut put = |path: &str, text: String| archive.insert(path, Attribute::Value(text));
    put(
        "/proc/diskstats",
        (0..disks)
            .map(diskstats)
            .collect::<String>()
            .trim_end()
            .into(),
    );
    put("/proc/interrupts", interrupts(disks, cpus));
    put("/proc/softirqs", softirqs(cpus));
    put("/proc/stat", stat(cpus));
    put("/proc/schedstat", schedstat(cpus));
    put("/sys/devices/system/cpu/online", format!("0-{}", cpus - 1));
    put(
        "/sys/devices/system/cpu/possible",
        format!("0-{}", cpus - 1),
    );
    for cpu in 0..cpus {
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}");
        put(
            &format!("{directory}/topology/core_id"),
            (cpu / 2).to_string(),
        );
        put(
            &format!("{directory}/topology/physical_package_id"),
            "0".into(),
        );
        put(
            &format!("{directory}/thermal_throttle/core_throttle_count"),
            cpu.to_string(),
        );
        put(
            &format!("{directory}/thermal_throttle/package_throttle_count"),
            "1".into(),
        );
    }
    for disk in 0..disks {
        add_disk(&mut archive, disk);
    }
    Host::from_archive(archive)
}

/// The text of the captured machine without its disks and its interrupts.
fn rest() -> String {
    let mut is_kept = true;
    let keep = |line: &&str| {
        if let Some(path) = line.strip_prefix("path: ") {
            is_kept =
                KEPT.iter().any(|kept| path.starts_with(kept)) && !path.starts_with("/proc/irq/");
        }
        is_kept
    };
    REST.split_inclusive('\n').filter(keep).collect()
}

fn add_disk(archive: &mut Archive, disk: usize) {
    let pci = format!("/sys/devices/pci0000:00/{}", pci_address(disk));
    let (controller, name) = (format!("{pci}/nvme/nvme{disk}"), format!("nvme{disk}n1"));
    let below = controller.trim_start_matches("/sys/").to_string();
    archive.insert_link(
        &format!("/sys/bus/pci/devices/{}", pci_address(disk)),
        &format!("../../..{}", &pci[4..]),
    );
    archive.insert_link(&format!("/sys/block/{name}"), &format!("../{below}/{name}"));
    archive.insert_link(
        &format!("/sys/class/block/{name}"),
        &format!("../../{below}/{name}"),
    );
    archive.insert_link(
        &format!("/sys/class/nvme/nvme{disk}"),
        &format!("../../{below}"),
    );
    archive.insert_link(
        &format!("{controller}/{name}/device"),
        &format!("../../nvme{disk}"),
    );
    archive.insert_link(
        &format!("{controller}/device"),
        &format!("../../../{}", pci_address(disk)),
    );
    archive.insert_link(
        &format!("/sys/class/hwmon/hwmon{disk}"),
        &format!("../../{below}/hwmon{disk}"),
    );
    let mut put = |path: String, text: String| archive.insert(&path, Attribute::Value(text));
    for (file, text) in [
        ("model", "WIDE SSD"),
        ("state", "live"),
        ("firmware_rev", "1.0"),
    ] {
        put(format!("{controller}/{file}"), text.into());
    }
    for (file, text) in [
        ("name", "nvme".into()),
        ("temp1_input", (41_000 + disk).to_string()),
    ] {
        put(format!("{controller}/hwmon{disk}/{file}"), text);
    }
    let directory = format!("{controller}/{name}");
    put(format!("{directory}/dev"), format!("259:{disk}"));
    put(format!("{directory}/size"), "7814037168".into());
    put(format!("{directory}/stat"), counters(disk));
    put(
        format!("{directory}/inflight"),
        format!("{:8} {:8}", disk % 7, disk % 3),
    );
    for (file, text) in [
        ("iostats", "1"),
        ("rotational", "0"),
        ("scheduler", "[none] mq-deadline"),
        ("nr_requests", "1023"),
    ] {
        put(format!("{directory}/queue/{file}"), text.into());
    }
    for line in 0..INTERRUPTS_PER_DISK {
        put(format!("{pci}/msi_irqs/{}", irq(disk, line)), "msix".into());
    }
}

/// 32 devices to a bus.
fn pci_address(disk: usize) -> String {
    format!("0000:{:02x}:{:02x}.0", 1 + disk / 32, disk % 32)
}

fn irq(disk: usize, line: usize) -> usize {
    32 + disk * INTERRUPTS_PER_DISK + line
}

/// The 17 counters of Linux 5.5 and later, as large as those of a disk that has been busy for weeks.
fn counters(disk: usize) -> String {
    let counters: Vec<String> = (0..17)
        .map(|field| match field {
            8 => (disk % 10).to_string(),
            3 | 7 | 9 | 10 | 14 | 16 => (3_900_000_000 + disk * 1_000 + field).to_string(),
            _ => (91_233_122_010 + disk * 7_919 + field).to_string(),
        })
        .collect();
    counters.join(" ")
}

fn diskstats(disk: usize) -> String {
    format!(" 259 {disk:7} nvme{disk}n1 {}\n", counters(disk))
}

fn interrupts(disks: usize, cpus: usize) -> String {
    let mut text = format!("{:11}", "");
    (0..cpus).for_each(|cpu| text.push_str(&format!("CPU{cpu:<8}")));
    for (disk, line) in
        (0..disks).flat_map(|disk| (0..INTERRUPTS_PER_DISK).map(move |line| (disk, line)))
    {
        text.push_str(&format!("\n{:4}:", irq(disk, line)));
        let at = (disk * INTERRUPTS_PER_DISK + line) % cpus;
        (0..cpus).for_each(|cpu| {
            text.push_str(&format!(
                " {:10}",
                if cpu == at { 91_233_122 + disk } else { 0 }
            ))
        });
        text.push_str(&format!(
            "  PCI-MSIX-{} {line:4}-edge      nvme{disk}q{line}",
            pci_address(disk)
        ));
    }
    for (name, meaning) in [
        ("NMI", "Non-maskable interrupts"),
        ("LOC", "Local timer interrupts"),
    ] {
        text.push_str(&format!("\n {name}:"));
        (0..cpus).for_each(|cpu| text.push_str(&format!(" {:10}", 812_331_220 + cpu)));
        text.push_str(&format!("  {meaning}"));
    }
    text
}

fn softirqs(cpus: usize) -> String {
    let mut text = format!("{:20}", "");
    (0..cpus).for_each(|cpu| text.push_str(&format!("CPU{cpu:<8}")));
    let names = [
        "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
        "RCU",
    ];
    for (row, name) in names.iter().enumerate() {
        text.push_str(&format!("\n{name:>12}:"));
        (0..cpus).for_each(|cpu| text.push_str(&format!(" {:10}", 91_233_122 * row + cpu)));
    }
    text
}

fn stat(cpus: usize) -> String {
    let ticks = |scale: usize| {
        [
            4_012_331, 12, 2_012_331, 40_123_312, 301_233, 0, 80_123, 9_012, 0, 0,
        ]
        .map(|n: usize| (n * scale).to_string())
    };
    let mut text = format!("cpu  {}\n", ticks(cpus).join(" "));
    (0..cpus).for_each(|cpu| text.push_str(&format!("cpu{cpu} {}\n", ticks(1).join(" "))));
    let lines = vec!["91233122"; 500].join(" ");
    text.push_str(&format!(
        "intr 401233122010 {lines}\nctxt 401233122010\nbtime 1700000000\nprocesses 90123\n"
    ));
    text.push_str("procs_running 12\nprocs_blocked 3\nsoftirq 401233122 1 2 3 4 5 6 7 8 9 10");
    text
}

fn schedstat(cpus: usize) -> String {
    let line = |cpu: usize| {
        format!(
            "\ncpu{cpu} 0 0 0 0 0 0 900000000000 41000000000 {}",
            51_000_000 + cpu
        )
    };
    format!(
        "version 16\ntimestamp 4300100200{}",
        (0..cpus).map(line).collect::<String>()
    )
}
