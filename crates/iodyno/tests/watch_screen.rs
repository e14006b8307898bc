//! The full screen of `watch`, driven through a terminal multiplexer as a person would.

use crate::support::{Dir, Iodyno, Loop, signal};
use std::cell::Cell;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A condition that has not come by then will not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A multiplexer of our own with one shell in it.
struct Pane {
    socket: String,
    _dir: Dir,
    size: Cell<(u16, u16)>,
}

impl Pane {
    /// None, with the reason printed, without tmux.
    fn new(width: u16, height: u16) -> Option<Pane> {
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

    fn tmux(&self, arguments: &[&str]) -> String {
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

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "0"], keys].concat());
    }

    fn resize(&self, width: u16, height: u16) {
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

    fn lines(&self) -> Vec<String> {
        self.tmux(&["capture-pane", "-p", "-t", "0"])
            .lines()
            .map(str::to_string)
            .collect()
    }

    /// Waits until the screen answers.
    fn until<T>(&self, what: &str, answer: impl Fn(&[String]) -> Option<T>) -> T {
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

    fn until_shown(&self, part: &str) {
        self.until(part, |lines| {
            lines.iter().any(|line| line.contains(part)).then_some(())
        });
    }

    fn until_gone(&self, part: &str) {
        self.until(&format!("no {part}"), |lines| {
            (!lines.iter().any(|line| line.contains(part))).then_some(())
        });
    }

    /// Starts `watch` and waits for its first picture.
    fn watch(&self, iodyno: &Iodyno, arguments: &str) {
        let binary = env!("CARGO_BIN_EXE_iodyno");
        let state = iodyno.state.path().display();
        self.keys(&[
            &format!("IODYNO_STATE_DIR={state} {binary} watch {arguments}; echo left with $?"),
            "Enter",
        ]);
        self.until_shown("q quit");
    }

    /// The process that draws.
    fn pid(&self) -> u32 {
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
    fn assert_restored(&self, exit: &str) {
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

/// A load at a fixed rate on a device, until it is dropped.
struct Load(Child);

impl Load {
    fn on(iodyno: &Iodyno, device: &str) -> Load {
        let words = [
            "run",
            device,
            "--",
            "-rw=randread",
            "-bs=4k",
            "-rate_iops=200",
            "-runtime=600",
            "-time_based=1",
        ];
        Load(iodyno.spawn(&words))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        signal(self.0.id(), "TERM");
        let _ = self.0.wait();
    }
}

/// Reads that a device has completed so far, by the kernel.
fn reads(device: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/diskstats").unwrap();
    let line = text
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(device))
        .unwrap();
    line.split_whitespace().nth(3).unwrap().parse().unwrap()
}

/// `41.2k` → 41200; none for `–`.
fn figure(word: &str) -> Option<f64> {
    let (number, times) = match word.strip_suffix('k') {
        Some(number) => (number, 1e3),
        None => (word, 1.0),
    };
    number.parse::<f64>().ok().map(|number| number * times)
}

/// Reads a second in the device's row.
fn shown_rate(lines: &[String], device: &str) -> Option<f64> {
    let titles = lines
        .iter()
        .find(|line| line.contains("r/s") && line.contains("DEVICE"))?;
    let end = titles[..titles.find("r/s")?].chars().count() + 3;
    let row = lines
        .iter()
        .find(|line| line.trim_start_matches(['>', ' ']).starts_with(device))?;
    let before: String = row.chars().take(end).collect();
    figure(before.split_whitespace().last()?)
}

/// The rate that is shown lies between the lowest and the highest that the kernel counted in the seconds around, a tenth
/// wider: the machine may be busy with other tests, and then the load is slower, and the screen has to say so.
fn assert_true_to_the_kernel(pane: &Pane, device: &str) {
    pane.until("a rate as the kernel counts it", |_| {
        let begin = (Instant::now(), reads(device));
        let mut rates = Vec::new();
        let mut shown = Vec::new();
        let mut before = begin;
        while begin.0.elapsed() < Duration::from_secs(4) {
            std::thread::sleep(Duration::from_millis(500));
            let now = (Instant::now(), reads(device));
            rates.push((now.1 - before.1) / (now.0 - before.0).as_secs_f64());
            before = now;
            shown.extend(shown_rate(&pane.lines(), device));
        }
        // What is shown last is a mean over a second within those four.
        let last = *shown.last()?;
        let (low, high) = rates.iter().fold((f64::MAX, 0.0f64), |(low, high), rate| {
            (low.min(*rate), high.max(*rate))
        });
        (high > 0.0 && last > 0.0 && last >= low * 0.9 - 5.0 && last <= high * 1.1 + 5.0)
            .then_some(())
    });
}

#[test]
fn a_running_load_is_shown_truthfully_and_keys_do_what_they_say() {
    let Some(disk) = Loop::new(64) else { return };
    let Some(pane) = Pane::new(80, 24) else {
        return;
    };
    let iodyno = Iodyno::new();
    let _load = Load::on(&iodyno, &disk.device);
    pane.watch(&iodyno, "");
    pane.until("the load", |lines| {
        shown_rate(lines, &disk.name).filter(|rate| *rate > 0.0)
    });
    assert_true_to_the_kernel(&pane, &disk.name);
    assert!(pane.lines()[0].starts_with("iodyno watch") && pane.lines()[0].contains("live"));

    pane.resize(160, 50);
    pane.until_shown("write await 60 s");
    assert_true_to_the_kernel(&pane, &disk.name);
    pane.resize(80, 24);
    pane.until_gone("write await 60 s");

    pane.keys(&["Space"]);
    pane.until_shown("paused");
    pane.keys(&["Left"]);
    pane.until_shown(" ago");
    pane.keys(&["End"]);
    pane.until_gone("paused");

    pane.keys(&["?"]);
    pane.until_shown("stops the picture; sampling goes on");
    pane.keys(&["q"]);
    pane.until_gone("stops the picture");

    pane.keys(&["/"]);
    pane.until_shown("Enter keeps it, Esc clears it");
    pane.keys(&[&disk.name, "Enter"]);
    pane.until_shown(&format!("filter `{}`", disk.name));
    pane.until("only the device", |lines| {
        let after = lines
            .iter()
            .skip_while(|line| !line.contains("DEVICE"))
            .skip(1);
        let rows: Vec<&String> = after
            .take_while(|line| !line.contains("filter `"))
            .collect();
        (!rows.is_empty() && rows.iter().all(|row| row.contains(&disk.name))).then_some(())
    });

    pane.keys(&["R"]);
    pane.until_shown("recording");
    pane.keys(&["q"]);
    pane.assert_restored("0");
    pane.until_shown("record 1: watched");
    let (shown, _) = iodyno.json(&["show", "1"]);
    assert_eq!(shown["record"]["verb"], "watch");
    let summary = shown["record"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("watched every device for"), "{summary}");
    let sensors = shown["record"]["sensors"].as_array().unwrap();
    assert!(
        sensors
            .iter()
            .any(|log| log["sensor"] == "diskstats" && log["no_data"].is_null())
    );
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
