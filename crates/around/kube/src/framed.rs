//! A document in the log of a pod. A log may be cut at its beginning (the kubelet keeps some MiB), at its end (the connection),
//! or have others' lines in it, so a document is packed, cut into numbered lines with the run id in front, and has its length
//! and its checksum at both ends.
//!
//! ```text
//! iodyno-document 4f1c22 head 3 8120 9f86d081…
//! iodyno-document 4f1c22 0 H4sIAAAAAAAA…
//! iodyno-document 4f1c22 tail 3 8120 9f86d081…
//! ```

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// What each line of a document begins with.
const MARK: &str = "iodyno-document";
/// Bytes of a line before they are written as text: runtimes cut lines at 16 KiB.
const LINE_BYTES: usize = 6_000;
/// The longest document that is taken, bytes unpacked.
pub const DOCUMENT_MAX_BYTES: u64 = 32 << 20;
/// The most lines that a document has: those of as many packed bytes.
const LINES_MAX: usize = DOCUMENT_MAX_BYTES as usize / LINE_BYTES;

/// Why a log gives no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// None is in it.
    #[error("it has no result in it")]
    Absent,
    /// Lines are missing.
    #[error("its result is cut: {missing} of {of} lines are missing")]
    Cut {
        /// Lines that are missing.
        missing: usize,
        /// Lines that there were.
        of: usize,
    },
    /// It ends before the result does, and so does what says how long that is.
    #[error("its result is cut: both ends of it are missing")]
    Endless,
    /// The lines are not those that were written.
    #[error("its result is damaged: {0}")]
    Damaged(&'static str),
}

/// The lines of a document.
pub fn frame(run: &str, document: &[u8]) -> Vec<String> {
    let packed = packed(document);
    let chunks: Vec<&[u8]> = packed.chunks(LINE_BYTES).collect();
    let sum = checksum(&packed);
    let end = |which: &str| {
        format!(
            "{MARK} {run} {which} {} {} {sum}",
            chunks.len(),
            packed.len()
        )
    };
    let line = |(index, chunk): (usize, &&[u8])| {
        format!("{MARK} {run} {index} {}", STANDARD.encode(chunk))
    };
    let lines = chunks.iter().enumerate().map(line);
    std::iter::once(end("head"))
        .chain(lines)
        .chain([end("tail")])
        .collect()
}

/// Whether a log is at the end of a document of this run.
pub fn is_at_end(run: &str, log: &str) -> bool {
    let tail = format!("{MARK} {run} tail ");
    log.lines().any(|line| line.starts_with(&tail))
}

/// What is in a log besides documents: the last lines of it.
pub fn other_lines(log: &str, most: usize) -> Vec<&str> {
    let others = log
        .lines()
        .filter(|line| !line.starts_with(MARK) && !line.trim().is_empty());
    let others: Vec<&str> = others.collect();
    others[others.len().saturating_sub(most)..].to_vec()
}

/// The document of a run in a log.
///
/// # Errors
/// Where there is none, or not all of it.
pub fn unframe(run: &str, log: &str) -> Result<Vec<u8>, FrameError> {
    let front = format!("{MARK} {run} ");
    let mut lines: BTreeMap<usize, &str> = BTreeMap::new();
    let mut ends: Option<Ends> = None;
    for line in log.lines().filter_map(|line| line.strip_prefix(&front)) {
        let line = line.trim_end();
        match line.split_once(' ') {
            Some(("head" | "tail", rest)) => ends = Ends::read(rest).or(ends),
            Some((number, text)) => {
                if let Ok(number) = number.parse()
                    && number < LINES_MAX
                {
                    lines.insert(number, text);
                }
            }
            None => {}
        }
    }
    let Some(ends) = ends else {
        return Err(match lines.is_empty() {
            true => FrameError::Absent,
            false => FrameError::Endless,
        });
    };
    let present = (0..ends.lines).filter(|number| lines.contains_key(number));
    let missing = ends.lines - present.count();
    if missing > 0 {
        return Err(FrameError::Cut {
            missing,
            of: ends.lines,
        });
    }
    let mut packed = Vec::new();
    for text in lines.range(..ends.lines).map(|(_, text)| text) {
        let bytes = STANDARD.decode(text);
        packed.extend(bytes.map_err(|_| FrameError::Damaged("a line of it is not whole"))?);
    }
    if packed.len() != ends.bytes {
        return Err(FrameError::Damaged("it has another length"));
    }
    if checksum(&packed) != ends.sum {
        return Err(FrameError::Damaged("its checksum differs"));
    }
    unpacked(&packed)
}

/// What a head or a tail says.
struct Ends {
    lines: usize,
    bytes: usize,
    sum: String,
}

impl Ends {
    fn read(text: &str) -> Option<Ends> {
        let mut words = text.split(' ');
        let (lines, bytes, sum) = (words.next()?, words.next()?, words.next()?);
        let lines = lines.parse().ok().filter(|lines| *lines < LINES_MAX)?;
        Some(Ends {
            lines,
            bytes: bytes.parse().ok()?,
            sum: sum.to_string(),
        })
    }
}

fn checksum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn packed(document: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // A vector takes whatever it is given.
    let _ = encoder.write_all(document);
    encoder.finish().unwrap_or_default()
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, FrameError> {
    let mut document = Vec::new();
    let mut decoder = ZlibDecoder::new(packed).take(DOCUMENT_MAX_BYTES + 1);
    let read = decoder.read_to_end(&mut document);
    match read {
        Ok(read) if read as u64 > DOCUMENT_MAX_BYTES => {
            Err(FrameError::Damaged("it is longer than is taken"))
        }
        Ok(_) => Ok(document),
        Err(_) => Err(FrameError::Damaged("it cannot be unpacked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes that do not pack, so that there are several lines.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let byte = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        (0..length).map(byte).collect()
    }

    #[test]
    fn a_document_comes_through_a_log_with_others_in_it() {
        let document = noise(40_000);
        let lines = frame("4f1c", &document);
        assert!(lines.len() > 5 && lines.iter().all(|line| line.len() < 16_000));
        let mixed: Vec<String> = lines
            .iter()
            .flat_map(|line| ["words for people".to_string(), line.clone()])
            .collect();
        let other = frame("other", b"not this");
        let log = [other.join("\n"), mixed.join("\n")].join("\n");
        assert_eq!(unframe("4f1c", &log), Ok(document));
        assert!(is_at_end("4f1c", &log) && !is_at_end("4f1d", &log));
        assert_eq!(
            other_lines(&log, 2),
            ["words for people", "words for people"]
        );
    }

    #[test]
    fn what_is_cut_is_told() {
        let lines = frame("4f1c", &noise(40_000));
        let of = lines.len() - 2;
        let without = |range: std::ops::Range<usize>| {
            let kept = lines
                .iter()
                .enumerate()
                .filter(|(at, _)| !range.contains(at));
            let kept: Vec<&str> = kept.map(|(_, line)| line.as_str()).collect();
            unframe("4f1c", &kept.join("\n"))
        };
        assert_eq!(without(2..4), Err(FrameError::Cut { missing: 2, of }));
        assert_eq!(without(0..2), Err(FrameError::Cut { missing: 1, of }));
        assert!(without(0..1).is_ok(), "its other end says the same");
        assert_eq!(without(0..lines.len()), Err(FrameError::Absent));
        let inner = lines[1..lines.len() - 1].join("\n");
        assert_eq!(unframe("4f1c", &inner), Err(FrameError::Endless));
    }

    #[test]
    fn what_is_changed_is_told() {
        let lines = frame("4f1c", &noise(9_000));
        let mut changed = lines.clone();
        let at = changed[1].len() - 6;
        let was = changed[1].remove(at);
        changed[1].insert(at, if was == 'A' { 'B' } else { 'A' });
        assert!(matches!(
            unframe("4f1c", &changed.join("\n")),
            Err(FrameError::Damaged(_))
        ));
        let mut cut = lines.clone();
        cut[1].truncate(40);
        assert!(matches!(
            unframe("4f1c", &cut.join("\n")),
            Err(FrameError::Damaged(_))
        ));
    }

    proptest! {
        #[test]
        fn any_text_is_a_document_or_an_error(text in "(iodyno-document r (head|tail|[0-9]{1,3}) [ -~]{0,30}\n|\\PC{0,20}\n){0,8}") {
            let _ = unframe("r", &text);
        }

        #[test]
        fn every_document_comes_back(document in prop::collection::vec(any::<u8>(), 0..9000)) {
            prop_assert_eq!(unframe("r", &frame("r", &document).join("\n")), Ok(document));
        }
    }
}
