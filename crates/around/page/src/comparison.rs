//! The report of several records: what their difference is worth in the first line, the ratios, the records on common
//! axes, and what differs in settings.

use crate::Figure;
use crate::figure::FigureTable;
use crate::report::{Section, header, hint, pieces, section, shell};
use crate::svg::Picture;
use maud::{Markup, html};
use model::comparison::{Compared, Comparison, ComparisonCell, Measure, SettingsDiffer, Standing};
use model::record::Record;
use view::calendar::minute;
use view::csv::CsvLines;

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
        content(found, &order, &figures, &left_out, wording),
    );
    if page.len() > crate::report::MOST_BYTES {
        figures.iter_mut().for_each(|figure| {
            figure.narrow = Picture::default();
            figure.readings = None;
        });
        left_out
            .push("The pictures for narrow screens are left out to keep the file small.".into());
        page = shell(
            &title(found),
            content(found, &order, &figures, &left_out, wording),
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

fn content(
    found: &Comparison,
    order: &[usize],
    figures: &[Figure],
    left_out: &[String],
    wording: &Wording,
) -> Markup {
    let mut sections: Vec<Section> = vec![
        (
            "numbers",
            "In numbers",
            html! {
                @for one in &found.compared { (loads(found, order, one, wording)) }
            },
        ),
        ("figures", "Over each other", pictures(figures)),
        ("settings", "What else differs", settings(found, order)),
        ("reproduce", "How to reproduce", reproduce(found, order)),
        (
            "limits",
            "What this does not show",
            pieces::list(&limits(left_out)),
        ),
    ];
    sections.retain(|(_, _, inside)| !inside.0.is_empty());
    let meta = format!("{} records side by side", found.subjects.len());
    html! {
        (header(&meta, &found.sentence, &pieces::table(&subjects(found, order))))
        (pieces::list(&caveats(found, order)))
        @for part in &sections { (section(part)) }
    }
}

/// What has to be kept in mind about single records.
fn caveats(found: &Comparison, order: &[usize]) -> Vec<String> {
    let of_subject = |index: &usize| {
        let subject = &found.subjects[*index];
        let name = format!("{} {}", letter(order, *index), called(&subject.name));
        subject
            .caveats
            .iter()
            .map(move |one| format!("{name}, {}: {}", one.mark, one.why))
    };
    order.iter().flat_map(of_subject).collect()
}

fn pictures(figures: &[Figure]) -> Markup {
    let all: Vec<&Figure> = figures.iter().collect();
    html! {
        (hint())
        (pieces::figures(&all))
        @if all.is_empty() {
            p.quiet {
                "– Nothing can be drawn on common axes: no two of them have a rate over time, a distribution or a response \
                 curve of the same kind."
            }
        }
    }
}

/// Who is compared.
fn subjects(found: &Comparison, order: &[usize]) -> FigureTable {
    let mut table = FigureTable::new(&[
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
fn loads(found: &Comparison, order: &[usize], compared: &Compared, wording: &Wording) -> Markup {
    let head = order.iter().map(|index| {
        format!(
            "{} {}",
            letter(order, *index),
            called(&found.subjects[*index].name)
        )
    });
    let head = std::iter::once("measure".to_string()).chain(head).collect();
    let mut table = FigureTable {
        head,
        ..FigureTable::default()
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
    html! {
        h3 { (name) (compared.phrase) }
        (pieces::table(&table))
        (pieces::list(&remarks))
        p.quiet {
            "Ratios are against " (letter(order, found.base)) " " (called(&found.subjects[found.base].name))
            "; in brackets what chance inside the runs leaves open, at 95 %. What differs from run to run is not in it."
        }
    }
}

fn cell_words(cell: &ComparisonCell, wording: &Wording) -> String {
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
fn settings(found: &Comparison, order: &[usize]) -> Markup {
    let name = |subject: usize| called(&found.subjects[subject].name);
    html! {
        @for one in &found.settings {
            h3 { (letter(order, one.subject)) " " (name(one.subject)) " against " (name(found.base)) }
            @if one.differences.is_empty() {
                p { "Nothing: " (one.same) " settings and facts are equal." }
            } @else {
                (pieces::table(&differences(one)))
                p.quiet {
                    @if one.differences.len() > MOST_SETTINGS {
                        (one.differences.len() - MOST_SETTINGS) " more differ; "
                    }
                    (one.same) " are equal."
                }
            }
        }
    }
}

fn differences(one: &SettingsDiffer) -> FigureTable {
    let mut table = FigureTable::new(&["what", "where", "base", "here", "why it can matter"]);
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
    table
}

fn reproduce(found: &Comparison, order: &[usize]) -> Markup {
    let names = order
        .iter()
        .map(|index| found.subjects[*index].name.clone());
    let words: Vec<String> = ["iodyno".into(), "compare".into()]
        .into_iter()
        .chain(names)
        .collect();
    html! {
        pre { (pieces::command_text(&words)) }
        p.quiet { "`iodyno report` of one of them has its own figures and data." }
    }
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
    let mut out = CsvLines::with_head([
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

fn add_figures(ComparisonCell { measure, ratio }: &ComparisonCell, out: &mut CsvLines) {
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
