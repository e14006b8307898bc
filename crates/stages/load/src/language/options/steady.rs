//! Ends that depend on what is measured: steady state, the latency target.

use super::{Spec, Value, ValueKind, number, other, sets, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use crate::language::units;
use model::job::SteadyMetric;

const S: i64 = 1_000_000;

/// A rule for the steady state while it is read.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct SteadyDraft {
    /// What is looked at, whether by its slope, and the limit in per cent.
    pub rule: Option<(SteadyMetric, bool, f64)>,
    pub window_ms: u64,
    pub ramp_ms: u64,
}

pub(super) static GROUP: &[Spec] = &[
    sets(
        "steadystate",
        "ss",
        ValueKind::Word(&["iops", "iops_slope", "bw", "bw_slope"]),
        steadystate,
    ),
    sets(
        "steadystate_duration",
        "ss_dur",
        ValueKind::Time(S),
        |draft, value| {
            draft.steady.window_ms = number(value).div_ceil(1000);
            Ok(())
        },
    ),
    sets(
        "steadystate_ramp_time",
        "ss_ramp",
        ValueKind::Time(S),
        |draft, value| {
            draft.steady.ramp_ms = number(value).div_ceil(1000);
            Ok(())
        },
    ),
    sets("latency_target", "", ValueKind::Time(1), |draft, value| {
        draft.latency.0 = number(value);
        Ok(())
    }),
    sets("latency_window", "", ValueKind::Time(1), |draft, value| {
        draft.latency.1 = number(value);
        Ok(())
    }),
    sets(
        "latency_percentile",
        "",
        ValueKind::Floats(1, 0.0, 100.0),
        |draft, value| {
            if let Value::Floats(floats) = value {
                draft.latency.2 = floats.first().copied().unwrap_or(100.0);
            }
            Ok(())
        },
    ),
    other(
        "latency_run",
        ValueKind::Bool,
        "0",
        "a search for the depth that never ends",
    ),
];

fn steadystate(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let advice = "Write a limit in per cent after a colon: steadystate=iops_slope:0.3%";
    let (word, limit) = text(value)
        .split_once(':')
        .filter(|(_, limit)| !limit.is_empty())
        .ok_or_else(|| Bad::value("the limit is missing", advice))?;
    let metric = if word.starts_with("bw") {
        SteadyMetric::Bw
    } else {
        SteadyMetric::Iops
    };
    let percent = match limit.split_once('%') {
        Some((percent, _)) => percent
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|percent| *percent >= 0.0),
        None => {
            let is_number = limit.trim().parse::<f64>().is_ok();
            if !is_number
                && (metric == SteadyMetric::Iops || units::bytes(limit, draft.kb_base).is_err())
            {
                return Err(Bad::value("the limit is no number", advice));
            }
            draft.cannot("a limit in absolute units; per cent of the mean are understood");
            Some(0.0)
        }
    };
    let percent = percent
        .filter(|percent| percent.is_finite())
        .ok_or_else(|| Bad::value("the limit is no number", advice))?;
    draft.steady.rule = Some((metric, word.ends_with("_slope"), percent));
    Ok(())
}
