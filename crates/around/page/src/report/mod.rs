//! The report: one HTML file that reads from the claim down to the data, needs no network and no script.

pub mod csv;
mod findings;
mod imported;
pub mod markdown;
pub(crate) mod pieces;
mod reproduce;
mod settings;
mod verdicts;

use crate::figure::Figure;
use crate::svg::Picture;
use crate::{SCRIPT, STYLE};
use base64::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use model::record::Record;
use sha2::{Digest, Sha256};
use view::calendar::minute;
use view::markup::finished;

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
        figures
            .iter_mut()
            .for_each(|figure| figure.narrow = Picture::default());
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
                figure.svg = Picture::default();
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
        content(record, about, figures, data, left_out),
    )
}

/// What the script can do; it shows this itself, since without it there is nothing to do.
pub(crate) fn hint() -> Markup {
    html! {
        p.quiet #hint hidden {
            "On figures over time, drag to zoom and Shift-drag to sum up a span; with the keyboard, Tab to one, arrows read, \
             + and - zoom, 0 shows the whole time."
        }
    }
}

/// A page around its content: styles, script, the policy that lets in nothing else, and where a reader of screens hears
/// of the cursor.
pub(crate) fn shell(title: &str, content: Markup) -> String {
    let style = STYLE.trim();
    let script = SCRIPT.trim();
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (finished(html! { (title) })) }
                style { (PreEscaped(style)) }
            }
            body {
                a.skip href="#claim" { "To the claim" }
                main {
                    (finished(content))
                    .sr #spoken aria-live="polite" {}
                }
                script type="module" { (PreEscaped(script)) }
            }
        }
    };
    page.into_string()
}

/// The top of a page: what it is about, the claim, and what stands under it.
pub(crate) fn header(meta: &str, claim: &str, below: &Markup) -> Markup {
    html! {
        header {
            .bar-top {
                p.meta { (meta) }
                button #theme type="button" hidden { "Colours" }
            }
            h1 #claim { (claim) }
            (below)
        }
    }
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

/// A part of a page: its name in addresses, its heading and what stands in it.
pub(crate) type Section = (&'static str, &'static str, Markup);

fn content(
    record: &Record,
    about: &About,
    figures: &[Figure],
    data: &csv::Embedded,
    left_out: &[String],
) -> Markup {
    let parts = Parts::of(figures);
    let mut sections: Vec<Section> = vec![
        ("findings", "Findings", findings::section(record)),
        ("numbers", "In numbers", imported::section(record)),
        ("path", "The path", pieces::figures(&parts.path)),
        (
            "proof",
            "The proof",
            verdicts::section(record, &parts.proof),
        ),
        ("time", "Over time", pieces::figures(&parts.time)),
        ("latency", "Latency", pieces::figures(&parts.latency)),
        (
            "where",
            "Where the time goes",
            pieces::figures(&parts.places),
        ),
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
    sections.retain(|(_, _, inside)| !inside.0.is_empty());
    sections.push(("data", "Data", csv::section(record, about, data)));
    html! {
        (head(record, about))
        nav aria-label="Parts of this report" {
            ul {
                @for (id, name, _) in &sections { li { a href={ "#" (id) } { (name) } } }
            }
        }
        (hint())
        @for part in &sections { (section(part)) }
    }
}

/// A part as it stands in a page.
pub(crate) fn section((id, name, inside): &Section) -> Markup {
    html! {
        section id=(id) {
            h2 { (name) }
            (inside)
        }
    }
}

/// The claim in the first line, what it rests on, machine, date and command.
fn head(record: &Record, about: &About) -> Markup {
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
    let command = pieces::command_text(&provenance.command);
    let below = html! {
        @if let Some(sentence) = view::rehearsed::sentence(provenance) { p { strong { (sentence) } } }
        (verdicts::lede(record))
        @if !command.is_empty() { p.meta { code { (command) } } }
        @if !about.tags.is_empty() { p.meta { "tags: " (about.tags.join(" · ")) } }
        @if !about.notes.is_empty() { p.meta { "notes: " (about.notes.join(" · ")) } }
    };
    header(&meta.join(" · "), &record.summary, &below)
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
                "layers" | "interrupts" | "dirty" | "dataset" => parts.places.push(figure),
                _ => parts.time.push(figure),
            }
        }
        parts
    }
}
