//! The lines as a person reads them.

use super::*;
use model::verdict::{Reason, Verdict};

fn verdict(outcome: Outcome, arm: &str) -> Verdict {
    Verdict {
        outcome,
        arm: arm.into(),
        reason: Reason::Confirmed,
        sentence: String::new(),
        metric: model::metric::ExperimentMetric::iops(),
        effect: Some(0.59),
        low: Some(0.57),
        high: Some(0.61),
        estimated_in: None,
        compared: Some("none".into()),
        windows: 0,
        device_ms: 0,
        seed: 7,
        alpha: 0.05,
        rope: 0.02,
        window_ms: 120,
        washout_ms: 40,
        horizon_ms: 0,
        memory_ms: 0,
        raw_effect: None,
        lives_in_tail: false,
        smallest_detectable: None,
        p99: None,
        arms: vec![],
        foreign: vec![],
        stages: vec![],
        pairs: vec![],
        notes: vec![],
    }
}

fn layer(name: &str, from: f64, to: f64, moved: bool) -> Change {
    Change {
        kind: if name == "Q2C" {
            MovedKind::Whole
        } else {
            MovedKind::Layer
        },
        name: name.into(),
        subject: "loop0".into(),
        side: Some(LayerSide::Read),
        unit: "ns".into(),
        from,
        to,
        medians: None,
        noise: Some(1_000.0),
        moved,
        share: None,
        made_of: None,
    }
}

fn counter(kind: MovedKind, subject: &str, name: &str, from: f64, to: f64) -> Change {
    Change {
        kind,
        subject: subject.into(),
        side: None,
        unit: String::new(),
        ..layer(name, from, to, true)
    }
}

fn said(moved: Moved, won_by: &str) -> Vec<String> {
    let lines = lines(&Trial {
        set: vec![],
        base: vec![],
        knob: "scheduler".into(),
        subject: None,
        mark: None,
        device: "loop0".into(),
        arms: vec!["bfq".into(), "none".into()],
        aa: false,
        skipped: None,
        summary: String::new(),
        verdict: Some(verdict(Outcome::Better, won_by)),
        layers: vec![],
        figures: vec![],
        moved: Some(moved),
        windows: vec![],
    });
    assert!(
        lines.iter().all(|line| line.chars().count() <= 80),
        "{lines:#?}"
    );
    lines
}

fn traced(changes: Vec<Change>) -> Moved {
    let traced = Some("eBPF full".to_string());
    Moved {
        from: "bfq".into(),
        to: "none".into(),
        traced,
        traced_windows: 8,
        changes,
        ..Moved::default()
    }
}

#[test]
fn the_layer_that_moved_comes_first_and_what_stayed_is_told() {
    let mut scheduler = layer("G2D", 410_000.0, 3_000.0, true);
    scheduler.made_of = Some("G2I + I2D under bfq".into());
    scheduler.share = Some(0.97);
    let stayed = layer("D2C", 88_000.0, 88_100.0, false);
    let changes = vec![scheduler, layer("Q2C", 499_000.0, 92_000.0, true), stayed];
    let wanted = [
        "  where: G2D 410 µs → 3.00 µs (G2I + I2D under bfq), 97 % of the change in Q2C",
        "         unchanged: D2C 88.0 µs",
        "         means of read on loop0, eBPF full, 8 traced windows of each",
    ];
    assert_eq!(said(traced(changes), "none"), wanted);
}

#[test]
fn medians_stand_beside_means_and_both_directions_are_named() {
    let mut read = layer("I2D", 11_900_000.0, 2_100_000.0, true);
    read.medians = Some((10_000_000.0, 2_000_000.0));
    read.share = Some(1.0);
    let write = Change {
        side: Some(LayerSide::Write),
        ..layer("D2C", 88_000.0, 88_000.0, false)
    };
    let below = Change {
        subject: "vda".into(),
        ..layer("D2C", 80_000.0, 40_000.0, true)
    };
    let lines = said(
        traced(vec![read, below, write, layer("Q2C", 12e6, 2.2e6, true)]),
        "none",
    );
    assert!(
        lines[0].starts_with("  where: read I2D 11.9 ms → 2.10 ms (median 10.0 ms → 2.00 ms), all"),
        "{lines:#?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.trim() == "vda read D2C 80.0 µs → 40.0 µs"),
        "{lines:#?}"
    );
}

#[test]
fn a_cpu_and_its_interrupts_are_named() {
    let mut cost = counter(MovedKind::Cpu, "all", "us_per_io", 31.0, 19.2);
    cost.share = Some(0.9);
    let softirq = counter(MovedKind::Cpu, "1", "softirq_percent", 61.0, 12.0);
    let size = counter(
        MovedKind::Device,
        "loop0",
        "size_read_bytes",
        4096.0,
        131072.0,
    );
    let wait = counter(MovedKind::Device, "loop0", "await_read_ms", 0.5, 0.25);
    let moved = Moved {
        not_traced: Some("it needs root; diskstats are all there is".into()),
        traced: None,
        interrupts: Some(Interrupts {
            from: vec![1],
            to: vec![0, 1, 2, 3, 8],
        }),
        ..traced(vec![cost, softirq, size, wait])
    };
    let wanted = [
        "  where: interrupts spread from CPU 1 to CPUs 0–3, 8",
        "         CPU time per I/O 31.0 µs → 19.2 µs, 90 % of the change in the rate",
        "         CPU 1 spends 12 % in softirq in place of 61 %",
        "         reads that reach loop0 have 4.00 KiB → 128 KiB",
        "         reads on loop0 wait 500 µs → 250 µs from queue to completion",
        "         layers were not traced: it needs root; diskstats are all there is",
    ];
    assert_eq!(said(moved, "none"), wanted);
}

#[test]
fn where_nothing_moved_that_is_said_and_noise_is_not_called_unchanged() {
    let sure = layer("D2C", 88_000.0, 88_500.0, false);
    let short = Change {
        noise: Some(600.0),
        ..layer("Q2G", 840.0, 390.0, false)
    };
    let unsure = Change {
        noise: Some(60_000.0),
        ..layer("I2D", 90_000.0, 60_000.0, false)
    };
    let whole = Change {
        noise: Some(90_000.0),
        ..layer("Q2C", 180_000.0, 150_000.0, false)
    };
    let lines = said(traced(vec![sure, short, unsure, whole]), "none");
    assert_eq!(
        lines[0],
        "  where: nothing changed by more than its own noise"
    );
    assert!(lines[1].ends_with("unchanged: D2C 88.0 µs"), "{lines:#?}");
    assert!(
        lines[2].ends_with("too short to matter: Q2G 840 ns"),
        "{lines:#?}"
    );
    assert!(
        lines[3].ends_with("not told from noise: I2D 90.0 µs → 60.0 µs, Q2C 180 µs → 150 µs"),
        "{lines:#?}"
    );
}

#[test]
fn an_arm_that_loses_is_told_as_such() {
    let lines = said(traced(vec![layer("D2C", 88_000.0, 130_000.0, true)]), "bfq");
    assert!(
        lines[0].starts_with("  where none loses: D2C 88.0 µs → 130 µs"),
        "{lines:#?}"
    );
}

#[test]
fn a_whole_without_parts_stands_for_itself() {
    let lines = said(traced(vec![layer("Q2C", 12_000.0, 8_000.0, true)]), "none");
    assert_eq!(lines[0], "  where: Q2C 12.0 µs → 8.00 µs");
}

fn few_tags() -> Vec<Change> {
    let with = |change: Change, medians| Change {
        medians: Some(medians),
        ..change
    };
    vec![
        layer("Q2G", 2_180.0, 374_000.0, true),
        with(layer("G2D", 23_200.0, 969.0, true), (21_100.0, 390.0)),
        with(
            layer("D2C", 590_000.0, 160_000.0, true),
            (518_000.0, 124_000.0),
        ),
    ]
}

#[test]
fn what_got_faster_is_no_reason_for_a_loss() {
    let wanted = [
        "  where none loses: Q2G 2.18 µs → 374 µs",
        "                    faster, but none loses: G2D 23.2 µs → 969 ns (median 21.1 µs",
        "                      → 390 ns)",
        "                    faster, but none loses: D2C 590 µs → 160 µs (median 518 µs →",
        "                      124 µs)",
        "                    means of read on loop0, eBPF full, 8 traced windows of each",
    ];
    assert_eq!(said(traced(few_tags()), "bfq"), wanted);
    let none_explains = said(traced(few_tags().split_off(1)), "bfq");
    assert_eq!(
        none_explains[0],
        "  where none loses: no layer that moved accounts for it"
    );
}

#[test]
fn what_got_slower_is_no_reason_for_a_win_whatever_the_order() {
    let lines = said(traced(few_tags()), "none");
    assert!(
        lines[0].starts_with("  where: G2D 23.2 µs → 969 ns"),
        "{lines:#?}"
    );
    assert!(
        lines[2].ends_with("slower, but none wins: Q2G 2.18 µs → 374 µs"),
        "{lines:#?}"
    );
}
