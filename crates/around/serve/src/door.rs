//! What listens: it speaks HTTP, knows who is in, and passes on what they ask to [`crate::helper`]. It has no rights, so that
//! whoever would take it over has none.

mod forward;
mod process;

pub use process::{GRACE, run};

use crate::answer::Fault;
use crate::guard::{self, Reached};
use crate::helper::{BODY_MAX, too_long};
use crate::hosts::Hosts;
use crate::route::{self, Body, Call, Gate, Route, RouteHandler, Verb};
use crate::sessions::{Session, Sessions};
use crate::wire::{FromDoor, Plan};
use crate::{assets, headers, routes};
use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use host::channel::Channel;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What all connections share.
#[derive(Debug)]
pub struct Door {
    /// What the helper was asked for by the user.
    pub plan: Plan,
    /// Who is in.
    pub sessions: Sessions,
    /// By which names we are called.
    pub hosts: Hosts,
    channel: Arc<Channel>,
}

impl Door {
    /// By a plan; what is asked goes through the channel.
    pub fn new(plan: Plan, channel: Arc<Channel>) -> Door {
        Door {
            hosts: Hosts::new(&plan.names),
            sessions: Sessions::default(),
            plan,
            channel,
        }
    }

    /// Whether headers show a session that is open.
    pub fn knows(&self, headers: &HeaderMap) -> bool {
        self.session(headers).is_some()
    }

    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        guard::session(headers, &self.plan.cookie, &self.sessions, self.now_ms())
    }

    /// The clock of sessions, ms.
    pub fn now_ms(&self) -> u64 {
        host::clock::monotonic_ns() / 1_000_000
    }

    /// Has a new token made and told.
    pub fn want_token(&self) {
        // Who does not hear it makes one when it is told to by a signal.
        let _ = self.tell(&FromDoor::WantsToken, &[]);
    }

    fn tell(&self, told: &FromDoor, files: &[BorrowedFd<'_>]) -> host::Result<()> {
        // It is made of names and numbers, which JSON always has room for.
        let bytes = serde_json::to_vec(told).unwrap_or_default();
        self.channel.send(&bytes, files)
    }
}

/// The ways in, all behind the guard.
pub fn router(door: &Arc<Door>) -> Router {
    let mut router = Router::new();
    for route in routes::all() {
        let filter = match route.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
            Verb::Delete => MethodFilter::DELETE,
        };
        let door = Arc::clone(door);
        let enter =
            move |place: RawPathParams, request: Request| enter(door, route, place, request);
        router = router.route(route.path, on(filter, enter));
    }
    router
        .method_not_allowed_fallback(|| async { Fault::new(405, "this way in has no such method") })
        .fallback(assets::serve)
        .layer(from_fn_with_state(Arc::clone(door), outer))
}

/// The guard before everything, and the headers after it.
async fn outer(State(door): State<Arc<Door>>, mut request: Request, next: Next) -> Response {
    let reached = request.extensions().get::<Reached>().copied();
    let checked = match reached {
        Some(reached) => guard::outer(
            (request.method(), request.uri(), request.headers()),
            reached,
            &door.hosts,
        ),
        None => Err(Fault::defect()),
    };
    let mut response = match checked {
        Ok(authority) => {
            request.extensions_mut().insert(Authority(authority));
            next.run(request).await
        }
        Err(fault) => fault.into_response(),
    };
    headers::add(
        response.headers_mut(),
        reached.is_some_and(|reached| reached.is_tls),
    );
    response
}

/// By which name we were called.
#[derive(Clone, Debug)]
struct Authority(String);

async fn enter(
    door: Arc<Door>,
    route: &'static Route,
    place: RawPathParams,
    request: Request,
) -> Response {
    match try_enter(door, route, &place, request).await {
        Ok(response) => response,
        Err(fault) => fault.into_response(),
    }
}

async fn try_enter(
    door: Arc<Door>,
    route: &'static Route,
    place: &RawPathParams,
    request: Request,
) -> Result<Response, Fault> {
    let (parts, body) = request.into_parts();
    let session = door.session(&parts.headers);
    may_enter(route, &parts.headers, session.as_ref())?;
    let authority = parts.extensions.get::<Authority>();
    let authority = authority.map(|name| name.0.clone()).unwrap_or_default();
    match route.run {
        RouteHandler::Door(handle) => {
            let mut call = Call {
                session,
                authority,
                ..Call::default()
            };
            let query = parts.uri.query().unwrap_or_default();
            call.given.push(route::query(route.query, query)?);
            if let Body::Json(input) = route.body {
                let bytes = json_body(&parts.headers, body).await?;
                call.given.push(route::body(input, &bytes)?);
            }
            handle(&door, &call).map(IntoResponse::into_response)
        }
        _ => forward::forward(door, route, place, parts, body).await,
    }
}

/// Refuses who is not logged in where that is needed, and changes that another site asks for.
fn may_enter(route: &Route, headers: &HeaderMap, session: Option<&Session>) -> Result<(), Fault> {
    if route.gate == Gate::Anybody {
        return Ok(());
    }
    let session = session.ok_or_else(|| {
        Fault::new(401, "nobody is logged in here").hint(
            "Open the address that `iodyno serve` printed; `kill -USR1` makes it print a new one.",
        )
    })?;
    match route.verb {
        Verb::Get => Ok(()),
        Verb::Post | Verb::Delete => guard::change(headers, session),
    }
}

fn too_slow<T>(_: T) -> Fault {
    Fault::new(408, "the body did not come in time")
}

async fn json_body(headers: &HeaderMap, body: axum::body::Body) -> Result<Vec<u8>, Fault> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case("application/json")
    {
        return Err(Fault::new(
            415,
            "the body is not declared as application/json",
        ));
    }
    tokio::time::timeout(BODY_TIME, whole_body(body))
        .await
        .map_err(too_slow)?
}

/// Copies the pieces: each is a part of the buffer that it was read into, so a body that comes byte by byte would keep
/// several KiB for each of them.
async fn whole_body(mut body: axum::body::Body) -> Result<Vec<u8>, Fault> {
    let mut whole = Vec::new();
    while let Some(piece) = next_piece(&mut body).await? {
        if whole.len() + piece.len() > BODY_MAX {
            return Err(too_long(BODY_MAX as u64));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// The next piece of a body; none at its end.
pub(crate) async fn next_piece(
    body: &mut axum::body::Body,
) -> Result<Option<axum::body::Bytes>, Fault> {
    while let Some(frame) = std::future::poll_fn(|context| poll_frame(body, context)).await {
        // What is no data is a trailer, of which there is no use.
        if let Ok(piece) = frame
            .map_err(|_| Fault::asked("the body broke off"))?
            .into_data()
        {
            return Ok(Some(piece));
        }
    }
    Ok(None)
}

type Polled = std::task::Poll<Option<Result<http_body::Frame<axum::body::Bytes>, axum::Error>>>;

fn poll_frame(body: &mut axum::body::Body, context: &mut std::task::Context<'_>) -> Polled {
    http_body::Body::poll_frame(std::pin::Pin::new(body), context)
}
