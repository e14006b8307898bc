//! The frame of a chart: the plot's place, axes with ticks that do not collide, and labels at the ends of lines.

use crate::svg::{Anchor, Picture, Svg};
use maud::html;
use model::units;
use view::scale::{Quantity, Scale, linear_ticks, log_domain, log_ticks, time_ticks};

/// Width of a picture on a desk and on paper.
pub const WIDE: f64 = 760.0;
/// Width of a picture on a phone.
pub const NARROW: f64 = 340.0;
/// Room that a character of a label takes.
const CHARACTER: f64 = 6.7;
/// Least distance between two labels.
const LINE: f64 = 14.0;

/// How large a picture is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height of the plot alone.
    pub plot_height: f64,
}

impl Size {
    /// Whether it is for a phone.
    pub fn is_narrow(self) -> bool {
        self.width < WIDE
    }
}

/// Draws a picture for a desk and for a phone.
pub fn both(
    plot_height: f64,
    draw: impl Fn(Size, &str) -> Picture,
    id: &str,
) -> (Picture, Picture) {
    let narrow = format!("{id}-n");
    (
        draw(
            Size {
                width: WIDE,
                plot_height,
            },
            id,
        ),
        draw(
            Size {
                width: NARROW,
                plot_height,
            },
            &narrow,
        ),
    )
}

/// One axis before it is drawn.
#[derive(Clone, Debug)]
pub enum Axis {
    /// From 0 to at least this value.
    Linear {
        /// What.
        quantity: Quantity,
        /// The greatest value.
        most: f64,
        /// Name of the measure.
        name: String,
    },
    /// Even ratios around these values.
    Log {
        /// What.
        quantity: Quantity,
        /// The least positive value.
        least: f64,
        /// The greatest value.
        most: f64,
        /// Name of the measure.
        name: String,
    },
    /// Seconds from the start of the record.
    Time {
        /// The end.
        seconds: f64,
    },
    /// Anything else, with its own ticks.
    Own {
        /// The domain.
        domain: (f64, f64),
        /// Whether ratios are even.
        is_log: bool,
        /// Ticks.
        ticks: Vec<(f64, String)>,
        /// Title.
        title: String,
        /// How the script puts a place into words: the name of a quantity, or `Rarity`, or `None`.
        reads: &'static str,
    },
}

/// What an axis became.
struct Ready {
    domain: (f64, f64),
    is_log: bool,
    ticks: Vec<(f64, String)>,
    title: String,
    reads: String,
}

impl Axis {
    fn ready(&self, count: usize) -> Ready {
        match self {
            Axis::Linear {
                quantity,
                most,
                name,
            } => {
                let (end, ticks, unit) = linear_ticks(*quantity, *most, count);
                let title = titled(name, &unit);
                Ready {
                    domain: (0.0, end),
                    is_log: false,
                    ticks,
                    title,
                    reads: quantity.name().into(),
                }
            }
            Axis::Log {
                quantity,
                least,
                most,
                name,
            } => {
                let domain = log_domain(*least, *most);
                let ticks = log_ticks(*quantity, domain, count);
                let title = format!("{name}, log scale");
                Ready {
                    domain,
                    is_log: true,
                    ticks,
                    title,
                    reads: quantity.name().into(),
                }
            }
            Axis::Time { seconds } => {
                let (ticks, unit) = time_ticks(*seconds, count);
                let domain = (0.0, seconds.max(1e-3));
                let reads = Quantity::Seconds.name().into();
                Ready {
                    domain,
                    is_log: false,
                    ticks,
                    title: format!("time, {unit}"),
                    reads,
                }
            }
            Axis::Own {
                domain,
                is_log,
                ticks,
                title,
                reads,
            } => Ready {
                domain: *domain,
                is_log: *is_log,
                ticks: ticks.clone(),
                title: title.clone(),
                reads: (*reads).into(),
            },
        }
    }
}

fn titled(name: &str, unit: &str) -> String {
    match (name.is_empty(), unit.is_empty()) {
        (true, _) => unit.into(),
        (_, true) => name.into(),
        _ => format!("{name}, {unit}"),
    }
}

/// Room that a text takes.
pub fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// A chart with its axes drawn.
#[derive(Debug)]
pub struct Frame {
    /// What is drawn so far.
    pub svg: Svg,
    /// Places on the horizontal axis.
    pub x: Scale,
    /// Places on the vertical axis; the greatest value is at the top.
    pub y: Scale,
    /// Left, top, right and bottom of the plot.
    pub plot: (f64, f64, f64, f64),
    id: String,
    size: Size,
    height: f64,
    labels: Vec<(f64, String, String)>,
    open: Option<OpenElement>,
}

/// The plot while it is drawn on.
#[derive(Debug)]
struct OpenElement {
    /// What was drawn before it.
    under: Svg,
    /// How the script reads places on it back into values.
    x: String,
    y: String,
}

impl Frame {
    /// A chart of this size; `right` is the room for labels at the ends of lines, `below` what is added under the axis.
    pub fn new(id: &str, size: Size, x: &Axis, y: &Axis, right: f64, below: f64) -> Frame {
        let count_y = (size.plot_height / 42.0).floor().max(2.0) as usize;
        let y_ready = y.ready(count_y);
        let widest = y_ready
            .ticks
            .iter()
            .map(|(_, label)| text_width(label))
            .fold(0.0, f64::max);
        let (left, top) = ((widest + 12.0).max(28.0), 24.0);
        let right_edge = size.width - right.max(14.0);
        let room = if size.is_narrow() { 62.0 } else { 84.0 };
        let x_ready = x.ready(((right_edge - left) / room).floor().max(2.0) as usize);
        let bottom = top + size.plot_height;
        let scale = |ready: &Ready, range| match ready.is_log {
            true => Scale::log(ready.domain, range),
            false => Scale::linear(ready.domain, range),
        };
        let mut frame = Frame {
            svg: Svg::new(),
            x: scale(&x_ready, (left, right_edge)),
            y: scale(&y_ready, (bottom, top)),
            plot: (left, top, right_edge, bottom),
            id: id.into(),
            size,
            height: bottom + 38.0 + below,
            labels: Vec::new(),
            open: None,
        };
        frame.draw_y(&y_ready);
        frame.draw_x(&x_ready, below);
        frame.open_plot(&x_ready, &y_ready);
        frame
    }

    fn draw_y(&mut self, ready: &Ready) {
        let (left, _, right, _) = self.plot;
        self.svg
            .text("t2", (4.0, 13.0), Anchor::Start, &ready.title);
        for (value, label) in &ready.ticks {
            let y = self.y.at(*value);
            self.svg.line("grid", (left, y), (right, y));
            self.svg
                .text("t2", (left - 6.0, y + 4.0), Anchor::End, label);
        }
    }

    fn draw_x(&mut self, ready: &Ready, below: f64) {
        let (left, _, right, bottom) = self.plot;
        let base = bottom + below;
        self.svg.line("axis", (left, bottom), (right, bottom));
        let mut free = f64::NEG_INFINITY;
        let mut ticks = Svg::new();
        for (value, label) in &ready.ticks {
            let x = self.x.at(*value);
            ticks.line("axis", (x, base), (x, base + 4.0));
            let half = text_width(label) / 2.0;
            // A label that would touch the one before it is left out; its tick stays.
            if x - half > free {
                let middle = x.min(self.size.width - half - 1.0);
                ticks.text("t2", (middle, base + 17.0), Anchor::Middle, label);
                free = x + half + 5.0;
            }
        }
        ticks.text("t2", (right, base + 32.0), Anchor::End, &ready.title);
        // A group of their own: a span that is zoomed into has other ticks.
        self.svg.add(html! { g.x-ticks data-y=(base) { (ticks) } });
    }

    /// Says to the script how to read places back into values.
    fn open_plot(&mut self, x: &Ready, y: &Ready) {
        let words = |ready: &Ready, scale: &Scale| {
            let ((low, high), (from, to)) = (scale.domain(), scale.range());
            let kind = if scale.is_log() { "log" } else { "lin" };
            format!(
                "{kind} {low} {high} {from} {to} {}",
                ready.reads,
                from = units::decimals(from, 1),
                to = units::decimals(to, 1)
            )
        };
        let (x, y) = (words(x, &self.x), words(y, &self.y));
        let under = std::mem::take(&mut self.svg);
        self.open = Some(OpenElement { under, x, y });
    }

    /// Room below the axis for something that is not on it; gives its top.
    pub fn extend(&mut self, height: f64) -> f64 {
        let top = self.height;
        self.height += height;
        top
    }

    /// A label at the right end, at the height of a value.
    pub fn label(&mut self, value: f64, class: &str, text: &str) {
        let at = self.y.at(value);
        if at.is_finite() {
            let (_, top, _, bottom) = self.plot;
            self.labels
                .push((at.clamp(top, bottom), class.into(), text.into()));
        }
    }

    /// A hatched span with its reason.
    pub fn gap(&mut self, from: f64, to: f64) {
        let (_, top, _, bottom) = self.plot;
        let (from, to) = (self.x.at(from), self.x.at(to));
        let id = self.id.clone();
        self.svg
            .hatched(&id, (from, top), ((to - from).max(1.5), bottom - top));
    }

    /// Ends the plot: what is drawn from here on, such as a legend, does not move when a span is zoomed into.
    pub fn close_plot(&mut self) {
        if let Some(OpenElement { under, x, y }) = self.open.take() {
            let plot = std::mem::replace(&mut self.svg, under);
            self.svg
                .add(html! { g.plot data-x=(x) data-y=(y) { (plot) } });
        }
    }

    /// Draws the labels apart from each other and ends the picture.
    pub fn finish(mut self, name: &str) -> Picture {
        self.close_plot();
        let (_, top, right, bottom) = self.plot;
        let mut labels = std::mem::take(&mut self.labels);
        labels.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut ends = Svg::new();
        let wanted: Vec<f64> = labels.iter().map(|(at, _, _)| *at).collect();
        for ((place, at), (_, class, text)) in spread(&wanted, top, bottom)
            .into_iter()
            .zip(&wanted)
            .zip(&labels)
        {
            // A label that had to move is led back to its line.
            ends.path(
                &format!("lead {class}"),
                &format!(
                    "M{} {}L{} {}",
                    crate::svg::number(right + 1.0),
                    crate::svg::number(*at),
                    crate::svg::number(right + 7.0),
                    crate::svg::number(place)
                ),
            );
            let text = fitted(text, self.size.width - right - 10.0);
            ends.text("t", (right + 10.0, place + 4.0), Anchor::Start, &text);
        }
        self.svg.add(html! { g.ends { (ends) } });
        let (width, height) = (self.size.width, self.height);
        self.svg.finish(&self.id, (width, height), name)
    }
}

/// A label that has room; the middle of a longer one is left out, since names differ at their ends.
fn fitted(text: &str, room: f64) -> String {
    let characters: Vec<char> = text.chars().collect();
    // Most letters are narrower than what room is kept for.
    let most = ((room / (CHARACTER * 0.88)).floor() as usize).max(5);
    if characters.len() <= most {
        return text.into();
    }
    let (head, tail) = ((most - 1).div_ceil(2), (most - 1) / 2);
    let (head, tail) = (&characters[..head], &characters[characters.len() - tail..]);
    format!(
        "{}…{}",
        head.iter().collect::<String>(),
        tail.iter().collect::<String>()
    )
}

/// Places at least a line apart, as near to the wanted ones as can be, inside the plot as far as they fit.
fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut places: Vec<f64> = Vec::with_capacity(wanted.len());
    for at in wanted {
        let least = places.last().map_or(f64::NEG_INFINITY, |last| last + LINE);
        places.push(at.max(least));
    }
    let over = places.last().map_or(0.0, |last| last - (bottom + 4.0));
    if over > 0.0 {
        let mut limit = bottom + 4.0;
        for place in places.iter_mut().rev() {
            *place = place.min(limit);
            limit = *place - LINE;
        }
    }
    let under = places.first().map_or(0.0, |first| top - 4.0 - first);
    if under > 0.0 {
        places.iter_mut().for_each(|place| *place += under);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_collide() {
        let places = spread(&[50.0, 51.0, 52.0, 140.0], 20.0, 140.0);
        assert!(
            places
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= LINE - 1e-9),
            "{places:?}"
        );
        let crowded = spread(&[139.0, 139.5, 140.0], 20.0, 140.0);
        assert!(
            crowded
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= LINE - 1e-9),
            "{crowded:?}"
        );
        assert!(*crowded.last().unwrap() <= 144.0);
    }

    #[test]
    fn a_label_without_room_keeps_both_ends() {
        assert_eq!(fitted("B record 2", 84.0), "B record 2");
        assert_eq!(fitted("C fio-3.33.jsonplus.json:1", 84.0), "C fio-3…json:1");
    }

    #[test]
    fn ticks_of_a_narrow_chart_do_not_overlap() {
        let size = Size {
            width: NARROW,
            plot_height: 150.0,
        };
        let x = Axis::Time { seconds: 3600.0 };
        let y = Axis::Linear {
            quantity: Quantity::Iops,
            most: 1e6,
            name: "reads".into(),
        };
        let svg = Frame::new("a", size, &x, &y, 60.0, 0.0).finish("name");
        assert!(svg.contains(r#"data-x="lin 0 3600"#), "{svg:?}");
        assert!(svg.contains("reads, M IOPS"), "{svg:?}");
    }
}
