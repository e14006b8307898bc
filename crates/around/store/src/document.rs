//! A document as it lies in the store: JSON behind zstd, told apart by a hash of the JSON.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::Read;

/// Level 3 packs documents to about a fifth; level 9 takes a sixth off that for eight times the time (bench/RESULTS.md).
const LEVEL: i32 = 3;

/// The longest document, bytes: 1 GiB. A day of every sensor, sampled each second, is a quarter of that.
pub const MAX_BYTES: u64 = 1 << 30;

/// The JSON packed, with a checksum.
pub fn pack(text: &str) -> std::io::Result<Vec<u8>> {
    if text.len() as u64 > MAX_BYTES {
        let why = format!(
            "a record of {} bytes is longer than the store takes (1 GiB)",
            text.len()
        );
        return Err(std::io::Error::other(why));
    }
    let mut packer = zstd::bulk::Compressor::new(LEVEL)?;
    packer.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
    packer.compress(text.as_bytes())
}

/// The JSON again. `bytes` is its length as the store has it. Neither that nor what the frame says of itself asks for
/// memory: the text grows by what is really unpacked, and stops at the length that was told.
pub fn unpack(body: &[u8], bytes: i64) -> Result<String, String> {
    let length = u64::try_from(bytes)
        .ok()
        .filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| format!("its length cannot be {bytes} bytes"))?;
    if let Ok(Some(size)) = zstd::zstd_safe::get_frame_content_size(body)
        && size != length
    {
        return Err(format!("it has {size} bytes, {length} were written"));
    }
    let unpacking =
        zstd::stream::read::Decoder::with_buffer(body).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    unpacking
        .take(length + 1)
        .read_to_end(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() as u64 != length {
        return Err(format!(
            "it has {} bytes or more, {length} were written",
            text.len()
        ));
    }
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// What tells one document from another: SHA-256 of its JSON.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// The first 12 hexadecimal digits of a text's SHA-256.
pub fn short_hash(text: &str) -> String {
    hash(text)[..6]
        .iter()
        .fold(String::new(), |mut digits, byte| {
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
            assert!(
                found.as_ref().is_err() || found.as_ref() == Ok(&text),
                "byte {at}"
            );
        }
    }

    #[test]
    fn a_length_that_lies_asks_for_no_memory() {
        let text = "x".repeat(1000);
        let body = pack(&text).unwrap();
        for length in [
            i64::MAX,
            i64::MIN,
            -1,
            0,
            1_099_511_627_776_000,
            1 << 30,
            (1 << 30) + 1,
        ] {
            assert!(unpack(&body, length).is_err(), "{length}");
        }
        // A frame that does not say how long it is: what `zstd` makes of a stream.
        let streamed = zstd::stream::encode_all(text.as_bytes(), 3).unwrap();
        assert_eq!(unpack(&streamed, 1000).unwrap(), text);
        assert!(unpack(&streamed, 1 << 30).is_err() && unpack(&streamed, 999).is_err());
    }

    #[test]
    fn short_hashes_are_twelve_digits() {
        // `printf abc | sha256sum`
        assert_eq!(short_hash("abc"), "ba7816bf8f01");
    }
}
