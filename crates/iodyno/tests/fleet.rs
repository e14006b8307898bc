//! `fleet` over a real sshd, and over a command that leads elsewhere: loads that begin together, hosts that are cut off,
//! die, hang, are full or send garbage, and what is taken back later.

use crate::support::{Dir, Iodyno, Loop, code, has_load, signal, text, until};
use ground::{Ground, Nature, document};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub mod ground;

/// A host of an answer.
pub fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let hosts = answer["hosts"].as_array().unwrap();
    let host = hosts.iter().find(|host| host["name"] == name);
    host.unwrap_or_else(|| panic!("no {name} in {answer:#}"))
}

pub fn state<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["state"].as_str().unwrap()
}

pub fn why<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["why"].as_str().unwrap_or_default()
}

/// A load of a directory that all hosts have.
pub fn load<'a>(target: &'a str, seconds: &'a str) -> Vec<&'a str> {
    vec![
        "run",
        target,
        "--runtime",
        seconds,
        "--size",
        "8m",
        "--rw",
        "randread",
        "--bs",
        "4k",
    ]
}

#[test]
fn the_binary_is_sent_once_never_run_when_it_was_changed_and_removed_on_request() {
    let Some(ground) = Ground::new(&[Nature::Good, Nature::Chatty]) else {
        return;
    };
    let (answer, output) = ground.fleet(&[], &["status"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}\n{answer:#}");
    assert_eq!(said.matches("taking the binary").count(), 2, "{said}");
    assert_eq!(of(&answer, "h1")["document"]["schema"], "iodyno.status/1");
    assert_eq!(ground.hosts[0].binaries().len(), 1);
    let (_, output) = ground.fleet(&[], &["status"]);
    assert!(!text(&output.stderr).contains("taking the binary"));
    // One that was exchanged under its name is not executed but sent again.
    let name = &ground.hosts[0].binaries()[0];
    let file = ground.hosts[0].cache().join("iodyno-fleet").join(name);
    let proof = ground.dir.path().join("was-run");
    let script = format!("#!/bin/sh\ntouch {}\n", proof.display());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, script).unwrap();
    let (_, output) = ground.fleet(&[], &["status"]);
    assert_eq!(code(&output), 0);
    assert_eq!(text(&output.stderr).matches("taking the binary").count(), 1);
    assert!(!proof.exists());
    let (answer, output) = ground.fleet(&[], &["forget"]);
    assert_eq!(code(&output), 0, "{answer:#}");
    assert_eq!(of(&answer, "h1")["finding"], "1 binary removed");
    assert!(!ground.hosts[0].cache().join("iodyno-fleet").exists());
}

#[test]
fn noise_floods_full_disks_and_absent_hosts_cost_only_themselves() {
    use Nature::{Absent, Flood, Good, Noise};
    let Some(ground) = Ground::new(&[Good, Noise, Flood, Absent, Good]) else {
        return;
    };
    let cache = ground.hosts[4].cache();
    let full = Full::over(&cache);
    let (answer, output) = ground.fleet(&["--silence", "20s"], &["status"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 5, "{said}\n{answer:#}");
    assert_eq!(state(&answer, "h1"), "done");
    assert_eq!(state(&answer, "h2"), "garbage", "{answer:#}");
    assert_eq!(state(&answer, "h3"), "garbage", "{answer:#}");
    assert_eq!(state(&answer, "h4"), "unreachable");
    assert!(why(&answer, "h4").contains("refused"), "{answer:#}");
    if full.is_some() {
        assert_eq!(state(&answer, "h5"), "refused", "{answer:#}");
        assert!(why(&answer, "h5").contains("No space left"), "{answer:#}");
    }
    assert_eq!(answer["error"]["exit"], 5);
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert!(output.stdout.len() + output.stderr.len() < 200_000);
}

/// A file system without room at a path; unmounted when it is dropped. None where that cannot be.
struct Full<'a>(&'a Path);

impl Full<'_> {
    fn over(path: &Path) -> Option<Full<'_>> {
        if !crate::support::is_root() {
            skip::missing("root", "a full file system needs a mount");
            return None;
        }
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "none"])
            .arg(path)
            .status();
        if !mounted.is_ok_and(|status| status.success()) {
            skip::missing("mount", "this machine mounts no tmpfs");
            return None;
        }
        Some(Full(path))
    }
}

impl Drop for Full<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// A fleet at work; ended, and waited for, when it is dropped.
pub struct AtWork(pub Option<Child>);

impl AtWork {
    pub fn end(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn ctrl_c_stops_every_host_and_keeps_what_ran_until_then() {
    let Some(ground) = Ground::new(&[Nature::Good, Nature::Good]) else {
        return;
    };
    let scratch = Dir::new("fleet-load");
    let target = scratch.path().to_str().unwrap();
    let mut command = ground.command(&[], &load(target, "300s"));
    let fleet = AtWork(Some(command.spawn().unwrap()));
    until("every host has a load", || {
        let loads = |host: &ground::FleetHost| host.processes().into_iter().any(has_load);
        ground.hosts.iter().all(loads)
    });
    signal(fleet.0.as_ref().unwrap().id(), "INT");
    let output = fleet.end();
    let answer = document(&output);
    assert_eq!(code(&output), 130, "{}\n{answer:#}", text(&output.stderr));
    for host in ["h1", "h2"] {
        assert_eq!(state(&answer, host), "stopped", "{answer:#}");
        assert!(of(&answer, host)["record"].is_i64(), "{answer:#}");
    }
    assert!(answer["pending"].is_null(), "{answer:#}");
    assert!(ground.hosts.iter().all(|host| host.processes().is_empty()));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

/// Hosts that a command leads to: directories of this machine, each with state and cache of its own.
pub struct Rooms {
    pub dir: Dir,
    pub iodyno: Iodyno,
    pub binary: String,
}

impl Rooms {
    /// `enter` is what stands in front of each command: a script that is given the command's words.
    pub fn new(enter: &str) -> Rooms {
        let dir = Dir::new("fleet-rooms");
        std::fs::write(dir.path().join("enter"), enter).unwrap();
        let binary = ground::stripped(dir.path());
        let binary = format!("{}={}", std::env::consts::ARCH, binary.display());
        Rooms {
            dir,
            iodyno: Iodyno::new(),
            binary,
        }
    }

    /// The template: each host's working directory is its own.
    pub fn via(&self) -> String {
        let dir = self.dir.path().display();
        format!(
            "env IODYNO_STATE_DIR={dir}/{{host}}-state XDG_CACHE_HOME={dir}/{{host}}-cache ROOM={dir}/{{host}} \
             sh {dir}/enter {{command}}"
        )
    }

    pub fn room(&self, host: &str) -> std::path::PathBuf {
        self.dir.path().join(host)
    }

    pub fn fleet(&self, hosts: &str, options: &[&str], verb: &[&str]) -> (Value, Output) {
        let via = self.via();
        let fleet = [
            "--json",
            "fleet",
            "--hosts",
            hosts,
            "--via",
            &via,
            "--binary",
            &self.binary,
        ];
        let words = [&fleet[..], options, verb].concat();
        let output = self
            .iodyno
            .command(&words)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (document(&output), output)
    }
}

pub const ENTER: &str = "cd \"$ROOM\" && exec \"$@\"\n";

#[test]
fn what_a_lost_host_was_left_with_is_pending_and_undone_later() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "none");
    let before = disk.settings();
    // Where a file says so, the connection is lost before the answer of the verb comes through.
    let rooms = Rooms::new(
        "cd \"$ROOM\"\n[ -e flaky ] || exec \"$@\"\n\"$@\" | while read -r line; do\n\
         case $line in *'\"tell\":\"document\"'*) exit 1 ;; esac\nprintf '%s\\n' \"$line\"\ndone\n",
    );
    std::fs::create_dir(rooms.room("r1")).unwrap();
    std::fs::write(rooms.room("r1").join("flaky"), "").unwrap();
    let record = crate::undo::store_a_win(&rooms.iodyno, &disk.name, "none", "mq-deadline");
    let apply = ["apply", record.as_str(), "--from-elsewhere"];
    let (answer, output) = rooms.fleet("r1", &["--silence", "3s"], &apply);
    assert_eq!(code(&output), 5, "{}\n{answer:#}", text(&output.stderr));
    assert_eq!(state(&answer, "r1"), "silent", "{answer:#}");
    assert_eq!(answer["pending"][0]["name"], "r1");
    assert_ne!(disk.settings(), before, "it was applied all the same");
    // While the host is still lost, nothing is forgotten.
    let still = rooms
        .iodyno
        .command(&["--json", "fleet", "--silence", "3s", "undo"]);
    let still = { still }.output().unwrap();
    assert_eq!(code(&still), 5, "{}", text(&still.stderr));
    std::fs::remove_file(rooms.room("r1").join("flaky")).unwrap();
    let undo = rooms.iodyno.run(&["--json", "fleet", "undo"]);
    let undone = document(&undo);
    assert_eq!(code(&undo), 0, "{}\n{undone:#}", text(&undo.stderr));
    assert_eq!(disk.settings(), before);
    assert!(undone["pending"].is_null(), "{undone:#}");
}

#[test]
fn an_apply_that_its_host_refuses_is_told_with_the_reason() {
    let rooms = Rooms::new(ENTER);
    std::fs::create_dir(rooms.room("r1")).unwrap();
    let record = crate::undo::store_a_win(&rooms.iodyno, "nosuchdisk0", "none", "mq-deadline");
    let (answer, output) = rooms.fleet("r1", &[], &["apply", &record]);
    assert_eq!(code(&output), 4, "{}\n{answer:#}", text(&output.stderr));
    assert_eq!(state(&answer, "r1"), "failed");
    let error = of(&answer, "r1")["error"]["error"].as_str().unwrap();
    assert!(error.contains("was read from"), "{error}");
}

#[test]
fn a_sudo_that_asks_is_said_with_the_rule_it_needs() {
    let rooms = Rooms::new("PATH=\"$ROOM:$PATH\"; cd \"$ROOM\" && exec \"$@\"\n");
    std::fs::create_dir(rooms.room("r1")).unwrap();
    // A sudo that wants a password says so and ends with 1.
    let sudo = rooms.room("r1").join("sudo");
    std::fs::write(
        &sudo,
        "#!/bin/sh\necho 'sudo: a password is required' >&2; exit 1\n",
    )
    .unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&sudo, executable).unwrap();
    let (answer, output) = rooms.fleet("r1", &["--sudo"], &["status"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 3, "{said}");
    assert!(
        said.contains("note: on each host `sudo -n` has to start"),
        "{said}"
    );
    assert_eq!(state(&answer, "r1"), "refused");
    let hint = of(&answer, "r1")["hint"].as_str().unwrap();
    assert!(hint.contains("ALL=(root) NOPASSWD: sha256:"), "{hint}");
    assert!(hint.contains("root there for all purposes"), "{hint}");
}

#[test]
fn what_makes_no_sense_is_said_before_any_host_is_asked() {
    let iodyno = Iodyno::new();
    for (words, part) in [
        ("fleet status", "which hosts?"),
        ("fleet --hosts -oProxyCommand=x status", "begins with `-`"),
        ("fleet --hosts h1 tune /srv", "nothing that a fleet does"),
        ("fleet --hosts h1 inspect --al", "--al"),
        ("fleet --hosts h1 --via cat status", "put {command} there"),
        ("fleet --hosts ./no/file status", "there is no file"),
        (
            "fleet --hosts h1 --binary arm64=/etc/passwd status",
            "no executable",
        ),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = iodyno.run(&words);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
    }
    let listed = Dir::new("fleet-hosts");
    let file = listed.path().join("hosts");
    std::fs::write(&file, "h1\n\nh2 h3\n").unwrap();
    let output = iodyno.run(&["fleet", "--hosts", file.to_str().unwrap(), "status"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2);
    assert!(
        said.contains("hosts line 3: `h2 h3` is more than a host"),
        "{said}"
    );
}
