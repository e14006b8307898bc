//! # Wake-up latency of CPUs
//!
//! ## What it does
//! A CPU without work goes into an idle state (C-state); the deeper it is, the longer it takes to leave, up to some 100 µs.
//! This knob asks the kernel (PM QoS) for CPUs that wake up within so many µs, and the kernel then leaves out the deeper
//! states. `none` asks for nothing; 0 keeps every CPU polling.
//!
//! ## Who should change it
//! Loads that wait for one I/O at a time on a fast disk: commits of a database, reads at queue depth 1. Each wait sends
//! the CPU to sleep, and its wake-up is a part of every latency. A load that keeps the CPUs busy gains nothing.
//!
//! ## Risk and how it is undone
//! Acts on every CPU, costs power and heat, and can lower the clock that other CPUs of the package reach (turbo) or take
//! time from their hyperthreads. The request ends with the process that made it: iodyno holds `/dev/cpu_dma_latency`
//! open while a value is in place, and when iodyno ends, also by `kill -9`, the kernel drops it. For the same reason
//! `iodyno apply` cannot keep what was proved: hold it with tuned (`force_latency` in the `[cpu]` section of a profile).
//! The least value that anybody asks for is in force; where another program asks for less, iodyno says so.
//!
//! ## Kernel versions
//! 2.6.32 and newer, with a cpuidle driver. Guests have one where the host lets them see idle states (`intel_idle`,
//! `haltpoll`); without one there is no state to leave out.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --iodepth 1 --knob cpu_latency_us
//! ```
//!
//! ## Sources
//! - Linux `Documentation/power/pm_qos_interface.rst`, `kernel/power/qos.c`, `drivers/cpuidle/governor.c`
//! - tuned-profiles(7), `latency-performance`

use crate::{Knob, SubjectFiles, current_first};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "cpu_latency_us",
    since: "0.1.0",
    summary: "how fast CPUs must wake up, which rules out deep idle states",
    on: SubjectKind::CpuLatency,
    attribute: "cpu_latency_us",
    class: Class::Fast,
    risk: Risk::NeedsCare,
    load: "--iodepth 1",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

/// Nothing is asked for.
const NONE: &str = "none";
/// What the kernel shows while nobody asks: 2,000 s (Linux `include/linux/pm_qos.h`).
const NOBODY_US: u32 = 2_000_000_000;
const STATES: &str = "/sys/devices/system/cpu/cpu0/cpuidle";

fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let others = job.iodepth.saturating_mul(job.numjobs);
    (others > BUSY_DEPTH).then(|| format!("with {others} I/Os under way CPUs hardly sleep"))
}

/// With more I/Os under way than this one completion follows another before a CPU sleeps deeply.
const BUSY_DEPTH: u32 = 16;

/// One request for each idle state that it would rule out: what the next shallower one takes to leave.
fn choices(cpus: &SubjectFiles) -> Vec<String> {
    let Some(now) = cpus.text(KNOB.attribute) else {
        return Vec::new();
    };
    let mut exits_us = exit_latencies_us(cpus);
    exits_us.pop();
    let values = exits_us.into_iter().rev().map(|us| us.to_string());
    let taken = values.filter(|value| rejects(cpus, value).is_none());
    current_first(now, taken)
}

/// What each idle state takes to leave, from the shallowest to the deepest; empty without a cpuidle driver.
fn exit_latencies_us(cpus: &SubjectFiles) -> Vec<u64> {
    let host = cpus.host();
    let states = host.list(STATES).into_iter();
    let exits = states.filter_map(|state| host.number(&format!("{STATES}/{state}/latency")));
    let mut exits: Vec<u64> = exits.collect();
    exits.sort_unstable();
    exits.dedup();
    exits
}

fn rejects(cpus: &SubjectFiles, value: &str) -> Option<String> {
    if value == NONE {
        return None;
    }
    let Ok(us) = value.parse::<u32>() else {
        return Some("it is a whole number of µs, or none".into());
    };
    if us >= NOBODY_US {
        return Some(format!(
            "it must be less than {NOBODY_US} µs, which stands for no request"
        ));
    }
    let own: Option<u32> = cpus.text(KNOB.attribute).and_then(|own| own.parse().ok());
    let in_force = cpus.host().cpu_dma_latency_us()?;
    let is_anothers = in_force < NOBODY_US && own.is_none_or(|own| in_force < own);
    (is_anothers && in_force <= us).then(|| {
        format!("another program asks for {in_force} µs already, and the least is in force")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Archive, Host};
    use model::change::Attribute;
    use model::subject::Subject;

    /// A machine with such idle states, on which the least request is this.
    fn cpus(exits_us: &[u32], in_force: u32) -> SubjectFiles {
        let mut archive = Archive::default();
        let mut insert = |path: &str, text: String| archive.insert(path, Attribute::Value(text));
        insert("/dev/cpu_dma_latency", in_force.to_string());
        for (state, us) in exits_us.iter().enumerate() {
            insert(&format!("{STATES}/state{state}/latency"), us.to_string());
        }
        SubjectFiles::of(&Host::from_archive(archive), Subject::CpuLatency).unwrap()
    }

    #[test]
    fn tries_what_rules_out_the_deepest_states_one_by_one() {
        assert_eq!(
            choices(&cpus(&[0, 2, 10, 133], NOBODY_US)),
            ["none", "10", "2", "0"]
        );
        assert_eq!(choices(&cpus(&[0, 1], NOBODY_US)), ["none", "0"]);
        assert_eq!(choices(&cpus(&[], NOBODY_US)), ["none"]);
    }

    #[test]
    fn another_programs_request_is_named() {
        let cpus = cpus(&[0, 2, 133], 2);
        assert_eq!(choices(&cpus), ["none", "0"]);
        let why = rejects(&cpus, "2").unwrap();
        assert!(why.contains("asks for 2 µs"), "{why}");
        assert_eq!(rejects(&cpus, "none"), None);
    }

    #[test]
    fn takes_whole_numbers() {
        let cpus = cpus(&[0, 2], NOBODY_US);
        for value in ["1us", "-1", "", "2000000000", "0x1"] {
            assert!(rejects(&cpus, value).is_some(), "{value}");
        }
    }

    #[test]
    fn a_busy_load_lets_no_cpu_sleep() {
        let cpus = cpus(&[0, 2], NOBODY_US);
        let of = |iodepth| Job {
            iodepth,
            ..Job::default()
        };
        assert_eq!(pointless(&cpus, &of(1), &[]), None);
        assert!(pointless(&cpus, &of(64), &[]).is_some());
    }
}
