//! The terminal of a full screen: taken over, given back however the process ends, and waited for.
#![allow(
    unsafe_code,
    reason = "a signal's handler reaches the terminal's modes by a pointer"
)]

use crate::fatal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    OptionalActions, Termios, isatty, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr,
};
use std::io::{Error, Write};
use std::os::fd::OwnedFd;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The other screen, without a cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l";
/// Shows what was held back, plain characters, the first screen, the cursor.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[0m\x1b[?1049l\x1b[?25h";

/// The terminal that keys come from.
static KEYS: OnceLock<OwnedFd> = OnceLock::new();

/// How the terminal was before it was taken; null while it is not ours. Never freed, because a signal's handler may look
/// at it at any time.
static BEFORE: AtomicPtr<Termios> = AtomicPtr::new(null_mut());

/// The process ends: whatever its other threads still do, the terminal is not taken again.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Takes the terminal over: other screen, no cursor, every key at once. From now on a fault gives it back too. Taken
/// again while it is ours (its modes may have been changed while the process stood still), it is still given back as it
/// was at first.
///
/// # Errors
/// When there is no terminal, or it does not take its modes.
pub fn take() -> Result<(), Error> {
    fatal::catch()?;
    let keys = keys()?;
    let mut modes = tcgetattr(keys)?;
    if BEFORE.load(Ordering::Acquire).is_null() {
        BEFORE.store(Box::leak(Box::new(modes.clone())), Ordering::Release);
    }
    modes.make_raw();
    let taken = tcsetattr(keys, OptionalActions::Now, &modes)
        .map_err(Error::from)
        .and_then(|()| std::io::stdout().write_all(ENTER))
        .and_then(|()| std::io::stdout().flush());
    // A fault elsewhere may have given it back meanwhile.
    if taken.is_err() || IS_OVER.load(Ordering::SeqCst) {
        give_back();
    }
    taken
}

/// Whether the terminal is ours now.
pub fn is_taken() -> bool {
    !BEFORE.load(Ordering::Acquire).is_null()
}

/// Gives the terminal back for good. For a signal's handler, as [`give_back`] is.
pub(crate) fn give_up() {
    IS_OVER.store(true, Ordering::SeqCst);
    give_back();
}

/// Gives the terminal back; the second time there is nothing to give. A terminal that is gone needs nothing. May be called
/// by a signal's handler: atomics and system calls are all it uses.
pub fn give_back() {
    // SAFETY: what is not null comes from `Box::leak`, is never changed and never freed.
    let Some(before) = (unsafe { BEFORE.load(Ordering::Acquire).as_ref() }) else {
        return;
    };
    let mut rest = LEAVE;
    while !rest.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
    }
    // In the background the modes are those of somebody else's turn, and changing them stops the process.
    if let Some(keys) = KEYS.get()
        && is_foreground()
    {
        let _ = tcsetattr(keys, OptionalActions::Now, before);
    }
    // Last, so that a fault in between does all of it again.
    BEFORE.store(null_mut(), Ordering::Release);
}

/// Columns of the terminal that stdout is; where it is none, what `COLUMNS` says, as POSIX has it; none without either.
pub fn columns() -> Option<usize> {
    let stdout = std::io::stdout();
    let columns = match isatty(&stdout) {
        true => tcgetwinsize(&stdout).ok().map(|size| size.ws_col),
        false => std::env::var("COLUMNS")
            .ok()
            .and_then(|text| text.parse().ok()),
    };
    columns.map(usize::from).filter(|columns| *columns > 0)
}

/// Whether this process may use its terminal now: no shell has put it into the background.
pub fn is_foreground() -> bool {
    // A terminal that does not control this process (no answer) takes no turns.
    let turn = KEYS.get().and_then(|keys| tcgetpgrp(keys).ok());
    turn.is_none_or(|group| group == rustix::process::getpgrp())
}

fn keys() -> Result<&'static OwnedFd, Error> {
    if KEYS.get().is_none() {
        let stdin = std::io::stdin();
        let keys = match isatty(&stdin) {
            true => rustix::io::fcntl_dupfd_cloexec(&stdin, 3)?,
            false => std::fs::File::options()
                .read(true)
                .write(true)
                .open("/dev/tty")?
                .into(),
        };
        let _ = KEYS.set(keys);
    }
    KEYS.get()
        .ok_or_else(|| Error::other("there is no terminal"))
}

/// What came of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// Nothing, or a signal.
    Nothing,
    /// Something to read.
    Input,
    /// The terminal hung up: whoever reads it again reads nothing, for ever.
    Gone,
}

/// Waits for input on the terminal that is stdout, so long at most.
pub fn wait(ms: u64) -> Came {
    let stdout = std::io::stdout();
    let mut terminals = [PollFd::new(&stdout, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: (ms / 1000) as i64,
        tv_nsec: (ms % 1000 * 1_000_000) as _,
    };
    match poll(&mut terminals, Some(&limit)) {
        Ok(0) | Err(_) => Came::Nothing,
        Ok(_)
            if terminals[0]
                .revents()
                .intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) =>
        {
            Came::Gone
        }
        Ok(_) => Came::Input,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::fs::File;
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    /// Says to this test, run as a program of its own, how to die.
    const WAY: &str = "IODYNO_TEST_DEATH";

    #[allow(unconditional_recursion, reason = "it is to exhaust the stack")]
    fn deeper(depth: u64) -> u64 {
        deeper(std::hint::black_box(depth + 1)) + depth
    }

    fn die(way: &str) {
        take().unwrap();
        match way {
            "abort" => std::process::abort(),
            // SAFETY: none: no page is there, which is the purpose.
            "segv" => unsafe {
                std::ptr::read_volatile(std::hint::black_box(8 as *const u8));
            },
            "bus" => {
                let file =
                    rustix::fs::memfd_create("empty", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
                let (flags, protection) =
                    (rustix::mm::MapFlags::SHARED, rustix::mm::ProtFlags::READ);
                // SAFETY: the mapping is new and nobody else's. Reading it faults, which is the purpose.
                unsafe {
                    let page =
                        rustix::mm::mmap(null_mut(), 4096, protection, flags, &file, 0).unwrap();
                    std::ptr::read_volatile(page.cast::<u8>());
                }
            }
            _ => drop(deeper(0)),
        }
    }

    #[test]
    fn a_fault_gives_the_terminal_back() {
        if let Ok(way) = std::env::var(WAY) {
            die(&way);
        }
        // SIGABRT, SIGSEGV, SIGBUS; Rust aborts where a stack ends.
        for (way, signal) in [("abort", 6), ("segv", 11), ("bus", 7), ("stack", 6)] {
            let master =
                openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
            grantpt(&master).unwrap();
            unlockpt(&master).unwrap();
            let path = ptsname(&master, Vec::new()).unwrap();
            let path = std::ffi::OsStr::from_bytes(path.to_bytes());
            let slave = File::options().read(true).write(true).open(path).unwrap();
            let before = tcgetattr(&slave).unwrap();
            let mut command = Command::new("sh");
            command
                .args(["-c", "ulimit -c 0; exec \"$0\" \"$@\""])
                .arg(std::env::current_exe().unwrap());
            command.args([
                "--exact",
                "terminal::tests::a_fault_gives_the_terminal_back",
                "--nocapture",
            ]);
            command
                .env(WAY, way)
                .stdin(slave.try_clone().unwrap())
                .stdout(slave.try_clone().unwrap());
            let status = command.stderr(slave.try_clone().unwrap()).status().unwrap();
            assert_eq!(status.signal(), Some(signal), "{way}: {status}");
            let after = tcgetattr(&slave).unwrap();
            assert_eq!(format!("{after:?}"), format!("{before:?}"), "{way}");
            // The command has copies of it.
            drop((slave, command));
            let mut shown = Vec::new();
            // Without anybody at its other end a terminal ends in an error.
            let _ = File::from(master).read_to_end(&mut shown);
            let has = |words: &[u8]| shown.windows(words.len()).any(|window| window == words);
            assert!(
                has(ENTER) && has(LEAVE),
                "{way}: {}",
                String::from_utf8_lossy(&shown)
            );
        }
    }
}
