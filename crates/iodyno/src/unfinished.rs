//! Journals that earlier commands left: what they mean, in words.

use crate::commands::Context;
use host::Unfinished;

/// Says on stderr when a command died before it had put everything back.
pub fn warn(context: &Context) {
    let (journals, errors) = host::find_unfinished(&context.state_dir);
    for error in errors {
        context.out.note(format!("iodyno: {error}"));
    }
    for journal in journals.iter().filter(|journal| is_pending(journal)) {
        context.out.note(format!(
            "iodyno: `{}` (process {}) ended before it put everything back. To put it back now: iodyno undo {}",
            journal.state.purpose,
            journal.state.pid,
            journal.id()
        ));
    }
}

/// Whether a journal waits for somebody to undo it: its process died, nobody wanted it kept, and a reboot since has not
/// undone it. Files outlive a boot, settings do not.
pub fn is_pending(journal: &Unfinished) -> bool {
    let is_left = !journal.is_of_an_earlier_boot() || !journal.state.trees.is_empty();
    !journal.running && !journal.kept && is_left
}

/// One line on what a journal holds.
pub fn describe(journal: &Unfinished) -> String {
    let what = match (journal.running, journal.kept) {
        (true, _) => format!("running now (process {}); it puts everything back itself", journal.state.pid),
        (false, true) => "applied; stays until undone".to_string(),
        (false, false) if !journal.state.trees.is_empty() => {
            "ended unfinished; its files may still be there".to_string()
        }
        (false, false) if journal.is_of_an_earlier_boot() => {
            "ended unfinished in an earlier boot; the kernel has its own values again".to_string()
        }
        (false, false) => "ended unfinished; its settings may still be in place".to_string(),
    };
    format!("{}  {}  {what}", journal.id(), journal.state.purpose)
}
