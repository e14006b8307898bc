//! The text of `lsblk -t` and of plain `lsblk`: a tree of names with columns behind it.

use super::{FACTS_MAX, imported};
use crate::pieces::Pieces;
use crate::printed::{clean, commands};
use crate::{Piece, Text};
use std::collections::BTreeMap;

/// What stands before the names of a tree, in either of lsblk's character sets.
const BRANCHES: [char; 9] = [
    ' ', '\u{251c}', '\u{2514}', '\u{2500}', '\u{2502}', '|', '`', '-', '\u{a0}',
];

/// The tables of a text.
pub fn find(text: &Text, pieces: &mut Pieces) {
    let mut index = 0;
    while index < text.lines.len() {
        let end = match head(clean(text.lines[index])) {
            Some(columns) => {
                let (piece, end) = table(text, index, &columns);
                pieces.extend(piece);
                end
            }
            None => index + 1,
        };
        index = end;
    }
}

/// The columns of a head, by the names that the JSON has for them.
fn head(line: &str) -> Option<Vec<String>> {
    let mut words = line.split_whitespace();
    let is_head =
        words.next() == Some("NAME") && matches!(words.next(), Some("ALIGNMENT" | "MAJ:MIN"));
    is_head.then(|| line.split_whitespace().map(str::to_lowercase).collect())
}

/// The result below a head, and the line after it.
fn table(text: &Text, head: usize, columns: &[String]) -> (Option<Piece>, usize) {
    let mut facts = BTreeMap::new();
    // Columns at which the names above the next one begin.
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut end = head + 1;
    for line in &text.lines[head + 1..] {
        let line = without_frame(line);
        let named = line.trim_start_matches(BRANCHES);
        let column = line.chars().count() - named.chars().count();
        let Some((name, cells)) = cells(named, columns) else {
            break;
        };
        if facts.len() > FACTS_MAX {
            break;
        }
        above.retain(|(before, _)| *before < column);
        if let Some((_, parent)) = above.last() {
            facts.insert(format!("{name}.parent"), parent.clone());
        }
        facts.extend(cells.map(|(column, cell)| (format!("{name}.{column}"), cell)));
        above.push((column, name.to_string()));
        end += 1;
    }
    let mut piece = Piece::new(head..end, imported(facts, None));
    if let Some((words, at)) = commands::above(text, head, "lsblk") {
        piece
            .imported
            .facts
            .insert("command".into(), words.join(" "));
        piece.lines.insert(0, at..at + 1);
    }
    ((end > head + 1).then_some(piece), end)
}

/// A line as it was printed. What a paste puts around it goes, but not the room in front of a branch.
fn without_frame(line: &str) -> &str {
    let line = line.trim_end();
    let number = line.split_once(" | ").filter(|(number, _)| {
        let number = number.trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    number.map_or(line, |(_, rest)| rest.trim_end_matches('|').trim_end())
}

/// A row's name, and its cells with their columns; none where it does not have the columns of its table.
fn cells<'a>(
    row: &'a str,
    columns: &'a [String],
) -> Option<(&'a str, impl Iterator<Item = (&'a str, String)>)> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let (name, words) = words.split_first()?;
    let columns = &columns[1..];
    let missing = columns.len().checked_sub(words.len());
    // A disk without a queue of its own has no scheduler, and what is mounted nowhere ends before the last column.
    let may_be_empty = |column: &String| column == "sched" || column.starts_with("mountpoint");
    let empty = columns.iter().position(may_be_empty);
    let values: Vec<String> = match (missing, empty) {
        (Some(0), _) => words.iter().map(|word| (*word).to_string()).collect(),
        (Some(1), Some(empty)) => {
            let mut values: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
            values.insert(empty, String::new());
            values
        }
        // A place may have spaces in its name.
        (None, Some(empty)) if empty + 1 == columns.len() => {
            let whole = words[..empty].iter().map(|word| (*word).to_string());
            whole.chain([words[empty..].join(" ")]).collect()
        }
        _ => return None,
    };
    // What stands in the first columns are numbers, or it is another text.
    let is_row = values
        .first()
        .is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit()));
    let told = columns.iter().map(String::as_str).zip(values);
    is_row.then(|| (*name, told.filter(|(_, value)| !value.is_empty())))
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::only;

    #[test]
    fn topology_with_and_without_a_scheduler() {
        let found = only("lsblk/2.23.2-t.txt");
        let fact = |name: &str| found.facts.get(name).map(String::as_str);
        assert_eq!(
            [
                fact("sda.sched"),
                fact("sda.rq-size"),
                fact("sda.ra"),
                fact("sda.wsame")
            ],
            [Some("bfq"), Some("256"), Some("128"), Some("0B")]
        );
        assert_eq!(
            [
                fact("vg0-root.parent"),
                fact("vg0-root.sched"),
                fact("vg0-root.rq-size")
            ],
            [Some("sda2"), None, Some("128")]
        );
        assert_eq!(
            [fact("sda2.parent"), fact("nvme0n1.parent")],
            [Some("sda"), None]
        );
        assert_eq!(
            (fact("nvme0n1.sched"), fact("command")),
            (Some("none"), Some("lsblk -t"))
        );
        assert_eq!(found.lines, Some((1, 7)));
    }

    #[test]
    fn the_plain_table_has_places_and_types() {
        let found = only("lsblk/2.38.1.txt");
        let fact = |name: &str| found.facts.get(name).map(String::as_str);
        assert_eq!(
            [
                fact("vda1.mountpoints"),
                fact("vda1.type"),
                fact("vda.size"),
                fact("vda.mountpoints")
            ],
            [Some("/srv/my data"), Some("part"), Some("50G"), None]
        );
        assert!(found.lossy[0].contains("rounded"));
    }
}
