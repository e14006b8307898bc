//! The first line of a comparison: what differs, and what that is worth.

use crate::words;
use model::comparison::{
    Compared, Comparison, ComparisonCell, ComparisonRow, ComparisonSubject, Ratio, Repeats,
    Standing,
};

/// Measures that a person asks for first, by the last word of their names.
const FIRST: [&str; 4] = ["iops", "per_s", "p99", "mean"];

/// The sentence of a comparison, and what its numbers lack.
pub fn of(comparison: &Comparison) -> String {
    let said = difference(comparison);
    match single_percentiles(comparison) {
        Some(lack) => format!("{said} {lack}"),
        None => said,
    }
}

/// Other tools' percentiles are single figures: where some are compared, that is said.
fn single_percentiles(comparison: &Comparison) -> Option<String> {
    let is_word = |word: &str| {
        word.strip_prefix('p')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_percentile = |row: &&ComparisonRow| row.measure.split('.').any(is_word);
    let rows: Vec<&ComparisonRow> = comparison
        .compared
        .iter()
        .flat_map(|one| &one.rows)
        .filter(is_percentile)
        .filter(|row| row.cells.iter().flatten().any(|cell| cell.ratio.is_some()))
        .collect();
    let is_single = |index: usize| {
        let mut cells = rows.iter().filter_map(|row| row.cells.get(index)?.as_ref());
        cells.any(|cell| cell.measure.low.is_none() && cell.measure.high.is_none())
    };
    let subjects = comparison.subjects.iter().enumerate();
    let names: Vec<String> = subjects
        .filter(|(index, subject)| subject.verb == "import" && is_single(*index))
        .map(|(_, subject)| subject.name.clone())
        .collect();
    let whose = match names.len() {
        0 => return None,
        1..=3 => words::list(&names),
        many => format!("{many} imported results"),
    };
    Some(format!(
        "The percentiles of {whose} are single figures of another tool and have no interval."
    ))
}

fn difference(comparison: &Comparison) -> String {
    let base = &comparison.subjects[comparison.base];
    let Some(compared) = comparison
        .compared
        .iter()
        .find(|one| !ratios(one).is_empty())
    else {
        return nothing(comparison, base);
    };
    let others: Vec<usize> = (0..comparison.subjects.len())
        .filter(|index| *index != comparison.base)
        .collect();
    let place = if compared.name.is_empty() {
        String::new()
    } else {
        format!(" in {}", compared.name)
    };
    match others[..] {
        [only] => {
            let parts: Vec<String> = headline(compared, only)
                .into_iter()
                .map(|(row, ratio)| said(row, ratio))
                .collect();
            let name = &comparison.subjects[only].name;
            format!(
                "{name} against {}{place}: {}. {}",
                base.name,
                words::list(&parts),
                worth(compared, only)
            )
        }
        _ => several(comparison, compared, &others, base, &place),
    }
}

fn several(
    comparison: &Comparison,
    compared: &Compared,
    others: &[usize],
    base: &ComparisonSubject,
    place: &str,
) -> String {
    let Some(row) = headline_rows(compared).into_iter().next() else {
        return String::new();
    };
    let one = |index: &usize| {
        let ratio = row.cells[*index].as_ref()?.ratio.as_ref()?;
        Some(format!(
            "{} {}",
            comparison.subjects[*index].name,
            words::ratio(ratio.ratio, None, None)
        ))
    };
    let said: Vec<String> = others.iter().filter_map(one).collect();
    let shown: Vec<String> = said.iter().take(5).cloned().collect();
    let more = if said.len() > 5 {
        format!(", {} more below", said.len() - 5)
    } else {
        String::new()
    };
    let title = words::title(&row.measure);
    let capital = title.chars().next().map_or(String::new(), |first| {
        first.to_uppercase().chain(title.chars().skip(1)).collect()
    });
    let worst = others
        .iter()
        .filter(|index| {
            row.cells[**index]
                .as_ref()
                .is_some_and(|cell| cell.ratio.is_some())
        })
        .min_by_key(|index| standing(row, **index).map_or(9, rank));
    let worth = worst.map_or(String::new(), |index| worth(compared, *index));
    format!(
        "{capital}{place} against {}: {}{more}. {worth}",
        base.name,
        shown.join(", ")
    )
}

/// What is weakest is said: a hint before a proof.
fn rank(standing: Standing) -> u8 {
    match standing {
        Standing::Hint => 0,
        Standing::Within => 1,
        Standing::SameSetting => 2,
        Standing::Beyond => 3,
    }
}

fn standing(row: &ComparisonRow, index: usize) -> Option<Standing> {
    Some(row.cells[index].as_ref()?.ratio.as_ref()?.standing)
}

/// Where no ratio can be given: why.
fn nothing(comparison: &Comparison, base: &ComparisonSubject) -> String {
    let unlike = comparison
        .compared
        .iter()
        .flat_map(|one| &one.unlike)
        .next();
    if let Some((index, why)) = unlike {
        let name = &comparison.subjects[*index].name;
        return format!(
            "The jobs are not alike ({name} against {}: {why}), so the numbers stand beside each other and no ratio is given.",
            base.name
        );
    }
    if !comparison.curves.is_empty() {
        return "The curves stand over each other below, load by load.".into();
    }
    if comparison
        .subjects
        .iter()
        .any(|subject| !subject.proofs.is_empty())
    {
        return "What a tune found was proved inside it, by pairs of windows; two tunes are set side by side below.".into();
    }
    "These records have no number in common.".into()
}

fn ratios(compared: &Compared) -> Vec<&Ratio> {
    compared
        .rows
        .iter()
        .flat_map(|row| &row.cells)
        .flatten()
        .filter_map(|cell: &ComparisonCell| cell.ratio.as_ref())
        .collect()
}

/// The rows of the first line: a rate and a latency of the busiest direction.
fn headline_rows(compared: &Compared) -> Vec<&ComparisonRow> {
    let with = |word: &str| {
        let ends = |row: &&ComparisonRow| row.measure.rsplit('.').next() == Some(word);
        let has_ratio =
            |row: &&ComparisonRow| row.cells.iter().flatten().any(|cell| cell.ratio.is_some());
        let value = |row: &&ComparisonRow| {
            row.cells
                .iter()
                .flatten()
                .map(|cell| cell.measure.value)
                .fold(0.0, f64::max)
        };
        compared
            .rows
            .iter()
            .filter(ends)
            .filter(has_ratio)
            .max_by(|a, b| value(a).total_cmp(&value(b)))
    };
    let found: Vec<&ComparisonRow> = FIRST.into_iter().filter_map(with).collect();
    // A tool that only tells bytes a second, or a mean, has those.
    let found = if found.is_empty() {
        ["bw", "await"].into_iter().filter_map(with).collect()
    } else {
        found
    };
    let rate = found.first().copied();
    let latency = found.iter().skip(1).find(|row| {
        !["iops", "per_s"]
            .iter()
            .any(|word| row.measure.ends_with(word))
    });
    rate.into_iter().chain(latency.copied()).collect()
}

fn headline(compared: &Compared, index: usize) -> Vec<(&ComparisonRow, &Ratio)> {
    let with = |row| {
        let row: &ComparisonRow = row;
        Some((row, row.cells[index].as_ref()?.ratio.as_ref()?))
    };
    headline_rows(compared)
        .into_iter()
        .filter_map(with)
        .collect()
}

fn said(row: &ComparisonRow, ratio: &Ratio) -> String {
    format!(
        "{} {}",
        words::title(&row.measure),
        words::ratio(ratio.ratio, ratio.low, ratio.high)
    )
}

/// What the difference is worth.
fn worth(compared: &Compared, index: usize) -> String {
    let found = headline(compared, index);
    let Some((row, ratio)) = found.first() else {
        return String::new();
    };
    match (ratio.standing, &row.repeats) {
        (Standing::SameSetting, _) => {
            "Both have the same settings on the same device: this is what a repeat gives, not an effect.".into()
        }
        (Standing::Within, Some(repeats)) => {
            format!("One run each: the difference is within what {}.", gave(repeats))
        }
        (Standing::Beyond, Some(repeats)) => format!(
            "One run each, but more than runs of one setting differ by: {} stay below {} in 95 of 100 cases.",
            words::records(&repeats.records),
            share(repeats.reach.unwrap_or(repeats.largest))
        ),
        (_, Some(repeats)) => format!(
            "One run each: more than {}, which are too few to be sure; a hint.",
            gave(repeats)
        ),
        _ => "One run each: no more than a hint. Repeat both, or let `iodyno tune` switch between the settings.".into(),
    }
}

/// `the same setting gave twice (2.1 %, records 3 and 5)`.
fn gave(repeats: &Repeats) -> String {
    let who = match (repeats.settings, repeats.records.len()) {
        (1, 2) => "the same setting gave twice".to_string(),
        (1, many) => format!("the same setting gave {many} times"),
        (settings, many) => {
            format!("{many} runs of {settings} settings gave, each setting for itself")
        }
    };
    let most = repeats
        .reach
        .map_or(repeats.largest, |reach| reach.max(repeats.largest));
    format!(
        "{who} ({}, {})",
        share(most),
        words::records(&repeats.records)
    )
}

/// A ratio minus one without its sign.
fn share(share: f64) -> String {
    model::units::percent_signed(share).replace('+', "")
}

/// What repeats say of one measure, for the foot of a table.
pub fn repeats_line(row: &ComparisonRow) -> Option<String> {
    let repeats = row.repeats.as_ref()?;
    let expect = repeats
        .reach
        .map(|reach| format!("; two runs stay within {} in 95 of 100 cases", share(reach)));
    let marks = "; `within` and `beyond` say on which side of that a ratio is";
    Some(format!(
        "{}: runs of one setting differed by up to {} ({}){}{marks}",
        words::title(&row.measure),
        share(repeats.largest),
        words::records(&repeats.records),
        expect.unwrap_or_default()
    ))
}

/// The measure of a compared load by which a person asks first; none where there is no ratio.
pub fn first_row(compared: &Compared) -> Option<&ComparisonRow> {
    headline_rows(compared).into_iter().next()
}
