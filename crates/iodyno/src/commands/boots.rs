//! `iodyno boots`: carries out a plan of boots that `tune --reboot-plan` has made, and shows how far it is.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use ::boots::{BootPlan, BootRun, NextBoot, SCHEMA, command_line, unit};
use host::signals::Stop;
use host::{Privileges, Workload, clock, durable, files};
use model::record::LoadResult;
use model::text::{is_unsafe, shown};
use runner::{Runner, RunnerPlace, Verb};
use std::path::{Path, PathBuf};
use tuner::Meter;

/// The plan's file in its directory.
const PLAN: &str = "plan.json";
/// Boots in a row with another command line than was asked for: whatever makes them does not do it.
const STRAYS_MAX: u32 = 3;
/// The longest document of a run that is taken, bytes.
const DOCUMENT_MAX: u64 = 256 << 20;
const LOOK_MS: u64 = 100;

/// Arguments of `boots`.
#[derive(Debug, clap::Args)]
pub struct BootsArgs {
    /// The directory of the plan.
    pub directory: PathBuf,
    /// Measure this boot, and boot the next one, or say which it is.
    #[arg(long)]
    pub measure: bool,
}

/// Shows the plan, or takes its next step.
pub fn run(args: &BootsArgs, context: &Context) -> Result<Exit, Failure> {
    let directory = files::way_to(&args.directory)?;
    let lock = args.measure.then(|| durable::lock_dir(&directory));
    if let Some(None) = lock.transpose()? {
        return Err(Failure::new(
            Exit::Refused,
            format!(
                "{}: another iodyno measures this boot.",
                directory.display()
            ),
        ));
    }
    let mut plan = read(&directory)?;
    if args.measure && plan.verdict.is_none() {
        measure(&mut plan, &directory, context)?;
    }
    for line in lines(&plan) {
        context.out.say(line);
    }
    context.out.document(&plan)?;
    if args.measure {
        next_boot(&mut plan, &directory, context)?;
    }
    Ok(exit_of(&plan))
}

/// Writes a plan and its unit into a directory that has none, and says which directory that is without links. What systemd is told to
/// start as root lies where root alone can put something else in its place; a plan that is followed by hand needs no unit.
///
/// # Errors
/// Where such a place is needed and this is none: then nothing is made. Where a plan is there already.
pub fn write_new(plan_dir: &Path, plan: &BootPlan) -> Result<PathBuf, Failure> {
    let program = files::canonical(Path::new("/proc/self/exe"))?;
    let (directory, there) = without_links(plan_dir)?;
    let unsafe_unit = unsafe_unit([(&directory, &there), (&program, &program)])?;
    if let Some(why) = unsafe_unit.as_ref().filter(|_| plan.next_boot.is_some()) {
        let hint = "Name a directory below directories that only root may write to with --plan-dir, and install iodyno in such a one.";
        return Err(Failure::new(
            Exit::Refused,
            format!("no plan that boots by itself: {why}."),
        )
        .hint(hint));
    }
    let text = unit::text(
        plan,
        &program.to_string_lossy(),
        &directory.to_string_lossy(),
    );
    files::create_dirs(&directory)?;
    durable::check(&directory)?;
    let path = directory.join(PLAN);
    if durable::text(&path)?.is_some() {
        let there = format!("{} is there, and is not written over.", path.display());
        return Err(
            Failure::new(Exit::Refused, there).hint("Name another directory with --plan-dir.")
        );
    }
    files::write_new(&path, &json(plan)?)?;
    if unsafe_unit.is_none() {
        files::write_atomically(&directory.join(unit::NAME), &text)?;
    }
    Ok(directory)
}

/// A directory's path without links, and the part of it that is there: the rest is still to be made.
fn without_links(directory: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let current = Path::new(".");
    for way in directory.ancestors() {
        let is_empty = way.as_os_str().is_empty();
        match files::way_to(if is_empty { current } else { way }) {
            Ok(there) => {
                let missing = directory.strip_prefix(way).unwrap_or(current);
                return Ok((there.join(missing), there));
            }
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok((directory.into(), current.into()))
}

/// Why a unit that names these paths could be made to start something else, a clause. Beside each path, what of it is there.
fn unsafe_unit(paths: [(&Path, &Path); 2]) -> Result<Option<String>, Failure> {
    for (path, there) in paths {
        if path.to_string_lossy().chars().any(is_unsafe) {
            return Ok(Some(format!(
                "{} has letters that no unit can hold",
                shown(path)
            )));
        }
        if let Some(open) = files::open_to_others(there)? {
            let (open, path) = (shown(&open), shown(path));
            return Ok(Some(format!(
                "others than root may write to {open}, and could put something else in the place of {path}"
            )));
        }
    }
    Ok(None)
}

fn json(plan: &BootPlan) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(plan);
    text.map_err(|error| Failure::new(Exit::Failed, format!("the plan cannot be written: {error}")))
}

fn save(directory: &Path, plan: &BootPlan) -> Result<(), Failure> {
    Ok(files::write_atomically(
        &directory.join(PLAN),
        &json(plan)?,
    )?)
}

/// Reads a plan. It names a command that runs with all rights, so nobody else may have written it.
fn read(directory: &Path) -> Result<BootPlan, Failure> {
    let path = directory.join(PLAN);
    let broken = |why: String| {
        Failure::new(Exit::Failed, format!("{}: {why}", path.display()))
            .hint("iodyno tune TARGET --reboot-plan ARGUMENT --plan-dir DIR makes a plan.")
    };
    durable::check(directory)?;
    let text = durable::text(&path)?.ok_or_else(|| broken("nothing is there".into()))?;
    let plan: BootPlan =
        serde_json::from_str(&text).map_err(|error| broken(format!("no plan: {error}")))?;
    match plan.schema == SCHEMA {
        true => Ok(plan),
        false => Err(broken(format!(
            "schema {}, and {SCHEMA} is read",
            model::text::clean_to(&plan.schema, 40)
        ))),
    }
}

/// The boot that this is.
struct ThisBoot {
    id: String,
    line: String,
}

impl ThisBoot {
    fn look(context: &Context) -> ThisBoot {
        let read = |path: &str| context.host.text(path).unwrap_or_default();
        ThisBoot {
            id: read("/proc/sys/kernel/random/boot_id").trim().into(),
            line: read("/proc/cmdline"),
        }
    }
}

/// Measures this boot, where that is what it is for and it was not yet.
fn measure(plan: &mut BootPlan, directory: &Path, context: &Context) -> Result<(), Failure> {
    let boot = ThisBoot::look(context);
    let NextBoot::Measure(arm) = next(plan)? else {
        return over(plan, directory);
    };
    if plan.has(&boot.id) {
        return Ok(());
    }
    if plan.arm_of(&boot.line) != Some(arm) {
        return stray(plan, arm, directory, &boot);
    }
    let stop = context.stop_on_signals()?;
    settle(plan, context, &stop)?;
    let (value, record) = load(plan, context, &stop)?;
    plan.strays = 0;
    plan.boots.push(BootRun {
        boot_id: boot.id,
        arm,
        value,
        record,
    });
    save(directory, plan)?;
    match next(plan)? {
        NextBoot::Over(_) => over(plan, directory),
        NextBoot::Measure(_) => Ok(()),
    }
}

/// A boot with another command line than is due. The first one is where the plan was made; one after another was asked for
/// is a mistake of whatever boots, or somebody else's boot.
fn stray(
    plan: &mut BootPlan,
    arm: usize,
    directory: &Path,
    boot: &ThisBoot,
) -> Result<(), Failure> {
    if plan
        .asked_in
        .as_ref()
        .is_some_and(|asked_in| *asked_in != boot.id)
    {
        plan.strays += 1;
        save(directory, plan)?;
    }
    let Some(command) = plan
        .next_boot
        .as_ref()
        .filter(|_| plan.strays >= STRAYS_MAX)
    else {
        return Ok(());
    };
    let (is, wanted) = (command_line::own(&boot.line), plan.line(arm));
    Err(Failure::new(
        Exit::Failed,
        format!("{STRAYS_MAX} boots in a row had another command line than was asked for.\n  is      {is}\n  wanted  {wanted}"),
    )
    .hint(format!("The command that boots is: {command}")))
}

fn next(plan: &BootPlan) -> Result<NextBoot, Failure> {
    plan.next()
        .map_err(|error| Failure::new(Exit::Failed, format!("the plan cannot go on: {error}.")))
}

/// Keeps the verdict. The unit does not start any more from now on.
fn over(plan: &mut BootPlan, directory: &Path) -> Result<(), Failure> {
    if let NextBoot::Over(verdict) = next(plan)? {
        plan.verdict = Some(*verdict);
        save(directory, plan)?;
        files::write_atomically(&directory.join(unit::OVER), "")?;
    }
    Ok(())
}

/// Waits until the boot has been left alone long enough.
fn settle(plan: &BootPlan, context: &Context, stop: &Stop) -> Result<(), Failure> {
    let up_ms = || {
        let text = context.host.text("/proc/uptime").unwrap_or_default();
        let seconds = text
            .split_whitespace()
            .next()
            .and_then(|word| word.parse::<f64>().ok());
        (seconds.unwrap_or(f64::MAX) * 1e3) as u64
    };
    while up_ms() < plan.settle_ms {
        must_go_on(stop)?;
        clock::sleep_ms(LOOK_MS);
    }
    Ok(())
}

/// Whoever stops this wants no next boot either.
fn must_go_on(stop: &Stop) -> Result<(), Failure> {
    match stop.is_asked() {
        false => Ok(()),
        true => Err(Failure::new(
            Exit::Interrupted,
            format!(
                "stopped by {}; this boot was not measured, and no other one follows.",
                stop.signal_name()
            ),
        )),
    }
}

/// Runs the load of a boot; its value, and the number of its record.
fn load(plan: &BootPlan, context: &Context, stop: &Stop) -> Result<(f64, Option<i64>), Failure> {
    let failed =
        |why: String| Failure::new(Exit::Failed, format!("this boot was not measured: {why}"));
    let path = inventory::collect(&context.host, &plan.target)?;
    let identity = compare::device::of_path(&path).identity;
    if identity != plan.identity {
        return Err(failed(format!(
            "{} is on another disk than the plan was made for.",
            plan.target
        )));
    }
    let (options, behind) = match plan.words.iter().position(|word| word == "--") {
        Some(at) => plan.words.split_at(at),
        None => (&plan.words[..], &[][..]),
    };
    let own = [
        format!("--runtime={}ms", plan.load_ms),
        format!("--seed={}", plan.seed),
    ];
    let words = options.iter().chain(&own).chain(behind);
    let verb = Verb::new(Privileges::Load, words).in_directory(Path::new(&plan.directory));
    let running = Runner::new(RunnerPlace::Here, "/proc/self/exe").start(&verb);
    let answer = running.and_then(|running| running.whole_or_stopped(DOCUMENT_MAX, stop));
    must_go_on(stop)?;
    let answer = answer.map_err(|error| failed(error.to_string()))?;
    let answer = answer.fine().map_err(|error| failed(error.error.clone()))?;
    let document: serde_json::Value =
        model::json::read_bytes(&answer.document).map_err(|error| failed(error.to_string()))?;
    let load: LoadResult = model::json::read_value(&document["record"]["load"])
        .map_err(|error| failed(error.to_string()))?;
    let of_load = Meter::find(&plan.meter).and_then(|meter| meter.of_load);
    let value = of_load.and_then(|of_load| of_load(&load));
    let value = value.filter(|value| value.is_finite() && *value > 0.0);
    let value = value.ok_or_else(|| failed(format!("its load has no {}.", plan.metric.name)))?;
    Ok((value, document["id"].as_i64()))
}

/// Boots for the next value, or after the last one as it was found; by hand, says with what.
fn next_boot(plan: &mut BootPlan, directory: &Path, context: &Context) -> Result<(), Failure> {
    let this = ThisBoot::look(context);
    let arm = match next(plan)? {
        NextBoot::Measure(arm) => arm,
        NextBoot::Over(_) if plan.arm_of(&this.line) == Some(1) => 0,
        NextBoot::Over(_) => return Ok(()),
    };
    plan.asked_in = Some(this.id);
    save(directory, plan)?;
    let line = plan.line(arm);
    let Some(command) = &plan.next_boot else {
        context.out.say("Boot next with:");
        context.out.say(format!("  {line}"));
        return Ok(());
    };
    let mut shell = Workload::start_with_variable(command, ("IODYNO_COMMAND_LINE", line))?;
    while !shell.has_ended() {
        clock::sleep_ms(LOOK_MS);
    }
    if shell.status() == Some(0) {
        return Ok(());
    }
    let said = shell.last_lines().join("; ");
    let failed = Failure::new(
        Exit::Failed,
        format!("cannot boot: `{command}` failed: {said}"),
    );
    Err(failed.on(command.as_str()))
}

/// How far the plan is, or what was found.
fn lines(plan: &BootPlan) -> Vec<String> {
    let Some(verdict) = &plan.verdict else {
        let arms = plan.arms();
        let mut lines = vec![format!(
            "{} of {} boots measured, {} against {}",
            plan.boots.len(),
            plan.boots_wanted(),
            arms[1],
            arms[0]
        )];
        lines.extend(plan.boots.iter().map(|boot| {
            let value = view::metric::value(&plan.metric, boot.value);
            let record = boot
                .record
                .map_or(String::new(), |id| format!("   iodyno show {id}"));
            format!("  {:<24} {value}{record}", arms[boot.arm])
        }));
        return lines;
    };
    let mut lines = vec![view::trial::sentence(
        "kernel argument",
        &plan.arms(),
        verdict,
    )];
    lines.push(format!(
        "  {} boots in random order, seed {}",
        plan.boots.len(),
        plan.seed
    ));
    lines
}

/// 6 where the boots did not decide.
fn exit_of(plan: &BootPlan) -> Exit {
    match &plan.verdict {
        Some(verdict) if !verdict.is_decided() => Exit::Undecided,
        _ => Exit::Fine,
    }
}
