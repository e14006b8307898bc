//! The server while hundreds of connections try to keep it busy: whoever is logged in is answered within 2 s, and the right
//! token lets in. `make pressure` asks for more connections and for longer.

use crate::serve::door::{door, field};
use crate::serve::http::{Server, Visitor};
use crate::support::{Iodyno, rounds, signal, until};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What is promised.
const WITHIN: Duration = Duration::from_secs(2);

/// One siege at a time: each is to be withstood for itself, and this process has 1024 open files.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Connections of a siege, and how long each kind lasts.
fn size() -> (usize, Duration) {
    match rounds("IODYNO_PRESSURE", 0) {
        0 => (300, Duration::from_millis(1200)),
        many => (many as usize, Duration::from_secs(45)),
    }
}

/// What a hostile connection does.
struct Hostile {
    /// Sends this once it is connected.
    first: Vec<u8>,
    /// Sends this again and again.
    then: &'static [u8],
    /// Reads so many bytes at a time.
    reads: usize,
}

/// The headers of somebody whom nobody knows.
fn stranger(host: &str) -> String {
    format!("Host: {host}\r\nOrigin: http://{host}\r\n")
}

/// A connection that must not wait for anybody.
fn connect(host: &str, first: &[u8]) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(host).ok()?;
    stream.set_nonblocking(true).ok()?;
    let _ = stream.write(first);
    Some(stream)
}

/// Does what it does until the end, and comes again whenever it is closed.
fn besiege(host: &str, hostile: &Hostile, count: usize, is_over: &AtomicBool) {
    let mut streams: Vec<Option<TcpStream>> = Vec::new();
    streams.resize_with(count, || connect(host, &hostile.first));
    let mut buffer = vec![0; hostile.reads.max(1)];
    while !is_over.load(Ordering::Relaxed) {
        for slot in &mut streams {
            let is_closed = slot.as_mut().is_none_or(|stream| {
                let read = if hostile.reads > 0 {
                    stream.read(&mut buffer)
                } else {
                    stream.peek(&mut buffer)
                };
                let _ = stream.write(hostile.then);
                match read {
                    Ok(bytes) => bytes == 0,
                    Err(error) => error.kind() != ErrorKind::WouldBlock,
                }
            });
            if is_closed {
                *slot = connect(host, &hostile.first);
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What was seen during a siege.
#[derive(Debug, Default)]
struct Seen {
    answers: usize,
    worst: Duration,
    log_in: Duration,
}

/// Asks for pages, data and a new session for as long as the siege lasts.
fn watch(server: &Server, visitor: &Visitor, lasts: Duration) -> Seen {
    let (begun, mut seen) = (Instant::now(), Seen::default());
    let mut ask = |path: &str| {
        let asked = Instant::now();
        let answer = visitor.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        seen.worst = seen.worst.max(asked.elapsed());
        seen.answers += 1;
    };
    while begun.elapsed() < lasts {
        ["/", "/api/v1/session", "/api/v1/records"]
            .into_iter()
            .for_each(&mut ask);
        std::thread::sleep(Duration::from_millis(100));
    }
    signal(server.child.id(), "USR1");
    let token = server.next_token();
    let asked = Instant::now();
    let answer = server
        .stranger()
        .post("/api/v1/login", &format!("{{\"token\": \"{token}\"}}"));
    assert_eq!(answer.status, 200, "the right token: {}", answer.text());
    seen.log_in = asked.elapsed();
    seen
}

/// A siege by `attack`, which ends when its flag rises.
fn withstands(what: &str, attack: impl FnOnce(&Visitor, &AtomicBool) + Send) {
    let (_turn, (count, lasts)) = (turn(), size());
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let visitor = &visitor;
        let is_over = &is_over;
        scope.spawn(move || attack(visitor, is_over));
        // The siege stands before anybody asks.
        std::thread::sleep(Duration::from_millis(300));
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            watch(&server, visitor, lasts)
        }));
        is_over.store(true, Ordering::Relaxed);
        seen
    });
    let seen = seen.unwrap_or_else(|error| std::panic::resume_unwind(error));
    let memory = memory_kib(&server);
    println!(
        "{what}, {count} connections: {seen:?}, {} MiB",
        memory >> 10
    );
    assert!(
        seen.worst < WITHIN && seen.log_in < WITHIN,
        "{what}: {seen:?}"
    );
    assert!(memory < 64 << 10, "{what}: {memory} KiB");
}

/// Memory of its own that a server has in both of its processes, KiB.
fn memory_kib(server: &Server) -> u64 {
    let processes = [server.child.id(), door(server)];
    let anonymous = processes.map(|pid| {
        let line = field(pid, "status", "RssAnon:");
        line.trim_end_matches(" kB").parse::<u64>().unwrap()
    });
    anonymous.iter().sum()
}

/// A siege by connections that all do the same.
fn withstands_all(what: &str, hostile: impl FnOnce(&str) -> Hostile + Send) {
    withstands(what, |visitor, is_over| {
        besiege(&visitor.host, &hostile(&visitor.host), size().0, is_over)
    });
}

#[test]
#[ignore = "soak"]
fn connections_that_say_nothing() {
    withstands_all("idle", |_| Hostile {
        first: Vec::new(),
        then: b"",
        reads: 0,
    });
}

#[test]
#[ignore = "soak"]
fn heads_that_never_end() {
    withstands_all("half a head", |host| Hostile {
        first: format!("GET / HTTP/1.1\r\n{}X-A: ", stranger(host)).into_bytes(),
        then: b"a",
        reads: 0,
    });
}

#[test]
#[ignore = "soak"]
fn bodies_that_never_end() {
    withstands_all("half a body", |host| {
        Hostile {
        first: format!(
            "POST /api/v1/login HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{{",
            stranger(host)
        )
        .into_bytes(),
        then: b" ",
        reads: 0,
    }
    });
}

#[test]
#[ignore = "soak"]
fn pipelined_requests_whose_answers_nobody_reads() {
    withstands_all("pipelined and unread", |host| Hostile {
        first: format!("GET /app.js HTTP/1.1\r\n{}\r\n", stranger(host))
            .repeat(400)
            .into_bytes(),
        then: b"",
        reads: 0,
    });
}

#[test]
#[ignore = "soak"]
fn answers_that_are_read_byte_by_byte() {
    withstands_all("slowly read", |host| Hostile {
        first: format!("GET /app.js HTTP/1.1\r\n{}\r\n", stranger(host))
            .repeat(100)
            .into_bytes(),
        then: b"",
        reads: 1,
    });
}

#[test]
#[ignore = "soak"]
fn peers_that_come_and_go() {
    withstands("come and gone", |visitor, is_over| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        drop(connect(&visitor.host, b"GET"));
                        std::thread::sleep(Duration::from_micros(200));
                    }
                });
            }
        });
    });
}

#[test]
#[ignore = "soak"]
fn wrong_tokens_without_end() {
    withstands_all("wrong tokens", |host| {
        let body = format!("{{\"token\": \"{}\"}}", "0".repeat(64));
        let length = body.len();
        let request = format!(
            "POST /api/v1/login HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            stranger(host)
        );
        let request: &'static [u8] = request.into_bytes().leak();
        Hostile {
            first: request.to_vec(),
            then: request,
            reads: 1 << 16,
        }
    });
}

#[test]
#[ignore = "soak"]
fn a_right_token_is_taken_after_any_number_of_wrong_ones() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let stranger = server.stranger();
    for _ in 0..20 {
        assert_eq!(
            stranger
                .post("/api/v1/login", "{\"token\": \"guess\"}")
                .status,
            401
        );
    }
    server.log_in();
}

#[test]
#[ignore = "soak"]
fn answers_without_a_body_that_nobody_reads_do_not_pile_up() {
    let (iodyno, _turn) = (Iodyno::new(), turn());
    let server = Server::start(&iodyno, &[]);
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream
        .set_write_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let requests = format!("HEAD / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host).repeat(10_000);
    let (before, mut sent) = (memory_kib(&server), 0);
    // 100 MB of them, unless the server reads no further.
    while sent < 100 << 20 {
        match stream.write(requests.as_bytes()) {
            Ok(bytes) => sent += bytes,
            Err(_) => break,
        }
    }
    let grown = memory_kib(&server).saturating_sub(before);
    println!(
        "{} MiB of requests sent, memory grew by {grown} KiB",
        sent >> 20
    );
    assert!(
        sent < 50 << 20 && grown < 16 << 10,
        "{sent} bytes taken, {grown} KiB"
    );
}

/// Requests of somebody who is logged in, each on a connection of its own that nobody reads.
fn ask_and_leave(visitor: &Visitor, path: &str, count: usize) -> Vec<TcpStream> {
    (0..count)
        .map(|_| visitor.open("GET", path, &visitor.headers("GET"), 0))
        .collect()
}

#[test]
#[ignore = "soak"]
fn many_look_ups_of_the_machine() {
    withstands("look-ups", |visitor, is_over| {
        let key = visitor.key("/");
        while !is_over.load(Ordering::Relaxed) {
            let asked = ask_and_leave(visitor, &format!("/api/v1/machine?target={key}"), size().0);
            for mut stream in asked
                .into_iter()
                .take_while(|_| !is_over.load(Ordering::Relaxed))
            {
                let _ = stream.read_to_end(&mut Vec::new());
            }
        }
    });
}

#[test]
#[ignore = "soak"]
fn streams_of_events_that_nobody_reads() {
    withstands("unread events", |visitor, is_over| {
        let streams = ask_and_leave(visitor, "/api/v1/events", size().0);
        while !is_over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        streams
            .iter()
            .for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    });
}

#[test]
#[ignore = "soak"]
fn who_is_logged_in_is_heard_on_the_connection_that_stands() {
    let (iodyno, _turn) = (Iodyno::new(), turn());
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let mut standing = TcpStream::connect(&server.host).unwrap();
    let request = format!(
        "GET /api/v1/session HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
        server.host, visitor.cookie
    );
    let mut ask = |what: &str| {
        standing.write_all(request.as_bytes()).unwrap();
        let mut buffer = [0; 4096];
        let read = standing
            .read(&mut buffer)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(
            buffer[..read].starts_with(b"HTTP/1.1 200"),
            "{what}: {read} bytes"
        );
    };
    ask("before");
    let flood: Vec<_> = (0..400).map(|_| connect(&server.host, b"")).collect();
    until("strangers that were sent away", || {
        let is_away = |stream: &TcpStream| stream.peek(&mut [0]).is_ok_and(|bytes| bytes == 0);
        flood
            .iter()
            .flatten()
            .filter(|stream| is_away(stream))
            .count()
            > 100
    });
    ask("behind a flood of strangers");
}
