//! `iodyno rights`: what it says is missing is missing, and what it prints to grant it makes the verb work.

use crate::safety::rights::Nobody;
use crate::support::{Iodyno, Loop, code, is_root, text};
use serde_json::Value;
use std::process::{Command, Output};

/// What a command for a shell gives, with this `iodyno` on the path: root needs no `sudo`.
fn pasted(line: &str, nobody: &Nobody) -> Output {
    let path = std::env::var("PATH").unwrap();
    Command::new("sh")
        .args(["-c", line.trim_start_matches("sudo ")])
        .env("PATH", format!("{}:{path}", nobody.home().display()))
        .env("IODYNO_STATE_DIR", nobody.home().join("state"))
        .output()
        .unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

fn right<'a>(verb: &'a Value, id: &str) -> &'a Value {
    let rights = verb["rights"].as_array().unwrap();
    rights.iter().find(|one| one["id"] == id).unwrap()
}

/// The lines of a way that is offered.
fn way<'a>(verb: &'a Value, way: &str) -> Vec<&'a str> {
    let grants = verb["grants"].as_array().unwrap();
    let found = grants.iter().find(|one| one["way"] == way);
    let lines = found.unwrap_or_else(|| panic!("no {way}: {verb:#}"))["lines"].as_array();
    lines
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect()
}

#[test]
fn capabilities_that_it_names_open_a_disk_to_a_user_and_trace_it() {
    let Some(disk) = Loop::new(16) else { return };
    let Some(nobody) = Nobody::new("granted") else {
        return;
    };
    let as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let asked = |prefix: &str| {
        let line = format!("{prefix} iodyno --json rights run {}", disk.device);
        document(&pasted(&line, &nobody))["verbs"][0].clone()
    };
    let before = asked(as_nobody);
    assert_eq!(before["works"], false, "{before:#}");
    assert!(
        before["why"]
            .as_str()
            .unwrap()
            .contains("may not be read by this user")
    );
    for id in ["trace", "see-others"] {
        assert_eq!(right(&before, id)["held"], false, "{before:#}");
    }
    let load = "--runtime 200ms --json --layers full";
    let refused = pasted(
        &format!("{as_nobody} iodyno run {} {load}", disk.device),
        &nobody,
    );
    assert_eq!(code(&refused), 3, "{}", text(&refused.stderr));

    let granted = way(&before, "once")[0];
    let prefix = granted.split(" iodyno ").next().unwrap();
    let after = asked(prefix);
    assert_eq!(after["works"], true, "{granted}: {after:#}");
    for id in ["see-others", "kernel-log", "priority"] {
        assert_eq!(right(&after, id)["held"], true, "{after:#}");
    }
    let done = pasted(&format!("{granted} {load}"), &nobody);
    assert_eq!(code(&done), 0, "{granted}: {}", text(&done.stderr));
    let run = document(&done);
    let root = Iodyno::new();
    let (page, _) = root.json(&["explain", "layers"]);
    if page["here"]["rung"] == "eBPF" {
        assert_eq!(right(&after, "trace")["held"], true, "{after:#}");
        assert!(!run["record"]["layers"].is_null(), "it was not traced");
    } else {
        skip::missing("kernel:tracing", &page["here"]);
    }
}

#[test]
fn a_directory_of_the_users_own_is_a_target() {
    let Some(nobody) = Nobody::new("own-directory") else {
        return;
    };
    let closed = nobody.home().join("closed");
    std::fs::create_dir(&closed).unwrap();
    let as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups iodyno";
    let before = pasted(
        &format!("{as_nobody} --json rights run {}", closed.display()),
        &nobody,
    );
    let before = document(&before)["verbs"][0].clone();
    assert_eq!(before["works"], false, "{before:#}");
    let made = pasted(way(&before, "on the target")[0], &nobody);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let target = closed.join("iodyno");
    let words = "--runtime 100ms --size 4m --direct=0";
    let done = pasted(
        &format!("{as_nobody} run {} {words}", target.display()),
        &nobody,
    );
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
}

#[test]
fn root_with_what_it_names_and_nothing_else_changes_a_setting_and_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let Some(nobody) = Nobody::new("bounded") else {
        return;
    };
    let as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups iodyno";
    let set = document(&pasted(&format!("{as_nobody} --json rights set"), &nobody));
    let set = set["verbs"][0].clone();
    assert_eq!(
        (&set["works"], &set["why"]),
        (
            &Value::Bool(false),
            &"it needs root: settings of the kernel belong to root".into()
        )
    );
    let line = way(&set, "in a unit")[1];
    let named = line.strip_prefix("CapabilityBoundingSet=").unwrap();
    let named = named.to_lowercase().replace("cap_", "+").replace(' ', ",");
    // A container's root cannot bound itself to what it has not.
    let has = document(&pasted("iodyno --json rights set", &nobody));
    if has["verbs"][0]["rights"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one["held"] == false)
    {
        return skip::missing("kernel:capabilities", "root lacks some of them here");
    }
    let bounded = format!("setpriv --bounding-set=-all,{named} iodyno");
    let settings = disk.settings();
    let done = pasted(
        &format!("{bounded} set nomerges=1 {}", disk.device),
        &nobody,
    );
    assert_eq!(code(&done), 0, "{bounded}: {}", text(&done.stderr));
    assert_ne!(disk.settings(), settings);
    let undone = pasted(&format!("{bounded} undo"), &nobody);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(disk.settings(), settings);
}

#[test]
fn all_verbs_are_told_of_in_short_and_an_unknown_one_is_refused() {
    let iodyno = Iodyno::new();
    let (all, output) = iodyno.json(&["rights"]);
    assert_eq!(
        (code(&output), &all["schema"]),
        (0, &"iodyno.rights/1".into())
    );
    let verbs = all["verbs"].as_array().unwrap();
    let of = |name: &str| verbs.iter().find(|one| one["verb"] == name).unwrap();
    assert_eq!(of("list")["works"], true);
    assert_eq!(of("tune")["works"], is_root());
    let said = text(&iodyno.run(&["rights"]).stdout);
    assert!(
        said.lines().all(|line| line.chars().count() <= 80) && said.contains("tune, apply"),
        "{said}"
    );
    assert_eq!(code(&iodyno.run(&["rights", "dance"])), 2);
    assert_eq!(code(&iodyno.run(&["rights", "run", "/nowhere at all"])), 5);
}
