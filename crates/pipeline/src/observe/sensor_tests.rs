//! What all sensors have in common, and the helper with which each tests itself.

use crate::observe::{Scope, Sensor, sensors};
use host::{Archive, Host};
use model::change::Attribute;
use std::collections::BTreeSet;

/// One read of a sensor on a machine with these files: the series by name.
pub(super) fn read_once(
    sensor: &Sensor,
    files: &[(&str, &str)],
    scope: &Scope,
) -> Result<Vec<(String, Option<f64>)>, String> {
    let mut archive = Archive::default();
    for (path, text) in files {
        archive.insert(path, Attribute::Value((*text).to_string()));
    }
    let mut source = (sensor.open)(&Host::from_archive(archive), scope)?;
    let columns = source.columns();
    let mut row = vec![f64::NAN; columns.len()];
    source.read(&mut row).map_err(|error| error.to_string())?;
    let value = |value: f64| (!value.is_nan()).then_some(value);
    Ok(columns.into_iter().map(|column| column.name).zip(row.into_iter().map(value)).collect())
}

/// A text with bytes lost, doubled and replaced, the same for the same seed.
pub(super) fn damaged(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(5) {
        let at = below(bytes.len());
        match below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + below(60)).min(bytes.len()))),
            2 => bytes.splice(at..at, b"99999999999999999999999".iter().copied()).for_each(drop),
            3 => bytes.splice(at..at, b" : -1 =\n\xff".iter().copied()).for_each(drop),
            _ if !bytes.is_empty() => bytes[at] = b"0 \n:(=-M\0"[below(9)],
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn ids_are_sorted_and_every_metric_is_explained() {
    let ids: Vec<&str> = sensors::ALL.iter().map(|sensor| sensor.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    for metric in sensors::ALL.iter().flat_map(|sensor| sensor.metrics) {
        assert!(!metric.meaning.is_empty() && !metric.unit.is_empty(), "{}", metric.name);
    }
}

#[test]
fn series_have_names_of_their_own() {
    let mut seen = BTreeSet::new();
    for sensor in sensors::ALL {
        let Ok(source) = (sensor.open)(&Host::live(), &Scope::default()) else { continue };
        for column in source.columns() {
            assert!(seen.insert(column.name.clone()), "{} twice", column.name);
        }
    }
}
