//! A death may leave any beginning of a journal on the disk: whatever its length, `undo` puts everything back, and says where it
//! cannot know whether there was more.
//!
//! A history is drawn, and a byte of its journal at which the writer dies. What the writer would have done after the
//! line that holds the byte never happened, since a write waits for its line to be on the disk.

use super::*;
use crate::simulated::Simulated;
use proptest::prelude::*;
use std::collections::BTreeMap;

const QUEUE: &str = "/sys/block/loop0/queue";
const RULE: &str = "/etc/udev/rules.d/99-iodyno-loop0.rules";

/// Settings with some values each, and their place in the order of restoring: as the knobs have them, since writing one
/// resets another.
const SETTINGS: &[(&str, u8, &[&str])] = &[
    ("scheduler", 10, &["none", "mq-deadline", "bfq"]),
    ("max_sectors_kb", 20, &["128", "512", "1280"]),
    ("read_ahead_kb", 30, &["0", "128", "4096"]),
    ("nr_requests", 40, &["32", "64", "256"]),
    ("nomerges", 50, &["0", "1", "2"]),
    (
        "mount:atime:7:9:/srv",
        60,
        &["relatime", "noatime", "strictatime"],
    ),
    ("/proc/irq/24/smp_affinity_list", 70, &["0", "1", "0-1"]),
];

#[derive(Clone, Debug)]
enum Act {
    Checkpoint(Vec<usize>),
    /// Setting and value; left out while no checkpoint covers it.
    Write(usize, usize),
    Rule(String),
    Keep,
}

/// Names of the queue's settings stand alone, those of the machine as whole places.
fn place(name: &str) -> String {
    match name.contains([':', '/']) {
        true => name.to_string(),
        false => format!("{QUEUE}/{name}"),
    }
}

fn act() -> impl Strategy<Value = Act> {
    let setting = 0..SETTINGS.len();
    prop_oneof![
        2 => prop::collection::vec(setting.clone(), 1..4).prop_map(Act::Checkpoint),
        4 => (setting, 0..3usize).prop_map(|(setting, value)| Act::Write(setting, value)),
        1 => "[a-z \"\n]{0,20}".prop_map(Act::Rule),
        1 => Just(Act::Keep),
    ]
}

/// What a knob saves: its own setting, and the one that the kernel sets anew when that is written.
fn saved_with(setting: usize) -> impl Iterator<Item = (String, u8)> {
    let reset = match SETTINGS[setting].0 {
        "scheduler" => Some("nr_requests"),
        "max_sectors_kb" => Some("read_ahead_kb"),
        _ => None,
    };
    let own = SETTINGS[setting].0;
    SETTINGS
        .iter()
        .filter(move |(name, ..)| *name == own || Some(*name) == reset)
        .map(|(name, order, _)| (place(name), *order))
}

/// What the device has, and what the machine has.
fn settings(machine: &Simulated) -> [BTreeMap<String, String>; 2] {
    ["loop0", "machine"].map(|of| machine.settings(of).unwrap().1)
}

/// A machine, and what it was like before anything changed.
struct Stand {
    machine: Simulated,
    settings: [BTreeMap<String, String>; 2],
    rule: Option<Vec<u8>>,
}

impl Stand {
    fn new(first: &[usize], rule: Option<&String>) -> Stand {
        let machine = Simulated::new();
        for ((name, _, values), value) in SETTINGS.iter().zip(first) {
            machine.set(&place(name), values[*value]);
        }
        if let Some(rule) = rule {
            std::fs::write(machine.place(RULE), rule).unwrap();
        }
        let settings = settings(&machine);
        let rule = std::fs::read(machine.place(RULE)).ok();
        Stand {
            machine,
            settings,
            rule,
        }
    }

    fn rule(&self) -> Option<Vec<u8>> {
        std::fs::read(self.machine.place(RULE)).ok()
    }

    /// Acts until the journal is longer than `cut` bytes, then takes back what the line that is too long permitted, and
    /// leaves so many bytes of the journal. The journal's length at the end, and where its first line ends.
    fn act(&self, acts: &[Act], cut: u64) -> (u64, u64) {
        let (host, state) = (self.machine.host(), self.machine.state_dir(0));
        let lock = DeviceLock::take(&host, "loop0", crate::Reach::Machine, "tune").unwrap();
        let mut journal = Journal::begin(&host, &state, "tune loop0", &lock).unwrap();
        let born = journal.end.bytes;
        for act in acts {
            let rule = self.rule();
            match act {
                Act::Checkpoint(settings) => {
                    let all = settings.iter().flat_map(|setting| saved_with(*setting));
                    journal.checkpoint(&all.collect::<Vec<_>>()).unwrap();
                }
                Act::Write(setting, value) => {
                    let (name, _, values) = SETTINGS[*setting];
                    let written = journal.write(&place(name), values[*value]);
                    assert!(written.is_ok() || !journal.covers(&place(name)));
                }
                Act::Rule(text) => journal.write_file(RULE, text).unwrap(),
                Act::Keep => drop(journal.keep().unwrap()),
            }
            if journal.end.bytes > cut {
                match rule {
                    Some(rule) => std::fs::write(self.machine.place(RULE), rule).unwrap(),
                    None => drop(std::fs::remove_file(self.machine.place(RULE))),
                }
                break;
            }
        }
        let bytes = journal.end.bytes;
        journal.file.set_len(bytes.min(cut)).unwrap();
        (bytes, born)
    }
}

proptest! {
    #[test]
    fn whatever_part_of_a_journal_is_left_everything_is_put_back(
        first in prop::collection::vec(0..3usize, SETTINGS.len()),
        rule in prop::option::of("[a-z\n]{0,9}".prop_map(String::from)),
        acts in prop::collection::vec(act(), 1..12),
        place in 0.0..=1.0f64,
    ) {
        // How long the journal gets is known after a first life on another machine.
        let (bytes, born) = Stand::new(&first, rule.as_ref()).act(&acts, u64::MAX);
        let cut = born + (place * (bytes - born) as f64) as u64;

        let stand = Stand::new(&first, rule.as_ref());
        stand.act(&acts, cut);
        let (host, state) = (stand.machine.host(), stand.machine.state_dir(0));
        let found = find_unfinished(&host, &state);
        prop_assert!(found.errors.is_empty(), "{:?}", found.errors);
        prop_assert_eq!(found.journals.len(), 1);
        for journal in found.journals {
            // In the boot in which it was written an end that is missing may have been cut off: that is said, and what is left is
            // enough.
            let undone = match &journal.damage {
                None => journal.undo(&host, &state),
                Some(_) => journal.salvage(&host, &state),
            };
            let restored = undone.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(restored.iter().all(Restored::is_whole), "{:?}", restored);
        }
        prop_assert_eq!(settings(&stand.machine), stand.settings.clone());
        prop_assert_eq!(stand.rule(), stand.rule.clone());
        prop_assert!(find_unfinished(&host, &state).journals.is_empty());
    }
}
