//! `tune --reboot-plan` and `boots` on this machine, which is not booted for it: the plan, one boot measured, and what is refused.

use crate::support::{Dir, Iodyno, Loop, code, text, until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LOAD: [&str; 4] = ["--size", "4m", "--bs", "8k"];

/// Makes a plan for this directory whose boots are done by hand.
fn plan(iodyno: &Iodyno, place: &Path, words: &[&str]) -> (Value, Output) {
    let (target, directory) = (place.to_str().unwrap(), place.join("plan"));
    let own = [
        "--reboot-plan",
        "iodyno_test=1",
        "--plan-dir",
        directory.to_str().unwrap(),
    ];
    let budget: &[&str] = match words.contains(&"--budget") {
        true => &[],
        false => &["--budget", "40s"],
    };
    iodyno.json(&[&["tune", target][..], &LOAD, &own, budget, words].concat())
}

fn boots(iodyno: &Iodyno, place: &Path, words: &[&str]) -> (Value, Output) {
    let directory = place.join("plan");
    let own = ["boots", directory.to_str().unwrap()];
    iodyno.json(&[&own[..], words].concat())
}

/// A seed whose first boot has the command line that was found.
fn seed_of_found_first(iodyno: &Iodyno, place: &Path) -> String {
    for seed in 1..20 {
        let seed = seed.to_string();
        let (_, output) = plan(iodyno, place, &["--seed", &seed, "--settle", "1ms"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let (first, output) = boots(iodyno, place, &["--measure"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        if first["boots"].as_array().unwrap().len() == 1 {
            return seed;
        }
        assert_eq!(first["strays"], 0, "this boot was not asked for: {first:#}");
        let said = text(&output.stderr);
        assert!(
            said.contains("Boot next with:") && said.contains("iodyno_test=1"),
            "{said}"
        );
        std::fs::remove_dir_all(place.join("plan")).unwrap();
    }
    panic!("twenty coins in a row showed the same side");
}

#[test]
fn a_boot_is_measured_once_and_the_next_one_is_named() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let place = place.path();
    seed_of_found_first(&iodyno, place);
    let (again, output) = boots(&iodyno, place, &["--measure"]);
    let said = text(&output.stderr);
    assert_eq!(again["boots"].as_array().unwrap().len(), 1, "{said}");
    assert!(said.contains("1 of 16 boots measured"), "{said}");
    assert!(said.contains("Boot next with:"), "{said}");
    // The load of the boot is a record like any other.
    let boot = &again["boots"][0];
    let record = boot["record"].as_i64().unwrap().to_string();
    let (shown, _) = iodyno.json(&["show", &record]);
    let job = &shown["record"]["job"];
    assert_eq!(
        (&job["bs"], &job["size"]),
        (&8192.into(), &(4 << 20).into())
    );
    assert!(boot["value"].as_f64().unwrap() > 0.0, "{boot:#}");
    // The plan's directory has the unit for systemd, where nobody else can exchange what leads to it.
    let unit = std::fs::read_to_string(place.join("plan/iodyno-boots.service"));
    let is_closed = |path: &Path| host::files::open_to_others(path).unwrap().is_none();
    let binary = Path::new(env!("CARGO_BIN_EXE_iodyno"));
    let is_safe = is_closed(&place.join("plan")) && is_closed(binary);
    let is_right = |unit: String| unit.contains("ExecStart=") && unit.contains("--measure");
    assert_eq!(unit.ok().map(is_right), is_safe.then_some(true));
    let (_, output) = boots(&iodyno, place, &[]);
    assert!(text(&output.stderr).contains(&format!("iodyno show {record}")));
}

/// A plan that boots by itself is started by root's systemd: it lies where nobody else can put another one in its place.
#[test]
fn no_unit_lies_where_others_can_exchange_it() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let open = place.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
    for (place, words) in [
        (open.join("below"), "others than root may write to"),
        (
            place.path().join("line\nend"),
            "letters that no unit can hold",
        ),
    ] {
        let words_of_plan = ["--settle", "1ms", "--next-boot", "true"];
        let target = open.to_str().unwrap();
        let directory = place.join("plan");
        let own = [
            "--reboot-plan",
            "iodyno_test=1",
            "--budget",
            "40s",
            "--plan-dir",
        ];
        let own = [
            &["tune", target][..],
            &LOAD,
            &own,
            &[directory.to_str().unwrap()],
        ]
        .concat();
        let output = iodyno.run(&[&own[..], &words_of_plan].concat());
        let said = text(&output.stderr);
        assert!(code(&output) == 4 && said.contains(words), "{said}");
        assert!(!place.exists(), "a plan that is refused makes nothing");
        // By hand it needs no unit, and gets none.
        let output = iodyno.run(&own);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(!directory.join("iodyno-boots.service").exists());
    }
}

/// A link of somebody else to a plan of root's.
#[test]
fn a_plan_is_not_followed_through_a_strangers_link() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    if !crate::support::is_root() {
        return skip::missing("root", "a link of somebody else takes root to make");
    }
    let (_, output) = plan(&iodyno, place.path(), &["--settle", "1ms"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let link = place.path().join("link");
    std::os::unix::fs::symlink(place.path().join("plan"), &link).unwrap();
    std::os::unix::fs::lchown(&link, Some(65_534), Some(65_534)).unwrap();
    let output = iodyno.run(&["boots", link.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert!(
        code(&output) == 4 && said.contains("symbolic link of the user"),
        "{said}"
    );
}

#[test]
fn an_argument_that_this_kernel_ignores_is_refused_with_the_reason() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots-elevator"));
    let target = place.path().to_str().unwrap();
    let words = ["tune", target, "--dry-run", "--reboot-plan", "elevator=cfq"];
    let output = iodyno.run(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2, "{said}");
    assert!(
        said.contains("elevator= does nothing since Linux 5.0"),
        "{said}"
    );
}

fn catches_term(id: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << 14) != 0)
}

fn has_child(id: &str) -> bool {
    let found = Command::new("pgrep").args(["-P", id]).output();
    found.is_ok_and(|found| found.status.success())
}

/// Whether the signal comes while a boot is left alone or under its load: nothing is counted, and no next boot is named.
#[test]
fn a_step_that_is_stopped_measures_nothing_and_boots_nothing() {
    for (settle, budget, word) in [("9000h", "40s", "settle"), ("1ms", "10m", "load")] {
        let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
        let place = place.path();
        let seed = seed_of_found_first(&iodyno, place);
        std::fs::remove_dir_all(place.join("plan")).unwrap();
        let words = ["--seed", &seed, "--settle", settle, "--budget", budget];
        let (_, output) = plan(&iodyno, place, &words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let directory = place.join("plan");
        let child = iodyno
            .command(&["boots", directory.to_str().unwrap(), "--measure"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id().to_string();
        until("its signals", || catches_term(&id));
        until(word, || word == "settle" || has_child(&id));
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(code(&output), 130, "{word}: {said}");
        assert!(
            said.contains("no other one follows") && !said.contains("Boot next"),
            "{word}: {said}"
        );
        let (after, _) = boots(&iodyno, place, &[]);
        assert_eq!(after["boots"].as_array().unwrap().len(), 0, "{word}");
    }
}

#[test]
fn a_plan_that_somebody_else_could_have_written_is_not_followed() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let place = place.path();
    let (_, output) = plan(&iodyno, place, &["--seed", "1"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let file = place.join("plan/plan.json");
    let with =
        |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    with(0o666);
    let (_, output) = boots(&iodyno, place, &["--measure"]);
    assert_eq!(code(&output), 4);
    assert!(
        text(&output.stderr).contains("others may write to it"),
        "{}",
        text(&output.stderr)
    );
    with(0o600);
    let whole = std::fs::read_to_string(&file).unwrap();
    for damaged in [
        &whole[..whole.len() / 2],
        "",
        "{}",
        &whole.replace("boots/1", "boots/9"),
    ] {
        std::fs::write(&file, damaged).unwrap();
        let (_, output) = boots(&iodyno, place, &["--measure"]);
        let said = text(&output.stderr);
        assert!(code(&output) == 5 && said.contains("plan.json"), "{said}");
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            damaged,
            "it stays as it is"
        );
    }
    // A plan that is there is not written over.
    let (_, output) = plan(&iodyno, place, &["--seed", "1"]);
    let said = text(&output.stderr);
    assert!(
        code(&output) == 4 && said.contains("Name another directory"),
        "{said}"
    );
}

#[test]
fn two_at_once_measure_a_boot_once() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let place = place.path();
    let (_, output) = plan(&iodyno, place, &["--seed", "1", "--settle", "9000h"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    // As the first one does, whichever boot is due.
    let directory = std::fs::File::open(place.join("plan")).unwrap();
    let exclusive = rustix::fs::FlockOperation::NonBlockingLockExclusive;
    rustix::fs::flock(&directory, exclusive).unwrap();
    let (_, output) = boots(&iodyno, place, &["--measure"]);
    let said = text(&output.stderr);
    assert!(
        code(&output) == 4 && said.contains("another iodyno"),
        "{said}"
    );
    let (shown, output) = boots(&iodyno, place, &[]);
    assert_eq!(
        (code(&output), shown["boots"].as_array().map(Vec::len)),
        (0, Some(0))
    );
}

/// A loop device has no serial number, so that another may have its name at the next boot.
#[test]
fn a_disk_that_cannot_be_told_from_others_is_not_written_at_each_boot() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let directory = place.path().join("plan");
    let of = |rw: &str| {
        let words = [
            "tune",
            &disk.device,
            "--rw",
            rw,
            "--destroy-data",
            "--reboot-plan",
            "iodyno_test=1",
        ];
        let output =
            iodyno.run(&[&words[..], &["--plan-dir", directory.to_str().unwrap()]].concat());
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = of("randwrite");
    assert!(exit == 4 && said.contains("has no serial number"), "{said}");
    assert!(!directory.exists());
    assert_eq!(of("randread").0, 0);
}

#[test]
fn what_boots_cannot_decide_is_refused_and_nothing_is_written() {
    let (iodyno, place) = (Iodyno::new(), Dir::new("boots"));
    let place = place.path();
    let cases: [(&[&str], &str); 4] = [
        (&["--metric", "device_iops"], "Boots can be judged by"),
        (&["--budget", "9s"], "needs a budget of"),
        (&["--reboot-plan", "two words"], "is not one argument"),
        (&["--knob", "scheduler"], "cannot be used with"),
    ];
    for (words, told) in cases {
        let words = match words[0] {
            "--reboot-plan" => vec!["tune", place.to_str().unwrap(), words[0], words[1]],
            _ => [
                &[
                    "tune",
                    place.to_str().unwrap(),
                    "--reboot-plan",
                    "iodyno_test=1",
                ],
                words,
            ]
            .concat(),
        };
        let output = iodyno.run(&words);
        let said = text(&output.stderr);
        assert!(
            code(&output) == 2 && said.contains(told),
            "{words:?}: {said}"
        );
    }
    let (document, output) = plan(&iodyno, place, &["--dry-run"]);
    assert_eq!(
        (code(&output), &document["argument"]),
        (0, &"iodyno_test=1".into())
    );
    assert!(!place.join("plan").exists());
}
