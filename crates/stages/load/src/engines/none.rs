//! # No load of its own: judges the one that is there
//!
//! ## What it does
//! Starts nothing and changes nothing. It reads the counters of the block device below the target every 5 ms
//! (`/sys/class/block/DEVICE/stat`) and takes what the device completes for others as the load: reads, writes,
//! discards and flushes, their bytes, and the rate over time. Under `tune` the production load that runs on the device
//! is what a setting is proved on.
//!
//! ## Options
//! None; `runtime` says how long to look. The job's `rw`, `bs`, `iodepth` and the rest have no meaning here.
//!
//! ## Danger to data
//! None. The target is not opened.
//!
//! ## Limits
//! The device counts requests: neighbours that were merged on the way are one, an I/O that was split is several, and
//! what the page cache answered is not there at all. Everybody's I/O is counted, also that of other partitions and of
//! iodyno's own records. A device with `queue/iostats` at 0 counts nothing.
//!
//! The kernel tells the time that requests took as a sum in ms. A mean over the whole run follows from it and is given
//! as a note; percentiles do not, so there are no latencies, and under `tune` the tail is not judged. A production load
//! that changes by itself is noise to an experiment: it takes longer or ends without a verdict, never with a wrong one
//! because of it. A device on which nothing happens for three seconds is an error: there is no load to judge.
//!
//! ## Example
//! ```text
//! iodyno run /srv/db --ioengine none --runtime 30s
//! iodyno tune /srv/db --ioengine none --knob scheduler
//! ```

use crate::device::{LOOK_NS, Watched};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};
use host::clock;
use host::process::CpuTime;
use model::units;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "none",
    since: "0.1.0",
    summary: "no load of its own: watches what others do to the device",
    has_depth: false,
    runs: Runs::LookingOn,
    needs: Needs::Nothing,
    operations: &[],
    open,
};

/// How long a device may do nothing before that is an error, ns.
const IDLE_NS: u64 = 3_000_000_000;

fn unusable(why: String) -> LoadError {
    LoadError::Engine {
        engine: ENGINE.id.into(),
        why,
    }
}

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let failed = |why| OpenError::Failed(unusable(why));
    let device = worker.place.device.clone().ok_or_else(|| {
        failed(format!(
            "there is no block device below {} whose counters could be read. Name a target on a disk",
            model::text::shown(worker.place.path())
        ))
    })?;
    let watched = Watched::open(&worker.place.host, &device).map_err(failed)?;
    Ok(Opened {
        description: format!("none: the load that is on {device}, by its own counters"),
        notes: vec![format!(
            "requests as {device} counts them, of everybody: merged ones are one, split ones several; no latency \
             percentiles can be had from its counters"
        )],
        drive: Box::new(move |worker| drive(worker, watched, &device)),
    })
}

fn drive(worker: &Worker, mut watched: Watched, device: &str) {
    // Looking on is no part of the load.
    worker.shared.set_cpu(CpuTime::default());
    if let Err(why) = watch(worker, &mut watched, device) {
        worker.shared.fail(unusable(why));
    }
    for (kind, mean_ns) in watched.means_ns() {
        worker.shared.note(format!(
            "mean time of a {kind} request in {device}: {}, by the kernel's sums over the whole run",
            units::duration_ns(mean_ns)
        ));
    }
}

fn watch(worker: &Worker, watched: &mut Watched, device: &str) -> Result<(), String> {
    watched.begin(worker.clock.now_ns())?;
    let (mut seen, mut next_ns) = (0, worker.origin_ns);
    while !worker.is_stopping() {
        // Looks keep to the bins' edges; one that comes late is followed by the next that is due.
        let now_ns = worker.clock.now_ns();
        next_ns += LOOK_NS * (now_ns.saturating_sub(next_ns) / LOOK_NS + 1);
        clock::sleep_ns(next_ns.saturating_sub(now_ns));
        seen += watched.look(worker)?;
        if seen == 0 && worker.clock.now_ns().saturating_sub(worker.origin_ns) > IDLE_NS {
            return Err(idle(device));
        }
    }
    match seen {
        0 => Err(idle(device)),
        _ => Ok(()),
    }
}

fn idle(device: &str) -> String {
    format!(
        "{device} completed nothing while it was watched: there is no load to judge. Start the program whose I/O \
         matters, or use another engine to make a load"
    )
}

#[cfg(test)]
mod tests;
