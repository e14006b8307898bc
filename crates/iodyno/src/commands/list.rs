//! `iodyno list`: the records, newest first.

use super::Context;
use crate::exit::{Exit, Failure};
use serde::Serialize;
use store::{Filter, Row, Store};

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many to show.
    #[arg(long, short = 'n', default_value_t = 20)]
    pub limit: u32,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    records: Vec<Row>,
}

/// Prints the table.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let filter = Filter { limit: args.limit, ..Filter::default() };
    let records = Store::open_read_only(&context.state_dir)?.query(&filter)?;
    if records.is_empty() {
        context.out.say("No records yet. `iodyno run DIRECTORY` makes one.");
    }
    let now_ms = host::clock::unix_ms() as i64;
    for row in &records {
        let age = age(now_ms - row.unix_ms);
        context.out.say(format!("{:>5}  {age:>9}  {:<5} {}  {}", row.id, row.verb, row.target, row.summary));
    }
    context.out.document(&Document { schema: "iodyno.list/1", records })?;
    Ok(Exit::Fine)
}

/// How long ago, in the largest whole unit.
fn age(ms: i64) -> String {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000)];
    let unit = units.into_iter().find(|(_, length_ms)| ms >= *length_ms);
    unit.map_or_else(|| "now".into(), |(name, length_ms)| format!("{} {name} ago", ms / length_ms))
}

#[cfg(test)]
mod tests {
    #[test]
    fn ages_are_whole() {
        assert_eq!(super::age(90_000), "1 min ago");
        assert_eq!(super::age(10), "now");
        assert_eq!(super::age(3 * 86_400_000), "3 d ago");
    }
}
