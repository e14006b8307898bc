//! `iodyno show`: one record, in words or whole, with what lies beside it.

use super::filter_args::record_number;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use lookup::documents::Shown;
use report::text::clean;
use store::{Note, RecordRow, Store};

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Number of the record, as `iodyno list` shows it.
    #[arg(value_parser = record_number)]
    pub record: i64,
}

/// Like records that are named; `iodyno list --job` finds the others.
const LIKE_SHOWN: usize = 8;

/// Prints the record.
pub fn run(args: &ShowArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let record = store.get(args.record)?;
    let (tags, notes, like) = (
        store.tags(args.record)?,
        store.notes(args.record)?,
        store.like(args.record)?,
    );
    for line in report::words::record(Some(args.record), &record) {
        context.out.say(line);
    }
    for line in beside(&tags, &notes, &like) {
        context.out.say(line);
    }
    context
        .out
        .document(&Shown::of(args.record, record, tags, notes, &like))?;
    Ok(Exit::Fine)
}

fn beside(tags: &[String], notes: &[Note], like: &[RecordRow]) -> Vec<String> {
    let mut lines = Vec::new();
    if !tags.is_empty() {
        lines.push(format!(
            "  tags: {}",
            tags.iter()
                .map(|tag| clean(tag))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    for note in notes {
        let mut first = format!("  note {}: ", note.id);
        for line in note.text.lines() {
            lines.push(format!("{first}{}", clean(line)));
            first = "    ".into();
        }
    }
    if !like.is_empty() {
        let named: Vec<String> = like
            .iter()
            .take(LIKE_SHOWN)
            .map(|row| row.id.to_string())
            .collect();
        let more = like.len().saturating_sub(LIKE_SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        lines.push(format!(
            "  the same job on a like device: records {}{more}",
            named.join(", ")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_a_record_is_told_clean() {
        let notes = [Note {
            id: 3,
            unix_ms: 0,
            text: "the fan\nwas \u{1b}[31m off".into(),
        }];
        let like: Vec<RecordRow> = (1..=10)
            .map(|id| RecordRow {
                id,
                ..RecordRow::default()
            })
            .collect();
        assert_eq!(
            beside(&["db".into()], &notes, &like),
            [
                "  tags: db",
                "  note 3: the fan",
                "    was ?[31m off",
                "  the same job on a like device: records 1, 2, 3, 4, 5, 6, 7, 8 and 2 more",
            ]
        );
        assert!(beside(&[], &[], &[]).is_empty());
    }
}
