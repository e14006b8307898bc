//! # hdparm
//!
//! The rates that `hdparm -t` and `-T` print, one result a line.
//!
//! ## What it reads
//! `Timing buffered disk reads: 1234 MB in  3.00 seconds = 411.10 MB/sec`, `Timing cached reads`, and both with `--direct`
//! (`O_DIRECT`), below the line that names the device.
//!
//! ## What is lost
//! MB is rounded and is 1,048,576 bytes: hdparm counts in blocks of 2 MiB. The reads are sequential, one at a time; of a
//! disk with read-ahead that says little about anything else. `Timing cached reads` measures memory.
//!
//! ## Example
//! `hdparm -tT /dev/sda >hdparm.txt; iodyno import hdparm.txt`

use crate::pieces::Pieces;
use crate::printed::clean;
use crate::printed::number::number;
use crate::{How, Importer, Piece, Text};
use model::imported::{Imported, LoadFigures, SideFigures};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "hdparm",
    since: "0.1",
    reads: "hdparm -t and -T",
    how: How::Text(find),
};

const MIB: f64 = 1_048_576.0;

fn find(text: &Text, pieces: &mut Pieces) {
    let mut device: Option<(&str, usize)> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        let name = line
            .strip_suffix(':')
            .filter(|name| name.starts_with('/') && !name.contains(' '));
        if let Some(name) = name {
            device = Some((name, index));
            continue;
        }
        if let Some((what, megabytes, seconds)) = timing(line) {
            let mut piece =
                Piece::new(index..index + 1, imported(what, megabytes, seconds, device));
            // The line that names the device goes with the first of its timings.
            if let Some((_, at)) = device
                && pieces
                    .own()
                    .next_back()
                    .is_none_or(|last| last.lines.last().is_none_or(|lines| lines.end <= at))
            {
                piece.lines.insert(0, at..at + 1);
            }
            pieces.push(piece);
        }
    }
}

/// What was timed, MB and seconds.
fn timing(line: &str) -> Option<(&str, f64, f64)> {
    let (what, rest) = line.strip_prefix("Timing ")?.split_once(':')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [megabytes, "MB", "in", seconds, "seconds", "=", _, unit] = words[..] else {
        return None;
    };
    let numbers = (number(megabytes)?, number(seconds)?);
    (what.contains("reads") && unit == "MB/sec").then_some((what, numbers.0, numbers.1))
}

fn imported(what: &str, megabytes: f64, seconds: f64, device: Option<(&str, usize)>) -> Imported {
    let bytes = megabytes * MIB;
    let side = SideFigures {
        bytes: Some(bytes),
        bytes_per_s: (seconds > 0.0).then(|| bytes / seconds),
        ..SideFigures::default()
    };
    let mut lossy = vec!["megabytes are rounded to whole ones".to_string()];
    if what.contains("cached") {
        lossy.push("cached reads measure memory, not the disk".into());
    }
    let mut imported = Imported {
        tool: "hdparm".into(),
        name: what.to_string(),
        lossy,
        units: vec!["MB of hdparm is 1,048,576 bytes".into()],
        load: Some(LoadFigures {
            elapsed_ms: Some(seconds * 1e3),
            read: Some(side),
            ..LoadFigures::default()
        }),
        ..Imported::default()
    };
    imported.facts.insert("rw".into(), "read".into());
    if let Some((device, _)) = device {
        imported.facts.insert("device".into(), device.into());
    }
    if what.contains("O_DIRECT") {
        imported.facts.insert("direct".into(), "1".into());
    }
    imported
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::imported;

    #[test]
    fn a_result_for_each_timing() {
        let result = imported("hdparm/9.48.txt");
        let found: Vec<(&str, f64)> = result
            .results
            .iter()
            .map(|one| {
                let side = one.load.as_ref().unwrap().read.as_ref().unwrap();
                (
                    one.facts["device"].as_str(),
                    side.bytes_per_s.unwrap() / 1_048_576.0,
                )
            })
            .collect();
        assert_eq!(found[1], ("/dev/sda", 410.0));
        assert_eq!(found[3], ("/dev/sdb", 150.0));
        assert_eq!(result.results[1].name, "buffered disk reads");
        assert!(
            result.results[0]
                .lossy
                .iter()
                .any(|one| one.contains("memory"))
        );
        assert_eq!(result.results[0].lines, Some((3, 4)));
    }
}
