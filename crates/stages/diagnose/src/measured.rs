//! Arithmetic on results and counters that several rules share.

use super::facts::{RuleFacts, is_block_io};
pub use analyse::plateau::variation;
use model::record::{Interval, LoadResult, SectionResult};
use model::window::Window;

/// The sections that ran together, and what they moved.
pub struct MeasuredStage<'a> {
    /// They themselves.
    pub sections: Vec<&'a SectionResult>,
    /// When it was measured.
    pub window: Window,
    /// Bytes that the load read.
    pub read_bytes: f64,
    /// Bytes that the load wrote.
    pub write_bytes: f64,
}

impl MeasuredStage<'_> {
    /// The name of the first section, for findings.
    pub fn name(&self) -> &str {
        self.sections
            .first()
            .map_or("", |section| section.name.as_str())
    }

    /// Whether every section bypasses the page cache.
    pub fn is_direct(&self) -> bool {
        self.sections.iter().all(|section| section.job.direct)
    }
}

/// The results of sections that do block I/O.
pub fn block_results<'a>(facts: &RuleFacts<'a>) -> impl Iterator<Item = &'a SectionResult> {
    facts
        .load
        .iter()
        .filter(|section| is_block_io(&section.job) && section.load.elapsed_ms > 0.0)
}

/// The results by stage, in order.
pub fn stages<'a>(facts: &RuleFacts<'a>) -> Vec<MeasuredStage<'a>> {
    let mut numbers: Vec<u32> = facts.load.iter().map(|section| section.stage).collect();
    numbers.dedup();
    let of = |number: u32| {
        block_results(facts)
            .filter(move |section| section.stage == number)
            .collect()
    };
    numbers
        .into_iter()
        .filter_map(|number| stage(of(number)))
        .collect()
}

fn stage(sections: Vec<&SectionResult>) -> Option<MeasuredStage<'_>> {
    let window = Window::around(sections.iter().map(|section| Window::of_section(section)))?;
    Some(MeasuredStage {
        window,
        read_bytes: sections
            .iter()
            .map(|section| section.load.read.bytes as f64)
            .sum(),
        write_bytes: sections
            .iter()
            .map(|section| section.load.write.bytes as f64)
            .sum(),
        sections,
    })
}

/// I/Os per second of each whole interval; the last one is often cut short and left out.
pub fn interval_rates(load: &LoadResult, of: impl Fn(&Interval) -> u64) -> Vec<f64> {
    let longest = load
        .intervals
        .iter()
        .map(|interval| interval.length_ms)
        .max()
        .unwrap_or(0);
    let whole = load
        .intervals
        .iter()
        .filter(|interval| interval.length_ms > 0 && interval.length_ms == longest);
    whole
        .map(|interval| of(interval) as f64 / interval.length_ms as f64 * 1e3)
        .collect()
}

/// By how much a fitted straight line rises from the first to the last value, as a share of the mean.
pub fn trend(values: &[f64]) -> Option<f64> {
    let (count, mean) = (values.len() as f64, stats::mean(values));
    if values.len() < 2 || mean <= 0.0 {
        return None;
    }
    let middle = (count - 1.0) / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let distance = index as f64 - middle;
        products += distance * (value - mean);
        squares += distance * distance;
    }
    Some(products / squares * (count - 1.0) / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_trend_that_is_drawn() {
        let falling: Vec<f64> = (0..11).map(|i| 110.0 - 2.0 * f64::from(i)).collect();
        assert!((trend(&falling).unwrap() + 0.2).abs() < 1e-12);
        assert_eq!(trend(&[5.0; 4]), Some(0.0));
        assert_eq!((trend(&[1.0]), variation(&[0.0, 0.0])), (None, None));
    }
}
