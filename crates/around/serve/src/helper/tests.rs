//! The door has been taken over, and says whatever it likes.

use super::*;
use crate::route::Gate;
use std::os::unix::net::UnixStream as Socket;
use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn helper(state_dir: &Path, read_only: bool) -> Arc<Helper> {
    let options = Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        targets: Vec::new(),
        read_only,
        allow_hosts: Vec::new(),
        tls: None,
        state_dir: state_dir.to_path_buf(),
        // Whoever gets a verb started gets an error of it, of status 500.
        program: "false".into(),
        version: "0".into(),
        import_time: Duration::from_secs(5),
    };
    Arc::new(Helper::new(options, 7979))
}

/// Says these bytes to a helper and gives all that it answers. `ends` says whether it is told that nothing more will come.
fn say(helper: &Arc<Helper>, bytes: &[u8], ends: bool) -> Vec<u8> {
    let runtime = crate::listen::runtime(1, 2).unwrap();
    let answer = runtime.block_on(async {
        let (ours, theirs) = Socket::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let attending = tokio::spawn(attend(Arc::clone(helper), theirs));
        let mut ours = UnixStream::from_std(ours).unwrap();
        // It may have heard enough before the end.
        let _ = ours.write_all(bytes).await;
        if ends {
            ours.shutdown().await.unwrap();
        }
        let mut answer = Vec::new();
        let _ = ours.read_to_end(&mut answer).await;
        attending.await.unwrap();
        answer
    });
    runtime.shutdown_background();
    answer
}

fn piece(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn ask(verb: Verb, path: &str) -> Ask {
    Ask {
        verb,
        path: path.into(),
        place: Vec::new(),
        query: String::new(),
        last_event_id: None,
        file_name: None,
    }
}

/// The status of the answer to a request with this body.
fn status(helper: &Arc<Helper>, ask: &Ask, body: &[u8]) -> u16 {
    let mut bytes = piece(&serde_json::to_vec(ask).unwrap());
    body.chunks(60_000)
        .for_each(|part| bytes.extend(piece(part)));
    bytes.extend(piece(b""));
    let answer = say(helper, &bytes, false);
    let length = u32::from_le_bytes(answer[..4].try_into().unwrap()) as usize;
    let told: Told = serde_json::from_slice(&answer[4..4 + length]).unwrap();
    told.status
}

#[test]
fn only_the_ways_in_of_who_is_logged_in_are_there() {
    let dir = host::files::temporary_dir("helper").unwrap();
    let helper = helper(dir.path(), false);
    for (verb, path) in [
        (Verb::Get, "/etc/shadow"),
        (Verb::Get, "/api/v1/../../etc/shadow"),
        (Verb::Post, "/api/v1/login"),
        (Verb::Get, "/api/v1/session"),
        (Verb::Delete, "/api/v1/targets"),
        (Verb::Get, ""),
    ] {
        assert_eq!(status(&helper, &ask(verb, path), b""), 404, "{path}");
    }
    assert_eq!(
        status(&helper, &ask(Verb::Get, "/api/v1/targets"), b""),
        200
    );
}

#[test]
fn values_are_checked_whatever_the_door_let_through() {
    let dir = host::files::temporary_dir("helper").unwrap();
    let helper = helper(dir.path(), false);
    let jobs = ask(Verb::Post, "/api/v1/jobs");
    for (body, wanted) in [
        (&br#"{"verb": "run", "target": "../../etc"}"#[..], 400),
        (br#"{"verb": "run", "target": "disk-none"}"#, 404),
        (br#"{"verb": "sh", "target": "disk-none"}"#, 400),
        (
            br#"{"verb": "run", "target": "disk-none", "options": {"program": "sh"}}"#,
            400,
        ),
        (
            br#"{"verb": "run", "target": "disk-none", "options": {"size": "1m --destroy-data"}}"#,
            400,
        ),
        (b"", 400),
    ] {
        let body_text = String::from_utf8_lossy(body);
        assert_eq!(status(&helper, &jobs, body), wanted, "{body_text}");
    }
    assert_eq!(status(&helper, &jobs, &vec![b' '; BODY_MAX + 1]), 413);
    let place = vec![("id".into(), "1/../../x".into())];
    let record = Ask {
        place,
        ..ask(Verb::Get, "/api/v1/records/{id}")
    };
    assert_eq!(status(&helper, &record, b""), 404);
    let undo = ask(Verb::Post, "/api/v1/changes/undo");
    assert_eq!(
        status(&helper, &undo, br#"{"journal": "/etc/passwd"}"#),
        400
    );
}

#[test]
fn a_helper_that_only_shows_changes_nothing_for_whoever_asks() {
    let dir = host::files::temporary_dir("helper").unwrap();
    drop(store::Store::open(dir.path()).unwrap());
    let helper = helper(dir.path(), true);
    let changes = routes::all().filter(|route| {
        route.verb != Verb::Get && route.gate == Gate::Session && !route.path.ends_with("/login")
    });
    let mut count = 0;
    for route in changes {
        let place = vec![("id".to_string(), "1".to_string())];
        let ask = Ask {
            place,
            ..ask(route.verb, route.path)
        };
        assert_eq!(status(&helper, &ask, b"{}"), 403, "{}", route.path);
        count += 1;
    }
    assert!(count > 5, "{count}");
}

#[test]
fn what_is_no_request_is_answered_with_nothing() {
    let dir = host::files::temporary_dir("helper").unwrap();
    let helper = helper(dir.path(), false);
    let whole = piece(&serde_json::to_vec(&ask(Verb::Get, "/api/v1/targets")).unwrap());
    for (bytes, ends) in [
        (&u32::MAX.to_le_bytes()[..], false),
        (&piece(b"GET / HTTP/1.1\r\n\r\n"), false),
        (&piece(b""), false),
        (&piece(b"{}"), false),
        (&whole[..3], true),
        (&whole[..whole.len() - 1], true),
        (b"", true),
    ] {
        assert_eq!(say(&helper, bytes, ends), b"", "{bytes:?}");
    }
    // A body that breaks off is none.
    let jobs = ask(Verb::Post, "/api/v1/jobs");
    let begun = [
        piece(&serde_json::to_vec(&jobs).unwrap()),
        piece(br#"{"verb": "run", "#),
    ];
    let answer = say(&helper, &begun.concat(), true);
    assert!(String::from_utf8_lossy(&answer).contains("the body broke off"));
}

#[test]
fn one_request_too_many_is_dropped() {
    let dir = host::files::temporary_dir("helper").unwrap();
    let helper = helper(dir.path(), false);
    let _all = Arc::clone(&helper.asks)
        .try_acquire_many_owned(ASKS_MAX as u32)
        .unwrap();
    let whole = piece(&serde_json::to_vec(&ask(Verb::Get, "/api/v1/targets")).unwrap());
    assert_eq!(say(&helper, &whole, false), b"");
}
