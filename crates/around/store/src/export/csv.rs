//! Tables as CSV: RFC 4180 with line feeds, numbers in full, nothing where nothing is known, no cell that is a
//! formula.

use super::tables::{Cell, Subject, Table};
use model::text::csv_cell;
use std::fmt::Write;

/// The line of names.
pub fn head(table: &Table) -> String {
    let names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
    format!("{}\n", names.join(","))
}

/// The lines of a record.
pub fn lines(table: &Table, subject: &Subject) -> String {
    let mut text = String::new();
    (table.lines)(subject, &mut |cells| {
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            // Writing to a string cannot fail.
            let _ = match cell {
                Cell::None => Ok(()),
                Cell::Int(value) => write!(text, "{value}"),
                Cell::Float(value) => write!(text, "{value}"),
                Cell::Text(value) => text.write_str(&csv_cell(value)),
            };
        }
        text.push('\n');
    });
    text
}
