//! Who is told of a visit: systemd's journal, a file of metrics, a server.

use super::GuardArgs;
use super::visits::Series;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::secret::{self, Readers};
use model::guard::{GuardAnswer, GuardState};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Of every entry in the journal, so that `journalctl MESSAGE_ID=…` finds them; made for this at random, as sd-id128(3) asks.
const MESSAGE_ID: &str = "5b0c9d1e7a2f4c6f9a3d8e61b47c20f5";

/// Who is to be told.
pub(super) struct Telling {
    textfile: Option<PathBuf>,
    journal: bool,
    webhook: Option<String>,
}

/// What a server is posted.
#[derive(Serialize)]
struct Posted<'a> {
    /// What chat rooms show.
    text: &'a str,
    guard: &'a GuardAnswer,
}

impl Telling {
    /// Of the arguments: what is wrong with them is said before anything is loaded.
    ///
    /// # Errors
    /// A file that no textfile collector would read; a URL that others may read, or that cannot be read.
    pub(super) fn of_args(args: &GuardArgs) -> Result<Telling, Failure> {
        let textfile = args.textfile.clone();
        let is_read = |path: &PathBuf| path.extension().is_some_and(|end| end == "prom");
        if let Some(path) = textfile.as_ref().filter(|path| !is_read(path)) {
            let message = "node_exporter reads files whose names end in .prom alone.";
            return Err(Failure::usage(message).on(path.display().to_string()));
        }
        Ok(Telling {
            textfile,
            journal: args.journal,
            webhook: args.webhook.as_deref().map(url).transpose()?,
        })
    }

    /// Tells all of them.
    ///
    /// # Errors
    /// The first of them who could not be told, after the others were.
    pub(super) fn tell(
        &self,
        answer: &GuardAnswer,
        series: &mut Series,
        context: &Context,
    ) -> Result<(), Failure> {
        let textfile = self.textfile.as_ref().map_or(Ok(()), |path| {
            let text = report::exposition::guard(answer);
            host::files::write_atomically(path, &text).map_err(Failure::from)
        });
        let journal = match self.journal {
            true => journaled(answer),
            false => Ok(()),
        };
        let posted = self
            .webhook
            .as_ref()
            .map_or(Ok(()), |url| post(url, answer, series, context));
        let failures = [textfile, journal, posted]
            .into_iter()
            .filter_map(Result::err);
        let mut failures: Vec<Failure> = failures.collect();
        for failure in failures.iter().skip(1) {
            context.out.note(format!("iodyno: {}", failure.message));
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(failures.swap_remove(0)),
        }
    }
}

/// The URL in a file that nobody but its owner, or a group that only reads, may read.
fn url(path: &Path) -> Result<String, Failure> {
    let on = path.display().to_string();
    let (bytes, readers) = secret::read(path)?;
    if readers == Readers::Others {
        let message = format!("others may read {on}, and what stands in it may be a secret.");
        let failure = Failure::new(Exit::Refused, message).on(&on);
        let path = model::text::shell_word(&on).into_owned();
        return Err(failure.hint(format!("chmod 600 {path}")));
    }
    let text = String::from_utf8(bytes).unwrap_or_default();
    let url = text.trim();
    let is_url = url.starts_with("https://") || url.starts_with("http://");
    match is_url && !url.contains(char::is_whitespace) {
        true => Ok(url.into()),
        false => {
            let message = format!("{on} holds no URL of http or https.");
            Err(Failure::usage(message).on(on))
        }
    }
}

fn journaled(answer: &GuardAnswer) -> Result<(), Failure> {
    let record = answer.visit.record.map(|id| id.to_string());
    // Of syslog(3): warning, and info.
    let (priority, state) = match answer.state {
        GuardState::Alarm => ("4", "alarm"),
        GuardState::Quiet => ("6", "quiet"),
        GuardState::Learning => ("6", "learning"),
    };
    let mut fields = vec![
        ("MESSAGE", answer.sentence.as_str()),
        ("MESSAGE_ID", MESSAGE_ID),
        ("PRIORITY", priority),
        ("SYSLOG_IDENTIFIER", "iodyno"),
        ("IODYNO_TARGET", answer.target.as_str()),
        ("IODYNO_STATE", state),
    ];
    fields.extend(record.as_deref().map(|id| ("IODYNO_RECORD", id)));
    Ok(host::journald::write(&fields)?)
}

/// Posts what was raised or cleared since somebody was told last: what could not be delivered is delivered by the next visit.
fn post(
    url: &str,
    answer: &GuardAnswer,
    series: &mut Series,
    context: &Context,
) -> Result<(), Failure> {
    let (before, now) = (series.told(), &answer.done.alarms);
    let is_news = before.len() != now.len() || !now.iter().all(|alarm| before.contains(alarm));
    if !is_news {
        return Ok(());
    }
    let text = match answer.host.is_empty() {
        true => answer.sentence.clone(),
        false => format!("{}: {}", answer.host, answer.sentence),
    };
    let posted = Posted {
        text: &text,
        guard: answer,
    };
    let document = serde_json::to_string(&posted).map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("the answer cannot be written: {error}"),
        )
    })?;
    host::webhook::post(url, &document)?;
    series.note_told(context)
}
