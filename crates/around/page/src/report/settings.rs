//! Settings before and after, and who set what is not the kernel's own.

use super::html;
use crate::figure::Table;
use crate::figures::path::{changed, owner_word};
use crate::svg::escape;
use model::record::Record;
use view::trial::TrialView;

/// What a tune turned: value before, values tried, value afterwards.
pub fn turned(record: &Record) -> Table {
    let mut table = Table::new(&[
        "setting",
        "device",
        "before",
        "tried",
        "afterwards",
        "verdict",
    ]);
    for trial in &record.trials {
        let before = trial.arms.first().cloned().unwrap_or_else(|| "–".into());
        let tried = if trial.skipped.is_some() {
            "–".into()
        } else {
            trial.arms[1.min(trial.arms.len())..].join(", ")
        };
        table.row([
            trial.knob.clone(),
            trial.device.clone(),
            before.clone(),
            tried,
            format!("{before} again"),
            TrialView::of(trial).ending,
        ]);
    }
    table
}

/// Everything on the path that is not the kernel's own.
pub fn foreign(record: &Record) -> Table {
    let mut table = Table::new(&["layer", "setting", "value", "set by", "kernel default"]);
    for (layer, setting) in changed(&record.path) {
        table.row([
            layer.name.clone(),
            setting.name.clone(),
            setting.chosen().unwrap_or("–").to_string(),
            owner_word(setting),
            setting
                .default
                .as_ref()
                .map_or("not known".into(), |default| default.value.clone()),
        ]);
    }
    table.first("settings")
}

/// The part of the page; empty for records without a path.
pub fn section(record: &Record) -> String {
    let mut out = String::new();
    if !record.trials.is_empty() {
        out.push_str(&html::table(&turned(record)));
        out.push_str("<p>Everything was put back at the end.");
        if record.trials.iter().any(|trial| trial.win().is_some()) {
            out.push_str(" To keep what was proved: <code>sudo iodyno apply</code> with the number of this record; to take it back: <code>sudo iodyno undo</code>.");
        }
        out.push_str("</p>\n");
    }
    let foreign = foreign(record);
    if !foreign.rows.is_empty() {
        out.push_str("<h3>Not the kernel's own</h3>\n");
        out.push_str(&html::table(&foreign));
    }
    out.push_str(&all(record));
    out
}

/// Every setting of the path, folded.
fn all(record: &Record) -> String {
    let mut rows = String::new();
    let mut count = 0;
    let machine = record.path.machine.iter();
    for layer in record.path.root.walk().into_iter().chain(machine) {
        for setting in layer.settings.iter().filter(|setting| setting.writable) {
            count += 1;
            rows.push_str(&format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escape(&layer.name),
                escape(&setting.name),
                escape(&setting.value.to_string())
            ));
        }
    }
    if count == 0 {
        return String::new();
    }
    format!(
        "<details><summary>All {count} settings that can be written, as they were</summary>\n<div class=\"scroll\" tabindex=\"0\" \
         role=\"region\" aria-label=\"All settings\"><table>\n<thead><tr><th scope=\"col\">layer</th><th scope=\"col\">setting</th>\
         <th scope=\"col\">value</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n</details>\n"
    )
}
