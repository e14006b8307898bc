//! `iodyno limit`: what a control group's limit does to each way of doing I/O, and how groups share a disk. Measured by
//! programs inside real groups, with the kernel's own counters beside them.

mod at_once;
mod fill;
mod ground;
mod groups;
mod program;
mod ways;
mod weights;

use crate::commands::job_args::duration_ms;
use crate::commands::scratch_arg::ScratchArg;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::context::Context;
use crate::exit::{Exit, Failure};
pub use fill::{FillArgs, fill};
use ground::Ground;
use groups::LimitGroup;
use model::limit::{LIMIT_SCHEMA, LimitReport};
use model::target::CgroupLimit;
use model::text::{shell_word, short_group};
use model::units::{self, parse_bytes};
use report::limit_view;
use std::path::PathBuf;

/// A program that runs for less than this has too few of the kernel's slices of 100 ms to be told from chance.
const RUNTIME_MIN_MS: u64 = 1000;

/// Arguments of `limit`.
#[derive(Debug, clap::Args)]
pub struct LimitArgs {
    /// A directory: files are made in it, and removed.
    pub target: PathBuf,
    #[command(flatten)]
    pub limit: IoLimitArgs,
    /// With a limit: the most memory that the group may have, which bounds its dirty pages.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, conflicts_with_all = ["group", "container"])]
    pub memory: Option<u64>,
    /// Enter this group in place of one made for the purpose, and measure the limits that it has: as /proc/PID/cgroup
    /// names it, the number of a process, a container's id or name, or `self` for the group that iodyno is in.
    #[arg(
        long,
        value_name = "GROUP|PID|CONTAINER|self",
        conflicts_with = "container"
    )]
    pub group: Option<String>,
    /// Load the disk from so many groups at once, each with the limit, and show how they share it: 1,2,4.
    #[arg(long, value_name = "N,N", value_delimiter = ',', conflicts_with_all = ["group", "container"],
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub containers: Vec<u32>,
    /// With --containers: the weight of each group on the disk, by turns, and whether they get such shares: 100,400.
    #[arg(long, value_name = "N,N", value_delimiter = ',', requires = "containers",
          conflicts_with_all = ["read_bps", "write_bps", "read_iops", "write_iops"],
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub weights: Vec<u32>,
    /// How long each program runs.
    #[arg(long, default_value = "5s", value_parser = duration_ms)]
    pub runtime: u64,
    /// With --containers: what each group does, in fio's words [default: -rw=randread -bs=4k -ioengine=libaio -iodepth=16
    /// -direct=1].
    #[arg(last = true, value_name = "FIO", requires = "containers")]
    pub job: Vec<String>,
    #[command(flatten)]
    pub scratch: ScratchArg,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for LimitArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Measures
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        self.target = paths.place(&self.target)?;
        self.group = Some(paths.group()?);
        Ok(())
    }
}

/// The limit on I/O: one of them.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct IoLimitArgs {
    /// Bytes that the group may read in a second: 10m.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, conflicts_with_all = ["group", "container"])]
    pub read_bps: Option<u64>,
    /// Bytes that the group may write in a second.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, conflicts_with_all = ["group", "container"])]
    pub write_bps: Option<u64>,
    /// Reads that the group may do in a second.
    #[arg(long, value_name = "IOS", conflicts_with_all = ["group", "container"])]
    pub read_iops: Option<u64>,
    /// Writes that the group may do in a second.
    #[arg(long, value_name = "IOS", conflicts_with_all = ["group", "container"])]
    pub write_iops: Option<u64>,
}

impl IoLimitArgs {
    /// The limit as the kernel calls it; none where none was asked for.
    fn asked(&self) -> Result<Option<(&'static str, u64)>, Failure> {
        let all = [
            ("rbps", self.read_bps),
            ("wbps", self.write_bps),
            ("riops", self.read_iops),
            ("wiops", self.write_iops),
        ];
        let Some((what, value)) = all
            .into_iter()
            .find_map(|(what, value)| Some((what, value?)))
        else {
            return Ok(None);
        };
        // Version 1 keeps the lower 32 bits of I/Os without an error (Linux 6.18), and 0 takes a limit away.
        let most = match what.ends_with("iops") {
            true => u64::from(u32::MAX),
            false => i64::MAX.unsigned_abs(),
        };
        match (1..=most).contains(&value) {
            true => Ok(Some((what, value))),
            false => Err(Failure::usage(format!(
                "a limit is from 1 to {most} a second, and {value} was given"
            ))),
        }
    }
}

/// Makes or enters the groups, measures, and says what the limit does.
pub fn run(args: &LimitArgs, context: &Context) -> Result<Exit, Failure> {
    args.scratch.put_in_place();
    let asked = args.limit.asked()?;
    if asked.is_none() && args.group.is_none() && args.containers.is_empty() {
        return Err(Failure::usage("nothing says which limit to measure").hint(
            "Give one, such as --write-bps 10m, a group that has some with --group NAME, or --containers 1,2,4.",
        ));
    }
    if args.runtime < RUNTIME_MIN_MS {
        return Err(Failure::usage(format!(
            "--runtime is at least {}: the kernel counts by slices of 100 ms",
            units::span_ms(RUNTIME_MIN_MS)
        )));
    }
    if args.memory.is_some() && asked.is_none() {
        return Err(Failure::usage(
            "--memory bounds the dirty pages beside a limit on I/O: give one of those, too",
        ));
    }
    let stop = context.stop_on_signals()?;
    let mut ground = Ground::prepare(args, context)?;
    let mut report = LimitReport {
        schema: LIMIT_SCHEMA.into(),
        target: args.target.display().to_string(),
        device: ground.device.name.clone(),
        fstype: ground.fstype.clone(),
        version: ground.hierarchies.version(),
        group: args.group.clone(),
        memory_bytes: args.memory,
        weights: args.weights.clone(),
        ..LimitReport::default()
    };
    context.out.note(limit_view::head(&report));
    let measured = match args.containers.is_empty() {
        true => measure_limits(args, context, &mut ground, asked, &stop, &mut report),
        false => at_once::measure(args, context, &mut ground, asked, &stop, &mut report),
    };
    // Whatever went wrong, what was made goes first.
    ground.remove()?;
    measured.map_err(|failure| match stop.is_asked() {
        true => Failure {
            exit: Exit::Interrupted,
            ..failure
        },
        false => failure,
    })?;
    if stop.is_asked() {
        let signal = stop.signal_name();
        context.out.note(format!(
            "iodyno: stopped by {signal}; what was measured until then follows."
        ));
    }
    for line in limit_view::lines(&report) {
        context.out.say(line);
    }
    context.out.document(&report)?;
    Ok(match stop.is_asked() {
        true => Exit::Interrupted,
        false => Exit::Fine,
    })
}

fn measure_limits(
    args: &LimitArgs,
    context: &Context,
    ground: &mut Ground,
    asked: Option<(&'static str, u64)>,
    stop: &host::signals::Stop,
    report: &mut LimitReport,
) -> Result<(), Failure> {
    let group = match &args.group {
        Some(name) => LimitGroup::of_others(&ground.hierarchies, name, &context.host)?,
        None => LimitGroup::make(ground, args.memory)?,
    };
    let limits: Vec<CgroupLimit> = match asked {
        Some((what, value)) => vec![group.limit(&ground.device, what, value)?],
        None => group.limits(&ground.device),
    };
    if limits.is_empty() {
        let (name, device) = (group.name(), &ground.device.name);
        let target = shell_word(&report.target);
        return Err(Failure::new(
            Exit::Failed,
            format!(
                "control group {} has no limit on {device}",
                short_group(name)
            ),
        )
        .hint(format!(
            "Give it one until `iodyno undo`: sudo iodyno set {} {target}",
            shell_word(&format!("wbps@{name}=10m"))
        )));
    }
    for limit in limits {
        let measured = ways::measure(args, context, ground, &group, &limit, stop)?;
        report.limits.push(measured);
    }
    Ok(())
}
