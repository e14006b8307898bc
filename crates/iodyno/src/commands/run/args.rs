//! Options of `run`.

use crate::commands::job_args::{JobArgs, duration_ms};
use crate::commands::layers_arg::LayersArg;
use crate::commands::rehearse::{self, Rehearse};
use crate::commands::scratch_arg::ScratchArg;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::exit::Failure;
use model::search::{Goal, Statistic};
use model::units::parse_bytes;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// A directory (scratch is made in it and removed), a file or a block device, or of a Ceph cluster rados://POOL or
    /// rbd://POOL/IMAGE; without it, what the job file or the fio line names.
    pub target: Option<PathBuf>,
    /// How long to run [default: 10s].
    #[arg(long, value_parser = duration_ms)]
    pub runtime: Option<u64>,
    /// Seed of offsets and data; without it, one that is printed.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Print a JSON line on stdout for every interval, and the record's at the end; words go to stderr.
    #[arg(long)]
    pub stream: bool,
    /// Length of an interval of --stream and of the series in the record.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration_ms)]
    pub interval: u64,
    /// Trace the block layer, and show where an I/O spends its time [default: off].
    #[arg(long, value_enum)]
    pub layers: Option<LayersArg>,
    /// Refuse a job that would not measure what it says.
    #[arg(long, conflicts_with = "corrected")]
    pub strict: bool,
    /// Judge the job and say what would be run; load nothing.
    #[arg(long, conflicts_with = "corrected")]
    pub dry_run: bool,
    /// Rehearse on a simulated disk, without touching the real one: 'cloud'. A wrong name lists the disks.
    #[arg(long, value_name = "DISK", value_parser = rehearse::parse,
          conflicts_with_all = ["dry_run", "given", "hold", "unkept", "precondition", "command", "container"])]
    pub rehearse: Option<Rehearse>,
    /// Run the job as the lint corrects it.
    #[arg(long)]
    pub corrected: bool,
    /// Print the record and do not keep it: whoever started this does.
    #[arg(long, hide = true)]
    pub unkept: bool,
    /// The target is open on the standard input: whoever started this, which is iodyno, opened it.
    #[arg(long, hide = true, requires = "target", conflicts_with_all = ["hold", "container"])]
    pub given: bool,
    /// Once everything is prepared, say so and wait for a line with the moment to begin: what leads a fleet gives it.
    #[arg(long, hide = true, requires = "stream")]
    pub hold: bool,
    #[command(flatten)]
    pub job: JobArgs,
    #[command(flatten)]
    pub scratch: ScratchArg,
    #[command(flatten)]
    pub study: StudyArgs,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for RunArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Loads
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn job(&self) -> Option<&JobArgs> {
        Some(&self.job)
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        let target = self.target.as_deref().ok_or_else(|| {
            Failure::usage(
                "with --container the target is named as the container names it: iodyno run TARGET",
            )
        })?;
        self.target = Some(paths.place(target)?);
        Ok(())
    }
}

/// Options of sweeps, searches and steady state.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Series of loads")]
pub struct StudyArgs {
    /// Vary an option: iodepth=1,4,16 or iodepth=1..256 in doublings. Once for each option; all combinations are
    /// visited, in random order, again and again, and the knee of the curve is told.
    #[arg(long, value_name = "OPTION=VALUES", conflicts_with_all = ["find_max", "interference", "steady", "runtime", "stream"])]
    pub sweep: Vec<String>,
    /// Find the highest rate that keeps --latency-target.
    #[arg(long, requires = "latency_target", conflicts_with_all = ["interference", "steady", "runtime", "stream"])]
    pub find_max: bool,
    /// With --find-max: what must hold, such as p99=2ms, p99.9=10ms, p50=200us or mean=1ms.
    #[arg(long, value_name = "STATISTIC=TIME", value_parser = parse_goal, requires = "find_max")]
    pub latency_target: Option<Goal>,
    /// With --find-max: the deepest queue of each job to try, or, with --open-loop, the deepest that arrivals may fill.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub max_depth: u32,
    /// Measure how much writing disturbs reading: a matrix of write bandwidth and read rate. Writes to the target.
    #[arg(long, conflicts_with_all = ["steady", "runtime", "stream"])]
    pub interference: bool,
    /// With --interference: steps of each side.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=10))]
    pub steps: u32,
    /// With --interference: block size of the sequential writes.
    #[arg(long, default_value = "128k", value_parser = parse_bytes)]
    pub write_bs: u64,
    /// How often each point of a sweep (default 3) or cell of a matrix (default 2) is visited.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: Option<u32>,
    /// Time for a sweep, a search or a matrix in all, without making the target ready.
    #[arg(long, value_parser = duration_ms)]
    pub budget: Option<u64>,
    /// Write the whole target twice in sequence before measuring (SNIA's workload independent preconditioning).
    #[arg(long)]
    pub precondition: bool,
    /// Run until the load has settled by SNIA's rule, and tell the burst from what lasts.
    #[arg(long, conflicts_with_all = ["runtime", "stream"])]
    pub steady: bool,
    /// With --steady: length of a round; SNIA's own is 60s.
    #[arg(long, default_value = "10s", value_parser = duration_ms)]
    pub round: u64,
    /// With --steady: give up after this time.
    #[arg(long, default_value = "15m", value_parser = duration_ms)]
    pub steady_limit: u64,
}

/// clap's parser for `p99=2ms`.
fn parse_goal(text: &str) -> Result<Goal, String> {
    let (name, time) = text
        .split_once('=')
        .ok_or("it is STATISTIC=TIME, such as p99=2ms or mean=500us")?;
    let statistic = match name.trim() {
        "mean" | "avg" => Statistic::Mean,
        name => {
            let percent = name
                .strip_prefix('p')
                .and_then(|number| number.parse::<f64>().ok());
            let percent = percent.filter(|percent| *percent > 0.0 && *percent < 100.0);
            Statistic::Percentile(
                percent.ok_or(format!("`{name}` is not mean, p50, p90, p99 or p99.9"))?,
            )
        }
    };
    let limit_ns = parse_time_ns(time.trim()).filter(|ns| *ns > 0);
    Ok(Goal {
        statistic,
        limit_ns: limit_ns.ok_or(format!("`{time}` is not a time such as 2ms, 500us or 1s"))?,
    })
}

/// Times of single I/Os need µs, and a bare number would be ambiguous.
fn parse_time_ns(text: &str) -> Option<u64> {
    if let Some(number) = text.strip_suffix("us").or_else(|| text.strip_suffix("µs")) {
        let us: f64 = number.trim().parse().ok()?;
        return (0.0..1e9).contains(&us).then_some((us * 1e3) as u64);
    }
    let ms: f64 = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => number.trim().parse().ok()?,
        (None, Some(number)) => number.trim().parse::<f64>().ok()? * 1e3,
        (None, None) => return None,
    };
    (0.0..1e6).contains(&ms).then_some((ms * 1e6) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read_with_their_unit() {
        let goal = |text| parse_goal(text).unwrap();
        assert_eq!(
            goal("p99=2ms"),
            Goal {
                statistic: Statistic::Percentile(99.0),
                limit_ns: 2_000_000
            }
        );
        assert_eq!(goal("p99.9=500us").limit_ns, 500_000);
        assert_eq!(goal("p99.9=500us").statistic, Statistic::Percentile(99.9));
        assert_eq!(
            goal("mean=1.5ms"),
            Goal {
                statistic: Statistic::Mean,
                limit_ns: 1_500_000
            }
        );
        assert_eq!(goal("p50=1s").limit_ns, 1_000_000_000);
        for text in [
            "p99", "p99=", "p99=2", "p99=fast", "p0=2ms", "p100=2ms", "p=2ms", "max=2ms",
            "p99=0ms", "p99=-1ms",
        ] {
            assert!(parse_goal(text).is_err(), "{text}");
        }
    }
}
