//! What a run in a cluster says to people.

use crate::context::Context;
use compare::words::{ratio, title, value};
use kube::document::PlaceDone;
use model::comparison::TurnsRow;
use model::curve::Spread;
use model::record::Record;
use model::text::clean;
use report::text::aligned;

/// A record with where it was made.
pub fn of_record(id: Option<i64>, record: &Record, context: &Context) {
    let node = &record.provenance.hostname;
    let place = match record.target.ends_with(node.as_str()) {
        true => record.target.clone(),
        false => format!("{}, on node {node}", record.target),
    };
    context.out.say(format!("{}:", clean(&place)));
    for line in report::words::record(id, record) {
        context.out.say(line);
    }
}

/// Places that were loaded in turns: a table for each load, and each place against the first.
pub fn of_turns(places: &[PlaceDone], rows: &[TurnsRow], rounds: u32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut parts: Vec<&str> = Vec::new();
    for row in rows {
        if !parts.contains(&row.part.as_str()) {
            parts.push(&row.part);
        }
    }
    for part in parts {
        let own: Vec<&TurnsRow> = rows.iter().filter(|row| row.part == part).collect();
        if !part.is_empty() {
            lines.push(format!("{part}:"));
        }
        let table: Vec<Vec<String>> = std::iter::once(head(&own))
            .chain(places.iter().enumerate().map(|one| cells(one, &own)))
            .collect();
        lines.extend(aligned(table.iter().map(Vec::as_slice), |at| at == 0));
        lines.extend(against(places, &own));
    }
    lines.push(match rounds {
        1 => "  one round: what the next one would give is not known; --rounds 3 tells".into(),
        _ => format!(
            "  {rounds} rounds in random order; intervals are 95 % confidence intervals over the rounds"
        ),
    });
    lines
}

fn head(rows: &[&TurnsRow]) -> Vec<String> {
    let names = rows.iter().map(|row| title(&row.measure));
    std::iter::once(String::new()).chain(names).collect()
}

fn cells((at, place): (usize, &PlaceDone), rows: &[&TurnsRow]) -> Vec<String> {
    let cell = |row: &&TurnsRow| match row.values.get(at).copied().flatten() {
        Some(spread) => value(&row.unit, spread.mean),
        None => "–".into(),
    };
    std::iter::once(place.name.clone())
        .chain(rows.iter().map(cell))
        .collect()
}

/// `storage class slow against storage class fast: read IOPS −48 % (−50 to −46), read p99 +90 % (…)`.
fn against(places: &[PlaceDone], rows: &[&TurnsRow]) -> Vec<String> {
    let words = |row: &&TurnsRow, at: usize| {
        let Spread { mean, low, high } = row.ratios.get(at).copied().flatten()?;
        Some(format!(
            "{} {}",
            title(&row.measure),
            ratio(mean, low, high)
        ))
    };
    let others = places.iter().enumerate().skip(1);
    let line = |(at, place): (usize, &PlaceDone)| {
        let all: Vec<String> = rows.iter().filter_map(|row| words(row, at)).collect();
        let first = places.first()?;
        (!all.is_empty())
            .then(|| format!("{} against {}: {}", place.name, first.name, all.join(", ")))
    };
    others.filter_map(line).collect()
}
