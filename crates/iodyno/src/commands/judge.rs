//! `iodyno judge`: the experiment engine alone, JSON lines on standard input and output, for any other system.

use clap::{Args, ValueEnum};
use model::units::{UnitError, parse_duration_ms, parse_share};
use pipeline::experiment::protocol::{self, ProtocolError};
use pipeline::experiment::{Class, Plan, default_budget_ms};

/// Decides which arm is faster from what a driver measures: JSON lines on standard input and output.
#[derive(Args, Clone, Debug)]
pub struct JudgeArgs {
    /// Name of an arm; give it once for each arm, the default first.
    #[arg(long = "arm", value_name = "NAME", required = true)]
    pub arms: Vec<String>,
    /// How long a switch between arms acts on.
    #[arg(long, value_enum, default_value = "fast")]
    pub class: ClassName,
    /// Differences up to this share count as none.
    #[arg(long, value_name = "SHARE", default_value = "2%", value_parser = share)]
    pub rope: f64,
    /// Error probability of a wrong win.
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub alpha: f64,
    /// Device time for the comparison itself; probe, audit and hold-out come on top.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub budget: Option<u64>,
    /// Seed of the order of all windows; drawn anew when absent.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// Carry-over class of a knob, as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClassName {
    /// A drained queue forgets the old setting.
    Fast,
    /// The setting works through learned or cached state.
    Learned,
    /// The setting borrows from the future.
    Slow,
}

impl From<ClassName> for Class {
    fn from(name: ClassName) -> Self {
        match name {
            ClassName::Fast => Class::Fast,
            ClassName::Learned => Class::Learned,
            ClassName::Slow => Class::Slow,
        }
    }
}

fn share(text: &str) -> Result<f64, UnitError> {
    parse_share(text)
}

fn duration_ms(text: &str) -> Result<u64, UnitError> {
    parse_duration_ms(text)
}

/// Judges what the driver on the other side of the pipe measures, and returns the exit code. `seed` is used when the
/// arguments name none.
pub fn run(args: JudgeArgs, seed: u64) -> Result<u8, ProtocolError> {
    let class = Class::from(args.class);
    let budget_ms = args.budget.unwrap_or_else(|| default_budget_ms(class, args.arms.len()));
    let plan = Plan {
        rope: args.rope,
        alpha: args.alpha,
        budget_ms,
        ..Plan::new(args.arms, class, args.seed.unwrap_or(seed))
    };
    protocol::serve(plan, std::io::stdin().lock(), std::io::stdout().lock())
}
