//! What a disk says about itself that is of use, without what tells one disk from its brothers.

use crate::{Host, trim_text};
use model::change::Attribute;

/// Words of ATA's IDENTIFY DEVICE that name the very device: serial number, World Wide Name, the medium's serial number
/// (ACS-3, 7.12.7).
const IDENTIFYING: [std::ops::Range<usize>; 3] = [10..20, 108..112, 176..206];
const WORDS: usize = 256;

impl Host {
    /// The identification of an ATA device, 256 words, from the `id` attribute that the kernel keeps of it (the disk is
    /// not asked). Words that identify it are zero, also in a capture.
    pub fn ata_identity(&self, path: &str) -> Option<Vec<u16>> {
        let text = match self.is_live() {
            true => trim_text(&std::fs::read(path).ok()?),
            false => self.text(path)?,
        };
        let mut words: Vec<u16> =
            text.split_whitespace().map_while(|word| u16::from_str_radix(word, 16).ok()).collect();
        if words.len() != WORDS {
            return None;
        }
        IDENTIFYING.into_iter().flatten().for_each(|word| words[word] = 0);
        let line =
            |words: &[u16]| words.iter().map(|word| format!("{word:04x}")).collect::<Vec<_>>().join(" ");
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
    fn the_serial_number_is_not_in_it() {
        let words: Vec<String> = (0..WORDS).map(|word| format!("{word:04x}")).collect();
        let text = format!("iodyno-host 1\npath: /id\nlines: 1\n{}\n", words.join(" "));
        let host = Host::from_archive(Archive::parse(&text).unwrap());
        let identity = host.ata_identity("/id").unwrap();
        assert_eq!((identity[9], identity[10], identity[19], identity[20]), (9, 0, 0, 20));
        assert_eq!((identity[76], identity[108]), (76, 0));
        let short =
            Host::from_archive(Archive::parse("iodyno-host 1\npath: /id\nlines: 1\n0001 0002\n").unwrap());
        assert_eq!(short.ata_identity("/id"), None);
    }
}
