//! # lsusb -t
//!
//! Which USB devices hang where, by which driver and how fast, as facts.
//!
//! ## What it reads
//! The tree of `lsusb -t` of usbutils, with the lines that `-v` puts below a device. One result for all buses; a fact is
//! `6-1.driver`, `6-1.speed`, `6-1.class`, `6-1.device` or `6-1.id`, after the name that sysfs has for the device: its bus, and
//! the ports that lead to it. A further interface of a device is `6-1:1`, and a bus itself `usb6`.
//!
//! ## What is lost
//! Speeds are what the link can do (`10000M` is 10 Gbit/s), not what was measured. `uas` lets a disk have several commands at
//! once, `usb-storage` one. A tree that a page put on one line has lost its branches and is not read.
//!
//! ## Example
//! `lsusb -t >lsusb.txt; iodyno import lsusb.txt`

use crate::pieces::Pieces;
use crate::printed::commands;
use crate::{How, Importer, Piece, Text};
use model::imported::Imported;
use std::collections::BTreeMap;
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "lsusb",
    since: "0.1",
    reads: "lsusb -t",
    how: How::Text(find),
};

/// USB knows seven tiers; a deeper tree is none.
const TIERS_MAX: usize = 16;

/// A tree that is being read.
#[derive(Default)]
struct UsbTree {
    lines: Vec<Range<usize>>,
    facts: BTreeMap<String, String>,
    bus: String,
    /// Column and port of the devices above the next one.
    ports: Vec<(usize, String)>,
    /// The device that was read last.
    last: String,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut tree: Option<UsbTree> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let is_root = line.trim_start().starts_with("/:");
        if is_root && tree.is_none() {
            tree = Some(UsbTree::new(text, index));
        }
        if !tree.as_mut().is_none_or(|tree| tree.line(index, line)) {
            pieces.extend(tree.take().and_then(UsbTree::finish));
        }
    }
    pieces.extend(tree.and_then(UsbTree::finish));
}

impl UsbTree {
    fn new(text: &Text, index: usize) -> UsbTree {
        let mut tree = UsbTree::default();
        if let Some((words, at)) = commands::above(text, index, "lsusb") {
            tree.facts.insert("command".into(), words.join(" "));
            tree.lines.push(at..at + 1);
        }
        tree
    }

    /// Takes a line; false where it is none of the tree.
    fn line(&mut self, index: usize, line: &str) -> bool {
        let trimmed = line.trim_start();
        let column = line.len() - trimmed.len();
        let is_taken = if let Some(root) = trimmed.strip_prefix("/:") {
            self.root(root)
        } else if let Some(branch) = trimmed.strip_prefix("|__") {
            self.branch(column, branch)
        } else {
            self.beside(trimmed)
        };
        if is_taken.is_some() {
            self.lines.push(index..index + 1);
        }
        is_taken.is_some() || trimmed.is_empty()
    }

    /// `  Bus 06.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/2p, 10000M`
    fn root(&mut self, text: &str) -> Option<()> {
        let (place, rest) = text.split_once(':')?;
        let (bus, _) = place.trim().strip_prefix("Bus ")?.split_once('.')?;
        self.bus = whole(bus)?;
        self.ports.clear();
        self.take(format!("usb{}", self.bus), rest)
    }

    /// ` Port 1: Dev 7, If 0, Class=Mass Storage, Driver=uas, 10000M`
    fn branch(&mut self, column: usize, text: &str) -> Option<()> {
        let (place, rest) = text.split_once(':')?;
        let port = whole(place.trim().strip_prefix("Port ")?)?;
        self.ports.retain(|(above, _)| *above < column);
        if self.bus.is_empty() || self.ports.len() >= TIERS_MAX {
            return None;
        }
        self.ports.push((column, port));
        let ports: Vec<&str> = self.ports.iter().map(|(_, port)| port.as_str()).collect();
        let mut name = format!("{}-{}", self.bus, ports.join("."));
        let interface = rest
            .split(',')
            .find_map(|part| part.trim().strip_prefix("If "));
        if let Some(interface) = interface.filter(|interface| *interface != "0") {
            name = format!("{name}:{}", whole(interface)?);
        }
        self.take(name, rest)
    }

    /// What `-v` prints below a device: `ID 174c:2362 ASMedia Technology Inc.`, and its path.
    fn beside(&mut self, line: &str) -> Option<()> {
        if let Some(id) = line.strip_prefix("ID ") {
            let id: String = id.trim().chars().take(200).collect();
            self.facts.insert(format!("{}.id", self.last), id);
            return Some(());
        }
        line.starts_with("/sys/bus/usb/").then_some(())
    }

    /// ` Dev 7, If 0, Class=Mass Storage, Driver=uas, 10000M`
    fn take(&mut self, name: String, text: &str) -> Option<()> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let device = parts.first()?.strip_prefix("Dev ")?;
        let of = |key: &str| parts.iter().find_map(|part| part.strip_prefix(key));
        // `10000M`, of two lanes `20000M/x2`.
        let is_speed = |part: &&str| {
            let (digits, _) = part.split_once('M').unwrap_or_default();
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        };
        let told = [
            ("device", whole(device)),
            ("class", of("Class=").map(str::to_string)),
            ("driver", of("Driver=").map(str::to_string)),
            (
                "speed",
                parts.iter().copied().find(is_speed).map(str::to_string),
            ),
        ];
        for (what, value) in told {
            let value = value.filter(|value| !value.is_empty());
            self.facts
                .extend(value.map(|value| (format!("{name}.{what}"), value)));
        }
        self.last = name;
        Some(())
    }

    fn finish(self) -> Option<Piece> {
        let imported = Imported {
            tool: "lsusb".into(),
            name: "lsusb -t".into(),
            facts: self.facts,
            ..Imported::default()
        };
        (!self.last.is_empty()).then(|| Piece {
            lines: self.lines,
            imported,
            unread: Vec::new(),
        })
    }
}

/// `6` of `06` and of `006`; none of what is no number.
fn whole(text: &str) -> Option<String> {
    let number: u32 = text.trim().parse().ok()?;
    Some(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;
    use crate::printed::fixtures::only;

    #[test]
    fn devices_have_the_names_of_sysfs() {
        let found = only("lsusb/013-t.txt");
        let fact = |name: &str| found.facts.get(name).map(String::as_str);
        assert_eq!(
            [
                fact("6-1.driver"),
                fact("6-1.speed"),
                fact("6-2.driver"),
                fact("6-2.speed")
            ],
            [
                Some("uas"),
                Some("10000M"),
                Some("usb-storage"),
                Some("5000M")
            ]
        );
        assert_eq!(
            [
                fact("usb6.driver"),
                fact("5-1.2.class"),
                fact("5-1.2:1.driver")
            ],
            [
                Some("xhci_hcd/2p"),
                Some("Human Interface Device"),
                Some("usbhid")
            ]
        );
        assert_eq!(
            fact("5-3.class"),
            Some("Mass Storage"),
            "the hub's branch ended"
        );
        let newer = only("lsusb/017-tv.txt");
        assert_eq!(
            (
                newer.facts["2-4.id"].as_str(),
                newer.facts["2-4.device"].as_str()
            ),
            (
                "174c:2362 ASMedia Technology Inc. Ugreen Storage Device",
                "2"
            )
        );
    }

    #[test]
    fn a_tree_in_one_line_and_prose_are_none() {
        for text in [
            "we ran lsusb -t /: Bus 06.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/2p, 10000M|__ Port 1: Dev 7",
            "/: the root\n    |__ Port 1: Dev 7, If 0\n",
        ] {
            assert!(found(find, &Text::new(text)).is_empty(), "{text}");
        }
        let cut = "/:  Bus 06.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/2p, 10000M\n    |__ Port 1: De";
        let pieces = found(find, &Text::new(cut));
        assert_eq!((pieces.len(), pieces[0].lines.last()), (1, Some(&(0..1))));
    }
}
