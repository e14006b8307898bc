//! The rates that a program tells, without more memory than time: one that prints without end is no reason to run out of it.

use crate::worker::PrintedRate;
use model::units;

const MS_NS: u64 = 1_000_000;

/// What was told in all.
#[derive(Debug, Default)]
pub(super) struct Told {
    lines: u64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Told {
    /// Counts a rate in.
    pub fn add(&mut self, value: f64) {
        let is_first = self.lines == 0;
        self.least = if is_first {
            value
        } else {
            self.least.min(value)
        };
        self.most = if is_first {
            value
        } else {
            self.most.max(value)
        };
        self.lines += 1;
        self.sum += value;
    }

    /// What the command told of itself over the whole run; none where it told nothing.
    pub fn summary(&self) -> Option<String> {
        let lines = match self.lines {
            0 => return None,
            1 => "1 line".into(),
            count => format!("{count} lines"),
        };
        Some(format!(
            "the command printed a rate in {lines}: {} in the mean, from {} to {}",
            units::rate(self.sum / self.lines as f64),
            units::rate(self.least),
            units::rate(self.most)
        ))
    }
}

/// Of rates that were printed within the same millisecond the mean: nobody measures in less, and of many lines that come at once from
/// a buffer each says as much as the first.
pub(super) fn by_milliseconds(rates: &[PrintedRate]) -> impl Iterator<Item = PrintedRate> {
    let same = rates.chunk_by(|a, b| a.at_ns / MS_NS == b.at_ns / MS_NS);
    same.map(|rates| PrintedRate {
        at_ns: rates[rates.len() - 1].at_ns,
        value: rates.iter().map(|rate| rate.value).sum::<f64>() / rates.len() as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_millisecond_the_mean_is_kept_and_of_all_lines_the_summary() {
        let rate = |(at_ns, value)| PrintedRate { at_ns, value };
        let rates = [
            (1, 4.0),
            (2, 8.0),
            (MS_NS, 1.0),
            (3 * MS_NS, 2.0),
            (3 * MS_NS + 9, 6.0),
        ]
        .map(rate);
        let kept: Vec<PrintedRate> = by_milliseconds(&rates).collect();
        assert_eq!(
            kept,
            [(2, 6.0), (MS_NS, 1.0), (3 * MS_NS + 9, 4.0)].map(rate)
        );
        assert_eq!(by_milliseconds(&[]).count(), 0);
        let mut told = Told::default();
        assert_eq!(told.summary(), None);
        rates.iter().for_each(|rate| told.add(rate.value));
        let words = told.summary().unwrap();
        assert_eq!(
            words,
            "the command printed a rate in 5 lines: 4.20 in the mean, from 1 to 8"
        );
    }
}
