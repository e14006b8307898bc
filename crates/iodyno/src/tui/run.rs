//! The loop of the full screen: keys in, pictures out. The sensors go on in their own thread whatever it does.

use super::draw::{self, Around, Lists};
use super::panels::{self, devices};
use super::recording::Recording;
use super::screen::{self, Screen};
use super::state::{self, Action, ScreenFacts, ScreenState};
use super::theme::Theme;
use super::{ScreenLook, explain, known::Known, text};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::watching::Watching;
use host::signals::{JobControl, Stop};
use model::finding::Finding;
use observe::{Scope, Status};
use ratatui::crossterm::event::{Event, KeyEventKind};
use std::collections::VecDeque;

/// What the figures are a mean over, ns: shorter flickers, longer lags.
const WINDOW_NS: i64 = 1_000_000_000;
/// Time between two pictures, ms: twice a second is as fast as figures are read.
const FRAME_MS: u64 = 500;
/// The shortest.
const FRAME_MIN_MS: u64 = 100;
/// A stop is noticed so fast.
const WAIT_MAX_MS: u64 = 200;
/// What the cost is a mean over, ns.
const COST_NS: u64 = 10_000_000_000;

/// The live rules judge seconds, so once a second is as often as they can have anything new, ns.
const JUDGE_NS: u64 = 1_000_000_000;

/// How the screen is to be.
pub struct Setup<'a> {
    /// Time between two samples, ms.
    pub interval_ms: u64,
    /// Pictures a second, at most ten; two where none is given.
    pub frames_per_s: Option<u64>,
    /// Nothing but ASCII.
    pub is_ascii: bool,
    /// A signal asks for the end.
    pub stop: &'a Stop,
}

/// Shows everything until the user leaves or a signal comes.
pub fn run(watching: &mut Watching, context: &Context, setup: &Setup<'_>) -> Result<Exit, Failure> {
    let stop = setup.stop;
    let jobs = JobControl::listen().map_err(|error| screen::failure(&error))?;
    let mut session = Session::new(watching, context, setup);
    let ended = {
        let mut screen = Screen::open()?;
        let ended = session.go(&mut screen, watching, stop, &jobs);
        // A record that goes on is kept however the view ends, before anything is asked of a terminal that may be gone.
        session.end_record();
        ended
    };
    // Words come after the terminal is given back.
    session.said.iter().for_each(|line| context.out.say(line));
    if let Some(failure) = session.unsaved {
        return Err(failure);
    }
    match ended {
        Ok(()) if stop.is_asked() => Ok(Exit::Interrupted),
        Ok(()) => Ok(Exit::Fine),
        // A terminal that is gone has nobody to tell.
        Err(_) if stop.is_asked() => Ok(Exit::Interrupted),
        Err(error) => Err(screen::failure(&error)),
    }
}

struct Session<'a> {
    context: &'a Context,
    scope: Scope,
    frame_ms: u64,
    theme: Theme,
    state: ScreenState,
    known: Known,
    around: Around,
    lists: Lists,
    recording: Option<Recording>,
    /// Why a record is not in the store, and where it is.
    unsaved: Option<Failure>,
    findings: Vec<Finding>,
    /// When the rules last judged, and which moment, ns.
    judged: Option<(u64, i64)>,
    /// Wall clock and CPU time of this program, the oldest first, ns.
    costs: VecDeque<(u64, u64)>,
    /// The next picture is to be written into a file.
    is_writing: bool,
    /// Something has changed that is not on the screen yet.
    is_changed: bool,
    /// The terminal is somebody else's: Ctrl-Z was pressed, or the process was stopped and continued.
    is_away: bool,
    /// What remains to be said when the screen is gone.
    said: Vec<String>,
}

impl<'a> Session<'a> {
    fn new(watching: &Watching, context: &'a Context, setup: &Setup<'_>) -> Session<'a> {
        let frame_ms = setup
            .frames_per_s
            .map_or(FRAME_MS, |frames| 1000 / frames.max(1))
            .max(FRAME_MIN_MS);
        let provenance = crate::provenance::of(&context.host);
        let mut state = ScreenState::new(setup.interval_ms);
        // Who names devices wants to see them, idle or not.
        state.choice.shows_idle = !watching.devices.named.is_empty();
        state.message.clone_from(&watching.devices.note);
        Session {
            context,
            scope: watching.scope.clone(),
            findings: Vec::new(),
            judged: None,
            frame_ms,
            theme: Theme::of_environment(host::environment::variable, setup.is_ascii),
            state,
            known: Known::default(),
            around: Around {
                hostname: provenance.hostname,
                kernel: provenance.kernel,
                origin_unix_ms: u64::MAX,
                zone: host::clock::time_zone(),
                cost_percent: None,
                recording_ms: None,
            },
            lists: Lists {
                rows: Vec::new(),
                devices: Vec::new(),
            },
            recording: None,
            unsaved: None,
            costs: VecDeque::new(),
            is_writing: false,
            is_changed: true,
            is_away: false,
            said: Vec::new(),
        }
    }

    /// Draws when there is something new to show and a picture is due, or a key has changed anything.
    fn go(
        &mut self,
        screen: &mut Screen,
        watching: &mut Watching,
        stop: &Stop,
        jobs: &JobControl,
    ) -> std::io::Result<()> {
        let mut drawn_ns = i64::MIN;
        let mut due_ns = 0;
        while !stop.is_asked() {
            if self.is_away(screen, jobs)? {
                host::clock::sleep_ns(WAIT_MAX_MS * 1_000_000);
                continue;
            }
            let status = watching.sampler.status();
            self.note_time(&status);
            watching.layers.sample(status.last_ns);
            let now_ns = host::clock::monotonic_ns();
            let is_new = status.last_ns != drawn_ns && now_ns >= due_ns;
            if self.is_changed || is_new {
                self.is_changed = false;
                self.draw(screen, watching, &status)?;
                drawn_ns = status.last_ns;
                due_ns = now_ns + self.frame_ms * 1_000_000;
            }
            let left_ms = due_ns
                .saturating_sub(host::clock::monotonic_ns())
                .div_ceil(1_000_000);
            let mut wait_ms = left_ms.clamp(10, WAIT_MAX_MS);
            while let Some(event) = screen.event(wait_ms)? {
                wait_ms = 0;
                match self.handle(event, watching) {
                    Action::None => {}
                    Action::Quit => return Ok(()),
                    Action::Suspend => {
                        self.suspend(jobs)?;
                        // What else was typed is the shell's.
                        break;
                    }
                    _ => self.is_changed = true,
                }
            }
        }
        Ok(())
    }

    /// Whether a shell has the terminal. It is taken again once this program is back in the foreground; sampling goes on
    /// meanwhile, unless the process stands still.
    fn is_away(&mut self, screen: &mut Screen, jobs: &JobControl) -> std::io::Result<bool> {
        if jobs.take_stop() {
            self.suspend(jobs)?;
        }
        // Whoever stopped the process by SIGSTOP did not ask, and a shell has used the terminal since.
        self.is_away |= jobs.take_continued();
        if self.is_away && host::terminal::is_foreground() {
            screen.reopen()?;
            self.is_away = false;
            self.is_changed = true;
        }
        Ok(self.is_away)
    }

    /// Gives the terminal back and stops, until a shell continues it.
    fn suspend(&mut self, jobs: &JobControl) -> std::io::Result<()> {
        host::terminal::give_back();
        self.is_away = true;
        jobs.stop_here()
    }

    /// The wall clock at the sampler's zero. The nearest that a look comes to a sample is the best guess.
    fn note_time(&mut self, status: &Status) {
        let since_ms = (status.last_ns / 1_000_000).max(0) as u64;
        self.around.origin_unix_ms = self
            .around
            .origin_unix_ms
            .min(host::clock::unix_ms().saturating_sub(since_ms));
    }

    /// Asks the rules about a moment, unless they have just been asked about the same or one close to it.
    fn judge(&mut self, watching: &mut Watching, at_ns: i64) {
        let now_ns = host::clock::monotonic_ns();
        let is_fresh = |(judged_ns, moment_ns): (u64, i64)| {
            let is_same = at_ns == moment_ns;
            is_same || (self.state.paused_ns.is_none() && now_ns - judged_ns < JUDGE_NS)
        };
        if !self.judged.is_some_and(is_fresh) {
            self.findings = watching.findings(at_ns);
            self.judged = Some((now_ns, at_ns));
        }
    }

    fn note_cost(&mut self) {
        let now = (
            host::clock::monotonic_ns(),
            host::process::cpu_time().total_ns(),
        );
        self.costs.push_back(now);
        while self.costs.len() > 2
            && self
                .costs
                .get(1)
                .is_some_and(|(at_ns, _)| now.0 - at_ns > COST_NS)
        {
            self.costs.pop_front();
        }
        if let Some((at_ns, cpu_ns)) = self
            .costs
            .front()
            .filter(|(at_ns, _)| now.0 - at_ns > COST_NS / 10)
        {
            let share = now.1.saturating_sub(*cpu_ns) as f64 / (now.0 - at_ns) as f64;
            self.around.cost_percent = Some(share * 100.0);
        }
    }

    fn draw(
        &mut self,
        screen: &mut Screen,
        watching: &mut Watching,
        status: &Status,
    ) -> std::io::Result<()> {
        self.note_cost();
        self.around.recording_ms = self.recording.as_ref().map(Recording::ms);
        let at_ns = self.state.paused_ns.unwrap_or(status.last_ns);
        let interval_ns = self.state.interval_ms as i64 * 1_000_000;
        // Half an interval less, so that a sample which came a little late still begins the window.
        let from_ns = at_ns - WINDOW_NS.max(interval_ns) + interval_ns / 2;
        let frame = watching
            .fields
            .frame(&watching.sampler.readings(from_ns, at_ns));
        self.known.learn(
            &self.context.host,
            frame.each("disk.inflight").map(|(name, _)| name),
        );
        self.judge(watching, at_ns);
        // The device under the cursor is known once the rows are.
        let choice = self.state.choice.clone();
        let look = ScreenLook {
            frame: &frame,
            sampler: &watching.sampler,
            status,
            layers: &watching.layers,
            findings: &self.findings,
            at_ns,
            span_ns: self.state.span_ns(),
            interval_ms: self.state.interval_ms,
            known: &self.known,
            device: "",
            choice: &choice,
            theme: &self.theme,
        };
        self.lists = Lists::of(&look);
        self.state.follow(&self.lists.rows);
        let look = ScreenLook {
            device: &self.state.device,
            ..look
        };
        let mut shown = Vec::new();
        let is_asked = self.is_writing;
        screen.draw(|buffer| {
            draw::screen(&look, &self.state, &self.around, panels::ALL, buffer);
            if is_asked {
                shown = text::lines(buffer);
            }
        })?;
        if is_asked {
            self.is_writing = false;
            self.write(&shown);
        }
        Ok(())
    }

    fn handle(&mut self, event: Event, watching: &Watching) -> Action {
        let Event::Key(key) = event else {
            // A new size shows at once; nothing else that a terminal reports concerns the picture.
            return if matches!(event, Event::Resize(..)) {
                Action::Redraw
            } else {
                Action::None
            };
        };
        if key.kind == KeyEventKind::Release {
            return Action::None;
        }
        let status = watching.sampler.status();
        let columns = devices::sortable();
        let panels: Vec<char> = panels::ALL.iter().map(|panel| panel.key).collect();
        let facts = ScreenFacts {
            rows: &self.lists.rows,
            devices: &self.lists.devices,
            columns: &columns,
            panels: &panels,
            fields: explain::count(self.state.focus),
            last_ns: status.last_ns,
        };
        let action = state::key(&mut self.state, key, &facts);
        match action {
            Action::Step(count) => self.step(watching, &status, count),
            Action::Interval(ms) => watching.sampler.set_interval(ms),
            Action::Record => self.record(),
            Action::Write => self.is_writing = true,
            Action::None | Action::Redraw | Action::Suspend | Action::Quit => {}
        }
        action
    }

    /// So many samples back or on; on past the last one is the present again.
    fn step(&mut self, watching: &Watching, status: &Status, count: i64) {
        let from_ns = self.state.paused_ns.unwrap_or(status.last_ns);
        let at_ns = watching.sampler.step(from_ns, count);
        self.state.paused_ns = (count < 0 || at_ns < status.last_ns).then_some(at_ns);
    }

    /// Begins a record, or ends and keeps the one that goes on.
    fn record(&mut self) {
        if self.recording.is_some() {
            self.end_record();
            self.state.message = self.said.last().cloned().unwrap_or_default();
            return;
        }
        if self.state.device.is_empty() {
            self.state.message = "A record needs a device: i shows idle ones.".into();
            return;
        }
        match Recording::start(
            self.context,
            &self.state.device,
            self.state.interval_ms,
            &self.scope,
        ) {
            Ok(recording) => {
                self.recording = Some(recording);
                self.state.message = "Recording every sensor; R ends and keeps it.".into();
            }
            Err(failure) => self.state.message = first_line(&failure.message),
        }
    }

    fn end_record(&mut self) {
        let Some(recording) = self.recording.take() else {
            return;
        };
        let (kept, summary) = recording.finish(self.context);
        self.said.push(match kept.id {
            Some(id) => format!("record {id}: {summary}"),
            None => format!("not stored: {summary}"),
        });
        if let Err(failure) = kept.must_be_stored() {
            self.unsaved = Some(failure);
        }
    }

    /// Writes what is on the screen into a file beside the user.
    fn write(&mut self, lines: &[String]) {
        let name = format!("iodyno-watch-{}.txt", host::clock::unix_ms() / 1000);
        let content = lines.join("\n") + "\n";
        self.state.message =
            match host::files::write_atomically(std::path::Path::new(&name), &content) {
                Ok(()) => format!("Written to {name}."),
                Err(error) => first_line(&error.to_string()),
            };
        self.is_changed = true;
    }
}

/// A message for the one line there is.
fn first_line(message: &str) -> String {
    text::clean(message.lines().next().unwrap_or_default())
}
