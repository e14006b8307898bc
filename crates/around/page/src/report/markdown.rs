//! The report as Markdown, for tickets and pull requests: the same words and tables, without the pictures.

use super::pieces::command_text;
use super::{About, findings, reproduce, settings, verdicts};
use crate::figure::FigureTable;
use model::finding::Level;
use model::record::Record;
use view::calendar::minute;

/// Rows that a table has here at most.
const MOST_ROWS: usize = 20;

/// The report.
pub fn markdown(record: &Record, about: &About) -> String {
    let mut out = format!("# {}\n\n", plain(&record.summary));
    let rehearsed = view::rehearsed::sentence(&record.provenance);
    for line in rehearsed.into_iter().chain(verdicts::lede_lines(record)) {
        out.push_str(&format!("{}\n\n", plain(&line)));
    }
    let provenance = &record.provenance;
    if provenance.started_unix_ms > 0 {
        out.push_str(&format!(
            "{} · {} · {} UTC\n\n",
            plain(&provenance.hostname),
            plain(&provenance.kernel),
            minute(provenance.started_unix_ms as i64)
        ));
    }
    if !provenance.command.is_empty() {
        out.push_str(&format!("{}\n", fenced(&command_text(&provenance.command))));
    }
    if !about.tags.is_empty() {
        out.push_str(&format!("Tags: {}\n\n", plain(&about.tags.join(", "))));
    }
    about
        .notes
        .iter()
        .for_each(|note| out.push_str(&format!("> {}\n\n", plain(note))));
    add_numbers(&mut out, record);
    add_findings(&mut out, record);
    for trial in record.trials() {
        if let Some(verdict) = &trial.verdict {
            add_table(
                &mut out,
                &format!("{} on {}", trial.knob, trial.device),
                &verdicts::arms_table(trial),
            );
            out.push_str(&format!("{}\n\n", plain(&verdict.sentence)));
        }
    }
    for figure in crate::figures::figures(record) {
        let is_told = figure.id.starts_with("path");
        if !is_told && figure.absent.is_none() {
            out.push_str(&format!(
                "## {}\n\n{}\n\n",
                plain(&figure.title),
                plain(&figure.description)
            ));
            out.push_str(&table(&figure.table));
        }
    }
    add_table(&mut out, "Settings", &settings::turned(record));
    add_table(&mut out, "Not the kernel's own", &settings::foreign(record));
    out.push_str("## How to reproduce\n\n");
    for (name, text) in reproduce::facts(record, about) {
        out.push_str(&format!("- {}: {}\n", plain(&name), plain(&text)));
    }
    let limits = reproduce::limit_items(record);
    if !limits.is_empty() {
        out.push_str("\n## What this does not show\n\n");
        limits
            .iter()
            .for_each(|item| out.push_str(&format!("- {}\n", plain(item))));
    }
    out
}

fn add_findings(out: &mut String, record: &Record) {
    let standing: Vec<_> = record
        .findings
        .iter()
        .filter(|finding| finding.withdrawn.is_none())
        .collect();
    if !standing.is_empty() {
        out.push_str("## Findings\n\n");
    }
    for finding in standing {
        let word = match finding.level {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Wrong => "wrong",
        };
        out.push_str(&format!(
            "- **{word}** {} (`{}`)\n",
            plain(&finding.claim),
            model::text::clean(&finding.rule).replace('`', "")
        ));
        let evidence: Vec<String> = finding
            .evidence
            .iter()
            .map(|one| format!("{} {}", one.name, one.value))
            .collect();
        let parts = [
            ("rests on", evidence.join(" · ")),
            ("to try", finding.advice.clone()),
            ("would refute it", finding.refuted_by.clone()),
        ];
        for (name, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
            out.push_str(&format!("  - {name}: {}\n", plain(text)));
        }
    }
    if !record.findings.is_empty() {
        out.push('\n');
    }
    if let Some(check) = record.check() {
        add_table(out, "What it gives", &findings::given_table(check));
    }
}

/// What was measured, in numbers.
fn add_numbers(out: &mut String, record: &Record) {
    let load = record
        .imported()
        .and_then(|imported| imported.load.as_ref());
    let numbers = load.map_or_else(|| super::csv::summary(record), super::imported::numbers);
    let series = record.imported().map(super::imported::series);
    let series = series.unwrap_or_default();
    if load.is_some() || series.is_empty() {
        add_table(out, "In numbers", &numbers);
    }
    for (name, table) in &series {
        add_table(out, &format!("In numbers, {name}"), table);
    }
}

fn add_table(out: &mut String, title: &str, content: &FigureTable) {
    if !content.rows.is_empty() {
        out.push_str(&format!("## {}\n\n{}", plain(title), table(content)));
    }
}

fn table(table: &FigureTable) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| {
        format!(
            "| {} |\n",
            cells
                .iter()
                .map(|cell| plain(cell))
                .collect::<Vec<_>>()
                .join(" | ")
        )
    };
    let mut out = line(&table.head);
    out.push_str(&format!("|{}\n", "---|".repeat(table.head.len())));
    table
        .rows
        .iter()
        .take(MOST_ROWS)
        .for_each(|row| out.push_str(&line(row)));
    if table.rows.len() > MOST_ROWS {
        out.push_str(&format!(
            "\n{} more rows are in the HTML report.\n",
            table.rows.len() - MOST_ROWS
        ));
    }
    if !table.note.is_empty() {
        out.push_str(&format!("\n{}\n", plain(&table.note)));
    }
    out.push('\n');
    out
}

/// Text in which nothing is markup, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '<' | '&' | '[' | ']' | '\\' | '#' => {
                out.push('\\');
                out.push(character);
            }
            foreign if model::text::is_unsafe(foreign) => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// A command in a fence that it cannot close.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_string();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}sh\n{}\n{fence}\n", text.replace('\n', " "))
}
