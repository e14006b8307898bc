//! A store of an earlier schema, made as that version made it, is brought up to date whole.

use super::tests::{Home, imported, record};
use super::*;
use rusqlite::params;

/// What schema 1 was.
const SCHEMA_1: &str = "
    CREATE TABLE record (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        unix_ms     INTEGER NOT NULL,
        verb        TEXT NOT NULL,
        target      TEXT NOT NULL,
        device      TEXT,
        host        TEXT NOT NULL,
        kernel      TEXT NOT NULL,
        summary     TEXT NOT NULL,
        document    TEXT NOT NULL
    ) STRICT;
    CREATE INDEX record_by_time ON record (unix_ms);
    CREATE INDEX record_by_device ON record (host, device, unix_ms);
    PRAGMA user_version = 1;";

fn old_store(home: &Home, documents: &[(i64, String)]) {
    let old = Connection::open(home.file()).unwrap();
    old.pragma_update(None, "journal_mode", "wal").unwrap();
    old.execute_batch(SCHEMA_1).unwrap();
    for (id, document) in documents {
        let values = params![
            id,
            5,
            "run",
            "/old",
            "vdx",
            "oldhost",
            "5.10",
            "old words",
            document
        ];
        old.execute(
            "INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            values,
        )
        .unwrap();
    }
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).unwrap()
}

#[test]
fn schema_1_becomes_this_one_with_every_record_and_a_copy_beside_it() {
    let home = Home::new();
    let documents = [
        (1, json(&record("a", "vda", "one"))),
        (4, "{\"no\": \"record\"}".into()),
        (9, json(&imported())),
    ];
    old_store(&home, &documents);
    let store = home.open();
    for (id, document) in &documents {
        assert_eq!(
            &store.document(*id).unwrap(),
            document,
            "documents are carried over as they are"
        );
    }
    let rows = store.query(&Filter::default()).unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [9, 4, 1]);
    assert_eq!(
        (rows[2].iops, rows[2].host.as_str()),
        (Some(500.0), "a"),
        "columns are derived anew"
    );
    assert_eq!(rows[0].host, "db7");
    assert_eq!(
        (rows[1].host.as_str(), rows[1].summary.as_str()),
        ("oldhost", "old words")
    );
    assert_eq!(store.get(4).unwrap_err().kind, StoreErrorKind::Damaged);
    let by_setting = Filter {
        setting: Some(("scheduler".into(), None)),
        ..Filter::default()
    };
    assert_eq!(store.query(&by_setting).unwrap().len(), 1);
    assert_eq!(
        store.insert(&record("a", "vda", "new")).unwrap(),
        10,
        "numbers go on"
    );
    drop(store);

    let copy = Connection::open(home.path().join("records.db.schema-1")).unwrap();
    let kept: Vec<(i64, String)> = copy
        .prepare("SELECT id, document FROM record ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(kept, documents);
    home.open();
    assert!(
        host::files::kind(&home.path().join("records.db.schema-1.2")).is_err(),
        "one copy is enough"
    );
}

#[test]
fn a_copy_of_before_is_not_overwritten() {
    let home = Home::new();
    host::files::write_atomically(&home.path().join("records.db.schema-1"), "precious").unwrap();
    old_store(&home, &[(1, json(&record("a", "vda", "one")))]);
    home.open();
    assert_eq!(
        host::files::read_text(&home.path().join("records.db.schema-1")).unwrap(),
        "precious"
    );
    assert!(host::files::kind(&home.path().join("records.db.schema-1.2")).is_ok());
}

#[test]
fn a_reader_brings_it_up_to_date_first() {
    let home = Home::new();
    old_store(&home, &[(1, json(&record("a", "vda", "one")))]);
    assert_eq!(
        Store::open_read_only(home.path()).unwrap().get(1).unwrap(),
        record("a", "vda", "one")
    );
}

#[test]
fn many_at_once_migrate_it_once() {
    let home = Home::new();
    let documents: Vec<_> = (1..=50)
        .map(|id| (id, json(&record("a", "vda", "one"))))
        .collect();
    old_store(&home, &documents);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(home.open().query(&Filter::default()).unwrap().len(), 50));
        }
    });
    assert!(host::files::kind(&home.path().join("records.db.schema-1.2")).is_err());
}

#[test]
fn an_old_store_is_merged_and_stays_old() {
    let (here, there) = (Home::new(), Home::new());
    old_store(
        &there,
        &[
            (1, json(&record("a", "vda", "one"))),
            (2, json(&record("a", "vda", "two"))),
        ],
    );
    let store = here.open();
    store.insert(&record("a", "vda", "two")).unwrap();
    let merged = store.merge(&there.file()).unwrap();
    assert_eq!((merged.added, merged.known), (vec![2], 1));
    let old = Connection::open(there.file()).unwrap();
    let version: i64 = old
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 1);
}

/// A store of schema 2 is one of today's without the table of origins.
fn as_schema_2(home: &Home) {
    let old = Connection::open(home.file()).unwrap();
    old.execute_batch("DROP TABLE proof; DROP TABLE origin; PRAGMA user_version = 2;")
        .unwrap();
}

#[test]
fn what_schema_2_kept_is_from_nobody_knows_where() {
    let home = Home::new();
    home.open()
        .insert_all(&[record("a", "vda", "one"), record("a", "vda", "two")])
        .unwrap();
    as_schema_2(&home);
    let store = home.open();
    assert_eq!(store.get(2).unwrap(), record("a", "vda", "two"));
    assert_eq!(store.origin(1).unwrap(), Origin::Unknown);
    let new = store.insert(&record("a", "vda", "new")).unwrap();
    assert_eq!(store.origin(new).unwrap(), Origin::Here);
    assert!(host::files::kind(&home.path().join("records.db.schema-2")).is_ok());
    // And it is a store like any other: what it hands on is taken.
    let there = Home::new();
    assert_eq!(there.open().merge(&home.file()).unwrap().added.len(), 3);
}

#[test]
fn a_store_of_schema_2_is_merged_and_stays_old() {
    let (here, there) = (Home::new(), Home::new());
    there.open().insert(&record("a", "vda", "one")).unwrap();
    as_schema_2(&there);
    let store = here.open();
    assert_eq!(store.merge(&there.file()).unwrap().added, [1]);
    assert!(matches!(store.origin(1).unwrap(), Origin::Merged { .. }));
    let old = Connection::open(there.file()).unwrap();
    let version: i64 = old
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 2);
}

/// A store of schema 3 is one of today's whose jobs have the words and fingerprints of before.
#[test]
fn what_schema_3_held_of_jobs_is_derived_anew() {
    let home = Home::new();
    let mut other = record("a", "vda", "two");
    other.job.rw_stride = 4096;
    home.open()
        .insert_all(&[record("a", "vda", "one"), other.clone(), imported()])
        .unwrap();
    let jobs = |store: &Store| -> Vec<(Option<String>, Option<String>)> {
        (1..=3)
            .map(|id| store.row(id).unwrap())
            .map(|row| (row.job, row.job_print))
            .collect()
    };
    let wanted = jobs(&home.open());
    let old = Connection::open(home.file()).unwrap();
    old.execute_batch(
        "UPDATE record SET job = 'old', job_words = ' old ', job_core = 'old', job_print = 'old';
         UPDATE document SET body = x'00' WHERE record = 3; DROP TABLE proof; PRAGMA user_version = 3;",
    )
    .unwrap();
    drop(old);
    let store = home.open();
    let found = jobs(&store);
    assert_eq!(found[..2], wanted[..2]);
    assert_ne!(found[0].1, found[1].1, "a stride is another job");
    let kept = (Some("old".to_string()), Some("old".to_string()));
    assert_eq!(found[2], kept, "what cannot be read keeps its columns");
    assert!(host::files::kind(&home.path().join("records.db.schema-3")).is_ok());
    assert_eq!(store.get(2).unwrap(), other);
}
