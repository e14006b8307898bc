//! Where jobs run, and what fio does to the machine around them.

use super::{INT, Spec, Value, ValueKind, noted, number, other, sets, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use kernel::cpulist;

pub(super) static GROUP: &[Spec] = &[
    sets("cpus_allowed", "", ValueKind::Text, |draft, value| {
        draft.job().cpus_allowed = list(text(value))?;
        Ok(())
    }),
    sets("cpumask", "", INT, |draft, value| {
        let mask = number(value);
        draft.job().cpus_allowed = (0..32).filter(|cpu| mask >> cpu & 1 == 1).collect();
        Ok(())
    }),
    sets(
        "cpus_allowed_policy",
        "",
        ValueKind::Word(&["shared", "split"]),
        |draft, value| {
            draft.cpus_split = text(value).starts_with("split");
            Ok(())
        },
    ),
    sets("numa_cpu_nodes", "", ValueKind::Text, |draft, value| {
        draft.job().numa_nodes = list(text(value))?;
        Ok(())
    }),
    sets("numa_mem_policy", "", ValueKind::Text, memory_policy),
    other(
        "nice",
        ValueKind::Number(-20, 19),
        "0",
        "a priority of its own for the CPU; start iodyno with nice",
    ),
    other(
        "prio",
        ValueKind::Number(0, 7),
        "",
        "I/O priorities; start iodyno with ionice",
    ),
    other(
        "prioclass",
        ValueKind::Number(0, 3),
        "0",
        "I/O priorities; start iodyno with ionice",
    ),
    other(
        "cgroup",
        ValueKind::Text,
        "",
        "control groups of its own; start iodyno in one",
    ),
    noted(
        "cgroup_nodelete",
        "",
        ValueKind::Bool,
        "it belongs to cgroup",
    ),
    noted(
        "cgroup_weight",
        "",
        ValueKind::Number(100, 1000),
        "it belongs to cgroup",
    ),
    other("uid", INT, "", "other users; start iodyno as one"),
    other("gid", INT, "", "other groups; start iodyno in one"),
    other(
        "ioscheduler",
        ValueKind::Text,
        "",
        "changing the scheduler for a job; `iodyno tune --knob scheduler` compares them",
    ),
    other(
        "exec_prerun",
        ValueKind::Text,
        "",
        "running a program before the job; run it first",
    ),
    other(
        "exec_postrun",
        ValueKind::Text,
        "",
        "running a program after the job; run it afterwards",
    ),
    other("gpu_dev_id", INT, "0", "memory of a GPU"),
    other("profile", ValueKind::Text, "", "fio's built-in profiles"),
    noted(
        "gtod_cpu",
        "",
        INT,
        "iodyno reads the clock where the I/O is",
    ),
    noted(
        "gtod_reduce",
        "",
        ValueKind::Bool,
        "iodyno measures every latency always",
    ),
    noted(
        "clocksource",
        "",
        ValueKind::Word(&["gettimeofday", "clock_gettime", "cpu"]),
        "iodyno has one clock",
    ),
    sets(
        "kb_base",
        "",
        ValueKind::Word(&["1024", "1000"]),
        |draft, value| {
            draft.kb_base = if text(value).starts_with("1000") {
                1000
            } else {
                1024
            };
            Ok(())
        },
    ),
    noted(
        "unit_base",
        "",
        ValueKind::Word(&["0", "8", "1"]),
        "it is about fio's printed results",
    ),
];

/// `0-3,8`: numbers and ranges.
fn list(text: &str) -> Result<Vec<u32>, Bad> {
    let mut found = Vec::new();
    // fio takes a comma too many.
    for part in cpulist::parts(text).filter(|part| *part != Err("")) {
        let range = part.map_err(|part| {
            let most = cpulist::MOST;
            Bad::value(
                format!("{part} is neither a number nor a range of numbers below {most}"),
                "Write 0-3,8",
            )
        })?;
        found.extend(
            range
                .filter(|one| !found.contains(one))
                .collect::<Vec<u32>>(),
        );
    }
    Ok(found)
}

fn memory_policy(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let (mode, nodes) = text(value).split_once(':').unwrap_or((text(value), ""));
    let advice = "Write default, local, prefer:0, bind:0-1 or interleave:0-1";
    match (mode, nodes) {
        ("default" | "local", "") => return Ok(()),
        ("prefer", node) if node.parse::<u32>().is_ok() => {}
        ("bind", nodes) if !nodes.is_empty() => drop(list(nodes)?),
        ("interleave", _) => {}
        _ => return Err(Bad::value("this is no memory policy of fio", advice)),
    }
    draft.cannot("a memory policy of its own; numa_cpu_nodes takes the memory of its nodes");
    Ok(())
}
