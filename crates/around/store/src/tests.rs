//! The store as a whole: records come back, find each other, and are left alone where something is wrong.

use super::*;
use model::change::Attribute;
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use model::iopath::{IoPath, Layer, LayerKind, Setting};
use model::job::{Job, Rw};
use model::record::{LoadResult, Provenance, RECORD_SCHEMA, RecordBody, RunBody};
use model::sample::{MetricKind, SampleSeries, SensorLog};

/// A store in a directory of its own.
pub struct Home {
    dir: host::files::TemporaryDir,
}

impl Home {
    pub fn new() -> Home {
        Home {
            dir: host::files::temporary_dir("store").unwrap(),
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self) -> PathBuf {
        self.path().join(FILE)
    }

    pub fn open(&self) -> Store {
        Store::open(self.path()).unwrap()
    }
}

/// A run on `device` of `host`.
pub fn record(host: &str, device: &str, summary: &str) -> Record {
    let mut disk = Layer::new(LayerKind::Disk, device);
    disk.devno = Some("253:0".into());
    disk.facts.insert("model".into(), "MODEL 1".into());
    disk.facts
        .insert("serial".into(), format!("SERIAL-{host}-{device}"));
    let scheduler = Attribute::Value("none [mq-deadline] kyber".into());
    disk.settings.push(Setting::new(
        "scheduler",
        format!("/sys/block/{device}/queue/scheduler"),
        scheduler,
        true,
    ));
    let mut load = LoadResult {
        elapsed_ms: 2_000.0,
        ..LoadResult::default()
    };
    for ns in 1..=1_000u64 {
        load.read.latency.record(ns * 1_000);
        load.read.ios += 1;
        load.read.bytes += 4096;
    }
    let values: Vec<Option<f64>> = (0..100)
        .map(|value| (value % 7 > 0).then_some(f64::from(value)))
        .collect();
    let series = SampleSeries {
        name: format!("disk.{device}.read_ios"),
        unit: "ios".into(),
        kind: MetricKind::Counter,
        values,
    };
    let sensor = SensorLog {
        sensor: "diskstats".into(),
        no_data: None,
        time_ns: (0..100).map(|index| index * 100_000_000).collect(),
        series: vec![series],
        cost_cpu_ns: 1,
        notes: vec![],
    };
    let mut record = bare(&format!("/dev/{device}"), disk);
    record.summary = summary.into();
    record.provenance.hostname = host.into();
    record.body = RecordBody::Run(RunBody {
        load: Some(load),
        ..RunBody::default()
    });
    record.sensors.push(sensor);
    record
}

/// A run that holds nothing but what it has to.
fn bare(target: &str, root: Layer) -> Record {
    let provenance = Provenance {
        kernel: "6.1.0-18-amd64".into(),
        started_unix_ms: 1_700_000_000_000,
        ..Provenance::default()
    };
    let document = serde_json::json!({
        "schema": RECORD_SCHEMA, "verb": "run", "target": target, "summary": "", "provenance": provenance,
        "path": IoPath::new(target, root), "job": Job::default(), "load": null, "sensors": [], "trials": [],
    });
    serde_json::from_value(document).unwrap()
}

/// A result of fio on another machine.
pub fn imported() -> Record {
    let side = SideFigures {
        iops: Some(1_000.0),
        bytes_per_s: Some(4_096_000.0),
        latencies: vec![LatencyFigures {
            kind: "clat".into(),
            mean_ns: Some(30_000.0),
            percentiles: vec![(50.0, 29_000.0), (99.0, 90_000.0)],
            ..LatencyFigures::default()
        }],
        ..SideFigures::default()
    };
    let facts = [
        ("device", "/dev/sdb"),
        ("host", "db7"),
        ("kernel", "3.10.0"),
        ("rw", "randread"),
        ("bs", "4K-4K/4K-4K/4K-4K"),
        ("iodepth", "32"),
        ("numjobs", "1"),
        ("model", "MODEL 1"),
    ];
    let imported = Imported {
        importer: "fio_text".into(),
        tool: "fio-2.1".into(),
        measured_unix_ms: Some(1_400_000_000_000),
        load: Some(LoadFigures {
            read: Some(side),
            ..LoadFigures::default()
        }),
        facts: facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        ..Imported::default()
    };
    let mut record = record("here", "vda", "fio: 1.00 k IOPS");
    record.target = "fio.txt".into();
    record.path = IoPath::new("fio.txt", Layer::new(LayerKind::Target, "fio.txt"));
    record.sensors.clear();
    record.body = RecordBody::Import(imported);
    record
}

fn ids(store: &Store, filter: Filter) -> Vec<i64> {
    store
        .query(&filter)
        .unwrap()
        .into_iter()
        .map(|row| row.id)
        .collect()
}

#[test]
fn keeps_records_whole() {
    let home = Home::new();
    let store = home.open();
    let one = record("a", "vda", "one");
    let first = store.insert(&one).unwrap();
    let rest = store
        .insert_all(&[record("a", "vda", "two"), imported()])
        .unwrap();
    assert_eq!((first, rest), (1, vec![2, 3]));
    drop(store);
    let store = home.open();
    assert_eq!(store.get(first).unwrap(), one);
    assert_eq!(store.get(3).unwrap(), imported());
    assert_eq!(
        store.document(first).unwrap(),
        serde_json::to_string(&one).unwrap()
    );
    assert_eq!(store.get(99).unwrap_err().kind, StoreErrorKind::Missing);
    assert_eq!(store.same(&one).unwrap(), Some(1));
    assert_eq!(store.same(&record("a", "vda", "three")).unwrap(), None);
    assert_eq!(
        store.check().unwrap(),
        Checked {
            whole: 3,
            problems: vec![],
            programs: vec![]
        }
    );
}

#[test]
fn a_row_says_what_the_document_says() {
    let home = Home::new();
    let store = home.open();
    store.insert(&record("a", "vda", "one")).unwrap();
    let row = store.row(1).unwrap();
    assert_eq!(
        (row.device.as_deref(), row.model.as_deref()),
        (Some("vda"), Some("MODEL 1"))
    );
    assert_eq!(
        (row.iops, row.bytes_per_s),
        (Some(500.0), Some(2_048_000.0))
    );
    let p99 = row.p99_ns.unwrap();
    assert!((980_000.0..1_000_000.0).contains(&p99), "{p99}");
    assert_eq!(row.job.as_deref(), Some("4K random read, depth 32, direct"));
    assert_eq!((row.samples, row.elapsed_ms), (100, Some(2_000.0)));
    assert_ne!(
        row.serial.as_deref(),
        Some("SERIAL-a-vda"),
        "a digest stands for it"
    );
}

#[test]
fn an_import_is_of_the_machine_that_it_tells_of() {
    let home = Home::new();
    let store = home.open();
    store.insert(&imported()).unwrap();
    let row = store.row(1).unwrap();
    assert_eq!(
        (
            row.host.as_str(),
            row.kernel.as_str(),
            row.device.as_deref()
        ),
        ("db7", "3.10.0", Some("sdb"))
    );
    assert_eq!(row.unix_ms, 1_400_000_000_000);
    assert_eq!(
        (row.iops, row.p50_ns, row.p99_ns, row.p999_ns),
        (Some(1_000.0), Some(29_000.0), Some(90_000.0), None)
    );
    assert_eq!(row.job.as_deref(), Some("4K random read, depth 32"));
    assert_eq!(row.job_print, None, "it does not say whether it was direct");
    assert_eq!(
        ids(
            &store,
            Filter {
                device: Some("sdb".into()),
                ..Filter::default()
            }
        ),
        [1]
    );
}

/// A filter of everything, with these fields set.
fn with(set: impl FnOnce(&mut Filter)) -> Filter {
    let mut filter = Filter::default();
    set(&mut filter);
    filter
}

/// Two records that differ in all that is asked for, with a tag, a note and an import beside them.
fn fill_for_filters(store: &Store) {
    let mut other = record("b", "sdc", "Another one");
    other.provenance.kernel = "6.18.2".into();
    other.provenance.started_unix_ms = 1_800_000_000_000;
    other.job = Job {
        rw: Rw::Write,
        bs: 1 << 20,
        ..Job::default()
    };
    other.path.root.settings[0].value = Attribute::Value("[none] mq-deadline".into());
    other.target = "/srv/data/x".into();
    store
        .insert_all(&[record("a", "vda", "one"), other, imported()])
        .unwrap();
    store.tag(1, &["db", "v1.2"]).unwrap();
    store.note(2, "The fan was off.").unwrap();
}

#[test]
fn every_filter_finds_its_records_and_no_others() {
    let home = Home::new();
    let store = home.open();
    fill_for_filters(&store);
    let text = |text: &str| Some(text.to_string());
    let cases: Vec<(Filter, &[i64])> = vec![
        (Filter::default(), &[3, 2, 1]),
        (with(|f| f.limit = 2), &[3, 2]),
        (
            with(|f| {
                f.before_id = Some(3);
                f.limit = 1;
            }),
            &[2],
        ),
        (with(|f| f.host = text("a")), &[1]),
        (with(|f| f.device = text("/dev/sdc")), &[2]),
        (with(|f| f.serial = text("SERIAL-b-sdc")), &[2]),
        (with(|f| f.serial = store.row(2).unwrap().serial), &[2]),
        (with(|f| f.target = text("/srv/data")), &[2]),
        (with(|f| f.target = text("/srv/dat")), &[]),
        (with(|f| f.target = text("/srv/data/x/")), &[2]),
        (with(|f| f.job = text("randread bs=4k")), &[3, 1]),
        (with(|f| f.job = text("4K random read")), &[3, 1]),
        (with(|f| f.job = text("direct=1 1m")), &[2]),
        (with(|f| f.job = store.row(1).unwrap().job_print), &[1]),
        (with(|f| f.kernel = text("6.1")), &[1]),
        (with(|f| f.kernel = text("6")), &[2, 1]),
        (with(|f| f.verb = text("import")), &[3]),
        (with(|f| f.tag = text("db")), &[1]),
        (
            with(|f| f.setting = Some(("scheduler".into(), None))),
            &[2, 1],
        ),
        (
            with(|f| f.setting = Some(("scheduler".into(), text("mq-deadline")))),
            &[1],
        ),
        (with(|f| f.since_unix_ms = Some(1_700_000_000_000)), &[2, 1]),
        (with(|f| f.until_unix_ms = Some(1_700_000_000_000)), &[3]),
        (with(|f| f.text = text("FAN")), &[2]),
        (with(|f| f.text = text("another")), &[2]),
        (with(|f| f.text = text("v1.2")), &[1]),
        (
            with(|f| {
                f.host = text("a");
                f.verb = text("tune");
            }),
            &[],
        ),
        (with(|f| f.host = text("' OR 1=1 --")), &[]),
    ];
    for (filter, wanted) in cases {
        assert_eq!(ids(&store, filter.clone()), wanted, "{filter:?}");
    }
}

#[test]
fn like_records_are_of_the_same_job_on_the_same_kind_of_device() {
    let home = Home::new();
    let store = home.open();
    let mut buffered = record("a", "vda", "buffered");
    buffered.job.direct = false;
    let mut unknown = record("a", "vdb", "no model");
    unknown.path.root.facts.clear();
    store
        .insert_all(&[
            record("a", "vda", "one"),
            buffered,
            record("b", "sdc", "elsewhere"),
            imported(),
            unknown.clone(),
            unknown,
        ])
        .unwrap();
    let like = |id| {
        store
            .like(id)
            .unwrap()
            .into_iter()
            .map(|row| row.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        like(1),
        [4, 3],
        "the import does not tell that it was not direct"
    );
    assert_eq!(like(2), [4]);
    assert_eq!(like(5), [6], "the same name on the same host");
    assert_eq!(store.like(77).unwrap_err().kind, StoreErrorKind::Missing);
}

#[test]
fn tags_and_notes_lie_beside_the_record() {
    let home = Home::new();
    let store = home.open();
    store.insert(&record("a", "vda", "one")).unwrap();
    let before = store.document(1).unwrap();
    store.tag(1, &["b", "a", "b"]).unwrap();
    assert_eq!(store.tags(1).unwrap(), ["a", "b"]);
    store.untag(1, &["b", "never"]).unwrap();
    assert_eq!(store.tags(1).unwrap(), ["a"]);
    assert_eq!(store.all_tags().unwrap(), [("a".to_string(), 1)]);
    for bad in ["", "two words", "a,b", "-x", "a\u{1b}[2J", &"x".repeat(65)] {
        assert_eq!(
            store.tag(1, &[bad]).unwrap_err().kind,
            StoreErrorKind::Usage,
            "{bad:?}"
        );
    }
    let note = store.note(1, " The fan was off.\n").unwrap();
    let second = store.note(1, "On again.").unwrap();
    let notes = store.notes(1).unwrap();
    assert_eq!(
        notes
            .iter()
            .map(|note| note.text.as_str())
            .collect::<Vec<_>>(),
        ["The fan was off.", "On again."]
    );
    store.unnote(1, note).unwrap();
    assert_eq!(store.notes(1).unwrap()[0].id, second);
    assert_eq!(store.row(1).unwrap().note_count, 1);
    assert_eq!(
        store.unnote(1, 99).unwrap_err().kind,
        StoreErrorKind::Missing
    );
    assert_eq!(store.note(1, "  ").unwrap_err().kind, StoreErrorKind::Usage);
    assert_eq!(
        store.tag(7, &["a"]).unwrap_err().kind,
        StoreErrorKind::Missing
    );
    assert_eq!(store.document(1).unwrap(), before);
}

#[test]
fn what_is_deleted_is_gone_and_its_number_is_not_used_again() {
    let home = Home::new();
    let store = home.open();
    store
        .insert_all(&[record("a", "vda", "one"), record("a", "vda", "two")])
        .unwrap();
    store.tag(2, &["x"]).unwrap();
    store.note(2, "x").unwrap();
    assert_eq!(
        store.delete(&[2, 9]).unwrap_err().kind,
        StoreErrorKind::Missing
    );
    assert_eq!(ids(&store, Filter::default()), [2, 1], "all or none");
    store.delete(&[2]).unwrap();
    assert_eq!(ids(&store, Filter::default()), [1]);
    assert_eq!(store.all_tags().unwrap(), []);
    assert_eq!(store.insert(&record("a", "vda", "three")).unwrap(), 3);
    assert_eq!(
        store.check().unwrap(),
        Checked {
            whole: 2,
            problems: vec![],
            programs: vec![]
        }
    );
    store.delete(&[1, 3]).unwrap();
    let settings: i64 = store
        .connection
        .query_row("SELECT count(*) FROM setting", [], |row| row.get(0))
        .unwrap();
    assert_eq!(settings, 0);
}

#[test]
fn a_reader_makes_nothing_and_waits_for_nobody() {
    let home = Home::new();
    let reader = Store::open_read_only(home.path()).unwrap();
    assert!(ids(&reader, Filter::default()).is_empty());
    assert!(
        host::files::kind(&home.file()).is_err(),
        "no store is made by looking"
    );
    let writer = home.open();
    writer.insert(&record("a", "vda", "one")).unwrap();
    let open = rusqlite::Transaction::new_unchecked(
        &writer.connection,
        rusqlite::TransactionBehavior::Immediate,
    )
    .unwrap();
    write::put(&open, None, &columns::of(&record("a", "vda", "two")), "{}").unwrap();
    let reader = Store::open_read_only(home.path()).unwrap();
    assert_eq!(
        ids(&reader, Filter::default()),
        [1],
        "what is not finished is not there"
    );
    open.commit().unwrap();
    assert_eq!(ids(&reader, Filter::default()), [2, 1]);
    assert_eq!(
        reader.insert(&record("a", "vda", "x")).unwrap_err().kind,
        StoreErrorKind::Rights
    );
    assert_eq!(
        reader.tag(1, &["x"]).unwrap_err().kind,
        StoreErrorKind::Rights
    );
}

#[test]
fn a_backup_is_a_store() {
    let home = Home::new();
    let store = home.open();
    store.insert(&record("a", "vda", "one")).unwrap();
    store.tag(1, &["x"]).unwrap();
    let elsewhere = Home::new();
    store.backup(&elsewhere.file()).unwrap();
    store.insert(&record("a", "vda", "later")).unwrap();
    assert_eq!(
        store.backup(&elsewhere.file()).unwrap_err().kind,
        StoreErrorKind::Usage,
        "nothing is overwritten"
    );
    let copy = elsewhere.open();
    assert_eq!(copy.get(1).unwrap(), record("a", "vda", "one"));
    assert_eq!(
        (copy.tags(1).unwrap(), ids(&copy, Filter::default())),
        (vec!["x".to_string()], vec![1])
    );
}

#[test]
fn stores_are_merged_without_doubles() {
    let (here, there) = (Home::new(), Home::new());
    let (store, other) = (here.open(), there.open());
    store
        .insert_all(&[record("a", "vda", "one"), record("a", "vda", "two")])
        .unwrap();
    other
        .insert_all(&[record("b", "sdc", "new"), record("a", "vda", "one")])
        .unwrap();
    store.tag(1, &["both"]).unwrap();
    other.tag(2, &["both", "theirs"]).unwrap();
    other.note(2, "from there").unwrap();
    other.note(1, "new too").unwrap();
    let merged = store.merge(&there.file()).unwrap();
    assert_eq!(
        merged,
        Merged {
            added: vec![3],
            known: 1,
            tags: 1,
            notes: 2,
            problems: vec![]
        }
    );
    assert_eq!(store.get(3).unwrap(), record("b", "sdc", "new"));
    assert_eq!(store.row(3).unwrap().host, "b");
    assert_eq!(store.tags(1).unwrap(), ["both", "theirs"]);
    assert_eq!(store.notes(3).unwrap()[0].text, "new too");
    let again = store.merge(&there.file()).unwrap();
    assert_eq!(
        again,
        Merged {
            known: 2,
            ..Merged::default()
        }
    );
    assert_eq!(
        store.merge(&here.file()).unwrap(),
        Merged {
            known: 3,
            ..Merged::default()
        }
    );
    assert_eq!(
        store.merge(&there.path().join("none.db")).unwrap_err().kind,
        StoreErrorKind::Usage
    );
    assert_eq!(
        other.query(&Filter::default()).unwrap().len(),
        2,
        "the other one is only read"
    );
}
