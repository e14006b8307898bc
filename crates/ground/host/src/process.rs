//! This process: its CPU time, its memory use, where its threads run.

use rustix::thread::CpuSet;

/// CPU time used so far, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
}

impl CpuTime {
    /// Both together.
    pub fn total_ns(self) -> u64 {
        self.user_ns + self.system_ns
    }

    /// Used since an earlier reading.
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime {
            user_ns: self.user_ns - earlier.user_ns,
            system_ns: self.system_ns - earlier.system_ns,
        }
    }
}

/// CPU time of the whole process. The kernel's io_uring workers (`iou-wrk-*`) are threads of the process that asked
/// for them, so their time is in it; a thread's own clock would miss it. Both parts only ever grow (the kernel scales
/// its ticks to the exact sum and keeps them monotonic, kernel/sched/cputime.c).
pub fn cpu_time() -> CpuTime {
    usage(libc::RUSAGE_SELF)
}

/// CPU time of all children that have ended and were waited for, their own such children included.
pub fn children_cpu_time() -> CpuTime {
    usage(libc::RUSAGE_CHILDREN)
}

#[allow(unsafe_code, reason = "rustix has no getrusage")]
fn usage(who: libc::c_int) -> CpuTime {
    // SAFETY: rusage is plain data of integers, for which all-zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call, which writes one rusage to it. It cannot fail for a valid `who`.
    unsafe { libc::getrusage(who, &mut usage) };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    CpuTime {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
    }
}

/// CPU time of the calling thread, ns.
pub fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Pins the calling thread to one CPU.
pub fn pin_thread(cpu: u32) -> crate::Result<()> {
    let mut set = CpuSet::new();
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(crate::Error::io(
            "pin a thread to CPU",
            cpu.to_string(),
            rustix::io::Errno::INVAL,
        ));
    }
    set.set(cpu as usize);
    rustix::thread::sched_setaffinity(None, &set)
        .map_err(|error| crate::Error::io("pin a thread to CPU", cpu.to_string(), error))
}

/// Lets the calling thread's sleeps end within a ns of their time instead of the 50 µs by which the kernel may delay
/// them to save wake-ups. Best effort: without it sleeps are as long as before.
#[allow(unsafe_code, reason = "prctl has many shapes; this one takes a number")]
pub fn wake_precisely() {
    // SAFETY: PR_SET_TIMERSLACK takes a number and touches no memory of ours.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

/// CPUs this process may run on.
pub fn allowed_cpus() -> Vec<u32> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else {
        return vec![0];
    };
    (0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .map(|cpu| cpu as u32)
        .collect()
}

/// This process's id.
pub fn id() -> u32 {
    std::process::id()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work() {
        let before = cpu_time();
        let mut sum = 0u64;
        while cpu_time().since(before).total_ns() < 2_000_000 {
            sum = sum.wrapping_mul(31).wrapping_add(7);
        }
        assert!(std::hint::black_box(sum) != 1 && thread_cpu_ns() > 0);
    }
}
