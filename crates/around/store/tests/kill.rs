//! A writer is killed with SIGKILL in the midst of its work, 100 times: what it was told is on the disk is there and
//! whole, and the store opens as if nothing had been.
#![allow(
    clippy::disallowed_methods,
    reason = "tests stand outside the one door, to see what came through it"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on must stop"
)]
#![allow(
    clippy::print_stdout,
    reason = "the child tells its parent what was acknowledged"
)]

use model::record::Record;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use store::{Filter, Store};

const ROUNDS: u64 = 100;

/// Where the child writes; the parent sets it.
const PLACE: &str = "IODYNO_TEST_STORE";

/// A record whose content follows from its number, with a series that is long enough to fill several pages.
fn record(number: u64) -> Record {
    let values: Vec<u64> = (0..2_000)
        .map(|step| (number + 1) * step % 1_000_003)
        .collect();
    let series = serde_json::json!({"name": "disk.vda.read_ios", "unit": "ios", "kind": "counter", "values": values});
    let times: Vec<u64> = (0..2_000).collect();
    let document = serde_json::json!({
        "schema": "iodyno.record/1", "verb": "run", "target": "/srv", "summary": format!("number {number}"),
        "provenance": {
            "iodyno": "", "hostname": "here", "kernel": "6.1", "cpu": "", "clock": "tsc", "started_unix_ms": number,
            "command": []
        },
        "path": {
            "schema": "iodyno.path/1", "target": "/srv", "notes": [],
            "root": {
                "kind": "disk", "name": "vda", "devno": "253:0", "title": "", "facts": {}, "settings": [], "queues": [],
                "interrupts": [], "below": []
            }
        },
        "job": {}, "load": null, "trials": [],
        "sensors": [{"sensor": "diskstats", "no_data": null, "time_ns": times, "series": [series], "cost_cpu_ns": 1}],
    });
    serde_json::from_value(document).unwrap()
}

/// Writes records, one after the other, tags and notes among them, and says each one's number when it is told that it
/// is on the disk. Does so only where the parent asks; as a test of its own it does nothing.
#[test]
fn child_writes_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else {
        return;
    };
    let (dir, from) = place.split_once('@').unwrap();
    let store = Store::open(Path::new(dir)).unwrap();
    let mut out = std::io::stdout();
    for number in from.parse::<u64>().unwrap().. {
        let id = store.insert(&record(number)).unwrap();
        writeln!(out, "\nacknowledged {number} {id}").unwrap();
        out.flush().unwrap();
        if number % 3 == 0 {
            store.tag(id, &["third"]).unwrap();
        }
        if number % 7 == 0 {
            // What is deleted makes room that later records take.
            store.delete(&[id]).unwrap();
            writeln!(out, "deleted {number} {id}").unwrap();
            out.flush().unwrap();
        }
    }
}

#[test]
#[ignore = "soak"]
fn killed_at_100_random_moments_it_keeps_all_it_acknowledged() {
    let dir = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("kill-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let (mut written, mut next, mut killed) = (0u64, 0u64, 0);
    for round in 0..ROUNDS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (acknowledged, deleted, was_killed) = one_round(&dir, next, state >> 33);
        killed += u32::from(was_killed);
        let store = Store::open(&dir).unwrap();
        check_round(&store, &acknowledged, &deleted, round);
        written += acknowledged.len() as u64;
        next += 100_000;
    }
    assert_eq!(killed, ROUNDS as u32, "every one ended by the signal");
    let store = Store::open(&dir).unwrap();
    let checked = store.check().unwrap();
    assert!(checked.problems.is_empty(), "{:?}", checked.problems);
    println!(
        "{written} records acknowledged in {ROUNDS} rounds, {} in the store, all whole",
        checked.whole
    );
    drop(store);
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Starts a writer, lets it acknowledge something between nothing and a dozen records, and kills it a little later.
fn one_round(dir: &Path, from: u64, dice: u64) -> (Vec<(u64, i64)>, BTreeSet<i64>, bool) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "child_writes_until_it_is_killed",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(PLACE, format!("{}@{from}", dir.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut acknowledged, mut deleted) = (Vec::new(), BTreeSet::new());
    let mut read = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["acknowledged", number, id] => {
                acknowledged.push((number.parse().unwrap(), id.parse().unwrap()))
            }
            ["deleted", _, id] => drop(deleted.insert(id.parse().unwrap())),
            _ => return false,
        }
        true
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let wanted = dice % 12;
    let mut seen = 0;
    while seen < wanted {
        seen += u64::from(read(
            &lines.next().expect("it writes until it is killed").unwrap(),
        ));
    }
    // Anywhere in the next record or two, not always just after an answer.
    std::thread::sleep(std::time::Duration::from_micros((dice >> 8) % 20_000));
    child.kill().unwrap();
    // What it had said before it died counts too.
    lines.map_while(Result::ok).for_each(|line| {
        read(&line);
    });
    let status = child.wait().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    (acknowledged, deleted, signal == Some(9))
}

fn check_round(store: &Store, acknowledged: &[(u64, i64)], deleted: &BTreeSet<i64>, round: u64) {
    for (number, id) in acknowledged.iter().filter(|(_, id)| !deleted.contains(id)) {
        match store.get(*id) {
            Ok(found) => assert_eq!(found, record(*number), "round {round}"),
            // It was deleted, and the writer died before it could say so.
            Err(error) => assert!(number % 7 == 0, "round {round}, record {id}: {error}"),
        }
    }
    for id in deleted {
        assert!(
            store.get(*id).is_err(),
            "round {round}: record {id} is there again"
        );
    }
    let first = Filter {
        limit: 5,
        ..Filter::default()
    };
    for row in store.query(&first).unwrap() {
        assert_eq!(
            store.get(row.id).unwrap().summary,
            row.summary,
            "round {round}"
        );
    }
    if round.is_multiple_of(10) {
        let checked = store.check().unwrap();
        assert!(
            checked.problems.is_empty(),
            "round {round}: {:?}",
            checked.problems
        );
    }
}

#[test]
fn two_writers_and_a_reader_at_once() {
    let dir = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("writers-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    const EACH: u64 = 40;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let dir = &dir;
                scope.spawn(move || {
                    // Both may be the one that makes it.
                    let store = Store::open(dir).unwrap();
                    for number in 0..EACH {
                        let id = store.insert(&record(writer * 1_000 + number)).unwrap();
                        store
                            .tag(id, &[if writer == 0 { "first" } else { "second" }])
                            .unwrap();
                    }
                })
            })
            .collect();
        let mut seen = 0;
        // A writer that failed would leave the reader waiting for ever.
        while !writers.iter().all(|writer| writer.is_finished()) {
            let store = Store::open_read_only(&dir).unwrap();
            let rows = store.query(&Filter::default()).unwrap();
            assert!(rows.len() >= seen, "what was there stays");
            seen = rows.len();
            if let Some(row) = rows.first() {
                assert_eq!(store.get(row.id).unwrap().summary, row.summary);
            }
        }
    });
    let store = Store::open(&dir).unwrap();
    let of = |tag: &str| {
        store
            .query(&Filter {
                tag: Some(tag.into()),
                ..Filter::default()
            })
            .unwrap()
            .len() as u64
    };
    assert_eq!((of("first"), of("second")), (EACH, EACH));
    assert_eq!(store.check().unwrap().whole, 2 * EACH);
    drop(store);
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Whoever looks while another makes the store sees all of it or nothing, not another program's database.
#[test]
#[ignore = "soak"]
fn opened_by_many_while_it_is_made() {
    let dir = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("made-{}", std::process::id()));
    for round in 0..100 {
        let dir = dir.join(round.to_string());
        std::fs::create_dir_all(&dir).unwrap();
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    start.wait();
                    Store::open(&dir).unwrap();
                });
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..20 {
                        Store::open_read_only(&dir).unwrap();
                    }
                });
            }
        });
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
