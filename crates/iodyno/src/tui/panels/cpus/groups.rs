//! CPUs folded into equal groups where there are more than columns.

/// Neighbouring CPUs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// CPUs in a group, a power of two; the last may have fewer.
    pub size: usize,
    cpus: Vec<u32>,
}

impl Groups {
    /// At most so many groups of these CPUs.
    pub fn of(cpus: &[u32], most: usize) -> Groups {
        let mut size = 1;
        while cpus.len().div_ceil(size) > most.max(1) {
            size *= 2;
        }
        Groups {
            size,
            cpus: cpus.to_vec(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.cpus.len().div_ceil(self.size)
    }

    /// The number of each group's first CPU.
    pub fn firsts(&self) -> impl Iterator<Item = u32> {
        self.cpus.chunks(self.size).map(|group| group[0])
    }

    /// The most that any CPU of each group has: one busy CPU must not vanish among idle ones.
    pub fn most(&self, values: &[Option<f64>]) -> Vec<Option<f64>> {
        values
            .chunks(self.size)
            .map(|group| group.iter().flatten().copied().reduce(f64::max))
            .collect()
    }

    /// Every how many columns of this width a number fits without touching the next.
    pub fn header_every(&self, cell: usize) -> usize {
        let digits = self.cpus.last().map_or(1, |cpu| cpu.to_string().len());
        (digits + 1).div_ceil(cell.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_busy_cpu_of_many_is_seen() {
        let cpus: Vec<u32> = (0..128).collect();
        let groups = Groups::of(&cpus, 24);
        assert_eq!((groups.size, groups.count()), (8, 16));
        assert_eq!(groups.firsts().nth(3), Some(24));
        let mut busy = vec![Some(1.0); 128];
        (busy[77], busy[78]) = (Some(99.0), None);
        assert_eq!(groups.most(&busy)[9], Some(99.0));
        assert_eq!(groups.most(&[None; 128])[9], None);
        assert_eq!((groups.header_every(4), groups.header_every(2)), (1, 2));
        assert_eq!(Groups::of(&[0, 2, 4], 24).size, 1);
        assert_eq!(Groups::of(&[], 0).count(), 0);
    }
}
