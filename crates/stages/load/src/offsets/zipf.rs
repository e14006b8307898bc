//! Zipf's law over any number of ranks, in constant memory and constant time for each draw.
//!
//! Rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6, 1996): the area below a continuous hat of the same shape is inverted in closed form,
//! and a draw is rejected with a probability that stays below a few per cent whatever the number of ranks.

use stats::dice::Random;

/// Ranks `1..=count`, rank k with a share proportional to `k^-theta`.
#[derive(Clone, Debug)]
pub struct Zipf {
    count: f64,
    theta: f64,
    /// Areas under the hat at both ends.
    first: f64,
    last: f64,
    /// Distance to a rank below which a draw is accepted without a look at the hat.
    near: f64,
}

impl Zipf {
    /// `count` is at least 1, `theta` positive; 1 is allowed.
    pub fn new(count: u64, theta: f64) -> Zipf {
        let count = count as f64;
        let near = 2.0 - inverse_area(area(2.5, theta) - share(2.0, theta), theta);
        Zipf {
            count,
            theta,
            first: area(1.5, theta) - 1.0,
            last: area(count + 0.5, theta),
            near,
        }
    }

    /// A rank, from 0: 0 is the most frequent.
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let under = self.last + random.unit() * (self.first - self.last);
            let x = inverse_area(under, self.theta);
            let rank = (x + 0.5).floor().clamp(1.0, self.count);
            if rank - x <= self.near
                || under >= area(rank + 0.5, self.theta) - share(rank, self.theta)
            {
                return rank as u64 - 1;
            }
        }
    }
}

/// `x^-theta`.
fn share(x: f64, theta: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// The integral of [`share`] from 1 to x, which is the logarithm at theta 1.
fn area(x: f64, theta: f64) -> f64 {
    let log = x.ln();
    let t = (1.0 - theta) * log;
    // Near 0 the quotient loses all digits; its series does not.
    let factor = if t.abs() > 1e-8 {
        t.exp_m1() / t
    } else {
        1.0 + t * 0.5 * (1.0 + t / 3.0 * (1.0 + 0.25 * t))
    };
    factor * log
}

fn inverse_area(area: f64, theta: f64) -> f64 {
    // Rounding may bring it a little below the pole.
    let t = (area * (1.0 - theta)).max(-1.0);
    let factor = if t.abs() > 1e-8 {
        t.ln_1p() / t
    } else {
        1.0 - t * (0.5 - t * (1.0 / 3.0 - 0.25 * t))
    };
    (factor * area).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offsets::skew::tests::chi_square_fits;

    #[test]
    fn ranks_follow_the_law() {
        for (count, theta) in [
            (1u64, 1.2),
            (2, 0.5),
            (50, 0.8),
            (1000, 1.0),
            (1000, 1.1),
            (100_000, 1.2),
            (300, 3.0),
        ] {
            let zipf = Zipf::new(count, theta);
            let mut random = Random::new(count ^ 77);
            let all: f64 = (1..=count).map(|rank| (rank as f64).powf(-theta)).sum();
            let shares: Vec<f64> = (1..=count)
                .map(|rank| (rank as f64).powf(-theta) / all)
                .collect();
            let draws: Vec<usize> = (0..400_000)
                .map(|_| zipf.draw(&mut random) as usize)
                .collect();
            chi_square_fits(&format!("zipf {theta} of {count}"), &shares, &draws);
        }
    }

    #[test]
    fn a_petabyte_of_ranks_is_as_cheap() {
        let count = 1u64 << 40;
        for theta in [0.5, 0.99, 1.2, 2.0] {
            let zipf = Zipf::new(count, theta);
            let mut random = Random::new(5);
            let draws: Vec<u64> = (0..200_000).map(|_| zipf.draw(&mut random)).collect();
            assert!(draws.iter().all(|rank| *rank < count));
            // The share of the first thousand, against the sum (Euler and Maclaurin for the rest).
            let head: f64 = (1..=1000).map(|rank| f64::from(rank).powf(-theta)).sum();
            let tail = area(count as f64 + 0.5, theta) - area(1000.5, theta);
            let wanted = head / (head + tail);
            let found =
                draws.iter().filter(|rank| **rank < 1000).count() as f64 / draws.len() as f64;
            let sigma = (wanted * (1.0 - wanted) / draws.len() as f64).sqrt();
            assert!(
                (found - wanted).abs() < 4.5 * sigma + 1e-6,
                "theta {theta}: {found} for {wanted}"
            );
        }
    }
}
