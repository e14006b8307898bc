//! A comparison as Markdown, for a merge request or a ticket.

use crate::words;
use maud::{PreEscaped, html};
use model::comparison::{Compared, Comparison, ComparisonCell, Crossed};
use report::text::clean;

/// The whole comparison.
pub fn text(found: &Comparison) -> String {
    let mut lines = vec![escaped(&found.sentence), String::new()];
    lines.extend(bounds(found));
    lines.extend(found.compared.iter().flat_map(|one| loads(found, one)));
    lines.extend(settings(found));
    let meaning = "In ( ): what chance inside the runs leaves open, 95 %; what differs between runs is not in it.";
    lines.extend([meaning.to_string(), String::new()]);
    lines.join("\n")
}

fn bounds(found: &Comparison) -> Vec<String> {
    if found.bounds.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["| bound | of | | |".to_string(), "|---|---|---|---|".into()];
    for one in &found.bounds {
        let word = match one.crossed {
            Crossed::No => "kept",
            Crossed::Perhaps => "perhaps",
            Crossed::Certainly => "**crossed**",
            Crossed::NotJudged => "not judged",
        };
        let sentence = one
            .sentence
            .split_once(": ")
            .map_or(one.sentence.as_str(), |(_, rest)| rest);
        let place = match one.part.is_empty() {
            true => one.subject.clone(),
            false => format!("{} {}", one.subject, one.part),
        };
        let cells = [
            code(&one.bound),
            escaped(&place),
            word.to_string(),
            escaped(sentence),
        ];
        lines.push(format!("| {} |", cells.join(" | ")));
    }
    lines.push(String::new());
    lines
}

fn loads(found: &Comparison, compared: &Compared) -> Vec<String> {
    let name = if compared.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", compared.name)
    };
    let names: Vec<String> = found
        .subjects
        .iter()
        .map(|subject| escaped(&subject.name))
        .collect();
    let mut lines = vec![
        format!("**{}**", escaped(&format!("{name}{}", compared.phrase))),
        String::new(),
        format!("| | {} |", names.join(" | ")),
        format!("|---|{}", "--:|".repeat(names.len())),
    ];
    for row in &compared.rows {
        let cell = |cell: &Option<ComparisonCell>| {
            let Some(cell) = cell else {
                return "–".to_string();
            };
            let ratio = cell
                .ratio
                .as_ref()
                .map(|one| words::ratio(one.ratio, one.low, one.high));
            let ratio = ratio.map_or(String::new(), |ratio| format!("<br>{ratio}"));
            format!("{}{ratio}", escaped(&words::of(&cell.measure)))
        };
        let cells: Vec<String> = row.cells.iter().map(cell).collect();
        lines.push(format!(
            "| {} | {} |",
            escaped(&words::title(&row.measure)),
            cells.join(" | ")
        ));
    }
    lines.push(String::new());
    let unlike = compared.unlike.iter().map(|(index, why)| {
        format!(
            "{}: no ratio, the jobs are not alike: {why}.",
            found.subjects[*index].name
        )
    });
    let remarks: Vec<String> = unlike.chain(compared.remarks.iter().cloned()).collect();
    lines.extend(
        remarks
            .iter()
            .map(|remark| format!("- {}", escaped(remark))),
    );
    if !remarks.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// What else differs, folded away.
fn settings(found: &Comparison) -> Vec<String> {
    let value = |value: &Option<String>| value.clone().unwrap_or("none".into());
    let mut differ: Vec<String> = Vec::new();
    for settings in &found.settings {
        let name = &found.subjects[settings.subject].name;
        differ.extend(settings.differences.iter().map(|one| {
            let words = format!(
                "{name}: {} of {}: {} → {}",
                one.name,
                one.place,
                value(&one.a),
                value(&one.b)
            );
            format!("- {}", escaped(&words))
        }));
    }
    if differ.is_empty() {
        return differ;
    }
    let base = clean(&found.subjects[found.base].name);
    // Markdown goes on inside of HTML after an empty line.
    let folded = html! {
        details {
            summary { "What else differs from " (base) }
            "\n\n"
            (PreEscaped(differ.join("\n")))
            "\n\n"
        }
    };
    vec![folded.into_string(), String::new()]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Named, records};
    use crate::fixture::run;

    #[test]
    fn names_cannot_break_the_table() {
        let (a, b) = (run(10_000.0, 0.01, 30), run(9_000.0, 0.01, 30));
        let given = [
            Named {
                name: "7",
                id: Some(7),
                record: &a,
            },
            Named {
                name: "a|b<script>@all*",
                id: None,
                record: &b,
            },
        ];
        let bounds = ["iops<-5%".parse().unwrap()];
        let text = text(&records(&given, 0, &[], &bounds, false));
        assert!(
            text.contains("| | 7 | a\\|b&lt;script&gt;&#64;all\\* |"),
            "{text}"
        );
        assert!(
            text.contains(
                "| `iops<-5%` | a\\|b&lt;script&gt;&#64;all\\* | **crossed** | read IOPS −"
            ),
            "{text}"
        );
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("| read"))
            .collect();
        assert!(
            rows.len() > 5 && rows.iter().all(|row| row.matches(" | ").count() == 2),
            "{rows:#?}"
        );
    }
}
