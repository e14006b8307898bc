//! # dd
//!
//! The last line that GNU dd and BusyBox's print, in any language: bytes, seconds, rate.
//!
//! ## What it reads
//! `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.03 s, 529 MB/s`, with a decimal comma too, and with the words of another
//! language in their places: the numbers and `s` stand where they stand in English. The rate is bytes by seconds, not the
//! rounded one that dd prints.
//!
//! ## What is lost
//! dd does not say whether the disk was read or written, nor the block size: both are on the command line. A copy into the
//! page cache ends before the data is on the disk; `conv=fdatasync` or `oflag=direct` on the command line tell.
//!
//! ## Example
//! `dd if=/dev/zero of=/srv/t bs=1M count=1024 oflag=direct 2>dd.txt; iodyno import dd.txt`

use crate::{How, Importer, Piece, Text};
use model::imported::{Imported, LoadFigures, SideFigures};

/// Where it is described.
pub static IMPORTER: Importer =
    Importer { id: "dd", since: "0.1", reads: "the last line of dd", how: How::Text(find) };

fn find(text: &Text) -> Vec<Piece> {
    let pieces = text.lines.iter().enumerate().filter_map(|(index, line)| {
        let (bytes, seconds) = numbers(line)?;
        Some(Piece::new(index..index + 1, imported(bytes, seconds)))
    });
    pieces.collect()
}

/// Bytes and seconds: the number at the start, and the one before the unit `s`, which a rate follows.
fn numbers(line: &str) -> Option<(f64, f64)> {
    let line = line.trim();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let bytes: f64 = line[..digits].parse().ok()?;
    let unit = [" s,", " seconds,", " s\u{ff0c}"].into_iter().find_map(|unit| line.split_once(unit));
    let (before, rate) = unit?;
    let seconds = before.rsplit([' ', '\u{ff0c}']).next()?.replace(',', ".").parse().ok()?;
    rate.trim_end().ends_with("B/s").then_some((bytes, seconds))
}

fn imported(bytes: f64, seconds: f64) -> Imported {
    let side = SideFigures {
        bytes: Some(bytes),
        bytes_per_s: (seconds > 0.0).then(|| bytes / seconds),
        ..SideFigures::default()
    };
    let load = LoadFigures { elapsed_ms: Some(seconds * 1e3), mixed: Some(side), ..LoadFigures::default() };
    Imported {
        tool: "dd".into(),
        name: "dd".into(),
        lossy: vec!["dd does not say whether it read or wrote the disk, nor the block size".into()],
        load: Some(load),
        ..Imported::default()
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn the_last_line_is_read_in_any_language() {
        for line in [
            "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.03 s, 529 MB/s",
            "1073741824 bytes transferred in 2.03 s, 529 MB/s",
            "1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 2,03 s, 529 MB/s",
            "1073741824 octets (1,1 GB, 1,0 GiB) copi\u{e9}s, 2,03 s, 529 MB/s",
            "1073741824\u{5b57}\u{8282}\u{ff08}1.1 GB\u{ff0c}1.0 GiB\u{ff09}\u{5df2}\u{590d}\u{5236}\u{ff0c}2.03 s\u{ff0c}529 MB/s",
            "1073741824 bytes (1.0GB) copied, 2.03 seconds, 504.4MB/s",
        ] {
            assert_eq!(numbers(line), Some((1_073_741_824.0, 2.03)), "{line}");
        }
        assert_eq!(numbers("1024+0 records in"), None);
        assert_eq!(numbers("12 s, at most"), None);
    }
}
