//! The description of the interface, made of the table that the router is made of.

use crate::door::Door;
use crate::guard::CSRF;
use crate::route::{Body, Gate, Gives, Route, Run, Verb};
use crate::routes;
use crate::shape::{Field, Shape, line, may, must};
use serde_json::{Map, Value, json};

/// Every answer that is a refusal.
pub const ERROR: Shape = Shape::Open(&[
    must("schema", Shape::OneOf(&["iodyno.error/1"]), ""),
    must(
        "error",
        Shape::Text {
            max: 100_000,
            of: crate::shape::Letters::Any,
        },
        "what failed, on what, why",
    ),
    may(
        "on",
        Shape::Text {
            max: 100_000,
            of: crate::shape::Letters::Any,
        },
        "on what, where it is known",
    ),
    may(
        "why",
        Shape::Text {
            max: 100_000,
            of: crate::shape::Letters::Any,
        },
        "why, where it is known apart from the sentence",
    ),
    may(
        "hint",
        Shape::Text {
            max: 100_000,
            of: crate::shape::Letters::Any,
        },
        "what to do about it",
    ),
    may(
        "exit",
        Shape::Int { min: 0, max: 255 },
        "exit code of the verb behind it",
    ),
]);

/// The document.
pub fn document(door: &Door) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[method(route.verb)] = operation(route, door);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "iodyno",
            "version": door.options.version,
            "description": "The documents that iodyno's verbs print with --json, over HTTP. A change needs the cookie of a \
                            session, its token in X-CSRF-Token, and Origin.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR.schema()},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": door.cookie},
                "csrf": {"type": "apiKey", "in": "header", "name": CSRF.as_str()},
            },
        },
    })
}

fn method(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Delete => "delete",
    }
}

fn operation(route: &Route, door: &Door) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.says,
        "parameters": parameters(route),
        "responses": responses(route, door.options.read_only),
        "security": security(route),
    });
    match &route.body {
        Body::None => {}
        Body::Json(fields) => {
            let schema = Shape::schema_of(fields);
            operation["requestBody"] =
                json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        Body::File => {
            let schema = json!({"type": "string", "format": "binary"});
            operation["requestBody"] = json!({"required": true, "content": {"application/octet-stream": {"schema": schema}}});
        }
    }
    operation
}

/// `getRecordsIdTags` of `GET /api/v1/records/{id}/tags`.
fn operation_id(route: &Route) -> String {
    let words = route
        .path
        .trim_start_matches("/api/v1")
        .split(|c: char| !c.is_ascii_alphanumeric());
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let words: String = words.filter(|word| !word.is_empty()).map(capital).collect();
    format!("{}{words}", method(route.verb))
}

fn security(route: &Route) -> Value {
    match (route.gate, route.verb) {
        (Gate::Anybody, _) => json!([]),
        (_, Verb::Get) => json!([{"session": []}]),
        _ => json!([{"session": [], "csrf": []}]),
    }
}

fn parameters(route: &Route) -> Value {
    let parameter = |place: &str, field: &Field| {
        json!({"name": field.name, "in": place, "required": field.required || place == "path",
               "description": field.says, "schema": field.shape.schema()})
    };
    let mut all: Vec<Value> = route
        .place
        .iter()
        .map(|field| parameter("path", field))
        .collect();
    all.extend(route.query.iter().map(|field| parameter("query", field)));
    if matches!(route.body, Body::File) {
        let name = line(200);
        all.push(parameter(
            "header",
            &may("X-File-Name", name, "what the file is called"),
        ));
    }
    Value::from(all)
}

fn responses(route: &Route, is_read_only: bool) -> Value {
    let content = match &route.gives {
        Gives::Json(shape) => json!({"application/json": {"schema": shape.schema()}}),
        Gives::Html => json!({"text/html; charset=utf-8": {"schema": {"type": "string"}}}),
        Gives::Events => json!({"text/event-stream": {"schema": {"type": "string"}}}),
    };
    let mut responses = Map::new();
    if !is_read_only || route.verb == Verb::Get || route.gate != Gate::Session {
        responses.insert(
            "200".into(),
            json!({"description": "what was asked for", "content": content}),
        );
    }
    let mut statuses = vec![400, 403, 404, 431];
    // A read of the store, or a verb, that takes too long.
    if matches!(
        route.run,
        Run::Call(_) | Run::Look(_) | Run::Verb(_) | Run::File(_)
    ) {
        statuses.extend([413, 503]);
    }
    if route.gate != Gate::Anybody {
        statuses.push(401);
    }
    if !matches!(route.body, Body::None) {
        statuses.extend([408, 413, 415]);
    }
    statuses.extend(route.refuses);
    statuses.sort_unstable();
    statuses.dedup();
    for status in statuses {
        let error = json!({"$ref": "#/components/schemas/Error"});
        let content = json!({"application/json": {"schema": error}});
        responses.insert(
            status.to_string(),
            json!({"description": meaning(status), "content": content}),
        );
    }
    Value::from(responses)
}

fn meaning(status: u16) -> &'static str {
    match status {
        400 => "the request makes no sense",
        401 => "nobody is logged in",
        403 => "not allowed, or rights are missing",
        404 => "there is no such thing",
        408 => "the body came too slowly",
        409 => "refused for the sake of the data or the machine",
        413 => "the body, or the answer, is too long",
        415 => "the body is not declared as JSON",
        422 => "the target or the host failed",
        431 => "request line and headers are too long",
        _ => "the server cannot do it now",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    #[test]
    fn every_parameter_of_a_path_is_described() {
        for route in routes::all() {
            let named: Vec<&str> = route
                .path
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split('}').next())
                .collect();
            let told: Vec<&str> = route.place.iter().map(|field| field.name).collect();
            assert_eq!(named, told, "{}", route.path);
            assert!(!route.says.is_empty());
        }
    }

    #[test]
    fn every_way_in_has_an_id_of_its_own() {
        let mut ids: Vec<String> = routes::all().map(operation_id).collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(
            ids.contains(&"getRecordsIdReportHtml".to_string()),
            "{ids:?}"
        );
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
