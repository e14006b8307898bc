//! The layers of the last hour, by the second: what a heat map over time is drawn from.
//!
//! A second of one device holds some hundred buckets that are not empty, so steps keep those only. Five minutes are kept
//! by the second and the rest in steps of ten, and all of it in bounded memory whatever the devices do.

mod step;

pub use step::{LayerStep, SpanCounts};

use super::Tracing;
use super::store::{FINE_NS, RECENT_NS};
use host::process;
use model::layers::{DeviceLayers, LayerTimes};
use std::collections::VecDeque;

/// Time between two readings of the programs, ns.
const STEP_NS: i64 = 1_000_000_000;
/// The same for what is older than [`FINE_NS`].
const OLD_STEP_NS: i64 = 10 * STEP_NS;
/// The most of one CPU that reading may take: where it is dear, steps are longer.
const COST_SHARE_MAX: f64 = 0.01;
/// Counts kept in all; at six bytes each, 48 MB.
const CELLS_MAX: usize = 8 << 20;
/// Fewer steps than this are no history any more: what is older goes first.
const STEPS_MIN: usize = 60;

/// What each second added to the layers.
#[derive(Debug)]
pub struct LayerHistory {
    tracing: Tracing,
    last: Option<(i64, LayerTimes)>,
    due_ns: i64,
    cost_ns: u64,
    source: String,
    steps: VecDeque<LayerStep>,
    old: VecDeque<LayerStep>,
    old_step_ns: i64,
    cells: usize,
}

impl LayerHistory {
    /// Of programs at work, or of none.
    pub fn new(tracing: Tracing) -> Self {
        LayerHistory {
            tracing,
            last: None,
            due_ns: i64::MIN,
            cost_ns: 0,
            source: String::new(),
            steps: VecDeque::new(),
            old: VecDeque::new(),
            old_step_ns: OLD_STEP_NS,
            cells: 0,
        }
    }

    /// Why there is nothing to see, when there is nothing.
    pub fn no_data(&self) -> Option<&str> {
        self.tracing
            .layers()
            .err()
            .filter(|_| self.first_ns().is_none())
    }

    /// What the times come from: `eBPF full`; empty before the first step.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Beginning of the earliest step, ns.
    pub fn first_ns(&self) -> Option<i64> {
        self.all().next().map(|step| step.from_ns)
    }

    /// End of the latest step, ns.
    pub fn last_ns(&self) -> Option<i64> {
        self.all().next_back().map(|step| step.to_ns)
    }

    /// CPU time that reading the programs has taken, ns.
    pub fn cost_cpu_ns(&self) -> u64 {
        self.cost_ns
    }

    /// Reads the programs when a second has passed since the last time; later where reading costs more than a hundredth
    /// of that.
    pub fn sample(&mut self, now_ns: i64) {
        if now_ns < self.due_ns {
            return;
        }
        let before_ns = process::thread_cpu_ns();
        if let Some(now) = self.tracing.read() {
            if let Some((from_ns, before)) = self.last.take() {
                self.push(from_ns, now_ns, &now.since(&before));
            }
            self.last = Some((now_ns, now));
        }
        let cost_ns = process::thread_cpu_ns().saturating_sub(before_ns);
        self.cost_ns += cost_ns;
        let wait_ns = STEP_NS.max((cost_ns as f64 / COST_SHARE_MAX) as i64);
        // A moment that comes a little early is not left out.
        self.due_ns = now_ns.saturating_add(wait_ns - wait_ns / 20);
    }

    /// Adds the I/Os that were completed in some time, which is the latest.
    pub fn push(&mut self, from_ns: i64, to_ns: i64, times: &LayerTimes) {
        self.source.clone_from(&times.source);
        let step = LayerStep::new(from_ns, to_ns, times);
        self.cells += step.cells();
        self.steps.push_back(step);
        while self
            .steps
            .front()
            .is_some_and(|step| step.to_ns < to_ns - FINE_NS)
        {
            self.age();
        }
        while self
            .old
            .front()
            .is_some_and(|step| step.to_ns < to_ns - RECENT_NS)
        {
            self.forget();
        }
        while self.cells > CELLS_MAX && self.squeeze() {}
    }

    /// The steps that end in some time, the oldest first.
    pub fn steps(&self, from_ns: i64, to_ns: i64) -> impl Iterator<Item = &LayerStep> {
        let inside = move |steps: &VecDeque<LayerStep>| {
            let place = |time_ns| steps.partition_point(|step| step.to_ns <= time_ns);
            place(from_ns)..place(to_ns).max(place(from_ns))
        };
        self.old
            .range(inside(&self.old))
            .chain(self.steps.range(inside(&self.steps)))
    }

    /// All of one device in some time; none when it was not traced then.
    pub fn over(&self, device: &str, from_ns: i64, to_ns: i64) -> Option<DeviceLayers> {
        let mut sum = None;
        for step in self.steps(from_ns, to_ns) {
            step.add_to(device, &mut sum);
        }
        sum
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = &LayerStep> {
        self.old.iter().chain(&self.steps)
    }

    /// Adds the oldest fine step to the latest old one, or begins another.
    fn age(&mut self) {
        let Some(step) = self.steps.pop_front() else {
            return;
        };
        match self.old.back_mut() {
            Some(last) if step.to_ns - last.from_ns <= self.old_step_ns + STEP_NS / 2 => {
                let before = last.cells() + step.cells();
                last.merge(&step);
                self.cells -= before - last.cells();
            }
            _ => self.old.push_back(step),
        }
    }

    fn forget(&mut self) {
        let gone = self.old.pop_front().or_else(|| self.steps.pop_front());
        self.cells -= gone.map_or(0, |step| step.cells());
    }

    /// Makes the history smaller by one measure: longer old steps, then fewer fine ones, then a shorter history. Whether
    /// there was anything left to do.
    fn squeeze(&mut self) -> bool {
        if self.old.len() > STEPS_MIN {
            self.old_step_ns *= 2;
            self.join_old();
        } else if self.steps.len() > STEPS_MIN {
            self.age();
        } else if self.old.len() + self.steps.len() > 1 {
            self.forget();
        } else {
            return false;
        }
        true
    }

    fn join_old(&mut self) {
        let mut steps = std::mem::take(&mut self.old).into_iter();
        while let Some(mut step) = steps.next() {
            let next = steps.next();
            next.iter().for_each(|next| step.merge(next));
            self.old.push_back(step);
        }
        self.cells = self.all().map(LayerStep::cells).sum();
    }
}

#[cfg(test)]
mod tests;
