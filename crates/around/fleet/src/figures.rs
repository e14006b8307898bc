//! The few figures of a record by which hosts stand in a table.

use model::check::Role;
use model::finding::Finding;
use model::histogram::Histogram;
use model::record::{LoadResult, Record};
use std::collections::BTreeMap;

/// What a load of a host did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LoadFigures {
    iops: f64,
    bytes_per_s: f64,
    latency: Histogram,
}

/// What a host's load did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostFigures {
    /// What they are of: `depth 32`; empty where it is the load itself.
    pub of: String,
    /// Completed I/Os a second; none without a load.
    pub iops: Option<f64>,
    /// Completed bytes a second.
    pub bytes_per_s: Option<f64>,
    /// Latencies of all I/Os.
    pub latency: Histogram,
    /// The first finding, a sentence.
    pub finding: Option<String>,
    /// Of a check its random reads by their depth.
    pub(crate) depths: BTreeMap<u32, LoadFigures>,
}

impl LoadFigures {
    fn of(load: &LoadResult) -> LoadFigures {
        LoadFigures {
            iops: load.iops(),
            bytes_per_s: load.bytes_per_s(),
            latency: load.latency(),
        }
    }
}

impl HostFigures {
    /// Of a run its load, of several sections the first one's; of a check its deepest random reads, until hosts are laid
    /// side by side ([`at_common_depth`]).
    pub fn of(record: &Record) -> HostFigures {
        let mut figures = HostFigures {
            finding: first_finding(&record.findings),
            ..HostFigures::default()
        };
        if let Some(load) = record.load() {
            figures.show("", LoadFigures::of(load));
            return figures;
        }
        let probes = record.check().map(|check| check.probes.as_slice());
        let deep = probes.unwrap_or_default().iter();
        let deep = deep.filter(|probe| probe.role == Role::Depth);
        figures.depths = deep
            .map(|probe| (probe.load.depth.max(1), LoadFigures::of(&probe.load)))
            .collect();
        if let Some(depth) = figures.depths.keys().next_back().copied() {
            figures.show_depth(depth);
        }
        figures
    }

    fn show(&mut self, of: &str, load: LoadFigures) {
        self.of = of.into();
        self.iops = Some(load.iops);
        self.bytes_per_s = Some(load.bytes_per_s);
        self.latency = load.latency;
    }

    fn show_depth(&mut self, depth: u32) {
        if let Some(load) = self.depths.get(&depth).cloned() {
            self.show(&format!("random reads, depth {depth}"), load);
        }
    }

    /// The latency that 99 of 100 I/Os did not exceed, ns.
    pub fn p99_ns(&self) -> Option<u64> {
        self.latency.quantile_ns(0.99)
    }
}

/// Has checks of several hosts show the same load: the deepest that all of them made. Other loads stay as they are, and so do
/// hosts that made none.
pub fn at_common_depth(hosts: &mut [&mut HostFigures]) {
    let mut with = hosts.iter().filter(|host| !host.depths.is_empty());
    let Some(first) = with.next() else {
        return;
    };
    let others: Vec<_> = with.collect();
    let mut depths = first.depths.keys().rev();
    let is_common = |depth: &&u32| others.iter().all(|host| host.depths.contains_key(*depth));
    let Some(depth) = depths.find(is_common).copied() else {
        return;
    };
    hosts.iter_mut().for_each(|host| host.show_depth(depth));
}

/// The worst of those that no measurement took back, the first of its level.
fn first_finding(findings: &[Finding]) -> Option<String> {
    let standing = findings.iter().filter(|one| one.withdrawn.is_none());
    let worst = standing.clone().map(|one| one.level).max()?;
    let mut of_it = standing.filter(|one| one.level == worst);
    let claim = of_it.next().map(|one| one.claim.as_str())?;
    Some(model::text::clean_to(claim, 300))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(depths: &[(u32, f64)]) -> HostFigures {
        let mut figures = HostFigures::default();
        for (depth, iops) in depths {
            let load = LoadFigures {
                iops: *iops,
                ..LoadFigures::default()
            };
            figures.depths.insert(*depth, load);
        }
        let deepest = depths.last().map(|(depth, _)| *depth).unwrap_or_default();
        figures.show_depth(deepest);
        figures
    }

    #[test]
    fn checks_are_compared_by_a_load_that_all_have_made() {
        let mut one = check(&[(1, 10.0), (8, 80.0), (64, 90.0)]);
        let mut other = check(&[(1, 9.0), (8, 70.0), (32, 75.0)]);
        let mut none = HostFigures::default();
        at_common_depth(&mut [&mut one, &mut other, &mut none]);
        assert_eq!(
            (one.iops, other.iops, none.iops),
            (Some(80.0), Some(70.0), None)
        );
        assert_eq!(one.of, "random reads, depth 8");
    }
}
