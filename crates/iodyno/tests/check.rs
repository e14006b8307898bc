//! `check`: short loads, what they gave, what was found, and that nothing is changed or left.

use crate::support::{Dir, Iodyno, Loop, code, is_root, signal, text, turn, until};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The loads of a document, by role.
pub fn roles(document: &Value) -> Vec<&str> {
    document["probes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|probe| probe["role"].as_str().unwrap())
        .collect()
}

/// The findings of a document that stand, by rule.
pub fn found(document: &Value) -> Vec<(String, String)> {
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_string();
    let all = document["findings"].as_array().unwrap().iter();
    all.filter(|one| one["withdrawn"].is_null())
        .map(|one| (word(one, "rule"), word(one, "level")))
        .collect()
}

pub fn write(dir: &Dir, name: &str, document: &Value) -> PathBuf {
    let file = dir.path().join(name);
    std::fs::write(&file, serde_json::to_string(document).unwrap()).unwrap();
    file
}

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hosts")
}

#[test]
fn a_replay_finds_the_same_without_a_load() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("replay"));
    let target = dir.path().to_str().unwrap();
    let (first, output) = iodyno.json(&["check", target, "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let file = write(&dir, "first.json", &first);
    let (again, output) = iodyno.json(&["check", "--replay", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    for part in [
        "findings", "given", "expected", "answer", "probes", "path", "unseen",
    ] {
        assert_eq!(again[part], first[part], "{part}");
    }
    assert!(again["id"].is_null(), "a replay keeps no record");
    let (shown, _) = iodyno.json(&["show", &first["id"].to_string()]);
    let file = write(&dir, "shown.json", &shown);
    let (of_record, output) = iodyno.json(&["check", "--replay", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(of_record["findings"], first["findings"]);
}

#[test]
fn a_finding_of_a_replay_can_end_it_with_a_status() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("fail-on"));
    let (mut document, output) = iodyno.json(&["check", ".", "--no-load", "--observe", "200ms"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(roles(&document), ["idle"]);
    // A machine all of whose work waited for its disk before anything was loaded; what the disk here did meanwhile would
    // be another finding, and a better one.
    document["probes"][0]["frame"] = serde_json::json!({"pressure.full_percent": [["io", 61.0]]});
    let file = write(&dir, "waits.json", &document);
    let file = file.to_str().unwrap();
    let (judged, output) = iodyno.json(&["check", "--replay", file, "--fail-on", "warning"]);
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let found = found(&judged);
    assert!(
        found.contains(&("everything_waits_for_io".into(), "warning".into())),
        "{found:?}"
    );
    assert!(
        judged["answer"].as_str().unwrap().contains("61 %"),
        "{}",
        judged["answer"]
    );
    let (_, output) = iodyno.json(&["check", "--replay", file, "--fail-on", "wrong"]);
    assert_eq!(code(&output), 0, "nothing is that bad");
}

/// A captured machine without a disk's trouble, with these values of kernel parameters.
fn captured(dir: &Dir, parameters: &[(&str, &str)]) -> (String, String) {
    let text = std::fs::read_to_string(hosts().join("container_overlay.host")).unwrap();
    let target = text
        .lines()
        .find_map(|line| line.strip_prefix("# target: "));
    let target = target.unwrap().to_string();
    let mut host = text.trim_end().to_string();
    for (name, value) in parameters {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        let held = format!("path: {path}\n");
        assert!(!host.contains(&held), "{name} is in the capture already");
        host += &format!("\npath: {path}\nlines: 1\n{value}");
    }
    let file = dir.path().join("captured.host");
    std::fs::write(&file, host + "\n").unwrap();
    (target, file.to_str().unwrap().to_string())
}

/// The settings of the comparison in a document: name, state, and whether it matters.
fn compared(document: &Value) -> Vec<(String, String, bool)> {
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_string();
    let all = document["profile"]["settings"].as_array().unwrap().iter();
    all.map(|one| {
        (
            word(one, "name"),
            word(one, "state"),
            one["matters"] == true,
        )
    })
    .collect()
}

#[test]
fn a_profile_is_compared_for_the_job_that_was_named() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("profile"));
    let (target, file) = captured(&dir, &[("net.core.somaxconn", "128")]);
    let check = ["check", &target, "--root", &file, "--profile", "mssql"];
    let of = |words: &[&str]| {
        let (document, output) = iodyno.json(&[&check[..], words].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        document
    };
    let (buffered, direct) = (
        of(&["--", "-rw=write", "-bs=1m", "-direct=0"]),
        of(&["--", "-rw=write", "-bs=1m", "-direct=1"]),
    );
    let one = |document: &Value, name: &str| {
        let mut all = compared(document).into_iter();
        let (_, state, matters) = all.find(|(one, ..)| one == name).unwrap();
        (state, matters)
    };
    assert_eq!(one(&buffered, "vm.dirty_ratio"), ("differs".into(), true));
    assert_eq!(one(&direct, "vm.dirty_ratio"), ("differs".into(), false));
    assert_eq!(
        one(&buffered, "net.core.somaxconn"),
        ("differs".into(), false)
    );
    assert_eq!(one(&buffered, "vm.max_map_count"), ("unread".into(), false));
    let shown = text(&iodyno.run(&check).stdout);
    for part in [
        "Profile mssql: ",
        "matters  vm.dirty_ratio 20, profile 80",
        "no       net.core.somaxconn 128, profile at least 2048",
        "unread   vm.max_map_count",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let (without, _) = iodyno.json(&["check", &target, "--root", &file]);
    assert!(without.get("profile").is_none(), "it was not asked for");
}

#[test]
fn a_profile_or_a_job_that_is_none_ends_with_status_2() {
    let iodyno = Iodyno::new();
    for (words, says) in [
        (
            &["--profile", "mssqll"][..],
            "There are: container-host, latency-performance",
        ),
        (&["--", "-rw=read"], "--profile"),
        (&["--profile", "mssql", "--", "-rwx=read"], "-rwx=read"),
    ] {
        let output = iodyno.run(&[&["check", ".", "--no-load"][..], words].concat());
        assert_eq!(code(&output), 2, "{words:?}");
        assert!(
            text(&output.stderr).contains(says),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_capture_holds_what_profiles_compare_and_a_record_the_comparison() {
    // What a profile names is what tests with a turn change.
    let _turn = turn();
    let (iodyno, dir) = (Iodyno::new(), Dir::new("profile-capture"));
    let file = dir.path().join("this.host");
    let file = file.to_str().unwrap();
    let (target, check) = (".", "throughput-performance");
    let output = iodyno.run(&["inspect", target, "--capture", file]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let (live, output) = iodyno.json(&["check", target, "--no-load", "--profile", check]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let path = live["path"]["target"].as_str().unwrap();
    let (captured, _) = iodyno.json(&["check", path, "--root", file, "--profile", check]);
    assert_eq!(captured["profile"], live["profile"]);
    let kept = iodyno.run(&["show", &live["id"].to_string()]);
    assert!(
        text(&kept.stdout).contains("Profile throughput-performance: "),
        "{}",
        text(&kept.stdout)
    );
}

#[test]
fn a_kernel_parameter_has_a_page_and_near_names() {
    let iodyno = Iodyno::new();
    let page = |name: &str| text(&iodyno.run(&["explain", name]).stdout);
    assert_eq!(page("sysctl:vm.dirty_ratio"), page("vm.dirty_ratio"));
    assert!(page("vm.dirty_ratio").contains("## Known against it"));
    assert!(page("vm.swappiness").contains("`iodyno explain swappiness`"));
    assert_eq!(page("vm.vfs_cache_pressure"), page("vfs_cache_pressure"));
    let unknown = iodyno.run(&["explain", "sysctl:vm.dirtyratio"]);
    assert_eq!(code(&unknown), 2);
    let words = text(&unknown.stderr);
    assert!(words.contains("Did you mean vm.dirty_ratio?"), "{words}");
}

#[test]
fn captured_machines_are_judged_by_their_path() {
    let mut seen = 0;
    for entry in std::fs::read_dir(hosts()).unwrap().flatten() {
        let file = entry.path();
        if file.extension().is_none_or(|end| end != "host") {
            continue;
        }
        let captured = std::fs::read_to_string(&file).unwrap();
        let target = captured
            .lines()
            .find_map(|line| line.strip_prefix("# target: "))
            .unwrap();
        let (document, output) =
            Iodyno::new().json(&["check", target, "--root", file.to_str().unwrap()]);
        assert_eq!(
            code(&output),
            0,
            "{}: {}",
            file.display(),
            text(&output.stderr)
        );
        assert_eq!(document["mode"], "no load");
        assert!(document["probes"].as_array().unwrap().is_empty() && document["id"].is_null());
        assert!(
            document["next"].as_str().unwrap().starts_with(['i', 's']),
            "{}",
            document["next"]
        );
        seen += 1;
    }
    assert!(seen >= 5, "{seen} captured machines");
}

#[test]
fn stopped_or_killed_it_leaves_nothing() {
    for (name, status) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
        let (iodyno, dir) = (Iodyno::new(), Dir::new("check-stop"));
        let target = dir.path().to_str().unwrap().to_string();
        let mut child = iodyno.spawn(&["check", &target, "--deep"]);
        // Scratch has no name, but its maker has it open.
        let fds = format!("/proc/{}/fd", child.id());
        until("scratch", || {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it began"
            );
            let open = std::fs::read_dir(&fds).into_iter().flatten().flatten();
            let mut links = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
            links
                .any(|link| link.starts_with(&target) && link.to_string_lossy().contains("deleted"))
        });
        signal(child.id(), name);
        assert_eq!(child.wait().unwrap().code(), status, "{name}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{name}");
        let (list, _) = iodyno.json(&["list"]);
        assert!(
            list["records"].as_array().unwrap().is_empty(),
            "{name}: half a check is kept"
        );
    }
}

#[test]
fn a_device_that_another_iodyno_works_on_is_left_alone() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    // What a tune of the device holds for as long as it lives; an undo makes its file.
    let held = host::DeviceLock::take(
        &host::Host::live(),
        &disk.name,
        host::Reach::Device,
        "tune of the test",
    )
    .unwrap();
    let output = iodyno.run(&["check", &disk.device, "--quick"]);
    assert_eq!(code(&output), 4, "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(
        said.contains(&disk.name) && said.contains("`tune of the test`"),
        "{said}"
    );
    let (document, output) = iodyno.json(&["check", &disk.device, "--no-load"]);
    assert_eq!(
        code(&output),
        0,
        "what loads nothing disturbs nothing: {}",
        text(&output.stderr)
    );
    assert!(document["probes"].as_array().unwrap().is_empty());
    drop(held);
}

#[test]
fn a_target_that_may_not_be_loaded_is_still_judged() {
    let iodyno = Iodyno::new();
    if !is_root() {
        return skip::missing("root", "only root may be refused for what the target is");
    }
    if !Path::new("/dev/shm").is_dir() {
        return skip::missing("shm", "no file system in memory");
    }
    // Memory takes no direct I/O on most kernels; where it does, it is loaded, and that is no disk either.
    let (document, output) = iodyno.json(&["check", "/dev/shm", "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let unseen = document["unseen"].to_string();
    let is_loaded = roles(&document).contains(&"latency");
    assert!(is_loaded || unseen.contains("irect"), "{unseen}");
    let (document, output) = iodyno.json(&["check", "/proc/self", "--quick"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(roles(&document), ["idle"]);
    assert!(
        document["unseen"].to_string().contains("Loads: "),
        "{}",
        document["unseen"]
    );
}

#[test]
fn bad_input_is_told_apart() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("bad"));
    let expect = |arguments: &[&str], exit: i32, word: &str| {
        let output = iodyno.run(arguments);
        let said = text(&output.stderr);
        assert_eq!(code(&output), exit, "{arguments:?}: {said}");
        assert!(
            said.contains(word) && !said.contains("panicked"),
            "{arguments:?}: {said}"
        );
    };
    expect(&["check", "/no/such/place"], 5, "/no/such/place");
    expect(&["check", ".", "--quick", "--deep"], 2, "--deep");
    expect(&["check", ".", "--disk-spec", "colour=3"], 2, "colour");
    expect(&["check", "--replay", "/no/such.json"], 5, "/no/such.json");
    let file = write(
        &dir,
        "other.json",
        &serde_json::json!({"schema": "iodyno.run/1"}),
    );
    expect(
        &["check", "--replay", file.to_str().unwrap()],
        5,
        "iodyno.check/1",
    );
    let file = write(
        &dir,
        "record.json",
        &serde_json::json!({"record": {"verb": "run"}}),
    );
    expect(
        &["check", "--replay", file.to_str().unwrap()],
        5,
        "no check",
    );
}

#[test]
fn a_damaged_document_never_breaks_a_replay() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("damage"));
    let (document, output) = iodyno.json(&["check", ".", "--no-load", "--observe", "300ms"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let whole = serde_json::to_string(&document).unwrap();
    let mut state = 0x51_7C_C1_B7_27_22_0A_95u64;
    let mut dice = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    for round in 0..40 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=round % 4 {
            let place = dice(bytes.len());
            match dice(3) {
                0 => bytes[place] = b"0-9{}[]\",:ex"[dice(12)],
                1 => drop(bytes.remove(place)),
                _ => bytes.truncate(place.max(1)),
            }
        }
        let file = dir.path().join("damaged.json");
        std::fs::write(&file, &bytes).unwrap();
        let output = iodyno.run(&["check", "--replay", file.to_str().unwrap()]);
        let said = text(&output.stderr);
        assert!(
            [0, 5].contains(&code(&output)) && !said.contains("panicked"),
            "round {round}: {said}"
        );
    }
}
