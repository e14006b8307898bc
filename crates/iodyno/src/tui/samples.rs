//! Scenes for the panels' tests: frames, histories and looks with known content.

use crate::tui::text;
use crate::tui::theme::{Depth, Theme};
use crate::tui::{Choice, Panel, ScreenLook};
use analyse::fields::{Fields, Frame};
use model::field::{Field, Formula};
use model::histogram::{Histogram, bucket_of};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span, SpanTimes};
use model::reading::{Reading, ReadingRow, SeriesName};
use model::sample::MetricKind;
use observe::{LayerHistory, Sampler, Status, Tracing};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use std::collections::BTreeMap;
use std::sync::Arc;

pub const SECOND_NS: i64 = 1_000_000_000;

/// Times of spans, each a list of ns and I/Os.
pub type Spans<'a> = &'a [(LayerSide, Span, &'a [(u64, u64)])];

/// One device's layers.
pub fn times(device: &str, spans: Spans<'_>) -> LayerTimes {
    let span = |(side, span, counts): &(LayerSide, Span, &[(u64, u64)])| {
        let mut times = Histogram::new();
        counts
            .iter()
            .for_each(|(ns, ios)| times.add_count(bucket_of(*ns), *ios));
        SpanTimes {
            side: *side,
            span: *span,
            times,
        }
    };
    let device = DeviceLayers {
        device: device.into(),
        devno: "253:0".into(),
        spans: spans.iter().map(span).collect(),
        counters: BTreeMap::new(),
    };
    LayerTimes {
        source: "eBPF full".into(),
        devices: vec![device],
        outside: vec![],
    }
}

/// A history of so many seconds.
pub fn history(seconds: i64, of: impl Fn(i64) -> LayerTimes) -> LayerHistory {
    let mut history = LayerHistory::new(Tracing::off("nobody asked for it"));
    for second in 0..seconds {
        history.push(second * SECOND_NS, (second + 1) * SECOND_NS, &of(second));
    }
    history
}

/// A frame with these values: the field's name, its subject, its value.
pub fn frame(values: &[(&'static str, &str, f64)]) -> Frame {
    let mut names: Vec<&'static str> = values.iter().map(|(name, _, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let field = |name: &'static str| Field {
        name,
        unit: "",
        meaning: "",
        cannot_tell: "",
        formula: Formula::Last(Box::leak(Box::new([name])), 1.0),
    };
    // A test's fields live as long as the test's process.
    let fields: &'static [Field] = names.into_iter().map(field).collect::<Vec<_>>().leak();
    let series = values
        .iter()
        .map(|(name, subject, _)| SeriesName {
            name: name.replacen("{}", subject, 1),
            kind: MetricKind::Gauge,
        })
        .collect();
    let cells = values.iter().map(|(_, _, value)| *value).collect();
    let to = ReadingRow { time_ns: 0, cells };
    let reading = Reading {
        sensor: "test",
        series: Arc::new(series),
        from: None,
        to,
    };
    Fields::new(vec![("test", fields)]).frame(&[reading])
}

/// All that a look borrows.
pub struct Scene {
    pub frame: Frame,
    pub sampler: Sampler,
    pub layers: LayerHistory,
    pub choice: Choice,
    pub theme: Theme,
    pub at_ns: i64,
    pub span_ns: i64,
    /// What sensors say of what they do not see.
    pub notes: Vec<(&'static str, String)>,
}

impl Scene {
    /// A minute in which nothing was measured.
    pub fn new() -> Scene {
        Scene {
            frame: Frame::default(),
            sampler: Sampler::of_rows([]),
            layers: LayerHistory::new(Tracing::off("nobody asked for it")),
            choice: Choice::default(),
            theme: Theme {
                depth: Depth::None,
                is_ascii: false,
            },
            at_ns: 60 * SECOND_NS,
            span_ns: 60 * SECOND_NS,
            notes: Vec::new(),
        }
    }

    /// A panel's lines. Nothing may be wider than its area.
    pub fn draw(&self, panel: &Panel, width: u16, height: u16) -> Vec<String> {
        text::lines(&self.buffer(panel, width, height))
    }

    pub fn buffer(&self, panel: &Panel, width: u16, height: u16) -> Buffer {
        let status = Status {
            last_ns: self.at_ns,
            notes: self.notes.clone(),
            ..self.sampler.status()
        };
        let look = ScreenLook {
            frame: &self.frame,
            sampler: &self.sampler,
            status: &status,
            layers: &self.layers,
            findings: &[],
            at_ns: self.at_ns,
            span_ns: self.span_ns,
            interval_ms: 100,
            known: &Default::default(),
            device: "vda",
            choice: &self.choice,
            theme: &self.theme,
        };
        // A margin that has to stay empty.
        let mut buffer = Buffer::empty(Rect::new(0, 0, width + 2, height + 2));
        let (least, most) = (panel.rows)(&look, width);
        assert!(least <= most, "{least} {most}");
        (panel.draw)(&look, Rect::new(1, 1, width, height), &mut buffer);
        let margin = |x: u16, y: u16| x == 0 || y == 0 || x == width + 1 || y == height + 1;
        for (x, y) in (0..width + 2).flat_map(|x| (0..height + 2).map(move |y| (x, y))) {
            assert!(
                !margin(x, y) || buffer[(x, y)].symbol() == " ",
                "{x}, {y} is outside"
            );
        }
        let mut inner = Buffer::empty(Rect::new(0, 0, width, height));
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            inner[(x, y)] = buffer[(x + 1, y + 1)].clone();
        }
        text::finish(&mut inner, &self.theme);
        inner
    }

    /// Draws at every size that a terminal may have, to find one that cannot be drawn; and in ASCII.
    pub fn draw_at_every_size(&mut self, panel: &Panel) {
        for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
            self.theme = Theme {
                depth,
                is_ascii: false,
            };
            for width in [0, 1, 2, 7, 13, 20, 33, 47, 60, 80, 101, 160, 300] {
                for height in [0, 1, 2, 3, 4, 5, 8, 13, 30] {
                    let buffer = self.buffer(panel, width, height);
                    let is_bare = |cell: &Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
                    assert!(
                        depth != Depth::None || buffer.content.iter().all(is_bare),
                        "colour"
                    );
                }
            }
        }
        self.theme = Theme {
            depth: Depth::None,
            is_ascii: true,
        };
        for (width, height) in [(80, 1), (80, 12), (160, 1), (160, 30)] {
            let lines = self.draw(panel, width, height);
            assert!(
                lines
                    .iter()
                    .all(|line| line.is_ascii() && !line.contains('?')),
                "{lines:#?}"
            );
        }
        self.theme = Theme {
            depth: Depth::None,
            is_ascii: false,
        };
    }
}
