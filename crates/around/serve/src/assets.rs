//! The pages: files that were built into the binary. A request chooses one by its exact name; there is no path to climb.

use crate::answer::{Fault, JSON, Reply};
use crate::packed::unpacked;
use axum::http::{Method, Uri, header};
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Every file by its name.
static ASSETS: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(|| {
    let packed = PACKED_ASSETS.iter();
    packed
        .map(|(name, bytes)| (*name, unpacked(bytes)))
        .collect()
});

/// The file of this name, or the first page for whatever is no file: it knows its own deep links.
pub async fn serve(method: Method, uri: Uri) -> Response {
    find(&method, uri.path()).map_or_else(IntoResponse::into_response, IntoResponse::into_response)
}

fn find(method: &Method, path: &str) -> Result<Reply, Fault> {
    if path == "/api" || path.starts_with("/api/") {
        return Err(Fault::new(404, "there is no such way in")
            .hint("GET /api/v1/openapi.json lists what there is."));
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Err(Fault::new(405, "pages are only read").with(header::ALLOW, "GET, HEAD"));
    }
    let name = path.trim_start_matches('/');
    let named = ASSETS
        .iter()
        .find(|(known, _)| *known == name && !name.is_empty());
    let index = || ASSETS.iter().find(|(known, _)| *known == "index.html");
    let (first, last) = (name.split('/').next(), name.rsplit('/').next());
    // Ids and names of devices may hold a dot: `/catalogue/field/disk.await_read_ms`.
    let is_page = first.is_some_and(|first| ["catalogue", "history", "machine"].contains(&first));
    let is_file = !is_page && last.is_some_and(|last| last.contains('.'));
    match named {
        Some((name, bytes)) => Ok(reply(name, bytes)),
        None if is_file => Err(Fault::new(404, "there is no such file")),
        None => match index() {
            Some((name, bytes)) => Ok(reply(name, bytes)),
            None => Err(Fault::new(404, "this build has no pages")
                .hint("The interface below /api/v1 works.")),
        },
    }
}

fn reply(name: &str, bytes: &'static [u8]) -> Reply {
    let reply = Reply::bytes(kind(name), bytes);
    // The build puts a hash of the content into these names.
    match name.starts_with("assets/") {
        true => reply.with(header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        false => reply.with(header::CACHE_CONTROL, "no-cache"),
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => JSON,
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole() {
        let page = ASSETS.iter().find(|(name, _)| *name == "index.html");
        let text = String::from_utf8_lossy(&page.unwrap().1);
        assert!(text.trim_end().ends_with("</html>"), "{text}");
    }

    fn status(method: Method, path: &str) -> u16 {
        find(&method, path).map_or_else(|fault| fault.status, |reply| reply.status)
    }

    #[test]
    fn nothing_outside_the_table_is_a_file() {
        let tricks = [
            "/../Cargo.toml",
            "/%2e%2e/%2e%2e/etc/passwd.txt",
            "//etc/passwd.txt",
            "/assets/../../lib.rs",
            "/index.html/..",
            "/assets/..%2f..%2fserver.rs",
            "/\u{0}.html",
        ];
        for trick in tricks {
            assert_eq!(status(Method::GET, trick), 404, "{trick}");
        }
        assert_eq!(status(Method::GET, "/api/v2/x"), 404);
        assert_eq!(status(Method::POST, "/records/7"), 405);
    }

    #[test]
    fn deep_links_give_the_first_page() {
        let has_pages = ASSETS.iter().any(|(name, _)| *name == "index.html");
        let expected = if has_pages { 200 } else { 404 };
        for link in [
            "/",
            "/records/7",
            "/compare",
            "/catalogue/field/disk.await_read_ms",
        ] {
            assert_eq!(status(Method::GET, link), expected, "{link}");
        }
    }
}
