//! Outputs of several versions, what changed between them, and damage.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use super::*;
use model::histogram::{Histogram, bucket_of, value_of};
use stats::dice::mix64;

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/fio-json")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Whether a percentile that fio printed is the histogram's, within one bucket. Where the rank is a whole number fio's
/// rounding takes the sample after it at times.
fn agrees(bins: &Histogram, per_cent: f64, value_ns: f64) -> bool {
    let bucket = |quantile: f64| bucket_of(bins.quantile_ns(quantile).unwrap());
    let (least, most) = (
        bucket(per_cent / 100.0 - 1e-9),
        bucket(per_cent / 100.0 + 1e-9),
    );
    (least.saturating_sub(1)..=most + 1).contains(&bucket_of(value_ns as u64))
}

/// One document with one job, of which only the direction `read` matters.
fn of_read(version: &str, read: &str) -> Output {
    let job = format!("{{\"jobname\": \"a\", \"error\": 0, \"read\": {read}}}");
    super::read(&format!(
        "{{\n\"fio version\": \"{version}\", \"jobs\": [{job}]\n}}\n"
    ))
    .unwrap()
}

#[test]
fn json_plus_of_3_33() {
    let output = super::read(&fixture("fio-3.33.jsonplus.json")).unwrap();
    assert_eq!(output.version, Some(Version::new(3, 33)));
    assert_eq!(output.global_options["ioengine"], "null");
    let job = &output.jobs[0];
    assert_eq!(
        (job.name.as_str(), job.error, job.options["rw"].as_str()),
        ("a", 0, "randrw")
    );
    assert_eq!(
        (job.read.ios, job.read.bytes, job.read.runtime_ms),
        (29, 118_784, 1)
    );
    assert_eq!((job.write.ios, job.write.bytes), (35, 143_360));
    let clat = job.read.clat.as_ref().unwrap();
    let bins = clat.bins.as_ref().unwrap();
    assert_eq!((bins.total(), clat.samples), (29, Some(29)));
    assert_eq!(clat.percentile_ns(99.0), Some(9_920.0));
    assert_eq!(bins.quantile_ns(0.99), Some(9_920));
    assert_eq!(bins.quantile_ns(0.5), Some(65));
    assert!(output.text.is_empty() && !output.is_cut);
}

#[test]
fn real_outputs_of_nine_versions_have_the_same_meaning() {
    for version in [
        "2.17", "2.20", "2.21", "3.1", "3.8", "3.12", "3.20", "3.36", "3.39",
    ] {
        let output = super::read(&fixture(&format!("fio-{version}.json"))).unwrap();
        assert_eq!(output.version, Version::parse(version), "{version}");
        let job = &output.jobs[0];
        assert_eq!(job.read.ios + job.write.ios, 512, "{version}");
        assert!(
            (20..20_000).contains(&job.runtime_ms),
            "{version}: {} ms",
            job.runtime_ms
        );
        if output.version >= Some(Version::new(3, 4)) {
            assert!(
                (10..=30).contains(&job.sync.ios),
                "{version}: {} syncs",
                job.sync.ios
            );
        }
        for side in [&job.read, &job.write] {
            assert_eq!(side.bytes, side.ios * 4096, "{version}");
            let told = [&side.clat, &side.lat]
                .into_iter()
                .flatten()
                .filter(|latency| latency.bins.is_some());
            let mut seen = 0;
            for latency in told {
                let bins = latency.bins.as_ref().unwrap();
                assert_eq!(bins.total(), side.ios, "{version}");
                assert!(
                    (bins.mean_ns().unwrap() / latency.mean_ns - 1.0).abs() < 0.1,
                    "{version}: {latency:?}"
                );
                for (per_cent, value_ns) in &latency.percentiles {
                    assert!(
                        agrees(bins, *per_cent, *value_ns),
                        "{version}: p{per_cent} {value_ns}"
                    );
                    seen += 1;
                }
            }
            assert!(seen >= 17, "{version}: {seen} percentiles");
        }
    }
}

#[test]
fn real_unified_outputs() {
    for name in ["fio-3.39-mixed.json", "fio-3.39-both.json"] {
        let output = super::read(&fixture(name)).unwrap();
        assert_eq!(
            output.jobs[0]
                .directions()
                .map(|side| side.ios)
                .sum::<u64>(),
            64,
            "{name}"
        );
    }
}

#[test]
fn the_banner_and_the_normal_text_stand_around_the_document() {
    let output = super::read(&fixture("fio-3.33.json_and_normal.txt")).unwrap();
    assert_eq!((output.documents, output.jobs.len()), (1, 2));
    assert!(
        output.text[0].starts_with("a: (g=0): rw=write"),
        "{:?}",
        output.text[0]
    );
    assert!(
        output
            .text
            .iter()
            .any(|line| line.starts_with("Run status group 0"))
    );
}

#[test]
fn kib_and_us_of_2_2_12_with_bins_by_index() {
    let bins = (0..1216).map(|index| format!("\"{index}\": {}", u32::from(index == 700) * 5));
    let bins: Vec<String> = bins.collect();
    let read = format!(
        "{{\"io_bytes\": 20, \"bw\": 4000, \"iops\": 1000.00, \"runtime\": 5, \"total_ios\": 5, \
         \"clat\": {{\"min\": 1, \"max\": 2, \"mean\": 1.5, \"stddev\": 0.5, \
         \"percentile\": {{\"1.000000\": 10, \"99.000000\": 20, \"0.00\": 0, \"0.00\": 0}}, \
         \"bins\": {{\"FIO_IO_U_PLAT_BITS\": 6, \"FIO_IO_U_PLAT_VAL\": 64, \"FIO_IO_U_PLAT_NR\": 1216, {}}}}}}}",
        bins.join(", ")
    );
    let output = of_read("fio-2.2.12", &read);
    let side = &output.jobs[0].read;
    assert_eq!(
        (side.ios, side.bytes, side.bytes_per_s),
        (5, 20 * 1024, 4000.0 * 1024.0)
    );
    let clat = side.clat.as_ref().unwrap();
    assert_eq!((clat.min_ns, clat.mean_ns), (1_000.0, 1_500.0));
    assert_eq!(
        clat.percentiles,
        [(1.0, 10_000.0), (99.0, 20_000.0)],
        "the padding is no percentile"
    );
    let bins = clat.bins.as_ref().unwrap();
    assert_eq!(bins.total(), 5);
    assert_eq!(bins.counts()[bucket_of(value_of(700) * 1_000)], 5);
}

#[test]
fn us_bins_by_latency_of_2_20_and_bytes_of_2_21() {
    let output = of_read(
        "fio-2.21",
        "{\"io_bytes\": 20480, \"io_kbytes\": 20, \"total_ios\": 5, \"runtime\": 5,
          \"clat\": {\"bins\": {\"142\": 3, \"7000\": 2}}}",
    );
    let side = &output.jobs[0].read;
    assert_eq!(side.bytes, 20_480);
    let clat = side.clat.as_ref().unwrap();
    assert_eq!(
        (
            clat.samples,
            clat.bins.as_ref().unwrap().counts()[bucket_of(142_000)]
        ),
        (Some(5), 3)
    );
}

#[test]
fn counts_that_are_not_told_follow_from_others() {
    assert_eq!(
        of_read("fio-2.0.14", "{\"iops\": 1000, \"runtime\": 2500}").jobs[0]
            .read
            .ios,
        2_500
    );
    let text = "{\n\"jobs\": [{\"jobname\": \"s\", \"sync\": {\"total_ios\": 0, \"lat_ns\": {\"N\": 15}}}]\n}";
    assert_eq!(
        super::read(text).unwrap().jobs[0].sync.ios,
        15,
        "3.33 prints a total of 0"
    );
    assert_eq!(
        of_read(
            "fio-3.33",
            "{\"iops\": nan, \"runtime\": 0, \"bw_bytes\": -inf}"
        )
        .jobs[0]
            .read
            .ios,
        0
    );
}

#[test]
fn percentiles_of_3_11_stand_under_another_name() {
    let read = "{\"clat_ns\": {\"mean\": 5.0, \"percentile\": {\"50.000000\": 9}}, \"lat_ns\": {\"mean\": 7.0}}";
    let text = |version: &str, option: &str| {
        format!(
            "{{\n\"fio version\": \"{version}\", \"global options\": {{\"lat_percentiles\": \"{option}\"}},
              \"jobs\": [{{\"read\": {read}}}]\n}}"
        )
    };
    let of = |version, option| {
        super::read(&text(version, option)).unwrap().jobs[0]
            .read
            .clone()
    };
    let moved = of("fio-3.11", "1");
    assert_eq!(moved.lat.unwrap().percentiles, [(50.0, 9.0)]);
    assert!(moved.clat.unwrap().percentiles.is_empty());
    assert_eq!(of("fio-3.11", "0").clat.unwrap().percentiles, [(50.0, 9.0)]);
    assert_eq!(of("fio-3.10", "1").clat.unwrap().percentiles, [(50.0, 9.0)]);
}

#[test]
fn mixed_counts_only_where_it_stands_alone() {
    let side = "{\"total_ios\": 4, \"io_bytes\": 16384, \"io_kbytes\": 16, \"runtime\": 3}";
    let of = |keys: &str| {
        super::read(&format!("{{\n\"jobs\": [{{{keys}}}]\n}}"))
            .unwrap()
            .jobs[0]
            .clone()
    };
    let ios = |job: JobOutput| job.directions().map(|side| side.ios).sum::<u64>();
    assert_eq!(ios(of(&format!("\"mixed\": {side}"))), 4);
    assert_eq!(
        ios(of(&format!(
            "\"read\": {side}, \"write\": {side}, \"mixed\": {side}"
        ))),
        8
    );
}

#[test]
fn clients_are_parts_and_their_sum_is_not() {
    let job = |name: &str, host: &str| {
        format!(
            "{{\"jobname\": \"{name}\", \"hostname\": \"{host}\", \"read\": {{\"total_ios\": 3}}}}"
        )
    };
    let text = format!(
        "<web1> fio: starting\n{{\n\"fio version\": \"fio-3.39\", \"global options\": [{{\"bs\": \"4k\"}}, {{}}], \
         \"client_stats\": [{}, {}, {}]\n}}",
        job("a", "web1"),
        job("a", "web2"),
        job("All clients", "")
    );
    let output = super::read(&text).unwrap();
    assert_eq!((output.jobs.len(), output.parts().count()), (3, 2));
    assert_eq!(output.global_options["bs"], "4k");
    assert_eq!(output.jobs[1].hostname.as_deref(), Some("web2"));
}

#[test]
fn of_several_documents_the_last_whole_one_counts() {
    let one = |ios: u32| format!("{{\n\"jobs\": [{{\"read\": {{\"total_ios\": {ios}}}}}]\n}}\n");
    let output = super::read(&format!("{}{}{{\n\"jobs\": [", one(5), one(9))).unwrap();
    assert_eq!(
        (output.documents, output.is_cut, output.jobs[0].read.ios),
        (2, true, 9)
    );
}

#[test]
fn what_is_no_output_of_fio_is_said() {
    let error =
        super::read("fio: engine libfoo not loadable\nfio: failed to load engine\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no JSON document of fio in it; fio said: fio: engine libfoo not loadable / fio: failed to load engine"
    );
    assert!(matches!(
        super::read("{\n\"jobs\": ["),
        Err(FioJsonError::Damaged { .. })
    ));
    assert!(matches!(super::read(""), Err(FioJsonError::None { .. })));
}

/// Bytes lost, doubled, replaced; digits made absurd; cut anywhere.
fn damage(text: &str, seed: u64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let dice =
        |n: u64, below: usize| (mix64(seed.wrapping_mul(64) + n) % below.max(1) as u64) as usize;
    for round in 0..=dice(0, 5) as u64 {
        let at = dice(round * 4 + 1, bytes.len());
        match dice(round * 4 + 2, 6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + dice(round * 4 + 3, 80)).min(bytes.len()))),
            2 => bytes
                .splice(at..at, b"99999999999999999999999".iter().copied())
                .for_each(drop),
            3 => bytes
                .splice(at..at, b"nan{}[]\"\\,:\x00".iter().copied())
                .for_each(drop),
            4 => bytes
                .splice(at..at, b"-1e308".iter().copied())
                .for_each(drop),
            _ if !bytes.is_empty() => bytes[at] = b"{}[]\",:-0\xff"[dice(round * 4 + 3, 10)],
            _ => {}
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damage_ends_in_numbers_or_in_an_error() {
    let mut understood = 0;
    for name in [
        "fio-3.33.jsonplus.json",
        "fio-3.33.json_and_normal.txt",
        "fio-2.21.json",
    ] {
        let text = fixture(name);
        for seed in 1..=1_500 {
            let Ok(output) = super::read(&damage(&text, seed)) else {
                continue;
            };
            understood += 1;
            for side in output.jobs.iter().flat_map(JobOutput::directions) {
                let bins = side.clat.as_ref().and_then(|clat| clat.bins.as_ref());
                assert!(
                    bins.is_none_or(|bins| bins.total() < 1 << 60),
                    "{name}, seed {seed}"
                );
                assert!(
                    side.bytes_per_s.is_finite() && side.iops.is_finite(),
                    "{name}, seed {seed}"
                );
            }
        }
    }
    assert!(
        understood > 100,
        "{understood} damaged outputs were still understood"
    );
}
