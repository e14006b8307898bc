//! Holds bounds against a comparison.

use super::{Bound, BoundSide, Limit};
use crate::words;
use model::comparison::{
    BoundResult, Compared, Comparison, ComparisonCell, ComparisonRow, Crossed, Standing,
};
use model::units;

/// Every bound against every number it is about. A bound that is about none is told as not judged: a script must not pass
/// because a name was wrong.
pub fn judge(bounds: &[Bound], comparison: &Comparison, strict: bool) -> Vec<BoundResult> {
    bounds
        .iter()
        .flat_map(|bound| one(bound, comparison, strict))
        .collect()
}

/// Whether what was found fails a script: what is certainly crossed does, and with `strict` what may be.
pub fn is_failed(result: &BoundResult, strict: bool) -> bool {
    result.crossed == Crossed::Certainly || (strict && result.crossed == Crossed::Perhaps)
}

fn one(bound: &Bound, comparison: &Comparison, strict: bool) -> Vec<BoundResult> {
    let others = (0..comparison.subjects.len()).filter(|index| *index != comparison.base);
    let mut results = Vec::new();
    for index in others {
        let mut own: Vec<BoundResult> = comparison
            .compared
            .iter()
            .flat_map(|compared| compared.rows.iter().map(move |row| (compared, row)))
            .filter(|(_, row)| is_about(bound, &row.measure))
            .filter_map(|(compared, row)| held(bound, comparison, index, compared, row, strict))
            .collect();
        if own.is_empty() {
            own.push(absent(bound, comparison, index));
        }
        results.extend(own);
    }
    results
}

/// `p99` is about every direction's, `read.p99` about one.
fn is_about(bound: &Bound, measure: &str) -> bool {
    let whole = measure == bound.measure;
    let last = measure
        .split_once('.')
        .is_some_and(|(_, name)| name == bound.measure);
    whole || last
}

fn absent(bound: &Bound, comparison: &Comparison, index: usize) -> BoundResult {
    let subject = &comparison.subjects[index];
    let unlike = comparison
        .compared
        .iter()
        .flat_map(|one| &one.unlike)
        .find(|(at, _)| *at == index);
    let names: Vec<String> = comparison
        .compared
        .iter()
        .flat_map(|one| &one.rows)
        .map(|row| row.measure.clone())
        .take(12)
        .collect();
    let sentence = match unlike {
        Some((_, why)) => format!("not judged: the jobs are not alike ({why})"),
        None => format!(
            "not judged: {} has no {}; there are {}",
            subject.name,
            bound.measure,
            words::list(&names)
        ),
    };
    BoundResult {
        bound: bound.text.clone(),
        subject: subject.name.clone(),
        part: String::new(),
        measure: bound.measure.clone(),
        crossed: Crossed::NotJudged,
        sentence,
    }
}

fn held(
    bound: &Bound,
    comparison: &Comparison,
    index: usize,
    compared: &Compared,
    row: &ComparisonRow,
    strict: bool,
) -> Option<BoundResult> {
    let cell = row.cells[index].as_ref()?;
    let title = words::title(&row.measure);
    let base = &comparison.subjects[comparison.base].name;
    let (crossed, what) = match bound.limit {
        Limit::Relative(limit) => match &cell.ratio {
            Some(ratio) => {
                // Where repeats tell what two runs differ by, that is the wider and the honest interval.
                let repeats = row.repeats.as_ref().and_then(|repeats| repeats.reach);
                let (low, high) = widened(ratio.ratio, ratio.low, ratio.high, repeats);
                let crossed = side(bound.side, limit, ratio.ratio, low, high);
                let words = words::ratio(ratio.ratio, low, high);
                (
                    crossed,
                    format!(
                        "{title} {words} against {base}{}",
                        rests_on(low.or(high), repeats, ratio.standing)
                    ),
                )
            }
            None => return Some(unjudged(bound, comparison, index, compared, row)),
        },
        Limit::Time(limit) | Limit::Bytes(limit) | Limit::Number(limit) => {
            let measure = &cell.measure;
            let crossed = side(bound.side, limit, measure.value, measure.low, measure.high);
            (
                crossed,
                format!("{title} {}{}", words::of(measure), interval(cell)),
            )
        }
    };
    let verdict = match (crossed, strict) {
        (Crossed::Certainly, _) => "crossed",
        (Crossed::Perhaps, true) => "perhaps crossed, which --strict counts",
        (Crossed::Perhaps, false) => {
            "perhaps crossed: the interval holds the limit (--strict counts that)"
        }
        _ => "kept",
    };
    Some(BoundResult {
        bound: bound.text.clone(),
        subject: comparison.subjects[index].name.clone(),
        part: compared.name.clone(),
        measure: row.measure.clone(),
        crossed,
        sentence: format!("{verdict}: {what}"),
    })
}

/// A number without a ratio: the base lacks it, or the jobs are not alike.
fn unjudged(
    bound: &Bound,
    comparison: &Comparison,
    index: usize,
    compared: &Compared,
    row: &ComparisonRow,
) -> BoundResult {
    let unlike = compared.unlike.iter().find(|(at, _)| *at == index);
    let base = &comparison.subjects[comparison.base].name;
    let sentence = match unlike {
        Some((_, why)) => format!("not judged: the jobs are not alike ({why})"),
        None => format!("not judged: {base} has no {}", words::title(&row.measure)),
    };
    BoundResult {
        bound: bound.text.clone(),
        subject: comparison.subjects[index].name.clone(),
        part: compared.name.clone(),
        measure: row.measure.clone(),
        crossed: Crossed::NotJudged,
        sentence,
    }
}

fn widened(
    ratio: f64,
    low: Option<f64>,
    high: Option<f64>,
    reach: Option<f64>,
) -> (Option<f64>, Option<f64>) {
    match reach {
        Some(reach) => {
            let (least, most) = (ratio / (1.0 + reach), ratio * (1.0 + reach));
            (
                Some(low.map_or(least, |low| low.min(least))),
                Some(high.map_or(most, |high| high.max(most))),
            )
        }
        None => (low, high),
    }
}

fn side(side: BoundSide, limit: f64, value: f64, low: Option<f64>, high: Option<f64>) -> Crossed {
    // Seen from above: what lies beyond a lower limit is the mirror of what lies beyond an upper one.
    let (value, limit, near, far) = match side {
        BoundSide::Above => (value, limit, low, high),
        BoundSide::Below => (-value, -limit, high.map(|high| -high), low.map(|low| -low)),
    };
    match (near, far) {
        (None, None) if value > limit => Crossed::Certainly,
        (None, None) => Crossed::No,
        // A side without a bound is open.
        (Some(near), _) if near > limit => Crossed::Certainly,
        (_, Some(far)) if far <= limit => Crossed::No,
        _ => Crossed::Perhaps,
    }
}

fn rests_on(bound: Option<f64>, reach: Option<f64>, standing: Standing) -> String {
    match (bound, reach, standing) {
        (None, _, _) => ", one figure each: no interval".into(),
        (_, Some(reach), _) => {
            let reach = units::percent_signed(reach).replace('+', "");
            format!(", with what repeats differ by ({reach})")
        }
        _ => ", by what the runs hold; what differs between runs is not in it".into(),
    }
}

fn interval(cell: &ComparisonCell) -> String {
    let measure = &cell.measure;
    let word = |value: f64| words::value(&measure.unit, value);
    match (measure.low, measure.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", word(low), word(high)),
        (Some(low), None) => format!(" ({} or more)", word(low)),
        (None, Some(high)) => format!(" ({} or less)", word(high)),
        (None, None) => ", one figure: no interval".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::parse;
    use crate::compare::{Named, records};
    use crate::fixture::run;
    use model::job::Job;

    fn results(texts: &[&str], iops: f64, strict: bool) -> Vec<BoundResult> {
        let bounds: Vec<Bound> = texts.iter().map(|text| parse(text).unwrap()).collect();
        let (a, mut b) = (run(10_000.0, 0.01, 30), run(iops, 0.01, 30));
        b.provenance.kernel = "6.12.0".into();
        let given = [
            Named {
                name: "7",
                id: Some(7),
                record: &a,
            },
            Named {
                name: "9",
                id: Some(9),
                record: &b,
            },
        ];
        records(&given, 0, &[], &bounds, strict).bounds
    }

    #[test]
    fn what_is_certain_is_told_from_what_may_be() {
        let crossed = |text: &str, iops: f64| results(&[text], iops, false)[0].crossed;
        assert_eq!(crossed("iops<-5%", 9_000.0), Crossed::Certainly);
        assert_eq!(crossed("iops<-5%", 9_490.0), Crossed::Perhaps);
        assert_eq!(crossed("iops<-5%", 9_900.0), Crossed::No);
        assert_eq!(crossed("p99>+5%", 8_000.0), Crossed::Certainly);
        assert_eq!(crossed("p99>100ms", 8_000.0), Crossed::No);
        assert_eq!(crossed("read.p99>1ms", 8_000.0), Crossed::Certainly);
        assert_eq!(crossed("bw<100MiB/s", 8_000.0), Crossed::Certainly);
        let perhaps = &results(&["iops<-5%"], 9_490.0, true)[0];
        assert!(is_failed(perhaps, true) && !is_failed(perhaps, false));
        assert!(
            perhaps
                .sentence
                .starts_with("perhaps crossed, which --strict counts"),
            "{}",
            perhaps.sentence
        );
        let certain = &results(&["iops<-5%"], 9_000.0, false)[0];
        assert!(is_failed(certain, false));
        assert!(
            certain
                .sentence
                .contains("what differs between runs is not in it"),
            "{}",
            certain.sentence
        );
    }

    #[test]
    fn a_bound_that_is_about_nothing_does_not_pass() {
        let found = &results(&["write.p99>+5%"], 9_000.0, false)[0];
        assert_eq!(found.crossed, Crossed::NotJudged);
        assert!(
            found
                .sentence
                .contains("9 has no write.p99; there are read.iops"),
            "{}",
            found.sentence
        );
        let (a, mut b) = (run(10_000.0, 0.0, 30), run(9_000.0, 0.0, 30));
        b.job = Job {
            bs: 8192,
            ..Job::default()
        };
        let given = [
            Named {
                name: "7",
                id: None,
                record: &a,
            },
            Named {
                name: "9",
                id: None,
                record: &b,
            },
        ];
        let bounds = [parse("p99>+5%").unwrap(), parse("p99>1us").unwrap()];
        let found = records(&given, 0, &[], &bounds, false).bounds;
        assert!(
            found[0].sentence.contains("not alike (bs 8k, not 4k)"),
            "{}",
            found[0].sentence
        );
        assert_eq!(
            found[1].crossed,
            Crossed::Certainly,
            "an absolute limit needs no like job"
        );
    }
}
