//! `run --dry-run`: the job as it was understood and what the lint says of it; nothing is loaded.

use super::lint::Lint;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use load::language;
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Section;
use serde::Serialize;

/// The document.
#[derive(Serialize)]
struct DryRun<'a> {
    schema: &'static str,
    target: &'a str,
    /// Each section in fio's words.
    jobs: &'a [String],
    findings: &'a [Finding],
}

/// Points of a sweep are told up to this many; the document has all.
const TOLD_MAX: usize = 12;

/// Says what would be run: the sections, or the points of a sweep, and what the series of them is for.
pub(super) fn told(
    sections: &[Section],
    series: Option<&str>,
    lint: &Lint,
    path: &IoPath,
    context: &Context,
) -> Result<Exit, Failure> {
    let words = |section: &Section| language::to_words(section).join(" ");
    let jobs: Vec<String> = sections.iter().map(words).collect();
    for job in jobs.iter().take(TOLD_MAX) {
        context
            .out
            .say(format!("would run on {}: {job}", path.target));
    }
    if jobs.len() > TOLD_MAX {
        let more = jobs.len() - TOLD_MAX;
        context.out.say(format!("and {more} more"));
    }
    if let Some(purpose) = series {
        context.out.say(format!("in a series {purpose}"));
    }
    context.out.say("Nothing was loaded (--dry-run).");
    context.out.document(&DryRun {
        schema: "iodyno.dry-run/1",
        target: &path.target,
        jobs: &jobs,
        findings: &lint.findings,
    })?;
    Ok(Exit::Fine)
}
