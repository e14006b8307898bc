//! `iodyno export`: records for other programs.

use super::filter_args::FilterArgs;
use super::filter_args::record_number;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use serde::Serialize;
use std::path::PathBuf;
use store::{Exported, Note, RecordRow, Store};

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --json the records themselves are one document on stdout, unless --parquet is given."
)]
pub struct ExportArgs {
    /// Numbers of the records.
    #[arg(value_name = "RECORD", value_parser = record_number)]
    pub records: Vec<i64>,
    /// Every record.
    #[arg(long, conflicts_with = "records")]
    pub all: bool,
    /// A table as CSV on stdout: records (the default), samples, intervals, histograms or settings.
    #[arg(long, value_name = "TABLE", num_args = 0..=1, default_missing_value = "records", require_equals = true)]
    pub csv: Option<String>,
    /// All tables as Parquet into this directory, which is new or empty.
    #[arg(long, value_name = "DIR", conflicts_with = "csv")]
    pub parquet: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Serialize)]
struct Written<'a> {
    schema: &'static str,
    directory: String,
    #[serde(flatten)]
    exported: &'a Exported,
}

/// A record in the document, before its own.
#[derive(Serialize)]
struct ExportHead<'a> {
    id: i64,
    tags: &'a [String],
    notes: Vec<Note>,
}

/// Writes the records in the form that was asked for.
pub fn run(args: &ExportArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let rows = chosen(args, &store)?;
    match (&args.parquet, &args.csv) {
        (Some(to), _) => parquet(&store, &rows, to, context),
        (None, Some(table)) => {
            let out = context.out;
            store.export_csv(&rows, table, |text| {
                out.raw(text);
                !out.is_unread()
            })?;
            Ok(Exit::Fine)
        }
        (None, None) if context.out.is_json() => json(&store, &rows, context),
        (None, None) => Err(Failure::usage(
            "say in which form: --json or --csv to stdout, or --parquet DIRECTORY.",
        )
        .hint("docs/guide/records.md tells what is in them.")),
    }
}

/// The records by number, or those that fulfil the conditions; oldest first.
fn chosen(args: &ExportArgs, store: &Store) -> Result<Vec<RecordRow>, Failure> {
    let has_filter = !args.filter.is_empty();
    if args.records.is_empty() && !args.all && !has_filter {
        return Err(Failure::usage(
            "name the records, or conditions as for `iodyno list`, or --all for every record.",
        ));
    }
    if !args.records.is_empty() && has_filter {
        return Err(Failure::usage(
            "name either the records or conditions: the two do not go together.",
        ));
    }
    let mut rows = match args.records.is_empty() {
        true => store.query(
            &args
                .filter
                .filter(host::clock::unix_ms() as i64, u32::MAX)?,
        )?,
        false => args
            .records
            .iter()
            .map(|id| store.row(*id))
            .collect::<Result<_, _>>()?,
    };
    rows.sort_by_key(|row| row.id);
    rows.dedup_by_key(|row| row.id);
    Ok(rows)
}

fn parquet(
    store: &Store,
    rows: &[RecordRow],
    to: &std::path::Path,
    context: &Context,
) -> Result<Exit, Failure> {
    let exported = store.export_parquet(rows, to)?;
    let count = |count: u64, one: &str| {
        if count == 1 {
            format!("1 {one}")
        } else {
            format!("{count} {one}s")
        }
    };
    context.out.say(format!(
        "{} in {}:",
        count(exported.records, "record"),
        model::text::shown(to)
    ));
    for table in &exported.tables {
        context.out.say(format!(
            "  {:<11} {:>12}  {}",
            table.name,
            count(table.rows, "row"),
            count(table.files, "file")
        ));
    }
    let directory = to.to_string_lossy().into_owned();
    context.out.document(&Written {
        schema: "iodyno.exported/1",
        directory,
        exported: &exported,
    })?;
    Ok(Exit::Fine)
}

/// One document, a record a line, written as it goes: all of them need not fit into memory.
fn json(store: &Store, rows: &[RecordRow], context: &Context) -> Result<Exit, Failure> {
    context
        .out
        .raw("{\"schema\":\"iodyno.export/1\",\"records\":[");
    for (place, row) in rows.iter().enumerate() {
        let head = ExportHead {
            id: row.id,
            tags: &row.tags,
            notes: store.notes(row.id)?,
        };
        let head = serde_json::to_string(&head).map_err(|error| {
            Failure::new(Exit::Failed, format!("cannot write the document: {error}"))
        })?;
        let comma = if place > 0 { "," } else { "" };
        // The record is as it was written, put in before the last brace.
        let record = store.document(row.id)?;
        context.out.raw(&format!(
            "{comma}\n{},\"record\":{record}}}",
            head.trim_end_matches('}')
        ));
        if context.out.is_unread() {
            break;
        }
    }
    context.out.raw("\n]}\n");
    Ok(Exit::Fine)
}
