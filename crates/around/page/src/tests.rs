//! Tests of the whole: every figure of every record that can be made, and the report around them.

mod hostile;
mod records;
mod xml;

use crate::figures::figures;
use crate::report::MOST_BYTES;
use crate::{About, Figure, HistoryPlan, Quantity, RankRow, RankingPlan, report, series_csv};
use model::record::{Record, WindowRun};

/// Every record that the builders make, with a name.
fn all() -> Vec<(&'static str, Record)> {
    vec![
        ("run", records::run()),
        ("old run", records::old_run()),
        ("one interval", records::one_interval()),
        ("tune", records::tune()),
        ("refused", records::refused()),
        ("sweep", records::sweep()),
        ("search", records::search()),
        ("interference", records::interference()),
        ("dataset", records::dataset()),
        ("check", records::check()),
        ("import", records::import()),
        ("bare", records::bare()),
    ]
}

fn figure(record: &Record, id: &str) -> Figure {
    let found = figures(record).into_iter().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("no figure {id}: {:?}", ids(record)))
}

fn ids(record: &Record) -> Vec<String> {
    figures(record)
        .into_iter()
        .map(|figure| figure.id)
        .collect()
}

#[test]
fn every_figure_is_whole_and_well_formed() {
    for (name, record) in all() {
        let mut seen = Vec::new();
        for figure in figures(&record) {
            let what = format!("{name}: {}", figure.id);
            assert!(
                !figure.title.is_empty() && !figure.description.is_empty(),
                "{what}"
            );
            assert!(!seen.contains(&figure.id), "{what} twice");
            seen.push(figure.id.clone());
            if figure.absent.is_some() {
                assert!(figure.svg.is_empty(), "{what}");
                continue;
            }
            assert!(
                !figure.caption.is_empty() && !figure.table.rows.is_empty(),
                "{what}"
            );
            assert!(
                figure.table.rows.len() <= 60,
                "{what}: {} rows",
                figure.table.rows.len()
            );
            assert!(
                figure
                    .table
                    .rows
                    .iter()
                    .all(|row| row.len() == figure.table.head.len()),
                "{what}"
            );
            for svg in [&figure.svg, &figure.narrow] {
                xml::check(svg).unwrap_or_else(|why| panic!("{what}: {why}"));
                assert!(
                    !svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("infinity"),
                    "{what}"
                );
                assert!(!svg.contains("style="), "{what}: a policy would drop it");
                assert!(svg.contains("aria-label=\""), "{what}");
            }
            xml::check(&figure.standalone_svg().unwrap())
                .unwrap_or_else(|why| panic!("{what} alone: {why}"));
        }
    }
}

#[test]
fn each_kind_of_record_has_its_figures() {
    let has = |record: &Record, wanted: &[&str]| {
        let found = ids(record);
        for id in wanted {
            assert!(found.iter().any(|one| one == id), "no {id} in {found:?}");
        }
    };
    has(
        &records::run(),
        &[
            "path",
            "rates",
            "bandwidth",
            "latency-map-read",
            "latency-map-write",
            "percentiles",
            "layers",
        ],
    );
    has(
        &records::run(),
        &["inflight", "cpu", "interrupts", "dirty", "dirty-flow"],
    );
    let mut limited = records::run();
    records::limit_group(&mut limited);
    has(&limited, &["dirty", "dirty-of-pod-a"]);
    has(&records::old_run(), &["latency-read"]);
    has(&records::tune(), &["pairs", "arms", "layers", "rates"]);
    has(&records::sweep(), &["response"]);
    has(&records::search(), &["response"]);
    has(&records::interference(), &["interference"]);
    has(&records::dataset(), &["dataset"]);
    has(&records::check(), &["response", "percentiles"]);
    has(&records::import(), &["percentiles", "series-fio-bw"]);
    assert!(
        !ids(&records::import())
            .iter()
            .any(|id| id == "path" || id == "pairs"),
        "what makes no sense is not there"
    );
    assert_eq!(ids(&records::bare()), Vec::<String>::new());
}

#[test]
fn a_table_has_the_numbers_of_the_record() {
    let record = records::run();
    let load = record.load().unwrap();
    let percentiles = figure(&record, "percentiles");
    let p99 = percentiles
        .table
        .rows
        .iter()
        .find(|row| row[0] == "p99")
        .unwrap();
    let read = load.read.latency.quantile_ns(0.99).unwrap();
    assert_eq!(p99[2], model::units::duration_ns(read as f64));
    let count = percentiles.table.rows.last().unwrap();
    assert_eq!(
        (count[0].as_str(), count[2].as_str()),
        ("I/Os", load.read.latency.total().to_string().as_str())
    );
    let rates = figure(&record, "rates");
    for (row, interval) in rates.table.rows.iter().zip(&load.intervals) {
        assert_eq!(
            row[1],
            Quantity::Iops.words(interval.read.ios as f64 * 1e3 / interval.length_ms as f64)
        );
    }
    let tune = records::tune();
    let verdict = tune.trials()[0].verdict.as_ref().unwrap();
    let pairs = figure(&tune, "pairs");
    assert_eq!(pairs.table.rows.len(), verdict.pairs.len());
    assert_eq!(
        pairs.table.rows[0][5],
        model::units::percent_signed(verdict.pairs[0].effect_ln.exp_m1())
    );
}

#[test]
fn a_gap_breaks_the_line_and_is_told() {
    let mut record = records::run();
    records::run_of(&mut record)
        .load
        .as_mut()
        .unwrap()
        .intervals
        .drain(8..14);
    let rates = figure(&record, "rates");
    assert!(
        rates.caption.contains("Hatched: 1 gap of 6.00 s"),
        "{}",
        rates.caption
    );
    assert!(rates.svg.contains("url(#rates-h)") && rates.narrow.contains("url(#rates-n-h)"));
}

#[test]
fn a_refusal_shows_no_winner() {
    let record = records::refused();
    let pairs = figure(&record, "pairs");
    assert!(pairs.title.contains("no verdict"), "{}", pairs.title);
    assert!(!pairs.svg.contains("class=\"claim"), "nothing is coloured");
    assert!(
        pairs.caption.contains("Nothing is claimed"),
        "{}",
        pairs.caption
    );
    let page = report(&record, &About::default());
    assert!(!page.contains("iodyno apply"), "nothing to keep is offered");
}

#[test]
fn one_run_never_looks_like_proof() {
    let page = report(
        &records::run(),
        &About {
            id: Some(7),
            ..About::default()
        },
    );
    assert!(page.contains("One run: no comparison is claimed."));
    assert!(!page.contains("id=\"proof\""));
}

#[test]
fn a_page_fetches_nothing_and_its_policy_fits_it() {
    for (name, record) in all() {
        let page = report(
            &record,
            &About {
                id: Some(7),
                ..About::default()
            },
        );
        let outside = page.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !outside.contains("http://")
                && !outside.contains("https://")
                && !outside.contains("@import"),
            "{name}"
        );
        assert!(
            !page.contains(" style=\"") && !page.contains(" onload") && !page.contains("<link"),
            "{name}"
        );
        assert!(page.contains("default-src 'none'"), "{name}");
        assert_eq!(page.matches("<script").count(), 1, "{name}");
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
        let body = xml::body(&page);
        xml::check(&body).unwrap_or_else(|why| panic!("{name}: {why}"));
        xml::unique_ids(&body).unwrap_or_else(|id| panic!("{name}: id {id} twice"));
    }
}

#[test]
fn an_hour_of_a_wide_host_stays_small() {
    let record = records::hour_of_a_wide_host();
    let page = report(
        &record,
        &About {
            id: Some(1),
            ..About::default()
        },
    );
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    let map = figure(&record, "latency-map-read");
    assert!(map.svg.len() < 400_000, "{} bytes", map.svg.len());
    let rates = figure(&record, "rates");
    assert!(rates.svg.len() < 60_000, "{} bytes", rates.svg.len());
    assert!(
        page.contains("series of the kernel are thinned to one sample"),
        "it says what it left out"
    );
}

#[test]
fn a_whole_run_is_in_the_csv() {
    let record = records::run();
    let csv = series_csv(&record);
    let log = record
        .sensors
        .iter()
        .find(|log| log.sensor == "diskstats")
        .unwrap();
    let lines = csv
        .lines()
        .filter(|line| line.starts_with("diskstats,disk.vda.read_ios,"))
        .count();
    assert_eq!(lines, log.time_ns.len());
    assert!(csv.starts_with("source,series,unit,kind,time_s,value\n"));
}

#[test]
fn devices_with_overlapping_intervals_share_a_rank() {
    let row = |name: &str, value, low, high| RankRow {
        name: name.into(),
        value,
        low: Some(low),
        high: Some(high),
        runs: 5,
        ..RankRow::default()
    };
    let rows = [
        row("HDD", 200.0, 190.0, 210.0),
        row("NVMe a", 60e3, 58e3, 62e3),
        row("NVMe b", 59e3, 57e3, 61e3),
    ];
    let plan = RankingPlan {
        measure: "4K random read".into(),
        quantity: Quantity::Iops,
        less_is_better: false,
    };
    let figure = crate::ranking("rank", &plan, &rows);
    let ranks: Vec<&str> = figure
        .table
        .rows
        .iter()
        .map(|row| row[0].as_str())
        .collect();
    assert_eq!(ranks, ["1", "1", "3"]);
    assert_eq!(figure.table.rows[2][4], "1 : 300");
    xml::check(&figure.svg).unwrap();
    assert!(crate::ranking("rank", &plan, &[]).absent.is_some());
}

#[test]
fn history_needs_enough_records_to_speak_of_changes() {
    let dot = |index: i64| crate::Dot {
        unix_ms: 1_700_000_000_000 + index * 86_400_000,
        value: if index < 6 { 1000.0 } else { 800.0 },
        name: format!("record {index}"),
        ..crate::Dot::default()
    };
    let plan = |turns| HistoryPlan {
        id: "history".into(),
        measure: "4K random read on vda".into(),
        quantity: Quantity::Iops,
        turns,
        how: String::new(),
    };
    let few: Vec<crate::Dot> = (0..3).map(dot).collect();
    assert!(
        crate::history(&plan(vec![]), &few)
            .title
            .contains("too few")
    );
    let many: Vec<crate::Dot> = (0..12).map(dot).collect();
    let turn = crate::Turn {
        after: 5,
        effect: "−20 %".into(),
        beside: "kernel 6.1 → 6.12".into(),
    };
    let figure = crate::history(&plan(vec![turn]), &many);
    assert!(
        figure.title.contains("−20 %") && figure.title.contains("kernel 6.1 → 6.12"),
        "{}",
        figure.title
    );
    xml::check(&figure.svg).unwrap();
    xml::check(&crate::history(&plan(vec![]), &many[..1]).svg).unwrap();
}

#[test]
fn a_picture_over_time_carries_its_numbers() {
    let record = records::run();
    let load = record.load().unwrap();
    let rates = figure(&record, "rates");
    let readings = rates.readings.as_ref().unwrap();
    let line = &readings.lines[0];
    assert_eq!(
        (line.name.as_str(), line.mean.len()),
        ("read", load.intervals.len())
    );
    let first = &load.intervals[0];
    let rate = first.read.ios as f64 * 1e3 / first.length_ms as f64;
    assert!(
        (line.mean[0].unwrap() / rate - 1.0).abs() < 1e-3,
        "{:?} is not {rate}",
        line.mean[0]
    );
    let map = figure(&record, "latency-map-read")
        .readings
        .unwrap()
        .columns
        .unwrap();
    let counted: u64 = map
        .rows
        .iter()
        .flat_map(|row| row.iter().skip(1).step_by(2))
        .sum();
    let all: u64 = load
        .latency_map
        .read
        .iter()
        .map(|column| column.total())
        .sum();
    assert_eq!(counted, all, "percentiles of a span are made of all I/Os");
    assert!(
        !figure(&records::old_run(), "latency-read")
            .readings
            .unwrap()
            .has_mean,
        "no mean of percentiles"
    );
    let tune = records::tune();
    let arms = figure(&tune, "arms").readings.unwrap();
    let start = tune.trials()[0]
        .windows
        .iter()
        .map(|window| window.start_ms)
        .min()
        .unwrap();
    assert_eq!(
        (arms.zero_ms, arms.apart, arms.lines.len()),
        (start, true, tune.trials()[0].arms.len())
    );
    assert!(
        figure(&record, "percentiles").readings.is_none(),
        "not over time"
    );
    let page = report(&record, &About::default());
    assert!(
        page.contains(
            "<figure id=\"f-rates\" data-readings=\"{&quot;quantity&quot;:&quot;Iops&quot;"
        )
    );
}

fn comparison_of(subjects: &[&str]) -> model::comparison::Comparison {
    use model::comparison::{
        Basis, Better, Compared, Comparison, ComparisonCell, ComparisonRow, ComparisonSubject,
        Measure, Ratio, Standing,
    };
    let subject = |name: &&str| ComparisonSubject {
        name: (*name).into(),
        verb: "run".into(),
        ..ComparisonSubject::default()
    };
    let measure = |value: f64| Measure {
        name: "read.iops".into(),
        unit: "/s".into(),
        better: Better::More,
        value,
        low: Some(value * 0.9),
        high: Some(value * 1.1),
        basis: Basis::Batches,
        n: 20,
    };
    let cell = |index: usize| {
        let ratio = Ratio {
            ratio: 1.1,
            low: Some(1.0),
            high: Some(1.2),
            standing: Standing::Hint,
        };
        Some(ComparisonCell {
            measure: measure(1000.0 * (index + 1) as f64),
            ratio: (index > 0).then_some(ratio),
        })
    };
    Comparison {
        schema: model::comparison::COMPARE_SCHEMA.into(),
        sentence: "8 against 7: <b>read IOPS</b> +10 %. One run each.".into(),
        base: 0,
        subjects: subjects.iter().map(subject).collect(),
        compared: vec![Compared {
            name: String::new(),
            phrase: "4K random read".into(),
            rows: vec![ComparisonRow {
                measure: "read.iops".into(),
                cells: (0..subjects.len()).map(cell).collect(),
                repeats: None,
            }],
            unlike: Vec::new(),
            remarks: Vec::new(),
        }],
        curves: Vec::new(),
        settings: Vec::new(),
        bounds: Vec::new(),
    }
}

const WORDING: crate::Wording = crate::Wording {
    title: |measure| measure.replace('.', " "),
    value: |measure| model::units::count(measure.value),
    ratio: |ratio, _, _| model::units::percent_signed(ratio - 1.0),
};

#[test]
fn several_records_share_their_axes() {
    let (a, b) = (records::run(), records::old_run());
    let found = comparison_of(&["7", "8"]);
    let drawn = crate::comparison_figures(&found, &[&a, &b]);
    let ids: Vec<&str> = drawn.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["rates", "percentiles-read", "percentiles-write"]);
    for figure in &drawn {
        xml::check(&figure.svg).unwrap_or_else(|why| panic!("{}: {why}", figure.id));
        assert!(
            figure.svg.contains("data-name=\"A record 7\""),
            "{}: the base is A",
            figure.id
        );
        assert!(
            figure.svg.contains("class=\"l k0\"") && figure.svg.contains("class=\"l k1\""),
            "{}",
            figure.id
        );
    }
    let p99 = drawn[1]
        .table
        .rows
        .iter()
        .find(|row| row[0] == "p99")
        .unwrap();
    let of = |record: &Record| {
        model::units::duration_ns(
            record
                .load()
                .unwrap()
                .read
                .latency
                .quantile_ns(0.99)
                .unwrap() as f64,
        )
    };
    assert_eq!((&p99[2], &p99[3]), (&of(&a), &of(&b)));
    // Another base comes first and is what the others are held against.
    let turned = model::comparison::Comparison { base: 1, ..found };
    let drawn = crate::comparison_figures(&turned, &[&a, &b]);
    assert!(drawn[0].svg.contains("data-name=\"A record 8\""));
}

#[test]
fn a_page_of_several_records_is_whole() {
    let (a, b, other) = (records::run(), records::import(), records::bare());
    let found = comparison_of(&["7", "old.txt:3", "9"]);
    let page = crate::comparison(&found, &[&a, &b, &other], &WORDING);
    assert!(
        page.contains("<h1 id=\"claim\">8 against 7: &lt;b&gt;read IOPS"),
        "the sentence comes first, as text"
    );
    assert!(
        page.contains("2.00 k, +10 %, a hint") || page.contains("2,000, +10 %, a hint"),
        "the ratio says what it is worth"
    );
    assert_eq!(page.matches("<script").count(), 1);
    let body = xml::body(&page);
    xml::check(&body).unwrap();
    xml::unique_ids(&body).unwrap();
    assert!(page.len() < MOST_BYTES);
    let csv = crate::comparison_csv(&found);
    assert_eq!(csv.lines().count(), 4);
    assert!(
        csv.contains(",read.iops,/s,old.txt:3,2000,1800,2200,20,1.1,1,1.2,hint"),
        "{csv}"
    );
    // Nothing in common is said, not drawn.
    let page = crate::comparison(&comparison_of(&["1", "2"]), &[&other, &other], &WORDING);
    assert!(page.contains("Nothing can be drawn on common axes") && !page.contains("<svg"));
}

#[test]
fn a_window_that_only_warms_up_has_no_value_in_a_figure() {
    let told = |record: &Record| {
        let figure = figure(record, "arms");
        (figure.description, figure.table)
    };
    let mut tune = records::tune();
    let (without, _) = told(&tune);
    let trial = &mut tune.trials_mut()[0];
    let warm_up = WindowRun {
        discard_ms: 200,
        rate: 0.0,
        ..trial.windows[0].clone()
    };
    trial.windows.insert(0, warm_up);
    let (with, table) = told(&tune);
    assert_eq!(with, without);
    assert!(format!("{table:?}").contains("\"–\""), "{table:?}");
}
