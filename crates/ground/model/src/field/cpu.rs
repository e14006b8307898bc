//! What people read of the CPUs: shares of their time, and rates of the whole machine.

use super::Formula::{self, Last, Rate, Ratio};
use super::{Field, field};

/// Everything that a CPU's time is divided into.
const ALL: &[&str] = &[
    "cpu.{}.user",
    "cpu.{}.nice",
    "cpu.{}.system",
    "cpu.{}.idle",
    "cpu.{}.iowait",
    "cpu.{}.irq",
    "cpu.{}.softirq",
    "cpu.{}.steal",
];

/// A part of a CPU's time, percent.
const fn share(of: &'static [&'static str]) -> Formula {
    Ratio(of, ALL, 100.0)
}

/// In the order in which mpstat has them.
pub static FIELDS: &[Field] = &[
    field(
        "cpu.{}.busy_percent",
        "percent",
        share(&[
            "cpu.{}.user",
            "cpu.{}.nice",
            "cpu.{}.system",
            "cpu.{}.irq",
            "cpu.{}.softirq",
        ]),
        "time in which this CPU did something",
        "whether it was useful: spinning and polling are busy too, and stolen time is not in it",
    ),
    field(
        "cpu.{}.user_percent",
        "percent",
        share(&["cpu.{}.user"]),
        "time in user mode, guests included and lowered priority not",
        "which program",
    ),
    field(
        "cpu.{}.nice_percent",
        "percent",
        share(&["cpu.{}.nice"]),
        "time in user mode at lowered priority",
        "",
    ),
    field(
        "cpu.{}.system_percent",
        "percent",
        share(&["cpu.{}.system"]),
        "time in the kernel",
        "whether it was for I/O: faults and scheduling are in it",
    ),
    field(
        "cpu.{}.iowait_percent",
        "percent",
        share(&["cpu.{}.iowait"]),
        "idle time while a task that last ran here waited for a disk",
        "that a disk is slow: it is idle time, any other work hides it, and the task may wake on another CPU",
    ),
    field(
        "cpu.{}.irq_percent",
        "percent",
        share(&["cpu.{}.irq"]),
        "time in interrupt handlers",
        "short interrupts, where the kernel only counts ticks",
    ),
    field(
        "cpu.{}.softirq_percent",
        "percent",
        share(&["cpu.{}.softirq"]),
        "time in soft interrupts, block completions among them",
        "what ksoftirqd does, which is its own system time",
    ),
    field(
        "cpu.{}.steal_percent",
        "percent",
        share(&["cpu.{}.steal"]),
        "time the hypervisor gave to others",
        "anything where the hypervisor does not tell: then it is 0",
    ),
    field(
        "cpu.{}.idle_percent",
        "percent",
        share(&["cpu.{}.idle"]),
        "time with nothing to do and no task waiting for a disk",
        "",
    ),
    field(
        "stat.interrupts_per_s",
        "/s",
        Rate(&["stat.interrupts"], 1.0),
        "interrupts served by all CPUs, those without a number included",
        "which device they came from",
    ),
    field(
        "stat.context_switches_per_s",
        "/s",
        Rate(&["stat.context_switches"], 1.0),
        "changes from one task to another",
        "",
    ),
    field(
        "stat.forks_per_s",
        "/s",
        Rate(&["stat.forks"], 1.0),
        "processes and threads begun",
        "",
    ),
    field(
        "stat.running_tasks",
        "tasks",
        Last(&["stat.running_tasks"], 1.0),
        "tasks that run or could run at the moment of the sample",
        "what happened between two samples",
    ),
    field(
        "stat.blocked_tasks",
        "tasks",
        Last(&["stat.blocked_tasks"], 1.0),
        "tasks that wait for I/O at the moment of the sample",
        "tasks whose I/O is asynchronous, and those that wait for a lock which an I/O holds",
    ),
];
