//! What a visit measured: a level for each of its loads, all rounds together.

use model::check::{CheckResult, Probe, Role};
use model::guard::LevelMeasure;
use model::histogram::Histogram;

/// A 99th percentile of fewer I/Os is one wild I/O.
const TAIL_IOS: u64 = 500;

/// What a load got at a visit.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// What the load is for; a visit makes one kind of load for each.
    pub role: Role,
    /// The load, for people.
    pub load: String,
    /// What is measured of it.
    pub measure: LevelMeasure,
    /// In the unit of the measure.
    pub value: f64,
}

impl Level {
    /// The logarithm of the value, so that more is better.
    pub fn ln(&self) -> f64 {
        match self.measure.more_is_better() {
            true => self.value.ln(),
            false => -self.value.ln(),
        }
    }
}

/// The levels of a visit, in the order of its loads; none of loads that did nothing.
pub fn levels(check: &CheckResult) -> Vec<Level> {
    let mut roles: Vec<Role> = Vec::new();
    for probe in &check.probes {
        if probe.role != Role::Idle && !roles.contains(&probe.role) {
            roles.push(probe.role);
        }
    }
    roles
        .into_iter()
        .flat_map(|role| {
            let probes = check.probes.iter().filter(|probe| probe.role == role);
            of_role(role, &probes.collect::<Vec<_>>())
        })
        .filter(|level| level.value > 0.0)
        .collect()
}

fn of_role(role: Role, rounds: &[&Probe]) -> Vec<Level> {
    let level = |measure, value| Level {
        role,
        load: rounds.first().map_or(String::new(), |probe| probe.phrase()),
        measure,
        value,
    };
    let seconds: f64 = rounds.iter().map(|probe| probe.load.elapsed_ms / 1e3).sum();
    let rate = |sum: f64| if seconds > 0.0 { sum / seconds } else { 0.0 };
    let first = match role {
        Role::Stream | Role::Streams | Role::WriteStream => {
            let bytes: u64 = rounds.iter().map(|probe| probe.load.bytes()).sum();
            level(LevelMeasure::Bandwidth, rate(bytes as f64))
        }
        _ => {
            let ios: u64 = rounds.iter().map(|probe| probe.load.ios()).sum();
            level(LevelMeasure::Iops, rate(ios as f64))
        }
    };
    let tail = has_tail(role).then(|| tail_ns(role, rounds)).flatten();
    let tail = tail.map(|ns| level(LevelMeasure::P99, ns));
    [Some(first), tail].into_iter().flatten().collect()
}

/// Where one I/O waits for the next, its slowest are what a program feels. Of deep queues the tail follows the rate.
fn has_tail(role: Role) -> bool {
    matches!(role, Role::Latency | Role::Fsync)
}

fn tail_ns(role: Role, rounds: &[&Probe]) -> Option<f64> {
    let mut all = Histogram::new();
    for probe in rounds {
        match role {
            Role::Fsync => all.merge(&probe.load.sync.latency),
            _ => all.merge(&probe.load.latency()),
        }
    }
    let ns = (all.total() >= TAIL_IOS).then(|| all.quantile_ns(0.99));
    ns.flatten().map(|ns| ns as f64)
}
