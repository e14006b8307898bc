//! A page of counters for a program that collects them: the same way in as the server's, without sessions.

use crate::answer::{Fault, Reply};
use crate::guard::{self, Reached};
use crate::headers;
use crate::hosts::Hosts;
use crate::listen::{self, Entrance};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use host::signals::Stop;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::sync::oneshot;

/// Prometheus' text format.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
/// Time between two looks for a signal.
const POLL: Duration = Duration::from_millis(50);

/// An address at which counters are read.
#[derive(Debug)]
pub struct Metrics {
    listener: TcpListener,
    hosts: Hosts,
}

/// Somebody who waits for the counters.
type Waiting = oneshot::Sender<Bytes>;

impl Metrics {
    /// Takes the address. Besides that address it answers to `allow_hosts` and, where others reach it, to the machine's name.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn bind(address: SocketAddr, allow_hosts: &[String]) -> std::io::Result<Metrics> {
        let listener = TcpListener::bind(address)?;
        let mut names = allow_hosts.to_vec();
        if !address.ip().is_loopback() {
            names.extend(crate::hosts::own_name(&host::Host::live()));
        }
        Ok(Metrics {
            listener,
            hosts: Hosts::new(&names),
        })
    }

    /// Where it listens, with the port that port 0 became.
    ///
    /// # Errors
    /// When the kernel does not know.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until it is told to stop. `text` gives the counters; however many wait, it is asked once for all of them.
    ///
    /// # Errors
    /// When it cannot start.
    pub fn run(self, stop: &Stop, text: &mut dyn FnMut() -> String) -> std::io::Result<()> {
        let runtime = listen::runtime(1, 1)?;
        let (asks, asked) = channel();
        let (end, ended) = tokio::sync::watch::channel(false);
        let entrance = Entrance {
            tls: None,
            router: router(asks, Arc::new(self.hosts)),
            room: Arc::default(),
            is_known: Arc::new(|_| false),
            end: ended,
        };
        runtime.block_on(listen::accept(self.listener, entrance))?;
        while !stop.is_asked() {
            answer(&asked, text);
        }
        let _ = end.send(true);
        runtime.shutdown_timeout(POLL);
        Ok(())
    }
}

/// Waits a moment for somebody who asks, and answers all who do.
fn answer(asked: &Receiver<Waiting>, text: &mut dyn FnMut() -> String) {
    match asked.recv_timeout(POLL) {
        Ok(first) => {
            let all: Vec<Waiting> = std::iter::once(first).chain(asked.try_iter()).collect();
            let text = Bytes::from(text());
            // A reader that has gone has only itself to tell.
            all.into_iter()
                .for_each(|waiting| drop(waiting.send(text.clone())));
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
    }
}

fn router(asks: Sender<Waiting>, hosts: Arc<Hosts>) -> Router {
    let serve = move |request: Request| page(asks.clone(), request);
    Router::new()
        .fallback(serve)
        .layer(from_fn_with_state(hosts, outer))
}

/// Refuses whoever calls us by a name that is not ours: a page whose name was made to point here.
async fn outer(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let reached = request.extensions().get::<Reached>().copied();
    let named = reached.ok_or_else(Fault::defect).and_then(|reached| {
        guard::named(
            (request.method(), request.uri(), request.headers()),
            reached,
            &hosts,
        )
    });
    let mut response = match named {
        Ok(_) => next.run(request).await,
        Err(fault) => fault.into_response(),
    };
    headers::add(response.headers_mut(), false);
    response
}

async fn page(asks: Sender<Waiting>, request: Request) -> Response {
    let refused = |status, words: &'static str| Reply {
        status,
        ..Reply::bytes(PLAIN, words)
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let reply = refused(405, "Only GET and HEAD are answered.\n");
        return reply.with(header::ALLOW, "GET, HEAD").into_response();
    }
    if request.uri().path() != "/metrics" {
        return refused(404, "The counters are at /metrics.\n").into_response();
    }
    let (waiting, answer) = oneshot::channel();
    let text = match asks.send(waiting) {
        Ok(()) => answer.await.ok(),
        Err(_) => None,
    };
    text.map_or_else(
        || Fault::new(503, "it is ending").into_response(),
        |text| Reply::bytes(KIND, text).into_response(),
    )
}
