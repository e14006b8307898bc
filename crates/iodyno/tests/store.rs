//! The records as their user meets them: found, annotated, deleted, merged, copied, checked.

use crate::support::{Iodyno, code, is_root, text};
use ::store::Store;
use model::record::Record;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// A run on `device` of `host`, measured at a moment in ms since 1970.
pub fn record(host: &str, device: &str, unix_ms: u64, summary: &str) -> Record {
    let setting = serde_json::json!({
        "name": "scheduler", "path": "/sys/block/x/queue/scheduler", "value": {"value": "[none] kyber"}, "writable": true
    });
    let root = serde_json::json!({
        "kind": "disk", "name": device, "devno": "259:0", "title": "", "settings": [setting], "queues": [],
        "interrupts": [], "below": [], "facts": {"model": "MODEL 1", "serial_digest": host::serial_digest(device)},
    });
    let side =
        serde_json::json!({"ios": 1000, "bytes": 4_096_000, "latency": [[100, 990], [900, 10]]});
    let none = serde_json::json!({"ios": 0, "bytes": 0, "latency": []});
    let interval = serde_json::json!({
        "start_ms": 0, "length_ms": 1000, "inflight": 32,
        "read": {"ios": 500, "bytes": 2_048_000, "p50_ns": 100, "p99_ns": 200},
        "write": {"ios": 0, "bytes": 0, "p50_ns": 0, "p99_ns": 0},
    });
    let counter: Vec<u64> = (0..50).map(|step| step * step).collect();
    let gauge: Vec<Option<f64>> = (0..50)
        .map(|step| (step % 5 > 0).then_some(f64::from(step) / 4.0))
        .collect();
    let times: Vec<u64> = (0..50).map(|step| step * 100_000_000).collect();
    let document = serde_json::json!({
        "schema": "iodyno.record/1", "verb": "run", "target": format!("/dev/{device}"), "summary": summary,
        "provenance": {
            "iodyno": "0.1.0", "hostname": host, "kernel": "6.1.0-18-amd64", "cpu": "", "clock": "tsc",
            "started_unix_ms": unix_ms, "command": []
        },
        "path": {"schema": "iodyno.path/1", "target": format!("/dev/{device}"), "notes": [], "root": root},
        "job": {}, "trials": [],
        "load": {"elapsed_ms": 2000.0, "read": side, "write": none, "trim": none, "sync": none, "intervals": [interval]},
        "sensors": [{
            "sensor": "diskstats", "no_data": null, "time_ns": times, "cost_cpu_ns": 1,
            "series": [
                {"name": format!("disk.{device}.read_ios"), "unit": "ios", "kind": "counter", "values": counter},
                {"name": format!("disk.{device}.inflight"), "unit": "ios", "kind": "gauge", "values": gauge},
            ],
        }],
    });
    serde_json::from_value(document).unwrap()
}

/// Four records on two hosts and three days.
pub fn filled(iodyno: &Iodyno) -> Store {
    let store = Store::open(iodyno.state.path()).unwrap();
    let odd = "a summary, with \"quotes\",\nand \u{1b}[31ma line\u{1b}[0m that goes on for a good deal longer than any table";
    let records = [
        record("alpha", "vda", 1_700_000_000_000, "first"),
        record("alpha", "nvme0n1", 1_700_100_000_000, odd),
        record("beta", "vda", 1_700_200_000_000, "third"),
        record("alpha", "vda", 1_700_200_000_000, "fourth"),
    ];
    store.insert_all(&records).unwrap();
    store
}

fn ids(iodyno: &Iodyno, arguments: &[&str]) -> Vec<i64> {
    let (list, output) = iodyno.json(&[&["list"], arguments].concat());
    assert_eq!(code(&output), 0);
    list["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn records_are_found_by_what_they_are_of() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    assert_eq!(ids(&iodyno, &[]), [4, 3, 2, 1]);
    assert_eq!(
        ids(&iodyno, &["--host", "alpha", "--device", "/dev/vda"]),
        [4, 1]
    );
    assert_eq!(ids(&iodyno, &["--serial", "nvme0n1"]), [2]);
    assert_eq!(ids(&iodyno, &["--job", "randread bs=4k"]), [4, 3, 2, 1]);
    assert_eq!(ids(&iodyno, &["--job", "randwrite"]), [0; 0]);
    assert_eq!(
        ids(
            &iodyno,
            &["--setting", "scheduler=none", "--kernel", "6.1", "-n", "2"]
        ),
        [4, 3]
    );
    assert_eq!(ids(&iodyno, &["--setting", "scheduler=bfq"]), [0; 0]);
    assert_eq!(ids(&iodyno, &["--before", "3"]), [2, 1]);
    assert_eq!(
        ids(&iodyno, &["--since", "2023-11-17T00:00Z", "--until", "1d"]),
        [4, 3]
    );
    assert_eq!(ids(&iodyno, &["--text", "THIRD", "--verb", "run"]), [3]);
    let output = iodyno.run(&["list", "--since", "yesterday"]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("2026-11-21"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_list_fits_a_terminal_and_lets_nothing_through() {
    let iodyno = Iodyno::new();
    let store = filled(&iodyno);
    store.tag(2, &["db"]).unwrap();
    store.note(2, "a note").unwrap();
    let list = text(&iodyno.run(&["list"]).stdout);
    assert_eq!(list.lines().count(), 5, "{list}");
    assert!(
        list.lines().all(|line| line.chars().count() <= 80),
        "{list}"
    );
    assert!(
        !list.contains('\u{1b}') && list.contains("#db, 1 note") && list.contains("beta:/dev/vda"),
        "{list}"
    );
    let shown = text(&iodyno.run(&["show", "1"]).stdout);
    assert!(
        shown.contains("the same job on a like device: records 4, 3, 2"),
        "{shown}"
    );
}

#[test]
fn tags_and_notes_come_and_go() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    let (document, _) = iodyno.json(&["tag", "1", "3", "--add", "db,slow", "--remove", "never"]);
    assert_eq!(
        document["records"][1],
        serde_json::json!({"id": 3, "tags": ["db", "slow"]})
    );
    iodyno.run(&["tag", "3", "--remove", "slow"]);
    assert_eq!(ids(&iodyno, &["--tag", "slow"]), [1]);
    let (all, _) = iodyno.json(&["tag"]);
    assert_eq!(
        all["tags"][0],
        serde_json::json!({"tag": "db", "records": 2})
    );
    assert_eq!(code(&iodyno.run(&["tag", "1", "77", "--add", "x"])), 2);
    assert_eq!(
        ids(&iodyno, &["--tag", "x"]),
        [0; 0],
        "nothing is changed when one number is wrong"
    );
    assert_eq!(code(&iodyno.run(&["tag", "1", "--add", "two words"])), 2);
    iodyno.run(&["note", "2", "the", "fan", "was off"]);
    let (notes, _) = iodyno.json(&["note", "2", "and on again"]);
    assert_eq!(notes["notes"][0]["text"], "the fan was off");
    let number = notes["notes"][1]["id"].to_string();
    let (notes, _) = iodyno.json(&["note", "2", "--remove", &number]);
    assert_eq!(notes["notes"].as_array().unwrap().len(), 1);
    let (shown, _) = iodyno.json(&["show", "2"]);
    assert_eq!(shown["notes"][0]["text"], "the fan was off");
}

#[test]
fn deleting_asks_and_is_refused_where_nobody_can_be_asked() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    let output = iodyno.run(&["delete", "2"]);
    assert_eq!(code(&output), 4);
    assert!(
        text(&output.stderr).contains("--yes"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(code(&iodyno.run(&["delete", "2", "99", "--yes"])), 2);
    assert_eq!(ids(&iodyno, &[]), [4, 3, 2, 1]);
    let (document, _) = iodyno.json(&["delete", "2", "4", "2", "--yes"]);
    assert_eq!(document["deleted"], serde_json::json!([2, 4]));
    assert_eq!(ids(&iodyno, &[]), [3, 1]);
}

/// On a terminal, which `script` makes, an answer that is no yes deletes nothing.
#[test]
fn on_a_terminal_only_a_yes_deletes() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    if skip::lacks("script") {
        return;
    }
    let ask = |answer: &str| {
        let line = format!(
            "printf '{answer}\\n' | script -qec '{} delete 1' /dev/null",
            env!("CARGO_BIN_EXE_iodyno")
        );
        Command::new("sh")
            .args(["-c", &line])
            .env("IODYNO_STATE_DIR", iodyno.state.path())
            .output()
            .unwrap()
    };
    let said = ask("n");
    assert!(
        text(&said.stdout).contains("for good"),
        "{}",
        text(&said.stdout)
    );
    assert_eq!(ids(&iodyno, &[]), [4, 3, 2, 1]);
    ask("y");
    assert_eq!(ids(&iodyno, &[]), [4, 3, 2]);
}

#[test]
fn another_store_comes_in_once() {
    let (here, there) = (Iodyno::new(), Iodyno::new());
    drop(filled(&here));
    let other = Store::open(there.state.path()).unwrap();
    other
        .insert(&record("gamma", "sda", 5, "elsewhere"))
        .unwrap();
    other
        .insert(&record("alpha", "vda", 1_700_000_000_000, "first"))
        .unwrap();
    other.tag(2, &["seen-there"]).unwrap();
    drop(other);
    let from = there.state.path().to_str().unwrap();
    let (merged, _) = here.json(&["merge", from]);
    assert_eq!(
        (&merged["added"], &merged["known"], &merged["tags"]),
        (&serde_json::json!([5]), &1.into(), &1.into())
    );
    assert_eq!(ids(&here, &["--tag", "seen-there"]), [1]);
    assert_eq!(
        here.json(&["merge", &format!("{from}/records.db")]).0["known"],
        2
    );
    assert_eq!(code(&here.run(&["merge", "/nowhere.db"])), 2);
}

#[test]
fn the_store_says_where_it_is_and_is_copied_and_checked() {
    let iodyno = Iodyno::new();
    let (status, _) = iodyno.json(&["store"]);
    assert_eq!(
        (&status["exists"], &status["records"]),
        (&false.into(), &0.into())
    );
    drop(filled(&iodyno));
    let (status, _) = iodyno.json(&["store"]);
    assert_eq!(
        (&status["records"], &status["samples"], &status["schema"]),
        (&4.into(), &400.into(), &5.into())
    );
    assert_eq!(iodyno.json(&["store", "check"]).0["whole"], 4);
    let copy = iodyno.state.path().join("copy.db");
    assert_eq!(
        code(&iodyno.run(&["store", "backup", copy.to_str().unwrap()])),
        0
    );
    assert_eq!(
        code(&iodyno.run(&["store", "backup", copy.to_str().unwrap()])),
        2,
        "nothing is overwritten"
    );
    let other = Iodyno::new();
    assert_eq!(
        other.json(&["merge", copy.to_str().unwrap()]).0["added"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    // One document is replaced behind the store's back.
    let file = rusqlite::Connection::open(iodyno.state.path().join("records.db")).unwrap();
    file.execute(
        "UPDATE document SET body = (SELECT body FROM document WHERE record = 1) WHERE record = 3",
        [],
    )
    .unwrap();
    let output = iodyno.run(&["store", "check"]);
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stdout).contains("record 3:"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_trigger_in_ones_own_store_is_named_and_not_obeyed() {
    let iodyno = Iodyno::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/imports");
    let page = format!("{folder}/articles/usb_under_ceph.txt");
    let import = ["import", &page];
    let first = iodyno.run(&["import", &page, "--host", "a"]);
    assert_eq!(code(&first), 0, "{}", text(&first.stderr));
    let file = iodyno.state.path().join("records.db");
    let sql = |sql: &str| {
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(sql).unwrap();
    };
    sql(
        "CREATE TRIGGER thief AFTER INSERT ON record BEGIN DELETE FROM record WHERE id < new.id; END",
    );
    let refused = iodyno.run(&import);
    assert_eq!(code(&refused), 4, "{}", text(&refused.stderr));
    let said = text(&refused.stderr);
    assert!(
        said.contains("the trigger `thief`") && said.contains("DROP TRIGGER"),
        "{said}"
    );
    let check = iodyno.run(&["store", "check"]);
    let said = text(&check.stdout);
    assert_eq!(code(&check), 5, "{said}");
    assert!(
        said.contains("9 records are whole") && said.contains("the trigger `thief`"),
        "{said}"
    );
    sql("DROP TRIGGER thief");
    assert_eq!(code(&iodyno.run(&import)), 0);
    assert_eq!(code(&iodyno.run(&["store", "check"])), 0);
}

#[test]
fn a_store_of_the_first_schema_is_brought_up_to_date_by_whoever_comes_first() {
    let iodyno = Iodyno::new();
    let old = rusqlite::Connection::open(iodyno.state.path().join("records.db")).unwrap();
    old.execute_batch(
        "CREATE TABLE record (id INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, verb TEXT NOT NULL,
             target TEXT NOT NULL, device TEXT, host TEXT NOT NULL, kernel TEXT NOT NULL, summary TEXT NOT NULL,
             document TEXT NOT NULL) STRICT;
         CREATE INDEX record_by_time ON record (unix_ms);
         CREATE INDEX record_by_device ON record (host, device, unix_ms);
         PRAGMA user_version = 1;",
    )
    .unwrap();
    let document = serde_json::to_string(&record("alpha", "vda", 7, "old")).unwrap();
    let values = rusqlite::params![document];
    old.execute(
        "INSERT INTO record VALUES (5, 7, 'run', '/dev/vda', 'vda', 'alpha', '6.1', 'old', ?1)",
        values,
    )
    .unwrap();
    drop(old);
    assert_eq!(ids(&iodyno, &["--setting", "scheduler"]), [5]);
    assert!(iodyno.state.path().join("records.db.schema-1").exists());
    assert_eq!(iodyno.json(&["show", "5"]).0["record"]["summary"], "old");
}

/// Root's store is root's; a copy that is meant for others is there for them to read, and to read alone.
#[test]
fn nobody_reads_the_store_of_root_and_everybody_a_copy_made_for_them() {
    if !is_root() {
        return skip::missing("root", "only root has rights to give up");
    }
    if skip::lacks("setpriv") {
        return;
    }
    let iodyno = Iodyno::new();
    let place = iodyno.state.path();
    for above in place
        .ancestors()
        .take_while(|above| above.as_os_str().len() > 1)
    {
        let mode = std::fs::metadata(above).unwrap().permissions().mode();
        if mode & 0o005 != 0o005 {
            skip::missing(
                "user",
                format!("not everybody may enter {}", above.display()),
            );
            return;
        }
    }
    let store = filled(&iodyno);
    let as_nobody = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        let nobody = [
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            env!("CARGO_BIN_EXE_iodyno"),
        ];
        command.args(nobody).args(arguments);
        command
            .env("IODYNO_STATE_DIR", place)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command.output().unwrap()
    };
    let refused = as_nobody(&["list"]);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 3, "while it is open: {said}");
    assert!(
        said.contains("IODYNO_STATE_DIR") && text(&refused.stdout).is_empty(),
        "{said}"
    );
    drop(store);
    assert_eq!(code(&as_nobody(&["show", "1"])), 3);
    // As a backup of it, given away on purpose.
    std::fs::set_permissions(place.join("records.db"), PermissionsExt::from_mode(0o644)).unwrap();
    let alone = as_nobody(&["list"]);
    assert_eq!(
        (code(&alone), text(&alone.stdout).lines().count()),
        (0, 4),
        "{}",
        text(&alone.stderr)
    );
    let refused = as_nobody(&["tag", "1", "--add", "x"]);
    assert_eq!(code(&refused), 3, "{}", text(&refused.stderr));
}
