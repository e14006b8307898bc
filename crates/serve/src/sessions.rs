//! Who is in: the one-time token, the sessions it opened, and the growing delay for those who guess.

use crate::secrets;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long a token may wait for its one use, ms.
pub const TOKEN_MS: u64 = 15 * 60_000;
/// How long a session may idle, ms.
const IDLE_MS: u64 = 12 * 3_600_000;
/// The longest that a wrong token makes the next attempt wait, s.
const DELAY_MAX_S: u64 = 64;
/// Sessions at a time; the one that idled longest goes first.
const SESSIONS_MAX: usize = 16;

/// The token and the sessions. Moments are ms on any clock that only grows.
#[derive(Debug, Default)]
pub struct Sessions {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    token: Option<Token>,
    open: Vec<Session>,
    failures: u32,
    not_before_ms: u64,
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
    /// Too soon after a wrong one; seconds to wait.
    TooSoon(u64),
    /// The kernel has no random numbers.
    NoRandomness,
}

impl Sessions {
    /// A new token in place of any earlier one.
    ///
    /// # Errors
    /// When the kernel has no random numbers.
    pub fn new_token(&self, now_ms: u64) -> host::Result<String> {
        let secret = secrets::fresh()?;
        self.lock().token = Some(Token { secret: secret.clone(), until_ms: now_ms + TOKEN_MS });
        Ok(secret)
    }

    /// Takes a token, which is then used up.
    ///
    /// # Errors
    /// See [`Refusal`]. An attempt that comes too soon is not even looked at, and does not lengthen the delay.
    pub fn log_in(&self, token: &str, now_ms: u64) -> Result<Session, Refusal> {
        let mut inner = self.lock();
        if now_ms < inner.not_before_ms {
            return Err(Refusal::TooSoon((inner.not_before_ms - now_ms).div_ceil(1000)));
        }
        let is_right = inner
            .token
            .as_ref()
            .is_some_and(|known| secrets::equal(&known.secret, token) && now_ms < known.until_ms);
        if !is_right {
            inner.failures = inner.failures.saturating_add(1);
            let delay_s = (1u64 << (inner.failures - 1).min(6)).min(DELAY_MAX_S);
            inner.not_before_ms = now_ms + delay_s * 1000;
            return Err(Refusal::Wrong);
        }
        let id = secrets::fresh().map_err(|_| Refusal::NoRandomness)?;
        let csrf = secrets::fresh().map_err(|_| Refusal::NoRandomness)?;
        (inner.token, inner.failures) = (None, 0);
        if inner.open.len() >= SESSIONS_MAX {
            inner.open.sort_by_key(|session| session.seen_ms);
            inner.open.remove(0);
        }
        let session = Session { id, csrf, seen_ms: now_ms };
        inner.open.push(session.clone());
        Ok(session)
    }

    /// The session of a cookie, which is then seen anew.
    pub fn find(&self, id: &str, now_ms: u64) -> Option<Session> {
        let mut inner = self.lock();
        inner.open.retain(|session| now_ms.saturating_sub(session.seen_ms) < IDLE_MS);
        let session = inner.open.iter_mut().find(|session| secrets::equal(&session.id, id))?;
        session.seen_ms = now_ms;
        Some(session.clone())
    }

    /// Ends a session.
    pub fn log_out(&self, id: &str) {
        self.lock().open.retain(|session| !secrets::equal(&session.id, id));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_once() {
        let sessions = Sessions::default();
        let token = sessions.new_token(0).unwrap();
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
        let token = sessions.new_token(0).unwrap();
        assert_eq!(sessions.log_in(&token, TOKEN_MS).unwrap_err(), Refusal::Wrong);
        let token = sessions.new_token(TOKEN_MS + 5_000).unwrap();
        let session = sessions.log_in(&token, TOKEN_MS + 6_000).unwrap();
        assert!(sessions.find(&session.id, TOKEN_MS + 6_000 + IDLE_MS - 1).is_some());
        assert!(sessions.find(&session.id, TOKEN_MS + 6_000 + 2 * IDLE_MS).is_none());
    }

    #[test]
    fn guessing_takes_ever_longer() {
        let sessions = Sessions::default();
        let token = sessions.new_token(0).unwrap();
        let mut now_ms = 0;
        for delay_s in [1, 2, 4, 8, 16, 32, 64, 64] {
            assert_eq!(sessions.log_in("guess", now_ms).unwrap_err(), Refusal::Wrong);
            assert_eq!(sessions.log_in(&token, now_ms).unwrap_err(), Refusal::TooSoon(delay_s));
            now_ms += delay_s * 1000;
        }
        assert!(sessions.log_in(&token, now_ms).is_ok());
        assert_eq!(sessions.log_in("guess", now_ms).unwrap_err(), Refusal::Wrong);
        assert_eq!(sessions.log_in("guess", now_ms).unwrap_err(), Refusal::TooSoon(1), "it begins anew");
    }

    #[test]
    fn a_new_token_replaces_the_old_one() {
        let sessions = Sessions::default();
        let old = sessions.new_token(0).unwrap();
        let new = sessions.new_token(1).unwrap();
        assert!(sessions.log_in(&old, 2).is_err());
        assert!(sessions.log_in(&new, 2_000).is_ok());
    }
}
