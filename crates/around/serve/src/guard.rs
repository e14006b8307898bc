//! Who may ask at all: the name we are called by, the page that asks, the cookie and the token of a change.

use crate::answer::Fault;
use crate::hosts::{self, Hosts};
use crate::sessions::{Session, Sessions};
use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use std::net::IpAddr;

/// Request line and headers together, bytes.
pub const HEAD_MAX: usize = 32 << 10;

/// The header that a change must carry, with the session's token.
pub const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

/// How we are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Our end of the connection.
    pub local: IpAddr,
    /// Whether it is encrypted.
    pub is_tls: bool,
}

/// Refuses whoever calls us by a name that is not ours, and any page of another origin. Gives the name.
///
/// # Errors
/// Why not.
pub fn outer(
    (method, uri, headers): (&Method, &Uri, &HeaderMap),
    reached: Reached,
    hosts: &Hosts,
) -> Result<String, Fault> {
    let authority = named((method, uri, headers), reached, hosts)?;
    let foreign = || Fault::new(403, "a page of another origin may not ask this");
    match single(headers, &header::ORIGIN)? {
        Some(origin) if !is_same(origin, &authority, reached.is_tls) => return Err(foreign()),
        None if !matches!(*method, Method::GET | Method::HEAD) => {
            return Err(
                Fault::new(403, "a change must say which page it comes from")
                    .hint("Send the header Origin with the address of this server."),
            );
        }
        _ => {}
    }
    // A browser says so itself where it leaves out Origin. Following a link to a page of ours is nobody's harm.
    let is_api = uri.path().starts_with("/api/");
    match single(headers, &HeaderName::from_static("sec-fetch-site"))? {
        Some("cross-site" | "same-site") if is_api => Err(foreign()),
        _ => Ok(authority),
    }
}

/// Refuses a head that is too long, and whoever calls us by a name that is not ours. Gives the name.
///
/// # Errors
/// Why not.
pub fn named(
    (method, uri, headers): (&Method, &Uri, &HeaderMap),
    reached: Reached,
    hosts: &Hosts,
) -> Result<String, Fault> {
    if head_bytes(method, uri, headers) > HEAD_MAX {
        let most = model::units::bytes(HEAD_MAX as f64);
        return Err(Fault::new(
            431,
            format!("request line and headers are more than {most}"),
        ));
    }
    let authority = authority(uri, headers)?;
    match hosts.allows(&authority, reached.local) {
        true => Ok(authority),
        false => Err(Fault::new(403, "this is not a name of this server")
            .hint("Open the address that it printed, or start it with --allow-host NAME.")),
    }
}

/// Bytes of a request's head, as written with one blank behind each colon. The HTTP part stops reading a head somewhere
/// above its limit, so what it let through is measured here.
fn head_bytes(method: &Method, uri: &Uri, headers: &HeaderMap) -> usize {
    let line = method.as_str().len() + uri.to_string().len() + "  HTTP/1.1\r\n".len();
    let lines = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + lines.sum::<usize>() + "\r\n".len()
}

/// Whom we are asked for: the request line's name and the `Host` header's, which must not differ.
fn authority(uri: &Uri, headers: &HeaderMap) -> Result<String, Fault> {
    let wrong = || Fault::asked("the request does not say which host it is for");
    let host = single(headers, &header::HOST)?;
    match (uri.authority(), host) {
        (Some(named), Some(host)) if !named.as_str().eq_ignore_ascii_case(host) => Err(wrong()),
        (Some(named), _) => Ok(named.as_str().to_string()),
        (None, Some(host)) => Ok(host.to_string()),
        (None, None) => Err(wrong()),
    }
}

/// The one value of a header; two of them are a trick.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let odd = || Fault::asked(format!("the header {name} is not one plain value"));
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| odd()),
        _ => Err(odd()),
    }
}

/// Whether an origin is the page that we served under this name.
fn is_same(origin: &str, authority: &str, is_tls: bool) -> bool {
    let (scheme, port) = if is_tls {
        ("https://", 443)
    } else {
        ("http://", 80)
    };
    let parts = |text| {
        hosts::split(text).map(|(host, own)| (host.to_ascii_lowercase(), own.unwrap_or(port)))
    };
    let of_origin = origin.strip_prefix(scheme).and_then(parts);
    of_origin.is_some() && of_origin == parts(authority)
}

/// The session of the cookie, if there is one.
pub fn session(
    headers: &HeaderMap,
    cookie: &str,
    sessions: &Sessions,
    now_ms: u64,
) -> Option<Session> {
    let all = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = all
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, id) = pairs.find(|(name, _)| *name == cookie)?;
    sessions.find(id, now_ms)
}

/// Refuses a change whose header lacks the session's token.
///
/// # Errors
/// What to send.
pub fn change(headers: &HeaderMap, session: &Session) -> Result<(), Fault> {
    let sent = single(headers, &CSRF)?.unwrap_or_default();
    match crate::secrets::equal(sent, &session.csrf) {
        true => Ok(()),
        false => Err(
            Fault::new(403, "the change lacks the token of this session")
                .hint("Send the header X-CSRF-Token with what GET /api/v1/session gives as csrf."),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACHED: Reached = Reached {
        local: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        is_tls: false,
    };

    fn ask(method: Method, uri: &str, lines: &[(&'static str, &str)]) -> Result<String, u16> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        outer(
            (&method, &uri.parse().unwrap(), &headers),
            REACHED,
            &Hosts::new(&[]),
        )
        .map_err(|fault| fault.status)
    }

    #[test]
    fn our_own_page_may_ask() {
        let own = [
            ("host", "localhost:8080"),
            ("origin", "http://localhost:8080"),
            ("sec-fetch-site", "same-origin"),
        ];
        assert_eq!(
            ask(Method::POST, "/api/v1/jobs", &own),
            Ok("localhost:8080".into())
        );
        assert!(ask(Method::GET, "/api/v1/jobs", &own[..1]).is_ok());
        assert!(
            ask(
                Method::GET,
                "/",
                &[("host", "127.0.0.1"), ("sec-fetch-site", "cross-site")]
            )
            .is_ok()
        );
        assert!(
            ask(
                Method::POST,
                "/x",
                &[("host", "[::1]"), ("origin", "http://[::1]:80")]
            )
            .is_ok()
        );
    }

    #[test]
    fn another_page_may_not() {
        for origin in [
            "http://evil.example",
            "http://localhost:8081",
            "https://localhost:8080",
            "http://127.0.0.1:8080",
            "http://localhost:8080.evil.example",
            "http://localhost:8080/",
            "null",
            "",
        ] {
            let lines = [("host", "localhost:8080"), ("origin", origin)];
            assert_eq!(
                ask(Method::POST, "/api/v1/jobs", &lines),
                Err(403),
                "{origin}"
            );
            assert_eq!(
                ask(Method::GET, "/api/v1/events", &lines),
                Err(403),
                "{origin}"
            );
        }
        assert_eq!(
            ask(Method::POST, "/api/v1/jobs", &[("host", "localhost")]),
            Err(403),
            "no origin"
        );
        assert_eq!(
            ask(Method::DELETE, "/api/v1/jobs/1", &[("host", "localhost")]),
            Err(403)
        );
        for site in ["cross-site", "same-site"] {
            let lines = [("host", "localhost"), ("sec-fetch-site", site)];
            assert_eq!(ask(Method::GET, "/api/v1/records", &lines), Err(403));
        }
    }

    #[test]
    fn another_name_is_not_answered() {
        assert_eq!(
            ask(Method::GET, "/", &[("host", "rebound.example:7979")]),
            Err(403)
        );
        assert_eq!(ask(Method::GET, "/", &[]), Err(400));
        assert_eq!(
            ask(
                Method::GET,
                "/",
                &[("host", "localhost"), ("host", "evil.example")]
            ),
            Err(400)
        );
        assert_eq!(
            ask(
                Method::GET,
                "http://evil.example/",
                &[("host", "localhost")]
            ),
            Err(400)
        );
        assert_eq!(ask(Method::GET, "http://evil.example/", &[]), Err(403));
    }

    #[test]
    fn a_head_is_as_long_as_the_guide_says() {
        let wide = "x".repeat(HEAD_MAX - "GET / HTTP/1.1\r\nhost: localhost\r\nx: \r\n\r\n".len());
        assert!(ask(Method::GET, "/", &[("host", "localhost"), ("x", &wide)]).is_ok());
        assert_eq!(
            ask(
                Method::GET,
                "/",
                &[("host", "localhost"), ("x", &format!("{wide}x"))]
            ),
            Err(431)
        );
        assert_eq!(
            ask(Method::GET, "/?", &[("host", "localhost"), ("x", &wide)]),
            Err(431)
        );
    }

    #[test]
    fn the_right_cookie_is_found_among_others() {
        let sessions = Sessions::default();
        let token = "a token".to_string();
        sessions.set_token(token.clone(), 0);
        let session = sessions.log_in(&token, 0).unwrap();
        let mut headers = HeaderMap::new();
        let line = format!("a=b; iodyno_2={}x; iodyno_1={}; c", session.id, session.id);
        headers.insert(header::COOKIE, line.parse().unwrap());
        assert!(super::session(&headers, "iodyno_1", &sessions, 1).is_some());
        assert!(super::session(&headers, "iodyno_2", &sessions, 1).is_none());
        assert_eq!(change(&headers, &session).unwrap_err().status, 403);
        headers.insert(CSRF, session.csrf.parse().unwrap());
        assert!(change(&headers, &session).is_ok());
        headers.insert(CSRF, session.id.parse().unwrap());
        assert!(change(&headers, &session).is_err());
    }
}
