//! `--reboot-plan`: an argument of the kernel takes a reboot, so `tune` writes a plan for a series of boots and changes
//! nothing. `iodyno boots` carries it out where the user installs its unit.

use super::TuneArgs;
use crate::commands::boots;
use crate::commands::job_args::{fresh_seed, given};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use ::boots::{BootPlan, PAIRS_MIN, SCHEMA, command_line};
use clap::Args;
use host::files::FileKind;
use kernel::release::Release;
use model::iopath::IoPath;
use model::job::Job;
use model::text::shell_word;
use model::units::span_ms;
use std::path::{Path, PathBuf};
use tuner::Meter;

/// A shorter load tells more about its start than about the boot, ms.
const LOAD_MIN_MS: u64 = 2_000;
/// Where a program lies that boots from one kernel into another.
const KEXEC: [&str; 2] = ["/usr/sbin/kexec", "/sbin/kexec"];
/// It leaves the boot loader alone: whatever goes wrong, the next power cycle boots what was there before.
const BY_KEXEC: &str = "kexec -a -l \"$(ls /boot/vmlinu[xz]-$(uname -r))\" --initrd=\"$(ls /boot/init*$(uname -r)* | head -n 1)\" \
                        --command-line=\"$IODYNO_COMMAND_LINE\" && systemctl kexec";

/// Options of a plan of boots.
#[derive(Debug, Args)]
#[command(next_help_heading = "What takes a reboot")]
pub struct RebootArgs {
    /// Change nothing, and write a plan that tries this argument of the kernel in eight pairs of boots, in random order:
    /// mitigations=off, nvme.poll_queues=4. The budget is the load of all boots together.
    #[arg(long, value_name = "ARGUMENT", conflicts_with_all = ["knobs", "beside", "run_again", "command", "aa", "stream", "stop_if",
        "cgroup", "sql_client", "prometheus", "wait_quiet", "container"])]
    pub reboot_plan: Option<String>,
    /// The directory in which the plan is made [default: boots in the state directory].
    #[arg(long, value_name = "DIR", requires = "reboot_plan")]
    pub plan_dir: Option<PathBuf>,
    /// The shell command that boots with the command line in $IODYNO_COMMAND_LINE [default: kexec, where it is installed;
    /// else you do it by hand].
    #[arg(long, value_name = "COMMAND", requires = "reboot_plan")]
    pub next_boot: Option<String>,
    /// How long a boot is left alone before its load.
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "reboot_plan", value_parser = crate::commands::job_args::duration_ms)]
    pub settle: u64,
}

/// Writes the plan and its unit, and says how it is carried out.
pub fn make(args: &TuneArgs, context: &Context, argument: &str) -> Result<Exit, Failure> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let load_ms = args.budget / (2 * PAIRS_MIN);
    if load_ms < LOAD_MIN_MS {
        let least = span_ms(2 * PAIRS_MIN * LOAD_MIN_MS);
        return Err(Failure::usage(format!(
            "a plan of {} boots needs a budget of {least} at the least.",
            2 * PAIRS_MIN
        ))
        .on("--budget"));
    }
    let job = args.job.single(load_ms, seed)?;
    let meter = meter(args, &job)?;
    let path = inventory::collect(&context.host, &args.target.to_string_lossy())?;
    if let Some(why) = without_effect(argument, &path) {
        return Err(Failure::usage(why).on("--reboot-plan"));
    }
    let identity = identity(args, &path, &job)?;
    let line = context.host.text("/proc/cmdline").unwrap_or_default();
    let tried = command_line::with(&line, argument)
        .map_err(|error| Failure::usage(format!("{error}.")).on("--reboot-plan"))?;
    let target = host::files::canonical(&args.target)?;
    let metric = (meter.metric)(&job).of_runs(load_ms);
    let plan = BootPlan {
        schema: SCHEMA.into(),
        argument: argument.into(),
        found: command_line::own(&line),
        tried,
        words: words(&target)?,
        directory: text(&host::files::canonical(Path::new("."))?)?,
        target: text(&target)?,
        identity,
        meter: meter.id.into(),
        load_ms: metric.grain_ms,
        metric,
        settle_ms: args.reboot.settle,
        pairs: PAIRS_MIN,
        rope: args.rope,
        alpha: args.alpha,
        seed,
        next_boot: args.reboot.next_boot.clone().or_else(|| by_kexec(context)),
        boots: Vec::new(),
        asked_in: None,
        strays: 0,
        verdict: None,
    };
    plan.next()
        .map_err(|error| Failure::usage(format!("{error}.")))?;
    if args.dry_run {
        told(context, &plan, None);
        context.out.document(&plan)?;
        return Ok(Exit::Fine);
    }
    let usual = || context.state_dir.join("boots");
    let plan_dir = args.reboot.plan_dir.clone().unwrap_or_else(usual);
    let directory = boots::write_new(&plan_dir, &plan)?;
    told(context, &plan, Some(&directory));
    context.out.document(&plan)?;
    Ok(Exit::Fine)
}

/// What the boots are judged by.
fn meter(args: &TuneArgs, job: &Job) -> Result<&'static Meter, Failure> {
    let meter = args.metric.unwrap_or(&tuner::meters::iops::METER);
    let ids = || {
        let fit = tuner::meters::ALL
            .iter()
            .filter(|meter| meter.of_load.is_some());
        fit.map(|meter| meter.id).collect::<Vec<_>>().join(", ")
    };
    let unfit = match meter.of_load {
        None => Some(format!("a load of its own does not tell {}", meter.id)),
        Some(_) => (meter.unfit)(job),
    };
    match unfit {
        None => Ok(meter),
        Some(why) => {
            Err(Failure::usage(format!("{why}. Boots can be judged by {}.", ids())).on("--metric"))
        }
    }
}

/// Why boots with an argument and without it are alike, where the kernel takes it and does nothing.
fn without_effect(argument: &str, path: &IoPath) -> Option<String> {
    let name = argument.split('=').next()?;
    let kernel = path.machine_fact("kernel")?;
    let is_gone = Release::parse(kernel)?.at_least(5, 0);
    (name == "elevator" && is_gone).then(|| {
        format!(
            "elevator= does nothing since Linux 5.0, and this is {kernel}: boots with and without it would be alike. \
             `sudo iodyno tune {} --knob scheduler` compares schedulers without a boot, and a rule of udev keeps one.",
            path.as_argument()
        )
    })
}

/// What tells the disks of the path from others. Names change from boot to boot, and what is written to must be the same.
fn identity(args: &TuneArgs, path: &IoPath, job: &Job) -> Result<String, Failure> {
    let place = compare::device::of_path(path);
    let is_device = matches!(
        host::files::kind(&args.target)?,
        FileKind::BlockDevice { .. }
    );
    if place.identity.is_empty() && is_device && job.rw.writes() {
        return Err(Failure::new(
            Exit::Refused,
            format!(
                "{} has no serial number, and its name may be another disk's at another boot: nothing is written to it. Use a \
                 load that only reads, or a directory on it.",
                path.target
            ),
        ));
    }
    Ok(place.identity)
}

/// Words of `run` that make the same load: the options of the command line that are about it.
fn words(target: &Path) -> Result<Vec<String>, Failure> {
    let mut words = vec!["run".to_string(), text(target)?];
    words.extend(given::words()?);
    Ok(words)
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(String::from);
    text.ok_or_else(|| {
        Failure::usage(format!(
            "a plan holds text, and {} is no UTF-8.",
            path.display()
        ))
    })
}

fn by_kexec(context: &Context) -> Option<String> {
    let is_there = KEXEC.iter().any(|path| context.host.exists(path));
    is_there.then(|| BY_KEXEC.into())
}

/// Says the plan, and how it is carried out.
fn told(context: &Context, plan: &BootPlan, directory: Option<&Path>) {
    let boots = plan.boots_wanted();
    let say = |line: String| context.out.say(line);
    say(format!(
        "{} as found against {}, in {boots} boots of this machine in random order",
        plan.metric.name, plan.argument
    ));
    say(format!("  found     {}", plan.found));
    say(format!("  tried     {}", plan.tried));
    say(format!(
        "  each boot is left alone for {} and loaded for {}: iodyno {}",
        span_ms(plan.settle_ms),
        span_ms(plan.load_ms),
        plan.words
            .iter()
            .map(|word| shell_word(word))
            .collect::<Vec<_>>()
            .join(" ")
    ));
    match &plan.next_boot {
        Some(command) => say(format!("  boots by  {command}")),
        None => {
            say("  boots by  hand: kexec is not installed, and --next-boot names no command".into())
        }
    }
    let Some(directory) = directory else {
        return;
    };
    let unit = directory.join(::boots::unit::NAME);
    say(format!(
        "Written to {}. Nothing was changed, and nothing boots until you say so:",
        directory.display()
    ));
    if plan.next_boot.is_some() {
        say(format!(
            "  systemctl enable --now {}",
            shell_word(&unit.to_string_lossy())
        ));
        say("The machine then boots by itself until the plan is over. To end it early:".into());
        say(format!("  systemctl disable {}", ::boots::unit::NAME));
    } else {
        say(format!(
            "  iodyno boots {} --measure",
            shell_word(&directory.to_string_lossy())
        ));
        say("It measures this boot and says which command line the next one needs.".into());
    }
    say("How far it is, and what was found:".into());
    say(format!(
        "  iodyno boots {}",
        shell_word(&directory.to_string_lossy())
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::iopath::{Layer, LayerKind};

    fn on(kernel: Option<&str>) -> IoPath {
        let mut machine = Layer::new(LayerKind::Machine, "machine");
        let fact = kernel.map(|kernel| ("kernel".to_string(), kernel.to_string()));
        machine.facts.extend(fact);
        IoPath {
            machine: Some(machine),
            ..IoPath::new("/srv", Layer::new(LayerKind::Target, "/srv"))
        }
    }

    #[test]
    fn an_argument_that_the_kernel_ignores_is_no_plan() {
        let told = |argument: &str, kernel| without_effect(argument, &on(kernel));
        let why = told("elevator=cfq", Some("6.1.0-18-amd64")).unwrap();
        assert!(
            why.contains("does nothing since Linux 5.0, and this is 6.1.0-18-amd64"),
            "{why}"
        );
        assert!(why.contains("iodyno tune /srv --knob scheduler"), "{why}");
        assert_eq!(told("elevator=cfq", Some("3.10.0-1160.el7.x86_64")), None);
        assert_eq!(told("elevator=cfq", None), None);
        assert_eq!(told("mitigations=off", Some("6.1.0")), None);
    }
}
