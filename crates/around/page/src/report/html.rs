//! Pieces of HTML that several parts of the report have.

use crate::figure::{Figure, Table};
use crate::svg::escape;

/// Figures one after the other.
pub fn figures(figures: &[&Figure]) -> String {
    figures.iter().map(|figure| one(figure)).collect()
}

/// A figure with caption, description and table; or the reason why it is not there.
pub fn one(figure: &Figure) -> String {
    let (id, title) = (escape(&figure.id), escape(&figure.title));
    let table = table_fold(&figure.table);
    if let Some(why) = figure.absent.as_ref().filter(|_| figure.svg.is_empty()) {
        return format!(
            "<figure id=\"f-{id}\" class=\"absent\">\n<h3>{title}</h3>\n<p class=\"quiet\">– {}</p>\n{table}</figure>\n",
            escape(why)
        );
    }
    let picture = match figure.narrow.is_empty() {
        true => format!("<div class=\"scroll\">{}</div>", figure.svg),
        false => {
            format!(
                "<div class=\"wide\">{}</div><div class=\"narrow\">{}</div>",
                figure.svg, figure.narrow
            )
        }
    };
    let is_read = figure.svg.contains("data-name=") || figure.readings.is_some();
    let reading = if is_read {
        "<p class=\"reading\"></p>\n"
    } else {
        ""
    };
    let readings = figure
        .readings
        .as_ref()
        .and_then(|readings| serde_json::to_string(readings).ok());
    let readings = readings.map_or(String::new(), |text| {
        format!(" data-readings=\"{}\"", escape(&text))
    });
    format!(
        "<figure id=\"f-{id}\"{readings}>\n<h3>{title}</h3>\n{picture}\n{reading}<figcaption><p>{}</p><p>{}</p></figcaption>\n{table}</figure>\n",
        escape(&figure.description),
        escape(&figure.caption)
    )
}

/// A table behind a fold; nothing of none.
pub fn table_fold(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let note = if table.note.is_empty() {
        String::new()
    } else {
        format!("<p class=\"quiet\">{}</p>\n", escape(&table.note))
    };
    format!(
        "<details><summary>Table</summary>\n{}{note}</details>\n",
        self::table(table)
    )
}

/// A table that scrolls by itself where the page is narrow.
pub fn table(table: &Table) -> String {
    let mut out = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n<thead><tr>",
    );
    for head in &table.head {
        out.push_str(&format!("<th scope=\"col\">{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            // Long text wraps; numbers keep their line.
            let class = if cell.chars().count() > 48 {
                " class=\"wide\""
            } else {
                ""
            };
            out.push_str(&format!("<td{class}>{}</td>", escape(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A command line as it would be typed, escaped for the page.
pub fn command(words: &[String]) -> String {
    escape(&command_text(words))
}

/// A command line as it would be typed.
pub fn command_text(words: &[String]) -> String {
    words
        .iter()
        .map(|word| model::text::shell_word(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A list of sentences.
pub fn list(items: &[String]) -> String {
    let items: String = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", escape(item)))
        .collect();
    if items.is_empty() {
        items
    } else {
        format!("<ul>\n{items}</ul>\n")
    }
}
