//! Records for other programs: what they read is what the store has.

use crate::store::filled;
use crate::store_export::{GUIDE, duckdb, python, shown};
use crate::support::{Dir, Iodyno, code};
use model::record::Record;
use serde_json::Value;

/// Sums over the records themselves, as the tables should have them.
fn sums(records: &[Record]) -> Value {
    let series = || {
        records
            .iter()
            .flat_map(|record| &record.sensors)
            .flat_map(|log| &log.series)
    };
    let values = || series().flat_map(|series| series.values.iter().flatten());
    let lines = series().map(|series| series.values.len()).sum::<usize>();
    let loads = || records.iter().flat_map(|record| record.load());
    let ios: u64 = loads().map(|load| load.read.latency.total()).sum();
    let bytes: u64 = loads()
        .flat_map(|load| &load.intervals)
        .map(|interval| interval.read.bytes)
        .sum();
    serde_json::json!([
        [[records.len(), 2000.0, 4]],
        [[lines, values().count(), values().sum::<f64>()]],
        [[ios]],
        [[bytes]],
        [["none", records.len()]],
    ])
}

#[test]
#[ignore = "live"]
fn duckdb_reads_the_sums_that_the_store_has() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    let place = Dir::new("export");
    let to = place.path().join("export");
    let (document, _) = iodyno.json(&["export", "--all", "--parquet", to.to_str().unwrap()]);
    assert_eq!(
        (&document["records"], &document["tables"][1]["rows"]),
        (&4.into(), &400.into()),
        "{document}"
    );
    assert!(
        to.join("samples/date=2023-11-14/part-0.parquet").exists() && to.join("_SUCCESS").exists()
    );
    let again = iodyno.run(&["export", "--all", "--parquet", to.to_str().unwrap()]);
    assert_eq!(code(&again), 2, "what is there is not written over");
    let Some(python) = python("duckdb") else {
        return;
    };
    let table = |name: &str| {
        format!("read_parquet('export/{name}/**/*.parquet', hive_partitioning = true)")
    };
    let queries = [
        format!(
            "SELECT count(*), sum(iops), count(DISTINCT record) FROM {}",
            table("records")
        ),
        format!(
            "SELECT count(*), count(value), sum(value) FROM {}",
            table("samples")
        ),
        format!("SELECT sum(ios)::BIGINT FROM {}", table("histograms")),
        format!("SELECT sum(read_bytes)::BIGINT FROM {}", table("intervals")),
        format!(
            "SELECT value, count(*) FROM {} GROUP BY ALL",
            table("settings")
        ),
    ];
    let answers = duckdb(&python, place.path(), &queries);
    assert_eq!(numbers(&answers), numbers(&sums(&shown(&iodyno))));
    let days = format!(
        "SELECT date::VARCHAR, strftime(time, '%Y-%m-%d') FROM {} ORDER BY ALL",
        table("records")
    );
    let days = duckdb(&python, place.path(), &[days]);
    assert_eq!(days[0][0], serde_json::json!(["2023-11-14", "2023-11-14"]));
    assert_eq!(days[0].as_array().unwrap().len(), 4);
}

/// Every number as one of the same kind: whether a sum is written 7 or 7.0 is no difference.
fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => serde_json::json!(number.as_f64()),
        Value::Array(values) => values.iter().map(numbers).collect(),
        other => other.clone(),
    }
}

#[test]
#[ignore = "live"]
fn the_queries_of_the_guide_run() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    let queries: Vec<String> = GUIDE
        .split("```sql\n")
        .skip(1)
        .filter_map(|block| {
            Some(
                block
                    .split_once("```")?
                    .0
                    .trim()
                    .trim_end_matches(';')
                    .to_string(),
            )
        })
        .collect();
    assert!(queries.len() >= 4, "{}", queries.len());
    let Some(python) = python("duckdb") else {
        return;
    };
    let place = Dir::new("guide");
    let to = place.path().join("export");
    assert_eq!(
        code(&iodyno.run(&["export", "--all", "--parquet", to.to_str().unwrap()])),
        0
    );
    let answers = duckdb(&python, place.path(), &queries);
    for (answer, query) in answers.as_array().unwrap().iter().zip(&queries) {
        assert!(
            !answer.as_array().unwrap().is_empty(),
            "nothing came of\n{query}"
        );
    }
}
