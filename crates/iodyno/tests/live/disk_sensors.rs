//! The sensors of disks as a record has them: on a loop device here, and in a guest on disks that have a firmware.

use crate::support::{Iodyno, Loop, code, text};
use serde_json::Value;

/// What a record has of one sensor.
pub fn sensor<'a>(record: &'a Value, id: &str) -> &'a Value {
    let sensors = record["sensors"].as_array().unwrap();
    sensors
        .iter()
        .find(|log| log["sensor"] == id)
        .unwrap_or_else(|| panic!("no sensor {id}"))
}

/// What a series had at its first and its last sample that has data.
pub fn ends(record: &Value, id: &str, name: &str) -> Option<(f64, f64)> {
    let series = sensor(record, id)["series"]
        .as_array()?
        .iter()
        .find(|one| one["name"] == name)?;
    let values: Vec<f64> = series["values"]
        .as_array()?
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    Some((*values.first()?, *values.last()?))
}

pub fn last(record: &Value, id: &str, name: &str) -> Option<f64> {
    ends(record, id, name).map(|(_, last)| last)
}

#[test]
#[ignore = "live"]
fn a_record_has_what_the_disk_counted() {
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    let output = iodyno.run(&[
        "run",
        &disk.device,
        "--rw",
        "randread",
        "--bs",
        "4k",
        "--runtime",
        "500ms",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let (shown, _) = iodyno.json(&["show", "1"]);
    let record = &shown["record"];
    let ios = record["load"]["read"]["ios"].as_f64().unwrap();
    let grown = |name: &str| {
        let (first, last) =
            ends(record, "diskstats", &format!("disk.{}.{name}", disk.name)).unwrap();
        last - first
    };
    assert!(grown("read_ios") + grown("read_merges") >= ios, "{ios}");
    // A handful of reads by whoever looks at new devices.
    let counted = grown("read_ios");
    skip::measured(
        skip::Outcome::right_if(counted <= ios + 64.0),
        format!("the kernel counted {counted} of {ios} reads"),
    );
    assert!(grown("read_sectors") >= ios * 8.0);
    assert_eq!(
        last(record, "loop_device", &format!("loop.{}.direct", disk.name)),
        Some(1.0)
    );
    assert!(
        last(
            record,
            "inflight",
            &format!("inflight.{}.read_ios", disk.name)
        )
        .is_some()
    );
    assert!(last(record, "softirqs", "softirq.cpu0.timer").is_some());
    assert!(last(record, "cpu", "stat.context_switches").is_some());
    // The disk below the file may have one.
    let health = sensor(record, "health");
    let told = health["series"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|series| series["name"].as_str());
    let mine = format!("health.{}.", disk.name);
    assert!(
        !told.into_iter().any(|name| name.starts_with(&mine)),
        "a loop device has no firmware: {health}"
    );
    assert!(
        health["no_data"].is_null() || health["no_data"].as_str().is_some_and(|why| why.len() > 20)
    );
}
