//! The turns: in each round all places read the same files, in an order that is drawn anew, so that whatever drifts is
//! shared by all of them.

use super::DatasetArgs;
use super::args::OrderArg;
use super::places::{Place, Places};
use crate::exit::Failure;
use crate::live::Teller;
use analyse::dataset::{DatasetTally, DatasetTurn};
use host::signals::Stop;
use host::{clock, data_tree};
use load::dataset::{Dropped, SampleFile, tar_bytes};
use model::dataset::{ColdBy, DatasetPass, ReadLap};
use model::units;
use stats::dice::{Coin, Dice};
use std::collections::HashSet;

/// Files of a round at most: so many that a round is long beside starting its readers.
const ROUND_FILES_MAX: usize = 500;
/// Rounds that an epoch is cut into at least, where it has so many files: their spread is the interval.
const EPOCH_ROUNDS: usize = 20;
/// Rounds that the time is to suffice for.
const BUDGET_ROUNDS: u64 = 24;
/// Files that are read as they are found, before anything else.
const FOUND_FILES: usize = 256;
/// The share of the time that this may take.
const FOUND_SHARE: u64 = 20;
/// Files of the first round at most, which is not counted where others follow: it says how long those may be.
const FIRST_FILES: usize = 16;
/// Bytes of these; one file may pass it.
const FIRST_BYTES: u64 = 8 << 20;

/// What came of all turns.
#[derive(Debug, Default)]
pub struct ReadingDone {
    /// The figures.
    pub tally: DatasetTally,
    /// Whether the budget or a signal ended them before all epochs were done.
    pub is_cut: bool,
    /// What has to be said of them.
    pub notes: Vec<String>,
}

struct Turns<'a> {
    places: &'a mut [Place],
    sample: &'a [SampleFile],
    cold: Option<ColdBy>,
    readers: Vec<u32>,
    coin: Coin,
    stop: &'a Stop,
    /// When the time is over, ns of the monotonic clock.
    end_ns: u64,
    tally: DatasetTally,
    /// Files that could not be read somewhere: they are left out from then on.
    lost: HashSet<usize>,
    round: u32,
}

/// Reads all epochs, or as many as the budget lasts for.
pub fn read(
    args: &DatasetArgs,
    places: &mut Places,
    sample: &[SampleFile],
    (seed, budget_ms): (u64, u64),
    (stop, teller): (&Stop, &Teller),
) -> Result<ReadingDone, Failure> {
    let mut turns = Turns {
        places: &mut places.all,
        sample,
        cold: args.cold.by(),
        readers: args.readers(),
        coin: Coin::new(seed),
        stop,
        end_ns: clock::monotonic_ns() + budget_ms * 1_000_000,
        tally: DatasetTally::default(),
        lost: HashSet::new(),
        round: 0,
    };
    // Drawn at random whatever the order: the first of a listing lie beside each other.
    let mut first = order(sample.len(), OrderArg::Random, seed, args.epochs);
    first.truncate(FOUND_FILES);
    for place in turns.places.iter_mut().filter(|place| !place.is_scratch()) {
        place.found = found(place, &first, budget_ms / FOUND_SHARE, stop)?;
    }
    let size = turns.first_round(budget_ms)?;
    let mut is_cut = false;
    let mut rounds = 0u64;
    let of = (sample.len().div_ceil(size) as u64) * u64::from(args.epochs);
    'all: for epoch in 0..args.epochs {
        let order = order(sample.len(), args.order, seed, epoch);
        for block in order.chunks(size) {
            teller.say(format!("reading: round {} of {of}", rounds + 1));
            is_cut = turns.is_over() || !turns.round(block, false)?;
            if is_cut {
                break 'all;
            }
            rounds += 1;
        }
    }
    let mut tally = turns.tally;
    let by = if stop.is_asked() {
        "a signal"
    } else {
        "the budget"
    };
    let mut notes = Vec::new();
    if tally.fall_back() {
        notes.push(format!(
            "{by} ended it before the first round that counts: the figures are those of a short one that only tries how \
             long the others may be"
        ));
    } else if is_cut {
        notes.push(cut_note((rounds, of), by, args.order));
    }
    Ok(ReadingDone {
        tally,
        is_cut,
        notes,
    })
}

/// That not all rounds were read, and what those hold that were.
fn cut_note((rounds, of): (u64, u64), by: &str, order: OrderArg) -> String {
    let held = match order {
        OrderArg::Random => "they hold files drawn at random as the others do",
        OrderArg::Listed => {
            "the last ones are missing, so files that are listed early count more than others"
        }
    };
    let count = |count: u64| units::count(count as f64);
    format!(
        "{} of {} rounds were read before {by} ended it; {held}",
        count(rounds),
        count(of)
    )
}

/// The first reads, as caches happen to be. Whatever is cold later has been opened before.
fn found(
    place: &Place,
    first: &[usize],
    most_ms: u64,
    stop: &Stop,
) -> Result<Option<DatasetPass>, Failure> {
    let end_ns = clock::monotonic_ns() + most_ms * 1_000_000;
    let mut all = ReadLap::default();
    for some in first.chunks(FIRST_FILES) {
        if stop.is_asked() || clock::monotonic_ns() > end_ns {
            break;
        }
        let lap = place.reading.read(some, 1, stop)?;
        all.elapsed_ns += lap.elapsed_ns;
        all.add(&lap);
    }
    Ok(analyse::dataset::of_lap(&all, 1))
}

/// The places of the first round's files: the first of these lengths, as long as they are few and short.
fn first_files(lengths: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut sum = 0u64;
    let is_short = |(place, bytes): &(usize, u64)| {
        sum = sum.saturating_add(*bytes);
        *place == 0 || sum <= FIRST_BYTES
    };
    let first = lengths.take(FIRST_FILES).enumerate().take_while(is_short);
    first.map(|(place, _)| place).collect()
}

/// The places of an epoch's files in the sample.
fn order(files: usize, order: OrderArg, seed: u64, epoch: u32) -> Vec<usize> {
    let mut places: Vec<usize> = (0..files).collect();
    if order == OrderArg::Random {
        Dice::new(stats::dice::mix64(seed ^ u64::from(epoch))).shuffle(&mut places);
    }
    places
}

impl Turns<'_> {
    fn is_over(&self) -> bool {
        self.stop.is_asked() || clock::monotonic_ns() > self.end_ns
    }

    /// A round that is not counted where others follow; how many files those have.
    fn first_round(&mut self, budget_ms: u64) -> Result<usize, Failure> {
        let even = self
            .sample
            .len()
            .div_ceil(EPOCH_ROUNDS)
            .clamp(1, ROUND_FILES_MAX);
        let first = first_files(self.sample.iter().map(|file| file.bytes));
        if first.is_empty() || self.stop.is_asked() {
            return Ok(even);
        }
        let begun_ns = clock::monotonic_ns();
        self.round(&first, true)?;
        let file_ns = (clock::monotonic_ns() - begun_ns) / first.len() as u64;
        self.tally.begin_anew();
        let affordable = budget_ms * 1_000_000 / BUDGET_ROUNDS / file_ns.max(1);
        Ok(even.min((affordable as usize).max(1)))
    }

    /// All places read these files; whether there was time for it. Of the first round all places read them by one number
    /// of readers in any case, for else there would be nothing to tell.
    fn round(&mut self, block: &[usize], is_first: bool) -> Result<bool, Failure> {
        let block: Vec<usize> = block
            .iter()
            .copied()
            .filter(|index| !self.lost.contains(index))
            .collect();
        if block.is_empty() {
            return Ok(true);
        }
        let order = self.coin.order(self.readers.len());
        for (turn, readers) in order.into_iter().enumerate() {
            let readers = self.readers[readers];
            for place in self.coin.order(self.places.len()) {
                let is_needed = is_first && turn == 0;
                if !is_needed && self.is_over() {
                    return Ok(false);
                }
                self.one(place, &block, readers)?;
            }
        }
        self.round += 1;
        Ok(true)
    }

    /// One place with so many readers: cold, then warm, files and packed file in an order of their own.
    fn one(&mut self, at: usize, block: &[usize], readers: u32) -> Result<(), Failure> {
        let lengths = block.iter().map(|index| self.sample[*index].bytes);
        let bytes = lengths.map(tar_bytes).fold(0, u64::saturating_add);
        let is_packed_first = self.coin.heads();
        let mut packed = Vec::new();
        if is_packed_first {
            packed = self.packed(at, bytes, readers)?;
        }
        let laps = self.files(at, block, readers)?;
        if !is_packed_first {
            packed = self.packed(at, bytes, readers)?;
        }
        if self.stop.is_asked() {
            // What a signal cut short is no turn.
            return Ok(());
        }
        let packed = packed.into_iter().map(Some).chain(std::iter::repeat(None));
        for (mut turn, packed) in laps.into_iter().zip(packed) {
            turn.packed = packed;
            self.lost
                .extend(turn.lap.failed.iter().map(|(index, _)| *index));
            self.tally.add(turn);
        }
        Ok(())
    }

    /// Cold where it is asked for, then warm.
    fn files(
        &mut self,
        at: usize,
        block: &[usize],
        readers: u32,
    ) -> Result<Vec<DatasetTurn>, Failure> {
        let (round, stop) = (self.round, self.stop);
        let place = &mut self.places[at];
        let turn = |cold, lap: ReadLap| DatasetTurn {
            round,
            target: at,
            cold,
            readers,
            lap,
            ..DatasetTurn::default()
        };
        let mut turns = Vec::new();
        match self.cold {
            Some(by) => {
                let dropped = place.reading.drop_pages(block);
                if by == ColdBy::Machine {
                    data_tree::drop_all_caches()?;
                }
                let before = place.device_bytes();
                let lap = place.reading.read(block, readers, stop)?;
                let after = place.device_bytes();
                turns.push(DatasetTurn {
                    device_bytes: before
                        .zip(after)
                        .map(|(before, after)| after.saturating_sub(before)),
                    cached: cached(by, dropped),
                    ..turn(Some(by), lap)
                });
            }
            None => drop(place.reading.read(block, readers, stop)?),
        }
        turns.push(turn(None, place.reading.read(block, readers, stop)?));
        Ok(turns)
    }

    /// The same bytes from one file: cold where it is asked for, then warm. Bytes and ns of each.
    fn packed(&mut self, at: usize, bytes: u64, readers: u32) -> Result<Vec<(u64, u64)>, Failure> {
        let cold = self.cold;
        let Some(packed) = &mut self.places[at].packed else {
            return Ok(Vec::new());
        };
        let part = packed.next_part(bytes);
        let mut reads = Vec::new();
        match cold {
            Some(by) => {
                packed.drop_pages()?;
                if by == ColdBy::Machine {
                    data_tree::drop_all_caches()?;
                }
                reads.push((part.1, packed.read(part, readers)?));
            }
            None => drop(packed.read(part, readers)?),
        }
        reads.push((part.1, packed.read(part, readers)?));
        Ok(reads)
    }
}

/// What was still cached when the reading began. Of the whole machine's caches nobody looked again.
fn cached(by: ColdBy, dropped: Dropped) -> Option<(u64, u64)> {
    let is_known = by == ColdBy::Files && dropped.asked_bytes > 0;
    is_known.then_some((dropped.asked_bytes, dropped.cached_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_epoch_has_an_order_of_its_own_and_a_seed_repeats_it() {
        let first = order(100, OrderArg::Random, 7, 0);
        assert_eq!(first, order(100, OrderArg::Random, 7, 0));
        assert_ne!(first, order(100, OrderArg::Random, 7, 1));
        assert_ne!(first, order(100, OrderArg::Random, 8, 0));
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, order(100, OrderArg::Listed, 7, 3));
    }

    #[test]
    fn the_first_round_has_few_bytes_and_at_least_one_file() {
        let of = |bytes: u64| first_files([bytes; 40].into_iter()).len();
        assert_eq!([of(0), of(1 << 20), of(8 << 20)], [16, 8, 1]);
        assert_eq!(
            [of(u64::MAX), first_files(std::iter::empty()).len()],
            [1, 0]
        );
    }

    #[test]
    fn what_a_listed_order_leaves_out_is_not_drawn_at_random() {
        let random = cut_note((3, 40), "the budget", OrderArg::Random);
        assert!(random.starts_with("3 of 40 rounds were read before the budget ended it; "));
        assert!(random.contains("drawn at random"), "{random}");
        let listed = cut_note((3, 40), "the budget", OrderArg::Listed);
        assert!(
            !listed.contains("random") && listed.contains("listed early"),
            "{listed}"
        );
    }
}
