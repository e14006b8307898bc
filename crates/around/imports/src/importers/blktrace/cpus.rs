//! The files that blktrace writes of one trace, one of each CPU, read together: each is in the order of time, so that the
//! earliest event of all is always at hand and nothing of the rest has to be held.

use super::order::Order;
use super::pairs::{BlktraceEvent, Pairs};
use super::record::BlktraceFileIntake;
use crate::{ImportError, Piece};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{BufRead, Read};

/// What is held of each file, bytes: two of the longest records, for hundreds of CPUs.
const READ_BYTES: usize = 128 << 10;

/// The file of a CPU.
struct Cpu<'a> {
    name: String,
    source: Box<dyn BufRead + 'a>,
    intake: BlktraceFileIntake,
    buffer: Vec<u8>,
    filled: usize,
    is_at_end: bool,
    /// Events that were read and not yet taken, with their CPUs.
    events: VecDeque<(BlktraceEvent, u32)>,
}

/// The name of the trace that a file of one CPU belongs to: `sda` of `sda.blktrace.3`.
pub fn trace_of(file: &str) -> Option<&str> {
    let (trace, cpu) = file.rsplit_once(".blktrace.")?;
    let is_cpu = !cpu.is_empty() && cpu.len() < 6 && cpu.bytes().all(|byte| byte.is_ascii_digit());
    (is_cpu && !trace.is_empty() && !trace.ends_with('/')).then_some(trace)
}

/// Reads the files with these names as one trace.
pub fn read(files: Vec<(String, Box<dyn BufRead + '_>)>) -> Result<Vec<Piece>, ImportError> {
    let mut cpus: Vec<Cpu> = files
        .into_iter()
        .map(|(name, source)| Cpu::new(name, source))
        .collect();
    let mut order = Order::default();
    let mut pairs = Pairs::default();
    let mut heap = BinaryHeap::new();
    for (place, cpu) in cpus.iter_mut().enumerate() {
        heap.extend(cpu.next_ns()?.map(|at_ns| Reverse((at_ns, place))));
    }
    while let Some(Reverse((mut at_ns, place))) = heap.pop() {
        // Until another file has the earliest.
        let other = heap.peek().map_or(u64::MAX, |Reverse((at_ns, _))| *at_ns);
        let cpu = &mut cpus[place];
        while at_ns <= other {
            // Within a file some may stand a little late: what takes them puts them in their order.
            if let Some((event, number)) = cpu.events.pop_front() {
                order.push(event, number);
            }
            if order.is_full() {
                order.drain(&mut |event| pairs.take(&event));
            }
            match cpu.next_ns()? {
                Some(next_ns) => at_ns = next_ns,
                None => break,
            }
        }
        heap.extend(cpu.next_ns()?.map(|at_ns| Reverse((at_ns, place))));
    }
    order.finish(&mut |event| pairs.take(&event));
    let unread = cpus
        .iter()
        .flat_map(Cpu::unread)
        .chain(order.unread())
        .collect();
    let start = cpus
        .iter()
        .filter_map(|cpu| cpu.intake.start_unix_ms())
        .min();
    super::pieces(pairs, start, unread)
}

impl<'a> Cpu<'a> {
    fn new(name: String, source: Box<dyn BufRead + 'a>) -> Self {
        Cpu {
            name,
            source,
            intake: BlktraceFileIntake::default(),
            buffer: vec![0; READ_BYTES],
            filled: 0,
            is_at_end: false,
            events: VecDeque::new(),
        }
    }

    /// Time of the next event; none at the end.
    fn next_ns(&mut self) -> Result<Option<u64>, ImportError> {
        while self.events.is_empty() && !self.is_at_end {
            let count = Read::read(&mut self.source, &mut self.buffer[self.filled..])?;
            self.is_at_end = count == 0;
            self.filled += count;
            let events = &mut self.events;
            let used = self.intake.take(
                &self.buffer[..self.filled],
                self.is_at_end,
                &mut |event, cpu| {
                    events.push_back((event, cpu));
                },
            );
            self.buffer.copy_within(used..self.filled, 0);
            self.filled -= used;
        }
        Ok(self.events.front().map(|(event, _)| event.at_ns))
    }

    /// What could not be read of it.
    fn unread(&self) -> Vec<String> {
        let unread = self.intake.unread();
        unread
            .into_iter()
            .map(|why| format!("{}: {why}", self.name))
            .collect()
    }
}
