//! `fleet` over a real sshd, and over a command that leads elsewhere: loads that begin together, hosts that are cut off,
//! die, hang, are full or send garbage, and what is taken back later.

mod ground;

use crate::support::{Dir, Iodyno, Loop, code, signal, text, until};
use ground::{Ground, Nature, document};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const FOUR: [Nature; 4] = [Nature::Good; 4];

/// A host of an answer.
fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let hosts = answer["hosts"].as_array().unwrap();
    let host = hosts.iter().find(|host| host["name"] == name);
    host.unwrap_or_else(|| panic!("no {name} in {answer:#}"))
}

fn state<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["state"].as_str().unwrap()
}

fn why<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["why"].as_str().unwrap_or_default()
}

/// A load of a directory that all hosts have.
fn load<'a>(target: &'a str, seconds: &'a str) -> Vec<&'a str> {
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
fn four_hosts_begin_together_and_are_one_answer() {
    let Some(ground) = Ground::new(&FOUR) else {
        return;
    };
    let scratch = Dir::new("fleet-load");
    let target = scratch.path().to_str().unwrap();
    let (answer, output) = ground.fleet(&[], &load(target, "2s"));
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}\n{answer:#}");
    assert_eq!(answer["schema"], "iodyno.fleet/1");
    assert_eq!(answer["fleet"]["hosts"], 4, "{answer:#}");
    // The histogram of all is the sum of those that were kept.
    let mut ios = 0;
    for host in ["h1", "h2", "h3", "h4"] {
        let id = of(&answer, host)["record"].as_i64().unwrap().to_string();
        let (shown, _) = ground.iodyno.json(&["show", &id]);
        let record = &shown["record"];
        ios += record["load"]["read"]["ios"].as_u64().unwrap();
        assert!(of(&answer, host)["p99_ns"].as_u64().unwrap() > 0);
        assert!(of(&answer, host)["clock"]["error_ns"].as_u64().unwrap() > 0);
    }
    let counts = answer["fleet"]["latency"].as_array().unwrap();
    let merged: u64 = counts.iter().map(|one| one[1].as_u64().unwrap()).sum();
    assert_eq!(merged, ios);
    // One machine has one clock: the offset of each is 0 within what it states.
    for host in answer["hosts"].as_array().unwrap() {
        let offset = host["clock"]["offset_ns"].as_i64().unwrap();
        let error = host["clock"]["error_ns"].as_u64().unwrap();
        assert!(offset.unsigned_abs() <= error, "{host:#}");
    }
    assert_eq!(answer["start"]["hosts"], 4);
    let skew = answer["start"]["skew_ns"].as_u64().unwrap();
    assert!(skew < 1_000_000_000, "{skew} ns");
    assert!(said.contains("begun together: 4 hosts within"), "{said}");
    let left = std::fs::read_dir(scratch.path()).unwrap().count();
    assert_eq!(left, 0, "no scratch is left");
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
struct AtWork(Option<Child>);

impl AtWork {
    fn end(mut self) -> Output {
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
fn a_host_cut_off_one_killed_and_one_that_hangs_are_named_and_the_others_complete() {
    let Some(ground) = Ground::new(&FOUR) else {
        return;
    };
    let scratch = Dir::new("fleet-load");
    let target = scratch.path().to_str().unwrap();
    // The binaries are there before, so that all begin soon.
    assert_eq!(code(&ground.fleet(&[], &["status"]).1), 0);
    let mut command = ground.command(&["--silence", "4s"], &load(target, "8s"));
    let fleet = AtWork(Some(command.spawn().unwrap()));
    until("every host has a load", || {
        ground.hosts.iter().all(|host| host.processes().len() >= 2)
    });
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    // The connection of one ends; all of iodyno dies on the next; the last one stands still.
    let cut = ground.hosts[1].sessions();
    assert!(!cut.is_empty());
    cut.iter().for_each(|pid| signal(*pid, "KILL"));
    for pid in ground.hosts[2].processes() {
        send(pid, "KILL");
    }
    let frozen = Frozen::new(ground.hosts[3].processes());
    let output = fleet.end();
    let (answer, said) = (document(&output), text(&output.stderr));
    assert_eq!(code(&output), 5, "{said}\n{answer:#}");
    assert_eq!(state(&answer, "h1"), "done", "{said}\n{answer:#}");
    assert!(of(&answer, "h1")["record"].is_i64());
    assert_eq!(state(&answer, "h2"), "lost", "{answer:#}");
    assert_eq!(state(&answer, "h3"), "lost", "{answer:#}");
    assert_eq!(state(&answer, "h4"), "silent", "{answer:#}");
    assert!(
        why(&answer, "h4").contains("nothing was heard of it for 4.0 s"),
        "{answer:#}"
    );
    let pending: Vec<&str> = answer["pending"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(pending, ["h2", "h3", "h4"]);
    assert_eq!(answer["next"], "iodyno fleet undo");
    // What was cut off notices it, puts everything back and ends.
    until("h2 has ended by itself", || {
        ground.hosts[1].processes().is_empty()
    });
    drop(frozen);
    until("h4 has ended by itself", || {
        ground.hosts[3].processes().is_empty()
    });
    let undo = ground.iodyno.run(&["--json", "fleet", "undo"]);
    let undone = document(&undo);
    assert_eq!(code(&undo), 0, "{undone:#}");
    for host in ["h2", "h3", "h4"] {
        assert_eq!(
            of(&undone, host)["finding"],
            "nothing was left changed there"
        );
    }
    assert!(undone["pending"].is_null());
    assert_eq!(
        code(&ground.iodyno.run(&["fleet", "undo"])),
        2,
        "nothing is pending"
    );
}

/// Sends a signal to a process that may have ended already.
fn send(pid: u32, name: &str) {
    let line = format!("kill -{name} {pid} 2>/dev/null");
    let _ = Command::new("sh").args(["-c", &line]).status();
}

/// Processes that stand still until this is dropped.
struct Frozen(Vec<u32>);

impl Frozen {
    fn new(pids: Vec<u32>) -> Frozen {
        pids.iter().for_each(|pid| signal(*pid, "STOP"));
        Frozen(pids)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for pid in &self.0 {
            send(*pid, "CONT");
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
        ground.hosts.iter().all(|host| host.processes().len() >= 2)
    });
    std::thread::sleep(std::time::Duration::from_secs(3));
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
struct Rooms {
    dir: Dir,
    iodyno: Iodyno,
    binary: String,
}

impl Rooms {
    /// `enter` is what stands in front of each command: a script that is given the command's words.
    fn new(enter: &str) -> Rooms {
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
    fn via(&self) -> String {
        let dir = self.dir.path().display();
        format!(
            "env IODYNO_STATE_DIR={dir}/{{host}}-state XDG_CACHE_HOME={dir}/{{host}}-cache ROOM={dir}/{{host}} \
             sh {dir}/enter {{command}}"
        )
    }

    fn room(&self, host: &str) -> std::path::PathBuf {
        self.dir.path().join(host)
    }

    fn fleet(&self, hosts: &str, options: &[&str], verb: &[&str]) -> (Value, Output) {
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

const ENTER: &str = "cd \"$ROOM\" && exec \"$@\"\n";

#[test]
fn the_odd_host_is_named_with_what_goes_with_it() {
    let rooms = Rooms::new(ENTER);
    // Three lie in memory, where fsync waits for nothing; the fourth on a disk.
    let memory = std::path::PathBuf::from(format!("/dev/shm/iodyno-fleet-{}", std::process::id()));
    if std::fs::create_dir(&memory).is_err() {
        skip::missing("shm", "no file system in memory");
        return;
    }
    let _memory = Removed(memory.clone());
    for host in ["r1", "r2", "r3"] {
        std::fs::create_dir(memory.join(host)).unwrap();
        std::os::unix::fs::symlink(memory.join(host), rooms.room(host)).unwrap();
    }
    std::fs::create_dir(rooms.room("r4")).unwrap();
    let (answer, output) = rooms.fleet("r[1:4]", &[], &["diff", "."]);
    assert_eq!(code(&output), 0, "{}\n{answer:#}", text(&output.stderr));
    let rows = answer["settings"]["rows"].as_array().unwrap();
    assert!(!rows.is_empty(), "{answer:#}");
    for row in rows {
        let others = row["others"].as_array().unwrap();
        assert_eq!(others.len(), 1, "{row:#}");
        assert_eq!(others[0]["host"], "r4");
    }
    let job = "run . -- -rw=randwrite -bs=4k -fsync=1 -direct=0 -size=8m -runtime=2 -time_based=1";
    let job: Vec<&str> = job.split(' ').collect();
    let (answer, output) = rooms.fleet("r[1:4]", &["--at-once", "2"], &job);
    assert_eq!(code(&output), 0, "{}\n{answer:#}", text(&output.stderr));
    let rate = |host: &str| of(&answer, host)["iops"].as_f64().unwrap();
    let least = rate("r1").min(rate("r2")).min(rate("r3"));
    if rate("r4") * 20.0 > least {
        let why = "the disk syncs nearly as fast as memory here";
        skip::missing("machine:speed", why);
        return;
    }
    let odd = answer["outliers"].as_array().unwrap();
    assert!(odd.iter().any(|one| one["host"] == "r4"), "{answer:#}");
    let goes = answer["goes_with"].as_array().unwrap();
    assert!(!goes.is_empty(), "{answer:#}");
    assert_eq!(goes[0]["by_chance"], 0.25, "{answer:#}");
    let next = answer["next"].as_str().unwrap();
    assert!(next.starts_with("iodyno fleet --hosts r4 --via "), "{next}");
    assert!(next.ends_with(" check ."), "{next}");
}

/// A directory that goes when it is dropped.
struct Removed(std::path::PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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
