//! Devices ranked: order, ratios, shared ranks, and why there is nothing to rank.

use super::*;
use crate::fixture::{fio_text, run};
use crate::measures;
use model::record::Record;

fn subject(name: &str, record: &Record) -> ComparisonSubject {
    measures::of(name, name.parse().ok(), record)
}

fn on(host: &str, mut record: Record) -> Record {
    record.provenance.hostname = host.into();
    record
}

#[test]
fn devices_stand_in_order_with_their_ratios() {
    let subjects = [
        subject("3", &on("san", run(32_000.0, 0.01, 30))),
        subject("1", &on("nvme", run(100_000.0, 0.01, 30))),
        subject("2", &on("hdd", run(6_600.0, 0.01, 30))),
    ];
    let found = ranking(&subjects, None);
    let job = &found.jobs[0];
    assert_eq!(job.by, "read.iops");
    assert_eq!(job.ratios, "1 : 3.1 : 15");
    assert_eq!(
        job.entries
            .iter()
            .map(|entry| entry.rank)
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(job.entries[0].label, "vda QEMU of nvme");
    assert_eq!(job.entries[0].caveats[0].mark, "1 run");
    assert!(
        found
            .sentence
            .starts_with("4K random read, depth 32, direct, read IOPS: vda QEMU of nvme >"),
        "{}",
        found.sentence
    );
}

#[test]
fn the_words_of_the_help_rank_by_the_direction_that_was_measured() {
    let subjects = [
        subject("1", &on("a", run(10_000.0, 0.0, 30))),
        subject("2", &on("b", run(20_000.0, 0.0, 30))),
    ];
    let by = |word: &str| {
        let found = ranking(&subjects, Some(word));
        found.jobs.first().map(|job| job.by.clone())
    };
    for word in ["iops", "bw", "mean", "p99"] {
        assert_eq!(by(word), Some(format!("read.{word}")));
    }
    assert_eq!(by("read.p99").as_deref(), Some("read.p99"));
    assert_eq!((by("write.iops"), by("nonsense")), (None, None));
}

#[test]
fn overlapping_intervals_share_a_rank_and_runs_are_pooled() {
    let subjects = [
        subject("1", &on("a", run(10_000.0, 0.0, 30))),
        subject("2", &on("a", run(10_800.0, 0.0, 30))),
        subject("3", &on("a", run(10_300.0, 0.0, 30))),
        subject("4", &on("b", run(10_100.0, 0.1, 30))),
        subject("5", &on("c", run(5_000.0, 0.0, 30))),
    ];
    let job = &ranking(&subjects, None).jobs[0];
    assert_eq!(
        job.entries
            .iter()
            .map(|entry| entry.rank)
            .collect::<Vec<_>>(),
        [1, 1, 3]
    );
    let a = &job.entries[0];
    assert_eq!((a.runs, a.by.basis, a.by.n), (3, Basis::Runs, 3));
    assert!(a.caveats.is_empty(), "{:?}", a.caveats);
}

#[test]
fn imported_results_are_ranked_with_ours_and_what_they_hide_is_told() {
    let job = model::job::Job {
        rw: model::job::Rw::Read,
        iodepth: 64,
        ..Default::default()
    };
    let ours = Record {
        job,
        ..run(80_000.0, 0.0, 30)
    };
    let text = fio_text(
        20_151.0,
        &[
            ("rw", "read"),
            ("bs", "4k"),
            ("iodepth", "64"),
            ("device", "vdb"),
        ],
    );
    let buffered = fio_text(
        50_000.0,
        &[
            ("rw", "read"),
            ("bs", "8k"),
            ("iodepth", "64"),
            ("direct", "0"),
        ],
    );
    let subjects = [
        subject("old.txt:12", &text),
        subject("7", &ours),
        subject("b.txt:1", &buffered),
    ];
    let found = ranking(&subjects, None);
    assert_eq!(found.jobs.len(), 1, "{found:#?}");
    assert_eq!(found.jobs[0].entries.len(), 2);
    assert_eq!(found.jobs[0].entries[1].label, "vdb in old.txt");
    assert!(
        found.jobs[0].remarks[0].contains("old.txt:12 does not tell direct and numjobs"),
        "{:?}",
        found.jobs[0].remarks
    );
    assert_eq!(
        found.alone,
        [(
            "b.txt:1".to_string(),
            "8K sequential read, depth 64, buffered".to_string()
        )]
    );
}

#[test]
fn a_heading_says_what_all_tell_and_engines_that_differ_are_told() {
    let of = |iops: f64, more: &[(&str, &str)]| {
        let all = [("rw", "read"), ("bs", "4k"), ("iodepth", "1")];
        fio_text(iops, &[&all[..], more].concat())
    };
    let subjects = [
        subject(
            "a.txt:1",
            &of(
                9_000.0,
                &[("numjobs", "4"), ("ioengine", "libaio"), ("device", "sda")],
            ),
        ),
        subject(
            "b.txt:1",
            &of(3_000.0, &[("ioengine", "psync"), ("device", "sdb")]),
        ),
    ];
    let found = ranking(&subjects, None);
    let job = &found.jobs[0];
    assert_eq!(job.phrase, "4K sequential read, depth 1");
    let remarks = job.remarks.join(" ");
    for wanted in [
        "b.txt:1 does not tell numjobs; it is taken to be alike: numjobs=4.",
        "The engines differ: libaio (a.txt:1) and psync (b.txt:1).",
    ] {
        assert!(remarks.contains(wanted), "{remarks}");
    }
}

#[test]
fn results_without_a_stated_job_have_what_is_known_of_it_in_their_heading_and_stand_last() {
    let quoted = |iops: f64, device: &str| fio_text(iops, &[("device", device)]);
    let stated = |iops: f64, device: &str| {
        fio_text(
            iops,
            &[
                ("rw", "read"),
                ("bs", "128k"),
                ("iodepth", "64"),
                ("device", device),
            ],
        )
    };
    let subjects = [
        subject("a.txt:1", &quoted(9_000.0, "sda")),
        subject("a.txt:2", &quoted(3_000.0, "sdb")),
        subject("a.txt:3", &quoted(1_000.0, "sdc")),
        subject("b.txt:1", &stated(2_000.0, "sda")),
        subject("b.txt:2", &stated(1_000.0, "sdb")),
    ];
    let found = ranking(&subjects, None);
    let headings: Vec<&str> = found.jobs.iter().map(|job| job.phrase.as_str()).collect();
    assert_eq!(
        headings,
        [
            "128K sequential read, depth 64",
            "fio, 4K reads, pattern not stated"
        ]
    );
    assert_eq!(found.jobs[1].ratios, "1 : 3 : 9");
}

/// An import with these facts, of this importer.
fn of_tool(tool: &str, importer: &str, facts: &[(&str, &str)]) -> Record {
    let mut record = fio_text(12.0, facts);
    if let model::record::RecordBody::Import(imported) = &mut record.body {
        (imported.tool, imported.importer) = (tool.into(), importer.into());
    }
    record
}

#[test]
fn seq_and_rand_of_one_pool_are_two_jobs_and_its_repeats_one_device() {
    let bench = |mode: &str| {
        let facts = [("pool", "tester"), ("bs", "4M"), ("mode", mode)];
        of_tool("rados bench", "rados_bench", &facts)
    };
    let (seq, rand) = (bench("seq"), bench("rand"));
    let found = ranking(&[subject("1", &seq), subject("2", &rand)], None);
    assert!(found.jobs.is_empty(), "{found:#?}");
    assert_eq!(found.alone.len(), 2);
    let found = ranking(&[subject("1", &seq), subject("2", &seq)], None);
    assert!(found.jobs.is_empty(), "two runs of one device: {found:#?}");
    let other = of_tool(
        "rados bench",
        "rados_bench",
        &[("pool", "other"), ("bs", "4M"), ("mode", "seq")],
    );
    let subjects = [subject("1", &seq), subject("2", &seq), subject("3", &other)];
    let found = ranking(&subjects, None);
    let runs: Vec<u32> = found.jobs[0].entries.iter().map(|one| one.runs).collect();
    assert_eq!(runs.iter().sum::<u32>(), 3, "{found:#?}");
    assert_eq!(runs.len(), 2);
}

#[test]
fn rows_of_an_engine_that_queues_and_of_one_that_waits_are_two_tables() {
    let row = |engine: &str, model: &str| {
        let facts = [
            ("bs", "4k"),
            ("direct", "1"),
            ("ioengine", engine),
            ("model", model),
        ];
        fio_text(12.0, &facts)
    };
    let rows = [
        row("libaio", "NVMe"),
        row("psync", "NVMe"),
        row("libaio", "LVM"),
        row("psync", "LVM"),
    ];
    let names = ["1", "2", "3", "4"];
    let subjects: Vec<_> = names
        .iter()
        .zip(&rows)
        .map(|(name, row)| subject(name, row))
        .collect();
    let found = ranking(&subjects, None);
    let tables: Vec<usize> = found.jobs.iter().map(|job| job.entries.len()).collect();
    assert_eq!(tables, [2, 2], "{found:#?}");
}

#[test]
fn databases_are_ranked_by_transactions_a_second() {
    let run = |per_s: f64, host: &str| {
        let facts = [
            ("numjobs", "16"),
            ("mode", "oltp_write_only"),
            ("host", host),
        ];
        let mut record = of_tool("sysbench 1.0.20", "sysbench_oltp", &facts);
        if let model::record::RecordBody::Import(imported) = &mut record.body {
            let transactions = model::imported::OperationFigures {
                name: "transactions".into(),
                per_s: Some(per_s),
                ..Default::default()
            };
            imported.load = Some(model::imported::LoadFigures {
                operations: vec![transactions],
                ..Default::default()
            });
        }
        record
    };
    let subjects = [
        subject("1", &run(800.0, "old")),
        subject("2", &run(1_600.0, "new")),
    ];
    let found = ranking(&subjects, None);
    let job = &found.jobs[0];
    assert_eq!(
        (job.by.as_str(), job.ratios.as_str()),
        ("transactions.per_s", "1 : 2")
    );
    assert_eq!((job.entries[0].rank, job.entries[0].iops), (1, None));
    let lines = crate::view::rank::lines(&found, report::text::Paint::Plain).join("\n");
    assert!(lines.contains("1.60 k transactions per second"), "{lines}");
    let by = ranking(&subjects, Some("transactions.per_s"));
    assert_eq!(by.jobs[0].entries[0].names, ["2"]);
}

#[test]
fn nothing_in_common_is_an_answer() {
    let write = model::job::Job {
        rw: model::job::Rw::Write,
        ..Default::default()
    };
    let subjects = [
        subject("1", &run(1e4, 0.0, 9)),
        subject(
            "2",
            &Record {
                job: write,
                ..run(1e4, 0.0, 9)
            },
        ),
    ];
    let found = ranking(&subjects, None);
    assert!(found.jobs.is_empty() && found.alone.len() == 2 && found.without.is_empty());
    assert!(
        found.sentence.starts_with("Nothing can be ranked"),
        "{}",
        found.sentence
    );
    assert_eq!(ranking(&[], None).sentence, "There is no load to rank.");
}

#[test]
fn a_number_that_no_result_tells_is_no_lack_of_a_second_device() {
    let subjects = [
        subject("1", &on("a", run(10_000.0, 0.0, 30))),
        subject("2", &on("b", run(20_000.0, 0.0, 30))),
    ];
    let found = ranking(&subjects, Some("transactions.per_s"));
    assert!(found.jobs.is_empty() && found.alone.is_empty());
    assert_eq!(found.without.len(), 2);
    assert!(
        found.sentence.contains("no two results of one job tell it"),
        "{}",
        found.sentence
    );
}
