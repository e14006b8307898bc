//! Which processes to look at, and when: those that do I/O always, the quiet ones in turn and within a budget.

use super::account::Account;
use crate::parse;
use host::{Host, Sampled, process};
use kernel::process_stat::ProcessStat;
use std::collections::{HashMap, VecDeque};

/// Of one CPU, for everything this sensor does.
const BUDGET_SHARE: f64 = 0.002;
/// The most that may have been saved up: a sample is never longer than this by more than one look.
const CREDIT_NS_MAX: i64 = 6_000_000;
/// Looks between two questions how much CPU time was used, which are not free either.
const LOOKS_PER_QUESTION: u64 = 8;
const SECOND_NS: u64 = 1_000_000_000;
/// Time between two looks at a process that is quiet, and at one that never did anything.
const QUIET_NS: u64 = 3 * SECOND_NS;
const IDLE_NS: u64 = 10 * SECOND_NS;
/// /proc is listed this rarely at least, and so rarely that it takes no more than this share.
const LIST_NS: u64 = SECOND_NS / 2;
const LIST_SHARE: f64 = BUDGET_SHARE / 4.0;
/// A process without I/O for so long is a quiet one again.
const REST_NS: u64 = 30 * SECOND_NS;
/// Processes whose file is held open.
const OPEN_MAX: usize = 256;
/// Processes that may have series, alive or not, since series never go away: 4,095 columns with those of `others`.
const SUBJECTS_MAX: usize = 584;
/// So many get theirs easily. The places left are to last however many come and go: each few that are taken double the
/// bytes that it takes to get one.
const SUBJECTS_EASY: usize = 256;
const SUBJECTS_PER_DOUBLING: usize = 32;
/// What makes a process worth series of its own.
const NOTABLE_BYTES: u64 = 1 << 20;
const NOTABLE_TIMES: u32 = 3;

/// A process that is looked at in turn. Its file is opened anew each time, so nothing that it seems to have done in
/// between is believed: the number may belong to another process by now.
#[derive(Debug)]
struct Quiet {
    pid: u32,
    seen: Option<(u64, Account)>,
    is_known_twice: bool,
    /// Came after the first listing: what it did before it was first looked at, it did lately.
    is_new: bool,
}

/// A process that does I/O. Its open file stays that of this very process, also when the number is given to another.
#[derive(Debug)]
struct Busy {
    pid: u32,
    file: Sampled,
    account: Account,
    grown_ns: u64,
    times: u32,
    bytes: u64,
    slot: Option<usize>,
    /// Bytes it has to move to be asked again who it is, once it has not got series.
    bar_bytes: Option<u64>,
}

/// Who a process is, whatever its number: two that have had one number differ in when they began.
type Identity = (u32, u64);

#[derive(Debug)]
pub(super) struct Watch {
    host: Host,
    last_pid: Option<Sampled>,
    newest: u64,
    known: Vec<u32>,
    quiet: VecDeque<Quiet>,
    idle: VecDeque<Quiet>,
    busy: Vec<Busy>,
    others: Account,
    /// What new processes had done when they were found, and over what time `others` is still to count it: all at once it
    /// would be a rate that no disk had.
    owed: Account,
    owed_ns: u64,
    subjects: Vec<String>,
    slots: HashMap<Identity, usize>,
    refused: usize,
    credit_ns: i64,
    credit_ns_max: i64,
    looked_ns: u64,
    listed_ns: u64,
    /// Time between the last two listings.
    unlisted_ns: u64,
    list_cost_ns: u64,
    latest_ns: u64,
}

/// Every process of /proc.
pub(super) fn pids(host: &Host) -> Vec<u32> {
    let mut pids: Vec<u32> = host
        .list("/proc")
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    pids.sort_unstable();
    pids
}

impl Watch {
    pub fn new(host: &Host) -> Self {
        Watch {
            host: host.clone(),
            last_pid: host.sampled("/proc/loadavg").ok(),
            newest: 0,
            known: Vec::new(),
            quiet: VecDeque::new(),
            idle: VecDeque::new(),
            busy: Vec::new(),
            others: Account::default(),
            owed: Account::default(),
            owed_ns: 0,
            subjects: Vec::new(),
            slots: HashMap::new(),
            refused: 0,
            credit_ns: CREDIT_NS_MAX,
            credit_ns_max: CREDIT_NS_MAX,
            looked_ns: 0,
            listed_ns: 0,
            unlisted_ns: 0,
            list_cost_ns: 0,
            latest_ns: 0,
        }
    }

    /// Names of the processes that have series; `others` is before them.
    pub fn subjects(&self) -> &[String] {
        &self.subjects
    }

    /// What to tell now, by place among the series.
    pub fn accounts(&self) -> impl Iterator<Item = (usize, &Account)> {
        let busy = self
            .busy
            .iter()
            .filter_map(|one| Some((one.slot? + 1, &one.account)));
        std::iter::once((0, &self.others)).chain(busy)
    }

    /// Looks at those whose turn it is, at this moment.
    pub fn look(&mut self, now_ns: u64) {
        let began_ns = process::thread_cpu_ns();
        let passed_ns = now_ns.saturating_sub(self.looked_ns).min(SECOND_NS * 10);
        self.credit_ns = (self
            .credit_ns
            .saturating_add((passed_ns as f64 * BUDGET_SHARE) as i64))
        .min(self.credit_ns_max);
        self.looked_ns = now_ns;
        self.count_owed(passed_ns);
        self.read_busy(now_ns);
        if self.list_is_due(now_ns) {
            self.list(now_ns);
        }
        let left_ns =
            |watch: &Watch| watch.credit_ns - (process::thread_cpu_ns() - began_ns) as i64;
        for is_idle in [false, true] {
            let (waiting, rest_ns) = if is_idle {
                (self.idle.len(), IDLE_NS)
            } else {
                (self.quiet.len(), QUIET_NS)
            };
            // Their fair share and a little more, so that those who came together do not stay together.
            let quota = waiting as u64 * passed_ns * 5 / 4 / rest_ns + LOOKS_PER_QUESTION;
            let mut looks = 0;
            while self.turn(is_idle, looks < quota, now_ns) {
                looks += 1;
                if looks % LOOKS_PER_QUESTION == 0 && left_ns(self) <= 0 {
                    break;
                }
            }
        }
        self.credit_ns = left_ns(self);
    }

    /// Counts what is owed for so much time.
    fn count_owed(&mut self, passed_ns: u64) {
        let share = match self.owed_ns {
            0 => 1.0,
            owed_ns => (passed_ns as f64 / owed_ns as f64).min(1.0),
        };
        self.others.add(&self.owed.take(share));
        self.owed_ns = self.owed_ns.saturating_sub(passed_ns);
    }

    fn read_busy(&mut self, now_ns: u64) {
        let mut place = 0;
        while let Some(busy) = self.busy.get_mut(place) {
            let read = busy.file.read().ok().and_then(Account::parse);
            let Some((account, grown)) =
                read.and_then(|now| Some((now, now.since(&busy.account)?)))
            else {
                let gone = self.busy.swap_remove(place);
                self.forget(gone.pid);
                continue;
            };
            busy.account = account;
            if grown.moved() > 0 {
                busy.grown_ns = now_ns;
                busy.times += 1;
                busy.bytes = busy.bytes.saturating_add(grown.moved());
            }
            if busy.slot.is_none() {
                self.others.add(&grown);
                let is_notable = match busy.bar_bytes {
                    None => busy.times >= NOTABLE_TIMES || busy.bytes >= NOTABLE_BYTES,
                    Some(bar) => busy.bytes >= bar,
                };
                if is_notable {
                    self.name(place);
                }
            }
            if now_ns.saturating_sub(self.busy[place].grown_ns) > REST_NS {
                self.rest(place, now_ns);
                continue;
            }
            place += 1;
        }
    }

    /// Makes a busy process a quiet one again; its series stay and have gaps.
    fn rest(&mut self, place: usize, now_ns: u64) {
        let resting = self.busy.swap_remove(place);
        let seen = Some((now_ns, resting.account));
        self.quiet.push_back(Quiet {
            pid: resting.pid,
            seen,
            is_known_twice: true,
            is_new: false,
        });
    }

    /// Makes room for one that does I/O: the one that has been still for longest rests early.
    fn has_room(&mut self, now_ns: u64) -> bool {
        if self.busy.len() < OPEN_MAX {
            return true;
        }
        let still = self
            .busy
            .iter()
            .enumerate()
            .filter(|(_, busy)| busy.grown_ns < now_ns);
        let longest = still
            .min_by_key(|(_, busy)| busy.grown_ns)
            .map(|(place, _)| place);
        longest.map(|place| self.rest(place, now_ns)).is_some()
    }

    /// What a process has to have moved to get new series.
    fn bar_bytes(&self) -> u64 {
        match self.subjects.len() {
            ..SUBJECTS_EASY => 0,
            taken @ ..SUBJECTS_MAX => {
                NOTABLE_BYTES << (1 + (taken - SUBJECTS_EASY) / SUBJECTS_PER_DOUBLING)
            }
            _ => u64::MAX,
        }
    }

    /// Gives a busy process its series: those it had before, or new ones where it is worth them.
    fn name(&mut self, place: usize) {
        let bar_bytes = self.bar_bytes();
        let busy = &mut self.busy[place];
        let text = self
            .host
            .text(&format!("/proc/{}/stat", busy.pid))
            .unwrap_or_default();
        let Some((name, began)) = name_and_start(&text) else {
            return;
        };
        // That the open file still answers means that its process has had the number all the time.
        if busy.file.read().is_err() {
            return;
        }
        busy.slot = match self.slots.get(&(busy.pid, began)) {
            Some(slot) => Some(*slot),
            None => {
                // A number that came round, for a process of the same name, goes on with the series of its forerunner.
                let subject = format!("{name}.{}", busy.pid);
                let known = self.subjects.iter().position(|one| *one == subject);
                let slot = known.or_else(|| {
                    (busy.bytes >= bar_bytes && bar_bytes < u64::MAX).then(|| {
                        self.subjects.push(subject);
                        self.subjects.len() - 1
                    })
                });
                if let Some(slot) = slot {
                    self.slots.retain(|_, known| *known != slot);
                    self.slots.insert((busy.pid, began), slot);
                }
                slot
            }
        };
        busy.bar_bytes = Some(bar_bytes);
    }

    fn forget(&mut self, pid: u32) {
        if let Ok(place) = self.known.binary_search(&pid) {
            self.known.remove(place);
        }
    }

    /// Listing is only worth while if a number was given out since.
    fn list_is_due(&mut self, now_ns: u64) -> bool {
        if self.known.is_empty() {
            return true;
        }
        let dear_ns = (self.list_cost_ns as f64 / LIST_SHARE) as u64;
        if now_ns.saturating_sub(self.listed_ns) < LIST_NS.max(dear_ns) {
            return false;
        }
        let text = self
            .last_pid
            .as_mut()
            .and_then(|file| file.read().ok())
            .unwrap_or_default();
        let newest = parse::words(text).nth(4).and_then(parse::number);
        let is_same = newest.is_some_and(|newest| newest == self.newest);
        self.newest = newest.unwrap_or(0);
        !is_same
    }

    fn list(&mut self, now_ns: u64) {
        let began_ns = process::thread_cpu_ns();
        let listed = pids(&self.host);
        let is_first = self.known.is_empty();
        for pid in &listed {
            if self.known.binary_search(pid).is_err() {
                let new = Quiet {
                    pid: *pid,
                    seen: None,
                    is_known_twice: false,
                    is_new: !is_first,
                };
                self.quiet.push_front(new);
            }
        }
        self.known = listed;
        self.unlisted_ns = now_ns.saturating_sub(self.listed_ns);
        self.listed_ns = now_ns;
        self.list_cost_ns = process::thread_cpu_ns() - began_ns;
    }

    /// Looks at the quiet process whose turn it is; false when it is nobody's. What has been looked at less than twice
    /// has its turn whether there is time for the others or not.
    fn turn(&mut self, is_idle: bool, has_time: bool, now_ns: u64) -> bool {
        let (queue, rest_ns) = if is_idle {
            (&mut self.idle, IDLE_NS)
        } else {
            (&mut self.quiet, QUIET_NS)
        };
        let Some(next) = queue.front() else {
            return false;
        };
        if let Some((seen_ns, _)) = next.seen {
            let age_ns = now_ns.saturating_sub(seen_ns);
            let wait_ns = if next.is_known_twice {
                rest_ns
            } else {
                SECOND_NS / 2
            };
            if age_ns < wait_ns || (next.is_known_twice && !has_time) {
                return false;
            }
            self.latest_ns = if is_idle { self.latest_ns } else { age_ns };
        }
        if let Some(quiet) = queue.pop_front() {
            self.look_at(quiet, now_ns);
        }
        true
    }

    fn look_at(&mut self, quiet: Quiet, now_ns: u64) {
        let pid = quiet.pid;
        let mut file = match self.host.sampled(&format!("/proc/{pid}/io")) {
            Ok(file) => file,
            // Refused for as long as the number is known; what is gone may come again.
            Err(error) if error.is_permission() => return self.refused += 1,
            Err(_) => return self.forget(pid),
        };
        let account = match file.read() {
            Ok(text) => Account::parse(text),
            Err(error) if error.is_permission() => return self.refused += 1,
            Err(_) => return self.forget(pid),
        };
        let Some(account) = account else {
            return self.forget(pid);
        };
        let is_busy = match &quiet.seen {
            Some((_, before)) => account.since(before).is_none_or(|grown| grown.moved() > 0),
            None => quiet.is_new && account.moved() > 0,
        };
        if is_busy && self.has_room(now_ns) {
            if quiet.seen.is_none() {
                self.owed.add(&account);
                self.owed_ns = self.owed_ns.max(self.unlisted_ns);
            }
            let busy = Busy {
                pid,
                file,
                account,
                grown_ns: now_ns,
                times: 1,
                bytes: 0,
                slot: None,
                bar_bytes: None,
            };
            return self.busy.push(busy);
        }
        let is_known_twice = quiet.seen.is_some();
        let queue = if account.is_empty() {
            &mut self.idle
        } else {
            &mut self.quiet
        };
        queue.push_back(Quiet {
            pid,
            seen: Some((now_ns, account)),
            is_known_twice,
            is_new: false,
        });
    }

    /// What this machine does not let us see, or only late.
    pub fn notes(&self) -> Vec<String> {
        let late = (self.latest_ns > 2 * QUIET_NS).then(|| {
            format!(
                "There are {} processes: to stay below 0.2 % of a CPU, a quiet one is looked at every {} s, so one that \
                 begins to read or write is noticed that late.",
                self.known.len(),
                self.latest_ns / SECOND_NS
            )
        });
        let refused = (self.refused > 0).then(|| refused(self.refused));
        let taken = self.subjects.len();
        let full = (taken >= SUBJECTS_EASY).then(|| match self.bar_bytes() {
            u64::MAX => format!("{taken} processes have had series of their own; what further ones do is in `others`."),
            bar => format!(
                "{taken} processes have had series of their own; further ones are in `others` until they have moved {} \
                 MiB.",
                bar >> 20
            ),
        });
        let open = (self.busy.len() == OPEN_MAX).then(|| {
            format!("Only {OPEN_MAX} processes that do I/O are read at a time; there may be more.")
        });
        late.into_iter()
            .chain(refused)
            .chain(full)
            .chain(open)
            .collect()
    }
}

/// Name and start time (clock ticks after boot) of `/proc/PID/stat`. In a series' name a name has no character that
/// would be taken for something else.
fn name_and_start(stat: &str) -> Option<(String, u64)> {
    let stat = ProcessStat::parse(stat)?;
    let odd = |letter: char| {
        letter.is_whitespace() || letter.is_control() || matches!(letter, '{' | '}' | '"')
    };
    Some((stat.name.replace(odd, "_"), stat.start_ticks?))
}

#[cfg(test)]
impl Watch {
    /// Goes on with another captured moment of the same machine, however long looking takes.
    pub fn move_to(&mut self, host: &Host) {
        (self.credit_ns, self.credit_ns_max) = (i64::MAX / 2, i64::MAX / 2);
        self.list_cost_ns = 0;
        self.host = host.clone();
        self.last_pid = host.sampled("/proc/loadavg").ok();
        for busy in &mut self.busy {
            if let Ok(file) = host.sampled(&format!("/proc/{}/io", busy.pid)) {
                busy.file = file;
            }
        }
    }
}

/// How many processes are left out, and whether more rights would help.
fn refused(count: usize) -> String {
    let processes = if count == 1 { "process" } else { "processes" };
    match host::rights::is_root() {
        true => format!("{count} {processes} may not be looked at, not even by root."),
        false => format!("{count} {processes} of other users may not be looked at; root may."),
    }
}
