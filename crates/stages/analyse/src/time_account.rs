//! Where the time of an I/O went, adding up to all of it.
//!
//! Two kinds of load have two ways. Where every thread waits for its one I/O, the thread's time is the I/O's: its time on a CPU and
//! in a run queue is counted by the kernel, the rest it slept, and programs in the kernel or samples tell where. Where more is in flight than there are
//! threads, the block layer's own times tell what lay inside; of the rest, which lies before and behind it, the threads' doings
//! explain as much as they were busy, and what is left passed between the device's end and the program.

mod levels;
mod sleeps;

use levels::Levels;
use model::check::{Probe, Role};
use model::layers::LayerSide;
use model::time_account::{TaskTimes, TimeAccount, TimePart, TimePlace};
use sleeps::Sleeps;
use std::collections::BTreeMap;

/// Parts of less than this are left out, and the others scaled up to all of the time.
const LEAST: f64 = 1e-3;
/// What is counted, and not sampled, is known to this share: the histograms' cells, and edges that are not the load's to the
/// millisecond.
const COUNTED: f64 = 0.01;
/// Where no device had I/O for more than this share of the sleep, the wait is not that for a wake-up: the I/O is held back before the
/// block layer counts it. A control group's limit does that (Linux traces the queueing of a bio after its throttling).
const HELD: f64 = 0.8;
/// A quota that held less than this is no matter.
const QUOTA: f64 = 0.01;

/// The account of a load; none where its threads were not watched, of idle time, and of loads of two kinds at once. `disks` are
/// the names of the devices at the bottom of the path.
pub fn account(probe: &Probe, disks: &[&str]) -> Option<TimeAccount> {
    let tasks = probe.tasks.as_ref()?;
    let ios = probe.load.read.ios + probe.load.write.ios;
    if matches!(probe.role, Role::Idle | Role::Mixed) || ios == 0 || tasks.looks == 0 {
        return None;
    }
    let threads = Threads::of(probe, tasks);
    let is_one_each = probe.load.depth <= probe.job.numjobs.max(1);
    let (mean_us, shares) = match is_one_each {
        true => {
            let thread_ms = probe.load.elapsed_ms * f64::from(tasks.threads);
            let shares = one_each(probe, &threads, disks);
            (thread_ms * 1e3 / ios as f64, shares)
        }
        false => (probe.mean_us()?, many(probe, &threads, disks)?),
    };
    Some(TimeAccount {
        load: probe.phrase(),
        io: io(probe).into(),
        mean_us,
        off: threads.off.max(shares.off),
        is_traced: probe.layers.is_some(),
        parts: parts(shares, &threads.sleeps, tasks.looks),
    })
}

fn io(probe: &Probe) -> &'static str {
    match (probe.role, probe.job.rw.writes()) {
        (Role::Fsync, _) => "write and its fsync",
        (_, true) => "write",
        _ => "read",
    }
}

/// What the threads did, as shares of their time.
struct Threads {
    user: f64,
    system: f64,
    delay: f64,
    quota: f64,
    asleep: f64,
    /// What the kernel's workers did for them meanwhile, in thread times.
    worker_run: f64,
    worker_delay: f64,
    /// By how much sleep as it is counted differs from sleep as it was seen.
    off: f64,
    /// Time that all threads lived, whether they were watched or not, ms.
    lived_ms: f64,
    sleeps: Sleeps,
}

impl Threads {
    fn of(probe: &Probe, tasks: &TaskTimes) -> Threads {
        let of_all = |ms: f64| (ms / tasks.alive_ms.max(1e-9)).clamp(0.0, 1.0);
        let (user_ms, system_ms) = (probe.load.cpu_user_ms, probe.load.cpu_system_ms);
        // Some kernels count no time in run queues; the process's CPU time is known everywhere.
        let run_ms = match tasks.run_ms > 0.0 {
            true => tasks.run_ms,
            false => user_ms + system_ms,
        };
        let run = of_all(run_ms);
        let delay = of_all(tasks.delay_ms).min(1.0 - run);
        let user = run * user_ms / (user_ms + system_ms).max(1e-9);
        let slept = 1.0 - run - delay;
        let seen = match &tasks.off_cpu {
            Some(off_cpu) => off_cpu.slept_ms / off_cpu.followed_ms.max(tasks.alive_ms),
            None => tasks.asleep as f64 / tasks.looks as f64,
        };
        // A task that its quota holds is able to run, asleep nowhere. Up to Linux 6.17 it stays in its run queue, which counts as
        // delay; from 6.18 on it is taken out (kernel/sched/fair.c, throttle_cfs_rq_work), which counts as nothing.
        let held = of_all(tasks.throttled_ms.unwrap_or(0.0));
        let (uncounted, in_queue) = match held > QUOTA {
            true => {
                let uncounted = (slept - seen).clamp(0.0, held);
                (uncounted, (held - uncounted).min(delay))
            }
            false => (0.0, 0.0),
        };
        let asleep = slept - uncounted;
        Threads {
            user,
            system: run - user,
            delay: delay - in_queue,
            quota: uncounted + in_queue,
            asleep,
            worker_run: tasks.worker_run_ms / tasks.alive_ms.max(1e-9),
            worker_delay: tasks.worker_delay_ms / tasks.alive_ms.max(1e-9),
            off: (asleep - seen).abs(),
            lived_ms: probe.load.elapsed_ms * f64::from(tasks.threads),
            sleeps: Sleeps::of(tasks),
        }
    }

    /// What they did that is no sleep.
    fn awake(&self) -> [(TimePlace, f64); 4] {
        [
            (TimePlace::Program, self.user),
            (TimePlace::SystemCall, self.system),
            (TimePlace::CpuWait, self.delay),
            (TimePlace::CpuThrottled, self.quota),
        ]
    }
}

/// Shares by place, and by how much the time inside the block layer is more than all of it.
#[derive(Default)]
struct Shares {
    by_place: BTreeMap<TimePlace, f64>,
    off: f64,
}

impl Shares {
    fn add(&mut self, place: TimePlace, share: f64) {
        if share > 0.0 {
            *self.by_place.entry(place).or_default() += share;
        }
    }

    fn add_scaled(&mut self, parts: &[(TimePlace, f64)], whole: f64) {
        let sum: f64 = parts.iter().map(|(_, share)| share).sum();
        if sum > 0.0 {
            parts
                .iter()
                .for_each(|(place, share)| self.add(*place, share / sum * whole));
        }
    }
}

/// Every thread waits for its one I/O.
fn one_each(probe: &Probe, threads: &Threads, disks: &[&str]) -> Shares {
    let mut shares = Shares::default();
    for (place, share) in threads.awake() {
        shares.add(place, share);
    }
    let sleeps = &threads.sleeps;
    for (place, share) in sleeps.certain() {
        shares.add(place, share * threads.asleep);
    }
    // Who sleeps while a worker computes for it waits for that.
    let open = sleeps.open_share() * threads.asleep;
    let worked = threads.worker_run.min(open);
    shares.add(TimePlace::SystemCall, worked);
    let open = open - worked;
    let levels = Levels::of(probe.layers.as_ref(), disks, &LayerSide::ALL);
    let with_device = sleeps.with_device() * open;
    let traced = levels
        .as_ref()
        .map(|levels| levels.whole_ms / threads.lived_ms);
    let below = traced.unwrap_or(with_device).min(with_device);
    let of_below = levels.map_or_else(|| vec![(TimePlace::Device, 1.0)], |levels| levels.parts);
    shares.add_scaled(&of_below, below);
    let mut rest = sleeps.without_device();
    for (place, _) in &mut rest {
        if *place == TimePlace::Completion {
            *place = way_back(below / open.max(1e-9));
        }
    }
    shares.add_scaled(&rest, open - below);
    shares
}

/// More is in flight than there are threads.
fn many(probe: &Probe, threads: &Threads, disks: &[&str]) -> Option<Shares> {
    let mut shares = Shares::default();
    let mean_ns = probe.mean_us()? * 1e3;
    let (side, await_ms) = match probe.job.rw.writes() {
        true => (LayerSide::Write, "disk.await_write_ms"),
        false => (LayerSide::Read, "disk.await_read_ms"),
    };
    let levels = Levels::of(probe.layers.as_ref(), disks, &[side]);
    let inside = match &levels {
        Some(levels) => levels.mean_ns / mean_ns,
        None => await_longest_ms(probe, await_ms, disks)? * 1e6 / mean_ns,
    };
    shares.off = (inside - 1.0).max(0.0);
    let inside = inside.min(1.0);
    // Others' I/O keeps a device busy too; what was traced is of the load alone, or nearly.
    let with_device = threads.sleeps.with_device();
    let in_block_layer = levels
        .as_ref()
        .map_or(with_device, |_| inside.min(with_device));
    let of_inside = levels.map_or_else(|| vec![(TimePlace::Device, 1.0)], |levels| levels.parts);
    shares.add_scaled(&of_inside, inside);
    let outside = 1.0 - inside;
    let mut busy = threads.awake().to_vec();
    busy.extend([
        (TimePlace::SystemCall, threads.worker_run),
        (TimePlace::CpuWait, threads.worker_delay),
    ]);
    // Who waits for a completion, or for a request, is inside.
    let waits = threads.sleeps.places().into_iter().filter(|(place, _)| {
        !matches!(
            place,
            TimePlace::Completion | TimePlace::Request | TimePlace::Device
        )
    });
    busy.extend(waits.map(|(place, share)| (place, share * threads.asleep)));
    let explained = busy
        .iter()
        .map(|(_, share)| share)
        .sum::<f64>()
        .min(outside);
    shares.add_scaled(&busy, explained);
    shares.add(way_back(in_block_layer), outside - explained);
    Some(shares)
}

/// Where an I/O is that no device has while its thread waits for it: on its way back, or held back before, where the block layer
/// had it for a small part of the wait only.
fn way_back(in_block_layer: f64) -> TimePlace {
    match in_block_layer < 1.0 - HELD {
        true => TimePlace::Request,
        false => TimePlace::Completion,
    }
}

/// What the kernel's counters of the disks say; of several the slowest.
fn await_longest_ms(probe: &Probe, field: &str, disks: &[&str]) -> Option<f64> {
    let each = disks.iter().filter_map(|disk| probe.frame.get(field, disk));
    each.max_by(f64::total_cmp)
}

/// The parts that are worth a word, as shares of all of it.
fn parts(shares: Shares, sleeps: &Sleeps, looks: u64) -> Vec<TimePart> {
    let kept: Vec<(TimePlace, f64)> = shares
        .by_place
        .into_iter()
        .filter(|(_, share)| *share >= LEAST)
        .collect();
    let sum: f64 = kept.iter().map(|(_, share)| share).sum();
    let part = |(place, share): (TimePlace, f64)| {
        let share = share / sum;
        let function = sleeps.function(place);
        let sampled = 1.96 * (share * (1.0 - share) / looks as f64).max(0.0).sqrt();
        TimePart {
            place,
            share,
            uncertainty: if function.is_some() {
                sampled + COUNTED
            } else {
                COUNTED
            },
            function,
        }
    };
    kept.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests;
