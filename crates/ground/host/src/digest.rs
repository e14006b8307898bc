//! What tells one content from another.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 of some bytes, as 64 hexadecimal digits: what `sha256sum` prints.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut digits, byte| {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        })
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_what_sha256sum_prints() {
        // `printf abc | sha256sum`
        assert_eq!(
            super::sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
