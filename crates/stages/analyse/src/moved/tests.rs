//! Arms made by hand: a scheduler that holds requests back, a CPU that drowns in interrupts, and nothing but noise.

use super::*;
use crate::figures::Moments;
use model::figures::ArmValue;
use model::layers::{LayerSide, Span};
use model::moved::Interrupts;
use stats::dice::Dice;

/// Times of one arm on one device: mean and standard deviation between eight windows, ns.
fn spans(arm: &str, device: &str, times: &[(Span, f64, f64)]) -> Vec<ArmSpan> {
    let one = |(span, mean_ns, spread_ns): &(Span, f64, f64)| ArmSpan {
        arm: arm.into(),
        device: device.into(),
        side: LayerSide::Read,
        span: *span,
        ios: 10_000,
        mean_ns: *mean_ns,
        spread_ns: *spread_ns,
        windows: 8,
        p50_ns: (*mean_ns * 0.9) as u64,
        p99_ns: (*mean_ns * 3.0) as u64,
    };
    times.iter().map(one).collect()
}

/// A figure under `bfq` and `none`: mean and standard deviation between 40 windows.
fn figure(name: &str, unit: &str, bfq: (f64, f64), none: (f64, f64)) -> ArmFigures {
    let value = |arm: &str, (value, spread)| ArmValue {
        arm: arm.into(),
        value,
        spread,
        windows: 40,
    };
    ArmFigures {
        name: name.into(),
        unit: unit.into(),
        arms: vec![value("bfq", bfq), value("none", none)],
    }
}

fn compare(layers: &[ArmSpan], figures: &[ArmFigures]) -> Moved {
    between(&Arms {
        from: "bfq",
        to: "none",
        device: "loop0",
        layers,
        figures,
    })
}

fn change<'a>(moved: &'a Moved, subject: &str, name: &str) -> &'a Change {
    let found = moved
        .changes
        .iter()
        .find(|change| change.subject == subject && change.name == name);
    found.unwrap_or_else(|| panic!("no {name} of {subject} in {:#?}", moved.changes))
}

#[test]
fn a_scheduler_that_holds_requests_back_is_named_with_its_share() {
    let bfq = [
        (Span::Q2G, 1_200.0, 50.0),
        (Span::G2I, 10_000.0, 500.0),
        (Span::I2D, 400_000.0, 9_000.0),
    ];
    let bfq = [
        &bfq[..],
        &[
            (Span::D2C, 88_000.0, 900.0),
            (Span::Q2C, 499_200.0, 9_000.0),
        ],
    ]
    .concat();
    let none = [
        (Span::Q2G, 1_210.0, 50.0),
        (Span::G2D, 3_000.0, 90.0),
        (Span::D2C, 88_300.0, 900.0),
    ];
    let none = [&none[..], &[(Span::Q2C, 92_510.0, 900.0)]].concat();
    let layers = [spans("bfq", "loop0", &bfq), spans("none", "loop0", &none)].concat();
    let moved = compare(&layers, &[]);
    let first = &moved.changes[0];
    assert_eq!(
        (first.kind, first.name.as_str(), first.moved),
        (MovedKind::Layer, "G2D", true)
    );
    assert_eq!((first.from, first.to), (410_000.0, 3_000.0));
    assert_eq!(first.made_of.as_deref(), Some("G2I + I2D under bfq"));
    assert!((first.share.unwrap() - 1.0).abs() < 0.01, "{first:?}");
    assert_eq!(first.medians, None, "medians do not add up");
    assert!(!change(&moved, "loop0", "D2C").moved && !change(&moved, "loop0", "Q2G").moved);
    assert!(change(&moved, "loop0", "Q2C").moved);
    assert_eq!((moved.traced_windows, moved.interrupts), (8, None));
}

#[test]
fn layers_that_both_arms_have_are_compared_one_by_one() {
    let arm = |name: &str, held: f64| {
        let times = [
            (Span::G2I, 2_000.0, 90.0),
            (Span::I2D, held, 900.0),
            (Span::D2C, 88_000.0, 900.0),
        ];
        let whole = [(Span::Q2C, 90_000.0 + held, 1_500.0)];
        spans(name, "loop0", &[&times[..], &whole[..]].concat())
    };
    let moved = compare(&[arm("bfq", 50_000.0), arm("none", 20_000.0)].concat(), &[]);
    let names: Vec<&str> = moved.moved().map(|change| change.name.as_str()).collect();
    assert_eq!(names, ["I2D", "Q2C"]);
    assert_eq!(moved.changes[0].medians, Some((45_000.0, 18_000.0)));
}

#[test]
fn what_is_paid_elsewhere_shows_with_both_signs() {
    // A shorter queue moves the wait from the device to the queue for a request.
    let arm = |name: &str, wait: f64, device: f64| {
        let parts = [
            (Span::Q2G, wait, wait / 50.0),
            (Span::G2D, 1_000.0, 20.0),
            (Span::D2C, device, device / 50.0),
        ];
        spans(
            name,
            "loop0",
            &[
                &parts[..],
                &[(Span::Q2C, wait + 1_000.0 + device, 30_000.0)],
            ]
            .concat(),
        )
    };
    let moved = compare(
        &[
            arm("bfq", 2_000_000.0, 300_000.0),
            arm("none", 1_000.0, 1_500_000.0),
        ]
        .concat(),
        &[],
    );
    let (wait, device) = (
        change(&moved, "loop0", "Q2G"),
        change(&moved, "loop0", "D2C"),
    );
    assert!(wait.moved && device.moved);
    assert!(wait.share.unwrap() > 1.0 && device.share.unwrap() < 0.0);
    assert_eq!(moved.changes[0].name, "Q2G", "the larger part stands first");
}

#[test]
fn the_disk_below_is_told_apart_and_has_no_share() {
    let arm = |name: &str, device: f64| {
        let upper = [
            (Span::G2D, 1_000.0, 10.0),
            (Span::D2C, device, 900.0),
            (Span::Q2C, device + 1_000.0, 900.0),
        ];
        let lower = [
            (Span::G2D, 800.0, 10.0),
            (Span::D2C, device - 9_000.0, 900.0),
            (Span::Q2C, device - 8_000.0, 900.0),
        ];
        [spans(name, "loop0", &upper), spans(name, "vda", &lower)].concat()
    };
    let moved = compare(
        &[arm("bfq", 300_000.0), arm("none", 200_000.0)].concat(),
        &[],
    );
    assert_eq!(moved.changes[0].subject, "loop0");
    let below = change(&moved, "vda", "D2C");
    assert!(below.moved && below.share.is_none());
}

#[test]
fn two_percent_of_the_whole_matter_to_nobody_however_sure() {
    let arm = |name: &str, held: f64| {
        let parts = [
            (Span::G2D, held, 1.0),
            (Span::D2C, 500_000.0, 1.0),
            (Span::Q2C, 500_000.0 + held, 1.0),
        ];
        spans(name, "loop0", &parts)
    };
    let moved = compare(&[arm("bfq", 9_000.0), arm("none", 1_000.0)].concat(), &[]);
    assert_eq!(moved.moved().count(), 0, "{:#?}", moved.changes);
}

#[test]
fn one_window_of_an_arm_claims_nothing() {
    let mut layers = [
        spans("bfq", "loop0", &[(Span::Q2C, 900_000.0, 0.0)]),
        spans("none", "loop0", &[(Span::Q2C, 100_000.0, 0.0)]),
    ]
    .concat();
    layers[1].windows = 1;
    let moved = compare(&layers, &[]);
    let whole = change(&moved, "loop0", "Q2C");
    assert!(!whole.moved && whole.noise.is_none());
}

#[test]
fn a_cpu_that_drowned_in_soft_interrupts_is_named() {
    let figures = [
        figure("cpu.0.busy_percent", "percent", (30.0, 4.0), (31.0, 4.0)),
        figure("cpu.0.softirq_percent", "percent", (5.0, 3.0), (5.5, 3.0)),
        figure("cpu.1.busy_percent", "percent", (99.0, 1.0), (96.0, 2.0)),
        figure("cpu.1.softirq_percent", "percent", (61.0, 6.0), (12.0, 4.0)),
        figure("cpu.1.iowait_percent", "percent", (0.0, 0.0), (40.0, 1.0)),
        figure("cpu.all.us_per_io", "us", (30.0, 2.0), (19.5, 2.0)),
        figure("load.per_s", "/s", (40_000.0, 900.0), (60_000.0, 900.0)),
        // What the device counts is not what the load asked for.
        figure(
            "disk.loop0.reads_per_s",
            "/s",
            (160_000.0, 900.0),
            (60_000.0, 900.0),
        ),
        figure("disk.loop0.writes_per_s", "/s", (0.0, 0.0), (0.0, 0.0)),
    ];
    let moved = compare(&[], &figures);
    let names: Vec<(&str, &str)> = moved
        .moved()
        .map(|change| (change.subject.as_str(), change.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [("all", "us_per_io"), ("1", "softirq_percent")],
        "{:#?}",
        moved.changes
    );
    assert!(
        (moved.changes[0].share.unwrap() - 1.06).abs() < 0.01,
        "a saturated CPU makes cost the rate"
    );
    let mut idle = figures.clone();
    idle[2].arms[0].value = 60.0;
    assert_eq!(
        compare(&[], &idle).changes[0].share,
        None,
        "cost is not the limit of a CPU that idles"
    );
}

#[test]
fn interrupts_that_spread_are_told_by_cpu() {
    let irq = |cpu: u32, bfq: f64, none: f64| {
        figure(
            &format!("irq.cpu{cpu}.target_per_s"),
            "/s",
            (bfq, bfq / 20.0),
            (none, none / 20.0),
        )
    };
    let figures = [
        irq(0, 0.0, 9_000.0),
        irq(1, 30_000.0, 9_500.0),
        irq(2, 0.0, 9_000.0),
        irq(3, 200.0, 9_000.0),
    ];
    let moved = compare(&[], &figures);
    assert_eq!(
        moved.interrupts,
        Some(Interrupts {
            from: vec![1],
            to: vec![0, 1, 2, 3]
        })
    );
    let border = [irq(0, 3_100.0, 2_900.0), irq(1, 27_000.0, 27_000.0)];
    assert_eq!(
        compare(&[], &border).interrupts,
        None,
        "a tenth more or less is no move"
    );
    let few = [irq(0, 0.0, 30.0), irq(1, 40.0, 0.0)];
    assert_eq!(compare(&[], &few).interrupts, None);
}

#[test]
fn larger_requests_and_merges_are_figures_of_the_device() {
    let figures = [
        figure(
            "disk.loop0.reads_per_s",
            "/s",
            (20_000.0, 100.0),
            (5_000.0, 100.0),
        ),
        figure("disk.loop0.writes_per_s", "/s", (0.0, 0.0), (0.0, 0.0)),
        figure(
            "disk.loop0.size_read_bytes",
            "bytes",
            (4096.0, 0.0),
            (65536.0, 2048.0),
        ),
        figure(
            "disk.loop0.read_merges_per_s",
            "/s",
            (0.0, 0.0),
            (75_000.0, 900.0),
        ),
        figure(
            "disk.vda.size_read_bytes",
            "bytes",
            (4096.0, 0.0),
            (65536.0, 2048.0),
        ),
    ];
    let moved = compare(&[], &figures);
    assert!(
        change(&moved, "loop0", "size_read_bytes").moved
            && change(&moved, "loop0", "read_merges_per_s").moved
    );
    assert!(
        moved
            .changes
            .iter()
            .all(|change| change.subject != "vda" && !change.name.contains("reads_per_s"))
    );
}

/// Windows of two arms that are the same, with the noise of a busy machine: heavy tails, and regimes that last.
fn noise_only(dice: &mut Dice) -> Moved {
    let mut level = 0.0;
    let mut sums = [[Moments::default(); 6]; 2];
    for window in 0..16usize {
        // A B B A B A A B, twice.
        let arm = usize::from([0, 1, 1, 0, 1, 0, 0, 1][window % 8] == 1);
        level = 0.7 * level + 0.05 * dice.normal();
        for (index, sum) in sums[arm].iter_mut().enumerate() {
            let tail = if dice.normal() > 1.6 {
                0.3 * dice.normal().abs()
            } else {
                0.0
            };
            sum.add(
                [1_200.0, 10_000.0, 100_000.0, 88_000.0, 199_200.0, 40.0][index]
                    * (level + 0.04 * dice.normal() + tail).exp(),
            );
        }
    }
    let span = [Span::Q2G, Span::G2I, Span::I2D, Span::D2C, Span::Q2C];
    let layers = ["bfq", "none"]
        .into_iter()
        .zip(&sums)
        .flat_map(|(arm, sums)| {
            let times: Vec<_> = span
                .iter()
                .zip(sums)
                .map(|(span, sum)| (*span, sum.mean, sum.spread()))
                .collect();
            spans(arm, "loop0", &times)
        });
    let layers: Vec<ArmSpan> = layers.collect();
    let cpu = sums.map(|sums| (sums[5].mean, sums[5].spread()));
    let mut figures = [figure("cpu.0.busy_percent", "percent", cpu[0], cpu[1])];
    figures[0]
        .arms
        .iter_mut()
        .for_each(|value| value.windows = 8);
    compare(&layers, &figures)
}

#[test]
fn noise_alone_moves_nothing() {
    let mut dice = Dice::new(11);
    let claimed = (0..2_000)
        .filter(|_| noise_only(&mut dice).moved().next().is_some())
        .count();
    println!("{claimed} of 2000 comparisons of like arms claim a movement");
    assert!(
        claimed <= 20,
        "{claimed} of 2000 comparisons of like arms claim a movement"
    );
}

/// Depth 32 on a queue of 128 requests and of 4: the wait for a tag varies by as much as it grew.
fn few_tags(rate: (f64, f64), wait_spread: f64) -> Moved {
    let many = [
        (Span::Q2G, 2_180.0, 300.0),
        (Span::G2D, 23_200.0, 900.0),
        (Span::D2C, 590_000.0, 9_000.0),
    ];
    let few = [
        (Span::Q2G, 374_000.0, wait_spread),
        (Span::G2D, 969.0, 40.0),
        (Span::D2C, 160_000.0, 9_000.0),
    ];
    let many = [&many[..], &[(Span::Q2C, 615_380.0, 20_000.0)]].concat();
    let few = [&few[..], &[(Span::Q2C, 534_969.0, wait_spread)]].concat();
    let layers = [spans("bfq", "loop0", &many), spans("none", "loop0", &few)].concat();
    let load = figure("load.per_s", "/s", (rate.0, 900.0), (rate.1, 900.0));
    compare(&layers, &[load])
}

#[test]
fn a_wait_that_grew_many_times_over_is_no_noise_and_stands_before_what_got_faster() {
    let moved = few_tags((50_000.0, 23_000.0), 230_000.0);
    let names: Vec<&str> = moved.moved().map(|change| change.name.as_str()).collect();
    assert_eq!(names, ["Q2G", "G2D", "D2C"], "{:#?}", moved.changes);
    let wait = change(&moved, "loop0", "Q2G");
    assert!(
        wait.noise > Some(wait.to - wait.from),
        "the difference alone does not tell it: {wait:?}"
    );
    let won = few_tags((23_000.0, 50_000.0), 230_000.0);
    let names: Vec<&str> = won.moved().map(|change| change.name.as_str()).collect();
    assert_eq!(
        names,
        ["G2D", "D2C", "Q2G"],
        "where the rate rose, what got faster explains it"
    );
}

#[test]
fn a_wait_that_few_windows_may_have_made_stays_open() {
    let moved = few_tags((50_000.0, 23_000.0), 600_000.0);
    assert!(
        !change(&moved, "loop0", "Q2G").moved,
        "two of eight windows may have made all of it"
    );
}

#[test]
fn stalls_that_hit_windows_at_random_move_nothing() {
    let mut dice = Dice::new(12);
    let comparison = |dice: &mut Dice| {
        let mut sums = [Moments::default(); 2];
        for window in 0..16usize {
            // About three windows in ten stall.
            let stall = if dice.normal() > 0.5 { 200.0 } else { 1.0 };
            sums[window % 2].add(2_000.0 * stall * (0.2 * dice.normal()).exp());
        }
        let arms = ["bfq", "none"].into_iter().zip(&sums);
        let spans = arms.flat_map(|(arm, sum)| {
            let times = [Span::Q2G, Span::Q2C].map(|span| (span, sum.mean, sum.spread()));
            spans(arm, "loop0", &times)
        });
        compare(&spans.collect::<Vec<_>>(), &[])
    };
    let claimed = (0..2_000)
        .filter(|_| comparison(&mut dice).moved().next().is_some())
        .count();
    println!("{claimed} of 2000 comparisons of arms that stall alike claim a movement");
    assert!(
        claimed <= 20,
        "{claimed} of 2000 comparisons of arms that stall alike claim a movement"
    );
}
