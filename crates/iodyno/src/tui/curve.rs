//! Curves that do not breathe: their parts begin at round times, so that a bar keeps its height until it leaves.

use model::reading::Reading;
use observe::Sampler;

/// What a sensor read in each of `count` parts of some time that ends now. All but the last one are whole; a part
/// without a reading of its own has nothing.
pub fn parts(
    sampler: &Sampler,
    sensor: &str,
    at_ns: i64,
    span_ns: i64,
    count: usize,
) -> Vec<Option<Reading>> {
    let step_ns = (span_ns / count.max(1) as i64).max(1);
    let begun_ns = at_ns.div_euclid(step_ns) * step_ns;
    let whole = count.saturating_sub(1);
    let mut parts = sampler.curve(sensor, begun_ns - step_ns * whole as i64, begun_ns, whole);
    if count > 0 {
        let last = sampler.curve(sensor, begun_ns, at_ns, 1).pop().flatten();
        parts.push(last);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reading::{ReadingRow, SeriesName};
    use model::sample::MetricKind;

    #[test]
    fn a_bar_keeps_its_height_until_it_leaves() {
        let series = vec![SeriesName {
            name: "disk.sda.read_ios".into(),
            kind: MetricKind::Counter,
        }];
        let row = |tick: i64| ReadingRow {
            time_ns: tick * 100_000_000,
            cells: vec![(tick * tick) as f64].into(),
        };
        let sampler = Sampler::of_rows([("diskstats", series, (0..900).map(row).collect())]);
        let heights = |at_ns| -> Vec<f64> {
            let value = |part: Option<Reading>| {
                let part = part?;
                Some(part.to.cells[0] - part.from?.cells[0])
            };
            parts(&sampler, "diskstats", at_ns, 60_000_000_000, 15)
                .into_iter()
                .filter_map(value)
                .collect()
        };
        let (now, soon, later) = (
            heights(80_100_000_000),
            heights(81_900_000_000),
            heights(84_100_000_000),
        );
        assert_eq!((now.len(), soon.len()), (15, 15));
        assert_eq!(now[..14], soon[..14]);
        assert_eq!(now[1..14], later[..13]);
    }

    #[test]
    fn before_the_first_sample_there_is_nothing() {
        let series = vec![SeriesName {
            name: "disk.sda.read_ios".into(),
            kind: MetricKind::Counter,
        }];
        let row = |tick: i64| ReadingRow {
            time_ns: tick * 100_000_000,
            cells: vec![tick as f64].into(),
        };
        let sampler = Sampler::of_rows([("diskstats", series, (0..100).map(row).collect())]);
        let parts = parts(&sampler, "diskstats", 9_900_000_000, 60_000_000_000, 15);
        assert_eq!(
            parts
                .iter()
                .flatten()
                .filter(|part| part.from.is_some())
                .count(),
            3
        );
        assert!(self::parts(&sampler, "diskstats", 9_900_000_000, 60_000_000_000, 0).is_empty());
    }
}
