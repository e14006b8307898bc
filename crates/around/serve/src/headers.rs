//! What every answer carries so that a browser does with it only what we mean.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// For our own pages: everything from here, nothing inline, in nobody's frame.
const OWN: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                   object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// For a report, which is one file with its styles and scripts in it and words of other machines: an origin of its own
/// that reaches nothing, not even us.
pub const REPORT: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
                          style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'";

const ALWAYS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// For 30 days a browser comes back under this name by TLS alone, on every port: long enough for who looks daily, short
/// enough for a host that later has something else to show.
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=2592000");

/// Adds them. What the answer says itself stays.
pub fn add(headers: &mut HeaderMap, is_tls: bool) {
    if is_tls {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, TLS_ONLY);
    }
    for (name, value) in ALWAYS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    let missing = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    missing(headers, header::CONTENT_SECURITY_POLICY, OWN);
    missing(headers, header::CACHE_CONTROL, "no-store");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_pages_run_nothing_inline() {
        let mut headers = HeaderMap::new();
        add(&mut headers, false);
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    }

    #[test]
    fn a_report_keeps_its_sandbox() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(REPORT),
        );
        add(&mut headers, true);
        assert!(headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.starts_with("sandbox allow-scripts;") && !policy.contains("allow-same-origin")
        );
    }
}
