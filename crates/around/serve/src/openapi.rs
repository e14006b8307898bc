//! The description of the interface: what a server gives of the one that was made of the table of its routes.

#[cfg(feature = "schema")]
pub mod made;

use crate::packed::unpacked;
use crate::route::{Gate, Verb};
use crate::routes;
use serde_json::Value;

/// What was made of the types that requests and answers are. `tools/web` writes it, and a test holds it against them.
const KEPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.zlib"));

/// What a server says of itself.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// iodyno's version.
    pub version: &'a str,
    /// Name of the cookie of a session.
    pub cookie: &'a str,
    /// Whether it only shows.
    pub read_only: bool,
}

/// The description of a server that has not been started.
pub fn description(version: &str) -> Value {
    document(About {
        version,
        cookie: "iodyno_7979",
        read_only: false,
    })
}

/// The document.
pub fn document(about: About) -> Value {
    // A test reads it: it is JSON.
    let mut document: Value = model::json::read_bytes(&unpacked(KEPT)).unwrap_or_default();
    document["info"]["version"] = about.version.into();
    document["components"]["securitySchemes"]["session"]["name"] = about.cookie.into();
    if about.read_only {
        without_changes(&mut document["paths"]);
    }
    document
}

/// Takes away what a server that only shows never answers: that something was changed.
fn without_changes(paths: &mut Value) {
    let changing = |verb, gate| verb != Verb::Get && gate == Gate::Session;
    for route in routes::all().filter(|route| changing(route.verb, route.gate)) {
        let responses = &mut paths[route.path][method(route.verb)]["responses"];
        if let Some(responses) = responses.as_object_mut() {
            responses.remove("200");
        }
    }
}

fn method(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Delete => "delete",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ABOUT: About = About {
        version: "1",
        cookie: "c",
        read_only: false,
    };

    #[test]
    fn it_says_which_server_it_describes() {
        let document = document(ABOUT);
        assert_eq!(document["info"]["version"], "1");
        let session = &document["components"]["securitySchemes"]["session"];
        assert_eq!(session["name"], "c");
    }

    #[test]
    fn a_server_that_only_shows_answers_no_change() {
        let answers = |read_only, path: &str, verb: &str| {
            let document = document(About { read_only, ..ABOUT });
            document["paths"][path][verb]["responses"]
                .get("200")
                .is_some()
        };
        assert!(answers(false, "/api/v1/jobs", "post"));
        assert!(!answers(true, "/api/v1/jobs", "post"));
        assert!(answers(true, "/api/v1/jobs", "get"));
        // Of the session alone.
        assert!(answers(true, "/api/v1/logout", "post"));
    }

    #[test]
    fn parameters_are_never_null_and_answers_are_found() {
        let document = document(ABOUT);
        let records = &document["paths"]["/api/v1/records"]["get"]["parameters"];
        let limit = records.as_array().unwrap().iter();
        let mut limit = limit.filter(|one| one["name"] == "limit");
        assert_eq!(
            limit.next().unwrap()["schema"],
            json!({"type": "integer", "minimum": 1, "maximum": 1000})
        );
        let text = document.to_string();
        for piece in text.split("\"$ref\":\"#").skip(1) {
            let pointer = &piece[..piece.find('"').unwrap()];
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let twice = |name: &&String| {
            let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
            plain.len() < name.len() && schemas.contains_key(plain)
        };
        let twice: Vec<_> = schemas.keys().filter(twice).collect();
        assert!(twice.is_empty(), "two types of one name: {twice:?}");
    }

    #[test]
    fn only_a_log_in_is_open_to_anybody() {
        let open: Vec<&str> = routes::all()
            .filter(|route| route.gate == Gate::Anybody)
            .map(|route| route.path)
            .collect();
        assert_eq!(open, ["/api/v1/login"]);
        let of_sessions = routes::all()
            .filter(|route| route.gate == Gate::OwnSession)
            .map(|route| route.path);
        assert_eq!(of_sessions.collect::<Vec<_>>(), ["/api/v1/logout"]);
    }
}
