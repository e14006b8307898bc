//! What has the rights of whoever started the server: reads the store and the machine, and starts verbs, for requests that
//! passed the door.
//!
//! It listens to nobody but [`crate::door`], and takes nothing from there but the ways in of `routes`, with values that it
//! checks itself. So whoever has taken the door over can do what somebody who is logged in can do, and nothing else: what
//! changes a setting is a verb, which has its old value in a journal first.

use crate::answer::{Fault, Reply};
use crate::events::{self, Hub};
use crate::jobs::Jobs;
use crate::route::{self, Body, Call, Route, RouteHandler, Verb};
use crate::routes::{self, events::Pace};
use crate::server::Options;
use crate::turns::{self, Turns};
use crate::wire::{self, Ask, Told};
use axum::http::header;
use host::{Host, Upload};
use runner::{Runner, RunnerPlace};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Semaphore;

/// Largest JSON body, bytes.
pub const BODY_MAX: usize = 64 << 10;
/// Largest file that is imported, bytes.
const FILE_MAX: u64 = model::imported::INPUT_MAX_BYTES;
/// How long the door may take to say what is asked.
const HEAD_TIME: Duration = Duration::from_secs(20);
/// Requests at a time: more than the door has connections.
const ASKS_MAX: usize = 512;

/// What everything behind the door shares.
#[derive(Debug)]
pub struct Helper {
    /// What the user asked for.
    pub options: Options,
    /// The live machine.
    pub host: Host,
    /// What starts verbs beside us.
    pub runner: Runner,
    /// Loads that were started here.
    pub jobs: Jobs,
    /// What listeners are told.
    pub hub: Arc<Hub>,
    /// Name of the door's cookie.
    pub cookie: String,
    pub(crate) turns: Turns,
    asks: Arc<Semaphore>,
}

impl Helper {
    /// For a server on this port.
    pub fn new(options: Options, port: u16) -> Helper {
        Helper {
            host: Host::live(),
            runner: Runner::new(RunnerPlace::Here, options.program.clone()),
            jobs: Jobs::default(),
            hub: Arc::new(Hub::new()),
            // Cookies know no ports, so it says which.
            cookie: format!("iodyno_{port}"),
            turns: Turns::default(),
            asks: Arc::new(Semaphore::new(ASKS_MAX)),
            options,
        }
    }
}

/// Answers a request that came over the door's channel. One too many is dropped, which the door reads as an end.
pub async fn attend(helper: Arc<Helper>, stream: std::os::unix::net::UnixStream) {
    let Ok(_place) = Arc::clone(&helper.asks).try_acquire_owned() else {
        return;
    };
    let stream = stream
        .set_nonblocking(true)
        .and_then(|()| UnixStream::from_std(stream));
    let Ok(stream) = stream else {
        return;
    };
    let (mut from, mut to) = stream.into_split();
    let Ok(Ok(ask)) = tokio::time::timeout(HEAD_TIME, wire::head::<Ask>(&mut from)).await else {
        return;
    };
    // Whoever is gone is told nothing.
    let _ = answer(&helper, &ask, &mut from, &mut to).await;
}

/// Reads what else comes, and answers, for as long as somebody waits for it.
async fn answer(
    helper: &Arc<Helper>,
    ask: &Ask,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
) -> std::io::Result<()> {
    let taken = take(helper, ask, from).await;
    let (route, call) = match taken {
        Ok(taken) => taken,
        Err(fault) => return tell(to, fault.into()).await,
    };
    let telling = async {
        match route.run {
            RouteHandler::Events => {
                let every_ms = call.given::<Pace>().map_or(0, Pace::ms);
                events::tell(helper, every_ms, ask.last_event_id.as_deref(), to).await
            }
            RouteHandler::Quick(handle) => {
                let reply = handle(helper, &call);
                tell(to, reply.unwrap_or_else(Reply::from)).await
            }
            _ => {
                let reply = turns::at_work(Arc::clone(helper), route, call).await;
                tell(to, reply.unwrap_or_else(Reply::from)).await
            }
        }
    };
    tokio::select! {
        told = telling => told,
        // Nothing more is to come: the door is not interested any more, or is none of ours.
        _ = wire::piece(from) => Ok(()),
    }
}

/// The way in that is asked for, and the values of the request, checked.
async fn take(
    helper: &Helper,
    ask: &Ask,
    from: &mut OwnedReadHalf,
) -> Result<(&'static Route, Call), Fault> {
    let is_it = |route: &&Route| route.verb == ask.verb && route.path == ask.path;
    let route = routes::all()
        .filter(|route| !matches!(route.run, RouteHandler::Door(_)))
        .find(is_it)
        .ok_or_else(|| Fault::new(404, "there is no such way in"))?;
    if helper.options.read_only && route.verb != Verb::Get {
        return Err(Fault::new(
            403,
            "this server only shows: it was started with --read-only",
        )
        .hint("Start it without --read-only, or use the command line."));
    }
    let place = ask.place.iter().map(|(name, value)| (name, value));
    let mut call = Call {
        given: vec![
            route::query(route.query, &ask.query)?,
            // A value of the wrong form names nothing that exists.
            route::parameters(route.place, "path", place).map_err(|why| Fault::new(404, why))?,
        ],
        ..Call::default()
    };
    match route.body {
        Body::Json(input) => call.given.push(route::body(input, &whole(from).await?)?),
        Body::File => {
            // Before it comes: so few are on the disk, and threads that write them at work.
            call.turn = Some(turns::turn(&helper.turns.files).await?);
            call.file = Some(file(helper, ask.file_name.as_deref(), from).await?);
        }
        Body::None => drop(whole(from).await?),
    }
    Ok((route, call))
}

fn broken_off<T>(_: T) -> Fault {
    Fault::asked("the body broke off")
}

/// What a body with more than this is answered with.
pub fn too_long(most: u64) -> Fault {
    Fault::new(
        413,
        format!(
            "the body has more than {}",
            model::units::bytes(most as f64)
        ),
    )
}

/// A body of which all is kept.
async fn whole(from: &mut OwnedReadHalf) -> Result<Vec<u8>, Fault> {
    let mut whole = Vec::new();
    loop {
        let piece = wire::piece(from).await.map_err(broken_off)?;
        if piece.is_empty() {
            return Ok(whole);
        }
        if whole.len() + piece.len() > BODY_MAX {
            return Err(too_long(BODY_MAX as u64));
        }
        whole.extend_from_slice(&piece);
    }
}

/// Puts a body into a file without holding more of it than a few pieces.
async fn file(
    helper: &Helper,
    name: Option<&str>,
    from: &mut OwnedReadHalf,
) -> Result<Upload, Fault> {
    let mut upload = Upload::begin(&helper.options.state_dir, name.unwrap_or_default())?;
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
    let read = async {
        loop {
            let piece = wire::piece(from).await.map_err(broken_off)?;
            // Nobody takes it any more where writing failed, which tells why.
            if piece.is_empty() || sender.send(piece).await.is_err() {
                return Ok(());
            }
        }
    }
    .await;
    drop(sender);
    let upload = writing.await.map_err(|_| Fault::defect())??;
    read.map(|()| upload)
}

/// Writes an answer whole.
async fn tell(to: &mut OwnedWriteHalf, reply: Reply) -> std::io::Result<()> {
    let named = |(name, value): (axum::http::HeaderName, String)| (name.to_string(), value);
    let mut headers: Vec<_> = reply.headers.into_iter().map(named).collect();
    headers.push((header::CONTENT_TYPE.to_string(), reply.kind.into()));
    // So that an answer which breaks off is seen to be none.
    headers.push((
        header::CONTENT_LENGTH.to_string(),
        reply.body.len().to_string(),
    ));
    let told = Told {
        status: reply.status,
        headers,
    };
    wire::say_head(to, &told).await?;
    wire::say(to, &reply.body).await?;
    wire::say_end(to).await
}

#[cfg(test)]
mod tests;
