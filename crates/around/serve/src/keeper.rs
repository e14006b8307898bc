//! The process that listens, as the one that started it sees it: its plan, its tokens, what it says, its end.

use crate::door::GRACE;
use crate::helper::{self, Helper};
use crate::secrets;
use crate::server::{Address, ServeError, ServerSpeech};
use crate::wire::{FromDoor, Plan, ToDoor};
use host::channel::{Channel, Message};
use host::signals::{Nudge, Stop};
use host::{Piped, Privileges, clock};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long the process that listens may take to come up, and to take a token.
const PATIENCE_NS: u64 = 60_000_000_000;
/// How long it may take to end: until whoever still listens has been waited for, and a second.
const END_NS: u64 = (GRACE.as_secs() + 1) * 1_000_000_000;
/// Time between two looks for a signal.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two tokens, ns: who logs in and out again and again does not fill a log with addresses.
const TOKEN_NS: u64 = 1_000_000_000;
/// What waits to be heard; more waits in the channel, and then in the process that listens.
const NEWS_MAX: usize = 64;
/// The longest line of what it says of itself, bytes.
const LINE_MAX: u64 = 2_000;
/// Lines of what it says of itself; none should ever come.
const LINES_MAX: usize = 50;

/// Said where root's server listens as root, as in a container that has no other user.
const STAYS_ROOT: &str =
    "What listens stays root here, without capabilities: nothing lets it become another user.";

/// What came from it.
enum News {
    Said(FromDoor),
    Line(String),
}

/// The process that listens, and our end of the channel.
pub struct Keeper {
    process: Piped,
    channel: Arc<Channel>,
    news: Receiver<News>,
}

/// Where it stands, on its way up and with its tokens.
#[derive(Default)]
struct Standing {
    /// Whether it listens and has given up its rights.
    is_up: bool,
    /// Whether a new token is to be told.
    wants_token: bool,
    /// The one that it was sent and has not taken yet: told before, somebody could be turned away with it.
    offered: Option<String>,
    /// When it was.
    offered_ns: u64,
    /// Whether one was told.
    is_told: bool,
}

impl Keeper {
    /// Starts it with what it listens on. The helper answers what it asks.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        helper: &Arc<Helper>,
        plan: Plan,
        listeners: Vec<TcpListener>,
        runtime: &Handle,
    ) -> Result<Keeper, ServeError> {
        let (ours, theirs) = Channel::pair()?;
        let words = ["serve-door".to_string()];
        let (program, input) = (&helper.options.program, theirs.into());
        let mut process = Piped::start_holding(program, &words, Privileges::Confine, input)?;
        let ours = Arc::new(ours);
        let files: Vec<_> = listeners.iter().map(AsFd::as_fd).collect();
        send(&ours, &ToDoor::Plan(plan), &files)?;
        let (tell, news) = mpsc::sync_channel(NEWS_MAX);
        if let Some(words) = process.stderr() {
            let tell = tell.clone();
            std::thread::spawn(move || pass_lines_on(words, &tell));
        }
        let interrupter = process.interrupter();
        let (helper, channel, runtime) = (Arc::clone(helper), Arc::clone(&ours), runtime.clone());
        std::thread::spawn(move || {
            attend(&helper, &channel, &runtime, &tell);
            // Whatever it is at, it is of no use any more.
            let _ = interrupter.kill();
        });
        Ok(Keeper {
            process,
            channel: ours,
            news,
        })
    }

    /// Sees to tokens, and passes on what should be known, until the user wants it to stop. `base` is the address without a
    /// token.
    ///
    /// # Errors
    /// When it does not come up, or ends by itself.
    pub fn follow(
        &self,
        (stop, nudge): (&Stop, &Nudge),
        base: &str,
        tell: &mut dyn FnMut(ServerSpeech),
    ) -> Result<(), ServeError> {
        let late_ns = clock::monotonic_ns() + PATIENCE_NS;
        let mut standing = Standing::default();
        while !stop.is_asked() {
            match self.news.recv_timeout(LOOK) {
                Ok(news) => standing.hear(news, base, tell),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ServeError::Ended),
            }
            standing.wants_token |= standing.is_up && nudge.take();
            if standing.may_offer() {
                standing.wants_token = false;
                standing.offered_ns = clock::monotonic_ns();
                standing.offered = Some(self.offer_token()?);
            }
            if !standing.is_told && clock::monotonic_ns() > late_ns {
                return Err(ServeError::Ended);
            }
        }
        Ok(())
    }

    fn offer_token(&self) -> Result<String, ServeError> {
        let token = secrets::fresh()?;
        send(&self.channel, &ToDoor::Token(token.clone()), &[])?;
        Ok(token)
    }

    /// Lets it send what it has begun, and waits for its end.
    pub fn end(self) {
        let interrupter = self.process.interrupter();
        // It may be gone already.
        let _ = send(&self.channel, &ToDoor::End, &[]);
        let late_ns = clock::monotonic_ns() + END_NS;
        while !interrupter.has_ended() && clock::monotonic_ns() < late_ns {
            clock::sleep_ms(10);
        }
        let _ = interrupter.kill();
    }
}

impl Standing {
    fn may_offer(&self) -> bool {
        let since_ns = clock::monotonic_ns() - self.offered_ns;
        self.wants_token && self.offered.is_none() && since_ns >= TOKEN_NS
    }

    fn hear(&mut self, news: News, base: &str, tell: &mut dyn FnMut(ServerSpeech)) {
        match news {
            News::Line(line) => tell(ServerSpeech::Note(line)),
            News::Said(FromDoor::Confined(user)) if !self.is_up => {
                (self.is_up, self.wants_token) = (true, true);
                if user.is_none() && host::rights::is_root() {
                    tell(ServerSpeech::Note(STAYS_ROOT.into()));
                }
            }
            News::Said(FromDoor::HasToken) => {
                if let Some(token) = self.offered.take() {
                    self.is_told = true;
                    tell(ServerSpeech::Address(Address {
                        url: format!("{base}/#token={token}"),
                        token,
                        valid_s: crate::sessions::TOKEN_MS / 1000,
                    }));
                }
            }
            News::Said(FromDoor::WantsToken) => self.wants_token = self.is_up,
            News::Said(FromDoor::Confined(_) | FromDoor::Asks) => {}
        }
    }
}

fn send(channel: &Channel, message: &ToDoor, files: &[BorrowedFd<'_>]) -> Result<(), ServeError> {
    // It is made of strings, which JSON always has room for.
    let bytes = serde_json::to_vec(message).unwrap_or_default();
    Ok(channel.send(&bytes, files)?)
}

/// Hears the channel until its end. What is none of our messages ends it too.
fn attend(helper: &Arc<Helper>, channel: &Channel, runtime: &Handle, tell: &SyncSender<News>) {
    while let Ok(Some(Message { bytes, files })) = channel.receive() {
        match model::json::read_bytes(&bytes) {
            Ok(FromDoor::Asks) => {
                for file in files {
                    runtime.spawn(helper::attend(Arc::clone(helper), file.into()));
                }
            }
            // Nobody hears it any more where the server is ending.
            Ok(said) => drop(tell.send(News::Said(said))),
            Err(_) => return,
        }
    }
}

/// Passes on what it says on standard error, which is nothing unless it has a defect.
fn pass_lines_on(words: impl Read, tell: &SyncSender<News>) {
    let mut words = BufReader::new(words);
    for count in 0.. {
        let mut line = Vec::new();
        match words.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            // The rest is read and left out, so that it waits for nobody.
            Ok(_) if count >= LINES_MAX => {}
            Ok(_) => {
                let line = String::from_utf8_lossy(&line).trim_end().to_string();
                drop(tell.send(News::Line(line)));
            }
        }
    }
}
