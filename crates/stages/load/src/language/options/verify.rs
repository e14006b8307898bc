//! Checking what was written.

use super::{INT, Spec, Value, ValueKind, WIDE, flag, noted, number, other, sets, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;

const METHODS: &[&str] = &[
    "0",
    "md5",
    "crc64",
    "crc32",
    "crc32c-intel",
    "crc32c",
    "crc16",
    "crc7",
    "sha1",
    "sha256",
    "sha512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "xxhash",
    "meta",
    "pattern",
    "null",
];

pub(super) static GROUP: &[Spec] = &[
    sets("verify", "", ValueKind::Word(METHODS), method),
    sets("do_verify", "", ValueKind::Bool, |draft, value| {
        draft.do_verify = flag(value);
        Ok(())
    }),
    // The header of fio's blocks takes 40 bytes, and fio wants twice that.
    sets(
        "verify_interval",
        "",
        ValueKind::Number(80, u32::MAX as i64),
        |draft, value| {
            draft.verify_interval = number(value);
            Ok(())
        },
    ),
    sets("verify_fatal", "", ValueKind::Bool, |draft, value| {
        draft.verify_fatal = flag(value);
        Ok(())
    }),
    other(
        "verify_only",
        ValueKind::Set,
        "0",
        "a check of what an earlier run wrote, without writing",
    ),
    other(
        "verify_offset",
        ValueKind::Number(40, u32::MAX as i64),
        "0",
        "a header in the middle of a block",
    ),
    other(
        "verify_pattern",
        ValueKind::Text,
        "",
        "a pattern in the data",
    ),
    other(
        "verify_dump",
        ValueKind::Bool,
        "0",
        "files with the contents of bad blocks; the message names the offset",
    ),
    other("verify_async", INT, "0", "threads that only verify"),
    other(
        "verify_async_cpus",
        ValueKind::Free,
        "",
        "threads that only verify",
    ),
    other(
        "verify_backlog",
        WIDE,
        "0",
        "checks between the writes; they come after them",
    ),
    noted(
        "verify_backlog_batch",
        "",
        INT,
        "it belongs to verify_backlog",
    ),
    other(
        "experimental_verify",
        ValueKind::Bool,
        "0",
        "fio's second way to verify",
    ),
    other(
        "verify_state_load",
        ValueKind::Bool,
        "0",
        "a check that goes on where an earlier run stopped",
    ),
    noted(
        "verify_state_save",
        "",
        ValueKind::Bool,
        "iodyno leaves no state of a check behind",
    ),
    noted("verifysort", "", ValueKind::Free, "fio ignores it nowadays"),
    noted(
        "verifysort_nr",
        "",
        ValueKind::Free,
        "fio ignores it nowadays",
    ),
    other(
        "trim_percentage",
        ValueKind::Number(0, 100),
        "0",
        "trims of some of the blocks that are to be verified",
    ),
    noted(
        "trim_verify_zero",
        "",
        ValueKind::Bool,
        "it belongs to trim_percentage",
    ),
    noted("trim_backlog", "", WIDE, "it belongs to trim_percentage"),
    noted(
        "trim_backlog_batch",
        "",
        INT,
        "it belongs to trim_percentage",
    ),
];

fn method(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    draft.verify = match text(value).split([':', ',']).next() {
        Some("0") => None,
        Some("crc32c" | "crc32c-intel") => Some(true),
        _ => {
            draft.cannot("checksums other than crc32c");
            None
        }
    };
    Ok(())
}
