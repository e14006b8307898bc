//! The description, made of the table of routes and of the types that requests and answers are.

use super::method;
use crate::events::Unwatched;
use crate::guard::CSRF;
use crate::jobs::JobEvent;
use crate::route::{Body, Gate, Gives, Input, Route, RouteHandler, Verb};
use crate::routes;
use crate::shape::schemas::{of_answers, of_requests};
use crate::shape::{Line, Shape, Text};
use model::failure::ErrorDocument;
use model::record::Interval;
use model::watched::{Head, Sample};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// What events carry, which no operation gives: OpenAPI 3.1 has no words for what is in a stream.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it names the documents of a stream")]
struct Events {
    /// `head`
    head: Head<'static>,
    /// `frame`
    frame: Sample<'static>,
    /// `job`
    job: JobEvent,
    /// `interval` of an `iodyno.interval/1` in `document` of a job
    interval: Interval,
    /// `unwatched`
    unwatched: Unwatched<'static>,
    /// `record`
    record: store::RecordRow,
}

/// The document, of a server that has not been started.
pub fn document() -> Value {
    let mut answers = of_answers();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[method(route.verb)] = operation(route, &mut answers);
    }
    for shape in [Shape::of::<ErrorDocument>(), Shape::of::<Events>()] {
        shape.schema(&mut answers);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "iodyno",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The documents that iodyno's verbs print with --json, over HTTP. A change needs the cookie of a \
                            session, its token in X-CSRF-Token, and Origin.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": answers.take_definitions(true),
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "iodyno_7979"},
                "csrf": {"type": "apiKey", "in": "header", "name": CSRF.as_str()},
            },
        },
    })
}

fn operation(route: &Route, answers: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.says,
        "parameters": parameters(route),
        "responses": responses(route, answers),
        "security": security(route),
    });
    match &route.body {
        Body::None => {}
        Body::Json(input) => {
            let schema = input.shape.schema(&mut of_requests());
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
    let mut all = members(route.place, "path");
    all.extend(members(route.query, "query"));
    if matches!(route.body, Body::File) {
        all.extend(members(Input::of::<FileHeaders>(), "header"));
    }
    Value::from(all)
}

/// What comes with a file.
#[derive(serde::Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the guard reads headers")]
struct FileHeaders {
    /// what the file is called
    #[serde(rename = "X-File-Name")]
    name: Option<Text<Line, 200>>,
}

/// Parameters out of the members of an object.
fn members(input: Input, place: &str) -> Vec<Value> {
    let mut schema = input.shape.schema(&mut of_requests()).to_value();
    let required = schema["required"].take();
    let is_required = |name: &str| {
        let mut required = required.as_array().into_iter().flatten();
        required.any(|one| one == name)
    };
    let Value::Object(members) = schema["properties"].take() else {
        return Vec::new();
    };
    let members = members.into_iter().map(|(name, mut schema)| {
        let says = schema["description"].take();
        without_null(&mut schema);
        json!({"name": name, "in": place, "required": is_required(&name), "description": says, "schema": schema})
    });
    members.collect()
}

/// A parameter is left out; it is never null.
fn without_null(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    schema.retain(|_, value| !value.is_null());
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [one] = &kinds[..] {
            let one = one.clone();
            schema.insert("type".into(), one);
        }
    }
}

fn responses(route: &Route, answers: &mut SchemaGenerator) -> Value {
    let content = match &route.gives {
        Gives::Json(shape) => json!({"application/json": {"schema": shape.schema(answers)}}),
        Gives::Html => json!({"text/html; charset=utf-8": {"schema": {"type": "string"}}}),
        Gives::Events => json!({"text/event-stream": {"schema": {"type": "string"}}}),
    };
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({"description": "what was asked for", "content": content}),
    );
    let mut statuses = vec![400, 403, 404, 431];
    // A read of the store, or a verb, that takes too long.
    if matches!(
        route.run,
        RouteHandler::Call(_)
            | RouteHandler::Look(_)
            | RouteHandler::Verb(_)
            | RouteHandler::File(_)
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
        let error = json!({"$ref": "#/components/schemas/ErrorDocument"});
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

    #[test]
    fn the_description_that_is_kept_is_current() {
        assert!(
            document() == super::super::description(env!("CARGO_PKG_VERSION")),
            "docs/openapi.json is not what the types give: run tools/web"
        );
    }

    #[test]
    fn every_parameter_of_a_path_is_described() {
        for route in routes::all() {
            let named: Vec<&str> = route
                .path
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split('}').next())
                .collect();
            let told = members(route.place, "path");
            let mut told: Vec<&str> = told.iter().filter_map(|one| one["name"].as_str()).collect();
            told.sort_by_key(|name| named.iter().position(|one| one == name));
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
}
