//! # A volume that may still be loading from its snapshot
//!
//! ## What it finds
//! A network disk of a cloud whose random reads take 10 ms and more and five times as long as its random writes. A
//! suspicion, as a note: from inside it cannot be told from a slow disk before blocks are read twice.
//!
//! ## Why it matters
//! A volume made from a snapshot fetches each block from the object store when it is first touched. The first read
//! takes tens of milliseconds, the second one does not, and a test of a fresh volume measures the object store.
//!
//! ## What to try
//! Read all of it once (`dd` or fio over the whole device), or use the provider's fast restore. Then measure.
//!
//! ## Example
//! ```scene
//! machine: provider=aws
//! disk: nvme1n1 transport=nvme model=Amazon_Elastic_Block_Store
//! probe: latency read=60@18ms depth=1 elapsed=1s
//! probe: write write=800@1200us depth=1 elapsed=1s
//! expect: note says "first touched" about nvme1n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: provider=aws
//! disk: nvme1n1 transport=nvme model=Amazon_Elastic_Block_Store
//! probe: latency read=900@900us depth=1 elapsed=1s
//! probe: write write=800@1200us depth=1 elapsed=1s
//! ```
//! ```scene
//! machine: provider=aws
//! disk: nvme1n1 transport=nvme model=Amazon_Elastic_Block_Store
//! probe: latency read=60@18ms depth=1 elapsed=1s
//! probe: write write=60@17ms depth=1 elapsed=1s
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: latency read=60@18ms depth=1 elapsed=1s
//! probe: write write=800@1200us depth=1 elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `volume_from_snapshot`, where dm-delay holds reads back by 200 ms and the firmware says Amazon: the reading of a
//! real snapshot takes a volume of that provider.
//!
//! ## Sources
//! - AWS, Amazon EBS User Guide, Initialize Amazon EBS volumes
//! - The 10 ms and the factor of five are proposals of this project: reads of ready volumes take about as long as writes.

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "volume_still_loading",
    since: "0.1.0",
    summary: "reads of a cloud volume far slower than its writes",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "a hard disk behind it with a write cache: then the second read of a block is as slow",
        "a cap on reads alone: then the rate is flat to the per cent",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -direct=1 -size=256m -randseed=1 -runtime=20 # twice: a volume that was loading is fast the second time",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SLOW_US: f64 = 10_000.0;
const TIMES: f64 = 5.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let provider = scene.path.machine_fact("provider")?;
    let disk = scene.disks().into_iter().next()?;
    let read = scene.probe(Role::Latency)?.percentile_us(0.5)?;
    let write = scene.probe(Role::Write)?.percentile_us(0.5)?;
    (read >= SLOW_US && read >= TIMES * write).then(|| {
        let words = |us: f64| units::duration_ns(us * 1e3);
        let claim = format!(
            "{}: reads take {} and writes {}: a volume from a snapshot fetches blocks when they are first touched.",
            disk.name,
            words(read),
            words(write)
        );
        note(&disk.name, claim)
            .shows("provider", provider)
            .shows("read p50", words(read))
            .shows("write p50", words(write))
            .refuted_by("the same blocks are as slow when they are read again")
            .advise("Read all of the volume once, and measure after that.")
            .gains(0.3)
    })
}
