//! Whether a file system has the space and the inodes for what is to be made on it, with a part of both left to others.

use host::{Space, scratch};
use model::units;

/// The share of the inodes that stays for others.
const RESERVED_INODES: u64 = 20;

/// What is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Space, bytes.
    pub bytes: u64,
    /// Files and directories.
    pub inodes: u64,
    /// What it is: `the tree`.
    pub what: &'static str,
}

/// What a file system has too little of, a clause about it; none where all of it fits, or where it does not tell.
pub fn lacking(space: Option<Space>, needed: &Needed) -> Option<String> {
    let space = space?;
    let clause = |lacks: &str, [wanted, free, reserve]: [String; 3]| {
        format!(
            "has too {lacks} for {}: it would take {wanted}, {free} are free and {reserve} of that stay reserved for others",
            needed.what
        )
    };
    let reserve = scratch::reserve_bytes(space.total_bytes);
    if needed.bytes > space.free_bytes.saturating_sub(reserve) {
        let figures = [needed.bytes, space.free_bytes, reserve];
        return Some(clause(
            "little space",
            figures.map(|value| units::bytes(value as f64)),
        ));
    }
    let reserve = space.total_inodes / RESERVED_INODES;
    let has_inodes = space.total_inodes > 0;
    if has_inodes && needed.inodes > space.free_inodes.saturating_sub(reserve) {
        let figures = [needed.inodes, space.free_inodes, reserve];
        return Some(clause(
            "few inodes",
            figures.map(|value| format!("{value} inodes")),
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_comes_first_and_a_file_system_without_inodes_has_enough() {
        let space = Space {
            free_bytes: 10 << 30,
            total_bytes: 20 << 30,
            free_inodes: 1000,
            total_inodes: 4000,
            block_bytes: Some(4096),
        };
        let needed = |bytes, inodes| Needed {
            bytes,
            inodes,
            what: "the copy",
        };
        assert_eq!(lacking(Some(space), &needed(1 << 30, 800)), None);
        let few = lacking(Some(space), &needed(1 << 30, 801)).unwrap();
        assert_eq!(
            few,
            "has too few inodes for the copy: it would take 801 inodes, 1000 inodes are free and 200 inodes of that stay \
             reserved for others"
        );
        assert!(
            lacking(Some(space), &needed(10 << 30, 1))
                .unwrap()
                .contains("little space")
        );
        let without = Space {
            free_inodes: 0,
            total_inodes: 0,
            ..space
        };
        assert_eq!(lacking(Some(without), &needed(1, 1 << 40)), None);
    }
}
