//! # Largest discard
//!
//! ## What it does
//! Splits a discard (TRIM) into requests of at most so many bytes before the driver sees them.
//!
//! ## Who should change it
//! Disks on which a deletion of gigabytes makes reads wait, because one discard keeps the disk busy for long: smaller ones let reads
//! in between. More requests cost more time in all.
//!
//! ## Risk and how it is undone
//! None for data. Writing it makes the kernel work out read-ahead anew, which is therefore saved with it and restored last. Two
//! values have no way back (seen on Linux 6.18), and iodyno does not touch them: one that the kernel would refuse to take again,
//! because it is above 4294967295, as on NVMe disks, or no multiple of `discard_granularity`, as on loop devices; and 0,
//! after which the disk's granularity is 0 too and every other value is refused.
//!
//! ## Kernel versions
//! 4.3 and newer for disks that discard. A multiple of `discard_granularity`, otherwise EINVAL; above
//! `discard_max_hw_bytes` the kernel takes that without an error, so iodyno refuses it.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./make-and-delete.sh --metric-regex '([0-9.]+) files/s' --knob discard_max_bytes=8388608
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_max_discard_sectors_store`; `Documentation/ABI/stable/sysfs-block`, `discard_max_bytes`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "discard_max_bytes",
    since: "0.1.0",
    summary: "the size at which discards are split",
    on: SubjectKind::Queue,
    attribute: "discard_max_bytes",
    class: Class::Fast,
    // A disk may work off what it was told to discard for seconds.
    memory_ms: 10_000,
    risk: Risk::NeedsCare,
    disturbs: &["read_ahead_kb"],
    refusals: &[(
        libc::EINVAL,
        "it is no multiple of the disk's discard_granularity",
    )],
    load: "--command COMMAND",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let may_discard = job.ioengine == "command" || job.rw.trims();
    (!may_discard).then(|| "it acts on discards only".into())
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    let discards = queue
        .number("discard_max_hw_bytes")
        .is_some_and(|most| most > 0);
    match discards && no_way_back(queue).is_none() {
        true => values::choices(&KNOB, queue, &["8388608", "134217728"]),
        false => Vec::new(),
    }
}

fn rejects(queue: &SubjectFiles, value: &str) -> Option<String> {
    let most = queue.number("discard_max_hw_bytes").unwrap_or(MOST);
    let step = step(queue);
    let is_odd = |bytes: u64| !bytes.is_multiple_of(step);
    no_way_back(queue)
        .or_else(|| values::outside(value, step..=most.min(MOST), "bytes"))
        .or_else(|| {
            is_odd(value.parse().ok()?)
                .then(|| format!("it is no multiple of discard_granularity, {step} bytes"))
        })
}

/// More the kernel does not take (Linux `block/blk-sysfs.c`, `queue_var_store`).
const MOST: u64 = u32::MAX as u64;

/// Why the value that is there could not be put back, if so.
fn no_way_back(queue: &SubjectFiles) -> Option<String> {
    let (now, step) = (queue.number(KNOB.attribute)?, step(queue));
    let has_way = now > 0 && now <= MOST && now.is_multiple_of(step);
    (!has_way)
        .then(|| format!("the kernel would refuse to take the {now} bytes back that are set now"))
}

fn step(queue: &SubjectFiles) -> u64 {
    queue.number("discard_granularity").unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;
    use model::job::Rw;

    fn disk(now: &str, most: &str) -> SubjectFiles {
        queue(&[
            ("discard_max_bytes", now),
            ("discard_max_hw_bytes", most),
            ("discard_granularity", "4096"),
        ])
    }

    #[test]
    fn tries_sizes_that_the_disk_takes() {
        let sata = disk("2147450880", "2147450880");
        assert_eq!(choices(&sata), ["2147450880", "8388608", "134217728"]);
        assert_eq!(
            choices(&disk("16777216", "16777216")),
            ["16777216", "8388608"]
        );
        for value in ["2147454976", "1000", "6000", "0", "-1", ""] {
            assert!(rejects(&sata, value).is_some(), "{value}");
        }
        assert_eq!(rejects(&sata, "4096"), None);
    }

    #[test]
    fn what_could_not_be_put_back_is_left_alone() {
        for now in ["4294966784", "2199023255040", "0"] {
            let disk = disk(now, now);
            assert!(choices(&disk).is_empty(), "{now}");
            assert!(rejects(&disk, "8388608").unwrap().contains("back"), "{now}");
        }
    }

    #[test]
    fn a_load_without_discards_does_not_feel_it() {
        let why = |rw| {
            pointless(
                &disk("0", "0"),
                &Job {
                    rw,
                    ..Job::default()
                },
                &[],
            )
        };
        assert!(why(Rw::Randwrite).is_some());
        assert_eq!(why(Rw::Randtrim), None);
    }
}
