//! Names, numbers and ratios as people read them; one place, for the sentence, the tables and the files for CI.

use model::comparison::{Better, Measure};
use model::units;

/// `read.p99` as `read p99`, `read.bw` as `read bandwidth`.
pub fn title(measure: &str) -> String {
    match measure {
        "cpu_per_io" => return "CPU per I/O".into(),
        "max.iops" => return "IOPS".into(),
        _ => {}
    }
    let word = |word: &str| match word {
        "iops" => "IOPS".to_string(),
        "bw" => "bandwidth".to_string(),
        "per_s" => "per second".to_string(),
        "d2c" | "q2c" | "i2d" | "g2i" | "q2g" | "g2d" => word.to_uppercase(),
        other => other.to_string(),
    };
    // The dot of `p99.9` is no border.
    let kept = measure.replace("p99.9", "p99\u{1}9");
    kept.split('.')
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
        .replace('\u{1}', ".")
}

/// A value with its unit.
pub fn value(unit: &str, value: f64) -> String {
    match unit {
        "/s" => units::rate(value),
        "bytes/s" => units::bytes_per_s(value),
        "ns" => units::duration_ns(value),
        "" => units::count(value),
        other => format!("{} {other}", units::count(value)),
    }
}

/// A measure's own value.
pub fn of(measure: &Measure) -> String {
    value(&measure.unit, measure.value)
}

/// `+9.7 % (8.9 to 10.5)`, `3.10 times (3.0 to 3.2)`; the interval only where there is one.
pub fn ratio(ratio: f64, low: Option<f64>, high: Option<f64>) -> String {
    // Per cent of what may be many times more or less cannot be read.
    let is_wild =
        |bound: Option<f64>| bound.is_some_and(|bound| !(1.0 / 3.0..3.0).contains(&bound));
    let is_large = !(0.5..2.0).contains(&ratio) || is_wild(low) || is_wild(high);
    let one = |ratio: f64| {
        if is_large {
            units::times(ratio)
        } else {
            units::percent_bare(ratio - 1.0)
        }
    };
    let whole = if is_large {
        format!("{} times", units::times(ratio))
    } else {
        units::percent_signed(ratio - 1.0)
    };
    match (low, high) {
        (Some(low), Some(high)) => format!("{whole} ({} to {})", one(low), one(high)),
        (Some(low), None) => format!("{whole} ({} or more)", one(low)),
        (None, Some(high)) => format!("{whole} ({} or less)", one(high)),
        (None, None) => whole,
    }
}

/// Whether a ratio is for the better.
pub fn is_better(better: Better, ratio: f64) -> bool {
    (ratio > 1.0) == (better == Better::More)
}

/// `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// `record 7`, `records 3, 5 and 9`; of many, the first few.
pub fn records(ids: &[i64]) -> String {
    let mut names: Vec<String> = ids.iter().take(4).map(i64::to_string).collect();
    if ids.len() > 4 {
        names.push(format!("{} more", ids.len() - 4));
    }
    format!(
        "{} {}",
        if ids.len() == 1 { "record" } else { "records" },
        list(&names)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        let titles = ["read.p99.9", "write.bw", "read.d2c.2", "cpu_per_io", "iops"].map(title);
        assert_eq!(
            titles,
            [
                "read p99.9",
                "write bandwidth",
                "read D2C 2",
                "CPU per I/O",
                "IOPS"
            ]
        );
    }

    #[test]
    fn ratios_are_per_cent_until_they_are_times() {
        assert_eq!(ratio(1.097, Some(1.089), Some(1.105)), "+9.7 % (8.9 to 10)");
        assert_eq!(ratio(0.92, None, None), "−8.0 %");
        assert_eq!(ratio(0.92, Some(0.9), None), "−8.0 % (−10 or more)");
        assert_eq!(ratio(3.1, Some(2.96), Some(3.2)), "3.1 times (3.0 to 3.2)");
        assert_eq!(ratio(0.066, None, None), "0.07 times");
        assert_eq!(
            ratio(1.46, Some(0.02), Some(138.4)),
            "1.5 times (0.02 to 138)"
        );
        assert_eq!(
            records(&[1, 2, 3, 4, 5, 6]),
            "records 1, 2, 3, 4 and 2 more"
        );
        assert_eq!(value("/s", 64_912.4), "64.9 k");
    }
}
