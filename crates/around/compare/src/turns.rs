//! Places that were loaded in turns, in rounds of a drawn order. A ratio is taken within a round, so that what drifts from round
//! to round is on both sides of it; the rounds are the repeats.

use crate::measures;
use crate::repeats::find;
use analyse::spread;
use model::comparison::{ComparisonSubject, Measure, Part, TurnsRow};
use model::record::Record;

/// What one place gave in one round.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Which place, from 0: the others are compared with the first.
    pub place: usize,
    /// Which round, from 0.
    pub round: usize,
    /// What was measured.
    pub record: &'a Record,
}

/// Measures that a table of places begins with, by the last words of their names.
const SHOWN: [&str; 6] = ["iops", "bw", "per_s", "mean", "p99", "p99.9"];

/// A row for each measure that people ask for, of each load that the first place had.
pub fn rows(places: usize, turns: &[Turn<'_>]) -> Vec<TurnsRow> {
    let subjects: Vec<(Turn<'_>, ComparisonSubject)> = turns
        .iter()
        .map(|turn| (*turn, measures::of("", None, turn.record)))
        .collect();
    let first = subjects.iter().find(|(turn, _)| turn.place == 0);
    let Some((_, first)) = first else {
        return Vec::new();
    };
    let named = first.parts.iter().flat_map(|part| {
        let shown = part.measures.iter().filter(|one| is_shown(&one.name));
        shown.map(move |one| (part, one))
    });
    let row = |(part, one): (&Part, &Measure)| {
        let value = |place: usize, round: usize| {
            let mut found = subjects.iter();
            let (_, subject) =
                found.find(|(turn, _)| turn.place == place && turn.round == round)?;
            let same = subject.parts.iter().find(|other| other.name == part.name)?;
            find(same, &one.name)
                .map(|measure| measure.value)
                .filter(|value| *value > 0.0)
        };
        let rounds = turns.iter().map(|turn| turn.round + 1).max().unwrap_or(0);
        let values = (0..places).map(|place| {
            let all: Vec<f64> = (0..rounds)
                .filter_map(|round| value(place, round))
                .collect();
            (!all.is_empty()).then(|| spread::of(&all))
        });
        let ratios = (0..places).map(|place| {
            let within = |round| Some(value(place, round)? / value(0, round)?);
            let all: Vec<f64> = (0..rounds).filter_map(within).collect();
            (place > 0 && !all.is_empty()).then(|| spread::of(&all))
        });
        TurnsRow {
            part: part.name.clone(),
            measure: one.name.clone(),
            unit: one.unit.clone(),
            values: values.collect(),
            ratios: ratios.collect(),
        }
    };
    named.map(row).collect()
}

fn is_shown(measure: &str) -> bool {
    SHOWN.iter().any(|word| {
        let rest = measure.strip_suffix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    #[test]
    fn drift_from_round_to_round_falls_out_of_the_ratio() {
        let rates = [
            [10_000.0, 5_000.0],
            [20_000.0, 10_200.0],
            [40_000.0, 19_800.0],
        ];
        let records: Vec<(usize, usize, Record)> = rates
            .iter()
            .enumerate()
            .flat_map(|(round, both)| {
                let one = move |(place, iops): (usize, &f64)| (place, round, run(*iops, 0.0, 5));
                both.iter().enumerate().map(one)
            })
            .collect();
        let turns: Vec<Turn<'_>> = records
            .iter()
            .map(|(place, round, record)| Turn {
                place: *place,
                round: *round,
                record,
            })
            .collect();
        let rows = rows(2, &turns);
        let iops = rows.iter().find(|row| row.measure == "read.iops").unwrap();
        let ratio = iops.ratios[1].unwrap();
        assert!((ratio.mean - 0.5).abs() < 0.01, "{ratio:?}");
        assert!(
            ratio.low.unwrap() > 0.45 && ratio.high.unwrap() < 0.55,
            "{ratio:?}"
        );
        assert_eq!(iops.ratios[0], None);
        let wide = iops.values[0].unwrap();
        assert!(wide.low.unwrap() < 10_000.0, "{wide:?}");
    }

    #[test]
    fn a_place_without_a_round_has_no_ratio_in_it() {
        let (a, b) = (run(10_000.0, 0.0, 5), run(8_000.0, 0.0, 5));
        let turn = |place, round, record| Turn {
            place,
            round,
            record,
        };
        let turns = [turn(0, 0, &a), turn(1, 1, &b)];
        let rows = rows(3, &turns);
        let iops = rows.iter().find(|row| row.measure == "read.iops").unwrap();
        assert_eq!(iops.ratios, [None, None, None]);
        assert!(iops.values[1].is_some() && iops.values[2].is_none());
        assert!(super::rows(2, &turns[1..]).is_empty());
    }
}
