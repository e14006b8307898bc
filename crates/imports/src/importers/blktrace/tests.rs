//! A trace of a guest in each of its forms, against what btt and blkparse count in it; other byte order, damage, bounds.

use super::*;
use crate::dice::mix64;
use crate::import;
use crate::printed::fixtures;
use model::imported::{Imported, SideFigures};

fn of(bytes: &[u8]) -> Vec<Imported> {
    import("x", &mut &bytes[..]).unwrap().results
}

/// Of each span: how many, and its mean in µs.
fn spans(side: &SideFigures) -> Vec<(String, u64, f64)> {
    let span = |one: &model::imported::LatencyFigures| {
        (one.kind.clone(), one.count.unwrap(), (one.mean_ns.unwrap() / 1e3 * 10.0).round() / 10.0)
    };
    side.latencies.iter().map(span).collect()
}

fn nvme() -> Vec<u8> {
    [fixtures::bytes("blktrace/nvme.blktrace.0"), fixtures::bytes("blktrace/nvme.blktrace.1")].concat()
}

#[test]
fn cpus_behind_each_other_are_paired_across_them() {
    let result = import("nvme", &mut nvme().as_slice()).unwrap();
    let [found] = &result.results[..] else { panic!("{:?}", result.results) };
    let load = found.load.as_ref().unwrap();
    let (read, write) = (load.read.as_ref().unwrap(), load.write.as_ref().unwrap());
    // blkparse: Reads Completed: 157, 2328KiB, of which one is the end of the flush; Writes Completed: 33, 2720KiB.
    assert_eq!((read.ios, read.bytes), (Some(156), Some(2328.0 * 1024.0)));
    assert_eq!((write.ios, write.bytes), (Some(32), Some(2720.0 * 1024.0)));
    assert_eq!(load.sync.as_ref().unwrap().ios, Some(1));
    // btt: Q2C of 386 bios, Q2G of 188 requests with data.
    let count = |side: &SideFigures, kind: &str| side.latency(kind).and_then(|one| one.count).unwrap_or(0);
    assert_eq!(count(read, "q2c") + count(write, "q2c"), 386, "{:?} {:?}", spans(read), spans(write));
    assert_eq!(count(read, "q2g") + count(write, "q2g"), 188);
    assert_eq!((found.name.as_str(), found.facts["merged"].as_str()), ("259:0", "198"));
    assert!(found.measured_unix_ms.is_some_and(|ms| ms > 1_700_000_000_000));
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
    assert_eq!(mean("d2c").0, 130, "by request, where btt counts each bio of it");
}

#[test]
fn a_file_in_the_other_byte_order_is_the_same() {
    let little = nvme();
    let mut big = little.clone();
    let mut at = 0;
    while at + 48 <= big.len() {
        let more = usize::from(u16::from_le_bytes([little[at + 46], little[at + 47]]));
        for (from, width) in
            [(0, 4), (4, 4), (8, 8), (16, 8), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 2), (46, 2)]
        {
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

#[test]
fn one_cpu_alone_says_what_it_lacks() {
    let result = import("x", &mut fixtures::bytes("blktrace/nvme.blktrace.0").as_slice()).unwrap();
    assert!(
        result.results[0].lossy.iter().any(|one| one.contains("no end")),
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
    assert!(result.unread.iter().any(|one| one.why.contains("cut off")), "{:?}", result.unread);
    let mut bytes = fixtures::bytes("blktrace/nvme.blktrace.1");
    bytes.drain(48 * 100..48 * 110);
    let result = import("x", &mut bytes.as_slice()).unwrap();
    assert!(result.unread.iter().any(|one| one.why.contains("dropped")), "{:?}", result.unread);
}

#[test]
fn notes_alone_are_no_trace() {
    let mut bytes = nvme();
    bytes.truncate(48);
    assert!(matches!(import("x", &mut bytes.as_slice()), Err(ImportError::Damaged(_))));
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
                1 => drop(bytes.drain(at..(at + mix64(seed + step) as usize % 300).min(bytes.len()))),
                _ => bytes[at] = mix64(seed * 13 + step) as u8,
            }
        }
        let Ok(result) = import("x", &mut bytes.as_slice()) else { continue };
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
