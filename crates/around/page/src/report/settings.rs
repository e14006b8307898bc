//! Settings before and after, and who set what is not the kernel's own.

use super::pieces;
use crate::figure::FigureTable;
use crate::figures::path::{changed, owner_word};
use maud::{Markup, html};
use model::record::{Record, Winners};
use view::trial::TrialView;

/// What a tune turned: value before, values tried, value afterwards.
pub fn turned(record: &Record) -> FigureTable {
    let mut table = FigureTable::new(&[
        "setting",
        "device",
        "before",
        "tried",
        "afterwards",
        "verdict",
    ]);
    for trial in record.trials() {
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
pub fn foreign(record: &Record) -> FigureTable {
    let mut table = FigureTable::new(&["layer", "setting", "value", "set by", "kernel default"]);
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

/// What has won and ends with the process that sets it, each with why.
fn held(record: &Record) -> Vec<(&str, &'static str)> {
    let won = Winners::of(record.trials()).each().into_iter();
    won.filter_map(|trial| Some((trial.knob.as_str(), trial.subject().held_by()?)))
        .collect()
}

fn can_be_kept(record: &Record) -> bool {
    Winners::of(record.trials()) != Winners::Nothing && held(record).is_empty()
}

/// The part of the page; empty for records without a path.
pub fn section(record: &Record) -> Markup {
    let foreign = foreign(record);
    let all = all(record);
    html! {
        @if !record.trials().is_empty() {
            (pieces::table(&turned(record)))
            p {
                "Everything was put back at the end."
                @for (knob, why) in held(record) {
                    " " code { (knob) } " cannot be kept by apply: " (why) "."
                }
                @if can_be_kept(record) {
                    " To keep what was proved: " code { "sudo iodyno apply" }
                    " with the number of this record; to take it back: " code { "sudo iodyno undo" } "."
                }
            }
        }
        @if !foreign.rows.is_empty() {
            h3 { "Not the kernel's own" }
            (pieces::table(&foreign))
        }
        @if !all.rows.is_empty() {
            details {
                summary { "All " (all.rows.len()) " settings that can be written, as they were" }
                (pieces::named_table("All settings", &all))
            }
        }
    }
}

/// Every setting of the path that can be written.
fn all(record: &Record) -> FigureTable {
    let mut table = FigureTable::new(&["layer", "setting", "value"]);
    let machine = record.path.machine.iter();
    for layer in record.path.root.walk().into_iter().chain(machine) {
        for setting in layer.settings.iter().filter(|setting| setting.writable) {
            table.row([
                layer.name.clone(),
                setting.name.clone(),
                setting.value.to_string(),
            ]);
        }
    }
    table
}
