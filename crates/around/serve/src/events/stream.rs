//! One listener: takes from the hub what came, at the pace of its connection.

use crate::events::{Hub, frames};
use crate::helper::Helper;
use crate::wire::{self, Told};
use axum::http::header;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::OwnedWriteHalf;

/// How long a silent stream waits before it says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// Tells a listener of events until it is gone or the server ends. What it does not take in time it loses: a few pieces wait in
/// its socket, frames in the hub. Frames are at least `every_ms` apart.
///
/// # Errors
/// When it is gone.
pub async fn tell(
    helper: &Arc<Helper>,
    every_ms: u64,
    last_id: Option<&str>,
    to: &mut OwnedWriteHalf,
) -> std::io::Result<()> {
    let mut place = helper.hub.place(last_id, every_ms);
    let _listener = Listener::new(helper);
    let kind = (header::CONTENT_TYPE.to_string(), "text/event-stream".into());
    let told = Told {
        status: 200,
        headers: vec![kind],
    };
    wire::say_head(to, &told).await?;
    let mut changes = helper.hub.changes();
    let mut text = String::from("retry: 2000\n\n");
    while !helper.hub.is_closed() {
        text.push_str(&helper.hub.since(&mut place));
        wire::say(to, std::mem::take(&mut text).as_bytes()).await?;
        tokio::select! {
            turned = changes.changed() => if turned.is_err() { break },
            () = tokio::time::sleep(ALIVE) => text.push_str(": still here\n\n"),
        }
    }
    wire::say_end(to).await
}

/// Counts among the listeners for as long as it lives.
struct Listener(Arc<Hub>);

impl Listener {
    fn new(helper: &Arc<Helper>) -> Listener {
        helper.hub.join_in(|| frames::begin(helper));
        Listener(Arc::clone(&helper.hub))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.leave();
    }
}
