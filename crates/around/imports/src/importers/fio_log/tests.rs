//! Logs as fio writes them.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::{Import, import};
use model::histogram::bucket_of;
use std::fmt::Write;

fn read(name: &str, text: &str) -> Import {
    import(name, &mut text.as_bytes()).unwrap()
}

/// A log of 10,000 reads and 5,000 writes whose latencies are known.
fn log() -> String {
    let mut text = String::new();
    for at in 0..15_000u64 {
        let direction = u64::from(at % 3 == 2);
        writeln!(
            text,
            "{}, {}, {direction}, 4096, {}, 0",
            at / 5,
            1_000 + at * 10,
            at * 4096
        )
        .unwrap();
    }
    text
}

#[test]
fn a_log_of_single_ios_has_counts_percentiles_and_seconds() {
    let import = read("x/a_clat.3.log", &log());
    let result = &import.results[0];
    assert_eq!(
        (result.name.as_str(), result.lines, result.importer.as_str()),
        ("a_clat.3.log", Some((1, 15_000)), "fio_log")
    );
    let load = result.load.as_ref().unwrap();
    let read = load.read.as_ref().unwrap();
    assert_eq!(
        (read.ios, read.bytes, load.elapsed_ms),
        (Some(10_000), Some(40_960_000.0), Some(2_999.0))
    );
    assert!((read.iops.unwrap() - 10_000.0 / 2.999).abs() < 1e-9);
    let clat = read.latency("clat").unwrap();
    let mut exact: Vec<f64> = (0..15_000u64)
        .filter(|at| at % 3 != 2)
        .map(|at| (1_000 + at * 10) as f64)
        .collect();
    let mean = exact.iter().sum::<f64>() / 1e4;
    assert!((clat.mean_ns.unwrap() - mean).abs() < 1e-6);
    let variance = exact
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / 9_999.0;
    assert!((clat.stddev_ns.unwrap() / variance.sqrt() - 1.0).abs() < 1e-9);
    exact.sort_by(f64::total_cmp);
    assert_eq!(
        (clat.min_ns, clat.max_ns),
        (Some(exact[0]), Some(exact[9_999]))
    );
    for (per_cent, value) in &clat.percentiles {
        let wanted = exact[(per_cent / 100.0 * 1e4).ceil() as usize - 1];
        assert_eq!(
            bucket_of(*value as u64),
            bucket_of(wanted as u64),
            "p{per_cent}"
        );
    }
    assert_eq!(clat.histogram.as_ref().unwrap().total(), 10_000);
    assert_eq!(load.write.as_ref().unwrap().ios, Some(5_000));
    let iops = result
        .series
        .iter()
        .find(|series| series.field == "fio.iops" && series.subject == "read")
        .unwrap();
    assert_eq!(iops.values.len(), 3);
    let counted: f64 =
        iops.values[..2].iter().flatten().sum::<f64>() + iops.values[2].unwrap() * 0.999;
    assert!((counted - 10_000.0).abs() < 1e-6, "{iops:?}");
}

#[test]
fn an_averaged_log_has_no_percentiles() {
    let import = read(
        "a_lat.1.log",
        "500, 8000, 0, 0, 0, 0\n1000, 9000, 0, 0, 0, 0\n1500, 7000, 1, 0, 0, 0\n",
    );
    let result = &import.results[0];
    let read = result.load.as_ref().unwrap().read.as_ref().unwrap();
    let lat = read.latency("lat").unwrap();
    assert_eq!(
        (lat.mean_ns, lat.max_ns, read.ios),
        (Some(8_500.0), None, None)
    );
    assert!(lat.percentiles.is_empty() && lat.histogram.is_none());
    assert!(result.lossy[0].starts_with("an averaged log"));
}

#[test]
fn bandwidth_and_iops_are_what_the_name_says() {
    let averaged = "500, 2048, 1, 0, 0\n1000, 4096, 1, 0, 0\n";
    let write = |name: &str, text: &str| {
        read(name, text).results[0]
            .load
            .clone()
            .unwrap()
            .write
            .unwrap()
    };
    assert_eq!(
        write("a_bw.log", averaged).bytes_per_s,
        Some(3072.0 * 1024.0)
    );
    assert_eq!(write("a_iops.1.log", averaged).iops, Some(3072.0));
    // Of single I/Os the values mean nothing, the sizes do.
    let single = "500, 93023, 1, 4096, 0\n1000, 12, 1, 8192, 0\n";
    assert_eq!(write("a_bw.log", single).bytes_per_s, Some(12_288.0));
    assert_eq!(write("a_iops.log", single).iops, Some(2.0));
    let unknown = read("log.txt", single);
    assert!(unknown.results[0].lossy[0].starts_with("whether values are latencies"));
}

#[test]
fn damage_is_counted_and_told() {
    let text = log()
        .replacen("1, 1060", "1, x", 1)
        .replacen("\n2, ", "\n2, 3\n2, ", 1)
        + "\n\n99, 4";
    let import = read("a_clat.1.log", &text);
    assert_eq!(import.results.len(), 1);
    let lines: Vec<_> = import
        .unread
        .iter()
        .map(|unread| unread.lines.unwrap().0)
        .collect();
    assert_eq!(lines, [7, 11, 15_004], "{:?}", import.unread);
    let long = format!("{}{}\n1, 5, 0, 4096, 0\n", log(), "9".repeat(100_000));
    let load = read("a_clat.1.log", &long).results[0].load.clone().unwrap();
    assert_eq!(load.read.unwrap().ios, Some(10_001));
}

#[test]
fn small_buffers_give_the_same() {
    let text = log();
    let whole = read("a_clat.1.log", &text);
    for size in [1, 7, 64, 4_095] {
        let mut source = std::io::BufReader::with_capacity(size, text.as_bytes());
        assert_eq!(
            import("a_clat.1.log", &mut source).unwrap().results,
            whole.results,
            "{size}"
        );
    }
}

#[test]
fn a_compressed_log_says_what_to_do() {
    let error = import("a_lat.1.log.fz", &mut &b"\x78\x9c\0\0"[..]).unwrap_err();
    assert!(error.to_string().contains("--inflate-log"));
}
