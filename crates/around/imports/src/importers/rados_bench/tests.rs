//! Outputs of a small cluster, and what a page makes of them.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::{Import, import};
use model::imported::SideFigures;

fn fixture(name: &str) -> Import {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/imports/rados_bench")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    import(name, &mut text.as_bytes()).unwrap()
}

fn side(import: &Import) -> &SideFigures {
    let load = import.results[0].load.as_ref().unwrap();
    load.read.as_ref().or(load.write.as_ref()).unwrap()
}

#[test]
fn text_of_writes_and_reads() {
    let import = fixture("write_4m_10s.out");
    assert_eq!(
        (import.results.len(), import.results[0].lines),
        (1, Some((1, 30)))
    );
    assert!(import.unread.is_empty(), "{:?}", import.unread);
    assert_eq!(import.results[0].facts["host"], "vm");
    assert_eq!(import.results[0].name, "rados bench write");
    assert_eq!(import.results[0].facts["iodepth"], "4");
    assert_eq!(import.results[0].facts["bs"], "4m");
    let write = side(&import);
    assert_eq!(
        (write.ios, write.bytes_per_s),
        (Some(349), Some(139.385 * 1_048_576.0))
    );
    assert!((write.iops.unwrap() - 349.0 / 10.0154).abs() < 1e-9);
    assert_eq!(write.latency("lat").unwrap().max_ns, Some(0.510124 * 1e9));
    assert_eq!(import.results[0].series[0].values.len(), 9);
    assert_eq!(import.results[0].series[0].values[0], Some(93.0));
    let import = fixture("rand_4k_10s.out");
    assert_eq!(side(&import).ios, Some(94_115));
    assert_eq!(
        side(&import).latency("lat").unwrap().min_ns,
        Some(0.000102795 * 1e9)
    );
}

#[test]
fn times_before_the_lines_and_the_cleaning_up_do_no_harm() {
    for name in ["write_showtime.out", "write_4k_3s_cleanup.out"] {
        let import = fixture(name);
        assert_eq!(import.results.len(), 1, "{name}");
        assert!(side(&import).iops.unwrap() > 1_000.0, "{name}");
        assert!(import.results[0].series[0].values.len() >= 2, "{name}");
    }
}

#[test]
fn json_says_the_same_and_its_random_deviation_is_left_out() {
    let import = fixture("write_64k_5s_json.out");
    assert_eq!(import.results.len(), 1, "{:?}", import.unread);
    assert!(import.unread.is_empty(), "{:?}", import.unread);
    let write = side(&import);
    assert_eq!((write.ios, write.iops_samples), (Some(5_199), None));
    assert!(
        import.results[0]
            .lossy
            .iter()
            .any(|why| why.contains("fault of Ceph"))
    );
    assert_eq!(import.results[0].series[0].values.len(), 4);
    let import = fixture("rand_64k_5s_jsonpretty.out");
    assert_eq!(side(&import).iops_samples.unwrap().max, 7_410.0);
    assert_eq!(side(&import).bytes_per_s, Some(384.060076 * 1_048_576.0));
}

#[test]
fn a_run_without_sums_is_no_result() {
    let text = "hints = 1\nMaintaining 4 concurrent writes of 4194304 bytes to objects of size 4194304 for up to 10 seconds or 0 objects\n\
                \x20 sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)\n\
                \x20   0       4         4         0         0         0           -           0\n";
    assert!(
        import("x", &mut text.as_bytes())
            .unwrap()
            .results
            .is_empty()
    );
}
