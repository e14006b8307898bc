//! What `/proc/PID/io` says.

use crate::parse;

/// Lines of the file.
pub(super) const COUNT: usize = 7;

const KEYS: [&[u8]; COUNT] = [
    b"rchar: ",
    b"wchar: ",
    b"syscr: ",
    b"syscw: ",
    b"read_bytes: ",
    b"write_bytes: ",
    b"cancelled_write_bytes: ",
];
const READ_BYTES: usize = 4;
const WRITE_BYTES: usize = 5;
const CANCELLED_BYTES: usize = 6;

/// The counters of one process, or how much they grew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account([u64; COUNT]);

impl Account {
    /// None unless every line is there: half an account is no account.
    pub fn parse(text: &[u8]) -> Option<Account> {
        let mut counters = [0; COUNT];
        let mut lines = parse::lines(text);
        for (counter, key) in counters.iter_mut().zip(KEYS) {
            *counter = parse::number(lines.next()?.strip_prefix(key)?)?;
        }
        Some(Account(counters))
    }

    /// What was added since; none when a counter fell, which is another process.
    pub fn since(&self, earlier: &Account) -> Option<Account> {
        let mut grown = [0; COUNT];
        for (place, grown) in grown.iter_mut().enumerate() {
            *grown = self.0[place].checked_sub(earlier.0[place])?;
        }
        Some(Account(grown))
    }

    /// Adds what grew.
    pub fn add(&mut self, grown: &Account) {
        self.0
            .iter_mut()
            .zip(grown.0)
            .for_each(|(sum, grown)| *sum = sum.wrapping_add(grown));
    }

    /// Takes this share of it out, 0 to 1.
    pub fn take(&mut self, share: f64) -> Account {
        let taken = Account(self.0.map(|counter| (counter as f64 * share) as u64));
        self.0
            .iter_mut()
            .zip(taken.0)
            .for_each(|(left, taken)| *left = left.saturating_sub(taken));
        taken
    }

    /// Bytes that storage was asked for, what was read ahead included.
    pub fn read_bytes(&self) -> u64 {
        self.0[READ_BYTES]
    }

    /// Bytes that were to go to storage: of pages when they became dirty, of direct I/O when it was submitted.
    pub fn write_bytes(&self) -> u64 {
        self.0[WRITE_BYTES]
    }

    /// Bytes that had to do with storage.
    pub fn moved(&self) -> u64 {
        [READ_BYTES, WRITE_BYTES, CANCELLED_BYTES]
            .map(|place| self.0[place])
            .iter()
            .fold(0, |a, b| a.saturating_add(*b))
    }

    /// Whether nothing was ever read or written, as by kernel threads.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; COUNT]
    }

    /// Puts the counters into the cells of a row.
    pub fn fill(&self, cells: &mut [f64]) {
        cells
            .iter_mut()
            .zip(self.0)
            .for_each(|(cell, counter)| *cell = counter as f64);
    }
}
