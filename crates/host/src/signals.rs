//! Requests to stop: SIGINT, SIGTERM and SIGHUP raise one flag; whoever changes something watches it and puts
//! everything back before leaving.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The flag. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// A flag that only [`Stop::ask`] raises.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that the three signals raise too. Later signals change nothing: putting back is never cut short.
    pub fn on_signals() -> Result<Self, std::io::Error> {
        let stop = Stop::new();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&stop.asked))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize)?;
        }
        Ok(stop)
    }

    /// Raises the flag.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Name of the signal that raised it, for messages.
    pub fn signal_name(&self) -> &'static str {
        match self.signal.load(Ordering::Relaxed) as i32 {
            SIGINT => "SIGINT",
            SIGTERM => "SIGTERM",
            SIGHUP => "SIGHUP",
            _ => "a request",
        }
    }
}

/// A signal that asks for something else than an end: SIGUSR1.
#[derive(Clone, Debug)]
pub struct Nudge {
    raised: Arc<AtomicBool>,
}

impl Nudge {
    /// Listens for SIGUSR1 from now on.
    ///
    /// # Errors
    /// When the kernel does not take the handler.
    pub fn on_usr1() -> Result<Nudge, std::io::Error> {
        let raised = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&raised))?;
        Ok(Nudge { raised })
    }

    /// Whether the signal came since the last time this was asked.
    pub fn take(&self) -> bool {
        self.raised.swap(false, Ordering::Relaxed)
    }
}
