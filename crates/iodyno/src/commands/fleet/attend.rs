//! `iodyno attend`: the host's side of `fleet`. It starts verbs for whoever leads, at whose end it puts everything back.
//!
//! Whoever leads is gone when standard input ends, or when it says nothing for too long: then the verb is interrupted, which
//! puts everything back, and waited for. Nothing that cannot be written keeps the verb from that: what is not essential is
//! dropped while nobody reads.

use super::outgoing::Outgoing;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use fleet::protocol::{Ask, HostHello, LINE_MAX, PROTOCOL, RECORD_WORD, Tell};
use host::signals::Stop;
use host::{Interrupter, Privileges, clock};
use model::failure::ErrorDocument;
use runner::{Runner, RunnerPlace, RunningLines, Verb};
use serde_json::Value;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use store::Store;

/// How often the loop looks around without being told anything.
const LOOK: Duration = Duration::from_millis(200);
/// How often a sign of life is sent, ns.
const ALIVE_NS: u64 = 2_000_000_000;
/// How often what a load does is told, ns, however short its intervals are.
const PROGRESS_NS: u64 = 400_000_000;
/// Silence that is borne before the one who leads has said how long, ms.
const SILENCE_MS: u64 = 60_000;
/// The longest question that is taken, bytes: a record may be sent along.
const ASK_MAX: u64 = LINE_MAX;

/// What comes in.
enum Coming {
    Ask(Ask),
    /// Whoever leads is gone, or talks what nobody understands.
    Gone,
    /// The verb runs: what asks it to end, and what it reads.
    Begun(Interrupter, Option<Box<dyn Write + Send>>),
    Told(Tell),
    Ended(VerbEnd),
}

/// How a verb ended.
struct VerbEnd {
    exit: Option<i32>,
    error: Option<ErrorDocument>,
    document: Option<Value>,
}

/// Answers until whoever leads is gone and nothing runs any more.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let stop = context.stop_on_signals()?;
    let out = Outgoing::start();
    let (coming, inbox) = channel();
    let asks = coming.clone();
    std::thread::spawn(move || read_asks(&asks));
    let mut attendance = Attendance {
        context,
        out: &out,
        coming,
        verb: VerbSlot::Free,
        is_ending: false,
        silence_ns: SILENCE_MS * 1_000_000,
        heard_ns: clock::monotonic_ns(),
        alive_ns: 0,
        progress_ns: 0,
    };
    attendance.serve(&inbox, &stop);
    out.finish();
    Ok(Exit::Fine)
}

/// Reads questions to the end of standard input.
fn read_asks(coming: &Sender<Coming>) {
    let mut source = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = source.by_ref().take(ASK_MAX).read_until(b'\n', &mut line);
        let ask = match read {
            Ok(length) if length > 0 => model::json::read_bytes::<Ask>(&line).ok(),
            _ => None,
        };
        let is_over = ask.is_none();
        if coming.send(ask.map_or(Coming::Gone, Coming::Ask)).is_err() || is_over {
            return;
        }
    }
}

/// Whether a verb runs.
enum VerbSlot {
    Free,
    /// Its thread is on the way; whether it is to be interrupted as soon as it runs.
    Starting {
        is_unwanted: bool,
    },
    Running {
        interrupter: Interrupter,
        /// What it waits for; dropped, it waits no more.
        stdin: Option<Box<dyn Write + Send>>,
    },
}

struct Attendance<'a> {
    context: &'a Context,
    out: &'a Outgoing,
    coming: Sender<Coming>,
    verb: VerbSlot,
    /// Nothing new is begun any more.
    is_ending: bool,
    silence_ns: u64,
    heard_ns: u64,
    alive_ns: u64,
    progress_ns: u64,
}

impl Attendance<'_> {
    fn serve(&mut self, inbox: &Receiver<Coming>, stop: &Stop) {
        loop {
            match inbox.recv_timeout(LOOK) {
                Ok(coming) => self.take(coming),
                Err(RecvTimeoutError::Timeout) => {}
                // We hold a sender ourselves.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let now_ns = clock::monotonic_ns();
            if stop.is_asked() || now_ns.saturating_sub(self.heard_ns) > self.silence_ns {
                self.end();
            }
            if now_ns.saturating_sub(self.alive_ns) > ALIVE_NS {
                self.alive_ns = now_ns;
                self.out.say_lightly(&Tell::Alive);
            }
            if self.is_ending && matches!(self.verb, VerbSlot::Free) {
                return;
            }
        }
    }

    fn take(&mut self, coming: Coming) {
        match coming {
            Coming::Ask(ask) => {
                self.heard_ns = clock::monotonic_ns();
                self.answer(ask);
            }
            Coming::Gone => self.end(),
            Coming::Begun(interrupter, stdin) => {
                let is_unwanted = matches!(self.verb, VerbSlot::Starting { is_unwanted: true });
                self.verb = VerbSlot::Running { interrupter, stdin };
                if is_unwanted {
                    self.interrupt();
                }
            }
            Coming::Told(tell @ Tell::Progress { .. }) => {
                let now_ns = clock::monotonic_ns();
                if now_ns.saturating_sub(self.progress_ns) > PROGRESS_NS {
                    self.progress_ns = now_ns;
                    self.out.say_lightly(&tell);
                }
            }
            Coming::Told(tell @ Tell::Words { .. }) => self.out.say_lightly(&tell),
            Coming::Told(tell) => self.out.say(&tell),
            Coming::Ended(ended) => self.ended(ended),
        }
    }

    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Hello { silence_ms, .. } => {
                self.silence_ns = silence_ms.max(1_000).saturating_mul(1_000_000);
                self.out.say(&Tell::Hello(hello(self.context)));
            }
            Ask::Clock { number } => {
                let at_ns = clock::monotonic_ns();
                self.out.say(&Tell::Clock { number, at_ns });
            }
            Ask::Start { words, record } => self.start(words, record),
            Ask::Go { at_ns } => {
                if let VerbSlot::Running { stdin, .. } = &mut self.verb
                    && let Some(mut stdin) = stdin.take()
                {
                    // One that has ended says so itself.
                    let _ = writeln!(stdin, "{at_ns}");
                }
            }
            Ask::Alive => {}
            Ask::Stop => self.end(),
        }
    }

    fn start(&mut self, mut words: Vec<String>, record: Option<Value>) {
        if self.is_ending || !matches!(self.verb, VerbSlot::Free) {
            return;
        }
        if let Some(record) = record {
            match keep(self.context, &record) {
                Ok(id) => words
                    .iter_mut()
                    .filter(|word| *word == RECORD_WORD)
                    .for_each(|word| *word = id.to_string()),
                Err(failure) => {
                    self.out.say(&Tell::Ended {
                        exit: Some(failure.exit as i32),
                        error: Some(failure.document()),
                    });
                    return;
                }
            }
        }
        self.verb = VerbSlot::Starting { is_unwanted: false };
        let coming = self.coming.clone();
        std::thread::spawn(move || follow(&words, &coming));
    }

    fn ended(&mut self, ended: VerbEnd) {
        self.verb = VerbSlot::Free;
        let VerbEnd {
            exit,
            error,
            document,
        } = ended;
        if let Some(document) = document {
            let record = record_of(self.context, &document);
            self.out.say(&Tell::Document { document });
            if let Some(record) = record {
                self.out.say(&Tell::Record { record });
            }
        }
        self.out.say(&Tell::Ended { exit, error });
    }

    /// Nothing new is begun, and what runs is asked to put everything back.
    fn end(&mut self) {
        if !self.is_ending {
            self.is_ending = true;
            self.interrupt();
        }
    }

    fn interrupt(&mut self) {
        match &mut self.verb {
            VerbSlot::Free => {}
            VerbSlot::Starting { is_unwanted } => *is_unwanted = true,
            VerbSlot::Running { interrupter, stdin } => {
                // One that waits for the moment to begin reads the end.
                *stdin = None;
                let _ = interrupter.interrupt();
            }
        }
    }
}

/// Runs a verb to its end. The thread stays until then: with it the verb would be asked to end.
fn follow(words: &[String], coming: &Sender<Coming>) {
    let ended = talk(words, coming).unwrap_or_else(|error| VerbEnd {
        exit: Some(Exit::Failed as i32),
        error: Some(ErrorDocument {
            exit: Some(Exit::Failed as u8),
            ..ErrorDocument::new(error.to_string())
        }),
        document: None,
    });
    // Nobody hears it once the whole program ends.
    let _ = coming.send(Coming::Ended(ended));
}

fn talk(words: &[String], coming: &Sender<Coming>) -> Result<VerbEnd, runner::RunnerError> {
    // The user's own words, with all that the user may, as if they had been typed here.
    let verb = Verb::new(Privileges::Users, words);
    let mut running = Runner::new(RunnerPlace::Here, "/proc/self/exe").start_talking(&verb)?;
    let stdin = running.stdin();
    let stdin = stdin.map(|stdin| Box::new(stdin) as Box<dyn Write + Send>);
    let _ = coming.send(Coming::Begun(running.interrupter(), stdin));
    let (told, said) = (coming.clone(), coming.clone());
    let mut whole = String::new();
    let ended = running.lines(RunningLines {
        longest: LINE_MAX,
        document: &mut |line| match tell_of(line) {
            Some(tell) => drop(told.send(Coming::Told(tell))),
            // A document of several lines is whole at the end.
            None if (whole.len() as u64) < LINE_MAX => whole.push_str(line),
            None => {}
        },
        words: &mut |line| {
            let line = line.to_string();
            drop(said.send(Coming::Told(Tell::Words { line })));
        },
    })?;
    let document: Option<Value> = serde_json::from_str(&whole).ok();
    let inside = document.as_ref().and_then(|document| document.get("error"));
    let inside = inside.and_then(|error| model::json::read_value(error).ok());
    Ok(VerbEnd {
        exit: ended.exit,
        error: ended.error.map(|error| inside.unwrap_or(error)),
        document,
    })
}

/// A line of a stream, where it is one.
fn tell_of(line: &str) -> Option<Tell> {
    // Lines of a document of several lines are no documents themselves, but for `{}` and the like.
    let document: Value = serde_json::from_str(line).ok()?;
    match document.get("schema")?.as_str()? {
        "iodyno.interval/1" => {
            let interval = model::json::read_value(document.get("interval")?).ok()?;
            Some(Tell::Progress { interval })
        }
        "iodyno.ready/1" => Some(Tell::Ready),
        "iodyno.began/1" => Some(Tell::Started {
            at_ns: document.get("at_ns")?.as_u64()?,
        }),
        _ => None,
    }
}

/// The record of a verb whose document is not the record itself.
fn record_of(context: &Context, document: &Value) -> Option<Value> {
    if document.get("schema")?.as_str()? != "iodyno.check/1" {
        return None;
    }
    let id = document.get("id")?.as_i64()?;
    let store = Store::open_read_only(&context.state_dir).ok()?;
    serde_json::from_str(&store.document(id).ok()?).ok()
}

/// Keeps a record that was sent, and gives its number here.
fn keep(context: &Context, record: &Value) -> Result<i64, Failure> {
    let store = Store::open(&context.state_dir)?;
    let (id, _) = store.take_text(&record.to_string(), "the machine that leads a fleet")?;
    Ok(id)
}

fn hello(context: &Context) -> HostHello {
    let provenance = crate::provenance::of(&context.host);
    HostHello {
        protocol: PROTOCOL,
        iodyno: provenance.iodyno,
        hostname: provenance.hostname,
        kernel: provenance.kernel,
        boot: context
            .host
            .text("/proc/sys/kernel/random/boot_id")
            .unwrap_or_default(),
        is_root: host::rights::is_root(),
        unix_ms: clock::unix_ms(),
    }
}
