//! Where each host stands, while they are at work: rows redrawn on a terminal, a line for each step elsewhere.

use crate::live::LiveLine;
use crate::out::Out;
use fleet::{HostAnswer, HostState};
use host::clock;
use model::record::Interval;
use model::text::clean_to;
use model::units;
use std::io::IsTerminal;

/// Rows on a terminal at most; beyond it only those that are not over and a line of all.
const ROWS_MAX: usize = 24;
/// How often a line of all is printed where nothing can be redrawn, ns.
const PLAIN_NS: u64 = 10_000_000_000;
/// How often the rows are redrawn, ns.
const DRAW_NS: u64 = 200_000_000;

/// A host on the screen.
#[derive(Debug)]
struct LiveRow {
    name: String,
    state: String,
    is_over: bool,
    /// I/Os a second of its last interval.
    rate: Option<f64>,
    p99_ns: Option<u64>,
}

/// All of them.
#[derive(Debug)]
pub struct FleetLive {
    out: Out,
    line: LiveLine,
    is_terminal: bool,
    rows: Vec<LiveRow>,
    next_ns: u64,
    drawn_ns: u64,
}

impl FleetLive {
    /// Hosts that nothing is known of yet.
    pub fn new(out: Out, names: impl Iterator<Item = String>) -> FleetLive {
        let row = |name| LiveRow {
            name,
            state: "waiting".into(),
            is_over: false,
            rate: None,
            p99_ns: None,
        };
        FleetLive {
            out,
            line: LiveLine::new(),
            is_terminal: std::io::stderr().is_terminal(),
            rows: names.map(row).collect(),
            next_ns: clock::monotonic_ns() + PLAIN_NS,
            drawn_ns: 0,
        }
    }

    /// A host has come so far.
    pub fn state(&mut self, at: usize, state: &str) {
        let state = clean_to(state, 160);
        if !self.is_terminal && self.rows[at].state != state {
            let name = clean_to(&self.rows[at].name, 40);
            self.out.note(format!("{name}: {state}"));
        }
        self.rows[at].state = state;
        self.show();
    }

    /// A host's load goes on.
    pub fn progress(&mut self, at: usize, interval: &Interval) {
        let ios = interval.read.ios.saturating_add(interval.write.ios);
        let row = &mut self.rows[at];
        row.rate = Some(ios as f64 * 1e3 / interval.length_ms.max(1) as f64);
        row.p99_ns = Some(interval.read.p99_ns.max(interval.write.p99_ns));
        self.show();
    }

    /// A host's verb says something, which is what it is at.
    pub fn words(&mut self, at: usize, line: &str) {
        self.rows[at].state = clean_to(line.trim(), 60);
        self.show();
    }

    /// A host is over.
    pub fn over(&mut self, at: usize, answer: &HostAnswer) {
        let rate = answer
            .iops
            .map(|iops| format!(", {} IOPS", units::rate(iops)));
        let why = answer
            .why
            .as_ref()
            .filter(|_| answer.state != HostState::Done);
        let why = why.map(|why| format!(": {}", clean_to(why, 120)));
        let word = answer.state.word();
        let tail = why.or(rate).unwrap_or_default();
        self.state(at, &format!("{word}{tail}"));
        let row = &mut self.rows[at];
        row.is_over = true;
        row.rate = answer.iops;
        row.p99_ns = answer.p99_ns;
    }

    /// Shows it, as often as it is worth it.
    pub fn show(&mut self) {
        let now_ns = clock::monotonic_ns();
        if !self.is_terminal {
            if now_ns >= self.next_ns {
                self.next_ns = now_ns + PLAIN_NS;
                self.out.note(self.all());
            }
            return;
        }
        if now_ns < self.drawn_ns + DRAW_NS {
            return;
        }
        self.drawn_ns = now_ns;
        let is_long = self.rows.len() > ROWS_MAX;
        let shown = self.rows.iter().filter(|row| !is_long || !row.is_over);
        let mut lines: Vec<String> = shown.take(ROWS_MAX).map(row_line).collect();
        lines.push(self.all());
        self.line.say(lines.join("\n"));
    }

    /// Takes the rows away.
    pub fn clear(&self) {
        self.line.clear();
    }

    /// All of them on one line.
    fn all(&self) -> String {
        let over = self.rows.iter().filter(|row| row.is_over).count();
        let rates = self.rows.iter().filter_map(|row| row.rate);
        let rate: f64 = rates.clone().sum();
        let together = match rates.count() {
            0 => String::new(),
            _ => format!(", {} IOPS together", units::rate(rate)),
        };
        format!(
            "fleet: {over} of {} hosts are over{together}",
            self.rows.len()
        )
    }
}

fn row_line(row: &LiveRow) -> String {
    let name = clean_to(&row.name, 24);
    match (row.rate, row.p99_ns) {
        (Some(rate), Some(p99_ns)) if !row.is_over => format!(
            "  {name:<24}  {} IOPS, p99 {}",
            units::rate(rate),
            units::duration_ns(p99_ns as f64)
        ),
        _ => format!("  {name:<24}  {}", row.state),
    }
}
