//! Lines of a log, as fast as memory gives them.

use super::sum::Sums;
use std::io::BufRead;

/// Which columns hold what. Offset, priority and moment of issue follow in an order that depends on the job's options;
/// none of them is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Columns.
    pub columns: usize,
    /// Whether a greatest value stands behind the mean (`log_window_value=both`).
    pub has_max: bool,
}

/// A line longer than this is none of a log.
const LINE_MAX: usize = 4096;
/// Numbers of damaged lines that are kept.
const DAMAGED_MAX: usize = 64;

/// One line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FioLogEntry {
    /// ms.
    pub time_ms: u64,
    /// What the log is of.
    pub value: u64,
    /// 0 reads, 1 writes, 2 trims.
    pub direction: usize,
    /// Bytes; 0 where the line is an average.
    pub block: u64,
}

impl Layout {
    /// From the first lines, where they are those of a log. Without a name that says so they have to look like one in
    /// every way.
    pub fn of(head: &[u8], is_named: bool) -> Option<Layout> {
        let whole = head
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(head, |end| &head[..end]);
        let mut lines = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
            .take(64)
            .peekable();
        let first = columns(lines.peek()?)?;
        // A job of one I/O has one line.
        let (mut count, mut plain, mut with_max) = (0, 0, 0);
        for line in lines {
            let Some(fields) = columns(line) else {
                continue;
            };
            count += 1;
            let is_block = |at: usize| {
                fields
                    .get(at)
                    .is_some_and(|block| block % 512 == 0 || is_named)
            };
            plain += usize::from(fields.len() == first.len() && fields[2] <= 2 && is_block(3));
            with_max += usize::from(fields.len() == first.len() && fields[3] <= 2 && is_block(4));
        }
        let enough = if is_named {
            count / 2 + 1
        } else {
            count.max(2)
        };
        if plain >= enough {
            Some(Layout {
                columns: first.len(),
                has_max: false,
            })
        } else {
            (first.len() > 4 && with_max >= enough).then_some(Layout {
                columns: first.len(),
                has_max: true,
            })
        }
    }
}

/// The numbers of a line, where it is nothing but four to eight of them.
fn columns(line: &[u8]) -> Option<Vec<u64>> {
    let line = std::str::from_utf8(line)
        .ok()
        .filter(|line| line.len() < 200)?;
    let fields: Option<Vec<u64>> = line.split(',').map(|field| number(field.trim())).collect();
    fields.filter(|fields| (4..=8).contains(&fields.len()))
}

/// Priorities are printed as `0x0004` with `log_prio`.
fn number(field: &str) -> Option<u64> {
    match field.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => field.parse().ok(),
    }
}

/// Reads lines and counts them.
pub struct Parser {
    layout: Layout,
    /// Lines that end.
    pub lines: u64,
    /// The first damaged ones, from 1.
    pub damaged: Vec<u64>,
    /// All damaged ones.
    pub damaged_count: u64,
    /// The beginning of a line whose end has not come yet.
    open: Vec<u8>,
    is_too_long: bool,
}

impl Parser {
    /// For a log of this layout.
    pub fn new(layout: Layout) -> Parser {
        Parser {
            layout,
            lines: 0,
            damaged: Vec::new(),
            damaged_count: 0,
            open: Vec::new(),
            is_too_long: false,
        }
    }

    /// Reads all of it.
    pub fn read(&mut self, source: &mut dyn BufRead, sums: &mut Sums) -> std::io::Result<()> {
        loop {
            let chunk = source.fill_buf()?;
            let length = chunk.len();
            if length == 0 {
                break;
            }
            self.chunk(chunk, sums);
            source.consume(length);
        }
        if !self.open.is_empty() || self.is_too_long {
            self.end_open(sums);
        }
        Ok(())
    }

    fn chunk(&mut self, mut chunk: &[u8], sums: &mut Sums) {
        if !self.open.is_empty() || self.is_too_long {
            let Some(end) = chunk.iter().position(|byte| *byte == b'\n') else {
                self.keep(chunk);
                return;
            };
            self.keep(&chunk[..end]);
            self.end_open(sums);
            chunk = &chunk[end + 1..];
        }
        let whole = chunk
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        self.whole_lines(&chunk[..whole], sums);
        self.keep(&chunk[whole..]);
    }

    fn keep(&mut self, part: &[u8]) {
        if self.open.len() + part.len() > LINE_MAX {
            self.is_too_long = true;
            self.open.clear();
        } else {
            self.open.extend_from_slice(part);
        }
    }

    fn end_open(&mut self, sums: &mut Sums) {
        let mut line = std::mem::take(&mut self.open);
        if std::mem::take(&mut self.is_too_long) {
            self.lines += 1;
            self.damage();
            return;
        }
        line.push(b'\n');
        self.whole_lines(&line, sums);
        line.clear();
        self.open = line;
    }

    fn damage(&mut self) {
        self.damaged_count += 1;
        if self.damaged.len() < DAMAGED_MAX {
            self.damaged.push(self.lines);
        }
    }

    /// Lines that all end.
    fn whole_lines(&mut self, mut rest: &[u8], sums: &mut Sums) {
        let has_max = self.layout.has_max;
        while !rest.is_empty() {
            self.lines += 1;
            let (entry, length) = line(rest, has_max);
            match entry {
                Some(entry) => sums.add(&entry),
                None if rest[..length].trim_ascii().is_empty() => {}
                None => self.damage(),
            }
            rest = &rest[length..];
        }
    }
}

/// The line at the start and its length with its end. There is an end.
#[inline]
fn line(bytes: &[u8], has_max: bool) -> (Option<FioLogEntry>, usize) {
    let (mut entry, mut direction, mut at) = (FioLogEntry::default(), 0, 0);
    let is_whole = field(bytes, &mut at, &mut entry.time_ms)
        && field(bytes, &mut at, &mut entry.value)
        && (!has_max || field(bytes, &mut at, &mut 0))
        && field(bytes, &mut at, &mut direction);
    let is_whole = is_whole && last_field(bytes, &mut at, &mut entry.block);
    entry.direction = direction.min(3) as usize;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += 1;
    }
    ((is_whole && entry.direction < 3).then_some(entry), at + 1)
}

/// A number that a comma follows. `at` goes just behind that, or stays where it is.
#[inline(always)]
fn field(bytes: &[u8], at: &mut usize, into: &mut u64) -> bool {
    match digits(bytes, *at) {
        Some((value, end)) if bytes.get(end) == Some(&b',') => {
            (*into, *at) = (value, end + 1);
            true
        }
        _ => false,
    }
}

/// A number that a comma or the line's end follows. `at` goes to that, or stays where it is.
#[inline(always)]
fn last_field(bytes: &[u8], at: &mut usize, into: &mut u64) -> bool {
    match digits(bytes, *at) {
        Some((value, end)) if matches!(bytes.get(end), Some(b',' | b'\n')) => {
            (*into, *at) = (value, end);
            true
        }
        _ => false,
    }
}

/// A number from here on, after spaces, and the place of the first byte behind it that is no space.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    let start = at;
    let mut value = 0u64;
    while let Some(digit) = bytes
        .get(at)
        .map(|byte| byte.wrapping_sub(b'0'))
        .filter(|digit| *digit < 10)
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    // Twenty digits may be more than fits.
    if at == start || at - start > 19 {
        return None;
    }
    while matches!(bytes.get(at), Some(b' ' | b'\r')) {
        at += 1;
    }
    Some((value, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_tell_the_layout() {
        let of = |text: &str, is_named| Layout::of(text.as_bytes(), is_named);
        assert_eq!(
            of("0, 8278, 0, 4096, 12288, 0\n1, 8, 1, 4096, 0, 0\n", false)
                .unwrap()
                .columns,
            6
        );
        assert!(
            of(
                "500, 8000, 9000, 0, 0, 0\n1000, 8000, 9100, 1, 0, 0\n",
                true
            )
            .unwrap()
            .has_max
        );
        assert!(!of("500, 8000, 1, 4096, 0, 0x0004\n", true).unwrap().has_max);
        assert_eq!(of("1.5, 2, 0, 4096\n", true), None);
        assert_eq!(
            of("1, 2, 0, 77\n3, 4, 1, 78\n", false),
            None,
            "some table of numbers"
        );
        assert_eq!(of("hello\n", true), None);
        assert_eq!(of("", true), None);
    }

    #[test]
    fn a_line_is_an_entry_or_damage() {
        let of = |text: &str| line(text.as_bytes(), false);
        let entry = FioLogEntry {
            time_ms: 12,
            value: 345,
            direction: 1,
            block: 4096,
        };
        assert_eq!(of("12, 345, 1, 4096, 9, 0\nnext"), (Some(entry), 23));
        assert_eq!(of("12,345,1,4096\n"), (Some(entry), 14));
        assert_eq!(of("12, 345, 1, 4096\r\nx"), (Some(entry), 18));
        assert_eq!(of("12, 345, 7, 4096\n"), (None, 17));
        assert_eq!(of("12, x, 1, 4096\n"), (None, 15));
        assert_eq!(
            of("12, 3\n4, 5, 6, 7\n"),
            (None, 6),
            "a cut line does not take the next one with it"
        );
        assert_eq!(of("\n"), (None, 1));
        assert_eq!(of("99999999999999999999, 1, 1, 1\n").0, None);
    }
}
