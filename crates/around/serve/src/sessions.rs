//! Who is in: the one-time token, and the sessions it opened.
//!
//! Wrong tokens cost nothing but an answer, and no number of them keeps out the right one. A delay would protect nothing: who
//! tries a million tokens a second for the 15 minutes that one is good hits its 256 bits with a chance of 1 in 10^68. It
//! would only let anybody who reaches the port keep out the one who has the token.

use crate::secrets;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long a token may wait for its one use, ms.
pub const TOKEN_MS: u64 = 15 * 60_000;
/// How long a session may idle, ms.
const IDLE_MS: u64 = 12 * 3_600_000;
/// Sessions at a time; the one that idled longest goes first.
const SESSIONS_MAX: usize = 16;

/// The token and the sessions. Moments are ms on any clock that only grows.
#[derive(Debug, Default)]
pub struct Sessions {
    inner: Mutex<SessionsInner>,
}

#[derive(Debug, Default)]
struct SessionsInner {
    token: Option<Token>,
    open: Vec<Session>,
}

#[derive(Debug)]
struct Token {
    secret: String,
    until_ms: u64,
}

/// Somebody who is in.
#[derive(Clone, Debug)]
pub struct Session {
    /// What the cookie holds.
    pub id: String,
    /// What a change must carry in its header.
    pub csrf: String,
    seen_ms: u64,
}

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No such token, or it was used, or it is too old.
    Wrong,
    /// The kernel has no random numbers.
    NoRandomness,
}

impl Sessions {
    /// This token opens a session, in place of any earlier one.
    pub fn set_token(&self, secret: String, now_ms: u64) {
        self.lock().token = Some(Token {
            secret,
            until_ms: now_ms + TOKEN_MS,
        });
    }

    /// Takes a token, which is then used up.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn log_in(&self, token: &str, now_ms: u64) -> Result<Session, Refusal> {
        let mut inner = self.lock();
        let is_right = inner
            .token
            .as_ref()
            .is_some_and(|known| secrets::equal(&known.secret, token) && now_ms < known.until_ms);
        if !is_right {
            return Err(Refusal::Wrong);
        }
        let id = secrets::fresh().map_err(|_| Refusal::NoRandomness)?;
        let csrf = secrets::fresh().map_err(|_| Refusal::NoRandomness)?;
        inner.token = None;
        if inner.open.len() >= SESSIONS_MAX {
            inner.open.sort_by_key(|session| session.seen_ms);
            inner.open.remove(0);
        }
        let session = Session {
            id,
            csrf,
            seen_ms: now_ms,
        };
        inner.open.push(session.clone());
        Ok(session)
    }

    /// The session of a cookie, which is then seen anew.
    pub fn find(&self, id: &str, now_ms: u64) -> Option<Session> {
        let mut inner = self.lock();
        inner
            .open
            .retain(|session| now_ms.saturating_sub(session.seen_ms) < IDLE_MS);
        let session = inner
            .open
            .iter_mut()
            .find(|session| secrets::equal(&session.id, id))?;
        session.seen_ms = now_ms;
        Some(session.clone())
    }

    /// Ends a session.
    pub fn log_out(&self, id: &str) {
        self.lock()
            .open
            .retain(|session| !secrets::equal(&session.id, id));
    }

    fn lock(&self) -> MutexGuard<'_, SessionsInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_token(sessions: &Sessions, now_ms: u64) -> String {
        let token = secrets::fresh().unwrap();
        sessions.set_token(token.clone(), now_ms);
        token
    }

    #[test]
    fn a_token_opens_once() {
        let sessions = Sessions::default();
        let token = new_token(&sessions, 0);
        let session = sessions.log_in(&token, 10).unwrap();
        assert_eq!(sessions.log_in(&token, 20).unwrap_err(), Refusal::Wrong);
        assert_eq!(sessions.find(&session.id, 30).unwrap().csrf, session.csrf);
        assert!(sessions.find("", 30).is_none() && sessions.find(&session.csrf, 30).is_none());
        sessions.log_out(&session.id);
        assert!(sessions.find(&session.id, 40).is_none());
    }

    #[test]
    fn tokens_and_sessions_grow_old() {
        let sessions = Sessions::default();
        let token = new_token(&sessions, 0);
        assert_eq!(
            sessions.log_in(&token, TOKEN_MS).unwrap_err(),
            Refusal::Wrong
        );
        let token = new_token(&sessions, TOKEN_MS + 5_000);
        let session = sessions.log_in(&token, TOKEN_MS + 6_000).unwrap();
        assert!(
            sessions
                .find(&session.id, TOKEN_MS + 6_000 + IDLE_MS - 1)
                .is_some()
        );
        assert!(
            sessions
                .find(&session.id, TOKEN_MS + 6_000 + 2 * IDLE_MS)
                .is_none()
        );
    }

    #[test]
    fn no_number_of_wrong_tokens_keeps_out_the_right_one() {
        let sessions = Sessions::default();
        let token = new_token(&sessions, 0);
        for _ in 0..10_000 {
            assert_eq!(sessions.log_in("guess", 1).unwrap_err(), Refusal::Wrong);
        }
        assert_eq!(sessions.log_in(&token[1..], 1).unwrap_err(), Refusal::Wrong);
        assert!(sessions.log_in(&token, 1).is_ok());
    }

    #[test]
    fn one_log_in_more_than_there_are_places_ends_the_session_that_idled_longest() {
        let sessions = Sessions::default();
        let log_in = |now_ms: u64| {
            let token = new_token(&sessions, now_ms);
            sessions.log_in(&token, now_ms).unwrap().id
        };
        let ids: Vec<String> = (0..SESSIONS_MAX as u64).map(log_in).collect();
        // The first one to come is used again, so the second has been idle longest.
        assert!(sessions.find(&ids[0], 100).is_some());
        let last = log_in(101);
        let is_open = |id: &String| sessions.find(id, 102).is_some();
        let ended: Vec<&String> = ids.iter().filter(|id| !is_open(id)).collect();
        assert_eq!(ended, [&ids[1]]);
        assert!(is_open(&last));
    }

    #[test]
    fn a_new_token_replaces_the_old_one() {
        let sessions = Sessions::default();
        let old = new_token(&sessions, 0);
        let new = new_token(&sessions, 1);
        assert!(sessions.log_in(&old, 2).is_err());
        assert!(sessions.log_in(&new, 2_000).is_ok());
    }
}
