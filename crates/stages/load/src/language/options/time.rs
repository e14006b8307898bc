//! How long, and how fast.

use super::{INT, Spec, Value, ValueKind, flag, number, other, sets, small, text};

/// Microseconds of a second: what a bare number of a duration counts.
const S: i64 = 1_000_000;

/// Milliseconds of a value in microseconds; what is less than one counts as one.
fn ms(value: &Value) -> u64 {
    number(value).div_ceil(1000)
}

pub(super) static GROUP: &[Spec] = &[
    sets("runtime", "timeout", ValueKind::Time(S), |draft, value| {
        draft.job().runtime_ms = ms(value);
        Ok(())
    }),
    sets("time_based", "", ValueKind::Set, |draft, value| {
        draft.job().time_based = flag(value);
        Ok(())
    }),
    sets("ramp_time", "", ValueKind::Time(S), |draft, value| {
        draft.job().ramp_ms = ms(value);
        Ok(())
    }),
    sets("startdelay", "", ValueKind::TimeSpan(S), |draft, value| {
        if matches!(value, Value::Numbers(ends) if ends.len() == 2) {
            draft.cannot("a delay that is drawn at random");
        }
        draft.job().startdelay_ms = ms(value);
        Ok(())
    }),
    sets("thinktime", "", ValueKind::Time(1), |draft, value| {
        draft.job().thinktime.us = number(value);
        Ok(())
    }),
    sets("thinktime_spin", "", ValueKind::Time(1), |draft, value| {
        draft.job().thinktime.spin_us = number(value);
        Ok(())
    }),
    sets("thinktime_blocks", "", INT, |draft, value| {
        draft.job().thinktime.blocks = small(value);
        Ok(())
    }),
    sets(
        "thinktime_blocks_type",
        "",
        ValueKind::Word(&["complete", "issue"]),
        |draft, value| {
            if text(value) != "complete" {
                draft.cannot("a pause that counts the blocks when they are issued");
            }
            Ok(())
        },
    ),
    other(
        "thinktime_iotime",
        ValueKind::Time(S),
        "0",
        "a pause after so much time of I/O",
    ),
];
