//! What is compared: records of the store, documents, and files of other tools, which are read and not kept.

use crate::commands::import::{record, source};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::Host;
use lookup::records::{self, GivenRecord, light};
use model::imported::Imported;
use model::record::{RECORD_SCHEMA, Record};
use std::path::Path;
use store::Store;

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
    pub fn all(&self, names: &[String]) -> Result<Vec<GivenRecord>, Failure> {
        let mut given = Vec::new();
        for name in names {
            match name.parse::<i64>() {
                Ok(id) => given.push(records::of(&self.store, id)?),
                Err(_) => given.extend(file(name, &self.host)?),
            }
        }
        Ok(given)
    }

    /// The store that they are read from.
    pub fn store(&self) -> &Store {
        &self.store
    }
}

/// Everything in a file: a document of iodyno, else what other tools printed.
fn file(name: &str, host: &Host) -> Result<Vec<GivenRecord>, Failure> {
    if name.ends_with(".json")
        && let Some((id, record)) = document(&host::files::read_named(Path::new(name))?)
    {
        if record.provenance.rehearsed.is_some() {
            return Err(Failure::usage(format!(
                "{name} was rehearsed on a simulated disk, and measured nowhere: there is nothing to compare."
            ))
            .on(name));
        }
        let short = name.rsplit('/').next().unwrap_or(name);
        let called = id.map_or(short.to_string(), |id| format!("{short}:{id}"));
        // Its number is of another store.
        return Ok(vec![GivenRecord {
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
        GivenRecord {
            name: called,
            id: None,
            file: Some(name.into()),
            record: record::of(host, imported),
        }
    };
    let mut given: Vec<GivenRecord> = found.results.into_iter().map(one).collect();
    distinct(&mut given);
    Ok(given)
}

/// Several results of a file without lines are told apart by their names, and in the end by their place.
fn distinct(given: &mut [GivenRecord]) {
    for index in 1..given.len() {
        if given[..index]
            .iter()
            .any(|one| one.name == given[index].name)
        {
            let own = given[index]
                .record
                .imported()
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
    let value: serde_json::Value = model::json::read_bytes(bytes).ok()?;
    let id = value["id"].as_i64();
    let found = [&value["record"], &value]
        .into_iter()
        .find(|one| one["schema"] == RECORD_SCHEMA)?;
    model::json::read_value(found)
        .ok()
        .map(|record| (id, record))
}
