//! The values of fields between two readings of their sensors.

use model::field::{Field, Formula, subject};
pub use model::frame::Frame;
use model::reading::{Reading, SeriesName};
use std::collections::HashMap;
use std::sync::Arc;

/// The fields of every sensor, with what was worked out about the sensors' series once and holds until they change.
#[derive(Debug)]
pub struct Fields {
    catalogue: Vec<(&'static str, &'static [Field])>,
    plans: HashMap<&'static str, FieldsPlan>,
}

/// Which cells of a sensor's rows each of its fields is made of.
#[derive(Debug)]
struct FieldsPlan {
    series: Arc<Vec<SeriesName>>,
    steps: Vec<FieldStep>,
}

#[derive(Clone, Debug)]
struct FieldStep {
    id: Arc<str>,
    subject: Arc<str>,
    formula: Formula,
    of: Vec<usize>,
    per: Vec<usize>,
}

/// One field of one subject, found among the series of its sensor: for the curve of a single quantity, where a whole
/// frame for each part would be a hundred times the work.
#[derive(Clone, Debug)]
pub struct Pick(FieldStep);

impl Pick {
    /// None where the series lack any that the field is made of.
    pub fn new(field: &Field, subject: &str, series: &[SeriesName]) -> Option<Pick> {
        let place = |pattern: &&str| {
            let name = pattern.replacen("{}", subject, 1);
            series.iter().position(|one| one.name == name)
        };
        let (of, per) = field.formula.parts();
        let of = of.iter().map(place).collect::<Option<Vec<_>>>()?;
        let per = per.iter().map(place).collect::<Option<Vec<_>>>()?;
        Some(Pick(FieldStep {
            id: field.name.into(),
            subject: subject.into(),
            formula: field.formula,
            of,
            per,
        }))
    }

    /// Its value between two readings of the same sensor.
    pub fn value(&self, reading: &Reading) -> Option<f64> {
        self.0.value(reading)
    }
}

impl Fields {
    /// For sensors with these ids and fields.
    pub fn new(catalogue: Vec<(&'static str, &'static [Field])>) -> Self {
        Fields {
            catalogue,
            plans: HashMap::new(),
        }
    }

    /// What the readings say.
    pub fn frame(&mut self, readings: &[Reading]) -> Frame {
        let mut frame = Frame::default();
        for reading in readings {
            for step in &self.plan(reading).steps {
                if let Some(value) = step.value(reading) {
                    frame.push(step.id.clone(), step.subject.clone(), value);
                }
            }
        }
        frame
    }

    fn plan(&mut self, reading: &Reading) -> &FieldsPlan {
        let is_known = |plan: &FieldsPlan| Arc::ptr_eq(&plan.series, &reading.series);
        if !self.plans.get(reading.sensor).is_some_and(is_known) {
            let fields = self
                .catalogue
                .iter()
                .find(|(sensor, _)| *sensor == reading.sensor);
            let plan = FieldsPlan::new(fields.map_or(&[], |(_, fields)| *fields), &reading.series);
            self.plans.insert(reading.sensor, plan);
        }
        &self.plans[reading.sensor]
    }
}

impl FieldsPlan {
    /// A field is computed for each subject that all series of its formula have.
    fn new(fields: &[Field], series: &Arc<Vec<SeriesName>>) -> FieldsPlan {
        let places: HashMap<&str, usize> = series
            .iter()
            .enumerate()
            .map(|(place, one)| (one.name.as_str(), place))
            .collect();
        let steps = fields
            .iter()
            .flat_map(|field| steps(field, series, &places))
            .collect();
        FieldsPlan {
            series: series.clone(),
            steps,
        }
    }
}

fn steps(field: &Field, series: &[SeriesName], places: &HashMap<&str, usize>) -> Vec<FieldStep> {
    let (of, per) = field.formula.parts();
    let Some(first) = of.first() else {
        return Vec::new();
    };
    let id: Arc<str> = field.id().into();
    let found = series.iter().filter_map(|one| {
        let subject = subject(first, &one.name)?;
        let place = |pattern: &&str| {
            places
                .get(pattern.replacen("{}", subject, 1).as_str())
                .copied()
        };
        let of = of.iter().map(place).collect::<Option<Vec<_>>>()?;
        let per = per.iter().map(place).collect::<Option<Vec<_>>>()?;
        Some(FieldStep {
            id: id.clone(),
            subject: subject.into(),
            formula: field.formula,
            of,
            per,
        })
    });
    found.collect()
}

impl FieldStep {
    fn value(&self, reading: &Reading) -> Option<f64> {
        match self.formula {
            Formula::Last(_, times) => last(reading, &self.of).map(|value| value * times),
            Formula::Rate(_, times) => {
                let seconds = reading.seconds();
                reading
                    .grown(&self.of)
                    .filter(|_| seconds > 0.0)
                    .map(|grown| grown / seconds * times)
            }
            Formula::Ratio(_, _, times) => {
                let per = reading.grown(&self.per).filter(|per| *per > 0.0)?;
                reading.grown(&self.of).map(|of| of / per * times)
            }
        }
    }
}

fn last(reading: &Reading, places: &[usize]) -> Option<f64> {
    let cell = |place: &usize| {
        reading
            .to
            .cells
            .get(*place)
            .copied()
            .filter(|value| !value.is_nan())
    };
    places.iter().map(cell).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reading::ReadingRow;
    use model::sample::MetricKind::{Counter, Gauge};

    static FIELDS: &[Field] = &[
        Field {
            name: "disk.{}.reads_per_s",
            unit: "/s",
            meaning: "",
            cannot_tell: "",
            formula: Formula::Rate(&["disk.{}.read_ios"], 1.0),
        },
        Field {
            name: "disk.{}.await_read_ms",
            unit: "ms",
            meaning: "",
            cannot_tell: "",
            formula: Formula::Ratio(&["disk.{}.read_ms"], &["disk.{}.read_ios"], 1.0),
        },
        Field {
            name: "disk.{}.inflight",
            unit: "ios",
            meaning: "",
            cannot_tell: "",
            formula: Formula::Last(&["disk.{}.inflight"], 1.0),
        },
    ];

    fn reading(from: Option<&[f64]>, to: &[f64]) -> Reading {
        let names = [
            "disk.sda.read_ios",
            "disk.sda.read_ms",
            "disk.sda.inflight",
            "disk.sdb.read_ios",
        ];
        let name = |(place, name): (usize, &&str)| SeriesName {
            name: (*name).to_string(),
            kind: if place == 2 { Gauge } else { Counter },
        };
        let row = |time_ns, cells: &[f64]| ReadingRow {
            time_ns,
            cells: cells.into(),
        };
        Reading {
            sensor: "test",
            series: Arc::new(names.iter().enumerate().map(name).collect()),
            from: from.map(|cells| row(0, cells)),
            to: row(2_000_000_000, to),
        }
    }

    fn frame(reading: Reading) -> Frame {
        Fields::new(vec![("test", FIELDS)]).frame(&[reading])
    }

    #[test]
    fn rates_ratios_and_gauges() {
        let frame = frame(reading(
            Some(&[10.0, 100.0, 7.0, 5.0]),
            &[30.0, 160.0, 4.0, 5.0],
        ));
        assert_eq!(frame.get("disk.reads_per_s", "sda"), Some(10.0));
        assert_eq!(frame.get("disk.await_read_ms", "sda"), Some(3.0));
        assert_eq!(frame.get("disk.inflight", "sda"), Some(4.0));
        assert_eq!(frame.get("disk.reads_per_s", "sdb"), Some(0.0));
        assert_eq!(
            frame.get("disk.await_read_ms", "sdb"),
            None,
            "sdb has no such series"
        );
        assert_eq!(frame.each("disk.reads_per_s").count(), 2);
        assert_eq!(frame.all().count(), 4);
    }

    #[test]
    fn one_field_is_picked_as_the_frame_has_it() {
        let reading = reading(Some(&[10.0, 100.0, 7.0, 5.0]), &[30.0, 160.0, 4.0, 5.0]);
        let pick = |field: usize, subject| {
            Pick::new(&FIELDS[field], subject, &reading.series)?.value(&reading)
        };
        assert_eq!(
            (pick(0, "sda"), pick(1, "sda"), pick(2, "sda")),
            (Some(10.0), Some(3.0), Some(4.0))
        );
        assert_eq!((pick(0, "sdb"), pick(1, "sdb")), (Some(0.0), None));
    }

    #[test]
    fn nothing_is_not_zero() {
        let idle = frame(reading(
            Some(&[10.0, 100.0, 0.0, 0.0]),
            &[10.0, 100.0, 0.0, 0.0],
        ));
        assert_eq!(
            idle.get("disk.await_read_ms", "sda"),
            None,
            "no I/O has no latency"
        );
        let first = frame(reading(None, &[10.0, 100.0, 3.0, 0.0]));
        assert_eq!(first.get("disk.reads_per_s", "sda"), None);
        assert_eq!(first.get("disk.inflight", "sda"), Some(3.0));
        let gap = frame(reading(
            Some(&[10.0, f64::NAN, 3.0, 1.0]),
            &[20.0, 5.0, 3.0],
        ));
        assert_eq!(gap.get("disk.await_read_ms", "sda"), None);
        assert_eq!(
            gap.get("disk.reads_per_s", "sdb"),
            None,
            "the row is shorter than the names"
        );
        let reset = frame(reading(Some(&[10.0, 0.0, 0.0, 0.0]), &[2.0, 0.0, 0.0, 0.0]));
        assert_eq!(reset.get("disk.reads_per_s", "sda"), None);
    }
}
