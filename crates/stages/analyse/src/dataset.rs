//! Turns of reading a data set as figures: one pass for each state of the cache and number of readers, and, turn by turn,
//! how much faster a target is than the first.
//!
//! All targets read the same files in each round, in an order that is drawn anew, so that a ratio is taken within a round:
//! what drifts from round to round is shared by both sides and falls out. Rounds are the repeats, and a ratio is one of the
//! sums over them ([`spread::of_ratio`]): what an epoch takes against another.

use crate::spread;
use model::curve::Spread;
use model::dataset::{ColdBy, DatasetPass, PackedPass, READ_OPERATIONS, ReadFailure, ReadLap};
use model::record::Operation;
use std::collections::BTreeMap;

/// What one target did in one round, in one state of the cache.
#[derive(Clone, Debug, Default)]
pub struct DatasetTurn {
    /// The round: all targets have the same files in it.
    pub round: u32,
    /// Place of the target on the command line.
    pub target: usize,
    /// How the cache was emptied before; none where the files had just been read.
    pub cold: Option<ColdBy>,
    /// Threads that read at once.
    pub readers: u32,
    /// What they did.
    pub lap: ReadLap,
    /// The same bytes from the packed file: bytes, and ns.
    pub packed: Option<(u64, u64)>,
    /// Bytes that the device read meanwhile.
    pub device_bytes: Option<u64>,
    /// Bytes that were looked for in the page cache just before, and that were there.
    pub cached: Option<(u64, u64)>,
}

/// Target, whether the cache was warm, readers.
type Key = (usize, bool, u32);

/// Everything of one pass so far.
#[derive(Debug, Default)]
struct Cell {
    cold: Option<ColdBy>,
    lap: ReadLap,
    elapsed_ns: u64,
    /// By round: files, ns, and ns of the packed file.
    turns: Vec<(u32, u64, u64, Option<u64>)>,
    packed: (u64, u64),
    device_bytes: Option<u64>,
    cached: Option<(u64, u64)>,
}

/// The turns so far, in bounded memory: a few numbers for each, and the latencies of all together.
#[derive(Debug, Default)]
pub struct DatasetTally {
    cells: BTreeMap<Key, Cell>,
    /// Those of a round that was only tried.
    tried: BTreeMap<Key, Cell>,
    failed: BTreeMap<(usize, usize), ReadFailure>,
}

impl DatasetTally {
    /// Takes a turn in.
    pub fn add(&mut self, turn: DatasetTurn) {
        for (index, failure) in &turn.lap.failed {
            let known = self.failed.entry((turn.target, *index));
            known.or_insert_with(|| failure.clone());
        }
        if turn.lap.files == 0 {
            return;
        }
        let key = (turn.target, turn.cold.is_none(), turn.readers);
        let cell = self.cells.entry(key).or_default();
        cell.cold = turn.cold;
        let elapsed_ns = turn.lap.elapsed_ns;
        let packed_ns = turn.packed.map(|(_, ns)| ns);
        let figures = (turn.round, turn.lap.files, elapsed_ns, packed_ns);
        cell.turns.push(figures);
        cell.elapsed_ns += elapsed_ns;
        cell.lap.add(&turn.lap);
        cell.lap.failed.clear();
        if let Some((bytes, ns)) = turn.packed {
            cell.packed = (cell.packed.0 + bytes, cell.packed.1 + ns);
        }
        if let Some(bytes) = turn.device_bytes {
            *cell.device_bytes.get_or_insert(0) += bytes;
        }
        if let Some((asked, cached)) = turn.cached {
            let sum = cell.cached.get_or_insert((0, 0));
            *sum = (sum.0 + asked, sum.1 + cached);
        }
    }

    /// Puts the figures so far aside, as those of a round that was only tried; files that could not be read stay known.
    pub fn begin_anew(&mut self) {
        self.tried = std::mem::take(&mut self.cells);
    }

    /// Takes the figures that were put aside where no others came. Gives whether it did.
    pub fn fall_back(&mut self) -> bool {
        let has_others = !self.cells.is_empty() || self.tried.is_empty();
        if !has_others {
            self.cells = std::mem::take(&mut self.tried);
        }
        !has_others
    }

    /// How often each reason kept a file of a target from being read, the most frequent first.
    pub fn failed(&self, target: usize) -> Vec<(String, u64)> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let of_target = self.failed.iter().filter(|((one, _), _)| *one == target);
        of_target.for_each(|(_, failure)| *counts.entry(failure.words()).or_default() += 1);
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// The passes of a target: cold before warm, few readers before many.
    pub fn passes(&self, target: usize) -> Vec<DatasetPass> {
        let of_target = self.cells.iter().filter(|((one, ..), _)| *one == target);
        of_target.map(|(key, cell)| self.pass(*key, cell)).collect()
    }

    /// What all turns of a target and a pass did together.
    pub fn lap(&self, target: usize, is_cold: bool, readers: u32) -> Option<&ReadLap> {
        self.cells
            .get(&(target, !is_cold, readers))
            .map(|cell| &cell.lap)
    }

    fn pass(&self, (target, is_warm, readers): Key, cell: &Cell) -> DatasetPass {
        let rates: Vec<(f64, f64)> = cell
            .turns
            .iter()
            .map(|(_, files, ns, _)| (*files as f64, *ns as f64 / 1e9))
            .collect();
        let mut pass = DatasetPass {
            cold: cell.cold,
            readers,
            turns: cell.turns.len() as u32,
            files: cell.lap.files,
            bytes: cell.lap.bytes,
            elapsed_ms: cell.elapsed_ns as f64 / 1e6,
            operations: operations(&cell.lap),
            files_per_s: spread::of_ratio(&rates),
            packed: packed(cell),
            device_bytes: cell.device_bytes,
            cached: cell
                .cached
                .map(|(asked, cached)| cached as f64 / asked.max(1) as f64),
            ..DatasetPass::default()
        };
        let first = self
            .cells
            .get(&(0, is_warm, readers))
            .filter(|_| target > 0);
        if let Some(first) = first {
            pass.faster = ratio(first, cell);
            pass.metadata_of_difference = pass.faster.and_then(|faster| share(faster, first, cell));
        }
        pass
    }
}

/// What one lap did, as a pass of its own without any repeats; none where no file was read.
pub fn of_lap(lap: &ReadLap, readers: u32) -> Option<DatasetPass> {
    let rate = (lap.files as f64, lap.elapsed_ns as f64 / 1e9);
    (lap.files > 0).then(|| DatasetPass {
        readers,
        turns: 1,
        files: lap.files,
        bytes: lap.bytes,
        elapsed_ms: lap.elapsed_ns as f64 / 1e6,
        operations: operations(lap),
        files_per_s: spread::of_ratio(&[rate]),
        ..DatasetPass::default()
    })
}

fn operations(lap: &ReadLap) -> Vec<Operation> {
    let of = |(at, name): (usize, &&str)| Operation {
        name: (*name).into(),
        busy_ms: lap.busy_ns[at] as f64 / 1e6,
        done: lap.operations[at].clone(),
    };
    READ_OPERATIONS.iter().enumerate().map(of).collect()
}

fn packed(cell: &Cell) -> Option<PackedPass> {
    let ratios: Vec<(f64, f64)> = cell
        .turns
        .iter()
        .filter_map(|(_, _, ns, packed_ns)| Some((*ns as f64, (*packed_ns)? as f64)))
        .collect();
    (!ratios.is_empty()).then(|| PackedPass {
        bytes: cell.packed.0,
        elapsed_ms: cell.packed.1 as f64 / 1e6,
        faster: spread::of_ratio(&ratios),
    })
}

/// Time on the first target over the time here, round by round; rounds in which one side lost a file do not count.
fn ratio(first: &Cell, here: &Cell) -> Option<Spread> {
    let base: BTreeMap<u32, (u64, u64)> = first
        .turns
        .iter()
        .map(|(round, files, ns, _)| (*round, (*files, *ns)))
        .collect();
    let ratios: Vec<(f64, f64)> = here
        .turns
        .iter()
        .filter_map(|(round, files, ns, _)| {
            let (base_files, base_ns) = base.get(round)?;
            (base_files == files).then_some((*base_ns as f64, *ns as f64))
        })
        .collect();
    (!ratios.is_empty()).then(|| spread::of_ratio(&ratios))
}

/// Whether an interval leaves out that both are alike.
pub fn is_clear(faster: Spread) -> bool {
    faster.low.is_some_and(|low| low > 1.0) || faster.high.is_some_and(|high| high < 1.0)
}

/// The share of metadata in the difference of the mean times of a file.
fn share(faster: Spread, first: &Cell, here: &Cell) -> Option<f64> {
    let mean = |cell: &Cell, at: usize| cell.lap.busy_ns[at] as f64 / cell.lap.files.max(1) as f64;
    let differences = [0, 1, 2, 3].map(|at| mean(first, at) - mean(here, at));
    let all: f64 = differences.iter().sum();
    let metadata = all - differences[2];
    // Where two parts pull in opposite directions a share means nothing beyond its ends.
    (is_clear(faster) && all != 0.0).then(|| (metadata / all).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::dataset::{FILE, READ};
    use stats::dice::Dice;

    fn lap(files: u64, open_ns: u64, read_ns: u64) -> ReadLap {
        let mut lap = ReadLap::default();
        for _ in 0..files {
            lap.book(0, open_ns);
            lap.book(READ, read_ns);
            lap.book(FILE, open_ns + read_ns);
        }
        lap.files = files;
        lap.elapsed_ns = files * (open_ns + read_ns);
        lap
    }

    fn turn(round: u32, target: usize, lap: ReadLap) -> DatasetTurn {
        DatasetTurn {
            round,
            target,
            cold: Some(ColdBy::Files),
            readers: 1,
            lap,
            ..DatasetTurn::default()
        }
    }

    #[test]
    fn drift_that_both_share_falls_out_of_the_ratio() {
        let mut dice = Dice::new(3);
        let mut tally = DatasetTally::default();
        for round in 0..20 {
            // The machine gets slower all the time, by half in all.
            let drift = 1.0 + f64::from(round) / 20.0;
            let noise = |dice: &mut Dice| drift * (1.0 + 0.02 * dice.normal());
            let (one, other) = (noise(&mut dice), noise(&mut dice));
            let slow = lap(50, (60_000.0 * one) as u64, (60_000.0 * one) as u64);
            let fast = lap(50, (10_000.0 * other) as u64, (20_000.0 * other) as u64);
            tally.add(turn(round, 0, slow));
            tally.add(turn(round, 1, fast));
        }
        let pass = &tally.passes(1)[0];
        let faster = pass.faster.unwrap();
        assert!(
            faster.low.unwrap() < 4.0 && 4.0 < faster.high.unwrap(),
            "{faster:?}"
        );
        assert!(faster.half_width().unwrap() < 0.03, "{faster:?}");
        // Of 90 µs a file less, 50 are the opening.
        let share = pass.metadata_of_difference.unwrap();
        assert!((share - 50.0 / 90.0).abs() < 0.02, "{share}");
        let base = &tally.passes(0)[0];
        assert_eq!((base.faster, base.files, base.turns), (None, 1000, 20));
        assert!(
            base.files_per_s.half_width().unwrap() > 0.03,
            "the drift is in the rate itself"
        );
    }

    #[test]
    fn alike_targets_have_no_share_and_lost_files_no_ratio() {
        let mut tally = DatasetTally::default();
        for round in 0..10 {
            let wobble = 1000 + u64::from(round % 3);
            tally.add(turn(round, 0, lap(10, wobble, wobble)));
            tally.add(turn(round, 1, lap(10, 1001, 1001)));
            tally.add(turn(round, 2, lap(9, 10, 10)));
        }
        assert_eq!(tally.passes(1)[0].metadata_of_difference, None);
        assert_eq!(
            tally.passes(2)[0].faster,
            None,
            "other files than the first target's"
        );
    }

    #[test]
    fn a_file_is_counted_once_however_often_it_failed() {
        let mut tally = DatasetTally::default();
        for round in 0..3 {
            let mut lap = lap(5, 1, 1);
            lap.failed = vec![
                (7, ReadFailure::Vanished),
                (8 + round as usize, ReadFailure::Changed),
            ];
            tally.add(turn(round, 0, lap));
        }
        let failed = tally.failed(0);
        assert_eq!(failed[0], ("changed since the tree was listed".into(), 3));
        assert_eq!(failed[1], ("gone since the tree was listed".into(), 1));
        assert!(tally.failed(1).is_empty());
    }

    #[test]
    fn a_round_that_was_tried_counts_where_no_other_came() {
        let mut tally = DatasetTally::default();
        tally.add(turn(0, 0, lap(5, 1, 1)));
        tally.begin_anew();
        assert!(tally.passes(0).is_empty() && tally.fall_back());
        assert_eq!(tally.passes(0)[0].files, 5);
        tally.begin_anew();
        tally.add(turn(0, 0, lap(50, 1, 1)));
        assert!(!tally.fall_back());
        assert_eq!(tally.passes(0)[0].files, 50);
    }

    #[test]
    fn a_packed_file_is_compared_turn_by_turn() {
        let mut tally = DatasetTally::default();
        for round in 0..4 {
            tally.add(DatasetTurn {
                packed: Some((4096, 2500)),
                ..turn(round, 0, lap(10, 500, 500))
            });
        }
        let packed = tally.passes(0)[0].packed.clone().unwrap();
        assert!((packed.faster.mean - 4.0).abs() < 1e-9, "{packed:?}");
        assert_eq!(packed.bytes, 4 * 4096);
    }
}
