//! Coming in and going out, and the description of everything.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::route::{Body, Call, Gate, Gives, Route, Run, Verb};
use crate::sessions::Refusal;
use crate::shape::{Letters, Shape, must};
use axum::http::header;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const TEXT: Shape = Shape::Text {
    max: 1000,
    of: Letters::Any,
};

pub const ROUTES: &[Route] = &[
    Route {
        gate: Gate::Anybody,
        body: Body::Json(&[must(
            "token",
            Shape::Text {
                max: 200,
                of: Letters::Name,
            },
            "the token that was printed",
        )]),
        refuses: &[401],
        ..Route::new(
            Verb::Post,
            "/api/v1/login",
            "Take the one-time token, and give a cookie and the token of changes.",
            Gives::Json(Shape::Open(&[must(
                "csrf",
                TEXT,
                "to be sent in X-CSRF-Token with every change",
            )])),
            Run::Quick(log_in),
        )
    },
    Route {
        gate: Gate::OwnSession,
        ..Route::new(
            Verb::Post,
            "/api/v1/logout",
            "End this session; the terminal shows a new token.",
            Gives::Json(Shape::Open(&[must("logged_out", Shape::Bool, "")])),
            Run::Quick(log_out),
        )
    },
    Route::new(
        Verb::Get,
        "/api/v1/session",
        "Who is asking whom.",
        Gives::Json(Shape::Open(&[
            must("csrf", TEXT, "to be sent in X-CSRF-Token with every change"),
            must("read_only", Shape::Bool, "whether every change is refused"),
            must("version", TEXT, "of iodyno"),
            must(
                "host",
                TEXT,
                "the name and port by which the server was called",
            ),
            must("hostname", TEXT, "of the machine"),
            must(
                "user_is_root",
                Shape::Bool,
                "whether it may change settings",
            ),
        ])),
        Run::Quick(session),
    ),
    Route::new(
        Verb::Get,
        "/api/v1/openapi.json",
        "This description.",
        Gives::Json(Shape::Open(&[must(
            "openapi",
            TEXT,
            "version of the format",
        )])),
        Run::Quick(description),
    ),
];

fn log_in(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let token = call.text("token").unwrap_or_default();
    let session = door
        .sessions
        .log_in(token, door.now_ms())
        .map_err(refused)?;
    let secure = if door.options.tls.is_some() {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/{secure}",
        door.cookie, session.id
    );
    Ok(Reply::json(&json!({"csrf": session.csrf}))?.with(header::SET_COOKIE, cookie))
}

fn refused(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Wrong => Fault::new(401, "this token is not, or no longer, one of this server").hint(
            "Each is good for one log-in within 15 minutes; `kill -USR1` of the server prints a new one.",
        ),
        Refusal::NoRandomness => Fault::defect(),
    }
}

fn log_out(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    if let Some(session) = &call.session {
        door.sessions.log_out(&session.id);
        door.wants_token.store(true, Ordering::Relaxed);
    }
    let cookie = format!(
        "{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
        door.cookie
    );
    Ok(Reply::json(&json!({"logged_out": true}))?.with(header::SET_COOKIE, cookie))
}

fn session(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let csrf = call
        .session
        .as_ref()
        .map(|session| session.csrf.as_str())
        .unwrap_or_default();
    Reply::json(&json!({
        "schema": "iodyno.session/1",
        "csrf": csrf,
        "read_only": door.options.read_only,
        "version": door.options.version,
        "host": call.authority,
        "hostname": crate::hosts::own_name(&door.host).unwrap_or_default(),
        "user_is_root": host::rights::is_root(),
    }))
}

fn description(door: &Arc<Door>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&crate::openapi::document(door))
}
