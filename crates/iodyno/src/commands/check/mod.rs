//! `iodyno check`: inspect, short safe loads, all sensors and all rules; what the storage gives, what it should give, why
//! it does not, and the one command to run next. Changes no setting, but for the experiments of `--prove`.

mod contrast;
mod document;
mod ground;
mod loads;
pub mod look;
pub(super) mod measure;
pub(super) mod plan;
pub(super) mod profile;
pub(super) mod prove;
mod rehearsed;
mod unseen;

use super::job_args::duration_ms;
use super::layers_arg::{LayersArg, wish};
use super::rehearse::{self, Rehearse};
use super::run::facts::{machine_facts, target_facts};
use super::run::targets;
use super::scratch_arg::ScratchArg;
use crate::captured;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::keep::{self, Kept};
use diagnose::{Around, Profile, Scene};
use document::CheckDocument;
use measure::{LoadsWish, Measuring, Refusal};
use model::check::{CheckResult, Promise, Role};
use model::finding::{Finding, Level};
use model::iopath::IoPath;
use model::job::Job;
use model::record::{Provenance, Record, RecordBody};
use model::sample::SensorLog;
use model::target::{TargetFacts, TargetKind};
use model::text::as_target;
use plan::{CheckPlan, Mode};
use report::check as report;
use std::path::{Path, PathBuf};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// A directory (scratch is made in it and removed), a file or a block device (which are only read); of a captured
    /// machine, without it, the target for which it was captured.
    #[arg(default_value = ".")]
    pub target: String,
    /// At most 10 s.
    #[arg(long, conflicts_with = "deep")]
    pub quick: bool,
    /// Up to 5 min: longer loads, more depths, buffered writes, reads beside writes.
    #[arg(long)]
    pub deep: bool,
    /// Load nothing: judge the path and its settings alone, with --observe what others do as well.
    #[arg(long)]
    pub no_load: bool,
    /// Watch this long before the first load [default: 2s; 500ms with --quick, 5s with --deep].
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub observe: Option<u64>,
    /// What the storage is sold as: aws:gp3:100GiB:iops=6000, or figures alone: iops=3000:bandwidth=125m.
    #[arg(long, value_name = "SPEC", value_parser = diagnose::cloud::promise_of_spec)]
    pub disk_spec: Option<Promise>,
    /// How closely the block layer is traced beside the loads [default: auto].
    #[arg(long, value_enum)]
    pub layers: Option<LayersArg>,
    /// Judge a captured machine; nothing is loaded.
    #[arg(long, value_name = "FILE.host", conflicts_with_all = ["observe", "quick", "deep", "layers", "container"])]
    pub root: Option<PathBuf>,
    /// Judge a document of an earlier `check --json` again; nothing is loaded.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["root", "observe", "quick", "deep", "layers", "no_load", "target", "container"])]
    pub replay: Option<PathBuf>,
    /// Say what differs from a named set of kernel parameters, and whether it matters: container-host,
    /// throughput-performance, postgresql and more; `iodyno catalogue` lists them.
    #[arg(long, value_name = "NAME", value_parser = profile::parse, conflicts_with = "replay")]
    pub profile: Option<&'static Profile>,
    /// Make the experiments that decide about the first three findings, each in this time at the most [default: 3m]. They
    /// change settings of the device, one at a time, and put them back; what they speak against is withdrawn.
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration_ms,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "3m",
        conflicts_with_all = ["no_load", "root", "replay", "container"]
    )]
    pub prove: Option<u64>,
    /// Rehearse on a simulated disk, without touching the real one: 'cloud', or with the effects that values are to have in
    /// the experiments of --prove, 'cloud,scheduler=none:+8%'. A wrong name lists the disks.
    #[arg(long, value_name = "DISK[,KNOB=V:±N%…]", value_parser = rehearse::parse,
          conflicts_with_all = ["no_load", "root", "replay", "container"])]
    pub rehearse: Option<Rehearse>,
    /// End with status 1 when anything of this level or above is found.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
    /// Show notes and withdrawn suspicions as well.
    #[arg(long)]
    pub all: bool,
    /// The job for which --profile says what matters, in fio's words; it is not run.
    #[arg(
        last = true,
        allow_hyphen_values = true,
        value_name = "FIO",
        requires = "profile"
    )]
    pub words: Vec<String>,
    #[command(flatten)]
    pub scratch: ScratchArg,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for CheckArgs {
    fn part(&self) -> ContainerUse {
        match self.prove {
            Some(_) => ContainerUse::Changes,
            None => ContainerUse::Loads,
        }
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        paths.place_text(&mut self.target)
    }
}

/// A level on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum LevelArg {
    /// Anything at all.
    Note,
    /// What costs speed or safety now.
    Warning,
    /// What makes a measurement worthless.
    Wrong,
}

impl LevelArg {
    fn level(self) -> Level {
        match self {
            LevelArg::Note => Level::Note,
            LevelArg::Warning => Level::Warning,
            LevelArg::Wrong => Level::Wrong,
        }
    }
}

impl CheckArgs {
    fn mode(&self) -> Mode {
        match (self.quick, self.deep) {
            (true, _) => Mode::Quick,
            (_, true) => Mode::Deep,
            _ => Mode::Default,
        }
    }

    fn loads(&self) -> LoadsWish {
        match self.no_load {
            true => LoadsWish::None,
            false => LoadsWish::Always,
        }
    }
}

/// What is judged.
struct Case {
    provenance: Provenance,
    path: IoPath,
    check: CheckResult,
    sensors: Vec<SensorLog>,
    /// Why the target failed in the middle of a load, or why the proofs ended early.
    failure: Option<Failure>,
}

/// Checks and says what was found.
pub fn run(args: &CheckArgs, context: &Context) -> Result<Exit, Failure> {
    args.scratch.put_in_place();
    let jobs = profile::jobs(&args.words)?;
    let on_stage = rehearsed::begin(args, context)?;
    let context = on_stage.as_ref().unwrap_or(context);
    let host = match &args.root {
        Some(file) => host::Host::open(file)?,
        None => context.host.clone(),
    };
    let mut case = match (&args.replay, &args.root) {
        (Some(file), _) => replayed(file)?,
        (_, Some(file)) => captured(&host, &captured::target(file, &args.target, context))?,
        _ => live(args, context)?,
    };
    if let Some(profile) = args.profile {
        case.check.profile = Some(profile::compared(profile, &host, &case.path, &jobs));
    }
    let is_ours = args.replay.is_none() && args.root.is_none();
    finish(args, context, case, is_ours)
}

/// A document judged again.
fn replayed(file: &Path) -> Result<Case, Failure> {
    let read = document::read(file)?;
    let (path, sensors) = (read.path, read.sensors);
    Ok(Case {
        provenance: read.provenance,
        path,
        check: read.check,
        sensors,
        failure: None,
    })
}

/// A captured machine: its path and settings.
fn captured(host: &host::Host, target: &str) -> Result<Case, Failure> {
    let path = inventory::collect_with_cluster(host, target)?;
    let mut check = CheckResult {
        mode: "no load".into(),
        target: TargetFacts {
            name: path.target.clone(),
            kind: TargetKind::Missing,
            ..TargetFacts::default()
        },
        ..CheckResult::default()
    };
    check.unseen = unseen::all(&path, &check, None, true);
    check
        .unseen
        .push("Loads and sensors: this is a captured machine.".into());
    let provenance = crate::provenance::of(host);
    Ok(Case {
        provenance,
        path,
        check,
        sensors: Vec::new(),
        failure: None,
    })
}

/// This machine. Fails when a stop was asked for: half a check answers nothing.
fn live(args: &CheckArgs, context: &Context) -> Result<Case, Failure> {
    let path = inventory::collect_with_cluster(&context.host, &args.target)?;
    let provenance = crate::provenance::of(&context.host);
    let plan = CheckPlan::of(args.mode(), args.observe);
    let stop = context.stop_on_signals()?;
    let opened = targets::opened(Path::new(&args.target), &path);
    let target = target_facts(opened.as_deref().ok(), &path);
    let mut check = CheckResult {
        mode: if args.no_load {
            "no load".into()
        } else {
            args.mode().word().into()
        },
        target,
        machine: machine_facts(&context.host),
        ..CheckResult::default()
    };
    let is_root = host::rights::is_root();
    if args.no_load && args.observe.is_none() {
        check.unseen = unseen::all(&path, &check, None, is_root);
        check
            .unseen
            .push("Loads: none was made (--no-load).".into());
        return Ok(Case {
            provenance,
            path,
            check,
            sensors: Vec::new(),
            failure: None,
        });
    }
    let measuring = Measuring {
        context,
        path: &path,
        plan: &plan,
        wish: wish(Some(args.layers.unwrap_or(LayersArg::Auto))),
        loads: args.loads(),
    };
    let measured = measuring.measure(&mut check.target, opened, &stop)?;
    if stop.is_asked() {
        let note = "no scratch is left, no setting was touched, and half a check is not kept";
        let message = format!("stopped by {}; {note}.", stop.signal_name());
        return Err(Failure::new(Exit::Interrupted, message).on(&args.target));
    }
    check
        .unseen
        .extend(measured.refusal.iter().map(Refusal::sentence));
    let (done, failure) = (measured.done, measured.failure);
    let failed = failure
        .iter()
        .map(|failure| format!("The target failed: {}", failure.message));
    check.unseen.extend(failed);
    let more = {
        check.probes = done.probes.clone();
        unseen::all(&path, &check, Some(&done), is_root)
    };
    check.unseen.extend(more);
    Ok(Case {
        provenance,
        path,
        check,
        sensors: done.sensors,
        failure: failure.map(|failure| Failure {
            exit: Exit::Failed,
            ..failure
        }),
    })
}

/// Judges, keeps, prints.
fn finish(
    args: &CheckArgs,
    context: &Context,
    mut case: Case,
    is_ours: bool,
) -> Result<Exit, Failure> {
    if args.disk_spec.is_some() {
        case.check.promise.clone_from(&args.disk_spec);
    }
    let mut findings = judge(&case.path, &mut case.check, &case.sensors);
    if let Some(budget_ms) = args.prove.filter(|_| case.failure.is_none()) {
        let proofs = prove::Proofs {
            context,
            target: &args.target,
            budget_ms,
            scratch_bytes: case.check.target.bytes.filter(|_| is_scratch(&case.check)),
        };
        case.failure = proofs.make(&mut findings).err();
    }
    let target = match (context.host.container(), &args.root) {
        (None, None) if args.replay.is_none() => vec![as_target(&args.target)],
        _ => case.path.as_words(),
    };
    let situation = report::Situation {
        target: &target,
        mode: &case.check.mode,
        is_live: args.root.is_none(),
        is_root: args.replay.is_some() || host::rights::is_root(),
        has_queue: case.path.queue_device().is_some(),
    };
    case.check.next = report::next(&findings, &situation);
    let answer = report::answer(&case.path, &case.check, &findings);
    let lines = report::lines(&answer, &case.check, &findings, args.all);
    let (failure, record) = (case.failure.take(), record(case, answer, findings));
    let kept = is_ours.then(|| keep::keep(context, &record));
    let id = kept.as_ref().and_then(|kept| kept.id);
    let rehearsed = view::rehearsed::sentence(&record.provenance);
    let lines = lines.into_iter().chain(rehearsed);
    lines.for_each(|line| context.out.say(line));
    if let Some(id) = id {
        context
            .out
            .say(format!("  record {id}   show it: iodyno show {id}"));
    }
    if let Some(check) = record.check() {
        context
            .out
            .document_on_a_line(&CheckDocument::of(id, &record, check))?;
    }
    let stored = kept.map_or(Ok(()), Kept::must_be_stored);
    match (failure, stored) {
        (Some(failure), stored) => {
            if let Err(unsaved) = stored {
                context.out.note(format!("iodyno: {}", unsaved.message));
            }
            Err(failure)
        }
        (None, stored) => stored.map(|()| exit_of(&record.findings, args.fail_on)),
    }
}

/// Whether the loads had a file of their own.
fn is_scratch(check: &CheckResult) -> bool {
    check.target.kind == TargetKind::Directory
}

/// All findings; what is given and expected goes into the check.
fn judge(path: &IoPath, check: &mut CheckResult, sensors: &[SensorLog]) -> Vec<Finding> {
    let scene = Scene {
        path,
        probes: &check.probes,
        promise: check.promise.as_ref(),
    };
    let around = Around {
        target: &check.target,
        machine: &check.machine,
        sensors,
    };
    let findings = diagnose::verdict(&scene, &around);
    let accounts = scene.accounts();
    (check.given, check.expected) = (diagnose::gives(&scene), diagnose::expected(&scene));
    check.accounts = accounts;
    findings
}

fn exit_of(findings: &[Finding], fail_on: Option<LevelArg>) -> Exit {
    let worst = findings
        .iter()
        .filter(|one| one.withdrawn.is_none())
        .map(|one| one.level)
        .max();
    match (worst, fail_on) {
        (Some(worst), Some(limit)) if worst >= limit.level() => Exit::Found,
        _ => Exit::Fine,
    }
}

fn record(case: Case, summary: String, findings: Vec<Finding>) -> Record {
    let loaded = case
        .check
        .probes
        .iter()
        .find(|probe| probe.role != Role::Idle);
    let job = loaded.map_or_else(Job::default, |probe| probe.job.clone());
    Record {
        summary,
        job,
        findings,
        sensors: case.sensors,
        ..Record::of(RecordBody::Check(case.check), case.provenance, case.path)
    }
}
