//! Random variates from seeded dice; only what the devices need.

use stats::dice::Dice;

/// A seeded stream of random variates.
#[derive(Clone, Debug)]
pub struct Draw {
    stream: Dice,
    spare: Option<f64>,
}

impl Draw {
    /// The stream that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Draw {
            stream: Dice::new(seed),
            spare: None,
        }
    }

    /// Uniform from 0 up to, not including, 1.
    pub fn uniform(&mut self) -> f64 {
        self.stream.share()
    }

    /// Normal with mean 0 and standard deviation 1, by the polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }

    /// Poisson with a small mean, by counting exponential gaps.
    pub fn poisson(&mut self, mean: f64) -> u32 {
        let mut count = 0;
        let mut sum = self.exponential(1.0);
        while sum < mean {
            count += 1;
            sum += self.exponential(1.0);
        }
        count
    }

    /// Student's t with a small whole number of degrees of freedom.
    pub fn student(&mut self, freedom: u32) -> f64 {
        let squares: f64 = (0..freedom).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / f64::from(freedom)).sqrt()
    }

    /// A whole number below `bound`, which must be above zero.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_right() {
        let mut draw = Draw::new(1);
        let n = 40_000;
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / n as f64;
        assert!(mean((0..n).map(|_| draw.normal()).collect()).abs() < 0.02);
        assert!((mean((0..n).map(|_| draw.normal().powi(2)).collect()) - 1.0).abs() < 0.04);
        assert!((mean((0..n).map(|_| draw.exponential(3.0)).collect()) - 3.0).abs() < 0.1);
        assert!((mean((0..n).map(|_| f64::from(draw.poisson(6.0))).collect()) - 6.0).abs() < 0.1);
    }
}
