//! Shares of runs, with their spread.

/// A share of runs with its 95 % Wilson interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Runs that count.
    pub hits: usize,
    /// All runs.
    pub runs: usize,
}

impl Share {
    /// Counts the runs for which `test` holds.
    pub fn of<'a, Run: 'a>(
        runs: impl IntoIterator<Item = &'a Run>,
        test: impl Fn(&Run) -> bool,
    ) -> Self {
        let mut share = Share::default();
        for run in runs {
            share.runs += 1;
            share.hits += usize::from(test(run));
        }
        share
    }

    /// The share itself.
    pub fn value(&self) -> f64 {
        self.hits as f64 / self.runs.max(1) as f64
    }

    /// The 95 % interval (Wilson 1927).
    pub fn wilson(&self) -> (f64, f64) {
        let (p, n, z) = (self.value(), self.runs.max(1) as f64, 1.96f64);
        let centre = p + z * z / (2.0 * n);
        let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        (
            ((centre - reach) / scale).max(0.0),
            ((centre + reach) / scale).min(1.0),
        )
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (low, high) = self.wilson();
        write!(
            f,
            "{:.1} ({:.1}–{:.1})",
            self.value() * 100.0,
            low * 100.0,
            high * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_matches_the_textbook() {
        let (low, high) = Share { hits: 0, runs: 100 }.wilson();
        assert!(low == 0.0 && (high - 0.037).abs() < 0.001);
    }
}
