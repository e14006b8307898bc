//! What a disk says about itself that is of use; of what tells it from its brothers no more than a digest is kept.

use crate::{Host, trim_text};
use model::change::Attribute;
use sha2::{Digest, Sha256};

/// Words of ATA's IDENTIFY DEVICE that name the very device: serial number, World Wide Name, the medium's serial number
/// (ACS-3, 7.12.7).
const IDENTIFYING: [std::ops::Range<usize>; 3] = [10..20, 108..112, 176..206];
const WORDS: usize = 256;

/// What is kept of a serial number: 12 digits, the same for the same disk wherever it is put, and no serial number.
pub fn serial_digest(serial: &str) -> String {
    let digest = Sha256::digest(serial.trim().as_bytes());
    digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Host {
    /// The digest of the serial number that a disk's directory in /sys has, where it has one: NVMe, MMC, virtio, and SCSI
    /// in its page 80h (SPC-4, 7.8.17). A capture has none of it.
    pub fn disk_serial_digest(&self, directory: &str) -> Option<String> {
        let read = |file: &str| {
            let path = format!("{directory}/{file}");
            if self.is_live() {
                std::fs::read(path).ok()
            } else {
                self.text(&path).map(String::into_bytes)
            }
        };
        let page = || read("device/vpd_pg80").and_then(|page| Some(page.get(4..)?.to_vec()));
        let found = read("device/serial")
            .or_else(|| read("serial"))
            .or_else(page)?;
        let serial = String::from_utf8_lossy(&found).replace('\0', "");
        (!serial.trim().is_empty()).then(|| serial_digest(&serial))
    }

    /// The identification of an ATA device, 256 words, from the `id` attribute that the kernel keeps of it (the disk is
    /// not asked). Words that identify it are zero, also in a capture.
    pub fn ata_identity(&self, path: &str) -> Option<Vec<u16>> {
        let text = match self.is_live() {
            true => trim_text(&std::fs::read(path).ok()?),
            false => self.text(path)?,
        };
        let mut words: Vec<u16> = text
            .split_whitespace()
            .map_while(|word| u16::from_str_radix(word, 16).ok())
            .collect();
        if words.len() != WORDS {
            return None;
        }
        IDENTIFYING
            .into_iter()
            .flatten()
            .for_each(|word| words[word] = 0);
        let line = |words: &[u16]| {
            words
                .iter()
                .map(|word| format!("{word:04x}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let masked = words.chunks(8).map(line).collect::<Vec<_>>().join("\n");
        self.record(|recorder| recorder.attribute(path, &Attribute::Value(masked)));
        Some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    #[test]
    fn a_serial_number_is_kept_as_a_digest() {
        let host = |file: &str, serial: &str| {
            let text =
                format!("iodyno-host 1\npath: /sys/class/block/sda/{file}\nlines: 1\n{serial}\n");
            Host::from_archive(Archive::parse(&text).unwrap())
                .disk_serial_digest("/sys/class/block/sda")
        };
        // `printf S4EWNX0R | sha256sum`
        assert_eq!(
            host("device/serial", "S4EWNX0R  ").as_deref(),
            Some("09c0c5978b64")
        );
        assert_eq!(
            host("serial", "S4EWNX0R"),
            host("device/serial", " S4EWNX0R ")
        );
        assert_ne!(host("serial", "S4EWNX0R"), host("serial", "S4EWNX0S"));
        assert_eq!(host("serial", "  "), None);
        assert_eq!(host("size", "1"), None);
    }

    #[test]
    fn the_serial_number_is_not_in_it() {
        let words: Vec<String> = (0..WORDS).map(|word| format!("{word:04x}")).collect();
        let text = format!("iodyno-host 1\npath: /id\nlines: 1\n{}\n", words.join(" "));
        let host = Host::from_archive(Archive::parse(&text).unwrap());
        let identity = host.ata_identity("/id").unwrap();
        assert_eq!(
            (identity[9], identity[10], identity[19], identity[20]),
            (9, 0, 0, 20)
        );
        assert_eq!((identity[76], identity[108]), (76, 0));
        let short = Host::from_archive(
            Archive::parse("iodyno-host 1\npath: /id\nlines: 1\n0001 0002\n").unwrap(),
        );
        assert_eq!(short.ata_identity("/id"), None);
    }
}
