//! A comparison as Markdown, for a merge request or a ticket.

use crate::words;
use model::comparison::{Cell, Comparison, Crossed};
use pipeline::report::text::clean;

/// The whole comparison.
pub fn text(found: &Comparison) -> String {
    let mut lines = vec![escaped(&found.sentence), String::new()];
    if !found.bounds.is_empty() {
        lines.extend(["| bound | of | | |", "|---|---|---|---|"].map(String::from));
        for one in &found.bounds {
            let word = match one.crossed {
                Crossed::No => "kept",
                Crossed::Perhaps => "perhaps",
                Crossed::Certainly => "**crossed**",
                Crossed::NotJudged => "not judged",
            };
            let sentence = one.sentence.split_once(": ").map_or(one.sentence.as_str(), |(_, rest)| rest);
            let place = if one.part.is_empty() {
                one.subject.clone()
            } else {
                format!("{} {}", one.subject, one.part)
            };
            lines.push(format!(
                "| {} | {} | {word} | {} |",
                code(&one.bound),
                escaped(&place),
                escaped(sentence)
            ));
        }
        lines.push(String::new());
    }
    for compared in &found.compared {
        let name = if compared.name.is_empty() { String::new() } else { format!("{}: ", compared.name) };
        lines.push(format!("**{}**", escaped(&format!("{name}{}", compared.phrase))));
        lines.push(String::new());
        let names: Vec<String> = found.subjects.iter().map(|subject| escaped(&subject.name)).collect();
        lines.push(format!("| | {} |", names.join(" | ")));
        lines.push(format!("|---|{}", "--:|".repeat(names.len())));
        for row in &compared.rows {
            let cell = |cell: &Option<Cell>| {
                let Some(cell) = cell else { return "–".to_string() };
                let ratio = cell.ratio.as_ref().map(|one| words::ratio(one.ratio, one.low, one.high));
                let ratio = ratio.map_or(String::new(), |ratio| format!("<br>{ratio}"));
                format!("{}{ratio}", escaped(&words::of(&cell.measure)))
            };
            let cells: Vec<String> = row.cells.iter().map(cell).collect();
            lines.push(format!("| {} | {} |", escaped(&words::title(&row.measure)), cells.join(" | ")));
        }
        lines.push(String::new());
        let unlike = compared.unlike.iter().map(|(index, why)| {
            format!("{}: no ratio, the jobs are not alike: {why}.", found.subjects[*index].name)
        });
        let remarks: Vec<String> = unlike.chain(compared.remarks.iter().cloned()).collect();
        lines.extend(remarks.iter().map(|remark| format!("- {}", escaped(remark))));
        if !remarks.is_empty() {
            lines.push(String::new());
        }
    }
    let differ: Vec<String> = found
        .settings
        .iter()
        .flat_map(|settings| {
            let name = &found.subjects[settings.subject].name;
            settings.differences.iter().map(move |one| {
                let value = |value: &Option<String>| value.clone().unwrap_or("none".into());
                format!("- {}: {} of {}: {} → {}", name, one.name, one.place, value(&one.a), value(&one.b))
            })
        })
        .map(|line| format!("- {}", escaped(line.trim_start_matches("- "))))
        .collect();
    if !differ.is_empty() {
        let base = &found.subjects[found.base].name;
        lines.push(format!("<details><summary>What else differs from {}</summary>", html(base)));
        lines.push(String::new());
        lines.extend(differ);
        lines.extend([String::new(), "</details>".into(), String::new()]);
    }
    lines.push(
        "In ( ): what chance inside the runs leaves open, 95 %; what differs between runs is not in it."
            .into(),
    );
    lines.push(String::new());
    lines.join("\n")
}

/// Text that means itself in Markdown, tables included.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in clean(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            c => out.push(c),
        }
    }
    out
}

/// Text in a code span inside a table: a backtick or a bar would end it.
fn code(text: &str) -> String {
    format!("`{}`", clean(text).replace(['`', '|'], "?"))
}

fn html(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Named, records};
    use crate::fixture::run;

    #[test]
    fn names_cannot_break_the_table() {
        let (a, b) = (run(10_000.0, 0.01, 30), run(9_000.0, 0.01, 30));
        let given = [
            Named { name: "7", id: Some(7), record: &a },
            Named { name: "a|b<script>@all*", id: None, record: &b },
        ];
        let bounds = ["iops<-5%".parse().unwrap()];
        let text = text(&records(&given, 0, &[], &bounds, false));
        assert!(text.contains("| | 7 | a\\|b&lt;script&gt;&#64;all\\* |"), "{text}");
        assert!(
            text.contains("| `iops<-5%` | a\\|b&lt;script&gt;&#64;all\\* | **crossed** | read IOPS −"),
            "{text}"
        );
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| read")).collect();
        assert!(rows.len() > 5 && rows.iter().all(|row| row.matches(" | ").count() == 2), "{rows:#?}");
    }
}
