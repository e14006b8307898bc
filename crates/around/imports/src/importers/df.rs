//! # df -i
//!
//! How many inodes file systems have and have left, as facts.
//!
//! ## What it reads
//! The table of `df -i` of coreutils and BusyBox in any language. One result for all of it; a fact is `/srv.inodes`,
//! `/srv.inodes_used`, `/srv.inodes_free` or `/srv.filesystem`, after the place where the file system is mounted. A name
//! that stands on a line of its own, because it is long, belongs to the figures below it.
//!
//! ## What is lost
//! With `-h` counts are rounded (`3.7M`) and kept as they are printed. A file system without a fixed number of inodes (btrfs)
//! prints 0, which is no lack of them. Tables of `df` without `-i` are about space and are not read.
//!
//! ## Example
//! `df -i >df.txt; iodyno import df.txt`

use crate::pieces::Pieces;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text};
use model::imported::Imported;
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "df",
    since: "0.1",
    reads: "df -i",
    how: How::Text(find),
};

/// So many file systems are kept; more is another program's table.
const ROWS_MAX: usize = 10_000;

fn find(text: &Text, pieces: &mut Pieces) {
    let mut index = 0;
    while index < text.lines.len() {
        match is_head(clean(text.lines[index])) {
            true => {
                let (piece, end) = table(text, index);
                pieces.extend(piece);
                index = end;
            }
            false => index += 1,
        }
    }
}

/// `Filesystem Inodes IUsed IFree IUse% Mounted on`; the words of the second and of the fifth column are known in all languages.
fn is_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_inodes = |word: &&str| {
        let word = word.to_lowercase();
        word.starts_with("inode") || word.starts_with("i-node")
    };
    (6..=12).contains(&words.len())
        && words[1..].iter().take(2).any(is_inodes)
        && words.iter().any(|word| word.ends_with('%'))
        && !words.iter().any(|word| word.starts_with('/'))
}

/// A row's figures and the place of its file system.
struct DfRow<'a> {
    inodes: &'a str,
    used: &'a str,
    free: &'a str,
    mount: String,
}

impl<'a> DfRow<'a> {
    fn read(words: &[&'a str]) -> Option<DfRow<'a>> {
        let [inodes, used, free, share, ..] = *words else {
            return None;
        };
        let mount = &words[4..];
        let is_count =
            |word: &'a str| word == "-" || word.starts_with(|c: char| c.is_ascii_digit());
        let is_row = [inodes, used, free].into_iter().all(is_count)
            && (share == "-" || share.ends_with('%'))
            && mount.first().is_some_and(|mount| mount.starts_with('/'));
        is_row.then(|| DfRow {
            inodes,
            used,
            free,
            mount: mount.join(" "),
        })
    }
}

/// The result below a head, and the line after it.
fn table(text: &Text, head: usize) -> (Option<Piece>, usize) {
    let mut facts = BTreeMap::new();
    let mut long_name: Option<&str> = None;
    let mut end = head + 1;
    for (index, line) in text.lines.iter().enumerate().skip(head + 1).take(ROWS_MAX) {
        let words: Vec<&str> = clean(line).split_whitespace().collect();
        let of_name = long_name
            .take()
            .and_then(|name| Some((name, DfRow::read(&words)?)));
        let row = of_name.or_else(|| Some((*words.first()?, DfRow::read(&words[1..])?)));
        match (row, &words[..]) {
            (Some((name, row)), _) => {
                take(&mut facts, name, row);
                end = index + 1;
            }
            (None, [name]) => long_name = Some(*name),
            _ => break,
        }
    }
    let above = commands::above(text, head, "df");
    let mut piece = Piece::new(head..end, imported(facts));
    if let Some((words, at)) = above {
        piece
            .imported
            .facts
            .insert("command".into(), words.join(" "));
        piece.lines.insert(0, at..at + 1);
    }
    ((end > head + 1).then_some(piece), end)
}

fn take(facts: &mut BTreeMap<String, String>, name: &str, row: DfRow) {
    let told = [
        ("filesystem", name),
        ("inodes", row.inodes),
        ("inodes_used", row.used),
        ("inodes_free", row.free),
    ];
    let told = told.into_iter().filter(|(_, value)| *value != "-");
    facts.extend(told.map(|(what, value)| (format!("{}.{what}", row.mount), value.to_string())));
}

fn imported(facts: BTreeMap<String, String>) -> Imported {
    Imported {
        tool: "df".into(),
        name: "df -i".into(),
        facts,
        ..Imported::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;
    use crate::printed::fixtures::only;

    #[test]
    fn file_systems_with_their_inodes() {
        let found = only("df/9.1-i.txt");
        let fact = |name: &str| found.facts.get(name).map(String::as_str);
        assert_eq!(
            [
                fact("/.inodes"),
                fact("/.inodes_used"),
                fact("/.filesystem")
            ],
            [Some("3276800"), Some("181216"), Some("/dev/vda1")]
        );
        assert_eq!(fact("/media/my disk.inodes_free"), Some("3842037"));
        assert_eq!(fact("/boot/efi.inodes"), Some("0"));
        assert_eq!(fact("command"), Some("df -i"));
        let chinese = only("df/8.32-zh.txt");
        assert_eq!(
            (
                chinese.facts["/data.inodes"].as_str(),
                chinese.facts["/data.filesystem"].as_str()
            ),
            ("7847936", "/dev/mapper/centos-a_rather_long_name")
        );
    }

    #[test]
    fn a_table_of_space_is_none_and_a_cut_one_keeps_its_rows() {
        let space =
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda 480 73 435 1% /srv\n";
        assert!(found(find, &Text::new(space)).is_empty());
        let cut = "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda 10 4 6 40% /srv\n/dev/sdb 10 4\n";
        let pieces = found(find, &Text::new(cut));
        assert_eq!((pieces.len(), pieces[0].lines.last()), (1, Some(&(0..2))));
    }
}
