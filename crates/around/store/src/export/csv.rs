//! Tables as CSV: numbers in full, nothing where nothing is known.

use super::tables::{ExportCell, ExportSubject, ExportTable};
use view::csv::CsvLines;

/// The line of names.
pub fn head(table: &ExportTable) -> String {
    CsvLines::with_head(table.fields.iter().map(|field| field.name)).finish()
}

/// The lines of a record.
pub fn lines(table: &ExportTable, subject: &ExportSubject) -> String {
    let mut lines = CsvLines::default();
    (table.lines)(subject, &mut |cells| {
        for cell in cells {
            match cell {
                ExportCell::None => lines.number(None::<i64>),
                ExportCell::Int(value) => lines.number(Some(value)),
                ExportCell::Float(value) => lines.number(Some(value)),
                ExportCell::Text(value) => lines.text(value),
            }
        }
        lines.end();
    });
    lines.finish()
}
