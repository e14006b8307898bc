//! `apply RECORD --as FORM`: the proven values for another tool, written to stdout or a file; nothing is changed.

use super::ApplyArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use apply::SettingWish;
use apply::export::{ExportForm, export};
use host::files;
use model::record::Record;
use serde::Serialize;

/// The forms as they are named.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum FormArg {
    /// A list of tasks for Ansible.
    Ansible,
    /// A profile for TuneD.
    Tuned,
    /// A POSIX shell script that also puts back.
    Shell,
}

/// What was written: `iodyno.apply-as/1`.
#[derive(Serialize)]
struct WrittenAs<'a> {
    schema: &'static str,
    text: &'a str,
    missing: &'a [String],
}

/// Writes the form that was asked for.
pub fn run(
    form: FormArg,
    args: &ApplyArgs,
    record: &Record,
    wish: &SettingWish,
    context: &Context,
) -> Result<Exit, Failure> {
    let form = match form {
        FormArg::Ansible => ExportForm::Ansible,
        FormArg::Tuned => ExportForm::Tuned,
        FormArg::Shell => ExportForm::Shell,
    };
    let made = export(&context.host, wish, &claims(args, record), form).map_err(|why| {
        let message = format!(
            "record {}: nothing of it can be said in this form: {why}.",
            args.record
        );
        Failure::new(Exit::Failed, message)
    })?;
    for line in &made.missing {
        context.out.note(format!("iodyno: {line}"));
    }
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            files::write_new(path, &made.text)?;
            context
                .out
                .note(format!("iodyno: written to {}", model::text::shown(path)));
        }
        _ if context.out.is_json() => {}
        _ => context.out.raw(&made.text),
    }
    context.out.document(&WrittenAs {
        schema: "iodyno.apply-as/1",
        text: &made.text,
        missing: &made.missing,
    })?;
    Ok(Exit::Fine)
}

/// The sentences that prove the values: of several that of their trial together too.
fn claims(args: &ApplyArgs, record: &Record) -> Vec<String> {
    let chosen = apply::proven::chosen(record, &args.only).unwrap_or_default();
    let together = record
        .trials()
        .iter()
        .filter(|trial| !trial.set.is_empty() && chosen.len() > 1);
    let from = &record.provenance;
    let day = view::calendar::day(i64::try_from(from.started_unix_ms).unwrap_or(i64::MAX));
    let summaries = chosen
        .iter()
        .copied()
        .chain(together)
        .map(|trial| trial.summary.clone());
    let where_from = format!(
        "measured on {}, Linux {}, {day}, under {}",
        from.hostname,
        from.kernel,
        record.job.phrase()
    );
    summaries.chain([where_from]).collect()
}
