//! A connection that gives up on a peer which does not read.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a peer may let us wait before it reads on.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// What each byte that it takes gives back of that: a peer slower than 1 KiB/s uses it up.
const PER_BYTE: Duration = Duration::from_nanos(1_000_000_000 >> 10);

/// Reads and writes as the stream inside; an error of writing once the peer has used up our patience. Only time counts in
/// which something waits to be written, so silence costs nothing.
#[derive(Debug)]
pub struct Paced<S> {
    inner: S,
    most: Duration,
    left: Duration,
    stuck: Option<Stuck>,
}

#[derive(Debug)]
struct Stuck {
    since: Instant,
    over: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
    /// With patience for so long.
    pub fn new(inner: S, most: Duration) -> Paced<S> {
        Paced {
            inner,
            most,
            left: most,
            stuck: None,
        }
    }

    /// What a try to write came to: progress gives patience back, waiting uses it up.
    fn tried(
        &mut self,
        written: Poll<Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize>> {
        match written {
            Poll::Ready(result) => {
                if let Some(stuck) = self.stuck.take() {
                    self.left = self.left.saturating_sub(stuck.since.elapsed());
                }
                let bytes = result
                    .as_ref()
                    .map_or(0, |bytes| u32::try_from(*bytes).unwrap_or(u32::MAX));
                self.left = self
                    .left
                    .saturating_add(PER_BYTE.saturating_mul(bytes))
                    .min(self.most);
                Poll::Ready(result)
            }
            Poll::Pending => {
                let left = self.left;
                let stuck = self.stuck.get_or_insert_with(|| Stuck {
                    since: Instant::now(),
                    over: Box::pin(sleep(left)),
                });
                ready!(stuck.over.as_mut().poll(context));
                Poll::Ready(Err(Error::new(
                    ErrorKind::TimedOut,
                    "the peer does not read",
                )))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.tried(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.tried(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use tokio::net::{TcpListener, TcpStream};

    const PATIENCE: Duration = Duration::from_secs(1);

    /// Writes without end to a peer that `reads`, until it has used up the patience; gives how long that took. The peer
    /// stays open until then, however late the writer comes: what ends the writing is the patience.
    fn until_given_up(reads: impl FnOnce(&mut std::net::TcpStream) + Send + 'static) -> Duration {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap())
                .await
                .unwrap();
            let (peer, _) = listener.accept().await.unwrap();
            let mut peer = peer.into_std().unwrap();
            peer.set_nonblocking(false).unwrap();
            let (given_up, is_given_up) = std::sync::mpsc::channel::<()>();
            let reader = std::thread::spawn(move || {
                reads(&mut peer);
                let _ = is_given_up.recv();
            });
            let mut stream = Paced::new(stream, PATIENCE);
            let begun = Instant::now();
            let block = [0; 1 << 16];
            let error = loop {
                let write = std::future::poll_fn(|context| {
                    Pin::new(&mut stream).poll_write(context, &block)
                });
                if let Err(error) = write.await {
                    break error;
                }
            };
            let took = begun.elapsed();
            drop(given_up);
            reader.join().unwrap();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            took
        })
    }

    #[test]
    fn a_peer_that_does_not_read_is_given_up() {
        let took = until_given_up(|_peer| ());
        assert!(took >= PATIENCE, "{took:?}");
    }

    #[test]
    #[ignore = "live"]
    fn a_peer_that_reads_now_and_then_is_not() {
        let took = until_given_up(|peer| {
            // Every pause is shorter than the patience; together they are longer.
            let mut buffer = vec![0; 8 << 20];
            for _ in 0..5 {
                host::clock::sleep_ms(300);
                peer.read_exact(&mut buffer).unwrap();
            }
        });
        assert!(
            took >= Duration::from_millis(5 * 300) + PATIENCE,
            "{took:?}"
        );
    }
}
