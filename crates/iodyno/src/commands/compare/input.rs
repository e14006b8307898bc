//! What is compared: records of the store, documents, and files of other tools, which are read and not kept.

use crate::commands::Context;
use crate::commands::import::{record, source};
use crate::exit::{Exit, Failure};
use host::Host;
use model::imported::Imported;
use model::record::{RECORD_SCHEMA, Record};
use std::path::Path;
use store::{Filter, Store};

/// Like records that are looked at to learn what repeats differ by, for each record that is compared.
const LIKE_MAX: usize = 30;

/// One thing that is compared.
pub struct Given {
    /// As people call it.
    pub name: String,
    /// Number in the store.
    pub id: Option<i64>,
    /// File it came from, as the user named it.
    pub file: Option<String>,
    /// The record.
    pub record: Record,
}

/// Where records come from.
pub struct Inputs {
    store: Store,
    host: Host,
}

impl Inputs {
    /// The store, for reading alone.
    pub fn open(context: &Context) -> Result<Inputs, Failure> {
        Ok(Inputs {
            store: Store::open_read_only(&context.state_dir)?,
            host: context.host.clone(),
        })
    }

    /// Everything that was named, in that order.
    pub fn all(&mut self, names: &[String]) -> Result<Vec<Given>, Failure> {
        let mut given = Vec::new();
        for name in names {
            match name.parse::<i64>() {
                Ok(id) => given.push(self.record(id)?),
                Err(_) => given.extend(file(name, &self.host)?),
            }
        }
        Ok(given)
    }

    /// Records that a filter finds and that are not there already, oldest first.
    pub fn filtered(&mut self, filter: &Filter, given: &[Given]) -> Result<Vec<Given>, Failure> {
        let mut rows = self.store.query(filter)?;
        rows.reverse();
        let is_new = |id: &i64| !given.iter().any(|one| one.id == Some(*id));
        rows.iter()
            .map(|row| row.id)
            .filter(is_new)
            .map(|id| self.record(id))
            .collect()
    }

    /// Other records of the same jobs on the same devices.
    pub fn like(&mut self, given: &[Given]) -> Result<Vec<Given>, Failure> {
        let mut ids: Vec<i64> = Vec::new();
        for id in given.iter().filter_map(|one| one.id) {
            let rows = self.store.like(id)?;
            ids.extend(rows.iter().take(LIKE_MAX).map(|row| row.id));
        }
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !given.iter().any(|one| one.id == Some(*id)));
        ids.into_iter().map(|id| self.record(id)).collect()
    }

    fn record(&self, id: i64) -> Result<Given, Failure> {
        let record = light(self.store.get(id)?);
        Ok(Given {
            name: id.to_string(),
            id: Some(id),
            file: None,
            record,
        })
    }
}

/// A record without what is large and not compared: many are held at once.
pub fn light(mut record: Record) -> Record {
    if record.load.is_some() || record.check.is_some() || !record.sections.is_empty() {
        record.sensors.clear();
    }
    record
        .trials
        .iter_mut()
        .filter_map(|trial| trial.verdict.as_mut())
        .for_each(|verdict| verdict.pairs.clear());
    record
}

/// Everything in a file: a document of iodyno, else what other tools printed.
fn file(name: &str, host: &Host) -> Result<Vec<Given>, Failure> {
    if name.ends_with(".json")
        && let Some((id, record)) = document(&host::files::read_bytes(Path::new(name))?)
    {
        let short = name.rsplit('/').next().unwrap_or(name);
        let called = id.map_or(short.to_string(), |id| format!("{short}:{id}"));
        // Its number is of another store.
        return Ok(vec![Given {
            name: called,
            id: None,
            file: Some(name.into()),
            record: light(record),
        }]);
    }
    let found = source::open(name)
        .and_then(|mut source| imports::import(name, &mut source))
        .map_err(|error| Failure::new(Exit::Failed, format!("{name}: {error}")))?;
    if found.results.is_empty() {
        return Err(Failure::usage(format!(
            "{name} holds nothing that can be compared: it is no number of a record, no document of run, check, tune or \
             show, and no importer knows it."
        )));
    }
    let is_only = found.results.len() == 1;
    let one = |imported: Imported| {
        let called = match is_only {
            true => imported
                .file
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_string(),
            false => compare::device::imported_name(&imported),
        };
        Given {
            name: called,
            id: None,
            file: Some(name.into()),
            record: record::of(host, imported),
        }
    };
    let mut given: Vec<Given> = found.results.into_iter().map(one).collect();
    distinct(&mut given);
    Ok(given)
}

/// Several results of a file without lines are told apart by their names, and in the end by their place.
fn distinct(given: &mut [Given]) {
    for index in 1..given.len() {
        if given[..index]
            .iter()
            .any(|one| one.name == given[index].name)
        {
            let own = given[index]
                .record
                .imported
                .as_ref()
                .map_or(String::new(), |imported| imported.name.clone());
            let named = format!("{}:{own}", given[index].name);
            let is_taken = own.is_empty() || given[..index].iter().any(|one| one.name == named);
            given[index].name = if is_taken {
                format!("{}#{}", given[index].name, index + 1)
            } else {
                named
            };
        }
    }
}

/// A record in a document of `run`, `show`, `check` or `tune`, with its number there.
fn document(bytes: &[u8]) -> Option<(Option<i64>, Record)> {
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let id = value["id"].as_i64();
    let found = [&value["record"], &value]
        .into_iter()
        .find(|one| one["schema"] == RECORD_SCHEMA)?;
    serde_json::from_value(found.clone())
        .ok()
        .map(|record| (id, record))
}
