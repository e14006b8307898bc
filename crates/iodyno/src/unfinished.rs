//! Journals that earlier commands left: what they mean, in words.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::Unfinished;

/// Says on stderr when a command died before it had put everything back.
pub fn warn(context: &Context) {
    let found = host::find_unfinished(&context.host, &context.state_dir);
    for error in found.errors {
        context.out.note(format!("iodyno: {error}"));
    }
    for journal in found.journals.iter().filter(|journal| journal.is_pending()) {
        let way = journal.way_out(&context.host, &context.state_dir);
        context.out.note(format!(
            "iodyno: {}. To {} now: {}",
            what_happened(journal),
            way.aim,
            way.command
        ));
    }
}

fn what_happened(journal: &Unfinished) -> String {
    match &journal.damage {
        Some(damage) => format!(
            "the journal {} of `{}` is damaged at line {}; its settings may still be in place",
            journal.path.display(),
            journal.begin.purpose,
            damage.line
        ),
        None if journal.may_run_unseen() => format!(
            "`{}` has not put everything back, and its process {} cannot be seen from inside this container. If it \
             runs on the host, it puts everything back itself; if it has ended, it does not",
            journal.begin.purpose, journal.begin.pid
        ),
        None => format!(
            "`{}` (process {}) ended before it put everything back",
            journal.begin.purpose, journal.begin.pid
        ),
    }
}

/// Fails when there are journals that cannot be read, which the command has said of each.
pub fn must_be_read(errors: Vec<host::Error>) -> Result<(), Failure> {
    let more = errors.len().saturating_sub(1);
    let Some(first) = errors.into_iter().next() else {
        return Ok(());
    };
    let failure = Failure {
        exit: Exit::Failed,
        ..Failure::from(first)
    };
    Err(match more {
        0 => failure.told(),
        _ => failure
            .hint(format!("So many others cannot be read either: {more}."))
            .told(),
    })
}

/// One line on what a journal holds.
pub fn describe(journal: &Unfinished) -> String {
    let has_files =
        !journal.trees.is_empty() || !journal.files.is_empty() || journal.made_loop.is_some();
    let has_objects = !journal.objects.is_empty() || !journal.kube.is_empty();
    let has_groups = !journal.groups.is_empty() && !journal.is_of_an_earlier_boot;
    let what = match (journal.running, journal.kept.is_some()) {
        (false, true) if journal.made_loop.is_some() => {
            "a loop device; stays until it is removed".to_string()
        }
        _ if journal.damage.is_some() => "damaged; its settings may still be in place".to_string(),
        _ if journal.may_run_unseen() => {
            "unfinished; its process cannot be seen from inside this container".to_string()
        }
        (true, _) if journal.made_loop.is_some() => {
            format!("being made right now ({})", journal.owner())
        }
        (true, _) => format!(
            "running now ({}); it puts everything back itself",
            journal.owner()
        ),
        (false, true) if journal.is_of_an_earlier_boot && !journal.has_lasting() => {
            "applied in an earlier boot; the kernel has its own values again".to_string()
        }
        (false, true) => "applied; stays until undone".to_string(),
        (false, false) if has_groups => {
            "ended unfinished; its control groups may still be there".to_string()
        }
        (false, false) if has_objects => {
            "ended unfinished; its objects may still be in the cluster".to_string()
        }
        (false, false) if has_files => "ended unfinished; its files may still be there".to_string(),
        (false, false) if journal.is_of_an_earlier_boot => {
            "ended unfinished in an earlier boot; the kernel has its own values again".to_string()
        }
        (false, false) => "ended unfinished; its settings may still be in place".to_string(),
    };
    format!("{}  {}  {what}", journal.id(), journal.begin.purpose)
}
