//! `watch --prometheus ADDR`: the raw counters over HTTP.
//!
//! One thing is served, to one reader at a time, so this is HTTP's smallest part and no framework: a GET of `/metrics`
//! is answered and the connection closed. Whoever is slow is cut off.

use super::{Args, Watching, since_the_last_line};
use crate::commands::Context;
use crate::exit::{Exit, Failure};
use host::signals::Stop;
use pipeline::{observe, report::exposition};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// How long a reader may take to ask and to take its answer, all together.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two looks for a reader or a signal, ms.
const POLL_MS: u64 = 20;
/// A request line and its headers are shorter than this, bytes.
const REQUEST_MAX: u64 = 16 << 10;

/// `9100`, `:9100` or `ADDR:PORT`; without an address the loopback one.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "an address is a port (9100) or an IP address with a port (0.0.0.0:9100)".into())
}

/// Serves until told to stop.
pub fn serve(address: SocketAddr, args: &Args, context: &Context, stop: &Stop) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Failed, format!("cannot serve metrics at {address}: {error}"))
            .hint("Choose another port, or an address of this machine.")
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let watching = Watching::start(context, args, since_the_last_line(args))?;
    let bound = listener.local_addr().map_err(failed)?;
    context.out.say(format!("serving http://{bound}/metrics"));
    if !bound.ip().is_loopback() {
        context
            .out
            .note("Everybody who reaches this address can read which devices and processes do I/O here.");
    }
    while !stop.is_asked() {
        match listener.accept() {
            // A reader that breaks off has only itself to tell.
            Ok((stream, _)) => drop(answer(&stream, &watching)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => host::clock::sleep_ms(POLL_MS),
            Err(error) => {
                context.out.note(format!("a connection failed: {error}"));
                host::clock::sleep_ms(POLL_MS);
            }
        }
    }
    Ok(Exit::Fine)
}

/// A connection that ends in time, whatever the other side does.
struct Patient<'a> {
    stream: &'a TcpStream,
    until_ns: u64,
}

impl Patient<'_> {
    /// What is left of the patience; an error when it is used up.
    fn left(&self) -> std::io::Result<Option<Duration>> {
        match self.until_ns.saturating_sub(host::clock::monotonic_ns()) {
            0 => Err(ErrorKind::TimedOut.into()),
            left_ns => Ok(Some(Duration::from_nanos(left_ns).max(Duration::from_millis(1)))),
        }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

fn answer(stream: &TcpStream, watching: &Watching) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    let until_ns = host::clock::monotonic_ns() + PATIENCE.as_nanos() as u64;
    let mut stream = Patient { stream, until_ns };
    let request = request_line(&mut stream)?;
    let (status, kind, body) = match request.split_whitespace().collect::<Vec<_>>()[..] {
        ["GET" | "HEAD", "/metrics", ..] => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics(watching))
        }
        ["GET" | "HEAD", ..] => ("404 Not Found", "text/plain", "The counters are at /metrics.\n".into()),
        _ => ("405 Method Not Allowed", "text/plain", "Only GET and HEAD are answered.\n".into()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if request.starts_with("HEAD") { Ok(()) } else { stream.write_all(body.as_bytes()) }
}

/// The first line; the headers are read and left, because closing a connection with unread bytes resets it.
fn request_line(stream: &mut Patient<'_>) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream.take(REQUEST_MAX));
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    Ok(first)
}

fn metrics(watching: &Watching) -> String {
    let status = watching.sampler.status();
    let readings = watching.sampler.readings(status.last_ns, status.last_ns);
    let mut text = exposition::text(&observe::metrics(), &readings);
    if let Some(layers) = watching.tracing.read() {
        text.push_str(&exposition::layers(&layers));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_port_is_served_to_this_machine_only() {
        assert_eq!(address("9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address(":9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address("0.0.0.0:9100").unwrap().to_string(), "0.0.0.0:9100");
        assert_eq!(address("[::1]:9100").unwrap().to_string(), "[::1]:9100");
        assert!(address("example").unwrap_err().contains("0.0.0.0:9100"));
    }
}
