//! The full-screen view of `iodyno watch`: panels that each draw one question, and what they may look at.
//!
//! A panel is one file in `panels/`. It reads a [`ScreenLook`], which is one moment of the last hour, and draws into the
//! rectangle it is given; it keeps no state and asks the machine nothing.

mod boxed;
pub mod curve;
mod curves;
mod draw;
#[cfg(test)]
mod draw_tests;
mod explain;
mod heat;
mod keys;
mod known;
mod layout;
mod overlay;
pub mod panels;
mod recording;
pub mod run;
#[cfg(test)]
mod samples;
mod screen;
mod spans;
mod state;
pub mod text;
pub mod theme;

use analyse::fields::Frame;
pub use known::Known;
use model::finding::Finding;
use observe::{LayerHistory, Sampler, Status};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use theme::Theme;

/// One moment, and how the reader wants to see it.
pub struct ScreenLook<'a> {
    /// Every field over the last second before [`ScreenLook::at_ns`] (over one interval where that is longer).
    pub frame: &'a Frame,
    /// The history: curves over time are asked from it.
    pub sampler: &'a Sampler,
    /// How the sampling goes.
    pub status: &'a Status,
    /// The layers by the second.
    pub layers: &'a LayerHistory,
    /// What the live rules find at this moment, the worst first.
    pub findings: &'a [Finding],
    /// The moment, ns on the sampler's clock.
    pub at_ns: i64,
    /// How far the panels over time reach back, ns.
    pub span_ns: i64,
    /// Time between two samples, ms.
    pub interval_ms: u64,
    /// Model and kind of each device.
    pub known: &'a Known,
    /// Kernel name of the device under the cursor; empty when there is none.
    pub device: &'a str,
    /// What the keys have chosen.
    pub choice: &'a Choice,
    /// Colours and characters.
    pub theme: &'a Theme,
}

/// What the keys of the panels have chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The heat map shows time waited in place of counts (`c`).
    pub heat_by_time: bool,
    /// Direction of the heat map and the layers (`m`).
    pub side: SideChoice,
    /// Idle devices are shown too (`i`).
    pub shows_idle: bool,
    /// Only these devices (`d`); all where empty.
    pub devices: Vec<String>,
    /// Only names that hold this text (`/`).
    pub filter: String,
    /// The column that rows are sorted by, the first where empty (`s`), and whether the order is turned (`r`).
    pub sort: Option<&'static str>,
    /// Whether the order is turned.
    pub is_reversed: bool,
}

/// Which direction of I/O is shown where only one fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SideChoice {
    /// The one with more I/O.
    #[default]
    Busier,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// One question's answer on the screen.
pub struct Panel {
    /// Its number key.
    pub key: char,
    /// Its name in the footer.
    pub name: &'static str,
    /// How many rows it can use at this width: the least with which it still answers (0 when it has nothing to say),
    /// and the most that it has something for.
    pub rows: fn(&ScreenLook<'_>, u16) -> (u16, u16),
    /// Draws itself.
    pub draw: fn(&ScreenLook<'_>, Rect, &mut Buffer),
}
