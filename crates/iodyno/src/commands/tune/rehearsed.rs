//! What of a tune cannot be rehearsed.

use super::plan::TunePlan;
use crate::commands::rehearse::Rehearse;
use crate::exit::Failure;
use tuner::Meter;
use tuner::meter::Counts;

/// Refuses a meter that does not read the load or the disk.
pub fn must_see(meter: &Meter) -> Result<(), Failure> {
    let is_of_disk = matches!(
        meter.counts,
        Counts::OwnThroughput | Counts::OwnLatency | Counts::Device
    );
    match is_of_disk && meter.ask.is_none() && meter.options.is_empty() {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "--metric {} cannot be rehearsed: a simulated disk has no program and no group that could be asked.",
            meter.id
        ))
        .on("--rehearse")),
    }
}

/// Refuses an effect of a value that is not tried: it would be waited for in vain.
pub fn must_fit(rehearse: &Rehearse, plan: &TunePlan) -> Result<(), Failure> {
    let is_tried = |(knob, value): &(&apply::Knob, &str)| {
        let mut knobs = plan.knobs.iter().filter(|one| one.knob == knob.id);
        knobs.any(|one| one.values.iter().any(|tried| tried == value))
    };
    match rehearse.values().find(|value| !is_tried(value)) {
        None => Ok(()),
        Some((knob, value)) => Err(Failure::usage(format!(
            "{}={value} is not tried here, so it can have no effect.",
            knob.id
        ))
        .on("--rehearse")
        .hint("--dry-run in its place shows which values are tried.")),
    }
}
