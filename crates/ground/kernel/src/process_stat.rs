//! /proc/PID/stat (proc_pid_stat(5)): `7 (a name) S 1 7 …`.

/// What of a process's line is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// Name of the program, at most 15 bytes; any character may be in it, spaces and brackets as well.
    pub name: &'a str,
    /// `R`, `S`, `D`, `T` …
    pub state: &'a str,
    /// `PF_…` of include/linux/sched.h.
    pub flags: Option<u32>,
    /// CPU time of all its threads, user and system, clock ticks; of a thread its own.
    pub cpu_ticks: Option<u64>,
    /// Niceness, -20 (first) to 19 (last).
    pub nice: Option<i32>,
    /// When it began, clock ticks since boot.
    pub start_ticks: Option<u64>,
}

// Fields 9, 14, 15, 19 and 22, counted from the state, which is field 3.
const FLAGS: usize = 6;
const USER: usize = 11;
const SYSTEM: usize = 12;
const NICE: usize = 16;
const START: usize = 19;
const PF_KTHREAD: u32 = 0x0020_0000;

impl<'a> ProcessStat<'a> {
    /// Reads the line; none where there is no name or nothing behind it. A name may look like anything, so it ends at
    /// the last bracket: behind it are only numbers and the state's letter.
    pub fn parse(text: &'a str) -> Option<ProcessStat<'a>> {
        let (head, rest) = text.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let mut fields = rest.split_ascii_whitespace();
        let field = |place| fields.clone().nth(place);
        let ticks = |place| field(place)?.parse::<u64>().ok();
        let cpu_ticks = ticks(USER).zip(ticks(SYSTEM));
        Some(ProcessStat {
            name,
            cpu_ticks: cpu_ticks.and_then(|(user, system)| user.checked_add(system)),
            nice: field(NICE).and_then(|nice| nice.parse().ok()),
            flags: field(FLAGS).and_then(|flags| flags.parse().ok()),
            start_ticks: ticks(START),
            state: fields.next()?,
        })
    }

    /// Whether it is a thread of the kernel, which has neither files nor a program.
    pub fn is_kernel_thread(&self) -> bool {
        self.flags.is_some_and(|flags| flags & PF_KTHREAD != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_with_brackets_and_short_lines() {
        let rest = "1 7 7 0 -1 4194560 1 0 0 0 31 11 0 0 30 10 1 0 4242 9 0";
        let text = format!("7 (tmux: (a) b) S {rest}\n");
        let stat = ProcessStat::parse(&text).unwrap();
        assert_eq!((stat.name, stat.state), ("tmux: (a) b", "S"));
        assert_eq!(stat.start_ticks, Some(4242));
        assert_eq!((stat.cpu_ticks, stat.nice), (Some(42), Some(10)));
        assert_eq!(
            (stat.flags, stat.is_kernel_thread()),
            (Some(4194560), false)
        );
        let thread = ProcessStat::parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0").unwrap();
        assert!(thread.is_kernel_thread());
        let short = ProcessStat::parse("7 (x) T 1").unwrap();
        assert_eq!((short.state, short.start_ticks), ("T", None));
        for damaged in ["", "7", "7 x S", "7 (x)", "7 )x( S"] {
            assert_eq!(ProcessStat::parse(damaged), None, "{damaged}");
        }
    }

    proptest! {
        #[test]
        fn any_name_comes_back(name in "\\PC{0,15}", start in any::<u64>()) {
            let text = format!("7 ({name}) D {}{start} 1 2", "0 ".repeat(18));
            let stat = ProcessStat::parse(&text).unwrap();
            prop_assert_eq!((stat.name, stat.state, stat.start_ticks), (name.as_str(), "D", Some(start)));
        }

        #[test]
        fn any_text_is_a_line_or_none(text in any::<String>()) {
            let _ = ProcessStat::parse(&text);
        }
    }
}
