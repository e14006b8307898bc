//! What everything behind the door shares, and the way of a request through it.

use crate::answer::Fault;
use crate::events::{self, Hub};
use crate::guard::{self, Reached};
use crate::hosts::{self, Hosts};
use crate::jobs::Jobs;
use crate::route::{self, Body, Call, Gate, Handle, Route, RouteHandler, Verb};
use crate::server::Options;
use crate::sessions::{Session, Sessions};
use crate::{assets, headers, routes, verbs};
use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use host::{Host, Upload};
use runner::{Runner, RunnerPlace};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Largest JSON body, bytes.
const BODY_MAX: usize = 64 << 10;
/// Largest file that is imported, bytes.
const FILE_MAX: u64 = model::imported::INPUT_MAX_BYTES;
/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The same for a file.
const FILE_TIME: Duration = Duration::from_secs(600);
/// How long a file may pause on its way.
const PIECE_TIME: Duration = Duration::from_secs(30);
/// How long a read of the store may take, and how long a request waits for its turn.
const READ_TIME: Duration = Duration::from_secs(60);
/// Requests that read or write the store at a time; others queue.
const READS_MAX: usize = 4;
/// Requests that wait for a verb at a time.
const VERBS_MAX: usize = 8;
/// Files that come or are imported at a time.
const FILES_MAX: usize = 2;
/// Threads for all of those; a file that comes has one of its own.
pub const THREADS_MAX: usize = READS_MAX + VERBS_MAX + 2 * FILES_MAX;

/// What everything shares.
#[derive(Debug)]
pub struct Door {
    /// What the user asked for.
    pub options: Options,
    /// The live machine.
    pub host: Host,
    /// What starts verbs beside us.
    pub runner: Runner,
    /// Who is in.
    pub sessions: Sessions,
    /// By which names we are called.
    pub hosts: Hosts,
    /// Loads that were started here.
    pub jobs: Jobs,
    /// What listeners are told.
    pub hub: Arc<Hub>,
    /// Name of our cookie: cookies know no ports, so it says which.
    pub cookie: String,
    /// Raised when a new token is to be told.
    pub wants_token: AtomicBool,
    turns: Turns,
}

/// Who waits for what, each with turns of its own: verbs that wait for a slow disk keep nobody from the records. Only those
/// who are logged in get that far.
#[derive(Debug)]
struct Turns {
    reads: Arc<Semaphore>,
    verbs: Arc<Semaphore>,
    files: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Turns {
        let most = |most| Arc::new(Semaphore::new(most));
        Turns {
            reads: most(READS_MAX),
            verbs: most(VERBS_MAX),
            files: most(FILES_MAX),
        }
    }
}

impl Door {
    /// For a server on this port.
    pub fn new(options: Options, port: u16) -> Door {
        let host = Host::live();
        let mut names = options.allow_hosts.clone();
        if options.tls.is_some() {
            names.extend(hosts::own_name(&host));
        }
        Door {
            hosts: Hosts::new(&names),
            host,
            runner: Runner::new(RunnerPlace::Here, options.program.clone()),
            sessions: Sessions::default(),
            jobs: Jobs::default(),
            hub: Arc::new(Hub::new()),
            cookie: format!("iodyno_{port}"),
            wants_token: AtomicBool::new(false),
            turns: Turns::default(),
            options,
        }
    }

    /// Whether headers show a session that is open.
    pub fn knows(&self, headers: &HeaderMap) -> bool {
        guard::session(headers, &self.cookie, &self.sessions, self.now_ms()).is_some()
    }

    /// The clock of sessions, ms.
    pub fn now_ms(&self) -> u64 {
        host::clock::monotonic_ns() / 1_000_000
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
    let session = guard::session(&parts.headers, &door.cookie, &door.sessions, door.now_ms());
    may_enter(&door, route, &parts.headers, session.as_ref())?;
    let mut call = Call {
        given: vec![
            route::query(route.query, parts.uri.query().unwrap_or_default())?,
            // A value of the wrong form names nothing that exists.
            route::parameters(route.place, "path", place.iter())
                .map_err(|why| Fault::new(404, why))?,
        ],
        authority: parts
            .extensions
            .get::<Authority>()
            .map(|name| name.0.clone())
            .unwrap_or_default(),
        session,
        ..Call::default()
    };
    let mut own_turn = None;
    match route.body {
        Body::Json(input) => {
            let bytes = json_body(&parts.headers, body).await?;
            call.given.push(route::body(input, &bytes)?);
        }
        Body::File => {
            // Before it comes: so few are on the disk, and threads that write them at work.
            own_turn = Some(turn(&door.turns.files).await?);
            call.file = Some(file_body(&door, &parts.headers, body).await?);
        }
        Body::None => {}
    }
    match route.run {
        RouteHandler::Events => events::response(&door, &call, &parts.headers),
        RouteHandler::Quick(handle) => handle(&door, &call).map(IntoResponse::into_response),
        RouteHandler::Call(handle)
        | RouteHandler::Look(handle)
        | RouteHandler::Verb(handle)
        | RouteHandler::File(handle) => at_work(door, route, call, handle, own_turn).await,
    }
}

/// Refuses who is not logged in where that is needed, changes that another site asks for, and all changes of a server
/// that only shows.
fn may_enter(
    door: &Door,
    route: &Route,
    headers: &HeaderMap,
    session: Option<&Session>,
) -> Result<(), Fault> {
    if route.gate != Gate::Anybody {
        let session = session.ok_or_else(|| {
            Fault::new(401, "nobody is logged in here")
                .hint("Open the address that `iodyno serve` printed; `kill -USR1` makes it print a new one.")
        })?;
        if route.verb != Verb::Get {
            guard::change(headers, session)?;
        }
    }
    if door.options.read_only && route.verb != Verb::Get && route.gate == Gate::Session {
        return Err(Fault::new(
            403,
            "this server only shows: it was started with --read-only",
        )
        .hint("Start it without --read-only, or use the command line."));
    }
    Ok(())
}

/// Answers a call on a thread of its own, when it is its turn.
async fn at_work(
    door: Arc<Door>,
    route: &'static Route,
    call: Call,
    handle: Handle,
    own_turn: Option<OwnedSemaphorePermit>,
) -> Result<Response, Fault> {
    // Dropped with this future when the connection ends, and then nobody waits for the verb any more.
    let _cancel = call.cancel.on_drop();
    // Verbs have limits of their own, and a change is waited for however long it takes.
    let limit = match (&route.run, route.verb) {
        (RouteHandler::Call(_), Verb::Get) => Some(READ_TIME),
        (RouteHandler::Look(_), _) => Some(verbs::LOOK_TIME),
        _ => None,
    };
    let own_turn = match route.run {
        RouteHandler::Call(_) => Some(turn(&door.turns.reads).await?),
        RouteHandler::Look(_) | RouteHandler::Verb(_) => Some(turn(&door.turns.verbs).await?),
        _ => own_turn,
    };
    let work = tokio::task::spawn_blocking(move || {
        let _turn = own_turn;
        handle(&door, &call)
    });
    let done = match limit {
        Some(limit) => tokio::time::timeout(limit, work)
            .await
            .map_err(|_| busy(limit))?,
        None => work.await,
    };
    done.map_err(|_| Fault::defect())?
        .map(IntoResponse::into_response)
}

async fn turn(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Fault> {
    let turn = tokio::time::timeout(READ_TIME, Arc::clone(turns).acquire_owned())
        .await
        .map_err(|_| busy(READ_TIME))?;
    turn.map_err(|_| Fault::defect())
}

fn busy(limit: Duration) -> Fault {
    let limit = model::units::span_ms(limit.as_millis() as u64);
    Fault::new(503, format!("the server is busy: no answer within {limit}"))
        .hint("Try again when less is at work.")
}

fn too_long(most: u64) -> Fault {
    Fault::new(
        413,
        format!(
            "the body has more than {}",
            model::units::bytes(most as f64)
        ),
    )
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
async fn next_piece(body: &mut axum::body::Body) -> Result<Option<axum::body::Bytes>, Fault> {
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

/// Puts a body into a file without holding more of it than a few pieces.
async fn file_body(
    door: &Door,
    headers: &HeaderMap,
    body: axum::body::Body,
) -> Result<Upload, Fault> {
    let name = headers
        .get("x-file-name")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    // Headers are ASCII, so a browser sends what is not in the manner of URLs.
    let name = form_urlencoded::parse(format!("name={name}").as_bytes())
        .next()
        .map(|(_, name)| name.into_owned());
    let mut upload = Upload::begin(&door.options.state_dir, &name.unwrap_or_default())?;
    let (sender, mut pieces) = tokio::sync::mpsc::channel::<axum::body::Bytes>(4);
    let writing = tokio::task::spawn_blocking(move || -> Result<Upload, Fault> {
        let mut length = 0;
        while let Some(piece) = pieces.blocking_recv() {
            length += piece.len() as u64;
            if length > FILE_MAX {
                return Err(too_long(FILE_MAX));
            }
            upload.write(&piece)?;
        }
        Ok(upload)
    });
    let mut body = body;
    let reading = async {
        while let Some(piece) = tokio::time::timeout(PIECE_TIME, next_piece(&mut body))
            .await
            .map_err(too_slow)??
        {
            // Nobody takes it any more where writing failed, which tells why.
            if sender.send(piece).await.is_err() {
                break;
            }
        }
        Ok::<(), Fault>(())
    };
    let read = tokio::time::timeout(FILE_TIME, reading).await;
    drop(sender);
    let upload = writing.await.map_err(|_| Fault::defect())??;
    read.map_err(too_slow)??;
    Ok(upload)
}

type Polled = std::task::Poll<Option<Result<http_body::Frame<axum::body::Bytes>, axum::Error>>>;

fn poll_frame(body: &mut axum::body::Body, context: &mut std::task::Context<'_>) -> Polled {
    http_body::Body::poll_frame(std::pin::Pin::new(body), context)
}
