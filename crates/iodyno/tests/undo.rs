//! `undo` after every way of dying, `apply` and `status`.

use crate::support::{Iodyno, Loop, code, text};
use model::subject::Subject;
use serde_json::{Value, json};

/// A record that claims a win, put straight into the store, so that the test of `apply` needs no lucky measurement.
pub fn store_a_win(iodyno: &Iodyno, device: &str, from: &str, to: &str) -> String {
    let dir = crate::support::Dir::new("win");
    let (ran, output) = iodyno.json(&[
        "run",
        dir.path().to_str().unwrap(),
        "--runtime",
        "100ms",
        "--size",
        "4m",
        "--direct",
        "0",
    ]);
    assert_eq!(code(&output), 0);
    let mut record = ran["record"].clone();
    claim_a_win(&mut record, device, from, to);
    let store = store::Store::open(iodyno.state.path()).unwrap();
    store
        .insert(&serde_json::from_value(record).unwrap())
        .unwrap()
        .to_string()
}

/// The same of another setting: stores a record that proved the second of these values. Gives its number.
pub fn store_a_win_on(
    iodyno: &Iodyno,
    device: &str,
    knob: &str,
    subject: Subject,
    arms: [&str; 2],
) -> String {
    let record = store_a_win(iodyno, device, "none", "none");
    let store = store::Store::open(iodyno.state.path()).unwrap();
    let mut record = store.get(record.parse().unwrap()).unwrap();
    let trial = &mut record.trials_mut()[0];
    trial.knob = knob.into();
    trial.subject = Some(subject);
    trial.arms = arms.map(String::from).into();
    let verdict = trial.verdict.as_mut().unwrap();
    (verdict.arm, verdict.compared) = (arms[1].into(), Some(arms[1].into()));
    store.insert(&record).unwrap().to_string()
}

/// Makes the record of a run one of a tune that proved a scheduler.
pub fn claim_a_win(record: &mut Value, device: &str, from: &str, to: &str) {
    record["verb"] = json!("tune");
    record["trials"] = json!([{
        "knob": "scheduler", "device": device, "arms": [from, to], "aa": false, "skipped": null,
        "summary": "a win for the test",
        "verdict": {
            "verdict": "better", "arm": to, "reason": "confirmed", "sentence": "", "effect": 0.5, "low": 0.4, "high": 0.6,
            "estimated_in": "holdout", "compared": to, "windows": 0, "device_ms": 0, "seed": 1, "alpha": 0.05,
            "rope": 0.02, "window_ms": 120, "washout_ms": 40, "horizon_ms": 0, "raw_effect": null,
            "lives_in_tail": false, "smallest_detectable": null, "p99": null, "arms": [], "stages": [], "pairs": [],
            "notes": []
        }
    }]);
}

/// Adds to a record of several wins the trial that proved them in place together.
pub fn claim_them_together(record: &mut Value) {
    let trials = record["trials"].as_array().unwrap();
    if trials.len() < 2 {
        return;
    }
    let member = |trial: &Value| {
        let queue = json!({"kind": "queue", "device": trial["device"]});
        let subject = trial.get("subject").cloned().unwrap_or(queue);
        json!({"knob": trial["knob"], "subject": subject, "value": trial["verdict"]["arm"]})
    };
    let mut together = trials[0].clone();
    together["set"] = trials.iter().map(member).collect();
    together["knob"] = json!("together");
    together["arms"] = json!(["found", "together"]);
    together["verdict"]["arm"] = json!("together");
    together["verdict"]["compared"] = json!("together");
    together.as_object_mut().unwrap().remove("subject");
    record["trials"].as_array_mut().unwrap().push(together);
}

#[test]
fn apply_keeps_and_undo_takes_back() {
    let Some(disk) = Loop::new(16) else { return };
    disk.set("scheduler", "none");
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
    let dry = iodyno.run(&["apply", &record, "--dry-run"]);
    assert!(
        text(&dry.stdout).contains("none → mq-deadline"),
        "{}",
        text(&dry.stdout)
    );
    assert_eq!(disk.settings(), before);
    let (applied, output) = iodyno.json(&["apply", &record]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        disk.settings()
            .contains(&"scheduler=mq-deadline".to_string())
    );
    let quiet = iodyno.run(&["list"]);
    assert!(
        !text(&quiet.stderr).contains("undo"),
        "what was applied on purpose is not called unfinished"
    );
    let undo = iodyno.run(&["undo", applied["journal"].as_str().unwrap()]);
    assert_eq!(code(&undo), 0, "{}", text(&undo.stderr));
    assert_eq!(disk.settings(), before);
    let persist = iodyno.run(&["apply", &record, "--persist"]);
    assert_eq!(
        code(&persist),
        5,
        "a loop device cannot be made permanent: {}",
        text(&persist.stdout)
    );
    assert_eq!(
        disk.settings(),
        before,
        "and then nothing is applied either"
    );
}

/// Without a name it takes back the last change, and says which ones it leaves.
#[test]
fn undo_alone_takes_back_the_last_change_and_names_what_it_leaves() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let set = |word: &str| iodyno.json(&["set", word, &disk.device]).0["journal"].clone();
    let first = set("nomerges=1");
    set("nomerges=2");
    let (undone, output) = iodyno.json(&["undo"]);
    let words = text(&output.stderr);
    assert_eq!(code(&output), 0, "{words}");
    assert!(disk.settings().contains(&"nomerges=1".into()), "{words}");
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    assert_eq!(undone["left"][0]["id"], first);
    let said = format!("Not touched: set nomerges=1 {}", disk.device);
    assert!(words.contains(&said), "{words}");
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(disk.settings(), before);
    let nothing = text(&iodyno.run(&["undo"]).stdout);
    assert!(nothing.contains("Nothing to undo"), "{nothing}");
}

/// Nothing is written for good that may be gone in a second, unless somebody says so.
#[test]
fn what_is_not_shown_to_last_is_made_permanent_only_where_that_is_meant() {
    let Some(disk) = Loop::new(16) else { return };
    disk.set("scheduler", "none");
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
    let store = store::Store::open(iodyno.state.path()).unwrap();
    let mut open = store.get(record.parse().unwrap()).unwrap();
    let verdict = open.trials_mut()[0].verdict.as_mut().unwrap();
    (verdict.memory_ms, verdict.horizon_ms) = (1_000, 500);
    let record = store.insert(&open).unwrap().to_string();
    let refused = iodyno.run(&["apply", &record, "--persist"]);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(
        said.contains("may fade within 1.0 s") && said.contains("--even-if-it-fades"),
        "{said}"
    );
    assert_eq!(disk.settings(), before);
    // Meant, it gets as far as any other: a loop device has no way to be made permanent.
    let meant = iodyno.run(&["apply", &record, "--persist", "--even-if-it-fades"]);
    assert_eq!(code(&meant), 5, "{}", text(&meant.stderr));
    let until_boot = iodyno.run(&["apply", &record]);
    assert_eq!(code(&until_boot), 0, "{}", text(&until_boot.stderr));
    let undone = iodyno.run(&["undo", "--all"]);
    assert_eq!(disk.settings(), before, "{}", text(&undone.stderr));
}
