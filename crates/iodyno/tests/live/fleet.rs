//! `fleet` over a real sshd, and over a command that leads elsewhere: loads that begin together, hosts that are cut off,
//! die, hang, are full or send garbage, and what is taken back later.

use crate::fleet::{AtWork, ENTER, Rooms, ground, load, of, state, why};
use crate::support::{Dir, code, signal, text, until};
use ground::{Ground, Nature, document};
use std::process::Command;

const FOUR: [Nature; 4] = [Nature::Good; 4];

#[test]
#[ignore = "live"]
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
#[ignore = "live"]
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
#[ignore = "live"]
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
