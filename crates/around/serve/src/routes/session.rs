//! Coming in and going out, and the description of everything.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::helper::Helper;
use crate::openapi::About;
use crate::route::{Body, Call, Gate, Gives, Input, Route, RouteHandler, Verb};
use crate::sessions::Refusal;
use crate::shape::{Name, Shape, Text};
use axum::http::header;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LoginRequest {
    /// the token that was printed
    token: Text<Name, 200>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LoggedIn {
    /// To be sent in X-CSRF-Token with every change.
    csrf: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LoggedOut {
    logged_out: bool,
}

/// Who is asking whom.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SessionDocument"))]
struct Document {
    schema: &'static str,
    /// To be sent in X-CSRF-Token with every change.
    csrf: String,
    /// Whether every change is refused.
    read_only: bool,
    /// Version of iodyno.
    version: String,
    /// The name and port by which the server was called.
    host: String,
    /// Of the machine.
    hostname: String,
    /// Whether it may change settings.
    user_is_root: bool,
}

/// The description of the interface, as OpenAPI says.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "it is made as a value; this says what is in it")]
struct Description {
    /// Version of the format.
    openapi: String,
}

pub const ROUTES: &[Route] = &[
    Route {
        gate: Gate::Anybody,
        body: Body::Json(Input::of::<LoginRequest>()),
        refuses: &[401],
        ..Route::new(
            Verb::Post,
            "/api/v1/login",
            "Take the one-time token, and give a cookie and the token of changes.",
            Gives::Json(Shape::of::<LoggedIn>()),
            RouteHandler::Door(log_in),
        )
    },
    Route {
        gate: Gate::OwnSession,
        ..Route::new(
            Verb::Post,
            "/api/v1/logout",
            "End this session; the terminal shows a new token.",
            Gives::Json(Shape::of::<LoggedOut>()),
            RouteHandler::Door(log_out),
        )
    },
    Route::new(
        Verb::Get,
        "/api/v1/session",
        "Who is asking whom.",
        Gives::Json(Shape::of::<Document>()),
        RouteHandler::Door(session),
    ),
    Route::new(
        Verb::Get,
        "/api/v1/openapi.json",
        "This description.",
        Gives::Json(Shape::of::<Description>()),
        RouteHandler::Look(description),
    ),
];

fn log_in(door: &Door, call: &Call) -> Result<Reply, Fault> {
    let token = &call.given::<LoginRequest>()?.token;
    let session = door
        .sessions
        .log_in(token, door.now_ms())
        .map_err(refused)?;
    let secure = if door.plan.tls.is_some() {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/{secure}",
        door.plan.cookie, session.id
    );
    let csrf = session.csrf;
    Ok(Reply::json(&LoggedIn { csrf })?.with(header::SET_COOKIE, cookie))
}

fn refused(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Wrong => Fault::new(401, "this token is not, or no longer, one of this server").hint(
            "Each is good for one log-in within 15 minutes; `kill -USR1` of the server prints a new one.",
        ),
        Refusal::NoRandomness => Fault::defect(),
    }
}

fn log_out(door: &Door, call: &Call) -> Result<Reply, Fault> {
    if let Some(session) = &call.session {
        door.sessions.log_out(&session.id);
        door.want_token();
    }
    let cookie = format!(
        "{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
        door.plan.cookie
    );
    Ok(Reply::json(&LoggedOut { logged_out: true })?.with(header::SET_COOKIE, cookie))
}

fn session(door: &Door, call: &Call) -> Result<Reply, Fault> {
    let csrf = call.session.as_ref().map(|session| session.csrf.clone());
    Reply::json(&Document {
        schema: "iodyno.session/1",
        csrf: csrf.unwrap_or_default(),
        read_only: door.plan.read_only,
        version: door.plan.version.clone(),
        host: call.authority.clone(),
        hostname: door.plan.hostname.clone(),
        user_is_root: door.plan.is_root,
    })
}

/// It is unpacked and read for each question, half a megabyte: on a thread, so that nobody else waits.
fn description(helper: &Arc<Helper>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&crate::openapi::document(About {
        version: &helper.options.version,
        cookie: &helper.cookie,
        read_only: helper.options.read_only,
    }))
}
