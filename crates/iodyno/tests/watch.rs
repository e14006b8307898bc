//! `iodyno watch` as lines, as documents and for Prometheus.

use super::support::{Iodyno, Killed, code, signal, text, until};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

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

#[test]
fn a_stream_ends_when_its_reader_goes_away() {
    let iodyno = Iodyno::new();
    let mut command = iodyno.command(&["watch", "--plain", "--every", "50ms"]);
    let mut child = Killed(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    drop(lines);
    until("the end of the stream", || {
        child.0.try_wait().unwrap().is_some()
    });
}

/// A server on a port of the kernel's choice.
pub fn served(iodyno: &Iodyno, more: &[&str]) -> (Killed, String) {
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
    (Killed(child), address.to_string())
}

pub fn asked(address: &str, request: &str) -> String {
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
                assert!(asked(&address, "GET /metrics HTTP/1.1").starts_with("HTTP/1.1 200 "));
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
