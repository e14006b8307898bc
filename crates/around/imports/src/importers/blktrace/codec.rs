//! Events in few bytes: about ten rather than 48, so that all of a long trace can be held until it can be put in order.

use super::pairs::{BlktraceEvent, BlktraceSide, BlktraceWhat};
use std::collections::VecDeque;

/// Bytes of a piece of a run: what was given out is freed in such pieces.
const PIECE_BYTES: usize = 1 << 16;
/// The longest event: two bytes and four numbers of ten.
const EVENT_MAX_BYTES: usize = 42;

/// Events in the order of time.
#[derive(Debug, Default)]
pub struct CodecRun {
    pieces: VecDeque<Vec<u8>>,
    /// What the next event is told from when it is written.
    written: Last,
    /// And when it is read.
    read: Last,
    read_at: usize,
    count: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Last {
    at_ns: u64,
    sector: u64,
    device: u32,
}

impl CodecRun {
    /// Adds an event that is not earlier than the last; how many bytes it took.
    pub fn push(&mut self, event: &BlktraceEvent) -> usize {
        let is_full = self
            .pieces
            .back()
            .is_none_or(|piece| piece.len() + EVENT_MAX_BYTES > PIECE_BYTES);
        if is_full {
            self.pieces.push_back(Vec::with_capacity(PIECE_BYTES));
        }
        let Some(piece) = self.pieces.back_mut() else {
            return 0;
        };
        let before = piece.len();
        let is_other_device = event.device != self.written.device;
        piece.push(event.what as u8 | (event.side as u8) << 4 | u8::from(is_other_device) << 7);
        number(piece, event.at_ns.wrapping_sub(self.written.at_ns));
        let step = event.sector.wrapping_sub(self.written.sector) as i64;
        number(piece, (step << 1 ^ step >> 63) as u64);
        number(piece, event.sectors);
        if is_other_device {
            number(piece, u64::from(event.device));
        }
        self.written = Last {
            at_ns: event.at_ns,
            sector: event.sector,
            device: event.device,
        };
        self.count += 1;
        piece.len() - before
    }

    /// Time of the last event that was added.
    pub fn last_ns(&self) -> u64 {
        self.written.at_ns
    }

    /// The next event; none at the end. The second number is the bytes that it took.
    pub fn next(&mut self) -> Option<(BlktraceEvent, usize)> {
        self.count = self.count.checked_sub(1)?;
        while self
            .pieces
            .front()
            .is_some_and(|piece| self.read_at >= piece.len())
        {
            self.pieces.pop_front();
            self.read_at = 0;
        }
        let piece = self.pieces.front()?;
        let begin = self.read_at;
        let mut at = begin;
        let first = *piece.get(at)?;
        at += 1;
        self.read.at_ns = self.read.at_ns.wrapping_add(take(piece, &mut at)?);
        let step = take(piece, &mut at)?;
        self.read.sector = self
            .read
            .sector
            .wrapping_add((step >> 1) ^ (step & 1).wrapping_neg());
        let sectors = take(piece, &mut at)?;
        if first & 0x80 != 0 {
            self.read.device = take(piece, &mut at)? as u32;
        }
        self.read_at = at;
        let Last {
            at_ns,
            sector,
            device,
        } = self.read;
        let (what, side) = (
            BlktraceWhat::of(first & 15),
            BlktraceSide::of(first >> 4 & 7),
        );
        Some((
            BlktraceEvent {
                at_ns,
                what,
                device,
                sector,
                sectors,
                side,
            },
            at - begin,
        ))
    }
}

/// Seven bits a byte, the lowest first.
#[inline]
fn number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[inline]
fn take(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::mix64;

    #[test]
    fn events_come_out_as_they_went_in() {
        let event = |seed: u64| BlktraceEvent {
            at_ns: seed * 1_000 + mix64(seed) % 1_000,
            what: BlktraceWhat::of((mix64(seed * 3) % 9) as u8),
            device: if seed.is_multiple_of(7) {
                8 << 20
            } else {
                259 << 20
            },
            sector: if seed.is_multiple_of(5) {
                u64::MAX - seed
            } else {
                mix64(seed * 5) >> 20
            },
            sectors: mix64(seed * 7) % 2_000,
            side: BlktraceSide::of((mix64(seed * 9) % 4) as u8),
        };
        let mut run = CodecRun::default();
        let bytes: usize = (0..20_000).map(|seed| run.push(&event(seed))).sum();
        assert!(bytes < 20_000 * 20, "{bytes}");
        for seed in 0..20_000 {
            assert_eq!(
                run.next().map(|(event, _)| event),
                Some(event(seed)),
                "{seed}"
            );
        }
        assert!(run.next().is_none());
    }
}
