//! How much, and where in the file.

use super::{INT, Spec, Value, ValueKind, other, sets};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use crate::language::units::Amount;

pub(super) static GROUP: &[Spec] = &[
    sets("size", "", ValueKind::Amount, size),
    sets("io_size", "io_limit", ValueKind::Amount, io_size),
    sets("offset", "fileoffset", ValueKind::Amount, |draft, value| {
        let bytes = position(draft, value, "a start in per cent or zones of the file")?;
        draft.job().offset = bytes;
        Ok(())
    }),
    sets("offset_increment", "", ValueKind::Amount, |draft, value| {
        let bytes = position(
            draft,
            value,
            "an increment in per cent or zones of the file",
        )?;
        draft.job().offset_increment = bytes;
        Ok(())
    }),
    other(
        "offset_align",
        INT,
        "0",
        "a start that is rounded to another alignment than the block size",
    ),
    Spec {
        alias: "fill_fs",
        ..other(
            "fill_device",
            ValueKind::Bool,
            "0",
            "writing until the device is full; give the size instead",
        )
    },
    other(
        "file_append",
        ValueKind::Bool,
        "0",
        "I/O that begins at the end of the file",
    ),
    other(
        "number_ios",
        super::WIDE,
        "0",
        "an end after so many I/Os; io_size ends a job after so many bytes",
    ),
];

fn bytes(value: &Value) -> Result<Amount, Bad> {
    match value {
        Value::Amount(Amount::Bytes(bytes)) if *bytes < 0 => Err(Bad::misleading(
            "fio takes a negative number for per cent or zones",
            "Write a positive one",
        )),
        Value::Amount(amount) => Ok(*amount),
        _ => Ok(Amount::Bytes(0)),
    }
}

fn size(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let (size, percent) = match bytes(value)? {
        Amount::Bytes(bytes) => (bytes as u64, 0),
        Amount::Percent(percent @ 0..=100) => (0, percent as u8),
        Amount::Percent(percent) => {
            return Err(Bad::conflict(
                format!("{percent} % is more than there is"),
                "Write at most 100%",
            ));
        }
        Amount::Zones(_) => {
            draft.cannot("a size in zones of a zoned device");
            (0, 0)
        }
    };
    (draft.job().size, draft.job().size_percent) = (size, percent);
    Ok(())
}

fn io_size(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    draft.io_size_percent = 0;
    draft.job().io_size = match bytes(value)? {
        Amount::Bytes(bytes) => bytes as u64,
        Amount::Percent(percent @ 0..=100) => {
            draft.io_size_percent = percent as u64;
            0
        }
        Amount::Percent(_) => {
            return Err(Bad::value(
                "fio takes at most 100 %",
                "Write bytes, or use loops",
            ));
        }
        Amount::Zones(_) => {
            draft.cannot("an amount in zones of a zoned device");
            0
        }
    };
    Ok(())
}

fn position(draft: &mut Draft, value: &Value, why: &str) -> Result<u64, Bad> {
    match bytes(value)? {
        Amount::Bytes(bytes) => Ok(bytes as u64),
        Amount::Percent(0) | Amount::Zones(0) => Ok(0),
        _ => {
            draft.cannot(why);
            Ok(0)
        }
    }
}
