//! What the reader of a terminal sees of latency.

use super::*;
use crate::tui::SideChoice;
use crate::tui::samples::{SECOND_NS, Scene, frame, history, times};
use crate::tui::theme::{Depth, Theme};
use model::histogram::Histogram;
use model::reading::{ReadingRow, SeriesName};
use model::sample::MetricKind;
use observe::Sampler;

/// A minute of writes: most at 90 µs, some at 9 ms in every tenth second.
fn busy() -> Scene {
    let layers = history(60, |second| {
        let slow = if second % 10 == 0 { 40 } else { 0 };
        times(
            "vda",
            &[
                (
                    LayerSide::Write,
                    Span::Q2C,
                    &[(90_000, 800), (150_000, 200), (9_000_000, slow)],
                ),
                (LayerSide::Read, Span::Q2C, &[(60_000, 10)]),
            ],
        )
    });
    Scene {
        layers,
        ..Scene::new()
    }
}

#[test]
fn a_map_with_its_percentiles_edges_and_time() {
    let lines = busy().draw(&PANEL, 80, 8);
    assert!(
        lines[0].starts_with("LATENCY vda write Q2C  [count] time"),
        "{lines:#?}"
    );
    assert!(
        lines[0].ends_with("p50 89.6 µs   p99 151 µs   n 60.2 k"),
        "{lines:#?}"
    );
    let edges: Vec<&str> = lines[1..7]
        .iter()
        .map(|line| line.split('│').next().unwrap().trim())
        .collect();
    assert_eq!(
        edges,
        [
            "33.6 ms", "8.39 ms", "2.10 ms", "524 µs", "131 µs", "32.8 µs"
        ],
        "{lines:#?}"
    );
    // 72 columns over a minute: one in ten seconds has slow ones, faint beside a thousand others.
    let slow: String = lines[2].split('│').nth(1).unwrap().to_string();
    assert_eq!(
        slow.split_whitespace().collect::<Vec<_>>(),
        [":"; 6],
        "{lines:#?}"
    );
    assert!(
        lines[6]
            .split('│')
            .nth(1)
            .unwrap()
            .chars()
            .all(|c| c == '@'),
        "{lines:#?}"
    );
    assert!(
        lines[7].starts_with("       └−60 s─") && lines[7].ends_with("─now┘"),
        "{lines:#?}"
    );
    assert!(
        lines[7].contains("@ = 400 I/Os per s and octave"),
        "{lines:#?}"
    );
}

#[test]
fn the_keys_choose_direction_and_time_waited() {
    let mut scene = busy();
    scene.choice.side = SideChoice::Read;
    scene.choice.heat_by_time = true;
    let lines = scene.draw(&PANEL, 80, 8);
    assert!(
        lines[0].starts_with("LATENCY vda read Q2C  count [time]"),
        "{lines:#?}"
    );
    assert!(
        lines[0].contains("p90 60."),
        "600 I/Os carry no p99: {lines:#?}"
    );
    assert!(lines[7].contains("waited per s and octave"), "{lines:#?}");
    scene.choice.side = SideChoice::Write;
    scene.choice.heat_by_time = false;
    scene.at_ns = 40 * SECOND_NS;
    let status = scene.draw(&PANEL, 160, 20);
    assert!(status[0].ends_with("n 40.2 k"), "{status:#?}");
    assert!(status[10].contains("not traced yet"), "{status:#?}");
    assert!(status[3].contains("╱  ╱  ╱"), "{status:#?}");
}

#[test]
fn colour_doubles_the_rows() {
    let mut scene = busy();
    scene.theme = Theme {
        depth: Depth::True,
        is_ascii: false,
    };
    let buffer = scene.buffer(&PANEL, 80, 8);
    let halves = buffer
        .content
        .iter()
        .filter(|cell| matches!(cell.symbol(), "▀" | "▄" | "█"));
    assert!(halves.clone().count() > 70);
    assert!(
        halves
            .clone()
            .all(|cell| cell.fg != ratatui::style::Color::Reset),
        "a cell without colour"
    );
    scene.theme = Theme {
        depth: Depth::True,
        is_ascii: true,
    };
    assert!(scene.draw(&PANEL, 80, 8).iter().all(|line| line.is_ascii()));
}

#[test]
fn one_second_is_one_column_and_no_shape() {
    let layers = history(1, |_| {
        times("vda", &[(LayerSide::Read, Span::G2C, &[(90_000, 3)])])
    });
    let scene = Scene {
        layers,
        at_ns: SECOND_NS,
        ..Scene::new()
    };
    let lines = scene.draw(&PANEL, 80, 8);
    assert!(
        lines[0].ends_with("p50 89.6 µs   max 90.1 µs   n 3"),
        "{lines:#?}"
    );
    let marks: usize = lines[1..7]
        .iter()
        .map(|line| line.matches('@').count())
        .sum();
    assert!((1..=2).contains(&marks), "{lines:#?}");
}

#[test]
fn without_layers_the_means_and_the_reason() {
    let scene = Scene {
        frame: frame(&[
            ("disk.{}.await_read_ms", "vda", 1.25),
            ("disk.{}.await_write_ms", "vdb", 9.0),
        ]),
        ..Scene::new()
    };
    let lines = scene.draw(&PANEL, 80, 7);
    assert_eq!(lines[0], "LATENCY vda mean (await)  read 1.25 ms  write –");
    assert!(
        lines[1].starts_with("read    ╌╌╌") && lines[1].ends_with("no data"),
        "{lines:#?}"
    );
    assert!(lines[2].starts_with("write   ╌╌╌"), "{lines:#?}");
    assert!(lines[3].starts_with("       └−60 s──"), "{lines:#?}");
    assert!(
        lines[4].starts_with("No heat map, since nothing is traced: nobody asked for it;"),
        "{lines:#?}"
    );
    assert!(
        lines[5].ends_with("says what this machine can trace."),
        "{lines:#?}"
    );
    let other = Scene {
        layers: history(60, |_| times("vdb", &[])),
        ..Scene::new()
    };
    let lines = other.draw(&PANEL, 80, 5);
    assert!(
        lines[4].contains("vda was not traced, but vdb"),
        "{lines:#?}"
    );
}

#[test]
fn a_direction_without_io_says_so() {
    let mut scene = busy();
    scene.choice.side = SideChoice::Read;
    scene.layers = history(60, |_| {
        times("vda", &[(LayerSide::Write, Span::Q2C, &[(90_000, 1)])])
    });
    let lines = scene.draw(&PANEL, 80, 8);
    assert!(
        lines[0].ends_with("n 0") && lines[1].starts_with("no reads in this time"),
        "{lines:#?}"
    );
}

#[test]
fn an_hour_of_everything_at_every_size() {
    let full = Histogram::from_counts(vec![1_000_000; model::histogram::BUCKETS]);
    let mut of = times("vda", &[(LayerSide::Write, Span::Q2C, &[(1, 1)])]);
    of.devices[0].spans[0].times = full;
    let layers = history(400, |_| of.clone());
    let mut scene = Scene {
        layers,
        at_ns: 400 * SECOND_NS,
        span_ns: 3_600 * SECOND_NS,
        ..Scene::new()
    };
    scene.draw_at_every_size(&PANEL);
    Scene::new().draw_at_every_size(&PANEL);
    busy().draw_at_every_size(&PANEL);
}

#[test]
fn means_over_time_have_gaps_and_their_own_scale() {
    let name = |name: &str| SeriesName {
        name: format!("disk.vda.{name}"),
        kind: MetricKind::Counter,
    };
    let series = ["read_ios", "read_ms", "write_ios", "write_ms"]
        .map(name)
        .to_vec();
    // A hundred reads a second of 1 ms, in the last ten seconds of 4 ms; no writes; for ten seconds nobody looked.
    let row = |second: i64| {
        let slow_ms = 300.0 * (second - 50).max(0) as f64;
        let reads = 100.0 * second as f64;
        ReadingRow {
            time_ns: second * SECOND_NS,
            cells: [reads, reads + slow_ms, 0.0, 0.0].into(),
        }
    };
    let rows = (0..=60)
        .filter(|second| !(20..30).contains(second))
        .map(row)
        .collect();
    let scene = Scene {
        frame: frame(&[
            ("disk.{}.reads_per_s", "vda", 100.0),
            ("disk.{}.await_read_ms", "vda", 4.0),
        ]),
        sampler: Sampler::of_rows([("diskstats", series, rows)]),
        ..Scene::new()
    };
    let lines = scene.draw(&PANEL, 80, 7);
    assert_eq!(lines[0], "LATENCY vda mean (await)  read 4.00 ms  write –");
    let curve: Vec<char> = lines[1].chars().skip(8).take(58).collect();
    assert!(lines[1].ends_with("   top 4.00 ms"), "{lines:#?}");
    assert!(
        curve.ends_with(&['█', '█', '█']) && curve[10] != '█' && curve[10] != '╌',
        "{lines:#?}"
    );
    assert!(
        (6..=12).contains(&curve.iter().filter(|c| **c == '╌').count()),
        "{lines:#?}"
    );
    assert!(
        lines[2].ends_with("no I/O"),
        "idle is not zero milliseconds: {lines:#?}"
    );
}
