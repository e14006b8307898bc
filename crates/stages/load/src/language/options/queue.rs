//! Depth, batches and jobs.

use crate::language::error::Bad;

use super::{INT, Spec, ValueKind, flag, noted, other, sets, small, text};

/// More threads than any machine runs.
const MOST_JOBS: u32 = 100_000;

pub(super) static GROUP: &[Spec] = &[
    sets(
        "iodepth",
        "",
        ValueKind::Number(1, u32::MAX as i64),
        |draft, value| {
            draft.job().iodepth = small(value);
            Ok(())
        },
    ),
    sets(
        "iodepth_batch",
        "iodepth_batch_submit",
        INT,
        |draft, value| {
            draft.job().iodepth_batch = small(value);
            Ok(())
        },
    ),
    sets(
        "iodepth_batch_complete_min",
        "iodepth_batch_complete",
        INT,
        |draft, value| {
            draft.job().iodepth_batch_complete_min = small(value);
            Ok(())
        },
    ),
    sets("iodepth_batch_complete_max", "", INT, |draft, value| {
        draft.job().iodepth_batch_complete_max = small(value);
        Ok(())
    }),
    sets("iodepth_low", "", INT, |draft, value| {
        draft.job().iodepth_low = small(value);
        Ok(())
    }),
    other(
        "serialize_overlap",
        ValueKind::Bool,
        "0",
        "waiting for I/Os in flight that overlap",
    ),
    sets(
        "io_submit_mode",
        "",
        ValueKind::Word(&["inline", "offload"]),
        |draft, value| {
            draft.offload = text(value).starts_with("offload");
            Ok(())
        },
    ),
    sets("numjobs", "", INT, |draft, value| {
        draft.job().numjobs = match small(value) {
            jobs @ 1..=MOST_JOBS => jobs,
            _ => {
                return Err(Bad::misleading(
                    "fio never ends to make such a number of jobs",
                    "Write 1 to 100000",
                ));
            }
        };
        Ok(())
    }),
    noted(
        "thread",
        "",
        ValueKind::Set,
        "iodyno's jobs are threads always",
    ),
    sets("loops", "", INT, |draft, value| {
        draft.job().loops = small(value).max(1);
        Ok(())
    }),
    sets(
        "stonewall",
        "wait_for_previous",
        ValueKind::Set,
        |draft, value| {
            draft.section.stonewall = flag(value);
            Ok(())
        },
    ),
    sets("new_group", "", ValueKind::Set, |draft, value| {
        draft.section.new_group = flag(value);
        Ok(())
    }),
    sets("wait_for", "", ValueKind::Text, |draft, value| {
        draft.section.wait_for = Some(text(value).into());
        Ok(())
    }),
    sets("exitall", "", ValueKind::Set, |draft, value| {
        draft.exitall = flag(value).then(|| draft.position());
        Ok(())
    }),
    noted(
        "exit_what",
        "",
        ValueKind::Word(&["group", "stonewall", "all"]),
        "it says what exitall ends",
    ),
    noted(
        "exitall_on_error",
        "",
        ValueKind::Set,
        "a failure of one job ends all of iodyno's always",
    ),
    sets("group_reporting", "", ValueKind::Set, |draft, value| {
        draft.job().group_reporting = flag(value);
        Ok(())
    }),
];
