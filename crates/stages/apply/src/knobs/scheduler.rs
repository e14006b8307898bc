//! # I/O scheduler
//!
//! ## What it does
//! Chooses the code that orders, merges and delays requests between the block layer and the driver. `none` passes
//! them on as they come; `mq-deadline` sorts them and bounds their age; `kyber` limits the depth to meet latency
//! targets; `bfq` shares the device out between processes. Kernels before 5.0 have `noop`, `deadline` and `cfq`
//! for devices on the single-queue path.
//!
//! ## Who should change it
//! Anyone whose device answers in microseconds and has a scheduler set (its locks and its idling then cost more than
//! the device), and anyone whose reads wait behind a storm of writes. The right choice differs by device, load and
//! kernel version: published measurements contradict each other, so measure on the load that matters.
//!
//! ## Risk and how it is undone
//! Safe. A switch freezes and drains the queue, which takes 20 to 40 ms on an idle machine and cannot end on a device
//! whose path is dead. It resets `nr_requests` and every file below `iosched/`, and leaves or enters writeback
//! throttling when bfq is involved, and the kernel forgets the weights that control groups have on the disk when bfq goes;
//! iodyno saves all of these first and restores the scheduler before them.
//!
//! ## Kernel versions
//! All. The module of a scheduler that is not in the list yet is loaded by writing its name. Since 5.0 the boot
//! parameter `elevator=` does nothing. Device-mapper and other bio-based devices show `none` alone, and old kernels
//! take any word there without an error: the schedulers of their members act.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --knob scheduler=none,mq-deadline
//! ```
//!
//! ## Sources
//! - Linux `block/elevator.c`, `elv_iosched_store`; `Documentation/ABI/stable/sysfs-block`
//! - Ren et al., "BFQ, Multiqueue-Deadline, or Kyber?", ICPE 2024, doi 10.1145/3629526.3645053

use crate::groups::ALL_BFQ_WEIGHTS;
use crate::{Knob, SubjectFiles, ValueReading, values};
use kernel::choice;
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "scheduler",
    since: "0.1.0",
    summary: "how requests are ordered before they reach the driver",
    on: SubjectKind::Queue,
    attribute: "scheduler",
    reading: ValueReading::Chosen,
    class: Class::Fast,
    risk: Risk::Safe,
    turn: Some(10),
    disturbs: &["iosched/*", "wbt_lat_usec", "nr_requests", ALL_BFQ_WEIGHTS],
    choices,
    rejects,
    ..Knob::PLAIN
};

fn words(queue: &SubjectFiles) -> Vec<String> {
    let text = queue.text("scheduler").unwrap_or_default();
    choice::offered(&text).map(str::to_string).collect()
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    let words = words(queue);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    values::choices(&KNOB, queue, &words)
}

fn rejects(queue: &SubjectFiles, value: &str) -> Option<String> {
    let words = words(queue);
    (!words.iter().any(|word| word == value)).then(|| match words.as_slice() {
        [] => "it has no scheduler".to_string(),
        words => format!("this kernel offers {} for it", words.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;

    #[test]
    fn offers_the_words_of_the_kernel_the_current_one_first() {
        let queue = queue(&[("scheduler", "none [mq-deadline] kyber bfq")]);
        assert_eq!(choices(&queue), ["mq-deadline", "none", "kyber", "bfq"]);
        assert!(
            rejects(&queue, "cfq")
                .unwrap()
                .contains("none, mq-deadline, kyber, bfq")
        );
        assert_eq!(rejects(&queue, "bfq"), None);
    }

    #[test]
    fn a_bio_based_device_has_nothing_to_choose() {
        assert_eq!(choices(&queue(&[("scheduler", "none")])), ["none"]);
        assert!(choices(&queue(&[])).is_empty());
    }

    #[test]
    fn saves_what_a_switch_resets() {
        let queue = queue(&[
            ("scheduler", "[bfq] none"),
            ("iosched/slice_idle", "8"),
            ("nr_requests", "256"),
        ]);
        let saved = crate::checkpoint_paths(&KNOB, &queue);
        let names: Vec<_> = saved
            .iter()
            .map(|(path, order)| (path.rsplit('/').next().unwrap(), *order))
            .collect();
        assert_eq!(
            names,
            [
                ("scheduler", 0),
                ("slice_idle", 1),
                ("wbt_lat_usec", 1),
                ("nr_requests", 1)
            ]
        );
    }
}
