//! # CPU power states
//!
//! How deep CPUs sleep between I/Os and how fast they run: the time to wake is part of the latency at depth 1.
//!
//! ## What it reads
//! `/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`, `cpuidle/current_driver`,
//! `cpu0/cpuidle/state*/{name,latency,disable}` (Documentation/admin-guide/pm/cpuidle.rst), and as root
//! `/dev/cpu_dma_latency`.
//!
//! ## Fields
//! - `cpu_governor`: of all CPUs, separated by commas where they differ
//! - `cpuidle_driver`, `cpuidle_deepest`, `cpuidle_deepest_us`: the deepest state that is not disabled and the µs to leave
//!   it, of the first CPU
//! - `pm_qos_cpu_dma_latency_us`: the wake-up time that a program has asked for; absent where nobody asks
//!
//! ## Example
//! `intel_idle`, C6 with 133 µs: a read of 80 µs takes 213 µs when CPUs have been idle.

use crate::{Collector, Draft, Survey};
use host::Host;
use model::iopath::LayerKind;

const CPUS: &str = "/sys/devices/system/cpu";
/// `PM_QOS_CPU_LATENCY_DEFAULT_VALUE`, include/linux/pm_qos.h: 2000 s, which is no wish.
const NO_WISH_US: u32 = 2_000_000_000;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "cpu_power",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        "/sys/devices/system/cpu/cpuidle/current_driver",
        "/sys/devices/system/cpu/cpu0/cpuidle/state*",
        "/dev/cpu_dma_latency",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let text = |path: String| host.text(&path).map(|text| text.trim().to_string());
    draft.fact("cpu_governor", governors(host));
    let driver = text(format!("{CPUS}/cpuidle/current_driver"));
    draft.fact(
        "cpuidle_driver",
        driver.filter(|driver| driver != "none" && !driver.is_empty()),
    );
    let states = format!("{CPUS}/cpu0/cpuidle");
    let state = |name: String| {
        let latency = host.number(&format!("{states}/{name}/latency"))?;
        let is_disabled = text(format!("{states}/{name}/disable")).is_some_and(|text| text != "0");
        (!is_disabled).then_some((
            latency,
            text(format!("{states}/{name}/name")).unwrap_or(name),
        ))
    };
    if let Some((us, name)) = host.list(&states).into_iter().filter_map(state).max() {
        draft.fact("cpuidle_deepest", Some(name));
        draft.fact("cpuidle_deepest_us", Some(us.to_string()));
    }
    let wish = host.cpu_dma_latency_us().filter(|us| *us < NO_WISH_US);
    draft.fact("pm_qos_cpu_dma_latency_us", wish.map(|us| us.to_string()));
}

/// Policies of cpufreq are shared by CPUs, so their own directory is shorter than that of every CPU.
fn governors(host: &Host) -> Option<String> {
    let policies = host.list(&format!("{CPUS}/cpufreq"));
    let files: Vec<String> = match policies.iter().any(|name| name.starts_with("policy")) {
        true => policies
            .iter()
            .map(|name| format!("{CPUS}/cpufreq/{name}/scaling_governor"))
            .collect(),
        false => vec![format!("{CPUS}/cpu0/cpufreq/scaling_governor")],
    };
    let mut found: Vec<String> = files.iter().filter_map(|file| host.text(file)).collect();
    found.sort();
    found.dedup();
    (!found.is_empty()).then(|| found.join(","))
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn the_deepest_state_that_is_on_counts() {
        let base = "/sys/devices/system/cpu";
        let state = |number: u32, name: &str, us: u32, off: u32| {
            let state = format!("{base}/cpu0/cpuidle/state{number}");
            format!(
                "path: {state}/name\nlines: 1\n{name}\npath: {state}/latency\nlines: 1\n{us}\n\
                 path: {state}/disable\nlines: 1\n{off}\n"
            )
        };
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n{}{}{}\
                 path: {base}/cpufreq/policy0/scaling_governor\nlines: 1\npowersave\n\
                 path: {base}/cpufreq/policy1/scaling_governor\nlines: 1\nperformance\n\
                 path: /dev/cpu_dma_latency\nlines: 1\n2000000000\n",
                state(0, "POLL", 0, 0),
                state(1, "C1", 2, 0),
                state(2, "C6", 133, 1)
            ),
            "sda",
        );
        assert_eq!(path.machine_fact("cpuidle_deepest"), Some("C1"));
        assert_eq!(path.machine_fact("cpuidle_deepest_us"), Some("2"));
        assert_eq!(
            path.machine_fact("cpu_governor"),
            Some("performance,powersave")
        );
        assert_eq!(
            path.machine_fact("pm_qos_cpu_dma_latency_us"),
            None,
            "2000 s is nobody's wish"
        );
    }
}
