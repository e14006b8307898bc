//! # Time that no rule explains
//!
//! ## What it finds
//! A place that takes a quarter of the time of an I/O and more, on storage that should spend it in the device, and of which no
//! other finding says why.
//!
//! ## Why it matters
//! A fault that no rule knows still takes its time somewhere. The place says where to look: a lock of the file system, memory, a
//! wait before the disk, the way back from the device.
//!
//! ## What to try
//! Look at that place: the function of the kernel that is named with `perf trace -s`, `bpftrace` or `/proc/PID/stack`; what else
//! uses the same file system, memory or CPUs; the same load on another file system or device.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms
//! sleep: 40 140 rwsem_down_write_slowpath ext4_buffered_write_iter
//! span: sda write Q2C 200@1ms
//! span: sda write D2C 200@1ms
//! expect: warning says "rwsem_down_write_slowpath" says "no rule knows why"
//! ```
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=2000@1ms elapsed=2s depth=1
//! tasks: run=100ms
//! sleep: 60 100 io_cqring_wait
//! span: sda read Q2C 2000@200us
//! span: sda read D2C 2000@200us
//! expect: note says "between the device's end and the program"
//! ```
//! ```scene
//! disk: sda transport=sata
//! probe: write write=10000@3200us elapsed=1s depth=32
//! tasks: run=100ms delay=600ms worker_run=100ms worker_delay=50ms
//! span: sda write Q2C 10000@1300us
//! span: sda write D2C 10000@1300us
//! expect: warning says "waiting for a CPU"
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=10000@200us elapsed=2s depth=1
//! tasks: run=200ms delay=20ms
//! sleep: 160 20 io_cqring_wait
//! span: sda read Q2C 10000@160us
//! span: sda read D2C 10000@160us
//! ```
//! More threads than CPUs wait for each other:
//! ```scene
//! disk: sda transport=sata
//! probe: streams read=2000@4ms elapsed=2s depth=4
//! tasks: threads=4 run=3600ms delay=4000ms
//! span: sda read Q2C 2000@200us
//! span: sda read D2C 2000@200us
//! ```
//! The kernel's threads do the load's work, as those of a loop device do:
//! ```scene
//! disk: sda transport=sata
//! probe: write write=20000@800us elapsed=1s depth=32
//! tasks: threads=1 run=300ms delay=400ms
//! field: cpu.busy_percent 0 97
//! field: cpu.busy_percent 1 95
//! span: sda write Q2C 20000@300us
//! span: sda write D2C 20000@300us
//! ```
//! Several of the kernel's workers do a thread's writes, and wait for each other:
//! ```scene
//! disk: sda transport=sata
//! probe: write write=10000@3200us elapsed=1s depth=32
//! tasks: run=400ms delay=260ms worker_run=330ms worker_delay=740ms
//! field: cpu.busy_percent 0 67
//! field: cpu.busy_percent 1 56
//! span: sda write Q2C 10000@1300us
//! span: sda write D2C 10000@1300us
//! ```
//! A full queue waits for requests by its nature:
//! ```scene
//! disk: sda transport=sata
//! probe: depth read=200000@2560us elapsed=2s depth=256
//! tasks: run=200ms
//! sleep: 160 2 io_cqring_wait
//! span: sda read Q2G 1ms
//! span: sda read D2C 1ms
//! span: sda read Q2C 2ms
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device that was frozen for half of the time (Linux 6.18), told as a wait in `percpu_rwsem_wait`.
//!
//! ## Sources
//! - Gregg, Systems Performance, off-CPU analysis; xcapture of 0x.tools: samples of state, system call and wait channel
//! - The quarter, and three quarters of the CPUs for a load that waits for itself, are proposals of this project.

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::time_account::{TimeAccount, TimePart, TimePlace};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "time_without_cause",
    since: "0.1.0",
    summary: "a place that takes much of an I/O's time, and no rule knows why",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "somebody else's work was in the way for these seconds: then a second check does not show it",
    ],
    experiment: Experiment::Line("iodyno check {target} --deep # what lasts shows again"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &["cgroup_limit_reached", "cpu_time_stolen", "token_bucket"],
    judge,
};

/// From this share on a place is named.
const MUCH: f64 = 0.25;
/// With more in flight waiting for a request and in mappings is what queues do.
const DEPTH_MOST: u32 = 8;
/// A load that keeps this share of the CPUs busy waits for itself.
const OWN_CPUS: f64 = 0.75;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let mut worst: Option<(TimeAccount, TimePart)> = None;
    for account in scene.accounts() {
        let probe = scene.probes.iter().find(|one| one.phrase() == account.load);
        let Some(probe) = probe else { continue };
        let parts = account.parts.iter();
        let most = parts
            .filter(|part| is_riddle(part, probe))
            .max_by(|one, other| one.share.total_cmp(&other.share));
        if let Some(part) = most.cloned()
            && worst
                .as_ref()
                .is_none_or(|(_, least)| least.share < part.share)
        {
            worst = Some((account, part));
        }
    }
    worst
        .map(|(account, part)| finding(&account, &part))
        .into_iter()
        .collect()
}

/// Whether a place takes more of a load than it should. Time on a CPU, in the scheduler of a full queue and in the device is where
/// time belongs.
fn is_riddle(part: &TimePart, probe: &Probe) -> bool {
    let belongs = match part.place {
        TimePlace::Program
        | TimePlace::SystemCall
        | TimePlace::Scheduler
        | TimePlace::Plug
        | TimePlace::Device => true,
        TimePlace::CpuWait => waits_for_itself(probe) || waits_behind_workers(part, probe),
        TimePlace::Request | TimePlace::Mapping => probe.load.depth > DEPTH_MOST,
        // Writers are meant to be held.
        TimePlace::Writeback => probe.role == Role::BufferedWrite,
        _ => false,
    };
    !belongs && part.share - part.uncertainty >= MUCH
}

/// Whether the load's threads, and the kernel's for them, keep the CPUs busy.
fn waits_for_itself(probe: &Probe) -> bool {
    let Some(tasks) = &probe.tasks else {
        return false;
    };
    let cpus = f64::from(tasks.cpus);
    let all = |id| probe.frame.each(id).map(|(_, percent)| percent / 100.0);
    let others: f64 = tasks.cpu_users.iter().map(|user| user.cpus).sum();
    // The CPU time of kernel threads is no other program's.
    let with_kernel = match all("cpu.busy_percent").count() as f64 == cpus {
        true => {
            all("cpu.busy_percent").sum::<f64>() - all("cpu.steal_percent").sum::<f64>() - others
        }
        false => 0.0,
    };
    tasks.own_cpus().max(with_kernel) >= OWN_CPUS * cpus
}

/// Whether it is the kernel's workers that wait, rather than the load's threads. io_uring wakes several of them for a batch of
/// writes, on the CPU of the thread that submits: they stand in line behind each other (seen on Linux 6.1, xfs on a fast disk).
/// Where another program is in their way, `cpus_taken_by_others` says so.
fn waits_behind_workers(part: &TimePart, probe: &Probe) -> bool {
    let of_threads = probe.tasks.as_ref().map_or(1.0, |tasks| {
        tasks.delay_ms / (tasks.delay_ms + tasks.worker_delay_ms).max(1e-9)
    });
    part.share * of_threads - part.uncertainty < MUCH
}

fn finding(account: &TimeAccount, part: &TimePart) -> Finding {
    // What lies outside of the way to the disk is no property of a disk; the others can be one.
    let level = match part.place {
        TimePlace::Memory
        | TimePlace::FileSystem
        | TimePlace::Journal
        | TimePlace::CpuWait
        | TimePlace::CpuThrottled => Level::Warning,
        _ => Level::Note,
    };
    let function = part
        .function
        .as_ref()
        .filter(|_| part.place != TimePlace::Completion);
    let function = function.map_or(String::new(), |name| format!(" ({name})"));
    let claim = format!(
        "Under {} {} of each {} is spent {}{function}; no rule knows why.",
        account.load,
        units::share(part.share),
        account.io,
        part.place.phrase()
    );
    let uncertainty = format!(
        "{} ± {}",
        units::share(part.share),
        units::share(part.uncertainty)
    );
    let finding = found(level, "", claim)
        .costs(&account.load, part.share)
        .shows("share of the time", uncertainty)
        .shows("time of an I/O", units::duration_ns(account.mean_us * 1e3))
        .refuted_by("a second check spends its time elsewhere")
        .advise("Look at that place with perf or bpftrace, and at what else uses it.");
    Finding {
        place: Some(part.place),
        ..finding
    }
}
