//! `iodyno judge`: the experiment engine alone, JSON lines on stdin and stdout, for any other system.

use super::job_args::{duration_ms, fresh_seed};
use crate::exit::{Exit, Failure};
use experiment::{ExperimentPlan, protocol};
use model::change::Class;
use model::metric::{Better, ExperimentMetric};
use model::units::parse_share;

/// Arguments of `judge`.
#[derive(Debug, clap::Args)]
pub struct JudgeArgs {
    /// Name of an arm; once for each, the default first.
    #[arg(long = "arm", value_name = "NAME", required = true)]
    arms: Vec<String>,
    /// How long a switch between arms keeps acting: fast, learned or slow.
    #[arg(long, default_value = "fast", value_parser = parse_class)]
    class: Class,
    /// What the driver's numbers are called, as it stands behind a change: tps, p99.
    #[arg(long, default_value = "rate", value_name = "NAME")]
    metric: String,
    /// Their unit: /s, bytes/s and ns get their prefixes, any other one is printed as it is.
    #[arg(
        long,
        default_value = "",
        value_name = "UNIT",
        hide_default_value = true
    )]
    unit: String,
    /// Less is better: a latency, a number of errors.
    #[arg(long)]
    lower_is_better: bool,
    /// Time for which one number stands, from 10ms to 1s.
    #[arg(long, default_value = "10ms", value_parser = duration_ms)]
    grain: u64,
    /// Differences up to this count as equal.
    #[arg(long, default_value = "2%", value_parser = parse_share)]
    rope: f64,
    /// Probability of naming a winner where there is none.
    #[arg(long, default_value = "0.05", value_parser = parse_share)]
    alpha: f64,
    /// How long a switch may plausibly go on acting, up to 40s: a verdict excludes an effect that fades within this time, and
    /// says so where it cannot. 1s for fast, 10s for learned and slow without it.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    memory: Option<u64>,
    /// Device time of all windows together. Without it, what is enough for most: 2m 30s for two fast arms.
    #[arg(long, value_parser = duration_ms)]
    budget: Option<u64>,
    /// Seed of the order of all windows; without it, a new one, which the first line names.
    #[arg(long)]
    seed: Option<u64>,
}

fn parse_class(word: &str) -> Result<Class, String> {
    match word {
        "fast" => Ok(Class::Fast),
        "learned" => Ok(Class::Learned),
        "slow" => Ok(Class::Slow),
        _ => Err("it is fast, learned or slow".into()),
    }
}

/// Judges what the driver on the other side of the pipe measures.
pub fn run(args: JudgeArgs) -> Result<Exit, Failure> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let metric = ExperimentMetric {
        better: if args.lower_is_better {
            Better::Lower
        } else {
            Better::Higher
        },
        grain_ms: args.grain,
        ..ExperimentMetric::rate(&args.metric, &args.unit)
    };
    let usual = ExperimentPlan::new(args.arms, args.class, seed).by(metric);
    let timed = match args.budget {
        Some(budget_ms) => usual.within(budget_ms),
        None => usual,
    };
    let plan = ExperimentPlan {
        rope: args.rope,
        alpha: args.alpha,
        memory_ms: args.memory.unwrap_or(timed.memory_ms),
        ..timed
    };
    let status = protocol::serve(plan, std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(|error| Failure::usage(format!("judge: {error}")))?;
    Ok(if status == 0 {
        Exit::Fine
    } else {
        Exit::Undecided
    })
}
