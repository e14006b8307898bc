//! What a check could not see or do, each a sentence with the reason: a short list is worth more than a whole one.

use super::loads::LoadsDone;
use diagnose::Medium;
use model::check::{CheckResult, Probe, Role};
use model::iopath::{IoPath, LayerKind};
use model::target::TargetKind;
use model::units;

/// Below this a device counts as idle before the loads, bytes a second.
const IDLE_BYTES: f64 = 1048576.0;

/// All of it. `is_root` is of the user who checked.
pub fn all(
    path: &IoPath,
    check: &CheckResult,
    done: Option<&LoadsDone>,
    is_root: bool,
) -> Vec<String> {
    let mut all: Vec<String> = path.notes.iter().map(|note| sentence(note)).collect();
    if let Some(done) = done {
        all.extend(busy(path, &check.probes));
        all.extend(
            done.no_layers
                .iter()
                .map(|why| format!("Times by layer: {}.", why.trim_end_matches('.'))),
        );
        all.extend(sampled(&check.probes));
        all.extend(rights(done, is_root));
        all.extend(
            done.unseen
                .iter()
                .map(|why| format!("Left out: {}", sentence(why))),
        );
    }
    all.extend(ground(path, check));
    all.dedup();
    all
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

/// Loads whose sleep no program in the kernel timed.
fn sampled(probes: &[Probe]) -> Option<String> {
    let is_sampled = |probe: &Probe| {
        let tasks = probe.tasks.as_ref().filter(|_| probe.role != Role::Idle);
        tasks.is_some_and(|tasks| tasks.off_cpu.is_none())
    };
    let count = probes.iter().filter(|probe| is_sampled(probe)).count();
    let of = match count {
        0 => return None,
        1 => "one load",
        _ => "the loads",
    };
    Some(format!(
        "Sleep of {of}: looked at now and then, not timed, so that its shares may be 20 points off."
    ))
}

/// Sensors that only root can read. Those that have no such device here are no loss.
fn rights(done: &LoadsDone, is_root: bool) -> Option<String> {
    let needs_root = |why: &str| {
        ["root", "ermission", "EACCES"]
            .iter()
            .any(|word| why.contains(word))
    };
    // Why there are no layers is told by itself.
    let absent = done
        .status
        .absent
        .iter()
        .filter(|(name, why)| name != "layers" && needs_root(why));
    let names: Vec<&str> = absent.map(|(name, _)| name.as_str()).collect();
    match (is_root, names.is_empty()) {
        (true, _) => None,
        (false, true) => {
            Some("Run as root it sees more: health of disks, other users' processes.".into())
        }
        (false, false) => Some(format!(
            "Sensors that only root may read: {}.",
            names.join(", ")
        )),
    }
}

/// Others at work on the device: what the loads gave is what was left.
fn busy(path: &IoPath, probes: &[Probe]) -> Option<String> {
    let idle = probes.iter().find(|probe| probe.role == Role::Idle)?;
    let device = path.queue_device()?;
    let of = |id: &str| idle.frame.get(id, &device.name).unwrap_or(0.0);
    let moved = of("disk.read_bytes_per_s") + of("disk.write_bytes_per_s");
    let has_load = probes.iter().any(|probe| probe.role != Role::Idle);
    let so = if has_load {
        " before any load of ours: the loads got what was left"
    } else {
        ""
    };
    let rate = units::bytes_per_s(moved);
    (moved >= IDLE_BYTES).then(|| format!("Others moved {rate} on {}{so}.", device.name))
}

/// What the loads could not show where they were made.
fn ground(path: &IoPath, check: &CheckResult) -> Vec<String> {
    let loaded = check.probes.iter().any(|probe| probe.role != Role::Idle);
    if !loaded {
        return Vec::new();
    }
    let mut all = Vec::new();
    if check.target.is_in_memory {
        all.push("A disk: this target lies in memory.".into());
    }
    match check.target.kind {
        TargetKind::Directory => {
            let bytes = check
                .target
                .bytes
                .map_or("little".into(), |bytes| units::bytes(bytes as f64));
            match Medium::of(path) {
                Some(Medium::Rotational) => all.push(format!(
                    "Seeks across the disk: scratch of {bytes} lies close together, so random reads are faster than on \
                     a full disk."
                )),
                Some(Medium::Virtual | Medium::Network) => all.push(format!(
                    "Caches of the host or the server: scratch of {bytes} was written moments before it was read."
                )),
                _ => {}
            }
        }
        TargetKind::Device | TargetKind::File => {
            all.push("Writes: only a directory is written to, in a scratch file.".into());
        }
        TargetKind::Missing => {}
    }
    let is_thin = path
        .of_kind(LayerKind::Disk)
        .any(|disk| disk.fact("transport").is_none_or(|it| it != "sata"));
    if check.target.kind == TargetKind::Device && is_thin {
        all.push("Blocks that were never written may be answered without the medium.".into());
    }
    all
}
