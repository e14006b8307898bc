//! The process that listens: what it may do, and how it and the one with rights end with each other.

use super::http::Server;
use super::jobs::tune;
use super::privileges::{children, verb};
use crate::support::{Dir, Iodyno, Loop, is_root, signal, text, until};
use std::io::Read;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// The process that listens for a server.
pub fn door(server: &Server) -> u32 {
    let all = children(server.child.id());
    let mut listens = all
        .into_iter()
        .filter(|child| verb(*child).as_deref() == Some("serve-door"));
    listens.next().expect("something listens")
}

fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/status"))
        .is_ok_and(|status| !status.contains("State:\tZ"))
}

/// A line of what the kernel says of a process.
pub fn field(pid: u32, file: &str, name: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
    let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
    let value = values.next();
    value
        .unwrap_or_else(|| panic!("no {name} in {text}"))
        .trim()
        .to_string()
}

/// What its descriptors stand for.
fn open(pid: u32) -> Vec<PathBuf> {
    let all = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .flatten();
    all.filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .collect()
}

#[test]
fn what_listens_can_do_nothing_but_talk() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    visitor.get("/api/v1/session").fine();
    let pid = door(&server);
    for set in ["CapEff:", "CapPrm:", "CapInh:", "CapAmb:"] {
        assert_eq!(field(pid, "status", set), "0000000000000000", "{set}");
    }
    assert_eq!(field(pid, "status", "NoNewPrivs:"), "1");
    assert!(field(pid, "limits", "Max file size").starts_with("0 "));
    assert!(field(pid, "limits", "Max core file size").starts_with("0 "));
    if !is_root() {
        return;
    }
    assert_eq!(field(pid, "status", "CapBnd:"), "0000000000000000");
    assert_eq!(field(pid, "status", "Groups:"), "");
    let users = field(pid, "status", "Uid:");
    let users: Vec<u32> = users
        .split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect();
    assert!(
        users.iter().all(|user| (61_184..=65_519).contains(user)),
        "{users:?}"
    );
    let files = std::fs::read_dir(format!("/proc/{pid}/root/")).unwrap();
    assert_eq!(files.count(), 0, "it sees no file");
    for file in open(pid) {
        let file = file.to_string_lossy().into_owned();
        let talks = ["socket:", "pipe:", "anon_inode:[event"];
        assert!(talks.iter().any(|kind| file.starts_with(kind)), "{file}");
    }
    // Whose it is in /proc says who may trace it and read its memory: root, since it says that it is not to be dumped.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(
        std::fs::metadata(format!("/proc/{pid}/mem")).unwrap().uid(),
        0
    );
    let network = |pid: u32| std::fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
    assert_ne!(
        network(pid),
        network(server.child.id()),
        "it reaches nobody by itself"
    );
}

#[test]
fn who_would_end_what_listens_ends_nothing() {
    let iodyno = Iodyno::new();
    let mut server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    // As a service manager does it, or a terminal: to all processes at once. Only the one with rights hears it.
    for name in ["INT", "TERM", "HUP", "USR1"] {
        signal(door(&server), name);
        visitor.get("/api/v1/session").fine();
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_server_whose_listener_dies_puts_everything_back_and_ends() {
    let Some(disk) = Loop::new(64) else { return };
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let mut server = Server::start(&iodyno, &[]);
    tune(&server, &disk);
    signal(door(&server), "KILL");
    assert_eq!(server.child.wait().unwrap().code(), Some(5));
    assert_eq!(disk.settings(), before);
    assert!(iodyno.run(&["status"]).status.success());
    assert!(
        TcpStream::connect(&server.host).is_err(),
        "nobody listens any more"
    );
}

#[test]
fn a_killed_server_takes_its_listener_with_it() {
    let iodyno = Iodyno::new();
    let mut server = Server::start(&iodyno, &[]);
    let pid = door(&server);
    signal(server.child.id(), "KILL");
    server.child.wait().unwrap();
    until("its end", || !is_alive(pid));
    assert!(
        TcpStream::connect(&server.host).is_err(),
        "nobody listens any more"
    );
}

/// A server whose output is piped.
fn started(iodyno: &Iodyno, more: &[&str]) -> Child {
    let words = [&["serve", "--listen", "127.0.0.1:0"], more].concat();
    let mut command = iodyno.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn an_address_in_a_file_is_for_its_owner_and_in_no_output() {
    use std::os::unix::fs::PermissionsExt;
    let (iodyno, dir) = (Iodyno::new(), Dir::new("address"));
    let file = dir.path().join("address");
    let mut child = started(&iodyno, &["--address-file", file.to_str().unwrap()]);
    let token = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.trim()
            .split_once("#token=")
            .map(|(_, token)| token.to_string())
    };
    until("an address", || token().is_some());
    let first = token().unwrap();
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    signal(child.id(), "USR1");
    until("another address", || {
        token().is_some_and(|token| token != first)
    });
    let second = token().unwrap();
    signal(child.id(), "INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!file.exists(), "it opens nothing any more");
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(said.contains("address to open is in"), "{said}");
    assert!(!said.contains(&first) && !said.contains(&second), "{said}");
}

#[test]
fn an_address_that_cannot_be_kept_is_no_server() {
    let iodyno = Iodyno::new();
    let ended = iodyno.run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--address-file",
        "/proc/x/address",
    ]);
    assert!(!ended.status.success());
    assert!(
        text(&ended.stderr).contains("/proc/x/address"),
        "{}",
        text(&ended.stderr)
    );
}

#[test]
fn a_server_leaves_the_address_of_another_in_their_file() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("address"));
    let file = dir.path().join("address");
    let words = ["--address-file", file.to_str().unwrap()];
    let text = || std::fs::read_to_string(&file).unwrap();
    let mut first = started(&iodyno, &words);
    until("an address", || file.exists() && !text().is_empty());
    let of_first = text();
    let mut second = started(&iodyno, &words);
    until("another address", || {
        !text().is_empty() && text() != of_first
    });
    let of_second = text();
    signal(first.id(), "INT");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(text(), of_second);
    signal(second.id(), "INT");
    assert_eq!(second.wait().unwrap().code(), Some(0));
    assert!(!file.exists());
}

#[test]
fn what_a_server_starts_for_itself_is_nothing_to_type() {
    let ended = Iodyno::new().run(&["serve-door"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(text(&ended.stderr).contains("Start iodyno serve"));
}
