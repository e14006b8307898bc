//! `iodyno watch` as lines, as documents and for Prometheus.

use crate::support::{Iodyno, Killed, Loop, signal, text, until};
use crate::watch::{asked, served};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// `watch --json` at work.
struct Watch {
    child: Killed,
    lines: BufReader<std::process::ChildStdout>,
}

impl Watch {
    fn start(iodyno: &Iodyno, device: &str) -> Watch {
        // So often that some readings are left out as too dear: what they would have said must not be said twice.
        let mut command = iodyno.command(&[
            "--json",
            "watch",
            device,
            "--interval",
            "10ms",
            "--every",
            "10ms",
        ]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Watch {
            child: Killed(child),
            lines,
        }
    }

    /// The next document; none when it has ended.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.lines.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}

#[test]
#[ignore = "live"]
fn documents_count_every_io_once() {
    let Some(device) = Loop::new(16) else { return };
    // A detached device keeps its settings, and this one must not split.
    device.set("max_sectors_kb", "64");
    let iodyno = Iodyno::new();
    let mut watch = Watch::start(&iodyno, &device.device);
    let head = watch.next().unwrap();
    assert_eq!(head["schema"], "iodyno.watch/1");
    assert_eq!(head["devices"][0], device.name.as_str());
    let fields = head["fields"].as_array().unwrap();
    let await_ms = fields
        .iter()
        .find(|field| field["id"] == "disk.await_read_ms")
        .unwrap();
    assert!(
        await_ms["unit"] == "ms" && !await_ms["cannot_tell"].as_str().unwrap().is_empty(),
        "{await_ms}"
    );

    let mut samples = vec![watch.next().unwrap()];
    // 1024 blocks of 16 KiB past the page cache, then something to see that the watch goes on behind it.
    let from = format!("if={}", device.device);
    let read = Command::new("dd")
        .args([
            &from,
            "of=/dev/null",
            "bs=16k",
            "count=1024",
            "iflag=direct",
        ])
        .output();
    assert!(read.unwrap().status.success());
    let seen = |samples: &[Value], id: &str| -> f64 {
        let grown = samples.iter().map(|sample| {
            let rate = sample["fields"][id][&device.name].as_f64().unwrap_or(0.0);
            rate * sample["seconds"].as_f64().unwrap()
        });
        grown.sum()
    };
    until("all reads", || {
        samples.push(watch.next().unwrap());
        seen(&samples, "disk.reads_per_s") > 1023.5
    });
    signal(watch.child.0.id(), "TERM");
    while let Some(sample) = watch.next() {
        samples.push(sample);
    }
    assert!(watch.child.0.wait().unwrap().success());
    // Counted ones, not sampled ones: exactly what was read, to the rounding of a rate.
    assert!(
        (seen(&samples, "disk.reads_per_s") - 1024.0).abs() < 0.01,
        "{samples:#?}"
    );
    assert!((seen(&samples, "disk.read_bytes_per_s") - f64::from(1 << 24)).abs() < 1.0);
    assert!(
        samples
            .iter()
            .all(|sample| sample["schema"] == "iodyno.sample/1")
    );
    assert!(samples.is_sorted_by(|one, next| one["at_ms"].as_f64() < next["at_ms"].as_f64()));
    let idle = samples
        .iter()
        .find(|sample| sample["fields"]["disk.reads_per_s"][&device.name] == 0.0)
        .unwrap();
    assert!(
        idle["fields"]["disk.await_read_ms"][&device.name].is_null(),
        "no I/O has no latency: {idle}"
    );
}

#[test]
#[ignore = "live"]
fn promtool_takes_what_is_served() {
    let iodyno = Iodyno::new();
    let (child, address) = served(&iodyno, &[]);
    let answer = asked(&address, "GET /metrics HTTP/1.1");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/promtool");
    let program = ["promtool", beside]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(program) = program else {
        skip::missing("promtool", "promtool is not installed");
        return;
    };
    let mut command = Command::new(program);
    command
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut checker = command.spawn().unwrap();
    checker
        .stdin
        .take()
        .unwrap()
        .write_all(body.as_bytes())
        .unwrap();
    let checked = checker.wait_with_output().unwrap();
    let said = text(&checked.stdout) + &text(&checked.stderr);
    assert!(checked.status.success(), "promtool: {said}");
    drop(child);
}
