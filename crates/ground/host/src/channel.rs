//! Messages between two processes of ours that share a pair of sockets: each is whole, and may carry open files.

use crate::{Error, Result};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg,
    sendmsg, socketpair,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The longest message, bytes: a certificate with its key, and some words. Well below what a socket takes at once.
pub const MESSAGE_MAX: usize = 96 << 10;
/// Open files that a message may carry; more are closed by the kernel.
const FILES_MAX: usize = 4;

/// One end. The other one reads an end of file when the last holder of this one is gone.
#[derive(Debug)]
pub struct Channel(OwnedFd);

/// A message that came.
#[derive(Debug)]
pub struct Message {
    /// What it says; never empty.
    pub bytes: Vec<u8>,
    /// The open files that came with it.
    pub files: Vec<OwnedFd>,
}

impl Channel {
    /// Two ends. Neither stays open in a program that is executed, unless it is given to it.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub fn pair() -> Result<(Channel, Channel)> {
        // Messages keep their bounds, and come in order or not at all (unix(7)).
        let kind = SocketType::SEQPACKET;
        let pair = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let (ours, theirs) = pair.map_err(|error| failed("make", error))?;
        Ok((Channel(ours), Channel(theirs)))
    }

    /// The end that this process was started with as its standard input.
    ///
    /// # Errors
    /// When that is no such socket.
    pub fn on_standard_input() -> Result<Channel> {
        let input = std::io::stdin();
        let kind = rustix::net::sockopt::socket_type(&input);
        let is_channel = kind.map_err(|error| failed("take", error))? == SocketType::SEQPACKET;
        if !is_channel {
            return Err(failed("take", Errno::PROTOTYPE));
        }
        let own = input.as_fd().try_clone_to_owned();
        own.map(Channel)
            .map_err(|error| Error::io("take", "a channel", error))
    }

    /// Sends a message. Does not wait: an end that takes nothing for long enough refuses.
    ///
    /// # Errors
    /// When the other end is gone or takes nothing, or the message is too long.
    pub fn send(&self, bytes: &[u8], files: &[BorrowedFd<'_>]) -> Result<()> {
        if bytes.is_empty() || bytes.len() > MESSAGE_MAX {
            return Err(failed("send through", Errno::MSGSIZE));
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_MAX))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(failed("send through", Errno::MSGSIZE));
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, flags)
            .map(drop)
            .map_err(|error| failed("send through", error))
    }

    /// Waits for the next message; none when the other end is gone.
    ///
    /// # Errors
    /// When it is longer than any of ours, or the kernel fails.
    pub fn receive(&self) -> Result<Option<Message>> {
        let mut bytes = vec![0; MESSAGE_MAX];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_MAX))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let into = &mut [IoSliceMut::new(&mut bytes)];
            match recvmsg(&self.0, into, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                // It was ended with something unread in it.
                Err(Errno::CONNRESET) => return Ok(None),
                other => break other.map_err(|error| failed("read", error))?,
            }
        };
        let files = control
            .drain()
            .filter_map(|carried| match carried {
                RecvAncillaryMessage::ScmRights(files) => Some(files),
                _ => None,
            })
            .flatten()
            .collect();
        if received.flags.contains(ReturnFlags::TRUNC) {
            return Err(failed("read", Errno::MSGSIZE));
        }
        bytes.truncate(received.bytes);
        Ok((!bytes.is_empty()).then_some(Message { bytes, files }))
    }
}

impl From<Channel> for OwnedFd {
    fn from(channel: Channel) -> OwnedFd {
        channel.0
    }
}

fn failed(what: &'static str, error: Errno) -> Error {
    Error::io(what, "a channel", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    #[test]
    fn messages_keep_their_bounds_and_carry_files() {
        let (ours, theirs) = Channel::pair().unwrap();
        let (mut here, there) = UnixStream::pair().unwrap();
        ours.send(b"one", &[]).unwrap();
        ours.send(b"two", &[there.as_fd()]).unwrap();
        drop(there);
        let first = theirs.receive().unwrap().unwrap();
        assert_eq!((&first.bytes[..], first.files.len()), (&b"one"[..], 0));
        let mut second = theirs.receive().unwrap().unwrap();
        assert_eq!(second.bytes, b"two");
        let mut carried = UnixStream::from(second.files.pop().unwrap());
        carried.write_all(b"hello").unwrap();
        drop(carried);
        let mut heard = String::new();
        here.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "hello");
        drop(ours);
        assert!(theirs.receive().unwrap().is_none());
    }

    #[test]
    fn what_is_too_long_is_refused_and_an_end_that_takes_nothing_is_not_waited_for() {
        let (ours, _theirs) = Channel::pair().unwrap();
        assert!(ours.send(&vec![1; MESSAGE_MAX + 1], &[]).is_err() && ours.send(b"", &[]).is_err());
        let sent = (0..100_000)
            .take_while(|_| ours.send(b"x", &[]).is_ok())
            .count();
        assert!((1..100_000).contains(&sent), "{sent}");
    }
}
