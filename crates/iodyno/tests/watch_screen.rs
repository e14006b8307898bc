//! The full screen of `watch`, driven through a terminal multiplexer as a person would.

use crate::support::{Dir, Iodyno, Loop, PATIENCE, signal};
use std::cell::Cell;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A multiplexer of our own with one shell in it.
pub struct Pane {
    pub socket: String,
    pub _dir: Dir,
    pub size: Cell<(u16, u16)>,
}

impl Pane {
    /// None, with the reason printed, without tmux.
    pub fn new(width: u16, height: u16) -> Option<Pane> {
        let dir = Dir::new("tmux");
        let socket = dir.path().join("s");
        // A socket's path is short or it is refused.
        let socket = match socket.as_os_str().len() < 90 {
            true => socket.to_string_lossy().into_owned(),
            false => format!("/tmp/iodyno-tmux-{}-{width}-{height}", std::process::id()),
        };
        let pane = Pane {
            socket,
            _dir: dir,
            size: Cell::new((width, height)),
        };
        let (columns, rows) = (width.to_string(), height.to_string());
        let shell = "exec env PS1='ready$ ' LC_ALL=C.UTF-8 sh";
        let started = Command::new("tmux")
            .args([
                "-f",
                "/dev/null",
                "-S",
                &pane.socket,
                "new-session",
                "-d",
                "-x",
                &columns,
                "-y",
                &rows,
                shell,
            ])
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .status();
        match started {
            Ok(status) if status.success() => Some(pane),
            Ok(status) => panic!("tmux: {status}"),
            Err(_) => {
                skip::missing("tmux", "tmux is not installed");
                None
            }
        }
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-S", &self.socket])
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "tmux {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "0"], keys].concat());
    }

    pub fn resize(&self, width: u16, height: u16) {
        self.size.set((width, height));
        self.tmux(&[
            "resize-window",
            "-t",
            "0",
            "-x",
            &width.to_string(),
            "-y",
            &height.to_string(),
        ]);
    }

    pub fn lines(&self) -> Vec<String> {
        self.tmux(&["capture-pane", "-p", "-t", "0"])
            .lines()
            .map(str::to_string)
            .collect()
    }

    /// Waits until the screen answers.
    pub fn until<T>(&self, what: &str, answer: impl Fn(&[String]) -> Option<T>) -> T {
        let since = Instant::now();
        loop {
            let lines = self.lines();
            if let Some(found) = answer(&lines) {
                return found;
            }
            assert!(
                since.elapsed() < PATIENCE,
                "{what} did not come:\n{}",
                lines.join("\n")
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn until_shown(&self, part: &str) {
        self.until(part, |lines| {
            lines.iter().any(|line| line.contains(part)).then_some(())
        });
    }

    pub fn until_gone(&self, part: &str) {
        self.until(&format!("no {part}"), |lines| {
            (!lines.iter().any(|line| line.contains(part))).then_some(())
        });
    }

    /// Starts `watch` and waits for its first picture.
    pub fn watch(&self, iodyno: &Iodyno, arguments: &str) {
        let binary = env!("CARGO_BIN_EXE_iodyno");
        let state = iodyno.state.path().display();
        self.keys(&[
            &format!("IODYNO_STATE_DIR={state} {binary} watch {arguments}; echo left with $?"),
            "Enter",
        ]);
        self.until_shown("q quit");
    }

    /// The process that draws.
    pub fn pid(&self) -> u32 {
        let shell = self.tmux(&["display-message", "-p", "-t", "0", "#{pane_pid}"]);
        let children = format!("/proc/{0}/task/{0}/children", shell.trim());
        let children = std::fs::read_to_string(children).unwrap();
        children
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok())
            .unwrap()
    }

    /// The other screen is gone, the cursor is back, and what is typed is seen again.
    pub fn assert_restored(&self, exit: &str) {
        self.until_shown(&format!("left with {exit}"));
        self.until_gone("q quit");
        let flags = self.tmux(&[
            "display-message",
            "-p",
            "-t",
            "0",
            "#{alternate_on} #{cursor_flag}",
        ]);
        assert_eq!(flags.trim(), "0 1");
        self.keys(&["echo $((6 * 7))", "Enter"]);
        self.until("what is typed", |lines| {
            lines
                .iter()
                .any(|line| line.contains("echo $((6"))
                .then_some(())
        });
        self.until("the shell", |lines| {
            lines.iter().any(|line| line.trim() == "42").then_some(())
        });
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = Command::new("tmux")
            .args(["-S", &self.socket, "kill-server"])
            .stderr(Stdio::null())
            .status();
        let _ = std::fs::remove_file(&self.socket);
    }
}

#[test]
fn a_stop_from_outside_gives_the_terminal_back() {
    let Some(pane) = Pane::new(80, 24) else {
        return;
    };
    let iodyno = Iodyno::new();
    pane.watch(&iodyno, "");
    signal(pane.pid(), "TERM");
    pane.assert_restored("130");
}

#[test]
fn the_shell_has_the_terminal_after_ctrl_z_until_fg() {
    let Some(pane) = Pane::new(80, 24) else {
        return;
    };
    let iodyno = Iodyno::new();
    pane.watch(&iodyno, "");
    let alternate = || pane.tmux(&["display-message", "-p", "-t", "0", "#{alternate_on}"]);
    let is_in_the_shell = |sum: &str| {
        pane.keys(&[&format!("echo $(({sum} * 7))"), "Enter"]);
        let (typed, answer) = (format!("echo $(({sum}"), 7 * sum.parse::<u32>().unwrap());
        pane.until("what is typed", |lines| {
            lines.iter().any(|line| line.contains(&typed)).then_some(())
        });
        let answer = answer.to_string();
        pane.until("the shell", |lines| {
            lines
                .iter()
                .any(|line| line.ends_with(&answer))
                .then_some(())
        });
        assert_eq!(alternate().trim(), "0");
    };
    let pid = pane.pid();
    pane.keys(&["C-z"]);
    pane.until_shown("Stopped");
    is_in_the_shell("6");
    pane.keys(&["fg", "Enter"]);
    pane.until_shown("q quit");
    // From outside, and once more; in the background it goes on without the terminal.
    signal(pid, "TSTP");
    pane.until_gone("q quit");
    pane.keys(&["bg", "Enter"]);
    is_in_the_shell("9");
    pane.keys(&["fg", "Enter"]);
    pane.until_shown("q quit");
    pane.keys(&["q"]);
    pane.until_gone("q quit");
    is_in_the_shell("11");
}

#[test]
fn a_terminal_that_is_gone_is_not_waited_for() {
    let Some(pane) = Pane::new(80, 24) else {
        return;
    };
    let iodyno = Iodyno::new();
    pane.watch(&iodyno, "");
    let stat = format!("/proc/{}/stat", pane.pid());
    drop(pane);
    let since = Instant::now();
    // A zombie has ended; nobody but its new parent can take it away.
    while std::fs::read_to_string(&stat).is_ok_and(|text| !text.contains(") Z ")) {
        assert!(since.elapsed() < PATIENCE, "it goes on without a terminal");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_record_outlives_its_terminal() {
    let Some(pane) = Pane::new(80, 24) else {
        return;
    };
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    pane.watch(&iodyno, &format!("/dev/{}", disk.name));
    pane.keys(&["R"]);
    pane.until_shown("recording");
    let stat = format!("/proc/{}/stat", pane.pid());
    drop(pane);
    let since = Instant::now();
    while std::fs::read_to_string(&stat).is_ok_and(|text| !text.contains(") Z ")) {
        assert!(since.elapsed() < PATIENCE, "it goes on without a terminal");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (shown, _) = iodyno.json(&["show", "1"]);
    assert_eq!(shown["record"]["verb"], "watch");
    assert_eq!(shown["record"]["target"], disk.device.as_str());
    // The devices below a loop device are watched too.
    let summary = shown["record"]["summary"].as_str().unwrap();
    assert!(
        summary.starts_with(&format!("watched {}", disk.name)),
        "{summary}"
    );
}

#[test]
fn a_terminal_that_cannot_place_words_gets_lines() {
    let Some(pane) = Pane::new(120, 24) else {
        return;
    };
    let iodyno = Iodyno::new();
    for name in ["dumb", ""] {
        let binary = env!("CARGO_BIN_EXE_iodyno");
        let state = iodyno.state.path().display();
        let command =
            format!("IODYNO_STATE_DIR={state} {binary} watch --count 1; echo left with $?");
        pane.keys(&[&format!("clear; TERM='{name}' {command}"), "Enter"]);
        pane.until_shown("left with 0");
        assert!(!pane.lines().iter().any(|line| line.contains("q quit")));
        pane.keys(&["clear", "Enter"]);
        pane.until_gone("left with");
    }
}

#[test]
fn a_terminal_that_is_too_small_says_what_suits_it() {
    let Some(pane) = Pane::new(60, 16) else {
        return;
    };
    let iodyno = Iodyno::new();
    pane.watch(&iodyno, "--ascii");
    assert!(
        pane.lines().iter().all(|line| line.is_ascii()),
        "{:?}",
        pane.lines()
    );
    pane.resize(40, 10);
    pane.until_shown("--plain");
    pane.resize(100, 30);
    pane.until_shown("? help");
    pane.keys(&["C-c"]);
    pane.assert_restored("0");
}
