//! What a device-mapper device maps and how it fares: the table and the status that the kernel tells root only.
//!
//! Asked through `/dev/mapper/control`, as dmsetup(8) does; the mapped device itself is not opened. A capture has the
//! answers below the path of that file, in the words of `dmsetup table` and `dmsetup status`:
//!
//! ```text
//! path: /dev/mapper/control/253:0/table
//! lines: 1
//! 0 409600 striped 2 128 8:16 2048 8:32 2048
//! ```
#![allow(unsafe_code, reason = "ioctl has no typed form for these requests")]

use crate::{Error, Host, Result};
use kernel::devno::Devno;
use model::change::Attribute;
use std::fs::File;
use std::os::fd::AsRawFd;

const CONTROL: &str = "/dev/mapper/control";

// Numbers from include/uapi/linux/dm-ioctl.h.
const DM_TABLE_STATUS: libc::Ioctl = 0xC138_FD0C_u32 as libc::Ioctl;
const STATUS_TABLE: u32 = 1 << 4;
const BUFFER_FULL: u32 = 1 << 8;
/// A thin pool's status would otherwise write its metadata first.
const NO_FLUSH: u32 = 1 << 11;
/// A table of dm-crypt can have its key in it: the kernel wipes its copies.
const SECURE_DATA: u32 = 1 << 15;
/// A volume of ten thousand pieces has a table of this size.
const BYTES_MAX: usize = 1 << 20;
const SPEC_BYTES: usize = 40;

/// One piece of a mapped device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Where it begins, in units of 512 bytes.
    pub start_sector: u64,
    /// How long it is, in units of 512 bytes.
    pub sectors: u64,
    /// The target's type: `linear`, `thin-pool`, `crypt`, …
    pub kind: String,
    /// What follows in the table or in the status, word by word. Keys are replaced by `-`.
    pub words: Vec<String>,
}

/// A mapped device: the same targets twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// As they were set up.
    pub table: Vec<Target>,
    /// How they fare.
    pub status: Vec<Target>,
}

/// `struct dm_ioctl`, whose last member is padding.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event: u32,
    padding: u32,
    device: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
}

const HEADER_BYTES: usize = std::mem::size_of::<Header>();

impl Host {
    /// The table and the status of the device-mapper device of this `major:minor`. Live it needs root; a captured
    /// machine answers with what was captured, also with the refusal.
    pub fn mapping(&self, devno: &str) -> Result<Mapping> {
        let table = self.mapping_text(devno, "table", STATUS_TABLE)?;
        let status = self.mapping_text(devno, "status", 0)?;
        Ok(Mapping {
            table: parse(&table),
            status: parse(&status),
        })
    }

    fn mapping_text(&self, devno: &str, what: &str, flags: u32) -> Result<String> {
        let path = format!("{CONTROL}/{devno}/{what}");
        let attribute = match self.is_live() {
            false => self.attribute(&path),
            true => {
                let attribute = match ask(devno, flags) {
                    Ok(text) => Attribute::Value(text),
                    Err(error) => Attribute::Refused(error.raw_os_error().unwrap_or(libc::EIO)),
                };
                self.record(|recorder| recorder.answer(&path, &attribute));
                attribute
            }
        };
        let refused = |errno| {
            Err(Error::io(
                "read",
                &path,
                std::io::Error::from_raw_os_error(errno),
            ))
        };
        match attribute {
            Attribute::Value(text) => Ok(text),
            Attribute::Refused(errno) => refused(errno),
            Attribute::Absent | Attribute::OfAnother => refused(libc::ENOENT),
        }
    }
}

/// One answer of the kernel, as dmsetup would print it, without keys.
fn ask(devno: &str, flags: u32) -> std::io::Result<String> {
    let devno = Devno::parse(devno);
    let device = devno
        .ok_or_else(|| std::io::Error::from_raw_os_error(libc::ENXIO))?
        .encoded();
    let control = File::open(CONTROL)?;
    let mut bytes = 16 << 10;
    loop {
        // Words of eight bytes, so that the header in front is aligned.
        let mut buffer = vec![0u64; bytes / 8];
        let header = Header {
            version: [4, 0, 0],
            data_size: bytes as u32,
            data_start: HEADER_BYTES as u32,
            target_count: 0,
            open_count: 0,
            flags: flags | NO_FLUSH | SECURE_DATA,
            event: 0,
            padding: 0,
            device,
            name: [0; 128],
            uuid: [0; 129],
            data: [0; 7],
        };
        // SAFETY: the buffer is longer than a header and aligned for it; Header is plain data.
        unsafe { buffer.as_mut_ptr().cast::<Header>().write(header) };
        // SAFETY: the request takes a struct dm_ioctl followed by room, `data_size` bytes in all, which is the buffer's
        // length; the kernel writes no further and keeps no pointer.
        let result =
            unsafe { libc::ioctl(control.as_raw_fd(), DM_TABLE_STATUS, buffer.as_mut_ptr()) };
        if result < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: as for the write above; the kernel has filled the header in.
        let header = unsafe { buffer.as_ptr().cast::<Header>().read() };
        if header.flags & BUFFER_FULL != 0 && bytes < BYTES_MAX {
            bytes *= 2;
            continue;
        }
        let raw: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let data = raw.get(header.data_start as usize..).unwrap_or_default();
        let text = print(data, header.target_count);
        return Ok(text);
    }
}

/// The lines of an answer: one `struct dm_target_spec` after the other, each followed by its text.
fn print(data: &[u8], targets: u32) -> String {
    let number = |at: usize, length: usize| {
        let bytes = data.get(at..at + length)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0u64, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    let text = |at: usize, most: usize| {
        let bytes = data.get(at..)?;
        let bytes = &bytes[..bytes.len().min(most)];
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    };
    let (mut lines, mut at) = (Vec::new(), 0);
    for _ in 0..targets {
        let one = number(at, 8)
            .zip(number(at + 8, 8))
            .zip(text(at + 24, 16))
            .zip(text(at + SPEC_BYTES, usize::MAX));
        let Some((((start, length), kind), words)) = one else {
            break;
        };
        lines.push(without_keys(&format!("{start} {length} {kind} {words}")));
        match number(at + 20, 4) {
            // From the first one's beginning, and always further on.
            Some(next) if next as usize > at => at = next as usize,
            _ => break,
        }
    }
    lines.join("\n")
}

/// A line of a table with `-` where a key could stand: the second word of dm-crypt, and what follows an algorithm of
/// dm-integrity.
fn without_keys(line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    match words.get(2).map(String::as_str) {
        // Only the table has a cipher and a key; the status of crypt is empty.
        Some("crypt") if words.len() > 4 => words[4] = "-".into(),
        Some("integrity") => words.iter_mut().skip(3).for_each(|word| {
            if let [option, algorithm, _, ..] = word.splitn(3, ':').collect::<Vec<_>>()[..] {
                *word = format!("{option}:{algorithm}:-");
            }
        }),
        _ => {}
    }
    words.join(" ")
}

fn parse(text: &str) -> Vec<Target> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Target> {
    let line = without_keys(line);
    let mut words = line.split_whitespace();
    Some(Target {
        start_sector: words.next()?.parse().ok()?,
        sectors: words.next()?.parse().ok()?,
        kind: words.next()?.to_string(),
        words: words.map(str::to_string).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    fn spec(start: u64, length: u64, next: u32, kind: &str, text: &str) -> Vec<u8> {
        let mut bytes = [start.to_le_bytes(), length.to_le_bytes()].concat();
        bytes.extend(0u32.to_le_bytes());
        bytes.extend(next.to_le_bytes());
        let mut name = kind.as_bytes().to_vec();
        name.resize(16, 0);
        bytes.extend(name);
        bytes.extend(text.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    #[test]
    fn an_answer_becomes_the_lines_of_dmsetup() {
        assert_eq!(HEADER_BYTES, 312);
        let mut data = spec(0, 8, 56, "linear", "8:16 2048");
        data.extend(spec(8, 16, 120, "striped", "2 128 8:16 0 8:32 0"));
        assert_eq!(
            print(&data, 2),
            "0 8 linear 8:16 2048\n8 16 striped 2 128 8:16 0 8:32 0"
        );
        for length in 0..data.len() {
            assert!(print(&data[..length], 2).lines().count() <= 2);
        }
        let loops = spec(0, 8, 0, "linear", "8:16 2048");
        assert_eq!(print(&loops, 1000).lines().count(), 1);
    }

    #[test]
    fn keys_stay_where_they_are() {
        let crypt = "0 8 crypt aes-xts-plain64 00ff00ff 0 8:16 32768 1 allow_discards";
        assert_eq!(
            without_keys(crypt),
            "0 8 crypt aes-xts-plain64 - 0 8:16 32768 1 allow_discards"
        );
        let integrity =
            "0 8 integrity 8:16 0 32 J 2 internal_hash:hmac(sha256):00ff block_size:512";
        let cut = "0 8 integrity 8:16 0 32 J 2 internal_hash:hmac(sha256):- block_size:512";
        assert_eq!(without_keys(integrity), cut);
    }

    #[test]
    fn a_captured_answer_and_a_captured_refusal() {
        let text = "iodyno-host 1\n\
            path: /dev/mapper/control/253:0/table\nlines: 1\n0 8 crypt aes 0011 0 8:16 0\n\
            path: /dev/mapper/control/253:0/status\nlines: 1\n0 8 crypt \n\
            path: /dev/mapper/control/253:1/table\nerrno: 13\n";
        let host = Host::from_archive(Archive::parse(text).unwrap());
        let mapping = host.mapping("253:0").unwrap();
        assert_eq!(
            (
                mapping.table[0].kind.as_str(),
                mapping.table[0].words[1].as_str()
            ),
            ("crypt", "-")
        );
        assert_eq!(mapping.status[0].words.len(), 0);
        assert!(host.mapping("253:1").unwrap_err().is_permission());
        assert_eq!(
            host.mapping("253:2").unwrap_err().errno(),
            Some(libc::ENOENT)
        );
    }
}
