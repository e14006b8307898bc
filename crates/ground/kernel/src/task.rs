//! What /proc says of one task beside its `stat`: its time on a CPU (`schedstat`) and where in the kernel it sleeps (`stack`).

/// `/proc/PID/schedstat`: `1203948 88123 42` (Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCpu {
    /// Time on a CPU, ns.
    pub run_ns: u64,
    /// Time in a run queue, able to run and not running, ns.
    pub delay_ns: u64,
}

impl TaskCpu {
    /// Reads the line; none where it is not two numbers and more.
    pub fn parse(text: &str) -> Option<TaskCpu> {
        let mut words = text.split_ascii_whitespace().map(str::parse);
        let (run_ns, delay_ns) = (words.next()?.ok()?, words.next()?.ok()?);
        Some(TaskCpu { run_ns, delay_ns })
    }
}

/// The functions of a `/proc/PID/stack`, the innermost first: `[<0>] jbd2_log_wait_commit+0x9a/0x100 [jbd2]` is
/// `jbd2_log_wait_commit`. What a compiler hung on a name (`.constprop.0`, `.isra.0`) is left out.
pub fn stack_functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, place) = line.split_once("] ")?;
        let name = place.split(['+', '.', ' ']).next()?;
        (!name.is_empty() && !name.starts_with("0x")).then_some(name)
    })
}

/// How long the CPU quota held tasks of a control group, ns, added up over CPUs, by its `cpu.stat`: `throttled_time` of version 1 (ns,
/// Documentation/scheduler/sched-bwc.rst), `throttled_usec` of version 2 (Documentation/admin-guide/cgroup-v2.rst).
pub fn throttled_ns(text: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let factor = match name {
            "throttled_time" => 1,
            "throttled_usec" => 1_000,
            _ => return None,
        };
        value.trim().parse::<u64>().ok()?.checked_mul(factor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_of_schedstat() {
        let cpu = TaskCpu::parse("1203948 88123 42\n").unwrap();
        assert_eq!((cpu.run_ns, cpu.delay_ns), (1_203_948, 88_123));
        for damaged in ["", "1", "a b c", "-1 2 3"] {
            assert_eq!(TaskCpu::parse(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn functions_without_offsets_and_suffixes() {
        let text = "[<0>] jbd2_log_wait_commit+0x9a/0x100 [jbd2]\n[<0>] ext4_fsync_nojournal.constprop.0+0x2a/0x90\n\
                    [<0>] do_fsync+0x38/0x70\n[<0>] 0xffffffffffffffff\n";
        let names: Vec<&str> = stack_functions(text).collect();
        assert_eq!(
            names,
            ["jbd2_log_wait_commit", "ext4_fsync_nojournal", "do_fsync"]
        );
        // A task on a CPU has an empty one.
        assert_eq!(stack_functions("").count(), 0);
    }

    #[test]
    fn both_versions_count_what_the_quota_held() {
        let first = "nr_periods 12\nnr_throttled 3\nthrottled_time 4000000\n";
        assert_eq!(throttled_ns(first), Some(4_000_000));
        let second = "usage_usec 9\nnr_throttled 3\nthrottled_usec 4000\n";
        assert_eq!(throttled_ns(second), Some(4_000_000));
        assert_eq!(throttled_ns("usage_usec 9\nthrottled_usec x\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_functions_or_none(text in any::<String>()) {
            let _ = TaskCpu::parse(&text);
            for name in stack_functions(&text) {
                prop_assert!(!name.is_empty());
            }
        }
    }
}
