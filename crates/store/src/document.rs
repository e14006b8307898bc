//! A document as it lies in the store: JSON behind zstd, told apart by a hash of the JSON.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Level 3 packs documents to about a fifth; level 9 takes a sixth off that for eight times the time (bench/RESULTS.md).
const LEVEL: i32 = 3;

/// The JSON packed, with a checksum.
pub fn pack(text: &str) -> std::io::Result<Vec<u8>> {
    let mut packer = zstd::bulk::Compressor::new(LEVEL)?;
    packer.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
    packer.compress(text.as_bytes())
}

/// The JSON again. `bytes` is its length as the store has it, so that a damaged frame cannot ask for more memory.
pub fn unpack(body: &[u8], bytes: i64) -> Result<String, String> {
    let length = usize::try_from(bytes).map_err(|_| format!("its length is {bytes}"))?;
    let text = zstd::bulk::decompress(body, length).map_err(|error| error.to_string())?;
    if text.len() != length {
        return Err(format!("it has {} bytes, {length} were written", text.len()));
    }
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// What tells one document from another: SHA-256 of its JSON.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// The first 12 hexadecimal digits of a text's SHA-256.
pub fn short_hash(text: &str) -> String {
    hash(text)[..6].iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_whole_or_not_at_all() {
        let text = r#"{"values":[1,2,3]}"#.repeat(100);
        let body = pack(&text).unwrap();
        assert!(body.len() * 4 < text.len());
        assert_eq!(unpack(&body, text.len() as i64).unwrap(), text);
        assert!(unpack(&body, text.len() as i64 - 1).is_err());
        assert!(unpack(&body, text.len() as i64 + 1).is_err());
        for at in 0..body.len() {
            let mut damaged = body.clone();
            damaged[at] ^= 0x10;
            let found = unpack(&damaged, text.len() as i64);
            assert!(found.as_ref().is_err() || found.as_ref() == Ok(&text), "byte {at}");
        }
    }

    #[test]
    fn short_hashes_are_twelve_digits() {
        // `printf abc | sha256sum`
        assert_eq!(short_hash("abc"), "ba7816bf8f01");
    }
}
