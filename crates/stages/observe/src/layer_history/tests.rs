//! What is kept of an hour, and that it stays bounded.

use super::*;
use model::histogram::{BUCKETS, Histogram};
use model::layers::{LayerSide, Span, SpanTimes};
use std::collections::BTreeMap;

const SECOND_NS: i64 = 1_000_000_000;

fn times(devices: usize, spans: &[(LayerSide, Span)], histogram: &Histogram) -> LayerTimes {
    let device = |number: usize| DeviceLayers {
        device: format!("sd{number}"),
        devno: format!("8:{number}"),
        spans: spans
            .iter()
            .map(|(side, span)| SpanTimes {
                side: *side,
                span: *span,
                times: histogram.clone(),
            })
            .collect(),
        counters: BTreeMap::from([("queued".to_string(), histogram.total())]),
    };
    LayerTimes {
        source: "eBPF full".into(),
        devices: (0..devices).map(device).collect(),
        outside: vec![],
    }
}

fn history(seconds: i64, times: &LayerTimes) -> LayerHistory {
    let mut history = LayerHistory::new(Tracing::off("nobody asked for it"));
    for second in 0..seconds {
        history.push(second * SECOND_NS, (second + 1) * SECOND_NS, times);
    }
    history
}

#[test]
fn an_hour_is_kept_and_no_io_of_it_is_lost() {
    let mut one = Histogram::new();
    [90_000, 90_000, 4_000_000]
        .iter()
        .for_each(|ns| one.record(*ns));
    let history = history(4_000, &times(1, &[(LayerSide::Write, Span::Q2C)], &one));
    let (first_ns, last_ns) = (history.first_ns().unwrap(), history.last_ns().unwrap());
    assert_eq!(last_ns, 4_000 * SECOND_NS);
    assert!(
        (RECENT_NS..RECENT_NS + 2 * OLD_STEP_NS).contains(&(last_ns - first_ns)),
        "{first_ns}"
    );
    let all = history.over("sd0", 0, last_ns).unwrap();
    let seconds = (last_ns - first_ns) / SECOND_NS;
    assert_eq!(
        all.times(LayerSide::Write, Span::Q2C).unwrap().total(),
        3 * seconds as u64
    );
    assert_eq!(all.counter("queued"), 3 * seconds as u64);
    let minute: Vec<&LayerStep> = history.steps(last_ns - 60 * SECOND_NS, last_ns).collect();
    assert_eq!(minute.len(), 60);
    assert!(minute.iter().all(|step| step.seconds() == 1.0));
    let old = history.steps(0, last_ns - 310 * SECOND_NS).next().unwrap();
    assert_eq!(old.seconds(), 10.0);
    assert_eq!(
        old.counts("sd0", LayerSide::Write, Span::Q2C)
            .unwrap()
            .total(),
        30
    );
    assert!(
        old.counts("sd0", LayerSide::Read, Span::Q2C).is_none(),
        "absent is not zero"
    );
    assert!(history.over("sdz", 0, last_ns).is_none());
}

#[test]
fn memory_is_bounded_whatever_the_devices_do() {
    let full = Histogram::from_counts(vec![1; BUCKETS]);
    let spans: Vec<(LayerSide, Span)> = LayerSide::ALL
        .into_iter()
        .flat_map(|side| Span::ALL.map(|span| (side, span)))
        .collect();
    let history = history(100, &times(8, &spans, &full));
    assert!(history.cells <= CELLS_MAX, "{}", history.cells);
    assert_eq!(
        history.cells,
        history.all().map(LayerStep::cells).sum::<usize>()
    );
    assert_eq!(
        history.last_ns(),
        Some(100 * SECOND_NS),
        "the latest is what stays"
    );
    let last = history
        .over("sd7", 99 * SECOND_NS, 100 * SECOND_NS)
        .unwrap();
    assert_eq!(last.times(LayerSide::Flush, Span::D2C), Some(&full));
}

#[test]
fn a_wide_history_reaches_as_far_with_longer_steps() {
    let full = Histogram::from_counts(vec![1; BUCKETS]);
    let history = history(
        3_700,
        &times(
            1,
            &[(LayerSide::Read, Span::Q2C), (LayerSide::Write, Span::Q2C)],
            &full,
        ),
    );
    assert!(history.cells <= CELLS_MAX, "{}", history.cells);
    assert!(
        history.first_ns().unwrap() <= 110 * SECOND_NS,
        "{:?}",
        history.first_ns()
    );
}

#[test]
fn without_programs_it_says_why_unless_there_is_a_history() {
    let mut history = LayerHistory::new(Tracing::off("no rights"));
    history.sample(5);
    assert_eq!(
        (history.no_data(), history.first_ns()),
        (Some("no rights"), None)
    );
    history.push(0, 5, &LayerTimes::default());
    assert_eq!(history.no_data(), None);
}
