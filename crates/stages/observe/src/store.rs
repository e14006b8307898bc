//! The rows of one sensor, in bounded memory.

use model::reading::ReadingRow;
use std::collections::VecDeque;

/// An hour at ten samples a second.
const ROWS_MAX: usize = 36_000;
/// Many-core machines have thousands of series: 32 MB a sensor is the bound whatever their number.
const CELLS_MAX: usize = 4 << 20;
/// Fewer would be no series any more.
const ROWS_MIN: usize = 600;
/// What is kept however long ago it was: what a sensor that is read rarely saw at both ends of a time.
const LAST_MIN: usize = 2;
/// How far back [`Keep::HOUR`] reaches.
pub(super) const RECENT_NS: i64 = 3600 * 1_000_000_000;
/// How far back every row is kept there; older ones are thinned out to one in [`STEP_NS`].
pub(super) const FINE_NS: i64 = 300 * 1_000_000_000;
const STEP_NS: i64 = 1_000_000_000;

/// What to keep when there is more than memory should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The whole run: every second row is dropped whenever there are too many.
    Run,
    /// So many ns before the last row: five minutes in full, the rest by the second.
    Last(i64),
}

impl Keep {
    /// The last hour.
    pub const HOUR: Keep = Keep::Last(RECENT_NS);
}

/// Rows in the order of time.
#[derive(Debug)]
pub struct Store {
    keep: Keep,
    rows: VecDeque<ReadingRow>,
    /// With [`Keep::Last`]: what has left the fine rows.
    old: VecDeque<ReadingRow>,
    halvings: u32,
}

impl Store {
    /// Empty.
    pub fn new(keep: Keep) -> Self {
        Store {
            keep,
            rows: VecDeque::new(),
            old: VecDeque::new(),
            halvings: 0,
        }
    }

    /// Whether this moment, counted from the start, is one to sample: after each halving only every second one is.
    pub fn is_due(&self, tick: u64) -> bool {
        tick.is_multiple_of(1 << self.halvings)
    }

    /// How often every second row was dropped.
    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Adds a row, which is the latest.
    pub fn push(&mut self, row: ReadingRow) {
        let rows_max = (CELLS_MAX / row.cells.len().max(1)).clamp(ROWS_MIN, ROWS_MAX);
        let now_ns = row.time_ns;
        self.rows.push_back(row);
        match self.keep {
            Keep::Run if self.rows.len() >= rows_max => self.halve(),
            Keep::Run => {}
            // Half of the cells for each of the two ages.
            Keep::Last(back_ns) => self.forget(now_ns, back_ns, rows_max / 2),
        }
    }

    /// Drops every second row. Counters lose nothing but resolution in time; gauges lose what they showed between.
    fn halve(&mut self) {
        let mut place = 0;
        self.rows.retain(|_| {
            place += 1;
            place % 2 == 1
        });
        self.halvings += 1;
    }

    fn forget(&mut self, now_ns: i64, back_ns: i64, rows_max: usize) {
        let step_ns = STEP_NS.max(back_ns / rows_max as i64);
        let fine_ns = FINE_NS.min(back_ns);
        let is_old = |row: &ReadingRow| row.time_ns < now_ns - fine_ns;
        while self.rows.len() > rows_max
            || (self.rows.len() > LAST_MIN && self.rows.front().is_some_and(is_old))
        {
            let Some(row) = self.rows.pop_front() else {
                break;
            };
            if self
                .old
                .back()
                .is_none_or(|last| row.time_ns - last.time_ns >= step_ns)
            {
                self.old.push_back(row);
            }
        }
        while self
            .old
            .front()
            .is_some_and(|row| row.time_ns < now_ns - back_ns)
        {
            self.old.pop_front();
        }
    }

    /// Every row, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ReadingRow> {
        self.old.iter().chain(&self.rows)
    }

    /// The last row that is not after a moment.
    pub fn at(&self, time_ns: i64) -> Option<&ReadingRow> {
        let before =
            |rows: &VecDeque<ReadingRow>| rows.partition_point(|row| row.time_ns <= time_ns);
        match before(&self.rows) {
            0 => before(&self.old)
                .checked_sub(1)
                .and_then(|place| self.old.get(place)),
            count => self.rows.get(count - 1),
        }
    }

    /// The last row before a moment.
    pub fn before(&self, time_ns: i64) -> Option<&ReadingRow> {
        self.at(time_ns - 1)
    }

    /// Time of the row that is so many rows after the last one not after a moment, or before it; at the ends, of the
    /// last or the first.
    pub fn step(&self, time_ns: i64, count: i64) -> Option<i64> {
        let places = self.old.len() + self.rows.len();
        let place = self.iter().take_while(|row| row.time_ns <= time_ns).count() as i64 - 1;
        let place = (place + count).clamp(0, places as i64 - 1);
        self.iter()
            .nth(usize::try_from(place).ok()?)
            .map(|row| row.time_ns)
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.old.len() + self.rows.len()
    }

    /// Memory it holds, bytes, without what an allocator adds.
    pub fn bytes(&self) -> usize {
        let places = (self.rows.capacity() + self.old.capacity()) * size_of::<ReadingRow>();
        places
            + self
                .iter()
                .map(|row| size_of_val(&*row.cells))
                .sum::<usize>()
    }

    /// Time of the first row.
    pub fn first_ns(&self) -> Option<i64> {
        self.iter().next().map(|row| row.time_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    fn row(time_ns: i64, width: usize) -> ReadingRow {
        ReadingRow {
            time_ns,
            cells: vec![time_ns as f64; width].into(),
        }
    }

    #[test]
    fn a_day_keeps_an_hour_and_no_more() {
        let mut store = Store::new(Keep::HOUR);
        let mut most = 0;
        for tick in 0..864_000 {
            store.push(row(tick * SECOND_NS / 10, 20));
            most = most.max(store.rows.len() + store.old.len());
        }
        let now_ns = 863_999 * SECOND_NS / 10;
        assert!(most <= 3_002 + 3_302, "{most} rows");
        let first_ns = store.first_ns().unwrap();
        assert!(now_ns - first_ns <= RECENT_NS && now_ns - first_ns > RECENT_NS - 2 * SECOND_NS);
        assert!(store.iter().map(|row| row.time_ns).is_sorted());
        assert_eq!(store.at(now_ns).unwrap().time_ns, now_ns);
        assert_eq!(
            store.before(now_ns).unwrap().time_ns,
            now_ns - SECOND_NS / 10
        );
        let old = store.at(now_ns - 1000 * SECOND_NS).unwrap().time_ns;
        assert!(now_ns - 1000 * SECOND_NS - old < SECOND_NS);
        assert!(store.at(first_ns - 1).is_none());
        assert_eq!(store.step(now_ns, -3), Some(now_ns - 3 * SECOND_NS / 10));
        assert_eq!(store.step(now_ns + 5, 10), Some(now_ns));
        assert_eq!(store.step(old, -1), Some(old - SECOND_NS));
        assert_eq!(store.step(first_ns - 1, -10), Some(first_ns));
    }

    #[test]
    fn a_wide_machine_keeps_the_hour_with_fewer_rows() {
        let mut store = Store::new(Keep::HOUR);
        for tick in 0..3_700 {
            store.push(row(tick * SECOND_NS, 4_000));
        }
        let rows = store.iter().count();
        assert!(rows * 4_000 <= CELLS_MAX + 8_000, "{rows}");
        assert!(
            store.first_ns().unwrap() < 110 * SECOND_NS,
            "{:?}",
            store.first_ns()
        );
    }

    #[test]
    fn who_looks_back_a_little_keeps_little_and_of_rare_samples_the_last_two() {
        let mut store = Store::new(Keep::Last(60 * SECOND_NS));
        for tick in 0..36_000 {
            store.push(row(tick * SECOND_NS / 10, 20));
        }
        assert!(store.count() <= 602, "{} rows", store.count());
        assert_eq!(store.first_ns(), Some(35_399 * SECOND_NS / 10));
        let mut rare = Store::new(Keep::Last(60 * SECOND_NS));
        for tick in 0..10 {
            rare.push(row(tick * 600 * SECOND_NS, 20));
        }
        assert_eq!(rare.count(), 2);
        assert_eq!(
            rare.before(5_400 * SECOND_NS).unwrap().time_ns,
            4_800 * SECOND_NS
        );
    }

    #[test]
    fn a_run_is_halved() {
        let mut store = Store::new(Keep::Run);
        for tick in (0..100_000).filter(|tick| tick % 4 == 0) {
            if store.is_due(tick) {
                store.push(row(tick as i64, 7_000));
            }
        }
        let times: Vec<i64> = store.iter().map(|row| row.time_ns).collect();
        assert!(
            times.len() < ROWS_MIN && times.len() >= ROWS_MIN / 2,
            "{}",
            times.len()
        );
        assert_eq!(times[0], 0);
        assert!(store.halvings() > 3);
    }
}
