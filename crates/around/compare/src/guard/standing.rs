//! How the newest of a series of visits stands to those before it.
//!
//! A single visit tells little: a neighbour's burst, a battery that relearns, a backup. So what is out of the usual range is
//! suspected first, and believed when the next visit is out of it on the same side. The range is learnt from the series
//! itself: it is as wide as the series scatters, and never narrower than what is worth a page at night.

use stats::{mad_sd, median};

/// So many visits are needed before one is judged.
pub const LEARNING_VISITS: usize = 8;
/// So many visits in a row on one side are believed.
const IN_A_ROW: usize = 2;
/// How many robust deviations from the middle are usual.
const DEVIATIONS: f64 = 3.75;
/// By how much of itself the scatter of few visits is taken larger, for each visit: it is badly known.
const FEW: f64 = 4.0;
/// How far beyond the farthest pair of neighbours a pair has to lie.
const REACH: f64 = 1.4;

/// How a visit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Out of the usual range on the bad side.
    Worse,
    /// Out of it on the good side.
    Better,
}

/// How the newest visit stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The visits that the usual range is made of.
    pub usual_visits: usize,
    /// Middle of the usual range, as a logarithm; none while it is learnt.
    pub usual_ln: Option<f64>,
    /// How far from it is usual.
    pub half_ln: f64,
    /// On which side the newest visit is out of it.
    pub side: Option<Side>,
    /// The first of the visits in a row that are out of it on that side.
    pub since: Option<usize>,
    /// Whether so many visits say so that it is believed.
    pub is_believed: bool,
}

/// Of logarithms of values, more is better, the oldest first. A range is never narrower than `least_ln` on each side.
pub fn standing(values: &[f64], least_ln: f64) -> Standing {
    let mut usual = Usual::new(least_ln);
    values
        .iter()
        .enumerate()
        .for_each(|(index, value)| usual.take(index, *value, values));
    let range = usual.range();
    Standing {
        usual_visits: usual.values.len(),
        usual_ln: range.map(|(middle, _)| middle),
        half_ln: range.map_or(0.0, |(_, half)| half),
        side: usual.side,
        since: usual.out.first().copied(),
        is_believed: usual.out.len() >= IN_A_ROW,
    }
}

/// What is usual, and the visits since that are out of it.
struct Usual {
    least_ln: f64,
    values: Vec<f64>,
    side: Option<Side>,
    out: Vec<usize>,
}

impl Usual {
    fn new(least_ln: f64) -> Usual {
        Usual {
            least_ln,
            values: Vec::new(),
            side: None,
            out: Vec::new(),
        }
    }

    fn take(&mut self, index: usize, value: f64, all: &[f64]) {
        let side = self
            .range()
            .and_then(|(middle, half)| match value - middle {
                away if away < -half => Some(Side::Worse),
                away if away > half => Some(Side::Better),
                _ => None,
            });
        if side != self.side || side.is_none() {
            // A single one was chance, and chance is usual. What was believed was not.
            if let [only] = self.out[..] {
                self.values.push(all[only]);
            }
            self.out.clear();
        }
        self.side = side;
        match side {
            None => self.values.push(value),
            Some(_) => self.out.push(index),
        }
        // Nobody has to accept what got better: what lasts is the usual.
        if self.side == Some(Side::Better) && self.out.len() >= LEARNING_VISITS {
            self.values = self.out.drain(..).map(|index| all[index]).collect();
            self.side = None;
        }
    }

    /// Middle and half of the usual range; none while it is learnt.
    fn range(&self) -> Option<(f64, f64)> {
        if self.values.len() < LEARNING_VISITS {
            return None;
        }
        let middle = median(&self.values);
        let away: Vec<f64> = self.values.iter().map(|value| value - middle).collect();
        let scatter = mad_sd(&away) * (1.0 + FEW / self.values.len() as f64);
        let pairs = away.windows(IN_A_ROW).map(|pair| match pair {
            [one, other] if one * other > 0.0 => one.abs().min(other.abs()),
            _ => 0.0,
        });
        let farthest = pairs.fold(0.0, f64::max);
        let half = self
            .least_ln
            .max(DEVIATIONS * scatter)
            .max(REACH * farthest);
        Some((middle, half))
    }
}
