//! The test behind every comparison: a mixture supermartingale for clipped, conditionally symmetric differences.
//!
//! Within a pair the order of the two arms is a fair coin, so whatever the noise is (drift, regimes, neighbours,
//! heavy tails), the pair's log ratio minus the true effect is symmetric around zero given the past. For such terms
//! exp(λS − λ²V/2) is a supermartingale (de la Peña 1999); mixed over λ ~ N(0, 1/ρ) it gives a boundary that S
//! crosses with probability at most α at any time (Robbins 1970; Howard et al. 2021). Clipping is odd and keeps the
//! symmetry.

/// Frozen parameters of the test, from the calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EvidenceScale {
    /// Differences are clipped at this, on the logarithmic scale.
    pub clip_ln: f64,
    /// Mixing weight ρ: the boundary is tightest when V is about 8 ρ.
    pub rho: f64,
}

impl EvidenceScale {
    /// Clip at four deviations; tightest after thirty pairs.
    pub(super) fn from_deviation(deviation_ln: f64) -> Self {
        EvidenceScale {
            clip_ln: 4.0 * deviation_ln,
            rho: 30.0 * deviation_ln * deviation_ln / 8.0,
        }
    }

    /// The two-sided boundary for |S| at error probability `alpha`.
    fn boundary(&self, square: f64, alpha: f64) -> f64 {
        ((square + self.rho)
            * ((square + self.rho) / (self.rho * alpha * alpha))
                .ln()
                .max(0.0))
        .sqrt()
    }
}

/// Running sums for one hypothesis about the effect.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    sum: f64,
    square: f64,
}

impl Sums {
    /// Adds a difference, already reduced by the hypothesised effect.
    pub(super) fn add(&mut self, scale: &EvidenceScale, difference_ln: f64) {
        let clipped = difference_ln.clamp(-scale.clip_ln, scale.clip_ln);
        self.sum += clipped;
        self.square += clipped * clipped;
    }

    /// Whether an effect above the hypothesised one is proved, one-sided at `alpha`.
    pub(super) fn is_above(&self, scale: &EvidenceScale, alpha: f64) -> bool {
        self.sum > scale.boundary(self.square, 2.0 * alpha)
    }

    /// Whether an effect below the hypothesised one is proved, one-sided at `alpha`.
    pub(super) fn is_below(&self, scale: &EvidenceScale, alpha: f64) -> bool {
        self.sum < -scale.boundary(self.square, 2.0 * alpha)
    }

    /// The sum itself, which orders arms in a race.
    pub(super) fn sum(&self) -> f64 {
        self.sum
    }
}

/// The effects that the differences do not reject, two-sided at `alpha`; the whole line for no differences.
pub(super) fn interval(scale: &EvidenceScale, differences_ln: &[f64], alpha: f64) -> (f64, f64) {
    let rejected = |effect_ln: f64| {
        let mut sums = Sums::default();
        differences_ln
            .iter()
            .for_each(|difference| sums.add(scale, difference - effect_ln));
        sums.sum.abs() >= scale.boundary(sums.square, alpha)
    };
    let centre = stats::huber(differences_ln);
    let edge = |direction: f64| {
        let far = (0..40).map(|power| direction * scale.clip_ln * f64::from(power).exp2() / 4.0);
        let Some(mut outside) = far
            .map(|step| centre + step)
            .find(|effect| rejected(*effect))
        else {
            return direction * f64::INFINITY;
        };
        let mut inside = centre;
        for _ in 0..40 {
            let middle = (inside + outside) / 2.0;
            if rejected(middle) {
                outside = middle
            } else {
                inside = middle
            }
        }
        outside
    };
    (edge(-1.0), edge(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Coin;

    /// Symmetric, heavy-tailed, with a scale that depends on the past: everything the theorem allows.
    fn crossing_share(runs: u64) -> f64 {
        let scale = EvidenceScale::from_deviation(0.02);
        let crossed = (0..runs).filter(|&seed| {
            let mut noise = Coin::new(seed);
            let mut sums = Sums::default();
            let mut spread = 0.02;
            (0..300).any(|_| {
                let uniform = f64::from(noise.word()) / f64::from(u32::MAX);
                let size = spread * (-uniform.max(1e-9).ln());
                let sign = if noise.heads() { 1.0 } else { -1.0 };
                spread = if size > 0.03 { 0.05 } else { 0.01 };
                sums.add(&scale, sign * size);
                sums.is_above(&scale, 0.025) || sums.is_below(&scale, 0.025)
            })
        });
        crossed.count() as f64 / runs as f64
    }

    #[test]
    fn peeking_after_every_pair_keeps_the_error() {
        assert!(crossing_share(2_000) <= 0.05);
    }

    #[test]
    fn the_interval_holds_the_truth_and_shrinks() {
        let scale = EvidenceScale::from_deviation(0.02);
        let differences: Vec<f64> = (0..200)
            .map(|i| 0.1 + 0.02 * f64::from(i % 5 - 2))
            .collect();
        let (wide_low, wide_high) = interval(&scale, &differences[..20], 0.05);
        let (low, high) = interval(&scale, &differences, 0.05);
        assert!(low < 0.1 && high > 0.1);
        assert!(high - low < wide_high - wide_low);
        assert!(interval(&scale, &[], 0.05).1.is_infinite());
    }
}
