//! Tables of what another tool printed over time, within the width of a terminal.

use super::text::{aligned, clean, columns, width, wrap};
use model::imported::ImportedSeries;
use view::other_series::{SeriesTable, readings, tables};

/// More things than this stand below each other, with their quantities beside each other.
const BESIDE_MAX: usize = 4;
/// As many of them are shown.
const ROWS_MAX: usize = 24;

/// The tables, and what they say.
pub(super) fn lines(series: &[ImportedSeries]) -> Vec<String> {
    let tables = tables(series);
    tables
        .iter()
        .flat_map(table_lines)
        .chain(reading_lines(series))
        .collect()
}

/// What the values say together, as a list.
pub fn reading_lines(series: &[ImportedSeries]) -> Vec<String> {
    let item = |reading: String| {
        let wrapped = wrap(&clean(&reading), width() - 4).into_iter();
        wrapped.enumerate().map(|(at, line)| match at {
            0 => format!("  - {line}"),
            _ => format!("    {line}"),
        })
    };
    readings(series).into_iter().flat_map(item).collect()
}

fn table_lines(table: &SeriesTable) -> Vec<String> {
    let head = |names: &[String]| -> Vec<String> {
        let names = names.iter().map(|name| clean(name).into_owned());
        std::iter::once(table.title.clone()).chain(names).collect()
    };
    let is_beside = table.subjects.len() <= BESIDE_MAX;
    let cells: Vec<Vec<String>> = match is_beside {
        true => {
            let row = |(label, cells): &(String, Vec<String>)| head_first(label, cells);
            let rows = table.rows.iter().map(row);
            std::iter::once(head(&table.subjects)).chain(rows).collect()
        }
        false => {
            let labels: Vec<String> = table.rows.iter().map(|(label, _)| label.clone()).collect();
            let row = |(at, subject): (usize, &String)| {
                let cells: Vec<String> = table
                    .rows
                    .iter()
                    .map(|(_, cells)| cells[at].clone())
                    .collect();
                head_first(subject, &cells)
            };
            let rows = table.subjects.iter().enumerate().map(row);
            std::iter::once(head(&labels))
                .chain(rows.take(ROWS_MAX))
                .collect()
        }
    };
    let mut lines = laid_out(&cells);
    if !is_beside && table.subjects.len() > ROWS_MAX {
        lines.push(format!(
            "  and {} more, with --json",
            table.subjects.len() - ROWS_MAX
        ));
    }
    lines
}

fn head_first(first: &str, rest: &[String]) -> Vec<String> {
    let first = clean(first).into_owned();
    std::iter::once(first).chain(rest.iter().cloned()).collect()
}

/// As many columns at a time as fit beside the first one.
fn laid_out(cells: &[Vec<String>]) -> Vec<String> {
    let count = cells.first().map_or(0, Vec::len);
    let wide = |at: usize| cells.iter().map(|row| columns(&row[at])).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut from = 1;
    while from < count {
        let mut taken = 2 + wide(0);
        let fits = |at: &usize| {
            taken += 2 + wide(*at);
            *at == from || taken <= width()
        };
        let until = (from..count).take_while(fits).last().unwrap_or(from) + 1;
        let part = |row: &Vec<String>| [&row[..1], &row[from..until]].concat();
        let part: Vec<Vec<String>> = cells.iter().map(part).collect();
        lines.extend(aligned(part.iter().map(|row| &row[..]), |at| at == 0));
        from = until;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(field: &str, subject: &str, value: f64) -> ImportedSeries {
        ImportedSeries {
            field: field.into(),
            subject: subject.into(),
            unit: "percent".into(),
            time_ms: vec![0.0],
            values: vec![Some(value)],
        }
    }

    #[test]
    fn few_things_stand_beside_each_other_and_many_below() {
        let few = [
            series("cpu.user_percent", "0", 12.0),
            series("cpu.idle_percent", "0", 88.0),
        ];
        assert_eq!(
            lines(&few),
            [
                "  one sample       0",
                "  user        12.0 %",
                "  idle          88 %"
            ]
        );
        let many: Vec<ImportedSeries> = (0..30)
            .flat_map(|cpu| {
                let of = |field: &str| series(field, &cpu.to_string(), 50.0);
                (0..12)
                    .map(move |at| of(&format!("cpu.quantity_{at}_percent")))
                    .collect::<Vec<_>>()
            })
            .collect();
        let many = lines(&many);
        assert!(
            many.iter().all(|line| columns(line) <= width()),
            "{many:#?}"
        );
        assert_eq!(many.last().unwrap(), "  and 6 more, with --json");
    }
}
