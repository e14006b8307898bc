//! The terminal: taken over as a whole, and given back however this ends.

use crate::exit::{Exit, Failure};
use host::terminal;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use std::io::{BufWriter, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::sync::Once;
use std::time::Duration;

/// A terminal that is ours until this is dropped.
pub struct Screen {
    /// Never dropped: dropping it shows the cursor, which giving the terminal back does too, and complains on stderr where
    /// that fails. With a terminal that is gone the complaint fails as well, and that is a panic, which would take a record
    /// with it.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the terminal over: other screen, no cursor, every key at once. A panic gives it back before it says what
    /// happened, which would be lost with the other screen.
    pub fn open() -> Result<Screen, Failure> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                terminal::give_back();
                before(panic);
            }));
        });
        let opened = terminal::take()
            .and_then(|()| Terminal::new(CrosstermBackend::new(BufWriter::new(stdout()))))
            .inspect_err(|_| terminal::give_back())
            .map_err(|error| failure(&error))?;
        Ok(Screen {
            terminal: ManuallyDrop::new(opened),
        })
    }

    /// Takes the terminal over again, after it was given back or somebody else used it; the next picture is sent whole.
    pub fn reopen(&mut self) -> std::io::Result<()> {
        terminal::take()?;
        self.terminal.clear()
    }

    /// Draws a whole screen; only what has changed is sent, and shown at once where the terminal can.
    pub fn draw(&mut self, fill: impl FnOnce(&mut Buffer)) -> std::io::Result<()> {
        if !terminal::is_taken() {
            return Err(std::io::Error::other(
                "a part of iodyno failed and gave it back",
            ));
        }
        execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| fill(frame.buffer_mut()))?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// What the user did, waited for so long at most.
    ///
    /// The wait is our own: crossterm's never comes back from a terminal that hung up, and turns a CPU meanwhile.
    pub fn event(&self, wait_ms: u64) -> std::io::Result<Option<Event>> {
        if terminal::wait(wait_ms) == terminal::Came::Gone {
            return Err(std::io::Error::new(
                std::io::ErrorKind::BrokenPipe,
                "it hung up",
            ));
        }
        match event::poll(Duration::ZERO) {
            Ok(true) => event::read().map(Some),
            Ok(false) => Ok(None),
            // A signal came: whoever asked looks at its flag.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        terminal::give_back();
    }
}

/// Why the terminal cannot be used, and what can be done without one.
pub fn failure(error: &std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot use this terminal: {error}."))
        .why(error.to_string())
        .hint("`iodyno watch --plain` prints lines and needs none.")
}
