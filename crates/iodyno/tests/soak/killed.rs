//! kill -9 at random moments of tunes over every family of settings that this machine has, each followed by `undo`.

use crate::mounts::Mounted;
use crate::settings::settings;
use crate::subjects::in_force_us;
use crate::support::{Dir, Iodyno, Loop, code, rounds, text, until};
use model::subject::Subject;
use serde_json::json;
use std::process::Child;
use std::time::Duration;

/// A small generator for random moments; the seed is printed so that a failure can be run again.
pub fn random_moments(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

/// A tune that turns the settings of one family, and whose they are.
struct Family {
    name: &'static str,
    words: Vec<String>,
    subjects: Vec<Subject>,
    kills: u32,
    pending: u32,
}

impl Family {
    fn of(name: &'static str, target: &str, words: &str, subjects: &[Subject]) -> Family {
        let budget = "--size 32m --budget 5m";
        let words = words.split_whitespace().chain(budget.split(' '));
        Family {
            name,
            words: ["tune", target]
                .into_iter()
                .chain(words)
                .map(String::from)
                .collect(),
            subjects: subjects.to_vec(),
            kills: 0,
            pending: 0,
        }
    }
}

/// What the tunes work on.
struct Stand {
    disk: Loop,
    mounted: Option<Mounted>,
    /// On the machine's own disk, whose interrupts are real ones.
    dir: Dir,
}

impl Stand {
    fn new() -> Option<Stand> {
        let disk = Loop::new(64)?;
        // A load leaves 256 MiB of a file system free.
        let mounted = Mounted::beside(&disk, 400);
        if let Some(mounted) = &mounted {
            // A detached loop device keeps its share for its next user.
            let share = format!("/sys/block/{}/bdi/max_ratio", mounted.disk.name);
            std::fs::write(share, "100").unwrap();
        }
        Some(Stand {
            disk,
            mounted,
            dir: Dir::new("killed"),
        })
    }

    fn families(&self) -> Vec<Family> {
        let device = self.disk.name.clone();
        let queue = Subject::Queue {
            device: device.clone(),
        };
        let scheduler = Subject::Scheduler {
            device: device.clone(),
        };
        let target = self.disk.device.as_str();
        let mut families = vec![
            Family::of("queue", target, "", &[queue.clone(), scheduler.clone()]),
            Family::of(
                "scheduler's own",
                target,
                "--rw randread --knob fifo_batch=1 --knob front_merges=0",
                &[queue, scheduler],
            ),
            Family::of(
                "loop",
                target,
                "--rw randread --knob dio=0",
                &[Subject::Loop { device }],
            ),
        ];
        if let Some(mounted) = &self.mounted {
            families.extend(of_a_mount(mounted));
        }
        if std::fs::File::open("/dev/cpu_dma_latency").is_ok() {
            let words = "--rw randread --iodepth 1 --knob cpu_latency_us=3";
            families.push(Family::of(
                "held",
                self.dir.path().to_str().unwrap(),
                words,
                &[],
            ));
        }
        match interrupts() {
            Some(subjects) => families.push(Family::of(
                "interrupt",
                self.dir.path().to_str().unwrap(),
                "--rw randread --knob smp_affinity_list=0",
                &subjects,
            )),
            None => skip::missing(
                "kernel:affinity",
                "this machine lets nobody move its disks' interrupts",
            ),
        }
        families
    }

    /// The settings of a family, down to those that no knob names, and what is no file.
    fn state(&self, family: &Family) -> Vec<String> {
        // Beside the setting of an interrupt stand counts of what it did.
        let is_set = |path: &str| !path.starts_with("/proc/irq/") || path.ends_with("_list");
        let of = family.subjects.iter().flat_map(settings);
        let of = of.filter(|(path, _)| is_set(path) && !path.ends_with("/effective_affinity_list"));
        let mut state: Vec<String> = of.map(|(path, text)| format!("{path}={text}")).collect();
        state.extend(self.disk.settings());
        state.extend(self.mounted.iter().map(|mounted| mounted.options().0));
        state.push(format!("latency={}", in_force_us()));
        state
    }
}

fn of_a_mount(mounted: &Mounted) -> [Family; 3] {
    let bdi = Subject::Bdi {
        device: mounted.disk.name.clone(),
    };
    let buffered = "--direct 0 --rw randwrite";
    [
        Family::of(
            "page cache",
            mounted.point(),
            &format!("{buffered} --knob max_ratio=50"),
            &[bdi],
        ),
        Family::of(
            "kernel parameter",
            mounted.point(),
            &format!("{buffered} --knob dirty_background_bytes=16777216"),
            &[Subject::Sysctl],
        ),
        Family::of(
            "mount",
            mounted.point(),
            "--rw randread --knob atime=noatime",
            &[],
        ),
    ]
}

/// Interrupts of the disks, where their CPUs can be chosen.
fn interrupts() -> Option<Vec<Subject>> {
    let table = std::fs::read_to_string("/proc/interrupts").ok()?;
    let of_disks = |line: &&str| line.contains("virtio") || line.contains("nvme");
    let numbers = table.lines().filter(of_disks);
    let numbers = numbers.filter_map(|line| line.split(':').next()?.trim().parse().ok());
    let can_move = |number: &u32| {
        let path = format!("/proc/irq/{number}/smp_affinity_list");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(path, text.trim()).is_ok()
    };
    let numbers: Vec<u32> = numbers.filter(can_move).collect();
    let subjects = numbers
        .into_iter()
        .map(|number| Subject::Interrupt { number });
    Some(subjects.collect::<Vec<_>>()).filter(|subjects| !subjects.is_empty())
}

/// Whether it has saved the settings before it ends: another iodyno may have what it needs.
fn begins(iodyno: &Iodyno, child: &mut Child) -> bool {
    let journals = iodyno.state.path().join("journal");
    let mut is_over = false;
    until("a journal or the end", || {
        is_over = child.try_wait().unwrap().is_some();
        let names = std::fs::read_dir(&journals).into_iter().flatten().flatten();
        let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        is_over || names.any(|name| name.ends_with(".journal"))
    });
    !is_over
}

#[test]
#[ignore = "soak"]
fn killed_at_any_moment_undo_puts_everything_back() {
    let Some(stand) = Stand::new() else { return };
    let scheduler = if stand.disk.has_scheduler("bfq") {
        "bfq"
    } else {
        "none"
    };
    let seed = 20_261_121;
    let mut moment = random_moments(seed);
    let rounds = rounds("IODYNO_KILL_ROUNDS", 14);
    let mut families = stand.families();
    let (mut kills, mut missed) = (0, 0);
    while kills < rounds {
        let count = families.len();
        let family = &mut families[(kills + missed) as usize % count];
        let own = family.name == "scheduler's own";
        stand
            .disk
            .set("scheduler", if own { "mq-deadline" } else { scheduler });
        stand.disk.set("nr_requests", "77");
        stand.disk.set("read_ahead_kb", "68");
        let (before, label) = (
            stand.state(family),
            format!("{} {kills}, seed {seed}", family.name),
        );
        let iodyno = Iodyno::new();
        let words: Vec<&str> = family.words.iter().map(String::as_str).collect();
        let mut child = iodyno.spawn(&words);
        // Every third kill comes at any time, the others in the middle of the tune, however long its start takes.
        let has_begun = kills % 3 == 0 || begins(&iodyno, &mut child);
        std::thread::sleep(Duration::from_millis(40 + moment(2_500)));
        let is_over = !has_begun || child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        is_put_back(&iodyno, family, &label);
        assert_eq!(stand.state(family), before, "{label}");
        if is_over {
            missed += 1;
            assert!(missed <= rounds, "{label}: tunes end by themselves");
            continue;
        }
        kills += 1;
        family.kills += 1;
        if kills.is_multiple_of(100) {
            println!("{kills} of {rounds} kills put back so far");
        }
    }
    let mut pending = 0;
    for family in &families {
        println!(
            "{}: {} kills put back; {} of them had something pending",
            family.name, family.kills, family.pending
        );
        pending += family.pending;
    }
    println!("{kills} of {rounds} kills put back; {missed} tunes had ended before");
    assert!(
        pending > rounds / 2,
        "most kills must hit the middle of a tune, {pending} did"
    );
}

/// What a kill left can be read, is told, and is put back.
fn is_put_back(iodyno: &Iodyno, family: &mut Family, label: &str) {
    let (status, output) = iodyno.json(&["status"]);
    assert_eq!(code(&output), 0, "{label}: {}", text(&output.stderr));
    let journals = status["journals"].as_array().unwrap();
    let is_whole = |journal: &serde_json::Value| journal["damaged_line"].is_null();
    assert!(journals.iter().all(is_whole), "{label}: {status:#}");
    assert_eq!(status["salvaged"], json!([]), "{label}");
    let is_pending = journals.iter().any(|journal| journal["pending"] == true);
    if is_pending {
        family.pending += 1;
        let warned = text(&iodyno.run(&["list"]).stderr);
        assert!(warned.contains("iodyno undo"), "{label}: {warned}");
    }
    let mut said = String::new();
    until("undo's turn", || {
        let undo = iodyno.run(&["undo", "--all"]);
        said = text(&undo.stderr);
        let has_to_wait = code(&undo) != 0 && said.contains("in use by another iodyno");
        assert!(code(&undo) == 0 || has_to_wait, "{label}: {said}");
        !has_to_wait
    });
    let (status, _) = iodyno.json(&["status"]);
    assert_eq!(status["journals"], json!([]), "{label}");
}
