//! Does the effect last? A regression of the level on how long an arm has acted.
//!
//! An arm that borrows from the future, or whose effect only builds up, looks constant inside short windows: the
//! debt sits half-way and moves both arms alike. Long residences move it. With x(t) the arm in place and E(t) its
//! exponentially weighted past share, the level is
//!
//! ```text
//! ln rate = short · x(t) + carried · E(t) + trend · t + noise,    lasting effect = short + carried
//! ```
//!
//! `carried` is −short for a debt that is paid back in full, and +effect for one that builds up slowly. The noise is
//! a random walk and a fast correlated part seen through white noise, with their ratios found by likelihood: regimes, neighbours and
//! drift then widen the error of `carried` instead of passing for it, and because debt falls under one arm and
//! recovers under the other, no steady drift imitates it.

/// Time constants tried, in milliseconds.
pub(super) const TAUS_MS: [u64; 9] = [125, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000];

/// The longest memory that a plan may declare, in milliseconds.
pub const MEMORY_MAX_MS: u64 = TAUS_MS[TAUS_MS.len() - 1];

/// The first time constant that is at least as long as a memory, in milliseconds.
pub(super) fn tau_beyond(memory_ms: u64) -> u64 {
    let beyond = TAUS_MS.into_iter().find(|tau_ms| *tau_ms >= memory_ms);
    beyond.unwrap_or(MEMORY_MAX_MS)
}

/// Past shares of an arm at one moment, one per time constant.
pub(super) type Exposure = [f64; TAUS_MS.len()];

/// Ages an exposure by a stretch under an arm (`acting` 1) or without it (`acting` 0).
pub(super) fn age(exposure: &Exposure, acting: f64, duration_ms: f64) -> Exposure {
    std::array::from_fn(|i| {
        acting + (exposure[i] - acting) * (-duration_ms / TAUS_MS[i] as f64).exp()
    })
}

/// One stretch of a residence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bin {
    /// Middle, in seconds of the experiment.
    pub at_s: f64,
    /// Level, with the known short effect taken out.
    pub level_ln: f64,
    /// Whether the arm was in place, where its short effect is still in the level.
    pub acting: f64,
    /// Variance relative to a full bin; short bins are noisier.
    pub variance: f64,
    /// Past share of the arm, by time constant.
    pub exposure: Exposure,
}

impl Bin {
    /// Neighbouring bins as one.
    pub(super) fn merged(bins: &[Bin]) -> Bin {
        let count = bins.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Bin) -> f64| bins.iter().map(of).sum::<f64>() / count;
        Bin {
            at_s: mean(&|bin| bin.at_s),
            level_ln: mean(&|bin| bin.level_ln),
            acting: mean(&|bin| bin.acting),
            variance: mean(&|bin| bin.variance) / count,
            exposure: std::array::from_fn(|tau| mean(&|bin| bin.exposure[tau])),
        }
    }
}

/// The carried part for one time constant, with the noise left open.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub tau_ms: u64,
    /// Most likely carried part.
    pub centre_ln: f64,
    /// Its error under the most likely noise.
    pub error_ln: f64,
    fits: Vec<Fit>,
}

impl Carried {
    /// Log likelihood ratio of a carried part of `size_ln` against none. Both sides are averaged over all the noise
    /// models, so a wiggle that a rougher noise explains as well is no evidence, and levels too noisy to tell give
    /// a ratio near zero whatever the estimate.
    pub(super) fn evidence_ln(&self, size_ln: f64) -> f64 {
        self.averaged(size_ln) - self.averaged(0.0)
    }

    fn averaged(&self, size_ln: f64) -> f64 {
        let each = self.fits.iter().map(|fit| fit.likelihood_ln(size_ln));
        let top = each.clone().fold(f64::NEG_INFINITY, f64::max);
        top + each
            .map(|likelihood| (likelihood - top).exp())
            .sum::<f64>()
            .ln()
    }
}

/// What is known about the short effect before the fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Short {
    /// Nothing: it is still in the levels.
    Unknown,
    /// It was measured with this error and taken out of the levels.
    Measured { error_ln: f64 },
}

/// Fits every time constant.
pub(super) fn fit(bins: &[Bin], short: Short) -> Vec<Carried> {
    (0..TAUS_MS.len())
        .filter_map(|tau| fit_one(bins, tau, short))
        .collect()
}

fn fit_one(bins: &[Bin], tau: usize, short: Short) -> Option<Carried> {
    let fits: Vec<Fit> = Noise::grid()
        .filter_map(|noise| fit_noise(whiten(bins, tau, noise), short))
        .collect();
    let best = fits.iter().max_by(|a, b| a.top().total_cmp(&b.top()))?;
    let error_ln = (best.residual / best.freedom / best.power).sqrt();
    let centre_ln = best.centre_ln;
    Some(Carried {
        tau_ms: TAUS_MS[tau],
        centre_ln,
        error_ln,
        fits,
    })
}

/// What the measured short effect is off by would pass for quick carry-over, so it is fitted as well, held near
/// nothing by a row that weighs as much as its measurement.
fn fit_noise(mut rows: Vec<CarryRow>, short: Short) -> Option<Fit> {
    if let Short::Measured { error_ln } = short {
        let alone = regress(&rows, false)?;
        let weight = (alone.residual / alone.freedom).sqrt() / error_ln.max(1e-6);
        rows.push(CarryRow {
            columns: [0.0, 0.0, weight, 0.0],
            variance_ln: 0.0,
        });
    }
    regress(&rows, true)
}

/// A regression under one noise model.
#[derive(Clone, Debug)]
struct Fit {
    centre_ln: f64,
    power: f64,
    residual: f64,
    freedom: f64,
    variances_ln: f64,
}

impl Fit {
    /// Log likelihood of a carried part, with the noise's scale at its best.
    fn likelihood_ln(&self, size_ln: f64) -> f64 {
        let residual = self.residual + self.power * (size_ln - self.centre_ln).powi(2);
        -0.5 * (self.variances_ln + self.freedom * residual.ln())
    }

    fn top(&self) -> f64 {
        self.likelihood_ln(self.centre_ln)
    }
}

/// Noise around the level, as variances over the white variance of a full bin: a part that forgets itself within
/// `fast_s` seconds, and a random walk per second for all that is slower.
#[derive(Clone, Copy, Debug)]
struct Noise {
    fast: f64,
    fast_s: f64,
    walk: f64,
}

impl Noise {
    fn grid() -> impl Iterator<Item = Noise> {
        let fast = [
            (0.0, 1.0),
            (1.0, 0.15),
            (4.0, 0.15),
            (1.0, 0.5),
            (4.0, 0.5),
            (16.0, 0.5),
        ];
        let walk = [0.0, 0.003, 0.01, 0.04, 0.2, 1.0, 5.0, 30.0];
        fast.into_iter().flat_map(move |(fast, fast_s)| {
            walk.into_iter()
                .map(move |walk| Noise { fast, fast_s, walk })
        })
    }
}

/// Columns of the regression: carried exposure, trend, short effect; last the level.
const COLUMNS: usize = 4;

/// A whitened row and the logarithm of its innovation variance.
struct CarryRow {
    columns: [f64; COLUMNS],
    variance_ln: f64,
}

/// Variance of a level of which nothing is known.
const UNKNOWN: f64 = 1e8;

/// Runs the two-state Kalman filter (fast part, random walk) over every column; with the same gains for all, the
/// scaled innovations are the columns of an ordinary regression (Rosenberg 1973). The first bin only sets the level.
fn whiten(bins: &[Bin], tau: usize, noise: Noise) -> Vec<CarryRow> {
    let mut means = [[0.0; COLUMNS]; 2];
    let (mut fast, mut both, mut walk) = (noise.fast, 0.0, UNKNOWN);
    let mut before_s = bins.first().map_or(0.0, |bin| bin.at_s);
    let rows = bins.iter().map(|bin| {
        let gap_s = (bin.at_s - before_s).max(0.0);
        before_s = bin.at_s;
        let kept = if noise.fast > 0.0 {
            (-gap_s / noise.fast_s).exp()
        } else {
            0.0
        };
        fast = kept * kept * fast + noise.fast * (1.0 - kept * kept);
        both *= kept;
        walk += noise.walk * gap_s;
        means[0].iter_mut().for_each(|mean| *mean *= kept);
        let variance = fast + 2.0 * both + walk + bin.variance;
        let gains = [(fast + both) / variance, (both + walk) / variance];
        let now = [bin.exposure[tau], bin.at_s, bin.acting, bin.level_ln];
        let step: [f64; COLUMNS] = std::array::from_fn(|i| now[i] - means[0][i] - means[1][i]);
        for (mean, gain) in means.iter_mut().zip(gains) {
            mean.iter_mut()
                .zip(step)
                .for_each(|(mean, step)| *mean += gain * step);
        }
        (fast, both, walk) = (
            fast - gains[0] * (fast + both),
            both - gains[0] * (both + walk),
            walk - gains[1] * (both + walk),
        );
        let scale = variance.sqrt();
        CarryRow {
            columns: step.map(|value| value / scale),
            variance_ln: variance.ln(),
        }
    });
    rows.skip(1).collect()
}

/// Least squares on whitened rows by Gram–Schmidt: what is left of the exposure once the other columns are taken out
/// carries the whole information about its coefficient.
fn regress(rows: &[CarryRow], with_effect: bool) -> Option<Fit> {
    let others: &[usize] = if with_effect { &[1, 2] } else { &[1] };
    let freedom = rows
        .len()
        .checked_sub(others.len() + 1)
        .filter(|freedom| *freedom >= 4)? as f64;
    let column = |i: usize| rows.iter().map(|row| row.columns[i]).collect::<Vec<f64>>();
    let (mut exposure, mut level) = (column(0), column(COLUMNS - 1));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &other in others {
        let mut direction = column(other);
        basis.iter().for_each(|done| remove(&mut direction, done));
        remove(&mut exposure, &direction);
        remove(&mut level, &direction);
        basis.push(direction);
    }
    let power = dot(&exposure, &exposure);
    if power < 1e-9 {
        return None;
    }
    let centre_ln = dot(&exposure, &level) / power;
    remove(&mut level, &exposure);
    let residual = dot(&level, &level).max(1e-12);
    let variances_ln = rows.iter().map(|row| row.variance_ln).sum();
    Some(Fit {
        centre_ln,
        power,
        residual,
        freedom,
        variances_ln,
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Takes out of `column` its projection on `direction`.
fn remove(column: &mut [f64], direction: &[f64]) {
    let power = dot(direction, direction);
    if power > 1e-12 {
        let share = dot(column, direction) / power;
        column
            .iter_mut()
            .zip(direction)
            .for_each(|(value, part)| *value -= share * part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two residences of 10 s each way, a level of `carried` times the exposure of `tau_ms`, and a given drift.
    fn bins(carried: f64, tau_ms: u64, drift_per_s: f64) -> Vec<Bin> {
        let tau = TAUS_MS.iter().position(|tau| *tau == tau_ms).unwrap();
        let mut exposure = [0.3; TAUS_MS.len()];
        let mut wobble = 1u32;
        let slices = (0..160).map(|slice| {
            let acting = if (slice / 40) % 3 == 0 { 0.0 } else { 1.0 };
            exposure = age(&exposure, acting, 250.0);
            wobble = wobble.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = 0.01 * (f64::from(wobble) / f64::from(u32::MAX) - 0.5);
            let at_s = f64::from(slice) * 0.25;
            let level_ln = carried * exposure[tau] + drift_per_s * at_s + noise;
            Bin {
                at_s,
                level_ln,
                acting,
                variance: 1.0,
                exposure,
            }
        });
        slices.collect()
    }

    fn evidence_ln(bins: &[Bin], size_ln: f64) -> f64 {
        let fits = fit(bins, Short::Measured { error_ln: 0.002 });
        fits.iter()
            .map(|fit| fit.evidence_ln(size_ln))
            .fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn debt_is_found_with_its_time_constant() {
        let fits = fit(&bins(-0.1, 5_000, 0.0), Short::Measured { error_ln: 0.002 });
        let found = fits
            .iter()
            .max_by(|a, b| a.evidence_ln(-0.1).total_cmp(&b.evidence_ln(-0.1)))
            .unwrap();
        assert_eq!(found.tau_ms, 5_000);
        assert!((found.centre_ln + 0.1).abs() < 0.01 && found.evidence_ln(-0.1) > 20.0);
    }

    #[test]
    fn drift_is_not_taken_for_debt() {
        assert!(evidence_ln(&bins(0.0, 5_000, 0.0), -0.1) < -2.0);
        assert!(evidence_ln(&bins(0.0, 5_000, -0.01), -0.1) < -2.0);
        assert!(evidence_ln(&bins(-0.1, 5_000, -0.01), -0.1) > 20.0);
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert!(fit(&[], Short::Unknown).is_empty());
    }
}
