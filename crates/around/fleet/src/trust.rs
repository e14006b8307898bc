//! A record that a host sent, before anything is computed with it: numbers that no machine could have measured would only
//! be there to break a sum.

use model::record::{Direction, LoadResult, Record};
use serde_json::Value;

/// I/Os and bytes of a load at most: a terabyte a second for two hours.
const COUNT_MAX: u64 = 1 << 53;

/// A record of a host.
///
/// # Errors
/// When it is none, or counts what no load could have done.
pub fn record(document: &Value) -> Result<Record, String> {
    let text = document.to_string();
    let record = model::json::read_record(&text).map_err(|error| {
        let why = model::text::clean_to(&error.to_string(), 160);
        format!("its record cannot be read: {why}")
    })?;
    let own = record.load();
    let sections = record.sections().iter().map(|section| &section.load);
    let probes = record.check().map(|check| check.probes.as_slice());
    let probes = probes.unwrap_or_default().iter().map(|probe| &probe.load);
    let is_possible = own
        .into_iter()
        .chain(sections)
        .chain(probes)
        .all(is_possible);
    match is_possible {
        true => Ok(record),
        false => Err("its record counts more than any load could have done".into()),
    }
}

fn is_possible(load: &LoadResult) -> bool {
    let others = load.operations.iter().map(|operation| &operation.done);
    let sides = [&load.read, &load.write, &load.trim, &load.sync];
    let all = || sides.into_iter().chain(others.clone());
    let sum = |of: fn(&Direction) -> u64| all().map(of).fold(0u64, u64::saturating_add);
    let sums = [
        sum(|side| side.ios),
        sum(|side| side.bytes),
        sum(|side| side.latency.total()),
    ];
    let is_time = load.elapsed_ms.is_finite() && load.elapsed_ms >= 0.0;
    is_time && sums.into_iter().all(|sum| sum <= COUNT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::{IoPath, Layer, LayerKind};
    use model::record::{Provenance, RecordBody, RunBody};

    fn run(load: LoadResult) -> Value {
        let path = IoPath::new("/srv", Layer::new(LayerKind::Target, "/srv"));
        let body = RecordBody::Run(RunBody {
            load: Some(load),
            ..RunBody::default()
        });
        serde_json::to_value(Record::of(body, Provenance::default(), path)).unwrap()
    }

    #[test]
    fn a_record_comes_through_and_an_impossible_one_does_not() {
        let mut load = LoadResult {
            elapsed_ms: 1000.0,
            ..LoadResult::default()
        };
        load.read.ios = 7;
        assert_eq!(record(&run(load.clone())).unwrap().load().unwrap().ios(), 7);
        load.write.bytes = u64::MAX;
        load.read.bytes = u64::MAX;
        let why = record(&run(load)).unwrap_err();
        assert!(why.contains("more than any load"), "{why}");
        assert!(record(&serde_json::json!({"schema": "iodyno.record/1"})).is_err());
    }
}
