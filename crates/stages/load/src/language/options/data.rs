//! Content of what is written.

use super::{INT, Spec, ValueKind, flag, noted, number, other, sets};

pub(super) static GROUP: &[Spec] = &[
    sets("zero_buffers", "", ValueKind::Set, |draft, value| {
        draft.zero_buffers = flag(value);
        Ok(())
    }),
    sets("refill_buffers", "", ValueKind::Set, |draft, value| {
        if !flag(value) {
            draft
                .note("refill_buffers=0: iodyno writes fresh data every time, fio would scramble one buffer");
        }
        Ok(())
    }),
    sets("scramble_buffers", "", ValueKind::Bool, |draft, value| {
        if !flag(value) {
            draft
                .note("scramble_buffers=0: iodyno writes fresh data every time, fio would repeat one buffer");
        }
        Ok(())
    }),
    other(
        "buffer_pattern",
        ValueKind::Text,
        "",
        "a pattern in the data; zero_buffers and buffer_compress_percentage exist",
    ),
    sets(
        "buffer_compress_percentage",
        "",
        ValueKind::Number(0, 100),
        |draft, value| {
            draft.compress = number(value) as u8;
            Ok(())
        },
    ),
    noted(
        "buffer_compress_chunk",
        "",
        INT,
        "the part of each block that compresses is one piece",
    ),
    other(
        "dedupe_percentage",
        ValueKind::Number(0, 100),
        "0",
        "blocks that are copies of others",
    ),
    noted(
        "dedupe_global",
        "",
        ValueKind::Bool,
        "it belongs to dedupe_percentage",
    ),
    noted(
        "dedupe_mode",
        "",
        ValueKind::Word(&["repeat", "working_set"]),
        "it belongs to dedupe_percentage",
    ),
    noted(
        "dedupe_working_set_percentage",
        "",
        ValueKind::Number(0, 100),
        "it belongs to dedupe_percentage",
    ),
    noted(
        "mem",
        "iomem",
        ValueKind::Word(&[
            "malloc",
            "shm",
            "shmhuge",
            "mmap",
            "mmapshared",
            "mmaphuge",
            "cudamalloc",
        ]),
        "iodyno's buffers are aligned pages of its own",
    ),
    noted(
        "iomem_align",
        "mem_align",
        INT,
        "iodyno's buffers are aligned to pages always",
    ),
    noted("hugepage-size", "", INT, "it belongs to mem"),
    other(
        "lockmem",
        super::WIDE,
        "0",
        "memory that is locked away while the job runs",
    ),
];
