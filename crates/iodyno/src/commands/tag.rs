//! `iodyno tag`: words of one's own on records, to find them by.

use super::filter_args::record_number;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use serde::Serialize;
use store::Store;

/// Arguments of `tag`.
#[derive(Debug, clap::Args)]
pub struct TagArgs {
    /// Numbers of the records; without any, every tag that is in use is shown.
    #[arg(value_name = "RECORD", value_parser = record_number)]
    pub records: Vec<i64>,
    /// Add this tag; may be given several times, or several after commas.
    #[arg(long, value_name = "TAG", value_delimiter = ',', requires = "records")]
    pub add: Vec<String>,
    /// Take this tag away.
    #[arg(long, value_name = "TAG", value_delimiter = ',', requires = "records")]
    pub remove: Vec<String>,
}

#[derive(Serialize)]
struct TagDocument {
    schema: &'static str,
    /// The records that were named.
    records: Vec<Tagged>,
    /// Without a record: every tag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Used>,
}

#[derive(Serialize)]
struct Tagged {
    id: i64,
    tags: Vec<String>,
}

#[derive(Serialize)]
struct Used {
    tag: String,
    records: u32,
}

/// Changes tags, where that is asked, and says what there is.
pub fn run(args: &TagArgs, context: &Context) -> Result<Exit, Failure> {
    let is_change = !args.add.is_empty() || !args.remove.is_empty();
    let store = match is_change {
        true => Store::open(&context.state_dir)?,
        false => Store::open_read_only(&context.state_dir)?,
    };
    // A number that is wrong is told before anything is changed.
    args.records
        .iter()
        .try_for_each(|id| store.row(*id).map(drop))?;
    let [add, remove] =
        [&args.add, &args.remove].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut document = TagDocument {
        schema: "iodyno.tag/1",
        records: Vec::new(),
        tags: Vec::new(),
    };
    for id in &args.records {
        if is_change {
            store.tag(*id, &add)?;
            store.untag(*id, &remove)?;
        }
        let tags = store.tags(*id)?;
        context.out.say(format!(
            "record {id}: {}",
            if tags.is_empty() {
                "no tags".into()
            } else {
                tags.join(", ")
            }
        ));
        document.records.push(Tagged { id: *id, tags });
    }
    if args.records.is_empty() {
        for (tag, records) in store.all_tags()? {
            context.out.say(format!("{records:>6}  {tag}"));
            document.tags.push(Used { tag, records });
        }
    }
    context.out.document(&document)?;
    Ok(Exit::Fine)
}
