//! Every importer on damaged copies of what tools printed: an error or fewer results, never a panic, a hang, a number that
//! is none, or memory without bounds.
//!
//! As a test it takes some seconds; `make fuzz` looks further. The long form is `IODYNO_FUZZ_INPUTS` inputs an importer (all are
//! made from a seed and a number, so that a failure is repeated by `IODYNO_FUZZ_FROM=NUMBER IODYNO_FUZZ_INPUTS=1`), only
//! one of them with `IODYNO_FUZZ_IMPORTER`.
#![allow(
    clippy::disallowed_methods,
    reason = "a test reads its own fixtures, its settings and the clock"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a test, and tells how far it came"
)]

use imports::pieces::found;
use imports::{How, Importer, Piece, Text, importers};
use model::imported::Imported;
use stats::dice::mix64;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// No input is longer, bytes.
const INPUT_MAX: usize = 64 << 10;
/// One input that takes longer than this hangs. On a busy machine the longest one takes less than a second.
const HANG: Duration = Duration::from_secs(120);
/// Time for each importer as a test.
const SHARE: Duration = Duration::from_millis(700);

/// Dice of one input.
struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.thrown += 1;
        (mix64(self.seed.wrapping_mul(1 << 20).wrapping_add(self.thrown)) % bound.max(1) as u64)
            as usize
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A file that some tool wrote.
struct Fixture {
    name: String,
    bytes: Vec<u8>,
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata");
    let mut paths: Vec<PathBuf> = ["imports", "fio-json"]
        .iter()
        .flat_map(|folder| files(&root.join(folder)))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let name = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        Fixture {
            name,
            bytes: bytes[..bytes.len().min(INPUT_MAX)].to_vec(),
        }
    };
    paths.into_iter().map(read).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Words that matter to some parser.
const WORDS: [&str; 40] = [
    "99999999999999999999999",
    "-1",
    "1e308",
    "1e-400",
    "nan",
    "inf",
    "0x",
    "{",
    "}",
    "\"",
    "[",
    "]",
    "=",
    ":",
    ",",
    ";",
    "|",
    "\n",
    "\r",
    "\0",
    "\u{a0}",
    "\u{2013}",
    "\u{1f4a9}",
    "IOPS=",
    "BW=1MiB/s",
    "(groupid=0, jobs=1)",
    "read: ",
    "th=[ 5]",
    "fio -rw=read ",
    "fio-3.7",
    "Run status group 0 (all jobs):",
    "Total time run: 1",
    "---|---|",
    "%=",
    "\"jobs\":",
    "0, 1, 0, 4096\n",
    "usec",
    "k",
    "M",
    "Device r/s w/s",
];

/// A damaged copy.
fn damaged(all: &[Fixture], own: &[usize], dice: &mut Dice) -> (String, Vec<u8>) {
    let fixture = if own.is_empty() || dice.below(4) == 0 {
        dice.pick(all)
    } else {
        &all[*dice.pick(own)]
    };
    let mut bytes = fixture.bytes.clone();
    for _ in 0..=dice.below(6) {
        damage(&mut bytes, all, dice);
        bytes.truncate(INPUT_MAX);
    }
    (fixture.name.clone(), bytes)
}

fn damage(bytes: &mut Vec<u8>, all: &[Fixture], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let to = (at + dice.below(200)).min(bytes.len());
    match dice.below(10) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..to)),
        2 => {
            let again = bytes[at..to].repeat(1 + dice.below(20));
            bytes.splice(at..at, again).for_each(drop);
        }
        3 => bytes
            .splice(at..at, dice.pick(&WORDS).bytes())
            .for_each(drop),
        4 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
        5 => shuffle_lines(bytes, dice),
        6 => bytes
            .iter_mut()
            .skip(at)
            .take(2_000)
            .filter(|byte| **byte == b'\n')
            .for_each(|byte| *byte = b' '),
        7 => {
            let other = &dice.pick(all).bytes;
            let from = dice.below(other.len() + 1);
            let part = other[from..(from + 4_000).min(other.len())].to_vec();
            bytes.splice(at..to, part).for_each(drop);
        }
        8 => bytes
            .iter_mut()
            .skip(at)
            .take(30)
            .filter(|byte| byte.is_ascii_digit())
            .for_each(|byte| *byte = b'9'),
        _ => bytes
            .splice(at..to, dice.pick(&WORDS).bytes())
            .for_each(drop),
    }
}

fn shuffle_lines(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..1 + dice.below(20) {
        let (a, b) = (dice.below(lines.len()), dice.below(lines.len()));
        lines.swap(a, b);
    }
    *bytes = lines.join(&b'\n');
}

/// Runs one importer on one input, whatever it thinks of it.
fn run(importer: &Importer, name: &str, bytes: &[u8]) -> usize {
    let mut source = BufReader::with_capacity(1 + bytes.len() % 5_000, bytes);
    let head = &bytes[..bytes.len().min(INPUT_MAX)];
    match importer.how {
        How::Text(find) | How::Json(find) => {
            let text = String::from_utf8_lossy(bytes);
            let text = Text::new(&text);
            let pieces = found(find, &text);
            pieces
                .iter()
                .for_each(|piece| check(piece, text.lines.len()));
            pieces.len()
        }
        How::Stream { is_mine, read } => {
            is_mine(head);
            read(&mut source).map_or(0, |pieces| checked(&pieces))
        }
        How::Named { is_mine, read } => {
            is_mine(name, head);
            read(name, &mut source).map_or(0, |pieces| checked(&pieces))
        }
    }
}

fn checked(pieces: &[Piece]) -> usize {
    pieces.iter().for_each(|piece| check(piece, usize::MAX));
    pieces.len()
}

fn check(piece: &Piece, lines: usize) {
    let mut last = 0;
    for range in &piece.lines {
        assert!(
            range.start >= last && range.start < range.end && range.end <= lines,
            "{:?} of {lines}",
            piece.lines
        );
        last = range.end;
    }
    finite(&piece.imported);
    // Sentences are for people; a file of 64 KiB cannot need more than this.
    assert!(piece.unread.len() < 10_000 && piece.imported.lossy.len() < 10_000);
}

fn finite(imported: &Imported) {
    let load = imported.load.iter();
    for (name, side) in load.flat_map(|load| load.sides()) {
        let samples = side.iops_samples.iter().chain(&side.bytes_per_s_samples);
        let samples =
            samples.flat_map(|samples| [samples.min, samples.max, samples.mean, samples.stddev]);
        let latencies = side.latencies.iter().flat_map(|latency| {
            let told = [
                latency.min_ns,
                latency.mean_ns,
                latency.stddev_ns,
                latency.max_ns,
            ];
            told.into_iter()
                .flatten()
                .chain(latency.percentiles.iter().flat_map(|(a, b)| [*a, *b]))
        });
        let rates = [side.bytes, side.iops, side.bytes_per_s]
            .into_iter()
            .flatten();
        let mut all = samples.chain(latencies).chain(rates);
        assert!(
            all.all(f64::is_finite),
            "a number of {name} is none: {side:?}"
        );
    }
    for series in &imported.series {
        assert_eq!(
            series.time_ms.len(),
            series.values.len(),
            "{}",
            series.field
        );
        assert!(series.time_ms.len() <= 100_000, "{}", series.field);
    }
}

/// What is running, for the watchdog.
static CURRENT: Mutex<(String, u64)> = Mutex::new((String::new(), 0));
static STARTED: AtomicU64 = AtomicU64::new(u64::MAX);

fn watch(origin: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let started = STARTED.load(Ordering::Relaxed);
            let now = origin.elapsed().as_millis() as u64;
            if now.saturating_sub(started) > HANG.as_millis() as u64 {
                let (importer, number) = CURRENT.lock().unwrap().clone();
                eprintln!(
                    "{importer} hangs: IODYNO_FUZZ_IMPORTER={importer} IODYNO_FUZZ_FROM={number} IODYNO_FUZZ_INPUTS=1"
                );
                std::process::abort();
            }
        }
    });
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn damage_is_an_error_or_fewer_results() {
    let all = fixtures();
    assert!(all.len() > 20, "{} fixtures", all.len());
    let origin = Instant::now();
    watch(origin);
    let (inputs, from) = (
        setting("IODYNO_FUZZ_INPUTS"),
        setting("IODYNO_FUZZ_FROM").unwrap_or(0),
    );
    let only = std::env::var("IODYNO_FUZZ_IMPORTER").ok();
    let wanted = |id: &str| only.as_deref().is_none_or(|only| only == id);
    let mut jobs: Vec<Option<&Importer>> = importers::ALL
        .iter()
        .copied()
        .filter(|one| wanted(one.id))
        .map(Some)
        .collect();
    // All of them together, as a user calls them.
    jobs.extend(wanted("all").then_some(None));
    for importer in jobs {
        let id = importer.map_or("all", |importer| importer.id);
        let own: Vec<usize> = (0..all.len())
            .filter(|at| {
                all[*at].name.contains(id) || id == "fio_json" && all[*at].name.contains("json")
            })
            .collect();
        let begun = Instant::now();
        let (mut number, mut found) = (from, 0);
        while inputs.map_or(begun.elapsed() < SHARE, |inputs| number < from + inputs) {
            let mut dice = Dice {
                seed: number,
                thrown: 0,
            };
            let (name, bytes) = damaged(&all, &own, &mut dice);
            *CURRENT.lock().unwrap() = (id.into(), number);
            STARTED.store(origin.elapsed().as_millis() as u64, Ordering::Relaxed);
            let outcome = std::panic::catch_unwind(|| match importer {
                Some(importer) => run(importer, &name, &bytes),
                None => imports::import(&name, &mut &bytes[..]).map_or(0, |import| {
                    import.results.iter().for_each(finite);
                    import.results.len()
                }),
            });
            STARTED.store(u64::MAX, Ordering::Relaxed);
            found += outcome.unwrap_or_else(|_| {
                panic!("{id} fails on {name}: IODYNO_FUZZ_IMPORTER={id} IODYNO_FUZZ_FROM={number} IODYNO_FUZZ_INPUTS=1")
            });
            number += 1;
        }
        println!(
            "{id}: {} inputs, {found} results, {:.1} s",
            number - from,
            begun.elapsed().as_secs_f64()
        );
    }
    println!("most memory: {} MiB", peak_mib());
    assert!(peak_mib() < 2_048, "{} MiB", peak_mib());
}

/// Most memory that this process ever had; 0 where the kernel does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}
