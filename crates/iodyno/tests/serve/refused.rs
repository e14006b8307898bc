//! What must be refused, each by somebody who tries it.

use super::http::{Server, Visitor};
use crate::support::{Iodyno, signal};

/// Every way in with its method, with numbers and names for what stands in braces.
fn ways(visitor: &Visitor) -> Vec<(String, String)> {
    let document = visitor.get("/api/v1/openapi.json").fine();
    let mut ways = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", "1").replace("{kind}", "knob");
            ways.push((method.to_uppercase(), path));
        }
    }
    assert!(ways.len() > 20, "{ways:?}");
    ways
}

fn without(headers: &[(String, String)], name: &str) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(known, _)| known != name)
        .cloned()
        .collect()
}

fn with(headers: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut headers = without(headers, name);
    headers.push((name.into(), value.into()));
    headers
}

#[test]
fn nobody_gets_in_without_a_cookie_a_name_an_origin_and_a_token() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    for (method, path) in ways(&visitor) {
        let own = visitor.headers(&method);
        let ask =
            |headers: &[(String, String)]| visitor.send(&method, &path, headers, b"{}").status;
        let is_login = path.ends_with("/login");
        if !is_login {
            assert_eq!(ask(&without(&own, "Cookie")), 401, "{method} {path}");
            assert_eq!(
                ask(&with(&own, "Cookie", "iodyno_1=x")),
                401,
                "{method} {path}"
            );
        }
        for host in ["rebound.example", "localhost.evil.example:80", "10.1.2.3"] {
            assert_eq!(
                ask(&with(&own, "Host", host)),
                403,
                "{method} {path} as {host}"
            );
        }
        assert_eq!(
            ask(&without(&own, "Host")),
            400,
            "{method} {path} without a name"
        );
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
            assert_eq!(
                ask(&with(&own, "Origin", origin)),
                403,
                "{method} {path} from {origin}"
            );
        }
        assert_eq!(
            ask(&with(&own, "Sec-Fetch-Site", "cross-site")),
            403,
            "{method} {path}"
        );
        if method != "GET" {
            assert_eq!(
                ask(&without(&own, "Origin")),
                403,
                "{method} {path} from nowhere"
            );
        }
        if method != "GET" && !is_login {
            assert_eq!(ask(&without(&own, "X-CSRF-Token")), 403, "{method} {path}");
            assert_eq!(
                ask(&with(&own, "X-CSRF-Token", &"0".repeat(64))),
                403,
                "{method} {path}"
            );
        }
    }
    assert_eq!(
        visitor.get("/api/v1/session").status,
        200,
        "nothing of it ended the session"
    );
}

#[test]
fn a_token_opens_once_and_the_newest_replaces_it() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let stranger = server.stranger();
    let again = stranger.post(
        "/api/v1/login",
        &format!("{{\"token\": \"{}\"}}", server.token),
    );
    assert_eq!(again.status, 401, "{}", again.text());
    // A new one comes on a signal and after a log-out; the old session is over then.
    signal(server.child.id(), "USR1");
    let token = server.next_token();
    assert_ne!(token, server.token);
    assert_eq!(visitor.post("/api/v1/logout", "").status, 200);
    assert_eq!(visitor.get("/api/v1/session").status, 401);
    let newest = server.next_token();
    let log_in = |token: &str| {
        stranger
            .post("/api/v1/login", &format!("{{\"token\": \"{token}\"}}"))
            .status
    };
    assert_eq!(log_in(&token), 401, "the newest address replaced it");
    assert_eq!(log_in(&newest), 200);
}

#[test]
fn a_server_that_only_shows_changes_nothing() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &["--read-only"]);
    let visitor = server.log_in();
    assert_eq!(visitor.get("/api/v1/session").fine()["read_only"], true);
    for (method, path) in ways(&visitor) {
        if method != "GET" && !path.ends_with("/login") && !path.ends_with("/logout") {
            let answer = visitor.send(&method, &path, &visitor.headers(&method), b"{}");
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text());
            assert!(answer.text().contains("--read-only"), "{}", answer.text());
        }
    }
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let stranger = server.stranger();
    let foreign = with(&visitor.headers("GET"), "Origin", "http://evil.example");
    let answers = [
        visitor.get("/"),
        visitor.get("/api/v1/session"),
        visitor.get("/no-such-file.js"),
        visitor.get("/api/v1/nothing"),
        stranger.get("/api/v1/records"),
        visitor.send("GET", "/api/v1/records", &foreign, b""),
        visitor.send(
            "OPTIONS",
            "/api/v1/records",
            &visitor.headers("OPTIONS"),
            b"",
        ),
        visitor.send("PUT", "/api/v1/records", &visitor.headers("PUT"), b"{}"),
    ];
    for answer in &answers {
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(
            policy.starts_with("default-src 'self'") && !policy.contains("unsafe"),
            "{answer:?}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(
            !answer
                .headers
                .iter()
                .any(|(name, _)| name.starts_with("access-control-")),
            "{answer:?}"
        );
        assert!(answer.header("server").is_none());
        if answer.status >= 400 {
            let document = answer.json();
            assert_eq!(document["schema"], "iodyno.error/1", "{document}");
            assert!(
                document["error"]
                    .as_str()
                    .is_some_and(|error| !error.is_empty())
            );
        }
    }
    assert_eq!(
        answers.map(|answer| answer.status)[2..],
        [404, 404, 401, 403, 405, 405]
    );
}

#[test]
fn what_is_too_much_is_not_taken() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let own = visitor.headers("POST");
    let long = format!("{{\"text\": \"{}\"}}", "x".repeat(1 << 20));
    assert_eq!(
        visitor
            .send("POST", "/api/v1/records/1/notes", &own, long.as_bytes())
            .status,
        413
    );
    let mut many = own.clone();
    many.extend((0..200).map(|number| (format!("X-{number}"), "1".to_string())));
    // Nothing above 32 KiB, however little it is.
    let wide = with(&own, "X-Wide", &"x".repeat(32 << 10));
    for headers in [many, wide] {
        let answer = visitor.send("POST", "/api/v1/records/1/notes", &headers, b"{}");
        assert!(matches!(answer.status, 400 | 431), "{}", answer.status);
    }
    let wide = with(&visitor.headers("GET"), "X-Wide", &"x".repeat(33_000));
    assert_eq!(visitor.send("GET", "/", &wide, b"").status, 431);
    let plain = with(&own, "Content-Type", "text/plain");
    assert_eq!(
        visitor
            .send(
                "POST",
                "/api/v1/records/1/notes",
                &plain,
                b"{\"text\": \"x\"}"
            )
            .status,
        415
    );
    for path in [
        "/api/v1/records?limit=0",
        "/api/v1/records?limit=1&limit=2",
        "/api/v1/records?path=/etc",
    ] {
        assert_eq!(visitor.get(path).status, 400, "{path}");
    }
    assert_eq!(visitor.get("/api/v1/records/0x7").status, 404);
    assert_eq!(
        visitor.get("/api/v1/session").status,
        200,
        "it still answers"
    );
}

#[test]
fn no_path_from_outside_leads_anywhere() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    for path in [
        "/../../../../etc/passwd.txt",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd.txt",
        "/..%2f..%2f..%2fetc%2fpasswd.txt",
        "//etc/passwd.txt",
        "/records.db",
        "/api/v1/records/../../../etc/passwd",
        "/api/v1/records/..%2f..%2frecords.db",
        "/api/v1/catalogue/knob/..%2f..%2fx",
        "/api/v1/catalogue/--help/x",
        "/api/v1/machine?target=/etc",
        "/api/v1/machine?target=..%2f..",
        "/api/v1/machine?target=--root%3D/etc/passwd",
    ] {
        let answer = visitor.get(path);
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(!answer.text().contains("root:"), "{path}");
    }
    let bodies = [
        r#"{"verb": "run", "target": "/etc"}"#,
        r#"{"verb": "run", "target": "disk-vda", "options": {"destroy_data": true}}"#,
        r#"{"verb": "run", "target": "disk-vda", "options": {"bs": "4k --destroy-data"}}"#,
        r#"{"verb": "run", "target": "disk-vda", "options": {"preset": "$(reboot)"}}"#,
        r#"{"verb": "undo", "target": "disk-vda"}"#,
        r#"{"verb": "run"}"#,
    ];
    for body in bodies {
        let answer = visitor.post("/api/v1/jobs", body);
        assert!(
            matches!(answer.status, 400 | 404),
            "{body}: {}",
            answer.text()
        );
    }
    let undo = visitor.post("/api/v1/changes/undo", r#"{"journal": "--all"}"#);
    assert_eq!(undo.status, 400, "{}", undo.text());
    assert_eq!(
        visitor.get("/api/v1/jobs").fine()["jobs"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_file_is_named_by_its_sender_and_placed_by_us() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/fio-json/fio-3.36.json"
    );
    let content = std::fs::read(sample).unwrap();
    let headers = with(
        &visitor.headers("POST"),
        "X-File-Name",
        "..%2F..%2Ftmp%2Fmy%20run.json",
    );
    let document = visitor
        .send("POST", "/api/v1/imports", &headers, &content)
        .fine();
    let id = document["ids"][0].as_i64().unwrap();
    let record = visitor.get(&format!("/api/v1/records/{id}")).fine();
    assert_eq!(
        record["record"]["imported"]["file"], "my_run.json",
        "{}",
        record["record"]["imported"]["file"]
    );
    let again = visitor
        .send("POST", "/api/v1/imports", &headers, &content)
        .fine();
    assert_eq!(again["ids"][0], id, "the same file is the same record");
    let left: Vec<_> = std::fs::read_dir(iodyno.state.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.to_string_lossy().starts_with("upload-")),
        "{left:?}"
    );
}
