//! Records as a measurement makes them give settings; records as an attacker makes them give a reason.

use super::*;
use host::Archive;
use model::verdict::{Outcome, Reason};
use serde_json::json;

/// A machine with `sda`, which has a scheduler or none, and a partition-like name beside it.
fn host() -> Host {
    let mut archive = Archive::default();
    for (path, value) in [
        ("/sys/block/sda/queue/scheduler", "[none] mq-deadline bfq"),
        ("/sys/block/sda/queue/nr_requests", "64"),
        ("/sys/block/sda/queue/read_ahead_kb", "128"),
        ("/sys/block/sda/queue/rq_affinity", "1"),
        ("/sys/block/sda/mq/0/nr_tags", "64"),
        ("/sys/class/evil/queue/read_ahead_kb", "4"),
    ] {
        archive.insert(path, Attribute::Value(value.into()));
    }
    Host::from_archive(archive)
}

fn verdict(arm: &str) -> Verdict {
    serde_json::from_value(json!({
        "verdict": "better", "arm": arm, "reason": "confirmed", "sentence": "", "effect": 0.5, "low": 0.4, "high": 0.6,
        "estimated_in": "holdout", "compared": arm, "windows": 1, "device_ms": 1, "seed": 1, "alpha": 0.05,
        "rope": 0.02, "window_ms": 1, "washout_ms": 1, "horizon_ms": 1, "raw_effect": null, "lives_in_tail": false,
        "smallest_detectable": null, "p99": null, "arms": [], "stages": [], "pairs": [], "notes": []
    }))
    .unwrap()
}

/// A record with a win for each (knob, device, value), and of several with one for all of them together.
fn record(wins: &[(&str, &str, &str)]) -> Record {
    let set = wins.iter().map(|(knob, device, value)| {
        json!({"knob": knob, "subject": {"kind": "queue", "device": device}, "value": value})
    });
    let set: Vec<_> = set.collect();
    let together = wins.first().filter(|_| wins.len() > 1).map(|(_, device, _)| {
        json!({"knob": "together", "device": device, "arms": ["found", "together"], "aa": false, "skipped": null,
               "summary": "", "verdict": verdict("together"), "set": set})
    });
    of_trials(wins, together)
}

/// A record with a win for each (knob, device, value), which were never in place together.
fn one_by_one(wins: &[(&str, &str, &str)]) -> Record {
    of_trials(wins, None)
}

fn of_trials(wins: &[(&str, &str, &str)], together: Option<serde_json::Value>) -> Record {
    let trials: Vec<_> = wins
        .iter()
        .map(|(knob, device, value)| {
            json!({"knob": knob, "device": device, "arms": ["old", value], "aa": false, "skipped": null,
                   "summary": "", "verdict": verdict(value)})
        })
        .chain(together)
        .collect();
    let root = model::iopath::Layer::new(model::iopath::LayerKind::Disk, "sda");
    serde_json::from_value(json!({
        "schema": "iodyno.record/1", "verb": "tune", "target": "/srv", "summary": "",
        "provenance": model::record::Provenance::default(), "path": model::iopath::IoPath::new("/srv", root),
        "job": {}, "load": null, "sensors": [], "trials": trials,
    }))
    .unwrap()
}

fn refused(wins: &[(&str, &str, &str)]) -> NotProven {
    wish(7, &record(wins), &[], &host()).unwrap_err()
}

#[test]
fn what_a_tune_proved_is_written_in_its_order() {
    // 256 requests are only possible once there is a scheduler to hold them.
    let wins = [
        ("nr_requests", "sda", "256"),
        ("read_ahead_kb", "sda", "16"),
        ("scheduler", "sda", "bfq"),
    ];
    let wish = wish(7, &record(&wins), &[], &host()).unwrap();
    assert_eq!(
        (wish.device(), wish.proof()),
        ("sda", crate::Proof::Record(7))
    );
    let values: Vec<_> = wish
        .values()
        .iter()
        .map(|one| (one.knob.id, one.value.as_str()))
        .collect();
    assert_eq!(
        values,
        [
            ("scheduler", "bfq"),
            ("nr_requests", "256"),
            ("read_ahead_kb", "16")
        ]
    );
}

#[test]
fn a_knob_is_one_of_the_catalogue() {
    let evil = "nr_requests}=\"128\", RUN+=\"/bin/sh -c 'id'\", ATTR{queue/nr_requests";
    for knob in [
        evil,
        "../../../../etc/motd",
        "queue/scheduler",
        "io_poll",
        "",
        "scheduler\n",
        "x\u{1b}[2J",
    ] {
        // Also beside a setting that is fine.
        let found = refused(&[("rq_affinity", "sda", "2"), (knob, "sda", "2")]);
        assert!(matches!(&found, NotProven::Knob(_)), "{knob:?}: {found:?}");
        assert!(!found.to_string().contains(['\u{1b}', '\n']));
    }
}

#[test]
fn a_device_is_one_of_this_machine() {
    for name in [
        "../..WORKDIR/evildev",
        "..",
        ".",
        "",
        "../class/evil",
        "sda/../sda",
        "sd\na",
        "/dev/sda",
    ] {
        let found = refused(&[("read_ahead_kb", name, "128")]);
        assert!(
            matches!(found, NotProven::DeviceName(_)),
            "{name:?}: {found:?}"
        );
    }
    assert_eq!(
        refused(&[("read_ahead_kb", "sdz", "16")]),
        NotProven::NoDevice("sdz".into())
    );
    let two = refused(&[("read_ahead_kb", "sda", "16"), ("rq_affinity", "sdb", "2")]);
    assert_eq!(
        two,
        NotProven::SeveralDevices(vec!["sda".into(), "sdb".into()])
    );
}

#[test]
fn a_value_is_one_that_the_knob_takes() {
    for value in [
        "none\"",
        "none\nRUN+=\"x\"",
        "$(id)",
        "%k",
        "a b",
        "{x}",
        "",
        "none;id",
        "none\u{202e}",
    ] {
        let found = refused(&[("scheduler", "sda", value)]);
        assert!(
            matches!(
                found,
                NotProven::Characters {
                    knob: "scheduler",
                    ..
                }
            ),
            "{value:?}: {found:?}"
        );
    }
    for (knob, value) in [
        ("scheduler", "cfq"),
        ("nr_requests", "many"),
        ("nr_requests", "256"),
        ("rq_affinity", "9"),
    ] {
        let found = refused(&[(knob, "sda", value)]);
        assert!(
            matches!(found, NotProven::Together(NotTogether::Rejected(_))),
            "{knob}={value}: {found:?}"
        );
    }
    let twice = refused(&[("rq_affinity", "sda", "2"), ("rq_affinity", "sda", "0")]);
    assert_eq!(
        twice,
        NotProven::Together(NotTogether::Twice("rq_affinity"))
    );
}

#[test]
fn what_is_no_win_is_nothing_to_apply() {
    assert_eq!(refused(&[]), NotProven::Nothing);
    let mut made = record(&[("rq_affinity", "sda", "2")]);
    made.trials_mut()[0].aa = true;
    assert_eq!(
        wish(1, &made, &[], &host()).unwrap_err(),
        NotProven::Nothing
    );
    made.trials_mut()[0].aa = false;
    made.trials_mut()[0].arms[0] = "2".into();
    assert_eq!(
        wish(1, &made, &[], &host()).unwrap_err(),
        NotProven::Nothing
    );
    made.trials_mut()[0].arms[0] = "1".into();
    let verdict = made.trials_mut()[0].verdict.as_mut().unwrap();
    (verdict.outcome, verdict.reason) = (Outcome::Refused, Reason::NoIo);
    assert_eq!(
        wish(1, &made, &[], &host()).unwrap_err(),
        NotProven::Nothing
    );
}

/// A record of one win on a subject.
fn on_subject(knob: &str, device: &str, subject: serde_json::Value, mark: Option<&str>) -> Record {
    let mut record = record(&[(knob, device, "1")]);
    record.trials_mut()[0].subject = Some(serde_json::from_value(subject).unwrap());
    record.trials_mut()[0].mark = mark.map(String::from);
    record
}

#[test]
fn a_schedulers_own_setting_is_of_the_scheduler_that_was_measured() {
    let host = |scheduler: &str, own: &str| {
        let mut archive = Archive::default();
        let queue = "/sys/block/sda/queue";
        let files = [
            (format!("{queue}/scheduler"), scheduler),
            (format!("{queue}/iosched/{own}"), "500"),
        ];
        for (path, text) in files {
            archive.insert(&path, Attribute::Value(text.into()));
        }
        Host::from_archive(archive)
    };
    let subject = json!({"kind": "scheduler", "device": "sda"});
    let proved = on_subject("read_expire", "sda", subject.clone(), None);
    let deadline = host("[mq-deadline] none", "read_expire");
    assert!(wish(7, &proved, &[], &deadline).is_ok());
    let other = wish(7, &proved, &[], &host("[bfq] none", "slice_idle_us")).unwrap_err();
    assert_eq!(
        other.to_string(),
        "the scheduler of sda has no read_expire now"
    );

    let mut both = record(&[("read_expire", "sda", "1"), ("scheduler", "sda", "none")]);
    let subject: Subject = serde_json::from_value(subject).unwrap();
    both.trials_mut()[2].set[0].subject = subject.clone();
    both.trials_mut()[0].subject = Some(subject);
    let refused = wish(7, &both, &[], &deadline).unwrap_err();
    assert!(
        matches!(refused, NotProven::Together(NotTogether::Remade { .. })),
        "{refused}"
    );
}

fn machine_with_an_interrupt() -> Host {
    let mut archive = Archive::default();
    for (path, value) in [
        ("/sys/block/sda/queue/scheduler", "[none]"),
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/proc/irq/24/smp_affinity_list", "0-3"),
        ("/proc/sys/vm/dirty_background_bytes", "0"),
    ] {
        archive.insert(path, Attribute::Value(value.into()));
    }
    archive.insert_directory("/proc/irq/24/ahci[0000:00:1f.2]");
    Host::from_archive(archive)
}

#[test]
fn a_setting_of_the_machine_is_taken_for_what_it_is() {
    let host = machine_with_an_interrupt();
    let interrupt = json!({"kind": "interrupt", "number": 24});
    let served = Some("ahci[0000:00:1f.2]");
    let proved = on_subject("smp_affinity_list", "sda", interrupt.clone(), served);
    let wish = wish(7, &proved, &[], &host).unwrap();
    let path = wish.values()[0].files.path("smp_affinity_list");
    assert_eq!(
        (wish.device(), path.as_str()),
        ("sda", "/proc/irq/24/smp_affinity_list")
    );
    let sysctl = on_subject(
        "dirty_background_bytes",
        "sda",
        json!({"kind": "sysctl"}),
        None,
    );
    assert!(super::wish(7, &sysctl, &[], &host).is_ok());
    for mark in [None, Some("eth0")] {
        let other = on_subject("smp_affinity_list", "sda", interrupt.clone(), mark);
        let found = super::wish(7, &other, &[], &host).unwrap_err();
        assert!(
            matches!(found, NotProven::Another { .. }),
            "{mark:?}: {found}"
        );
    }
}

#[test]
fn a_subject_is_of_the_knobs_kind_and_of_the_trials_device() {
    let host = machine_with_an_interrupt();
    for (knob, subject) in [
        (
            "scheduler",
            json!({"kind": "queue", "device": "../../proc"}),
        ),
        ("scheduler", json!({"kind": "queue", "device": "sdb"})),
        ("scheduler", json!({"kind": "sysctl"})),
        (
            "dirty_background_bytes",
            json!({"kind": "queue", "device": "sda"}),
        ),
        ("smp_affinity_list", json!({"kind": "sysctl"})),
        (
            "smp_affinity_list",
            json!({"kind": "interrupt", "number": 99}),
        ),
    ] {
        let record = on_subject(knob, "sda", subject.clone(), Some(""));
        let found = wish(7, &record, &[], &host);
        let is_refused = matches!(
            found,
            Err(NotProven::Subject { .. } | NotProven::Another { .. })
        );
        assert!(is_refused, "{knob} {subject}: {found:?}");
    }
}

const TWO: [(&str, &str, &str); 2] = [("read_ahead_kb", "sda", "16"), ("rq_affinity", "sda", "2")];

fn knobs(wish: &SettingWish) -> Vec<&'static str> {
    wish.values().iter().map(|one| one.knob.id).collect()
}

#[test]
fn values_that_were_not_proved_together_are_put_in_place_alone() {
    let why = |record: &Record| wish(7, record, &[], &host()).unwrap_err().to_string();
    let apart = one_by_one(&TWO);
    let said = why(&apart);
    assert!(
        said.contains(
            "read_ahead_kb and rq_affinity won one by one, and were never measured together"
        ),
        "{said}"
    );
    let one = wish(7, &apart, &["rq_affinity".into()], &host()).unwrap();
    assert_eq!(knobs(&one), ["rq_affinity"]);
    let both = ["rq_affinity".to_string(), "read_ahead_kb".to_string()];
    assert!(matches!(
        wish(7, &apart, &both, &host()),
        Err(NotProven::Apart { .. })
    ));
    let odd = wish(7, &apart, &["nomerges".into()], &host()).unwrap_err();
    assert_eq!(odd, NotProven::NotAmongThem("nomerges".into()));

    let mut none = record(&TWO);
    let verdict = none.trials_mut()[2].verdict.as_mut().unwrap();
    verdict.outcome = Outcome::Equal;
    assert!(why(&none).contains("together they were not proved to be better"));
    let mut less = record(&TWO);
    let verdict = less.trials_mut()[2].verdict.as_mut().unwrap();
    (verdict.low, verdict.high) = (Some(0.1), Some(0.2));
    assert!(
        why(&less).contains("together they give less than read_ahead_kb alone"),
        "{}",
        why(&less)
    );
}

#[test]
fn values_that_were_proved_together_are_all_put_in_place_or_one_of_them() {
    let both = wish(7, &record(&TWO), &[], &host()).unwrap();
    assert_eq!(both.values().len(), 2);
    let one = wish(7, &record(&TWO), &["read_ahead_kb".into()], &host()).unwrap();
    assert_eq!(knobs(&one), ["read_ahead_kb"]);
    // A set of other values than those that won is none of theirs.
    let mut other = record(&TWO);
    other.trials_mut()[2].set[0].value = "32".into();
    assert!(matches!(
        wish(7, &other, &[], &host()),
        Err(NotProven::Apart { .. })
    ));
}

/// Both only selected, as by a tune that names no knob, and proved in place together.
fn selected() -> Record {
    let mut record = record(&TWO);
    for trial in &mut record.trials_mut()[..2] {
        let verdict = trial.verdict.as_mut().unwrap();
        (verdict.outcome, verdict.reason) = (Outcome::Inconclusive, Reason::Selected);
    }
    record
}

#[test]
fn values_that_were_selected_and_proved_together_are_put_in_place_together_alone() {
    let record = selected();
    let both = wish(7, &record, &[], &host()).unwrap();
    assert_eq!(knobs(&both).len(), 2);
    let one = wish(7, &record, &["rq_affinity".into()], &host()).unwrap_err();
    assert!(matches!(&one, NotProven::OnlyTogether(_)), "{one}");
    assert!(one.to_string().contains("leave --only out"), "{one}");
}

#[test]
fn what_was_only_selected_is_never_put_in_place() {
    let mut record = selected();
    let set = record.trials_mut()[2].verdict.as_mut().unwrap();
    set.outcome = Outcome::Inconclusive;
    assert!(matches!(
        wish(7, &record, &[], &host()),
        Err(NotProven::Nothing)
    ));
    // A set with a value that nobody selected is none of theirs.
    let mut other = selected();
    other.trials_mut()[2].set[0].value = "32".into();
    assert!(matches!(
        wish(7, &other, &[], &host()),
        Err(NotProven::Nothing)
    ));
}

#[test]
fn a_value_that_gives_nothing_beside_the_others_is_left_out_of_the_set() {
    let mut record = selected();
    record.trials_mut()[2].set.truncate(1);
    let one = wish(7, &record, &[], &host()).unwrap();
    assert_eq!(knobs(&one), ["read_ahead_kb"]);
}
