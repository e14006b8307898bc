//! Signals that tell of a fault, or that are sent to get a core file: SIGABRT, SIGSEGV, SIGBUS and their like.
//!
//! The first that another process sends is a request to stop like any other signal: settings are put back, the terminal
//! too. A fault of the process itself, or a second one from outside, is final: the handler gives the terminal back and
//! leaves the signal to whatever had it before. It touches no setting, because a process that failed cannot trust what
//! it remembers; the journal has the old values, and the next command says so.
#![allow(
    unsafe_code,
    reason = "a handler that is told who sent the signal has no safe form"
)]

use crate::{signals, terminal};
use std::io::Error;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

const SIGNALS: [i32; 7] = [
    libc::SIGABRT,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
];

/// What dealt with each of them before.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// The next one is final.
static IS_WARNED: AtomicBool = AtomicBool::new(false);

/// Catches them from now on, in this whole process.
///
/// # Errors
/// When the kernel does not take a handler.
pub(crate) fn catch() -> Result<(), Error> {
    if BEFORE.get().is_some() {
        return Ok(());
    }
    let mut before = [plain(libc::SIG_DFL); SIGNALS.len()];
    for (signal, before) in SIGNALS.into_iter().zip(&mut before) {
        *before = action(signal)?;
    }
    BEFORE.get_or_init(|| before);
    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = handle;
    let mut ours = libc::sigaction {
        sa_flags: libc::SA_SIGINFO | libc::SA_ONSTACK,
        ..plain(handler as usize)
    };
    // One after the other: with wide registers the stack for signals has room for no more than one.
    // SAFETY: the pointer is valid for the call, which writes the set.
    unsafe { libc::sigfillset(&mut ours.sa_mask) };
    SIGNALS
        .into_iter()
        .try_for_each(|signal| set_action(signal, &ours).map(drop))
}

/// An action without flags that blocks no other signal.
pub(crate) fn plain(handler: usize) -> libc::sigaction {
    // SAFETY: sigaction is plain data, for which all-zero is a valid value: no flags, an empty mask.
    libc::sigaction {
        sa_sigaction: handler,
        ..unsafe { std::mem::zeroed() }
    }
}

/// What the process does about a signal.
pub(crate) fn action(signal: i32) -> Result<libc::sigaction, Error> {
    let mut action = plain(libc::SIG_DFL);
    // SAFETY: the second pointer is null, which changes nothing, and the third is valid for the call.
    match unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) } {
        0 => Ok(action),
        _ => Err(Error::last_os_error()),
    }
}

/// Changes what the process does about a signal; gives what it did before.
pub(crate) fn set_action(signal: i32, action: &libc::sigaction) -> Result<libc::sigaction, Error> {
    let mut before = plain(libc::SIG_DFL);
    // SAFETY: both pointers are valid for the call. A handler among the actions is either [`handle`], which has the form
    // that SA_SIGINFO asks for, or one that the process had before.
    match unsafe { libc::sigaction(signal, action, &mut before) } {
        0 => Ok(before),
        _ => Err(Error::last_os_error()),
    }
}

/// Does only what a signal handler may: looks at atomics, and makes system calls.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo_t to a handler with SA_SIGINFO; a sender stands in it where the code is
    // not above zero, and is looked at only then.
    let (code, sender) = unsafe { ((*info).si_code, (*info).si_pid()) };
    let is_sent = code <= 0;
    let is_foreign = is_sent && u32::try_from(sender) != Ok(std::process::id());
    if is_foreign && !IS_WARNED.swap(true, Ordering::Relaxed) && signals::ask_for(signal) {
        return;
    }
    terminal::give_up();
    // There is nothing left to do for any of them. What was there before may raise the next one from its own handler (Rust
    // aborts where a stack has ended), and where registers are wide, a stack for signals has no room for a second frame of
    // ours: with AVX-512 each takes 3,632 of its 8,192 bytes.
    for (signal, before) in SIGNALS.iter().zip(BEFORE.get().into_iter().flatten()) {
        let _ = set_action(*signal, before);
    }
    // The CPU repeats its fault when the handler returns, and then what was there before tells more about it.
    let is_repeated = !is_sent
        && matches!(
            signal,
            libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE
        );
    if !is_repeated {
        let _ = set_action(signal, &plain(libc::SIG_DFL));
        // SAFETY: raise may be called from a handler; the signal is blocked here, so it acts when this returns.
        unsafe { libc::raise(signal) };
    }
}
