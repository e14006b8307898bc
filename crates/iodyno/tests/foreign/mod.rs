//! Records and files that others made, with everything in them that could do harm: they are data, and nothing more.

mod apply;
mod files;
mod shown;
mod unsaved;

use crate::support::{Dir, Iodyno, code, text};
use model::record::Record;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What a terminal would obey, what would begin a line of its own, and what turns the direction of writing around.
pub const EVIL: &str = "a\u{1b}]0;owned\u{7}\nOWNED\r\u{1b}[2J\u{9b}31m\u{202e}\u{2066}z";

/// A store in a file of its own, as an earlier iodyno made it, which any iodyno takes.
pub struct Hostile {
    dir: Dir,
}

impl Hostile {
    pub fn new(records: &[Record]) -> Hostile {
        let dir = Dir::new("hostile");
        ::store::Store::open(dir.path())
            .unwrap()
            .insert_all(records)
            .unwrap();
        let hostile = Hostile { dir };
        hostile.change("DROP TABLE proof; DROP TABLE origin; PRAGMA user_version = 2;");
        hostile
    }

    /// Changes it behind the store's back.
    pub fn change(&self, sql: &str) {
        let store = rusqlite::Connection::open(self.file()).unwrap();
        store.execute_batch(sql).unwrap();
        store.pragma_update(None, "journal_mode", "delete").unwrap();
    }

    pub fn file(&self) -> PathBuf {
        self.dir.path().join("records.db")
    }

    pub fn name(&self) -> String {
        self.file().to_str().unwrap().to_string()
    }
}

/// Puts records into the state's own store, as an earlier version kept what it had merged.
pub fn kept_before(iodyno: &Iodyno, records: &[Record], note: &str) {
    let store = ::store::Store::open(iodyno.state.path()).unwrap();
    store.insert_all(records).unwrap();
    store.note(1, note).unwrap();
    drop(store);
    let store = rusqlite::Connection::open(iodyno.state.path().join("records.db")).unwrap();
    store
        .execute_batch("DROP TABLE proof; DROP TABLE origin; PRAGMA user_version = 2;")
        .unwrap();
}

pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .unwrap()
        .trim()
        .to_string()
}

/// A record of a tune that claims wins: knob, device, the value found and the better one. Its host is what it says.
pub fn tuned(host: &str, wins: &[(&str, &str, &str, &str)]) -> Record {
    let mut record = serde_json::to_value(crate::store::record(
        host,
        "vda",
        1_700_000_000_000,
        "a tune",
    ))
    .unwrap();
    let mut trials: Vec<Value> = Vec::new();
    for (knob, device, from, to) in wins {
        crate::undo::claim_a_win(&mut record, device, from, to);
        let mut trial = record["trials"][0].clone();
        trial["knob"] = json!(knob);
        trials.push(trial);
    }
    record["trials"] = trials.into();
    crate::undo::claim_them_together(&mut record);
    serde_json::from_value(record).unwrap()
}

/// Nothing that a terminal would obey, and no line that somebody else wrote.
pub fn is_harmless(said: &str, where_: &str) {
    let odd = said
        .chars()
        .find(|c| !matches!(c, '\n' | '\t') && model::text::is_unsafe(*c));
    assert_eq!(odd, None, "{where_}: {said:?}");
    assert!(
        !said.lines().any(|line| line.starts_with("OWNED")),
        "{where_}: {said}"
    );
}

#[test]
fn a_length_that_lies_harms_one_record_and_never_the_program() {
    let good =
        |n: u64| crate::store::record("a", "vda", 1_700_000_000_000 + n, &format!("number {n}"));
    let hostile = Hostile::new(&[good(1), good(2), good(3)]);
    hostile.change("UPDATE record SET document_bytes = 1099511627776000 WHERE id = 1;");
    let iodyno = Iodyno::new();
    let merged = iodyno.run(&["merge", &hostile.name()]);
    assert_eq!(code(&merged), 5, "{}", text(&merged.stderr));
    assert!(
        text(&merged.stdout).starts_with("2 new"),
        "{}",
        text(&merged.stdout)
    );
    assert!(
        text(&merged.stderr).contains("record 1 in "),
        "{}",
        text(&merged.stderr)
    );
    // The same number in our own store.
    let own = iodyno.state.path().join("records.db");
    let own = rusqlite::Connection::open(own).unwrap();
    own.execute_batch("UPDATE record SET document_bytes = 1099511627776000 WHERE id = 1")
        .unwrap();
    let check = iodyno.run(&["store", "check"]);
    assert_eq!(code(&check), 5);
    assert!(
        text(&check.stdout).contains("record 1: its length cannot be"),
        "{}",
        text(&check.stdout)
    );
    assert_eq!(code(&iodyno.run(&["show", "1"])), 5);
    assert_eq!(code(&iodyno.run(&["show", "2"])), 0);
    assert_eq!(code(&iodyno.run(&["list"])), 0);
    let server = crate::serve::http::Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    for (id, is_fine) in [(1, false), (2, true)] {
        let answer = visitor.get(&format!("/api/v1/records/{id}"));
        assert_eq!(
            answer.status == 200,
            is_fine,
            "the server lives: {} {}",
            answer.status,
            answer.text()
        );
    }
}
