//! Loads that are started and stopped over HTTP, and the events of them.

use super::http::{Events, Server};
use crate::support::{Dir, Iodyno, Loop, signal, text, until};
use serde_json::{Value, json};

/// What the command line calls an option of a job.
fn flag(option: &str) -> String {
    match option {
        "depth" => "--quick".into(),
        "load" => "--no-load".into(),
        "knobs" => "--knob".into(),
        _ => {
            let name = option.strip_suffix("_s").unwrap_or(option);
            format!("--{}", name.replace('_', "-"))
        }
    }
}

#[test]
fn every_option_of_a_job_is_one_of_its_verb() {
    let iodyno = Iodyno::new();
    let described = iodyno.run(&["openapi"]).stdout;
    let described: Value = serde_json::from_slice(&described).unwrap();
    let request = &described["paths"]["/api/v1/jobs"]["post"]["requestBody"];
    let body = &request["content"]["application/json"]["schema"]["properties"];
    let options = body["options"]["properties"].as_object().unwrap();
    assert!(options.len() > 10, "{options:?}");
    for (option, schema) in options {
        let (verbs, _) = schema["description"]
            .as_str()
            .and_then(|says| says.split_once(": "))
            .unwrap_or_else(|| panic!("{option} does not say of which verbs it is"));
        for verb in verbs.split(", ") {
            let help = iodyno.run(&[verb, "--help"]).stdout;
            let flag = flag(option);
            assert!(text(&help).contains(&flag), "{verb} has no {flag}");
        }
    }
}

#[test]
fn a_run_becomes_a_record_and_is_told_as_it_goes() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("serve"));
    let path = dir
        .path()
        .canonicalize()
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    let server = Server::start(&iodyno, &["--target", &path]);
    let visitor = server.log_in();
    let mut events = Events::open(&visitor, "/api/v1/events", None);
    let options = json!({"size": "16m", "runtime_s": 2, "rw": "randread", "iodepth": 4});
    let id =
        visitor.start(&json!({"verb": "run", "target": visitor.key(&path), "options": options}));
    let interval = loop {
        let event = events.named("job");
        if event.data["document"]["schema"] == "iodyno.interval/1" {
            break event.data;
        }
        assert!(event.data["state"] != "failed", "{event:?}");
    };
    assert_eq!(interval["id"], id);
    let job = visitor.ended(id);
    assert_eq!(
        (&job["state"], &job["exit"], &job["everything_back"]),
        (&json!("done"), &json!(0), &json!(true)),
        "{job}"
    );
    assert_eq!(job["outcome"], "Done. Nothing of it is left to undo.");
    let command = format!("iodyno run --iodepth=4 --runtime=2s --rw=randread --size=16m {path}");
    assert_eq!(job["command"], command);
    let record = job["record"].as_i64().unwrap();
    let told = loop {
        let event = events.named("record");
        if event.data["id"] == record {
            break event.data;
        }
    };
    assert_eq!(told["verb"], "run");
    let shown = visitor.get(&format!("/api/v1/records/{record}")).fine();
    assert_eq!(shown["record"]["job"]["iodepth"], 4);
    assert!(
        shown["record"]["load"]["intervals"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
}

#[test]
fn two_loads_at_once_would_spoil_each_other() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("serve"));
    let path = dir.path().canonicalize().unwrap();
    let path = path.to_str().unwrap();
    let server = Server::start(&iodyno, &["--target", path]);
    let visitor = server.log_in();
    let target = visitor.key(path);
    let options = json!({"size": "16m", "runtime_s": 600});
    let id = visitor.start(&json!({"verb": "run", "target": target, "options": options}));
    let second = json!({"verb": "run", "target": target}).to_string();
    let refused = visitor.post("/api/v1/jobs", &second);
    assert_eq!(refused.status, 409, "{}", refused.text());
    visitor.delete(&format!("/api/v1/jobs/{id}")).fine();
    assert_eq!(visitor.ended(id)["state"], "stopped");
}

#[test]
fn frames_come_with_their_meaning_and_can_be_taken_up_again() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let mut events = Events::open(&visitor, "/api/v1/events", None);
    let head = events.named("head").data;
    assert_eq!(head["schema"], "iodyno.watch/1");
    let first = events.named("frame");
    assert_eq!(first.data["schema"], "iodyno.sample/1");
    let second = events.named("frame");
    assert!(second.data["at_ms"].as_f64() > first.data["at_ms"].as_f64());
    drop(events);
    // Taken up after the first, the second comes again.
    let mut again = Events::open(&visitor, "/api/v1/events", first.id.as_deref());
    assert_eq!(again.named("head").data["schema"], "iodyno.watch/1");
    assert_eq!(again.named("frame").id, second.id);
    // Who logs out hears no more.
    assert_eq!(visitor.post("/api/v1/logout", "").status, 200);
    until("the end of the stream", || again.next().is_none());
}

/// What a tune of all settings may change, and where it stands.
pub fn tune(server: &Server, disk: &Loop) -> (super::http::Visitor, i64) {
    let visitor = server.log_in();
    let options = json!({"budget_s": 300, "size": "32m", "iodepth": 4, "knobs": ["scheduler", "nr_requests"]});
    let target = visitor.key(&disk.device);
    let id = visitor.start(&json!({"verb": "tune", "target": target, "options": options}));
    until("a step of the experiment", || {
        let job = visitor.job(id);
        assert!(job["ended_unix_ms"].is_null(), "{job}");
        job["last"]["schema"] == "iodyno.step/1" && job["last"]["windows"].as_u64() > Some(4)
    });
    (visitor, id)
}

#[test]
fn a_stopped_tune_puts_everything_back_and_says_so() {
    let Some(disk) = Loop::new(64) else { return };
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let (visitor, id) = tune(&server, &disk);
    let stopping = visitor.delete(&format!("/api/v1/jobs/{id}")).fine();
    assert!(
        ["stopping", "stopped"].contains(&stopping["state"].as_str().unwrap()),
        "{stopping}"
    );
    let job = visitor.ended(id);
    assert_eq!(
        (&job["state"], &job["exit"]),
        (&json!("stopped"), &json!(130)),
        "{job}"
    );
    assert_eq!(
        (&job["outcome"], &job["everything_back"]),
        (
            &json!("Stopped. Nothing of it is left to undo."),
            &json!(true)
        )
    );
    assert_eq!(disk.settings(), before);
    assert_eq!(visitor.get("/api/v1/changes").fine()["journals"], json!([]));
}

#[test]
fn ending_the_server_ends_a_tune_first() {
    let Some(disk) = Loop::new(64) else { return };
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let mut server = Server::start(&iodyno, &[]);
    tune(&server, &disk);
    assert_eq!(server.end(), Some(0));
    assert_eq!(disk.settings(), before);
}

#[test]
fn a_killed_server_takes_its_tune_with_it() {
    let Some(disk) = Loop::new(64) else { return };
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let mut server = Server::start(&iodyno, &[]);
    tune(&server, &disk);
    signal(server.child.id(), "KILL");
    server.child.wait().unwrap();
    // The kernel tells the tune, which puts everything back without anybody's help.
    until("the tune's own end", || {
        let journals = std::fs::read_dir(iodyno.state.path().join("journal"));
        journals.map_or(true, |mut entries| entries.next().is_none())
    });
    assert_eq!(disk.settings(), before);
}
