//! Runs an experiment on a live queue: turns the knob, cuts windows out of a running load, tells what was measured.
//!
//! The one file of this stage that has a clock and touches the machine. The load keeps running across switches; a
//! window begins at a bin's edge with the switch itself, so whatever the switch costs lies inside the window.

use super::breaker::StopBound;
use super::gathered::Gathered;
use super::guard::{Crossing, Guard, Refusal, TellBack};
use super::meter::Counts;
use super::meter::{Gauge, GrainSpan, Judge, MeterError};
use super::others::Others;
use analyse::figures::{Recipe, load_ios};
use apply::{Knob, SubjectFiles};
use experiment::deadline::Deadline;
use experiment::{Ask, BIN_MS, Experiment, Failure, Progress, Window, WindowReport};
use host::signals::Stop;
use host::{Host, Journal, clock};
use load::engines::command::Beside;
use load::{Engine, LoadError, Prepared, Region, Running};
use load::{Snapshot, lane};
use model::change::Class;
use model::figures::ArmFigures;
use model::iopath::IoPath;
use model::job::Job;
use model::layers::{ArmSpan, LayerSide, LayerTimes};
use model::moved::Moved;
use model::record::WindowRun;
use model::units;
use model::verdict::{Verdict, VerdictStage};
use observe::foreign::Own;
use observe::{EdgeReading, Edges, Scope, Strength, Tracing, TracingWish};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

const BIN_NS: u64 = BIN_MS * 1_000_000;
/// Between starting a load and its first window: caches of the CPU, of the mapping and of the device fill.
const WARM_UP_MS: u64 = 1_000;
/// The same after a restart in the middle of an experiment.
const WARM_UP_AGAIN_MS: u64 = 300;
const STOPPED: &str = "somebody asked to stop";
/// Reading counters may take this part of a window at the most.
const READING_SHARE: u64 = 200;

/// Everything that an experiment on a knob works with.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The target, made ready.
    pub prepared: &'a Prepared,
    /// The load.
    pub job: &'a Job,
    /// The command that runs beside it, where the user wants it judged in that company.
    pub beside: Option<&'a Mutex<Beside>>,
    /// What is turned, in the order of writing.
    pub turns: &'a [Turn],
    /// How long a switch keeps acting under this load.
    pub class: Class,
    /// Kernel name of the device that is measured.
    pub device: &'a str,
    /// What the experiment judges by.
    pub judge: &'a Judge,
    /// The permission to write, with the old values saved.
    pub journal: &'a Journal,
    /// Names of the arms; the first is what was found.
    pub values: &'a [String],
    /// Whether every write is replaced by one of the value that is set already: an A/A run.
    pub aa: bool,
    /// Seed of the load's offsets.
    pub seed: u64,
    /// The request to stop.
    pub stop: &'a Stop,
    /// Bounds on what the device does to everybody; everything is put back when one is crossed.
    pub bounds: &'a [StopBound],
    /// The I/O path, whose counters are read at the edges of windows.
    pub path: &'a IoPath,
    /// The programs that trace the path's devices in all windows, or why there are none.
    pub tracing: &'a Tracing,
    /// When the budget ends, on the monotonic clock: no window begins that cannot be over by then.
    pub end_ns: u64,
    /// Whether traced windows follow the verdict, as far as there is time.
    pub explains: bool,
    /// Where the time line of the sensors begins, on the monotonic clock.
    pub origin_ns: u64,
    /// Takes what ended loads left behind, in words.
    pub left: &'a Mutex<BTreeSet<String>>,
}

/// A knob that an experiment turns on one subject.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The knob.
    pub knob: &'static Knob,
    /// The subject it is turned on.
    pub files: SubjectFiles,
    /// Its value in each arm; the first is the one found.
    pub values: Vec<String>,
}

/// What an experiment gives.
#[derive(Debug)]
pub struct Driven {
    /// The verdict.
    pub verdict: Verdict,
    /// Times by layer and arm, over the kept part of the traced windows; empty without tracing.
    pub layers: Vec<ArmSpan>,
    /// Figures of device, CPUs and interrupts by arm, over the kept part of the compared windows.
    pub figures: Vec<ArmFigures>,
    /// What differs between the compared arms; none where there is no difference to explain.
    pub moved: Option<Moved>,
    /// Every window that was measured.
    pub windows: Vec<WindowRun>,
    /// Whether a bound was crossed, be it after the verdict.
    pub has_crossed: bool,
}

/// Why an experiment ended without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Somebody asked to stop.
    #[error("stopped by {0}")]
    Interrupted(&'static str),
    /// The load failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A bound was crossed, and everything is back.
    #[error("{0}")]
    Crossed(String),
    /// The load ended by itself.
    #[error(
        "the load ended before the experiment did. Let it run longer than the budget, or put a loop around a command: \
         while COMMAND; do :; done"
    )]
    LoadEnded,
    /// The meter cannot read here.
    #[error("the metric cannot be read: {0}")]
    Meter(String),
    /// The engine and its driver disagree: a defect in iodyno.
    #[error("the experiment refused a measurement: {0}")]
    Defect(String),
}

mod conclude;
mod runs;
mod scrapes;

/// Runs the experiment to its verdict, and traces what the verdict does not say. `watch` is called after every window. At the end,
/// however it comes, everything is put back before the load is ended; where somebody asked to stop, `tell` hears of it at once.
pub fn drive(
    setup: &Setup<'_>,
    experiment: &mut Experiment,
    watch: &mut dyn FnMut(&Progress),
    tell: TellBack<'_>,
) -> Result<Driven, DriveError> {
    let place = (setup.host, setup.device);
    let guard = Guard::open(place, setup.bounds, setup.journal, (setup.stop, tell))
        .map_err(DriveError::Meter)?;
    let driven = guard.during(|| run(setup, &guard, experiment, watch));
    driven.map_err(DriveError::Meter)?
}

fn run(
    setup: &Setup<'_>,
    guard: &Guard<'_>,
    experiment: &mut Experiment,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Driven, DriveError> {
    let mut rig = Rig::new(setup, guard)?;
    loop {
        experiment.reckon_with(rig.deadline.windows_left_ms(clock::monotonic_ns()));
        match experiment.ask() {
            Ask::Done(verdict) => return Ok(rig.conclude(*verdict, &experiment.progress(), watch)),
            Ask::Window(window) if !rig.deadline.fits(clock::monotonic_ns(), &window) => {
                experiment.end_early()
            }
            Ask::Window(window) => {
                let told = crossed(&window, rig.timed(&window))?;
                if matches!(told, WindowReport::Failed { .. }) && setup.stop.is_asked() {
                    return Err(DriveError::Interrupted(setup.stop.signal_name()));
                }
                experiment
                    .tell(told)
                    .map_err(|error| DriveError::Defect(error.to_string()))?;
                watch(&experiment.progress());
            }
        }
    }
}

impl Drop for Rig<'_> {
    /// First everything is put back; then the load ends, which may take a minute where the device hangs.
    fn drop(&mut self) {
        self.guard.end();
        self.end_load();
    }
}

struct Rig<'a> {
    setup: &'a Setup<'a>,
    running: Option<Running>,
    gauge: Box<dyn Gauge>,
    /// When the gauge looks next; none while no window is measured, and for one that looks only at the edges.
    next_look_ns: Option<u64>,
    grain_ms: u64,
    arm: usize,
    starts: u64,
    others: Others<'a>,
    guard: &'a Guard<'a>,
    /// Whether the gauge tells the metric as it hears it.
    hears: bool,
    edges: Edges,
    tracing: Tracing,
    deadline: Deadline,
    /// From the windows that compare the arms.
    proof: Gathered,
    /// From the traced windows after the verdict.
    explained: Gathered,
    windows: Vec<WindowRun>,
}

impl<'a> Rig<'a> {
    fn new(setup: &'a Setup<'a>, guard: &'a Guard<'a>) -> Result<Self, DriveError> {
        let scope = setup.judge.scope(setup.host, setup.device);
        let gauge = (setup.judge.meter.open)(&scope).map_err(DriveError::Meter)?;
        let edges = Edges::open(setup.host, &Scope::of(setup.path));
        let recipe = Recipe::new([edges.columns(), &[load_ios()]].concat());
        let gathered = Gathered::new(recipe, setup.values.len());
        // Behind the page cache the device's I/Os are not ours one by one, and where the device's counters are what
        // tells the load, everything they count is the load.
        let can_tell = setup.job.direct && !is_counted_by_the_device(setup.job);
        Ok(Rig {
            setup,
            running: None,
            gauge,
            next_look_ns: None,
            grain_ms: setup.judge.metric.grain_ms,
            arm: 0,
            starts: 0,
            others: Others::open(setup.host, setup.device, can_tell),
            guard,
            hears: false,
            edges,
            tracing: setup.tracing.clone(),
            deadline: Deadline::new(setup.end_ns, WARM_UP_MS),
            proof: gathered.clone(),
            explained: gathered,
            windows: Vec::new(),
        })
    }
}

impl Rig<'_> {
    /// A window, and what it took.
    fn timed(&mut self, window: &Window) -> Result<WindowReport, DriveError> {
        let begin_ns = clock::monotonic_ns();
        let told = self.window(window)?;
        self.deadline.learn(begin_ns, clock::monotonic_ns(), window);
        Ok(told)
    }

    fn window(&mut self, window: &Window) -> Result<WindowReport, DriveError> {
        // What was learned hangs on the open file, and debt on the dirty pages: then every window gets a load of its own,
        // started after the switch, and warms up inside the window's discarded part.
        let is_own_load = self.setup.class != Class::Fast;
        if self.running.is_none() || window.fresh || is_own_load {
            if is_own_load && let Err(told) = self.turn(window) {
                return Ok(told);
            }
            self.restart(is_own_load)?;
        }
        let Some(running) = &self.running else {
            return Err(DriveError::Defect("no load".into()));
        };
        self.must_have_company()?;
        match self.setup.judge.meter.counts {
            Counts::Runs => return self.measure_run(window),
            Counts::Scrapes => return self.measure_scrapes(window),
            _ => {}
        }
        let depth = self.setup.job.iodepth;
        running.set_depth_limit(if window.half_depth {
            (depth / 2).max(1)
        } else {
            depth
        });
        let first_bin = (clock::monotonic_ns().saturating_sub(running.origin_ns())) / BIN_NS + 1;
        let begin_ns = running.origin_ns() + first_bin * BIN_NS;
        clock::sleep_until_ns(begin_ns);
        if !is_own_load && let Err(told) = self.turn(window) {
            return Ok(told);
        }
        self.measure(window, begin_ns)
    }

    /// Puts the window's arm in place. In an A/A run the value written is always the one that is set.
    fn turn(&mut self, window: &Window) -> Result<(), WindowReport> {
        if window.arm == self.arm {
            return Ok(());
        }
        let arm = if self.setup.aa { 0 } else { window.arm };
        let failed = |kind: Failure, why: String| WindowReport::Failed {
            id: window.id,
            why,
            kind,
        };
        let set = |turn: &Turn| {
            apply::set(
                turn.knob,
                self.setup.journal,
                &turn.files,
                &turn.values[arm],
            )
        };
        let placed = self
            .guard
            .place(window.arm, || self.setup.turns.iter().try_for_each(set));
        placed
            .map_err(|refusal| match refusal {
                Refusal::Crossed(crossing) => failed(Failure::BoundCrossed, self.told(&crossing)),
                // The next wait says by whom.
                Refusal::Over => failed(Failure::ApplyFailed, STOPPED.into()),
            })?
            .map_err(|error| failed(Failure::ApplyFailed, error.to_string()))?;
        self.arm = window.arm;
        Ok(())
    }

    /// Ends the load; what it leaves behind is told at the end of the tune.
    fn end_load(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.stop();
            let mut left = self
                .setup
                .left
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            left.extend(running.left());
        }
    }

    fn restart(&mut self, is_own_load: bool) -> Result<(), DriveError> {
        self.end_load();
        self.guard.forget();
        let seed = stats::dice::seed_of(self.setup.seed, self.starts);
        self.running = Some(load::start(
            self.setup.prepared,
            self.setup.job,
            seed,
            Region::WHOLE,
        )?);
        let warm_up_ms = match (is_own_load, self.starts) {
            (true, _) => 0,
            (false, 0) => WARM_UP_MS,
            (false, _) => WARM_UP_AGAIN_MS,
        };
        self.starts += 1;
        self.sleep_until(clock::monotonic_ns() + warm_up_ms * 1_000_000)?;
        match self.wait_until(|gauge, running| gauge.is_ready(running))? {
            Ok(()) => Ok(()),
            Err(MeterError::Load(error)) => Err(error.into()),
            Err(MeterError::NoValue(why) | MeterError::Source(why)) => Err(DriveError::Meter(why)),
        }
    }

    /// Asks the gauge again and again until it says yes; a load that failed or ended never makes it say so.
    fn wait_until(
        &mut self,
        mut is_so: impl FnMut(&mut dyn Gauge, &Running) -> Result<bool, MeterError>,
    ) -> Result<Result<(), MeterError>, DriveError> {
        const PAUSE_NS: u64 = 5_000_000;
        loop {
            let Some(running) = &self.running else {
                return Err(DriveError::Defect("no load".into()));
            };
            still_there(running)?;
            match is_so(&mut *self.gauge, running) {
                Ok(true) => return Ok(Ok(())),
                Err(error) => return Ok(Err(error)),
                Ok(false) => self.sleep_until(clock::monotonic_ns() + PAUSE_NS)?,
            }
        }
    }

    fn measure(&mut self, window: &Window, begin_ns: u64) -> Result<WindowReport, DriveError> {
        if let Err(told) = self.begin_look(window, begin_ns)? {
            return Ok(told);
        }
        self.sleep_until(begin_ns + window.discard_ms * 1_000_000)?;
        let kept_from = self.snapshot()?;
        let device_from = self.others.edge();
        let counted_from = self.edge(window, 0.0);
        let layers_from = self.tracing.read();
        // One millisecond more, so that completions at the very end are counted when the bins are read.
        self.sleep_until(begin_ns + window.duration_ms * 1_000_000 + 1_000_000)?;
        let kept_to = self.snapshot()?;
        let device_to = self.others.edge();
        let layers = self.tracing.since(layers_from.as_ref());
        let layers = layers.map(|layers| with_outside(layers, &kept_from, &kept_to));
        let done = own(&kept_from, &kept_to);
        let counted_to = self.edge(window, done.ios() as f64);
        let latency = Some(kept_to.latency_since(&kept_from))
            .filter(|_| !is_counted_by_the_device(self.setup.job));
        if let Some(gathered) = self.gathered(window) {
            gathered.add_counters(window.arm, &counted_from, &counted_to);
            latency
                .iter()
                .for_each(|latency| gathered.add_latency(window.arm, latency));
            layers
                .iter()
                .for_each(|layers| gathered.add_layers(window.arm, layers));
        }
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| DriveError::Defect("no load".into()))?;
        still_there(running)?;
        self.must_have_company()?;
        let rates = match self.values(window, begin_ns)? {
            Ok(rates) => rates,
            Err(told) => return Ok(told),
        };
        let books = self.close_books(window)?;
        let kept_ms = window.duration_ms - window.discard_ms;
        let compares = compares(window);
        let foreign = self
            .others
            .between([device_from, device_to], &done, kept_ms, compares);
        let rates: Vec<f64> = rates.into_iter().map(|rate| rate * books).collect();
        self.windows.push(self.run_of(window, begin_ns, &rates));
        self.must_be_within_metric(kept_ms)?;
        Ok(WindowReport::Measured {
            id: window.id,
            rates,
            latency,
            foreign,
        })
    }

    /// A window in which the command beside the load had ended would be one of another load.
    fn must_have_company(&self) -> Result<(), DriveError> {
        let Some(beside) = self.setup.beside else {
            return Ok(());
        };
        // A thread that panics leaves the command as it was.
        let mut beside = beside.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(beside.must_be_at_work()?)
    }

    /// Lets the gauge look at the start of a window, and from then on at each grain if it wants to.
    fn begin_look(
        &mut self,
        window: &Window,
        begin_ns: u64,
    ) -> Result<Result<(), WindowReport>, DriveError> {
        self.next_look_ns = None;
        let looked = self.look();
        self.next_look_ns = self
            .gauge
            .looks_at_grains()
            .then_some(begin_ns + self.grain_ms * 1_000_000);
        untold(window, looked)
    }

    fn look(&mut self) -> Result<(), MeterError> {
        match &self.running {
            Some(running) => self.gauge.look(running),
            None => Err(MeterError::NoValue("no load is running".into())),
        }
    }

    /// What the meter says of a window that is over.
    fn values(
        &mut self,
        window: &Window,
        begin_ns: u64,
    ) -> Result<Result<Vec<f64>, WindowReport>, DriveError> {
        self.next_look_ns = None;
        let span = GrainSpan {
            begin_ns,
            grain_ns: self.grain_ms * 1_000_000,
            count: (window.duration_ms / self.grain_ms) as usize,
        };
        let told = self.wait_until(|gauge, running| gauge.is_told(running, &span))?;
        let values = told
            .and_then(|()| self.look())
            .and_then(|()| match &self.running {
                Some(running) => self.gauge.values(running, &span),
                None => Err(MeterError::NoValue("no load is running".into())),
            });
        untold(window, values)
    }

    /// The window as the record has it.
    fn run_of(&self, window: &Window, begin_ns: u64, rates: &[f64]) -> WindowRun {
        let counted = rates
            .get((window.discard_ms / self.grain_ms) as usize..)
            .unwrap_or(&[]);
        WindowRun {
            arm: window.arm,
            stage: window.stage,
            start_ms: begin_ns.saturating_sub(self.setup.origin_ns) / 1_000_000,
            length_ms: window.duration_ms,
            discard_ms: window.discard_ms,
            rate: stats::mean(counted),
            half_depth: window.half_depth,
        }
    }

    /// The counters at an edge of a window's kept part. Windows of a tenth of a second are no place for sensors that
    /// take milliseconds, as they do on machines with hundreds of CPUs. The load's own count stands last.
    fn edge(&mut self, window: &Window, load_ios: f64) -> EdgeReading {
        let kept_ns = (window.duration_ms - window.discard_ms) * 1_000_000;
        let mut reading = self.edges.read(kept_ns / READING_SHARE);
        reading.values.push(load_ios);
        reading
    }

    /// Where a window's figures go. Stages that do not compare arms side by side have none: what drifts would pass for a
    /// difference.
    fn gathered(&mut self, window: &Window) -> Option<&mut Gathered> {
        match window.stage {
            VerdictStage::Explain => Some(&mut self.explained),
            _ if compares(window) => Some(&mut self.proof),
            _ => None,
        }
    }

    /// Ends a window of a slow knob by writing out what it left dirty, so that no window pays for another, and gives
    /// the factor by which that time lowers the rate of the own load: bytes over the time of writing and of syncing. Writing
    /// out what a command beside it left is not charged to the load.
    fn close_books(&mut self, window: &Window) -> Result<f64, DriveError> {
        if self.setup.class != Class::Slow {
            return Ok(1.0);
        }
        self.end_load();
        let begin_ns = clock::monotonic_ns();
        self.setup.prepared.sync()?;
        let sync_ms = (clock::monotonic_ns() - begin_ns) as f64 / 1e6;
        if self.setup.beside.is_some() {
            // What the command beside the load left dirty is the next window's too, unless it is written out now.
            sync_all(self.setup)?;
        }
        Ok(window.duration_ms as f64 / (window.duration_ms as f64 + sync_ms))
    }

    fn snapshot(&self) -> Result<Snapshot, DriveError> {
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| DriveError::Defect("no load".into()))?;
        Ok(running.snapshot())
    }

    /// Sleeps in short steps, so that a request to stop is heard within a tenth of a second and the gauge looks in time.
    fn sleep_until(&mut self, deadline_ns: u64) -> Result<(), DriveError> {
        loop {
            if self.setup.stop.is_asked() {
                return Err(DriveError::Interrupted(self.setup.stop.signal_name()));
            }
            self.must_be_within_bounds()?;
            let now_ns = clock::monotonic_ns();
            if let Some(due_ns) = self.next_look_ns.filter(|due_ns| now_ns >= *due_ns) {
                // What cannot be read now is missed at the window's end, where it is told.
                let _ = self.look();
                let grain_ns = self.grain_ms * 1_000_000;
                self.next_look_ns =
                    Some(due_ns + (now_ns - due_ns + grain_ns) / grain_ns * grain_ns);
            }
            if now_ns >= deadline_ns {
                return Ok(());
            }
            let look_ns = self.next_look_ns.unwrap_or(u64::MAX);
            let step_ns = self.guard.step_ns().unwrap_or(100_000_000);
            clock::sleep_until_ns(deadline_ns.min(now_ns + step_ns).min(look_ns));
        }
    }

    /// Ends the window where a bound was crossed; then everything is back already.
    fn must_be_within_bounds(&mut self) -> Result<(), DriveError> {
        self.hear();
        let Some(crossing) = self.guard.crossing() else {
            return Ok(());
        };
        self.arm = 0;
        Err(DriveError::Crossed(self.told(&crossing)))
    }

    /// Hands on what of the metric was told since the last look. What cannot be heard is told at the window's end.
    fn hear(&mut self) {
        let Some(running) = self.running.as_ref().filter(|_| self.guard.bounds_metric()) else {
            return;
        };
        let Some(heard) = self.gauge.heard(running).ok().flatten() else {
            return;
        };
        self.hears = true;
        for one in heard {
            self.guard.tell(&self.setup.judge.metric, one);
        }
    }

    /// The same of the window that is over, whose value nobody heard before, over so many ms.
    fn must_be_within_metric(&mut self, kept_ms: u64) -> Result<(), DriveError> {
        let last = self.windows.last().map(|window| window.rate);
        if let Some(value) = last.filter(|_| !self.hears && self.guard.bounds_metric()) {
            self.guard
                .tell(&self.setup.judge.metric, (kept_ms * 1_000_000, value));
        }
        self.must_be_within_bounds()
    }

    /// What was crossed with which value in place, and what became of it.
    fn told(&self, crossing: &Crossing) -> String {
        let back = match crossing.is_whole {
            true => {
                let took = units::duration_ns(crossing.took_ns as f64);
                format!("everything was back {took} later")
            }
            // Which it is, and what mends it, is told at the end of the tune.
            false => "not everything came back".into(),
        };
        let value = &self.setup.values[crossing.arm];
        let found = if crossing.arm == 0 {
            ", the value found,"
        } else {
            ""
        };
        format!("with {value}{found} in place {}; {back}", crossing.why)
    }
}

/// Writes out all that is dirty on the file system of the target; in a rehearsal nothing is.
fn sync_all(setup: &Setup<'_>) -> Result<(), DriveError> {
    if setup.host.rehearsal().is_some() {
        return Ok(());
    }
    host::files::sync_all(std::path::Path::new(&setup.path.target))
        .map_err(|error| DriveError::Meter(error.to_string()))
}

/// Whether arms stand side by side in a window, each at the load's whole depth.
fn compares(window: &Window) -> bool {
    window.stage.compares() && !window.half_depth
}

fn is_counted_by_the_device(job: &Job) -> bool {
    Engine::find(&job.ioengine).is_some_and(Engine::is_counted_by_the_device)
}

/// A load that failed has no values, nor has one that ended before the experiment did.
fn still_there(running: &Running) -> Result<(), DriveError> {
    match running.failure() {
        Some(failure) => Err(failure.into()),
        None if running.is_over() => Err(DriveError::LoadEnded),
        None => Ok(()),
    }
}

/// A bound that was crossed is an answer of the window in which it was.
fn crossed(
    window: &Window,
    told: Result<WindowReport, DriveError>,
) -> Result<WindowReport, DriveError> {
    match told {
        Err(DriveError::Crossed(why)) => Ok(WindowReport::Failed {
            id: window.id,
            why,
            kind: Failure::BoundCrossed,
        }),
        told => told,
    }
}

/// An error of the meter: a load that failed ends the experiment, a window without a value is told.
fn untold<T>(
    window: &Window,
    read: Result<T, MeterError>,
) -> Result<Result<T, WindowReport>, DriveError> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(MeterError::Load(error)) => Err(error.into()),
        Err(MeterError::Source(why)) => Err(DriveError::Meter(why)),
        Err(MeterError::NoValue(why)) => Ok(Err(WindowReport::Failed {
            id: window.id,
            why,
            kind: Failure::Other,
        })),
    }
}

/// The layers of a window with what of the load's latency lies outside them.
fn with_outside(layers: LayerTimes, from: &Snapshot, to: &Snapshot) -> LayerTimes {
    let done = to.since(from);
    let sides = [
        (LayerSide::Read, lane::READ),
        (LayerSide::Write, lane::WRITE),
    ];
    let outside = sides
        .iter()
        .filter_map(|(side, lane)| layers.outside(*side, &done.side(*lane).latency));
    LayerTimes {
        outside: outside.collect(),
        ..layers
    }
}

/// What the load completed between two snapshots.
fn own(from: &Snapshot, to: &Snapshot) -> Own {
    let done = to.since(from);
    let (read, write) = (done.side(lane::READ), done.side(lane::WRITE));
    Own {
        read_ios: read.ios(),
        read_bytes: read.bytes,
        write_ios: write.ios(),
        write_bytes: write.bytes,
    }
}
