//! A kept document made small enough to read: what no finding rests on goes, numbers are rounded, and each line holds
//! one value that a person would look for.
//!
//! Figures that moved from load to load all stay, also those that no rule reads today: a new rule must be able to alarm
//! wrongly here.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Digits that a figure keeps.
const DIGITS: i32 = 4;
/// What fits into so many columns stands on one line.
const WIDTH: usize = 100;
/// Elements of a list that are no longer than this share lines.
const SHORT: usize = 24;
/// Parts of each load that take most room.
const PARTS: [&str; 6] = [
    "/layers",
    "/load/latency_map",
    "/load/intervals",
    "/load/bins",
    "/load/read/latency",
    "/load/write/latency",
];

/// The document without what `findings` does not need: after each step they must be what they were.
pub fn small(document: Value, findings: impl Fn(&Value) -> Value) -> Value {
    let wanted = findings(&document);
    let mut reduced = Reduced {
        is_same: &|document| findings(document) == wanted,
        document,
    };
    let count = reduced.document["probes"].as_array().map_or(0, Vec::len);
    let parts = PARTS
        .iter()
        .flat_map(|part| (0..count).map(move |load| format!("/probes/{load}{part}")));
    let plain = (0..count).map(|load| format!("/probes/{load}/job"));
    let plain: Vec<String> = plain
        .flat_map(|job| plain_members(&reduced.document, &job))
        .collect();
    let resting = resting_fields(&reduced.document);
    let resting = resting
        .iter()
        .flat_map(|field| (0..count).map(move |load| format!("/probes/{load}/frame/{field}")));
    let parts: Vec<String> = parts.chain(resting).collect();
    // What a judgement makes anew from the rest.
    reduced.without(&members(&reduced.document));
    reduced.without(&plain);
    reduced.without(&parts);
    reduced.attempt(|document| {
        let loads = document["probes"].as_array_mut().into_iter().flatten();
        loads.for_each(|load| rounded(&mut load["frame"]));
    });
    reduced.document
}

/// A document on its way, and whether another is judged as it was at first.
struct Reduced<'a> {
    document: Value,
    is_same: &'a dyn Fn(&Value) -> bool,
}

impl Reduced<'_> {
    /// Keeps a change if the judgement stays.
    fn attempt(&mut self, change: impl Fn(&mut Value)) -> bool {
        let mut smaller = self.document.clone();
        change(&mut smaller);
        let is_kept = (self.is_same)(&smaller);
        if is_kept {
            self.document = smaller;
        }
        is_kept
    }

    /// Takes out as many of these as the judgement can do without: all, else half by half.
    fn without(&mut self, paths: &[String]) {
        let is_out = self.attempt(|document| paths.iter().for_each(|path| remove(document, path)));
        if !is_out && paths.len() > 1 {
            let (first, second) = paths.split_at(paths.len() / 2);
            self.without(first);
            self.without(second);
        }
    }
}

fn members(document: &Value) -> Vec<String> {
    let members = document.as_object().into_iter().flat_map(Map::keys);
    members.map(|name| format!("/{name}")).collect()
}

/// Members that say nothing: null, false, 0, empty.
fn plain_members(document: &Value, holder: &str) -> Vec<String> {
    let members = document.pointer(holder).and_then(Value::as_object);
    let is_plain = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        Value::Bool(true) => false,
    };
    let members = members.into_iter().flatten();
    members
        .filter(|(_, value)| is_plain(value))
        .map(|(name, _)| format!("{holder}/{name}"))
        .collect()
}

fn remove(document: &mut Value, path: &str) {
    let (holder, name) = path.rsplit_once('/').unwrap();
    let holder = document.pointer_mut(holder).and_then(Value::as_object_mut);
    holder.map(|holder| holder.remove(name));
}

/// Figures that were the same under every load.
fn resting_fields(document: &Value) -> BTreeSet<String> {
    let frames: Vec<&Map<String, Value>> = document["probes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|load| load["frame"].as_object())
        .collect();
    let names: BTreeSet<String> = frames
        .iter()
        .flat_map(|frame| frame.keys())
        .cloned()
        .collect();
    let rests = |field: &String| {
        let mut seen = frames.iter().filter_map(|frame| frame.get(field));
        let first = seen.next();
        seen.all(|rows| Some(rows) == first)
    };
    names.into_iter().filter(rests).collect()
}

/// Fractions to so many digits; whole numbers below a million stay what they are.
fn rounded(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(rounded),
        Value::Object(all) => all.values_mut().for_each(rounded),
        Value::Number(number) => {
            let Some(exact) = number.as_f64().filter(|exact| *exact != 0.0) else {
                return;
            };
            let scale = 10f64.powi(DIGITS - 1 - exact.abs().log10().floor() as i32);
            let is_whole = exact.fract() == 0.0;
            if !is_whole || scale < 1e-3 {
                *value = serde_json::json!((exact * scale).round() / scale);
            }
        }
        _ => {}
    }
}

/// As text, with whatever fits on a line of its own.
pub fn text(document: &Value) -> String {
    let mut text = String::new();
    write(document, 0, &mut text);
    text + "\n"
}

fn write(value: &Value, depth: usize, text: &mut String) {
    let line = value.to_string();
    let children: Vec<(String, &Value)> = match value {
        _ if line.len() + depth <= WIDTH => return text.push_str(&line),
        Value::Array(all) => all.iter().map(|one| (String::new(), one)).collect(),
        Value::Object(all) => all
            .iter()
            .map(|(name, one)| (format!("{}:", Value::from(name.as_str())), one))
            .collect(),
        _ => return text.push_str(&line),
    };
    let (open, close) = if value.is_array() {
        ('[', ']')
    } else {
        ('{', '}')
    };
    // Short ones share lines: the buckets of a histogram.
    let is_short = value.is_array()
        && children
            .iter()
            .all(|(_, one)| one.to_string().len() <= SHORT);
    let mut room = 0;
    text.push(open);
    for (place, (name, child)) in children.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let length = name.len() + child.to_string().len() + 1;
        if !is_short || length > room {
            text.push('\n');
            text.push_str(&" ".repeat(depth + 1));
            room = WIDTH.saturating_sub(depth + 1);
        }
        room = room.saturating_sub(length);
        text.push_str(&name);
        write(child, depth + 1, text);
    }
    text.push('\n');
    text.push_str(&" ".repeat(depth));
    text.push(close);
}
