//! A writer of SVG: elements with classes instead of styles, so that one sheet themes them and no policy drops them.
//!
//! An element with a coordinate that is no number is left out: a wrong place would be a lie, a missing mark is seen.

use maud::{Markup, PreEscaped, Render, html};
use model::units;
use serde::Serialize;
use std::fmt::Write;
use std::ops::Deref;
use view::markup::{XML_DECLARATION, finished};

/// A finished picture, which stands in a page as it is: nothing but [`Svg::finish`] makes one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Picture(String);

impl Picture {
    /// The picture as a file of its own: with its colours, light or dark as the viewer likes it.
    pub fn standalone(&self, title: &str, description: &str) -> Option<String> {
        let (head, rest) = self.0.split_at(self.0.find('>')? + 1);
        let words = html! {
            title { (title) }
            desc { (description) }
        };
        let file = html! {
            (XML_DECLARATION)
            (PreEscaped(head))
            (finished(words))
            style { (crate::STYLE) }
            rect.ground width="100%" height="100%" {}
            (PreEscaped(rest))
            "\n"
        };
        Some(file.into_string())
    }
}

impl Deref for Picture {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Render for Picture {
    fn render_to(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

/// A coordinate with one decimal, without a useless `.0` and without a minus in front of zero.
pub fn number(value: f64) -> String {
    let text = units::decimals(value, 1);
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// The inside of a picture.
#[derive(Clone, Debug, Default)]
pub struct Svg {
    out: String,
}

impl Render for Svg {
    fn render_to(&self, out: &mut String) {
        out.push_str(&self.out);
    }
}

impl Svg {
    /// Nothing yet.
    pub fn new() -> Svg {
        Svg::default()
    }

    /// Any element.
    pub fn add(&mut self, element: Markup) {
        self.out.push_str(&element.0);
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        if is_drawable(&[x1, y1, x2, y2]) {
            self.add(html! {
                line class=(class) x1=(number(x1)) y1=(number(y1)) x2=(number(x2)) y2=(number(y2)) {}
            });
        }
    }

    /// A rectangle; one of no extent is left out.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        if is_drawable(&[x, y, width, height]) && width > 0.0 && height > 0.0 {
            self.add(html! {
                rect class=(class) x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height)) {}
            });
        }
    }

    /// A circle.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        if is_drawable(&[x, y, radius]) {
            self.add(html! {
                circle class=(class) cx=(number(x)) cy=(number(y)) r=(number(radius)) {}
            });
        }
    }

    /// A path, by its data; an empty one is left out.
    pub fn path(&mut self, class: &str, data: &str) {
        if !data.is_empty() {
            self.add(html! { path class=(class) d=(data) {} });
        }
    }

    /// A path that a reading at the cursor names.
    pub fn named_path(&mut self, class: &str, name: &str, data: &str) {
        if !data.is_empty() {
            self.add(html! { path class=(class) data-name=(name) d=(data) {} });
        }
    }

    /// A text.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        if is_drawable(&[x, y]) {
            self.add(html! {
                text class=(class) x=(number(x)) y=(number(y)) text-anchor=(anchor.name()) { (text) }
            });
        }
    }

    /// What `inside` draws, as one group with a class and a name that shows under the pointer.
    pub fn group(&mut self, class: &str, name: &str, inside: impl FnOnce(&mut Svg)) {
        let mut content = Svg::new();
        inside(&mut content);
        self.add(html! {
            g class=(class) {
                @if !name.is_empty() { title { (name) } }
                (content)
            }
        });
    }

    /// The whole picture: its size, its name for those who cannot see it, and what is drawn on it.
    pub fn finish(self, id: &str, (width, height): (f64, f64), name: &str) -> Picture {
        let (width, height) = (number(width), number(height));
        // The hatch has a name of its own in each picture: several stand on one page.
        let hatch = format!("{id}-h");
        let needs_hatch = self.out.contains(&format!("#{hatch}"));
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox={ "0 0 " (width) " " (height) }
                width=(width) height=(height) role="img" aria-label=(name) {
                @if needs_hatch {
                    defs {
                        pattern id=(hatch) width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                            line class="hatch" x1="0" y1="0" x2="0" y2="6" {}
                        }
                    }
                }
                (self)
            }
        };
        Picture(finished(picture).into_string())
    }

    /// A hatched rectangle: no data, or not run.
    pub fn hatched(&mut self, id: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        if is_drawable(&[x, y, width, height]) && width > 0.0 && height > 0.0 {
            self.add(html! {
                rect class="gap" x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height))
                    fill={ "url(#" (id) "-h)" } {}
            });
        }
    }

    /// A mark of one of six shapes; those that are hollow say less.
    pub fn mark(&mut self, class: &str, shape: Shape, (x, y): (f64, f64), size: f64) {
        if !is_drawable(&[x, y, size]) {
            return;
        }
        let at = |dx: f64, dy: f64| format!("{} {}", number(x + dx * size), number(y + dy * size));
        let polygon = |points: &[(f64, f64)]| {
            let points: Vec<String> = points.iter().map(|(dx, dy)| at(*dx, *dy)).collect();
            format!("M{}Z", points.join("L"))
        };
        match shape {
            Shape::Circle => self.circle(class, (x, y), size),
            Shape::Square => {
                self.path(
                    class,
                    &polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
                );
            }
            Shape::Up => self.path(class, &polygon(&[(0.0, -1.1), (1.0, 0.8), (-1.0, 0.8)])),
            Shape::Diamond => {
                self.path(
                    class,
                    &polygon(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]),
                );
            }
            Shape::Down => self.path(class, &polygon(&[(0.0, 1.1), (1.0, -0.8), (-1.0, -0.8)])),
            Shape::Right => self.path(class, &polygon(&[(1.1, 0.0), (-0.8, 1.0), (-0.8, -1.0)])),
            Shape::Left => self.path(class, &polygon(&[(-1.1, 0.0), (0.8, 1.0), (0.8, -1.0)])),
            Shape::Cross => {
                let data = format!(
                    "M{}L{}M{}L{}",
                    at(-0.9, -0.9),
                    at(0.9, 0.9),
                    at(-0.9, 0.9),
                    at(0.9, -0.9)
                );
                self.path(class, &data);
            }
        }
    }
}

/// Shapes of marks: the second channel beside colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Up,
    /// ◆
    Diamond,
    /// ▼
    Down,
    /// ▸
    Right,
    /// ◂
    Left,
    /// ✕
    Cross,
}

fn is_drawable(values: &[f64]) -> bool {
    values
        .iter()
        .all(|value| value.is_finite() && value.abs() < 1e6)
}

/// Data of a path, built point by point; points that are no numbers break it.
#[derive(Clone, Debug, Default)]
pub struct PathData {
    out: String,
    is_open: bool,
    last: Option<(String, String)>,
}

impl PathData {
    /// Nothing yet.
    pub fn new() -> PathData {
        PathData::default()
    }

    /// Ends the line: the next point begins another.
    pub fn lift(&mut self) {
        self.is_open = false;
    }

    /// Goes on to a point.
    pub fn to(&mut self, x: f64, y: f64) {
        if !is_drawable(&[x, y]) {
            return self.lift();
        }
        let (x, y) = (number(x), number(y));
        if !self.is_open {
            let _ = write!(self.out, "M{x} {y}");
        } else {
            match &self.last {
                Some((lx, ly)) if *lx == x && *ly == y => return,
                Some((lx, _)) if *lx == x => {
                    let _ = write!(self.out, "V{y}");
                }
                Some((_, ly)) if *ly == y => {
                    let _ = write!(self.out, "H{x}");
                }
                _ => {
                    let _ = write!(self.out, "L{x} {y}");
                }
            }
        }
        self.is_open = true;
        self.last = Some((x, y));
    }

    /// Closes the outline.
    pub fn close(&mut self) {
        if self.is_open {
            self.out.push('Z');
        }
        self.lift();
    }

    /// The data.
    pub fn data(&self) -> &str {
        &self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_not_drawn() {
        let mut svg = Svg::new();
        svg.line("a", (0.0, f64::NAN), (1.0, 1.0));
        svg.circle("a", (f64::INFINITY, 0.0), 2.0);
        svg.rect("a", (0.0, 0.0), (-1.0, 5.0));
        svg.mark("a", Shape::Up, (f64::NAN, 0.0), 3.0);
        assert!(svg.finish("x", (10.0, 10.0), "n").ends_with("</svg>"));
        let mut path = PathData::new();
        for (x, y) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (3.0, 4.0),
            (5.0, 6.0),
        ] {
            path.to(x, y);
        }
        assert_eq!(path.data(), "M0 1H1M3 1V4L5 6");
    }

    #[test]
    fn coordinates_have_one_decimal_at_most() {
        assert_eq!(
            ["0", "1.3", "-0.5", "0"],
            [0.0, 1.26, -0.5, -0.01]
                .map(number)
                .each_ref()
                .map(|t| t.as_str())
        );
    }
}
