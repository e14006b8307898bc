//! What a fleet answers: each host, all of them together, how far apart they began, who is different, what is still to be
//! done.

use crate::clock::{ClockOffset, Skew};
use crate::figures::HostFigures;
use crate::goes_with::GoesWith;
use crate::outlier::Outlier;
use crate::pending::Pending;
use crate::protocol::HostHello;
use crate::settings::SettingsTable;
use model::failure::{ErrorDocument, Exit};
use model::histogram::Histogram;
use serde::Serialize;
use serde_json::Value;

/// Schema of the document.
pub const FLEET_SCHEMA: &str = "iodyno.fleet/1";

/// What became of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// The verb ended, whatever it found.
    Done,
    /// The verb ended and did not do what it was asked.
    Failed,
    /// Nobody could be reached.
    #[default]
    Unreachable,
    /// It was reached and could not be used: no right, no room, another architecture.
    Refused,
    /// The connection ended before the verb did.
    Lost,
    /// It said nothing for too long.
    Silent,
    /// It sent what is no answer.
    Garbage,
    /// It was asked to stop.
    Stopped,
}

impl HostState {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            HostState::Done => "done",
            HostState::Failed => "failed",
            HostState::Unreachable => "unreachable",
            HostState::Refused => "not used",
            HostState::Lost => "lost",
            HostState::Silent => "silent",
            HostState::Garbage => "garbage",
            HostState::Stopped => "stopped",
        }
    }
}

/// One host.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HostAnswer {
    /// As the user calls it.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// What became of it.
    pub state: HostState,
    /// Why, where it is not done: a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The verb's exit code.
    pub exit: Option<i32>,
    /// Why the verb failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDocument>,
    /// What it said of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostHello>,
    /// Its clock beside ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockOffset>,
    /// How long after the first host its load began, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_after_ns: Option<u64>,
    /// Completed I/Os a second.
    pub iops: Option<f64>,
    /// Completed bytes a second.
    pub bytes_per_s: Option<f64>,
    /// The latency that 99 of 100 I/Os did not exceed, ns.
    pub p99_ns: Option<u64>,
    /// Of which of several loads these are: `depth 32`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub figures_of: String,
    /// The first finding, or what the verb said in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// Number of its record in the store here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<i64>,
    /// The document of a verb that makes no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
}

/// All hosts together.
#[derive(Clone, Debug, Serialize)]
pub struct FleetLine {
    /// Hosts that are in it.
    pub hosts: usize,
    /// Whether they loaded at the same time; else each did alone what is added up here.
    pub is_together: bool,
    /// The sum of their I/Os a second.
    pub iops: f64,
    /// The sum of their bytes a second.
    pub bytes_per_s: f64,
    /// Quantiles of all their I/Os, ns: of the merged histogram, not a mean of theirs.
    pub p50_ns: Option<u64>,
    /// The same.
    pub p99_ns: Option<u64>,
    /// The same.
    pub p999_ns: Option<u64>,
    /// All their latencies.
    pub latency: Histogram,
}

impl FleetLine {
    /// Of hosts that had a load; none without one.
    pub fn of<'a>(
        is_together: bool,
        hosts: impl Iterator<Item = &'a HostFigures>,
    ) -> Option<FleetLine> {
        let mut latency = Histogram::new();
        let (mut count, mut iops, mut bytes_per_s) = (0, 0.0, 0.0);
        for host in hosts {
            let Some(rate) = host.iops else {
                continue;
            };
            count += 1;
            iops += rate;
            bytes_per_s += host.bytes_per_s.unwrap_or(0.0);
            latency.merge(&host.latency);
        }
        (count > 0).then(|| FleetLine {
            hosts: count,
            is_together,
            iops,
            bytes_per_s,
            p50_ns: latency.quantile_ns(0.5),
            p99_ns: latency.quantile_ns(0.99),
            p999_ns: latency.quantile_ns(0.999),
            latency,
        })
    }
}

/// How the loads began together.
#[derive(Clone, Debug, Serialize)]
pub struct StartAnswer {
    /// Hosts whose beginning was told.
    pub hosts: usize,
    /// From the first to the last.
    #[serde(flatten)]
    pub skew: Skew,
    /// The host that began last.
    pub last: String,
}

/// The document.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FleetAnswer {
    /// [`FLEET_SCHEMA`].
    pub schema: &'static str,
    /// The verb and its words, as each host was given them.
    pub verb: Vec<String>,
    /// The hosts, in their order.
    pub hosts: Vec<HostAnswer>,
    /// All of them together; none without a load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetLine>,
    /// How far apart their loads began; none where they were not started together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<StartAnswer>,
    /// Hosts that are different.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outliers: Vec<Outlier>,
    /// What goes with being different.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goes_with: Vec<GoesWith>,
    /// What differs between the hosts; of `diff` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<SettingsTable>,
    /// Hosts of this list on which something may still be changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Pending>,
    /// The command that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What is worth knowing beside, each a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl FleetAnswer {
    /// The exit code of all: a host that gave no answer weighs most, then what a verb could not do, then what it found.
    pub fn exit(&self) -> Exit {
        // One that was not used for lack of a right has the exit code of that.
        let is_lost = |host: &HostAnswer| match host.state {
            HostState::Done | HostState::Failed | HostState::Stopped => false,
            HostState::Refused => host.exit.is_none(),
            _ => true,
        };
        if self.hosts.iter().any(is_lost) {
            return Exit::Failed;
        }
        let order = [
            (5, Exit::Failed),
            (4, Exit::Refused),
            (3, Exit::Rights),
            (2, Exit::Usage),
            (6, Exit::Undecided),
            (1, Exit::Found),
            (0, Exit::Fine),
        ];
        let has = |code: i32| self.hosts.iter().any(|host| host.exit == Some(code));
        let known = order.into_iter().find(|(code, _)| has(*code));
        let is_odd = |host: &HostAnswer| {
            let is_known = |exit| order.iter().any(|(code, _)| *code == exit);
            host.state == HostState::Failed && !host.exit.is_some_and(is_known)
        };
        match known {
            Some((_, exit)) if !self.hosts.iter().any(is_odd) => exit,
            _ => Exit::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(state: HostState, exit: Option<i32>) -> HostAnswer {
        HostAnswer {
            state,
            exit,
            ..HostAnswer::default()
        }
    }

    fn exit(hosts: &[(HostState, Option<i32>)]) -> Exit {
        let hosts = hosts.iter().map(|(state, exit)| host(*state, *exit));
        FleetAnswer {
            hosts: hosts.collect(),
            ..FleetAnswer::default()
        }
        .exit()
    }

    #[test]
    fn the_worst_host_decides_about_the_exit_code() {
        use HostState::{Done, Failed, Garbage, Lost};
        assert_eq!(exit(&[(Done, Some(0)), (Done, Some(0))]), Exit::Fine);
        assert_eq!(exit(&[(Done, Some(0)), (Done, Some(1))]), Exit::Found);
        assert_eq!(exit(&[(Done, Some(1)), (Failed, Some(4))]), Exit::Refused);
        assert_eq!(exit(&[(Failed, Some(3)), (Failed, Some(5))]), Exit::Failed);
        assert_eq!(exit(&[(Done, Some(0)), (Lost, None)]), Exit::Failed);
        assert_eq!(exit(&[(Done, Some(0)), (Garbage, Some(0))]), Exit::Failed);
        assert_eq!(exit(&[(Done, Some(0)), (Failed, Some(77))]), Exit::Failed);
        assert_eq!(exit(&[(Failed, None)]), Exit::Failed);
        assert_eq!(
            exit(&[(HostState::Refused, Some(3)), (Done, Some(0))]),
            Exit::Rights
        );
        assert_eq!(exit(&[(HostState::Refused, None)]), Exit::Failed);
    }

    #[test]
    fn histograms_are_merged_exactly() {
        let of = |latencies: &[u64], iops: f64| {
            let mut figures = HostFigures {
                iops: Some(iops),
                ..HostFigures::default()
            };
            latencies
                .iter()
                .for_each(|latency| figures.latency.record(*latency));
            figures
        };
        let all: Vec<u64> = (1..=1_000).map(|at| at * at * 7).collect();
        let hosts = [
            of(&all[..900], 900.0),
            of(&all[900..], 100.0),
            HostFigures::default(),
        ];
        let line = FleetLine::of(true, hosts.iter()).unwrap();
        assert_eq!((line.hosts, line.iops), (2, 1_000.0));
        let together = of(&all, 0.0).latency;
        assert_eq!(line.latency, together);
        assert_eq!(line.p99_ns, together.quantile_ns(0.99));
        assert!(FleetLine::of(true, hosts[2..].iter()).is_none());
    }
}
