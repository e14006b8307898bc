//! What several causes read out of a scene: how fast a disk was, what the log says of it, which limits bind.

use super::cloud;
use super::facts::CgroupLimit;
use super::scene::Scene;
use model::check::{Probe, Role};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::time_account::TimePlace;

/// Bytes a second that a disk moved in the fastest stream of the check; none without one.
pub fn fastest_stream(scene: &Scene<'_>, disk: &Layer) -> Option<f64> {
    let streams = scene.probes.iter().filter(|probe| {
        matches!(
            probe.role,
            Role::Stream | Role::Streams | Role::WriteStream | Role::BufferedStream
        )
    });
    let rates = streams.filter_map(|probe| {
        let by_disk = ["disk.read_bytes_per_s", "disk.write_bytes_per_s"]
            .iter()
            .filter_map(|id| probe.frame.get(id, &disk.name))
            .reduce(|one, other| one + other);
        // A direct stream on the only disk is that disk's, counters or not.
        let alone =
            scene.disks().len() == 1 && probe.job.direct && probe.role != Role::BufferedStream;
        by_disk
            .or_else(|| alone.then(|| probe.bytes_per_s()))
            .filter(|rate| *rate > 0.0)
    });
    rates.max_by(f64::total_cmp)
}

/// The deepest random load.
pub fn deepest<'a>(scene: &Scene<'a>) -> Option<&'a Probe> {
    scene.curve().last().map(|(_, probe)| *probe)
}

/// How many times the I/Os of depth 1 the deepest load does; none without both or with a shallow one.
pub fn gain_by_depth(scene: &Scene<'_>) -> Option<f64> {
    let deepest = scene
        .curve()
        .last()
        .filter(|(depth, _)| *depth >= 8)?
        .1
        .iops();
    let single = match scene.probe(Role::Latency) {
        Some(probe) => probe.iops(),
        None => scene
            .curve()
            .first()
            .filter(|(depth, _)| *depth == 1)?
            .1
            .iops(),
    };
    (single > 0.0).then(|| deepest / single)
}

/// I/Os a second of a load in its later half, without what a bucket had in stock at first; over the whole load where it is
/// too short to be halved.
pub fn settled_iops(probe: &Probe) -> f64 {
    let (rates, _) = cloud::series_of_bins(&probe.load, 40);
    let later = &rates[rates.len() / 2..];
    match rates.len() {
        0..4 => probe.iops(),
        _ => stats::mean(later),
    }
}

/// The most I/Os a second that any random read of the check settled at.
pub fn settled_best(scene: &Scene<'_>) -> Option<f64> {
    let reads = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Depth | Role::Latency));
    reads.map(settled_iops).max_by(f64::total_cmp)
}

/// For a finding about what ran before the loads: what it costs.
pub const BEFORE: &str = "what ran before the loads";

/// The part of an I/O's time that others' reads of a disk cost the deepest random load of ours: their share of the reads, times the
/// share of our time in scheduler and device. A load that waited elsewhere has lost less to them. None where several disks share
/// the load, or where nothing was counted.
pub fn others_share(scene: &Scene<'_>, disk: &Layer) -> Option<(String, f64)> {
    let probe = deepest(scene).filter(|_| scene.disks().len() == 1)?;
    let all = probe
        .frame
        .get("disk.reads_per_s", &disk.name)
        .filter(|all| *all > 0.0)?;
    let of_others = (1.0 - probe.iops() / all).max(0.0);
    let mut accounts = scene.accounts().into_iter();
    let account = accounts.find(|one| one.load == probe.phrase());
    let there = account.map_or(1.0, |account| {
        let places = [TimePlace::Scheduler, TimePlace::Mapping, TimePlace::Device];
        let parts = places.iter().filter_map(|place| account.part(*place));
        parts.map(|part| part.share).sum()
    });
    Some((probe.phrase(), of_others * there))
}

/// The process that moved most, where one moved anything.
pub fn busiest(frame: &Frame) -> Option<(&str, f64)> {
    let reads = frame.each("process.read_bytes_per_s");
    let all = reads.map(|(who, bytes)| {
        (
            who,
            bytes + frame.get("process.write_bytes_per_s", who).unwrap_or(0.0),
        )
    });
    all.filter(|(_, bytes)| *bytes > 0.0)
        .max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Lines of the log that hold one of these words and name the disk, or one of the names it goes by below.
pub fn log_of<'a>(scene: &Scene<'a>, disk: &Layer, words: &[&str]) -> Vec<&'a str> {
    let names = names_of(disk);
    let is_about = |line: &&str| names.iter().any(|name| has_word(line, name));
    scene.log_with(words).into_iter().filter(is_about).collect()
}

/// The disk, and the controller of an NVMe (`nvme0` of `nvme0n1`): the kernel names either.
pub fn names_of(disk: &Layer) -> Vec<String> {
    let mut names = vec![disk.name.clone()];
    if let Some(rest) = disk.name.strip_prefix("nvme")
        && let Some((controller, _)) = rest.split_once('n')
    {
        names.push(format!("nvme{controller}"));
    }
    names
}

/// Whether a text has a word that no letter or digit continues.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

/// The limits of control groups that bind this process, as the machine's facts have them.
pub fn limits(scene: &Scene<'_>) -> Vec<CgroupLimit> {
    let machine = scene.path.machine.as_ref();
    machine.map(CgroupLimit::of_machine).unwrap_or_default()
}

/// The disk, volume or partition that a limit is on, where it is on the path.
pub fn limited<'a>(scene: &Scene<'a>, limit: &CgroupLimit) -> Option<&'a Layer> {
    scene
        .layers()
        .into_iter()
        .find(|layer| layer.name == limit.device && layer.kind != LayerKind::Target)
}

/// The lowest and the highest value of a field over all loads.
pub fn span_over(scene: &Scene<'_>, id: &str, subject: &str) -> Option<(f64, f64)> {
    let values = scene
        .frames()
        .filter_map(|(_, frame)| frame.get(id, subject));
    values.fold(None, |span, value| match span {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

/// The highest value of a field for a subject over all loads.
pub fn highest(scene: &Scene<'_>, id: &str, subject: &str) -> Option<f64> {
    span_over(scene, id, subject).map(|(_, high)| high)
}

/// I/Os and bytes a second of all whole disks together; none where there are none.
pub fn all_disks(frame: &Frame) -> Option<(f64, f64)> {
    let sum = |ids: [&str; 2]| {
        let values = ids
            .iter()
            .flat_map(|id| frame.each(id))
            .filter(|(name, _)| is_whole_disk(name));
        values
            .map(|(_, value)| value)
            .reduce(|one, other| one + other)
    };
    let bytes = sum(["disk.read_bytes_per_s", "disk.write_bytes_per_s"]).unwrap_or(0.0);
    sum(["disk.reads_per_s", "disk.writes_per_s"]).map(|ios| (ios, bytes))
}

/// Whether a name is that of a whole disk: `sda`, `vdb`, `xvdf`, `nvme1n1`; no partition, volume or loop device.
pub fn is_whole_disk(name: &str) -> bool {
    let letters = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase()))
    };
    let is_nvme = name
        .strip_prefix("nvme")
        .and_then(|rest| rest.split_once('n'))
        .is_some_and(|(one, two)| {
            [one, two]
                .iter()
                .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        });
    is_nvme || ["sd", "vd", "xvd"].iter().any(|prefix| letters(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_disks_are_told_from_partitions() {
        for name in ["sda", "sdaa", "vdb", "xvdf", "nvme0n1", "nvme12n3"] {
            assert!(is_whole_disk(name), "{name}");
        }
        for name in [
            "sda1",
            "vdb2",
            "nvme0n1p1",
            "nvme0",
            "dm-0",
            "md127",
            "loop3",
            "sd",
            "zram0",
        ] {
            assert!(!is_whole_disk(name), "{name}");
        }
    }

    #[test]
    fn a_name_is_not_found_inside_a_longer_one() {
        assert!(has_word("I/O error, dev sda, sector 8", "sda"));
        assert!(has_word("nvme nvme0: I/O 12 QID 3 timeout", "nvme0"));
        assert!(!has_word("I/O error, dev sdaa, sector 8", "sda"));
        assert!(!has_word("nvme nvme01: controller is down", "nvme0"));
    }

    #[test]
    fn an_nvme_is_known_by_its_controller_too() {
        let disk = |name: &str| Layer::new(LayerKind::Disk, name);
        assert_eq!(names_of(&disk("nvme0n1")), ["nvme0n1", "nvme0"]);
        assert_eq!(names_of(&disk("sda")), ["sda"]);
    }
}
