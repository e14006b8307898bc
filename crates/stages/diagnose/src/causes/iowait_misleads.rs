//! # iowait that says the opposite of what is the case
//!
//! Also: `iowait`, `%iowait`.
//!
//! ## What it finds
//! While others used the machine, iowait and PSI contradicted each other: iowait below 5 % though some task waited for I/O
//! for more than 30 % of the time, or above 30 % though hardly any task waited (less than 3 %). The thresholds are a proposal
//! of this project.
//!
//! ## Why it matters
//! iowait is idle time of a CPU on which a waiting task last ran. Other work on that CPU turns it into user time, and on
//! a machine of many CPUs one waiting database is lost in the mean. An alarm on it fires for the wrong machines.
//!
//! ## What to try
//! Watch `/proc/pressure/io` instead: it counts waiting, whatever the CPUs do meanwhile.
//!
//! ## Example
//! ```scene
//! field: cpu.iowait_percent 0 1
//! field: cpu.iowait_percent 1 0
//! field: pressure.some_percent io 81
//! expect: note says "iowait" says "81 %"
//! ```
//! ```scene
//! field: cpu.iowait_percent 0 60
//! field: cpu.iowait_percent 1 30
//! field: pressure.some_percent io 1
//! expect: note says "45 %"
//! ```
//!
//! ## Stays silent
//! ```scene
//! field: cpu.iowait_percent 0 40
//! field: cpu.iowait_percent 1 20
//! field: pressure.some_percent io 60
//! ```
//! ```scene
//! field: cpu.iowait_percent 0 1
//! field: cpu.iowait_percent 1 0
//! field: pressure.some_percent io 2
//! ```
//! ```scene
//! probe: depth read=9000@1ms depth=32
//! field: cpu.iowait_percent 0 1
//! field: pressure.some_percent io 99
//! ```
//!
//! ## Seen
//! On a live kernel: iowait 0 % on both CPUs, pressure of I/O 50 %: a compiler filled the CPUs beside 70,000 reads a second, Linux
//! 6.18.
//!
//! ## Sources
//! - Linux `Documentation/accounting/psi.rst`; proc(5), `iowait` of `/proc/stat`

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "iowait_misleads",
    since: "0.1.0",
    summary: "iowait that contradicts the pressure of I/O",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the two were taken over different times: then a longer look (iodyno watch) brings them together",
    ],
    experiment: Experiment::Line(
        "iodyno watch {device} # while stress-ng --cpu 0 --timeout 30 runs beside the load: iowait falls, pressure stays",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const LOW_PERCENT: f64 = 5.0;
const WAITING_PERCENT: f64 = 30.0;
const HIGH_PERCENT: f64 = 30.0;
const NOT_WAITING_PERCENT: f64 = 3.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    // Only what others do: nobody is misled about our own loads.
    let frame = scene.idle()?;
    let waits: Vec<f64> = frame
        .each("cpu.iowait_percent")
        .map(|(_, percent)| percent)
        .collect();
    let iowait = stats::mean(&waits);
    let some = frame
        .get("pressure.some_percent", "io")
        .filter(|_| !waits.is_empty())?;
    let claim = if iowait < LOW_PERCENT && some > WAITING_PERCENT {
        format!(
            "iowait is {iowait}, yet for {some} of the time some task waited for I/O.",
            iowait = units::percent_whole(iowait),
            some = units::percent_whole(some)
        )
    } else if iowait > HIGH_PERCENT && some < NOT_WAITING_PERCENT {
        format!(
            "iowait is {iowait}, yet tasks waited for I/O for {some} of the time only.",
            iowait = units::percent_whole(iowait),
            some = units::percent_whole(some)
        )
    } else {
        return None;
    };
    Some(
        note("", claim)
            .shows(
                "cpu.iowait_percent",
                format!(
                    "{iowait} (mean of {} CPUs)",
                    waits.len(),
                    iowait = units::decimals(iowait, 1)
                ),
            )
            .shows("pressure.some_percent io", units::whole(some))
            .refuted_by("both agree over a longer time")
            .advise("Judge waiting by /proc/pressure/io, not by iowait."),
    )
}
