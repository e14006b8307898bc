//! Files that are sent: what a killed server leaves, and imports that nobody waits for or that take too long.

use super::http::{Server, Visitor};
use super::privileges::{children, verb};
use crate::support::{Iodyno, signal, until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

/// Directories of files on their way.
fn uploads(iodyno: &Iodyno) -> usize {
    let entries = std::fs::read_dir(iodyno.state.path())
        .into_iter()
        .flatten()
        .flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("upload-"))
        .count()
}

/// A file of which only the beginning comes.
fn half_an_upload(iodyno: &Iodyno, visitor: &Visitor) -> TcpStream {
    let mut stream = visitor.open("POST", "/api/v1/imports", &visitor.headers("POST"), 1 << 20);
    stream.write_all(b"the first half").unwrap();
    until("a file on its way", || uploads(iodyno) == 1);
    stream
}

#[test]
fn what_a_killed_server_was_being_sent_is_removed_by_the_next_one() {
    let iodyno = Iodyno::new();
    let mut killed = Server::start(&iodyno, &[]);
    let visitor = killed.log_in();
    let _sending = half_an_upload(&iodyno, &visitor);
    // Another server of the same user lets it live.
    drop(Server::start(&iodyno, &[]));
    assert_eq!(uploads(&iodyno), 1);
    signal(killed.child.id(), "KILL");
    killed.child.wait().unwrap();
    assert_eq!(uploads(&iodyno), 1);
    let _next = Server::start(&iodyno, &[]);
    assert_eq!(uploads(&iodyno), 0);
}

/// Sends a file, and stops the import of it in the middle, as a hostile file would.
fn stuck_import(server: &Server, visitor: &Visitor) -> (TcpStream, u32) {
    let text = "nothing that any tool printed\n".repeat(200_000);
    let mut stream = visitor.open(
        "POST",
        "/api/v1/imports",
        &visitor.headers("POST"),
        text.len(),
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut found = None;
    until("the import", || {
        let imports = |pid: &u32| verb(*pid).as_deref() == Some("import");
        found = children(server.child.id()).into_iter().find(imports);
        found.is_some()
    });
    let pid = found.unwrap();
    signal(pid, "STOP");
    (stream, pid)
}

fn is_there(pid: u32) -> bool {
    std::fs::exists(format!("/proc/{pid}")).unwrap()
}

#[test]
fn an_import_ends_when_nobody_waits_for_it() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let (stream, pid) = stuck_import(&server, &visitor);
    assert!(is_there(pid) && uploads(&iodyno) == 1);
    drop(stream);
    until("the end of the import", || {
        !is_there(pid) && uploads(&iodyno) == 0
    });
}

#[test]
fn an_import_that_takes_too_long_is_ended_and_said() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &["--import-time", "1s"]);
    let visitor = server.log_in();
    let begun = Instant::now();
    let (mut stream, pid) = stuck_import(&server, &visitor);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.contains("took longer than 1.0 s"),
        "{answer}"
    );
    assert!(begun.elapsed().as_secs() < 30 && !is_there(pid) && uploads(&iodyno) == 0);
}
