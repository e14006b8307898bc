//! What is redrawn while something runs. Nothing at all is drawn when stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::histogram::Histogram;
use model::units;

/// One line on stderr, redrawn in place.
#[derive(Debug)]
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// An empty line; it does not show until something is said.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // The template is a constant without keys that could be wrong; the plain style stands in if it ever were.
        bar.set_style(
            ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Line { bar }
    }

    /// Says this in place of what stood there.
    pub fn say(&self, text: String) {
        self.bar.set_message(text);
        self.bar.tick();
    }

    /// How far the writing of the scratch file is.
    pub fn layout(&self, done: u64, total: u64) {
        let (done_text, total_text) = (units::bytes(done as f64), units::bytes(total as f64));
        self.say(format!("writing the scratch file: {done_text} of {total_text}"));
    }

    /// Rate and latency of the last second, what is in flight, and the time left where it is known.
    pub fn rate(&self, ios: u64, latency: &Histogram, inflight: u32, left_ms: Option<u64>) {
        let quantile =
            |share| latency.quantile_ns(share).map_or("–".into(), |ns| units::duration_ns(ns as f64));
        let (p50, p99) = (quantile(0.5), quantile(0.99));
        let rate = units::count(ios as f64);
        let left = left_ms
            .map(|ms| format!("   {} left", units::span_ms(ms.div_ceil(1000) * 1000)))
            .unwrap_or_default();
        self.say(format!("{rate} IOPS  p50 {p50}  p99 {p99}  {inflight} in flight{left}"));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
