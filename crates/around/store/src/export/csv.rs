//! Tables as CSV: numbers in full, nothing where nothing is known.

use super::tables::{Cell, Subject, Table};
use view::csv::Lines;

/// The line of names.
pub fn head(table: &Table) -> String {
    Lines::with_head(table.fields.iter().map(|field| field.name)).finish()
}

/// The lines of a record.
pub fn lines(table: &Table, subject: &Subject) -> String {
    let mut lines = Lines::default();
    (table.lines)(subject, &mut |cells| {
        for cell in cells {
            match cell {
                Cell::None => lines.number(None::<i64>),
                Cell::Int(value) => lines.number(Some(value)),
                Cell::Float(value) => lines.number(Some(value)),
                Cell::Text(value) => lines.text(value),
            }
        }
        lines.end();
    });
    lines.finish()
}
