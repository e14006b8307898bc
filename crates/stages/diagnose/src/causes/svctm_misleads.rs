//! # svctm, a time that no request takes
//!
//! Also: `svctm`.
//!
//! ## What it finds
//! A distribution whose iostat still prints svctm (sysstat before 12.1.2: RHEL and CentOS 7 and 8, Debian 10 and older, Ubuntu
//! 18.04 and older, Amazon Linux 2), and a load in which it is less than a third of the time that requests really took.
//!
//! ## Why it matters
//! svctm is %util divided by the rate. On a device that serves requests in parallel it is neither service nor time: at depth 32
//! it shows a thirtieth of what a request waits, and the disk looks innocent.
//!
//! ## What to try
//! Read await (r_await, w_await), and D2C of `iodyno run --layers` for the device's own part. sysstat has removed svctm.
//!
//! ## Example
//! ```scene
//! machine: distribution=CentOS_Linux_7_(Core)
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=50000@640us depth=32
//! field: disk.busy_percent nvme0n1 100
//! field: disk.reads_per_s nvme0n1 50000
//! field: disk.await_read_ms nvme0n1 0.62
//! expect: note says "0.02 ms" says "0.62 ms" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: distribution=Debian_GNU/Linux_12_(bookworm)
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=50000@640us depth=32
//! field: disk.busy_percent nvme0n1 100
//! field: disk.reads_per_s nvme0n1 50000
//! field: disk.await_read_ms nvme0n1 0.62
//! ```
//! ```scene
//! machine: distribution=CentOS_Linux_7_(Core)
//! disk: sda transport=sata rotational=1
//! probe: depth read=80@12ms depth=1
//! field: disk.busy_percent sda 99
//! field: disk.reads_per_s sda 80
//! field: disk.await_read_ms sda 12
//! ```
//!
//! ## Seen
//! Not produced: it takes one of those distributions, and none of them can be had from the archives that the lab is made from;
//! Debian 12's iostat prints no svctm.
//!
//! ## Sources
//! - sysstat's CHANGES, 12.1.2: "iostat: Remove service time (svctm)"; its iostat(1) before: "do not trust this field any more"

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "svctm_misleads",
    since: "0.1.0",
    summary: "an iostat whose svctm is a fraction of what requests take",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &["a newer sysstat was installed by hand: then iostat -x has no column svctm"],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=32 -direct=1 # with iostat -x 1 beside it; iostat -V names the version",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Beginnings of the names of distributions that came with sysstat before 12.1.2.
const OLD: &[&str] = &[
    "CentOS Linux 7",
    "CentOS Linux 8",
    "CentOS Stream 8",
    "Red Hat Enterprise Linux Server 7",
    "Red Hat Enterprise Linux 8",
    "AlmaLinux 8",
    "Rocky Linux 8",
    "Oracle Linux Server 7",
    "Oracle Linux Server 8",
    "Amazon Linux 2",
    "Alibaba Cloud Linux (Aliyun Linux) 2",
    "Debian GNU/Linux 8",
    "Debian GNU/Linux 9",
    "Debian GNU/Linux 10",
    "Ubuntu 14",
    "Ubuntu 16",
    "Ubuntu 18",
];

/// svctm below this share of await misleads. A proposal of this project.
const SHARE_MAX: f64 = 1.0 / 3.0;
/// A disk that is mostly idle alarms nobody.
const BUSY_PERCENT_MIN: f64 = 50.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let distribution = scene.path.machine_fact("distribution").unwrap_or_default();
    // "Amazon Linux 2" is no beginning of "Amazon Linux 2023".
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let is_old = OLD.iter().any(|old| {
        distribution
            .strip_prefix(old)
            .is_some_and(|rest| !goes_on(rest))
    });
    let one = |name: &str| {
        scene
            .frames()
            .find_map(|(_, frame)| finding(frame, name, distribution))
    };
    scene
        .disks()
        .into_iter()
        .filter(|_| is_old)
        .filter_map(|disk| one(&disk.name))
        .collect()
}

fn finding(frame: &Frame, name: &str, distribution: &str) -> Option<Finding> {
    let busy = frame
        .get("disk.busy_percent", name)
        .filter(|busy| *busy >= BUSY_PERCENT_MIN)?;
    let reads = frame
        .get("disk.reads_per_s", name)
        .filter(|reads| *reads > 0.0)?;
    let rate = reads + frame.get("disk.writes_per_s", name).unwrap_or(0.0);
    let wait = frame.get("disk.await_read_ms", name)?;
    let svctm = busy * 10.0 / rate;
    (svctm < wait * SHARE_MAX).then(|| {
        note(name, format!("The iostat of {distribution} shows svctm {svctm} ms for {name}, where a read takes {wait} ms.", svctm = units::decimals(svctm, 2), wait = units::decimals(wait, 2)))
            .shows("disk.busy_percent", units::whole(busy))
            .shows("I/Os a second", units::whole(rate))
            .shows("disk.await_read_ms", units::decimals(wait, 2))
            .refuted_by("iostat -x prints no svctm here")
            .advise("Leave svctm aside: r_await and w_await are what requests take.")
    })
}
