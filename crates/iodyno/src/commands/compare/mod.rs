//! `iodyno compare`: records and other tools' results side by side; ranked; held against bounds. Changes nothing.

mod input;

use super::filter_args::FilterArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use compare::bound::{Bound, is_failed};
use compare::{compare as side_by_side, view};
pub(super) use input::Inputs;
use lookup::records::{self, GivenRecord, named};
use model::comparison::{Comparison, Crossed};
use report::text::Paint;
use std::path::{Path, PathBuf};

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Numbers of records, or files: documents of iodyno, and what other tools printed, which is read and not kept.
    #[arg(value_name = "RECORD|FILE")]
    pub what: Vec<String>,
    /// Which of them the others are compared with [default: the first].
    #[arg(long, value_name = "RECORD|FILE")]
    pub base: Option<String>,
    /// Rank devices, one table for each job that several of them had.
    #[arg(long, conflicts_with_all = ["fail_if", "base"])]
    pub rank: bool,
    /// Rank by this measure: iops, bw, read.p99, mean [default: IOPS, of large blocks bandwidth].
    #[arg(long, value_name = "MEASURE", requires = "rank")]
    pub by: Option<String>,
    /// End with status 1 when this is so: p99>+5%, read.p99>2ms, write.iops<-10%, bw<200MiB/s. May be given more than
    /// once.
    #[arg(long, value_name = "BOUND")]
    pub fail_if: Vec<Bound>,
    /// Count as crossed what may be: a limit that lies inside an interval.
    #[arg(long, requires = "fail_if")]
    pub strict: bool,
    /// Write the bounds as JUnit XML, for a build server.
    #[arg(long, value_name = "FILE", requires = "fail_if")]
    pub junit: Option<PathBuf>,
    /// Write the comparison as Markdown; to stdout without a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", conflicts_with = "rank")]
    pub markdown: Option<PathBuf>,
    /// How many records to look through with --rank.
    #[arg(long, short = 'n', default_value_t = 500)]
    pub limit: u32,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Compares, and says what was found.
pub fn run(args: &CompareArgs, context: &Context) -> Result<Exit, Failure> {
    let begun_ns = host::clock::monotonic_ns();
    let inputs = Inputs::open(context)?;
    let mut given = inputs.all(&args.what)?;
    if !args.filter.is_empty() || (args.rank && args.what.is_empty()) {
        let now_ms = host::clock::unix_ms() as i64;
        let filter = args.filter.filter(now_ms, args.limit)?;
        given.extend(records::filtered(inputs.store(), &filter, &given)?);
    }
    let paint = context.out.paint();
    if args.rank {
        return ranked(args, context, &given, paint);
    }
    let base = base(args, &given)?;
    let known = records::like(inputs.store(), &given)?;
    let found = side_by_side::records(
        &named(&given),
        base,
        &named(&known),
        &args.fail_if,
        args.strict,
    );
    let seconds = (host::clock::monotonic_ns() - begun_ns) as f64 / 1e9;
    if let Some(file) = &args.junit {
        host::files::write_atomically(file, &view::junit::text(&found, args.strict, seconds))?;
    }
    said(args, context, &found, paint)?;
    Ok(exit_of(&found, args.strict))
}

fn ranked(
    args: &CompareArgs,
    context: &Context,
    given: &[GivenRecord],
    paint: Paint,
) -> Result<Exit, Failure> {
    let found = records::ranking(given, args.by.as_deref());
    for line in view::rank::lines(&found, paint) {
        context.out.say(line);
    }
    context.out.document(&found)?;
    Ok(Exit::Fine)
}

/// Which of the records is the base, by the name it was given.
fn base(args: &CompareArgs, given: &[GivenRecord]) -> Result<usize, Failure> {
    records::must_be_several(given)?;
    let Some(name) = &args.base else { return Ok(0) };
    let is_it = |one: &GivenRecord| one.name == *name || one.file.as_deref() == Some(name.as_str());
    given.iter().position(is_it).ok_or_else(|| {
        let names: Vec<&str> = given.iter().map(|one| one.name.as_str()).collect();
        Failure::usage(format!(
            "{name} is none of what is compared: {}.",
            names.join(", ")
        ))
    })
}

/// Text, Markdown and the document, where each was asked for.
fn said(
    args: &CompareArgs,
    context: &Context,
    found: &Comparison,
    paint: Paint,
) -> Result<(), Failure> {
    match &args.markdown {
        Some(file) if file == Path::new("-") => {
            context.out.text(view::markdown::text(found).trim_end())
        }
        other => {
            if let Some(file) = other {
                host::files::write_atomically(file, &view::markdown::text(found))?;
            }
            for line in view::compare::lines(found, paint) {
                context.out.say(line);
            }
        }
    }
    context.out.document(found)
}

/// What is crossed fails; what could not be judged must not pass unseen.
fn exit_of(found: &Comparison, strict: bool) -> Exit {
    if found.bounds.iter().any(|one| is_failed(one, strict)) {
        return Exit::Found;
    }
    match found
        .bounds
        .iter()
        .any(|one| one.crossed == Crossed::NotJudged)
    {
        true => Exit::Undecided,
        false => Exit::Fine,
    }
}
