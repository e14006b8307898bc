//! Series that grow value by value.

use model::imported::ImportedSeries;
use std::collections::HashMap;

/// Series by field and subject, in the order in which they came.
#[derive(Debug, Default)]
pub struct PrintedSeries {
    places: HashMap<(String, String), usize>,
    all: Vec<ImportedSeries>,
}

impl PrintedSeries {
    /// Adds a value of a series at a moment, ms.
    pub fn push(&mut self, field: &str, subject: &str, unit: &str, at_ms: f64, value: Option<f64>) {
        let key = (field.to_string(), subject.to_string());
        let place = *self.places.entry(key).or_insert_with(|| {
            self.all.push(ImportedSeries {
                field: field.into(),
                subject: subject.into(),
                unit: unit.into(),
                ..ImportedSeries::default()
            });
            self.all.len() - 1
        });
        let series = &mut self.all[place];
        series.time_ms.push(at_ms);
        series.values.push(value);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them.
    pub fn finish(self) -> Vec<ImportedSeries> {
        self.all
    }
}
