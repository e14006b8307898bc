//! What `make fuzz` reaches of this package: any bytes in place of a request's query and body.

use crate::jobs::options::{self, JobOptions};
use crate::route::{self, Body};
use crate::routes;
use crate::targets::{Kind, Target};

/// The first byte chooses the route, a NUL ends the query, and the rest is the body. What passes the shapes becomes the
/// words of a command.
pub fn request(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let end = rest
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(rest.len());
    let (query, body) = rest.split_at(end);
    let body = body.get(1..).unwrap_or_default();
    let routes: Vec<_> = routes::all().collect();
    let Some(route) = routes.get(usize::from(*first) % routes.len()) else {
        return;
    };
    let _ = route::query(route.query, &String::from_utf8_lossy(query));
    if let Body::Json(input) = route.body {
        let _ = route::body(input, body);
    }
    if let Ok(wishes) = model::json::read_bytes::<JobOptions>(body) {
        let target = Target {
            key: "k".into(),
            path: "/srv".into(),
            kind: Kind::Directory,
            safe_to_load: true,
            why_not: None,
        };
        for verb in options::Verb::ALL {
            if let Ok(words) = options::words(verb, &target, &wishes) {
                assert_eq!(words.last().map(String::as_str), Some("/srv"), "{words:?}");
                let _ = options::typed(&words);
            }
        }
    }
}
