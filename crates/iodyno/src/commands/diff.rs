//! `iodyno diff`: what differs between two machines, two captures or two moments; changes nothing.

use super::job_args::JobArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::difference::{self, WEIGHT_MIN};
use host::Host;
use model::iopath::IoPath;
use model::job::Job;
use report::diff_view;
use report::text::Paint;
use std::path::Path;
use store::Store;

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// The good side: a capture (FILE.host), a document of inspect, check or run (FILE.json), a record's number, or a
    /// target on this machine.
    pub a: String,
    /// The other side, in the same words; the same target on this machine without it.
    pub b: Option<String>,
    /// Also what hardly matters.
    #[arg(long)]
    pub all: bool,
    /// Target below which to look in a capture that was made of several.
    #[arg(long)]
    pub target: Option<String>,
    #[command(flatten)]
    job: JobArgs,
}

/// Prints the differences.
pub fn run(args: &DiffArgs, context: &Context) -> Result<Exit, Failure> {
    let a = side(&args.a, args, context)?;
    let (name, b) = match &args.b {
        Some(b) => (b.clone(), side(b, args, context)?),
        None => (a.target.clone(), live(&a.target, context)?),
    };
    let job = job(args)?;
    let found = difference::differences(&a, &b, [&args.a, &name], job.as_ref());
    let paint = if context.out.has_colour() {
        Paint::Colour
    } else {
        Paint::Plain
    };
    for line in diff_view::lines(&found, WEIGHT_MIN, args.all, paint) {
        context.out.say(line);
    }
    context.out.document(&found)?;
    Ok(Exit::Fine)
}

/// The job that the differences are ranked for, where one was named.
fn job(args: &DiffArgs) -> Result<Option<Job>, Failure> {
    let own = &args.job;
    let is_named = own.preset.is_some()
        || own.job_file.is_some()
        || !own.words.is_empty()
        || own.rw.is_some()
        || own.bs.is_some()
        || own.direct.is_some()
        || own.iodepth.is_some();
    if !is_named {
        return Ok(None);
    }
    let workload = own.workload(None, Some(1))?;
    Ok(workload
        .sections
        .into_iter()
        .next()
        .map(|section| section.job))
}

fn side(name: &str, args: &DiffArgs, context: &Context) -> Result<IoPath, Failure> {
    if let Ok(record) = name.parse::<i64>() {
        return Ok(Store::open_read_only(&context.state_dir)?.get(record)?.path);
    }
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("host") => captured(name, args.target.as_deref()),
        Some("json") => document(name),
        _ => live(name, context),
    }
}

fn live(target: &str, context: &Context) -> Result<IoPath, Failure> {
    Ok(inventory::collect(&context.host, target)?)
}

/// A capture says below which target it was made.
fn captured(file: &str, target: Option<&str>) -> Result<IoPath, Failure> {
    let text = host::files::read_text(Path::new(file))?;
    let own = text
        .lines()
        .take(20)
        .find_map(|line| line.strip_prefix("# target: "));
    let target = target.or(own.map(str::trim)).ok_or_else(|| {
        Failure::usage(format!(
            "{file} does not say below which target it was made. Name one with --target."
        ))
    })?;
    let host = Host::open(Path::new(file))?;
    Ok(inventory::collect(&host, target)?)
}

/// The path in a document of iodyno: the document itself, or its `path`, or its record's.
fn document(file: &str) -> Result<IoPath, Failure> {
    let bad = |why: String| Failure::usage(format!("{file} holds no I/O path: {why}"));
    let text = host::files::read_text(Path::new(file))?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| bad(format!("it is no JSON document ({error}).")))?;
    let found = [&value, &value["path"], &value["record"]["path"]]
        .into_iter()
        .find(|one| one["root"].is_object());
    let found =
        found.ok_or_else(|| bad("it is no document of inspect, check, run or show.".into()))?;
    serde_json::from_value(found.clone()).map_err(|error| bad(error.to_string()))
}
