//! Knobs as a command line names them, and whose settings they are below a target.

use crate::exit::{Exit, Failure};
use crate::group_name;
use apply::{Knob, SubjectFiles, ValueReading};
use host::Host;
use lookup::explain;
use model::iopath::{IoPath, Layer, LayerKind};
use model::subject::{Subject, SubjectKind};

/// A knob as the user named it.
#[derive(Debug)]
pub struct NamedKnob {
    /// The knob.
    pub knob: &'static Knob,
    /// Which of its subjects, where one was named.
    pub key: Option<String>,
    /// The values, where they were named.
    pub values: Option<Vec<String>>,
}

/// `scheduler`, `scheduler=none,bfq`, `smp_affinity_list@24=0:1`, `riops@/docker/4f=500,max`. Lists of CPUs have commas of their own, so a colon
/// stands between two of them.
pub fn parse(text: &str) -> Result<NamedKnob, Failure> {
    let (name, values) = text
        .split_once('=')
        .map_or((text, None), |(name, values)| (name, Some(values)));
    let (id, key) = name
        .split_once('@')
        .map_or((name, None), |(id, key)| (id, Some(key.to_string())));
    let knob = Knob::find(id).ok_or_else(|| unknown(id))?;
    let between = match knob.reading {
        ValueReading::CpuList => ':',
        ValueReading::Whole | ValueReading::Chosen | ValueReading::Bytes => ',',
    };
    let value = |text: &str| knob.reading.value(text);
    let values = values.map(|values| values.split(between).map(value).collect());
    Ok(NamedKnob { knob, key, values })
}

/// A name that no knob has, with those that are like it.
fn unknown(id: &str) -> Failure {
    let near = explain::near(&format!("knob:{id}"));
    let meant = match near.is_empty() {
        true => ".".into(),
        false => format!("; did you mean {}?", near.join(", ")),
    };
    Failure::usage(format!("there is no knob `{id}`{meant}"))
        .on(id)
        .hint("`iodyno catalogue` lists all.")
}

/// The device below the target whose settings can be tuned: the one disk, or where there are several the array or volume
/// that spreads over them.
pub fn device(path: &IoPath) -> Result<String, Failure> {
    let layer = path.queue_device().ok_or_else(|| {
        let what = path
            .root
            .walk()
            .last()
            .map(|layer| layer.title.clone())
            .unwrap_or_default();
        Failure::new(
            Exit::Failed,
            format!(
                "there is no block device below {} ({what}), so there is no setting to tune.",
                path.target
            ),
        )
        .on(&path.target)
        .hint("Name a directory on a disk, a file there, or the disk itself.")
    })?;
    let mut disks = disks(layer);
    disks.sort_unstable();
    disks.dedup();
    Ok(match (layer.kind, disks.as_slice()) {
        (LayerKind::Stacked, [disk]) => disk.to_string(),
        (LayerKind::Stacked, _) => spreads(layer).name.clone(),
        _ => layer.name.clone(),
    })
}

/// Kernel names of the disks of a layer and below it, from left to right.
fn disks(layer: &Layer) -> Vec<&str> {
    let layers = layer.walk().into_iter();
    let disks = layers.filter(|below| below.kind == LayerKind::Disk);
    disks.map(|disk| disk.name.as_str()).collect()
}

/// The lowest stacked layer that has all of what is below this one.
fn spreads(layer: &Layer) -> &Layer {
    match layer.below.as_slice() {
        [below] if below.kind == LayerKind::Stacked => spreads(below),
        _ => layer,
    }
}

/// Why a setting of a queue does not act on this device: it hands its I/O on to the queues of several disks.
pub fn handed_on(knob: &Knob, path: &IoPath, device: &str, host: &Host) -> Option<String> {
    let is_of_queue = matches!(knob.on, SubjectKind::Queue | SubjectKind::Scheduler);
    let layers = path.root.walk().into_iter();
    let mut stacked = layers.filter(|layer| layer.kind == LayerKind::Stacked);
    let layer = stacked.find(|layer| layer.name == device)?;
    // What has queues of its own has this directory (Linux 3.16), as multipath has.
    let has_requests = host.exists(&format!("/sys/block/{device}/mq"));
    (is_of_queue && !knob.acts_without_requests && !has_requests).then(|| {
        format!(
            "{device} spreads over {}, whose queues act: name one of them as the target",
            disks(layer).join(", ")
        )
    })
}

/// The subjects of a knob below the device. More than a few are asked for one by one: each costs the time of an
/// experiment.
pub fn subjects(
    asked: &NamedKnob,
    path: &IoPath,
    device: &str,
    host: &Host,
) -> Result<Vec<Subject>, Failure> {
    if asked.knob.on == SubjectKind::Group {
        return Ok(vec![group(asked, device, host)?]);
    }
    let all = apply::subjects(asked.knob.on, path, device);
    let keys: Vec<String> = all.iter().filter_map(Subject::key).collect();
    let id = asked.knob.id;
    let Some(key) = &asked.key else {
        return match keys.len() > SUBJECTS_MAX {
            true => Err(Failure::usage(format!(
                "{device} has {} subjects for {id}. Name one: --knob {id}@{}, or another of {}.",
                keys.len(),
                keys[0],
                keys.join(", ")
            ))),
            false => Ok(all),
        };
    };
    let found: Vec<Subject> = all
        .into_iter()
        .filter(|subject| subject.key().as_ref() == Some(key))
        .collect();
    match (found.is_empty(), keys.is_empty()) {
        (false, _) => Ok(found),
        (true, true) => Err(Failure::usage(format!(
            "{id} is one setting of {device}: leave `@{key}` out."
        ))),
        (true, false) => Err(Failure::usage(format!(
            "{device} has no {id}@{key}. There are {}.",
            keys.join(", ")
        ))),
    }
}

/// The group that was named: any of the machine may use the device.
fn group(asked: &NamedKnob, device: &str, host: &Host) -> Result<Subject, Failure> {
    let id = asked.knob.id;
    let name = asked.key.as_ref().ok_or_else(|| {
        Failure::usage(format!(
            "{id} is a setting of a control group, and none is named. Name one: {id}@/system.slice/db.service, \
             {id}@PID for the group of a process, or {id}@self."
        ))
    })?;
    group_name::subject(name, device, host)
}

/// Whether only some kinds of device have such settings, so that nobody misses them elsewhere.
pub fn is_of_some_devices(kind: SubjectKind) -> bool {
    matches!(
        kind,
        SubjectKind::Scsi | SubjectKind::Md | SubjectKind::Loop
    )
}

/// As many subjects of one knob are tried unasked.
const SUBJECTS_MAX: usize = 4;

/// Why there is nothing to read of a knob. Each scheduler has settings of its own.
pub fn absent(knob: &Knob, subject: &Subject, host: &Host) -> String {
    let is_there = host.exists(&subject.directory());
    let device = match subject {
        Subject::Scheduler { device } => device,
        Subject::Md { device } if !is_there => {
            return format!("{device} is no array of Linux software RAID");
        }
        Subject::Loop { device } if !is_there => return format!("{device} is no loop device"),
        Subject::FileSystem { point, .. } => {
            let mount = SubjectFiles::of(host, subject.clone()).and_then(|files| files.mount());
            let fstype = mount.map_or_else(|| "its file system".into(), |mount| mount.fstype);
            return format!(
                "{fstype} at {point} has no {} that a remount changes",
                knob.attribute
            );
        }
        Subject::Group { .. } => {
            return format!(
                "{subject} has no {}; `iodyno explain {}` says which kernels and versions of control groups have it. \
                 Under version 2 the group above has to hand the controller down (`+io` in its cgroup.subtree_control)",
                knob.attribute, knob.id
            );
        }
        _ => {
            let attribute = host.attribute(&subject.path(knob.attribute));
            return format!("it is {attribute} on {subject}");
        }
    };
    let queue = Subject::Queue {
        device: device.clone(),
    };
    let queue = SubjectFiles::of(host, queue);
    let in_place = queue.and_then(|queue| queue.scheduler());
    format!(
        "{device} has the scheduler {}, which has no such setting; `iodyno explain {}` says which one has",
        in_place.as_deref().unwrap_or("none"),
        knob.id
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knob_may_bring_its_values() {
        let asked = parse("scheduler=none,bfq").unwrap();
        assert_eq!((asked.knob.id, asked.key), ("scheduler", None));
        assert_eq!(asked.values.unwrap(), ["none", "bfq"]);
    }

    #[test]
    fn a_name_that_no_knob_has_is_answered_with_the_nearest() {
        let message = |text: &str| parse(text).unwrap_err().message;
        assert_eq!(
            message("slice_idle=0,8"),
            "there is no knob `slice_idle`; did you mean slice_idle_us?\n`iodyno catalogue` lists all."
        );
        assert!(message("sheduler").contains("did you mean scheduler?"));
        assert_eq!(
            message("nobody_has_this"),
            "there is no knob `nobody_has_this`.\n`iodyno catalogue` lists all."
        );
    }
}
