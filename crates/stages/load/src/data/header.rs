//! The header that each verified interval begins with.
//!
//! Forty bytes, little-endian: magic `iodynoV1`; CRC-32C of everything after this field to the end of the interval;
//! length of the interval in bytes (each u32); offset of the interval in its file; number of the write; seed of the job
//! that wrote it (each u64). The sum covers the header's own fields, so that no field can be wrong by itself.

/// Length of a header, bytes.
pub const HEADER_BYTES: usize = 40;

/// What verified intervals begin with.
const MAGIC: [u8; 8] = *b"iodynoV1";

/// Where the sum begins to count.
const SUMMED_FROM: usize = 12;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where in its file the interval belongs, bytes.
    pub offset: u64,
    /// The write that it was part of.
    pub number: u64,
    /// Seed of the job that wrote it.
    pub seed: u64,
}

/// Why an interval is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// There is no header; the first bytes are these.
    NoHeader([u8; 8]),
    /// Written as a longer or shorter interval, bytes.
    Length(u32),
    /// The data does not match its checksum.
    Sum {
        /// In the header.
        stored: u32,
        /// Of the data.
        computed: u32,
    },
}

impl Header {
    /// Writes the header over the beginning of an interval whose data is in place.
    pub fn seal(&self, interval: &mut [u8]) {
        interval[..8].copy_from_slice(&MAGIC);
        let length = interval.len() as u32;
        interval[12..16].copy_from_slice(&length.to_le_bytes());
        interval[16..24].copy_from_slice(&self.offset.to_le_bytes());
        interval[24..32].copy_from_slice(&self.number.to_le_bytes());
        interval[32..40].copy_from_slice(&self.seed.to_le_bytes());
        let sum = crc32c::crc32c(&interval[SUMMED_FROM..]);
        interval[8..12].copy_from_slice(&sum.to_le_bytes());
    }

    /// Reads the header of an interval whose data is whole.
    pub fn open(interval: &[u8]) -> Result<Header, Damage> {
        let mut first = [0; 8];
        first.copy_from_slice(&interval[..8]);
        if first != MAGIC {
            return Err(Damage::NoHeader(first));
        }
        let computed = crc32c::crc32c(&interval[SUMMED_FROM..]);
        let stored = u32_at(interval, 8);
        let length = u32_at(interval, 12);
        if stored == computed {
            return Ok(Header {
                offset: u64_at(interval, 16),
                number: u64_at(interval, 24),
                seed: u64_at(interval, 32),
            });
        }
        if length as usize != interval.len() && length as usize >= HEADER_BYTES {
            return Err(Damage::Length(length));
        }
        Err(Damage::Sum { stored, computed })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let mut interval = vec![7u8; 512];
        let header = Header {
            offset: 4096,
            number: 9,
            seed: 3,
        };
        header.seal(&mut interval);
        assert_eq!(Header::open(&interval), Ok(header));
        for bit in 0..512 * 8 {
            interval[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::open(&interval).is_err(), "bit {bit}");
            interval[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(Header::open(&interval), Ok(header));
    }

    #[test]
    fn the_sum_is_the_usual_crc32c() {
        // RFC 3720, B.4: 32 bytes of zeros.
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
    }
}
