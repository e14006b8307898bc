//! `iodyno show`: one record, in words or whole.

use super::{Context, RecordDocument};
use crate::exit::{Exit, Failure};
use store::Store;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the record, as `iodyno list` shows it.
    pub record: i64,
}

/// Prints the record.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let record = Store::open(&context.state_dir)?.get(args.record)?;
    for line in pipeline::report::words::record(args.record, &record) {
        context.out.say(line);
    }
    context.out.document(&RecordDocument { schema: "iodyno.show/1", id: args.record, record: &record })?;
    Ok(Exit::Fine)
}
