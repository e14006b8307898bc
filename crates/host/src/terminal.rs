//! Waiting for the keyboard.
#![allow(unsafe_code, reason = "poll(2) on standard input")]

/// What standard input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Something to read.
    Ready,
    /// Nothing yet.
    Nothing,
    /// The terminal is gone: reading would fail, now and ever.
    Gone,
}

/// Waits for standard input for so long at most, ms. A signal ends the wait.
pub fn wait_for_input(wait_ms: u64) -> Input {
    let mut fd = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    let wait_ms = i32::try_from(wait_ms).unwrap_or(i32::MAX);
    // SAFETY: the pointer is to one pollfd that lives across the call, and the count says one.
    let ready = unsafe { libc::poll(&raw mut fd, 1, wait_ms) };
    if ready <= 0 {
        return Input::Nothing;
    }
    match fd.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) {
        0 => Input::Ready,
        _ => Input::Gone,
    }
}
