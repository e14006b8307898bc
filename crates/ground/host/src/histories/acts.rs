//! What processes do to devices: each act is a command of iodyno as the binary composes it, and looks at what it claims.

use super::Settings;
use super::turns::Dice;
use crate::simulated::Simulated;
use crate::{DeviceLock, Error, Host, Journal, Reach, Result, find_unfinished};
use model::change::Restored;
use std::path::{Path, PathBuf};

/// A machine and its state directories.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) machine: Simulated,
    pub(super) states: [PathBuf; 2],
}

/// A command.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Tune {
        state: usize,
        device: &'static str,
        knob: usize,
        writes: u64,
    },
    Apply {
        state: usize,
        device: &'static str,
        knob: usize,
        persists: bool,
    },
    Undo {
        state: usize,
        which: Which,
    },
    Status {
        state: usize,
    },
}

/// Which journals an undo takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Unfinished,
    All,
    One(u64),
}

/// Attributes with their places in the order of restoring, and values for the first.
type KnobOfTest = (&'static [(&'static str, u8)], &'static [&'static str]);

/// A knob's attributes with their places in the order of restoring, and values to write to the first.
const KNOBS: [KnobOfTest; 9] = [
    (
        &[("scheduler", 10), ("nr_requests", 40)],
        &["none", "mq-deadline", "bfq", "nonsense"],
    ),
    (&[("nr_requests", 40)], &["64", "999"]),
    (
        &[("max_sectors_kb", 50), ("read_ahead_kb", 60)],
        &["640", "32"],
    ),
    (&[("read_ahead_kb", 60)], &["4096", "16"]),
    (
        &[
            ("/proc/sys/vm/dirty_background_bytes", 20),
            ("/proc/sys/vm/dirty_background_ratio", 21),
        ],
        &["4194304", "8388608", "0"],
    ),
    (&[("/proc/irq/24/smp_affinity_list", 30)], &["0", "1", "7"]),
    (
        &[("mount:atime:7:9:/srv", 70)],
        &["noatime", "strictatime", "ro"],
    ),
    (&[("held:cpu_latency_us", 80)], &["0", "20", "x"]),
    (&[(GROUPS, 90)], &["500", "max", "x"]),
];

/// A control group's limit on a device, whose place names the device elsewhere.
const GROUPS: &str = "riops";

/// What a knob changes, by the name that [`Simulated::settings`] has for it, and how far its journal reaches.
fn changes(knob: usize, device: &str) -> (&str, Reach) {
    match is_of_machine(KNOBS[knob].0[0].0) {
        true => ("machine", Reach::Machine),
        false => (device, Reach::Device),
    }
}

/// Names of a queue's settings stand alone, others as whole places.
fn is_of_machine(name: &str) -> bool {
    name.starts_with('/') || name.contains(':')
}

const DEVICES: [&str; 2] = ["loop0", "loop1"];

impl Act {
    pub(super) fn any(dice: &mut Dice) -> Act {
        let state = dice.below(2) as usize;
        let device = *dice.pick(&DEVICES);
        let knob = dice.below(KNOBS.len() as u64) as usize;
        match dice.below(8) {
            0..=2 => Act::Tune {
                state,
                device,
                knob,
                writes: dice.below(5),
            },
            3..=4 => Act::Apply {
                state,
                device,
                knob,
                persists: dice.one_in(3),
            },
            5 => Act::Status { state },
            6 => Act::Undo {
                state,
                which: Which::Unfinished,
            },
            _ if dice.one_in(2) => Act::Undo {
                state,
                which: Which::All,
            },
            _ => Act::Undo {
                state,
                which: Which::One(dice.below(8)),
            },
        }
    }

    /// Does it, and checks what it says.
    pub(super) fn run(&self, ground: &Ground, mut dice: Dice) {
        let host = ground.machine.host();
        match *self {
            Act::Tune {
                state,
                device,
                knob,
                writes,
            } => {
                tune(
                    ground,
                    &host,
                    &ground.states[state],
                    (device, knob, writes),
                    &mut dice,
                );
            }
            Act::Apply {
                state,
                device,
                knob,
                persists,
            } => {
                let _ = apply(
                    &host,
                    &ground.states[state],
                    (device, knob, persists),
                    &mut dice,
                );
            }
            Act::Undo { state, which } => undo(ground, &host, &ground.states[state], which),
            Act::Status { state } => drop(find_unfinished(&host, &ground.states[state])),
        }
    }
}

/// The attributes of a knob as they are on the device now: those of its scheduler too.
fn paths(machine: &Simulated, device: &str, knob: usize) -> Vec<(String, u8)> {
    let path = |name: &str| match is_of_machine(name) {
        true => name.to_string(),
        false if name == GROUPS => format!("group:riops:{device}:/sys/fs/cgroup/db"),
        false => format!("/sys/block/{device}/queue/{name}"),
    };
    let mut paths: Vec<(String, u8)> = KNOBS[knob]
        .0
        .iter()
        .map(|(name, order)| (path(name), *order))
        .collect();
    if knob == 0 {
        let settings = machine
            .settings(device)
            .map(|(_, queue)| queue)
            .unwrap_or_default();
        let own = settings.keys().filter(|name| name.starts_with("iosched/"));
        paths.extend(own.map(|name| (path(name), 11)));
    }
    paths
}

fn tune(
    ground: &Ground,
    host: &Host,
    state: &Path,
    (device, knob, writes): (&str, usize, u64),
    dice: &mut Dice,
) {
    let (changed, reach) = changes(knob, device);
    let Ok(lock) = DeviceLock::take(host, device, reach, "tune") else {
        return;
    };
    if Journal::must_be_free(host, state, &lock).is_err() {
        return;
    }
    // Which subjects they are, too: a setting of another one is nobody's to put back.
    let settings = || (ground.machine.settings(changed), ground.machine.exchanges());
    let (found, subjects) = settings();
    let Ok(mut journal) = Journal::begin(host, state, "tune", &lock) else {
        return;
    };
    let paths = paths(&ground.machine, device, knob);
    if journal.checkpoint(&paths).is_err() {
        let _ = journal.close();
        return;
    }
    for _ in 0..writes {
        let _ = journal.write(&paths[0].0, dice.pick::<&str>(KNOBS[knob].1));
    }
    if let Ok(restored) = journal.revert()
        && restored.iter().all(Restored::is_whole)
    {
        let (now, subjects_now) = settings();
        let which = |settings: &Option<Settings>| settings.as_ref().map(|(which, _)| *which);
        let is_same = which(&now) == which(&found) && subjects_now == subjects;
        assert!(
            !is_same || now == found,
            "a tune says that everything is back: {now:?}, {found:?}"
        );
    }
}

fn apply(
    host: &Host,
    state: &Path,
    (device, knob, persists): (&str, usize, bool),
    dice: &mut Dice,
) -> Result<()> {
    let lock = DeviceLock::take(host, device, changes(knob, device).1, "apply")?;
    let mut journal = Journal::begin(host, state, "apply", &lock)?;
    let write_all = |journal: &mut Journal, dice: &mut Dice| {
        let Some(machine) = host.simulated() else {
            return Ok(());
        };
        let paths = paths(machine, device, knob);
        journal.checkpoint(&paths)?;
        journal.write(&paths[0].0, dice.pick::<&str>(KNOBS[knob].1))?;
        if persists {
            journal.write_file(
                &format!("/etc/udev/rules.d/99-iodyno-{device}.rules"),
                "ours\n",
            )?;
        }
        journal.keep().map(drop)
    };
    if write_all(&mut journal, dice).is_err() {
        let _ = journal.revert();
    }
    Ok(())
}

/// What `undo` does with the journals it takes: the last change first. Nothing may be whole that is not.
fn undo(ground: &Ground, host: &Host, state: &Path, which: Which) {
    let found = find_unfinished(host, state);
    let chosen = found
        .journals
        .into_iter()
        .enumerate()
        .filter(|(index, journal)| match which {
            Which::All => !journal.running,
            Which::Unfinished => {
                !journal.running && (journal.kept.is_none() || journal.damage.is_some())
            }
            Which::One(one) => *index as u64 == one,
        });
    for (_, journal) in chosen.collect::<Vec<_>>().into_iter().rev() {
        let (begin, saved) = (journal.begin.clone(), journal.saved.clone());
        let is_of_now = !journal.is_of_an_earlier_boot;
        let before = begin
            .device
            .as_ref()
            .and_then(|device| ground.machine.settings(&device.name));
        match journal.undo(host, state) {
            Err(Error::Journal { .. } | Error::Beneath { .. } | Error::Foreign { .. }) => {
                // Another process may have acted meanwhile only if it had the lock, which then would have been refused.
                let _ = before;
            }
            Err(_) => {}
            Ok(restored) if restored.is_empty() || !restored.iter().all(Restored::is_whole) => {}
            Ok(restored) => {
                let names: Vec<&String> = restored.iter().map(|one| &one.path).collect();
                let is_told = |path: &String| !is_of_now || names.contains(&path);
                assert!(
                    saved.iter().all(|saved| is_told(&saved.path)),
                    "an undo says that everything is back"
                );
            }
        }
    }
}
