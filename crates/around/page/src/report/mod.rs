//! The report: one HTML file that reads from the claim down to the data, needs no network and no script.

pub mod csv;
mod findings;
pub(crate) mod html;
mod imported;
pub mod markdown;
mod reproduce;
mod settings;
mod verdicts;

use crate::figure::Figure;
use crate::svg::escape;
use crate::{SCRIPT, STYLE};
use base64::Engine;
use model::record::Record;
use sha2::{Digest, Sha256};
use view::calendar::minute;

/// A report stays below this, bytes.
pub const MOST_BYTES: usize = 2_000_000;
/// What the embedded data may take.
const DATA_BYTES: usize = 600_000;

/// What a report says beside the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Its number in the store; none for a record from elsewhere.
    pub id: Option<i64>,
    /// Tags that somebody gave it.
    pub tags: Vec<String>,
    /// Notes that somebody wrote.
    pub notes: Vec<String>,
}

/// The report of a record, as one file.
pub fn report(record: &Record, about: &About) -> String {
    let mut figures = crate::figures::figures(record);
    let data = csv::embedded(record, DATA_BYTES);
    let mut page = page(record, about, &figures, &data, &[]);
    if page.len() > MOST_BYTES {
        // The pictures for a phone go first: the wide ones do for both, with scrolling.
        figures.iter_mut().for_each(|figure| figure.narrow.clear());
        let mut left_out = vec![
            "The pictures for narrow screens are left out to keep the file small.".to_string(),
        ];
        page = self::page(record, about, &figures, &data, &left_out);
        if page.len() > MOST_BYTES {
            figures.iter_mut().for_each(|figure| figure.readings = None);
            left_out.push(
                "The numbers under the cursor come from the pictures, to keep the file small."
                    .into(),
            );
            page = self::page(record, about, &figures, &data, &left_out);
        }
        if page.len() > MOST_BYTES {
            return without_largest(record, about, figures, &data, left_out);
        }
    }
    page
}

/// Leaves out the largest pictures, one after the other, until the file is small enough; their tables stay.
fn without_largest(
    record: &Record,
    about: &About,
    mut figures: Vec<Figure>,
    data: &csv::Embedded,
    mut left_out: Vec<String>,
) -> String {
    loop {
        let page = page(record, about, &figures, data, &left_out);
        let largest = figures.iter_mut().max_by_key(|figure| figure.svg.len());
        match largest.filter(|figure| page.len() > MOST_BYTES && !figure.svg.is_empty()) {
            None => return page,
            Some(figure) => {
                left_out.push(format!(
                    "The picture of `{}` is left out to keep the file small.",
                    figure.id
                ));
                figure.absent =
                    Some("Left out to keep this file small; the table has its numbers.".into());
                figure.svg.clear();
            }
        }
    }
}

fn page(
    record: &Record,
    about: &About,
    figures: &[Figure],
    data: &csv::Embedded,
    left_out: &[String],
) -> String {
    shell(
        &title(record, about),
        &body(record, about, figures, data, left_out),
    )
}

/// The end of every page: where a reader of screens hears of the cursor.
pub(crate) const LOOSE_ENDS: &str =
    "<div id=\"spoken\" class=\"sr\" aria-live=\"polite\"></div>\n</main>\n";

/// What the script can do; it shows this itself, since without it there is nothing to do.
pub(crate) const HINT: &str = "<p id=\"hint\" class=\"quiet\" hidden>On figures over time, drag to zoom and Shift-drag to sum up a span; with the \
     keyboard, Tab to one, arrows read, + and - zoom, 0 shows the whole time.</p>\n";

/// A page around its content: styles, script, and the policy that lets in nothing else.
pub(crate) fn shell(title: &str, body: &str) -> String {
    let style = STYLE.trim();
    let script = SCRIPT.trim();
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\
         <script type=\"module\">{script}</script>\n</body>\n</html>\n",
        escape(title)
    )
}

fn hash(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn title(record: &Record, about: &About) -> String {
    let number = about
        .id
        .map_or(String::new(), |id| format!("record {id}: "));
    format!("iodyno {number}{}", record.summary)
}

fn body(
    record: &Record,
    about: &About,
    figures: &[Figure],
    data: &csv::Embedded,
    left_out: &[String],
) -> String {
    let parts = Parts::of(figures);
    let mut out = String::with_capacity(400_000);
    let sections: [(&str, &str, String); 10] = [
        ("findings", "Findings", findings::section(record)),
        ("numbers", "In numbers", imported::section(record)),
        ("path", "The path", html::figures(&parts.path)),
        (
            "proof",
            "The proof",
            verdicts::section(record, &parts.proof),
        ),
        ("time", "Over time", html::figures(&parts.time)),
        ("latency", "Latency", html::figures(&parts.latency)),
        ("where", "Where the time goes", html::figures(&parts.places)),
        ("settings", "Settings", settings::section(record)),
        (
            "reproduce",
            "How to reproduce",
            reproduce::section(record, about),
        ),
        (
            "limits",
            "What this does not show",
            reproduce::limits(record, left_out),
        ),
    ];
    let data_section = csv::section(record, about, data);
    let shown: Vec<&(&str, &str, String)> = sections
        .iter()
        .filter(|(_, _, html)| !html.is_empty())
        .collect();
    out.push_str("<a class=\"skip\" href=\"#claim\">To the claim</a>\n<main>\n");
    out.push_str(&head(record, about));
    out.push_str("<nav aria-label=\"Parts of this report\"><ul>");
    for (id, name, _) in &shown {
        out.push_str(&format!("<li><a href=\"#{id}\">{name}</a></li>"));
    }
    out.push_str("<li><a href=\"#data\">Data</a></li></ul></nav>\n");
    out.push_str(HINT);
    for (id, name, html) in shown {
        out.push_str(&format!(
            "<section id=\"{id}\">\n<h2>{name}</h2>\n{html}</section>\n"
        ));
    }
    out.push_str(&format!(
        "<section id=\"data\">\n<h2>Data</h2>\n{data_section}</section>\n"
    ));
    out.push_str(LOOSE_ENDS);
    out
}

/// The claim in the first line, what it rests on, machine, date and command.
fn head(record: &Record, about: &About) -> String {
    let provenance = &record.provenance;
    let mut meta = Vec::new();
    if let Some(id) = about.id {
        meta.push(format!("record {id}"));
    }
    meta.extend([
        provenance.hostname.clone(),
        kernel_word(&provenance.kernel),
        provenance.cpu.clone(),
    ]);
    if provenance.started_unix_ms > 0 {
        meta.push(format!("{} UTC", minute(provenance.started_unix_ms as i64)));
    }
    meta.retain(|text| !text.is_empty());
    let command = html::command(&provenance.command);
    let command = if command.is_empty() {
        String::new()
    } else {
        format!("<p class=\"meta\"><code>{command}</code></p>\n")
    };
    let words = |texts: &[String], what: &str| match texts.is_empty() {
        true => String::new(),
        false => {
            let items: Vec<String> = texts.iter().map(|text| escape(text)).collect();
            format!("<p class=\"meta\">{what}: {}</p>\n", items.join(" · "))
        }
    };
    format!(
        "<header>\n<div class=\"bar-top\"><p class=\"meta\">{}</p><button type=\"button\" id=\"theme\" hidden>Colours</button></div>\n\
         <h1 id=\"claim\">{}</h1>\n{}{command}{}{}</header>\n",
        escape(&meta.join(" · ")),
        escape(&record.summary),
        verdicts::lede(record),
        words(&about.tags, "tags"),
        words(&about.notes, "notes"),
    )
}

fn kernel_word(kernel: &str) -> String {
    if kernel.is_empty() {
        String::new()
    } else {
        format!("Linux {kernel}")
    }
}

/// The figures by the part of the report that they stand in.
struct Parts<'a> {
    path: Vec<&'a Figure>,
    proof: Vec<&'a Figure>,
    time: Vec<&'a Figure>,
    latency: Vec<&'a Figure>,
    places: Vec<&'a Figure>,
}

impl<'a> Parts<'a> {
    fn of(figures: &'a [Figure]) -> Parts<'a> {
        let mut parts = Parts {
            path: Vec::new(),
            proof: Vec::new(),
            time: Vec::new(),
            latency: Vec::new(),
            places: Vec::new(),
        };
        for figure in figures {
            let first = figure.id.split('-').next().unwrap_or("");
            match first {
                "path" => parts.path.push(figure),
                "pairs" | "arms" => parts.proof.push(figure),
                "latency" | "percentiles" | "response" | "interference" => {
                    parts.latency.push(figure)
                }
                "layers" | "interrupts" | "dirty" => parts.places.push(figure),
                _ => parts.time.push(figure),
            }
        }
        parts
    }
}
