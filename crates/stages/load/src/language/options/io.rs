//! Direction, block sizes, engine, and how durable each write is.

use super::{
    INT, Spec, Value, ValueKind, directions, flag, number, other, sets, small, split, text,
};
use crate::language::draft::Draft;
use crate::language::error::{Bad, Mistake};
use model::job::{Rw, SyncMode};

const DIRECTIONS: &[&str] = &[
    "read",
    "write",
    "trim",
    "randread",
    "randwrite",
    "randtrim",
    "rw",
    "readwrite",
    "randrw",
    "trimwrite",
    "randtrimwrite",
];
const BLOCKS: ValueKind = ValueKind::PerDirection(1, i64::MAX);

pub(super) static GROUP: &[Spec] = &[
    sets("description", "", ValueKind::Text, |_, _| Ok(())),
    sets("name", "", ValueKind::Text, |draft, value| {
        draft.section.name = text(value).into();
        Ok(())
    }),
    sets("rw", "readwrite", ValueKind::Word(DIRECTIONS), rw),
    sets(
        "rw_sequencer",
        "",
        ValueKind::Word(&["sequential", "identical"]),
        |draft, value| {
            draft.job().rw_identical = text(value).starts_with("identical");
            Ok(())
        },
    ),
    sets(
        "rwmixread",
        "",
        ValueKind::Number(0, 100),
        |draft, value| {
            draft.job().rwmixread = number(value) as u8;
            Ok(())
        },
    ),
    sets(
        "rwmixwrite",
        "",
        ValueKind::Number(0, 100),
        |draft, value| {
            draft.job().rwmixread = 100 - number(value) as u8;
            Ok(())
        },
    ),
    sets("rwmixcycle", "", ValueKind::Gone, |_, _| Ok(())),
    sets("ioengine", "", ValueKind::Text, ioengine),
    sets("bs", "blocksize", BLOCKS, |draft, value| {
        directions(value, &mut draft.bs);
        Ok(())
    }),
    sets(
        "bsrange",
        "blocksize_range",
        ValueKind::Range,
        |draft, value| {
            if let Value::Ranges(ranges) = value {
                for (slot, range) in draft.bsrange.iter_mut().zip(ranges) {
                    *slot = range.map(|(low, high)| (low as u64, high as u64)).or(*slot);
                }
            }
            Ok(())
        },
    ),
    sets("bssplit", "", ValueKind::Free, split::bssplit),
    sets("ba", "blockalign", BLOCKS, |draft, value| {
        if let Value::Numbers(numbers) = value {
            for (slot, number) in draft.ba.iter_mut().zip(numbers) {
                *slot = number.map(|number| number as u64).or(*slot);
            }
        }
        Ok(())
    }),
    sets(
        "bs_unaligned",
        "blocksize_unaligned",
        ValueKind::Set,
        |draft, value| {
            draft.bs_unaligned = flag(value);
            Ok(())
        },
    ),
    other(
        "bs_is_seq_rand",
        ValueKind::Bool,
        "0",
        "block sizes that differ between sequential and random I/O of one job",
    ),
    sets("direct", "", ValueKind::Bool, |draft, value| {
        draft.job().direct = flag(value);
        Ok(())
    }),
    sets("buffered", "", ValueKind::Bool, |draft, value| {
        draft.job().direct = !flag(value);
        Ok(())
    }),
    other(
        "atomic",
        ValueKind::Bool,
        "0",
        "writes that the device promises not to tear",
    ),
    sets(
        "sync",
        "",
        ValueKind::Word(&["none", "0", "sync", "1", "dsync"]),
        |draft, value| {
            draft.job().sync = match text(value).split([':', ',']).next() {
                Some("sync" | "1") => SyncMode::Sync,
                Some("dsync") => SyncMode::Dsync,
                _ => SyncMode::None,
            };
            Ok(())
        },
    ),
    sets("fsync", "", INT, |draft, value| {
        draft.job().fsync = small(value);
        Ok(())
    }),
    sets("fdatasync", "", INT, |draft, value| {
        draft.job().fdatasync = small(value);
        Ok(())
    }),
    sets("end_fsync", "", ValueKind::Bool, |draft, value| {
        draft.job().end_fsync = flag(value);
        Ok(())
    }),
    other(
        "fsync_on_close",
        ValueKind::Bool,
        "0",
        "an fsync when a file is closed",
    ),
    other(
        "write_barrier",
        INT,
        "0",
        "barrier writes, which the kernel has not had since 2.6.37",
    ),
    other(
        "sync_file_range",
        ValueKind::Free,
        "",
        "write-back by sync_file_range; fsync or fdatasync say what is durable",
    ),
    other(
        "write_hint",
        ValueKind::Word(&["none", "short", "medium", "long", "extreme"]),
        "none",
        "write lifetime hints",
    ),
    sets("invalidate", "", ValueKind::Bool, |draft, value| {
        draft.job().invalidate = flag(value);
        Ok(())
    }),
];

fn rw(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let (word, postfix) = match text(value).split_once(':') {
        Some((word, postfix)) => (word, Some(postfix.trim().to_string())),
        None => (text(value), None),
    };
    if word.contains(',') {
        let advice = "Write one of them; reads and writes together are rw or randrw";
        return Err(Bad::misleading(
            "fio takes the first word and ignores the others",
            advice,
        ));
    }
    match Rw::from_word(word) {
        Some(rw) => draft.rw = rw,
        None => draft.cannot("writes of blocks that were trimmed just before"),
    }
    draft.rw_postfix = postfix.filter(|postfix| !postfix.is_empty());
    Ok(())
}

/// Engines whose job the native ones do.
const NATIVE: &[&str] = &["io_uring", "libaio", "sync", "psync", "pvsync2", "mmap"];

fn ioengine(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let name = text(value).trim();
    draft.job().ioengine = name.into();
    match name {
        "pvsync" => {
            draft.job().ioengine = "pvsync2".into();
            draft.note(
                "ioengine=pvsync: preadv and pwritev with one buffer each, run as pvsync2 without its flags",
            );
        }
        name if NATIVE.contains(&name) || crate::Engine::find(name).is_some() => {}
        "vsync" => draft.cannot("neighbouring blocks gathered into one readv or writev"),
        name if super::is_fios_engine(name) => draft.cannot("an engine that fio alone has"),
        name => {
            let names = super::engines::names();
            let near = super::similar(name, names).map(|near| format!("Did you mean {near}? "));
            let advice = format!(
                "{}iodyno itself has {}",
                near.unwrap_or_default(),
                NATIVE.join(", ")
            );
            return Err(Bad {
                why: "fio has no engine of this name".into(),
                advice,
                kind: Mistake::Value,
            });
        }
    }
    Ok(())
}
