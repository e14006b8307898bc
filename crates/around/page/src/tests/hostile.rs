//! Every text of a record made hostile: none of it becomes markup.

use super::{WORDING, all, comparison_of, records, xml};
use crate::figures::figures;
use crate::{
    About, Dot, HistoryPlan, Quantity, RankRow, RankingPlan, markdown, report, series_csv,
};
use model::imported::{DiskFigures, Imported};
use model::record::{Operation, Record, RecordBody, SectionResult, TuneBody};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// Ends a script, a style, an attribute, a comment and a section of XML, begins elements and an entity, and has what
/// turns the direction of writing and what no XML may hold.
const EVIL: &str = "</script></style><script>alert(1)</script>]]>--><img src=x onerror=\"a\"><b>'&copy;\u{202e}\u{7}\nOWNED";

/// As many characters, of which none means anything.
fn harmless() -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == ' ' {
            c
        } else {
            'x'
        }
    };
    EVIL.chars().map(plain).collect()
}

/// Where texts stand in a document: the keys on the way, `[]` for any place in a list, `{}` for the keys of a map.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.into()),
        Value::Array(items) => items
            .iter()
            .for_each(|item| places(item, &format!("{at}[]"), found)),
        Value::Object(fields) => {
            found.push(format!("{at}{{}}"));
            for (key, field) in fields {
                places(field, &format!("{at}.{key}"), found);
            }
        }
        _ => {}
    }
    found.sort();
    found.dedup();
}

/// Adds to every text at a place.
fn add(value: &mut Value, at: &str, place: &str, text: &str) {
    match value {
        Value::String(own) if at == place => own.push_str(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| add(item, &format!("{at}[]"), place, text)),
        Value::Object(fields) if format!("{at}{{}}") == place => {
            let renamed = std::mem::take(fields).into_iter();
            *fields = renamed
                .map(|(key, field)| (format!("{key}{text}"), field))
                .collect();
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                if place.starts_with(&format!("{at}.{key}")) {
                    add(field, &format!("{at}.{key}"), place, text);
                }
            }
        }
        _ => {}
    }
}

/// The document with a text added at these places; none where a place takes no text of one's own.
fn with<T: Serialize + DeserializeOwned>(whole: &T, places: &[&String], text: &str) -> Option<T> {
    let mut value = serde_json::to_value(whole).unwrap();
    // Keys are renamed last: what lies behind them could not be found any more.
    let (keys, texts): (Vec<&String>, Vec<&String>) = places
        .iter()
        .copied()
        .partition(|place| place.ends_with("{}"));
    let deepest_first = keys.into_iter().rev();
    for place in texts.into_iter().chain(deepest_first) {
        add(&mut value, "", place, text);
    }
    let made: T = serde_json::from_value(value).ok()?;
    let is_kept = serde_json::to_string(&made).unwrap().contains("alert");
    (is_kept || !text.contains("alert")).then_some(made)
}

/// The places of a document that take any text.
fn open_places<T: Serialize + DeserializeOwned>(whole: &T) -> Vec<String> {
    let mut found = Vec::new();
    places(&serde_json::to_value(whole).unwrap(), "", &mut found);
    found.retain(|place| with(whole, &[place], EVIL).is_some());
    found
}

/// A page of hostile texts has no tag, attribute, entity or character that does not come from a template.
fn check_page(page: &str, what: &str) {
    let body = xml::body(page);
    xml::check(&body).unwrap_or_else(|why| panic!("{what}: {why}"));
    assert_eq!(page.matches("<script").count(), 1, "{what}");
    assert_eq!(page.matches("</script").count(), 1, "{what}");
    assert_eq!(page.matches("</style").count(), 1, "{what}");
    for tag in ["<img", "<b>", "onerror=\""] {
        assert!(!page.contains(tag), "{what}: {tag}");
    }
    assert!(!page.contains(['\u{202e}', '\u{7}']), "{what}");
    assert!(!page.contains("\nOWNED"), "{what}: a line of its own");
}

/// The records of the other tests, and more of the texts that a record can have.
fn talkative() -> Vec<(&'static str, Record)> {
    let mut sections = records::run();
    let load = sections.load().cloned().unwrap();
    let section = |name: &str| SectionResult {
        elsewhere: String::new(),
        name: name.into(),
        stage: 0,
        start_ms: 0,
        job: sections.job.clone(),
        load: load.clone(),
    };
    let several = vec![section("oltp"), section("backup")];
    records::run_of(&mut sections).sections = several;
    let mut noted = records::run();
    if let Some(load) = &mut records::run_of(&mut noted).load {
        load.notes = vec!["The scratch file was on btrfs.".into()];
        load.operations = vec![Operation {
            name: "create".into(),
            busy_ms: 900.0,
            done: load.write.clone(),
        }];
    }
    let mut finding = noted.findings[0].clone();
    finding.competing = vec!["a neighbour".into()];
    finding.experiment = "iodyno tune /srv".into();
    noted.findings.push(finding.clone());
    finding.withdrawn = Some("A load reached the rate.".into());
    noted.findings.push(finding);
    noted.path.notes = vec!["/sys/block/vda/device could not be read.".into()];
    noted.path.machine = Some(noted.path.root.clone());
    let mut skipped = records::tune();
    let mut trial = skipped.trials()[0].clone();
    trial.verdict = None;
    trial.skipped = Some("the queue has one request".into());
    let trials = [skipped.trials(), &[trial]].concat();
    skipped.body = RecordBody::Tune(TuneBody { trials });
    let mut disks = records::import();
    if let RecordBody::Import(Imported {
        load: Some(load), ..
    }) = &mut disks.body
    {
        load.disks = vec![DiskFigures {
            name: "sda".into(),
            ..DiskFigures::default()
        }];
    }
    let more = [
        ("sections", sections),
        ("noted", noted),
        ("skipped", skipped),
        ("disks", disks),
    ];
    all().into_iter().chain(more).collect()
}

fn about(text: &str) -> About {
    About {
        id: Some(7),
        tags: vec![format!("a{text}"), text.into()],
        notes: vec![format!("b{text}")],
    }
}

#[test]
fn no_text_of_a_record_becomes_markup() {
    for (name, record) in talkative() {
        let open = open_places(&record);
        let open: Vec<&String> = open.iter().collect();
        let evil = with(&record, &open, EVIL).unwrap();
        let plain = with(&record, &open, &harmless()).unwrap();
        let page = report(&evil, &about(EVIL));
        check_page(&page, name);
        assert!(
            page.matches("alert(1)&lt;/script&gt;").count() > 10,
            "{name}: shown, not left out"
        );
        let tame = report(&plain, &about(&harmless()));
        assert_eq!(
            xml::skeleton(&xml::body(&page)),
            xml::skeleton(&xml::body(&tame)),
            "{name}"
        );
        for figure in figures(&evil)
            .iter()
            .filter(|figure| figure.absent.is_none())
        {
            let file = figure.standalone_svg().unwrap();
            for svg in [&*figure.svg, &*figure.narrow, &file] {
                xml::check(svg).unwrap_or_else(|why| panic!("{name} {}: {why}", figure.id));
                assert!(!svg.contains(['\u{202e}', '\u{7}']), "{name} {}", figure.id);
            }
        }
        check_markdown(&evil, name);
        assert!(
            series_csv(&evil)
                // A cell in quotes keeps its line ends.
                .replace("\nOWNED", "")
                .lines()
                .skip(1)
                .all(|line| line.split(',').count() >= 6),
            "{name}"
        );
    }
}

fn check_markdown(record: &Record, name: &str) {
    let text = markdown(record, &about(EVIL));
    let outside: String = text.split("```").step_by(2).collect();
    let outside = outside.replace("\\`", "");
    let outside: String = outside.split('`').step_by(2).collect();
    for mark in ['<', '&'] {
        let bare = outside.replace(&format!("\\{mark}"), "").find(mark);
        assert_eq!(bare, None, "{name}: {mark} in {outside}");
    }
}

/// Hostile names of sensors and fields keep whole figures away, so each text is also hostile alone.
#[test]
fn no_text_alone_becomes_markup() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, record) in talkative() {
        for place in open_places(&record) {
            if seen.contains_key(&place) {
                continue;
            }
            let evil = with(&record, &[&place], EVIL).unwrap();
            check_page(&report(&evil, &About::default()), &format!("{name}{place}"));
            seen.insert(place, name);
        }
    }
    for place in [
        ".summary",
        ".target",
        ".provenance.hostname",
        ".provenance.command[]",
        ".sections[].name",
        ".load.notes[]",
        ".load.operations[].name",
        ".trials[].knob",
        ".trials[].arms[]",
        ".trials[].skipped",
        ".trials[].verdict.sentence",
        ".trials[].verdict.notes[]",
        ".findings[].claim",
        ".findings[].rule",
        ".findings[].competing[]",
        ".findings[].experiment",
        ".findings[].withdrawn",
        ".path.notes[]",
        ".path.root.name",
        ".path.root.below[].below[].settings[].value.value",
        ".path.root.below[].facts{}",
        ".sensors[].sensor",
        ".sensors[].series[].name",
        ".check.next",
        ".check.unseen[]",
        ".imported.load.disks[].name",
        ".imported.series[].subject",
    ] {
        assert!(seen.contains_key(place), "{place} is not in {seen:#?}");
    }
}

#[test]
fn no_text_of_a_comparison_becomes_markup() {
    let found = comparison_of(&["7", "old.txt:3", "9"]);
    let open = open_places(&found);
    let open: Vec<&String> = open.iter().collect();
    let made = records::run();
    let page = |text: &str| {
        let found = with(&found, &open, text).unwrap();
        crate::comparison(&found, &[&made, &made, &made], &WORDING)
    };
    check_page(&page(EVIL), "comparison");
    assert_eq!(
        xml::skeleton(&xml::body(&page(EVIL))),
        xml::skeleton(&xml::body(&page(&harmless())))
    );
}

#[test]
fn no_name_of_a_ranking_or_a_history_becomes_markup() {
    let row = |name: String| RankRow {
        name,
        value: 200.0,
        ..RankRow::default()
    };
    let plan = RankingPlan {
        measure: EVIL.into(),
        quantity: Quantity::Iops,
        less_is_better: false,
    };
    let ranking = crate::ranking("rank", &plan, &[row(EVIL.into()), row("HDD".into())]);
    let dot = |index: i64| Dot {
        unix_ms: 1_700_000_000_000 + index * 86_400_000,
        value: 1000.0,
        name: EVIL.into(),
        ..Dot::default()
    };
    let plan = HistoryPlan {
        id: "history".into(),
        measure: EVIL.into(),
        quantity: Quantity::Iops,
        turns: vec![crate::Turn {
            after: 2,
            effect: EVIL.into(),
            beside: EVIL.into(),
        }],
        how: EVIL.into(),
    };
    let dots: Vec<Dot> = (0..9).map(dot).collect();
    for figure in [ranking, crate::history(&plan, &dots)] {
        let file = figure.standalone_svg().unwrap();
        for svg in [&*figure.svg, &*figure.narrow, &file] {
            xml::check(svg).unwrap_or_else(|why| panic!("{}: {why}", figure.id));
            assert!(!svg.contains(['\u{202e}', '\u{7}']), "{}", figure.id);
        }
    }
}
