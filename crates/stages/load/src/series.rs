//! Completions over the whole of a load, at a resolution that falls as the load goes on: memory stays flat for days,
//! and no count is lost.

/// Bins held at most; when full, neighbours are added up and every bin is twice as wide.
const MOST: usize = 6_000;

/// Counts per bin from the origin on.
#[derive(Debug)]
pub struct LoadSeries {
    counts: Vec<u64>,
    /// Source bins in each of ours.
    width: u64,
    /// Source bins taken so far.
    taken: u64,
}

impl LoadSeries {
    /// Nothing yet.
    pub fn new() -> LoadSeries {
        LoadSeries {
            counts: Vec::new(),
            width: 1,
            taken: 0,
        }
    }

    /// Source bins taken so far: the number of the next one.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Source bins in each bin of the series.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Takes the next source bin.
    pub fn push(&mut self, count: u64) {
        let place = (self.taken / self.width) as usize;
        if place == MOST {
            self.counts = self
                .counts
                .chunks(2)
                .map(|pair| pair.iter().sum())
                .collect();
            self.width *= 2;
            return self.push(count);
        }
        if place == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[place] += count;
        self.taken += 1;
    }

    /// The counts, and none after the last that is not zero.
    pub fn into_counts(self) -> Vec<u32> {
        let end = self
            .counts
            .iter()
            .rposition(|count| *count > 0)
            .map_or(0, |last| last + 1);
        self.counts[..end]
            .iter()
            .map(|count| u32::try_from(*count).unwrap_or(u32::MAX))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_fits_and_nothing_is_lost() {
        let mut series = LoadSeries::new();
        let day = 24 * 3600 * 100;
        (0..day).for_each(|bin| series.push(bin % 7));
        assert_eq!(series.taken(), day);
        let width = series.width();
        let counts = series.into_counts();
        assert!(counts.len() <= MOST && counts.len() > MOST / 2 && width.is_power_of_two());
        assert_eq!(
            counts.iter().map(|c| u64::from(*c)).sum::<u64>(),
            (0..day).map(|bin| bin % 7).sum::<u64>()
        );
    }
}
