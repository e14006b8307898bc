//! `iodyno history`: one device over time, and where it changed for good; changes nothing.

use super::filter_args::FilterArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use compare::history::HistoryWish;
use compare::view;
use lookup::history;
use store::{RecordRow, Store};

/// Arguments of `history`.
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// Whose history: a device (vda), the serial number of a disk, or a target (/srv); all records without it.
    #[arg(value_name = "DEVICE|SERIAL|TARGET")]
    pub of: Option<String>,
    /// What is looked at: iops, bw, p99, read.mean; may be given more than once [default: iops and p99].
    #[arg(long, value_name = "MEASURE")]
    pub measure: Vec<String>,
    /// Records of the same job on a like device as this one, and this one.
    #[arg(long, value_name = "RECORD", conflicts_with = "of")]
    pub like: Option<i64>,
    /// Chance of finding a change anywhere where there is none.
    #[arg(long, default_value = "5%", value_parser = alpha)]
    pub alpha: f64,
    /// Seed of the draws behind the probabilities.
    #[arg(long, default_value_t = HistoryWish::default().seed)]
    pub seed: u64,
    /// How many of the newest records to look at.
    #[arg(long, short = 'n', default_value_t = history::LIMIT)]
    pub limit: u32,
    #[command(flatten)]
    filter: FilterArgs,
}

/// A chance that can be told from 1,999 draws.
fn alpha(text: &str) -> Result<f64, String> {
    let share = model::units::parse_share(text).map_err(|error| error.to_string())?;
    match (0.001..=0.2).contains(&share) {
        true => Ok(share),
        false => Err(format!("`{text}` is not between 0.1% and 20%")),
    }
}

/// Shows the history.
pub fn run(args: &HistoryArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let rows = rows(args, &store)?;
    let what = args
        .of
        .as_ref()
        .map_or("these conditions".to_string(), |of| {
            format!("`{}`", of.escape_debug())
        });
    if rows.len() == args.limit as usize {
        context.out.note(format!(
            "Only the newest {} records are looked at (-n shows more).",
            args.limit
        ));
    }
    let wish = HistoryWish {
        measures: args.measure.clone(),
        alpha: args.alpha,
        seed: args.seed,
    };
    let found = history::of(&store, &rows, &what, &wish)?;
    let paint = context.out.paint();
    for line in view::history::lines(&found, &::view::calendar::day, paint) {
        context.out.say(line);
    }
    context.out.document(&found)?;
    Ok(Exit::Fine)
}

/// What is looked at, newest first.
fn rows(args: &HistoryArgs, store: &Store) -> Result<Vec<RecordRow>, Failure> {
    if let Some(id) = args.like {
        let mut rows = vec![store.row(id)?];
        rows.extend(store.like(id)?);
        rows.truncate(args.limit as usize);
        return Ok(rows);
    }
    let filter = args
        .filter
        .filter(host::clock::unix_ms() as i64, args.limit)?;
    let Some(of) = &args.of else {
        return Ok(store.query(&filter)?);
    };
    Ok(history::rows(store, of, &filter)?)
}
