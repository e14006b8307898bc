//! `cloud`: promises, loads, measured rates, and this machine.

use crate::support::{Dir, Iodyno, code, text};

#[test]
fn a_type_and_a_size_are_a_promise() {
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&["cloud", "aws:gp2", "100GiB"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        (&document["schema"], &document["about"]),
        (&"iodyno.cloud/1".into(), &"promise".into())
    );
    assert_eq!(document["offer"]["promise"]["iops"], 300.0);
    assert_eq!(document["offer"]["promise"]["burst_s"], 2000.0);
    let people = text(
        &iodyno
            .run(&[
                "cloud",
                "gp3",
                "200GiB",
                "--iops",
                "6000",
                "--instance",
                "m5.large",
            ])
            .stdout,
    );
    for words in [
        "6.00 k",
        "3.60 k IOPS",
        "IOPS of the instance",
        "bandwidth of the instance",
        "not verified",
        "https://",
    ] {
        assert!(people.contains(words), "{words}: {people}");
    }
    assert!(
        people.lines().all(|line| line.chars().count() < 160),
        "{people}"
    );
}

#[test]
fn what_is_not_sold_is_refused_with_what_is() {
    let iodyno = Iodyno::new();
    for (arguments, words) in [
        (
            &["cloud", "gp4", "100GiB"][..],
            "no disk type is called `gp4`",
        ),
        (&["cloud", "gp3", "100TiB"], "sold from 1 to 65536 GiB"),
        (
            &["cloud", "gp3", "4GiB", "--iops", "9000"],
            "3000 to 3000 IOPS",
        ),
        (
            &["cloud", "--iops", "100", "--provider", "nobody"],
            "there are alibaba, aws, azure, gcp",
        ),
        (&["cloud", "--size", "100g"], "say what the load needs"),
        (&["cloud", "--iops=-5"], "number above 0"),
    ] {
        let output = iodyno.run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            text(&output.stderr).contains(words),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_load_finds_its_disks_and_prices_order_them() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("prices"));
    let file = dir.path().join("prices.json");
    let prices = r#"{"schema": "iodyno.cloud-prices/1", "currency": "EUR", "prices": [
        {"provider": "aws", "kind": "gp2", "gib": 0.10},
        {"provider": "aws", "kind": "gp3", "gib": 0.08, "iops": 0.005, "iops_free": 3000}]}"#;
    std::fs::write(&file, prices).unwrap();
    let load = [
        "cloud",
        "--iops",
        "12000",
        "--size",
        "500g",
        "--provider",
        "aws",
    ];
    let plain = text(&iodyno.run(&load).stdout);
    assert!(
        plain.contains("ordered by how little they have beyond the need"),
        "{plain}"
    );
    let (document, _) = iodyno.json(&[&load[..], &["--prices", file.to_str().unwrap()]].concat());
    assert_eq!(document["carriers"][0]["spec"], "aws:gp3:500GiB:iops=12000");
    assert_eq!(document["carriers"][0]["price_a_month"], 85.0);
    assert_eq!(document["carriers"][1]["spec"], "aws:gp2:4000GiB");
    let output = iodyno.run(&["cloud", "--iops", "90000000"]);
    assert_eq!(code(&output), 6);
    assert!(text(&output.stderr).contains("no type in the data carries this load"));
}

#[test]
fn a_series_is_recognised() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("series"));
    let file = dir.path().join("rates");
    let series = |rates: &[u32]| {
        std::fs::write(
            &file,
            rates
                .iter()
                .map(|rate| format!("{rate}\n"))
                .collect::<String>(),
        )
        .unwrap();
    };
    let file = file.to_str().unwrap();
    series(&[20_150; 40]);
    let people = text(&iodyno.run(&["cloud", "--series", file]).stdout);
    assert!(
        people.contains("alibaba:essd-pl1 of 367 GiB (355 to 379)"),
        "{people}"
    );
    let known = text(
        &iodyno
            .run(&["cloud", "--series", file, "--size", "366g"])
            .stdout,
    );
    assert!(
        known.contains("alibaba:essd-pl1 of 366 GiB is sold with 20.1 k IOPS"),
        "{known}"
    );
    let mut fallen = vec![3000; 30];
    fallen.extend([300; 60]);
    series(&fallen);
    let arguments = [
        "cloud",
        "--series",
        file,
        "--every",
        "10s",
        "--size",
        "100g",
        "--provider",
        "aws",
    ];
    let (document, _) = iodyno.json(&arguments);
    let load = &document["loads"][0];
    assert_eq!(
        (&load["plateau"]["settled"], &load["plateau"]["lasted_s"]),
        (&300.0.into(), &300.0.into())
    );
    assert_eq!(load["plateau"]["credits"], 810_000.0);
    assert_eq!(
        (&load["matches"][0]["kind"], &load["is_capped"]),
        (&"gp2".into(), &true.into())
    );
    std::fs::write(file, "many\n").unwrap();
    assert_eq!(code(&iodyno.run(&["cloud", "--series", file])), 2);
}

#[test]
fn types_of_ones_own_come_first_and_a_machine_is_looked_at() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("types"));
    let file = dir.path().join("types.json");
    let types = r#"{"schema": "iodyno.cloud-data/1", "date": "2026-01-01", "types": [
        {"provider": "aws", "kind": "gp2", "title": "Another", "size_gib": [1, 10], "unit": "MB",
         "iops": {"base": 7}, "mbps": {"base": 1}, "source": "https://example.com", "date": "2026", "verified": "yes"}]}"#;
    std::fs::write(&file, types).unwrap();
    let (document, _) = iodyno.json(&["cloud", "gp2", "10", "--data", file.to_str().unwrap()]);
    assert_eq!(
        (&document["offer"]["promise"]["iops"], &document["data"]),
        (&7.0.into(), &"2026-01-01".into())
    );
    let (document, output) = iodyno.json(&["cloud"]);
    assert_eq!((code(&output), &document["about"]), (0, &"machine".into()));
    assert!(document["evidence"].is_string(), "{document}");
}

#[test]
fn figures_stand_beside_their_formula() {
    let iodyno = Iodyno::new();
    let people = text(&iodyno.run(&["cloud", "pl1", "366GiB"]).stdout);
    for words in [
        "20.1 k = min(1800 + 50 × GiB, 50000)",
        "303 MiB/s = min(120 + 0.5 × GiB, 350) MiB/s",
    ] {
        assert!(people.contains(words), "{words}: {people}");
    }
    let (document, _) = iodyno.json(&["cloud", "pl1", "366GiB"]);
    assert_eq!(
        document["offer"]["formula"]["iops"],
        "min(1800 + 50 × GiB, 50000)"
    );
    let settable = text(&iodyno.run(&["cloud", "gp3", "100GiB"]).stdout);
    assert!(
        settable.contains("IOPS from 3000 to min(max(500 × GiB, 3000), 80000)"),
        "{settable}"
    );
}

#[test]
fn a_size_that_is_left_out_or_written_otherwise_is_told() {
    let iodyno = Iodyno::new();
    for name in ["pl1", "azure:premium"] {
        let smallest = text(&iodyno.run(&["cloud", name]).stdout);
        assert!(
            smallest.contains("the smallest that is sold: no SIZE was given"),
            "{smallest}"
        );
    }
    let tier = text(&iodyno.run(&["cloud", "P30"]).stdout);
    assert!(!tier.contains("no SIZE was given"), "{tier}");
    let decimal = iodyno.run(&["cloud", "pl1", "366GB"]);
    assert_eq!(code(&decimal), 0);
    assert!(text(&decimal.stdout).contains("366 GiB"));
    assert!(text(&decimal.stderr).contains("366GB is read as 366 GiB"));
    assert!(text(&iodyno.run(&["cloud", "pl1", "366GiB"]).stderr).is_empty());
}

#[test]
fn what_has_no_figures_says_how_to_give_them_or_where_they_are() {
    let iodyno = Iodyno::new();
    for (arguments, words) in [
        (&["cloud", "plx", "40"][..], "with --iops N"),
        (&["cloud", "cloud_essd", "500"], "alibaba:essd-pl1"),
        (&["cloud", "cloud_basic", "100"], "several hundred IOPS"),
    ] {
        let output = iodyno.run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
fn a_need_of_bytes_alone_is_compared_by_bytes_alone() {
    let iodyno = Iodyno::new();
    let people = text(&iodyno.run(&["cloud", "--bandwidth", "400m"]).stdout);
    assert!(people.contains("plx:40GiB:iops=102400"), "{people}");
    assert!(
        !people.contains("7500.0") && !people.contains(" and 1.0 times"),
        "{people}"
    );
    let (document, _) = iodyno.json(&["cloud", "--bandwidth", "400m"]);
    assert!(
        document["carriers"][0]["iops_times"].is_null(),
        "{document}"
    );
    let sized = text(
        &iodyno
            .run(&["cloud", "--bandwidth", "400m", "--bs", "256k"])
            .stdout,
    );
    assert!(sized.contains("1.60 k I/Os a second of 256 KiB"), "{sized}");
    assert!(sized.contains("plx:40GiB:iops=102400"), "{sized}");
}

#[test]
fn an_imported_record_is_looked_up_by_its_mean() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("imported"));
    let file = dir.path().join("fio.txt");
    let output = "fio_read: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, \
                  iodepth=64\nfio-3.33\nStarting 1 process\n\nfio_read: (groupid=0, jobs=1): err= 0: pid=1: Mon Nov 23 \
                  10:00:00 2026\n  read: IOPS=20.2k, BW=78.7MiB/s (82.5MB/s)(4723MiB/60001msec)\n    clat (usec): \
                  min=100, max=9000, avg=3170.00, stdev=10.00\n  cpu          : usr=1.00%, sys=5.00%, ctx=1, majf=0, \
                  minf=1\n";
    std::fs::write(&file, output).unwrap();
    let imported = iodyno.run(&["import", file.to_str().unwrap()]);
    assert_eq!(code(&imported), 0, "{}", text(&imported.stderr));
    let asked = [
        "cloud",
        "--record",
        "1",
        "--size",
        "366g",
        "--provider",
        "alibaba",
    ];
    let output = iodyno.run(&asked);
    let people = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(people.contains("on average"), "{people}");
    assert!(people.contains("alibaba:essd-pl1 of 366 GiB"), "{people}");
}
