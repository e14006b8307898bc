//! Files that are no store, not whole, or not ours: refused with what to do, and not a byte of them changed.

use super::tests::{Home, record};
use super::*;

fn bytes(home: &Home) -> Vec<u8> {
    host::files::read_bytes(&home.file()).unwrap()
}

fn put(home: &Home, content: &[u8]) {
    use std::io::Write;
    host::files::remove(&home.file()).unwrap();
    host::files::create_new(&home.file())
        .unwrap()
        .write_all(content)
        .unwrap();
}

/// Whoever opens it is told; afterwards it is as it was.
fn refused(home: &Home, kind: StoreErrorKind) -> String {
    let before = bytes(home);
    let reading = Store::open_read_only(home.path()).unwrap_err();
    let writing = Store::open(home.path()).unwrap_err();
    assert_eq!(
        (reading.kind, writing.kind),
        (kind, kind),
        "{} / {}",
        reading.message,
        writing.message
    );
    assert!(bytes(home) == before, "it was changed");
    writing.message
}

#[test]
fn what_is_no_database_is_refused() {
    let home = Home::new();
    put(&home, "not a database. ".repeat(64).as_bytes());
    let message = refused(&home, StoreErrorKind::Damaged);
    assert!(
        message.contains("records.db.damaged") && message.contains("nothing in it was changed"),
        "{message}"
    );
}

#[test]
fn a_database_of_another_program_is_refused() {
    let home = Home::new();
    let other = Connection::open(home.file()).unwrap();
    other
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    drop(other);
    assert!(refused(&home, StoreErrorKind::Damaged).contains("another program"));
}

#[test]
fn a_newer_store_is_left_alone() {
    let home = Home::new();
    home.open().insert(&record("a", "vda", "one")).unwrap();
    Connection::open(home.file())
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let message = refused(&home, StoreErrorKind::Newer);
    assert!(
        message.contains("newer iodyno") && message.contains("schema 99"),
        "{message}"
    );
}

#[test]
fn a_store_that_lost_its_end_is_refused() {
    let home = Home::new();
    home.open()
        .insert_all(&vec![record("a", "vda", "one"); 20])
        .unwrap();
    let whole = bytes(&home);
    for length in [
        whole.len() - 1,
        whole.len() - 4096,
        whole.len() / 2,
        5000,
        4096,
        100,
        50,
    ] {
        put(&home, &whole[..length]);
        refused(&home, StoreErrorKind::Damaged);
    }
    put(&home, &whole);
    assert_eq!(home.open().check().unwrap().whole, 20);
}

#[test]
fn a_damaged_page_is_found_by_the_check_and_named_by_the_record() {
    let home = Home::new();
    home.open()
        .insert_all(
            &(0..20)
                .map(|n| record("a", "vda", &format!("number {n}")))
                .collect::<Vec<_>>(),
        )
        .unwrap();
    let whole = bytes(&home);
    let mut damaged = whole.clone();
    // A byte inside a document: after the mark that begins each of zstd's frames.
    let frames: Vec<usize> = (0..whole.len() - 4)
        .filter(|at| whole[*at..*at + 4] == [0x28, 0xb5, 0x2f, 0xfd])
        .collect();
    assert!(frames.len() >= 20, "{}", frames.len());
    damaged[frames[3] + 60] ^= 0xff;
    put(&home, &damaged);
    let store = home.open();
    let checked = store.check().unwrap();
    assert_eq!(
        (checked.whole, checked.problems.len()),
        (19, 1),
        "{checked:?}"
    );
    let bad = (1..=20)
        .filter(|id| store.get(*id).is_err())
        .collect::<Vec<_>>();
    assert_eq!(bad.len(), 1);
    assert!(
        checked.problems[0].starts_with(&format!("record {}:", bad[0])),
        "{checked:?}"
    );
    assert_eq!(
        store.query(&Filter::default()).unwrap().len(),
        20,
        "the list reads no documents"
    );
}

/// Bytes changed anywhere: an error or the truth, never a panic, and never another record than was written.
#[test]
fn random_damage_gives_errors_and_no_false_records() {
    let home = Home::new();
    let written: Vec<Record> = (0..8)
        .map(|n| record("a", "vda", &format!("number {n}")))
        .collect();
    home.open().insert_all(&written).unwrap();
    let whole = bytes(&home);
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut dice = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..=dice(12) {
            let at = dice(damaged.len());
            damaged[at] = dice(256) as u8;
        }
        put(&home, &damaged);
        let Ok(store) = Store::open_read_only(home.path()) else {
            continue;
        };
        // An error here is an answer too.
        let _ = store.query(&Filter::default());
        let _ = store.check();
        for id in 1..=8i64 {
            if let Ok(found) = store.get(id) {
                assert!(
                    written.contains(&found),
                    "record {id} is not one that was written"
                );
            }
        }
    }
}
