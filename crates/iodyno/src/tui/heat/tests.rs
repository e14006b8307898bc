//! Maps of histories that are known.

use super::*;
use crate::tui::samples::{SECOND_NS, history, times};

fn asked(rows: usize, columns: usize, seconds: i64) -> Asked<'static> {
    Asked {
        device: "vda",
        side: LayerSide::Write,
        span: Span::Q2C,
        from_ns: 0,
        to_ns: seconds * SECOND_NS,
        columns,
        rows,
        by_time: false,
    }
}

#[test]
fn rows_begin_and_end_where_buckets_do() {
    for bin in BIN_MIN + 1..BINS {
        let edge = edge_ns(bin);
        assert_eq!(bin_of(model::histogram::bucket_of(edge)), bin, "{edge} ns");
        assert_eq!(
            bin_of(model::histogram::bucket_of(edge - 1)),
            bin - 1,
            "{edge} ns"
        );
    }
    assert_eq!((edge_ns(BIN_MIN), edge_ns(4), edge_ns(6)), (0, 64, 91));
}

#[test]
fn cells_hold_what_was_counted() {
    // 100 a second at 90 µs and 1 at 9 ms.
    let history = history(60, |_| {
        times(
            "vda",
            &[(
                LayerSide::Write,
                Span::Q2C,
                &[(90_000, 100), (9_000_000, 1)],
            )],
        )
    });
    let map = map(&history, &asked(6, 60, 60)).unwrap();
    assert_eq!(map.edges_ns.len(), 6);
    assert!(map.columns.iter().all(|column| column.is_some()));
    // Rows of two octaves: 50 in each of the one, half in each of the other.
    let column = map.columns[30].as_ref().unwrap();
    assert_eq!(
        column
            .iter()
            .copied()
            .filter(|rate| *rate > 0.0)
            .collect::<Vec<_>>(),
        [50.0, 0.5]
    );
    let bottom = column.iter().position(|rate| *rate == 50.0).unwrap();
    assert!(
        map.edges_ns[bottom] <= 90_000 && map.edges_ns[bottom + 1] > 90_000,
        "{:?}",
        map.edges_ns
    );
    assert_eq!(
        (map.top, level(0.5, map.top), level(50.0, map.top)),
        (50.0, 1, 8)
    );
}

#[test]
fn time_waited_shows_the_rare_ones() {
    let history = history(10, |_| {
        times(
            "vda",
            &[(
                LayerSide::Write,
                Span::Q2C,
                &[(90_000, 100), (90_000_000, 5)],
            )],
        )
    });
    let by_time = Asked {
        by_time: true,
        ..asked(12, 10, 10)
    };
    let map = map(&history, &by_time).unwrap();
    let column = map.columns[5].as_ref().unwrap();
    let most = column.iter().copied().fold(0.0, f64::max);
    assert_eq!(
        column.iter().rposition(|rate| *rate > 0.0),
        column.iter().position(|rate| *rate == most)
    );
}

#[test]
fn what_was_not_traced_is_no_zero() {
    let mut history = observe::LayerHistory::new(observe::Tracing::off("test"));
    let one = times("vda", &[(LayerSide::Write, Span::Q2C, &[(90_000, 100)])]);
    (30..60).for_each(|second| history.push(second * SECOND_NS, (second + 1) * SECOND_NS, &one));
    // Narrower and wider than a second.
    for columns in [20, 60, 90] {
        let map = map(&history, &asked(8, columns, 60)).unwrap();
        let seen: Vec<bool> = map.columns.iter().map(Option::is_some).collect();
        assert!(
            seen[..columns / 2 - 1].iter().all(|seen| !seen),
            "{columns}: {seen:?}"
        );
        assert!(
            seen[columns / 2 + 1..].iter().all(|seen| *seen),
            "{columns}: {seen:?}"
        );
        let rates: Vec<f64> = map
            .columns
            .iter()
            .flatten()
            .map(|column| column.iter().sum())
            .collect();
        assert!(
            rates.iter().all(|rate| (rate - rates[0]).abs() < 1e-9),
            "a rate is one at any width: {rates:?}"
        );
    }
    assert_eq!(
        map(
            &history,
            &Asked {
                side: LayerSide::Read,
                ..asked(8, 60, 60)
            }
        ),
        None
    );
    assert_eq!(
        map(
            &history,
            &Asked {
                device: "vdb",
                ..asked(8, 60, 60)
            }
        ),
        None
    );
}

#[test]
fn any_height_holds_every_latency() {
    let times = times(
        "vda",
        &[(LayerSide::Write, Span::Q2C, &[(1, 1), (17_000_000_000, 1)])],
    );
    let history = history(3, |_| times.clone());
    for rows in 1..60 {
        let map = map(&history, &asked(rows, 3, 3)).unwrap();
        assert!(
            map.edges_ns.len() <= rows && map.edges_ns.is_sorted(),
            "{rows}"
        );
        assert_eq!(map.edges_ns[0], 0);
        let sum: usize = map.columns[1]
            .iter()
            .flatten()
            .filter(|rate| **rate > 0.0)
            .count();
        assert_eq!(sum, 2.min(map.edges_ns.len()));
    }
}

#[test]
fn the_least_is_seen_and_none_is_not() {
    assert_eq!(
        (level(0.0, 1e6), level(1e-9, 1e6), level(1e6, 1e6)),
        (0, 1, 8)
    );
    assert_eq!((shade(0), shade(1), shade(8)), (' ', '·', '@'));
    let theme = |depth| Theme {
        depth,
        is_ascii: false,
    };
    assert_eq!(colour(1, &theme(Depth::Indexed)), Some(Color::Indexed(25)));
    assert_eq!(colour(8, &theme(Depth::Indexed)), Some(Color::Indexed(226)));
    assert_eq!(
        (
            colour(0, &theme(Depth::True)),
            colour(4, &theme(Depth::None))
        ),
        (None, None)
    );
    let (both, style) = halves(8, 1, &theme(Depth::True));
    assert_eq!((both, style.bg), ('▀', colour(1, &theme(Depth::True))));
    assert_eq!(halves(0, 3, &theme(Depth::True)).0, '▄');
    assert_eq!(halves(0, 0, &theme(Depth::True)), (' ', Style::new()));
    assert_eq!(halves(2, 2, &theme(Depth::Indexed)).0, '█');
}
