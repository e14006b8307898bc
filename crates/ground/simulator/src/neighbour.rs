//! Another program on the disk, which takes a share of what the disk does.

use crate::draw::Draw;

/// What a neighbour is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// As many requests in flight all the time: a share of whatever the disk does.
    Steady,
    /// A fixed rate, which it gets whatever the disk does.
    Fixed,
    /// A share of whatever the disk does, in bursts of 1.5 s with 3 s of rest between them, both on average.
    Bursty,
    /// Asks for more a while after it got more, and for less after it got less.
    Reacting,
    /// A share of whatever the disk does, out of which each arm takes its effect: nothing is gained by it.
    Robbed,
}

/// Mean length of a burst and of the rest after it, in seconds.
const BURST_S: f64 = 1.5;
const REST_S: f64 = 3.0;
/// How fast a steady neighbour's share moves, and how far, as a logarithm.
const WANDER_S: f64 = 0.3;
const WANDER_LN: f64 = 0.05;
/// How long a reacting neighbour takes, and how much of the disk's change it answers with.
const REACTION_S: f64 = 1.0;
const REACTION: f64 = 0.3;
/// The own load keeps at least so much of the disk.
const OWN_MIN: f64 = 0.02;

/// A neighbour with its share of the disk's I/O while it works, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// What it is like.
    pub kind: Kind,
    /// Its share under the default on a quiet disk.
    pub share: f64,
}

impl Neighbour {
    /// The lasting effect on the own rate of an arm that changes what the disk does by `effect_ln`.
    pub fn lasting_ln(&self, effect_ln: f64) -> f64 {
        let kept = |share: f64| 1.0 - share;
        match self.kind {
            Kind::Steady | Kind::Bursty | Kind::Robbed => effect_ln,
            Kind::Fixed => ((effect_ln.exp() - self.share) / kept(self.share)).ln(),
            Kind::Reacting => {
                effect_ln + (kept(answering(self.share, effect_ln)) / kept(self.share)).ln()
            }
        }
    }
}

/// The share that a reacting neighbour ends with where the disk does `level_ln` more.
fn answering(share: f64, level_ln: f64) -> f64 {
    let odds = share / (1.0 - share) * (REACTION * level_ln).exp();
    odds / (1.0 + odds)
}

/// A neighbour at work.
#[derive(Clone, Debug)]
pub struct NeighbourAtWork {
    neighbour: Neighbour,
    wander_ln: f64,
    is_resting: bool,
    left_s: f64,
    felt_ln: f64,
}

impl NeighbourAtWork {
    /// Begins in the middle of whatever it does.
    pub fn new(neighbour: Neighbour, noise: &mut Draw) -> NeighbourAtWork {
        let is_resting = noise.uniform() < REST_S / (REST_S + BURST_S);
        NeighbourAtWork {
            neighbour,
            wander_ln: WANDER_LN * noise.normal(),
            is_resting,
            left_s: noise.exponential(if is_resting { REST_S } else { BURST_S }),
            felt_ln: 0.0,
        }
    }

    /// What the own load and the neighbour do in a step of a disk that does `total`, of which `arm_ln` is the arm's.
    pub fn split(&mut self, total: f64, arm_ln: f64, step_s: f64, noise: &mut Draw) -> (f64, f64) {
        let kept = (-step_s / WANDER_S).exp();
        self.wander_ln =
            kept * self.wander_ln + WANDER_LN * (1.0 - kept * kept).sqrt() * noise.normal();
        let share = (self.neighbour.share * self.wander_ln.exp()).min(1.0 - OWN_MIN);
        let taken = match self.neighbour.kind {
            Kind::Steady => total * share,
            Kind::Fixed => share.min(total * (1.0 - OWN_MIN)),
            Kind::Bursty => {
                self.left_s -= step_s;
                if self.left_s <= 0.0 {
                    self.is_resting = !self.is_resting;
                    self.left_s = noise.exponential(if self.is_resting { REST_S } else { BURST_S });
                }
                if self.is_resting { 0.0 } else { total * share }
            }
            Kind::Reacting => {
                self.felt_ln += (total.ln() - self.felt_ln) * (1.0 - (-step_s / REACTION_S).exp());
                total * answering(share, self.felt_ln)
            }
            Kind::Robbed => {
                let all = total / arm_ln.exp();
                let own = all * (1.0 - share) * arm_ln.exp();
                return (own.min(all), (all - own).max(0.0));
            }
        };
        (total - taken, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean rates of the own load and of the neighbour on a disk that does `total`, after a while.
    fn means(kind: Kind, share: f64, arm_ln: f64) -> (f64, f64) {
        let mut noise = Draw::new(7);
        let mut at_work = NeighbourAtWork::new(Neighbour { kind, share }, &mut noise);
        let steps = 200_000;
        let mut sums = (0.0, 0.0);
        for _ in 0..steps {
            let (own, others) = at_work.split(arm_ln.exp(), arm_ln, 0.01, &mut noise);
            sums = (sums.0 + own, sums.1 + others);
        }
        (sums.0 / f64::from(steps), sums.1 / f64::from(steps))
    }

    #[test]
    fn a_neighbour_takes_its_share_and_an_arm_has_its_lasting_effect() {
        for kind in [
            Kind::Steady,
            Kind::Fixed,
            Kind::Reacting,
            Kind::Bursty,
            Kind::Robbed,
        ] {
            for share in [0.2, 0.5, 0.8] {
                let (quiet, others) = means(kind, share, 0.0);
                let rest = if kind == Kind::Bursty { 1.0 / 3.0 } else { 1.0 };
                assert!(
                    (others / (quiet + others) - rest * share).abs() < 0.02,
                    "{kind:?}"
                );
                let effect_ln = 0.1f64.ln_1p();
                let found_ln = (means(kind, share, effect_ln).0 / quiet).ln();
                let truth_ln = Neighbour { kind, share }.lasting_ln(effect_ln);
                assert!(
                    (found_ln - truth_ln).abs() < 0.01,
                    "{kind:?} {share}: {found_ln} {truth_ln}"
                );
            }
        }
    }

    #[test]
    fn what_is_robbed_is_not_gained() {
        let (own, others) = means(Kind::Robbed, 0.5, 0.1);
        assert!(own > 0.54 && (own + others - 1.0).abs() < 1e-9);
    }
}
