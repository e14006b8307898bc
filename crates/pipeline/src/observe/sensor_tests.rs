//! What all sensors have in common, and the helper with which each tests itself.

use crate::observe::{Column, Scope, Sensor, Source, sensors};
use host::{Archive, Host};
use model::change::Attribute;
use model::field::{Field, Formula};
use model::sample::MetricKind;
use std::collections::BTreeSet;

/// A machine with these files, and links from the first of two paths to the second.
pub(super) fn machine(files: &[(&str, &str)], links: &[(&str, &str)]) -> Host {
    let mut text = String::from("iodyno-host 1\n");
    for (path, content) in files {
        text += &format!("path: {path}\nlines: {}\n{content}\n", content.split('\n').count());
    }
    for (path, to) in links {
        text += &format!("path: {path}\nlink: {to}\n");
    }
    Host::from_archive(Archive::parse(&text).unwrap())
}

/// Readings as the sampler takes them: rows as wide as the series known by then.
pub(super) fn readings(source: &mut dyn Source, count: usize) -> Vec<Vec<f64>> {
    let mut width = source.columns().len();
    let mut read = || {
        width += source.new_columns().len();
        let mut row = vec![f64::NAN; width];
        source.read(&mut row).unwrap();
        row
    };
    (0..count).map(|_| read()).collect()
}

/// Names of series.
pub(super) fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

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

#[test]
fn fields_are_made_of_series_of_their_own_sensor() {
    let mut ids = BTreeSet::new();
    for sensor in sensors::ALL {
        for field in sensor.fields {
            assert!(ids.insert(field.id()), "{} twice", field.id());
            assert!(!field.meaning.is_empty() && !field.unit.is_empty(), "{}", field.name);
            assert!(!field.cannot_tell.ends_with('.'), "{} continues a sentence", field.name);
            made_of(field, sensor);
        }
    }
}

fn made_of(field: &Field, sensor: &Sensor) {
    let (counters, gauges): (Vec<&str>, Vec<&str>) = match field.formula {
        Formula::Last(of, _) => (vec![], of.to_vec()),
        Formula::Rate(of, _) => (of.to_vec(), vec![]),
        Formula::Ratio(of, per, _) => ([of, per].concat(), vec![]),
    };
    assert!(!counters.is_empty() || !gauges.is_empty(), "{} is made of nothing", field.name);
    let kind = |name: &str| {
        let metric = sensor.metrics.iter().find(|metric| metric.name == name);
        metric.unwrap_or_else(|| panic!("{} of {}: no such series", name, field.name)).kind
    };
    for name in gauges {
        let _ = kind(name);
    }
    for name in counters {
        assert_ne!(kind(name), MetricKind::Gauge, "{} of {} does not count", name, field.name);
        assert_eq!(name.contains("{}"), field.name.contains("{}"), "{}", field.name);
    }
}
