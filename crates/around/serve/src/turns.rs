//! Who waits for what, and for how long: requests that read, verbs, and files each have turns of their own.

use crate::answer::{Fault, Reply};
use crate::helper::Helper;
use crate::route::{Call, Handle, Route, RouteHandler, Verb};
use crate::verbs;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a read of the store may take, and how long a request waits for its turn.
const READ_TIME: Duration = Duration::from_secs(60);
/// Requests that read or write the store at a time; others queue.
const READS_MAX: usize = 4;
/// Requests that wait for a verb at a time.
const VERBS_MAX: usize = 8;
/// Files that come or are imported at a time.
const FILES_MAX: usize = 2;
/// Threads for all of those; a file that comes has one of its own.
pub const THREADS_MAX: usize = READS_MAX + VERBS_MAX + 2 * FILES_MAX;

/// Each with turns of its own: verbs that wait for a slow disk keep nobody from the records. Only those who are logged in get
/// that far.
#[derive(Debug)]
pub struct Turns {
    reads: Arc<Semaphore>,
    verbs: Arc<Semaphore>,
    /// Of files, which are taken before one comes.
    pub files: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Turns {
        let most = |most| Arc::new(Semaphore::new(most));
        Turns {
            reads: most(READS_MAX),
            verbs: most(VERBS_MAX),
            files: most(FILES_MAX),
        }
    }
}

/// Answers a call on a thread of its own, when it is its turn.
///
/// # Errors
/// When its turn or its answer takes too long, and what the function behind its route says.
pub async fn at_work(
    helper: Arc<Helper>,
    route: &'static Route,
    call: Call,
) -> Result<Reply, Fault> {
    let handle: Handle = match route.run {
        RouteHandler::Quick(handle)
        | RouteHandler::Call(handle)
        | RouteHandler::Look(handle)
        | RouteHandler::Verb(handle)
        | RouteHandler::File(handle) => handle,
        RouteHandler::Events | RouteHandler::Door(_) => return Err(Fault::defect()),
    };
    // Dropped with this future when nobody waits for the answer any more, and then nobody waits for the verb either.
    let _cancel = call.cancel.on_drop();
    // Verbs have limits of their own, and a change is waited for however long it takes.
    let limit = match (&route.run, route.verb) {
        (RouteHandler::Call(_), Verb::Get) => Some(READ_TIME),
        (RouteHandler::Look(_), _) => Some(verbs::LOOK_TIME),
        _ => None,
    };
    let own_turn = match route.run {
        RouteHandler::Call(_) => Some(turn(&helper.turns.reads).await?),
        RouteHandler::Look(_) | RouteHandler::Verb(_) => Some(turn(&helper.turns.verbs).await?),
        _ => None,
    };
    let work = tokio::task::spawn_blocking(move || {
        let _turn = own_turn;
        handle(&helper, &call)
    });
    let done = match limit {
        Some(limit) => tokio::time::timeout(limit, work)
            .await
            .map_err(|_| busy(limit))?,
        None => work.await,
    };
    done.map_err(|_| Fault::defect())?
}

/// Waits for a turn.
///
/// # Errors
/// When that takes too long.
pub async fn turn(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Fault> {
    let turn = tokio::time::timeout(READ_TIME, Arc::clone(turns).acquire_owned())
        .await
        .map_err(|_| busy(READ_TIME))?;
    turn.map_err(|_| Fault::defect())
}

fn busy(limit: Duration) -> Fault {
    let limit = model::units::span_ms(limit.as_millis() as u64);
    Fault::new(503, format!("the server is busy: no answer within {limit}"))
        .hint("Try again when less is at work.")
}
