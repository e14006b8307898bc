//! Every signal that can be caught: `watch` gives its terminal back, `tune` its settings, and what a limit forbids is an
//! error.

use crate::support::{Dir, Iodyno, Loop, code, signal, text, until};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Each would end a process that does not listen.
const ENDING: [&str; 12] = [
    "INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "ABRT", "SEGV",
];

/// Ends a picture that is shown at once.
const DRAWN: &str = "\x1b[?2026l";

/// What gives the first screen and the cursor back.
const LEFT: [&str; 2] = ["\x1b[?1049l", "\x1b[?25h"];

/// The full screen of `watch` on a terminal of its own.
struct Watch {
    child: Child,
    slave: File,
    before: String,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Watch {
    fn start(iodyno: &Iodyno) -> Watch {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let path = std::ffi::OsString::from_vec(ptsname(&master, Vec::new()).unwrap().into_bytes());
        // Not as the terminal of this process, which its end would hang up.
        let mut options = File::options();
        options
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits() as i32);
        let slave = options.open(path).unwrap();
        let before = modes(&slave);
        let mut command = without_core(iodyno, &["watch", "--layers", "off"]);
        command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap());
        let child = command
            .stderr(Stdio::null())
            .env("TERM", "xterm-256color")
            .spawn()
            .unwrap();
        let shown: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (to, mut from) = (Arc::clone(&shown), File::from(master));
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(bytes @ 1..) = from.read(&mut block) {
                to.lock().unwrap().extend(&block[..bytes]);
            }
        });
        Watch {
            child,
            slave,
            before,
            shown,
        }
    }

    fn shows(&self, words: &str) -> bool {
        text(&self.shown.lock().unwrap()).contains(words)
    }

    fn until_drawn(&self) {
        until("the first picture", || self.shows(DRAWN));
        assert_ne!(modes(&self.slave), self.before, "every key is read at once");
    }

    /// Waits for the end; tells what is wrong with the terminal then.
    fn left(&mut self, what: &str) -> (std::process::ExitStatus, Vec<String>) {
        let status = self.child.wait().unwrap();
        // The terminal hands on what was written before the end a moment later.
        until("the last words", || {
            LEFT.iter().all(|words| self.shows(words))
        });
        let mut wrong = Vec::new();
        if modes(&self.slave) != self.before {
            wrong.push(format!("{what}: the terminal's modes are not as before"));
        }
        (status, wrong)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

/// The modes of a terminal, to compare.
fn modes(terminal: &File) -> String {
    let Termios {
        input_modes,
        output_modes,
        control_modes,
        local_modes,
        ..
    } = tcgetattr(terminal).unwrap();
    format!("{input_modes:?} {output_modes:?} {control_modes:?} {local_modes:?}")
}

/// The binary, which leaves no core file however it ends.
fn without_core(iodyno: &Iodyno, arguments: &[&str]) -> Command {
    in_shell(iodyno, "ulimit -c 0", arguments)
}

/// The binary, in the place of a shell that first does something.
fn in_shell(iodyno: &Iodyno, first: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("{first}; exec \"$0\" \"$@\""),
        env!("CARGO_BIN_EXE_iodyno"),
    ]);
    command
        .args(arguments)
        .env("IODYNO_STATE_DIR", iodyno.state.path())
        .env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}

/// Two signals of a fault's kind at once: the first asks for an end, the second is the end.
fn end_at_once(pid: u32) {
    for name in ["STOP", "ABRT", "SEGV", "CONT"] {
        signal(pid, name);
    }
}

#[test]
fn the_terminal_comes_back_after_every_signal() {
    let iodyno = Iodyno::new();
    let mut watches: Vec<(Watch, &str)> = ENDING
        .into_iter()
        .chain(["at once"])
        .map(|name| (Watch::start(&iodyno), name))
        .collect();
    watches.iter().for_each(|(watch, _)| watch.until_drawn());
    let mut wrong = Vec::new();
    for (watch, name) in &mut watches {
        match *name {
            "at once" => end_at_once(watch.child.id()),
            name => signal(watch.child.id(), name),
        }
        let (status, found) = watch.left(name);
        wrong.extend(found);
        let is_right = match *name {
            "at once" => status
                .signal()
                .is_some_and(|signal| [6, 11].contains(&signal)),
            _ => status.code() == Some(130),
        };
        if !is_right {
            wrong.push(format!("{name}: {status}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A loop device in memory, and a tune of its scheduler that has begun.
struct Tune {
    disk: Loop,
    iodyno: Iodyno,
    before: Vec<String>,
}

impl Tune {
    fn new() -> Option<Tune> {
        let disk = Loop::in_memory(32)?;
        if disk.lacks_scheduler("mq-deadline") {
            return None;
        }
        disk.set("scheduler", "none");
        let before = disk.settings();
        Some(Tune {
            disk,
            iodyno: Iodyno::new(),
            before,
        })
    }

    /// A tune that holds a changed setting at this moment.
    fn with_a_change(&self) -> Child {
        let words = [
            "tune",
            &self.disk.device,
            "--knob",
            "scheduler=mq-deadline",
            "--rate-iops",
            "500",
        ];
        let mut command = without_core(&self.iodyno, &words);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        self.until_changed(&mut child);
        child
    }

    fn until_changed(&self, child: &mut Child) {
        until("a changed setting", || {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it changed anything"
            );
            self.disk.settings() != self.before
        });
    }

    fn is_back(&self, what: &str) {
        assert_eq!(self.disk.settings(), self.before, "{what}");
        let (status, _) = self.iodyno.json(&["status"]);
        assert_eq!(status["journals"].as_array().unwrap().len(), 0, "{what}");
    }
}

fn ended(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

#[test]
fn a_tune_puts_back_what_it_holds_on_signals_that_dump_core_by_default() {
    let Some(tune) = Tune::new() else { return };
    for name in ["QUIT", "ABRT"] {
        let child = tune.with_a_change();
        signal(child.id(), name);
        // Impatience changes nothing.
        signal(child.id(), "INT");
        let output = ended(child);
        assert_eq!(code(&output), 130, "{name}: {}", text(&output.stderr));
        assert!(
            text(&output.stderr).contains("every setting is back as it was"),
            "{name}"
        );
        tune.is_back(name);
    }
}

#[test]
fn a_tune_that_dies_of_a_fault_leaves_a_journal_for_undo() {
    let Some(tune) = Tune::new() else { return };
    let child = tune.with_a_change();
    signal(child.id(), "STOP");
    let is_changed = tune.disk.settings() != tune.before;
    end_at_once(child.id());
    assert_eq!(code(&ended(child)), -1, "a signal ended it");
    assert_eq!(tune.disk.settings() != tune.before, is_changed);
    let warned = text(&tune.iodyno.run(&["list"]).stderr);
    assert!(warned.contains("iodyno undo"), "{warned}");
    assert_eq!(code(&tune.iodyno.run(&["undo"])), 0);
    tune.is_back("after undo");
}

#[test]
fn a_tune_with_a_changed_setting_is_not_paused() {
    let Some(tune) = Tune::new() else { return };
    let mut child = tune.with_a_change();
    for name in ["TSTP", "TTOU"] {
        signal(child.id(), name);
        std::thread::sleep(Duration::from_millis(200));
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        assert!(!stat.contains(") T "), "{name} stopped it: {stat}");
    }
    // The words come after the window that runs.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let is_said = lines.any(|line| line.unwrap().contains("Ctrl-Z does not pause a tune"));
    assert!(is_said, "it ended without these words");
    let rest = std::thread::spawn(move || lines.count());
    tune.until_changed(&mut child);
    signal(child.id(), "INT");
    assert_eq!(code(&ended(child)), 130);
    rest.join().unwrap();
    tune.is_back("after Ctrl-Z and Ctrl-C");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("limit"));
    let words = [
        "run",
        dir.path().to_str().unwrap(),
        "--size",
        "8m",
        "--runtime",
        "100ms",
        "--direct",
        "0",
    ];
    let output = in_shell(&iodyno, "ulimit -c 0; ulimit -f 4096", &words)
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), 5, "{}: {said}", output.status);
    assert!(said.contains("File too large"), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn nohup_outlives_the_terminal() {
    let iodyno = Iodyno::new();
    let mut command = in_shell(
        &iodyno,
        "trap '' HUP",
        &["watch", "--plain", "--layers", "off", "--every", "100ms"],
    );
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    // It listens before it prints anything.
    assert!(out.read(&mut [0; 16]).unwrap() > 0);
    signal(child.id(), "HUP");
    // It goes on printing: what was on its way may come first.
    for _ in 0..5 {
        let more = out.read(&mut [0; 4096]).unwrap();
        assert!(more > 0, "SIGHUP ended it, though nohup was asked for");
    }
    signal(child.id(), "INT");
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    assert!(
        child.wait().unwrap().code().is_some(),
        "SIGINT is heard as ever"
    );
}
