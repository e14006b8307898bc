//! Speed limits.

use super::{INT, Spec, ValueKind, directions, noted, other, sets, text};
use model::job::Arrivals;

pub(super) static GROUP: &[Spec] = &[
    sets(
        "rate",
        "",
        ValueKind::PerDirection(0, i64::MAX),
        |draft, value| {
            directions(value, &mut draft.rate);
            Ok(())
        },
    ),
    sets(
        "rate_iops",
        "",
        ValueKind::PerDirection(0, u32::MAX as i64),
        |draft, value| {
            directions(value, &mut draft.rate_iops);
            Ok(())
        },
    ),
    sets(
        "rate_process",
        "",
        ValueKind::Word(&["linear", "poisson"]),
        |draft, value| {
            draft.job().arrivals = if text(value).starts_with("poisson") {
                Arrivals::Poisson
            } else {
                Arrivals::Linear
            };
            Ok(())
        },
    ),
    // fio knows the next two by their older names as well.
    Spec {
        alias: "ratemin",
        ..other(
            "rate_min",
            ValueKind::PerDirection(0, i64::MAX),
            "0",
            "an end when a rate is not kept",
        )
    },
    other(
        "rate_iops_min",
        ValueKind::PerDirection(0, u32::MAX as i64),
        "0",
        "an end when a rate is not kept",
    ),
    noted(
        "rate_cycle",
        "ratecycle",
        INT,
        "it is the window of rate_min",
    ),
    other(
        "rate_ignore_thinktime",
        ValueKind::Bool,
        "0",
        "a rate that catches up what pauses cost",
    ),
    other(
        "max_latency",
        ValueKind::Times(1),
        "0",
        "an end at the first I/O that takes too long",
    ),
    other(
        "flow",
        ValueKind::Number(-1000, 1000),
        "0",
        "jobs that are kept in proportion to each other",
    ),
    noted(
        "flow_id",
        "",
        INT,
        "it says which jobs flow keeps in proportion",
    ),
    noted(
        "flow_watermark",
        "",
        ValueKind::Free,
        "fio ignores it nowadays",
    ),
    noted("flow_sleep", "", INT, "it belongs to flow"),
];
