//! One table of iostat: its columns, and the rows that fit them, in however many lines they come.

use crate::printed::columns::{self, PrintedColumn};
use crate::printed::number::{all_numbers, leading, number, size_factor};

/// A table's head.
#[derive(Clone, Debug)]
pub struct IostatTable<'a> {
    /// Columns as printed, without the device's.
    pub names: Vec<&'a str>,
    /// What they are; none of what is not known.
    pub columns: Vec<Option<PrintedColumn>>,
    /// The name stands behind the numbers (`-h`).
    is_name_last: bool,
}

/// A device and its values in the columns' units.
pub type IostatRow<'a> = (&'a str, Vec<Option<f64>>);

/// So many words of a head have to be known columns.
const KNOWN_MIN: usize = 4;

/// A head at the start of some words, and what follows it: rows, where all was pasted into one line.
pub fn head<'a, 'b>(words: &'b [&'a str]) -> Option<(IostatTable<'a>, &'b [&'a str])> {
    let is_known = |word: &&str| columns::disk("iostat", word).is_some() || is_column(word);
    let is_name_last = is_known(words.first()?);
    let begin = usize::from(!is_name_last);
    let count = words[begin..]
        .iter()
        .take_while(|word| is_known(word))
        .count();
    let names = words[begin..begin + count].to_vec();
    if count < KNOWN_MIN || words.contains(&"DEV") || words.contains(&"PID") {
        return None;
    }
    let end = begin + count + usize::from(is_name_last);
    // What stands in the name's place is a title in some language, and no number.
    let title = if is_name_last {
        words.get(begin + count)?
    } else {
        words.first()?
    };
    if number(title).is_some() {
        return None;
    }
    let columns = names
        .iter()
        .map(|name| columns::disk("iostat", name))
        .collect();
    Some((
        IostatTable {
            names,
            columns,
            is_name_last,
        },
        &words[end..],
    ))
}

/// Columns whose meaning has no unit of its own to find them by.
fn is_column(word: &str) -> bool {
    word.starts_with('%') && word.len() > 3
}

impl<'a> IostatTable<'a> {
    /// The device of a row and its values in the columns' units.
    pub fn row(&self, words: &[&'a str]) -> Option<IostatRow<'a>> {
        if words.len() != self.names.len() + 1 {
            return None;
        }
        let (name, numbers) = match self.is_name_last {
            true => words.split_last()?,
            false => words.split_first()?,
        };
        self.values(numbers).map(|values| (*name, values))
    }

    /// The values of a row without its name: iostat 9 breaks the line after a long one.
    pub fn values(&self, words: &[&str]) -> Option<Vec<Option<f64>>> {
        if words.len() != self.names.len() {
            return None;
        }
        let numbers: Vec<f64> = words
            .iter()
            .map(|word| human(word))
            .collect::<Option<_>>()?;
        let mut values = columns::values(&self.names, &self.columns, &numbers);
        // With -h a number has its own unit, which the column's was before.
        for ((value, word), column) in values.iter_mut().zip(words).zip(&self.columns) {
            if let (Some(value), Some(column), true) = (value, column, has_own_unit(word)) {
                *value /= column.factor;
            }
        }
        Some(values)
    }

    /// Rows that follow each other in one line.
    pub fn rows(&self, words: &[&'a str]) -> Option<Vec<IostatRow<'a>>> {
        let width = self.names.len() + 1;
        if words.is_empty() || !words.len().is_multiple_of(width) {
            return None;
        }
        words.chunks(width).map(|row| self.row(row)).collect()
    }

    /// Whether another head is of the same table.
    pub fn is_like(&self, other: &IostatTable) -> bool {
        self.names == other.names
    }
}

/// A number of a cell: `12.3`, `12,3`, `45.6%`, `1.5M`.
fn human(word: &str) -> Option<f64> {
    number(word).or_else(|| {
        let (value, unit) = leading(word)?;
        size_factor(unit, true).map(|factor| value * factor)
    })
}

/// Whether a cell tells its own unit, which [`human`] has applied: `1.5M`, not `12.3` nor `45.6%`.
fn has_own_unit(word: &str) -> bool {
    number(word).is_none() && human(word).is_some()
}

/// The shares of `avg-cpu:` after its columns: of the same line or of the next.
pub fn cpu_names<'a, 'b>(words: &'b [&'a str]) -> Option<(Vec<&'a str>, &'b [&'a str])> {
    let (first, rest) = words.split_first()?;
    let count = rest
        .iter()
        .take_while(|word| columns::cpu("iostat", word).is_some())
        .count();
    (*first == "avg-cpu:" && count >= 3 || first.ends_with(':') && count >= 5)
        .then(|| (rest[..count].to_vec(), &rest[count..]))
}

/// Whether words are the shares of so many columns.
pub fn is_shares(words: &[&str], count: usize) -> bool {
    words.len() == count && all_numbers(words)
}
