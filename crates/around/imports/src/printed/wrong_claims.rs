//! All fixtures through all importers: each takes its own and leaves the others', and no damage hurts.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use super::fixtures::folder;
use crate::importers::ALL;
use crate::pieces::found;
use crate::{How, Text, import};
use stats::dice::mix64;
use std::collections::BTreeMap;

/// Fixtures by importer: the folder's name is its id.
pub fn fixtures() -> BTreeMap<String, Vec<(String, Vec<u8>)>> {
    let mut all: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for importer in ALL {
        let Ok(entries) = std::fs::read_dir(folder().join(importer.id)) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = format!("{}/{}", importer.id, entry.file_name().to_string_lossy());
            all.entry(importer.id.into())
                .or_default()
                .push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
    all
}

/// Whose a fixture is: its folder's, but for the documents that stand beside logs of the same run, and the files in
/// which fio was asked for both of its forms.
fn owners<'a>(id: &'a str, name: &str) -> Vec<&'a str> {
    match () {
        () if id.starts_with("fio_") && name.ends_with(".json") => vec!["fio_json"],
        () if name.contains("json_and_normal") => vec![id, "fio_json"],
        () => vec![id],
    }
}

#[test]
fn each_fixture_is_its_importers_and_nobody_elses() {
    let mut seen = 0;
    for (id, files) in fixtures() {
        for (name, bytes) in files {
            let result = import(&name, &mut bytes.as_slice()).unwrap();
            let takers: Vec<&str> = result
                .results
                .iter()
                .map(|one| one.importer.as_str())
                .collect();
            assert!(
                !takers.is_empty(),
                "{name} is nobody's: {:?}",
                result.unread
            );
            let owners = owners(&id, &name);
            assert!(
                takers.iter().all(|taker| owners.contains(taker)),
                "{name}: {takers:?}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 30, "{seen} fixtures");
}

#[test]
fn what_one_importer_finds_no_other_finds() {
    for (id, files) in fixtures() {
        for (name, bytes) in files {
            let printed = String::from_utf8_lossy(&bytes);
            let text = Text::new(&printed);
            let owners = owners(&id, &name);
            for importer in ALL.iter().filter(|importer| !owners.contains(&importer.id)) {
                if let How::Text(find) | How::Json(find) = importer.how {
                    assert!(
                        found(find, &text).is_empty(),
                        "{} takes {name}",
                        importer.id
                    );
                }
                if let How::Stream { is_mine, .. } = importer.how {
                    assert!(
                        !is_mine(&bytes[..bytes.len().min(64 << 10)]),
                        "{} takes {name}",
                        importer.id
                    );
                }
            }
        }
    }
}

/// Cuts a text, takes lines out, puts lines of another in, and changes bytes.
fn damage(bytes: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let dice =
        |counter: u64, sides: usize| (mix64(seed * 64 + counter) % sides.max(1) as u64) as usize;
    let mut bytes = bytes.to_vec();
    for round in 0..1 + dice(0, 6) as u64 {
        if bytes.is_empty() {
            break;
        }
        let at = dice(round * 5 + 1, bytes.len());
        match dice(round * 5 + 2, 6) {
            0 => bytes.truncate(at),
            1 => {
                let end = (at + dice(round * 5 + 3, 400)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let from = dice(round * 5 + 3, other.len());
                let to = (from + dice(round * 5 + 4, 400)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            3 => bytes
                .splice(at..at, b" 99999999999999999999999999 ".iter().copied())
                .for_each(drop),
            4 => bytes[at] = b"0123456789:.,%-+/()[]{}\"\n\r \xff"[dice(round * 5 + 3, 28)],
            _ => bytes[at] = dice(round * 5 + 3, 256) as u8,
        }
    }
    bytes
}

#[test]
fn damage_ends_in_numbers_or_in_nothing() {
    let all: Vec<(String, Vec<u8>)> = fixtures().into_values().flatten().collect();
    let rounds = 16_000 / all.len().max(1) as u64;
    let mut understood = 0;
    for (place, (name, bytes)) in all.iter().enumerate() {
        // Large ones are slow to damage and hold the same again.
        let bytes = &bytes[..bytes.len().min(16 << 10)];
        for seed in 0..rounds {
            let seed = seed * all.len() as u64 + place as u64;
            let other = &all[(mix64(seed) % all.len() as u64) as usize].1;
            let damaged = damage(bytes, other, seed);
            let Ok(result) = import(name, &mut damaged.as_slice()) else {
                continue;
            };
            understood += result.results.len();
            let lines = String::from_utf8_lossy(&damaged).lines().count() as u64;
            for one in &result.results {
                for series in &one.series {
                    assert_eq!(
                        series.time_ms.len(),
                        series.values.len(),
                        "{name}, seed {seed}"
                    );
                    let finite = series
                        .values
                        .iter()
                        .flatten()
                        .chain(&series.time_ms)
                        .all(|value| value.is_finite());
                    assert!(finite, "{name}, seed {seed}: {series:?}");
                }
                for (_, side) in one.load.iter().flat_map(|load| load.sides()) {
                    let rates = [side.iops, side.bytes_per_s, side.bytes]
                        .into_iter()
                        .flatten();
                    assert!(
                        rates.into_iter().all(f64::is_finite),
                        "{name}, seed {seed}: {side:?}"
                    );
                }
                if let Some((first, last)) = one.lines {
                    assert!(
                        1 <= first && first <= last && last <= lines.max(1),
                        "{name}, seed {seed}"
                    );
                }
            }
        }
    }
    assert!(understood > 5_000, "{understood} results of damaged texts");
}
