//! Small questions about a path that several causes ask: its members, its interrupts, its CPUs.

use super::Scene;
use super::live::interrupts_on_one_cpu;
use kernel::cpulist::CpuList;
use model::frame::Frame;
use model::iopath::{Interrupt, Layer, LayerKind};

/// The device with counters of its own at or below each member of a stacked device: of a partition its disk.
pub fn members(volume: &Layer) -> Vec<&Layer> {
    use LayerKind::{Disk, Loop, Stacked, Zram};
    let counted = |member: &&Layer| matches!(member.kind, Disk | Loop | Stacked | Zram);
    volume
        .below
        .iter()
        .filter_map(|member| member.walk().into_iter().find(counted))
        .collect()
}

/// How many CPUs are online; none where that is not known.
pub fn cpus(scene: &Scene<'_>) -> Option<usize> {
    let online = CpuList::parse(scene.path.machine_fact("cpus_online")?)?;
    Some(online.len()).filter(|count| *count > 0)
}

/// The vectors that carry I/O: not those that tell of a changed configuration or serve an NVMe's admin queue.
pub fn vectors(disk: &Layer) -> Vec<&Interrupt> {
    let is_other = |name: &str| {
        let admin = name
            .strip_prefix("nvme")
            .and_then(|rest| rest.split_once('q'));
        name.contains("config")
            || name.ends_with("-control")
            || name.ends_with("-event")
            || admin.is_some_and(|(_, queue)| queue == "0")
    };
    disk.interrupts
        .iter()
        .filter(|line| !is_other(&line.name))
        .collect()
}

/// The CPU that took most of a device's interrupts, its share, and the rate of all; none without any.
pub fn busiest_cpu<'a>(frame: &'a Frame, device: &str) -> Option<(&'a str, f64, f64)> {
    let of_device = frame
        .each("irq.device_cpu.per_s")
        .filter_map(|(subject, rate)| {
            let (name, cpu) = subject.rsplit_once('@')?;
            (name == device).then_some((cpu, rate))
        });
    let rates: Vec<(&str, f64)> = of_device.collect();
    let total: f64 = rates.iter().map(|(_, rate)| rate).sum();
    let (cpu, most) = rates
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    (total > 0.0).then_some((cpu, most / total, total))
}

/// Whether the live rule finds this device's interrupts on one full CPU.
pub fn interrupts_fill_a_cpu(frame: &Frame, device: &str) -> bool {
    (interrupts_on_one_cpu::LIVE.judge)(frame)
        .iter()
        .any(|finding| finding.section == device)
}

/// Reads and writes a second of a device; none where it was not watched.
pub fn rate(frame: &Frame, device: &str) -> Option<f64> {
    let reads = frame.get("disk.reads_per_s", device);
    let writes = frame.get("disk.writes_per_s", device);
    (reads.is_some() || writes.is_some()).then(|| reads.unwrap_or(0.0) + writes.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene_examples::SceneExample;

    #[test]
    fn members_are_what_has_counters() {
        let names = |text: &str| -> Vec<String> {
            let example = SceneExample::parse(text);
            let scene = example.scene();
            members(scene.layers()[1])
                .iter()
                .map(|layer| layer.name.clone())
                .collect()
        };
        assert_eq!(
            names("stacked: md0 stack=raid1\npartition: sda1\ndisk: sda\n"),
            ["sda"]
        );
        assert_eq!(
            names("stacked: md0 stack=raid1\nloop: loop0\nloop: +loop1\ndisk: vda\n"),
            ["loop0", "loop1"]
        );
    }

    #[test]
    fn vectors_of_other_things_do_not_count() {
        let example = SceneExample::parse(
            "disk: nvme0n1\ninterrupt: nvme0q0\ninterrupt: nvme0q1\ninterrupt: nvme0q10\n\
             interrupt: virtio1-config\ninterrupt: virtio1-req.0\n",
        );
        let names: Vec<&str> = vectors(example.scene().disks()[0])
            .iter()
            .map(|line| line.name.as_str())
            .collect();
        assert_eq!(names, ["nvme0q1", "nvme0q10", "virtio1-req.0"]);
    }
}
