//! Seconds of dd in the cells of tables: what was copied stands beside them or above.

use super::{DdSummary, direction, imported, operand};
use crate::pieces::Pieces;
use crate::printed::markdown::{self, MarkdownRow, MarkdownTable};
use crate::printed::number::{leading, number, size_factor};
use crate::{Piece, Text};
use std::collections::BTreeMap;

/// Nobody copies more.
const BYTES_MAX: f64 = 1e18;
/// A command of a cell is kept up to so many characters.
const COMMAND_MAX: usize = 500;

/// The results in the tables of a text, and in rows of one that has lost its header.
pub fn find(text: &Text, pieces: &mut Pieces) {
    if !text.lines.iter().any(|line| line.contains("dd")) {
        return;
    }
    let tables = markdown::tables(text);
    let mut is_in_table = vec![false; text.lines.len()];
    for table in &tables {
        is_in_table[table.lines.clone()].fill(true);
        pieces.extend(table.rows.iter().flat_map(|row| of_row(row, table)));
    }
    let none = MarkdownTable {
        header: Vec::new(),
        rows: Vec::new(),
        lines: 0..0,
    };
    for (index, line) in text.lines.iter().enumerate() {
        if !is_in_table[index] && line.contains('|') && line.contains("dd") {
            let row = MarkdownRow {
                cells: markdown::cells(line),
                lines: (index, index),
            };
            pieces.extend(of_row(&row, &none));
        }
    }
}

/// What a cell says that was copied: `dd write bs=1M count=10240 conv=fsync`.
struct Copied {
    bytes: f64,
    facts: BTreeMap<String, String>,
}

impl Copied {
    fn read(cell: &str) -> Option<Copied> {
        let words: Vec<&str> = cell.split_whitespace().collect();
        let at = words
            .iter()
            .position(|word| word.trim_matches('`') == "dd")?;
        let words: Vec<&str> = words[at..]
            .iter()
            .map(|word| word.trim_matches('`'))
            .collect();
        let (block, count) = (
            size(operand(&words, "bs")?)?,
            size(operand(&words, "count")?)?,
        );
        let is_bytes = operand(&words, "iflag").is_some_and(|flags| flags.contains("count_bytes"));
        let bytes = if is_bytes { count } else { block * count };
        let mut facts = BTreeMap::new();
        for name in ["if", "of", "bs", "count", "iflag", "oflag", "conv"] {
            let value = operand(&words, name).map(str::to_string);
            facts.extend(value.map(|value| (name.to_string(), value)));
        }
        let command: String = words.join(" ").chars().take(COMMAND_MAX).collect();
        facts.insert("command".into(), command);
        (bytes > 0.0 && bytes <= BYTES_MAX).then_some(Copied { bytes, facts })
    }

    /// Whether the disk was written: as the operands say, else the word beside them, else what only a write can have.
    fn is_write(&self) -> Option<bool> {
        let command = self.facts.get("command").map_or("", String::as_str);
        let is_said = |word: &str| command.split(' ').any(|one| one == word);
        let flags = ["conv", "oflag"]
            .iter()
            .filter_map(|name| self.facts.get(*name));
        let has_sync = flags.into_iter().any(|flags| flags.contains("sync"));
        direction(&self.facts).or(match () {
            () if is_said("write") => Some(true),
            () if is_said("read") => Some(false),
            () if has_sync || self.facts.contains_key("oflag") => Some(true),
            () if self.facts.contains_key("iflag") => Some(false),
            () => None,
        })
    }
}

/// A size as dd understands it: `1M` and `1MiB` are powers of 1,024, `1MB` of 1,000, `4b` are four blocks of 512 bytes.
fn size(word: &str) -> Option<f64> {
    let (value, unit) = leading(word)?;
    let factor = match unit {
        "" | "c" => 1.0,
        "w" => 2.0,
        "b" => 512.0,
        unit => size_factor(unit, !unit.ends_with('B') || unit.ends_with("iB"))?,
    };
    (value > 0.0).then_some(value * factor)
}

/// `10.9 s`, `23 sec`, `23\u{79d2}`.
fn seconds(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_matches(['*', '`']).trim();
    let units = ["seconds", "secs", "sec", "s", "\u{79d2}"];
    let figure = units.iter().find_map(|unit| cell.strip_suffix(unit))?;
    number(figure.trim_end()).filter(|seconds| *seconds > 0.0)
}

/// The results of a row: one a cell with seconds.
fn of_row(row: &MarkdownRow, table: &MarkdownTable) -> Vec<Piece> {
    let beside = row.cells.iter().find_map(|cell| Copied::read(cell));
    let label = || {
        row.cells
            .iter()
            .find(|cell| !cell.is_empty() && seconds(cell).is_none())
    };
    let mut found = Vec::new();
    for (column, cell) in row.cells.iter().enumerate() {
        let Some(seconds) = seconds(cell) else {
            continue;
        };
        let head = table.header.get(column);
        let above = head.and_then(|head| Copied::read(head));
        let (copied, name) = match (&beside, &above) {
            (Some(beside), _) => (beside, head),
            (None, Some(above)) => (above, label()),
            (None, None) => continue,
        };
        let name = name.filter(|name| !name.is_empty());
        found.push(piece(row, column, copied, seconds, name));
    }
    found
}

fn piece(
    row: &MarkdownRow,
    column: usize,
    copied: &Copied,
    seconds: f64,
    name: Option<&String>,
) -> Piece {
    let summary = DdSummary {
        line: row.lines.0,
        bytes: copied.bytes,
        seconds,
    };
    let mut imported = imported(summary, copied.is_write());
    imported.facts = copied.facts.clone();
    let place = format!("column {}", column + 1);
    if let Some(name) = name {
        let name: String = name.chars().take(80).collect();
        imported.facts.insert("model".into(), name.clone());
        imported.name = name;
    } else {
        imported.name = format!("dd, {place}");
    }
    imported.facts.insert("table".into(), place);
    imported
        .lossy
        .push("seconds that somebody quoted, rounded; the bytes are bs by count".into());
    Piece::new(row.lines.0..row.lines.1 + 1, imported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;

    /// Name, bytes a second, and whether it wrote.
    fn read(text: &str) -> Vec<(String, f64, bool)> {
        let all = found(super::super::find, &Text::new(text)).into_iter();
        let one = |piece: Piece| {
            let load = piece.imported.load.unwrap();
            let is_write = load.write.is_some();
            let side = load.write.or(load.read).or(load.mixed).unwrap();
            (
                piece.imported.name,
                side.bytes_per_s.unwrap().round(),
                is_write,
            )
        };
        all.map(one).collect()
    }

    const MIB: f64 = 1_048_576.0;

    #[test]
    fn a_row_of_dd_has_a_result_for_each_column() {
        let text = "RAID0(2 disks) | NVMe | LVM | |\n---|---|---|---|\n\
                    dd write bs=1M count=10240 conv=fsync | 10.9\u{79d2} | 23 s | not run |\n";
        let of = |seconds: f64| (10_240.0 * MIB / seconds).round();
        assert_eq!(
            read(text),
            [
                ("RAID0(2 disks)".to_string(), of(10.9), true),
                ("NVMe".to_string(), of(23.0), true)
            ]
        );
    }

    #[test]
    fn a_column_of_dd_has_a_result_for_each_row() {
        let text = "| disk | dd if=/dev/zero of=test bs=1M count=1024 conv=fsync | dd if=test of=/dev/null bs=1MB count=1000 |\n\
                    |------|------|------|\n| local | 10.9 s | 2 s |\n| PL3 | 12.4 s | |\n";
        let found = read(text);
        let of = |seconds: f64| (1_024.0 * MIB / seconds).round();
        assert_eq!(
            found,
            [
                ("local".to_string(), of(10.9), true),
                ("local".to_string(), 5e8, false),
                ("PL3".to_string(), of(12.4), true)
            ]
        );
    }

    #[test]
    fn a_row_without_its_header_is_named_by_its_columns_and_others_are_left() {
        let found = read("| dd write bs=1M count=10 | 10 s | 20 s |\n");
        assert_eq!(found[0], ("dd, column 2".to_string(), MIB, true));
        assert_eq!(found[1], ("dd, column 3".to_string(), MIB / 2.0, true));
        for other in [
            "| added bs=1M count=10 | 10 s |\n",
            "| dd bs=1M | 10 s |\n",
            "1 | time taskset -c 0 dd if=/dev/zero of=./t bs=1M count=40240 & |\n",
            "| dd bs=1M count=99999999999999999999 | 10 s |\n",
        ] {
            assert_eq!(read(other), [], "{other}");
        }
    }

    #[test]
    fn sizes_are_those_of_dd() {
        for (word, bytes) in [
            ("1M", Some(MIB)),
            ("1MB", Some(1e6)),
            ("4KiB", Some(4_096.0)),
            ("2b", Some(1_024.0)),
            ("512", Some(512.0)),
            ("x", None),
        ] {
            assert_eq!(size(word), bytes, "{word}");
        }
    }
}
