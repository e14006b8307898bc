//! Records as documents: every record comes back from its JSON, and the members stay what other programs read.

use super::*;
use crate::check::{Probe, Role};
use crate::frame::Frame;
use crate::imported::LoadFigures;
use crate::iopath::{Layer, LayerKind};
use crate::steady::Precondition;
use proptest::prelude::*;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};
use std::fmt;

/// A document of an earlier version, which lacks what later ones added.
const OLD: &str = include_str!("../../../../../testdata/records/run.json");

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,8}", any::<String>()]
}

fn number() -> impl Strategy<Value = f64> {
    (any::<i64>(), -40..40i32).prop_map(|(bits, power)| bits as f64 * 2f64.powi(power))
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::collection::vec(any::<u32>(), 0..6).prop_map(|times| {
        let mut latency = Histogram::new();
        times.iter().for_each(|ns| latency.record(u64::from(*ns)));
        Direction {
            ios: times.len() as u64,
            bytes: times.iter().map(|ns| u64::from(*ns)).sum(),
            latency,
        }
    })
}

fn load() -> impl Strategy<Value = LoadResult> {
    let parts = (word(), number(), direction(), direction());
    let errors = prop::collection::vec((any::<i32>(), any::<u64>()), 0..3);
    (parts, errors, any::<Option<u64>>()).prop_map(
        |((engine, elapsed_ms, read, done), errors, blocks)| LoadResult {
            engine,
            elapsed_ms,
            read,
            operations: vec![Operation {
                name: "stat".into(),
                busy_ms: elapsed_ms,
                done,
            }],
            errors,
            verified: blocks.map(|blocks| Verified {
                blocks,
                ..Verified::default()
            }),
            ..LoadResult::default()
        },
    )
}

fn section() -> impl Strategy<Value = SectionResult> {
    (word(), any::<u32>(), load()).prop_map(|(name, stage, load)| SectionResult {
        elsewhere: String::new(),
        name,
        stage,
        start_ms: u64::from(stage),
        job: Job::default(),
        load,
    })
}

fn layers() -> impl Strategy<Value = LayerTimes> {
    word().prop_map(|source| LayerTimes {
        source,
        ..LayerTimes::default()
    })
}

fn worn_in(how: String, rate: f64) -> Precondition {
    Precondition {
        how,
        whole_device: false,
        range_bytes: 1 << 20,
        bytes: 2 << 20,
        elapsed_ms: 30,
        complete: true,
        passes_bytes_per_s: vec![rate],
    }
}

fn studies() -> impl Strategy<Value = Studies> {
    prop::option::of((word(), number())).prop_map(|worn| Studies {
        precondition: worn.map(|(how, rate)| worn_in(how, rate)),
        ..Studies::default()
    })
}

fn trial() -> impl Strategy<Value = Trial> {
    let arms = prop::collection::vec(word(), 0..3);
    (word(), arms, any::<bool>(), prop::option::of(word())).prop_map(|(knob, arms, aa, skipped)| {
        Trial {
            knob,
            arms,
            aa,
            skipped,
            ..Trial::default()
        }
    })
}

fn check() -> impl Strategy<Value = CheckResult> {
    let probe = |load| Probe {
        role: Role::Depth,
        job: Job::default(),
        load,
        frame: Frame::default(),
        layers: None,
        tasks: None,
        start_ms: 3,
    };
    let probes = prop::collection::vec(load().prop_map(probe), 0..3);
    (word(), probes).prop_map(|(next, probes)| CheckResult {
        next,
        probes,
        ..CheckResult::default()
    })
}

fn imported() -> impl Strategy<Value = Imported> {
    (word(), prop::option::of(number())).prop_map(|(file, elapsed_ms)| Imported {
        file,
        load: Some(LoadFigures {
            elapsed_ms,
            ..LoadFigures::default()
        }),
        ..Imported::default()
    })
}

fn body() -> impl Strategy<Value = RecordBody> {
    let sections = prop::collection::vec(section(), 0..3);
    let run = (
        prop::option::of(load()),
        sections,
        prop::option::of(layers()),
        studies(),
    );
    prop_oneof![
        run.prop_map(
            |(load, sections, layers, studies)| RecordBody::Run(RunBody {
                load,
                sections,
                layers,
                studies
            })
        ),
        prop::collection::vec(trial(), 0..3)
            .prop_map(|trials| RecordBody::Tune(TuneBody { trials })),
        prop::option::of(layers()).prop_map(|layers| RecordBody::Watch(WatchBody { layers })),
        check().prop_map(RecordBody::Check),
        imported().prop_map(RecordBody::Import),
    ]
}

fn finding() -> impl Strategy<Value = Finding> {
    (word(), word()).prop_map(|(rule, claim)| Finding {
        rule,
        claim,
        ..Finding::default()
    })
}

fn record() -> impl Strategy<Value = Record> {
    let words = (word(), word(), word(), word());
    let findings = prop::collection::vec(finding(), 0..3);
    let sensors = prop::collection::vec((word(), word()), 0..3);
    (body(), words, any::<u64>(), findings, sensors).prop_map(
        |(body, (on, target, summary, hostname), started_unix_ms, findings, sensors)| {
            let provenance = Provenance {
                hostname,
                started_unix_ms,
                ..Provenance::default()
            };
            let sensors = sensors.iter();
            Record {
                target,
                summary,
                findings,
                sensors: sensors
                    .map(|(sensor, why)| SensorLog::absent(sensor, why))
                    .collect(),
                ..Record::of(body, provenance, path(&on))
            }
        },
    )
}

fn path(target: &str) -> IoPath {
    IoPath::new(target, Layer::new(LayerKind::Target, target))
}

fn bare(body: RecordBody) -> Record {
    Record::of(body, Provenance::default(), path("/srv"))
}

/// The members of an object in the order in which they stand.
struct Members(Vec<String>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry()? {
                    names.push(name);
                }
                Ok(Members(names))
            }
        }
        deserializer.deserialize_map(Names)
    }
}

/// Those that stand in no record without need are left out.
fn members(record: &Record) -> Vec<String> {
    let text = serde_json::to_string(record).unwrap();
    serde_json::from_str::<Members>(&text).unwrap().0
}

proptest! {
    #[test]
    fn a_record_is_read_as_it_was_written(record in record()) {
        let text = serde_json::to_string(&record).unwrap();
        let read: Record = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &record);
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let value = serde_json::to_value(&record).unwrap();
        prop_assert_eq!(serde_json::from_value::<Record>(value).unwrap(), record);
    }
}

#[test]
fn a_document_of_an_earlier_version_is_read() {
    let document: Value = serde_json::from_str(OLD).unwrap();
    let document = &document["record"];
    let record: Record = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(record.verb(), "run");
    let load = record.load().unwrap();
    assert_eq!(json!(load.read.ios), document["load"]["read"]["ios"]);
    assert_eq!(record.sensors.len(), 6);
    assert!(record.trials().is_empty() && record.studies().is_empty());
    let written = serde_json::to_value(&record).unwrap();
    let same = [
        "schema",
        "verb",
        "target",
        "summary",
        "provenance",
        "sensors",
        "trials",
    ];
    for name in same {
        assert_eq!(written[name], document[name], "{name}");
    }
    let names = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&written), names(document));
}

#[test]
fn every_kind_has_the_members_that_it_always_had() {
    let always = |more: &[&'static str]| {
        let all = [
            "schema",
            "verb",
            "target",
            "summary",
            "provenance",
            "path",
            "job",
            "load",
            "sensors",
        ];
        [&all, more].concat()
    };
    let run = bare(RecordBody::Run(RunBody::default()));
    assert_eq!(members(&run), always(&["trials"]));
    let tune = bare(RecordBody::Tune(TuneBody::default()));
    assert_eq!(members(&tune), always(&["trials"]));
    let watch = bare(RecordBody::Watch(WatchBody {
        layers: Some(LayerTimes::default()),
    }));
    assert_eq!(members(&watch), always(&["layers", "trials"]));
    let check = bare(RecordBody::Check(CheckResult::default()));
    assert_eq!(members(&check), always(&["trials", "check"]));
    let import = bare(RecordBody::Import(Imported::default()));
    assert_eq!(members(&import), always(&["trials", "imported"]));
    for (record, verb) in [run, tune, watch, check, import]
        .iter()
        .zip(RecordBody::VERBS)
    {
        let document = serde_json::to_value(record).unwrap();
        assert_eq!(
            (&document["verb"], &document["load"], &document["trials"]),
            (&json!(verb), &Value::Null, &json!([]))
        );
        assert_eq!(document["schema"], RECORD_SCHEMA);
    }
}

#[test]
fn the_members_of_a_whole_run_stand_in_their_order() {
    let section = SectionResult {
        elsewhere: String::new(),
        name: "db".into(),
        stage: 0,
        start_ms: 0,
        job: Job::default(),
        load: LoadResult::default(),
    };
    let mut record = bare(RecordBody::Run(RunBody {
        load: Some(LoadResult::default()),
        sections: vec![section],
        layers: Some(LayerTimes::default()),
        studies: Studies {
            precondition: Some(worn_in("written twice".into(), 1e8)),
            ..Studies::default()
        },
    }));
    record.findings.push(Finding::default());
    assert_eq!(
        members(&record),
        [
            "schema",
            "verb",
            "target",
            "summary",
            "provenance",
            "path",
            "job",
            "load",
            "sections",
            "findings",
            "sensors",
            "layers",
            "trials",
            "studies",
        ]
    );
}

fn refused(document: Value) -> String {
    serde_json::from_value::<Record>(document)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_document_that_is_no_record_says_why() {
    let mut document = serde_json::to_value(bare(RecordBody::Tune(TuneBody::default()))).unwrap();
    document["verb"] = json!("guard");
    assert_eq!(
        refused(document.clone()),
        "`guard` is no verb that makes records; this version knows run, tune, watch, check, import"
    );
    document["verb"] = json!("check");
    assert_eq!(
        refused(document.clone()),
        "a record of `check` has to have `check`"
    );
    document["verb"] = json!("import");
    assert_eq!(
        refused(document.clone()),
        "a record of `import` has to have `imported`"
    );
    document["verb"] = json!("tune");
    document.as_object_mut().unwrap().remove("trials");
    assert_eq!(refused(document), "missing field `trials`");
}

#[test]
fn what_belongs_to_another_verb_is_left_out() {
    let run = bare(RecordBody::Run(RunBody {
        load: Some(LoadResult::default()),
        ..RunBody::default()
    }));
    let mut document = serde_json::to_value(run).unwrap();
    document["verb"] = json!("tune");
    document["trials"] = json!([Trial::default()]);
    let tune: Record = serde_json::from_value(document.clone()).unwrap();
    assert_eq!((tune.load(), tune.trials().len()), (None, 1));
    document["verb"] = json!("run");
    let run: Record = serde_json::from_value(document).unwrap();
    assert!(run.load().is_some() && run.trials().is_empty());
}
