//! What the process that listens and the one with rights say to each other.
//!
//! They share a [`host::channel::Channel`], over which each request is a message with a socket of its own. On that socket both
//! sides write pieces: four bytes of length, then so many bytes. The first piece is a head in JSON, the others are a body, and
//! an empty one is its end. What breaks off without it is no whole body.

use crate::route::Verb;
use axum::body::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// The longest piece, bytes: a head is at most twice as long as the request's.
const PIECE_MAX: usize = 128 << 10;

/// Names, certificate and everything else that the process which listens works by.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// By which names it may be called besides localhost.
    pub names: Vec<String>,
    /// Name of its cookie.
    pub cookie: String,
    /// Whether every change is refused, which pages show; the helper refuses it.
    pub read_only: bool,
    /// Version of iodyno.
    pub version: String,
    /// Name of the machine.
    pub hostname: String,
    /// Whether settings may be changed.
    pub is_root: bool,
    /// What encrypts.
    pub tls: Option<Pem>,
}

/// A certificate with its key.
#[derive(Clone, Serialize, Deserialize)]
pub struct Pem {
    /// The certificate and what it is signed with.
    pub cert: String,
    /// Its key.
    pub key: String,
}

impl std::fmt::Debug for Pem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Pem")
    }
}

/// A message to the process that listens.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToDoor {
    /// The first one; with it come the sockets to listen on.
    Plan(Plan),
    /// A token that opens one session, in place of any earlier one.
    Token(String),
    /// Answers what it has and ends.
    End,
}

/// A message from the process that listens.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromDoor {
    /// It has given up its rights. Another user than root, where there is one.
    Confined(Option<u32>),
    /// The token that it was sent opens a session now.
    HasToken,
    /// Somebody has logged out, so a new one will be wanted.
    WantsToken,
    /// Somebody who is logged in asks; with it comes a socket.
    Asks,
}

/// The head of a request that passed the door.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ask {
    /// What is done.
    pub verb: Verb,
    /// The way in, as its table names it.
    pub path: String,
    /// Parameters in the path by their names.
    pub place: Vec<(String, String)>,
    /// Parameters behind the question mark.
    pub query: String,
    /// After which event a listener goes on.
    pub last_event_id: Option<String>,
    /// What the sender calls the file that comes.
    pub file_name: Option<String>,
}

/// The head of an answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
}

/// Reads a head.
///
/// # Errors
/// When it breaks off, is too long or another one.
pub async fn head<T: DeserializeOwned>(from: &mut OwnedReadHalf) -> Result<T> {
    let piece = piece(from).await?;
    model::json::read_bytes(&piece).map_err(|_| Error::from(ErrorKind::InvalidData))
}

/// Reads the next piece; an empty one is the end.
///
/// # Errors
/// When it breaks off, or is longer than any of ours.
pub async fn piece(from: &mut OwnedReadHalf) -> Result<Bytes> {
    let length = from.read_u32_le().await? as usize;
    if length > PIECE_MAX {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    Ok(bytes.into())
}

/// Writes a head.
///
/// # Errors
/// When the other side is gone.
pub async fn say_head(to: &mut OwnedWriteHalf, head: &impl Serialize) -> Result<()> {
    say(to, &serde_json::to_vec(head)?).await
}

/// Writes bytes in as many pieces as it takes, none for no bytes.
///
/// # Errors
/// When the other side is gone.
pub async fn say(to: &mut OwnedWriteHalf, bytes: &[u8]) -> Result<()> {
    for piece in bytes.chunks(PIECE_MAX) {
        to.write_u32_le(piece.len() as u32).await?;
        to.write_all(piece).await?;
    }
    Ok(())
}

/// Writes the end of a body.
///
/// # Errors
/// When the other side is gone.
pub async fn say_end(to: &mut OwnedWriteHalf) -> Result<()> {
    to.write_u32_le(0).await
}
