//! How changes end: everything is back before anybody waits for a load, whatever the load's programs do meanwhile.

use crate::support::{Dir, Iodyno, Killed, Loop, code, signal, text, until};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What a knob has that was not tried.
const FOUND: &str = "0";
const TRIED: &str = "2";

/// A loop device, and a directory where the programs of a load say what they do.
struct Stand {
    disk: Loop,
    iodyno: Iodyno,
    dir: Dir,
}

impl Stand {
    fn new() -> Option<Stand> {
        let disk = Loop::in_memory(32)?;
        disk.set("nomerges", FOUND);
        Some(Stand {
            disk,
            iodyno: Iodyno::new(),
            dir: Dir::new("ends"),
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Words for a shell that start a daemon: a process in a session of its own, which keeps the output open.
    fn daemon(&self) -> String {
        let pid = self.file("daemon");
        format!(
            "setsid sh -c 'echo $$ >>{0}; exec sleep 600' & ",
            pid.display()
        )
    }

    /// The daemons that loads have left, once there is one; ended when this is dropped.
    fn daemons(&self) -> Daemons {
        let daemons = Daemons(self.file("daemon"));
        until("a daemon", || !daemons.pids().is_empty());
        daemons
    }

    /// A tune with this load, and the moment when the tried value is in place.
    fn tune(&self, words: &[&str]) -> Killed {
        let own = [
            "tune",
            self.disk.device.as_str(),
            "--knob",
            "nomerges=0,2",
            "--budget",
            "10m",
        ];
        let mut child = self.iodyno.spawn(&[&own[..], words].concat());
        until("the tried value", || {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before: {}", self.iodyno.said());
            self.disk.value("nomerges") == TRIED
        });
        child
    }

    /// The value found is back while the daemon lives, the tune has ended, and says what it left.
    fn assert_back(&self, mut child: Killed, status: i32, daemons: &Daemons) {
        until("the value found", || self.disk.value("nomerges") == FOUND);
        until("the end", || child.try_wait().unwrap().is_some());
        assert!(daemons.live(), "nobody may wait for the daemon, nor end it");
        let said = self.iodyno.said();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{said}");
        let is_named = |pid: &u32| said.contains(&format!("still run: sleep ({pid})"));
        assert!(daemons.pids().iter().any(is_named), "{said}");
        assert_eq!(self.disk.value("nomerges"), FOUND, "{said}");
        self.iodyno.assert_nothing_is_changed();
    }
}

/// The file in which each daemon says its number: a tune starts its load more than once.
struct Daemons(PathBuf);

impl Daemons {
    fn pids(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    fn live(&self) -> bool {
        let is_daemon = |pid: &u32| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
            name.is_ok_and(|name| name == "sleep\n")
        };
        self.pids().iter().all(is_daemon)
    }
}

impl Drop for Daemons {
    fn drop(&mut self) {
        self.pids().iter().for_each(|pid| signal(*pid, "KILL"));
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_daemon_of_the_load_keeps_nothing_changed_after_a_signal() {
    let Some(stand) = Stand::new() else { return };
    let load = format!(
        "{}while :; do echo rate 100; sleep 0.01; done",
        stand.daemon()
    );
    let child = stand.tune(&["--command", &load, "--metric-regex", "rate ([0-9]+)"]);
    let daemons = stand.daemons();
    signal(child.id(), "INT");
    stand.assert_back(child, 130, &daemons);
}

#[test]
fn a_daemon_of_the_command_beside_the_load_keeps_nothing_changed() {
    let Some(stand) = Stand::new() else { return };
    let end = stand.file("end");
    let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", end.display());
    let beside = format!("{}{wait}", stand.daemon());
    let child = stand.tune(&["--size", "16m", "--beside", &beside]);
    let daemons = stand.daemons();
    signal(child.id(), "INT");
    stand.assert_back(child, 130, &daemons);
    drop(daemons);
    // Its shell ends in the middle of the tune, which is an error that ends the tune.
    let child = stand.tune(&["--size", "16m", "--beside", &beside]);
    let daemons = stand.daemons();
    std::fs::write(&end, "").unwrap();
    stand.assert_back(child, 5, &daemons);
}

#[test]
fn everything_is_back_before_a_program_is_asked_to_end() {
    let Some(stand) = Stand::new() else { return };
    let ended = stand.file("ended");
    let load = format!(
        "trap 'cat {} >{}; exit' TERM; while :; do echo rate 100; sleep 0.01; done",
        format_args!("/sys/block/{}/queue/nomerges", stand.disk.name),
        ended.display()
    );
    let mut child = stand.tune(&["--command", &load, "--metric-regex", "rate ([0-9]+)"]);
    signal(child.id(), "INT");
    until("the end", || child.try_wait().unwrap().is_some());
    assert_eq!(
        child.wait().unwrap().code(),
        Some(130),
        "{}",
        stand.iodyno.said()
    );
    let seen = std::fs::read_to_string(&ended).unwrap();
    assert_eq!(
        seen.trim(),
        FOUND,
        "what the program saw when it was asked to end"
    );
    stand.iodyno.assert_nothing_is_changed();
}

/// Signals at whatever moment of a `set`: all of it stands and can be undone, or all of it is back.
#[test]
fn a_set_is_never_left_half_done_by_a_signal() {
    let Some(stand) = Stand::new() else { return };
    if stand.disk.lacks_scheduler("mq-deadline") {
        return;
    }
    stand.disk.set("scheduler", "none");
    let before = stand.disk.settings();
    let device = stand.disk.device.as_str();
    let words = [
        "set",
        "scheduler=mq-deadline",
        "nomerges=2",
        "read_ahead_kb=64",
        device,
    ];
    let mut kinds = [0, 0];
    for (round, name) in ["INT", "TERM", "HUP"].iter().cycle().take(6).enumerate() {
        let child = stand
            .iodyno
            .command(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = signalled(
            child,
            name,
            || stand.disk.settings() != before,
            round % 2 == 0,
        );
        let said = text(&output.stderr);
        match code(&output) {
            0 => {
                kinds[0] += 1;
                let undone = stand.iodyno.run(&["undo", "--all"]);
                assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
            }
            130 => {
                kinds[1] += 1;
                assert!(said.contains(&format!("stopped by SIG{name}")), "{said}");
                assert!(said.contains("Everything was put back"), "{said}");
            }
            // It came before anybody listened, so that nothing was written.
            -1 => assert_eq!(stand.disk.settings(), before, "{name}: {said}"),
            other => panic!("{other}: {said}"),
        }
        assert_eq!(stand.disk.settings(), before, "{name}: {said}");
        stand.iodyno.assert_nothing_is_changed();
    }
    println!("{} kept, {} put back", kinds[0], kinds[1]);
}

/// Signals at whatever moment of an `undo` of two changes: each is undone or stands, and the next `undo` goes on.
#[test]
fn no_change_is_left_half_undone_by_a_signal() {
    let Some(stand) = Stand::new() else { return };
    let (iodyno, disk) = (&stand.iodyno, &stand.disk);
    disk.set("nomerges", "0");
    let before = disk.settings();
    let set = |words: &[&str]| {
        let words = [&["set"], words, &[disk.device.as_str()]].concat();
        assert_eq!(code(&iodyno.run(&words)), 0, "{words:?}");
        disk.settings()
    };
    for (round, name) in ["INT", "TERM", "HUP"].iter().cycle().take(6).enumerate() {
        let first = set(&["nomerges=1", "read_ahead_kb=64"]);
        let second = set(&["nomerges=2", "read_ahead_kb=32"]);
        let mut command = iodyno.command(&["undo", "--all"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let has_begun = || disk.settings() != second;
        let output = signalled(child, name, has_begun, round % 2 == 0);
        let (now, said) = (disk.settings(), text(&output.stderr));
        match code(&output) {
            0 => assert_eq!(now, before, "{name}: {said}"),
            130 => {
                assert!(now == first || now == second, "{name}: {now:?}: {said}");
                assert!(said.contains(&format!("stopped by SIG{name}")), "{said}");
            }
            // It came before anybody listened, so that nothing was written.
            -1 => assert_eq!(now, second, "{name}: {said}"),
            other => panic!("{other}: {said}"),
        }
        iodyno.run(&["undo", "--all"]);
        assert_eq!(disk.settings(), before, "{name}: {said}");
        iodyno.assert_nothing_is_changed();
    }
}

/// The end of a process that gets a signal as soon as something is so, or at once.
fn signalled(child: Child, name: &str, is_so: impl Fn() -> bool + Sync, waits: bool) -> Output {
    // Not its number, which may be another's once it has ended.
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    let process = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    let number = match name {
        "INT" => Signal::INT,
        "TERM" => Signal::TERM,
        _ => Signal::HUP,
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while waits && !is_so() && !is_over.load(Relaxed) {
                std::hint::spin_loop();
            }
            let _ = pidfd_send_signal(&process, number);
        });
        let output = child.wait_with_output().unwrap();
        is_over.store(true, Relaxed);
        output
    })
}
