//! A request on its way to the helper, and the answer on its way back, piece by piece.

use super::{Door, json_body, next_piece, too_slow};
use crate::answer::Fault;
use crate::route::{Body, Route, RouteHandler};
use crate::sessions::Session;
use crate::wire::{self, Ask, FromDoor, Told};
use axum::body::Bytes;
use axum::extract::RawPathParams;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use http_body::Frame;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

/// How long a file may take to come.
const FILE_TIME: Duration = Duration::from_secs(600);
/// How long it may pause on its way.
const PIECE_TIME: Duration = Duration::from_secs(30);

/// Has the helper answer a request.
///
/// # Errors
/// When the body does not come, or the helper does not answer.
pub async fn forward(
    door: Arc<Door>,
    route: &'static Route,
    place: &RawPathParams,
    parts: Parts,
    body: axum::body::Body,
) -> Result<Response, Fault> {
    let body = match route.body {
        Body::File => Coming::File(body),
        Body::Json(_) => Coming::Whole(json_body(&parts.headers, body).await?),
        Body::None => Coming::Whole(Vec::new()),
    };
    let ask = ask(route, place, &parts);
    let (mut from, mut to) = door.socket()?.into_split();
    let feeding = async {
        wire::say_head(&mut to, &ask).await.map_err(unanswered)?;
        body.feed(&mut to).await
    };
    // An answer may come before the body is over: then nobody wants the rest.
    let told: Told = {
        let mut answer = std::pin::pin!(wire::head(&mut from));
        tokio::select! {
            biased;
            told = answer.as_mut() => told,
            fed = feeding => match fed {
                Err(Feed::Body(fault)) => return Err(fault),
                Ok(()) | Err(Feed::Helper) => answer.await,
            },
        }
    }
    .map_err(|_| busy())?;
    let session = match route.run {
        RouteHandler::Events => door.session(&parts.headers),
        _ => None,
    };
    let back = Back {
        from,
        _to: to,
        listens: session.map(|session| (door, session)),
    };
    Ok(response(told, back))
}

impl Door {
    /// A socket of which the helper has the other end.
    fn socket(&self) -> Result<UnixStream, Fault> {
        let (ours, theirs) = UnixStream::pair().map_err(|_| busy())?;
        let told = self.tell(&FromDoor::Asks, &[theirs.as_fd()]);
        told.map(|()| ours).map_err(|_| busy())
    }
}

/// The helper takes no more requests, or not this one to its end.
fn busy() -> Fault {
    Fault::new(503, "the server is busy").hint("Try again when less is at work.")
}

fn ask(route: &Route, place: &RawPathParams, parts: &Parts) -> Ask {
    let place = place.iter();
    Ask {
        verb: route.verb,
        path: route.path.to_string(),
        place: place
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        query: parts.uri.query().unwrap_or_default().to_string(),
        last_event_id: text(&parts.headers, "last-event-id"),
        // Headers are ASCII, so a browser sends what is not in the manner of URLs.
        file_name: text(&parts.headers, "x-file-name").and_then(|name| {
            let name = format!("name={name}");
            let (_, name) = form_urlencoded::parse(name.as_bytes()).next()?;
            Some(name.into_owned())
        }),
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_string)
}

/// A body on its way in.
enum Coming {
    Whole(Vec<u8>),
    File(axum::body::Body),
}

/// Why it did not get to the helper.
enum Feed {
    /// It did not come.
    Body(Fault),
    /// Nobody takes it.
    Helper,
}

fn unanswered(_: std::io::Error) -> Feed {
    Feed::Helper
}

impl Coming {
    async fn feed(self, to: &mut OwnedWriteHalf) -> Result<(), Feed> {
        match self {
            Coming::Whole(bytes) => wire::say(to, &bytes).await.map_err(unanswered)?,
            Coming::File(mut body) => {
                let passing = async {
                    while let Some(piece) = tokio::time::timeout(PIECE_TIME, next_piece(&mut body))
                        .await
                        .map_err(|late| Feed::Body(too_slow(late)))?
                        .map_err(Feed::Body)?
                    {
                        wire::say(to, &piece).await.map_err(unanswered)?;
                    }
                    Ok(())
                };
                tokio::time::timeout(FILE_TIME, passing)
                    .await
                    .map_err(|late| Feed::Body(too_slow(late)))??;
            }
        }
        wire::say_end(to).await.map_err(unanswered)
    }
}

/// An answer on its way back.
struct Back {
    from: OwnedReadHalf,
    /// Closed, it would tell the helper that nobody waits any more.
    _to: OwnedWriteHalf,
    /// Who hears of events, for as long as the session is open.
    listens: Option<(Arc<Door>, Session)>,
}

impl Back {
    /// Passes on what comes until it is over, or nobody takes it.
    async fn pass_on(mut self, sender: mpsc::Sender<std::io::Result<Bytes>>) {
        loop {
            let piece = tokio::select! {
                piece = wire::piece(&mut self.from) => piece,
                () = sender.closed() => return,
            };
            // Who has logged out hears no more.
            let is_over = self.listens.as_ref().is_some_and(|(door, session)| {
                door.sessions.find(&session.id, door.now_ms()).is_none()
            });
            match piece {
                Ok(bytes) if bytes.is_empty() => return,
                _ if is_over => return,
                piece => {
                    let breaks_off = piece.is_err();
                    if sender.send(piece).await.is_err() || breaks_off {
                        return;
                    }
                }
            }
        }
    }
}

fn response(told: Told, back: Back) -> Response {
    // One piece waits at the most.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(back.pass_on(sender));
    let mut response = Response::new(axum::body::Body::new(Pipe(receiver)));
    *response.status_mut() =
        StatusCode::from_u16(told.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in told.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A body that is what comes through a channel.
struct Pipe(mpsc::Receiver<std::io::Result<Bytes>>);

impl http_body::Body for Pipe {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        let piece = self.get_mut().0.poll_recv(context);
        piece.map(|piece| piece.map(|bytes| bytes.map(Frame::data)))
    }
}
