//! The text of a journal: one entry a line, each with its length and a checksum over it and everything before it.
//!
//! ```text
//! 0000007c 3f21b09a5c77e1d0 {"entry":"begin","version":2,…}
//! ```
//!
//! A process that dies while it appends leaves a line without its end; no write followed it, for every write waits for
//! its line to be on the disk. Only in a later boot, where the kernel's settings are gone, is that believed: somebody may have cut the
//! file, and with it what says that something was written. Anything else that does not fit is damage, too: the journal is kept, and
//! what its whole lines say is told.

use model::change::{
    Attribute, DeviceIdentity, Saved, SavedFile, SavedGroup, SavedLoop, SavedObjects, SavedTree,
};
use model::kube::SavedKube;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The form of journal that this version writes and reads.
pub(crate) const VERSION: u32 = 2;

/// A line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub(crate) enum JournalEntry {
    /// The first line.
    Begin(Begin),
    /// Old values, saved before the first write.
    Saved { saved: Vec<Saved> },
    /// A file as it was, before it was written.
    SavedFile { file: SavedFile },
    /// A directory that is about to be made.
    Tree { tree: SavedTree },
    /// A control group that is about to be made.
    Group { group: SavedGroup },
    /// A loop device that is about to be made; again once more of it is known, and the last one counts.
    Loop { made: SavedLoop },
    /// Objects in a pool that are about to be made.
    Objects { objects: SavedObjects },
    /// An object in a Kubernetes cluster that is about to be made; again once its uid is known, and the last one counts.
    Kube { made: SavedKube },
    /// The new values stay on purpose: each attribute with what it shows.
    Keep { shown: Vec<(String, Attribute)> },
    /// Everything was read back as it was; the file is about to go.
    Done,
}

/// Who made a journal, when and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// Form of the journal.
    pub version: u32,
    /// Process that writes it.
    pub pid: u32,
    /// Boot in which it was written: kernel settings do not survive the next one.
    pub boot_id: String,
    /// The command, for people.
    pub purpose: String,
    /// When it began, ms since 1970.
    pub unix_ms: u64,
    /// Its place in the stack of changes to its device: one more than any that stood when it was made.
    pub level: u64,
    /// The device whose settings it holds; none for a journal of files of a load.
    pub device: Option<DeviceIdentity>,
    /// Whether it may hold settings of the whole machine too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine: bool,
}

/// A line that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Its number, from 1.
    pub line: usize,
    /// What it reads.
    pub text: String,
}

/// What a journal's text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Read {
    /// The whole lines, in order.
    pub entries: Vec<JournalEntry>,
    /// The first line that is damaged.
    pub damage: Option<Damage>,
    /// Whole lines.
    pub lines: usize,
    /// Bytes up to the end of the last whole line: what follows is torn.
    pub whole_bytes: u64,
    /// Checksum of the last whole line, which the next one builds on.
    pub sum: u64,
}

/// Characters before an entry: eight of its length, sixteen of its checksum, and a space behind each.
const HEAD: usize = 26;

/// The line of an entry behind one with this checksum, and its own checksum.
pub(crate) fn line(entry: &JournalEntry, before: u64) -> Result<(String, u64), serde_json::Error> {
    let json = serde_json::to_string(entry)?;
    let sum = checksum(before, json.as_bytes());
    Ok((format!("{:08x} {sum:016x} {json}\n", json.len()), sum))
}

pub(crate) fn checksum(before: u64, json: &[u8]) -> u64 {
    let mut digest = Sha256::new();
    digest.update(before.to_be_bytes());
    digest.update(json);
    let digest = digest.finalize();
    digest
        .iter()
        .take(8)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Reads a journal's bytes. Whatever they are, nothing is lost: what is not whole is damage, but for an end that was
/// never written.
pub(crate) fn read(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    // What the line before may have had for a checksum: of a damaged one what it states and what its text gives.
    let mut before = vec![0];
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match parse(line, &before) {
            Parsed::Whole { entry, sum } => {
                read.entries.push(entry);
                read.lines += 1;
                read.sum = sum;
                read.whole_bytes += line.len() as u64;
                before = vec![sum];
            }
            Parsed::Torn => return read,
            Parsed::Damaged(entry) => {
                read.entries.extend(entry);
                let own = stated_length(line).and_then(|length| line.get(HEAD..)?.get(..length));
                let given = own.map(|json| checksum(before[0], json));
                before = stated_sum(line)
                    .into_iter()
                    .chain(given)
                    .chain(before)
                    .take(4)
                    .collect();
                let text = String::from_utf8_lossy(line).trim_end().to_string();
                read.damage.get_or_insert(Damage {
                    line: index + 1,
                    text,
                });
            }
        }
    }
    read
}

enum Parsed {
    Whole {
        entry: JournalEntry,
        sum: u64,
    },
    /// It ends before its end: it was being written.
    Torn,
    /// It is not what was written; the entry where that alone is whole.
    Damaged(Option<JournalEntry>),
}

fn parse(line: &[u8], before: &[u64]) -> Parsed {
    let has_end = line.last() == Some(&b'\n');
    let Some(length) = stated_length(line) else {
        return match !has_end && line.len() < HEAD && is_head(line) {
            true => Parsed::Torn,
            false => Parsed::Damaged(None),
        };
    };
    let body = &line[HEAD..];
    if !has_end && body.len() < length {
        return Parsed::Torn;
    }
    let (Some(json), Some(sum)) = (body.get(..length), stated_sum(line)) else {
        return Parsed::Damaged(None);
    };
    let is_whole = before.iter().any(|before| checksum(*before, json) == sum);
    let entry = model::json::read_bytes(json).ok().filter(|_| is_whole);
    match (entry, &body[length..]) {
        // Without its newline it is whole all the same: death came between two bytes of one write.
        (Some(entry), b"\n" | b"") => Parsed::Whole { entry, sum },
        (entry, _) => Parsed::Damaged(entry),
    }
}

/// Whether bytes can be the beginning of a line.
fn is_head(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 25 => *byte == b' ',
        _ => byte.is_ascii_hexdigit(),
    })
}

fn stated_length(line: &[u8]) -> Option<usize> {
    let head = line.get(..HEAD).filter(|head| is_head(head))?;
    usize::from_str_radix(std::str::from_utf8(&head[..8]).ok()?, 16).ok()
}

fn stated_sum(line: &[u8]) -> Option<u64> {
    let head = line.get(..HEAD).filter(|head| is_head(head))?;
    u64::from_str_radix(std::str::from_utf8(&head[9..25]).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> (Vec<u8>, Vec<JournalEntry>) {
        let saved = |path: &str| Saved {
            path: format!("/sys/block/loop0/queue/{path}"),
            old: Attribute::Value("none [mq-deadline] bfq".into()),
            order: 10,
            mark: None,
        };
        let entries = vec![
            JournalEntry::Begin(Begin {
                version: VERSION,
                pid: 7,
                purpose: "tune loop0".into(),
                ..Begin::default()
            }),
            JournalEntry::Saved {
                saved: vec![saved("scheduler"), saved("nr_requests")],
            },
            JournalEntry::Keep {
                shown: vec![("/sys/block/loop0/queue/scheduler".into(), Attribute::Absent)],
            },
        ];
        let (mut text, mut sum) = (String::new(), 0);
        for entry in &entries {
            let (line, own) = line(entry, sum).unwrap();
            (text, sum) = (text + &line, own);
        }
        (text.into_bytes(), entries)
    }

    #[test]
    fn what_is_written_is_read() {
        let (bytes, entries) = journal();
        let read = read(&bytes);
        assert_eq!(
            (read.entries, read.damage, read.whole_bytes),
            (entries, None, bytes.len() as u64)
        );
    }

    #[test]
    fn an_end_that_was_never_written_is_no_damage_wherever_it_breaks_off() {
        let (bytes, entries) = journal();
        for cut in 0..bytes.len() {
            let read = read(&bytes[..cut]);
            assert_eq!(read.damage, None, "cut at {cut}");
            assert_eq!(read.entries[..], entries[..read.entries.len()]);
            assert!(read.whole_bytes <= cut as u64);
        }
    }

    #[test]
    fn every_flipped_bit_is_seen_and_takes_one_line_at_the_most() {
        let (bytes, entries) = journal();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let read = read(&flipped);
            // Hexadecimal digits have two cases: that bit says the same.
            if read.entries == entries && read.damage.is_none() {
                assert!(flipped.eq_ignore_ascii_case(&bytes), "bit {bit}");
                continue;
            }
            assert!(read.damage.is_some(), "bit {bit}");
            assert!(
                read.entries.len() + 2 >= entries.len(),
                "bit {bit}: {:?}",
                read.entries
            );
        }
    }

    #[test]
    fn lines_that_are_missing_doubled_or_foreign_are_damage() {
        let (bytes, _) = journal();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let damaged = |lines: &[&[u8]]| read(&lines.concat()).damage.map(|damage| damage.line);
        assert_eq!(damaged(&[lines[0], lines[2]]), Some(2));
        assert_eq!(damaged(&[lines[1], lines[2]]), Some(1));
        assert_eq!(damaged(&[lines[0], lines[0], lines[1]]), Some(2));
        assert_eq!(damaged(&[lines[0], b"\n"]), Some(2));
        assert_eq!(damaged(&[b"a text file\n"]), Some(1));
        assert_eq!(
            damaged(&[&[0; 4096]]),
            Some(1),
            "what a power cut makes of a file that was not synced"
        );
        assert_eq!(damaged(&[lines[0], &[0; 10]]), Some(2));
    }
}
