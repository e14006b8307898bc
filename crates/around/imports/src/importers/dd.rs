//! # dd
//!
//! What GNU dd and BusyBox's print at their end, in any language: bytes, seconds, records, and the command line above.
//!
//! ## What it reads
//! `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.03 s, 529 MB/s`, with a decimal comma too, and with the words of another
//! language in their places: the numbers and `s` stand where they stand in English. The rate is bytes by seconds, not the
//! rounded one that dd prints. Lines of `status=progress` before it are a series; `1024+0 records out` gives the block size;
//! of a command line above, `if`, `of`, `bs`, `iflag`, `oflag` and `conv` are facts and tell reads from writes.
//!
//! In tables, the seconds in the cells beside or below a dd with `bs` and `count`: `| dd write bs=1M count=10240 | 10.9 s |`.
//! The bytes are block size by count, and the name of the column, or of the row, is the result's.
//!
//! ## What is lost
//! Without its command line dd does not say whether the disk was read or written. A copy into the page cache ends before the
//! data is on the disk; `conv=fdatasync` or `oflag=direct` on the command line tell. Seconds in a table are rounded.
//!
//! ## Example
//! `dd if=/dev/zero of=/srv/t bs=1M count=1024 oflag=direct 2>dd.txt; iodyno import dd.txt`

mod table;

use crate::pieces::Pieces;
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text};
use model::imported::{Imported, LoadFigures, SideFigures};
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "dd",
    since: "0.1",
    reads: "the last lines of dd, and its seconds in tables",
    how: How::Text(find),
};

/// What dd had copied so far.
#[derive(Clone, Copy)]
struct DdSummary {
    line: usize,
    bytes: f64,
    seconds: f64,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut told: Vec<DdSummary> = Vec::new();
    let mut records: Vec<(usize, u64, u64)> = Vec::new();
    for (line, words) in text.lines.iter().enumerate() {
        let words = clean(words);
        if words.is_empty() {
            continue;
        }
        let numbers: Vec<(f64, f64)> = words.split('\r').filter_map(numbers).collect();
        if let Some((full, part)) = record_counts(words) {
            records.push((line, full, part));
            continue;
        }
        let is_end = records.len() >= 2 && numbers.len() == 1;
        told.extend(numbers.iter().map(|(bytes, seconds)| DdSummary {
            line,
            bytes: *bytes,
            seconds: *seconds,
        }));
        if is_end {
            pieces.push(result(text, &told, &records));
        } else if !numbers.is_empty() && records.is_empty() {
            continue;
        } else {
            pieces.extend(alone(text, &told));
        }
        told.clear();
        records.clear();
    }
    pieces.extend(alone(text, &told));
    table::find(text, pieces);
}

/// Last lines without the records before them: a result each, but those that dd overwrote in its line are of one.
fn alone(text: &Text, told: &[DdSummary]) -> impl Iterator<Item = Piece> {
    told.chunk_by(|one, next| one.line == next.line)
        .map(|of_line| result(text, of_line, &[]))
}

/// How the seconds end and the rate begins, in the languages of coreutils: with a comma of ASCII, of full width, or of
/// Japanese.
const SECONDS_ENDS: [&str; 7] = [
    " s,",
    " seconds,",
    " s\u{ff0c}",
    " s\u{3001}",
    "\u{79d2},",
    "\u{79d2}\u{ff0c}",
    "\u{79d2}\u{3001}",
];

/// Bytes and seconds: the number at the start, and the one before the unit of seconds, which a rate follows.
fn numbers(line: &str) -> Option<(f64, f64)> {
    let line = line.trim();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let bytes: f64 = line[..digits]
        .parse()
        .ok()
        .filter(|bytes: &f64| bytes.is_finite())?;
    let (before, rate) = SECONDS_ENDS.iter().find_map(|end| line.split_once(end))?;
    // A comma of ASCII may stand right before the seconds, and within them.
    let seconds = before.trim_end();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | '-');
    let begin = seconds.trim_end_matches(is_part).len();
    let seconds = seconds[begin..].trim_start_matches(',').replace(',', ".");
    let seconds = seconds
        .parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    // A rate alone ends the line: ioping has more between.
    let rate = rate.trim();
    let is_rate = ["B/s", "B/\u{79d2}"]
        .iter()
        .any(|unit| rate.ends_with(unit))
        && rate.split_whitespace().count() <= 2;
    is_rate.then_some((bytes, seconds))
}

/// `1024+0 records out`, in any language: whole and partial records.
fn record_counts(line: &str) -> Option<(u64, u64)> {
    if line.len() > 80 || line.split_whitespace().count() > 5 {
        return None;
    }
    let begin = line.find(|c: char| c.is_ascii_digit())?;
    let rest = &line[begin..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '+')
        .unwrap_or(rest.len());
    let (full, part) = rest[..end].split_once('+')?;
    Some((full.parse().ok()?, part.parse().ok()?))
}

/// One dd: what it told last, what it told before, and its records.
fn result(text: &Text, told: &[DdSummary], records: &[(usize, u64, u64)]) -> Piece {
    let last = told.last().copied().unwrap_or(DdSummary {
        line: 0,
        bytes: 0.0,
        seconds: 0.0,
    });
    let mut lines: Vec<usize> = told.iter().map(|one| one.line).collect();
    lines.extend(records.iter().map(|record| record.0));
    lines.sort_unstable();
    lines.dedup();
    let mut facts = BTreeMap::new();
    if let Some((_, full, 0)) = records.last()
        && *full > 0
        && last.bytes % *full as f64 == 0.0
    {
        facts.insert("bs".to_string(), format!("{}", last.bytes / *full as f64));
    }
    let first = lines.first().copied().unwrap_or(0);
    let command = commands::above(text, first, "dd")
        .filter(|(words, _)| operand(words, "of").is_some() || operand(words, "if").is_some());
    if let Some((words, at)) = &command {
        lines.insert(0, *at);
        facts.insert("command".into(), words.join(" "));
        for name in ["if", "of", "bs", "count", "iflag", "oflag", "conv"] {
            facts.extend(operand(words, name).map(|value| (name.to_string(), value.to_string())));
        }
    }
    let mut series = PrintedSeries::default();
    if told.len() > 1 {
        told.iter().for_each(|one| {
            series.push("dd.bytes", "", "bytes", one.seconds * 1e3, Some(one.bytes))
        });
    }
    let mut imported = imported(last, direction(&facts));
    imported.facts = facts;
    imported.series = series.finish();
    Piece {
        lines: lines.into_iter().map(|line| line..line + 1).collect(),
        imported,
        unread: Vec::new(),
    }
}

/// The value of `of=…`.
fn operand<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words
        .iter()
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// Whether the disk was written, as far as the command line tells: what is no disk is on the other side.
fn direction(facts: &BTreeMap<String, String>) -> Option<bool> {
    let is_no_disk = |name: &str| {
        let path = facts.get(name)?;
        Some(
            [
                "/dev/zero",
                "/dev/null",
                "/dev/urandom",
                "/dev/random",
                "/dev/stdin",
            ]
            .contains(&path.as_str()),
        )
    };
    match (is_no_disk("if"), is_no_disk("of")) {
        (Some(true), Some(false)) => Some(true),
        (Some(false), Some(true)) => Some(false),
        _ => None,
    }
}

fn imported(last: DdSummary, is_write: Option<bool>) -> Imported {
    let side = SideFigures {
        bytes: Some(last.bytes),
        bytes_per_s: (last.seconds > 0.0).then(|| last.bytes / last.seconds),
        ..SideFigures::default()
    };
    let mut load = LoadFigures {
        elapsed_ms: Some(last.seconds * 1e3),
        ..LoadFigures::default()
    };
    let mut lossy = Vec::new();
    match is_write {
        Some(true) => load.write = Some(side),
        Some(false) => load.read = Some(side),
        None => {
            load.mixed = Some(side);
            lossy.push("dd does not say whether it read or wrote the disk".into());
        }
    }
    Imported {
        tool: "dd".into(),
        name: "dd".into(),
        lossy,
        load: Some(load),
        ..Imported::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;

    fn pieces(text: &str) -> Vec<Piece> {
        found(find, &Text::new(text))
    }

    #[test]
    fn the_last_line_is_read_in_any_language() {
        for line in [
            "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.03 s, 529 MB/s",
            "1073741824 bytes transferred in 2.03 s, 529 MB/s",
            "1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 2,03 s, 529 MB/s",
            "1073741824 octets (1,1 GB, 1,0 GiB) copi\u{e9}s, 2,03 s, 529 MB/s",
            "1073741824\u{5b57}\u{8282}\u{ff08}1.1 GB\u{ff0c}1.0 GiB\u{ff09}\u{5df2}\u{590d}\u{5236}\u{ff0c}2.03 s\u{ff0c}529 MB/s",
            "1073741824 bytes (1.0GB) copied, 2.03 seconds, 504.4MB/s",
            "1073741824\u{5b57}\u{8282}(1.1 GB)\u{5df2}\u{590d}\u{5236}\u{ff0c}2.03 \u{79d2}\u{ff0c}529 MB/\u{79d2}",
            "1073741824\u{5b57}\u{8282}(1.1 GB)\u{5df2}\u{590d}\u{5236},2.03 \u{79d2},529 MB/\u{79d2}",
            "1073741824 \u{5b57}\u{8282} (1.1 GB, 1.0 GiB) \u{5df2}\u{590d}\u{5236},2.03 s,529 MB/s",
            "1073741824 \u{30d0}\u{30a4}\u{30c8} (1.1 GB) \u{30b3}\u{30d4}\u{30fc}\u{3055}\u{308c}\u{307e}\u{3057}\u{305f}\u{3001} 2.03 \u{79d2}\u{3001} 529 MB/\u{79d2}",
            "1073741824 bytes (1.1 GB) copied, 0.203e1 s, 529 MB/s",
        ] {
            assert_eq!(numbers(line), Some((1_073_741_824.0, 2.03)), "{line}");
        }
        assert_eq!(numbers("1024+0 records in"), None);
        assert_eq!(numbers("12 s, at most"), None);
    }

    #[test]
    fn progress_records_and_the_command_line_belong_to_the_result() {
        let text = "[root@db1 ~]# dd if=/dev/zero of=/srv/t bs=1M count=1024 oflag=direct status=progress\n\
                    536870912 bytes (537 MB, 512 MiB) copied, 1 s, 537 MB/s\r805306368 bytes (805 MB) copied, 1.5 s, 537 MB/s\n\
                    1024+0 records in\n1024+0 records out\n\
                    1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.03 s, 529 MB/s\n\
                    then the next one:\n536870912 bytes (537 MB) copied, 4 s, 134 MB/s\n";
        let found = pieces(text);
        let [first, second] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(first.lines, [0..1, 1..2, 2..3, 3..4, 4..5]);
        let write = first
            .imported
            .load
            .as_ref()
            .unwrap()
            .write
            .as_ref()
            .unwrap();
        assert_eq!(
            (write.bytes, write.bytes_per_s),
            (Some(1_073_741_824.0), Some(1_073_741_824.0 / 2.03))
        );
        assert_eq!(first.imported.facts["oflag"], "direct");
        assert_eq!(first.imported.facts["bs"], "1M");
        assert_eq!(
            first.imported.series[0].values,
            [536_870_912.0, 805_306_368.0, 1_073_741_824.0].map(Some)
        );
        assert_eq!(first.imported.series[0].time_ms[..2], [1_000.0, 1_500.0]);
        assert_eq!((second.lines.len(), second.lines[0].clone()), (1, 6..7));
        assert!(
            second.imported.load.as_ref().unwrap().mixed.is_some()
                && !second.imported.lossy.is_empty()
        );
    }

    #[test]
    fn chinese_of_centos_7_with_either_punctuation_is_one_result_with_its_command() {
        for comma in ['\u{ff0c}', ','] {
            let text = format!(
                "[root@db1 ~]# dd if=/dev/zero of=/srv/t bs=1M count=1024 conv=fsync\n\
                 \u{8bb0}\u{5f55}\u{4e86}1024+0 \u{7684}\u{8bfb}\u{5165}\n\u{8bb0}\u{5f55}\u{4e86}1024+0 \u{7684}\u{5199}\u{51fa}\n\
                 1073741824\u{5b57}\u{8282}(1.1 GB)\u{5df2}\u{590d}\u{5236}{comma}2.03 \u{79d2}{comma}529 MB/\u{79d2}\n"
            );
            let found = pieces(&text);
            assert_eq!((found.len(), found[0].lines.len()), (1, 4), "{text}");
            let load = found[0].imported.load.as_ref().unwrap();
            let write = load.write.as_ref().unwrap();
            assert_eq!(write.bytes_per_s, Some(1_073_741_824.0 / 2.03));
            assert_eq!(found[0].imported.facts["bs"], "1M");
        }
    }

    #[test]
    fn records_give_the_block_size() {
        let found = pieces(
            "16+0 Datens\u{e4}tze ein\n16+0 Datens\u{e4}tze aus\n65536 Bytes (66 kB, 64 KiB) kopiert, 0,002 s, 33 MB/s\n",
        );
        assert_eq!(
            (found.len(), found[0].imported.facts["bs"].as_str()),
            (1, "4096")
        );
    }
}
