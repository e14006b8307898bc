//! # fio's figures in tables and sentences
//!
//! What people copy out of fio's output into an article: `IOPS=20.1k, BW=78.7MiB/s` in a sentence, a table of devices by
//! command lines whose cells say `bw=36636KB/s, iops=9159`, a table of `R=10.6k W=4544`.
//!
//! ## What it reads
//! Tables as Markdown writes them, also with rows broken over lines and the empty corner cell lost: what fio's options
//! say in the head of a column or of a row belongs to its cells, and the other head names the device. In sentences: `IOPS=`
//! and `BW=` with the options beside them, and the few words of Chinese with which such pages tell the same. Where a text
//! has exactly one command line of fio, its direction, block size and engine are taken for sentences, and said to be.
//!
//! ## What is lost
//! Nearly everything: two or three digits of a rate are left of a run. Where neither the cell nor the command says whether
//! it read or wrote, the figures are of both directions. `KB/s` of a bare `bw=` is KiB/s where bandwidth by IOPS is then
//! the block size, and is said to be. Promises, prices and limits (`up to 100,000 IOPS`) are not measurements and left alone.
//!
//! ## Example
//! `iodyno import article.md`

mod cell;
mod sentence;
mod table;

use crate::importers::fio_text::{self, CommandFacts, marks};
use crate::pieces::Pieces;
use crate::{How, Importer, Piece, Text};
use model::imported::{DiskFigures, Imported, LoadFigures, SideFigures};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_quoted",
    since: "0.1",
    reads: "figures of fio in tables and sentences",
    how: How::Text(find),
};

/// A direction as it is quoted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Quoted {
    /// `read`, `write`, `trim`; none where it is not said.
    pub side: Option<&'static str>,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// Bytes per second, with what was decided.
    pub bytes_per_s: Option<f64>,
    /// Whether bandwidth was printed as `KB/s`, which old versions of fio meant as KiB/s.
    pub is_ambiguous: bool,
}

/// A quoted result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Quote {
    /// Directions.
    pub sides: Vec<Quoted>,
    /// What stands around it.
    pub facts: CommandFacts,
    /// Disks whose load is told.
    pub disks: Vec<DiskFigures>,
    /// Name for people.
    pub name: String,
    /// First and last line.
    pub lines: (usize, usize),
    /// What was decided.
    pub lossy: Vec<String>,
}

fn find(text: &Text, pieces: &mut Pieces) {
    if !text.lines.iter().any(|line| is_of_fio(line)) {
        return;
    }
    let (mut quotes, in_tables) = table::find(text);
    let context = Context::of(text);
    quotes.extend(sentence::find(text, &in_tables, &context));
    quotes.sort_by_key(|quote| quote.lines);
    let found = once(quotes).into_iter();
    pieces.extend(found.map(|quote| quote.piece(&context)));
}

fn is_of_fio(line: &str) -> bool {
    ["fio", "FIO", "Fio"].iter().any(|word| line.contains(word))
        || line.contains("IOPS=") && line.contains("BW=")
}

/// A result that a text tells twice is one result.
fn once(quotes: Vec<Quote>) -> Vec<Quote> {
    let mut all: Vec<Quote> = Vec::new();
    for quote in quotes {
        let is_same = |other: &&mut Quote| {
            // One figure alone may well be measured twice.
            let figures = quote
                .sides
                .iter()
                .map(|side| side.iops.is_some() as u8 + side.bytes_per_s.is_some() as u8);
            let is_sentence =
                !other.facts.contains_key("table") && !quote.facts.contains_key("table");
            is_sentence && figures.sum::<u8>() > 1 && other.sides == quote.sides
        };
        match all.iter_mut().rev().take(200).find(is_same) {
            Some(first) => {
                first
                    .lossy
                    .push(format!("told again on line {}", quote.lines.0 + 1));
                for (name, value) in quote.facts {
                    first.facts.entry(name).or_insert(value);
                }
            }
            None => all.push(quote),
        }
    }
    all
}

/// What holds for the whole text.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The only command line of fio in it, with its line.
    command: Option<(usize, CommandFacts)>,
}

impl Context {
    fn of(text: &Text) -> Context {
        let mut commands = Vec::new();
        for mark in marks::of_text(text)
            .iter()
            .filter(|mark| mark.kind == marks::MarkKind::Command)
        {
            let facts = fio_text::command_facts(&mark.text);
            if facts.contains_key("rw") {
                commands.push((mark.line, facts));
            }
        }
        Context {
            command: (commands.len() == 1).then(|| commands.swap_remove(0)),
        }
    }
}

impl Quote {
    fn piece(mut self, context: &Context) -> Piece {
        self.take_command(context);
        let mut units = Vec::new();
        let mut load = LoadFigures {
            disks: std::mem::take(&mut self.disks),
            ..LoadFigures::default()
        };
        let direction = self.facts.get("rw").and_then(|rw| side_of_rw(rw));
        for mut quoted in std::mem::take(&mut self.sides) {
            if quoted.is_ambiguous {
                units.push(quoted.decide(self.facts.get("bs").map(String::as_str)));
            }
            let name = quoted.side.or(direction).unwrap_or("mixed");
            if name == "mixed" {
                self.lossy
                    .push("whether it read or wrote is not said".into());
            }
            let figures = SideFigures {
                iops: quoted.iops,
                bytes_per_s: quoted.bytes_per_s,
                ..SideFigures::default()
            };
            *fio_text::job::side_of(&mut load, name) = Some(figures);
        }
        units.dedup();
        self.lossy.insert(
            0,
            "figures that somebody quoted, rounded: no counts, no latencies, no time".into(),
        );
        let imported = Imported {
            // Which version it was a page rarely says of a quoted figure.
            tool: "fio".into(),
            name: self.name,
            lossy: self.lossy,
            units,
            load: Some(load),
            facts: self.facts,
            ..Imported::default()
        };
        Piece::new(self.lines.0..self.lines.1 + 1, imported)
    }

    /// A sentence has no command line beside it; the only one of the text is taken for what rarely changes.
    fn take_command(&mut self, context: &Context) {
        let Some((line, command)) = &context.command else {
            return;
        };
        if self.facts.contains_key("table") || self.facts.contains_key("command") {
            return;
        }
        let mut taken = Vec::new();
        for name in ["rw", "bs", "ioengine"] {
            if let (Some(value), false) = (command.get(name), self.facts.contains_key(name)) {
                self.facts.insert(name.into(), value.clone());
                taken.push(name);
            }
        }
        if !taken.is_empty() {
            let what = taken.join(", ");
            self.lossy.push(format!(
                "{what} are from the only fio command line of the text, line {}",
                line + 1
            ));
        }
    }
}

impl Quoted {
    /// KB or KiB: whichever makes bandwidth by IOPS the block size.
    fn decide(&mut self, block: Option<&str>) -> String {
        let block = block
            .and_then(|block| model::units::parse_bytes(block).ok())
            .filter(|bytes| *bytes > 0);
        if let (Some(rate), Some(iops), Some(block)) = (self.bytes_per_s, self.iops, block) {
            let size = rate / iops.max(1e-9);
            for (factor, unit) in [(1.024, "KiB/s"), (1.0, "1000 bytes/s")] {
                if (size * factor / block as f64 - 1.0).abs() < 0.01 {
                    self.bytes_per_s = Some(rate * factor);
                    return format!("KB/s is {unit}: bandwidth by IOPS is then the block size");
                }
            }
        }
        "KB/s is taken as 1000 bytes/s; fio before 2.20 meant KiB/s, which is 2.4 % more".into()
    }
}

/// The direction of a `rw=`; none of a mix.
pub(super) fn side_of_rw(rw: &str) -> Option<&'static str> {
    match rw.split(':').next()? {
        "read" | "randread" => Some("read"),
        "write" | "randwrite" => Some("write"),
        "trim" | "randtrim" => Some("trim"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
