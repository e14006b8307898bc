//! Requests to stop: every signal that would end the process raises one flag instead; whoever changes something watches
//! it and puts everything back before leaving.
//!
//! Left out are SIGKILL and SIGSTOP, which no program can catch, SIGPIPE, which Rust ignores, and the faults, which
//! `fatal` deals with. Job control (Ctrl-Z) has a listener of its own, for those whom a pause would harm.

use crate::fatal;
use signal_hook::consts::{
    SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU,
    SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::{SigId, flag, low_level};
use std::io::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Signals whose default action ends a process, besides the faults and real-time signals.
const ENDING: [i32; 13] = [
    SIGINT,
    SIGTERM,
    SIGHUP,
    SIGQUIT,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGVTALRM,
    SIGPROF,
    SIGXCPU,
    SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
];

/// What [`Stop::ask`] leaves in the place of a signal's number.
const ASKED: usize = usize::MAX;

/// The flag that this process's signals raise, once somebody listens.
static HEARD: OnceLock<Stop> = OnceLock::new();

/// What SIGUSR1 raises the flag by, until it gets another meaning.
static USR1: Mutex<Option<SigId>> = Mutex::new(None);

/// The flag. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Nothing, the signal that came last, or [`ASKED`].
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// A flag that only [`Stop::ask`] raises.
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag that this process's signals raise, from now on. Later signals change nothing: putting back is never cut
    /// short. Only a second signal of a fault's kind, such as SIGABRT, ends the process at once.
    ///
    /// # Errors
    /// When the kernel does not take a handler.
    pub fn on_signals() -> Result<Self, Error> {
        if let Some(stop) = HEARD.get() {
            return Ok(stop.clone());
        }
        let stop = Stop::new();
        let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
        for signal in ENDING
            .into_iter()
            .chain(real_time)
            .filter(|signal| !is_nohup(*signal))
        {
            let heard = flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize)?;
            if signal == SIGUSR1 {
                *USR1.lock().unwrap_or_else(PoisonError::into_inner) = Some(heard);
            }
        }
        fatal::catch()?;
        Ok(HEARD.get_or_init(|| stop).clone())
    }

    /// A flag that only signals from now on raise, for what may be given up once more is asked for than an end. Where nobody
    /// listens to signals, they end the process as ever.
    pub fn on_next_signal() -> Self {
        let stop = Stop::new();
        let listened = HEARD.get().map_or(&[][..], |_| &[SIGINT, SIGTERM, SIGQUIT]);
        for signal in listened {
            // Where the kernel takes no further handler, nothing gives it up.
            let _ = flag::register_usize(*signal, Arc::clone(&stop.signal), *signal as usize);
        }
        stop
    }

    /// Raises the flag.
    pub fn ask(&self) {
        let _ = self
            .signal
            .compare_exchange(0, ASKED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_asked(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }

    /// Name of the signal that raised it, for messages.
    pub fn signal_name(&self) -> &'static str {
        match self.signal.load(Ordering::Relaxed) {
            0 | ASKED => "a request",
            // What is stored is the number of a signal.
            signal => low_level::signal_name(signal as i32).unwrap_or("a signal"),
        }
    }
}

/// Raises the process's flag from a signal handler; whether somebody listens.
pub(crate) fn ask_for(signal: i32) -> bool {
    let heard = HEARD.get();
    heard
        .inspect(|stop| stop.signal.store(signal as usize, Ordering::Relaxed))
        .is_some()
}

/// Whether whoever started this program wants it to outlive its terminal (`nohup`).
fn is_nohup(signal: i32) -> bool {
    signal == SIGHUP
        && fatal::action(signal).is_ok_and(|action| action.sa_sigaction == libc::SIG_IGN)
}

/// Makes the limit on the size of files (`ulimit -f`) an error of the write that passes it, as a full disk is, in place
/// of a signal that ends the process. A handler, unlike an ignored signal, is not inherited by programs started from
/// here.
pub fn file_size_limit_is_an_error() {
    // Where the kernel takes no handler the limit kills, as it does any program.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Makes reading the terminal from the background an error, as if it were closed, in place of a signal that stops the
/// process and leaves what it has changed.
///
/// # Errors
/// When the kernel does not take the signal's action.
pub fn background_reads_fail() -> Result<(), Error> {
    fatal::set_action(SIGTTIN, &fatal::plain(libc::SIG_IGN)).map(drop)
}

/// A signal that asks for something else than an end: SIGUSR1.
#[derive(Clone, Debug)]
pub struct Nudge {
    raised: Arc<AtomicBool>,
}

impl Nudge {
    /// Listens for SIGUSR1 from now on; it is no request to stop any more.
    ///
    /// # Errors
    /// When the kernel does not take the handler.
    pub fn on_usr1() -> Result<Nudge, Error> {
        let raised = Arc::new(AtomicBool::new(false));
        flag::register(SIGUSR1, Arc::clone(&raised))?;
        if let Some(stops) = USR1.lock().unwrap_or_else(PoisonError::into_inner).take() {
            low_level::unregister(stops);
        }
        Ok(Nudge { raised })
    }

    /// Whether the signal came since the last time this was asked.
    pub fn take(&self) -> bool {
        self.raised.swap(false, Ordering::Relaxed)
    }
}

/// Ctrl-Z, `fg` and `bg`: heard instead of obeyed.
#[derive(Debug)]
pub struct JobControl {
    stopped: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl JobControl {
    /// From now on SIGTSTP stops nothing by itself.
    ///
    /// # Errors
    /// When the kernel does not take a handler.
    pub fn listen() -> Result<JobControl, Error> {
        let control = JobControl {
            stopped: Arc::default(),
            continued: Arc::default(),
        };
        flag::register(SIGTSTP, Arc::clone(&control.stopped))?;
        flag::register(SIGCONT, Arc::clone(&control.continued))?;
        Ok(control)
    }

    /// The same, and a terminal that lets only programs in its foreground write (`stty tostop`) stops this one neither.
    ///
    /// # Errors
    /// When the kernel does not take a handler.
    pub fn withstand() -> Result<JobControl, Error> {
        // A handler would be called again and again: only an ignored signal lets the write through.
        fatal::set_action(SIGTTOU, &fatal::plain(libc::SIG_IGN))?;
        JobControl::listen()
    }

    /// Whether a stop was asked for since the last time this was asked.
    pub fn take_stop(&self) -> bool {
        self.stopped.swap(false, Ordering::Relaxed)
    }

    /// Whether the process was continued since the last time this was asked.
    pub fn take_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Stops this process as SIGTSTP would have; comes back when it is continued, or at once where nobody could continue
    /// it.
    ///
    /// # Errors
    /// When the kernel does not take the signal's action.
    pub fn stop_here(&self) -> Result<(), Error> {
        let ours = fatal::set_action(SIGTSTP, &fatal::plain(libc::SIG_DFL))?;
        let raised = low_level::raise(SIGTSTP);
        fatal::set_action(SIGTSTP, &ours)?;
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_the_name_of_the_signal_before_it() {
        let stop = Stop::new();
        assert!(!stop.is_asked());
        stop.signal.store(SIGQUIT as usize, Ordering::Relaxed);
        stop.ask();
        assert!(stop.is_asked());
        assert_eq!(stop.signal_name(), "SIGQUIT");
        let stop = Stop::new();
        stop.ask();
        assert_eq!((stop.is_asked(), stop.signal_name()), (true, "a request"));
    }
}
