//! Reads what other tools printed: which importer reads what, and what nobody could read.
//!
//! A text may hold results of several tools between other lines: a pasted log, an article. Every importer of texts looks
//! for its own pieces in all of it; each line belongs to one piece at most, and lines that belong to none are told with
//! their numbers. A file of one kind that may be of any size is read as a stream.

#[cfg(test)]
mod agree_tests;
pub mod fio_json;
pub mod gather;
pub mod importers;
mod json_in_text;
pub mod pieces;
mod printed;

use model::imported::{INPUT_MAX_BYTES, Imported};
use pieces::Pieces;
use std::io::{BufRead, Cursor, Read};
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

/// Finds its pieces in a text, and adds them to those of the file.
pub type Find = fn(&Text, &mut Pieces);

/// The ways of reading.
pub enum How {
    /// Finds its pieces anywhere in a text.
    Text(Find),
    /// Finds its documents of JSON anywhere in a text. Where a text begins with a brace, those who read JSON are asked first.
    Json(Find),
    /// Reads a file of one kind from its start to its end in bounded memory.
    Stream {
        /// Whether a file that begins so is its kind. The bytes are the first 64 KiB, or all there are.
        is_mine: fn(&[u8]) -> bool,
        /// Reads it.
        read: fn(&mut dyn BufRead) -> Result<Vec<Piece>, ImportError>,
    },
    /// The same of a kind whose numbers do not say what they are: the name of the file does.
    Named {
        /// Whether a file of this name that begins so is its kind.
        is_mine: fn(&str, &[u8]) -> bool,
        /// Reads it.
        read: fn(&str, &mut dyn BufRead) -> Result<Vec<Piece>, ImportError>,
    },
}

/// A text by lines, without line ends.
#[derive(Debug)]
pub struct Text<'a> {
    /// The lines; the index plus 1 is the number that people are told.
    pub lines: Vec<&'a str>,
    whole: &'a str,
}

impl<'a> Text<'a> {
    /// A text; the mark that some editors begin a file with is no part of it.
    pub fn new(text: &'a str) -> Self {
        let whole = text.trim_start_matches('\u{feff}');
        Text {
            lines: whole.lines().collect(),
            whole,
        }
    }

    /// From the beginning of a line to the end of the text.
    fn from(&self, line: usize) -> &'a str {
        self.lines
            .get(line)
            .map_or("", |line| &self.whole[self.place(line)..])
    }

    /// The line in which a part of the text ends.
    fn line_of(&self, part: &str) -> usize {
        let end = self.place(part) + part.len();
        self.lines
            .partition_point(|line| self.place(line) < end)
            .saturating_sub(1)
    }

    /// Where in the text a part of it begins, bytes.
    fn place(&self, part: &str) -> usize {
        (part.as_ptr() as usize)
            .saturating_sub(self.whole.as_ptr() as usize)
            .min(self.whole.len())
    }
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
        Piece {
            lines: std::iter::once(lines).collect(),
            imported,
            unread: Vec::new(),
        }
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

/// The most lines of a text. Each costs some bytes and some time however short it is.
const TEXT_MAX_LINES: usize = 1 << 22;

/// What an importer of whole files sees of a file before it says whether it is its kind, bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// Reads a file of any known kind. `name` is what the user calls it.
///
/// # Errors
///
/// The file cannot be read, or is of a kind that is known and nothing of it is sure.
pub fn import(name: &str, source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let mut head = Vec::new();
    Read::take(&mut *source, HEAD_BYTES).read_to_end(&mut head)?;
    for importer in importers::ALL {
        let mut whole = Cursor::new(&head).chain(&mut *source);
        let found = match importer.how {
            How::Stream { is_mine, read } if is_mine(&head) => read(&mut whole)?,
            How::Named { is_mine, read } if is_mine(name, &head) => read(name, &mut whole)?,
            _ => continue,
        };
        return Ok(of_one(name, importer.id, found));
    }
    if head.contains(&0) {
        let why = "this is no text, and no importer knows its kind";
        let unread = [Unread {
            lines: None,
            why: why.into(),
        }]
        .into();
        return Ok(Import {
            results: Vec::new(),
            unread,
        });
    }
    let (bytes, cut) = text_of(head, source)?;
    let mut import = import_text(name, &String::from_utf8_lossy(&bytes));
    match cut {
        Some(cut) if import.results.is_empty() => {
            let why = format!("{cut}, and there is no result in them");
            return Err(ImportError::Damaged(why));
        }
        Some(why) => import.unread.push(Unread { lines: None, why }),
        None => {}
    }
    Ok(import)
}

/// All of a text, or as much of it as is read, with a sentence that says so. A text is held in memory whole.
fn text_of(head: Vec<u8>, source: &mut dyn BufRead) -> std::io::Result<(Vec<u8>, Option<String>)> {
    let is_end = |byte: &u8| *byte == b'\n';
    let mut lines = head.iter().filter(|byte| is_end(byte)).count();
    let mut bytes = head;
    loop {
        let chunk = match source.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            return Ok((bytes, None));
        }
        let room = INPUT_MAX_BYTES as usize - bytes.len();
        if room == 0 {
            let why = format!(
                "only the first {} MiB of a text are read",
                INPUT_MAX_BYTES >> 20
            );
            return Ok((bytes, Some(why)));
        }
        let chunk = &chunk[..chunk.len().min(room)];
        let ends = chunk.iter().filter(|byte| is_end(byte)).count();
        if lines + ends > TEXT_MAX_LINES {
            let last = chunk
                .iter()
                .enumerate()
                .filter(|(_, byte)| is_end(byte))
                .nth(TEXT_MAX_LINES - lines);
            bytes.extend_from_slice(&chunk[..last.map_or(chunk.len(), |(at, _)| at)]);
            return Ok((
                bytes,
                Some(format!(
                    "only the first {TEXT_MAX_LINES} lines of a text are read"
                )),
            ));
        }
        lines += ends;
        bytes.extend_from_slice(chunk);
        let length = chunk.len();
        source.consume(length);
    }
}

/// Reads the files of one trace, one of each CPU, as one; with their names. `name` is that of the trace.
///
/// # Errors
///
/// A file cannot be read, or no I/O is in any of them.
pub fn import_trace(
    name: &str,
    files: Vec<(String, Box<dyn BufRead + '_>)>,
) -> Result<Import, ImportError> {
    let found = importers::blktrace::cpus::read(files)?;
    Ok(of_one(name, importers::blktrace::IMPORTER.id, found))
}

/// What one importer found in a file that is all its own.
fn of_one(name: &str, importer: &'static str, found: Vec<Piece>) -> Import {
    let mut pieces = Pieces::default();
    pieces.ask(importer);
    pieces.extend(found);
    gather::gathered(name, pieces, None)
}

/// Finds the pieces of a text. Once every line is in a piece, or no more pieces are read, nobody else is asked.
fn import_text(name: &str, text: &str) -> Import {
    let text = Text::new(text);
    let mut pieces = Pieces::default();
    for (id, find) in finders(text.whole.trim_ascii_start().starts_with('{')) {
        let was_empty = pieces.is_empty();
        pieces.ask(id);
        find(&text, &mut pieces);
        let is_first = was_empty && !pieces.is_empty();
        if pieces.is_cut() || (is_first && gather::holds_all(&text, pieces.all())) {
            break;
        }
    }
    gather::gathered(name, pieces, Some(&text))
}

/// Those who find their pieces in a text, in the order in which they are asked.
fn finders(is_json: bool) -> Vec<(&'static str, Find)> {
    let mut finders: Vec<_> = importers::ALL
        .iter()
        .filter_map(|importer| match importer.how {
            How::Json(find) => Some((!is_json, importer.id, find)),
            How::Text(find) => Some((true, importer.id, find)),
            _ => None,
        })
        .collect();
    finders.sort_by_key(|(is_later, ..)| *is_later);
    finders
        .into_iter()
        .map(|(_, id, find)| (id, find))
        .collect()
}

#[cfg(test)]
mod tests;
