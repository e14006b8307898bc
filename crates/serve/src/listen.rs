//! Takes connections and speaks HTTP/1.1 on each, within bounds that a slow or hostile peer cannot stretch.

use crate::guard::Reached;
use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// Connections at a time.
const CONNECTIONS_MAX: usize = 128;
/// Request line and headers together, bytes.
const HEAD_MAX: usize = 32 << 10;
/// Headers of a request.
const HEADERS_MAX: usize = 64;
/// How long a request's head, and a handshake, may take.
const HEAD_TIME: Duration = Duration::from_secs(20);

/// Takes connections until `end` turns.
pub async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    end: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut ended = end.clone();
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let accepted = tokio::select! {
            accepted = listener.accept() => Some(accepted),
            () = over(&mut ended) => None,
        };
        let stream = match accepted {
            None => return,
            Some(Ok((stream, _))) => stream,
            // Out of descriptors, or a peer that was gone at once: neither is a reason to stop.
            Some(Err(_)) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (tls, router, end) = (tls.clone(), router.clone(), end.clone());
        tokio::spawn(async move {
            let _permit = permit;
            connection(stream, tls, router, end).await;
        });
    }
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router, end: watch::Receiver<bool>) {
    let Ok(local) = stream.local_addr() else { return };
    let _ = stream.set_nodelay(true);
    let reached = Reached { local: local.ip(), is_tls: tls.is_some() };
    match tls {
        None => speak(stream, router, reached, end).await,
        Some(acceptor) => {
            let shaken = tokio::time::timeout(HEAD_TIME, acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = shaken {
                speak(stream, router, reached, end).await;
            }
        }
    }
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    reached: Reached,
    mut end: watch::Receiver<bool>,
) {
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(reached);
        let mut router = router.clone();
        tower_service::Service::call(&mut router, request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let is_told_to_end = tokio::select! {
        _ = connection.as_mut() => false,
        () = over(&mut end) => true,
    };
    if is_told_to_end {
        connection.as_mut().graceful_shutdown();
        // What is half said may be said to its end; nobody is waited for who does not listen.
        let _ = tokio::time::timeout(Duration::from_secs(2), connection).await;
    }
}

/// Waits for the server's end.
async fn over(end: &mut watch::Receiver<bool>) {
    // Whoever would tell is gone: that is an end too.
    let _ = end.wait_for(|is_over| *is_over).await;
}
