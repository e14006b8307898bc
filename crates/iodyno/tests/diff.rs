//! `iodyno diff`: captures, documents and this machine side by side.

use crate::support::{Dir, Iodyno, Loop, code, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn host(name: &str) -> String {
    format!(
        "{}/../../testdata/hosts/{name}.host",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn names(document: &Value) -> Vec<String> {
    let differences = document["differences"].as_array().unwrap();
    differences
        .iter()
        .map(|one| one["name"].as_str().unwrap().to_string())
        .collect()
}

#[test]
fn a_machine_is_no_different_from_itself() {
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&["diff", &host("virtio_ext4"), &host("virtio_ext4")]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        (document["schema"].as_str(), names(&document)),
        (Some("iodyno.diff/1"), Vec::new())
    );
    assert!(document["same"].as_u64().unwrap() > 20, "{document}");
    let people = iodyno.run(&["diff", &host("virtio_ext4"), &host("virtio_ext4")]);
    assert!(
        text(&people.stdout).starts_with("Nothing differs"),
        "{}",
        text(&people.stdout)
    );
}

#[test]
fn an_image_with_another_kernel_differs_in_its_scheduler() {
    let iodyno = Iodyno::new();
    let (old, new) = (host("sata_linux_3_10"), host("virtio_ext4"));
    let (document, _) = iodyno.json(&["diff", &old, &new]);
    assert!(
        names(&document).iter().any(|name| name == "scheduler"),
        "{document}"
    );
    let people = text(&iodyno.run(&["diff", &old, &new]).stdout);
    assert!(people.contains("prove it: sudo iodyno tune"), "{people}");
    // The names of the two sides stay whole, however long they are.
    let mut lines = people.lines().filter(|line| !line.contains("here:"));
    assert!(lines.all(|line| line.chars().count() <= 80), "{people}");
}

/// The first report in two minutes: the same disk, and one setting that is not as it was.
#[test]
fn what_was_changed_since_a_capture_is_found_and_linked_to_its_knob() {
    let Some(device) = Loop::new(64) else { return };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("diff"));
    let before = dir.path().join("before.json");
    let name = device.device.clone();
    device.set("read_ahead_kb", "128");
    device.set("nomerges", "0");
    let (document, output) = iodyno.json(&["inspect", &name]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    std::fs::write(&before, document.to_string()).unwrap();
    let capture = dir.path().join("before.host");
    iodyno.run(&["inspect", &name, "--capture", capture.to_str().unwrap()]);
    device.set("read_ahead_kb", "512");
    device.set("nomerges", "2");
    for earlier in [&before, &capture] {
        let (document, output) = iodyno.json(&["diff", earlier.to_str().unwrap(), &name]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert_eq!(
            names(&document)[..2],
            ["read_ahead_kb", "nomerges"],
            "{document}"
        );
        assert_eq!(document["differences"][0]["knob"], "read_ahead_kb");
        let experiment = document["differences"][0]["experiment"].as_str().unwrap();
        assert_eq!(
            experiment,
            format!("sudo iodyno tune {name} --direct 0 --rw read --knob read_ahead_kb=512,128")
        );
    }
    // Direct I/O does not read ahead, so what matters for it is another thing.
    let (document, _) = iodyno.json(&["diff", before.to_str().unwrap(), &name, "--direct", "1"]);
    assert_eq!(names(&document)[0], "nomerges", "{document}");
}

/// Pasted into a shell, on however many lines they are: `sudo` and `iodyno` are found first in a folder of our own.
#[test]
fn the_commands_of_a_diff_run_as_they_are_printed() {
    let Some(device) = Loop::new(64) else { return };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("diff-pasted"));
    let (name, before) = (device.device.clone(), dir.path().join("before.host"));
    device.set("read_ahead_kb", "128");
    device.set("nomerges", "0");
    iodyno.run(&["inspect", &name, "--capture", before.to_str().unwrap()]);
    device.set("read_ahead_kb", "512");
    device.set("nomerges", "2");
    let sudo = dir.path().join("sudo");
    let dry = format!(
        "#!/bin/sh\nshift 2\nexec {} tune --dry-run \"$@\"\n",
        env!("CARGO_BIN_EXE_iodyno")
    );
    std::fs::write(&sudo, dry).unwrap();
    std::fs::set_permissions(&sudo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let job =
        "-rw=read -direct=0 -bs=128k -ioengine=psync -size=32m -numjobs=2 -offset_increment=16m";
    let jobs: [Vec<&str>; 3] = [
        vec![],
        [vec!["--"], job.split(' ').collect()].concat(),
        vec!["--rw", "read", "--direct", "0", "--bs", "128k"],
    ];
    for job in jobs {
        let words = [vec!["diff", before.to_str().unwrap(), &name], job.clone()].concat();
        let said = text(&iodyno.run(&words).stdout);
        let mut seen = 0;
        for part in said.split("prove it: ").skip(1) {
            let end = part.find("\n\n").unwrap_or(part.len());
            let output = std::process::Command::new("sh")
                .args(["-c", &part[..end]])
                .env("PATH", format!("{}:/usr/bin:/bin", dir.path().display()))
                .env("IODYNO_STATE_DIR", iodyno.state.path())
                .output()
                .unwrap();
            let (told, why) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(code(&output), 0, "{part}: {why}");
            assert!(
                told.contains("read_ahead_kb") || told.contains("nomerges"),
                "{told}"
            );
            assert!(!told.contains("not tried"), "{told}");
            seen += 1;
        }
        assert_eq!(seen, 2, "{job:?}: {said}");
    }
}

/// The servers of the first report: one disk, two systems.
#[test]
fn versions_of_driver_and_firmware_are_told() {
    let iodyno = Iodyno::new();
    let (old, new) = (
        host("report_000_rhel69_cfq"),
        host("report_000_centos7_deadline"),
    );
    let (document, _) = iodyno.json(&["diff", &old, &new]);
    let of = |name: &str| {
        let all = document["differences"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).cloned()
    };
    let version = of("driver_version").unwrap();
    let value = |side: &str| version[side].as_str().unwrap().to_string();
    assert!(
        value("a").starts_with("06.811") && value("b").starts_with("07.701"),
        "{version}"
    );
    assert!(version["weight"].as_f64().unwrap() >= 0.2, "{version}");
    assert_eq!(of("firmware"), None, "it is the same disk");
    for file in [old, new] {
        let shown = text(&iodyno.run(&["inspect", "--root", &file, "--all"]).stdout);
        assert!(
            shown.contains("driver_version") && shown.contains("firmware"),
            "{shown}"
        );
        assert!(shown.contains("0110"), "{shown}");
    }
}

#[test]
fn what_is_no_path_is_refused_with_its_name() {
    let dir = Dir::new("diff-bad");
    let file = dir.path().join("x.json");
    std::fs::write(&file, "{\"a\": 1}").unwrap();
    let output = Iodyno::new().run(&["diff", file.to_str().unwrap(), "/"]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("x.json holds no I/O path"),
        "{}",
        text(&output.stderr)
    );
    let output = Iodyno::new().run(&["diff", "/no/such.host", "/"]);
    assert_ne!(code(&output), 0);
    assert!(
        text(&output.stderr).contains("/no/such.host"),
        "{}",
        text(&output.stderr)
    );
}
