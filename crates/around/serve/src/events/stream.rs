//! One listener: takes from the hub what came, at the pace of its connection.

use crate::answer::Fault;
use crate::door::Door;
use crate::events::{Hub, frames};
use crate::route::Call;
use crate::routes::events::Pace;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body::Frame;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a silent stream waits before it says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// The stream of events for a listener.
///
/// # Errors
/// When its route takes no pace.
pub fn response(door: &Arc<Door>, call: &Call, headers: &HeaderMap) -> Result<Response, Fault> {
    let last_id = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    let every_ms = call.given::<Pace>()?.every_ms.map_or(0, |every| every.0);
    let mut place = door.hub.place(last_id, every_ms as u64);
    let listener = Listener::new(door);
    // One piece waits at the most: what is slower than that loses frames in the hub, not memory here.
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let session = call
        .session
        .as_ref()
        .map(|session| session.id.clone())
        .unwrap_or_default();
    let door = Arc::clone(door);
    tokio::spawn(async move {
        let _listener = listener;
        let mut changes = door.hub.changes();
        let mut text = String::from("retry: 2000\n\n");
        // Who has logged out hears no more.
        while !door.hub.is_closed() && door.sessions.find(&session, door.now_ms()).is_some() {
            text.push_str(&door.hub.since(&mut place));
            if !text.is_empty()
                && sender
                    .send(Bytes::from(std::mem::take(&mut text)))
                    .await
                    .is_err()
            {
                return;
            }
            tokio::select! {
                turned = changes.changed() => if turned.is_err() { return },
                () = sender.closed() => return,
                () = tokio::time::sleep(ALIVE) => text.push_str(": still here\n\n"),
            }
        }
    });
    let mut response = Response::new(Body::new(Pipe(receiver)));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    Ok(response)
}

/// Counts among the listeners for as long as it lives.
struct Listener(Arc<Hub>);

impl Listener {
    fn new(door: &Arc<Door>) -> Listener {
        door.hub.join_in(|| frames::begin(door));
        Listener(Arc::clone(&door.hub))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A body that is what comes through a channel.
struct Pipe(mpsc::Receiver<Bytes>);

impl http_body::Body for Pipe {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut()
            .0
            .poll_recv(context)
            .map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}
