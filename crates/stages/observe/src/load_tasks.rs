//! What the threads of a load do, by looking at them every few milliseconds: asleep where in the kernel, or able to run.
//!
//! The kernel counts their time on a CPU and in a run queue (`/proc/self/task/TID/schedstat`); where they sleep is sampled from
//! `stat`, `stack` (root) or `wchan`. This is tracking, not tracing: nothing slows the load down but the CPU time of the looks,
//! which is kept near a hundredth of one CPU.

use crate::sensors::process::account::Account;
use host::{Host, Sampled, clock, process};
use kernel::cgroups::{Hierarchies, Membership, with_those_above};
use kernel::mounts::Mounts;
use kernel::process_stat::ProcessStat;
use kernel::task::{TaskCpu, stack_functions, throttled_ns};
use model::time_account::{CpuUser, FUNCTIONS_KEPT, PLACES_KEPT, SleepSight, TaskTimes};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// How the threads of a load are called, and those that io_uring starts for them in the kernel.
const LOAD: &str = "iodyno-load-";
const WORKER: &str = "iou-wrk-";

/// Time between two looks: 2 to 6 ms, at random, so that nothing periodic is met at the same phase again and again.
const LEAST_US: u64 = 2_000;
const SPREAD_US: u64 = 4_000;
/// The golden section of 2^64: its multiples spread evenly and never repeat.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The pause after a look is this many times the CPU time of the cheaper one of the last two: where many threads make looks dear
/// there are fewer. A single dear one says nothing: the first is not in the caches, and a hypervisor's pause counts as CPU time.
const COST_SHARE: u64 = 100;

/// New threads are looked for after so many looks, and at each one until there is a load.
const LOOKS_A_LIST: u64 = 16;

/// CPU users kept, and from how many CPUs on.
const USERS: usize = 3;
const USER_CPUS: f64 = 0.1;

/// The kernel's clock tick as /proc has it, ns (USER_HZ is 100 on every architecture that Linux runs disks on).
const TICK_NS: u64 = 10_000_000;

/// How long the calling thread waits for a CPU while nothing is loaded. It counts for itself: a thread that looked at it would wait for
/// the same CPUs.
#[derive(Debug)]
pub struct OwnWait {
    host: Host,
    begin_ns: u64,
    cpu: TaskCpu,
    users: HashMap<(u32, u64), (String, u64)>,
}

impl OwnWait {
    /// Begins to count; none where the kernel does not, and in a rehearsal, whose time is not the kernel's.
    pub fn start(host: &Host) -> Option<OwnWait> {
        if host.rehearsal().is_some() {
            return None;
        }
        Some(OwnWait {
            host: host.clone(),
            begin_ns: clock::monotonic_ns(),
            cpu: own_cpu(host)?,
            users: cpu_users(host),
        })
    }

    /// What it came to.
    pub fn finish(self) -> Option<TaskTimes> {
        let now = own_cpu(&self.host)?;
        let elapsed_ns = clock::monotonic_ns().saturating_sub(self.begin_ns);
        let stat = self.host.text("/proc/thread-self/stat")?;
        Some(TaskTimes {
            threads: 1,
            alive_ms: elapsed_ns as f64 / 1e6,
            run_ms: now.run_ns.saturating_sub(self.cpu.run_ns) as f64 / 1e6,
            delay_ms: now.delay_ns.saturating_sub(self.cpu.delay_ns) as f64 / 1e6,
            nice: ProcessStat::parse(&stat)?.nice.unwrap_or(0),
            cpus: process::allowed_cpus().len() as u32,
            cpu_users: greediest(&self.users, &cpu_users(&self.host), elapsed_ns),
            ..TaskTimes::default()
        })
    }
}

fn own_cpu(host: &Host) -> Option<TaskCpu> {
    TaskCpu::parse(&host.text("/proc/thread-self/schedstat")?)
}

/// Looks at threads of this process until it is finished.
#[derive(Debug)]
pub struct LoadTasks {
    around: Option<Around>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<TaskTimes>>,
}

impl LoadTasks {
    /// Begins to look. `devices` are those of the path: whether one of them has I/O in flight tells sleep that waits for them from
    /// sleep that does not. Where no thread can be had nothing is seen.
    pub fn start(host: &Host, devices: &[String]) -> LoadTasks {
        let around = Some(Around::now(host));
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, host, devices) = (is_over.clone(), host.clone(), devices.to_vec());
        let has_threads = host.rehearsal().is_none();
        let watching = std::thread::Builder::new().name("iodyno-tasks".into());
        let watching =
            has_threads.then(|| watching.spawn(move || watch(&host, &devices, &over)).ok());
        LoadTasks {
            around,
            is_over,
            thread: watching.flatten(),
        }
    }

    /// Ends it, and gives what was seen; none where no thread of a load was.
    pub fn finish(mut self) -> Option<TaskTimes> {
        self.is_over.store(true, Ordering::Relaxed);
        let mut times = self.thread.take()?.join().ok()?;
        self.around.take()?.add_to(&mut times);
        (times.threads > 0 && times.alive_ms > 0.0).then_some(times)
    }
}

impl Drop for LoadTasks {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn watch(host: &Host, devices: &[String], is_over: &AtomicBool) -> TaskTimes {
    let mut looks = Looks::new(host, devices);
    let mut number: u64 = 0;
    let mut earlier_cost_us = 0;
    while !is_over.load(Ordering::Relaxed) {
        let before_ns = process::thread_cpu_ns();
        if number.is_multiple_of(LOOKS_A_LIST) || looks.tasks.is_empty() {
            looks.list(host);
        }
        looks.look();
        let cost_us = process::thread_cpu_ns().saturating_sub(before_ns) / 1_000;
        let spread_us = ((number.wrapping_mul(GOLDEN) >> 32) * SPREAD_US) >> 32;
        let paid_us = cost_us.min(earlier_cost_us) * COST_SHARE;
        (number, earlier_cost_us) = (number + 1, cost_us);
        clock::sleep_ns((LEAST_US + spread_us).max(paid_us) * 1_000);
    }
    looks.times()
}

/// What is counted around a load: read before it begins, so that nothing of it is missed.
#[derive(Debug)]
struct Around {
    host: Host,
    begin_ns: u64,
    users: HashMap<(u32, u64), (String, u64)>,
    quotas: Quotas,
    held_ns: Option<u64>,
    fetched_bytes: Option<u64>,
}

impl Around {
    fn now(host: &Host) -> Around {
        let quotas = Quotas::of(host);
        Around {
            begin_ns: clock::monotonic_ns(),
            users: cpu_users(host),
            held_ns: quotas.throttled_ns(host),
            quotas,
            fetched_bytes: fetched_bytes(host),
            host: host.clone(),
        }
    }

    fn add_to(self, times: &mut TaskTimes) {
        let host = &self.host;
        let beyond = |now: Option<u64>, before: Option<u64>| {
            now.zip(before)
                .map(|(now, before)| now.saturating_sub(before))
        };
        let held_ns = beyond(self.quotas.throttled_ns(host), self.held_ns);
        times.throttled_ms = held_ns.map(|ns| ns as f64 / 1e6);
        times.fetched_bytes = beyond(fetched_bytes(host), self.fetched_bytes);
        times.cpus = process::allowed_cpus().len() as u32;
        let elapsed_ns = clock::monotonic_ns().saturating_sub(self.begin_ns);
        times.cpu_users = greediest(&self.users, &cpu_users(host), elapsed_ns);
    }
}

/// What storage was asked for by this process since it began (Linux `submit_bio`, `task_io_account_read`: once, at the device that the
/// file system is on).
fn fetched_bytes(host: &Host) -> Option<u64> {
    let text = host.text("/proc/self/io")?;
    Some(Account::parse(text.as_bytes())?.read_bytes())
}

/// What this process has had written to storage since it began, bytes; none where the kernel does not count it.
pub fn written_bytes(host: &Host) -> Option<u64> {
    let text = host.text("/proc/self/io")?;
    Some(Account::parse(text.as_bytes())?.write_bytes())
}

/// One thread, with its files held open.
struct WatchedTask {
    is_worker: bool,
    stat: Sampled,
    schedstat: Option<Sampled>,
    /// `stack`, or `wchan` where only that may be read.
    place: Option<(bool, Sampled)>,
    first: Option<(u64, TaskCpu)>,
    last: (u64, TaskCpu),
    nice: i32,
}

impl WatchedTask {
    fn open(host: &Host, tid: &str) -> Option<WatchedTask> {
        let file = |name: &str| host.sampled(&format!("/proc/self/task/{tid}/{name}")).ok();
        let mut stat = file("stat")?;
        let text = text(&mut stat)?;
        let parsed = ProcessStat::parse(&text)?;
        let is_worker = parsed.name.starts_with(WORKER);
        if !is_worker && !parsed.name.starts_with(LOAD) {
            return None;
        }
        let nice = parsed.nice.unwrap_or(0);
        // The file can be opened by everybody, and read by root alone.
        let stack = file("stack").and_then(|mut one| one.read().is_ok().then_some((true, one)));
        Some(WatchedTask {
            is_worker,
            schedstat: file("schedstat"),
            place: stack.or_else(|| Some((false, file("wchan")?))),
            stat,
            first: None,
            last: (0, TaskCpu::default()),
            nice,
        })
    }

    /// Whether it sleeps, and in which functions; none where it is gone.
    fn look(&mut self) -> Option<(bool, Vec<String>)> {
        let stat = text(&mut self.stat)?;
        let stat = ProcessStat::parse(&stat)?;
        // A new worker has the name of the thread that asked for it until its first turn on a CPU.
        self.is_worker = stat.name.starts_with(WORKER);
        let is_asleep = matches!(stat.state, "S" | "D");
        let functions = match is_asleep {
            true => self.functions(),
            false => Vec::new(),
        };
        let cpu = self.schedstat.as_mut().and_then(text);
        let cpu = cpu.and_then(|text| TaskCpu::parse(&text));
        self.last = (clock::monotonic_ns(), cpu.unwrap_or_default());
        self.first.get_or_insert(self.last);
        Some((is_asleep, functions))
    }

    fn functions(&mut self) -> Vec<String> {
        let Some((is_stack, file)) = &mut self.place else {
            return Vec::new();
        };
        let text = text(file).unwrap_or_default();
        if *is_stack {
            let names = stack_functions(&text).take(FUNCTIONS_KEPT);
            return names.map(str::to_string).collect();
        }
        let name = text.split('.').next().unwrap_or_default();
        let is_known = !name.is_empty() && name != "0";
        is_known.then(|| name.to_string()).into_iter().collect()
    }
}

fn text(file: &mut Sampled) -> Option<String> {
    let bytes = file.read().ok()?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// Everything seen so far.
struct Looks {
    tasks: BTreeMap<String, WatchedTask>,
    inflight: Vec<Sampled>,
    looks: u64,
    asleep: u64,
    sleeps: HashMap<Vec<String>, SleepSight>,
}

impl Looks {
    fn new(host: &Host, devices: &[String]) -> Looks {
        let file = |name: &String| {
            let directory = crate::devices::directory(name);
            host.sampled(&format!("/sys/class/block/{directory}/inflight"))
                .ok()
        };
        Looks {
            tasks: BTreeMap::new(),
            inflight: devices.iter().filter_map(file).collect(),
            looks: 0,
            asleep: 0,
            sleeps: HashMap::new(),
        }
    }

    /// Takes up what is new. Other threads are asked for their name each time: one that waits for its first turn on a CPU has not
    /// got its name yet.
    fn list(&mut self, host: &Host) {
        let mut tids = host.list("/proc/self/task");
        tids.retain(|tid| !self.tasks.contains_key(tid));
        let opened = |tid: String| Some((tid.clone(), WatchedTask::open(host, &tid)?));
        self.tasks.extend(tids.into_iter().filter_map(opened));
    }

    fn look(&mut self) {
        let mut is_busy = None;
        for task in self.tasks.values_mut() {
            let Some((is_asleep, functions)) = task.look() else {
                continue;
            };
            // A worker without work sleeps, and nothing waits for it.
            let is_without_work = functions.iter().any(|name| name.starts_with("io_wq"))
                && !functions.iter().any(|name| name.starts_with("io_issue"));
            if task.is_worker && (!is_asleep || is_without_work) {
                continue;
            }
            self.looks += u64::from(!task.is_worker);
            self.asleep += u64::from(is_asleep && !task.is_worker);
            if is_asleep {
                // Not before the first state is read: on the CPU of the thread that is looked at, the look itself keeps it from
                // running once its I/O is done.
                let is_busy = *is_busy.get_or_insert_with(|| has_io(&mut self.inflight));
                let sight = self.sleeps.entry(functions).or_default();
                sight.busy += u64::from(is_busy);
                sight.idle += u64::from(!is_busy);
            }
        }
    }

    fn times(self) -> TaskTimes {
        let mut times = TaskTimes {
            looks: self.looks,
            asleep: self.asleep,
            ..TaskTimes::default()
        };
        for task in self.tasks.into_values() {
            let Some((first_ns, first)) = task.first else {
                continue;
            };
            let (last_ns, last) = task.last;
            let run_ms = last.run_ns.saturating_sub(first.run_ns) as f64 / 1e6;
            let delay_ms = last.delay_ns.saturating_sub(first.delay_ns) as f64 / 1e6;
            if task.is_worker {
                times.worker_run_ms += run_ms;
                times.worker_delay_ms += delay_ms;
                continue;
            }
            times.threads += 1;
            times.nice = task.nice;
            times.alive_ms += last_ns.saturating_sub(first_ns) as f64 / 1e6;
            times.run_ms += run_ms;
            times.delay_ms += delay_ms;
        }
        let sleeps = self.sleeps.into_iter();
        let named = sleeps.map(|(functions, sight)| SleepSight { functions, ..sight });
        times.sleeps = named.collect();
        times
            .sleeps
            .sort_by_key(|sight| (std::cmp::Reverse(sight.seen()), sight.functions.clone()));
        times.sleeps.truncate(PLACES_KEPT);
        times
    }
}

fn has_io(inflight: &mut [Sampled]) -> bool {
    inflight.iter_mut().any(|file| {
        let words = text(file).unwrap_or_default();
        words.split_ascii_whitespace().any(|count| count != "0")
    })
}

/// `cpu.stat` of the own group and of those above it, any of which may have a quota.
#[derive(Debug)]
struct Quotas(Vec<String>);

impl Quotas {
    fn of(host: &Host) -> Quotas {
        let text = |path: &str| host.text(path).unwrap_or_default();
        let process = Membership::parse(&text("/proc/self/cgroup"));
        let hierarchies = Hierarchies::of(&Mounts::parse(&text("/proc/self/mountinfo")), &process);
        let group = hierarchies
            .group(&process, "cpu")
            .or_else(|| hierarchies.group(&process, ""));
        let files = group.map(|(tree, below)| {
            with_those_above(below)
                .map(|path| format!("{}/cpu.stat", tree.directory(path)))
                .collect()
        });
        Quotas(files.unwrap_or_default())
    }

    /// The most that any of them held; none where none counts it.
    fn throttled_ns(&self, host: &Host) -> Option<u64> {
        let held = self.0.iter().filter_map(|file| {
            let text = host.text(file)?;
            throttled_ns(&text)
        });
        held.max()
    }
}

/// Name and CPU time of each program at work, by its number and when it began.
fn cpu_users(host: &Host) -> HashMap<(u32, u64), (String, u64)> {
    let own = process::id();
    let one = |name: String| {
        let pid: u32 = name.parse().ok().filter(|pid| *pid != own)?;
        let text = host.text(&format!("/proc/{pid}/stat"))?;
        // What threads of the kernel do may be the load's own I/O.
        let stat = ProcessStat::parse(&text).filter(|stat| !stat.is_kernel_thread())?;
        Some((
            (pid, stat.start_ticks?),
            (stat.name.to_string(), stat.cpu_ticks?),
        ))
    };
    host.list("/proc").into_iter().filter_map(one).collect()
}

fn greediest(
    before: &HashMap<(u32, u64), (String, u64)>,
    after: &HashMap<(u32, u64), (String, u64)>,
    elapsed_ns: u64,
) -> Vec<CpuUser> {
    let used = |((pid, begin), (name, ticks)): (&(u32, u64), &(String, u64))| {
        let earlier = before.get(&(*pid, *begin)).map_or(0, |(_, ticks)| *ticks);
        let ns = ticks.saturating_sub(earlier).saturating_mul(TICK_NS);
        CpuUser {
            name: name.clone(),
            pid: *pid,
            cpus: ns as f64 / elapsed_ns.max(1) as f64,
        }
    };
    let mut users: Vec<CpuUser> = after.iter().map(used).collect();
    users.retain(|user| user.cpus >= USER_CPUS);
    users.sort_by(|one, other| other.cpus.total_cmp(&one.cpus));
    users.truncate(USERS);
    users
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that is called as those of a load are.
    fn thread(work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        let named = std::thread::Builder::new().name(format!("{LOAD}0"));
        named.spawn(work).expect("a thread")
    }

    // One test, as all threads of this process are looked at.
    #[test]
    #[ignore = "live"]
    fn a_sleeper_is_seen_asleep_and_a_worker_at_work() {
        let host = Host::live();
        let tasks = LoadTasks::start(&host, &[]);
        clock::sleep_ns(20_000_000);
        assert_eq!(tasks.finish(), None, "there is no load");
        let tasks = LoadTasks::start(&host, &[]);
        thread(|| clock::sleep_ns(300_000_000)).join().unwrap();
        let times = tasks.finish().expect("the thread was seen");
        assert_eq!(times.threads, 1);
        let is_asleep = times.asleep * 10 >= times.looks * 9
            && times.sleeps[0].is_in(&["hrtimer_nanosleep"])
            && times.run_ms < 0.2 * times.alive_ms;
        let figures = format!("{times:?}");
        skip::measured(
            skip::Outcome::won_if(times.looks > 20).max(skip::Outcome::right_if(is_asleep)),
            figures,
        );

        let tasks = LoadTasks::start(&host, &[]);
        let busy = || {
            let end_ns = clock::monotonic_ns() + 300_000_000;
            while clock::monotonic_ns() < end_ns {
                std::hint::spin_loop();
            }
        };
        thread(busy).join().unwrap();
        let times = tasks.finish().expect("the thread was seen");
        // What it did not get of a CPU it waited for.
        let told = times.run_ms + times.delay_ms;
        let is_at_work = told > 0.8 * times.alive_ms && times.asleep * 10 < times.looks;
        let figures = format!("{times:?}");
        skip::measured(skip::Outcome::right_if(is_at_work), figures);
    }

    #[test]
    fn a_thread_counts_its_own_wait() {
        let own = OwnWait::start(&Host::live()).expect("schedstat");
        clock::sleep_ns(50_000_000);
        let times = own.finish().expect("schedstat");
        assert!(
            times.alive_ms >= 50.0 && times.delay_ms < times.alive_ms,
            "{times:?}"
        );
    }

    #[test]
    fn the_greediest_come_first_and_the_modest_not_at_all() {
        let user = |ticks: u64| ("hog".to_string(), ticks);
        let before = HashMap::from([((1, 5), user(100)), ((2, 5), user(100)), ((3, 5), user(0))]);
        let after = HashMap::from([
            ((1, 5), user(150)),
            ((2, 5), user(105)),
            // Its number was another's before.
            ((3, 9), user(80)),
        ]);
        let users = greediest(&before, &after, 1_000_000_000);
        let told: Vec<(u32, f64)> = users.iter().map(|user| (user.pid, user.cpus)).collect();
        assert_eq!(told, [(3, 0.8), (1, 0.5)]);
    }
}
