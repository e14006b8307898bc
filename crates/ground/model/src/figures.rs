//! What the kernel's counters said in the windows of an experiment, arm by arm.

use serde::{Deserialize, Serialize};

/// One figure of the device, of a CPU or of its interrupts, under every arm that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Stored")]
pub struct ArmFigures {
    /// Name with its subject, unit last: `disk.vda.await_read_ms`, `cpu.1.softirq_percent`, `irq.cpu1.target_per_s`.
    pub name: String,
    /// Unit: `ms`, `percent`, `/s`, `bytes`, `us`, `ios`.
    pub unit: String,
    /// Its value by arm; an arm without a window in which it could be read is missing.
    pub arms: Vec<ArmValue>,
}

/// A figure under one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmValue {
    /// The arm: the value of the knob.
    pub arm: String,
    /// Mean over the windows.
    pub value: f64,
    /// Standard deviation between the windows; 0 for a single one.
    pub spread: f64,
    /// Windows.
    pub windows: u64,
}

/// What records of before called figures of a device: their name then, the field that it is, its unit, and what to multiply
/// a value with.
const RENAMED: [(&str, &str, &str, f64); 6] = [
    ("read_per_s", "reads_per_s", "/s", 1.0),
    ("write_per_s", "writes_per_s", "/s", 1.0),
    ("flush_per_s", "flushes_per_s", "/s", 1.0),
    ("size_read_kib", "size_read_bytes", "bytes", 1024.0),
    ("size_write_kib", "size_write_bytes", "bytes", 1024.0),
    ("in_flight", "queue_mean_ios", "ios", 1.0),
];

/// The field that a figure of a device is which a record calls by an earlier name: name, unit and factor.
pub(crate) fn of_before(name: &str) -> Option<(&'static str, &'static str, f64)> {
    let found = RENAMED.iter().find(|(before, ..)| *before == name)?;
    Some((found.1, found.2, found.3))
}

/// Figures as a record has them, whatever version wrote it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Stored {
    name: String,
    unit: String,
    arms: Vec<ArmValue>,
}

impl From<Stored> for ArmFigures {
    fn from(stored: Stored) -> ArmFigures {
        let Stored {
            mut name,
            mut unit,
            mut arms,
        } = stored;
        let is_disk = name.starts_with("disk.");
        let before = name.rsplit_once('.').filter(|_| is_disk);
        if let Some((subject, Some((field, its_unit, factor)))) =
            before.map(|(subject, name)| (subject, of_before(name)))
        {
            name = format!("{subject}.{field}");
            unit = its_unit.into();
            for arm in &mut arms {
                arm.value *= factor;
                arm.spread *= factor;
            }
        } else if unit == "per_s" {
            unit = "/s".into();
        }
        ArmFigures { name, unit, arms }
    }
}

impl ArmFigures {
    /// The figure under one arm.
    pub fn of(&self, arm: &str) -> Option<&ArmValue> {
        self.arms.iter().find(|value| value.arm == arm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, unit: &str) -> ArmFigures {
        let text = format!(
            r#"{{"name": "{name}", "unit": "{unit}", "arms": [{{"arm": "none", "value": 4.0, "spread": 0.5, "windows": 3}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn figures_of_earlier_records_have_the_names_of_fields() {
        let size = read("disk.vda.1.size_read_kib", "kib");
        assert_eq!(
            (size.name.as_str(), size.unit.as_str()),
            ("disk.vda.1.size_read_bytes", "bytes")
        );
        let value = size.of("none").unwrap();
        assert_eq!(
            (value.value, value.spread, value.windows),
            (4096.0, 512.0, 3)
        );
        assert_eq!(
            read("disk.vda.in_flight", "ios").name,
            "disk.vda.queue_mean_ios"
        );
        assert_eq!(read("load.per_s", "per_s").unit, "/s");
        let cpu = read("cpu.1.busy_percent", "percent");
        assert_eq!(
            (cpu.name.as_str(), cpu.unit.as_str()),
            ("cpu.1.busy_percent", "percent")
        );
        let again: ArmFigures =
            serde_json::from_str(&serde_json::to_string(&size).unwrap()).unwrap();
        assert_eq!(again, size);
    }

    #[test]
    fn every_name_is_a_declared_field() {
        for (_, name, unit, _) in RENAMED {
            let field = crate::field::disk::find(&format!("disk.{name}")).unwrap();
            assert_eq!(field.unit, unit);
        }
    }
}
