//! Scales and ticks: from values to places, with one unit for a whole linear axis.

use model::units;

/// What is measured, which decides how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// I/Os per second.
    Iops,
    /// Anything per second.
    PerSecond,
    /// Bytes per second.
    BytesPerS,
    /// Bytes.
    Bytes,
    /// A time, ns.
    Ns,
    /// A number of things.
    Count,
    /// Per cent.
    Percent,
    /// Seconds since the start of the record.
    Seconds,
}

impl Quantity {
    /// The name by which the script of a page looks up how to write it.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Iops => "Iops",
            Quantity::PerSecond => "PerSecond",
            Quantity::BytesPerS => "BytesPerS",
            Quantity::Bytes => "Bytes",
            Quantity::Ns => "Ns",
            Quantity::Count => "Count",
            Quantity::Percent => "Percent",
            Quantity::Seconds => "Seconds",
        }
    }

    /// A value with its unit, for people.
    pub fn words(self, value: f64) -> String {
        match self {
            Quantity::Iops => format!("{} IOPS", units::rate(value)),
            Quantity::PerSecond => format!("{}/s", units::rate(value)),
            Quantity::BytesPerS => units::bytes_per_s(value),
            Quantity::Bytes => units::bytes(value),
            Quantity::Ns => units::duration_ns(value),
            Quantity::Count => units::rate(value),
            Quantity::Percent => units::percent(value),
            Quantity::Seconds => units::duration_ns(value * 1e9),
        }
    }

    /// What one step of an axis up to `most` is worth, and its unit: `(1000, "k IOPS")`.
    pub fn axis(self, most: f64) -> (f64, String) {
        let (base, names): (f64, &[&str]) = match self {
            Quantity::Iops => (1e3, &["IOPS", "k IOPS", "M IOPS"]),
            Quantity::PerSecond => (1e3, &["/s", "k/s", "M/s"]),
            Quantity::BytesPerS => (1024.0, &["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"]),
            Quantity::Bytes => (1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]),
            Quantity::Ns => (1e3, &["ns", "µs", "ms", "s"]),
            Quantity::Count => (1e3, &["", "k", "M", "G"]),
            Quantity::Percent => (1e3, &["%"]),
            Quantity::Seconds => match most {
                most if most > 7_200.0 => return (3600.0, "h".into()),
                most if most > 600.0 => return (60.0, "min".into()),
                most if most > 2.0 => return (1.0, "s".into()),
                _ => return (1e-3, "ms".into()),
            },
        };
        let mut rank = 0;
        while most >= base.powi(rank as i32 + 1) && rank + 1 < names.len() {
            rank += 1;
        }
        (base.powi(rank as i32), names[rank].into())
    }
}

/// From values to places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    is_log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Even steps; an empty domain is widened.
    pub fn linear((low, high): (f64, f64), (from, to): (f64, f64)) -> Scale {
        let high = if high > low { high } else { low + 1.0 };
        Scale {
            is_log: false,
            low,
            high,
            from,
            to,
        }
    }

    /// Even ratios; the domain must be positive and is widened when empty.
    pub fn log((low, high): (f64, f64), (from, to): (f64, f64)) -> Scale {
        let low = low.max(f64::MIN_POSITIVE * 1e10);
        let high = if high > low { high } else { low * 10.0 };
        Scale {
            is_log: true,
            low,
            high,
            from,
            to,
        }
    }

    /// The place of a value; not kept inside the ends.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// The domain.
    pub fn domain(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether ratios are even.
    pub fn is_log(&self) -> bool {
        self.is_log
    }

    /// Where the domain's ends are.
    pub fn range(&self) -> (f64, f64) {
        (self.from, self.to)
    }
}

/// The next step of 1, 2, 5 × 10ⁿ.
fn nice_step(rough: f64) -> f64 {
    let magnitude = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|step| step * magnitude >= rough * 0.999);
    step.unwrap_or(10.0) * magnitude
}

/// The end of a linear axis from 0 that holds `most`, and its ticks with labels, about `count` of them.
pub fn linear_ticks(
    quantity: Quantity,
    most: f64,
    count: usize,
) -> (f64, Vec<(f64, String)>, String) {
    let most = if most > 0.0 && most.is_finite() {
        most
    } else {
        1.0
    };
    let (divisor, unit) = quantity.axis(most);
    let step = nice_step(most / divisor / count.max(1) as f64);
    let steps = (most / divisor / step - 1e-9).ceil().max(1.0);
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    let label = |value: f64| {
        if value == 0.0 {
            "0".to_string()
        } else {
            units::decimals(value, digits)
        }
    };
    let ticks = (0..=steps as usize)
        .map(|index| (index as f64 * step * divisor, label(index as f64 * step)));
    (steps * step * divisor, ticks.collect(), unit)
}

/// Ticks of time that do not go beyond its end: the axis ends with the record.
pub fn time_ticks(seconds: f64, count: usize) -> (Vec<(f64, String)>, String) {
    let seconds = if seconds > 0.0 && seconds.is_finite() {
        seconds
    } else {
        1.0
    };
    let (divisor, unit) = Quantity::Seconds.axis(seconds);
    let step = nice_step(seconds / divisor / count.max(1) as f64);
    let digits = (-step.log10().floor()).clamp(0.0, 3.0) as usize;
    let count = (seconds / divisor / step + 1e-9).floor() as usize;
    let ticks = (0..=count).map(|index| {
        let value = index as f64 * step;
        (
            value * divisor,
            if index == 0 {
                "0".into()
            } else {
                units::decimals(value, digits)
            },
        )
    });
    (ticks.collect(), unit)
}

/// A logarithmic domain of whole decades (or of 1-2-5 where it is short) around the positive values, at least one decade.
pub fn log_domain(least: f64, most: f64) -> (f64, f64) {
    let least = if least > 0.0 && least.is_finite() {
        least
    } else {
        1.0
    };
    let most = if most >= least && most.is_finite() {
        most
    } else {
        least
    };
    let down = |value: f64| {
        let decade = 10f64.powf(value.log10().floor());
        [5.0, 2.0, 1.0]
            .into_iter()
            .map(|step| step * decade)
            .find(|edge| *edge <= value * 1.000_001)
    };
    let up = |value: f64| {
        let decade = 10f64.powf(value.log10().floor());
        [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|step| step * decade)
            .find(|edge| *edge >= value * 0.999_999)
    };
    let (low, mut high) = (down(least).unwrap_or(least), up(most).unwrap_or(most));
    if high < low * 9.9 {
        high = low * 10.0;
    }
    (low, high)
}

/// Ticks of a logarithmic axis: whole decades, and 2 and 5 between them where there is room for `count` labels.
pub fn log_ticks(quantity: Quantity, (low, high): (f64, f64), count: usize) -> Vec<(f64, String)> {
    let decades = (high / low).log10();
    let steps: &[f64] = match count as f64 / decades {
        room if room >= 3.0 => &[1.0, 2.0, 5.0],
        room if room >= 2.0 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let skip = ((f64::from(last - first) / count.max(1) as f64).ceil() as usize).max(1);
    let powers = (first..=last).step_by(if steps.len() == 1 { skip } else { 1 });
    let values = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
    let inside = values.filter(|value| *value >= low * 0.999 && *value <= high * 1.001);
    inside
        .map(|value| (value, log_label(quantity, value)))
        .collect()
}

/// `10 ms`, `500 µs`: a label without decimals, whose unit follows the value, since no unit suits all decades.
pub fn log_label(quantity: Quantity, value: f64) -> String {
    let (divisor, unit) = quantity.axis(value * 1.000_001);
    let scaled = value / divisor;
    let digits = if scaled >= 0.999 {
        0
    } else {
        (-scaled.log10().floor()) as usize
    };
    format!("{} {unit}", units::decimals(scaled, digits))
        .trim_end()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[(f64, String)]) -> Vec<&str> {
        ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn a_linear_axis_begins_at_zero_and_has_one_unit() {
        let (end, ticks, unit) = linear_ticks(Quantity::Iops, 52_800.0, 4);
        assert_eq!(
            (end, unit.as_str(), labels(&ticks)),
            (60_000.0, "k IOPS", vec!["0", "20", "40", "60"])
        );
        let (end, ticks, unit) = linear_ticks(Quantity::BytesPerS, 1.5 * 1024.0 * 1024.0, 4);
        assert_eq!((end, unit.as_str()), (1.5 * 1_048_576.0, "MiB/s"));
        assert_eq!(labels(&ticks), ["0", "0.5", "1.0", "1.5"]);
        let (end, _, _) = linear_ticks(Quantity::Iops, 0.0, 4);
        assert!(end > 0.0, "nothing still has an axis");
        assert!(linear_ticks(Quantity::Iops, f64::NAN, 4).0.is_finite());
    }

    #[test]
    fn a_log_axis_has_a_decade_at_least_and_labels_them() {
        assert_eq!(log_domain(97_000.0, 98_000.0), (50_000.0, 500_000.0));
        assert_eq!(log_domain(3e3, 4e7), (2e3, 5e7));
        let ticks = log_ticks(Quantity::Ns, (1e3, 1e8), 6);
        assert_eq!(
            labels(&ticks),
            ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]
        );
        let (low, high) = log_domain(0.0, f64::NAN);
        assert!(low > 0.0 && high > low);
    }

    #[test]
    fn time_ends_with_the_record() {
        let (ticks, unit) = time_ticks(92.0, 5);
        assert_eq!(
            (unit.as_str(), labels(&ticks)),
            ("s", vec!["0", "20", "40", "60", "80"])
        );
        let (ticks, unit) = time_ticks(3600.0, 6);
        assert_eq!(
            (unit.as_str(), ticks.last().unwrap().1.as_str()),
            ("min", "60")
        );
        let (ticks, unit) = time_ticks(0.3, 3);
        assert_eq!(
            (unit.as_str(), labels(&ticks)),
            ("ms", vec!["0", "100", "200", "300"])
        );
    }

    #[test]
    fn places_follow_values() {
        let scale = Scale::log((1.0, 1000.0), (300.0, 0.0));
        assert!((scale.at(10.0) - 200.0).abs() < 1e-9);
        assert!(
            !scale.at(0.0).is_finite(),
            "zero has no place on a log axis"
        );
        assert_eq!(Scale::linear((0.0, 10.0), (0.0, 100.0)).at(2.5), 25.0);
    }
}
