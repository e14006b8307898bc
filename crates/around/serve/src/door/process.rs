//! The process that listens, from its first moment, in which it gives up its rights, to its last answer.

use super::Door;
use crate::listen::{self, Entrance};
use crate::server::ServeError;
use crate::tls;
use crate::wire::{FromDoor, Plan, ToDoor};
use host::channel::{Channel, Message};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// How long whoever still listens is waited for at the end.
pub const GRACE: Duration = Duration::from_secs(3);

/// Listens for the process that started this one, which is at the other end of standard input.
///
/// # Errors
/// When nobody is there, or rights cannot be given up.
pub fn run() -> Result<(), ServeError> {
    let channel = Channel::on_standard_input().map_err(|_| ServeError::NotStarted)?;
    let channel = Arc::new(channel);
    let confined = host::confined::confine()?;
    let Some((plan, listeners)) = plan(&channel)? else {
        return Ok(());
    };
    let tls = plan.tls.as_ref().map(tls::acceptor).transpose();
    // The helper has read both already, and said what is wrong with them.
    let tls = tls.map_err(|_| ServeError::Start(std::io::ErrorKind::InvalidData.into()))?;
    let door = Arc::new(Door::new(plan, Arc::clone(&channel)));
    let runtime = listen::runtime(2, 1).map_err(ServeError::Start)?;
    let (end, ended) = tokio::sync::watch::channel(false);
    let knows = Arc::clone(&door);
    let entrance = Entrance {
        tls,
        router: super::router(&door),
        room: Arc::default(),
        is_known: Arc::new(move |headers| knows.knows(headers)),
        end: ended.clone(),
    };
    runtime.block_on(async {
        for listener in listeners {
            listen::accept(listener, entrance.clone())
                .await
                .map_err(ServeError::Start)?;
        }
        Ok::<(), ServeError>(())
    })?;
    drop((entrance, ended));
    door.tell(&FromDoor::Confined(confined.user), &[])?;
    while let Some(message) = channel.receive()? {
        match read(&message)? {
            ToDoor::Token(token) => {
                door.sessions.set_token(token, door.now_ms());
                door.tell(&FromDoor::HasToken, &[])?;
            }
            ToDoor::End | ToDoor::Plan(_) => break,
        }
    }
    // The receiver may be gone already.
    let _ = end.send(true);
    // Responses under way are sent to their end, but a slow client does not hold the server up.
    let _ = runtime.block_on(async { tokio::time::timeout(GRACE, end.closed()).await });
    runtime.shutdown_timeout(Duration::ZERO);
    Ok(())
}

/// The first message, with what to listen on; none where the other process is gone.
fn plan(channel: &Channel) -> Result<Option<(Plan, Vec<TcpListener>)>, ServeError> {
    let Some(mut message) = channel.receive()? else {
        return Ok(None);
    };
    let listeners = std::mem::take(&mut message.files);
    match read(&message)? {
        ToDoor::Plan(plan) => {
            let listeners = listeners.into_iter().map(TcpListener::from);
            Ok(Some((plan, listeners.collect())))
        }
        ToDoor::Token(_) | ToDoor::End => Ok(None),
    }
}

fn read(message: &Message) -> Result<ToDoor, ServeError> {
    model::json::read_bytes(&message.bytes)
        .map_err(|error| ServeError::Start(std::io::Error::other(error.to_string())))
}
