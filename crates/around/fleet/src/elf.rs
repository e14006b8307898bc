//! What an executable is, from its first bytes: for which architecture, and whether it needs the C library of where it runs
//! (`elf(5)`).

/// What is known of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executable {
    /// As `uname -m` calls the architecture: `x86_64`, `aarch64`.
    pub architecture: &'static str,
    /// Whether it is loaded by a program of the machine that it runs on, so that it needs a library there as new as here.
    pub is_dynamic: bool,
}

/// Architectures by their number in the file.
const ARCHITECTURES: [(u16, &str); 4] = [
    (62, "x86_64"),
    (183, "aarch64"),
    (21, "ppc64le"),
    (243, "riscv64"),
];
/// A segment that names a loader.
const INTERPRETER: u32 = 3;
/// Segments that are looked at, at most.
const SEGMENTS_MAX: usize = 256;

impl Executable {
    /// Of a 64-bit little-endian executable of Linux; none for anything else.
    pub fn of(bytes: &[u8]) -> Option<Executable> {
        if bytes.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let machine = u16::from_le_bytes(piece(bytes, 18)?);
        let architecture = ARCHITECTURES
            .iter()
            .find(|(number, _)| *number == machine)?
            .1;
        let table = usize::try_from(u64::from_le_bytes(piece(bytes, 32)?)).ok()?;
        let size = usize::from(u16::from_le_bytes(piece(bytes, 54)?));
        let count = usize::from(u16::from_le_bytes(piece(bytes, 56)?));
        let kind = |at: usize| {
            let at = table.checked_add(at.checked_mul(size)?)?;
            Some(u32::from_le_bytes(piece(bytes, at)?))
        };
        let mut segments = (0..count.min(SEGMENTS_MAX)).filter_map(kind);
        Some(Executable {
            architecture,
            is_dynamic: segments.any(|kind| kind == INTERPRETER),
        })
    }
}

fn piece<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A head with one segment of a kind.
    fn file(machine: u16, segment: u32) -> Vec<u8> {
        let mut bytes = vec![0; 120];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes[32..40].copy_from_slice(&64u64.to_le_bytes());
        bytes[54..56].copy_from_slice(&56u16.to_le_bytes());
        bytes[56..58].copy_from_slice(&1u16.to_le_bytes());
        bytes[64..68].copy_from_slice(&segment.to_le_bytes());
        bytes
    }

    #[test]
    fn the_architecture_and_the_loader_are_seen() {
        let found = Executable::of(&file(62, 1)).unwrap();
        assert_eq!((found.architecture, found.is_dynamic), ("x86_64", false));
        let found = Executable::of(&file(183, INTERPRETER)).unwrap();
        assert_eq!((found.architecture, found.is_dynamic), ("aarch64", true));
        assert_eq!(Executable::of(&file(3, 1)), None);
        assert_eq!(Executable::of(b"#!/bin/sh\n"), None);
    }

    proptest! {
        #[test]
        fn no_file_is_a_panic(at in 0usize..120, with in any::<u64>(), length in 0usize..130) {
            let mut bytes = file(62, INTERPRETER);
            let end = (at + 8).min(bytes.len());
            bytes[at..end].copy_from_slice(&with.to_le_bytes()[..end - at]);
            bytes.truncate(length);
            let _ = Executable::of(&bytes);
        }
    }
}
