//! Whole tunes on a simulated disk, in time of its own: the same to the bit each time, however busy the machine is.

use crate::support::{Iodyno, Loop, code, copy_binary, text};
use serde_json::Value;
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The seed of every tune here.
const SEED: &str = "7";
/// A quiet disk, and five that are not: noise, stalls, few and slow I/Os, an effect that builds up, a neighbour.
const DISKS: [&str; 6] = [
    "quiet_nvme",
    "cloud",
    "stalls",
    "hdd_low",
    "relax_600ms",
    "steady",
];
const SIGKILL: i32 = 9;

/// A loop device set to `none`, at which a rehearsal looks and which it leaves alone.
fn disk() -> Option<Loop> {
    ready(Loop::left_alone(16)?)
}

/// The same for a tune that writes its settings in earnest.
fn disk_to_change() -> Option<Loop> {
    ready(Loop::in_memory(16)?)
}

fn ready(disk: Loop) -> Option<Loop> {
    if disk.lacks_scheduler("mq-deadline") {
        return None;
    }
    disk.set("scheduler", "none");
    Some(disk)
}

/// The words of a tune of the scheduler on a kind of disk.
fn words<'a>(disk: &'a Loop, kind: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let tune = ["tune", &disk.device, "--rehearse", kind, "--seed", SEED];
    let knob = ["--knob", "scheduler=mq-deadline"];
    let has_knob = more.contains(&"--knob") || more.contains(&"--all");
    let more = more.iter().filter(|word| **word != "--all").copied();
    let knob = knob.into_iter().filter(|_| !has_knob);
    tune.into_iter().chain(knob).chain(more).collect()
}

fn rehearsed(disk: &Loop, kind: &str, more: &[&str]) -> (Value, Output) {
    Iodyno::new().json(&words(disk, kind, more))
}

/// Whether a value won that is not the one found.
fn wins(verdict: &Value) -> bool {
    verdict["verdict"] == "better" && verdict["reason"] != "default-wins"
}

/// What the only trial came to.
fn verdict(disk: &Loop, kind: &str, more: &[&str]) -> Value {
    let (document, _) = rehearsed(disk, kind, more);
    document["record"]["trials"][0]["verdict"].clone()
}

/// The document without what is the machine's own or the day's.
fn of_the_tune(mut document: Value) -> Value {
    let record = document["record"].as_object_mut().unwrap();
    record.remove("path");
    record.remove("provenance");
    for sensor in record["sensors"].as_array_mut().unwrap() {
        sensor.as_object_mut().unwrap().remove("cost_cpu_ns");
    }
    document
}

#[test]
fn a_value_that_is_better_wins_on_every_disk() {
    let Some(disk) = disk() else { return };
    let before = disk.settings();
    for kind in DISKS {
        let scene = format!("{kind},scheduler=mq-deadline:+8%");
        let verdict = verdict(&disk, &scene, &["--budget", "3m"]);
        assert!(wins(&verdict), "{kind}: {verdict:#}");
        assert_eq!(verdict["arm"], "mq-deadline", "{kind}");
    }
    assert_eq!(disk.settings(), before);
}

#[test]
fn nothing_wins_where_nothing_differs() {
    let Some(disk) = disk() else { return };
    for kind in DISKS {
        for more in [&["--budget", "90s"][..], &["--budget", "90s", "--aa"]] {
            let verdict = verdict(&disk, kind, more);
            assert!(!wins(&verdict), "{kind} {more:?}: {verdict:#}");
        }
    }
}

#[test]
fn what_is_worse_borrowed_or_taken_from_others_does_not_win() {
    let Some(disk) = disk() else { return };
    for kind in [
        "quiet_nvme,scheduler=mq-deadline:-8%",
        "debt_1s",
        "debt_3s",
        "robbed,scheduler=mq-deadline:+8%",
    ] {
        let verdict = verdict(&disk, kind, &["--budget", "2m"]);
        assert!(!wins(&verdict), "{kind}: {verdict:#}");
    }
}

/// A bin of 10 ms holds five or six of these I/Os: a level that jumps between whole ones hides what is paid back.
#[test]
fn what_is_borrowed_does_not_win_where_few_ios_are_done() {
    let Some(disk) = disk() else { return };
    for (seed, kind) in [1, 2, 3, 4, 5, 6]
        .iter()
        .zip(["debt_1s", "debt_3s"].iter().cycle())
    {
        let tune = ["tune", &disk.device, "--knob", "scheduler=mq-deadline"];
        let load = ["--rw", "read", "--bs", "1m", "--budget", "3m"];
        let on_stage = ["--rehearse", kind, "--seed", &seed.to_string()];
        let (document, _) = Iodyno::new().json(&[&tune[..], &load, &on_stage].concat());
        let verdict = &document["record"]["trials"][0]["verdict"];
        assert!(!wins(verdict), "{kind}, seed {seed}: {verdict:#}");
    }
}

#[test]
fn a_difference_within_the_rope_counts_as_equal() {
    let Some(disk) = disk() else { return };
    let (document, output) = rehearsed(
        &disk,
        "cloud,scheduler=mq-deadline:+1%",
        &["--rope", "4%", "--budget", "4m"],
    );
    let trial = &document["record"]["trials"][0];
    assert_eq!(trial["verdict"]["verdict"], "equal", "{trial:#}");
    assert_eq!(code(&output), 0, "that nothing is better is an answer");
}

#[test]
fn two_tunes_of_one_seed_are_the_same_to_the_bit() {
    let Some(disk) = disk() else { return };
    let tune = || rehearsed(&disk, "cloud,scheduler=mq-deadline:+8%", &[]);
    let (first, output) = tune();
    let (second, _) = tune();
    assert_eq!(
        first["record"]["provenance"]["rehearsed"],
        serde_json::json!({"disk": "cloud", "seed": 7})
    );
    assert_eq!(first["id"], Value::Null, "nothing is kept");
    assert_eq!(of_the_tune(first), of_the_tune(second));
    let said = text(&output.stderr);
    assert!(said.contains("no figure here was measured"), "{said}");
    let stream = || {
        let output = Iodyno::new().run(&words(&disk, "stalls", &["--stream"]));
        let lines = text(&output.stdout);
        let steps = lines.lines().filter(|line| !line.contains("\"record\""));
        steps.map(String::from).collect::<Vec<_>>()
    };
    let steps = stream();
    assert!(steps.len() > 5, "{steps:#?}");
    assert_eq!(steps, stream());
}

#[test]
fn what_won_is_tried_together() {
    let Some(disk) = disk() else { return };
    let scene = "quiet_nvme,scheduler=mq-deadline:+8%,nomerges=2:+5%";
    let knobs = [
        "--knob",
        "scheduler=mq-deadline",
        "--knob",
        "nomerges=2",
        "--knob",
        "rq_affinity",
    ];
    let (document, _) = rehearsed(&disk, scene, &[&knobs[..], &["--budget", "6m"]].concat());
    let trials = document["record"]["trials"].as_array().unwrap();
    let of = |knob: &str| {
        let trial = trials.iter().find(|trial| trial["knob"] == knob);
        trial.unwrap_or_else(|| panic!("{knob}: {document:#}"))["verdict"]["verdict"].clone()
    };
    assert_eq!(of("scheduler"), "better");
    assert_eq!(of("nomerges"), "better");
    assert_ne!(of("rq_affinity"), "better");
    assert_eq!(of("together"), "better");
}

#[test]
fn without_a_knob_the_best_are_selected_and_proved_together() {
    let Some(disk) = disk() else { return };
    let scene = "quiet_nvme,scheduler=mq-deadline:+8%,nomerges=2:+5%";
    let (document, output) = rehearsed(&disk, scene, &["--all", "--budget", "6m"]);
    assert_eq!(code(&output), 0);
    let trials = document["record"]["trials"].as_array().unwrap();
    let won = trials
        .iter()
        .find(|trial| trial["verdict"]["verdict"] == "better");
    let won = won.unwrap_or_else(|| panic!("{document:#}"));
    let members: Vec<(&str, &str)> = won["set"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["knob"].as_str().unwrap(),
                one["value"].as_str().unwrap(),
            )
        })
        .collect();
    assert!(
        members.contains(&("scheduler", "mq-deadline")) && members.contains(&("nomerges", "2")),
        "{members:?}"
    );
}

#[test]
fn every_meter_of_the_load_and_of_the_disk_decides() {
    let Some(disk) = disk() else { return };
    let scene = "quiet_nvme,scheduler=mq-deadline:+12%";
    for (meter, budget) in [
        ("iops", "90s"),
        ("bandwidth", "90s"),
        ("latency", "90s"),
        ("p99", "6m"),
        ("p99_read", "6m"),
        ("p999", "20m"),
        ("device_iops", "90s"),
        ("device_bandwidth", "90s"),
    ] {
        let verdict = verdict(&disk, scene, &["--metric", meter, "--budget", budget]);
        assert!(wins(&verdict), "{meter}: {verdict:#}");
    }
}

#[test]
fn a_setting_of_the_machine_is_judged_in_long_blocks() {
    let Some(disk) = disk_to_change() else {
        return;
    };
    let knob = "/proc/sys/vm/dirty_background_ratio";
    let now = std::fs::read_to_string(knob).unwrap();
    let other = if now.trim() == "5" { "7" } else { "5" };
    let (scene, asked) = (
        format!("hdd_low,dirty_background_ratio={other}:+15%"),
        format!("dirty_background_ratio={other}"),
    );
    let words = [
        "--knob",
        &asked,
        "--rw=randwrite",
        "--direct=0",
        "--budget",
        "10m",
    ];
    let verdict = verdict(&disk, &scene, &words);
    assert!(wins(&verdict), "{verdict:#}");
    assert_eq!(std::fs::read_to_string(knob).unwrap(), now);
}

#[test]
fn a_bound_that_is_crossed_ends_it() {
    let Some(disk) = disk() else { return };
    let scene = "quiet_nvme,scheduler=mq-deadline:-40%";
    for bound in ["iops<15000", "await>2200us", "metric<15000"] {
        let (document, output) = rehearsed(&disk, scene, &["--stop-if", bound]);
        assert_eq!(code(&output), 6, "{bound}: {}", text(&output.stderr));
        let verdict = &document["record"]["trials"][0]["verdict"];
        assert_eq!(verdict["reason"], "bound-crossed", "{bound}: {verdict:#}");
    }
    let (document, output) = rehearsed(&disk, scene, &["--stop-if", "iops<1000"]);
    assert_ne!(code(&output), 6, "{document:#}");
}

/// As a user without rights, and without a place for a store.
pub fn as_nobody(words: &[&str]) -> Output {
    static COPIES: AtomicU32 = AtomicU32::new(0);
    let (process, copy) = (std::process::id(), COPIES.fetch_add(1, Relaxed));
    // Where that user comes to.
    let binary = std::env::temp_dir().join(format!("iodyno-rehearse-{process}-{copy}"));
    copy_binary(&binary);
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&binary)
        .args(words)
        .env("IODYNO_STATE_DIR", "/nonexistent/iodyno")
        .output();
    let _ = std::fs::remove_file(&binary);
    output.unwrap()
}

#[test]
fn nothing_is_touched_and_no_right_is_needed() {
    let Some(disk) = disk_to_change() else {
        return;
    };
    let counters = || std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name)).unwrap();
    let (before, counted) = (disk.settings(), counters());
    let iodyno = Iodyno::new();
    let output = as_nobody(&words(&disk, "quiet_nvme,scheduler=mq-deadline:+8%", &[]));
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("scheduler: none → mq-deadline: +"));
    assert_eq!(counters(), counted, "no I/O");
    // A tune in earnest of the same device does not stand in its way, nor it in that one's.
    let mut earnest = iodyno.spawn(&["tune", &disk.device, "--knob", "scheduler"]);
    iodyno.wait_for_journal(&mut earnest);
    let again = verdict(&disk, "quiet_nvme,scheduler=mq-deadline:+8%", &[]);
    assert!(wins(&again), "{again:#}");
    drop(earnest);
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(disk.settings(), before);
    let other = Iodyno::new();
    let _ = other.run(&words(&disk, "cloud", &[]));
    assert!(
        std::fs::read_dir(other.state.path())
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn what_cannot_be_rehearsed_is_refused() {
    let Some(disk) = disk() else { return };
    for (kind, more, why) in [
        ("floppy", &[][..], "no simulated disk \"floppy\""),
        (
            "cloud,scheduler=bfq:+8%",
            &[],
            "scheduler=bfq is not tried here",
        ),
        ("cloud", &["--metric", "cpu_per_io"], "cannot be rehearsed"),
        ("cloud", &["--command", "true"], "cannot be used with"),
        ("cloud", &["--dry-run"], "cannot be used with"),
        (
            "cloud",
            &["--reboot-plan", "mitigations=off"],
            "cannot be used with",
        ),
        (
            "cloud",
            &["--ioengine", "none"],
            "a simulated disk has only loads",
        ),
    ] {
        let output = Iodyno::new().run(&words(&disk, kind, more));
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{kind} {more:?}: {said}");
        assert!(said.contains(why), "{kind} {more:?}: {said}");
    }
}

/// A tune on a simulated disk that writes its settings to the kernel, struck at one of its sleeps.
fn struck(iodyno: &Iodyno, disk: &Loop, (sleep, signal): (u32, i32)) -> Output {
    let scene = "quiet_nvme,scheduler=mq-deadline:+8%";
    iodyno
        .command(&words(disk, scene, &["--budget", "90s"]))
        .env("IODYNO_STAGE", format!("through,{sleep}:{signal}"))
        .output()
        .unwrap()
}

#[test]
fn killed_at_any_of_its_sleeps_undo_puts_everything_back() {
    use std::os::unix::process::ExitStatusExt;
    let Some(disk) = disk_to_change() else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let (mut killed, mut found_changed, mut sleep) = (0, 0, 1);
    loop {
        let output = struck(&iodyno, &disk, (sleep, SIGKILL));
        if output.status.success() {
            break;
        }
        assert_eq!(output.status.signal(), Some(SIGKILL), "at sleep {sleep}");
        killed += 1;
        found_changed += u32::from(disk.settings() != before);
        let undone = iodyno.run(&["undo"]);
        assert_eq!(
            code(&undone),
            0,
            "at sleep {sleep}: {}",
            text(&undone.stderr)
        );
        assert_eq!(disk.settings(), before, "at sleep {sleep}");
        iodyno.assert_nothing_is_changed();
        sleep += 1 + sleep / 8;
    }
    assert!(killed > 20 && found_changed > 4, "{killed} {found_changed}");
}

#[test]
fn a_signal_at_any_of_its_sleeps_puts_everything_back_first() {
    let Some(disk) = disk_to_change() else {
        return;
    };
    let before = disk.settings();
    let mut struck_at = 0;
    // Hangup, interrupt, quit, termination.
    for (index, signal) in [1, 2, 3, 15].into_iter().cycle().enumerate() {
        let sleep = 1 + (index * index * 6) as u32;
        let iodyno = Iodyno::new();
        let output = struck(&iodyno, &disk, (sleep, signal));
        assert_eq!(disk.settings(), before, "signal {signal} at sleep {sleep}");
        iodyno.assert_nothing_is_changed();
        if output.status.success() {
            break;
        }
        struck_at += 1;
        assert_eq!(code(&output), 130, "{signal}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("every setting is back as it was"));
    }
    assert!(struck_at > 9, "{struck_at}");
}
