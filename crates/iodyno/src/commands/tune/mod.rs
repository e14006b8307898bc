//! `iodyno tune`: proves by a randomised interleaved experiment which setting helps, and puts everything back.

mod climb;
mod judge;
mod live;
mod plan;
mod quiet;
mod reboot_plan;
mod rehearsed;
mod runs;
mod session;
mod stop_if;
mod suspects;

use super::job_args::{JobArgs, duration_ms, fresh_seed};
use super::layers_arg::LayersArg;
use super::rehearse::{self, Rehearse};
use super::run::lint::Lint;
use super::run::targets::opened;
use super::scratch_arg::ScratchArg;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::keep::{self, Kept};
use clap::builder::{PossibleValue, PossibleValuesParser};
use host::{DeviceLock, Journal, Target};
use load::Engine;
use load::engines::command::RunOnce;
use model::iopath::IoPath;
use model::job::{Job, Section};
use model::record::{Provenance, Record, RecordBody, Trial, TuneBody};
use model::units::parse_share;
use model::verdict::{Reason, Verdict};
use plan::TunePlan;
use report::words;
use serde::Serialize;
use std::path::PathBuf;
use store::Store;
use tuner::Meter;
use tuner::breaker::StopBound;
use tuner::meter::Judge;

/// Arguments of `tune`.
#[derive(Debug, clap::Args)]
pub struct TuneArgs {
    /// A directory (scratch is made in it and removed), a file or a block device.
    pub target: PathBuf,
    /// A knob to try, with values if not its own choices: scheduler or nr_requests=64,256. Repeat for more.
    #[arg(long = "knob", value_name = "KNOB[=V,V…]")]
    pub knobs: Vec<String>,
    /// What the values are judged by; `iodyno explain METER` says what each one measures [default: iops; printed with
    /// --command].
    #[arg(long, visible_alias = "goal", value_name = "METER", value_parser = MeterParser)]
    pub metric: Option<&'static Meter>,
    /// How the client of --metric postgresql or mysql is started: 'sudo -u postgres psql -p 5433' [default: psql, mysql].
    #[arg(long, value_name = "COMMAND", requires = "metric")]
    pub sql_client: Option<String>,
    /// The control group whose I/O --metric group_iops or group_bandwidth counts: its path as /proc/PID/cgroup names it, the
    /// number of a process in it, or a container's id or name.
    #[arg(long, value_name = "GROUP|PID|CONTAINER", requires = "metric")]
    pub cgroup: Option<String>,
    /// The Prometheus server that --metric prometheus asks: http://HOST:9090.
    #[arg(long, value_name = "URL", requires = "metric")]
    pub prometheus: Option<String>,
    /// The counter that it is asked for, a selector without rate() and range: 'http_requests_total{job="web"}'.
    #[arg(long, value_name = "SELECTOR", requires = "metric")]
    pub query: Option<String>,
    /// A command that runs beside the load for as long as it does, such as a bulk writer. Values are judged by what the load
    /// gets beside it; what others on the device lose or gain by them is told.
    #[arg(long, value_name = "COMMAND")]
    pub beside: Option<String>,
    /// The command ends by itself: each window is one run of it, judged by the number that it prints at its end, or by how
    /// long it takes where it prints none.
    #[arg(long, requires = "command")]
    pub run_again: bool,
    /// Time for all knobs together.
    #[arg(long, default_value = "5m", value_parser = duration_ms)]
    pub budget: u64,
    /// Differences up to this count as equal.
    #[arg(long, default_value = "2%", value_parser = parse_share)]
    pub rope: f64,
    /// Probability of naming a winner where there is none, over all knobs together.
    #[arg(long, default_value_t = 0.05)]
    pub alpha: f64,
    /// Seed of every random choice; without it, one that is printed.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Try a knob that was named also where it cannot act on this load.
    #[arg(long, requires = "knobs")]
    pub even_if_pointless: bool,
    /// Refuse a job that would not measure what it says.
    #[arg(long)]
    pub strict: bool,
    /// Accept a worse p99 in exchange for throughput.
    #[arg(long)]
    pub accept_worse_p99: bool,
    /// Wait at the most so long until nobody else has used the device for 3 seconds; it comes on top of the budget.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub wait_quiet: Option<u64>,
    /// End and put everything back at once when the device crosses this bound: 'await>20ms', 'write.iops<500',
    /// 'bw<100M'; or what the values are judged by does: 'metric<500'. Repeat for more.
    #[arg(long, value_name = "BOUND", value_parser = stop_if::parse)]
    pub stop_if: Vec<StopBound>,
    /// Show what would be changed, for how long and how it is put back; do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Rehearse on a simulated disk, without touching the real one: 'cloud', or with the effects that values are to have,
    /// 'cloud,scheduler=bfq:+8%'. A wrong name lists the disks.
    #[arg(long, value_name = "DISK[,KNOB=V:±N%…]", value_parser = rehearse::parse,
          conflicts_with_all = ["dry_run", "beside", "command", "container", "reboot_plan"])]
    pub rehearse: Option<Rehearse>,
    /// Write the value that is set already instead of the arm's: a check of iodyno itself, which must find no winner.
    #[arg(long)]
    pub aa: bool,
    /// Print a JSON line on stdout for each step of the experiment, and the record's at the end; words go to stderr.
    #[arg(long, conflicts_with = "dry_run")]
    pub stream: bool,
    /// When to trace the block layer: auto traces a few windows after each decision, so that the proof is free of what
    /// tracing costs; lite and full trace all windows.
    #[arg(long, value_enum, default_value = "auto")]
    layers: LayersArg,
    #[command(flatten)]
    scratch: ScratchArg,
    #[command(flatten)]
    job: JobArgs,
    #[command(flatten)]
    reboot: reboot_plan::RebootArgs,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for TuneArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Changes
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn job(&self) -> Option<&JobArgs> {
        Some(&self.job)
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        self.target = paths.place(&self.target)?;
        Ok(())
    }
}

impl TuneArgs {
    /// What the values are judged by under a job, whose command ran once and told a number or none where it is run again.
    fn meter(&self, job: &Job, ran: Option<RunOnce>) -> &'static Meter {
        let tells = ran.is_none_or(|ran| ran.result.is_some());
        self.metric.unwrap_or_else(|| match tells {
            true => Meter::usual(job),
            false => &tuner::meters::duration::METER,
        })
    }
}

/// Takes the id of a meter, and names all of them where there is none.
#[derive(Clone, Debug)]
struct MeterParser;

impl clap::builder::TypedValueParser for MeterParser {
    type Value = &'static Meter;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let ids = PossibleValuesParser::new(tuner::meters::ALL.iter().map(|meter| meter.id));
        let id = ids.parse_ref(command, arg, value)?;
        Meter::find(&id).ok_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let ids = tuner::meters::ALL.iter().map(|meter| meter.id);
        Some(Box::new(ids.map(PossibleValue::new)))
    }
}

#[derive(Serialize)]
struct TuneDocument<'a> {
    schema: &'static str,
    id: Option<i64>,
    plan: &'a TunePlan,
    record: Option<&'a Record>,
}

const SCHEMA: &str = "iodyno.tune/1";

/// A tune that was made, and kept.
pub struct TuneMade {
    plan: TunePlan,
    /// What came of it.
    pub record: Record,
    /// Its place in the store.
    pub kept: Kept,
    /// Whether it was ended before its time.
    pub interrupted: bool,
    read_back: usize,
}

/// What was asked for.
enum Made {
    /// The plan alone, of a device that was to be left alone.
    Plan(Box<TunePlan>),
    Tune(Box<TuneMade>),
}

/// Plans, says the plan, proves, puts back, and says what was found.
pub fn run(args: &TuneArgs, context: &Context) -> Result<Exit, Failure> {
    args.scratch.put_in_place();
    if let Some(argument) = &args.reboot.reboot_plan {
        return reboot_plan::make(args, context, argument);
    }
    let context = &context.streaming(args.stream);
    let made = match made(args, context)? {
        Made::Tune(made) => *made,
        Made::Plan(plan) => {
            let document = TuneDocument {
                schema: SCHEMA,
                id: None,
                plan: &plan,
                record: None,
            };
            context.out.document(&document)?;
            return Ok(Exit::Fine);
        }
    };
    let TuneMade { record, kept, .. } = &made;
    for line in words::record(kept.id, record) {
        context.out.say(line);
    }
    if !made.interrupted {
        let values = match made.read_back {
            1 => "value",
            _ => "values",
        };
        context.out.say(format!(
            "Every setting is back as it was: {} {values} read back.",
            made.read_back
        ));
    }
    context.out.document(&TuneDocument {
        schema: SCHEMA,
        id: kept.id,
        plan: &made.plan,
        record: Some(record),
    })?;
    let exit = match made.interrupted {
        true => Exit::Interrupted,
        false => exit_of(record.trials()),
    };
    made.kept.must_be_stored()?;
    Ok(exit)
}

/// The same as a part of something else, which says itself what was found.
pub fn prove(args: &TuneArgs, context: &Context) -> Result<TuneMade, Failure> {
    match made(args, context)? {
        Made::Tune(made) => Ok(*made),
        Made::Plan(_) => Err(Failure::new(Exit::Failed, "a plan alone proves nothing.")),
    }
}

fn made(args: &TuneArgs, context: &Context) -> Result<Made, Failure> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let path = inventory::collect(&context.host, &args.target.to_string_lossy())?;
    let on_stage = args.rehearse.as_ref();
    let on_stage = on_stage.map(|it| it.begin(context, &path, seed));
    let on_stage = on_stage.transpose()?;
    let context = on_stage.as_ref().unwrap_or(context);
    // A window that read what an earlier one left in the page cache would measure the earlier one.
    let job = runs::job(args, args.job.single(args.budget, seed)?);
    let job = Job {
        cold_passes: !job.direct && job.rw.reads(),
        beside: args.beside.clone(),
        ..job
    };
    // Before the plan: a tune that runs, or was left unfinished, has other values in place than the user's.
    let locked = match (!args.dry_run).then(|| lock(args, context, &path)) {
        Some(Err(failure)) if failure.exit == Exit::Refused => return Err(failure),
        locked => locked,
    };
    // Once: what the name stands for now is what is judged, looked at and loaded.
    let target = opened(&args.target, &path);
    let around = (&path, target.as_deref().ok());
    let (judge, plan) = decided(args, context, around, &job)?;
    for line in plan.lines(&job) {
        context.out.say(line);
    }
    let Some(locked) = locked else {
        return Ok(Made::Plan(Box::new(plan)));
    };
    let lock = locked?;
    let target = &target?;
    let store = Store::open(&context.state_dir)?;
    let session = session::Session {
        args,
        context,
        plan: &plan,
        judge: &judge,
        path: &path,
        target,
        job: &job,
        seed,
        lock: &lock,
    };
    let provenance = crate::provenance::of(&context.host);
    let done = session.run()?;
    let (interrupted, read_back) = (done.interrupted, done.read_back);
    let record = record(done, path.clone(), job, provenance);
    let kept = keep::into_store(&store, &record);
    Ok(Made::Tune(Box::new(TuneMade {
        plan,
        record,
        kept,
        interrupted,
        read_back,
    })))
}

/// What it judges by and what it will do, before anything is touched.
fn decided(
    args: &TuneArgs,
    context: &Context,
    (path, target): (&IoPath, Option<&Target>),
    job: &Job,
) -> Result<(Judge, TunePlan), Failure> {
    let ran = runs::first(args, context, job)?;
    if context.host.rehearsal().is_some() {
        rehearsed::must_see(args.meter(job, ran))?;
    }
    let judge = judge::ready(args, context, path, job, ran)?;
    stop_if::must_fit(&args.stop_if, &judge.metric)?;
    lint(args, context, (path, target), job)?;
    let plan = plan::make(args, context, path, job, &judge)?;
    runs::must_fit(args, &plan, ran)?;
    if let Some(rehearse) = &args.rehearse {
        rehearsed::must_fit(rehearse, &plan)?;
    }
    Ok((judge, plan))
}

/// Says what is to be said of the job before it runs, as `run` does; a load that is not ours is not what the job says.
fn lint(
    args: &TuneArgs,
    context: &Context,
    (path, target): (&IoPath, Option<&Target>),
    job: &Job,
) -> Result<(), Failure> {
    let is_ours = Engine::find(&job.ioengine).is_none_or(Engine::does_what_the_job_says);
    if !is_ours {
        return Ok(());
    }
    let sections = [Section::of(job.clone())];
    let lint = Lint::of(&sections, (context, path), target);
    for line in report::lint::lint_lines(&lint.findings, &[]) {
        context.out.note(line);
    }
    match args.strict {
        true => lint.refuse(),
        false => Ok(()),
    }
}

/// Takes the device's lock, where nothing unfinished stands on it.
fn lock(args: &TuneArgs, context: &Context, path: &IoPath) -> Result<DeviceLock, Failure> {
    let device = crate::named_knob::device(path)?;
    let purpose = session::purpose(&device);
    let lock = DeviceLock::take(&context.host, &device, plan::reach(args)?, &purpose)?;
    Journal::must_be_free(&context.host, &context.state_dir, &lock)?;
    Ok(lock)
}

fn record(
    done: session::SessionDone,
    path: IoPath,
    mut job: Job,
    provenance: Provenance,
) -> Record {
    let summary = view::trial::tune_sentence(&done.trials);
    model::secret::cut_job(&mut job);
    let body = RecordBody::Tune(TuneBody {
        trials: done.trials,
    });
    Record {
        summary,
        job,
        sensors: done.sensors,
        findings: done.findings,
        ..Record::of(body, provenance, path)
    }
}

/// 0 when at least one knob got an answer, 6 when none did. That nothing is ahead of what is set is an answer; that
/// something is, only once it is proved.
fn exit_of(trials: &[Trial]) -> Exit {
    let is_decided = |trial: &Trial| trial.verdict.as_ref().is_some_and(Verdict::is_decided);
    let is_selected = |trial: &&Trial| {
        let verdict = trial.verdict.as_ref();
        verdict.is_some_and(|verdict| verdict.reason == Reason::Selected)
    };
    let mut selected = trials.iter().filter(is_selected).peekable();
    let is_none_ahead =
        selected.peek().is_some() && selected.all(|trial| trial.selection().is_none());
    if trials.iter().any(is_decided) || is_none_ahead {
        Exit::Fine
    } else {
        Exit::Undecided
    }
}
