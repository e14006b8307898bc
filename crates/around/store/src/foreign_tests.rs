//! Stores and files that somebody made to do harm: each thing in them is refused alone, and nothing of it is believed.
#![allow(
    clippy::disallowed_methods,
    reason = "modes of files are looked at from outside"
)]

use super::tests::{Home, record};
use super::*;
use model::record::{RecordBody, Trial, TuneBody};
use rusqlite::params;
use std::os::unix::fs::PermissionsExt;

/// A record whose one trial has this knob, device and value.
fn tuned(knob: &str, device: &str, value: &str) -> Record {
    let mut made = record("a", "vda", &format!("{knob} {device} {value}"));
    let arms = vec!["none".to_string(), value.to_string()];
    let trial = Trial {
        set: vec![],
        base: vec![],
        knob: knob.into(),
        subject: None,
        mark: None,
        device: device.into(),
        arms,
        aa: false,
        skipped: None,
        summary: String::new(),
        verdict: None,
        layers: vec![],
        figures: vec![],
        moved: None,
        windows: vec![],
    };
    made.body = RecordBody::Tune(TuneBody {
        trials: vec![trial],
    });
    made
}

fn change(home: &Home, sql: &str) {
    Connection::open(home.file())
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

#[test]
fn only_what_was_measured_here_is_from_here() {
    let (here, there) = (Home::new(), Home::new());
    let other = there.open();
    // The other store says that it measured them all; that is its word.
    other
        .insert_all(&[record("a", "vda", "one"), record("a", "vda", "two")])
        .unwrap();
    let store = here.open();
    let own = store.insert(&record("a", "vda", "one")).unwrap();
    let merged = store.merge(&there.file()).unwrap();
    assert_eq!((merged.added.len(), merged.known), (1, 1));
    assert_eq!(
        store.origin(own).unwrap(),
        Origin::Here,
        "what is here stays from here"
    );
    let Origin::Merged { from, unix_ms } = store.origin(merged.added[0]).unwrap() else {
        panic!()
    };
    assert_eq!(
        (from.as_str(), unix_ms > 1_700_000_000_000),
        (there.file().to_str().unwrap(), true)
    );
    // Handed on once more, it is still not from here.
    let third = Home::new();
    let last = third.open();
    last.merge(&here.file()).unwrap();
    assert!((1..=2).all(|id| matches!(last.origin(id).unwrap(), Origin::Merged { .. })));
    assert_eq!(store.origin(99).unwrap_err().kind, StoreErrorKind::Missing);
}

#[test]
fn a_record_whose_settings_are_programs_is_left_out_and_the_others_are_taken() {
    let (here, there) = (Home::new(), Home::new());
    let evil = "nr_requests}=\"128\", RUN+=\"/bin/sh -c 'touch /x'\", ATTR{queue/nr_requests";
    there
        .open()
        .insert_all(&[
            tuned("scheduler", "vda", "mq-deadline"),
            tuned(evil, "vda", "128"),
            tuned("read_ahead_kb", "../../tmp/evil", "128"),
            tuned("scheduler", "..", "none"),
            tuned("scheduler", "vda", "none\"\nRUN+=\"/bin/id\""),
            tuned("scheduler", "vda", "$(id)"),
            tuned("scheduler", "cciss!c0d0", "deadline"),
        ])
        .unwrap();
    let merged = here.open().merge(&there.file()).unwrap();
    assert_eq!(
        (merged.added.len(), merged.problems.len()),
        (2, 5),
        "{:?}",
        merged.problems
    );
    assert!(
        merged.problems[0].starts_with("record 2 in "),
        "{:?}",
        merged.problems
    );
}

#[test]
fn a_length_that_lies_is_a_record_that_cannot_be_read() {
    let (here, there) = (Home::new(), Home::new());
    there
        .open()
        .insert_all(
            &(0..4)
                .map(|n| record("a", "vda", &format!("n{n}")))
                .collect::<Vec<_>>(),
        )
        .unwrap();
    change(
        &there,
        "UPDATE record SET document_bytes = 1099511627776000 WHERE id = 1;
         UPDATE record SET document_bytes = -5 WHERE id = 2;
         UPDATE record SET document_bytes = 1073741824 WHERE id = 3;",
    );
    let other = there.open();
    assert_eq!(
        other.query(&Filter::default()).unwrap().len(),
        4,
        "they are listed"
    );
    assert!(other.status().is_ok());
    for id in 1..=3 {
        assert_eq!(other.get(id).unwrap_err().kind, StoreErrorKind::Damaged);
    }
    assert!(other.get(4).is_ok());
    assert_eq!(other.check().unwrap().problems.len(), 3);
    let merged = here.open().merge(&there.file()).unwrap();
    assert_eq!(
        (merged.added.len(), merged.problems.len()),
        (1, 3),
        "{:?}",
        merged.problems
    );
}

/// Every column of a record's row takes odd values: an error for that record or the truth, and the others are read.
#[test]
fn odd_columns_harm_no_other_record() {
    let odd = [
        "NULL",
        "-1",
        "0",
        "9223372036854775807",
        "'x'",
        "x'28b52ffd20ff'",
        "zeroblob(5000)",
        "1e300",
    ];
    let columns = [
        "hash",
        "document_bytes",
        "unix_ms",
        "verb",
        "summary",
        "samples",
        "iops",
    ];
    for column in columns.iter().chain(&["body"]) {
        for value in odd {
            let (here, there) = (Home::new(), Home::new());
            let records = [
                record("a", "vda", "one"),
                record("a", "vda", "two"),
                record("a", "vda", "three"),
            ];
            there.open().insert_all(&records).unwrap();
            let connection = Connection::open(there.file()).unwrap();
            let sql = match *column {
                "body" => format!("UPDATE document SET body = {value} WHERE record = 2"),
                column => format!("UPDATE record SET {column} = {value} WHERE id = 2"),
            };
            // The strict types of the tables refuse most.
            if connection.execute_batch(&sql).is_err() {
                continue;
            }
            drop(connection);
            let other = Store::open_read_only(there.path()).unwrap();
            assert!(
                other.check().is_ok() && other.get(1).is_ok() && other.get(3).is_ok(),
                "{sql}"
            );
            assert!(
                other.get(2).is_err() || other.get(2).unwrap() == records[1],
                "{sql}"
            );
            let merged = here.open().merge(&there.file()).unwrap();
            assert!(merged.added.len() >= 2, "{sql}: {merged:?}");
        }
    }
}

#[test]
fn a_store_with_tables_of_somebodys_own_is_not_taken_over() {
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM record; END",
        "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "DROP TABLE note; CREATE VIEW note AS SELECT 1 AS id, 1 AS record, 1 AS unix_ms, 'x' AS text",
        "DROP TABLE origin",
    ] {
        let (here, there) = (Home::new(), Home::new());
        there.open().insert(&record("a", "vda", "one")).unwrap();
        change(&there, sql);
        let store = here.open();
        let error = store.merge(&there.file()).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Damaged, "{sql}: {error}");
        assert!(store.query(&Filter::default()).unwrap().is_empty());
    }
}

#[test]
fn a_store_with_a_program_in_it_is_read_and_not_written() {
    for (sql, name, cure) in [
        (
            "CREATE TRIGGER \"a'b\" AFTER INSERT ON record BEGIN DELETE FROM record; END",
            "the trigger `a'b`",
            "DROP TRIGGER \"a'b\"",
        ),
        (
            "CREATE VIEW v AS SELECT id FROM record",
            "the view `v`",
            "DROP VIEW \"v\"",
        ),
    ] {
        let home = Home::new();
        home.open().insert(&record("a", "vda", "one")).unwrap();
        change(&home, sql);
        let error = Store::open(home.path()).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Refused, "{sql}");
        let shell = model::text::shell_word(cure).into_owned();
        assert!(error.message.contains(name), "{}", error.message);
        assert!(error.message.contains(&shell), "{}", error.message);
        let store = Store::open_read_only(home.path()).unwrap();
        let checked = store.check().unwrap();
        assert_eq!((checked.whole, checked.problems.len()), (1, 0));
        assert_eq!(checked.programs.len(), 1);
        assert_eq!(checked.programs[0].phrase(), name);
        drop(store);
        change(&home, cure);
        home.open().insert(&record("a", "vda", "two")).unwrap();
        let whole = home.open().check().unwrap();
        assert_eq!((whole.whole, whole.programs.len()), (2, 0));
    }
}

/// A store of the schema before this one is refused before anything of it is carried over.
#[test]
fn an_earlier_store_with_a_program_is_neither_brought_up_to_date_nor_taken_over() {
    let (here, there) = (Home::new(), Home::new());
    there.open().insert(&record("a", "vda", "one")).unwrap();
    change(
        &there,
        "DROP TABLE proof; DROP TABLE origin; PRAGMA user_version = 2;
         CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM record; END",
    );
    let error = here.open().merge(&there.file()).unwrap_err();
    assert!(error.message.contains("is not taken over: `t`"), "{error}");
    let error = Store::open_read_only(there.path()).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Refused, "{error}");
    assert_eq!(
        open::look(&there.file()).unwrap().found,
        open::FoundStore::Schema(2)
    );
}

#[test]
fn tags_and_notes_of_others_are_held_to_our_own_rules() {
    let (here, there) = (Home::new(), Home::new());
    let other = there.open();
    other.insert(&record("a", "vda", "one")).unwrap();
    other.tag(1, &["fine"]).unwrap();
    other.note(1, "fine").unwrap();
    let connection = Connection::open(there.file()).unwrap();
    connection
        .execute(
            "INSERT INTO tag VALUES (1, ?1)",
            params!["x\u{1b}]0;x\u{7}"],
        )
        .unwrap();
    connection
        .execute(
            "INSERT INTO note VALUES (9, 1, 1, ?1)",
            params!["x".repeat(1 << 20)],
        )
        .unwrap();
    let store = here.open();
    let merged = store.merge(&there.file()).unwrap();
    assert_eq!(
        (merged.tags, merged.notes, merged.problems.len()),
        (1, 1, 0)
    );
    assert_eq!(store.tags(1).unwrap(), ["fine"]);
}

#[test]
fn a_record_in_a_file_is_taken_once_and_as_from_there() {
    let (home, files) = (Home::new(), Home::new());
    let store = home.open();
    let file = files.path().join("unsaved.json");
    let made = record("a", "vda", "one");
    host::files::write_atomically(&file, &serde_json::to_string(&made).unwrap()).unwrap();
    assert_eq!(store.merge(&file).unwrap().added, [1]);
    assert_eq!(store.get(1).unwrap(), made);
    assert!(matches!(store.origin(1).unwrap(), Origin::Imported { .. }));
    let around = serde_json::json!({"schema": "iodyno.show/1", "id": 1, "record": made});
    host::files::write_atomically(&file, &around.to_string()).unwrap();
    assert_eq!(store.merge(&file).unwrap().known, 1);
    for bad in ["{}", "{\"record\": 5}", "{", &"{\"a\":".repeat(100_000)] {
        host::files::write_atomically(&file, bad).unwrap();
        assert!(
            store
                .merge(&file)
                .unwrap_err()
                .message
                .contains("not taken over"),
            "{bad:.20}"
        );
    }
    let evil = serde_json::to_string(&tuned("x}=\"1\"", "vda", "1")).unwrap();
    // Neither as what it is, nor as a run, whose trials nobody here would read.
    for evil in [evil.clone(), evil.replace("\"tune\"", "\"run\"")] {
        host::files::write_atomically(&file, &evil).unwrap();
        let refused = store.merge(&file).unwrap_err().message;
        assert!(refused.contains("its setting"), "{refused}");
    }
    let unknown = serde_json::to_string(&tuned("nr_requests", "vda", "1")).unwrap();
    let unknown = unknown.replace("\"tune\"", "\"guard\"");
    host::files::write_atomically(&file, &unknown).unwrap();
    let refused = store.merge(&file).unwrap_err().message;
    assert!(
        refused.contains("`guard` is no verb that makes records"),
        "{refused}"
    );
}

#[test]
fn nobody_else_reads_the_store_its_copies_or_its_log() {
    let home = Home::new();
    let mode = |name: &str| {
        std::fs::metadata(home.path().join(name))
            .map(|metadata| metadata.permissions().mode() & 0o777)
            .ok()
    };
    let store = home.open();
    store.insert(&record("a", "vda", "one")).unwrap();
    store.backup(&home.path().join("copy.db")).unwrap();
    for name in ["records.db", "records.db-wal", "records.db-shm", "copy.db"] {
        assert_eq!(mode(name), Some(0o600), "{name}");
    }
    drop(store);
    std::fs::set_permissions(home.file(), PermissionsExt::from_mode(0o644)).unwrap();
    drop(Store::open_read_only(home.path()).unwrap());
    assert_eq!(
        mode("records.db"),
        Some(0o644),
        "who only reads changes nothing"
    );
    let store = home.open();
    store.insert(&record("a", "vda", "two")).unwrap();
    assert_eq!(
        (mode("records.db"), mode("records.db-wal")),
        (Some(0o600), Some(0o600))
    );
}
