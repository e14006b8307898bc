//! Why layers cannot be traced here, and what is left then.

/// Why the programs could not be attached or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The kernel carries no type information.
    #[error(
        "this kernel has no type information ({path}: {why}); it needs CONFIG_DEBUG_INFO_BTF, Linux 5.5 or later"
    )]
    NoBtf {
        /// Where it was looked for.
        path: &'static str,
        /// Why it could not be read.
        why: String,
    },
    /// The kernel refuses.
    #[error("tracing the block layer needs {missing}")]
    NotPermitted {
        /// What is missing: `root, or CAP_BPF and CAP_PERFMON`.
        missing: String,
    },
    /// The kernel lacks an event.
    #[error("this kernel has no event {event}, or not with arguments known here")]
    NoEvent {
        /// The event.
        event: &'static str,
    },
    /// No trace of a device can be had.
    #[error("there is no blktrace to be had: {why}")]
    NoTrace {
        /// Why.
        why: String,
    },
    /// The kernel leaves out events without saying so.
    #[error(
        "on CPU {cpu} the kernel leaves out events of interrupts while it is idle: of {wanted} it gave {given}"
    )]
    LosesEvents {
        /// The CPU.
        cpu: u32,
        /// Events that happened.
        wanted: usize,
        /// Events that were written.
        given: usize,
    },
    /// None of the ways to see events is to be had here.
    #[error("{reasons}")]
    NoRung {
        /// Why not, by rung.
        reasons: String,
    },
    /// Nothing to look at.
    #[error("no block device is on the path")]
    NoDevice,
    /// More devices than the programs have room for.
    #[error("{devices} block devices are on the path, {most} can be traced at once")]
    TooMany {
        /// How many.
        devices: usize,
        /// The most.
        most: usize,
    },
    /// The histograms would take too much memory of the kernel.
    #[error(
        "the histograms of {devices} devices on {cpus} CPUs would take {mib} MiB of kernel memory"
    )]
    TooLarge {
        /// Devices.
        devices: usize,
        /// CPUs that the kernel may have.
        cpus: usize,
        /// What they would take.
        mib: u64,
    },
    /// The kernel did not take a program or a map.
    #[error("the kernel did not take {what}: {why}")]
    Load {
        /// Which.
        what: String,
        /// What it said.
        why: String,
    },
    /// A map could not be read.
    #[error("cannot read the programs' {what}: {why}")]
    Read {
        /// Which.
        what: &'static str,
        /// Why.
        why: String,
    },
}

impl ProbeError {
    /// What a user has without these programs.
    pub fn fall_back(&self) -> &'static str {
        match self {
            ProbeError::TooLarge { .. } | ProbeError::TooMany { .. } => {
                "name fewer devices; diskstats is kept for all"
            }
            _ => "diskstats is kept: rates and mean times for each device, not by layer",
        }
    }
}

/// An error with its causes, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    // The verifier's log has a line per instruction; its last words are the verdict.
    match text.split_once('\n') {
        Some((first, log)) => {
            let last: Vec<&str> = log
                .lines()
                .rev()
                .filter(|line| !line.trim().is_empty())
                .take(6)
                .collect();
            format!(
                "{first} … {}",
                last.into_iter().rev().collect::<Vec<_>>().join(" / ")
            )
        }
        None => text,
    }
}
