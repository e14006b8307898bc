//! # CPU time per I/O of the own load
//!
//! ## What it measures
//! The CPU time of the load, user and kernel, divided by the I/Os that it completes, every 200 ms; lower is better. The
//! kernel's workers that io_uring uses for it count as the load's.
//!
//! ## When to use it
//! Where the disk keeps up and the CPUs are what runs out: merges, I/O statistics, schedulers, completions on the CPU that
//! asked. Give the load a fixed rate (`--rate-iops`) where the values should be compared at equal work.
//!
//! ## Limits
//! It needs a load of iodyno's own. The kernel charges an interrupt to whichever program it interrupts, unless it was built to
//! account interrupts apart (`CONFIG_IRQ_TIME_ACCOUNTING`), and its block workers (`kblockd`, a loop device's) to nobody:
//! what those do is not in it. iodyno's own looks at the counters are, a few tenths of a per cent of one CPU. A thread that is on a
//! CPU is counted up to its last tick (1 to 10 ms).
//!
//! ## Example
//! ```text
//! iodyno tune /data --rw randread --rate-iops 20000 --metric cpu_per_io --knob rq_affinity --knob nomerges
//! ```

use crate::meter::{Counting, Counts, Meter, MeterError, Total, needs_own_load};
use host::process;
use load::Running;
use model::job::Job;
use model::metric::ExperimentMetric;

const GRAIN_MS: u64 = 200;

/// The meter.
pub static METER: Meter = Meter {
    id: "cpu_per_io",
    metric,
    counts: Counts::OwnCost,
    least_amount: |_| 0,
    unfit: needs_own_load,
    options: &[],
    ask: None,
    of_load: None,
    open: |_| Ok(Box::new(Counting::per_io(read))),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric::time("CPU time per I/O", GRAIN_MS)
}

fn read(load: &Running) -> Result<Total, MeterError> {
    let now = load.snapshot();
    let used = process::cpu_time();
    Ok(Total {
        at_ns: now.at_ns,
        amount: (used.user_ns + used.system_ns) as f64,
        ios: now.ios as f64,
    })
}
