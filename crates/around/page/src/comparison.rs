//! The report of several records: what their difference is worth in the first line, the ratios, the records on common
//! axes, and what differs in settings.

use crate::Figure;
use crate::figure::Table;
use crate::report::html;
use crate::report::{LOOSE_ENDS, shell};
use crate::svg::escape;
use model::comparison::{Cell, Compared, Comparison, Measure, Standing};
use model::record::Record;
use std::fmt::Write as _;
use view::calendar::minute;
use view::csv::Lines;

/// Numbers and names as the comparison itself writes them: one place formats them, and it is not here.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// `read.p99` as `read p99`.
    pub title: fn(&str) -> String,
    /// A value with its unit.
    pub value: fn(&Measure) -> String,
    /// A ratio with its interval, where it has one.
    pub ratio: fn(f64, Option<f64>, Option<f64>) -> String,
}

/// Settings that differ, shown for each record.
const MOST_SETTINGS: usize = 60;

/// The report of a comparison, as one file. `records` are those of `found.subjects`, in their order.
pub fn comparison(found: &Comparison, records: &[&Record], wording: &Wording) -> String {
    let (order, _) = based(found);
    let mut figures = comparison_figures(found, records);
    let mut left_out = Vec::new();
    if order.len() > crate::figures::compared::MOST {
        left_out.push(format!(
            "Only the first {} of {} records are drawn; the tables have all.",
            crate::figures::compared::MOST,
            order.len()
        ));
    }
    let mut page = shell(
        &title(found),
        &body(found, &order, &figures, &left_out, wording),
    );
    if page.len() > crate::report::MOST_BYTES {
        figures.iter_mut().for_each(|figure| {
            figure.narrow.clear();
            figure.readings = None;
        });
        left_out
            .push("The pictures for narrow screens are left out to keep the file small.".into());
        page = shell(
            &title(found),
            &body(found, &order, &figures, &left_out, wording),
        );
    }
    page
}

/// What can be drawn of a comparison: its records on common axes, the base first.
pub fn comparison_figures(found: &Comparison, records: &[&Record]) -> Vec<Figure> {
    let (order, curves) = based(found);
    let names: Vec<String> = order
        .iter()
        .map(|index| called(&found.subjects[*index].name))
        .collect();
    let records = order
        .iter()
        .filter_map(|index| records.get(*index).copied());
    let named: Vec<(&str, &Record)> = names.iter().map(String::as_str).zip(records).collect();
    crate::figures::compared::figures(&named, &curves)
}

/// The base first, and the response curves in the same order.
fn based(found: &Comparison) -> (Vec<usize>, Vec<model::comparison::Curves>) {
    let others = (0..found.subjects.len()).filter(|index| *index != found.base);
    let order: Vec<usize> = std::iter::once(found.base).chain(others).collect();
    let curves = found.curves.iter().map(|one| {
        let mut one = one.clone();
        for (_, cells) in &mut one.rows {
            *cells = order
                .iter()
                .map(|index| cells.get(*index).cloned().flatten())
                .collect();
        }
        one.knees = order
            .iter()
            .map(|index| one.knees.get(*index).cloned().flatten())
            .collect();
        one
    });
    let curves = curves.collect();
    (order, curves)
}

/// `7` alone would read as a number of something.
fn called(name: &str) -> String {
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("record {name}")
    } else {
        name.into()
    }
}

fn title(found: &Comparison) -> String {
    let names: Vec<String> = found.subjects.iter().map(|one| called(&one.name)).collect();
    format!("iodyno: {}", names.join(", "))
}

fn letter(order: &[usize], subject: usize) -> char {
    view::trial::letter(
        order
            .iter()
            .position(|index| *index == subject)
            .unwrap_or(0),
    )
}

fn body(
    found: &Comparison,
    order: &[usize],
    figures: &[Figure],
    left_out: &[String],
    wording: &Wording,
) -> String {
    let mut out = String::from("<a class=\"skip\" href=\"#claim\">To the claim</a>\n<main>\n");
    let _ = write!(
        out,
        "<header>\n<div class=\"bar-top\"><p class=\"meta\">{} records side by side</p>\
         <button type=\"button\" id=\"theme\" hidden>Colours</button></div>\n<h1 id=\"claim\">{}</h1>\n{}</header>\n",
        found.subjects.len(),
        escape(&found.sentence),
        html::table(&subjects(found, order))
    );
    let caveats: Vec<String> = order
        .iter()
        .flat_map(|index| {
            let subject = &found.subjects[*index];
            let name = format!("{} {}", letter(order, *index), called(&subject.name));
            subject
                .caveats
                .iter()
                .map(move |one| format!("{name}, {}: {}", one.mark, one.why))
        })
        .collect();
    out.push_str(&html::list(&caveats));
    let numbers: String = found
        .compared
        .iter()
        .map(|one| loads(found, order, one, wording))
        .collect();
    let all: Vec<&Figure> = figures.iter().collect();
    let pictures = if all.is_empty() {
        "<p class=\"quiet\">– Nothing can be drawn on common axes: no two of them have a rate over time, a distribution or a \
         response curve of the same kind.</p>\n"
            .to_string()
    } else {
        html::figures(&all)
    };
    let sections = [
        ("numbers", "In numbers", numbers),
        ("figures", "Over each other", pictures),
        ("settings", "What else differs", settings(found, order)),
        ("reproduce", "How to reproduce", reproduce(found, order)),
        (
            "limits",
            "What this does not show",
            html::list(&limits(left_out)),
        ),
    ];
    for (id, name, content) in sections
        .iter()
        .filter(|(_, _, content)| !content.is_empty())
    {
        let hint = if *id == "figures" {
            crate::report::HINT
        } else {
            ""
        };
        let _ = write!(
            out,
            "<section id=\"{id}\">\n<h2>{name}</h2>\n{hint}{content}</section>\n"
        );
    }
    out.push_str(LOOSE_ENDS);
    out
}

/// Who is compared.
fn subjects(found: &Comparison, order: &[usize]) -> Table {
    let mut table = Table::new(&[
        "",
        "record",
        "device",
        "target",
        "host",
        "kernel",
        "measured by",
        "when, UTC",
    ]);
    let or_dash = |text: &str| {
        if text.is_empty() {
            "–".to_string()
        } else {
            text.to_string()
        }
    };
    for index in order {
        let one = &found.subjects[*index];
        let base = if *index == found.base { " (base)" } else { "" };
        let device = if one.label.is_empty() {
            &one.device
        } else {
            &one.label
        };
        table.row([
            format!("{}{base}", letter(order, *index)),
            called(&one.name),
            or_dash(device),
            or_dash(&one.target),
            or_dash(&one.host),
            or_dash(&one.kernel),
            or_dash(&one.source),
            one.unix_ms.map_or("–".into(), minute),
        ]);
    }
    table
}

/// One load: a row a measure, a column a record.
fn loads(found: &Comparison, order: &[usize], compared: &Compared, wording: &Wording) -> String {
    let head = order.iter().map(|index| {
        format!(
            "{} {}",
            letter(order, *index),
            called(&found.subjects[*index].name)
        )
    });
    let head = std::iter::once("measure".to_string()).chain(head).collect();
    let mut table = Table {
        head,
        ..Table::default()
    };
    for row in &compared.rows {
        let cell = |index: &usize| match row.cells.get(*index).and_then(Option::as_ref) {
            None => "–".to_string(),
            Some(cell) => cell_words(cell, wording),
        };
        let cells = std::iter::once((wording.title)(&row.measure)).chain(order.iter().map(cell));
        table.rows.push(cells.collect());
    }
    let name = if compared.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", compared.name)
    };
    let unlike = compared.unlike.iter().map(|(index, why)| {
        let name = called(&found.subjects[*index].name);
        format!("{name}: no ratio, the jobs are not alike: {why}.")
    });
    let remarks: Vec<String> = unlike.chain(compared.remarks.iter().cloned()).collect();
    format!(
        "<h3>{}</h3>\n{}{}<p class=\"quiet\">Ratios are against {} {}; in brackets what chance inside the runs leaves open, at \
         95 %. What differs from run to run is not in it.</p>\n",
        escape(&format!("{name}{}", compared.phrase)),
        html::table(&table),
        html::list(&remarks),
        letter(order, found.base),
        escape(&called(&found.subjects[found.base].name)),
    )
}

fn cell_words(cell: &Cell, wording: &Wording) -> String {
    let value = (wording.value)(&cell.measure);
    let Some(ratio) = &cell.ratio else {
        return value;
    };
    let worth = match ratio.standing {
        Standing::SameSetting => "a repeat",
        Standing::Within => "within repeats",
        Standing::Beyond => "beyond repeats",
        Standing::Hint => "a hint",
    };
    format!(
        "{value}, {}, {worth}",
        (wording.ratio)(ratio.ratio, ratio.low, ratio.high)
    )
}

/// What differs in settings and facts.
fn settings(found: &Comparison, order: &[usize]) -> String {
    let mut out = String::new();
    for one in &found.settings {
        let (name, base) = (
            called(&found.subjects[one.subject].name),
            called(&found.subjects[found.base].name),
        );
        let heading = format!("{} {name} against {base}", letter(order, one.subject));
        let _ = writeln!(out, "<h3>{}</h3>", escape(&heading));
        if one.differences.is_empty() {
            let _ = writeln!(
                out,
                "<p>Nothing: {} settings and facts are equal.</p>",
                one.same
            );
            continue;
        }
        let mut table = Table::new(&["what", "where", "base", "here", "why it can matter"]);
        let value = |value: &Option<String>| value.clone().unwrap_or("none".into());
        for difference in one.differences.iter().take(MOST_SETTINGS) {
            table.row([
                difference.name.clone(),
                difference.place.clone(),
                value(&difference.a),
                value(&difference.b),
                difference.why.clone(),
            ]);
        }
        out.push_str(&html::table(&table));
        let more = one.differences.len().saturating_sub(MOST_SETTINGS);
        let more = if more > 0 {
            format!("{more} more differ; ")
        } else {
            String::new()
        };
        let _ = writeln!(out, "<p class=\"quiet\">{more}{} are equal.</p>", one.same);
    }
    out
}

fn reproduce(found: &Comparison, order: &[usize]) -> String {
    let names = order
        .iter()
        .map(|index| found.subjects[*index].name.clone());
    let words: Vec<String> = ["iodyno".into(), "compare".into()]
        .into_iter()
        .chain(names)
        .collect();
    format!(
        "<pre>{}</pre>\n<p class=\"quiet\">`iodyno report` of one of them has its own figures and data.</p>\n",
        html::command(&words)
    )
}

fn limits(left_out: &[String]) -> Vec<String> {
    let mut all = vec![
        "Whether a setting made the difference: the records were made one after the other, and everything else may have \
         changed between them. `iodyno tune` switches back and forth and can tell."
            .to_string(),
    ];
    all.extend(left_out.iter().cloned());
    all
}

/// Every number of the comparison as comma-separated values, one a line.
pub fn comparison_csv(found: &Comparison) -> String {
    let mut out = Lines::with_head([
        "load",
        "measure",
        "unit",
        "record",
        "value",
        "low",
        "high",
        "n",
        "ratio",
        "ratio_low",
        "ratio_high",
        "standing",
    ]);
    for compared in &found.compared {
        for row in &compared.rows {
            for (subject, cell) in found.subjects.iter().zip(&row.cells) {
                let Some(cell) = cell else {
                    continue;
                };
                let names = [
                    &compared.name,
                    &row.measure,
                    &cell.measure.unit,
                    &subject.name,
                ];
                names.into_iter().for_each(|name| out.text(name));
                add_figures(cell, &mut out);
                out.end();
            }
        }
    }
    out.finish()
}

fn add_figures(Cell { measure, ratio }: &Cell, out: &mut Lines) {
    let ratio = ratio.as_ref();
    let standing = ratio.and_then(|ratio| serde_json::to_value(ratio.standing).ok());
    out.number(Some(measure.value));
    out.number(measure.low);
    out.number(measure.high);
    out.number(Some(measure.n));
    out.number(ratio.map(|ratio| ratio.ratio));
    out.number(ratio.and_then(|ratio| ratio.low));
    out.number(ratio.and_then(|ratio| ratio.high));
    out.text(
        standing
            .as_ref()
            .and_then(|word| word.as_str())
            .unwrap_or(""),
    );
}
