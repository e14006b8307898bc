//! Distribution functions: Student's t, the normal and the chi-square distribution.
//!
//! Written here because the packages that have them bring linear algebra or complex numbers along for three functions.
//! The tests hold them to values computed with forty digits.

use std::f64::consts::PI;

/// Smallest change of a continued fraction that is worth another term.
const CLOSE: f64 = 1e-16;
/// Stands in for 0 in a continued fraction (Lentz's method as Thompson and Barnett changed it).
const TINY: f64 = 1e-300;
/// Terms of a series or fraction at most; a few hundred suffice for a million degrees of freedom.
const TERMS: u32 = 10_000;

/// Quantile of Student's t; infinite without a degree of freedom.
pub fn t_quantile(probability: f64, freedom: usize) -> f64 {
    if freedom == 0 || probability >= 1.0 {
        return f64::INFINITY;
    }
    if probability < 0.5 {
        return -t_quantile(1.0 - probability, freedom);
    }
    let (tail, freedom) = (1.0 - probability, freedom as f64);
    // Right of 0 the tail is convex, so Newton's method from 0 climbs to the quantile and never passes it.
    let scale = t_scale(freedom);
    let mut t = 0.0f64;
    for _ in 0..TERMS {
        let density = scale * (-(freedom + 1.0) / 2.0 * (t * t / freedom).ln_1p()).exp();
        let step = (t_tail(t, freedom, scale) - tail) / density;
        t += step;
        if step <= t * 2.0 * f64::EPSILON {
            break;
        }
    }
    t
}

/// Probability that Student's t is above `t`, which is not negative.
fn t_tail(t: f64, freedom: f64, scale: f64) -> f64 {
    let (a, square) = (freedom / 2.0, t * t);
    let x = freedom / (freedom + square);
    // x^a √(1−x) / B(a, ½); 1/B(a, ½) is √freedom of the density's scale.
    let power = (-a * (square / freedom).ln_1p()).exp();
    let front = scale * freedom.sqrt() * power * (square / (freedom + square)).sqrt();
    if x < (a + 1.0) / (a + 2.5) {
        0.5 * front / a * beta_fraction(a, 0.5, x)
    } else {
        0.5 - front * beta_fraction(0.5, a, square / (freedom + square))
    }
}

/// Density of Student's t at 0: `Γ((ν+1)/2) / (Γ(ν/2) √(νπ))`.
fn t_scale(freedom: f64) -> f64 {
    // Γ(a+½)/Γ(a) from its expansion at a large argument, brought down by the recurrence.
    let (mut a, mut factor) = (freedom / 2.0, 1.0);
    while a < 100.0 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let n = 1.0 / a;
    let series = 1.0
        + n * (-1.0 / 8.0
            + n * (1.0 / 128.0
                + n * (5.0 / 1024.0 + n * (-21.0 / 32_768.0 - n * 399.0 / 262_144.0))));
    factor * series * a.sqrt() / (freedom * PI).sqrt()
}

/// The continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let odd = |m: f64| -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    let even = |m: f64| m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    lentz(1.0, |term| {
        let m = f64::from(term / 2);
        let numerator = if term % 2 == 1 { odd(m) } else { even(m) };
        (numerator, 1.0)
    })
}

/// `1 / (first + n₁/(d₁ + n₂/(d₂ + …)))` of numerators and denominators by number from 1.
fn lentz(first: f64, part: impl Fn(u32) -> (f64, f64)) -> f64 {
    let keep = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0 / TINY, 1.0 / keep(first));
    let mut value = d;
    for term in 1..TERMS {
        let (numerator, denominator) = part(term);
        d = 1.0 / keep(denominator + numerator * d);
        c = keep(denominator + numerator / c);
        value *= c * d;
        if (c * d - 1.0).abs() < CLOSE {
            break;
        }
    }
    value
}

/// Probability that a standard normal value is below `x`.
pub fn normal_cdf(x: f64) -> f64 {
    let outside = 0.5 * gamma_upper(0.5, x * x / 2.0);
    if x > 0.0 { 1.0 - outside } else { outside }
}

/// Probability that chi-square with `freedom` degrees of freedom is above `x`.
pub fn chi_square_tail(x: f64, freedom: f64) -> f64 {
    gamma_upper(freedom / 2.0, x / 2.0)
}

/// The regularised upper incomplete gamma function, Q(a, x).
fn gamma_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS {
            term *= x / (a + f64::from(n));
            sum += term;
            if term < sum * CLOSE {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    let part = |n: u32| {
        let n = f64::from(n);
        (-n * (n - a), x + 1.0 - a + 2.0 * n)
    };
    front * lentz(x + 1.0 - a, part)
}

/// Logarithm of the gamma function of a positive number, by Stirling's series.
fn ln_gamma(mut x: f64) -> f64 {
    let mut below = 1.0;
    while x < 15.0 {
        below *= x;
        x += 1.0;
    }
    let n = 1.0 / (x * x);
    let series = 1.0 / 12.0
        - n * (1.0 / 360.0 - n * (1.0 / 1260.0 - n * (1.0 / 1680.0 - n * (1.0 / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series / x - below.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(what: &str, found: f64, wanted: f64) {
        let off = (found / wanted - 1.0).abs();
        assert!(off < 1e-10, "{what}: {found:e}, wanted {wanted:e}");
    }

    /// Probability, degrees of freedom, quantile.
    const T: &[(f64, usize, f64)] = &[
        (0.6, 1, 0.32491969623290623),
        (0.9, 1, 3.077683537175254),
        (0.975, 1, 12.706204736174694),
        (0.9995, 1, 636.6192487687897),
        (0.9999995, 1, 636619.7724194303),
        (0.6, 2, 0.2886751345948128),
        (0.9, 2, 1.885618083164127),
        (0.975, 2, 4.302652729749462),
        (0.9995, 2, 31.599054576445365),
        (0.9999995, 2, 999.9992500409771),
        (0.975, 3, 3.1824463052837086),
        (0.9995, 3, 12.923978636687965),
        (0.9999995, 3, 130.1545895619276),
        (0.975, 4, 2.7764451051977934),
        (0.9995, 4, 8.610301581379522),
        (0.9999995, 4, 49.45863675795322),
        (0.6, 5, 0.26718086570414507),
        (0.9, 5, 1.4758840488244813),
        (0.975, 5, 2.5705818356363146),
        (0.9995, 5, 6.868826625881275),
        (0.9999995, 5, 28.47847346345525),
        (0.6, 10, 0.26018482949208016),
        (0.9, 10, 1.3721836411103359),
        (0.975, 10, 2.2281388519862744),
        (0.9995, 10, 4.586893858702708),
        (0.9999995, 10, 10.516489957008545),
        (0.975, 15, 2.131449545559775),
        (0.9995, 15, 4.072765195903846),
        (0.9999995, 15, 7.903233627366904),
        (0.975, 29, 2.045229642132704),
        (0.9995, 29, 3.6594050194663743),
        (0.9999995, 29, 6.170056101448957),
        (0.6, 100, 0.2540221824582278),
        (0.9, 100, 1.290074761346516),
        (0.975, 100, 1.9839715185235518),
        (0.9995, 100, 3.3904913111642636),
        (0.9999995, 100, 5.2137275742494875),
        (0.6, 1000, 0.2534145158394987),
        (0.9, 1000, 1.2823987214609245),
        (0.975, 1000, 1.962339080826408),
        (0.9995, 1000, 3.300282648423944),
        (0.9999995, 1000, 4.922289523446074),
        (0.6, 100000, 0.2533477771571799),
        (0.9, 100000, 1.2815600314493611),
        (0.975, 100000, 1.9599877075346093),
        (0.9995, 100000, 3.2906240314119137),
        (0.9999995, 100000, 4.891943340731303),
    ];

    /// Value, degrees of freedom, probability of more.
    const CHI_SQUARE: &[(f64, f64, f64)] = &[
        (0.5, 1.0, 0.4795001221869535),
        (3.841458820694124, 1.0, 0.05000000000000006),
        (30.0, 1.0, 4.3204630578274975e-08),
        (2.0, 2.0, 0.36787944117144233),
        (1.0, 5.0, 0.9625657732472964),
        (11.07, 5.0, 0.05000961862240548),
        (50.0, 5.0, 1.3857973367009593e-09),
        (99.0, 99.0, 0.4810969124082639),
        (150.0, 99.0, 0.0007204453957169629),
        (60.0, 99.0, 0.9993199970498485),
        (1100.0, 999.0, 0.013818467525532355),
        (4500.0, 3999.0, 3.498995559420299e-08),
    ];

    /// Value, probability of less.
    const NORMAL: &[(f64, f64)] = &[
        (-8.0, 6.220960574271784e-16),
        (-4.0, 3.1671241833119924e-05),
        (-1.96, 0.024997895148220435),
        (-0.5, 0.3085375387259869),
        (0.1, 0.539827837277029),
        (1.0, 0.8413447460685429),
        (1.959963984540054, 0.975),
        (3.5, 0.9997673709209645),
    ];

    #[test]
    fn functions_match_the_tables_to_ten_digits() {
        for (probability, freedom, wanted) in T {
            let found = t_quantile(*probability, *freedom);
            close(&format!("t {probability} {freedom}"), found, *wanted);
        }
        for (value, freedom, wanted) in CHI_SQUARE {
            let found = chi_square_tail(*value, *freedom);
            close(&format!("chi-square {value} {freedom}"), found, *wanted);
        }
        for (value, wanted) in NORMAL {
            close(&format!("normal {value}"), normal_cdf(*value), *wanted);
        }
    }

    #[test]
    fn quantiles_have_signs_and_ends() {
        assert_eq!(t_quantile(0.025, 7), -t_quantile(0.975, 7));
        assert_eq!(t_quantile(0.5, 7), 0.0);
        assert!(t_quantile(0.975, 0).is_infinite() && t_quantile(1.0, 3).is_infinite());
    }
}
