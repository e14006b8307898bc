//! Signals at random moments of every verb that changes something: all of it is back, within a second, whatever the programs of
//! the load do.

use super::killed::random_moments;
use crate::limits::groups_left;
use crate::loops::devices_over;
use crate::mounts::Mounted;
use crate::support::{Iodyno, Loop, rounds, signal};
use crate::undo::store_a_win;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [&str; 4] = ["INT", "TERM", "HUP", "QUIT"];

/// A load that leaves a daemon behind, which keeps the output open, and does not end when it is asked to.
const DEAF: &str = "trap '' TERM; setsid sleep 30 & while :; do echo rate 100; sleep 0.01; done";

/// What the verbs change: a device's settings, a file system with its groups, a loop device with its file and mount.
struct Ground {
    iodyno: Iodyno,
    disk: Loop,
    mounted: Mounted,
    /// A record that claims a win on the device.
    record: String,
}

/// A verb and what it changes.
struct Verb {
    name: &'static str,
    words: Vec<String>,
    /// A signal comes within so long, ms.
    moment_ms: u64,
    /// What there is of what it makes and sets.
    look: fn(&Ground) -> Vec<String>,
    /// What is there before it begins.
    prepared: &'static [&'static str],
}

impl Ground {
    fn new() -> Option<Ground> {
        let disk = Loop::in_memory(32)?;
        if disk.lacks_scheduler("mq-deadline") {
            return None;
        }
        disk.set("scheduler", "none");
        disk.set("nomerges", "0");
        let mounted = Mounted::beside(&disk, 640)?;
        let iodyno = Iodyno::new();
        let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
        Some(Ground {
            iodyno,
            disk,
            mounted,
            record,
        })
    }

    fn image(&self) -> PathBuf {
        Path::new(self.mounted.point()).join("data.img")
    }

    fn settings(&self) -> Vec<String> {
        self.disk.settings()
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.mounted.point()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "lost+found").collect()
    }

    /// The groups and files of a load within limits.
    fn limited(&self) -> Vec<String> {
        [groups_left(), self.files()].concat()
    }

    fn loops(&self) -> Vec<String> {
        [devices_over(&self.image()), self.files()].concat()
    }

    /// A verb, its words cut at spaces: `DEVICE`, `POINT`, `IMAGE` and `RECORD` are those of this ground.
    fn verb(&self, name: &'static str, line: &str, more: &[&str]) -> Verb {
        let image = self.image();
        let names = [
            ("DEVICE", self.disk.device.as_str()),
            ("POINT", self.mounted.point()),
            ("IMAGE", image.to_str().unwrap()),
            ("RECORD", &self.record),
        ];
        let word = |word: &str| {
            let named = names.iter().find(|(name, _)| *name == word);
            named.map_or(word, |(_, value)| value).to_string()
        };
        let words = line.split(' ').map(word);
        Verb {
            name,
            words: words
                .chain(more.iter().map(|word| word.to_string()))
                .collect(),
            moment_ms: 8_000,
            look: Ground::settings,
            prepared: &[],
        }
    }

    fn verbs(&self) -> Vec<Verb> {
        let tune = "tune DEVICE --knob scheduler=none,mq-deadline --knob nomerges=0,2 --budget 10m";
        let deaf = "tune DEVICE --knob nomerges=0,2 --budget 10m --metric-regex";
        let deaf_words = ["rate ([0-9]+)", "--command", DEAF];
        let beside = "tune DEVICE --knob nomerges=0,2 --budget 10m --beside";
        let set = "set scheduler=mq-deadline nomerges=2 read_ahead_kb=64 DEVICE";
        let limit = "limit POINT --write-bps 8m --runtime 20s";
        let at_once = |verb: Verb| Verb {
            moment_ms: 150,
            ..verb
        };
        vec![
            self.verb("tune", tune, &[]),
            self.verb("tune of a command", deaf, &deaf_words),
            self.verb("tune beside a command", beside, &[DEAF]),
            at_once(self.verb("set", set, &[])),
            at_once(self.verb("set --confirm", set, &["--confirm", "1m"])),
            at_once(self.verb("apply", "apply RECORD", &[])),
            at_once(self.verb("apply --confirm", "apply RECORD --confirm 1m", &[])),
            Verb {
                look: Ground::limited,
                ..self.verb("limit", limit, &[])
            },
            Verb {
                moment_ms: 1_500,
                look: Ground::loops,
                ..self.verb(
                    "loop create",
                    "loop create IMAGE --size 300m --keep-free 1m",
                    &[],
                )
            },
            Verb {
                // Once it has begun, it puts everything back, and ends well.
                moment_ms: 60,
                prepared: &[
                    "set",
                    "scheduler=mq-deadline",
                    "nomerges=2",
                    "read_ahead_kb=64",
                ],
                ..self.verb("undo", "undo", &[])
            },
        ]
    }

    /// Makes what is there before the verb begins.
    fn prepare(&self, verb: &Verb) {
        if !verb.prepared.is_empty() {
            let words = [verb.prepared, &[self.disk.device.as_str()]].concat();
            assert!(self.iodyno.run(&words).status.success(), "{words:?}");
        }
    }

    fn start(&self, verb: &Verb) -> Child {
        let words: Vec<&str> = verb.words.iter().map(String::as_str).collect();
        let mut command = self.iodyno.command(&words);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// Takes back what a verb that was done before its signal left in place, as it was to.
    fn take_back(&self, verb: &Verb) {
        let words = match verb.name {
            "loop create" => vec!["loop", "remove", verb.words[2].as_str()],
            _ => vec!["undo", "--all"],
        };
        assert!(self.iodyno.run(&words).status.success(), "{}", verb.name);
    }
}

/// What became of a verb that was sent a signal.
struct End {
    status: ExitStatus,
    was_changed: bool,
    /// From the signal until everything was back; none where the verb was over before it.
    back: Option<Duration>,
}

/// Starts a verb, sends it a signal after a while, and waits until everything is as before or it has ended.
fn ended_by(name: &str, after: Duration, verb: &Verb, ground: &Ground, before: &[String]) -> End {
    let mut child = ground.start(verb);
    std::thread::sleep(after);
    let was_changed = (verb.look)(ground) != before;
    let is_over = child.try_wait().unwrap().is_some();
    let sent = Instant::now();
    if !is_over {
        signal(child.id(), name);
        while (verb.look)(ground) != before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let back = (!is_over).then(|| sent.elapsed());
    End {
        status: child.wait().unwrap(),
        was_changed,
        back,
    }
}

/// Signals that came while a verb ran, those of them that met something changed, and the longest way back.
#[derive(Clone, Copy, Default)]
struct Count {
    done: u32,
    signalled: u32,
    changed: u32,
    slowest: Duration,
}

#[test]
#[ignore = "soak"]
fn a_signal_at_any_moment_of_any_verb_has_everything_back_within_a_second() {
    let Some(ground) = Ground::new() else { return };
    let verbs = ground.verbs();
    let mut counts = vec![Count::default(); verbs.len()];
    let seed = std::process::id().into();
    println!("seed {seed}");
    let mut random = random_moments(seed);
    for round in 0..rounds("IODYNO_SIGNALS_ROUNDS", 100) {
        let at = round as usize % verbs.len();
        let (verb, count) = (&verbs[at], &mut counts[at]);
        let before = (verb.look)(&ground);
        ground.prepare(verb);
        let prepared = (verb.look)(&ground);
        let after = Duration::from_millis(random(verb.moment_ms));
        let name = SIGNALS[random(4) as usize];
        let end = ended_by(name, after, verb, &ground, &before);
        let what = format!(
            "round {round}: {} {name} after {after:?}: {}",
            verb.name, end.status
        );
        match end.back {
            _ if end.status.success() => {
                count.done += 1;
                ground.take_back(verb);
            }
            // The signal came before anybody listened: what was prepared stands.
            _ if end.status.code().is_none() && !verb.prepared.is_empty() => {
                assert!((verb.look)(&ground) == prepared, "{what}: half undone");
                ground.take_back(verb);
            }
            Some(back) => {
                count.signalled += 1;
                count.changed += u32::from(end.was_changed);
                count.slowest = count.slowest.max(back);
                assert!(back < Duration::from_secs(1), "{what}: back after {back:?}");
            }
            None => panic!("{what}: ended by itself"),
        }
        assert_eq!((verb.look)(&ground), before, "{what}");
        ground.iodyno.assert_nothing_is_changed();
    }
    for (verb, count) in verbs.iter().zip(counts) {
        let (name, slowest) = (verb.name, count.slowest);
        let Count {
            done,
            signalled,
            changed,
            ..
        } = count;
        println!(
            "{name}: {signalled} signals, {changed} with something changed, back within {slowest:?}; {done} were done before"
        );
    }
}
