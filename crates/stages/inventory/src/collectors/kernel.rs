//! # Kernel
//!
//! Which kernel runs, with what it was booted, and how much memory and how many CPUs it has.
//!
//! ## What it reads
//! `/proc/sys/kernel/osrelease`, `/proc/cmdline`, `/proc/meminfo`, `/sys/devices/system/cpu/{online,possible}`,
//! `/sys/devices/system/clocksource/clocksource0/current_clocksource`, `/etc/os-release`.
//!
//! ## Fields
//! - `kernel`: its release; `command_line`: as it was booted, with `…` for values that have nothing to do with storage
//! - `distribution`: `PRETTY_NAME` of os-release
//! - `memory_bytes`, `cpus_online` (a list), `clocksource`, `page_bytes`
//!
//! ## Example
//! 6.1.0-18-amd64, Debian GNU/Linux 12, CPUs 0-15, 62.5 GiB, `tsc`.

use crate::{Collector, Draft, Survey, secrets};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "kernel",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/proc/sys/kernel/osrelease",
        "/proc/cmdline",
        "/proc/meminfo",
        "/sys/devices/system/cpu/online",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let text = |path: &str| {
        host.text(path)
            .map(|text| text.trim().to_string())
            .filter(|text| !text.is_empty())
    };
    draft.fact("kernel", text("/proc/sys/kernel/osrelease"));
    draft.fact(
        "command_line",
        text("/proc/cmdline").map(|line| secrets::command_line(&line)),
    );
    draft.fact("cpus_online", text("/sys/devices/system/cpu/online"));
    draft.fact(
        "clocksource",
        text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    );
    draft.fact(
        "memory_bytes",
        host.meminfo_bytes("MemTotal")
            .map(|bytes| bytes.to_string()),
    );
    draft.fact(
        "page_bytes",
        host.page_bytes().map(|bytes| bytes.to_string()),
    );
    draft.fact(
        "distribution",
        text("/etc/os-release").as_deref().and_then(pretty_name),
    );
}

fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_string())
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn the_machine_is_told_beside_the_path() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
             path: /sys/devices/p/sda/size\nlines: 1\n8\n\
             path: /proc/sys/kernel/osrelease\nlines: 1\n6.1.0-18-amd64\n\
             path: /etc/os-release\nlines: 2\nNAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n",
            "sda",
        );
        assert_eq!(path.machine_fact("kernel"), Some("6.1.0-18-amd64"));
        assert_eq!(
            path.machine_fact("distribution"),
            Some("Debian GNU/Linux 12")
        );
        assert_eq!(path.machine_fact("memory_bytes"), None);
    }
}
