//! Random histories of commands, deaths, second instances, exchanged devices, full disks and flipped bits on a simulated
//! kernel. None may end with a setting changed and nothing that says so; and once all is well again, `undo` puts
//! everything back.
//!
//! `IODYNO_HISTORIES=100000` tells how many, `IODYNO_HISTORY=SEED` takes one.

mod acts;
mod turns;

use crate::fault::{self, FaultStep};
use crate::simulated::Simulated;
use crate::{FoundJournals, Host, Unfinished, find_unfinished};
use acts::{Act, Ground};
use model::change::{Attribute, Restored};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use turns::{Dice, Fate, Killed};

/// Settings of a device as nobody of ours has touched them, and which device it was.
type Baseline = BTreeMap<&'static str, Settings>;

const DEVICES: [&str; 2] = ["loop0", "loop1"];
/// The name under which the simulated kernel has the settings of the whole machine.
const MACHINE: &str = "machine";
const RULE: &str = "/etc/udev/rules.d/99-iodyno-loop0.rules";

/// The settings of a device, and which one it is.
type Settings = (u64, BTreeMap<String, String>);

/// What another device has that took a name meanwhile.
type Exchanged = Arc<Mutex<Option<Settings>>>;

/// An admin's own settings of a device that is new.
fn set_anew(machine: &Simulated, device: &str, dice: &mut Dice) -> Settings {
    let scheduler = *dice.pick(&["none", "mq-deadline", "bfq"]);
    let depth = dice.pick(&["77", "128", "512"]).to_string();
    let queue = format!("/sys/block/{device}/queue");
    for (name, value) in [("scheduler", scheduler), ("nr_requests", &depth)] {
        machine.set(&format!("{queue}/{name}"), value);
    }
    if scheduler == "bfq" {
        machine.set(&format!("{queue}/iosched/slice_idle"), "3");
    }
    machine.settings(device).unwrap()
}

struct History {
    ground: Ground,
    host: Host,
    baseline: Baseline,
    dice: Dice,
    told: Vec<String>,
    is_flipped: bool,
}

impl History {
    fn new(seed: u64) -> History {
        let machine = Simulated::new();
        let states = [machine.state_dir(0), machine.state_dir(1)];
        let mut history = History {
            host: machine.host(),
            ground: Ground { machine, states },
            baseline: Baseline::new(),
            dice: Dice::new(seed),
            told: Vec::new(),
            is_flipped: false,
        };
        for device in DEVICES {
            history.somebody_sets(device);
        }
        history.somebody_sets_the_machine();
        history
    }

    /// An admin's own settings of a device that is new.
    fn somebody_sets(&mut self, device: &'static str) {
        let settings = set_anew(&self.ground.machine, device, &mut self.dice);
        self.baseline.insert(device, settings);
    }

    fn somebody_sets_the_machine(&mut self) {
        let (path, value) = *self.dice.pick(&[
            ("/proc/sys/vm/dirty_background_bytes", "1048576"),
            ("/proc/sys/vm/dirty_background_ratio", "5"),
        ]);
        self.ground.machine.set(path, value);
        let settings = self.ground.machine.settings(MACHINE).unwrap();
        self.baseline.insert(MACHINE, settings);
    }

    /// One to three commands beside each other, each with a fate of its own.
    fn round(&mut self) {
        let count = 1 + self.dice.below(3);
        let mut acts: Vec<turns::Mortal> = Vec::new();
        for _ in 0..count {
            let act = Act::any(&mut self.dice);
            let fate = self.fate();
            self.told.push(format!("{act:?} {fate:?}"));
            let (ground, dice) = (self.ground.clone(), Dice::new(self.dice.below(u64::MAX)));
            acts.push((fate, Box::new(move || act.run(&ground, dice))));
        }
        let exchanged = self.dice.one_in(3).then(|| self.exchange(&mut acts));
        turns::run(acts, &mut self.dice);
        let exchanged = exchanged.and_then(|(device, is)| Some((device, is.lock().ok()?.take()?)));
        self.baseline.extend(exchanged);
    }

    /// Somebody else who exchanges what lies under a name beside the commands, between any two of their steps: mostly a device; its new
    /// settings come when it is done.
    fn exchange(&mut self, acts: &mut Vec<turns::Mortal>) -> (&'static str, Exchanged) {
        let (device, steps) = (*self.dice.pick(&DEVICES), self.dice.below(60));
        let what = *self
            .dice
            .pick(&["disk", "disk", "mount", "group", "interrupt"]);
        self.told
            .push(format!("another {what} ({device}) after {steps} steps"));
        let exchanged = Exchanged::default();
        let (machine, told) = (self.ground.machine.clone(), Exchanged::clone(&exchanged));
        let mut dice = Dice::new(self.dice.bits());
        let act = move || {
            for _ in 0..steps {
                let _ = fault::at(FaultStep::ReadAttribute, Path::new("/"));
            }
            // All but disks have what the kernel gives at first, as they had before the first command.
            match what {
                "mount" => machine.mount_anew(),
                "group" => machine.group_anew(),
                "interrupt" => machine.serve_anew(),
                _ => {
                    machine.attach(device);
                    let settings = set_anew(&machine, device, &mut dice);
                    *told.lock().unwrap() = Some(settings);
                }
            }
        };
        acts.push((Fate::default(), Box::new(act)));
        (device, exchanged)
    }

    fn fate(&mut self) -> Fate {
        let dies_at = self.dice.one_in(2).then(|| 1 + self.dice.below(60));
        let fails_one_in = if self.dice.one_in(4) {
            5 + self.dice.below(60)
        } else {
            0
        };
        let full_after = self.dice.one_in(6).then(|| self.dice.below(40));
        Fate {
            dies_at,
            fails_one_in,
            full_after,
        }
    }

    /// What happens to a machine between commands.
    fn interlude(&mut self) {
        let device = *self.dice.pick(&DEVICES);
        match self.dice.below(12) {
            0 => {
                self.told.push(format!("another {device}"));
                self.ground.machine.attach(device);
                self.somebody_sets(device);
            }
            1 => {
                self.told.push("reboot".into());
                self.ground.machine.reboot();
                DEVICES
                    .into_iter()
                    .for_each(|device| self.somebody_sets(device));
                self.somebody_sets_the_machine();
            }
            2 => self.flip_a_bit(),
            _ => {}
        }
    }

    fn flip_a_bit(&mut self) {
        let state = self.dice.pick(&self.ground.states.clone()).join("journal");
        let Ok(entries) = std::fs::read_dir(&state) else {
            return;
        };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "journal"));
        files.sort();
        if files.is_empty() {
            return;
        }
        let path = self.dice.pick(&files).clone();
        let mut bytes = std::fs::read(&path).unwrap();
        if bytes.is_empty() {
            return;
        }
        let bit = self.dice.below(bytes.len() as u64 * 8) as usize;
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, bytes).unwrap();
        self.told
            .push(format!("bit {bit} of {} flipped", path.display()));
        self.is_flipped = true;
    }

    /// Everything that says something of a device, in both state directories.
    fn says_something(&self, device: &str) -> bool {
        self.ground.states.iter().any(|state| {
            let FoundJournals {
                journals,
                errors,
                salvaged,
            } = find_unfinished(&self.host, state);
            let is_of = |journal: &Unfinished| {
                let own = journal.begin.device.as_ref();
                let is_its = match device {
                    MACHINE => journal.begin.machine || own.is_none(),
                    device => own.is_none_or(|own| own.name == device),
                };
                is_its && !journal.is_of_an_earlier_boot
            };
            !errors.is_empty() || !salvaged.is_empty() || journals.iter().any(is_of)
        })
    }

    fn changed(&self) -> Vec<&'static str> {
        let differs = |device: &&'static str| {
            self.ground.machine.settings(device).as_ref() != self.baseline.get(device)
        };
        let all = DEVICES.into_iter().chain([MACHINE]);
        all.filter(differs).collect()
    }

    fn check(&self, when: &str) {
        for device in self.changed() {
            assert!(
                self.says_something(device),
                "{when}: {device} is {:?}, was {:?}, and nothing says so",
                self.ground.machine.settings(device),
                self.baseline[device]
            );
        }
        let has_rule = DEVICES.iter().any(|device| {
            self.ground
                .machine
                .place(&RULE.replace("loop0", device))
                .exists()
        });
        let says = |state: &std::path::PathBuf| {
            let found = find_unfinished(&self.host, state);
            let has_file =
                |journal: &Unfinished| !journal.files.is_empty() || journal.damage.is_some();
            !found.errors.is_empty()
                || !found.salvaged.is_empty()
                || found.journals.iter().any(has_file)
        };
        assert!(
            !has_rule || self.ground.states.iter().any(says),
            "{when}: a rule is there and nothing says so"
        );
    }

    /// The user takes everything back, as the messages say, and tries again while a lock is held.
    ///
    /// A process that a test beside this one starts has our locks too, from its fork to its exec. On a busy
    /// machine that takes as long as the scheduler likes, so the pauses double up to four seconds in all.
    fn mend(&self) {
        for round in 0..18_u32 {
            for state in &self.ground.states {
                let found = find_unfinished(&self.host, state);
                for journal in found.journals.into_iter().rev() {
                    self.mend_one(journal, state);
                }
            }
            if self.is_mended() {
                return;
            }
            if round > 5 && !self.is_flipped {
                std::thread::sleep(std::time::Duration::from_millis(1 << (round - 6)));
            }
        }
    }

    fn is_mended(&self) -> bool {
        let is_empty = |state: &std::path::PathBuf| {
            let found = find_unfinished(&self.host, state);
            found.journals.is_empty() && found.errors.is_empty()
        };
        self.changed().is_empty() && self.ground.states.iter().all(is_empty)
    }

    fn mend_one(&self, journal: Unfinished, state: &std::path::Path) {
        if journal.damage.is_some() {
            let _ = journal.salvage(&self.host, state);
            return;
        }
        if !journal.is_of_an_earlier_boot && journal.another_device(&self.host).is_some() {
            let is_of_device = |saved: &model::change::Saved| saved.path.starts_with("/sys/block/");
            let has_its = journal.saved.iter().any(is_of_device);
            let Ok(restored) = journal.undo(&self.host, state) else {
                return;
            };
            assert!(
                !has_its || restored.is_empty() || !restored.iter().all(Restored::is_whole),
                "{restored:?}"
            );
            let again = find_unfinished(&self.host, state).journals.into_iter();
            again
                .filter(|journal| journal.another_device(&self.host).is_some())
                .for_each(|journal| {
                    let _ = journal.forget(&self.host);
                });
            return;
        }
        let id = journal.id();
        let Ok(restored) = journal.undo(&self.host, state) else {
            return;
        };
        // A rule of two state directories that a reboot has made strangers, or a subject that is another one: the user settles it.
        let is_settled = |one: &Restored| one.edited.is_some() || one.found == Attribute::OfAnother;
        if restored.iter().any(is_settled) {
            let again = find_unfinished(&self.host, state).journals.into_iter();
            again
                .filter(|journal| journal.id() == id)
                .for_each(|journal| drop(journal.forget(&self.host)));
        }
    }

    fn run(&mut self) {
        for _ in 0..1 + self.dice.below(5) {
            self.round();
            self.check("after a round");
            self.interlude();
            self.check("after an interlude");
        }
        self.mend();
        self.check("after all was mended");
        if !self.is_flipped {
            if let Some(device) = self.changed().first() {
                let (is, was) = (self.ground.machine.settings(device), &self.baseline[device]);
                let found: Vec<FoundJournals> = self
                    .ground
                    .states
                    .iter()
                    .map(|state| find_unfinished(&self.host, state))
                    .collect();
                panic!(
                    "not everything could be put back: {device} is {is:?}, was {was:?}; {found:?}"
                );
            }
            for state in &self.ground.states {
                let found = find_unfinished(&self.host, state);
                assert!(
                    found.journals.is_empty() && found.errors.is_empty(),
                    "{found:?}"
                );
            }
        }
    }
}

/// The deaths of simulated processes are no news.
fn silence_deaths() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<Killed>() {
                usual(info);
            }
        }));
    });
}

#[test]
fn no_history_ends_with_a_setting_changed_and_nothing_that_says_so() {
    silence_deaths();
    let number =
        |name: &str| crate::environment::variable(name).and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("IODYNO_HISTORY") {
        Some(seed) => seed..seed + 1,
        None => 0..number("IODYNO_HISTORIES").unwrap_or(3_000),
    };
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut history = History::new(seed);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| history.run()));
        if let Err(panic) = ended {
            eprintln!("IODYNO_HISTORY={seed}\n{}", history.told.join("\n"));
            std::panic::resume_unwind(panic);
        }
    }
    println!("{count} histories");
}
