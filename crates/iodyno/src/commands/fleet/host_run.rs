//! One host from the first word to the last: it is reached, given the binary, asked for its clock, and its verb followed.

use super::binary::{self, Binary};
use super::bootstrap::{self, Said};
use super::crew::{Crew, FleetEvent, Permit};
use super::outcome::HostOutcome;
use super::talk::{Heard, Talk, TalkLimits};
use super::verbs::FleetVerbKind;
use crate::exit::Exit;
use fleet::protocol::{self, Ask, HostHello, PROTOCOL, Tell, WORDS_MAX};
use fleet::{ClockOffset, ClockRound, HostState, Pending, to_undo};
use host::clock;
use model::failure::ErrorDocument;
use model::units::span_ms;
use runner::RunnerPlace;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often a host at work is looked after without a word of it.
const TICK: Duration = Duration::from_millis(50);
/// How often it is told that we are there, ns.
const ALIVE_NS: u64 = 2_000_000_000;
/// Questions for its clock.
const CLOCK_ROUNDS: u32 = 9;
/// What a clock may be off by a second's drift of both, ns: NTP slews a clock by 500 ppm at the most.
const DRIFT_NS: u64 = 1_000_000;
/// How long each may take, ms: connecting and starting, taking the binary, being asked for the clock.
const START_MS: u64 = 60_000;
const UPLOAD_MS: u64 = 600_000;
const CLOCK_MS: u64 = 15_000;
/// How far from the moment to begin a host's word about it may be, ns.
const BEGIN_NS: i128 = 60_000_000_000;
/// How long it may take to put everything back when it is asked to stop, ms.
const STOP_MS: u64 = 120_000;

/// A host and the way to it.
#[derive(Clone, Debug)]
pub struct PlannedHost {
    /// As the user calls it.
    pub name: String,
    /// Where it is, as it is written.
    pub address: String,
    /// The way.
    pub place: RunnerPlace,
    /// Whether its verbs run by sudo.
    pub is_sudo: bool,
    /// What is still to be taken back there, where that is what is done; all of one way.
    pub pending: Vec<Pending>,
}

/// Why a host has no answer.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What became of it.
    pub state: HostState,
    /// Its exit code, where it has one all the same.
    pub exit: Option<i32>,
    /// Why.
    pub why: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Trouble {
    fn new(state: HostState, why: impl Into<String>) -> Trouble {
        Trouble {
            state,
            exit: None,
            why: why.into(),
            hint: None,
        }
    }

    fn hint(self, hint: impl Into<String>) -> Trouble {
        Trouble {
            hint: Some(hint.into()),
            ..self
        }
    }

    pub fn stopped() -> Trouble {
        Trouble::new(HostState::Stopped, "it was asked to stop")
    }

    pub fn garbage(why: impl Into<String>) -> Trouble {
        Trouble::new(HostState::Garbage, why)
    }
}

/// How a verb ended there.
type VerbEnd = (Option<i32>, Option<ErrorDocument>);

/// Does it all, and gathers what comes of it. `outcome` says what is known at every moment, should this end by a panic.
pub fn attend(crew: &Crew, at: usize, outcome: &mut HostOutcome) {
    let host = &crew.plan.hosts[at];
    let done = HostRun::open(crew, at, host).and_then(|mut run| run.all(outcome));
    match done {
        // A signal ended it there: whether it put everything back, nobody said.
        Ok((None, error)) => outcome.ended(None, error),
        Ok((exit, error)) => {
            outcome.ended(exit, error);
            outcome.is_lost_at_work = outcome.is_changed;
        }
        Err(trouble) => outcome.troubled(trouble),
    }
}

struct HostRun<'a> {
    crew: &'a Crew,
    at: usize,
    host: &'a PlannedHost,
    talk: Talk,
    permit: Option<Permit<'a>>,
    /// It has answered at all.
    is_reached: bool,
    /// iodyno has answered there.
    is_greeted: bool,
    /// A verb runs there.
    is_at_work: bool,
    /// Its load waits for the moment to begin.
    is_waiting: bool,
    is_told_to_stop: bool,
    alive_ns: u64,
    words: u32,
    clock: Option<ClockOffset>,
    clock_ns: u64,
    /// What came while something else was waited for.
    put_back: VecDeque<Tell>,
    has_begun: bool,
}

impl<'a> HostRun<'a> {
    fn open(crew: &'a Crew, at: usize, host: &'a PlannedHost) -> Result<HostRun<'a>, Trouble> {
        let permit = crew.gate.enter(&crew.lead).ok_or_else(Trouble::stopped)?;
        crew.tell(FleetEvent::State(at, "connecting".into()));
        let words = vec!["-c".to_string(), bootstrap::script()];
        let limits = TalkLimits {
            silence_ms: crew.plan.silence_ms,
            whole_ms: crew.plan.timeout_ms,
        };
        let talk = Talk::start(&host.place, ("sh", words), limits, &crew.watch)
            .map_err(|error| Trouble::new(HostState::Unreachable, error.to_string()))?;
        Ok(HostRun {
            crew,
            at,
            host,
            talk,
            permit: Some(permit),
            is_reached: false,
            is_greeted: false,
            is_at_work: false,
            is_waiting: false,
            is_told_to_stop: false,
            alive_ns: clock::monotonic_ns(),
            words: 0,
            clock: None,
            clock_ns: 0,
            put_back: VecDeque::new(),
            has_begun: false,
        })
    }

    fn all(&mut self, outcome: &mut HostOutcome) -> Result<VerbEnd, Trouble> {
        let plan = &self.crew.plan;
        self.talk.phase_within_ms(Some(START_MS));
        let architecture = self.reach()?;
        if plan.verb.kind == FleetVerbKind::Forget {
            outcome.answer.finding = Some(self.forget()?);
            return Ok((Some(0), None));
        }
        self.boot(&architecture)?;
        let hello = self.greet()?;
        self.talk.phase_within_ms(None);
        self.talk.take_long_lines();
        if plan.verb.is_light() {
            drop(self.permit.take());
        }
        self.crew.tell(FleetEvent::State(self.at, "at work".into()));
        let hostname = hello.hostname.clone();
        outcome.answer.host = Some(hello);
        if !self.host.pending.is_empty() {
            return self.undo(&hostname, outcome);
        }
        let ended = self.verb(plan.verb.words.clone(), plan.record.clone(), outcome)?;
        self.look_behind(&ended, outcome)?;
        Ok(ended)
    }

    /// Whether a verb that failed has left something unfinished there, which the host's own journals say.
    fn look_behind(&mut self, ended: &VerbEnd, outcome: &mut HostOutcome) -> Result<(), Trouble> {
        let plan = &self.crew.plan;
        let is_told = matches!(ended.0, None | Some(0..=4 | 6));
        if is_told || !plan.verb.can_change() || self.crew.lead.is_stopping() {
            return Ok(());
        }
        let document = outcome.document.take();
        let ended = self.verb(vec!["status".into()], None, outcome);
        let status = std::mem::replace(&mut outcome.document, document);
        let left = to_undo(&[], &status.unwrap_or_default());
        outcome.is_changed = ended.is_err() || left.is_ok_and(|left| !left.is_empty());
        Ok(())
    }

    /// To the first word of its shell.
    fn reach(&mut self) -> Result<String, Trouble> {
        match self.shell_said()? {
            Said::Host { architecture, .. } => {
                self.is_reached = true;
                Ok(architecture)
            }
            Said::Failed(why) => Err(Trouble::new(HostState::Refused, why)),
            other => Err(Trouble::garbage(format!("it answered {other:?}"))),
        }
    }

    fn forget(&mut self) -> Result<String, Trouble> {
        self.talk.say(bootstrap::FORGET_LINE.as_bytes());
        match self.shell_said()? {
            Said::Forgot(0) => Ok("no binary was there".into()),
            Said::Forgot(1) => Ok("1 binary removed".into()),
            Said::Forgot(count) => Ok(format!("{count} binaries removed")),
            Said::Failed(why) => Err(Trouble::new(HostState::Refused, why)),
            other => Err(Trouble::garbage(format!("it answered {other:?}"))),
        }
    }

    /// To the start of iodyno.
    fn boot(&mut self, architecture: &str) -> Result<(), Trouble> {
        let plan = &self.crew.plan;
        let binary = binary::of(&plan.binaries, architecture)
            .ok_or_else(|| other_architecture(architecture, &plan.binaries))?;
        let line = bootstrap::start_line(&binary.hash, binary.bytes.len(), self.host.is_sudo);
        self.talk.say(line.as_bytes());
        let mut said = self.shell_said()?;
        if said == Said::Need {
            let bytes = model::units::bytes(binary.bytes.len() as f64);
            let state = format!("taking the binary, {bytes}");
            self.crew.tell(FleetEvent::State(self.at, state));
            self.talk.phase_within_ms(Some(UPLOAD_MS));
            // Where it is not taken to its end, the script says why.
            let _ = self.talk.say_all(&binary.bytes);
            self.talk.phase_within_ms(Some(START_MS));
            said = self.shell_said()?;
        } else if said == Said::Have {
            said = self.shell_said()?;
        }
        match said {
            Said::Ready => Ok(()),
            Said::Sudo { user, file } => Err(no_sudo(&user, &file, &binary.hash)),
            Said::Failed(why) => Err(Trouble::new(HostState::Refused, why)),
            other => Err(Trouble::garbage(format!("it answered {other:?}"))),
        }
    }

    fn greet(&mut self) -> Result<HostHello, Trouble> {
        self.ask(&Ask::Hello {
            protocol: PROTOCOL,
            silence_ms: self.crew.plan.silence_ms,
        });
        loop {
            match self.told()? {
                Tell::Hello(hello) if hello.protocol == PROTOCOL => {
                    self.is_greeted = true;
                    return Ok(hello);
                }
                Tell::Alive => {}
                _ => return Err(Trouble::garbage("its first word is no greeting of iodyno")),
            }
        }
    }

    /// Asks for its clock. What else it has to say meanwhile waits, and what is none of a load that waits ends it.
    fn measure_clock(&mut self) -> Result<(), Trouble> {
        self.talk.phase_within_ms(Some(CLOCK_MS));
        let mut rounds = Vec::new();
        while rounds.len() < CLOCK_ROUNDS as usize && self.put_back.is_empty() {
            let number = rounds.len() as u32;
            let sent_ns = clock::monotonic_ns();
            self.ask(&Ask::Clock { number });
            if let Some(at_ns) = self.clock_answer(number)? {
                rounds.push(ClockRound {
                    sent_ns,
                    at_ns,
                    got_ns: clock::monotonic_ns(),
                });
            }
        }
        self.talk.phase_within_ms(None);
        if rounds.len() == CLOCK_ROUNDS as usize {
            let offset = ClockOffset::of(&rounds);
            let offset = offset.ok_or_else(|| Trouble::garbage("its clock says what none can"))?;
            self.clock = Some(offset);
            self.clock_ns = clock::monotonic_ns();
        }
        Ok(())
    }

    /// What its clock says; none where it has something else to say that cannot be passed over.
    fn clock_answer(&mut self, number: u32) -> Result<Option<u64>, Trouble> {
        loop {
            self.pass_on_stop();
            match self.told()? {
                Tell::Clock { number: of, at_ns } if of == number => return Ok(Some(at_ns)),
                Tell::Clock { .. } | Tell::Alive | Tell::Words { .. } => {}
                other => {
                    self.put_back.push_back(other);
                    return Ok(None);
                }
            }
        }
    }

    /// Takes back what is pending there: what ended unfinished, and what the verbs of those fleets left; and looks whether that
    /// is so.
    fn undo(&mut self, hostname: &str, outcome: &mut HostOutcome) -> Result<VerbEnd, Trouble> {
        let pending = &self.host.pending;
        let was = pending.iter().find_map(|one| one.hostname.as_deref());
        if let Some(was) = was.filter(|was| *was != hostname) {
            return Err(Trouble::new(
                HostState::Refused,
                format!("it is {hostname} now, and was {was} when it was lost"),
            ));
        }
        let fleets: Vec<&str> = pending.iter().map(|one| one.fleet.as_str()).collect();
        let journals = self.left(&fleets, outcome)?;
        outcome.said = match journals.len() {
            0 => vec!["nothing was left changed there".into()],
            _ => Vec::new(),
        };
        for journal in &journals {
            let ended = self.verb(vec!["undo".into(), journal.clone()], None, outcome)?;
            if ended.0 != Some(0) {
                return Ok(ended);
            }
        }
        if !journals.is_empty() && !self.left(&fleets, outcome)?.is_empty() {
            let why = "something is still changed there after it was undone";
            return Err(Trouble::new(HostState::Failed, why).hint("Look there: iodyno status"));
        }
        Ok((Some(0), None))
    }

    /// The journals there that are to be undone.
    fn left(&mut self, fleets: &[&str], outcome: &mut HostOutcome) -> Result<Vec<String>, Trouble> {
        let said = std::mem::take(&mut outcome.said);
        let (exit, error) = self.verb(vec!["status".into()], None, outcome)?;
        outcome.said = said;
        if exit != Some(0) {
            let why = error.map(|error| error.error);
            let why = why.unwrap_or("it does not say what is changed there".into());
            return Err(Trouble::new(HostState::Failed, why));
        }
        let status = outcome.document.take().unwrap_or_default();
        to_undo(fleets, &status).map_err(|why| {
            Trouble::new(HostState::Failed, why.to_string()).hint("Later: iodyno fleet undo")
        })
    }

    /// Follows a verb to its end.
    fn verb(
        &mut self,
        words: Vec<String>,
        record: Option<Value>,
        outcome: &mut HostOutcome,
    ) -> Result<VerbEnd, Trouble> {
        let can_change = self.crew.plan.verb.can_change();
        outcome.is_lost_at_work = can_change;
        outcome.document = None;
        self.is_at_work = true;
        self.ask(&Ask::Start { words, record });
        loop {
            self.look_after()?;
            let Some(tell) = self.next_tell()? else {
                continue;
            };
            match tell {
                Tell::Ready => self.ready()?,
                Tell::Started { at_ns } => self.begun(at_ns, outcome)?,
                Tell::Progress { interval } => {
                    self.crew.tell(FleetEvent::Progress(self.at, interval));
                }
                Tell::Words { line } => self.words(line, outcome)?,
                Tell::Document { document } if outcome.document.is_none() => {
                    outcome.document = Some(document);
                }
                Tell::Record { record } if outcome.record.is_none() => {
                    outcome.record = Some(record);
                }
                Tell::Document { .. } | Tell::Record { .. } => {
                    return Err(Trouble::garbage("it sent more than one answer"));
                }
                Tell::Ended { exit, error } => {
                    self.is_at_work = false;
                    outcome.is_lost_at_work = can_change && exit.is_none();
                    return Ok((exit, error));
                }
                Tell::Hello(_) | Tell::Clock { .. } | Tell::Alive => {}
            }
        }
    }

    /// Its load is prepared: others may prepare theirs now.
    fn ready(&mut self) -> Result<(), Trouble> {
        if !self.crew.plan.verb.is_together() || self.is_waiting || self.has_begun {
            return Err(Trouble::garbage("it is ready for what nobody asked"));
        }
        drop(self.permit.take());
        self.measure_clock()?;
        self.is_waiting = true;
        let error_ns = self.clock.map_or(0, |clock| clock.error_ns);
        self.crew.tell(FleetEvent::Ready(self.at, error_ns));
        Ok(())
    }

    /// Its load has begun, at a moment of its own clock.
    fn begun(&mut self, at_ns: u64, outcome: &mut HostOutcome) -> Result<(), Trouble> {
        let go_ns = self.crew.lead.go_ns.load(Ordering::Acquire);
        let clock = self.clock.filter(|_| go_ns > 0 && !self.has_begun);
        let clock = clock.ok_or_else(|| Trouble::garbage("it began what nobody asked"))?;
        self.has_begun = true;
        let here_ns = clock.here_ns(at_ns);
        if (here_ns - i128::from(go_ns)).abs() > BEGIN_NS {
            return Err(Trouble::garbage("it began at a moment that cannot be"));
        }
        let now_ns = clock::monotonic_ns();
        let age_s = now_ns.saturating_sub(self.clock_ns).div_ceil(1_000_000_000);
        let error_ns = clock
            .error_ns
            .saturating_add(age_s.saturating_mul(DRIFT_NS));
        outcome.began = Some((here_ns, error_ns));
        outcome.answer.clock = Some(clock);
        self.crew.tell(FleetEvent::Begun(self.at));
        Ok(())
    }

    fn words(&mut self, line: String, outcome: &mut HostOutcome) -> Result<(), Trouble> {
        self.words += 1;
        if self.words > WORDS_MAX {
            return Err(Trouble::garbage(format!(
                "it said more than {WORDS_MAX} lines"
            )));
        }
        outcome.hears(&line);
        self.crew.tell(FleetEvent::Words(self.at, line));
        Ok(())
    }

    /// Passes on the moment to begin and the wish to stop, and says that we are there.
    fn look_after(&mut self) -> Result<(), Trouble> {
        let lead = &self.crew.lead;
        let go_ns = lead.go_ns.load(Ordering::Acquire);
        if self.is_waiting && go_ns > 0 {
            self.is_waiting = false;
            self.measure_clock()?;
            // Without one it has more to say first, such as its end.
            if let Some(clock) = self.clock {
                self.ask(&Ask::Go {
                    at_ns: clock.there_ns(go_ns),
                });
            }
        }
        let is_late =
            lead.is_late() && !self.is_waiting && !self.has_begun && self.permit.is_some();
        if is_late && self.crew.plan.verb.is_together() {
            self.ask(&Ask::Stop);
            let why = "it was not ready when the others began (--ready-timeout)";
            return Err(Trouble::new(HostState::Silent, why));
        }
        self.pass_on_stop();
        let now_ns = clock::monotonic_ns();
        if now_ns.saturating_sub(self.alive_ns) > ALIVE_NS {
            self.alive_ns = now_ns;
            self.ask(&Ask::Alive);
        }
        Ok(())
    }

    /// Passes on the wish to stop, once.
    fn pass_on_stop(&mut self) {
        if self.crew.lead.is_stopping() && !self.is_told_to_stop {
            self.is_told_to_stop = true;
            self.talk.end_within_ms(STOP_MS);
            self.ask(&Ask::Stop);
        }
    }

    fn ask(&mut self, ask: &Ask) {
        self.talk.say(protocol::line(ask).as_bytes());
    }

    /// What it tells next, or nothing for a moment.
    fn next_tell(&mut self) -> Result<Option<Tell>, Trouble> {
        if let Some(tell) = self.put_back.pop_front() {
            return Ok(Some(tell));
        }
        let line = self.next()?;
        let told = line.map(|line| protocol::told(&line)).transpose();
        told.map_err(|what| Trouble::garbage(format!("it sent {what}")))
    }

    /// The next line of the protocol.
    fn told(&mut self) -> Result<Tell, Trouble> {
        let line = self.line()?;
        protocol::told(&line).map_err(|what| Trouble::garbage(format!("it sent {what}")))
    }

    /// The next word of the script; whatever a login shell says besides is passed over.
    fn shell_said(&mut self) -> Result<Said, Trouble> {
        let mut noise = 0;
        loop {
            let line = self.line()?;
            if let Some(said) = bootstrap::said(&String::from_utf8_lossy(&line)) {
                return Ok(said);
            }
            noise += line.len();
            if noise > bootstrap::NOISE_MAX {
                let most = model::units::bytes(bootstrap::NOISE_MAX as f64);
                let why = format!("more than {most} came before the first word of our script");
                return Err(Trouble::garbage(why));
            }
        }
    }

    fn line(&mut self) -> Result<Vec<u8>, Trouble> {
        loop {
            if let Some(line) = self.next()? {
                return Ok(line);
            }
            // A verb at work is asked to stop, and followed to its end.
            if self.is_at_work {
                self.pass_on_stop();
            } else if self.crew.lead.is_stopping() {
                return Err(Trouble::stopped());
            }
        }
    }

    /// A line, or none for a moment.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        match self.talk.hear(TICK) {
            Some(Heard::Line(line)) => Ok(Some(line)),
            Some(Heard::TooLong) => Err(Trouble::garbage("it sent a line that is too long")),
            Some(Heard::TooMuch) => Err(Trouble::garbage("it sent more than is taken of one host")),
            _ if self.talk.is_given_up() => Err(self.given_up()),
            Some(Heard::End) => Err(self.gone()),
            None => Ok(None),
        }
    }

    fn given_up(&self) -> Trouble {
        let plan = &self.crew.plan;
        if self.is_told_to_stop {
            let within = span_ms(STOP_MS);
            return Trouble::new(
                HostState::Lost,
                format!("it was asked to stop and did not end within {within}"),
            );
        }
        if self.talk.is_over_phase() {
            let why = match (self.is_greeted, self.is_reached) {
                (true, _) => "it did not say what its clock is",
                (false, true) => "iodyno did not start there in time",
                (false, false) => "its shell did not answer in time",
            };
            return Trouble::new(HostState::Silent, why);
        }
        match plan.timeout_ms.filter(|_| self.talk.is_over_time()) {
            Some(ms) => Trouble::new(
                HostState::Silent,
                format!("it took longer than {} (--timeout)", span_ms(ms)),
            ),
            None => {
                let silence = span_ms(plan.silence_ms);
                let why = format!("nothing was heard of it for {silence} (--silence)");
                Trouble::new(HostState::Silent, why)
            }
        }
    }

    /// The connection ended before its time.
    fn gone(&self) -> Trouble {
        let said = self.talk.last_words();
        if !self.is_reached {
            let why = said.unwrap_or("the connection ended without a word".into());
            let hint = format!("Try it by hand: {}", self.host.place.trial());
            return Trouble::new(HostState::Unreachable, why).hint(hint);
        }
        if !self.is_greeted {
            let why = said.unwrap_or("it ended without a word".into());
            if self.host.is_sudo && why.starts_with("sudo:") {
                return sudo_trouble(&why);
            }
            let trouble = Trouble::new(
                HostState::Refused,
                format!("iodyno did not start there: {why}"),
            );
            return match &self.host.place {
                RunnerPlace::Template(_) => trouble.hint(
                    "Standard input has to reach the host: podman exec and kubectl exec need -i.",
                ),
                _ => trouble.hint(
                    "It needs a directory in which programs may run, and a binary that needs no library of the host, as `make \
                     build` makes it: --binary ARCH=PATH.",
                ),
            };
        }
        let why = said.map_or_else(
            || "the connection ended".into(),
            |said| format!("the connection ended: {said}"),
        );
        Trouble::new(HostState::Lost, why)
    }
}

fn other_architecture(architecture: &str, binaries: &[Binary]) -> Trouble {
    let architecture = model::text::clean_to(architecture, 30);
    let here: Vec<&str> = binaries
        .iter()
        .map(|binary| binary.executable.architecture)
        .collect();
    Trouble::new(
        HostState::Refused,
        format!("it is {architecture}, and iodyno is at hand for {}", here.join(", ")),
    )
    .hint(format!(
        "Name a binary for it, out of its package or of `make build` there: --binary {architecture}=PATH"
    ))
}

fn no_sudo(user: &str, file: &str, hash: &str) -> Trouble {
    let trouble = sudo_trouble("sudo asks for a password there, and iodyno handles none");
    let Some(rule) = bootstrap::sudo_rule(user, file, hash) else {
        return trouble;
    };
    let means = bootstrap::RULE_MEANS;
    trouble.hint(format!(
        "A rule that suffices, for visudo there: {rule}   {means}"
    ))
}

fn sudo_trouble(why: &str) -> Trouble {
    Trouble {
        exit: Some(Exit::Rights as i32),
        ..Trouble::new(HostState::Refused, why)
    }
}

/// What a host's exit code makes of it.
pub fn state_of(exit: Option<i32>, is_stopping: bool) -> HostState {
    let is = |code: Exit| exit == Some(code as i32);
    match exit {
        _ if is(Exit::Interrupted) && is_stopping => HostState::Stopped,
        _ if is(Exit::Fine) || is(Exit::Found) || is(Exit::Undecided) => HostState::Done,
        _ => HostState::Failed,
    }
}
