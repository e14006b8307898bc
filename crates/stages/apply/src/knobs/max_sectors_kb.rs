//! # Largest request
//!
//! ## What it does
//! Splits larger I/O into requests of at most this many KiB before the driver sees them.
//!
//! ## Who should change it
//! Streams whose I/O is cut at this size (larger is faster, on arrays up to a full stripe), and mixed loads whose small
//! reads wait behind large requests (smaller is smoother).
//!
//! ## Risk and how it is undone
//! May cost the latency of others while it is large. Writing it recomputes read-ahead, which is therefore saved with
//! it and restored last.
//!
//! ## Kernel versions
//! All. Values above `max_hw_sectors_kb` are an error on older kernels and become the limit without one on newer (seen
//! on Linux 6.18); below a page they are an error.
//!
//! ## Example
//! ```text
//! iodyno tune /dev/sdb --rw read --bs 1m --knob max_sectors_kb=128,512,1280
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_max_sectors_store`; `Documentation/ABI/stable/sysfs-block`

use crate::{Knob, SubjectFiles, current_first};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "max_sectors_kb",
    since: "0.1.0",
    summary: "the size at which large I/O is split",
    on: SubjectKind::Queue,
    attribute: "max_sectors_kb",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    turn: Some(50),
    disturbs: &["read_ahead_kb"],
    load: "--rw read --bs 1m",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn pointless(queue: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let smallest = choices(queue)
        .iter()
        .chain(named)
        .filter_map(|value| value.parse::<u64>().ok())
        .min()?;
    let merges = !job.rw.is_random() || !job.direct;
    (!merges && job.bs <= smallest * 1024).then(|| {
        format!(
            "random I/O of {} is never as large",
            model::units::bytes(job.bs as f64)
        )
    })
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    let Some(now) = queue.number("max_sectors_kb") else {
        return Vec::new();
    };
    let highest = queue.number("max_hw_sectors_kb").unwrap_or(now).min(4096);
    let others = [128, 512, highest]
        .into_iter()
        .filter(|&value| value <= highest);
    current_first(now.to_string(), others.map(|value: u64| value.to_string()))
}

fn rejects(queue: &SubjectFiles, value: &str) -> Option<String> {
    let highest = queue.number("max_hw_sectors_kb").unwrap_or(u64::MAX);
    let page_kib = host::rights::page_bytes() / 1024;
    match value.parse::<u64>() {
        Err(_) => Some("it is a whole number of KiB".into()),
        Ok(kib) if kib > highest => Some(format!("the hardware takes {highest} KiB at most")),
        Ok(kib) if kib < page_kib => Some(format!(
            "a request holds at least one page of {page_kib} KiB"
        )),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;

    #[test]
    fn stays_within_the_hardware() {
        let queue = queue(&[("max_sectors_kb", "1280"), ("max_hw_sectors_kb", "1280")]);
        assert_eq!(choices(&queue), ["1280", "128", "512"]);
        assert!(
            rejects(&queue, "4096")
                .unwrap()
                .contains("1280 KiB at most")
        );
        assert!(rejects(&queue, "1").is_some());
        assert!(pointless(&queue, &Job::default(), &[]).is_some());
        assert_eq!(
            pointless(
                &queue,
                &Job {
                    bs: 1 << 20,
                    ..Job::default()
                },
                &[]
            ),
            None
        );
    }
}
