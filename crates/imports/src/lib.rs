//! Reads what other tools printed: which importer reads what, and what nobody could read.
//!
//! A text may hold results of several tools between other lines: a pasted log, an article. Every importer of texts looks
//! for its own pieces in all of it; each line belongs to one piece at most, and lines that belong to none are told with
//! their numbers. A file of one kind that may be of any size is read as a stream.

#[cfg(test)]
mod dice;
pub mod fio_json;
pub mod importers;
mod printed;

use model::imported::Imported;
use std::io::{BufRead, Read};
use std::ops::Range;

/// Something that reads what one tool printed.
pub struct Importer {
    /// Name of its file.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// What it reads, for a list: `fio's normal text, 2.x and 3.x`.
    pub reads: &'static str,
    /// How it reads.
    pub how: How,
}

/// The two ways of reading.
pub enum How {
    /// Finds its pieces anywhere in a text.
    Text(fn(&Text) -> Vec<Piece>),
    /// Reads a file of one kind from its start to its end in bounded memory.
    Stream {
        /// Whether a file that begins so is its kind. The bytes are the first 64 KiB, or all there are.
        is_mine: fn(&[u8]) -> bool,
        /// Reads it.
        read: fn(&mut dyn BufRead) -> Result<Vec<Piece>, ImportError>,
    },
}

/// A text by lines, without line ends.
#[derive(Debug)]
pub struct Text<'a> {
    /// The lines; the index plus 1 is the number that people are told.
    pub lines: Vec<&'a str>,
}

/// A result that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The lines it was read from, from 0, ascending and apart; none of a binary file.
    pub lines: Vec<Range<usize>>,
    /// What it says. Importer, file and lines are filled in by [`import`].
    pub imported: Imported,
    /// What it holds that could not be read.
    pub unread: Vec<Unread>,
}

impl Piece {
    /// A result read from one run of lines.
    pub fn new(lines: Range<usize>, imported: Imported) -> Self {
        Piece { lines: std::iter::once(lines).collect(), imported, unread: Vec::new() }
    }
}

/// Something that could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unread {
    /// First and last line, from 1; none of a binary file.
    pub lines: Option<(u64, u64)>,
    /// Why, as a sentence: `this looks like a percentile table of fio whose head is missing`.
    pub why: String,
}

/// A file that could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Reading it failed.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is of a kind that is known, and damaged or cut off so that nothing of it is sure.
    #[error("{0}")]
    Damaged(String),
}

/// What a file held.
#[derive(Debug, Default)]
pub struct Import {
    /// The results, in the order of the file.
    pub results: Vec<Imported>,
    /// What could not be read, in the same order: parts of results, and lines that are nobody's.
    pub unread: Vec<Unread>,
}

/// The longest text that is held in memory whole, bytes. Longer ones are cut there and said to be.
const TEXT_MAX_BYTES: u64 = 256 << 20;

/// Reads a file of any known kind. `name` is what the user calls it.
pub fn import(name: &str, source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let head = source.fill_buf()?;
    let head = &head[..head.len().min(64 << 10)];
    for importer in importers::ALL {
        if let How::Stream { is_mine, read } = importer.how
            && is_mine(head)
        {
            let pieces = read(source)?;
            return Ok(gathered(name, pieces.into_iter().map(|piece| (importer.id, piece)).collect(), None));
        }
    }
    let mut bytes = Vec::new();
    let length = source.take(TEXT_MAX_BYTES + 1).read_to_end(&mut bytes)? as u64;
    bytes.truncate(TEXT_MAX_BYTES as usize);
    let text = String::from_utf8_lossy(&bytes);
    let mut import = import_text(name, &text);
    if length > TEXT_MAX_BYTES {
        let why = format!("only the first {} MiB of a text are read", TEXT_MAX_BYTES >> 20);
        import.unread.push(Unread { lines: None, why });
    }
    Ok(import)
}

/// Finds the pieces of a text.
fn import_text(name: &str, text: &str) -> Import {
    let text = Text { lines: text.trim_start_matches('\u{feff}').lines().collect() };
    let mut found: Vec<(&'static str, Piece)> = Vec::new();
    for importer in importers::ALL {
        if let How::Text(find) = importer.how {
            found.extend(find(&text).into_iter().map(|piece| (importer.id, piece)));
        }
    }
    found.sort_by_key(|(_, piece)| piece.lines.first().map(|range| range.start));
    gathered(name, found, Some(&text))
}

/// The results with their file and lines, and the lines that are in none of them.
fn gathered(name: &str, pieces: Vec<(&'static str, Piece)>, text: Option<&Text>) -> Import {
    let mut import = Import::default();
    let mut is_read = vec![false; text.map_or(0, |text| text.lines.len())];
    for (id, mut piece) in pieces {
        // Two importers that know the same line: the one whose piece begins first has it.
        if piece.lines.iter().any(|range| is_read[range.clone()].contains(&true)) {
            continue;
        }
        piece.lines.iter().for_each(|range| is_read[range.clone()].fill(true));
        if let (Some(first), Some(last)) = (piece.lines.first(), piece.lines.last()) {
            piece.imported.lines = Some((first.start as u64 + 1, last.end as u64));
        }
        piece.imported.importer = id.into();
        piece.imported.file = name.into();
        import.results.push(piece.imported);
        import.unread.extend(piece.unread);
    }
    if let Some(text) = text {
        import.unread.extend(nobodys(text, &is_read));
    }
    import.unread.sort_by_key(|unread| unread.lines);
    import
}

/// Runs of lines that are in no piece and not empty.
fn nobodys(text: &Text, is_read: &[bool]) -> Vec<Unread> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines.iter().enumerate() {
        let number = index as u64 + 1;
        if is_read[index] {
            is_open = false;
        } else if !line.trim().is_empty() {
            match runs.last_mut() {
                Some(run) if is_open => run.1 = number,
                _ => runs.push((number, number)),
            }
            is_open = true;
        }
    }
    let why = "no importer knows these lines";
    runs.into_iter().map(|lines| Unread { lines: Some(lines), why: why.into() }).collect()
}
