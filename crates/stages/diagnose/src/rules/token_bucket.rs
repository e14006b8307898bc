//! # A rate capped from outside
//!
//! ## What it finds
//! A rate that is flat to 3 % over the second half of the run while latency comes in two steps (the 75th percentile
//! at least four times the median, and little above it), or after a beginning that was at least 1.3 times faster.
//! The thresholds are proposals of this project.
//!
//! ## Why it matters
//! So a token bucket looks, by which cloud disks, hypervisors and control groups limit I/O: as long as there are
//! tokens I/Os are fast, then each waits for the next one. The median says nothing about it, and no setting of the
//! kernel moves the rate. The beginning is the bucket's stock.
//!
//! ## What to try
//! Compare the rate with what the disk's type promises; read the settled rate, not the mean.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=read -bs=4k -iodepth=64 -size=10G
//! disk: vda transport=virtio
//! result: read=1570000@947us+105000@1200us+945000@8ms elapsed=130s
//! intervals: 61556 20150 20160 20140 20150 20150 20155 20145 20150 20150 20150 20150 20160 20150 20140 20150 20150 20150 20150 20150
//! expect: warning says "flat at 20.1 k IOPS" says "946 µs and 8.03 ms"
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! disk: vda transport=virtio
//! result: read=60000@1ms elapsed=20s
//! intervals: 6000 6000 6000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000
//! expect: warning says "6.00 k IOPS at the beginning"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=64
//! disk: nvme0n1 transport=nvme
//! result: read=900000@90us+100000@120us elapsed=20s
//! intervals: 50000 50100 50000 49900 50000 50000 50100 50000 50000 49900 50000 50000 50100 50000 50000 50000 50000 50000 50000 50000
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=64 -rate_iops=3000
//! disk: vda transport=virtio
//! result: read=40000@1ms+20000@8ms elapsed=20s
//! intervals: 6000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000 3000
//! ```
//!
//! ## Sources
//! - A field report of a cloud disk: 20,151 IOPS whatever was tried, p50 0.95 ms, a plateau from p70 to p99, 61,556
//!   at first

use crate::finding::{With, warning};
use crate::measured::{block_results, interval_rates};
use crate::{Rule, RuleFacts, When};
use analyse::plateau;
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "token_bucket",
    since: "0.1.0",
    summary: "a rate that somebody outside has capped",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[
        "cgroup_limit_reached",
        "rate_capped_outside",
        "burst_used_up",
        "promise_reached",
    ],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_free = |result: &&SectionResult| {
        !result.job.is_paced() && result.job.thinktime.us == 0 && result.job.direct
    };
    block_results(facts)
        .filter(is_free)
        .filter_map(one)
        .collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let rates = interval_rates(&result.load, |interval| {
        interval.read.ios + interval.write.ios
    });
    let plateau = plateau::of(&rates, &result.load.latency())?;
    let (settled, highest) = (plateau.settled, plateau.highest);
    let how = match plateau.steps {
        Some((low, high)) => {
            let words = |ns: u64| units::duration_ns(ns as f64);
            format!(
                "with latencies of {} and {} and little between",
                words(low),
                words(high)
            )
        }
        None => format!(
            "after {} IOPS at the beginning",
            units::count(highest.round())
        ),
    };
    let rate = units::count(settled.round());
    let claim = format!(
        "The rate is flat at {rate} IOPS {how}: a limit from outside, which no kernel setting moves."
    );
    let finding = warning(&result.name, claim)
        .shows("highest interval", units::count(highest.round()))
        .shows("settled", &rate)
        .refuted_by("Another depth or block size gives another rate in IOPS and in bytes.")
        .advise("Compare with what the disk's type or the container promises, and read the settled rate.");
    Some(finding)
}
