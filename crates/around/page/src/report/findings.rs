//! What the rules found, each with what it rests on, what would refute it and what to try; then what is fine, and what
//! could not be looked at.

use super::html;
use crate::figure::Table;
use crate::svg::escape;
use model::check::CheckResult;
use model::finding::{Finding, Level};
use model::record::Record;

/// The part of the page; empty for records on which no rule had anything to say.
pub fn section(record: &Record) -> String {
    let (taken_back, standing): (Vec<&Finding>, Vec<&Finding>) = record
        .findings
        .iter()
        .partition(|finding| finding.withdrawn.is_some());
    let mut out = String::new();
    let mut ordered = standing.clone();
    ordered.sort_by(|one, other| {
        other
            .level
            .cmp(&one.level)
            .then(other.gain.total_cmp(&one.gain))
    });
    for finding in &ordered {
        out.push_str(&article(finding));
    }
    if standing.is_empty() && (record.check.is_some() || record.verb == "run") {
        out.push_str(
            "<p><span class=\"word fine\">✓</span> No rule found anything to say against this.</p>\n",
        );
    }
    if !taken_back.is_empty() {
        out.push_str(
            "<details><summary>Taken back, because a measurement contradicts it</summary>\n",
        );
        taken_back
            .iter()
            .for_each(|finding| out.push_str(&article(finding)));
        out.push_str("</details>\n");
    }
    if let Some(check) = &record.check {
        out.push_str(&given(check));
        if !check.unseen.is_empty() {
            out.push_str("<h3>What could not be looked at</h3>\n");
            out.push_str(&html::list(&check.unseen));
        }
        if !check.next.is_empty() {
            out.push_str(&format!(
                "<p>Next: <code>{}</code></p>\n",
                escape(&check.next)
            ));
        }
    }
    out
}

fn article(finding: &Finding) -> String {
    let (class, mark) = match finding.level {
        Level::Note => ("note", "note"),
        Level::Warning => ("warning", "! warning"),
        Level::Wrong => ("wrong", "✗ wrong"),
    };
    let mut rows = String::new();
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            rows.push_str(&format!("<dt>{name}</dt><dd>{}</dd>", escape(text)));
        }
    };
    let evidence: Vec<String> = finding
        .evidence
        .iter()
        .map(|one| format!("{} {}", one.name, one.value))
        .collect();
    row("rests on", &evidence.join(" · "));
    row("taken back", finding.withdrawn.as_deref().unwrap_or(""));
    row("would refute it", &finding.refuted_by);
    row("what else it could be", &finding.competing.join("; "));
    row("would decide it", &finding.experiment);
    row("to try", &finding.advice);
    row(
        "risk of that",
        finding.risk.map_or("", model::change::Risk::phrase),
    );
    format!(
        "<article class=\"finding {class}\">\n<p><span class=\"word {class}\">{mark}</span> {}</p>\n<dl>{rows}</dl>\n\
         <p class=\"quiet\"><code>iodyno explain {}</code></p>\n</article>\n",
        escape(&finding.claim),
        escape(&finding.rule)
    )
}

/// What the storage gives beside what it should give.
pub fn given_table(check: &CheckResult) -> Table {
    let has_figures = !check.expected.is_empty();
    let mut table = match has_figures {
        true => Table::new(&[
            "measure",
            "gives",
            "should give",
            "share",
            "how",
            "why that",
        ]),
        false => Table::new(&["measure", "gives", "how"]),
    };
    for given in &check.given {
        let (name, value) = (
            given.what.phrase().to_string(),
            given.what.words(given.value),
        );
        if !has_figures {
            table.row([name, value, given.how.clone()]);
            continue;
        }
        let expected = check
            .expected
            .iter()
            .find(|expected| expected.what == given.what);
        table.row([
            name,
            value,
            expected.map_or("no figure".into(), |one| match one.low == one.high {
                true => given.what.words(one.low),
                false => format!(
                    "{} to {}",
                    given.what.words(one.low),
                    given.what.words(one.high)
                ),
            }),
            expected.map_or("–".into(), |one| {
                model::units::percent(one.share(given.value) * 100.0)
            }),
            given.how.clone(),
            expected.map_or(String::new(), |one| one.because.clone()),
        ]);
    }
    table
}

fn given(check: &CheckResult) -> String {
    if check.given.is_empty() {
        return String::new();
    }
    format!(
        "<h3>What it gives</h3>\n{}",
        html::table(&given_table(check))
    )
}
