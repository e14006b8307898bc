//! Pieces of HTML that several parts of the report have.

use crate::figure::{Figure, FigureTable};
use maud::{Markup, html};

/// Figures one after the other.
pub fn figures(figures: &[&Figure]) -> Markup {
    html! {
        @for figure in figures { (one(figure)) }
    }
}

/// A figure with caption, description and table; or the reason why it is not there.
pub fn one(figure: &Figure) -> Markup {
    let id = format!("f-{}", figure.id);
    if let Some(why) = figure.absent.as_ref().filter(|_| figure.svg.is_empty()) {
        return html! {
            figure.absent id=(id) {
                h3 { (figure.title) }
                p.quiet { "– " (why) }
                (table_fold(&figure.table))
            }
        };
    }
    let is_read = figure.svg.contains("data-name=") || figure.readings.is_some();
    let readings = figure
        .readings
        .as_ref()
        .and_then(|readings| serde_json::to_string(readings).ok());
    html! {
        figure id=(id) data-readings=[readings] {
            h3 { (figure.title) }
            @if figure.narrow.is_empty() {
                .scroll { (figure.svg) }
            } @else {
                .wide { (figure.svg) }
                .narrow { (figure.narrow) }
            }
            @if is_read { p.reading {} }
            figcaption {
                p { (figure.description) }
                p { (figure.caption) }
            }
            (table_fold(&figure.table))
        }
    }
}

/// A table behind a fold; nothing of none.
pub fn table_fold(table: &FigureTable) -> Markup {
    html! {
        @if !table.rows.is_empty() {
            details {
                summary { "Table" }
                (self::table(table))
                @if !table.note.is_empty() { p.quiet { (table.note) } }
            }
        }
    }
}

/// A table that scrolls by itself where the page is narrow.
pub fn table(table: &FigureTable) -> Markup {
    named_table("Table", table)
}

/// The same with a name of its own for a reader of screens.
pub fn named_table(name: &str, table: &FigureTable) -> Markup {
    // Long text wraps; numbers keep their line.
    let is_long = |cell: &str| cell.chars().count() > 48;
    html! {
        .scroll tabindex="0" role="region" aria-label=(name) {
            table {
                thead {
                    tr {
                        @for head in &table.head { th scope="col" { (head) } }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for cell in row { td class=[is_long(cell).then_some("wide")] { (cell) } }
                        }
                    }
                }
            }
        }
    }
}

/// A command line as it would be typed.
pub fn command_text(words: &[String]) -> String {
    words
        .iter()
        .map(|word| model::text::shell_word(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A list of sentences; nothing of none.
pub fn list(items: &[String]) -> Markup {
    html! {
        @if !items.is_empty() {
            ul {
                @for item in items { li { (item) } }
            }
        }
    }
}
