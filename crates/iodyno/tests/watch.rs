//! `iodyno watch` as lines, as documents and for Prometheus.

use super::support::{Iodyno, Loop, code, signal, text, until};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

#[test]
fn lines_have_a_heading_and_stay_within_eighty_columns() {
    let iodyno = Iodyno::new();
    let output = iodyno.run(&["watch", "--plain", "--every", "100ms", "--count", "3"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let mut rows = lines.lines();
    assert!(
        rows.next().unwrap().starts_with("UTC      DEVICE "),
        "{lines}"
    );
    assert_eq!(
        lines
            .lines()
            .filter(|line| line.contains(" machine   cpu% "))
            .count(),
        3,
        "{lines}"
    );
    assert!(
        lines.lines().all(|line| line.chars().count() <= 80),
        "{lines}"
    );
    let machine = rows.find(|line| line.contains(" machine ")).unwrap();
    let busy = machine.split_whitespace().nth(3).unwrap();
    assert!(
        busy.parse::<u32>().is_ok_and(|percent| percent <= 100),
        "{machine}"
    );
}

#[test]
fn what_is_no_storage_is_told() {
    let output = Iodyno::new().run(&["watch", "--plain", "/dev/not-there"]);
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stderr).contains("/dev/not-there"),
        "{}",
        text(&output.stderr)
    );
    let output = Iodyno::new().run(&["watch", "--plain", "--interval", "1ms"]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("10 ms to 10 s apart"),
        "{}",
        text(&output.stderr)
    );
    for (arguments, words) in [
        (
            &["watch", "--plain", "--interval", "2s", "--every", "1s"][..],
            "less than --interval",
        ),
        (&["--json", "watch", "--plain"], "choose one"),
        (
            &["watch", "--plain", "--cgroup", "/not/there"],
            "no control group /not/there",
        ),
        (
            &["watch", "--plain", "--file", "/not/there"],
            "/not/there is not there",
        ),
        (&["watch", "--plain", "/proc"], "/proc"),
    ] {
        let output = Iodyno::new().run(arguments);
        assert!(
            code(&output) == 2 || code(&output) == 5,
            "{arguments:?}: {}",
            code(&output)
        );
        assert!(
            text(&output.stderr).contains(words),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_full_disk_is_no_success() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command =
        Iodyno::new().command(&["watch", "--plain", "--every", "100ms", "--count", "1"]);
    let output = command
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stderr).contains("could not be written"),
        "{}",
        text(&output.stderr)
    );
}

/// `watch --json` at work.
struct Watch {
    child: Running,
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
            child: Running(child),
            lines,
        }
    }

    /// The next document; none when it has ended.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.lines.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}

/// A process that goes when the test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_stream_ends_when_its_reader_goes_away() {
    let iodyno = Iodyno::new();
    let mut command = iodyno.command(&["watch", "--plain", "--every", "50ms"]);
    let mut child = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    drop(lines);
    until("the end of the stream", || {
        child.0.try_wait().unwrap().is_some()
    });
}

#[test]
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

/// A server on a port of the kernel's choice.
fn served(iodyno: &Iodyno, more: &[&str]) -> (Running, String) {
    let mut command = iodyno.command(&[&["watch", "--prometheus", "127.0.0.1:0"], more].concat());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .trim()
        .strip_prefix("serving http://")
        .unwrap()
        .strip_suffix("/metrics")
        .unwrap();
    (Running(child), address.to_string())
}

fn asked(address: &str, request: &str) -> String {
    asked_as(address, address, request)
}

fn asked_as(host: &str, address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    // In one write: a server that refuses the first line may close before a second write.
    let request = format!("{request}\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn prometheus_takes_what_is_served() {
    let iodyno = Iodyno::new();
    let (mut child, address) = served(&iodyno, &[]);
    let answer = asked(&address, "GET /metrics HTTP/1.1");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("text/plain; version=0.0.4"),
        "{head}"
    );
    for name in [
        "iodyno_disk_read_bytes_total{device=",
        "iodyno_cpu_idle_seconds_total{cpu=\"0\"}",
        "iodyno_memory_",
    ] {
        assert!(body.contains(name), "no {name} in {body}");
    }
    assert!(asked(&address, "GET / HTTP/1.1").starts_with("HTTP/1.1 404 "));
    assert!(asked(&address, "POST /metrics HTTP/1.1").starts_with("HTTP/1.1 405 "));
    assert!(asked(&address, "").starts_with("HTTP/1.1 400 "));
    check_with_promtool(body);
    // A page whose name was made to point here is not answered.
    for host in [
        "rebound.example",
        "localhost.evil.example",
        "192.0.2.1:9100",
    ] {
        let answer = asked_as(host, &address, "GET /metrics HTTP/1.1");
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && !answer.contains("iodyno_"),
            "{host}: {answer}"
        );
    }
    let port = address.rsplit(':').next().unwrap();
    assert!(
        asked_as(
            &format!("localhost:{port}"),
            &address,
            "GET /metrics HTTP/1.1"
        )
        .contains("iodyno_")
    );
    // However many connect and say nothing, or half of it, the next one is served at once, and many at a time.
    let silent: Vec<_> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(&address).unwrap();
            let _ = stream.write_all(if number % 2 == 0 {
                b""
            } else {
                b"GET /metrics HTTP/1.1\r\nX: "
            });
            stream
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let begun = std::time::Instant::now();
                assert!(asked(&address, "GET /metrics HTTP/1.1").starts_with("HTTP/1.1 200 "));
                assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
            });
        }
    });
    drop(silent);
    signal(child.0.id(), "INT");
    assert!(child.0.wait().unwrap().code().is_some());
}

#[test]
fn a_name_that_the_user_allows_is_answered() {
    let iodyno = Iodyno::new();
    let (child, address) = served(&iodyno, &["--allow-host", "db3.example"]);
    let answer = asked_as("db3.example:9100", &address, "GET /metrics HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    drop(child);
}

fn check_with_promtool(body: &str) {
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
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(body.as_bytes())
        .unwrap();
    let checked = child.wait_with_output().unwrap();
    let said = text(&checked.stdout) + &text(&checked.stderr);
    assert!(checked.status.success(), "promtool: {said}");
}
