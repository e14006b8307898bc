//! Making the store and asking it.

use crate::synthetic;
use host::clock::monotonic_ns;
use std::path::Path;
use std::process::Command;
use store::{Filter, Store};

/// Everything that was measured.
pub struct Measured {
    pub records: u64,
    pub samples: i64,
    pub json_bytes: i64,
    pub store_bytes: u64,
    pub insert_s: f64,
    pub check_s: f64,
    pub asked: Vec<Asked>,
    pub packings: Vec<Packing>,
}

/// A question, and how long its answers took, ms.
pub struct Asked {
    pub what: &'static str,
    pub goal_ms: Option<f64>,
    pub times_ms: Vec<f64>,
    pub rows: usize,
}

/// A way of packing documents.
pub struct Packing {
    pub level: i32,
    pub share: f64,
    pub pack_mb_per_s: f64,
    pub unpack_mb_per_s: f64,
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Records of one transaction.
const CHUNK: u64 = 100;
const ROUNDS: u64 = 30;

/// Makes the store in `dir` and asks it everything.
pub fn all(dir: &Path, binary: &str, records: u64) -> Outcome<Measured> {
    let insert_s = fill(dir, records)?;
    let status = Store::open_read_only(dir)?.status()?;
    let asked = ask(dir, binary, records)?;
    eprintln!("checking");
    let begun = monotonic_ns();
    let checked = Store::open_read_only(dir)?.check()?;
    if !checked.problems.is_empty() || checked.whole != records {
        return Err(format!("the store is not whole: {checked:?}").into());
    }
    let check_s = (monotonic_ns() - begun) as f64 / 1e9;
    Ok(Measured {
        records,
        samples: status.samples,
        json_bytes: status.document_bytes,
        store_bytes: status.bytes,
        insert_s,
        check_s,
        asked,
        packings: [1, 3, 9].into_iter().map(packing).collect::<Outcome<_>>()?,
    })
}

/// Seconds in the store, without the time for making up records.
fn fill(dir: &Path, records: u64) -> Outcome<f64> {
    let store = Store::open(dir)?;
    let mut busy_ns = 0;
    for first in (0..records).step_by(CHUNK as usize) {
        eprint!("\rwriting: {first} of {records}");
        let chunk: Vec<_> = (first..records.min(first + CHUNK))
            .map(synthetic::record)
            .collect::<Result<_, _>>()?;
        let begun = monotonic_ns();
        let ids = store.insert_all(&chunk)?;
        busy_ns += monotonic_ns() - begun;
        for id in ids.iter().step_by(10) {
            store.tag(*id, &["tenth"])?;
        }
    }
    eprintln!();
    Ok(busy_ns as f64 / 1e9)
}

fn ask(dir: &Path, binary: &str, records: u64) -> Outcome<Vec<Asked>> {
    let mut asked = lists(dir, binary)?;
    asked.extend(single_records(dir, records)?);
    asked.extend(histories(dir)?);
    asked.extend(searches(dir, records)?);
    Ok(asked)
}

/// A record that is another one in each round.
fn id(round: u64, records: u64) -> i64 {
    (round * 7_919 % records) as i64 + 1
}

fn lists(dir: &Path, binary: &str) -> Outcome<Vec<Asked>> {
    let open = || Store::open_read_only(dir);
    let all = Filter::default;
    Ok(vec![
        asked("open the store, list 20", Some(50.0), |_| {
            Ok(open()?.query(&Filter { limit: 20, ..all() })?.len())
        })?,
        asked("list all of them", None, |_| {
            Ok(open()?.query(&all())?.len())
        })?,
        asked("`iodyno list`, the whole process", Some(50.0), |_| {
            process(dir, binary, &["list"])
        })?,
    ])
}

fn single_records(dir: &Path, records: u64) -> Outcome<Vec<Asked>> {
    let open = || Store::open_read_only(dir);
    Ok(vec![
        asked("open a record", Some(200.0), |round| {
            Ok(open()?.get(id(round, records)).map(|_| 1)?)
        })?,
        asked(
            "open a record, nothing of the file in memory",
            Some(200.0),
            |round| {
                forget(dir)?;
                Ok(open()?.get(id(round, records)).map(|_| 1)?)
            },
        )?,
    ])
}

fn histories(dir: &Path) -> Outcome<Vec<Asked>> {
    let open = || Store::open_read_only(dir);
    let history = || Filter {
        host: Some(synthetic::host(7)),
        device: Some(synthetic::disk(7)),
        ..Filter::default()
    };
    Ok(vec![
        asked(
            "history of a device: rows with their figures",
            Some(500.0),
            |_| Ok(open()?.query(&history())?.len()),
        )?,
        asked(
            "the same, nothing of the file in memory",
            Some(500.0),
            |_| {
                forget(dir)?;
                Ok(open()?.query(&history())?.len())
            },
        )?,
        asked(
            "history of a device with every document read",
            Some(500.0),
            |_| {
                let store = open()?;
                let rows = store.query(&history())?;
                rows.iter()
                    .try_for_each(|row| store.get(row.id).map(drop))?;
                Ok(rows.len())
            },
        )?,
    ])
}

fn searches(dir: &Path, records: u64) -> Outcome<Vec<Asked>> {
    let open = || Store::open_read_only(dir);
    Ok(vec![
        asked("the same job on a like device", None, |round| {
            Ok(open()?.like(id(round, records))?.len())
        })?,
        asked("setting scheduler=none and tag", None, |_| {
            let filter = Filter {
                setting: Some(("scheduler".to_string(), Some("none".to_string()))),
                tag: Some("tenth".into()),
                ..Filter::default()
            };
            Ok(open()?.query(&filter)?.len())
        })?,
        asked("text, job and kernel, nothing indexed", None, |_| {
            let filter = Filter {
                text: Some("k iops".into()),
                job: Some("randread".into()),
                kernel: Some("6.1".into()),
                ..Filter::default()
            };
            Ok(open()?.query(&filter)?.len())
        })?,
    ])
}

fn asked(
    what: &'static str,
    goal_ms: Option<f64>,
    ask: impl Fn(u64) -> Outcome<usize>,
) -> Outcome<Asked> {
    eprintln!("{what}");
    let (mut times_ms, mut rows) = (Vec::new(), 0);
    for round in 0..ROUNDS {
        let begun = monotonic_ns();
        rows = ask(round)?;
        times_ms.push((monotonic_ns() - begun) as f64 / 1e6);
    }
    times_ms.sort_by(f64::total_cmp);
    Ok(Asked {
        what,
        goal_ms,
        times_ms,
        rows,
    })
}

fn process(dir: &Path, binary: &str, arguments: &[&str]) -> Outcome<usize> {
    let output = Command::new(binary)
        .args(arguments)
        .env("IODYNO_STATE_DIR", dir)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count())
}

/// Takes the file out of the page cache.
fn forget(dir: &Path) -> Outcome<()> {
    let file =
        host::files::DataFile::open(&dir.join("records.db"), host::files::Access::default())?;
    Ok(file.drop_cache(0, file.bytes())?)
}

/// What a level of zstd makes of documents, and how fast.
fn packing(level: i32) -> Outcome<Packing> {
    let texts: Vec<String> = (0..50)
        .map(|number| serde_json::to_string(&synthetic::record(number)?))
        .collect::<Result<_, _>>()?;
    let bytes: usize = texts.iter().map(String::len).sum();
    let begun = monotonic_ns();
    let packed: Vec<Vec<u8>> = texts
        .iter()
        .map(|text| zstd::bulk::compress(text.as_bytes(), level))
        .collect::<Result<_, _>>()?;
    let pack_ns = monotonic_ns() - begun;
    let begun = monotonic_ns();
    for (body, text) in packed.iter().zip(&texts) {
        zstd::bulk::decompress(body, text.len())?;
    }
    let unpack_ns = monotonic_ns() - begun;
    let rate = |ns: u64| bytes as f64 / ns as f64 * 1e3;
    let share = packed.iter().map(Vec::len).sum::<usize>() as f64 / bytes as f64;
    Ok(Packing {
        level,
        share,
        pack_mb_per_s: rate(pack_ns),
        unpack_mb_per_s: rate(unpack_ns),
    })
}
