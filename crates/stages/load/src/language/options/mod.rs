//! fio's options as a table: one static for each group, by what they are about.

mod data;
mod distribution;
mod engines;
mod files;
mod io;
mod machine;
mod newer;
mod pace;
mod profiles;
mod queue;
mod replay;
mod reporting;
mod size;
mod split;
mod steady;
mod time;
mod verify;

use super::draft::Draft;
use super::error::{Bad, Mistake};
use super::value::{Value, ValueKind};

pub(super) use engines::is_fios as is_fios_engine;
pub(super) use newer::is_newer;
pub(super) use steady::SteadyDraft;

/// One option of fio.
#[derive(Debug)]
pub(super) struct Spec {
    /// Its full name.
    pub name: &'static str,
    /// Its other name; empty where it has none.
    pub alias: &'static str,
    pub kind: ValueKind,
    pub meaning: Meaning,
}

/// What an option does to a job.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// It sets something.
    Apply(fn(&mut Draft, &Value) -> Result<(), Bad>),
    /// It is taken and has no effect; why.
    Noted(&'static str),
    /// The native engines do what this value says and nothing else; what they lack.
    Other(&'static str, &'static str),
}

type Apply = fn(&mut Draft, &Value) -> Result<(), Bad>;

const fn sets(name: &'static str, alias: &'static str, kind: ValueKind, apply: Apply) -> Spec {
    Spec {
        name,
        alias,
        kind,
        meaning: Meaning::Apply(apply),
    }
}

const fn noted(
    name: &'static str,
    alias: &'static str,
    kind: ValueKind,
    why: &'static str,
) -> Spec {
    Spec {
        name,
        alias,
        kind,
        meaning: Meaning::Noted(why),
    }
}

const fn other(
    name: &'static str,
    kind: ValueKind,
    default: &'static str,
    why: &'static str,
) -> Spec {
    Spec {
        name,
        alias: "",
        kind,
        meaning: Meaning::Other(default, why),
    }
}

/// Numbers without limits of their own are 32 bits wide.
const INT: ValueKind = ValueKind::Number(0, u32::MAX as i64);
/// Numbers of bytes.
const WIDE: ValueKind = ValueKind::Number(0, i64::MAX);

/// All options that do not belong to one engine.
static GROUPS: [&[Spec]; 14] = [
    io::GROUP,
    size::GROUP,
    files::GROUP,
    queue::GROUP,
    distribution::GROUP,
    time::GROUP,
    pace::GROUP,
    data::GROUP,
    verify::GROUP,
    machine::GROUP,
    steady::GROUP,
    reporting::GROUP,
    replay::GROUP,
    profiles::GROUP,
];

/// All options that do not belong to one engine.
pub(super) fn all() -> impl Iterator<Item = &'static Spec> {
    GROUPS
        .iter()
        .flat_map(|group| group.iter())
        .chain(newer::GROUP)
}

/// The option of this name or alias.
pub(super) fn find(name: &str) -> Option<&'static Spec> {
    all().find(|spec| spec.name == name || (!spec.alias.is_empty() && spec.alias == name))
}

/// The option that only some engines have, if this engine has it.
pub(super) fn of_engine(engine: &str, name: &str) -> Option<&'static Spec> {
    engines::GROUPS
        .iter()
        .filter(|(engines, _)| engines.contains(&engine))
        .flat_map(|(_, options)| options.iter())
        .find(|spec| spec.name == name || (!spec.alias.is_empty() && spec.alias == name))
}

/// Names of the options that this engine alone has.
pub(super) fn names_of_engine(engine: &str) -> impl Iterator<Item = &'static str> {
    let groups = engines::GROUPS
        .iter()
        .filter(move |(engines, _)| engines.contains(&engine));
    groups.flat_map(|(_, options)| options.iter().map(|spec| spec.name))
}

/// When fio reads an option of a section: what others depend on first, file names last.
pub(super) fn priority(name: &str) -> i8 {
    match name {
        "lockfile" | "cpus_allowed_policy" | "kb_base" | "unit_base" => -1,
        "filename" | "filename_format" => 1,
        _ => 0,
    }
}

/// An option that fio does not know either.
pub(super) fn unknown(name: &str, engine: &str) -> Bad {
    let with: Vec<&str> = engines::GROUPS
        .iter()
        .filter(|(_, options)| {
            options
                .iter()
                .any(|spec| spec.name == name || spec.alias == name)
        })
        .flat_map(|(engines, _)| engines.iter().copied())
        .collect();
    if !with.is_empty() && !name.is_empty() {
        return Bad {
            why: format!("the engine {engine} has no such option"),
            advice: format!("Leave it out, or use ioengine={}", with.join(" or ")),
            kind: Mistake::Unknown,
        };
    }
    let names = all().map(|spec| spec.name).chain(names_of_engine(engine));
    let advice = match similar(name, names) {
        Some(near) => format!("Did you mean {near}?"),
        None => "See `fio --cmdhelp=all` for all of them".into(),
    };
    Bad {
        why: "fio has no option of this name".into(),
        advice,
        kind: Mistake::Unknown,
    }
}

/// The nearest of the names, if it is near enough for a question.
pub fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > 64 {
        return None;
    }
    let near = names
        .map(|other| (distance(name, other), other))
        .min_by_key(|(distance, _)| *distance)?;
    (near.0 <= name.chars().count().div_ceil(3)).then_some(near.1)
}

/// How many letters must be put in, left out or changed to make one word the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for column in 0..to.len() {
            let above = row[column + 1];
            row[column + 1] = (corner + usize::from(to[column] != letter))
                .min(above + 1)
                .min(row[column] + 1);
            corner = above;
        }
    }
    row[to.len()]
}

/// The one number of a value.
fn number(value: &Value) -> u64 {
    match value {
        Value::Numbers(numbers) => numbers.first().copied().flatten().unwrap_or(0).max(0) as u64,
        _ => 0,
    }
}

/// The one number of a value whose kind keeps it to 32 bits.
fn small(value: &Value) -> u32 {
    u32::try_from(number(value)).unwrap_or(u32::MAX)
}

fn flag(value: &Value) -> bool {
    *value == Value::Flag(true)
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        _ => "",
    }
}

/// Numbers for reads, writes and trims; places that were left empty keep what was there.
fn directions(value: &Value, into: &mut [u64; 3]) {
    if let Value::Numbers(numbers) = value {
        for (slot, number) in into.iter_mut().zip(numbers) {
            *slot = number.map_or(*slot, |number| number.max(0) as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let mut names: Vec<&str> = all()
            .flat_map(|spec| [spec.name, spec.alias])
            .filter(|name| !name.is_empty())
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name stands in the table twice");
    }

    #[test]
    fn a_misspelt_option_is_answered_with_the_right_one() {
        assert_eq!(
            unknown("ipengine", "psync").advice,
            "Did you mean ioengine?"
        );
        assert_eq!(
            unknown("rwmixraed", "psync").advice,
            "Did you mean rwmixread?"
        );
        assert!(unknown("fixedbufs", "psync").advice.contains("io_uring"));
        assert_eq!(similar("zzzzzz", ["bs", "rw"].into_iter()), None);
        assert_eq!(
            (distance("iodepht", "iodepth"), distance("", "abc")),
            (2, 3)
        );
    }
}
