//! What a control group gives to one device, as a setting: the part of one device of a file that has a line for each.
//!
//! A setting has one name in both versions of control groups where it means the same. Reading takes the device's own part
//! of the text, and what is written names the device, so that other devices' lines stay as they are. A device without a
//! line has the word that says so: [`NO_LIMIT`] or [`NO_WEIGHT`].
//!
//! Tried on Linux 6.18 with version 1: writing `8:16 0` to a throttle takes the device's line away, and `max` is refused
//! (EINVAL); I/Os per second of 4294967295, and bytes of 2^64 - 1, are no limit and have no line. On Linux 6.1 with version
//! 2: `8:16 riops=max` leaves the other keys as they are, and a line goes with its last limit.

use crate::cgroups::THROTTLES;
use crate::device_lines::{keyed, split};
use crate::devno::Devno;

/// The value of a limit that is not there.
pub const NO_LIMIT: &str = "max";
/// The value of a device's weight that is not there: the group's own counts.
pub const NO_WEIGHT: &str = "default";
/// The name of the switch of io.cost, its key and its value where the device has no line yet.
const COST: &str = "io_cost";
const ENABLE: &str = "enable";
const OFF: &str = "0";

/// A setting in the form of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceSetting {
    /// A key of `io.max`: `8:16 rbps=max riops=500`.
    Max {
        /// `riops`.
        key: &'static str,
    },
    /// A throttle of version 1: `8:16 500`.
    Throttle {
        /// Its file.
        file: &'static str,
    },
    /// `enable` of `io.cost.qos`: `8:16 enable=1 ctrl=auto`.
    Cost,
    /// Weights: `default 100`, `8:16 500`.
    Weight {
        /// Their file.
        file: &'static str,
    },
}

/// The weights by their names, with the files of each, of version 2 first.
const WEIGHTS: [(&str, &[&str]); 2] = [
    ("bfq_weight", &["io.bfq.weight", "blkio.bfq.weight_device"]),
    ("io_weight", &["io.weight"]),
];

/// The forms of a setting of this name, of version 2 first: a group has the file of one. None for another name.
pub fn forms(name: &str) -> Vec<DeviceSetting> {
    if let Some((file, key)) = THROTTLES.iter().find(|(_, key)| *key == name) {
        return vec![DeviceSetting::Max { key }, DeviceSetting::Throttle { file }];
    }
    if name == COST {
        return vec![DeviceSetting::Cost];
    }
    let weight = WEIGHTS.iter().find(|(weight, _)| *weight == name);
    let files = weight.map_or(&[][..], |(_, files)| files);
    files
        .iter()
        .map(|file| DeviceSetting::Weight { file })
        .collect()
}

impl DeviceSetting {
    /// Its file in the group's directory.
    pub fn file(self) -> &'static str {
        match self {
            DeviceSetting::Max { .. } => "io.max",
            DeviceSetting::Cost => "io.cost.qos",
            DeviceSetting::Throttle { file } | DeviceSetting::Weight { file } => file,
        }
    }

    /// The value of a device, of the file's text.
    pub fn value(self, text: &str, device: Devno) -> String {
        let mut lines = text.lines().filter_map(split);
        let words = lines.find(|(of, _)| *of == device).map(|(_, words)| words);
        let words = words.unwrap_or_default();
        let value = match self {
            DeviceSetting::Max { key } => keyed(words).find(|(of, _)| *of == key),
            DeviceSetting::Cost => keyed(words).find(|(of, _)| *of == ENABLE),
            _ => Some(("", words)).filter(|(_, words)| !words.is_empty()),
        };
        value.map_or(self.absent(), |(_, value)| value).to_string()
    }

    /// What is written to give a device this value.
    pub fn line(self, device: Devno, value: &str) -> String {
        match (self, value) {
            (DeviceSetting::Max { key }, value) => format!("{device} {key}={value}"),
            (DeviceSetting::Cost, value) => format!("{device} {ENABLE}={value}"),
            (DeviceSetting::Throttle { .. }, NO_LIMIT) => format!("{device} 0"),
            // Where nothing may pass, somebody wrote a number of I/Os of which the kernel kept the lower 32 bits.
            (DeviceSetting::Throttle { .. }, "0") => format!("{device} {}", 1_u64 << 32),
            (_, value) => format!("{device} {value}"),
        }
    }

    fn absent(self) -> &'static str {
        match self {
            DeviceSetting::Weight { .. } => NO_WEIGHT,
            DeviceSetting::Cost => OFF,
            _ => NO_LIMIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEVICE: Devno = Devno {
        major: 8,
        minor: 16,
    };
    const RIOPS: DeviceSetting = DeviceSetting::Max { key: "riops" };
    const THROTTLE: DeviceSetting = DeviceSetting::Throttle {
        file: "blkio.throttle.read_iops_device",
    };

    #[test]
    fn a_limit_has_a_form_in_each_version() {
        assert_eq!(forms("riops"), [RIOPS, THROTTLE]);
        let files = |name: &str| {
            let each = forms(name).into_iter().map(DeviceSetting::file);
            each.collect::<Vec<_>>()
        };
        assert_eq!(
            files("bfq_weight"),
            ["io.bfq.weight", "blkio.bfq.weight_device"]
        );
        assert_eq!(files("wbps"), ["io.max", "blkio.throttle.write_bps_device"]);
        assert!(files("cgroup.procs").is_empty());
    }

    #[test]
    fn only_the_devices_own_part_is_its_value() {
        let max = "8:0 rbps=max wbps=max riops=7 wiops=max\n8:16 rbps=1048576 wbps=max riops=500 wiops=max\n";
        assert_eq!(RIOPS.value(max, DEVICE), "500");
        assert_eq!(RIOPS.value("8:0 riops=7\n", DEVICE), NO_LIMIT);
        assert_eq!(RIOPS.value("8:16 rbps=7\n", DEVICE), NO_LIMIT);
        assert_eq!(THROTTLE.value("8:0 7\n8:16 500\n", DEVICE), "500");
        assert_eq!(THROTTLE.value("8:160 7\n", DEVICE), NO_LIMIT);
        assert_eq!(THROTTLE.value("", DEVICE), NO_LIMIT);
        let weight = forms("io_weight")[0];
        assert_eq!(weight.value("default 100\n8:16 500\n", DEVICE), "500");
        assert_eq!(weight.value("default 100\n", DEVICE), NO_WEIGHT);
    }

    #[test]
    fn the_switch_of_io_cost_leaves_the_parameters_alone() {
        let [cost] = forms("io_cost")[..] else {
            panic!("one form");
        };
        let qos = "8:16 enable=1 ctrl=user rpct=95.00 rlat=25000\n";
        assert_eq!(cost.value(qos, DEVICE), "1");
        assert_eq!(cost.value("8:0 enable=1 ctrl=auto\n", DEVICE), "0");
        assert_eq!(cost.line(DEVICE, "0"), "8:16 enable=0");
    }

    #[test]
    fn what_is_written_names_the_device_and_no_limit_in_the_words_of_the_version() {
        assert_eq!(RIOPS.line(DEVICE, "500"), "8:16 riops=500");
        assert_eq!(RIOPS.line(DEVICE, NO_LIMIT), "8:16 riops=max");
        assert_eq!(THROTTLE.line(DEVICE, "500"), "8:16 500");
        assert_eq!(THROTTLE.line(DEVICE, NO_LIMIT), "8:16 0");
        assert_eq!(THROTTLE.line(DEVICE, "0"), "8:16 4294967296");
        assert_eq!(
            forms("bfq_weight")[1].line(DEVICE, "default"),
            "8:16 default"
        );
    }

    proptest! {
        #[test]
        fn a_line_of_the_kernel_gives_its_value(number in 1..u64::MAX, other in any::<u32>()) {
            let number = number.to_string();
            let others = format!("{other}:0 riops=9 wiops=9\n");
            let lines = format!("{others}8:16 rbps=max riops={number} wiops=max\n");
            prop_assert_eq!(RIOPS.value(&lines, DEVICE), number.clone());
            prop_assert_eq!(THROTTLE.value(&format!("8:17 9\n8:16 {number}\n"), DEVICE), number);
        }

        #[test]
        fn any_text_is_bounded(text in any::<String>()) {
            for setting in [RIOPS, THROTTLE] {
                prop_assert!(setting.value(&text, DEVICE).len() <= text.len().max(7));
            }
        }
    }
}
