//! Files that are sent: what a killed server leaves, and imports that nobody waits for or that take too long.

use super::http::{Server, Visitor};
use super::privileges::{children, verb};
use crate::support::{Iodyno, is_stopped, signal, until};
use std::io::{Read, Write};
use std::net::TcpStream;

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

/// Sends files until the import of one is stopped in the middle, as a hostile file would stop it: one that is over before
/// it was seen is answered.
fn stuck_import(server: &Server, visitor: &Visitor) -> (TcpStream, u32) {
    let mut stuck = None;
    until("an import that is caught", || {
        stuck = caught_import(server, visitor);
        stuck.is_some()
    });
    stuck.unwrap()
}

fn caught_import(server: &Server, visitor: &Visitor) -> Option<(TcpStream, u32)> {
    let text = "nothing that any tool printed\n".repeat(200_000);
    let headers = visitor.headers("POST");
    let mut stream = visitor.open("POST", "/api/v1/imports", &headers, text.len());
    stream.write_all(text.as_bytes()).unwrap();
    stream.set_nonblocking(true).unwrap();
    let is_answered = || stream.peek(&mut [0]).is_ok();
    while !is_answered() {
        let imports = |pid: &u32| verb(*pid).as_deref() == Some("import");
        let found = children(server.child.id()).into_iter().find(imports);
        let Some(pid) = found else { continue };
        let id = rustix::process::Pid::from_raw(pid as i32).unwrap();
        let _ = rustix::process::kill_process(id, rustix::process::Signal::STOP);
        until("it stands still", || {
            is_stopped(pid) || !is_there(pid) || is_answered()
        });
        if is_there(pid) && !is_answered() {
            stream.set_nonblocking(false).unwrap();
            return Some((stream, pid));
        }
    }
    None
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
    let (mut stream, pid) = stuck_import(&server, &visitor);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.contains("took longer than 1.0 s"),
        "{answer}"
    );
    assert!(!is_there(pid) && uploads(&iodyno) == 0);
}
