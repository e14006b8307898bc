//! What the programs that the server starts may do: each only what its verb needs.

use super::http::{Events, Server};
use crate::support::{Dir, Iodyno, is_root, until};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// SETGID, SETUID, SETPCAP, NET_ADMIN, NET_RAW, SYS_MODULE, SYS_CHROOT, SYS_BOOT, SYS_TIME, MKNOD, by their numbers in
/// include/uapi/linux/capability.h.
const NEVER: u64 =
    1 << 6 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 16 | 1 << 18 | 1 << 22 | 1 << 25 | 1 << 27;

/// What the kernel says of a process: effective and bounding capabilities, and whether it may gain any.
#[derive(Clone, Copy, Debug)]
struct Rights {
    effective: u64,
    bounding: u64,
    gains_none: bool,
}

/// The children of a process: their ids.
pub fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The verb that a process runs, once it runs one of its own.
pub fn verb(pid: u32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = String::from_utf8_lossy(&line).into_owned();
    words
        .split('\0')
        .skip(1)
        .find(|word| !word.starts_with('-'))
        .filter(|word| *word != "serve")
        .map(str::to_string)
}

fn rights(pid: u32) -> Option<Rights> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let value = status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"))?;
        u64::from_str_radix(value, 16).ok()
    };
    Some(Rights {
        effective: field("CapEff")?,
        bounding: field("CapBnd")?,
        gains_none: field("NoNewPrivs")? == 1,
    })
}

/// Looks at the children of a process until it is told to stop.
fn observe(pid: u32, is_over: &AtomicBool, seen: &Mutex<BTreeMap<String, Rights>>) {
    while !is_over.load(Ordering::Relaxed) {
        for child in children(pid) {
            // The verb first and again afterwards: between fork and exec a child is still the server.
            if let (Some(before), Some(rights), Some(after)) =
                (verb(child), rights(child), verb(child))
                && before == after
            {
                seen.lock().unwrap().insert(after, rights);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Ends the observer also where the test fails.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_child_has_no_more_rights_than_its_verb_needs() {
    if !is_root() {
        skip::missing("root", "only root's children have rights to give up");
        return;
    }
    let (iodyno, dir) = (Iodyno::new(), Dir::new("privileges"));
    let path = dir
        .path()
        .canonicalize()
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    let server = Server::start(&iodyno, &["--target", &path]);
    let visitor = server.log_in();
    let is_over = AtomicBool::new(false);
    let seen = Mutex::new(BTreeMap::new());
    let is_seen = |verb: &str| seen.lock().unwrap().contains_key(verb);
    std::thread::scope(|scope| {
        let (pid, is_over, seen) = (server.child.id(), Ended(&is_over), &seen);
        let over = is_over.0;
        scope.spawn(move || observe(pid, over, seen));
        let mut events = Events::open(&visitor, "/api/v1/events", None);
        events.named("frame");
        let key = visitor.key(&path);
        let inspected = visitor.get(&format!("/api/v1/machine?target={key}")).fine();
        assert_eq!(
            inspected["notes"].as_array().map(Vec::len),
            Some(0),
            "nothing is hidden from it"
        );
        let text = "nothing that any tool printed\n".repeat(200_000);
        let headers = visitor.headers("POST");
        // One that is over before it was looked at is sent again.
        until("an import", || {
            visitor.send("POST", "/api/v1/imports", &headers, text.as_bytes());
            is_seen("import")
        });
        visitor.get("/api/v1/catalogue").fine();
        let options = json!({"size": "8m", "runtime_s": 600, "rw": "randread"});
        let id = visitor.start(&json!({"verb": "run", "target": key, "options": options}));
        until("a run", || is_seen("run"));
        visitor.delete(&format!("/api/v1/jobs/{id}")).fine();
        assert_eq!(visitor.ended(id)["state"], "stopped");
        until("a watch", || is_seen("watch"));
    });
    let seen = seen.into_inner().unwrap();
    println!("{seen:#x?}");
    for read in ["inspect", "catalogue", "status", "explain"] {
        assert!(!seen.contains_key(read), "no program reads: {seen:?}");
    }
    for verb in ["import", "run", "watch"] {
        let rights = seen
            .get(verb)
            .unwrap_or_else(|| panic!("no {verb} in {seen:?}"));
        assert!(rights.gains_none, "{verb}: {rights:x?}");
        assert_eq!(
            (rights.effective & NEVER, rights.bounding & NEVER),
            (0, 0),
            "{verb}: {rights:x?}"
        );
        if verb == "import" {
            assert_eq!((rights.effective, rights.bounding), (0, 0), "{rights:x?}");
        }
    }
}

#[test]
fn the_server_itself_keeps_its_rights() {
    // A child that undoes a setting needs them, and who may give them is only who has them.
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    until("the server", || rights(server.child.id()).is_some());
    let (ours, theirs) = (
        rights(std::process::id()).unwrap(),
        rights(server.child.id()).unwrap(),
    );
    assert_eq!(
        (ours.effective, ours.bounding),
        (theirs.effective, theirs.bounding)
    );
}
