//! Puts events in the order of time. A file may have the CPUs' streams behind each other, in pieces, or mixed already.
//!
//! Each event goes to a run that it continues; where it is earlier than the ends of all, it begins a run of its own. So a
//! sorted file is one run, and one with CPUs behind each other has a run for each. When all is there, or more than is to be
//! held, runs are merged.

use super::codec::CodecRun;
use super::pairs::BlktraceEvent;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is held at most of a file whose CPUs may be behind each other, bytes.
const HELD_MAX: usize = 256 << 20;
/// And of one that has turned out to be mixed: some million events.
const HELD_MAX_MIXED: usize = 8 << 20;
/// A file goes on with another CPU as often as it has CPUs where they are behind each other; more often it is mixed.
const SWITCHES_MIXED: u64 = 4_096;
/// So many runs are kept; more are those of a damaged file.
const RUNS_MAX: usize = 1_024;

/// What is held.
#[derive(Debug, Default)]
pub struct Order {
    runs: Vec<Slot>,
    /// The run that the last event went to.
    current: usize,
    held: usize,
    last_cpu: Option<u32>,
    switches: u64,
    /// Nothing earlier than this can be given out any more.
    given_ns: u64,
    late: u64,
}

#[derive(Debug, Default)]
struct Slot {
    run: CodecRun,
    /// The event that was read from the run and is to be given out next.
    next: Option<BlktraceEvent>,
}

impl Order {
    /// Takes an event of a CPU.
    pub fn push(&mut self, event: BlktraceEvent, cpu: u32) {
        if self.last_cpu != Some(cpu) {
            self.switches += 1;
            self.last_cpu = Some(cpu);
        }
        if event.at_ns < self.given_ns {
            self.late += 1;
            return;
        }
        let fits = |slot: &Slot| slot.run.last_ns() <= event.at_ns;
        if !self.runs.get(self.current).is_some_and(fits) {
            // The run that ended last before it, so that those that ended earlier stay open for what is earlier.
            let best = (0..self.runs.len()).filter(|place| fits(&self.runs[*place]));
            let best = best.max_by_key(|place| self.runs[*place].run.last_ns());
            self.current = match best {
                Some(place) => place,
                None if self.runs.len() < RUNS_MAX => {
                    self.runs.push(Slot::default());
                    self.runs.len() - 1
                }
                None => {
                    self.late += 1;
                    return;
                }
            };
        }
        self.held += self.runs[self.current].run.push(&event);
    }

    /// Whether something is to be given out.
    pub fn is_full(&self) -> bool {
        self.held > HELD_MAX || self.held > HELD_MAX_MIXED && self.switches > SWITCHES_MIXED
    }

    /// Gives out the earlier half, by time.
    pub fn drain(&mut self, give: &mut impl FnMut(BlktraceEvent)) {
        let last = self
            .runs
            .iter()
            .map(|slot| slot.run.last_ns())
            .max()
            .unwrap_or(0);
        let held = &mut self.held;
        self.runs.iter_mut().for_each(|slot| slot.load(held));
        let first = self
            .runs
            .iter()
            .filter_map(|slot| Some(slot.next?.at_ns))
            .min()
            .unwrap_or(last);
        let until = first + (last - first) / 2;
        self.merge(until, give);
        self.given_ns = until;
    }

    /// Gives out all that is left.
    pub fn finish(&mut self, give: &mut impl FnMut(BlktraceEvent)) {
        self.merge(u64::MAX, give);
    }

    fn merge(&mut self, until_ns: u64, give: &mut impl FnMut(BlktraceEvent)) {
        let mut heap = BinaryHeap::new();
        for (place, slot) in self.runs.iter_mut().enumerate() {
            slot.load(&mut self.held);
            heap.extend(slot.next.map(|event| Reverse((event.at_ns, place))));
        }
        while let Some(Reverse((_, place))) = heap.pop() {
            // Until another run has the earliest.
            let other = heap.peek().map_or(u64::MAX, |Reverse((at_ns, _))| *at_ns);
            let slot = &mut self.runs[place];
            while let Some(event) = slot
                .next
                .filter(|event| event.at_ns <= until_ns && event.at_ns <= other)
            {
                give(event);
                slot.next = None;
                slot.load(&mut self.held);
            }
            match slot.next {
                Some(event) if event.at_ns <= until_ns => heap.push(Reverse((event.at_ns, place))),
                _ => {}
            }
        }
    }

    /// What was too late to be put in its place, as a sentence.
    pub fn unread(&self) -> Option<String> {
        (self.late > 0).then(|| {
            format!(
                "{} events came too late to be put in their order: of a file this long with CPUs behind each other, \
                 import what `blkparse -i NAME -d FILE -O` writes",
                self.late
            )
        })
    }
}

impl Slot {
    fn load(&mut self, held: &mut usize) {
        if self.next.is_none()
            && let Some((event, bytes)) = self.run.next()
        {
            *held = held.saturating_sub(bytes);
            self.next = Some(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairs::{BlktraceSide, BlktraceWhat};
    use super::*;
    use stats::dice::mix64;

    fn event(at_ns: u64) -> BlktraceEvent {
        BlktraceEvent {
            at_ns,
            what: BlktraceWhat::Queue,
            device: 1,
            sector: at_ns,
            sectors: 8,
            side: BlktraceSide::Read,
        }
    }

    fn sorted(mut order: Order) -> Vec<u64> {
        let mut times = Vec::new();
        order.finish(&mut |event| times.push(event.at_ns));
        times
    }

    #[test]
    fn cpus_behind_each_other_in_pieces_and_mixed_come_out_sorted() {
        let total = 40_000u64;
        let behind = |cpus: u64| {
            (0..cpus)
                .flat_map(move |cpu| (cpu..total).step_by(cpus as usize).map(move |at| (at, cpu)))
        };
        let mut order = Order::default();
        behind(64).for_each(|(at, cpu)| order.push(event(at), cpu as u32));
        assert!(order.runs.len() <= 64 && order.late == 0);
        assert_eq!(sorted(order), (0..total).collect::<Vec<_>>());
        // Pieces of a thousand of each of four CPUs in turn.
        let mut order = Order::default();
        for begin in (0..total).step_by(4_000) {
            for cpu in 0..4 {
                (begin + cpu..begin + 4_000)
                    .step_by(4)
                    .for_each(|at| order.push(event(at), cpu as u32));
            }
        }
        assert_eq!(sorted(order), (0..total).collect::<Vec<_>>());
        // Mixed, some a little late.
        let mut order = Order::default();
        let late = |at: u64| at.saturating_sub(mix64(at) % 5);
        (0..total).for_each(|at| order.push(event(late(at)), (at % 4) as u32));
        let times = sorted(order);
        assert!(times.is_sorted() && times.len() == total as usize);
    }

    #[test]
    fn a_mixed_file_is_given_out_before_its_end_and_held_in_bounds() {
        let mut order = Order::default();
        let (mut times, mut most) = (Vec::new(), 0);
        for at in 0..4_000_000u64 {
            order.push(event(at * 100 + mix64(at) % 300), (at % 4) as u32);
            most = most.max(order.held);
            if order.is_full() {
                order.drain(&mut |event| times.push(event.at_ns));
            }
        }
        let early = times.len();
        order.finish(&mut |event| times.push(event.at_ns));
        assert!(times.is_sorted() && times.len() == 4_000_000 && order.unread().is_none());
        assert!(
            early > 1_000_000 && most <= HELD_MAX_MIXED + 64,
            "{early} early, {most} bytes"
        );
    }

    #[test]
    fn what_comes_too_late_is_said() {
        let mut order = Order::default();
        (1_000..2_000).for_each(|at| order.push(event(at), 0));
        order.drain(&mut |_| {});
        order.push(event(1), 0);
        assert!(
            order
                .unread()
                .is_some_and(|why| why.starts_with("1 events"))
        );
    }
}
