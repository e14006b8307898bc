//! Does the effect last? A regression of the level on how long an arm has acted.
//!
//! An arm that borrows from the future, or whose effect only builds up, looks constant inside short windows: the
//! debt sits half-way and moves both arms alike. Long residences move it. With x(t) the arm in place and E(t) its
//! exponentially weighted past share, the level is
//!
//! ```text
//! ln rate = short effect · x(t) + carried · E(t) + trend · t + noise,    lasting effect = short + carried
//! ```
//!
//! `carried` is −short for a debt that is paid back in full, and +effect for one that builds up slowly. The noise is
//! a random walk seen through white noise, with the ratio of the two found by likelihood: regimes, neighbours and
//! drift then widen the error of `carried` instead of passing for it, and because debt falls under one arm and
//! recovers under the other, no steady drift imitates it.

/// Time constants tried, in milliseconds.
pub(super) const TAUS_MS: [u64; 9] = [125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/// Random-walk variance per second over the white variance of a bin, tried for each time constant.
const WALKS: [f64; 8] = [0.0, 0.003, 0.01, 0.04, 0.2, 1.0, 5.0, 30.0];

/// Past shares of an arm at one moment, one per time constant.
pub(super) type Exposure = [f64; TAUS_MS.len()];

/// Ages an exposure by a stretch under an arm (`acting` 1) or without it (`acting` 0).
pub(super) fn age(exposure: &Exposure, acting: f64, duration_ms: f64) -> Exposure {
    std::array::from_fn(|i| acting + (exposure[i] - acting) * (-duration_ms / TAUS_MS[i] as f64).exp())
}

/// One stretch of a residence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bin {
    /// Middle, in seconds of the experiment.
    pub at_s: f64,
    /// Level, with the known short effect taken out.
    pub level_ln: f64,
    /// Whether the arm was in place.
    pub acting: f64,
    /// Variance relative to a full bin; short bins are noisier.
    pub variance: f64,
    /// Past share of the arm, by time constant.
    pub exposure: Exposure,
}

/// The carried part for one time constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Carried {
    pub tau_ms: u64,
    pub centre_ln: f64,
    pub error_ln: f64,
    likelihood: f64,
}

impl Carried {
    /// How many errors the carried part is away from nothing.
    pub(super) fn score(&self) -> f64 {
        self.centre_ln.abs() / self.error_ln.max(1e-9)
    }
}

/// Fits every time constant; `with_effect` also fits the short effect where no other stage has measured it.
pub(super) fn fit(bins: &[Bin], with_effect: bool) -> Vec<Carried> {
    (0..TAUS_MS.len()).filter_map(|tau| fit_one(bins, tau, with_effect)).collect()
}

/// The time constant that explains the levels best.
pub(super) fn likeliest(fits: &[Carried]) -> Option<Carried> {
    fits.iter().copied().max_by(|a, b| a.likelihood.total_cmp(&b.likelihood))
}

fn fit_one(bins: &[Bin], tau: usize, with_effect: bool) -> Option<Carried> {
    WALKS
        .iter()
        .filter_map(|walk| regress(&whiten(bins, tau, *walk), with_effect, TAUS_MS[tau]))
        .max_by(|a, b| a.likelihood.total_cmp(&b.likelihood))
}

/// Columns of the regression: carried exposure, trend, short effect; last the level.
const COLUMNS: usize = 4;

/// A whitened row and the logarithm of its innovation variance.
struct Row {
    columns: [f64; COLUMNS],
    variance_ln: f64,
}

/// Runs the local-level Kalman filter over every column; with the same gains for all, the scaled innovations are the
/// columns of an ordinary regression (Rosenberg 1973). The first bin only sets the level.
fn whiten(bins: &[Bin], tau: usize, walk: f64) -> Vec<Row> {
    let columns = |bin: &Bin| [bin.exposure[tau], bin.at_s, bin.acting, bin.level_ln];
    let Some(first) = bins.first() else { return Vec::new() };
    let mut level = columns(first);
    let mut doubt = first.variance;
    let mut before_s = first.at_s;
    let mut rows = Vec::with_capacity(bins.len());
    for bin in &bins[1..] {
        doubt += walk * (bin.at_s - before_s).max(0.0);
        before_s = bin.at_s;
        let variance = doubt + bin.variance;
        let gain = doubt / variance;
        let now = columns(bin);
        let step: [f64; COLUMNS] = std::array::from_fn(|i| now[i] - level[i]);
        level = std::array::from_fn(|i| level[i] + gain * step[i]);
        doubt *= 1.0 - gain;
        let scale = variance.sqrt();
        rows.push(Row { columns: step.map(|value| value / scale), variance_ln: variance.ln() });
    }
    rows
}

/// Least squares on whitened rows by Gram–Schmidt: what is left of the exposure once the other columns are taken out
/// carries the whole information about its coefficient.
fn regress(rows: &[Row], with_effect: bool, tau_ms: u64) -> Option<Carried> {
    let others: &[usize] = if with_effect { &[1, 2] } else { &[1] };
    let freedom = rows.len().checked_sub(others.len() + 1).filter(|freedom| *freedom >= 4)? as f64;
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
    let variance = (dot(&level, &level) / freedom).max(1e-12);
    let logs: f64 = rows.iter().map(|row| row.variance_ln).sum();
    let likelihood = -0.5 * (logs + rows.len() as f64 * variance.ln());
    Some(Carried { tau_ms, centre_ln, error_ln: (variance / power).sqrt(), likelihood })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Takes out of `column` its projection on `direction`.
fn remove(column: &mut [f64], direction: &[f64]) {
    let power = dot(direction, direction);
    if power > 1e-12 {
        let share = dot(column, direction) / power;
        column.iter_mut().zip(direction).for_each(|(value, part)| *value -= share * part);
    }
}
