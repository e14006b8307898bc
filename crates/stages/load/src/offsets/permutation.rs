//! A random order of numbers without a map: an alternating Feistel network over a rectangle.

use stats::dice::mix64;

/// Rounds of the network. Four make the order indistinguishable from chance by the tests below; fewer do not.
const ROUNDS: usize = 4;

/// A random order of the numbers below `count`, one pass of it.
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    rows: u64,
    columns: u64,
    keys: [u64; ROUNDS],
    row: u64,
    column: u64,
}

impl Permutation {
    /// The order of a seed.
    pub fn new(count: u64, seed: u64) -> Permutation {
        let columns = (count as f64).sqrt().ceil().max(1.0) as u64;
        let rows = count.div_ceil(columns);
        let keys = std::array::from_fn(|round| mix64(seed.wrapping_add(round as u64 + 1)));
        Permutation {
            count,
            rows,
            columns,
            keys,
            row: 0,
            column: 0,
        }
    }

    /// The next number; none when all were given.
    #[inline]
    pub fn next(&mut self) -> Option<u64> {
        while self.row < self.rows {
            let cell = self.image(self.row, self.column);
            self.column += 1;
            if self.column == self.columns {
                self.column = 0;
                self.row += 1;
            }
            // The rectangle is larger than the range by less than one row; its surplus cells are passed over.
            if cell < self.count {
                return Some(cell);
            }
        }
        None
    }

    /// The number at a place below `count`, whatever was given so far. The surplus cells of the rectangle are walked
    /// through until one is inside, which keeps it a permutation of the numbers below `count`.
    pub fn at(&self, place: u64) -> u64 {
        let mut cell = place;
        loop {
            cell = self.image(cell / self.columns, cell % self.columns);
            if cell < self.count {
                return cell;
            }
        }
    }

    /// Whether [`Permutation::next`] has given this number: the network run backwards says at which place it stands.
    pub fn has_given(&self, number: u64) -> bool {
        let (mut row, mut column) = (number / self.columns, number % self.columns);
        column = unshifted(column, row, self.keys[3], self.columns);
        row = unshifted(row, column, self.keys[2], self.rows);
        column = unshifted(column, row, self.keys[1], self.columns);
        row = unshifted(row, column, self.keys[0], self.rows);
        (row, column) < (self.row, self.column)
    }

    #[inline(always)]
    fn image(&self, mut row: u64, mut column: u64) -> u64 {
        row = shifted(row, column, self.keys[0], self.rows);
        column = shifted(column, row, self.keys[1], self.columns);
        row = shifted(row, column, self.keys[2], self.rows);
        column = shifted(column, row, self.keys[3], self.columns);
        row * self.columns + column
    }
}

/// `(value + hash(other)) mod size`, which is undone by subtracting the same hash: a round can lose no block.
#[inline(always)]
fn shifted(value: u64, other: u64, key: u64, size: u64) -> u64 {
    let hash = (other ^ (key >> 32)).wrapping_mul(key | 1) >> 32;
    let sum = value + ((hash * size) >> 32);
    if sum >= size { sum - size } else { sum }
}

/// Undoes [`shifted`].
#[inline(always)]
fn unshifted(value: u64, other: u64, key: u64, size: u64) -> u64 {
    let hash = (other ^ (key >> 32)).wrapping_mul(key | 1) >> 32;
    let back = (hash * size) >> 32;
    if value >= back {
        value - back
    } else {
        value + size - back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbers_once_each() {
        for count in [1u64, 2, 3, 10, 257, 1000] {
            let order = Permutation::new(count, 4);
            let mut seen: Vec<u64> = (0..count).map(|place| order.at(place)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }
}
