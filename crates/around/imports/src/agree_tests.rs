//! One run of fio in several formats says the same in all of them.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::pieces::found;
use crate::{How, Text, import, importers};
use model::imported::{Imported, LatencyFigures, SideFigures};

fn text(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/imports")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// What one importer alone finds.
fn by(id: &str, text: &str) -> Vec<Imported> {
    let importer = importers::ALL
        .iter()
        .find(|importer| importer.id == id)
        .unwrap();
    let (How::Text(find) | How::Json(find)) = importer.how else {
        panic!("{id} reads no texts")
    };
    found(find, &Text::new(text))
        .into_iter()
        .map(|piece| piece.imported)
        .collect()
}

fn sides(imported: &Imported) -> Vec<(&'static str, &SideFigures)> {
    imported.load.iter().flat_map(|load| load.sides()).collect()
}

/// Within so many per cent, or a step of the coarser format.
fn near(exact: Option<f64>, rounded: Option<f64>, per_cent: f64, step: f64) -> bool {
    match (exact, rounded) {
        (Some(a), Some(b)) => (a - b).abs() <= (per_cent / 100.0 * a.abs()).max(step),
        (_, None) => true,
        (None, Some(_)) => false,
    }
}

fn latencies_agree(exact: &LatencyFigures, rounded: &LatencyFigures, step: f64) {
    let pairs = [
        (exact.min_ns, rounded.min_ns),
        (exact.mean_ns, rounded.mean_ns),
        (exact.stddev_ns, rounded.stddev_ns),
        (exact.max_ns, rounded.max_ns),
    ];
    for (exact, rounded) in pairs {
        assert!(
            near(exact, rounded, 0.6, step),
            "{exact:?} is not {rounded:?}"
        );
    }
    for (per_cent, value) in &rounded.percentiles {
        let same = exact
            .percentiles
            .iter()
            .find(|(other, _)| (other - per_cent).abs() < 1e-6);
        if let Some((_, exact)) = same {
            assert!(
                near(Some(*exact), Some(*value), 0.6, step),
                "p{per_cent}: {exact} is not {value}"
            );
        }
    }
}

#[test]
fn json_and_normal_text_of_the_same_run_agree() {
    let printed = text("fio_text/fio-3.33.jobs_json_and_normal.txt");
    let (json, normal) = (by("fio_json", &printed), by("fio_text", &printed));
    assert_eq!((json.len(), normal.len()), (3, 3));
    let mut compared = 0;
    for (exact, rounded) in json.iter().zip(&normal) {
        assert_eq!(exact.name, rounded.name);
        for name in ["bs", "rw"] {
            assert_eq!(exact.facts[name], rounded.facts[name], "{}", exact.name);
        }
        let (exact_sides, rounded_sides) = (sides(exact), sides(rounded));
        assert_eq!(exact_sides.len(), rounded_sides.len(), "{}", exact.name);
        for ((name, a), (_, b)) in exact_sides.into_iter().zip(rounded_sides) {
            assert_eq!(a.ios, b.ios, "{name} of {}", exact.name);
            if name != "sync" {
                assert_eq!(a.bytes, b.bytes, "{name} of {}", exact.name);
                // Count and time are printed, so that the rates are known to the last digit.
                assert!(
                    near(a.iops, b.iops, 1e-4, 0.0),
                    "{:?} is not {:?}",
                    a.iops,
                    b.iops
                );
                assert!(near(a.bytes_per_s, b.bytes_per_s, 1e-4, 1.0));
            }
            assert!(!b.latencies.is_empty());
            for rounded in &b.latencies {
                latencies_agree(a.latency(&rounded.kind).unwrap(), rounded, 1_000.0);
                compared += 1;
            }
        }
        let disk = |imported: &Imported| imported.load.as_ref().unwrap().disks[0].clone();
        assert_eq!(disk(exact).read_ios, disk(rounded).read_ios);
        assert_eq!(disk(exact).write_merges, disk(rounded).write_merges);
    }
    assert!(compared >= 10, "{compared} latencies were compared");
    // Imported as a whole it is three results, not six.
    let import = import("x", &mut printed.as_bytes()).unwrap();
    assert_eq!(import.results.len(), 3);
    assert!(
        import
            .results
            .iter()
            .all(|result| result.importer == "fio_json")
    );
    assert!(import.unread.is_empty(), "{:?}", import.unread);
}

#[test]
fn trims_and_unified_directions() {
    let trim = &by("fio_text", &text("fio_text/fio-3.33.trim.txt"))[0];
    let side = trim.load.as_ref().unwrap().trim.as_ref().unwrap();
    assert_eq!(
        (side.ios, side.iops, side.bytes),
        (Some(1024), Some(1_024_000.0), Some(67_108_864.0))
    );
    assert_eq!(side.latency("lat").unwrap().percentiles[1], (99.0, 61.0));
    assert_eq!(
        side.latency("clat").unwrap().percentiles[2],
        (99.99, 12_224.0)
    );
    let unified = &by("fio_text", &text("fio_text/fio-3.33.unified.txt"))[0];
    let side = unified.load.as_ref().unwrap().mixed.as_ref().unwrap();
    assert_eq!((side.ios, side.iops), (Some(256), Some(256_000.0)));
}

#[test]
fn terse_of_several_jobs() {
    for version in 2..=5 {
        let jobs = by(
            "fio_terse",
            &text(&format!("fio_terse/fio-3.33.jobs.terse{version}.txt")),
        );
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["readers", "mixed", "sync"], "{version}");
        let kinds: Vec<Vec<&str>> = jobs
            .iter()
            .map(|job| sides(job).into_iter().map(|(name, _)| name).collect())
            .collect();
        assert_eq!(
            kinds,
            [vec!["read"], vec!["read", "write"], vec!["write"]],
            "{version}"
        );
        let load = jobs[0].load.as_ref().unwrap();
        assert_eq!(load.read.as_ref().unwrap().bytes, Some(16.0 * 1_048_576.0));
        let slat = load.read.as_ref().unwrap().latency("slat").unwrap();
        assert!(slat.mean_ns.unwrap() > 1_000.0 && slat.percentiles.is_empty());
        let disks: Vec<&str> = load.disks.iter().map(|disk| disk.name.as_str()).collect();
        assert_eq!(
            disks,
            if version == 2 { vec![] } else { vec!["vda"] },
            "{version}"
        );
    }
}

#[test]
fn a_log_of_single_ios_sums_up_to_what_json_says() {
    let json = &by("fio_json", &text("fio_log/single.json"))[0];
    for kind in ["slat", "clat", "lat"] {
        let name = format!("single_{kind}.1.log");
        let log = text(&format!("fio_log/{name}"));
        let import = import(&name, &mut log.as_bytes()).unwrap();
        assert!(import.unread.is_empty(), "{:?}", import.unread);
        for ((side, exact), (_, summed)) in sides(json).into_iter().zip(sides(&import.results[0])) {
            assert_eq!(exact.ios, summed.ios, "{side} {name}");
            assert_eq!(exact.bytes, summed.bytes, "{side} {name}");
            let (exact, summed) = (exact.latency(kind).unwrap(), summed.latency(kind).unwrap());
            assert_eq!(exact.count, summed.count);
            assert_eq!(
                (exact.min_ns, exact.max_ns),
                (summed.min_ns, summed.max_ns),
                "{side} {name}"
            );
            assert!(
                near(exact.mean_ns, summed.mean_ns, 1e-4, 0.0),
                "{side} {name}"
            );
            assert!(
                near(exact.stddev_ns, summed.stddev_ns, 1e-3, 0.0),
                "{side} {name}: {exact:?} {summed:?}"
            );
            if let Some(histogram) = &exact.histogram {
                assert_eq!(Some(histogram), summed.histogram.as_ref(), "{side} {name}");
            }
        }
    }
}

#[test]
fn averaged_logs_and_histograms_of_one_run_agree() {
    let json = &by("fio_json", &text("fio_hist_log/avg.json"))[0];
    let read = json.load.as_ref().unwrap().read.as_ref().unwrap();
    let of = |folder: &str, name: &str| {
        let import = import(name, &mut text(&format!("{folder}/{name}")).as_bytes()).unwrap();
        import.results[0].load.clone().unwrap().read.unwrap()
    };
    assert!(near(
        read.iops,
        of("fio_log", "avg_iops.1.log").iops,
        5.0,
        0.0
    ));
    assert!(near(
        read.bytes_per_s,
        of("fio_log", "avg_bw.1.log").bytes_per_s,
        5.0,
        0.0
    ));
    let clat = read.latency("clat").unwrap();
    let averaged = of("fio_log", "avg_clat.1.log");
    assert!(near(
        clat.mean_ns,
        averaged.latency("clat").unwrap().mean_ns,
        15.0,
        0.0
    ));
    // Two of three seconds are in the log; eight buckets are one.
    let hist = of("fio_hist_log", "avg_clat_hist.1.log");
    let share = hist.ios.unwrap() as f64 / read.ios.unwrap() as f64;
    assert!((0.5..=1.0).contains(&share), "{share}");
    assert!(near(read.iops, hist.iops, 5.0, 0.0), "{:?}", hist.iops);
    assert!(near(
        clat.mean_ns,
        hist.latency("clat").unwrap().mean_ns,
        50.0,
        0.0
    ));
}
