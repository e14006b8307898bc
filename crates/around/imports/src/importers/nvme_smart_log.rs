//! # nvme smart-log
//!
//! The health of an NVMe disk, as facts and as series of one moment.
//!
//! ## What it reads
//! `nvme smart-log` of nvme-cli 1.x and 2.x, as text and with `-o json`. What is a field of iodyno's has its name
//! (`health.percentage_used`); all that is printed is a fact under nvme-cli's word.
//!
//! ## What is lost
//! When it was read is not in it, and in JSON not of which disk. The size in brackets is rounded; a data unit is 512,000
//! bytes. Temperatures are Kelvin in JSON and Celsius in text.
//!
//! ## Example
//! `nvme smart-log -o json /dev/nvme0n1 >smart.json; iodyno import smart.json`

use crate::pieces::Pieces;
use crate::printed::number::leading;
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, json};
use crate::{How, Importer, Piece, Text};
use model::imported::Imported;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "nvme_smart_log",
    since: "0.1",
    reads: "nvme smart-log, text and JSON",
    how: How::Text(find),
};

/// A data unit of the log.
const DATA_UNIT_BYTES: f64 = 512_000.0;
/// Fewer words of the log than this are another program's.
const KNOWN_MIN: usize = 5;

fn find(text: &Text, pieces: &mut Pieces) {
    texts(text, pieces);
    for (lines, document) in json::documents(text, "critical_warning").documents {
        let Some(values) = document.as_object() else {
            continue;
        };
        let mut facts: BTreeMap<String, String> = BTreeMap::new();
        for (key, value) in values {
            // 2.x has the bits of the warning as an object of their own.
            let word = match value {
                Value::Object(inner) => inner.get("value").and_then(json::word),
                one => json::word(one),
            };
            facts.extend(word.map(|word| (key.clone(), word)));
        }
        pieces.extend(imported(facts, true).map(|imported| Piece::new(lines, imported)));
    }
}

/// Logs as text.
fn texts(text: &Text, pieces: &mut Pieces) {
    let mut index = 0;
    while index < text.lines.len() {
        let head = clean(text.lines[index]);
        let Some(device) = head.strip_prefix("Smart Log for NVME device:") else {
            index += 1;
            continue;
        };
        let begin = index;
        let mut facts = BTreeMap::new();
        let device = device.split_whitespace().next().unwrap_or_default();
        facts.insert("device".to_string(), device.to_string());
        index += 1;
        while let Some(line) = text.lines.get(index).map(|line| clean(line)) {
            let pair = line
                .split_once(':')
                .filter(|(name, _)| !name.is_empty() && name.len() < 60);
            let Some((name, value)) = pair.filter(|_| !line.starts_with("Smart Log")) else {
                if line.is_empty() && index + 1 < text.lines.len() && facts.len() < 4 {
                    index += 1;
                    continue;
                }
                break;
            };
            facts.insert(
                name.trim().to_lowercase().replace([' ', '-'], "_"),
                value.trim().to_string(),
            );
            index += 1;
        }
        pieces.extend(imported(facts, false).map(|imported| Piece::new(begin..index, imported)));
    }
}

/// nvme-cli's word, our field, its unit, and what to multiply by.
const FIELDS: &[(&str, &str, &str, f64)] = &[
    (
        "avail_spare",
        "health.available_spare_percent",
        "percent",
        1.0,
    ),
    (
        "available_spare",
        "health.available_spare_percent",
        "percent",
        1.0,
    ),
    (
        "spare_thresh",
        "health.spare_threshold_percent",
        "percent",
        1.0,
    ),
    (
        "available_spare_threshold",
        "health.spare_threshold_percent",
        "percent",
        1.0,
    ),
    ("percent_used", "health.percentage_used", "percent", 1.0),
    ("percentage_used", "health.percentage_used", "percent", 1.0),
    (
        "data_units_read",
        "health.read_bytes",
        "bytes",
        DATA_UNIT_BYTES,
    ),
    (
        "data_units_written",
        "health.written_bytes",
        "bytes",
        DATA_UNIT_BYTES,
    ),
    ("media_errors", "health.media_errors", "errors", 1.0),
    ("power_cycles", "health.power_cycles", "times", 1.0),
    ("power_on_hours", "health.power_on_hours", "h", 1.0),
    (
        "controller_busy_time",
        "health.controller_busy_minutes",
        "min",
        1.0,
    ),
    (
        "warning_temp_time",
        "health.warning_temperature_minutes",
        "min",
        1.0,
    ),
    (
        "warning_temperature_time",
        "health.warning_temperature_minutes",
        "min",
        1.0,
    ),
    (
        "critical_comp_time",
        "health.critical_temperature_minutes",
        "min",
        1.0,
    ),
    (
        "critical_composite_temperature_time",
        "health.critical_temperature_minutes",
        "min",
        1.0,
    ),
];

fn imported(facts: BTreeMap<String, String>, is_json: bool) -> Option<Imported> {
    let subject = facts.get("device").cloned().unwrap_or_default();
    let mut series = PrintedSeries::default();
    let mut known = 0;
    for (word, field, unit, factor) in FIELDS {
        let Some(value) = facts.get(*word).and_then(|text| whole(text)) else {
            continue;
        };
        known += 1;
        series.push(field, &subject, unit, 0.0, Some(value * factor));
    }
    if let Some(value) = facts.get("temperature").and_then(|text| whole(text)) {
        known += 1;
        let celsius = if is_json { value - 273.0 } else { value };
        series.push(
            "health.temperature_celsius",
            &subject,
            "celsius",
            0.0,
            Some(celsius),
        );
    }
    if known < KNOWN_MIN {
        return None;
    }
    let mut lossy = vec!["when it was read is not in it".to_string()];
    if subject.is_empty() {
        lossy.push("of which disk it is, is not in it".into());
    }
    let temperature = match is_json {
        true => "temperatures of nvme-cli's JSON are Kelvin, in whole degrees",
        false => "temperatures of nvme-cli's text are Celsius",
    };
    Some(Imported {
        tool: "nvme-cli".into(),
        name: "smart-log".into(),
        lossy,
        units: vec!["a data unit is 512,000 bytes".into(), temperature.into()],
        series: series.finish(),
        facts,
        ..Imported::default()
    })
}

/// The number at the start: of `16443 (8.42 GB)`, of `1,234,567`, of `100%`, of `36 °C (309 K)`. Nothing of it has a decimal
/// part, so marks between digits group thousands.
fn whole(text: &str) -> Option<f64> {
    let first = text.split_whitespace().next()?;
    let digits: String = first
        .chars()
        .filter(|c| !matches!(c, ',' | '\u{2019}' | '\''))
        .collect();
    leading(&digits).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, values};

    #[test]
    fn text_of_1_x() {
        let found = only("nvme_smart_log/1.16-text.txt");
        assert_eq!(
            values(&found, "health.percentage_used", "nvme0n1"),
            [Some(3.0)]
        );
        assert_eq!(
            values(&found, "health.read_bytes", "nvme0n1"),
            [Some(1_234_567.0 * 512_000.0)]
        );
        assert_eq!(
            values(&found, "health.temperature_celsius", "nvme0n1"),
            [Some(36.0)]
        );
        assert_eq!(
            values(&found, "health.warning_temperature_minutes", "nvme0n1"),
            [Some(5.0)]
        );
        assert_eq!(found.facts["unsafe_shutdowns"], "12");
    }
}
