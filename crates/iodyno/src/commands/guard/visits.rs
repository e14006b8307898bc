//! The visits of a target in the store: found by a tag, read from the one that settings are held against on.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use compare::compare::Named;
use compare::guard::PutInPlace;
use lookup::records::{GivenRecord, all};
use model::guard::{GuardAlarm, GuardVisit, SettingId};
use model::record::{Record, RecordBody};
use model::subject::Subject;
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::{Filter, RecordRow, Store};

/// The tag of every visit.
pub(super) const TAG: &str = "guard";
/// The tag of one whose settings and levels somebody took for the usual ones.
const ACCEPTED: &str = "guard-accepted";
/// The tag of one of which whoever was to be told was told.
const TOLD: &str = "guard-told";

/// The newest visits that are read: seven weeks of four a day.
const VISITS_MOST: usize = 200;

/// What is visited, by a name that is the same from everywhere. Links in it stay: whether one is followed is judged where it is opened.
pub(super) fn target(named: &str) -> String {
    let is_there = host::files::kind(Path::new(named)).is_ok();
    let absolute = std::path::absolute(named).ok().filter(|_| is_there);
    // Without a slash at its end.
    let path = absolute.map(|path| path.components().collect::<PathBuf>());
    path.and_then(|path| path.to_str().map(String::from))
        .unwrap_or_else(|| named.into())
}

/// Visits since the reference, which is the first of them.
#[derive(Debug)]
pub(super) struct Series {
    target: String,
    given: Vec<GivenRecord>,
    /// What was an alarm at the last visit of which somebody was told.
    told: Vec<GuardAlarm>,
    newest: Option<i64>,
}

impl Series {
    /// Of the store; empty where there is none yet.
    pub(super) fn read(context: &Context, target: &str) -> Result<Series, Failure> {
        let mut series = Series {
            target: target.into(),
            given: Vec::new(),
            told: Vec::new(),
            newest: None,
        };
        let store = Store::open_read_only(&context.state_dir)?;
        let mut rows = store.query(&Filter {
            tag: Some(TAG.into()),
            target: Some(target.into()),
            ..Filter::default()
        })?;
        // A store may hold what other hosts saw of a target of this name.
        let host = crate::provenance::of(&context.host).hostname;
        rows.retain(|row| row.target == target && row.host == host);
        rows.sort_by_key(|row| (row.unix_ms, row.id));
        // Also of one before the reference: what was accepted is none any more, and that is news.
        let told = rows.iter().rfind(|row| has(row, TOLD)).map(|row| row.id);
        let from = rows.iter().rposition(|row| has(row, ACCEPTED)).unwrap_or(0);
        let rows = &rows[from..];
        let newest = rows.len().saturating_sub(VISITS_MOST).max(1);
        let ids: Vec<i64> = rows
            .iter()
            .take(1)
            .chain(rows.iter().skip(newest))
            .map(|row| row.id)
            .collect();
        series.newest = ids.last().copied();
        series.given = all(&store, &ids)?;
        if let Some(id) = told {
            series.told = guard_of(&mut store.get(id)?).alarms.clone();
        }
        Ok(series)
    }

    /// These visits and one more, as they are judged.
    pub(super) fn with<'a>(&'a self, record: &'a Record) -> Vec<Named<'a>> {
        let this = Named {
            name: "this visit",
            id: None,
            record,
        };
        let before = lookup::records::named(&self.given);
        before.into_iter().chain([this]).collect()
    }

    /// The visit that settings are held against.
    pub(super) fn reference(&self) -> Option<&Record> {
        self.given.first().map(|given| &given.record)
    }

    /// What was an alarm when somebody was told last.
    pub(super) fn told(&self) -> &[GuardAlarm] {
        &self.told
    }

    /// Puts a visit that was stored with the others.
    pub(super) fn add(&mut self, context: &Context, id: i64) -> Result<(), Failure> {
        Store::open(&context.state_dir)?.tag(id, &[TAG])?;
        self.newest = Some(id);
        Ok(())
    }

    /// Notes that of the newest visit somebody was told.
    pub(super) fn note_told(&mut self, context: &Context) -> Result<(), Failure> {
        match self.newest {
            Some(id) => Ok(Store::open(&context.state_dir)?.tag(id, &[TOLD])?),
            None => Ok(()),
        }
    }

    /// Takes the newest visit for what is usual from now on.
    pub(super) fn accept(&self, context: &Context) -> Result<Exit, Failure> {
        let Some(id) = self.newest else {
            let message = format!("{} has not been visited yet.", self.target);
            let failure = Failure::usage(message).on(&self.target);
            return Err(failure.hint(format!(
                "The first visit: sudo {}",
                super::command(&self.target)
            )));
        };
        Store::open(&context.state_dir)?.tag(id, &[ACCEPTED])?;
        context.out.say(format!(
            "{}: as record {id} found it is how it is meant to be. Its levels are learnt anew from there on.",
            self.target
        ));
        context.out.document_on_a_line(&AcceptDocument {
            schema: "iodyno.guard-accept/1",
            target: &self.target,
            record: id,
        })?;
        Ok(Exit::Fine)
    }
}

fn has(row: &RecordRow, tag: &str) -> bool {
    row.tags.iter().any(|one| one == tag)
}

#[derive(Serialize)]
struct AcceptDocument<'a> {
    schema: &'static str,
    target: &'a str,
    /// The visit that everything is held against from now on.
    record: i64,
}

/// What the record of a visit did as one.
pub(super) fn guard_of(record: &mut Record) -> &mut GuardVisit {
    match &mut record.body {
        RecordBody::Check(check) => check.guard.get_or_insert_default(),
        _ => unreachable!("a visit is a check"),
    }
}

/// The values that changes of iodyno's left in place.
/// Those of journals that cannot be read are not known, which is said where they are put back.
pub(super) fn put_in_place(context: &Context) -> Vec<PutInPlace> {
    let (host, dir) = (&context.host, &context.state_dir);
    let found = host::find_unfinished(host, dir);
    let elsewhere = host::find_elsewhere(host, dir);
    let status = lookup::status::of(host, dir, &found, &elsewhere);
    let kept = status
        .journals
        .iter()
        .chain(&status.elsewhere)
        .filter(|journal| journal.kept);
    let settings = kept.flat_map(|journal| journal.settings.iter().map(move |it| (journal, it)));
    let put = settings.filter_map(|(journal, setting)| {
        let (subject, name) = Subject::of_path(&setting.path)?;
        Some(PutInPlace {
            setting: SettingId {
                place: subject.device().unwrap_or("machine").into(),
                name: name.into(),
            },
            value: setting.set.clone()?,
            by: journal.id.clone(),
        })
    });
    put.collect()
}
