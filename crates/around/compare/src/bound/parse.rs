//! Reads a bound, and points at what it does not understand.

use super::{Bound, BoundSide, Limit};
use crate::words;

/// Why a text is no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundError {
    text: String,
    at: usize,
    why: String,
}

impl BoundError {
    /// Where it is wrong: characters before the place.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl std::fmt::Display for BoundError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = model::text::clean(&self.text);
        write!(f, "{}\n  {shown}\n  {}^", self.why, " ".repeat(self.at))
    }
}

impl std::error::Error for BoundError {}

const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "sync"];
const MEASURES: [&str; 10] = [
    "iops",
    "bw",
    "mean",
    "p50",
    "p95",
    "p99",
    "p99.9",
    "max",
    "cpu_per_io",
    "await",
];
const SPANS: [&str; 6] = ["q2g", "g2i", "i2d", "g2d", "d2c", "q2c"];

/// `p99>+5%`, `read.p99 > 2ms`, `write.iops<-10%`, `bw<200MiB/s`, `iops<50k`.
pub fn parse(text: &str) -> Result<Bound, BoundError> {
    let fail = |at: usize, why: String| {
        let at = text.get(..at).map_or(0, |before| before.chars().count());
        BoundError {
            text: text.into(),
            at,
            why,
        }
    };
    let sign = text.find(['>', '<']).ok_or_else(|| {
        fail(
            text.len(),
            "there is no > or < in it: a bound is a measure, > or <, and a limit, as in p99>+5%"
                .into(),
        )
    })?;
    let start = text[..sign].len() - text[..sign].trim_start().len();
    let measure = text[..sign].trim().to_lowercase();
    check(&measure).map_err(|why| fail(start, why))?;
    let side = if text[sign..].starts_with('>') {
        BoundSide::Above
    } else {
        BoundSide::Below
    };
    let rest = text[sign + 1..]
        .strip_prefix('=')
        .unwrap_or(&text[sign + 1..]);
    let place = text.len() - rest.trim_start().len();
    let limit = limit(rest.trim(), &measure).map_err(|(offset, why)| fail(place + offset, why))?;
    if let (Limit::Relative(ratio), BoundSide::Above) | (Limit::Relative(ratio), BoundSide::Below) =
        (limit, side)
        && ratio <= 0.0
    {
        return Err(fail(place, "nothing can fall by 100 % or more".into()));
    }
    Ok(Bound {
        text: text.trim().into(),
        measure,
        side,
        limit,
    })
}

/// Whether a measure of this name can exist. Names of operations are not known before a record is: `create.p99`.
fn check(measure: &str) -> Result<(), String> {
    let known = || words::list(&MEASURES.map(String::from));
    if measure.is_empty() {
        return Err(format!("the measure is missing: {}", known()));
    }
    if MEASURES.contains(&measure) || SPANS.contains(&measure) || measure == "per_s" {
        return Ok(());
    }
    let Some((direction, name)) = measure.split_once('.') else {
        let near = MEASURES
            .iter()
            .find(|one| one.starts_with(measure.trim_end_matches(char::is_numeric)));
        let near = near.map_or(String::new(), |near| format!(" Perhaps {near}?"));
        return Err(format!(
            "there is no measure `{measure}`; there are {}, each with read., write. or none before it.{near}",
            known()
        ));
    };
    let name = match name.rsplit_once('.') {
        Some((span, device)) if SPANS.contains(&span) && device.parse::<u32>().is_ok() => span,
        _ => name,
    };
    let is_known = MEASURES.contains(&name) || SPANS.contains(&name) || name == "per_s";
    let is_direction =
        DIRECTIONS.contains(&direction) || direction.chars().all(|c| c.is_ascii_lowercase());
    match is_known && is_direction {
        true => Ok(()),
        false => Err(format!(
            "there is no measure `{measure}`; after read. or write. there can be {}",
            known()
        )),
    }
}

/// The limit, or where it is wrong and why.
fn limit(text: &str, measure: &str) -> Result<Limit, (usize, String)> {
    let number_end = text
        .char_indices()
        .find(|(at, c)| {
            !(c.is_ascii_digit() || *c == '.' || (*at == 0 && matches!(c, '+' | '-' | '−')))
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(number_end);
    let is_signed = number.starts_with(['+', '-', '−']);
    let value: f64 = number
        .replace('−', "-")
        .trim_start_matches('+')
        .parse()
        .map_err(|_| {
            (
                0,
                "a limit begins with a number: +5%, -10%, 2ms, 200MiB/s, 50k".to_string(),
            )
        })?;
    let unit = unit.trim();
    let place = text.len() - unit.len();
    if unit == "%" {
        return match is_signed {
            true => Ok(Limit::Relative(1.0 + value / 100.0)),
            false => Err((
                0,
                "say which way with a sign: +5% is 5 % above the base's, -5% below".into(),
            )),
        };
    }
    if is_signed {
        return Err((
            place.min(text.len()),
            "a limit with a sign is relative to the base and ends with %".into(),
        ));
    }
    let last = measure.rsplit('.').next().unwrap_or_default();
    let (limit, wanted) = match last {
        "iops" | "per_s" => (
            number_of(value, unit),
            "an absolute limit of a rate is a number: 50k, 1.2M",
        ),
        "bw" => (
            bytes(value, unit),
            "an absolute limit of bandwidth has a unit: 200MiB/s, 1.5GiB/s",
        ),
        _ => (
            time(value, unit),
            "an absolute limit of a time has a unit: 800us, 2ms, 1.5s",
        ),
    };
    limit.ok_or((place.min(text.len()), wanted.to_string()))
}

fn number_of(value: f64, unit: &str) -> Option<Limit> {
    let factor = match unit.trim_end_matches("/s").to_lowercase().as_str() {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        _ => return None,
    };
    Some(Limit::Number(value * factor))
}

fn bytes(value: f64, unit: &str) -> Option<Limit> {
    let factor = match unit.trim_end_matches("/s").to_lowercase().as_str() {
        "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return None,
    };
    Some(Limit::Bytes(value * factor))
}

fn time(value: f64, unit: &str) -> Option<Limit> {
    let factor = match unit {
        "ns" => 1.0,
        "us" | "µs" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(Limit::Time(value * factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    #[test]
    fn bounds_are_read_as_people_write_them() {
        let limit = |text: &str| {
            parse(text)
                .map(|bound| (bound.measure, bound.side, bound.limit))
                .unwrap()
        };
        assert_eq!(
            limit("p99>+5%"),
            ("p99".into(), BoundSide::Above, Limit::Relative(1.05))
        );
        assert_eq!(
            limit(" read.p99.9 >= 2 ms "),
            ("read.p99.9".into(), BoundSide::Above, Limit::Time(2e6))
        );
        assert_eq!(
            limit("write.iops<-10%"),
            ("write.iops".into(), BoundSide::Below, Limit::Relative(0.9))
        );
        assert_eq!(
            limit("bw<200MiB/s"),
            (
                "bw".into(),
                BoundSide::Below,
                Limit::Bytes(200.0 * 1048576.0)
            )
        );
        assert_eq!(limit("BW<200MB/s").2, Limit::Bytes(2e8));
        assert_eq!(limit("iops<50k").2, Limit::Number(50_000.0));
        assert_eq!(limit("read.d2c.2>80us").0, "read.d2c.2");
        assert_eq!(limit("create.p99>1ms").0, "create.p99");
    }

    #[test]
    fn a_mistake_is_pointed_at() {
        let place = |text: &str| {
            let error = parse(text).unwrap_err();
            (error.at(), error.to_string())
        };
        assert_eq!(place("p98>+5%").0, 0);
        assert!(
            place("p98>+5%").1.contains("Perhaps p50?"),
            "{}",
            place("p98>+5%").1
        );
        assert_eq!(place("p99>5%").0, 4);
        assert_eq!(place("p99>+5").0, 6);
        assert_eq!(place("p99>2").0, 5);
        assert_eq!(place("p99 > 2MiB").0, 7);
        assert_eq!(place("p99").0, 3);
        assert_eq!(place("p99>").0, 4);
        assert_eq!(place("iops<-100%").0, 5);
        assert_eq!(place(">+5%").0, 0);
        let text = place("read.p99 > +5").1;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1..], ["  read.p99 > +5", "               ^"]);
    }

    #[test]
    fn nothing_that_can_be_typed_is_more_than_an_error() {
        let mut dice = Dice::new(31);
        let alphabet: Vec<char> = "p9.<>=+-−%kMiB/s 0123456789readwriopsµ\u{0}ü漢"
            .chars()
            .collect();
        for _ in 0..20_000 {
            let text: String = (0..dice.below(14))
                .map(|_| alphabet[dice.below(alphabet.len())])
                .collect();
            if let Err(error) = parse(&text) {
                assert!(error.at() <= text.chars().count(), "{text:?}");
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
