//! What a setting is a setting of: a block device's queue, the kernel as a whole, one interrupt.
//!
//! A subject has a directory in which its settings are files. Both ways between a path and its subject stand here, so
//! that what writes a setting, what puts it back and what checks a journal agree on whose it is.

use crate::text::is_plain_name;
use serde::{Deserialize, Serialize};

/// Whose setting it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Subject {
    /// The queue of a whole block device: `/sys/block/NAME/queue`.
    Queue {
        /// Kernel name: `sda`.
        device: String,
    },
    /// The scheduler that a queue has chosen: `/sys/block/NAME/queue/iosched`. Its files go when another is chosen.
    Scheduler {
        /// Kernel name of the block device.
        device: String,
    },
    /// The kernel's parameters: `/proc/sys`. They act on the whole machine.
    Sysctl,
    /// One interrupt: `/proc/irq/NUMBER`.
    Interrupt {
        /// Its number, which ends with the boot and with the device.
        number: u32,
    },
}

/// The kinds of subject, each with directories of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// [`Subject::Queue`].
    Queue,
    /// [`Subject::Scheduler`].
    Scheduler,
    /// [`Subject::Sysctl`].
    Sysctl,
    /// [`Subject::Interrupt`].
    Interrupt,
}

/// Directories of block devices and of interrupts.
const BLOCK: &str = "/sys/block/";
const SYSCTL: &str = "/proc/sys/";
const IRQ: &str = "/proc/irq/";

impl Subject {
    /// The directory of its settings, without a final slash.
    pub fn directory(&self) -> String {
        match self {
            Subject::Queue { device } => format!("{BLOCK}{device}/queue"),
            Subject::Scheduler { device } => format!("{BLOCK}{device}/queue/iosched"),
            Subject::Sysctl => SYSCTL.trim_end_matches('/').into(),
            Subject::Interrupt { number } => format!("{IRQ}{number}"),
        }
    }

    /// The file of a setting: a plain name, of the kernel's parameters one below a directory (`vm/dirty_bytes`).
    pub fn path(&self, attribute: &str) -> String {
        format!("{}/{attribute}", self.directory())
    }

    /// The subject of a path with the name of its setting; none for a path that is no subject's setting, also not with
    /// `..` or a link's name in it.
    pub fn of_path(path: &str) -> Option<(Subject, &str)> {
        if let Some(name) = path.strip_prefix(SYSCTL) {
            let (table, parameter) = name.split_once('/')?;
            return (is_plain_name(table) && is_plain_name(parameter))
                .then_some((Subject::Sysctl, name));
        }
        if let Some(rest) = path.strip_prefix(IRQ) {
            let (number, name) = rest.split_once('/')?;
            let number = number
                .parse()
                .ok()
                .filter(|parsed: &u32| parsed.to_string() == number)?;
            return is_plain_name(name).then_some((Subject::Interrupt { number }, name));
        }
        let (device, rest) = path.strip_prefix(BLOCK)?.split_once('/')?;
        let device = is_plain_name(device).then(|| device.to_string())?;
        let (directory, name) = rest.rsplit_once('/')?;
        let subject = match directory {
            "queue" => Subject::Queue { device },
            "queue/iosched" => Subject::Scheduler { device },
            _ => return None,
        };
        is_plain_name(name).then_some((subject, name))
    }

    /// What kind it is of.
    pub fn kind(&self) -> SubjectKind {
        match self {
            Subject::Queue { .. } => SubjectKind::Queue,
            Subject::Scheduler { .. } => SubjectKind::Scheduler,
            Subject::Sysctl => SubjectKind::Sysctl,
            Subject::Interrupt { .. } => SubjectKind::Interrupt,
        }
    }

    /// Kernel name of the block device that it belongs to; none for what belongs to the whole machine.
    pub fn device(&self) -> Option<&str> {
        match self {
            Subject::Queue { device } | Subject::Scheduler { device } => Some(device),
            Subject::Sysctl | Subject::Interrupt { .. } => None,
        }
    }

    /// What tells it from others of its kind below one device, as a command line names it; none where there are none.
    pub fn key(&self) -> Option<String> {
        match self {
            Subject::Interrupt { number } => Some(number.to_string()),
            _ => None,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Queue { device } => f.write_str(device),
            Subject::Scheduler { device } => write!(f, "the scheduler of {device}"),
            Subject::Sysctl => f.write_str("the kernel"),
            Subject::Interrupt { number } => write!(f, "interrupt {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sda() -> String {
        "sda".into()
    }

    #[test]
    fn a_path_and_its_subject_say_the_same() {
        let all = [
            (
                Subject::Queue {
                    device: "cciss!c0d0".into(),
                },
                "nomerges",
            ),
            (Subject::Scheduler { device: sda() }, "slice_idle"),
            (Subject::Sysctl, "vm/dirty_bytes"),
            (Subject::Interrupt { number: 24 }, "smp_affinity_list"),
        ];
        for (subject, name) in all {
            let path = subject.path(name);
            assert_eq!(Subject::of_path(&path), Some((subject, name)), "{path}");
        }
    }

    #[test]
    fn what_is_no_subjects_setting_has_none() {
        for path in [
            "/sys/block/sda/queue/../../../../etc/passwd",
            "/sys/block/sda/queue/iosched/../scheduler",
            "/sys/block/sda/queue/iosched/..",
            "/sys/block/sda/queue/",
            "/sys/block/sda/queue",
            "/sys/block/sda/size",
            "/sys/block/sda/device/delete",
            "/sys/block/../queue/scheduler",
            "/sys/block/../../tmp/x/queue/scheduler",
            "/proc/sys/vm",
            "/proc/sys/vm/",
            "/proc/sys/../irq/24/smp_affinity_list",
            "/proc/sys/kernel/../vm/dirty_bytes",
            "/proc/irq/024/smp_affinity_list",
            "/proc/irq/x/smp_affinity_list",
            "/proc/irq/24/../25/smp_affinity_list",
            "/etc/passwd",
            "",
        ] {
            assert_eq!(Subject::of_path(path), None, "{path}");
        }
    }

    #[test]
    fn its_form_on_disk_is_named() {
        let json = serde_json::to_string(&Subject::Interrupt { number: 24 }).unwrap();
        assert_eq!(json, r#"{"kind":"interrupt","number":24}"#);
        let json = serde_json::to_string(&Subject::Queue { device: sda() }).unwrap();
        assert_eq!(json, r#"{"kind":"queue","device":"sda"}"#);
    }
}
