//! How the importers share a file.

#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use super::*;
use model::imported::SideFigures;
use std::collections::BTreeMap;

#[test]
fn lines_that_are_nobodys_are_told_in_runs() {
    let text = "hello\n\nworld\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 2.0 s, 0.5 MB/s\nbye\n";
    let import = import("x", &mut text.as_bytes()).unwrap();
    assert_eq!(
        (import.results.len(), import.results[0].lines),
        (1, Some((4, 4)))
    );
    let runs: Vec<_> = import.unread.iter().map(|unread| unread.lines).collect();
    assert_eq!(runs, [Some((1, 3)), Some((5, 5))]);
}

#[test]
fn a_file_that_is_no_text_is_refused_in_words() {
    let import = import("x", &mut &b"\x7fELF\0\0\0\0"[..]).unwrap();
    assert!(import.results.is_empty());
    assert_eq!(
        import.unread[0].why,
        "this is no text, and no importer knows its kind"
    );
}

#[test]
fn an_empty_file_holds_nothing() {
    let import = import("x", &mut &b""[..]).unwrap();
    assert!(import.results.is_empty() && import.unread.is_empty());
}

fn article(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/imports/articles")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// `58.4MiB/s`, `-`
fn rate(word: &str) -> Option<f64> {
    let units = [("KiB/s", 1024.0), ("MiB/s", 1_048_576.0), ("MB/s", 1e6)];
    let (unit, factor) = units.iter().find(|(unit, _)| word.ends_with(unit))?;
    Some(word.strip_suffix(unit)?.parse::<f64>().unwrap() * factor)
}

/// `5686`, `128/11.8353`, `-`
fn count(word: &str) -> Option<f64> {
    let mut parts = word.split('/').map(|part| part.parse::<f64>());
    let first = parts.next()?.ok()?;
    Some(parts.next().map_or(first, |second| first / second.unwrap()))
}

fn is(found: Option<f64>, wanted: Option<f64>) -> bool {
    match (found, wanted) {
        (Some(found), Some(wanted)) => (found / wanted - 1.0).abs() < 1e-6,
        (found, wanted) => found.is_none() && wanted.is_none(),
    }
}

/// What the pages of field reports hold is written down in `expected.txt`, by hand.
#[test]
fn every_result_of_fio_and_rados_in_the_articles_is_found() {
    let expected = article("expected.txt");
    let mut pages: BTreeMap<&str, Vec<Vec<&str>>> =
        BTreeMap::from([("read_ahead_and_interrupts", Vec::new())]);
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        pages.entry(words[0]).or_default().push(words[1..].to_vec());
    }
    assert_eq!(pages.len(), 5);
    for (page, mut wanted) in pages {
        let import = import(page, &mut article(&format!("{page}.txt")).as_bytes()).unwrap();
        let ours = [
            "fio_text",
            "fio_quoted",
            "rados_bench",
            "fio_json",
            "fio_terse",
        ];
        for found in import
            .results
            .iter()
            .filter(|found| ours.contains(&found.importer.as_str()))
        {
            let same = wanted.iter().position(|wanted| is_as_wanted(found, wanted));
            let at = same.unwrap_or_else(|| panic!("{page}: this is not in the list: {found:#?}"));
            wanted.remove(at);
        }
        assert!(wanted.is_empty(), "{page}: not found: {wanted:#?}");
    }
}

fn is_as_wanted(found: &Imported, wanted: &[&str]) -> bool {
    let load = found.load.as_ref().unwrap();
    let sides: BTreeMap<&str, &SideFigures> =
        load.sides().filter(|(name, _)| *name != "sync").collect();
    let figures = wanted[2..].chunks(3);
    found
        .lines
        .is_some_and(|(first, _)| first.to_string() == wanted[0])
        && found.importer == wanted[1]
        && sides.len() == figures.len()
        && figures.clone().all(|side| {
            let found = sides.get(side[0]);
            found.is_some_and(|found| {
                is(found.iops, count(side[1])) && is(found.bytes_per_s, rate(side[2]))
            })
        })
}

#[test]
fn what_an_article_says_around_the_numbers_becomes_facts() {
    let import = import("x", &mut article("usb_under_ceph.txt").as_bytes()).unwrap();
    let of = |tool: &str| {
        import
            .results
            .iter()
            .filter(|found| found.tool.starts_with(tool))
            .collect::<Vec<_>>()
    };
    let (fio, rados) = (of("fio"), of("rados"));
    let fact = |found: &Imported, name: &str| found.facts.get(name).cloned().unwrap_or_default();
    assert_eq!(fact(fio[0], "device"), "/dev/sda1");
    assert_eq!(
        (fact(fio[0], "bs"), fact(fio[1], "numjobs")),
        ("16k".into(), "3".into())
    );
    assert_eq!(
        (fio[0].tool.as_str(), fio[0].name.as_str()),
        ("fio-3.16", "testertest")
    );
    assert_eq!(fact(fio[0], "host"), "ThinkPad-X1C");
    let load = fio[2].load.as_ref().unwrap();
    assert_eq!(
        (load.disks[0].name.as_str(), load.disks[0].util_pct),
        ("sdd", Some(99.74))
    );
    let clat = load.read.as_ref().unwrap().latency("clat").unwrap();
    assert_eq!(
        (clat.mean_ns, clat.max_ns),
        (Some(85_680.0), Some(12_994_000.0))
    );
    assert_eq!(
        (fact(rados[0], "pool"), fact(rados[0], "iodepth")),
        ("tester".into(), "16".into())
    );
    let names: Vec<&str> = rados.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(
        names,
        ["rados bench write", "rados bench seq", "rados bench rand"]
    );
    assert_eq!(
        rados[0].series[0].values.len(),
        11,
        "rows that run together"
    );
    let container = super::import("x", &mut article("container_disk.txt").as_bytes()).unwrap();
    let second = container.results[1]
        .load
        .as_ref()
        .unwrap()
        .read
        .as_ref()
        .unwrap();
    assert_eq!(
        second.latency("clat").unwrap().percentiles[12],
        (99.0, 9_634_000.0)
    );
    let whole = container.results[3]
        .lossy
        .iter()
        .any(|why| why.contains("not of one run"));
    assert!(
        whole,
        "the sum below the last job is of another run: {:?}",
        container.results[3].lossy
    );
}
