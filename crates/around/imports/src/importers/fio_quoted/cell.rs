//! What one cell of a table, or a stretch of a sentence, quotes of fio.

use super::Quoted;
use crate::importers::fio_text::values::{Thousand, amount, is_ambiguous, scaled};
use model::imported::DiskFigures;
use regex::Regex;
use std::sync::LazyLock;

/// A constant pattern; tests compile all of them.
#[allow(clippy::expect_used)]
pub fn pattern(text: &str) -> Regex {
    // Every pattern is a constant that a test compiles.
    Regex::new(text).expect("a constant pattern")
}

/// `write: IOPS=`, `bw=`, `R=`.
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:(read|write|trim|mixed) *: *)?(IOPS|iops|BW|bw) *= *([0-9])"));

/// `R=10.6k W=4544`
static LETTERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u:\b)([RWrw]) *= *([0-9][0-9.]*[kKM]?)(?-u:\b)"));

/// `nvme0n1:util=42.31%`
static UTIL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"([a-z][a-z0-9!/-]*) *: *util *= *([0-9]+(?:\.[0-9]+)?)%"));

/// A figure and where it stands.
pub struct Figure {
    /// First byte.
    pub start: usize,
    /// Just after its value.
    pub end: usize,
    /// What it says.
    pub quoted: Quoted,
}

/// All figures of a text in fio's own notation, in their order.
pub fn figures(text: &str) -> Vec<Figure> {
    let mut all = Vec::new();
    for captures in FIGURE.captures_iter(text) {
        let (Some(whole), Some(key), Some(value)) =
            (captures.get(0), captures.get(2), captures.get(3))
        else {
            continue;
        };
        // `aggriops=`, `maxbw=`: other words.
        let is_word = captures.get(1).is_some()
            || !text[..key.start()]
                .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let rest = &text[value.start()..];
        let mut quoted = Quoted {
            side: captures.get(1).and_then(|side| side_word(side.as_str())),
            ..Quoted::default()
        };
        let length = if key.as_str().eq_ignore_ascii_case("iops") {
            quoted.iops = scaled(rest).map(|count| count.value);
            rest.bytes()
                .take_while(|byte| byte.is_ascii_digit() || b".kKM".contains(byte))
                .count()
        } else {
            let Some(amount) = amount(rest, Thousand::Si) else {
                continue;
            };
            quoted.bytes_per_s = Some(amount.bytes.value);
            // fio 3 says `BW=` and means what it says; `bw=` is how it was printed before 2.20.
            quoted.is_ambiguous = key.as_str() == "bw" && is_ambiguous(amount.unit);
            rest.len() - amount.rest.len()
        };
        if is_word && (quoted.iops.is_some() || quoted.bytes_per_s.is_some()) {
            all.push(Figure {
                start: whole.start(),
                end: value.start() + length,
                quoted,
            });
        }
    }
    all
}

fn side_word(word: &str) -> Option<&'static str> {
    ["read", "write", "trim"]
        .into_iter()
        .find(|side| *side == word)
}

/// Figures that belong together as directions. A direction holds until the next one is named.
pub fn sides(figures: &[Figure]) -> Vec<Quoted> {
    let mut sides: Vec<Quoted> = Vec::new();
    for figure in figures {
        let new = &figure.quoted;
        match sides.last_mut() {
            Some(last)
                if (new.side.is_none() || new.side == last.side)
                    && (last.iops.is_none() || new.iops.is_none())
                    && (last.bytes_per_s.is_none() || new.bytes_per_s.is_none()) =>
            {
                last.iops = last.iops.or(new.iops);
                last.bytes_per_s = last.bytes_per_s.or(new.bytes_per_s);
                last.is_ambiguous |= new.is_ambiguous;
            }
            _ => sides.push(new.clone()),
        }
    }
    sides
}

/// What a cell of a table quotes; `R=` and `W=` count where the table is one of fio.
pub fn read(cell: &str, is_fio: bool) -> Vec<Quoted> {
    let found = sides(&figures(cell));
    if !found.is_empty() || !is_fio {
        return found;
    }
    let letters = LETTERS.captures_iter(cell).filter_map(|captures| {
        let side = if captures[1].eq_ignore_ascii_case("r") {
            "read"
        } else {
            "write"
        };
        let iops = scaled(&captures[2])?.value;
        Some(Quoted {
            side: Some(side),
            iops: Some(iops),
            ..Quoted::default()
        })
    });
    letters.take(4).collect()
}

/// Disks of which a cell tells how busy they were.
pub fn disks(cell: &str) -> Vec<DiskFigures> {
    let all = UTIL.captures_iter(cell).take(64);
    all.map(|captures| DiskFigures {
        name: captures[1].to_string(),
        util_pct: captures[2].parse().ok(),
        ..DiskFigures::default()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_either_notation() {
        let cell = read(
            "write: bw=12765KB/s, iops=3191 read : bw=29766KB/s, iops=7441 nvme0n1:util=35.18%",
            true,
        );
        assert_eq!(cell.len(), 2);
        assert_eq!((cell[0].side, cell[0].iops), (Some("write"), Some(3_191.0)));
        assert_eq!((cell[1].side, cell[1].iops), (Some("read"), Some(7_441.0)));
        assert_eq!(cell[1].bytes_per_s, Some(29_766_000.0));
        let cell = read("write:IOPS=1059,read:IOPS=2482", true);
        assert_eq!((cell[0].iops, cell[1].iops), (Some(1_059.0), Some(2_482.0)));
        let cell = read("IOPS=458k, BW=1789MiB/s util=96.69%", true);
        assert_eq!(
            (cell.len(), cell[0].bytes_per_s),
            (1, Some(1789.0 * 1_048_576.0))
        );
        let letters = read("R=10.6k W=4544", true);
        assert_eq!(
            (letters[0].iops, letters[1].iops),
            (Some(10_600.0), Some(4_544.0))
        );
        assert_eq!(read("R=10.6k W=4544", false), []);
        assert_eq!(read("100,000", true), []);
        assert_eq!(disks("nvme0n1:util=42.31% nvme1n1: util=0%").len(), 2);
    }
}
