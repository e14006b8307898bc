//! A real container, from inside and from outside: whose limits they are, where its files lie, and that a load stays within them.

use crate::mounts::Mounted;
use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;
use skip::Outcome;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// What the container may write to its volume in a second.
const LIMIT: f64 = (5 << 20) as f64;

/// A running container of podman with this machine's programs, a volume at /data and limits; removed in the end.
struct Podman {
    name: String,
    volume: Mounted,
}

impl Podman {
    fn new() -> Option<Podman> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if ["podman", "runc"].into_iter().any(skip::lacks) {
            return None;
        }
        let volume = Mounted::new(512)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let podman = Podman {
            name: format!("iodyno-test-{}-{count}", std::process::id()),
            volume,
        };
        let volume = format!("{}:/data", podman.volume.point());
        let binary = format!("{}:/usr/local/bin/iodyno:ro", env!("CARGO_BIN_EXE_iodyno"));
        let limit = format!("{}:5mb", podman.volume.disk.device);
        // crun of Debian 12 knows no control groups of both versions at once. Limits of processes are said, because podman
        // asks for more than a machine without CAP_SYS_RESOURCE gives.
        let options = [
            "--cgroup-manager=cgroupfs",
            "--runtime=runc",
            "run",
            "--detach",
            "--network=none",
            "--ulimit=nofile=20000:20000",
            "--ulimit=nproc=20000:20000",
            "--memory=256m",
            "--device-write-bps",
            &limit,
            "--volume",
            &volume,
            "--volume",
            &binary,
            "--name",
            &podman.name,
            "--rootfs",
            "/:O",
            "sleep",
            "600",
        ];
        let made = Command::new("podman").args(options).output().unwrap();
        assert_eq!(code(&made), 0, "{}", text(&made.stderr));
        Some(podman)
    }

    fn podman(&self, words: &[&str]) -> Output {
        Command::new("podman").args(words).output().unwrap()
    }

    fn id(&self) -> String {
        let told = self.podman(&["container", "inspect", "--format={{.Id}}", &self.name]);
        text(&told.stdout).trim().to_string()
    }

    fn inside(&self, words: &[&str]) -> Output {
        let begin = [
            "--cgroup-manager=cgroupfs",
            "--runtime=runc",
            "exec",
            "--env=IODYNO_STATE_DIR=/tmp/state",
            "--env=NO_COLOR=1",
            &self.name,
        ];
        self.podman(&[&begin[..], words].concat())
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        let _ = self.podman(&["rm", "--force", "--time=0", &self.name]);
    }
}

fn document(output: &Output) -> Value {
    let said = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// Bytes a second that a record's writer got, over the runtime that it was given.
fn written(document: &Value) -> f64 {
    let bytes = &document["record"]["load"]["write"]["bytes"];
    bytes.as_f64().unwrap_or_else(|| panic!("{document:#}")) / 3.0
}

/// The facts about limits, which are the same from inside and from outside.
fn assert_has_limits(podman: &Podman, path: &Value) {
    let facts = &path["machine"]["facts"];
    let disk = Path::new(&podman.volume.disk.device).file_name().unwrap();
    let limit = format!("{} wbps 5242880", disk.to_str().unwrap());
    assert_eq!(facts["io_limits"], limit, "{facts:#}");
    assert_eq!(facts["memory_limit_bytes"], "268435456", "{facts:#}");
    assert_eq!(facts["container"], "podman", "{facts:#}");
    let group = facts["memory_limit_from"].as_str().unwrap();
    assert!(group.contains(&podman.id()), "{facts:#}");
}

const WRITER: [&str; 7] = [
    "--",
    "-rw=write",
    "-bs=1M",
    "-size=64M",
    "-direct=1",
    "-runtime=3",
    "-time_based",
];

#[test]
#[ignore = "live"]
fn a_container_sees_its_own_limits_and_its_loads_say_them() {
    let Some(podman) = Podman::new() else { return };
    let output = podman.inside(&["iodyno", "--json", "inspect", "/data"]);
    assert_has_limits(&podman, &document(&output));
    let words = [&["iodyno", "run", "/data"], &WRITER[..]].concat();
    let told = podman.inside(&words);
    let told = format!("{}{}", text(&told.stdout), text(&told.stderr));
    assert!(told.contains("limit: control group /"), "{told}");
    let layer = podman.inside(&["iodyno", "inspect", "/"]);
    let layer = text(&layer.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        layer.contains("On the host: iodyno inspect / --container"),
        "{layer}"
    );
}

#[test]
#[ignore = "live"]
fn a_tune_of_the_host_is_not_said_to_have_ended_where_it_cannot_be_seen() {
    let Some(podman) = Podman::new() else { return };
    let iodyno = Iodyno::new();
    let words = "--knob read_ahead_kb=0,512 --rw read --direct 0 --size 32m --budget 4m";
    let words: Vec<&str> = ["tune", podman.volume.point()]
        .into_iter()
        .chain(words.split(' '))
        .collect();
    let mut child = iodyno.spawn(&words);
    iodyno.wait_for_journal(&mut child.0);
    let state = format!("IODYNO_STATE_DIR={}", iodyno.state.path().display());
    let seen = podman.inside(&["env", &state, "iodyno", "inspect", "/"]);
    let seen = text(&seen.stderr);
    assert!(
        seen.contains("cannot be seen from inside this container"),
        "{seen}"
    );
    assert!(!seen.contains("ended before"), "{seen}");
    let status = podman.inside(&["env", &state, "iodyno", "status"]);
    let status = text(&status.stdout);
    assert!(status.contains("cannot be seen from inside"), "{status}");
    drop(child);
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    iodyno.assert_nothing_is_changed();
}

#[test]
#[ignore = "live"]
fn a_container_is_inspected_and_loaded_from_outside_within_its_limits() {
    let Some(podman) = Podman::new() else { return };
    let iodyno = Iodyno::new();
    for name in [podman.name.clone(), podman.id()[..12].to_string()] {
        let (path, output) = iodyno.json(&["inspect", "/data", "--container", &name]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert_eq!(path["target"], podman.volume.point());
        assert_has_limits(&podman, &path);
    }
    let name = podman.name.as_str();
    let run = |words: &[&str]| {
        let (record, output) = iodyno.json(&[words, &WRITER[..]].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        written(&record)
    };
    let within = run(&["run", "/data", "--container", name]);
    let share = within / LIMIT;
    skip::measured(
        Outcome::right_if((share - 1.0).abs() < 0.25),
        format!("{share:.2} of the limit"),
    );
    let outside = run(&["run", podman.volume.point()]);
    skip::measured(
        Outcome::won_if(outside > 2.0 * within),
        format!("outside {:.1} times as much", outside / within),
    );

    let words = ["limit", "/data", "--container", name, "--runtime", "2s"];
    let (report, output) = iodyno.json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let direct = &report["limits"][0]["ways"][0];
    assert_eq!(direct["way"], "direct");
    let effect = &direct["effect"];
    skip::measured(Outcome::right_if(*effect == "held"), effect);
    iodyno.assert_nothing_is_changed();
    // Whoever entered the container's groups has left them, or it could not be removed.
    let removed = podman.podman(&["rm", "--force", "--time=0", name]);
    assert_eq!(code(&removed), 0, "{}", text(&removed.stderr));
}

#[test]
#[ignore = "live"]
fn what_is_proposed_for_a_container_runs_for_it_again() {
    let Some(podman) = Podman::new() else { return };
    let iodyno = Iodyno::new();
    let name = podman.name.as_str();
    let words = ["check", "/data", "--container", name, "--no-load"];
    let (checked, output) = iodyno.json(&words);
    let findings = checked["findings"].as_array();
    let findings = findings.unwrap_or_else(|| panic!("{}", text(&output.stderr)));
    let within = format!("/data --container {name}");
    for finding in findings {
        let experiment = finding["experiment"].as_str().unwrap();
        assert!(!experiment.contains(podman.volume.point()), "{experiment}");
        assert!(
            !experiment.contains("/data") || experiment.contains(&within),
            "{experiment}"
        );
    }
    let words = [
        "tune",
        "/data",
        "--container",
        name,
        "--knob",
        "scheduler",
        "--dry-run",
    ];
    let plan = iodyno.run(&words);
    assert_eq!(code(&plan), 0, "{}", text(&plan.stderr));
}

#[test]
#[ignore = "live"]
fn what_only_the_container_sees_is_refused_and_its_links_lead_nowhere_else() {
    let Some(podman) = Podman::new() else { return };
    let iodyno = Iodyno::new();
    let name = podman.name.as_str();
    let place = |inside: &str| iodyno.json(&["inspect", inside, "--container", name]);
    let (refused, output) = place("/dev/shm/..");
    assert_ne!(code(&output), 0, "{refused:#}");
    let said = text(&output.stderr);
    assert!(said.contains("only the container sees"), "{said}");
    let (missing, output) = place("/data/missing");
    assert_ne!(code(&output), 0, "{missing:#}");
    let said = text(&output.stderr);
    assert!(said.contains(&format!("of the container {name}")), "{said}");

    // What the container calls its root is a directory of this machine, and not this machine's root.
    let elsewhere = Dir::new("elsewhere");
    let link = Path::new(podman.volume.point()).join("link");
    std::os::unix::fs::symlink("/data/../data", &link).unwrap();
    assert_eq!(place("/data/link").0["target"], podman.volume.point());
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
    let (path, _) = place("/data/link");
    assert_ne!(
        path["target"],
        elsewhere.path().to_str().unwrap(),
        "{path:#}"
    );

    let nobody = iodyno.run(&["inspect", "/data", "--container", "nobody-has-this-name"]);
    let said = text(&nobody.stderr);
    assert!(
        code(&nobody) != 0 && said.contains("no such container"),
        "{said}"
    );
}
