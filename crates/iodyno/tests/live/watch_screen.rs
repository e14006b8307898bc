//! The full screen of `watch`, driven through a terminal multiplexer as a person would.

use crate::support::{Iodyno, Killed, Loop, signal};
use crate::watch_screen::Pane;
use std::time::{Duration, Instant};

/// A load at a fixed rate on a device, until it is dropped.
struct Load(Killed);

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
fn assert_true_to_the_kernel(pane: &Pane, disk: &Loop) {
    pane.until("a rate as the kernel counts it", |_| {
        let begin = (Instant::now(), disk.reads() as f64);
        let mut rates = Vec::new();
        let mut shown = Vec::new();
        let mut before = begin;
        while begin.0.elapsed() < Duration::from_secs(4) {
            std::thread::sleep(Duration::from_millis(500));
            let now = (Instant::now(), disk.reads() as f64);
            rates.push((now.1 - before.1) / (now.0 - before.0).as_secs_f64());
            before = now;
            shown.extend(shown_rate(&pane.lines(), &disk.name));
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
#[ignore = "live"]
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
    assert_true_to_the_kernel(&pane, &disk);
    assert!(pane.lines()[0].starts_with("iodyno watch") && pane.lines()[0].contains("live"));

    pane.resize(160, 50);
    pane.until_shown("write await 60 s");
    assert_true_to_the_kernel(&pane, &disk);
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
