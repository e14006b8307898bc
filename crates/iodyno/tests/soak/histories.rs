//! Random histories of the binary on a real loop device: applies, undos and tunes of two state directories, each killed
//! at some moment or not, the device exchanged, bits of journals flipped. None may end with a setting changed and nothing
//! that says so. The journal's own histories, on a simulated kernel, are a hundred times as many.
//!
//! `make histories` runs a thousand; `IODYNO_LOOP_HISTORY=SEED` takes one.

use crate::support::{Iodyno, Loop, code, rounds, text, until};
use crate::undo::store_a_win;
use serde_json::Value;
use stats::dice::Random;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct History<'a> {
    disk: &'a Loop,
    states: &'a [Iodyno; 2],
    dice: Random,
    baseline: Vec<String>,
    told: Vec<String>,
    is_flipped: bool,
}

const SCHEDULERS: [&str; 3] = ["none", "mq-deadline", "bfq"];

impl History<'_> {
    fn begin(&mut self) {
        let scheduler = SCHEDULERS[self.dice.below(3) as usize];
        self.disk.set("scheduler", scheduler);
        self.disk
            .set("nr_requests", ["77", "128"][self.dice.below(2) as usize]);
        self.baseline = self.disk.settings();
    }

    fn state(&mut self) -> usize {
        self.dice.below(2) as usize
    }

    /// Starts a command, and perhaps kills it after some time.
    fn act(&mut self, state: usize, words: &[&str], most_ms: u64) {
        let dies_after = (self.dice.below(2) == 0).then(|| self.dice.below(most_ms * 1000));
        self.told.push(format!(
            "state {state}: {words:?}, killed after {dies_after:?} us"
        ));
        let mut child = self.states[state].spawn(words);
        self.end(&mut child, dies_after);
    }

    fn end(&mut self, child: &mut Child, dies_after_us: Option<u64>) {
        if let Some(us) = dies_after_us {
            std::thread::sleep(Duration::from_micros(us));
            let _ = child.kill();
        }
        child.wait().unwrap();
    }

    fn tune(&mut self) {
        let (state, other) = (self.state(), self.state());
        let after_ms = self.dice.below(2_500);
        let words = [
            "--knob",
            "scheduler",
            "--budget",
            "5m",
            "--bs",
            "4k",
            "--size=8m",
        ];
        self.told.push(format!(
            "state {state}: tune for {after_ms} ms, undo of state {other} beside"
        ));
        let mut child =
            self.states[state].spawn(&[&["tune", &self.disk.device], &words[..]].concat());
        std::thread::sleep(Duration::from_millis(after_ms / 2));
        self.states[other].run(&["undo", "--all"]);
        std::thread::sleep(Duration::from_millis(after_ms / 2));
        if self.dice.below(3) == 0 {
            crate::support::signal(child.id(), "INT");
            child.wait().unwrap();
        } else {
            self.end(&mut child, Some(0));
        }
    }

    fn step(&mut self) {
        let state = self.state();
        match self.dice.below(10) {
            0..=2 => self.tune(),
            3..=5 => {
                let record = (2 + 2 * self.dice.below(3)).to_string();
                self.act(state, &["apply", &record], 25);
            }
            6 => self.act(state, &["undo", "--all"], 20),
            7 => self.act(state, &["undo"], 20),
            8 => self.exchange(),
            _ => self.flip(state),
        }
    }

    /// Another file behind the device: to the kernel it is another disk, whose queue has the settings of the last one.
    fn exchange(&mut self) {
        self.told.push("the device is exchanged".into());
        let file = Command::new("losetup")
            .args(["-n", "-O", "BACK-FILE", &self.disk.device])
            .output()
            .unwrap();
        let file = text(&file.stdout).trim().to_string();
        let run = |words: &[&str]| {
            Command::new("losetup")
                .args(words)
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success()
        };
        until("the device is free", || {
            run(&["-d", &self.disk.device]) || file.is_empty()
        });
        until("the device is back", || run(&[&self.disk.device, &file]));
        self.baseline = self.disk.settings();
    }

    fn journals(&self, state: usize) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.states[state].state.path().join("journal")) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "journal"));
        paths.sort();
        paths
    }

    fn flip(&mut self, state: usize) {
        let journals = self.journals(state);
        let Some(path) = journals.first() else { return };
        let mut bytes = std::fs::read(path).unwrap();
        let bit = self.dice.below(bytes.len() as u64 * 8) as usize;
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(path, bytes).unwrap();
        self.told.push(format!("state {state}: bit {bit} flipped"));
        self.is_flipped = true;
    }

    fn check(&self, when: &str) {
        if self.disk.settings() == self.baseline {
            return;
        }
        let says = |iodyno: &Iodyno| {
            let (status, output) = iodyno.json(&["status"]);
            let some = |name: &str| status[name].as_array().is_some_and(|list| !list.is_empty());
            some("journals") || some("salvaged") || code(&output) != 0
        };
        assert!(
            self.states.iter().any(says),
            "{when}: {:?} was {:?}, and nothing says so\n{}",
            self.disk.settings(),
            self.baseline,
            self.told.join("\n")
        );
    }

    /// Takes everything back as the messages say.
    fn mend(&mut self) {
        for _ in 0..6 {
            for iodyno in self.states {
                let (status, _) = iodyno.json(&["status"]);
                let journals = status["journals"].as_array().cloned().unwrap_or_default();
                for journal in journals.iter().rev() {
                    self.mend_one(iodyno, journal);
                }
            }
        }
    }

    fn mend_one(&self, iodyno: &Iodyno, journal: &Value) {
        let id = journal["id"].as_str().unwrap();
        let how = if journal["damaged_line"].is_null() {
            None
        } else {
            Some("--salvage")
        };
        let words: Vec<&str> = ["undo"].into_iter().chain(how).chain([id]).collect();
        let output = iodyno.run(&words);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!([0, 2, 4, 5].contains(&code(&output)), "{words:?}: {said}");
        if said.contains("undo --forget") {
            iodyno.run(&["undo", "--forget", id]);
        }
    }

    fn run(&mut self) {
        self.begin();
        for _ in 0..2 + self.dice.below(4) {
            self.step();
            self.check("after a step");
        }
        self.mend();
        self.check("after all was mended");
        if !self.is_flipped {
            assert_eq!(
                self.disk.settings(),
                self.baseline,
                "{}",
                self.told.join("\n")
            );
        }
        for (state, iodyno) in self.states.iter().enumerate() {
            let left = self.journals(state);
            assert!(
                self.is_flipped || left.is_empty(),
                "{left:?}\n{}",
                self.told.join("\n")
            );
            let _ = std::fs::remove_dir_all(iodyno.state.path().join("journal"));
        }
    }
}

#[test]
#[ignore = "soak"]
fn no_history_of_the_binary_ends_with_a_setting_changed_and_nothing_that_says_so() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") || disk.lacks_scheduler("bfq") {
        return;
    }
    let states = [Iodyno::new(), Iodyno::new()];
    for iodyno in &states {
        for (from, to) in [("none", "mq-deadline"), ("none", "bfq"), ("bfq", "none")] {
            let record = store_a_win(iodyno, &disk.name, from, to);
            assert!(
                record.parse::<u32>().unwrap() % 2 == 0,
                "the wins are records 2, 4 and 6"
            );
        }
    }
    let only = std::env::var("IODYNO_LOOP_HISTORY")
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    let seeds = only.map_or(0..u64::from(rounds("IODYNO_LOOP_HISTORIES", 6)), |seed| {
        seed..seed + 1
    });
    let count = seeds.end - seeds.start;
    for seed in seeds {
        println!("history {seed}");
        let (baseline, told) = (Vec::new(), Vec::new());
        History {
            disk: &disk,
            states: &states,
            dice: Random::new(seed),
            baseline,
            told,
            is_flipped: false,
        }
        .run();
    }
    println!("{count} histories");
}
