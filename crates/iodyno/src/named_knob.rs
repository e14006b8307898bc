//! Knobs as a command line names them, and whose settings they are below a target.

use crate::exit::{Exit, Failure};
use apply::{Knob, SubjectFiles, ValueReading, knobs};
use host::Host;
use model::iopath::{IoPath, LayerKind};
use model::subject::Subject;

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

/// `scheduler`, `scheduler=none,bfq`, `smp_affinity_list@24=0:1`. Lists of CPUs have commas of their own, so a colon
/// stands between two of them.
pub fn parse(text: &str) -> Result<NamedKnob, Failure> {
    let (name, values) = text
        .split_once('=')
        .map_or((text, None), |(name, values)| (name, Some(values)));
    let (id, key) = name
        .split_once('@')
        .map_or((name, None), |(id, key)| (id, Some(key.to_string())));
    let knob = Knob::find(id).ok_or_else(|| {
        let known: Vec<&str> = knobs::ALL.iter().map(|knob| knob.id).collect();
        Failure::usage(format!(
            "there is no knob `{id}`. There are {}.",
            known.join(", ")
        ))
    })?;
    let between = match knob.reading {
        ValueReading::CpuList => ':',
        ValueReading::Whole | ValueReading::Chosen => ',',
    };
    let value = |text: &str| knob.reading.value(text);
    let values = values.map(|values| values.split(between).map(value).collect());
    Ok(NamedKnob { knob, key, values })
}

/// The one device below the target whose queue can be tuned.
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
        .hint("`iodyno run` can still load it.")
    })?;
    if layer.kind != LayerKind::Stacked {
        return Ok(layer.name.clone());
    }
    let disks: Vec<String> = layer
        .walk()
        .into_iter()
        .filter(|below| below.kind == LayerKind::Disk)
        .map(|below| below.name.clone())
        .collect();
    match disks.as_slice() {
        [disk] => Ok(disk.clone()),
        _ => Err(Failure::usage(format!(
            "{} spreads over {}: their schedulers act, not its own. Name one of them as the target.",
            layer.name,
            disks.join(", ")
        ))),
    }
}

/// The subjects of a knob below the device. More than a few are asked for one by one: each costs the time of an
/// experiment.
pub fn subjects(asked: &NamedKnob, path: &IoPath, device: &str) -> Result<Vec<Subject>, Failure> {
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

/// As many subjects of one knob are tried unasked.
const SUBJECTS_MAX: usize = 4;

/// Why there is nothing to read of a knob. Each scheduler has settings of its own.
pub fn absent(knob: &Knob, subject: &Subject, host: &Host) -> String {
    let Subject::Scheduler { device } = subject else {
        let attribute = host.attribute(&subject.path(knob.attribute));
        return format!("it is {attribute} on {subject}");
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
        assert!(
            parse("sheduler")
                .unwrap_err()
                .message
                .contains("nr_requests")
        );
    }
}
