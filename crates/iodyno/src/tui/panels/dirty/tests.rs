//! What the reader of a terminal sees of dirty pages.

use super::*;
use crate::tui::samples::{SECOND_NS, Scene, frame};
use model::reading::{ReadingRow, SeriesName};
use model::sample::MetricKind;
use observe::Sampler;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

fn scene(dirty: f64, writeback: f64) -> Scene {
    let frame = frame(&[
        ("memory.dirty_bytes", "", dirty * GIB),
        ("memory.writeback_bytes", "", writeback * GIB),
        ("memory.dirty_background_threshold_bytes", "", 1.6 * GIB),
        ("memory.dirty_threshold_bytes", "", 3.2 * GIB),
        ("vm.dirtied_bytes_per_s", "", 210.0 * 1024.0 * 1024.0),
        ("vm.written_bytes_per_s", "", 96.0 * 1024.0 * 1024.0),
    ]);
    Scene {
        frame,
        ..Scene::new()
    }
}

#[test]
fn one_line_with_the_kernels_thresholds() {
    let line = scene(0.98, 0.12).draw(&PANEL, 80, 1)[0].clone();
    assert_eq!(line.chars().count(), 80, "{line}");
    assert!(
        line.starts_with("DIRTY  ▕█████")
            && line.ends_with("┆limit▏ 1.10 of 3.20 GiB  wb 96.0 MiB/s"),
        "{line}"
    );
    let place = |c: char| line.chars().position(|one| one == c).unwrap() - 8;
    let limit = line
        .chars()
        .collect::<Vec<_>>()
        .iter()
        .rposition(|c| *c == '┆')
        .unwrap()
        - 8;
    assert_eq!(
        place('┆'),
        limit / 2,
        "background is half the limit: {line}"
    );
    assert!(line.contains("┆background"), "{line}");
    let (full, on_their_way) = (line.matches('█').count(), line.matches('▒').count());
    assert_eq!(full, (0.98 / 3.2 * limit as f64) as usize, "{line}");
    assert!((1..=3).contains(&on_their_way), "{line}");
    let over = scene(4.0, 0.0).draw(&PANEL, 80, 1)[0].clone();
    assert!(
        over.contains("4.00 of 3.20 GiB") && over.chars().count() == 80,
        "{over}"
    );
    let little = scene(0.0001, 0.0).draw(&PANEL, 80, 1)[0].clone();
    assert!(
        little.starts_with("DIRTY  ▕▏ "),
        "little is not nothing: {little}"
    );
    assert!(scene(0.0, 0.0).draw(&PANEL, 80, 1)[0].starts_with("DIRTY  ▕  "));
}

#[test]
fn the_sentence_is_in_the_kernels_terms() {
    let says = |dirty, writeback| {
        scene(dirty, writeback).draw(&PANEL, 120, 2)[1]
            .trim()
            .to_string()
    };
    let flow = "into cache 210 MiB/s, out to devices 96.0 MiB/s: ";
    assert_eq!(
        says(0.5, 0.0),
        format!("{flow}below background: only what is old is written")
    );
    assert_eq!(
        says(1.7, 0.1),
        format!("{flow}written in the background; writers are slowed from 2.40 GiB")
    );
    assert_eq!(
        says(2.0, 0.5),
        format!("{flow}writers are being slowed to what the disk writes")
    );
    assert_eq!(
        says(3.0, 0.5),
        format!("{flow}at the limit: writers wait for the disk")
    );
}

#[test]
fn the_forecast_takes_the_place_of_the_rate_on_one_line() {
    let scene = scene(1.0, 0.0);
    assert_eq!(
        (about(17.6), about(0.2), about(250.0)),
        ("18 s".into(), "1 s".into(), "4 min 10 s".into())
    );
    let line = scene.draw(&PANEL, 160, 1)[0].clone();
    assert!(
        line.ends_with("wb 96.0 MiB/s"),
        "no history, no forecast: {line}"
    );
}

#[test]
fn what_is_missing_is_said() {
    let bare = Scene {
        frame: frame(&[("memory.dirty_bytes", "", 5.0 * GIB)]),
        ..Scene::new()
    };
    let lines = bare.draw(&PANEL, 80, 5);
    assert_eq!(lines[0], "DIRTY  5.00 GiB");
    assert!(
        lines[1].contains("in –, out –") && lines[1].contains("thresholds are not known"),
        "{lines:#?}"
    );
    assert!(lines[2].ends_with("no data"), "{lines:#?}");
    assert_eq!(Scene::new().draw(&PANEL, 80, 5)[0], "DIRTY  –");
    for mut scene in [bare, scene(1.0, 0.5), scene(400.0, 0.0), Scene::new()] {
        scene.draw_at_every_size(&PANEL);
    }
}

#[test]
fn now_is_never_above_the_top_and_stands_apart_from_the_curve() {
    // The last second has 210 MiB/s, no column's mean comes near it.
    let series = vec![SeriesName {
        name: "vm.dirtied".into(),
        kind: MetricKind::Counter,
    }];
    let mib = |tick: i64| tick as f64 * 0.1 * 1024.0 * 1024.0;
    let rows = (0..=600).map(|tick| ReadingRow {
        time_ns: tick * SECOND_NS / 10,
        cells: vec![mib(tick)].into(),
    });
    let (sensor, _) = observe::field("vm.dirtied_bytes_per_s").unwrap();
    let sampler = Sampler::of_rows([(sensor.id, series, rows.collect())]);
    let lines = Scene {
        sampler,
        ..scene(1.0, 0.0)
    }
    .draw(&PANEL, 80, 5);
    assert!(
        lines[3].ends_with(" now 1.00 MiB/s  top 1.00 MiB/s"),
        "{lines:#?}"
    );
}

#[test]
fn one_unit_for_both() {
    assert_eq!(of(1.1 * GIB, 3.2 * GIB), "1.10 of 3.20 GiB");
    assert_eq!(of(4096.0, 64.0 * GIB), "0.00 of 64.0 GiB");
    assert_eq!(of(0.0, 512.0), "0 of 512 B");
}
