//! The values of fields over some time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values of all fields over some time. A field without data for a subject is not there: it is never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Frame {
    values: BTreeMap<Arc<str>, Vec<(Arc<str>, f64)>>,
}

impl Frame {
    /// Of values that are known: id, subject, value.
    pub fn of<'a>(values: impl IntoIterator<Item = (&'a str, &'a str, f64)>) -> Frame {
        let mut frame = Frame::default();
        for (id, subject, value) in values {
            frame.push(id.into(), subject.into(), value);
        }
        frame
    }

    /// Adds a value.
    pub fn push(&mut self, id: Arc<str>, subject: Arc<str>, value: f64) {
        self.values.entry(id).or_default().push((subject, value));
    }

    /// The value of a field for a subject (empty for fields without one).
    pub fn get(&self, id: &str, subject: &str) -> Option<f64> {
        let values = self.values.get(id)?;
        values
            .iter()
            .find(|(one, _)| &**one == subject)
            .map(|(_, value)| *value)
    }

    /// Every subject of a field with its value, in the order of the sensor's series.
    pub fn each(&self, id: &str) -> impl Iterator<Item = (&str, f64)> {
        self.values
            .get(id)
            .into_iter()
            .flatten()
            .map(|(subject, value)| (&**subject, *value))
    }

    /// Everything: id, subject, value, by id.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        self.values.iter().flat_map(|(id, values)| {
            values
                .iter()
                .map(move |(subject, value)| (&**id, &**subject, *value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none() {
        let frame = Frame::of([
            ("disk.reads_per_s", "sda", 3.0),
            ("disk.reads_per_s", "sdb", 0.0),
        ]);
        assert_eq!(frame.get("disk.reads_per_s", "sdb"), Some(0.0));
        assert_eq!(frame.get("disk.reads_per_s", "sdc"), None);
        assert_eq!(frame.get("disk.writes_per_s", "sda"), None);
        assert_eq!(
            frame.each("disk.reads_per_s").collect::<Vec<_>>(),
            [("sda", 3.0), ("sdb", 0.0)]
        );
        assert_eq!(frame.all().count(), 2);
    }
}
