//! Tables as comma-separated values: RFC 4180 with line feeds, and no cell that a spreadsheet runs as a formula.

use csv::{QuoteStyle, Terminator, Writer, WriterBuilder};
use model::text::spreadsheet_cell;

/// A table that grows line by line.
pub struct CsvLines {
    writer: Writer<Vec<u8>>,
}

impl Default for CsvLines {
    fn default() -> Self {
        let writer = WriterBuilder::new()
            .flexible(true)
            .quote_style(QuoteStyle::Necessary)
            .terminator(Terminator::Any(b'\n'))
            .from_writer(Vec::new());
        CsvLines { writer }
    }
}

impl CsvLines {
    /// A table with these names above its columns.
    pub fn with_head<'a>(names: impl IntoIterator<Item = &'a str>) -> CsvLines {
        let mut lines = CsvLines::default();
        names.into_iter().for_each(|name| lines.text(name));
        lines.end();
        lines
    }

    /// Text that somebody chose.
    pub fn text(&mut self, text: &str) {
        self.add(&spreadsheet_cell(text));
    }

    /// A number, or nothing where there is none.
    pub fn number(&mut self, number: Option<impl ToString>) {
        self.add(&number.map_or(String::new(), |number| number.to_string()));
    }

    /// Ends the line.
    pub fn end(&mut self) {
        // Writing to memory does not fail.
        let _ = self.writer.write_record(None::<&[u8]>);
    }

    /// The whole table.
    pub fn finish(self) -> String {
        let bytes = self.writer.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn add(&mut self, cell: &str) {
        // Writing to memory does not fail.
        let _ = self.writer.write_field(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells_numbers_stay_numbers_and_nothing_is_a_formula() {
        let mut lines = CsvLines::with_head(["name", "value", "note"]);
        lines.text("a,\"b\"\n");
        lines.number(Some(-3.5));
        lines.text("=cmd|' /C calc'!A0");
        lines.end();
        lines.text("@SUM(1,2)");
        lines.number(None::<f64>);
        lines.text("");
        lines.end();
        assert_eq!(
            lines.finish(),
            "name,value,note\n\"a,\"\"b\"\"\n\",-3.5,'=cmd|' /C calc'!A0\n\"'@SUM(1,2)\",,\n"
        );
    }
}
