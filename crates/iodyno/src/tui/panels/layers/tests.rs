//! What the reader of a terminal sees of the layers.

use super::*;
use crate::tui::SideChoice;
use crate::tui::samples::{Scene, Spans, history, times};
use observe::{LayerHistory, Tracing};

fn scene(source: &'static str, spans: Spans<'static>) -> Scene {
    let layers = history(60, |_| {
        let mut times = times("vda", spans);
        times.source = source.into();
        times
    });
    Scene {
        layers,
        ..Scene::new()
    }
}

/// mq-deadline: every layer but the direct way.
fn scheduled() -> Scene {
    scene(
        "eBPF full",
        &[
            (LayerSide::Write, Span::Q2G, &[(400, 99), (1_100, 2)]),
            (LayerSide::Write, Span::G2I, &[(1_500, 101)]),
            (
                LayerSide::Write,
                Span::I2D,
                &[(110_000, 99), (2_400_000, 2)],
            ),
            (
                LayerSide::Write,
                Span::D2C,
                &[(180_000, 99), (5_900_000, 2)],
            ),
            (
                LayerSide::Write,
                Span::Q2C,
                &[(300_000, 99), (8_300_000, 2)],
            ),
            (LayerSide::Read, Span::Q2C, &[(300_000, 1)]),
        ],
    )
}

#[test]
fn one_line_fits_eighty_columns() {
    let lines = scheduled().draw(&PANEL, 80, 1);
    assert_eq!(
        lines[0],
        "LAYERS p50/p99 Q2G 0.40/1.1 µs G2I 1.5/1.5 µs I2D 0.11/2.4 ms D2C 0.18/5.9 ms"
    );
    let wide = scheduled().draw(&PANEL, 160, 1);
    assert!(
        wide[0].starts_with("LAYERS vda write p50/p99  Q2G 0.402/1.10 µs"),
        "{wide:#?}"
    );
    assert!(scheduled().draw(&PANEL, 40, 1)[0].ends_with('…'));
}

#[test]
fn an_absent_layer_is_named_with_its_reason() {
    let none = scene(
        "eBPF full",
        &[
            (LayerSide::Write, Span::Q2G, &[(400, 1_000)]),
            (LayerSide::Write, Span::G2D, &[(2_000, 1_000)]),
            (LayerSide::Write, Span::D2C, &[(180_000, 1_000)]),
            (LayerSide::Write, Span::Q2C, &[(190_000, 1_000)]),
        ],
    );
    assert!(none.draw(&PANEL, 80, 1)[0].contains("  G2I I2D absent  G2D "));
    let block = none.draw(&PANEL, 80, 12);
    assert!(
        block
            .iter()
            .any(|line| line == "G2I I2D  absent: scheduler none has no insert"),
        "{block:#?}"
    );
    let lite = scene(
        "eBPF lite",
        &[
            (LayerSide::Write, Span::G2C, &[(190_000, 1_000)]),
            (LayerSide::Write, Span::D2C, &[(180_000, 1_000)]),
        ],
    );
    let line = &lite.draw(&PANEL, 80, 1)[0];
    assert!(
        line.contains("Q2G G2I I2D absent") && line.contains("D2C ") && line.contains("G2C "),
        "{line}"
    );
    assert!(
        lite.draw(&PANEL, 80, 12)
            .iter()
            .any(|line| line.contains("absent: lite sees requests only"))
    );
    let bio = scene(
        "eBPF full",
        &[(LayerSide::Write, Span::Q2C, &[(190_000, 1_000)])],
    );
    let block = bio.draw(&PANEL, 80, 12);
    assert!(
        block.iter().any(|line| line.contains("bio-based")),
        "{block:#?}"
    );
    assert!(
        block.iter().any(|line| line.starts_with("Q2C")),
        "{block:#?}"
    );
}

#[test]
fn a_row_for_each_layer_and_the_shares_of_the_mean() {
    let block = scheduled().draw(&PANEL, 80, 12);
    assert!(
        block[0].starts_with("LAYERS vda write, 60 s, eBPF full"),
        "{block:#?}"
    );
    assert!(block[0].ends_with("p50       p99        n"), "{block:#?}");
    let row = |name: &str| {
        block
            .iter()
            .find(|line| line.starts_with(name))
            .cloned()
            .unwrap_or_default()
    };
    assert!(
        row("I2D").ends_with("110 µs   2.41 ms   6.06 k"),
        "{block:#?}"
    );
    assert!(
        row("D2C").contains('●') && row("D2C").contains('┤'),
        "{block:#?}"
    );
    // 155 µs of 464 µs in I2D, 293 µs in D2C.
    assert!(
        row("mean of Q2C").contains("I2D 34 %, D2C 64 %"),
        "{block:#?}"
    );
    assert!(
        row("mean of Q2C").ends_with("only means add up"),
        "{block:#?}"
    );
    assert!(row("mean ▕").contains(" D2C 64 % "), "{block:#?}");
    let narrow = scheduled().draw(&PANEL, 56, 12);
    assert!(narrow[0].ends_with("p50       p99        n"), "{narrow:#?}");
}

#[test]
fn layers_that_are_more_than_the_whole_are_shares_of_their_sum() {
    let mut long = Histogram::new();
    long.add_count(model::histogram::bucket_of(100_000), 10);
    let parts = || [("I2D", &long), ("D2C", &long)].into_iter();
    let shares = layer_shares::shares(parts(), Span::Q2C, &long).unwrap();
    assert_eq!(shares, [("I2D", 0.5), ("D2C", 0.5)]);
    assert_eq!(
        layer_shares::shares(std::iter::empty(), Span::Q2C, &long),
        None
    );
    assert_eq!(
        share::strip(&shares, 27, true),
        "mean ▕........##########▏".replace("........", "..........")
    );
}

#[test]
fn nothing_is_told_from_no_io_and_from_not_traced() {
    let off = Scene::new().draw(&PANEL, 80, 1);
    assert_eq!(off[0], "LAYERS absent: nobody asked for it");
    let other = Scene {
        layers: history(60, |_| times("vdb", &[])),
        ..Scene::new()
    };
    assert_eq!(
        other.draw(&PANEL, 80, 1)[0],
        "LAYERS absent: vda was not traced in this time"
    );
    let mut idle = scheduled();
    idle.choice.side = SideChoice::Read;
    idle.layers = history(60, |_| {
        times("vda", &[(LayerSide::Write, Span::Q2C, &[(1, 1)])])
    });
    assert_eq!(idle.draw(&PANEL, 80, 1)[0], "LAYERS  no read in this time");
    for mut scene in [Scene::new(), other, idle, scheduled()] {
        scene.draw_at_every_size(&PANEL);
    }
}

#[test]
fn what_helps_is_not_cut_away() {
    const WHY: &str = "tracing the block layer needs root, or CAP_BPF and CAP_PERFMON (missing here: CAP_BPF, \
                       CAP_PERFMON, CAP_SYS_ADMIN); diskstats is kept: rates and mean times for each device";
    let mut scene = Scene {
        layers: LayerHistory::new(Tracing::off(WHY)),
        ..Scene::new()
    };
    let whole = scene.draw(&PANEL, 80, 3);
    assert!(
        whole[0].starts_with("LAYERS absent: tracing the block layer needs root"),
        "{whole:#?}"
    );
    assert!(whole[2].ends_with("for each device"), "{whole:#?}");
    let some = scene.draw(&PANEL, 80, 2);
    assert!(some[1].ends_with("CAP_SYS_ADMIN)"), "{some:#?}");
    let one = scene.draw(&PANEL, 80, 1)[0].clone();
    assert!(
        one.ends_with("needs root, or CAP_BPF and CAP_PERFMON"),
        "{one}"
    );
    assert!(scene.draw(&PANEL, 60, 1)[0].ends_with('…'));
    scene.draw_at_every_size(&PANEL);
}

#[test]
fn two_times_share_a_unit() {
    assert_eq!(pair(400.0, 1_100.0, 2), "0.40/1.1 µs");
    assert_eq!(pair(10.0, 5e6, 2), "<0.01/5.0 ms");
    assert_eq!(pair(120e6, 2e9, 3), "0.120/2.00 s");
    assert_eq!(pair(110e3, 240e3, 2), "110/240 µs");
}
