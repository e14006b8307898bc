//! What happened by second, in bounded memory: when there are too many seconds, two become one.

/// Most bins of a direction.
const BINS_MAX: usize = 3_600;
/// Times this far from the first are damage, ms: ten years.
pub const SPAN_MAX_MS: u64 = 315_360_000_000;

/// One span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Lines.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Sum of the values.
    pub sum: f64,
    /// Greatest value.
    pub max: u64,
}

/// Spans of one width for all directions.
#[derive(Clone, Debug)]
pub struct Bins {
    /// Width, ms.
    pub width_ms: u64,
    /// Of each direction.
    pub all: [Vec<Bin>; 3],
    /// The bin of the last entry: its bounds and index.
    from_ms: u64,
    to_ms: u64,
    index: usize,
}

impl Default for Bins {
    fn default() -> Self {
        Bins {
            width_ms: 1_000,
            all: Default::default(),
            from_ms: 0,
            to_ms: 0,
            index: 0,
        }
    }
}

impl Bins {
    /// Counts a value `time_ms` after the start.
    #[inline]
    pub fn add(&mut self, direction: usize, time_ms: u64, value: u64, bytes: u64) {
        if !(self.from_ms..self.to_ms).contains(&time_ms) {
            self.find(time_ms);
        }
        let bins = &mut self.all[direction];
        if bins.len() <= self.index {
            bins.resize(self.index + 1, Bin::default());
        }
        let bin = &mut bins[self.index];
        bin.count += 1;
        bin.bytes = bin.bytes.wrapping_add(bytes);
        bin.sum += value as f64;
        bin.max = bin.max.max(value);
    }

    #[cold]
    fn find(&mut self, time_ms: u64) {
        while time_ms / self.width_ms >= BINS_MAX as u64 {
            self.width_ms *= 2;
            self.all.iter_mut().for_each(halve);
        }
        self.index = (time_ms / self.width_ms) as usize;
        self.from_ms = self.index as u64 * self.width_ms;
        self.to_ms = self.from_ms + self.width_ms;
    }
}

fn halve(bins: &mut Vec<Bin>) {
    let pairs = bins.chunks(2).map(|pair| {
        let second = pair.get(1).copied().unwrap_or_default();
        Bin {
            count: pair[0].count + second.count,
            bytes: pair[0].bytes.wrapping_add(second.bytes),
            sum: pair[0].sum + second.sum,
            max: pair[0].max.max(second.max),
        }
    });
    *bins = pairs.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_has_wider_bins_and_loses_nothing() {
        let mut bins = Bins::default();
        for second in 0..10_000u64 {
            bins.add(0, second * 1_000, 7, 512);
        }
        assert_eq!(bins.width_ms, 4_000);
        assert!(bins.all[0].len() <= BINS_MAX);
        assert_eq!(bins.all[0].iter().map(|bin| bin.count).sum::<u64>(), 10_000);
        bins.add(1, SPAN_MAX_MS, 1, 0);
        assert!(
            bins.all[1].len() <= BINS_MAX
                && bins.all[0].iter().map(|bin| bin.bytes).sum::<u64>() == 5_120_000
        );
    }
}
