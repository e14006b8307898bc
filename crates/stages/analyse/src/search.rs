//! The order in which loads are tried when the highest one that keeps a latency is looked for.
//!
//! From the lightest load up in doublings until one fails, then the distance is halved (on the logarithm) until the
//! loads are neighbours. Single windows err, so the pair is then measured several times in random order, and moves down
//! or up by one step where that says otherwise.

use model::search::{Lever, SearchStep};

/// Neighbouring rates differ by this factor; depths by one, and above 20 by a twentieth.
const RATE_STEP: f64 = 1.03;

/// How often the confirmed pair may move before the last one is taken as it is.
const MOVES: u32 = 8;

/// What to measure next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// One window at a load.
    Window(SearchStep, f64),
    /// Several at each of two loads: the answer, and the one above it. Either may be missing.
    Confirm {
        /// The load that should keep the goal.
        best: Option<f64>,
        /// The load that should not.
        above: Option<f64>,
    },
    /// The pair last confirmed is the answer.
    Done,
}

/// The search.
#[derive(Clone, Debug)]
pub struct Ladder {
    lever: Lever,
    floor: f64,
    ceiling: f64,
    kept: Option<f64>,
    failed: Option<f64>,
    moves: u32,
    is_done: bool,
}

impl Ladder {
    /// From the lightest load to the heaviest.
    pub fn new(lever: Lever, floor: f64, ceiling: f64) -> Ladder {
        Ladder {
            lever,
            floor,
            ceiling: ceiling.max(floor),
            kept: None,
            failed: None,
            moves: 0,
            is_done: false,
        }
    }

    /// What to measure next.
    pub fn next(&self) -> Next {
        if self.is_done {
            return Next::Done;
        }
        match (self.kept, self.failed) {
            (None, None) => Next::Window(SearchStep::Bracket, self.floor),
            (Some(kept), None) if kept < self.ceiling => Next::Window(
                SearchStep::Bracket,
                self.whole(kept * 2.0).min(self.ceiling),
            ),
            (Some(kept), Some(failed)) if failed > self.above(kept) => {
                Next::Window(SearchStep::Bisect, self.between(kept, failed))
            }
            (best, above) => Next::Confirm { best, above },
        }
    }

    /// The outcome of a window.
    pub fn tell(&mut self, level: f64, kept: bool) {
        *(if kept {
            &mut self.kept
        } else {
            &mut self.failed
        }) = Some(level);
    }

    /// The outcome of the pair that was to be confirmed. Where one of them says otherwise, the pair moves a step.
    pub fn confirmed(&mut self, best_kept: Option<bool>, above_kept: Option<bool>) {
        let (best, above) = (self.kept, self.failed);
        self.is_done = true;
        if self.moves == MOVES {
            return;
        }
        match (best, above) {
            (Some(level), _) if best_kept == Some(false) => {
                self.failed = Some(level);
                self.kept = Some(self.below(level)).filter(|below| *below < level);
            }
            (_, Some(level)) if above_kept == Some(true) => {
                self.kept = Some(level);
                self.failed = Some(self.above(level)).filter(|_| level < self.ceiling);
            }
            _ => return,
        }
        self.moves += 1;
        self.is_done = false;
    }

    fn whole(&self, level: f64) -> f64 {
        if self.lever == Lever::Iodepth {
            level.round().max(1.0)
        } else {
            level
        }
    }

    fn above(&self, level: f64) -> f64 {
        let next = match self.lever {
            Lever::Iodepth => level + (level / 20.0).floor().max(1.0),
            Lever::Rate => level * RATE_STEP,
        };
        next.min(self.ceiling)
    }

    fn below(&self, level: f64) -> f64 {
        let next = match self.lever {
            Lever::Iodepth => level - (level / 20.0).floor().max(1.0),
            Lever::Rate => level / RATE_STEP,
        };
        next.max(self.floor)
    }

    fn between(&self, kept: f64, failed: f64) -> f64 {
        let middle = self.whole((kept * failed).sqrt());
        match self.lever {
            Lever::Iodepth => middle.clamp(kept + 1.0, failed - 1.0),
            Lever::Rate => middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    /// Runs a search on a device whose latency is a function of the load, with noise on each window.
    fn run(
        mut ladder: Ladder,
        limit: f64,
        noise: f64,
        seed: u64,
        latency: impl Fn(f64) -> f64,
    ) -> (Ladder, u32) {
        let mut dice = Dice::new(seed);
        let mut windows = 0;
        loop {
            let mut window = |level: f64| {
                windows += 1;
                latency(level) * (noise * dice.normal()).exp()
            };
            match ladder.next() {
                Next::Done => return (ladder, windows),
                Next::Window(_, level) => {
                    let kept = window(level) <= limit;
                    ladder.tell(level, kept);
                }
                Next::Confirm { best, above } => {
                    let mut kept = |level: f64| {
                        let sum: f64 = (0..5).map(|_| window(level).ln()).sum();
                        (sum / 5.0).exp() <= limit
                    };
                    let (best, above) = (best.map(&mut kept), above.map(&mut kept));
                    ladder.confirmed(best, above);
                }
            }
            assert!(windows < 300, "the search must end");
        }
    }

    #[test]
    fn finds_the_depth_of_a_closed_device() {
        for truth in 1..=20 {
            // Latency is proportional to depth; the limit lies in the middle between two depths.
            let ladder = Ladder::new(Lever::Iodepth, 1.0, 256.0);
            let (found, windows) = run(ladder, f64::from(truth) + 0.5, 0.0, 1, |depth| depth);
            assert_eq!(
                (found.kept, found.failed),
                (Some(f64::from(truth)), Some(f64::from(truth + 1)))
            );
            assert!(windows < 30, "{windows} for {truth}");
        }
        let (found, _) = run(
            Ladder::new(Lever::Iodepth, 1.0, 256.0),
            150.5,
            0.0,
            1,
            |depth| depth,
        );
        assert!(
            (143.0..=150.0).contains(&found.kept.unwrap()),
            "a twentieth is near enough"
        );
    }

    #[test]
    fn finds_the_rate_of_an_open_queue() {
        // M/M/1 with a capacity of 1,000: the mean is 5 ms at 800 per second.
        let near = (0..200).filter(|seed| {
            let ladder = Ladder::new(Lever::Rate, 10.0, 1_000.0);
            let (found, _) = run(ladder, 5.0, 0.05, *seed, |rate| {
                1_000.0 / (1_000.0 - rate).max(1.0)
            });
            (found.kept.unwrap() / 800.0 - 1.0).abs() < 0.05
        });
        assert!(near.count() >= 190);
    }

    #[test]
    fn noise_in_a_window_is_repaired_by_confirmation() {
        let near = (0..200).filter(|seed| {
            let ladder = Ladder::new(Lever::Iodepth, 1.0, 256.0);
            let (found, _) = run(ladder, 16.5, 0.1, *seed, |depth| depth);
            (15.0..=18.0).contains(&found.kept.unwrap())
        });
        assert!(near.count() >= 186);
    }

    #[test]
    fn the_ends_are_answers_too() {
        let (all, _) = run(
            Ladder::new(Lever::Iodepth, 1.0, 64.0),
            1e9,
            0.1,
            1,
            |depth| depth,
        );
        assert_eq!((all.kept, all.failed), (Some(64.0), None));
        let (none, _) = run(
            Ladder::new(Lever::Iodepth, 1.0, 64.0),
            0.1,
            0.1,
            1,
            |depth| depth,
        );
        assert_eq!((none.kept, none.failed), (None, Some(1.0)));
        let (one, _) = run(
            Ladder::new(Lever::Iodepth, 1.0, 1.0),
            2.0,
            0.0,
            1,
            |depth| depth,
        );
        assert_eq!((one.kept, one.failed), (Some(1.0), None));
    }
}
