//! One `watch --json` for all listeners: begun with the first, ended with the last.

use crate::events::Hub;
use crate::helper::Helper;
use host::{Privileges, clock};
use model::failure::ErrorDocument;
use runner::{RunningLines, Verb};
use serde::Serialize;
use std::sync::Arc;
use std::thread::JoinHandle;
use store::{Filter, Store};

/// Time between two frames.
const EVERY: &str = "100ms";
/// The longest line that is taken, bytes.
const LINE_MAX: u64 = 8 << 20;
/// How long it goes on when the last listener has left: a page that is loaded anew comes back at once.
const LINGER_NS: u64 = 3_000_000_000;
/// How often the store is asked for new records, ns.
const RECORDS_NS: u64 = 2_000_000_000;
/// How long after a failure it tries again, ns.
const AGAIN_NS: u64 = 5_000_000_000;

/// Starts the thread that makes the frames.
pub fn begin(helper: &Arc<Helper>) -> JoinHandle<()> {
    let helper = Arc::clone(helper);
    std::thread::spawn(move || {
        let mut idle = Idle::default();
        let mut records = Records::new(&helper);
        loop {
            let has_failed = !watch(&helper, &mut idle, &mut records);
            let until_ns = clock::monotonic_ns() + if has_failed { AGAIN_NS } else { 0 };
            while clock::monotonic_ns() < until_ns && !idle.is_over(&helper.hub) {
                clock::sleep_ms(50);
            }
            if idle.is_over(&helper.hub) && helper.hub.may_end() {
                return;
            }
        }
    })
}

/// Whether nobody has listened for long enough.
#[derive(Default)]
struct Idle {
    since_ns: Option<u64>,
}

impl Idle {
    fn is_over(&mut self, hub: &Hub) -> bool {
        if !hub.is_idle() {
            self.since_ns = None;
            return false;
        }
        let now_ns = clock::monotonic_ns();
        let since_ns = *self.since_ns.get_or_insert(now_ns);
        hub.is_closed() || now_ns - since_ns > LINGER_NS
    }
}

/// Passes on what one `watch` prints, until nobody listens; false when it ended by itself, which it should not.
fn watch(helper: &Arc<Helper>, idle: &mut Idle, records: &mut Records) -> bool {
    let hub = &helper.hub;
    // The windows of a proof stay free of what tracing costs.
    let is_traced = !helper.jobs.is_tuning();
    let words = [
        "watch",
        "--interval",
        EVERY,
        "--every",
        EVERY,
        "--latencies",
    ];
    let off: &[&str] = if is_traced { &[] } else { &["--layers", "off"] };
    // A process of its own: it may trace in the kernel, and the server may end it at any moment.
    let verb = Verb::new(Privileges::Watch, words.iter().chain(off));
    let running = match helper.runner.start(&verb) {
        Ok(running) => running,
        Err(error) => {
            unwatched(hub, &ErrorDocument::new(error.to_string()));
            return false;
        }
    };
    let interrupter = running.interrupter();
    let (mut is_first, mut is_wanted) = (true, true);
    let ended = running.lines(RunningLines {
        longest: LINE_MAX,
        document: &mut |line| {
            match std::mem::take(&mut is_first) {
                true => hub.head(line),
                false if is_wanted => hub.frame(line),
                false => {}
            }
            records.look(helper);
            if is_wanted && (idle.is_over(hub) || is_traced == helper.jobs.is_tuning()) {
                is_wanted = false;
                let _ = interrupter.interrupt();
            }
        },
        words: &mut |_| {},
    });
    if is_wanted {
        let error = match ended {
            Ok(ended) => ended.error,
            Err(error) => Some(ErrorDocument::new(error.to_string())),
        };
        let by_itself = || ErrorDocument::new("watch ended by itself");
        unwatched(hub, &error.unwrap_or_else(by_itself));
    }
    !is_wanted
}

/// Why there are no frames.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unwatched<'a> {
    /// What failed, on what, why.
    error: &'a str,
    /// What to do about it; empty where nothing is known.
    hint: &'a str,
}

fn unwatched(hub: &Hub, error: &ErrorDocument) {
    let unwatched = Unwatched {
        error: &error.error,
        hint: error.hint.as_deref().unwrap_or_default(),
    };
    // It is made of strings, which JSON always has room for.
    let document = serde_json::to_string(&unwatched).unwrap_or_default();
    hub.notice("unwatched", &document);
}

/// Tells of records that appear in the store, whoever made them.
struct Records {
    last_id: Option<i64>,
    next_ns: u64,
}

impl Records {
    fn new(helper: &Helper) -> Records {
        Records {
            last_id: newest(helper).map(|(id, _)| id).or(Some(0)),
            next_ns: 0,
        }
    }

    fn look(&mut self, helper: &Helper) {
        let now_ns = clock::monotonic_ns();
        if now_ns < self.next_ns {
            return;
        }
        self.next_ns = now_ns + RECORDS_NS;
        for (id, row) in since(helper, self.last_id.unwrap_or(0)) {
            self.last_id = Some(id);
            helper.hub.notice("record", &row);
        }
    }
}

fn newest(helper: &Helper) -> Option<(i64, String)> {
    rows(helper, 1).pop()
}

/// Records after a number, oldest first.
fn since(helper: &Helper, last_id: i64) -> Vec<(i64, String)> {
    let mut rows = rows(helper, 50);
    rows.retain(|(id, _)| *id > last_id);
    rows.reverse();
    rows
}

/// The newest records' numbers and lines. A store that cannot be read has none to tell of.
fn rows(helper: &Helper, limit: u32) -> Vec<(i64, String)> {
    let filter = Filter {
        limit,
        ..Filter::default()
    };
    let rows =
        Store::open_read_only(&helper.options.state_dir).and_then(|store| store.query(&filter));
    let rows = rows.unwrap_or_default();
    rows.into_iter()
        .filter_map(|row| Some((row.id, serde_json::to_string(&row).ok()?)))
        .collect()
}
