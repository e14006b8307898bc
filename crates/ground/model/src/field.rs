//! The quantities that people read, made of the raw series that sensors give.
//!
//! A field is declared by the sensor whose series it is made of: its name, unit, meaning, what it cannot tell and how it
//! is computed are one entry, which the terminal, the documents, the exporter and the rules all take from there.

pub mod cpu;
pub mod disk;

use crate::sample::MetricKind;
use serde::Serialize;

/// One raw series that a sensor gives.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// Name of the series; `{}` stands for the device, CPU or line.
    pub name: &'static str,
    /// Unit of the raw value.
    pub unit: &'static str,
    /// Counter or gauge.
    pub kind: MetricKind,
    /// What it says.
    pub meaning: &'static str,
    /// What it is often taken for and is not; empty where there is no such trap.
    pub cannot_tell: &'static str,
}

/// One derived quantity. `{}` in its name and in the names of its series stands for the same subject: the device, the
/// CPU, the line, the process.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    /// `disk.{}.await_read_ms`; the unit comes last.
    pub name: &'static str,
    /// `ms`, `/s`, `bytes/s`, `bytes`, `percent`, `ios`, `celsius`.
    pub unit: &'static str,
    /// What it says, in half a sentence.
    pub meaning: &'static str,
    /// What it is often taken for and is not, in one sentence; empty where there is no such trap.
    pub cannot_tell: &'static str,
    /// How it is made of series.
    #[serde(skip)]
    pub formula: Formula,
}

/// How a field is made of series of its sensor, between two readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Formula {
    /// The gauges at the later reading, added up, times a factor.
    Last(&'static [&'static str], f64),
    /// What the counters grew by, added up, per second, times a factor.
    Rate(&'static [&'static str], f64),
    /// What the first counters grew by for each one that the second grew by, times a factor. Nothing for nothing is no
    /// data.
    Ratio(&'static [&'static str], &'static [&'static str], f64),
}

/// Short form of a declaration.
pub const fn field(
    name: &'static str,
    unit: &'static str,
    formula: Formula,
    meaning: &'static str,
    cannot_tell: &'static str,
) -> Field {
    Field {
        name,
        unit,
        meaning,
        cannot_tell,
        formula,
    }
}

impl Formula {
    /// The series that it takes, and those that it divides by.
    pub fn parts(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Formula::Last(of, _) | Formula::Rate(of, _) => (of, &[]),
            Formula::Ratio(of, per, _) => (of, per),
        }
    }
}

impl Field {
    /// The name without a subject, as `explain` knows it: `disk.await_read_ms`.
    pub fn id(&self) -> String {
        id(self.name)
    }

    /// The name for one subject: `disk.vda.await_read_ms`.
    pub fn of(&self, subject: &str) -> String {
        self.name.replacen("{}", subject, 1)
    }
}

impl Metric {
    /// The name without a subject, as `explain` knows it: `disk.read_ios`.
    pub fn id(&self) -> String {
        id(self.name)
    }
}

fn id(name: &str) -> String {
    name.replacen("{}", "", 1).replace("..", ".")
}

/// The subject of a series or field whose name fits a pattern: `vda` of `disk.vda.read_ios` by `disk.{}.read_ios`, empty
/// where the pattern has no subject.
pub fn subject<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    match pattern.split_once("{}") {
        Some((before, after)) => name
            .strip_prefix(before)?
            .strip_suffix(after)
            .filter(|part| !part.is_empty()),
        None => (pattern == name).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_may_hold_dots() {
        assert_eq!(
            subject("disk.{}.read_ios", "disk.vda.read_ios"),
            Some("vda")
        );
        assert_eq!(
            subject(
                "cgroup.{}.read_bytes",
                "cgroup.a.slice/b.service.read_bytes"
            ),
            Some("a.slice/b.service")
        );
        assert_eq!(subject("disk.{}.read_ios", "disk.vda.read_ms"), None);
        assert_eq!(subject("disk.{}.read_ios", "disk..read_ios"), None);
        assert_eq!(subject("vm.dirty", "vm.dirty"), Some(""));
    }

    #[test]
    fn names_with_and_without_a_subject() {
        let field = |name| Field {
            name,
            unit: "ms",
            meaning: "",
            cannot_tell: "",
            formula: Formula::Last(&[], 1.0),
        };
        assert_eq!(field("disk.{}.await_read_ms").id(), "disk.await_read_ms");
        assert_eq!(field("irq.cpu{}.all_per_s").id(), "irq.cpu.all_per_s");
        assert_eq!(
            field("disk.{}.await_read_ms").of("vda"),
            "disk.vda.await_read_ms"
        );
        assert_eq!(field("memory.dirty_bytes").id(), "memory.dirty_bytes");
    }
}
