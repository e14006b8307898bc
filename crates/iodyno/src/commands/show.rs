//! `iodyno show`: one record, in words or whole.

use super::Context;
use crate::exit::{Exit, Failure};
use crate::store::Store;
use model::record::Record;
use serde::Serialize;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the record, as `iodyno list` shows it.
    pub record: i64,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    id: i64,
    record: &'a Record,
}

/// Prints the record.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let record = Store::open(&context.state_dir)?.get(args.record)?;
    for line in pipeline::report::words::record(args.record, &record) {
        context.out.say(line);
    }
    context.out.document(&Document { schema: "iodyno.show/1", id: args.record, record: &record })?;
    Ok(Exit::Fine)
}
