//! # lsblk
//!
//! The devices of a machine as facts: what `lsblk --json`, `lsblk -t` and `lsblk` say of each.
//!
//! ## What it reads
//! The document of `lsblk --json`, best with `-O`: devices with their children, of util-linux 2.27 and later. Of the text, the
//! table of `-t` (`NAME ALIGNMENT MIN-IO …`) and the plain one (`NAME MAJ:MIN …`). One result for all devices; a fact is
//! `nvme0n1.model` or `sda.sched`, and `nvme0n1p1.parent` names the device above in the tree.
//!
//! ## What is lost
//! Without `-b` sizes are rounded (`1.8T`). Before 2.33 everything is a string. Empty values are left out; in the text an empty
//! cell is known only where one column can be empty. A second place where a device is mounted, on a line of its own, is not
//! read. RA is in KiB.
//!
//! ## Example
//! `lsblk -O -b --json >lsblk.json; iodyno import lsblk.json`

mod table;

use crate::pieces::Pieces;
use crate::printed::json;
use crate::{How, Importer, Piece, Text};
use model::imported::Imported;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "lsblk",
    since: "0.1",
    reads: "lsblk --json, -t and plain",
    how: How::Json(find),
};

/// So deep a tree is no machine's.
const DEPTH_MAX: u32 = 32;
/// So many facts are kept; more is another program's document.
const FACTS_MAX: usize = 200_000;

fn find(text: &Text, pieces: &mut Pieces) {
    let documents = json::documents(text, "blockdevices").documents;
    pieces.extend(documents.into_iter().filter_map(|(lines, document)| {
        let devices = document.get("blockdevices")?.as_array()?;
        let mut facts = BTreeMap::new();
        devices
            .iter()
            .for_each(|device| take(&mut facts, device, None, 0));
        let imported = imported(facts, Some("sizes are bytes"));
        (!imported.facts.is_empty()).then(|| Piece::new(lines, imported))
    }));
    table::find(text, pieces);
}

/// The result; `exact` is said of sizes that are not rounded.
fn imported(facts: BTreeMap<String, String>, exact: Option<&str>) -> Imported {
    let is_rounded = facts
        .iter()
        .any(|(name, value)| name.ends_with(".size") && value.ends_with(['K', 'M', 'G', 'T', 'P']));
    let (units, lossy) = match is_rounded {
        true => (
            Some("K, M, G and T of lsblk are powers of 1,024"),
            Some("sizes are rounded: lsblk was called without -b"),
        ),
        false => (exact, None),
    };
    Imported {
        tool: "lsblk".into(),
        name: "lsblk".into(),
        lossy: lossy.into_iter().map(String::from).collect(),
        units: units.into_iter().map(String::from).collect(),
        facts,
        ..Imported::default()
    }
}

fn take(facts: &mut BTreeMap<String, String>, device: &Value, parent: Option<&str>, depth: u32) {
    let Some(values) = device.as_object() else {
        return;
    };
    let Some(name) = values.get("name").and_then(Value::as_str) else {
        return;
    };
    if depth > DEPTH_MAX || facts.len() > FACTS_MAX {
        return;
    }
    if let Some(parent) = parent {
        facts.insert(format!("{name}.parent"), parent.to_string());
    }
    for (key, value) in values
        .iter()
        .filter(|(key, _)| *key != "name" && *key != "children")
    {
        let text = match value {
            Value::Array(all) => {
                let words: Vec<String> = all.iter().filter_map(json::word).collect();
                Some(words.join(", ")).filter(|text| !text.is_empty())
            }
            one => json::word(one),
        };
        facts.extend(text.map(|text| (format!("{name}.{key}"), text.trim().to_string())));
    }
    let children = values.get("children").and_then(Value::as_array);
    children
        .into_iter()
        .flatten()
        .for_each(|child| take(facts, child, Some(name), depth + 1));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;

    #[test]
    fn devices_and_their_children() {
        let document = "# lsblk -O --json\n{\"blockdevices\": [\n{\"name\": \"sda\", \"size\": \"1.8T\", \"rota\": true, \
                        \"model\": \" X \", \"serial\": null, \"children\": [{\"name\": \"sda1\", \
                        \"mountpoints\": [null, \"/srv\"]}]}]\n}\nafter\n";
        let found = found(find, &Text::new(document));
        assert_eq!((found[0].lines.len(), found[0].lines[0].clone()), (1, 1..4));
        let facts = &found[0].imported.facts;
        let get = |name: &str| facts.get(name).map(String::as_str);
        assert_eq!(
            (get("sda.size"), get("sda.model"), get("sda.serial")),
            (Some("1.8T"), Some("X"), None)
        );
        assert_eq!(
            (get("sda1.parent"), get("sda1.mountpoints")),
            (Some("sda"), Some("/srv"))
        );
        assert!(found[0].imported.lossy[0].contains("rounded"));
    }
}
