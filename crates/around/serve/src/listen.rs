//! Takes connections and speaks HTTP/1.1 on each, within bounds that a slow or hostile peer cannot stretch.

use crate::guard::Reached;
use crate::paced::{PATIENCE, Paced};
use crate::room::{Room, RoomPlace};
use axum::Router;
use axum::http::{HeaderMap, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// Headers of a request.
const HEADERS_MAX: usize = 64;
/// How long a request's head, and a handshake, may take.
const HEAD_TIME: Duration = Duration::from_secs(20);
/// Open files of a server: connections, and what a verb on its way needs.
const FILES: u64 = 4096;

/// What all connections share.
#[derive(Clone)]
pub struct Entrance {
    /// What encrypts.
    pub tls: Option<TlsAcceptor>,
    /// What answers.
    pub router: Router,
    /// Who is connected.
    pub room: Arc<Room>,
    /// Whether a request's headers show that we know who asks.
    pub is_known: Arc<dyn Fn(&HeaderMap) -> bool + Send + Sync>,
    /// Turns at the end.
    pub end: watch::Receiver<bool>,
}

/// An executor on threads of its own, with room for all who connect.
///
/// # Errors
/// When the kernel has no thread or no epoll for it.
pub fn runtime(workers: usize, blocking: usize) -> std::io::Result<tokio::runtime::Runtime> {
    host::listening::raise_open_files(FILES);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .max_blocking_threads(blocking)
        .thread_name("iodyno-serve")
        .enable_io()
        .enable_time()
        .build()
}

/// Takes connections of a listener until the end.
///
/// # Errors
/// When the listener cannot be waited for.
pub async fn accept(listener: std::net::TcpListener, entrance: Entrance) -> std::io::Result<()> {
    host::listening::prepare(&listener);
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    tokio::spawn(accept_all(listener, entrance));
    Ok(())
}

async fn accept_all(listener: TcpListener, entrance: Entrance) {
    let mut ended = entrance.end.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = over(&mut ended) => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                let place = entrance.room.enter(peer.ip());
                tokio::spawn(connection(stream, place, entrance.clone()));
                // Each newcomer is looked at before the next one may take a place.
                tokio::task::yield_now().await;
            }
            // Out of descriptors, or a peer that was gone at once: neither is a reason to stop.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn connection(stream: TcpStream, place: RoomPlace, entrance: Entrance) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let reached = Reached {
        local: local.ip(),
        is_tls: entrance.tls.is_some(),
    };
    let stream = Paced::new(stream, PATIENCE);
    let place = Arc::new(place);
    let talk = Talk {
        reached,
        place: Arc::clone(&place),
        entrance,
    };
    tokio::select! {
        () = shake_and_speak(stream, talk) => {}
        () = place.taken() => {}
    }
}

/// What is known of one connection.
struct Talk {
    reached: Reached,
    place: Arc<RoomPlace>,
    entrance: Entrance,
}

async fn shake_and_speak(stream: Paced<TcpStream>, talk: Talk) {
    match talk.entrance.tls.clone() {
        None => speak(stream, talk).await,
        Some(acceptor) => {
            let shaken = tokio::time::timeout(HEAD_TIME, acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = shaken {
                speak(stream, talk).await;
            }
        }
    }
}

async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, talk: Talk) {
    let mut end = talk.entrance.end.clone();
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(talk.reached);
        talk.place.asks((talk.entrance.is_known)(request.headers()));
        tower_service::Service::call(&mut talk.entrance.router.clone(), request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(crate::guard::HEAD_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let is_told_to_end = tokio::select! {
        _ = connection.as_mut() => false,
        () = over(&mut end) => true,
    };
    if is_told_to_end {
        connection.as_mut().graceful_shutdown();
        // An answer that has begun is sent to its end; a peer that does not read is not waited for.
        let _ = tokio::time::timeout(Duration::from_secs(2), connection).await;
    }
}

/// Waits for the server's end.
async fn over(end: &mut watch::Receiver<bool>) {
    // Whoever would tell is gone: that is an end too.
    let _ = end.wait_for(|is_over| *is_over).await;
}
