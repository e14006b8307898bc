//! Which setting goes with being different: one that all of the different hosts have, and hardly any other.
//!
//! The figure beside it is the share of all ways to draw as many hosts that would hit only hosts with that value, which is
//! Fisher's exact test, one-sided. With few hosts it is never small, and of many settings some go with anything: both are
//! said.

use crate::settings::{SettingRow, SettingsTable};
use serde::Serialize;
use std::collections::BTreeSet;

/// Settings that are named at most.
const NAMED_MAX: usize = 5;

/// A setting that goes with being different.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoesWith {
    /// Whose it is.
    pub place: String,
    /// The setting or fact.
    pub name: String,
    /// The value of the different hosts; none where they have no such thing.
    pub value: Option<String>,
    /// What most others have.
    pub elsewhere: Option<String>,
    /// Hosts that have that value, the different ones too.
    pub hosts_with: usize,
    /// The probability that so many hosts drawn at random would all have it.
    pub by_chance: f64,
    /// How many settings and facts go with it as well as this one.
    pub as_well: usize,
    /// Settings and facts that were compared.
    pub compared: usize,
}

/// The settings that go with the hosts at these places, what is least likely by chance first.
pub fn going_with(different: &BTreeSet<usize>, table: &SettingsTable) -> Vec<GoesWith> {
    if different.is_empty() || different.len() >= table.hosts {
        return Vec::new();
    }
    let found = table.rows.iter().filter_map(|row| {
        let (value, hosts_with) = shared(different, row, table.hosts)?;
        let by_chance = chance(different.len(), hosts_with, table.hosts);
        Some((row, value, hosts_with, by_chance))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|one, other| {
        let by_chance = one.3.total_cmp(&other.3);
        by_chance.then(other.0.weight.total_cmp(&one.0.weight))
    });
    let as_well = |by_chance: f64| found.iter().filter(|one| one.3 <= by_chance).count() - 1;
    let told = found.iter().take(NAMED_MAX);
    let told = told.map(|(row, value, hosts_with, by_chance)| GoesWith {
        place: row.place.clone(),
        name: row.name.clone(),
        value: value.clone(),
        elsewhere: elsewhere(row, value),
        hosts_with: *hosts_with,
        by_chance: *by_chance,
        as_well: as_well(*by_chance),
        compared: table.compared,
    });
    told.collect()
}

/// The value that all of the different hosts have and not every host has, and how many have it.
fn shared(
    different: &BTreeSet<usize>,
    row: &SettingRow,
    hosts: usize,
) -> Option<(Option<String>, usize)> {
    let of = |at: &usize| row.others.iter().find(|one| one.at == *at);
    let first = different.first().map(of)?;
    let value = first.map_or(&row.usual, |one| &one.value);
    let has_it = |at: &usize| of(at).map_or(&row.usual, |one| &one.value) == value;
    if !different.iter().all(has_it) {
        return None;
    }
    let elsewhere = row.others.iter().filter(|one| one.value == *value).count();
    let with = match *value == row.usual {
        true => hosts - row.others.len() + elsewhere,
        false => elsewhere,
    };
    (with < hosts).then(|| (value.clone(), with))
}

/// The value that most hosts without this one have.
fn elsewhere(row: &SettingRow, value: &Option<String>) -> Option<String> {
    if *value != row.usual {
        return row.usual.clone();
    }
    let count = |of: &Option<String>| row.others.iter().filter(|one| one.value == *of).count();
    let most = row.others.iter().max_by_key(|one| count(&one.value));
    most.and_then(|one| one.value.clone())
}

/// The probability that `drawn` of `hosts` hosts are all among the `with` ones.
fn chance(drawn: usize, with: usize, hosts: usize) -> f64 {
    let step = |at: usize| (with.saturating_sub(at)) as f64 / (hosts - at) as f64;
    (0..drawn).map(step).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SettingElsewhere;

    fn row(name: &str, others: &[(usize, &str)]) -> SettingRow {
        let elsewhere = |(at, value): &(usize, &str)| SettingElsewhere {
            at: *at,
            host: format!("h{at}"),
            value: Some(value.to_string()),
        };
        SettingRow {
            place: "disk".into(),
            name: name.into(),
            usual: Some("128".into()),
            others: others.iter().map(elsewhere).collect(),
            weight: 0.5,
            why: String::new(),
        }
    }

    fn table(hosts: usize, rows: Vec<SettingRow>) -> SettingsTable {
        SettingsTable {
            usual_host: "h0".into(),
            hosts,
            compared: 60,
            rows,
        }
    }

    #[test]
    fn what_all_different_hosts_have_and_no_other_comes_first() {
        let rows = vec![
            row("half", &[(1, "4"), (2, "4"), (3, "4"), (4, "4"), (5, "4")]),
            row("mixed", &[(1, "4"), (2, "8")]),
            row("read_ahead_kb", &[(1, "4"), (2, "4")]),
        ];
        let found = going_with(&BTreeSet::from([1, 2]), &table(10, rows));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].name, "read_ahead_kb");
        assert_eq!((found[0].hosts_with, found[0].as_well), (2, 0));
        assert!((found[0].by_chance - 2.0 / 90.0).abs() < 1e-12);
        assert_eq!(found[1].hosts_with, 5);
        assert_eq!(found[1].as_well, 1);
    }

    #[test]
    fn the_usual_value_can_be_the_odd_one() {
        // The different host is the only one that has what the table calls usual.
        let rows = vec![row("x", &[(1, "4"), (2, "4"), (3, "4")])];
        let found = going_with(&BTreeSet::from([0]), &table(4, rows));
        assert_eq!(found[0].value.as_deref(), Some("128"));
        assert_eq!(found[0].elsewhere.as_deref(), Some("4"));
        assert!((found[0].by_chance - 0.25).abs() < 1e-12);
        assert!(going_with(&BTreeSet::new(), &table(4, Vec::new())).is_empty());
    }
}
