//! What is redrawn while something runs. Nothing at all is drawn when stderr is not a terminal.

use crate::out::Out;
use host::clock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::record::Interval;
use model::units;
use std::cell::Cell;
use std::io::IsTerminal;

/// One line on stderr, redrawn in place.
#[derive(Clone, Debug)]
pub struct LiveLine {
    bar: ProgressBar,
}

impl LiveLine {
    /// An empty line; it does not show until something is said.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // The template is a constant without keys that could be wrong; the plain style stands in if it ever were.
        bar.set_style(
            ProgressStyle::with_template("{msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        LiveLine { bar }
    }

    /// Says this in place of what stood there.
    pub fn say(&self, text: String) {
        self.bar
            .set_message(model::text::clean_lines(&text).into_owned());
        self.bar.tick();
    }

    /// How far the writing of the scratch file is.
    pub fn layout(&self, done: u64, total: u64) {
        let (done_text, total_text) = (units::bytes(done as f64), units::bytes(total as f64));
        self.say(format!(
            "writing the scratch file: {done_text} of {total_text}"
        ));
    }

    /// Says something that stays, above the line.
    pub fn note(&self, out: Out, text: &str) {
        self.bar.suspend(|| out.note(text));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Width of the sparkline, characters.
const SPARK: usize = 24;

/// How often a plain line is printed where nothing can be redrawn, ns.
const PLAIN_NS: u64 = 10_000_000_000;

/// What the display needs of a section at work.
#[derive(Debug)]
pub struct View<'a> {
    /// Its name.
    pub name: &'a str,
    /// The last whole interval, if there is one.
    pub last: Option<&'a Interval>,
    /// I/Os per second of all intervals so far.
    pub rates: Vec<f64>,
    /// Time since its start, ms.
    pub elapsed_ms: u64,
    /// Time it will take, ms, where it ends by time.
    pub whole_ms: Option<u64>,
}

/// Loads at work: one line redrawn on a terminal, a plain line every ten seconds elsewhere.
#[derive(Debug)]
pub struct Progress {
    line: LiveLine,
    out: Out,
    is_terminal: bool,
    next_ns: u64,
}

impl Progress {
    /// Nothing yet.
    pub fn new(out: Out) -> Progress {
        let is_terminal = std::io::stderr().is_terminal();
        Progress {
            line: LiveLine::new(),
            out,
            is_terminal,
            next_ns: clock::monotonic_ns() + PLAIN_NS,
        }
    }

    /// Shows where the loads stand.
    pub fn show(&mut self, views: &[View<'_>]) {
        let now_ns = clock::monotonic_ns();
        if !self.is_terminal && now_ns < self.next_ns {
            return;
        }
        let lines: Vec<String> = views
            .iter()
            .map(|view| progress_line(view, views.len() > 1))
            .collect();
        if self.is_terminal {
            self.line.say(lines.join("\n"));
        } else {
            self.next_ns = now_ns + PLAIN_NS;
            lines.into_iter().for_each(|line| self.out.note(line));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }
}

/// How often a pipe is told how far things are, ns.
const LINE_EVERY_NS: u64 = 30_000_000_000;

/// Says how far something long is: on one line of a terminal, redrawn; on a pipe with a line now and then.
pub struct Teller {
    out: Out,
    line: LiveLine,
    is_terminal: bool,
    next_ns: Cell<u64>,
}

impl Teller {
    /// Nothing is said yet.
    pub fn new(out: Out) -> Teller {
        let next_ns = Cell::new(clock::monotonic_ns() + LINE_EVERY_NS);
        Teller {
            out,
            line: LiveLine::new(),
            is_terminal: std::io::stderr().is_terminal(),
            next_ns,
        }
    }

    /// Says this, where it is time to.
    pub fn say(&self, text: String) {
        if self.is_terminal {
            return self.line.say(text);
        }
        let now_ns = clock::monotonic_ns();
        if now_ns >= self.next_ns.get() {
            self.next_ns.set(now_ns + LINE_EVERY_NS);
            self.out.note(text);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }
}

fn progress_line(view: &View<'_>, is_one_of_many: bool) -> String {
    let name = if is_one_of_many {
        let start: String = view.name.chars().take(12).collect();
        format!("{start:<12} ")
    } else {
        String::new()
    };
    let rest = match view.whole_ms {
        Some(whole_ms) => {
            let left_ms = whole_ms.saturating_sub(view.elapsed_ms).div_ceil(1000) * 1000;
            format!("{} left", units::span_ms(left_ms))
        }
        None => format!("{} so far", units::span_ms(view.elapsed_ms / 1000 * 1000)),
    };
    match view.last {
        None => format!("{name}{rest}"),
        Some(last) => format!(
            "{name}{}  {rest}  {}",
            interval_words(last),
            sparkline(&view.rates)
        ),
    }
}

/// `64.9 k IOPS  254 MiB/s  p50 449 µs  p99 750 µs  32 in flight`.
fn interval_words(interval: &Interval) -> String {
    let seconds = interval.length_ms.max(1) as f64 / 1e3;
    let (read, write) = (&interval.read, &interval.write);
    let slower = if write.p99_ns > read.p99_ns {
        write
    } else {
        read
    };
    format!(
        "{} IOPS  {}  p50 {}  p99 {}  {} in flight",
        units::count(((read.ios + write.ios) as f64 / seconds).round()),
        units::bytes_per_s((read.bytes + write.bytes) as f64 / seconds),
        units::duration_ns(slower.p50_ns as f64),
        units::duration_ns(slower.p99_ns as f64),
        interval.inflight
    )
}

/// The last rates as bars, the highest of them full height.
fn sparkline(rates: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = &rates[rates.len().saturating_sub(SPARK)..];
    let top = shown.iter().copied().fold(1.0, f64::max);
    shown
        .iter()
        .map(|rate| BARS[((rate / top * 7.0).round() as usize).min(7)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_shows_in_the_sparkline() {
        assert_eq!(sparkline(&[100.0, 100.0, 0.0, 50.0]), "██▁▅");
        assert_eq!(sparkline(&[7.0; 100]).chars().count(), SPARK);
    }
}
