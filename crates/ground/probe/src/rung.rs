//! How far a machine lets us look, and why not further.

use crate::{Layers, ProbedDevice, Strength, blktrace, perf};
use host::Host;

/// What a machine gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The best there is: `eBPF`, `perf`, `tracefs`, `blktrace`, `diskstats` or `nothing`.
    pub name: &'static str,
    /// What it tells.
    pub gives: &'static str,
    /// Why it is not a higher one, one sentence for each; empty on the highest.
    pub why_not_higher: Vec<String>,
    /// Every rung from the top down, whether it is taken or not.
    pub ladder: Vec<RungStep>,
}

/// One rung of the ladder on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RungStep {
    /// `eBPF`, `perf`, `tracefs`, `blktrace`, `diskstats`.
    pub name: &'static str,
    /// What it tells, where it can be had.
    pub gives: &'static str,
    /// Why it cannot be had here; none where it can.
    pub why_not: Option<String>,
}

const BY_ADDRESS: &str = "Q2G, G2I, I2D or G2D, D2C and Q2C of every I/O, as histograms";
const BY_SECTOR: &str =
    "Q2G, G2I, I2D or G2D, D2C and Q2C, paired by device and sector, as histograms; no flushes";
const RATES: &str = "rates and mean times of each device, not by layer";

/// Finds the best way to see layers on this machine by trying each: it is attached and taken off.
pub fn rung() -> Rung {
    let ladder = vec![
        step(BY_ADDRESS, Strength::Lite, tried(Strength::Lite)),
        step(
            BY_SECTOR,
            Strength::Perf,
            perf::check()
                .err()
                .map_or_else(|| tried(Strength::Perf), |error| Some(error.to_string())),
        ),
        step(BY_SECTOR, Strength::Tracefs, tried(Strength::Tracefs)),
        step(BY_SECTOR, Strength::Blktrace, blktrace_tried()),
        RungStep {
            name: "diskstats",
            gives: RATES,
            why_not: no_diskstats(),
        },
    ];
    of(ladder)
}

fn step(gives: &'static str, strength: Strength, why_not: Option<String>) -> RungStep {
    RungStep {
        name: strength.rung(),
        gives,
        why_not,
    }
}

fn of(ladder: Vec<RungStep>) -> Rung {
    let taken = ladder.iter().position(|step| step.why_not.is_none());
    let higher = ladder.iter().take(taken.unwrap_or(ladder.len()));
    let why = |step: &RungStep| Some(format!("{}: {}.", step.name, step.why_not.as_ref()?));
    let why_not_higher = higher.filter_map(why).collect();
    let (name, gives) = taken.map_or(("nothing", "no times of devices"), |at| {
        (ladder[at].name, ladder[at].gives)
    });
    Rung {
        name,
        gives,
        why_not_higher,
        ladder,
    }
}

/// Why it cannot be attached; none where it can.
fn tried(strength: Strength) -> Option<String> {
    // A device number that no disk has: nothing is counted.
    let nobody = ProbedDevice {
        major: 0,
        minor: 0,
        name: "none".into(),
    };
    Layers::attach(&[nobody], strength)
        .err()
        .map(|error| error.to_string())
}

/// Tried on disks one after the other, as each can be in use by another trace.
fn blktrace_tried() -> Option<String> {
    const TRIES: usize = 8;
    let mut why = None;
    for name in Host::live().list("/sys/block").into_iter().take(TRIES) {
        let device = ProbedDevice {
            major: 0,
            minor: 0,
            name,
        };
        match blktrace::try_on(&device) {
            Ok(()) => return None,
            Err(error) => why = Some(error.to_string()),
        }
    }
    Some(why.unwrap_or_else(|| "there is no disk to try it on".into()))
}

fn no_diskstats() -> Option<String> {
    let is_there = Host::live().exists("/proc/diskstats");
    (!is_there).then(|| "/proc/diskstats is not there".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(refused: &[&'static str]) -> Vec<RungStep> {
        let step = |name: &'static str| RungStep {
            name,
            gives: "",
            why_not: refused.contains(&name).then(|| format!("no {name} here")),
        };
        ["eBPF", "perf", "tracefs", "blktrace", "diskstats"]
            .map(step)
            .to_vec()
    }

    #[test]
    fn the_highest_that_can_be_had_is_taken() {
        assert_eq!(of(ladder(&["tracefs"])).name, "eBPF");
        assert!(of(ladder(&["tracefs"])).why_not_higher.is_empty());
        let rung = of(ladder(&["eBPF", "perf", "blktrace"]));
        assert_eq!(rung.name, "tracefs");
        assert_eq!(
            rung.why_not_higher,
            ["eBPF: no eBPF here.", "perf: no perf here."]
        );
        let none = of(ladder(&[
            "eBPF",
            "perf",
            "tracefs",
            "blktrace",
            "diskstats",
        ]));
        assert_eq!((none.name, none.why_not_higher.len()), ("nothing", 5));
    }
}
