//! Tables whose cells quote fio.

use super::{Quote, cell};
use crate::Text;
use crate::importers::fio_text::{CommandFacts, command_facts};
use crate::printed::markdown::{self, MarkdownTable};

/// The quotes in the tables of a text, and for each line whether it belongs to a table that has some.
pub fn find(text: &Text) -> (Vec<Quote>, Vec<bool>) {
    let mut quotes = Vec::new();
    let mut taken = vec![false; text.lines.len()];
    for table in markdown::tables(text) {
        let found = of_table(&table);
        if !found.is_empty() {
            taken[table.lines].fill(true);
            quotes.extend(found);
        }
    }
    (quotes, taken)
}

/// The quotes of one table.
fn of_table(table: &MarkdownTable) -> Vec<Quote> {
    let (header, rows) = (&table.header, &table.rows);
    let is_option =
        |cell: &str| cell.contains("fio ") || cell.starts_with('-') && cell.contains('=');
    let is_fio = header
        .iter()
        .chain(rows.iter().flat_map(|row| &row.cells))
        .any(|cell| is_option(cell));
    let names_engine = header
        .iter()
        .chain(rows.iter().flat_map(|row| &row.cells))
        .any(|cell| is_option(cell) && cell.contains("ioengine="));
    let mut quotes = Vec::new();
    for row in rows {
        let read: Vec<_> = row
            .cells
            .iter()
            .map(|cell| cell::read(cell, is_fio))
            .collect();
        let heads: Vec<&String> = row
            .cells
            .iter()
            .zip(&read)
            .filter(|(_, sides)| sides.is_empty())
            .map(|(cell, _)| cell)
            .collect();
        for (column, sides) in read
            .iter()
            .enumerate()
            .filter(|(_, sides)| !sides.is_empty())
        {
            let mut facts = CommandFacts::new();
            let mut labels = Vec::new();
            for head in heads
                .iter()
                .map(|head| head.as_str())
                .chain(header.get(column).map(String::as_str))
            {
                describe(head, &mut facts, &mut labels);
            }
            if let Some(device) = labels.last() {
                facts.insert("model".into(), device.clone());
            }
            facts.insert("table".into(), format!("column {}", column + 1));
            let lossy = default_engine(&mut facts, names_engine);
            // The label, then what was run.
            let column_head = header.get(column).map(String::as_str);
            let said = heads.iter().map(|head| head.as_str()).chain(column_head);
            let said =
                said.filter(|head| !head.is_empty() && !labels.iter().any(|label| label == head));
            let name = labels
                .iter()
                .map(String::as_str)
                .chain(said)
                .collect::<Vec<_>>()
                .join(": ");
            quotes.push(Quote {
                sides: sides.clone(),
                facts,
                disks: cell::disks(&row.cells[column]),
                name: name.chars().take(160).collect(),
                lines: row.lines,
                lossy: lossy.into_iter().collect(),
            });
        }
    }
    quotes
}

/// A command line without an engine means fio's default, where others of the table name theirs; what is then said.
fn default_engine(facts: &mut CommandFacts, names_engine: bool) -> Option<String> {
    let is_default =
        names_engine && facts.contains_key("command") && !facts.contains_key("ioengine");
    is_default.then(|| {
        facts.insert("ioengine".into(), "psync".into());
        "ioengine is psync, fio's default: other command lines of the table name theirs".into()
    })
}

/// A head of a row or column: fio's options, its word for a direction, or what was measured.
fn describe(head: &str, facts: &mut CommandFacts, labels: &mut Vec<String>) {
    let is_command = head.contains("fio ") || head.starts_with('-');
    if is_command {
        let line = if head.contains("fio ") {
            head.to_string()
        } else {
            format!("fio {head}")
        };
        for (name, value) in command_facts(&line) {
            facts.insert(name, value);
        }
        for word in head.split(' ') {
            if let Some(share) = word.strip_prefix("rwmixread=") {
                facts.insert("rwmixread".into(), share.into());
            }
        }
    }
    let modes = [
        "read",
        "write",
        "randread",
        "randwrite",
        "randrw",
        "rw",
        "readwrite",
        "trim",
        "randtrim",
    ];
    match head.split(' ').find(|word| modes.contains(word)) {
        Some(rw) if is_command || head.len() < 12 => {
            facts.insert("rw".into(), rw.into());
        }
        _ if !is_command && !head.is_empty() => labels.push(head.chars().take(80).collect()),
        _ => {}
    }
}
