//! Answers of whole series of visits.

use super::*;
use crate::fixture;
use model::change::Attribute;
use model::check::{CheckResult, Probe, Role};
use model::finding::{FindingProof, ProofOutcome};
use model::guard::SettingProof;
use model::iopath::Setting;
use model::record::RecordBody;
use stats::dice::Dice;

const ACCEPT: &str = "iodyno guard /srv --accept";

/// A visit to a disk that does so many I/Os a second, with a scheduler.
fn visit(iops: f64, scheduler: &str, at: usize) -> Record {
    let probe = |role: Role, depth: u32| Probe {
        load: model::record::LoadResult {
            depth,
            ..fixture::load(iops * f64::from(depth), 0.0, 1)
        },
        ..Probe::of(role, Default::default())
    };
    let mut record = fixture::of(RecordBody::Check(CheckResult {
        mode: "guard".into(),
        probes: vec![probe(Role::Latency, 1), probe(Role::Depth, 32)],
        guard: Some(GuardVisit::default()),
        ..CheckResult::default()
    }));
    record.provenance.started_unix_ms += at as u64 * 21_600_000;
    let setting = Setting::new("scheduler", "", Attribute::Value(scheduler.into()), true);
    record.path.root.below[0].below[0].settings = vec![setting];
    record
}

/// Visits to a disk that scatters by 2 %; from some on, by a factor slower.
fn visits(count: usize, slower: Option<(usize, f64)>) -> Vec<Record> {
    let mut dice = Dice::new(7);
    let record = |at: usize| {
        let factor = slower
            .filter(|(from, _)| at >= *from)
            .map_or(1.0, |(_, factor)| factor);
        visit(10_000.0 * factor * (1.0 + 0.02 * dice.normal()), "none", at)
    };
    (0..count).map(record).collect()
}

fn judged(records: &[Record]) -> GuardAnswer {
    judged_with(records, &[])
}

fn judged_with(records: &[Record], put: &[PutInPlace]) -> GuardAnswer {
    let named: Vec<Named<'_>> = records
        .iter()
        .enumerate()
        .map(|(index, record)| Named {
            name: "visit",
            id: Some(index as i64 + 1),
            record,
        })
        .collect();
    judge(&named, put, ACCEPT).unwrap()
}

fn guard_of(record: &mut Record) -> &mut GuardVisit {
    match &mut record.body {
        RecordBody::Check(check) => check.guard.as_mut().unwrap(),
        _ => panic!("a visit is a check"),
    }
}

#[test]
fn the_first_visits_learn_and_the_next_are_quiet() {
    let all = visits(20, None);
    let first = judged(&all[..3]);
    assert_eq!(first.state, GuardState::Learning);
    assert!(
        first.sentence.contains("3 of 8 visits"),
        "{}",
        first.sentence
    );
    let later = judged(&all);
    assert_eq!((later.state, later.accept), (GuardState::Quiet, None));
    assert_eq!(later.sentence, "/srv: as usual, 3 levels at visit 20.");
}

#[test]
fn a_slower_disk_is_suspected_once_and_believed_twice() {
    let all = visits(22, Some((20, 0.6)));
    let once = judged(&all[..21]);
    assert_eq!(once.state, GuardState::Quiet);
    assert!(
        once.sentence.contains("once; the next visit decides"),
        "{}",
        once.sentence
    );
    let twice = judged(&all);
    assert_eq!(twice.state, GuardState::Alarm);
    let worst = &twice.levels[0];
    assert_eq!(
        (worst.state, worst.since.unwrap().record),
        (LevelState::Worse, Some(21))
    );
    assert!(
        (-0.45..-0.35).contains(&worst.effect().unwrap()),
        "{worst:?}"
    );
    assert_eq!(twice.raised, twice.done.alarms);
    assert_eq!(twice.accept.as_deref(), Some(ACCEPT));
}

#[test]
fn what_recovers_is_cleared_and_teaches_nothing() {
    let mut all = visits(24, Some((20, 0.6)));
    let healthy = visits(21, None);
    all[22] = healthy[20].clone();
    all[23] = healthy[19].clone();
    let alarms = judged(&all[..22]).done.alarms;
    guard_of(&mut all[21]).alarms = alarms.clone();
    let after = judged(&all[..23]);
    assert_eq!((after.state, after.cleared), (GuardState::Quiet, alarms));
    let usual = judged(&all).levels[0].usual.unwrap();
    assert!(
        (9_500.0..10_500.0).contains(&usual) || usual > 300_000.0,
        "{usual}"
    );
}

#[test]
fn a_setting_that_changed_is_an_alarm_at_once_with_the_visit_that_saw_it() {
    let mut all = visits(6, None);
    for (at, record) in all.iter_mut().enumerate().skip(4) {
        *record = visit(10_000.0, "bfq", at);
    }
    let answer = judged(&all);
    assert_eq!(answer.state, GuardState::Alarm);
    let change = &answer.changes[0];
    assert_eq!((change.is_alarm, change.since.record), (true, Some(5)));
    assert_eq!(answer.sentence, "/srv: scheduler of vda is bfq, was none.");
    // Back as it was.
    all.push(visit(10_000.0, "none", 6));
    assert_eq!(judged(&all).state, GuardState::Learning);
}

#[test]
fn what_iodyno_put_there_is_no_alarm() {
    let all = [visit(10_000.0, "none", 0), visit(10_000.0, "bfq", 1)];
    let put = |value: &str| PutInPlace {
        setting: SettingId {
            place: "vda".into(),
            name: "scheduler".into(),
        },
        value: value.into(),
        by: "17-1".into(),
    };
    let answer = judged_with(&all, &[put("bfq")]);
    assert_eq!(answer.state, GuardState::Learning);
    assert_eq!(answer.changes[0].put_by.as_deref(), Some("17-1"));
    // Somebody else has changed it since.
    assert_eq!(judged_with(&all, &[put("kyber")]).state, GuardState::Alarm);
}

#[test]
fn an_experiment_that_finds_no_cost_ends_the_alarm_and_one_that_does_is_told() {
    let proof = |outcome, effect| SettingProof {
        setting: SettingId {
            place: "vda".into(),
            name: "scheduler".into(),
        },
        before: "none".into(),
        now: "bfq".into(),
        proof: FindingProof {
            outcome,
            words: "12 pairs".into(),
            effect,
            low: None,
            high: None,
            record: Some(9),
        },
    };
    let mut all = [visit(10_000.0, "none", 0), visit(10_000.0, "bfq", 1)];
    guard_of(&mut all[1]).proofs = vec![proof(ProofOutcome::Confirmed, Some(0.27))];
    let costs = judged(&all);
    assert_eq!(costs.state, GuardState::Alarm);
    assert!(
        costs.sentence.contains("was none, which gives +27 %"),
        "{}",
        costs.sentence
    );
    guard_of(&mut all[1]).proofs = vec![proof(ProofOutcome::Refuted, None)];
    assert_eq!(judged(&all).state, GuardState::Learning);
    // Of other values it says nothing.
    guard_of(&mut all[1]).proofs[0].now = "kyber".into();
    assert_eq!(judged(&all).state, GuardState::Alarm);
}

#[test]
fn a_kernel_that_changed_is_told_with_the_level_that_fell() {
    let mut all = visits(22, Some((20, 0.6)));
    for record in &mut all[20..] {
        record.provenance.kernel = "6.12.0".into();
    }
    let answer = judged(&all);
    let names = |found: &[model::difference::Difference]| {
        found.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&answer.levels[0].changed), ["kernel"]);
    assert!(answer.changes.iter().all(|change| !change.is_alarm));
}

#[test]
fn a_visit_without_loads_leaves_levels_as_they_stood() {
    let mut all = visits(22, Some((20, 0.6)));
    let mut idle = visit(10_000.0, "none", 22);
    if let RecordBody::Check(check) = &mut idle.body {
        check.probes.clear();
    }
    all.push(idle);
    let answer = judged(&all);
    assert_eq!((answer.state, answer.visits), (GuardState::Alarm, 23));
}

#[test]
fn whatever_visits_hold_they_are_judged() {
    let empty = fixture::of(RecordBody::Check(CheckResult::default()));
    let answer = judged(&[
        empty.clone(),
        visit(f64::MIN_POSITIVE, "", 0),
        visit(1e9, "x", 1),
        empty,
    ]);
    assert!(!answer.sentence.is_empty());
    let day = |_: i64| "2026-11-30".to_string();
    let lines = crate::view::guard::lines(&answer, &day, report::text::Paint::Plain);
    assert!(!lines.is_empty());
    assert!(judge(&[], &[], ACCEPT).is_none());
}
