//! A history in lines: a chart of dots for each measure, `┃` where it changed, and what else changed there.

use super::{paragraph, right};
use crate::words;
use model::comparison::{ChangePoint, History, HistorySeries};
use model::units;
use report::text::{Paint, clean, width};

/// Rows and columns of a chart, without its axis.
const ROWS: usize = 8;
const COLUMNS: usize = 64;
/// Charts shown; the rest is in the document.
const CHARTS_MAX: usize = 6;

/// The whole history. `date` makes a day of ms since 1970.
pub fn lines(found: &History, date: &dyn Fn(i64) -> String, paint: Paint) -> Vec<String> {
    let mut lines = paragraph(&found.sentence, 0);
    for series in found.series.iter().take(CHARTS_MAX) {
        lines.push(String::new());
        lines.extend(chart(series, date, paint));
    }
    let hidden = found.series.len().saturating_sub(CHARTS_MAX);
    if hidden > 0 {
        let series = if hidden == 1 {
            "1 more series is".into()
        } else {
            format!("{hidden} more series are")
        };
        lines.push(format!(
            "{series} in the document (--json); --measure and --job choose."
        ));
    }
    if found.searched > 0 {
        lines.push(String::new());
        let series = if found.searched == 1 {
            "1 series was".into()
        } else {
            format!("{} series were", found.searched)
        };
        let text = format!(
            "{series} searched; the chance of a false change anywhere is at most {} % (seed {}).",
            units::times(found.alpha * 100.0).trim_end_matches(".0"),
            found.seed
        );
        lines.extend(paragraph(&text, 0));
    }
    lines
}

fn chart(series: &HistorySeries, date: &dyn Fn(i64) -> String, paint: Paint) -> Vec<String> {
    let part = if series.part.is_empty() {
        String::new()
    } else {
        format!("{}: ", series.part)
    };
    let title = format!("{part}{}, {}", words::title(&series.measure), series.phrase);
    let mut lines: Vec<String> = report::text::wrap(&clean(&title), width())
        .iter()
        .map(|line| paint.strong(line))
        .collect();
    lines.extend(paragraph(
        &format!("{}, n {}", series.place, series.points.len()),
        2,
    ));
    lines.extend(plot(series));
    if let (Some(first), Some(last)) = (series.points.first(), series.points.last()) {
        let (first, last) = (date(first.unix_ms), date(last.unix_ms));
        let gap = COLUMNS.saturating_sub(first.chars().count() + last.chars().count());
        lines.push(format!(
            "{}{first}{}{last}",
            " ".repeat(13),
            " ".repeat(gap)
        ));
    }
    lines.extend(series.not_searched.iter().flat_map(|why| paragraph(why, 2)));
    for change in &series.changes {
        lines.extend(told(series, change));
    }
    lines
}

/// Where a moment lies; all in one place for a series of one moment.
fn column(series: &HistorySeries, unix_ms: i64) -> usize {
    let first = series.points.first().map_or(0, |point| point.unix_ms);
    let length = series.points.last().map_or(0, |point| point.unix_ms) - first;
    match length {
        0 => 0,
        length => {
            ((unix_ms - first) as f64 / length as f64 * (COLUMNS - 1) as f64).round() as usize
        }
    }
}

fn plot(series: &HistorySeries) -> Vec<String> {
    let values = series.points.iter().map(|point| point.measure.value);
    let top = values.clone().fold(0.0, f64::max);
    if top <= 0.0 {
        return Vec::new();
    }
    let least = values.fold(f64::INFINITY, f64::min);
    // From 0 where that leaves room to see a change; cut axes exaggerate, so the axis says where it begins.
    let bottom = if least > 0.6 * top {
        least - (top - least)
    } else {
        0.0
    };
    let row = |value: f64| {
        let share = ((value - bottom) / (top - bottom)).clamp(0.0, 1.0);
        ROWS - 1 - ((share * ROWS as f64) as usize).min(ROWS - 1)
    };
    let mut cells = vec![vec![' '; COLUMNS]; ROWS];
    for (first, last, level) in &series.levels {
        let (from, to) = (
            column(series, series.points[*first].unix_ms),
            column(series, series.points[*last].unix_ms),
        );
        cells[row(*level)][from..=to].fill('─');
    }
    for change in &series.changes {
        let (before, after) = (&series.points[change.at - 1], &series.points[change.at]);
        let at = column(series, before.unix_ms).midpoint(column(series, after.unix_ms));
        cells.iter_mut().for_each(|line| line[at] = '┃');
    }
    for point in &series.points {
        let cell = &mut cells[row(point.measure.value)][column(series, point.unix_ms)];
        *cell = match (*cell, point.imported) {
            ('•' | '◦', _) => '•',
            (_, true) => '◦',
            (_, false) => '•',
        };
    }
    let axis = |index: usize| match index {
        0 => words::value(&series.unit, top),
        i if i == ROWS - 1 => words::value(&series.unit, bottom),
        _ => String::new(),
    };
    let line = |(index, cells): (usize, &Vec<char>)| {
        let text: String = cells.iter().collect();
        format!("{} │{}", right(&axis(index), 11), text.trim_end())
    };
    cells.iter().enumerate().map(line).collect()
}

/// A change in words, and what else changed there.
fn told(series: &HistorySeries, change: &ChangePoint) -> Vec<String> {
    let (before, after) = (&series.points[change.at - 1], &series.points[change.at]);
    let level = words::ratio(
        1.0 + change.effect,
        Some(1.0 + change.low),
        Some(1.0 + change.high),
    );
    let (low, high) = change.between;
    let where_it_is = match low == high {
        true => format!("between records {} and {}", before.record, after.record),
        false => {
            let from = low.saturating_sub(1);
            format!(
                "somewhere between records {} and {}",
                series.points[from].record, series.points[high].record
            )
        }
    };
    let mut lines = paragraph(
        &format!(
            "┃ {level}, {where_it_is} (p {})",
            units::decimals(change.p, 4)
        ),
        2,
    );
    if change.changed.is_empty() {
        lines.extend(paragraph(
            "nothing that iodyno records changed there: look at load of others and hardware",
            6,
        ));
    }
    for one in change.changed.iter().take(5) {
        let value = |value: &Option<String>| value.clone().unwrap_or("none".into());
        lines.extend(paragraph(
            &format!(
                "{} of {}: {} → {}",
                one.name,
                one.place,
                value(&one.a),
                value(&one.b)
            ),
            6,
        ));
    }
    if change.changed.len() > 5 {
        lines.push(format!(
            "      and {} more: iodyno diff {} {}",
            change.changed.len() - 5,
            before.record,
            after.record
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Named;
    use crate::fixture::run;
    use crate::history::{HistoryWish, history};
    use model::record::Record;
    use report::text::columns;

    #[test]
    fn the_chart_fits_and_shows_the_change_with_what_came_with_it() {
        let record = |index: u64| {
            let iops = 10_000.0 + [0.0, 120.0, -80.0, 60.0][index as usize % 4]
                - if index >= 12 { 2_000.0 } else { 0.0 };
            let mut record = run(iops, 0.0, 9);
            record.provenance.started_unix_ms += index * 86_400_000;
            record.provenance.kernel = if index >= 12 { "6.12.0" } else { "6.1.0" }.into();
            record
        };
        let records: Vec<Record> = (0..20).map(record).collect();
        let names: Vec<String> = (1..=20).map(|id: i64| id.to_string()).collect();
        let given: Vec<Named<'_>> = records
            .iter()
            .zip(&names)
            .map(|(record, name)| Named {
                name,
                id: name.parse().ok(),
                record,
            })
            .collect();
        let found = history(
            &given,
            &HistoryWish {
                measures: vec!["iops".into()],
                alpha: 0.05,
                seed: 1,
            },
        );
        let lines = lines(
            &found,
            &|ms| format!("day {}", ms / 86_400_000),
            Paint::Plain,
        );
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        let text = lines.join("\n");
        assert_eq!(text.matches('•').count(), 20, "{text}");
        assert!(
            text.contains("┃ −20 % (") && text.contains("kernel of machine: 6.1.0 → 6.12.0"),
            "{text}"
        );
        assert!(text.contains("at most 5 %"), "{text}");
    }
}
