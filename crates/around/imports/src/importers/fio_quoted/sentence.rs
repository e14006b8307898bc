//! Figures of fio in sentences.

use super::cell::{Figure, figures, pattern, sides};
use super::{Context, Quote, Quoted, side_of_rw};
use crate::Text;
use crate::importers::fio_text::CommandFacts;
use crate::importers::fio_text::marks::{MarkKind, of_line};
use crate::importers::fio_text::values::{Thousand, amount, plain, scaled};
use regex::Regex;
use std::sync::LazyLock;

/// `numjobs=4` beside a figure.
static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u:\b)(numjobs|iodepth|bs|rw|direct|buffered|ioengine) *= *([0-9A-Za-z_]+)")
});

/// `4K write:` before a figure.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u:\b)([0-9]+[kKmM])(?:i?B)? *(?:rand|seq)?[A-Za-z]* *(?:read|write|trim) *:")
});

/// `iops\u{4e3a}:18944`: "iops is".
static IS: LazyLock<Regex> =
    LazyLock::new(|| pattern("(?:iops|IOPS) *\u{4e3a} *:? *([0-9][0-9.]*[kKM]?)"));

/// `read-write iops are respectively 15.8K, 6.8K`, and `direct=1 and direct=0 's write avg iops are respectively 42K, 16K`.
static ARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "(?:([A-Za-z]+=[0-9a-z]+)\u{548c}([A-Za-z]+=[0-9a-z]+)\u{7684})?(\u{8bfb}\u{5199}|read|write|\u{8bfb}|\u{5199})? *(?:avg +|\u{5e73}\u{5747})?\
         (?:iops|IOPS) *\u{5206}\u{522b}\u{4e3a} *([0-9][0-9.]*[kKM]?) *[\u{3001},\u{548c}/] *([0-9][0-9.]*[kKM]?)",
    )
});

/// `IOPS read 935 write 400`.
static READ_WRITE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "(?:iops|IOPS) *\u{8bfb} *([0-9][0-9.]*[kKM]?) *[,\u{3001}]? *\u{5199} *([0-9][0-9.]*[kKM]?)",
    )
});

/// `the test result is 240MB/s`.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "\u{6d4b}\u{8bd5}\u{7ed3}\u{679c}(?:\u{4e3a}|\u{8fbe}\u{5230}\u{4e86}?) *([0-9][0-9.]* *[KMG]i?B/s)",
    )
});

/// Between two figures of one result stands no more than this, bytes: `,`, ` (196MB/s), `.
const APART_MAX: usize = 24;

/// The quotes of all lines that are in no table with quotes and are no output of fio.
pub fn find(text: &Text, in_tables: &[bool], context: &Context) -> Vec<Quote> {
    let mut quotes = Vec::new();
    for (index, line) in text.lines.iter().enumerate() {
        let may_hold = ["iops", "IOPS", "BW", "bw", "B/s"]
            .iter()
            .any(|word| line.contains(word));
        if !may_hold || in_tables.get(index) == Some(&true) || is_output(index, line) {
            continue;
        }
        let line = plain(line);
        let from = quotes.len();
        in_notation(&line, &mut quotes);
        in_words(&line, &mut quotes);
        for quote in &mut quotes[from..] {
            quote.lines = (index, index);
            if let Some(label) = label_above(text, index).filter(|_| line.trim_end().ends_with('|'))
            {
                quote.facts.insert("model".into(), label);
            }
            quote.name = name(quote, context);
        }
    }
    quotes
}

/// Whether the line is one that fio printed.
fn is_output(index: usize, line: &str) -> bool {
    of_line(index, line).iter().any(|mark| match mark.kind {
        MarkKind::Side => crate::importers::fio_text::is_whole(&mark.text),
        MarkKind::Command | MarkKind::Version => false,
        _ => true,
    })
}

/// A cell that lost its table: the line above it, which ends with a bar too, names it.
fn label_above(text: &Text, index: usize) -> Option<String> {
    let above = text.lines[..index]
        .iter()
        .rev()
        .take(3)
        .find(|line| !line.trim().is_empty())?;
    let label = above.trim().strip_suffix('|')?.trim();
    (figures(label).is_empty() && !label.is_empty()).then(|| label.chars().take(80).collect())
}

/// `IOPS=8104, BW=31.7MiB/s`.
fn in_notation(line: &str, quotes: &mut Vec<Quote>) {
    let all = figures(line);
    let mut group: Vec<Figure> = Vec::new();
    let mut flush = |group: &mut Vec<Figure>| {
        if let (Some(first), Some(last)) = (group.first(), group.last()) {
            let facts = facts_beside(line, first.start, last.end);
            let mut sides = sides(group);
            if let ([only], Some(side)) = (sides.as_mut_slice(), side_before(line, first.start)) {
                only.side = only.side.or(Some(side));
            }
            quotes.push(Quote {
                sides,
                facts,
                ..Quote::default()
            });
        }
        group.clear();
    };
    for figure in all {
        let is_near = group.last().is_some_and(|last| {
            let between = line.get(last.end..figure.start).unwrap_or_default();
            // A second pair of the same direction is another result.
            let repeats = group.iter().any(|other| {
                (figure.quoted.side.is_none() || other.quoted.side == figure.quoted.side)
                    && (other.quoted.iops.is_some() && figure.quoted.iops.is_some()
                        || other.quoted.bytes_per_s.is_some()
                            && figure.quoted.bytes_per_s.is_some())
            });
            between.len() <= APART_MAX && !between.contains('\u{3002}') && !repeats
        });
        if !is_near {
            flush(&mut group);
        }
        group.push(figure);
    }
    flush(&mut group);
}

/// The words with which pages in Chinese tell the same.
fn in_words(line: &str, quotes: &mut Vec<Quote>) {
    let iops = |text: &str| scaled(text).map(|count| count.value);
    let one = |side, iops| Quoted {
        side,
        iops,
        ..Quoted::default()
    };
    for found in IS.captures_iter(line) {
        quotes.push(Quote {
            sides: vec![one(None, iops(&found[1]))],
            ..Quote::default()
        });
    }
    for found in ARE.captures_iter(line) {
        let start = found.get(0).map_or(0, |whole| whole.start());
        let side = match found.get(3).map(|side| side.as_str()) {
            Some("read" | "\u{8bfb}") => Some("read"),
            Some("write" | "\u{5199}") => Some("write"),
            _ => None,
        };
        let (first, second) = (iops(&found[4]), iops(&found[5]));
        match (found.get(1), found.get(2)) {
            (Some(a), Some(b)) => {
                for (option, value) in [(a.as_str(), first), (b.as_str(), second)] {
                    let option = option
                        .split_once('=')
                        .map(|(name, value)| (name.to_string(), value.to_string()));
                    let facts = option.into_iter().collect();
                    quotes.push(Quote {
                        sides: vec![one(side, value)],
                        facts,
                        ..Quote::default()
                    });
                }
            }
            _ if side.is_none() && found.get(3).is_some() => {
                let facts = options_before(line, start);
                let sides = vec![one(Some("read"), first), one(Some("write"), second)];
                quotes.push(Quote {
                    sides,
                    facts,
                    ..Quote::default()
                });
            }
            _ => {}
        }
    }
    for found in RESULT.captures_iter(line) {
        let rate = amount(&found[1], Thousand::Si);
        let quoted = Quoted {
            bytes_per_s: rate.map(|rate| rate.bytes.value),
            ..Quoted::default()
        };
        quotes.push(Quote {
            sides: vec![quoted],
            ..Quote::default()
        });
    }
    for found in READ_WRITE.captures_iter(line) {
        let sides = vec![
            one(Some("read"), iops(&found[1])),
            one(Some("write"), iops(&found[2])),
        ];
        quotes.push(Quote {
            sides,
            ..Quote::default()
        });
    }
}

/// Options in the same sentence.
fn facts_beside(line: &str, start: usize, end: usize) -> CommandFacts {
    let is_end = |c: char| matches!(c, '\u{3002}' | ';' | '!');
    let from = line[..start].rfind(is_end).map_or(0, |at| {
        at + line[at..].chars().next().map_or(1, char::len_utf8)
    });
    let to = line[end..].find(is_end).map_or(line.len(), |at| at + end);
    let mut facts = CommandFacts::new();
    for found in OPTION.captures_iter(&line[from..to]) {
        facts.insert(found[1].to_string(), found[2].to_string());
    }
    if let Some(block) = BLOCK.captures_iter(&line[from..end]).last() {
        facts.insert("bs".into(), block[1].to_ascii_lowercase());
    }
    facts
}

/// The direction that the sentence names before a figure, where it names only one.
fn side_before(line: &str, start: usize) -> Option<&'static str> {
    let before = line[..start].rsplit(['\u{3002}', ';', '!']).next()?;
    match (before.contains('\u{8bfb}'), before.contains('\u{5199}')) {
        (true, false) => Some("read"),
        (false, true) => Some("write"),
        _ => None,
    }
}

/// Options just before the words.
fn options_before(line: &str, start: usize) -> CommandFacts {
    let from = line[..start]
        .rfind(['\u{3002}', '(', ')'])
        .map_or(0, |at| at + 1);
    let from = (from..=start)
        .find(|at| line.is_char_boundary(*at))
        .unwrap_or(start);
    OPTION
        .captures_iter(&line[from..start])
        .map(|found| (found[1].to_string(), found[2].to_string()))
        .collect()
}

/// A name for the list: what is known of it.
fn name(quote: &Quote, context: &Context) -> String {
    let device = quote.facts.get("model").cloned();
    let options = ["rw", "bs", "numjobs", "iodepth", "direct", "buffered"]
        .iter()
        .filter_map(|name| Some(format!("{name}={}", quote.facts.get(*name)?)));
    let rw = context
        .command
        .as_ref()
        .and_then(|(_, facts)| facts.get("rw"));
    let known = rw.filter(|rw| side_of_rw(rw).is_some() && !quote.facts.contains_key("rw"));
    let parts: Vec<String> = device
        .into_iter()
        .chain(options)
        .chain(known.map(|rw| format!("rw={rw}")))
        .collect();
    if parts.is_empty() {
        "quoted".into()
    } else {
        parts.join(" ")
    }
}
