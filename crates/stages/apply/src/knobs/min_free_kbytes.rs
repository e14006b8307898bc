//! # Memory that is kept free
//!
//! ## What it does
//! The KiB that the kernel tries to keep free. From it follow the marks at which `kswapd` begins to take pages back in the
//! background, and below which whoever needs memory has to do so itself and waits.
//!
//! ## Who should change it
//! Machines on which much I/O goes through the page cache and bursts of it, or of packets, find no free page: waits in direct reclaim
//! (`allocstall` of `/proc/vmstat`, `memory` of PSI). 128 to 1024 MiB on machines with 64 GiB and more.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine. What is kept free is cached by nobody; far too much of it makes the kernel kill programs, so iodyno
//! takes no more than a twentieth of the memory, and no less than a thousandth. Back at once. A value that was written is not
//! worked out anew when memory is plugged in.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --direct 0 --budget 30m --knob vm.min_free_kbytes=262144
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `mm/page_alloc.c`, `min_free_kbytes_sysctl_handler`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "min_free_kbytes",
    since: "0.1.0",
    summary: "the memory that the kernel keeps free for bursts",
    on: SubjectKind::Sysctl,
    attribute: "vm/min_free_kbytes",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    load: "--direct 0 --budget 20m",
    pointless: loads::through_the_page_cache,
    choices: |kernel| values::choices(&KNOB, kernel, &["131072", "524288"]),
    rejects,
    ..Knob::PLAIN
};

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    // What is there came from somewhere: it can always be put back.
    if kernel
        .text(KNOB.attribute)
        .is_some_and(|now| now.trim() == value)
    {
        return None;
    }
    let memory_kib = kernel.host().meminfo_bytes("MemTotal").unwrap_or(MOST) / 1024;
    values::outside(value, memory_kib / 1_000..=memory_kib / 20, "KiB")
}

/// Where the machine does not say what it has, bytes: 4 GiB.
const MOST: u64 = 4 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Archive, Host};
    use model::change::Attribute;
    use model::subject::Subject;

    fn kernel(now: &str, memory_kib: u64) -> SubjectFiles {
        let mut archive = Archive::default();
        let memory = format!("MemTotal: {memory_kib} kB\n");
        archive.insert("/proc/meminfo", Attribute::Value(memory));
        archive.insert("/proc/sys/vm/min_free_kbytes", Attribute::Value(now.into()));
        SubjectFiles::of(&Host::from_archive(archive), Subject::Sysctl).unwrap()
    }

    #[test]
    fn stays_within_what_a_machine_can_spare() {
        let large = kernel("67584", 64 << 20);
        assert_eq!((KNOB.choices)(&large), ["67584", "131072", "524288"]);
        let small = kernel("11584", 4 << 20);
        assert_eq!((KNOB.choices)(&small), ["11584", "131072"]);
        for value in ["1000", "3400000000", "-1", ""] {
            assert!(rejects(&large, value).is_some(), "{value}");
        }
        assert_eq!(
            rejects(&kernel("100", 64 << 20), "100"),
            None,
            "it is the way back"
        );
    }
}
