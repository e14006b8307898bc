//! What is shipped beside the binary for those who install it on many machines and run it in builds: the role for Ansible, the
//! snippet for cloud-init, and the action for builds do what they say, and refuse what they should.

use crate::exported::ansible;
use crate::shipped::{archive, sh, shipped, word};
use crate::support::{Dir, Iodyno, Loop, code, text};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// Runs the role with these variables.
fn play(tool: &str, dir: &Dir, variables: &Value) -> Output {
    let play = dir.path().join("play.yml");
    let text =
        "- hosts: localhost\n  connection: local\n  gather_facts: false\n  roles: [iodyno]\n";
    std::fs::write(&play, text).unwrap();
    Command::new(tool)
        .env("ANSIBLE_ROLES_PATH", shipped("ansible/roles"))
        .env("ANSIBLE_NOCOLOR", "1")
        .args(["-e", &variables.to_string(), word(&play)])
        .output()
        .unwrap()
}

#[test]
#[ignore = "live"]
fn the_role_installs_what_was_meant_and_removes_it_when_nothing_is_changed() {
    let (Some(tool), iodyno, dir) = (ansible(), Iodyno::new(), Dir::new("role")) else {
        return;
    };
    let at = |name: &str| dir.path().join(name);
    let (packed, sum) = archive(&iodyno, &dir);
    let mut variables = json!({
        "iodyno_source": packed, "iodyno_sha256": "0".repeat(64), "iodyno_prefix": at("prefix"), "iodyno_home": at("home"),
        "iodyno_cache": at("cache"), "iodyno_unit_directory": at("units"), "iodyno_watch": true,
        "iodyno_watch_address": "127.0.0.1:9999", "iodyno_service_manager": "none",
    });
    let refused = play(&tool, &dir, &variables);
    assert!(!refused.status.success() && text(&refused.stdout).contains("Nothing was installed"));
    assert!(!at("prefix").exists() && !at("home").exists());

    variables["iodyno_sha256"] = json!(sum);
    for again in [false, true] {
        let done = play(&tool, &dir, &variables);
        let said = text(&done.stdout);
        assert!(done.status.success(), "{said}{}", text(&done.stderr));
        assert_eq!(said.contains("changed=0"), again, "{said}");
    }
    let program = at("prefix").join("bin/iodyno");
    let version = Command::new(&program).arg("--version").output().unwrap();
    assert!(text(&version.stdout).starts_with("iodyno "));
    let drop_in = at("units").join("iodyno-watch.service.d/ansible.conf");
    let started = format!("{} watch --prometheus 127.0.0.1:9999\n", word(&program));
    assert!(
        std::fs::read_to_string(&drop_in)
            .unwrap()
            .ends_with(&started)
    );

    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let settings = disk.settings();
    variables["iodyno_state"] = json!("absent");
    let set = iodyno.run(&["set", "nomerges=1", &disk.device]);
    assert_eq!(code(&set), 0, "{}", text(&set.stderr));
    let kept = play(&tool, &dir, &variables);
    assert!(!kept.status.success() && text(&kept.stdout).contains("Settings are changed"));
    assert!(program.exists());
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(disk.settings(), settings);
    let gone = play(&tool, &dir, &variables);
    assert!(gone.status.success(), "{}", text(&gone.stdout));
    let left = sh(
        "cd \"$1\" && find prefix home cache units -not -type d",
        &[word(dir.path())],
    );
    assert_eq!(text(&left.stdout), "");
}

#[test]
#[ignore = "live"]
fn the_first_boot_installs_the_archive_of_the_checksum_and_no_other() {
    let Some(tool) = ansible() else {
        return;
    };
    if skip::lacks("curl") {
        return;
    }
    let (iodyno, dir) = (Iodyno::new(), Dir::new("first-boot"));
    // Ansible's Python reads YAML.
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let python = Path::new(&tool).with_file_name("python");
    let snippet = shipped("cloud-init/iodyno.yaml");
    let given = std::fs::read_to_string(&snippet).unwrap();
    assert!(
        given.starts_with("#cloud-config\n"),
        "cloud-init goes by the first line"
    );
    let read = Command::new(python)
        .args(["-c", read, word(&snippet)])
        .output()
        .unwrap();
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    let file = &read["write_files"][0];
    assert_eq!(file["path"], read["runcmd"][0][1]);
    let script = file["content"].as_str().unwrap();
    let (packed, sum) = archive(&iodyno, &dir);
    let (from, prefix) = (
        format!("file://{}", word(&packed)),
        dir.path().join("prefix"),
    );
    let other = sh(script, &[&from, &"0".repeat(64), word(&prefix)]);
    assert!(!other.status.success() && text(&other.stderr).contains("not installed"));
    assert!(!prefix.exists());
    let done = sh(script, &[&from, &sum, word(&prefix)]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    // The second command, with the program and the file where this test has them.
    let capture = dir.path().join("first.host");
    let words = read["runcmd"][1].as_array().unwrap().iter();
    let mut words: Vec<&str> = words.map(|one| one.as_str().unwrap()).collect();
    assert_eq!(words[0], "/usr/local/bin/iodyno");
    let place = words.iter().position(|one| one.ends_with(".host")).unwrap();
    (words[0], words[place]) = (word(&prefix), word(&capture));
    let program = prefix.join("bin/iodyno");
    let captured = Command::new(program).args(&words[1..]).output().unwrap();
    assert!(captured.status.success(), "{}", text(&captured.stderr));
    let (same, _) = iodyno.json(&["diff", word(&capture), "/"]);
    assert_eq!(same["schema"], "iodyno.diff/1", "{same:#}");
}
