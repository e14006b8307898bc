//! A way in: its method and path, what it takes, what it gives, and the function behind it.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::helper::Helper;
use crate::member::{Member, Members, reader};
use crate::sessions::Session;
use crate::shape::{Described, Shape};
use runner::Cancel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A value that a request gave, checked and of its type.
type Given = Box<dyn Any + Send>;

/// What a request gives: a type whose members it names, and how it is made of them.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its schema.
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "for the description alone")
    )]
    pub shape: Shape,
    make: fn(Members) -> Result<Given, String>,
}

impl Input {
    /// This type.
    pub const fn of<T: DeserializeOwned + Described + Send + 'static>() -> Input {
        Input {
            shape: Shape::of::<T>(),
            make: make::<T>,
        }
    }

    /// Whose members are all there are.
    ///
    /// # Errors
    /// What is wrong with them, beginning with `at` and the member.
    fn read(self, at: &str, members: Members) -> Result<Given, String> {
        (self.make)(members).map_err(|why| format!("{at}{why}"))
    }
}

/// One that serde makes; where it cannot, which member is wrong and why.
fn make<T: DeserializeOwned + Send + 'static>(members: Members) -> Result<Given, String> {
    match serde_path_to_error::deserialize::<_, T>(reader(members)) {
        Ok(made) => Ok(Box::new(made)),
        Err(error) => Err(match error.path().to_string().as_str() {
            "." => format!(": {}", error.inner()),
            path => format!(".{path}: {}", error.inner()),
        }),
    }
}

/// No parameters.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// What comes in the body.
#[derive(Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// A JSON object.
    Json(Input),
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
pub type Handle = fn(&Arc<Helper>, &Call) -> Result<Reply, Fault>;
/// One that the door itself answers with: it is about who is in, of whom the helper knows nothing.
pub type DoorHandle = fn(&Door, &Call) -> Result<Reply, Fault>;

/// How it is run.
#[derive(Debug)]
pub enum RouteHandler {
    /// At the door, at once.
    Door(DoorHandle),
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
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "for the description alone")
    )]
    pub says: &'static str,
    /// Who may.
    pub gate: Gate,
    /// Parameters in the path.
    pub place: Input,
    /// Parameters behind the question mark.
    pub query: Input,
    /// What comes.
    pub body: Body,
    /// What goes.
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "for the description alone")
    )]
    pub gives: Gives,
    /// Statuses with which it refuses, besides those of all.
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "for the description alone")
    )]
    pub refuses: &'static [u16],
    /// How.
    pub run: RouteHandler,
}

impl Route {
    /// A way in without parameters.
    pub const fn new(
        verb: Verb,
        path: &'static str,
        says: &'static str,
        gives: Gives,
        run: RouteHandler,
    ) -> Route {
        Route {
            verb,
            path,
            says,
            gate: Gate::Session,
            place: Input::of::<Nothing>(),
            query: Input::of::<Nothing>(),
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
    /// What path, query and body gave.
    pub given: Vec<Given>,
    /// The file that came.
    pub file: Option<host::Upload>,
    /// Its turn, taken before it came.
    pub turn: Option<OwnedSemaphorePermit>,
    /// By which name we were called; for the door alone.
    pub authority: String,
    /// Who asks; for the door alone.
    pub session: Option<Session>,
    /// Ends what is done for it, once nobody waits for the answer.
    pub cancel: Cancel,
}

impl Call {
    /// What it gave of a type that its route takes.
    ///
    /// # Errors
    /// When the table of routes does not say that it takes this type.
    pub fn given<T: 'static>(&self) -> Result<&T, Fault> {
        let mut all = self.given.iter();
        all.find_map(|one| one.downcast_ref())
            .ok_or_else(Fault::defect)
    }
}

/// The parameters of a query.
///
/// # Errors
/// One that is not known, comes twice, is missing or is wrong.
pub fn query(input: Input, text: &str) -> Result<Given, Fault> {
    parameters(input, "query", form_urlencoded::parse(text.as_bytes())).map_err(Fault::asked)
}

/// Parameters of a path or a query by their names. Their texts become what their types want.
///
/// # Errors
/// See [`query`].
pub fn parameters(
    input: Input,
    at: &str,
    given: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> Result<Given, String> {
    let mut members = Members::new();
    for (name, text) in given {
        let (name, text) = (name.as_ref(), text.as_ref());
        if members
            .insert(name.into(), Member::Text(text.into()))
            .is_some()
        {
            return Err(format!("{at}.{name}: it stands there twice"));
        }
    }
    input.read(at, members)
}

/// The members of a body.
///
/// # Errors
/// What is wrong with it.
pub fn body(input: Input, bytes: &[u8]) -> Result<Given, Fault> {
    let value: Value =
        model::json::read_bytes(bytes).map_err(|_| Fault::asked("the body is not JSON"))?;
    // A struct is also made of a list of its members, which no schema says.
    let Value::Object(members) = value else {
        return Err(Fault::asked("body: it must be an object"));
    };
    let members = members.into_iter();
    let members = members.map(|(name, value)| (name, Member::Json(value)));
    input.read("body", members.collect()).map_err(Fault::asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::schemas::of_requests;
    use crate::shape::{Id, Line, List, Name, Text};
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(deny_unknown_fields)]
    struct Wish {
        /// which
        id: Id,
        #[serde(default)]
        tags: List<Text<Name, 8>, 2>,
        text: Option<Text<Line, 5>>,
        #[serde(default)]
        persist: bool,
    }

    const WISH: Input = Input::of::<Wish>();

    fn wish(given: Given) -> Wish {
        *given.downcast().unwrap()
    }

    #[test]
    fn a_query_is_read_by_its_shapes() {
        let values = wish(query(WISH, "id=7&text=a%20b%2B&persist=true").ok().unwrap());
        assert_eq!(
            (values.id.0, values.text.as_deref(), values.persist),
            (7, Some("a b+"), true)
        );
        for (wrong, why) in [
            ("", "query: missing field `id`"),
            ("text=a", "query: missing field `id`"),
            (
                "id=x",
                "query.id: invalid type: string \"x\", expected a whole number from 1",
            ),
            ("id=1&id=2", "query.id: it stands there twice"),
            (
                "id=1&path=/etc",
                "query.path: unknown field `path`, expected one of `id`",
            ),
            ("id=1&text=%00", "query.text: a text must match ^"),
            ("id=-1", "query.id: -1 is not a whole number from 1"),
            (
                "id=1&persist=1",
                "query.persist: invalid type: string \"1\", expected a boolean",
            ),
        ] {
            let fault = query(WISH, wrong).unwrap_err();
            assert_eq!(fault.status, 400, "{wrong}");
            assert!(
                fault.told.error.starts_with(why),
                "{wrong}: {}",
                fault.told.error
            );
        }
    }

    #[test]
    fn what_fits_passes_and_what_does_not_is_named() {
        let read = |value: Value| body(WISH, value.to_string().as_bytes());
        let fine = json!({"id": 1.0, "tags": ["a", "b-2"], "text": null});
        let fine = wish(read(fine).ok().unwrap());
        assert_eq!((fine.id.0, &*fine.tags.0[1]), (1, "b-2"));
        for (value, why) in [
            (json!({}), "body: missing field `id`"),
            (json!({"id": 0}), "body.id: 0 is not a whole number from 1"),
            (json!({"id": 1.5}), "body.id: 1.5 is not a whole number"),
            (json!({"id": "1"}), "body.id: invalid type: string"),
            (
                json!({"id": 1, "tags": ["-x"]}),
                "body.tags[0]: a text must match",
            ),
            (
                json!({"id": 1, "tags": ["a", "b", "c"]}),
                "body.tags: a list has 2 items",
            ),
            (
                json!({"id": 1, "text": "ab\n"}),
                "body.text: a text must match",
            ),
            (
                json!({"id": 1, "text": "too long"}),
                "body.text: a text has 5 characters",
            ),
            (
                json!({"id": 1, "path": "/etc"}),
                "body.path: unknown field `path`",
            ),
            (json!([1]), "body: it must be an object"),
        ] {
            let fault = read(value.clone()).unwrap_err();
            assert!(
                fault.told.error.starts_with(why),
                "{value}: {}",
                fault.told.error
            );
        }
        for wrong in [&b"[3]"[..], b"{", b"", b"\xff"] {
            assert_eq!(body(WISH, wrong).unwrap_err().status, 400);
        }
    }

    #[test]
    fn the_schema_says_the_same() {
        let schema = WISH.shape.schema(&mut of_requests());
        let schema = schema.as_value();
        assert_eq!(schema["required"], json!(["id"]));
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["tags"]["items"]["maxLength"], json!(8));
        assert_eq!(schema["properties"]["id"]["description"], json!("which"));
    }
}
