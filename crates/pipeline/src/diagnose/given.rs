//! What storage gives, by the short loads of a check.

use super::Scene;
use model::check::{Given, Probe, Role, What};
use model::units;

/// The figures that the loads came to; a load that was not made gives none.
pub fn gives(scene: &Scene<'_>) -> Vec<Given> {
    let latency = scene.probe(Role::Latency).and_then(latency);
    let best = scene.all(Role::Depth).filter(|probe| probe.load.ios() > 0);
    let random = best.max_by(|one, other| one.iops().total_cmp(&other.iops()));
    let random = random.map(|probe| given(What::RandomReads, probe.iops(), probe.phrase()));
    let rate = |what, role| bytes(scene.probe(role)?, what);
    let writes = scene.probe(Role::Write).filter(|probe| probe.load.ios() > 0);
    let writes = writes.map(|probe| {
        let how = format!("depth {}", probe.load.depth.max(1));
        given(What::RandomWrites, probe.iops(), how)
    });
    let figures = [
        latency,
        random,
        rate(What::SequentialRead, Role::Stream),
        rate(What::SequentialReads, Role::Streams),
        writes,
        rate(What::SequentialWrite, Role::WriteStream),
        scene.probe(Role::Fsync).and_then(fsync),
    ];
    figures.into_iter().flatten().collect()
}

fn given(what: What, value: f64, how: String) -> Given {
    Given { what, value, unit: what.unit().into(), how }
}

/// The median, which a single stall does not move; the percentile beside it tells of stalls.
fn latency(probe: &Probe) -> Option<Given> {
    let (median, high) = (probe.percentile_us(0.5)?, probe.percentile_us(0.99)?);
    let how = format!("median, p99 {}", units::duration_ns(high * 1e3));
    Some(given(What::ReadLatency, median, how))
}

fn bytes(probe: &Probe, what: What) -> Option<Given> {
    let block = units::bytes(probe.job.bs as f64).replace(".00", "");
    let how = match probe.role {
        Role::Streams => format!("{} streams of {block}, direct", probe.job.numjobs.max(1)),
        _ => format!("blocks of {block}, direct"),
    };
    (probe.load.ios() > 0).then(|| given(what, probe.bytes_per_s(), how))
}

fn fsync(probe: &Probe) -> Option<Given> {
    let seconds = probe.load.elapsed_ms / 1e3;
    let syncs = probe.load.sync.ios.max(probe.load.write.ios);
    let high = probe.load.sync.latency.quantile_ns(0.99);
    let how = high.map_or(String::new(), |ns| format!("fsync p99 {}", units::duration_ns(ns as f64)));
    (syncs > 0 && seconds > 0.0).then(|| given(What::Fsyncs, syncs as f64 / seconds, how))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::{IoPath, Layer, LayerKind};
    use model::job::Job;
    use model::record::LoadResult;

    fn probe(role: Role, depth: u32, ios: u64, bs: u64) -> Probe {
        let mut load = LoadResult { depth, elapsed_ms: 2e3, ..LoadResult::default() };
        load.read.ios = ios;
        load.read.bytes = ios * bs;
        (0..ios).for_each(|_| load.read.latency.record(200_000));
        let job = Job { bs, ..Job::default() };
        Probe { role, job, load, frame: Default::default(), layers: None, start_ms: 0 }
    }

    #[test]
    fn the_best_depth_counts_and_what_did_nothing_does_not() {
        let path = IoPath::new("/srv", Layer::new(LayerKind::Target, "/srv"));
        let probes = [
            probe(Role::Latency, 1, 1000, 4096),
            probe(Role::Depth, 8, 4000, 4096),
            probe(Role::Depth, 32, 3000, 4096),
            probe(Role::Stream, 4, 200, 1 << 20),
            probe(Role::Streams, 16, 0, 1 << 20),
        ];
        let given = gives(&Scene { path: &path, probes: &probes, promise: None });
        let told: Vec<(What, f64)> = given.iter().map(|one| (one.what, one.value.round())).collect();
        assert_eq!(told[0].0, What::ReadLatency);
        assert!((told[0].1 - 200.0).abs() < 4.0, "{told:?}");
        assert_eq!(told[1], (What::RandomReads, 2000.0));
        assert_eq!(told[2], (What::SequentialRead, 104_857_600.0));
        assert_eq!((told.len(), given[1].how.as_str()), (3, "depth 8"));
    }
}
