//! # Requests a queue may hold
//!
//! ## What it does
//! Bounds how many requests a hardware queue takes before a submitter has to wait. With a scheduler set it is the
//! scheduler's own pool; with `none` it cannot exceed the tags that the driver has.
//!
//! ## Who should change it
//! Many submitters that together keep more in flight than the bound: a higher one gives the scheduler more to sort and
//! the device more to overlap, a lower one shortens the line and with it the latency of each.
//!
//! ## Risk and how it is undone
//! May raise latency while it is high. A write freezes the queue for a moment. A scheduler switch resets it, so it is
//! restored after the scheduler.
//!
//! ## Kernel versions
//! All. Values below 4 become 4 without an error. Above the driver's tags with scheduler `none`, and above a bound of
//! the tag set with one, the write fails with EINVAL (both seen on Linux 6.18).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/sdb --iodepth 256 --knob nr_requests=64,256,1024
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_requests_store`; `Documentation/ABI/stable/sysfs-block`

use crate::{Knob, SubjectFiles, current_first, loads};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "nr_requests",
    since: "0.1.0",
    summary: "how many requests the queue holds before submitters wait",
    on: SubjectKind::Queue,
    attribute: "nr_requests",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    turn: Some(40),
    disturbs: &["iosched/async_depth"],
    load: "--iodepth 256",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn pointless(queue: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let now = queue.number("nr_requests")?;
    let named = named.iter().filter_map(|value| value.parse().ok());
    let least = named.fold(now, u64::min);
    let in_flight = loads::in_flight(job);
    (in_flight < least).then(|| {
        format!("the load keeps {in_flight} in flight and the queue holds {least}: the bound is never reached")
    })
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    let Some(now) = queue.number("nr_requests") else {
        return Vec::new();
    };
    let has_scheduler = queue.scheduler().is_some_and(|word| word != "none");
    let highest = if has_scheduler {
        u64::MAX
    } else {
        queue.tags().unwrap_or(now)
    };
    let others = [now / 4, now * 4, highest]
        .into_iter()
        .filter(|&value| (4..=highest.min(1024)).contains(&value));
    current_first(now.to_string(), others.map(|value| value.to_string()))
}

fn rejects(queue: &SubjectFiles, value: &str) -> Option<String> {
    let tags = queue.tags().unwrap_or(u64::MAX);
    let has_scheduler = queue.scheduler().is_some_and(|word| word != "none");
    match value.parse::<u64>() {
        Err(_) => Some("it is a whole number".into()),
        Ok(0..4) => Some("the kernel raises values below 4 to 4".into()),
        Ok(wanted) if wanted > tags && !has_scheduler => Some(format!(
            "the driver has {tags} tags, and no scheduler is set that could hold more"
        )),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;

    #[test]
    fn stays_within_the_tags_where_no_scheduler_is_set() {
        let plain = queue(&[
            ("scheduler", "[none] bfq"),
            ("nr_requests", "128"),
            ("../mq/0/nr_tags", "128"),
        ]);
        assert_eq!(choices(&plain), ["128", "32"]);
        assert!(rejects(&plain, "256").unwrap().contains("128 tags"));
        let sorted = queue(&[
            ("scheduler", "none [bfq]"),
            ("nr_requests", "256"),
            ("../mq/0/nr_tags", "128"),
        ]);
        assert_eq!(choices(&sorted), ["256", "64", "1024"]);
        assert_eq!(rejects(&sorted, "1024"), None);
        assert!(rejects(&sorted, "3").is_some() && rejects(&sorted, "many").is_some());
    }

    #[test]
    fn says_when_the_load_never_reaches_it() {
        let queue = queue(&[("nr_requests", "256")]);
        let job = Job {
            iodepth: 32,
            ..Job::default()
        };
        assert!(
            pointless(&queue, &job, &[])
                .unwrap()
                .contains("32 in flight")
        );
        assert_eq!(
            pointless(
                &queue,
                &Job {
                    iodepth: 256,
                    ..job
                },
                &[]
            ),
            None
        );
    }

    #[test]
    fn a_smaller_bound_that_is_named_is_reached() {
        let queue = queue(&[("nr_requests", "256")]);
        let job = Job {
            iodepth: 32,
            ..Job::default()
        };
        let of = |value: &str| pointless(&queue, &job, &[value.to_string()]);
        assert_eq!(of("16"), None);
        assert!(of("1024").is_some());
    }
}
