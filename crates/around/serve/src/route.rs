//! A way in: its method and path, what it takes, what it gives, and the function behind it.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::sessions::Session;
use crate::shape::{Field, Shape};
use runner::Cancel;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Only looks.
    Get,
    /// Changes something, or starts it.
    Post,
    /// Removes or stops something.
    Delete,
}

/// Who may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Anybody on our own page.
    Anybody,
    /// Whoever is in.
    Session,
    /// Whoever is in, also in read-only mode: what is changed is only the session.
    OwnSession,
}

/// What comes in the body.
#[derive(Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// A JSON object with these members.
    Json(&'static [Field]),
    /// A file.
    File,
}

/// What goes out.
#[derive(Debug)]
pub enum Gives {
    /// A document.
    Json(Shape),
    /// A page.
    Html,
    /// Events, for as long as somebody listens.
    Events,
}

/// A function behind a way in.
pub type Handle = fn(&Arc<Door>, &Call) -> Result<Reply, Fault>;

/// How it is run.
#[derive(Debug)]
pub enum Run {
    /// At once: it waits for nothing.
    Quick(Handle),
    /// On a thread that may wait for the store.
    Call(Handle),
    /// On a thread that waits for the machine or computes for long.
    Look(Handle),
    /// On a thread that waits for a verb.
    Verb(Handle),
    /// The stream of events.
    Events,
    /// With the body in a file, on a thread that waits for a verb.
    File(Handle),
}

/// A way in.
#[derive(Debug)]
pub struct Route {
    /// What is done.
    pub verb: Verb,
    /// To what; parameters in braces.
    pub path: &'static str,
    /// In a sentence.
    pub says: &'static str,
    /// Who may.
    pub gate: Gate,
    /// Parameters in the path.
    pub place: &'static [Field],
    /// Parameters behind the question mark.
    pub query: &'static [Field],
    /// What comes.
    pub body: Body,
    /// What goes.
    pub gives: Gives,
    /// Statuses with which it refuses, besides those of all.
    pub refuses: &'static [u16],
    /// How.
    pub run: Run,
}

impl Route {
    /// A way in without parameters.
    pub const fn new(
        verb: Verb,
        path: &'static str,
        says: &'static str,
        gives: Gives,
        run: Run,
    ) -> Route {
        Route {
            verb,
            path,
            says,
            gate: Gate::Session,
            place: &[],
            query: &[],
            body: Body::None,
            gives,
            refuses: &[],
            run,
        }
    }
}

/// A request that passed the door, its values checked.
#[derive(Debug, Default)]
pub struct Call {
    /// Parameters of path and query, by name.
    pub values: Map<String, Value>,
    /// The body's members.
    pub body: Map<String, Value>,
    /// The file that came.
    pub file: Option<host::Upload>,
    /// By which name we were called.
    pub authority: String,
    /// Who asks.
    pub session: Option<Session>,
    /// Ends what is done for it, once nobody waits for the answer.
    pub cancel: Cancel,
}

impl Call {
    /// A text of path, query or body.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.value(name)?.as_str()
    }

    /// A number of path, query or body.
    pub fn number(&self, name: &str) -> Option<i64> {
        let value = self.value(name)?;
        value
            .as_i64()
            .or_else(|| value.as_f64().map(|float| float as i64))
    }

    /// Yes or no, of path, query or body; no where it is not there.
    pub fn flag(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The texts of a list in the body.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.value(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// A number that must be there, which the shapes have made sure of.
    ///
    /// # Errors
    /// When the table of routes forgot to say so.
    pub fn id(&self, name: &str) -> Result<i64, Fault> {
        self.number(name).ok_or_else(Fault::defect)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.body.get(name))
    }
}

/// The parameters of a query by their shapes.
///
/// # Errors
/// One that is not known, comes twice, is missing or is wrong.
pub fn query(fields: &[Field], text: &str) -> Result<Map<String, Value>, Fault> {
    let mut values = Map::new();
    for (name, text) in form_urlencoded::parse(text.as_bytes()) {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let known = if known.is_empty() {
                "it takes none".into()
            } else {
                format!("there are {}", known.join(", "))
            };
            return Err(Fault::asked(format!(
                "there is no such parameter in a query of this; {known}"
            )));
        };
        let value = field.shape.parse(field.name, &text).map_err(Fault::asked)?;
        if values.insert(field.name.into(), value).is_some() {
            return Err(Fault::asked(format!(
                "the parameter {} stands there twice",
                field.name
            )));
        }
    }
    match fields
        .iter()
        .find(|field| field.required && !values.contains_key(field.name))
    {
        Some(field) => Err(Fault::asked(format!(
            "the parameter {} is missing: {}",
            field.name, field.says
        ))),
        None => Ok(values),
    }
}

/// The members of a body by their shapes.
///
/// # Errors
/// What is wrong with it.
pub fn body(fields: &'static [Field], bytes: &[u8]) -> Result<Map<String, Value>, Fault> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|_| Fault::asked("the body is not JSON"))?;
    Shape::Object(fields)
        .check("body", &value)
        .map_err(Fault::asked)?;
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(Fault::asked("body is an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{ID, line, may, must};

    const FIELDS: &[Field] = &[must("id", ID, "which"), may("text", line(10), "")];

    #[test]
    fn a_query_is_read_by_its_shapes() {
        let values = query(FIELDS, "id=7&text=a%20b%2B").unwrap();
        assert_eq!(
            (values["id"].as_i64(), values["text"].as_str()),
            (Some(7), Some("a b+"))
        );
        for wrong in [
            "",
            "text=a",
            "id=x",
            "id=1&id=2",
            "id=1&path=/etc",
            "id=1&text=%00",
            "id=-1",
        ] {
            assert_eq!(query(FIELDS, wrong).unwrap_err().status, 400, "{wrong}");
        }
    }

    #[test]
    fn a_body_is_an_object_of_known_members() {
        assert!(body(FIELDS, b"{\"id\": 3}").is_ok());
        for wrong in [&b"{\"id\": 3, \"x\": 1}"[..], b"[3]", b"{", b"", b"\xff"] {
            assert_eq!(body(FIELDS, wrong).unwrap_err().status, 400);
        }
    }
}
