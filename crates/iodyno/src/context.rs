//! What every verb is given, and the form in which a record is printed.

use crate::exit::{Exit, Failure};
use crate::out::Out;
use host::Host;
use host::signals::Stop;
use model::record::Record;
use serde::Serialize;
use std::path::PathBuf;

/// The document of a verb that shows one record; without a number where it could not be stored.
#[derive(Serialize)]
pub struct RecordAnswer<'a> {
    /// `iodyno.<verb>/<version>`.
    pub schema: &'static str,
    /// Its number.
    pub id: Option<i64>,
    /// The record.
    pub record: &'a Record,
}

/// What every verb is given.
#[derive(Debug)]
pub struct Context {
    /// Where words go.
    pub out: Out,
    /// The live machine.
    pub host: Host,
    /// Where records, journals and locks live.
    pub state_dir: PathBuf,
}

impl Context {
    /// From the environment; with documents on stdout where they were asked for.
    pub fn new(is_json: bool) -> Self {
        Context {
            out: Out::new(is_json),
            host: Host::live(),
            state_dir: host::environment::state_dir(),
        }
    }

    /// The same, with words for people on stderr where stdout carries a stream.
    pub fn streaming(&self, is_streaming: bool) -> Context {
        let out = if is_streaming {
            Out::of_a_stream()
        } else {
            self.out
        };
        Context {
            out,
            host: self.host.clone(),
            state_dir: self.state_dir.clone(),
        }
    }

    /// The same for a part of an answer that another part gives: its words go to stderr.
    pub fn aside(&self) -> Context {
        Context {
            out: Out::new(true),
            host: self.host.clone(),
            state_dir: self.state_dir.clone(),
        }
    }

    /// The same for another view of the machine.
    pub fn on(&self, host: Host) -> Context {
        Context {
            out: self.out,
            host,
            state_dir: self.state_dir.clone(),
        }
    }

    /// The flag that every signal raises which would end the process.
    pub fn stop_on_signals(&self) -> Result<Stop, Failure> {
        Stop::on_signals().map_err(|error| {
            Failure::new(Exit::Failed, format!("cannot watch for signals: {error}"))
        })
    }
}
