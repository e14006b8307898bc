//! The figures that providers and field reports print, and properties that hold for every type of the file.

use super::*;
use crate::cloud::formula::CloudFormulaGiven;
use model::check::Promise;
use model::histogram::Histogram;
use stats::dice::Dice;

fn at(spec: &str) -> Promise {
    promise_of_spec(spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn rates(spec: &str) -> (f64, f64) {
    let promise = at(spec);
    (promise.iops.unwrap(), promise.bytes_per_s.unwrap())
}

const MIB: f64 = 1_048_576.0;

#[test]
fn the_file_that_comes_along_is_whole() {
    let data = Data::parse(include_str!("../../data/cloud.json")).unwrap();
    assert!(data.types.len() >= 25 && data.instances.len() > 150);
    for kind in &data.types {
        assert!(
            kind.source.starts_with("https://"),
            "{}: {}",
            kind.kind,
            kind.source
        );
        let is_open = kind.verified == data::YesNo::No;
        assert_eq!(
            is_open,
            kind.unverified.is_some(),
            "{} says what is not verified",
            kind.kind
        );
        let name = format!("{}:{}", kind.provider, kind.kind);
        assert!(
            data.find(&name).is_ok() && data.find(&kind.kind).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn the_table_of_alibaba_is_reproduced() {
    // Size, IOPS and MB/s by the formulas that the provider prints, at a size below and one above the bound.
    let table = [
        ("pl0:40GiB", 2280.0, 110.0),
        ("pl0:683GiB", 9996.0, 180.0),
        ("pl0:2TiB", 10_000.0, 180.0),
        ("pl1:20GiB", 2800.0, 130.0),
        ("pl1:460GiB", 24_800.0, 350.0),
        ("pl1:964GiB", 50_000.0, 350.0),
        ("pl2:461GiB", 24_850.0, 350.5),
        ("pl2:32TiB", 100_000.0, 750.0),
        ("pl3:1261GiB", 64_850.0, 750.5),
        ("pl3:32TiB", 1_000_000.0, 4000.0),
        ("cloud_ssd:100GiB", 4800.0, 170.0),
        ("cloud_efficiency:100GiB", 2600.0, 115.0),
        ("cloud_auto:40GiB", 3800.0, 140.0),
    ];
    for (spec, iops, mb) in table {
        assert_eq!(rates(spec), (iops, mb * MIB), "{spec}");
    }
    // A disk that a report names with its promise of 4,200 IOPS.
    assert_eq!(rates("pl1:48GiB").0, 4200.0);
}

#[test]
fn gp2_bursts_for_as_long_as_the_provider_prints() {
    for (gib, base, seconds) in [
        (33, 100.0, 1862.0),
        (100, 300.0, 2000.0),
        (334, 1002.0, 2703.0),
        (750, 2250.0, 7200.0),
    ] {
        let promise = at(&format!("gp2:{gib}GiB"));
        assert_eq!(
            (promise.iops, promise.burst_iops),
            (Some(base), Some(3000.0)),
            "{gib}"
        );
        assert!(
            (promise.burst_s.unwrap() - seconds).abs() < 1.0,
            "{gib}: {:?}",
            promise.burst_s
        );
    }
    // 5.4 million credits are 30 minutes of 3,000 I/Os a second when nothing refills them.
    assert_eq!(5.4e6 / 3000.0, 1800.0);
    let large = at("aws:gp2:1000GiB");
    assert_eq!(
        (large.iops, large.burst_iops, large.burst_s),
        (Some(3000.0), None, None)
    );
    assert_eq!(at("gp2:6TiB").iops, Some(16_000.0));
    assert_eq!(
        [at("gp2:170GiB"), at("gp2:200GiB")].map(|one| one.burst_bytes_per_s),
        [None, Some(250.0 * MIB)]
    );
}

#[test]
fn the_hard_disks_of_aws_scan_themselves_as_printed() {
    let promise = at("st1:2TiB");
    assert_eq!(
        (promise.bytes_per_s, promise.burst_bytes_per_s),
        (Some(80.0 * MIB), Some(500.0 * MIB))
    );
    assert_eq!(promise.burst_s, Some(2.0 * MIB / (500.0 - 80.0)));
    assert_eq!(at("sc1:16TiB").bytes_per_s, Some(192.0 * MIB));
    assert_eq!(
        at("st1:16TiB").burst_bytes_per_s,
        None,
        "as fast for ever as in a burst"
    );
}

#[test]
fn tiers_are_the_next_larger_one() {
    assert_eq!(rates("P30"), (5000.0, 200e6));
    assert_eq!(rates("azure:premium:200GiB"), (1100.0, 125e6));
    assert_eq!(at("azure:premium:200GiB").kind, "P15");
    let small = at("P10");
    assert_eq!(
        (small.burst_iops, small.burst_s),
        (Some(3500.0), Some(1800.0))
    );
    assert_eq!(at("E10").bytes_per_s, Some(60.0 * MIB));
    assert!(
        promise_of_spec("P10:200GiB")
            .unwrap_err()
            .contains("not with 200 GiB")
    );
}

#[test]
fn what_is_provisioned_is_held_to_its_bounds() {
    assert_eq!(
        rates("aws:gp3:100GiB:iops=6000:mbps=250"),
        (6000.0, 250.0 * MIB)
    );
    assert!(
        promise_of_spec("gp3:8GiB:iops=6000")
            .unwrap_err()
            .contains("3000 to 4000 IOPS")
    );
    assert!(
        promise_of_spec("gp3:100GiB:mbps=900")
            .unwrap_err()
            .contains("125 to 750 MiB/s")
    );
    assert!(
        promise_of_spec("pl1:100GiB:iops=9000")
            .unwrap_err()
            .contains("follow from its size")
    );
    assert_eq!(
        rates("io1:1TiB:iops=48000"),
        (48_000.0, 750.0 * MIB),
        "the example of the provider"
    );
    assert_eq!(rates("io1:1TiB:iops=2000"), (2000.0, 500.0 * MIB));
    assert_eq!(rates("io2:256GiB:iops=256000"), (256_000.0, 4000.0 * MIB));
    assert_eq!(
        rates("autopl:100GiB:iops=7800"),
        (7800.0, (170.0 + 1000.0 / 64.0) * MIB)
    );
    assert_eq!(rates("hyperdisk-throughput:2TiB"), (80.0, 20.0 * MIB));
    assert_eq!(rates("ultra:1TiB:iops=20000"), (20_000.0, 81.92e6));
}

#[test]
fn specifications_say_what_is_wrong() {
    for (spec, words) in [
        ("gp4:10GiB", "no disk type is called `gp4`"),
        ("aws:pl1:10GiB", "aws:gp2, aws:gp3"),
        (
            "gp3:100GiB:size=3",
            "it must be iops=, mbps=, bandwidth= or instance=",
        ),
        ("gp3:100GiB:iops=many", "not a number"),
        ("", "name a type"),
        ("100GiB", "no disk type"),
        (
            "gp3:100GiB:instance=m5.huge",
            "no instance type is called `m5.huge`",
        ),
    ] {
        let error = promise_of_spec(spec).unwrap_err();
        assert!(error.contains(words), "{spec}: {error}");
    }
    let plain = at("iops=5000:bandwidth=200m");
    assert_eq!(
        (plain.iops, plain.bytes_per_s, plain.provider.as_str()),
        (Some(5000.0), Some(200.0 * MIB), "")
    );
}

#[test]
fn the_limit_that_binds_depends_on_the_block_size() {
    let promise = at("aws:gp3:100GiB:instance=t3.medium");
    let binds = |bs| reach(&promise, bs).unwrap();
    assert_eq!(binds(4096).binds, Bind::InstanceIops);
    assert_eq!(binds(4096).iops, 2000.0);
    assert_eq!(binds(1 << 20).binds, Bind::InstanceBandwidth);
    let alone = at("aws:gp2:100GiB");
    assert_eq!(reach(&alone, 4096).unwrap().iops, 300.0);
    let large = reach(&alone, 1 << 20).unwrap();
    assert_eq!(
        (large.counted_as, large.binds, large.iops),
        (4, Bind::Iops, 75.0)
    );
    assert_eq!(reach(&Promise::default(), 4096), None);
}

#[test]
fn a_plateau_of_a_report_is_named() {
    // 20,150 IOPS for minutes, whatever was tried: 1,800 + 50 × 367 GiB.
    let measured = Measured {
        iops: Some(20_150.0),
        ..Measured::default()
    };
    let found = recognise(builtin(), &measured);
    let of = |kind: &str| found.iter().find(|one| one.kind == kind);
    let [size, low, high] = of("essd-pl1").unwrap().size_gib.unwrap();
    assert!(
        (size - 367.0).abs() < 0.01 && low < 366.0 && high > 366.0,
        "{size} {low} {high}"
    );
    assert_eq!(of("essd-pl1").unwrap().strength, Strength::SomeSize);
    assert!(
        of("ssd").is_some() && of("essd-pl2").is_none() && of("gp2").is_none(),
        "{found:#?}"
    );
    // With the size of the disk it is certain, and the others fall away.
    let sized = Measured {
        size_gib: Some(366.0),
        provider: "alibaba".into(),
        ..measured
    };
    let found = recognise(builtin(), &sized);
    assert_eq!(found[0].kind, "essd-pl1");
    assert_eq!(found[0].strength, Strength::Size);
    assert!(found.iter().all(|one| one.kind != "ssd"));
}

#[test]
fn a_burst_is_told_from_a_base() {
    let measured = |iops| Measured {
        iops: Some(iops),
        size_gib: Some(100.0),
        provider: "aws".into(),
        ..Measured::default()
    };
    let burst = recognise(builtin(), &measured(3000.0));
    let gp2 = burst.iter().find(|one| one.kind == "gp2").unwrap();
    assert_eq!(
        (gp2.is_burst, gp2.falls_to, gp2.burst_s),
        (true, Some(300.0), Some(2000.0))
    );
    assert!(burst.iter().any(|one| one.kind == "gp3" && !one.is_burst));
    let base = recognise(builtin(), &measured(300.0));
    assert_eq!(
        base.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>(),
        ["gp2"]
    );
    let instance = Measured {
        instance: Some("m5.large".into()),
        ..measured(18_750.0)
    };
    let found = recognise(builtin(), &instance);
    assert_eq!(
        (found[0].kind.as_str(), found[0].falls_to),
        ("m5.large", Some(3600.0))
    );
}

#[test]
fn credits_are_counted_from_a_series() {
    let mut rates = vec![3000.0; 12];
    rates.extend(vec![300.0; 20]);
    let fall = fall_of(&rates, 10.0, &Histogram::new()).unwrap();
    assert_eq!(
        (fall.settled, fall.highest, fall.lasted_s),
        (300.0, Some(3000.0), 120.0)
    );
    assert_eq!(fall.credits, 120.0 * 2700.0);
    assert_eq!(
        fall_of(&[20_150.0; 24], 1.0, &Histogram::new())
            .unwrap()
            .highest,
        None
    );
    assert_eq!(fall_of(&[5.0, 9.0, 1.0, 4.0], 1.0, &Histogram::new()), None);
}

#[test]
fn series_come_as_lines_or_as_a_log_of_fio() {
    let plain = series_of_text("# IOPS\n100\n 200.5\n\n300\n", 2.0).unwrap();
    assert_eq!(plain, (vec![100.0, 200.5, 300.0], 2.0));
    let log = "1000, 700, 0, 4096, 0\n1001, 300, 1, 4096, 0\n2000, 690, 0, 4096, 0\n2000, 310, 1, 4096, 0\n3000, 1, 0, 0, 0\n";
    let (rates, step_s) = series_of_text(log, 9.0).unwrap();
    assert_eq!(
        (rates, step_s > 0.9 && step_s < 1.1),
        (vec![1000.0, 1000.0, 1.0], true)
    );
    let error = series_of_text("100\nmany\n", 1.0).unwrap_err().to_string();
    assert!(error.contains("line 2 is `many`"), "{error}");
}

#[test]
fn carriers_carry_and_are_the_smallest() {
    let need = Need {
        iops: 12_000.0,
        bytes_per_s: 12_000.0 * 4096.0,
        bs: 4096,
        size_gib: 100.0,
        provider: "aws".into(),
    };
    let found = carriers(builtin(), &need, None);
    let of = |kind: &str| {
        found
            .iter()
            .find(|one| one.offer.kind.kind == kind)
            .map(|one| one.offer.size_gib)
    };
    assert_eq!(of("gp2"), Some(4000.0), "3 IOPS for each GiB");
    assert_eq!(of("gp3"), Some(100.0));
    assert_eq!(of("io1"), Some(240.0), "50 IOPS for each GiB");
    assert_eq!(of("st1"), None);
    let prices = r#"{"schema": "iodyno.cloud-prices/1", "currency": "USD", "prices": [
        {"provider": "aws", "kind": "gp3", "gib": 0.08, "iops": 0.005, "iops_free": 3000, "mbps": 0.04, "mbps_free": 125},
        {"provider": "aws", "kind": "gp2", "gib": 0.10}]}"#;
    let found = carriers(builtin(), &need, Some(&Prices::parse(prices).unwrap()));
    assert_eq!(found[0].offer.kind.kind, "gp3");
    assert!(
        (found[0].price.unwrap() - 53.0).abs() < 1e-9,
        "{:?}",
        found[0].price
    );
    assert_eq!(found[1].offer.kind.kind, "gp2");
    assert!(found[2].price.is_none(), "what has no price comes last");
}

/// Every type at sizes all over its range: never less with more, never above its bounds, and what carries does.
#[test]
fn more_size_is_never_less_and_bounds_hold() {
    let mut random = Dice::new(5);
    for kind in &builtin().types {
        let [least, most] = kind.size_gib;
        let mut sizes: Vec<f64> = (0..200)
            .map(|_| {
                (least + (most - least) * f64::from(random.word()) / f64::from(u32::MAX)).round()
            })
            .collect();
        sizes.extend([least, most]);
        sizes.sort_by(f64::total_cmp);
        let mut before = (0.0, 0.0);
        for size in sizes {
            let promise = offer::of_type(kind, None, size, (None, None))
                .unwrap()
                .promise;
            let now = (promise.iops.unwrap(), promise.bytes_per_s.unwrap());
            assert!(
                now.0 >= before.0 && now.1 >= before.1,
                "{} at {size}: {now:?} after {before:?}",
                kind.kind
            );
            assert!(
                kind.iops.at_most.is_none_or(|bound| now.0 <= bound),
                "{} at {size}",
                kind.kind
            );
            assert!(
                kind.mbps
                    .at_most
                    .is_none_or(|bound| now.1 <= bound * kind.unit.bytes()),
                "{} at {size}",
                kind.kind
            );
            assert!(
                promise.burst_iops.is_none_or(|burst| burst > now.0),
                "{} at {size}",
                kind.kind
            );
            if let Some(range) = &kind.iops_set {
                let given = CloudFormulaGiven {
                    size_gib: size,
                    ..CloudFormulaGiven::default()
                };
                let (low, high) = (range.at_least.at(given), range.at_most.at(given));
                assert!(low <= high, "{} at {size}: {low} to {high}", kind.kind);
            }
            for two in BLOCK_SIZES.windows(2) {
                let (one, other) = (
                    reach(&promise, two[0]).unwrap(),
                    reach(&promise, two[1]).unwrap(),
                );
                assert!(
                    one.iops >= other.iops * (1.0 - 1e-9),
                    "{} at {size}: {two:?}",
                    kind.kind
                );
            }
            before = now;
        }
    }
}

#[test]
fn carriers_of_random_loads_have_what_is_needed() {
    let mut random = Dice::new(6);
    for _ in 0..300 {
        let iops = f64::from(random.word() % 150_000 + 1);
        let bs = 4096u64 << (random.word() % 9);
        let need = Need {
            iops,
            bytes_per_s: iops * bs as f64,
            bs,
            size_gib: f64::from(random.word() % 4000),
            provider: String::new(),
        };
        for found in carriers(builtin(), &need, None) {
            let reach = reach(&found.offer.promise, bs).unwrap();
            assert!(
                reach.iops >= iops * (1.0 - 1e-9),
                "{:?} {need:?}",
                found.offer.promise
            );
            assert!(found.offer.size_gib >= need.size_gib && found.iops_times >= 1.0 - 1e-9);
        }
    }
}

/// Files of users: whatever is in them, there is an answer or a sentence.
#[test]
fn damaged_files_are_refused_or_read() {
    let text = include_str!("../../data/cloud.json").as_bytes();
    let mut random = Dice::new(7);
    for _ in 0..60 {
        let mut damaged = text[..text.len() / 4].to_vec();
        for _ in 0..3 {
            let at = random.word() as usize % damaged.len();
            damaged[at] = random.word() as u8;
        }
        assert!(
            Data::parse(&String::from_utf8_lossy(&damaged)).is_err(),
            "a quarter of a document"
        );
    }
    assert!(Data::parse("{}").is_err() && Prices::parse("[1]").is_err());
    let other = r#"{"schema": "iodyno.cloud-data/9", "date": "", "types": []}"#;
    assert!(
        Data::parse(other)
            .unwrap_err()
            .to_string()
            .contains("iodyno.cloud-data/9")
    );
}

#[test]
fn formulas_are_told_as_providers_print_them() {
    let formulas = |name: &str| {
        let (kind, _) = builtin().find(name).unwrap();
        (kind.iops_formula(), kind.bandwidth_formula())
    };
    let some = |words: &str| Some(words.to_string());
    assert_eq!(
        formulas("pl1"),
        (
            some("min(1800 + 50 × GiB, 50000)"),
            some("min(120 + 0.5 × GiB, 350) MiB/s")
        )
    );
    assert_eq!(
        formulas("gp2"),
        (
            some("min(max(3 × GiB, 100), 16000)"),
            some("128 below 334 GiB, else 250 MiB/s")
        )
    );
    assert_eq!(
        formulas("gp3"),
        (None, None),
        "3,000 and 125 whatever the size"
    );
    assert_eq!(
        formulas("io1").1,
        some("max(min(0.25 × IOPS, 500), min(0.015625 × IOPS, 1000)) MiB/s")
    );
    assert_eq!(
        formulas("autopl").1,
        some("min(max(120 + 0.5 × GiB, 125), 350) + 0.015625 × extra IOPS MiB/s")
    );
    let provisioned = offer_of("gp3", 100.0, Some(6000.0));
    assert_eq!(provisioned.iops_formula(), None);
    assert_eq!(provisioned.iops_range(), Some((3000.0, 50_000.0)));
}

fn offer_of(kind: &str, size_gib: f64, iops: Option<f64>) -> Offer<'static> {
    let wish = OfferWish {
        kind: kind.into(),
        size_gib: Some(size_gib),
        iops,
        ..OfferWish::default()
    };
    super::offer(builtin(), &wish).unwrap()
}

#[test]
fn names_of_the_providers_interface_are_known() {
    assert_eq!(at("cloud_essd_pl1:100GiB").kind, "essd-pl1");
    assert_eq!(at("cloud-ssd:100GiB").kind, "ssd");
    let error = promise_of_spec("cloud_essd:500GiB").unwrap_err();
    for words in [
        "`cloud_essd` is sold in several types",
        "alibaba:essd-pl0 (40 to 32768 GiB)",
        "alibaba:essd-pl1",
        "alibaba:essd-pl2",
        "alibaba:essd-pl3 (1261 to 32768 GiB)",
    ] {
        assert!(error.contains(words), "{words}: {error}");
    }
    assert!(!error.contains("alibaba:ssd"), "{error}");
    for name in ["cloud_basic", "普通云盘", "alibaba:cloud"] {
        let error = builtin().find(name).unwrap_err().to_string();
        assert!(
            error.contains("no formula for alibaba:basic") && error.contains("30 to 40 MB/s"),
            "{name}: {error}"
        );
    }
    assert!(builtin().find("aws:cloud_basic").is_err());
}

#[test]
fn what_is_provisioned_alone_says_how() {
    let error = promise_of_spec("plx:40GiB").unwrap_err();
    for words in ["only what is provisioned", "--iops N", "plx:40GiB:iops=N"] {
        assert!(error.contains(words), "{words}: {error}");
    }
    assert!(
        offer::of_type(builtin().find("plx").unwrap().0, None, 40.0, (None, None))
            .unwrap()
            .is_unprovisioned()
    );
}

#[test]
fn no_more_is_provisioned_than_bytes_take() {
    let bytes_per_s = 400.0 * MIB;
    for (iops, bs) in [(0.0, 1 << 20), (1600.0, 256 << 10)] {
        let need = Need {
            iops,
            bytes_per_s,
            bs,
            size_gib: 0.0,
            provider: "alibaba".into(),
        };
        let found = carriers(builtin(), &need, None);
        let plx = found
            .iter()
            .find(|one| one.offer.kind.kind == "plx")
            .unwrap();
        // 4 KiB for each I/O a second.
        assert_eq!(plx.offer.provisioned.0, Some(102_400.0));
        assert!((plx.bytes_times - 1.0).abs() < 1e-9, "{}", plx.bytes_times);
    }
}

#[test]
fn a_size_between_two_tiers_is_the_larger_one_and_none_is_below_a_gib() {
    let measured = |size_gib| Measured {
        iops: Some(500.0),
        size_gib: Some(size_gib),
        provider: "azure".into(),
        ..Measured::default()
    };
    let found = recognise(builtin(), &measured(20.0));
    let s4 = found.iter().find(|one| one.kind == "S4").unwrap();
    assert_eq!(s4.size_gib, Some([32.0; 3]));
    let tiny = recognise(builtin(), &measured(0.03));
    assert!(
        tiny.iter().all(|one| one.strength != Strength::Size),
        "{tiny:#?}"
    );
}

#[test]
fn a_match_has_the_formula_that_its_figure_follows_from() {
    let measured = Measured {
        iops: Some(20_150.0),
        size_gib: Some(366.0),
        provider: "alibaba".into(),
        ..Measured::default()
    };
    let found = recognise(builtin(), &measured);
    assert_eq!(
        found[0].formula.as_deref(),
        Some("min(1800 + 50 × GiB, 50000)")
    );
}
