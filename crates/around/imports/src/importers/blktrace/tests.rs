//! A trace of a guest in each of its forms, against what btt and blkparse count in it; other byte order, damage, bounds.

use super::*;
use crate::import;
use crate::printed::fixtures;
use model::imported::{Imported, SideFigures};
use stats::dice::mix64;

fn of(bytes: &[u8]) -> Vec<Imported> {
    import("x", &mut &bytes[..]).unwrap().results
}

/// Of each span: how many, and its mean in µs.
fn spans(side: &SideFigures) -> Vec<(String, u64, f64)> {
    let span = |one: &model::imported::LatencyFigures| {
        (
            one.kind.clone(),
            one.count.unwrap(),
            (one.mean_ns.unwrap() / 1e3 * 10.0).round() / 10.0,
        )
    };
    side.latencies.iter().map(span).collect()
}

fn nvme() -> Vec<u8> {
    [
        fixtures::bytes("blktrace/nvme.blktrace.0"),
        fixtures::bytes("blktrace/nvme.blktrace.1"),
    ]
    .concat()
}

#[test]
fn cpus_behind_each_other_are_paired_across_them() {
    let result = import("nvme", &mut nvme().as_slice()).unwrap();
    let [found] = &result.results[..] else {
        panic!("{:?}", result.results)
    };
    let load = found.load.as_ref().unwrap();
    let (read, write) = (load.read.as_ref().unwrap(), load.write.as_ref().unwrap());
    // blkparse: Reads Completed: 157, 2328KiB, of which one is the end of the flush; Writes Completed: 33, 2720KiB.
    assert_eq!((read.ios, read.bytes), (Some(156), Some(2328.0 * 1024.0)));
    assert_eq!((write.ios, write.bytes), (Some(32), Some(2720.0 * 1024.0)));
    assert_eq!(load.sync.as_ref().unwrap().ios, Some(1));
    // btt: Q2C of 386 bios, Q2G of 188 requests with data.
    let count =
        |side: &SideFigures, kind: &str| side.latency(kind).and_then(|one| one.count).unwrap_or(0);
    assert_eq!(
        count(read, "q2c") + count(write, "q2c"),
        386,
        "{:?} {:?}",
        spans(read),
        spans(write)
    );
    assert_eq!(count(read, "q2g") + count(write, "q2g"), 188);
    assert_eq!(
        (found.name.as_str(), found.facts["merged"].as_str()),
        ("259:0", "198")
    );
    assert!(
        found
            .measured_unix_ms
            .is_some_and(|ms| ms > 1_700_000_000_000)
    );
    assert!(result.unread.is_empty(), "{:?}", result.unread);
}

#[test]
fn the_means_are_btts() {
    let found = &of(&fixtures::bytes("blktrace/sata.bin"))[0];
    let load = found.load.as_ref().unwrap();
    let sides = [load.read.as_ref().unwrap(), load.write.as_ref().unwrap()];
    let mean = |kind: &str| {
        let all = sides.iter().filter_map(|side| side.latency(kind));
        let (count, sum) = all.fold((0.0, 0.0), |(count, sum), one| {
            let n = one.count.unwrap() as f64;
            (count + n, sum + n * one.mean_ns.unwrap())
        });
        (count as u64, (sum / count).round() as u64)
    };
    // What btt printed of the same file.
    assert_eq!(mean("q2c"), (528, 4_424_418));
    assert_eq!(mean("q2g"), (130, 352_694));
    assert_eq!(mean("g2i"), (130, 149_895));
    assert_eq!(mean("i2d"), (130, 1_220_339));
    assert_eq!(
        mean("d2c").0,
        130,
        "by request, where btt counts each bio of it"
    );
}

#[test]
fn a_file_in_the_other_byte_order_is_the_same() {
    let little = nvme();
    let mut big = little.clone();
    let mut at = 0;
    while at + 48 <= big.len() {
        let more = usize::from(u16::from_le_bytes([little[at + 46], little[at + 47]]));
        for (from, width) in [
            (0, 4),
            (4, 4),
            (8, 8),
            (16, 8),
            (24, 4),
            (28, 4),
            (32, 4),
            (36, 4),
            (40, 4),
            (44, 2),
            (46, 2),
        ] {
            big[at + from..at + from + width].reverse();
        }
        let is_note = little[at + 31] & 4 != 0;
        if is_note && more >= 8 {
            big[at + 48..at + 52].reverse();
            big[at + 52..at + 56].reverse();
        }
        at += 48 + more;
    }
    assert_eq!(of(&little), of(&big));
}

/// A file of a CPU that gives few bytes at a time.
fn file(name: &str, bytes: Vec<u8>) -> (String, Box<dyn BufRead>) {
    (
        name.into(),
        Box::new(std::io::BufReader::with_capacity(
            97,
            std::io::Cursor::new(bytes),
        )),
    )
}

#[test]
fn the_files_of_the_cpus_are_merged_by_time() {
    let whole = &of(&nvme())[0];
    let cpu = |number: u32| fixtures::bytes(&format!("blktrace/nvme.blktrace.{number}"));
    // Also in another order, and with the file of a CPU that saw nothing.
    for files in [
        vec![
            file("nvme.blktrace.0", cpu(0)),
            file("nvme.blktrace.1", cpu(1)),
        ],
        vec![
            file("nvme.blktrace.1", cpu(1)),
            file("nvme.blktrace.2", vec![]),
            file("nvme.blktrace.0", cpu(0)),
        ],
    ] {
        let import = crate::import_trace("nvme.blktrace.*", files).unwrap();
        let [found] = &import.results[..] else {
            panic!("{:?}", import.results)
        };
        assert_eq!(
            (found.importer.as_str(), found.file.as_str()),
            ("blktrace", "nvme.blktrace.*")
        );
        assert_eq!(found.load, whole.load);
        assert_eq!(
            (&found.series, &found.facts, &found.lossy),
            (&whole.series, &whole.facts, &whole.lossy)
        );
        assert_eq!(found.measured_unix_ms, whole.measured_unix_ms);
        assert!(import.unread.is_empty(), "{:?}", import.unread);
    }
}

#[test]
fn what_is_wrong_with_one_file_of_a_trace_is_said_with_its_name() {
    let mut cut = fixtures::bytes("blktrace/nvme.blktrace.1");
    cut.truncate(cut.len() - 20);
    let files = vec![
        file("a.blktrace.0", fixtures::bytes("blktrace/nvme.blktrace.0")),
        file("a.blktrace.1", cut),
        file("a.blktrace.2", b"no trace".to_vec()),
    ];
    let import = crate::import_trace("a.blktrace.*", files).unwrap();
    assert_eq!(import.results.len(), 1);
    let why: Vec<&str> = import.unread.iter().map(|one| one.why.as_str()).collect();
    assert!(
        why.iter()
            .any(|why| why.starts_with("a.blktrace.1: the last record is cut off")),
        "{why:?}"
    );
    assert!(
        why.iter()
            .any(|why| why.starts_with("a.blktrace.2: its 8 bytes do not begin")),
        "{why:?}"
    );
    let nothing = crate::import_trace("a.blktrace.*", vec![file("a.blktrace.0", vec![])]);
    assert!(matches!(nothing, Err(ImportError::Damaged(_))));
}

#[test]
fn a_trace_is_told_by_the_names_of_its_files() {
    for (file, trace) in [
        ("sda.blktrace.0", Some("sda")),
        ("/x/y.z.blktrace.127", Some("/x/y.z")),
        ("sda.blktrace.", None),
        ("sda.blktrace.bin", None),
        (".blktrace.1", None),
        ("x/.blktrace.1", None),
        ("sda.bin", None),
    ] {
        assert_eq!(cpus::trace_of(file), trace, "{file}");
    }
}

#[test]
fn a_long_trace_is_given_out_before_its_end() {
    // What one CPU queues is done 3 µs later on the other. All of it is more than is held of mixed events.
    let cpu = |number: u32, action: u32, first: u64| {
        let mut bytes = Vec::new();
        for (count, at) in (first..2_400_000u64).step_by(4).enumerate() {
            bytes.extend(0x6561_7407u32.to_le_bytes());
            bytes.extend((1 + count as u32).to_le_bytes());
            bytes.extend((at * 1_000).to_le_bytes());
            bytes.extend((at / 4 * 8).to_le_bytes());
            bytes.extend(
                [4_096, 1 << 16 | action, 7, 8 << 20, number, 0]
                    .map(u32::to_le_bytes)
                    .concat(),
            );
        }
        file(&format!("x.blktrace.{number}"), bytes)
    };
    let import = crate::import_trace("x", vec![cpu(0, 1, 0), cpu(1, 8, 3)]).unwrap();
    let read = import.results[0]
        .load
        .as_ref()
        .unwrap()
        .read
        .as_ref()
        .unwrap();
    let whole = read.latency("q2c").unwrap();
    assert_eq!(
        (read.ios, whole.count, whole.mean_ns),
        (Some(600_000), Some(600_000), Some(3_000.0))
    );
    assert!(import.unread.is_empty(), "{:?}", import.unread);
}

#[test]
fn one_cpu_alone_says_what_it_lacks() {
    let result = import(
        "x",
        &mut fixtures::bytes("blktrace/nvme.blktrace.0").as_slice(),
    )
    .unwrap();
    assert!(
        result.results[0]
            .lossy
            .iter()
            .any(|one| one.contains("no end")),
        "{:?}",
        result.results[0].lossy
    );
}

#[test]
fn missing_records_are_counted_and_a_cut_one_is_said() {
    let mut bytes = fixtures::bytes("blktrace/sata.bin");
    let length = bytes.len();
    bytes.truncate(length - 20);
    let result = import("x", &mut bytes.as_slice()).unwrap();
    assert!(
        result.unread.iter().any(|one| one.why.contains("cut off")),
        "{:?}",
        result.unread
    );
    let mut bytes = fixtures::bytes("blktrace/nvme.blktrace.1");
    bytes.drain(48 * 100..48 * 110);
    let result = import("x", &mut bytes.as_slice()).unwrap();
    assert!(
        result.unread.iter().any(|one| one.why.contains("dropped")),
        "{:?}",
        result.unread
    );
}

#[test]
fn notes_alone_are_no_trace() {
    let mut bytes = nvme();
    bytes.truncate(48);
    assert!(matches!(
        import("x", &mut bytes.as_slice()),
        Err(ImportError::Damaged(_))
    ));
}

#[test]
fn damage_is_an_error_or_numbers_in_bounds() {
    let whole = nvme();
    for seed in 0..600u64 {
        let mut bytes = whole.clone();
        for step in 0..1 + mix64(seed) % 8 {
            if bytes.is_empty() {
                break;
            }
            let at = (mix64(seed * 31 + step * 7) % bytes.len() as u64) as usize;
            match mix64(seed * 17 + step) % 4 {
                0 => bytes.truncate(at + 1),
                1 => {
                    drop(bytes.drain(at..(at + mix64(seed + step) as usize % 300).min(bytes.len())))
                }
                _ => bytes[at] = mix64(seed * 13 + step) as u8,
            }
        }
        let Ok(result) = import("x", &mut bytes.as_slice()) else {
            continue;
        };
        for one in &result.results {
            for (_, side) in one.load.iter().flat_map(|load| load.sides()) {
                assert!(
                    side.ios.unwrap() <= 2_000 && side.iops.is_none_or(f64::is_finite),
                    "seed {seed}: {side:?}"
                );
            }
            let values: usize = one.series.iter().map(|series| series.values.len()).sum();
            assert!(values < 2_000_000, "seed {seed}: {values} values");
        }
    }
}

#[test]
fn no_percentile_is_beyond_the_greatest() {
    let mut seen = 0;
    for name in ["blkparse/sata.txt", "blktrace/sata.bin"] {
        let load = fixtures::only(name).load.unwrap();
        for latency in load.sides().flat_map(|(_, side)| &side.latencies) {
            let max = latency.max_ns.unwrap();
            let last = latency.percentiles.last().unwrap().1;
            assert!(last <= max, "{name}, {}: {last} > {max}", latency.kind);
            seen += 1;
        }
    }
    assert!(seen > 4, "{seen} latencies");
}
