//! What a server needs of the machine so that many who connect do not keep out one more.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::net::TcpListener;

/// Connections that the kernel completes before they are taken (it takes fewer where net.core.somaxconn says so).
const BACKLOG: i32 = 1024;

/// What the kernel keeps of an answer for a peer that does not read, bytes; it doubles this (socket(7)). Without a limit it
/// keeps up to 4 MiB each, and tells so late that a slow reader cannot be told from one that does not read.
const UNREAD_MAX: usize = 128 << 10;

/// Lets more connections wait to be taken than the 128 of the standard library, and each keep less that its peer does not
/// read: connections that are taken inherit that. Best effort.
pub fn prepare(listener: &TcpListener) {
    // Again on a socket that listens already only changes the number (net/ipv4/af_inet.c).
    let _ = rustix::net::listen(listener, BACKLOG);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(listener, UNREAD_MAX);
}

/// Lets this process have at least so many open files, as far as its hard limit allows; gives how many it may have.
/// Children inherit the limit.
pub fn raise_open_files(wanted: u64) -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (now, most) = (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX));
    let raised = wanted.min(most);
    if now >= raised {
        return now;
    }
    match setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(raised),
            maximum,
        },
    ) {
        Ok(()) => raised,
        Err(_) => now,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_limit_is_never_lowered() {
        let now = super::raise_open_files(0);
        assert_eq!(super::raise_open_files(now), now);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        super::prepare(&listener);
        assert!(std::net::TcpStream::connect(listener.local_addr().unwrap()).is_ok());
    }
}
