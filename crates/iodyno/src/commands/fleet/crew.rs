//! All hosts at once: a thread each, so many prepared together as was said, one moment to begin for those that begin
//! together, and whatever happens to one happens to it alone.

use super::binary::Binary;
use super::host_run::{self, PlannedHost, Trouble};
use super::live::FleetLive;
use super::outcome::HostOutcome;
use super::talk::Watch;
use super::verbs::FleetVerb;
use host::clock;
use host::signals::Stop;
use model::record::Interval;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How far ahead the moment to begin is, ns; with so many times what the slowest answer of a clock may be off, and this at
/// the most.
const AHEAD_NS: u64 = 600_000_000;
const AHEAD_TIMES: u64 = 32;
const AHEAD_MAX_NS: u64 = 20_000_000_000;

/// What is done, with whom and how.
#[derive(Debug)]
pub struct FleetPlan {
    /// The hosts.
    pub hosts: Vec<PlannedHost>,
    /// The verb.
    pub verb: FleetVerb,
    /// The binaries that can be sent.
    pub binaries: Vec<Binary>,
    /// The record that is sent along.
    pub record: Option<Value>,
    /// Hosts at once.
    pub at_once: usize,
    /// Silence that is borne, ms.
    pub silence_ms: u64,
    /// Time for one host, ms.
    pub timeout_ms: Option<u64>,
    /// Time for the slower half of the hosts to get ready, ms; at the least twice what the others took.
    pub ready_ms: u64,
}

/// What a host's thread tells.
pub enum FleetEvent {
    /// Where it stands.
    State(usize, String),
    /// Its load is prepared; what its clock may be off, ns.
    Ready(usize, u64),
    /// Its load has begun.
    Begun(usize),
    /// What its load did meanwhile.
    Progress(usize, Interval),
    /// A line of its verb.
    Words(usize, String),
    /// What came of it.
    Over(usize, Box<HostOutcome>),
}

/// What all of them are told.
#[derive(Debug, Default)]
pub struct Lead {
    /// The moment to begin, ns of our monotonic clock; 0 while there is none.
    pub go_ns: AtomicU64,
    is_stopping: AtomicBool,
    is_late: AtomicBool,
}

impl Lead {
    /// Whether all are to stop.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    /// Whether whoever is not ready is not waited for any more.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Acquire)
    }
}

/// Lets so many in at once.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    left: Condvar,
}

/// The right to be in; given back when it is dropped.
#[derive(Debug)]
pub struct Permit<'a>(&'a Gate);

impl Gate {
    fn new(places: usize) -> Gate {
        Gate {
            free: Mutex::new(places),
            left: Condvar::new(),
        }
    }

    /// Waits for a place; none when all are to stop.
    pub fn enter(&self, lead: &Lead) -> Option<Permit<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while !lead.is_stopping() {
            if *free > 0 {
                *free -= 1;
                return Some(Permit(self));
            }
            let waited = self.left.wait_timeout(free, LOOK);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}

/// What the threads share.
pub struct Crew {
    /// What is done.
    pub plan: Arc<FleetPlan>,
    /// What all are told.
    pub lead: Lead,
    /// Who may prepare.
    pub gate: Gate,
    /// Who is too silent.
    pub watch: Watch,
    events: Sender<FleetEvent>,
}

impl Crew {
    /// Tells the one who leads.
    pub fn tell(&self, event: FleetEvent) {
        // It is there until every host is over.
        let _ = self.events.send(event);
    }
}

/// Does the plan on all hosts; each outcome is handed on as it comes. `over` may keep what is long.
pub fn all(
    plan: &Arc<FleetPlan>,
    stop: &Stop,
    live: &mut FleetLive,
    over: &mut dyn FnMut(&mut HostOutcome),
) -> Vec<HostOutcome> {
    let (events, inbox) = channel();
    let crew = Arc::new(Crew {
        plan: Arc::clone(plan),
        lead: Lead::default(),
        gate: Gate::new(plan.at_once),
        watch: Watch::start(),
        events,
    });
    let count = plan.hosts.len();
    for at in 0..count {
        let of_thread = Arc::clone(&crew);
        let thread = std::thread::Builder::new().name(format!("host {at}"));
        let started = thread.spawn(move || follow(&of_thread, at));
        if let Err(error) = started {
            let mut outcome = HostOutcome::of(&plan.hosts[at]);
            outcome.troubled(Trouble::garbage(format!("no thread for it: {error}")));
            crew.tell(FleetEvent::Over(at, Box::new(outcome)));
        }
    }
    let mut leading = Leading {
        crew: &crew,
        ready: vec![false; count],
        outcomes: (0..count).map(|_| None).collect(),
        error_ns: 0,
        begun_ns: clock::monotonic_ns(),
        late_ns: None,
    };
    leading.until_all_are_over(&inbox, stop, live, over);
    leading.outcomes.into_iter().flatten().collect()
}

/// One host; a defect of ours that its answer finds is that host's alone.
fn follow(crew: &Crew, at: usize) {
    let mut outcome = HostOutcome::of(&crew.plan.hosts[at]);
    let done = catch_unwind(AssertUnwindSafe(|| {
        host_run::attend(crew, at, &mut outcome)
    }));
    if done.is_err() {
        outcome.troubled(Trouble::garbage("what it sent cannot be read"));
    }
    crew.tell(FleetEvent::Over(at, Box::new(outcome)));
}

struct Leading<'a> {
    crew: &'a Crew,
    ready: Vec<bool>,
    outcomes: Vec<Option<HostOutcome>>,
    /// What the worst clock may be off, ns.
    error_ns: u64,
    begun_ns: u64,
    /// When whoever is not ready is not waited for any more, ns; none before half of them are.
    late_ns: Option<u64>,
}

impl Leading<'_> {
    fn until_all_are_over(
        &mut self,
        inbox: &Receiver<FleetEvent>,
        stop: &Stop,
        live: &mut FleetLive,
        over: &mut dyn FnMut(&mut HostOutcome),
    ) {
        while self.outcomes.iter().any(Option::is_none) {
            match inbox.recv_timeout(LOOK) {
                Ok(event) => self.take(event, live, over),
                Err(RecvTimeoutError::Timeout) => live.show(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if stop.is_asked() {
                self.crew.lead.is_stopping.store(true, Ordering::Release);
            }
            self.go_when_all_are_ready();
        }
        live.clear();
    }

    fn take(
        &mut self,
        event: FleetEvent,
        live: &mut FleetLive,
        over: &mut dyn FnMut(&mut HostOutcome),
    ) {
        match event {
            FleetEvent::State(at, state) => live.state(at, &state),
            FleetEvent::Ready(at, error_ns) => {
                self.ready[at] = true;
                self.error_ns = self.error_ns.max(error_ns);
                live.state(at, "ready");
            }
            FleetEvent::Begun(at) => live.state(at, "loading"),
            FleetEvent::Progress(at, interval) => live.progress(at, &interval),
            FleetEvent::Words(at, line) => live.words(at, &line),
            FleetEvent::Over(at, mut outcome) => {
                over(&mut outcome);
                live.over(at, &outcome.answer);
                self.outcomes[at] = Some(*outcome);
            }
        }
    }

    /// The moment to begin, once every host is ready or over.
    fn go_when_all_are_ready(&mut self) {
        let lead = &self.crew.lead;
        let is_open = self.crew.plan.verb.is_together() && lead.go_ns.load(Ordering::Acquire) == 0;
        if !is_open {
            return;
        }
        let hosts = self.ready.iter().zip(&self.outcomes);
        let settled = hosts.filter(|(ready, outcome)| **ready || outcome.is_some());
        let (settled, now_ns) = (settled.count(), clock::monotonic_ns());
        if self.late_ns.is_none() && settled * 2 >= self.ready.len() {
            let took_ns = now_ns.saturating_sub(self.begun_ns);
            let more_ns = (self.crew.plan.ready_ms * 1_000_000).max(took_ns * 2);
            self.late_ns = Some(now_ns.saturating_add(more_ns));
        }
        let is_all = settled == self.ready.len();
        let is_late = self.late_ns.is_some_and(|late_ns| now_ns > late_ns);
        if (is_all || is_late) && self.ready.contains(&true) {
            lead.is_late.store(true, Ordering::Release);
            let ahead_ns = AHEAD_NS.saturating_add(self.error_ns.saturating_mul(AHEAD_TIMES));
            let go_ns = clock::monotonic_ns().saturating_add(ahead_ns.min(AHEAD_MAX_NS));
            lead.go_ns.store(go_ns, Ordering::Release);
        }
    }
}
