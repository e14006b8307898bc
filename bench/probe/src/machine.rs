//! CPU time of the whole machine, which has what tracing costs wherever it is spent: in the I/O's own path, in a worker of
//! the kernel, in the tool that reads.

/// Time of all CPUs together that was not idle, since boot.
#[derive(Clone, Copy, Debug)]
pub struct Busy {
    ticks: u64,
}

/// The kernel counts idle time in ns and prints hundredths of a second.
const NS_PER_TICK: f64 = 1e7;
/// `user nice system idle iowait irq softirq steal` of /proc/stat; the guests' time is in `user`.
const IDLE: [usize; 2] = [3, 4];

impl Busy {
    /// Now.
    pub fn now() -> Busy {
        let text = host::Host::live().text("/proc/stat").unwrap_or_default();
        let all = text
            .lines()
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .skip(1);
        let ticks: Vec<u64> = all.take(8).filter_map(|word| word.parse().ok()).collect();
        let idle: u64 = IDLE.iter().filter_map(|place| ticks.get(*place)).sum();
        Busy {
            ticks: ticks.iter().sum::<u64>() - idle,
        }
    }

    /// Since an earlier moment, ns.
    pub fn since_ns(self, earlier: Busy) -> f64 {
        self.ticks.saturating_sub(earlier.ticks) as f64 * NS_PER_TICK
    }
}
