//! # blkparse
//!
//! The events that blkparse prints, paired like those of blktrace's own files.
//!
//! ## What it reads
//! Lines of blkparse's default format, `8,0 1 7 0.001803657 96 C WS 5120 + 128 [0]`, anywhere in a text, in any order. One
//! result for each device, as [blktrace](blktrace.md) gives it. The summary below them (`CPU0 (sda):` …) goes with the
//! result and is not read: it follows from the events.
//!
//! ## What is lost
//! What is lost of a binary file, and what a paste left out: ends without a beginning are counted. Formats of one's own (`-f`)
//! are not known. When tracing began is not printed.
//!
//! ## Example
//! `blkparse -i sda >sda.txt; iodyno import sda.txt`

use super::blktrace::pairs::{BlktraceEvent, BlktraceSide, BlktraceWhat, Pairs};
use super::blktrace::result;
use crate::pieces::Pieces;
use crate::printed::clean;
use crate::{How, Importer, Piece, Text};
use std::collections::HashMap;
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "blkparse",
    since: "0.1",
    reads: "the events that blkparse prints",
    how: How::Text(find),
};

/// Fewer events than this are an example in somebody's text and no measurement.
const EVENTS_MIN: usize = 4;

fn find(text: &Text, pieces: &mut Pieces) {
    let mut events: Vec<BlktraceEvent> = Vec::new();
    let mut lines: HashMap<u32, Vec<Range<usize>>> = HashMap::new();
    let mut summary: Vec<Range<usize>> = Vec::new();
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if let Some((device, event)) = parse(line) {
            add(lines.entry(device).or_default(), index);
            events.extend(event);
        } else if !lines.is_empty() && is_summary(line) {
            add(&mut summary, index);
        }
    }
    if events.len() < EVENTS_MIN {
        return;
    }
    // blkparse prints them in their order; a paste may not have them in it.
    events.sort_by_key(|event| event.at_ns);
    let mut pairs = Pairs::default();
    events.iter().for_each(|event| pairs.take(event));
    for (device, imported) in result::results(pairs, "blkparse", None) {
        let lines = lines.remove(&device).unwrap_or_default();
        pieces.push(Piece {
            lines,
            imported,
            unread: Vec::new(),
        });
    }
    if let Some(piece) = pieces.own_mut().next_back() {
        piece.lines.extend(summary);
        piece.lines.sort_by_key(|range| range.start);
    }
}

fn add(lines: &mut Vec<Range<usize>>, index: usize) {
    match lines.last_mut() {
        Some(range) if range.end == index => range.end += 1,
        _ => lines.push(index..index + 1),
    }
}

/// A line of an event: its device, and the event where it is part of an I/O's way.
fn parse(line: &str) -> Option<(u32, Option<BlktraceEvent>)> {
    let mut words = line.split_ascii_whitespace();
    let (major, minor) = words.next()?.split_once(',')?;
    let device = major.parse::<u32>().ok().filter(|major| *major < 1 << 12)? << 20
        | minor.parse::<u32>().ok().filter(|minor| *minor < 1 << 20)?;
    let _cpu: u32 = words.next()?.parse().ok()?;
    let _number: u64 = words.next()?.parse().ok()?;
    let at_ns = time_ns(words.next()?)?;
    let _process: u32 = words.next()?.parse().ok()?;
    let action = words.next()?;
    if !(1..=2).contains(&action.len()) {
        return None;
    }
    let what = match action {
        "Q" => BlktraceWhat::Queue,
        "G" => BlktraceWhat::GetRequest,
        "I" => BlktraceWhat::Insert,
        "D" => BlktraceWhat::Issue,
        "C" => BlktraceWhat::Done,
        "R" => BlktraceWhat::Requeue,
        "X" => BlktraceWhat::Split,
        "A" => BlktraceWhat::Remap,
        "M" | "F" | "P" | "U" | "UT" | "S" | "B" | "m" => return Some((device, None)),
        _ => return None,
    };
    let flags = words.next()?;
    let rest: Vec<&str> = words.take(3).collect();
    let event = io(what, flags, &rest, line.contains('('));
    Some((
        device,
        event.map(|(sector, sectors, side)| BlktraceEvent {
            at_ns,
            what,
            device,
            sector,
            sectors,
            side,
        }),
    ))
}

/// Sector, sectors and direction of what follows the flags: `5120 + 128`, `100 / 104`, and nothing or `0` for a flush.
fn io(
    what: BlktraceWhat,
    flags: &str,
    rest: &[&str],
    is_command: bool,
) -> Option<(u64, u64, BlktraceSide)> {
    let (sector, sectors) = match rest {
        [sector, "+", sectors] => (sector.parse().ok()?, sectors.parse().ok()?),
        [sector, "/", cut] if what == BlktraceWhat::Split => {
            (sector.parse().ok()?, cut.parse().ok()?)
        }
        _ => (0, 0),
    };
    let side = match flags {
        // A command of SCSI has its bytes in brackets and is nobody's read.
        _ if sectors == 0 && is_command => return None,
        flags if sectors == 0 && flags.contains('F') => BlktraceSide::Flush,
        _ if sectors == 0 => return None,
        flags if flags.contains('D') => BlktraceSide::Discard,
        flags if flags.contains('W') => BlktraceSide::Write,
        flags if flags.contains('R') => BlktraceSide::Read,
        _ => return None,
    };
    Some((sector, sectors, side))
}

/// `0.001803657`, ns.
fn time_ns(word: &str) -> Option<u64> {
    let (seconds, fraction) = word.split_once('.')?;
    let ns: u64 = fraction.parse().ok().filter(|_| fraction.len() == 9)?;
    seconds
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(ns)
}

/// A line of the summary.
fn is_summary(line: &str) -> bool {
    let begins = [
        "CPU",
        "Total (",
        "Reads ",
        "Read ",
        "PC Reads",
        "IO unplugs",
        "Throughput (R/W)",
        "Events (",
        "Skips:",
        "Input file ",
    ];
    begins.iter().any(|begin| line.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printed::fixtures;

    #[test]
    fn the_text_says_what_the_binary_file_says() {
        let text = fixtures::only("blkparse/sata.txt");
        let binary = fixtures::only("blktrace/sata.bin");
        let (text, binary) = (text.load.unwrap(), binary.load.unwrap());
        for (text, binary) in [
            (&text.read, &binary.read),
            (&text.write, &binary.write),
            (&text.sync, &binary.sync),
        ] {
            let (text, binary) = (text.as_ref().unwrap(), binary.as_ref().unwrap());
            assert_eq!((text.ios, text.bytes), (binary.ios, binary.bytes));
            assert_eq!(text.latencies, binary.latencies);
        }
    }

    #[test]
    fn lines_of_events() {
        let whole = |line: &str| parse(line).map(|(_, event)| event);
        let event = whole("8,0    1        7     0.001803657    96  C  WS 5120 + 128 [0]")
            .unwrap()
            .unwrap();
        assert_eq!(
            (event.at_ns, event.what, event.sector),
            (1_803_657, BlktraceWhat::Done, 5_120)
        );
        assert_eq!(
            (event.sectors, event.side, event.device),
            (128, BlktraceSide::Write, 8 << 20)
        );
        let remap = whole("8,0 0 1 0.000000001 12 A WS 223490 + 8 <- (8,1) 223427")
            .unwrap()
            .unwrap();
        assert_eq!((remap.what, remap.sector), (BlktraceWhat::Remap, 223_490));
        assert_eq!(
            whole("259,0    1        3     0.000251808   230  P   N [dd]"),
            Some(None)
        );
        let flush = whole("8,0 0 1 0.000000001 12 Q FWS [kworker]")
            .unwrap()
            .unwrap();
        assert_eq!(flush.side, BlktraceSide::Flush);
        assert_eq!(
            whole("8,0 0 1 0.000000001 12 D R 36 (12 00 00 00 24 00) [udev]").unwrap(),
            None
        );
        assert_eq!(whole("8,0 is the disk"), None);
    }
}
