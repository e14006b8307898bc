//! What the build packed into the program.

use std::io::Read;

/// The bytes, unpacked.
pub fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What is damaged is cut: tests read all of it.
    let _ = flate2::read::ZlibDecoder::new(packed).read_to_end(&mut bytes);
    bytes
}
